"""Which tasks may write past the caches."""

import random

import pytest

from nbgraph.graph.passes.inplace import accumulate, take_over
from nbgraph.graph.passes.streaming import mark
from nbgraph.graph.schedule import Schedule
from nbgraph.operator.request import OpReqType
from tests.graph.schedules import Writer, random_schedule


def naive(schedule, least, room):
    """For each task: the definition, task by task and byte by byte."""

    def home(value):
        return value if value.shared is None else home(value.shared)

    found = []
    for k, task in enumerate(schedule.tasks):
        good = sum(v.nbytes for v in task.writes) >= least > 0
        good &= all(r is OpReqType.kWriteTo for r in task.requests)
        for value in task.writes:
            good &= value.shared is None and value not in task.reads
            touched = 0
            for later, other in enumerate(schedule.tasks[k:]):
                if later and value in other.reads:
                    good &= touched >= room
                    break
                touched += sum(v.nbytes for v in {home(v) for v in (*other.reads, *other.writes)})
        found.append(good)
    return found


@pytest.mark.parametrize("seed", range(40))
def test_marks_are_what_is_defined(seed):
    """X-MEM-03: large, written anew, and not read before so many bytes were touched."""
    rng = random.Random(seed)
    schedule = random_schedule(rng, 40)
    accumulate(schedule)
    take_over(schedule)
    least, room = rng.choice([0, 1, 100, 640]), rng.choice([0, 1000, 3000])
    wanted = naive(schedule, least, room)
    assert mark(schedule, least, room) == sum(wanted)
    assert [task.once for task in schedule.tasks] == wanted


def test_a_result_is_far_from_its_reader_a_link_of_a_chain_is_not():
    """X-MEM-03: nobody in the plan reads a result; who reads a link reads it at once."""
    b = Writer()
    link = b.task("Link", (b.given("x", 1000),), 1000)
    b.task("End", (link,), to=b.given("y", 1000))
    assert mark(b.schedule, 1000, 3000) == 1
    assert [task.once for task in b.schedule.tasks] == [False, True]
    assert mark(b.schedule, 1000, 2000) == 2  # its own run has touched that much
    assert mark(b.schedule, 1001, 0) == 0  # small


def test_no_tasks_no_marks():
    """X-MEM-03: an empty schedule."""
    assert mark(Schedule([], []), 1, 1) == 0
