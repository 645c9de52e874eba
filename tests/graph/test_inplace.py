"""Who takes whose memory, and which sums are added up where a part of them is."""

import random

import hypothesis
import pytest
from hypothesis import strategies as st

from nbgraph.graph.passes import inplace, reach
from nbgraph.graph.passes.inplace import accumulate, take_over
from nbgraph.graph.passes.lifetimes import footprint
from nbgraph.graph.schedule import predecessors
from nbgraph.operator.request import OpReqType
from tests.graph.schedules import (
    Machine,
    Writer,
    ancestors,
    expected,
    fan_out,
    peak,
    random_schedule,
)

kWriteTo, kWriteInplace, kAddTo = OpReqType.kWriteTo, OpReqType.kWriteInplace, OpReqType.kAddTo


@pytest.fixture
def chains(monkeypatch):
    """The order of dependency as large schedules know it, with two paths tracked."""
    monkeypatch.setattr(inplace, "reach", lambda before: reach.Chains(before, 2))


# ------------------------------------------------------------------------------- in place


def test_the_trap_b_is_used_by_c_and_f():
    """X-MEM-02: C runs first and could write over B, which F reads later; F may, as C is its
    ancestor."""
    b = Writer()
    value = b.task("B", (b.given("a"),))
    c = b.task("C", (value,), rights=(0,))
    f = b.task("F", (value, c), rights=(0,))
    assert take_over(b.schedule) == 1
    assert c.shared is None
    assert c.note == "not over b: F may still need it"
    assert f.shared is value
    assert b["F"].requests == [kWriteInplace]
    assert f.note == "over b"


def test_list_order_is_not_enough():
    """X-MEM-05: F comes after C in the list, but need not run after it."""
    b = Writer()
    value = b.task("B", (b.given("a"),))
    c = b.task("C", (value,), rights=(0,))
    f = b.task("F", (value,), rights=(0,))
    assert take_over(b.schedule) == 0
    assert c.note == "not over b: F may still need it"
    assert f.note == "not over b: C may still need it"
    b["F"].after = (b["C"],)
    assert take_over(b.schedule) == 1
    assert f.shared is value


@pytest.mark.parametrize("later_reader", [False, True])
@pytest.mark.parametrize("way", ["forward", "backward"])
def test_an_option_is_used_when_nobody_reads_later(way, later_reader):
    """OPP-10, OPP-11, SMP-02: (in_data, out_data) forward and (out_grad, in_grad) backward."""
    b = Writer()
    given = b.given("x")
    operand = b.task("OutGrad" if way == "backward" else "Data", (given,))
    result = b.task("Op", (given, operand), rights=(1,))
    if later_reader:
        b.task("Later", (operand, result), to=b.given("end"))
    assert take_over(b.schedule) == (not later_reader)
    assert (result.shared is operand) == (not later_reader)


@pytest.mark.parametrize(
    "case, why",
    [
        ("operand given", "not over x: x is given"),
        ("sizes", "not over x: sizes differ (64 and 128 bytes)"),
        ("another output", "not over x: r of the same task takes it"),
        ("another operand", "operand 1, too, and not element by element"),
        ("added to", ""),
        ("no right", ""),
    ],
)
def test_what_never_shares(case, why):
    """OPP-13 and API rule 4: each refusal is a line of the note."""
    b = Writer()
    x = b.given("x") if case == "operand given" else b.task("X", (b.given("a"),))
    nbytes = 128 if case == "sizes" else 64
    r = b.value("r", nbytes)
    twice = case == "another operand"
    b.task("R", (x, x) if twice else (x,), to=r, rights=() if case == "no right" else (0,))
    task = b["R"]
    if case == "added to":
        task.requests[0] = kAddTo
    if case == "another output":
        r2 = b.value("r2")
        task.writes, task.requests, task.rights = (r, r2), [kWriteTo] * 2, ((0, 0), (0, 1))
        assert take_over(b.schedule) == 1
        assert r.shared is x
        r = r2
    else:
        assert take_over(b.schedule) == 0
    assert r.shared is None
    assert r.note.endswith(why)
    assert bool(r.note) == bool(why)


@pytest.mark.parametrize("reader", [False, True])
def test_a_given_result_is_computed_where_it_goes(reader):
    """What is written over by a result, and all that was in that memory, is there from the start,
    unless somebody reads it beside the result."""
    b = Writer()
    x = b.task("X", (b.given("a"),))
    y = b.task("Y", (x,), rights=(0,))
    r = b.task("R", (y,), to=b.given("r"), rights=(0,))
    if reader:
        b.task("Later", (y,), to=b.given("end"))
    want = expected(b.schedule)
    assert take_over(b.schedule) == 2 - reader
    assert y.shared is x
    assert x.shared is (None if reader else r)
    assert peak(b.schedule) == reader * footprint(64)
    machine = Machine(b.schedule)
    machine.run(random.Random(0), 2)
    assert machine.results() == want


def test_a_chain_stays_in_one_block():
    """Memory goes from hand to hand; a long chain takes no square of time or depth."""
    b = Writer()
    last = b.task("T", (b.given("x"),))
    for k in range(2000):
        last = b.task(f"T{k}", (last,), rights=(0,))
    b.task("End", (last,), to=b.given("end"))
    assert take_over(b.schedule) == 2000
    assert peak(b.schedule) == footprint(64)


def test_nobody_reads_what_was_written_over():
    """A third task may not take what the second has taken: it reads the first one's value."""
    b = Writer()
    x = b.task("X", (b.given("a"),))
    y = b.task("Y", (x,), rights=(0,))
    b.task("Z", (y,), rights=(0,))
    b["Z"].reads, b["Z"].after = (x,), (b["Y"],)
    b["Z"].rights = ((0, 0),)
    assert take_over(b.schedule) == 1
    assert y.shared is None


# ------------------------------------------------------------------------------- sums


@pytest.mark.parametrize("branches", [2, 3, 10])
def test_a_fan_out_is_added_up_in_one_buffer(branches):
    """OPR-11: gradients of an input with many uses need no buffer but the sum."""
    b = fan_out(branches)
    want = expected(fan_out(branches).schedule)
    assert accumulate(b.schedule) == branches - 1
    assert [task.requests for task in b.schedule.tasks] == [[kWriteTo]] + [[kAddTo]] * (
        branches - 1
    )
    assert {task.writes[0].name for task in b.schedule.tasks} == {"gradient"}
    assert peak(b.schedule) == 0  # all of it is given
    assert expected(b.schedule) == want


@pytest.mark.parametrize("swapped", [False, True])
def test_a_sum_is_symmetric(swapped):
    b = Writer()
    a = b.given("a")
    x = b.task("X", (a,))
    y = b.task("Y", (a,), accumulates=(0,))
    z = b.sum("Z", *((y, x) if swapped else (x, y)))
    b.task("End", (z,), to=b.given("end"))
    assert accumulate(b.schedule) == 1
    assert [task.name for task in b.schedule.tasks] == ["X", "Y", "End"]
    assert b["Y"].writes == b["X"].writes == b["End"].reads
    assert b["Y"].requests == [kAddTo]
    assert y.shared is z.shared is x or x.shared is y.shared is z


def test_a_task_moves_to_add():
    """The one that can add comes first in the list; it moves behind the other."""
    b = Writer()
    a = b.given("a")
    y = b.task("Y", (a,), accumulates=(0,))
    x = b.task("X", (a,))
    z = b.sum("Z", x, y, to=b.given("z"))
    b.task("After", (), to=b.given("other"), after=(b["Z"],))
    want = expected(b.schedule)
    assert accumulate(b.schedule) == 1
    assert [task.name for task in b.schedule.tasks] == ["X", "Y", "After"]
    assert b["After"].after == (b["Y"],)
    assert x.shared is y.shared is z
    assert expected(b.schedule) == want


@pytest.mark.parametrize("case", ["x read with z", "y read elsewhere"])
def test_what_is_needed_afterwards_is_not_added_to(case):
    b = Writer()
    a = b.given("a")
    x = b.task("X", (a,))
    y = b.task("Y", (a,), accumulates=(0,))
    z = b.sum("Z", x, y)
    b.task("End", (z, x if case == "x read with z" else y), to=b.given("end"))
    want = expected(b.schedule)
    assert accumulate(b.schedule) == 0
    assert expected(b.schedule) == want


def test_a_reader_of_x_goes_first():
    """It is behind the sum in the list, but needs nothing of it."""
    b = Writer()
    a = b.given("a")
    x = b.task("X", (a,))
    y = b.task("Y", (a,), accumulates=(0,))
    b.task("End", (b.sum("Z", x, y),), to=b.given("end"))
    b.task("Reader", (x,), to=b.given("other"))
    want = expected(b.schedule)
    assert accumulate(b.schedule) == 1
    assert [task.name for task in b.schedule.tasks] == ["X", "Reader", "Y", "End"]
    assert expected(b.schedule) == want


def test_no_cycle():
    """Y's task is an ancestor of X's: Y cannot wait for X."""
    b = Writer()
    a = b.given("a")
    b.task("T", (a,))
    y, side = b["T"].writes[0], b.value("side")
    b["T"].writes, b["T"].requests, b["T"].accumulates = (y, side), [kWriteTo] * 2, (0,)
    x = b.task("X", (side,))
    b.sum("Z", x, y, to=b.given("z"))
    assert accumulate(b.schedule) == 0
    assert [task.requests for task in b.schedule.tasks] == [[kWriteTo] * 2, [kWriteTo], [kWriteTo]]


@pytest.mark.parametrize("case", ["x given", "no accumulation", "added", "x twice", "x read"])
def test_sums_that_stay(case):
    b = Writer()
    a = b.given("a")
    x = a if case == "x given" else b.task("X", (a,))
    reads = (a, x) if case == "x read" else (a,)
    y = b.task("Y", reads, accumulates=() if case == "no accumulation" else (0,))
    b.sum("Z", x, x if case == "x twice" else y, to=b.given("z"))
    if case == "added":
        b["Z"].requests[0] = kAddTo
    assert accumulate(b.schedule) == 0
    assert b.schedule.tasks[-1].name == "Z"


# ------------------------------------------------------------------------------- both, at random


@hypothesis.given(st.integers(0, 2**32), st.integers(1, 60), st.integers(1, 9), st.booleans())
@hypothesis.settings(max_examples=60)
def test_same_bits_on_and_off(seed, count, width, several_sizes):
    """OPP-12: suggestions, forced off and on; in list order and in any legal parallel order."""

    def make():
        rng = random.Random(seed)
        return random_schedule(rng, count, width=width, several_sizes=several_sizes)

    want, schedule, rng = expected(make()), make(), random.Random(seed)
    accumulate(schedule)
    assert expected(schedule) == want
    take_over(schedule)
    for workers in (1, 2, 4):
        machine = Machine(schedule)
        machine.run(rng, workers)
        assert machine.results() == want


@pytest.mark.parametrize("seed", range(25))
def test_who_is_overwritten_is_an_ancestor(seed):
    """X-MEM-02, by the definition: every other toucher of the memory, among all tasks."""
    schedule = random_schedule(random.Random(seed), 60)
    accumulate(schedule)
    take_over(schedule)
    before = ancestors(schedule.tasks)
    touched = {value: set() for value in schedule.values}
    for k, task in enumerate(schedule.tasks):
        for value in (*task.reads, *task.writes):
            touched[value].add(k)
    for value in schedule.values:
        taken = value.shared
        while taken is not None and touched[value]:
            # a given result has what was computed in its memory before it
            early, late = (value, taken) if taken.external else (taken, value)
            first = min(touched[late], default=0)
            assert touched[early] - {first} <= before[first]
            taken = taken.shared


def test_chains_claim_no_more_than_sets(chains):
    """The order of large schedules may know less; what it claims is right."""
    for seed in range(20):
        schedule = random_schedule(random.Random(seed), 50)
        want = expected(random_schedule(random.Random(seed), 50))
        take_over(schedule)
        machine = Machine(schedule)
        machine.run(random.Random(seed), 3)
        assert machine.results() == want


@pytest.mark.parametrize("tracked", [0, 1, 3, 64])
@pytest.mark.parametrize("seed", range(5))
def test_reach(seed, tracked):
    """Sets of bits are exact; chains say yes only where they are right, and with all paths
    tracked wherever it is so. Waits count from then on."""
    schedule = random_schedule(random.Random(seed), 60)
    before = predecessors(schedule.tasks)
    want = ancestors(schedule.tasks)
    exact, chained = reach.Exact(before), reach.Chains(before, tracked)
    for k in range(len(before)):
        exact.enter(k)
        chained.enter(k)
        assert {j for j in range(k + 1) if exact.after(j)} == want[k]
        known = {j for j in range(k + 1) if chained.after(j)}
        assert known <= want[k]
        assert tracked < 64 or known == want[k]
        if k == 30:
            for one in (exact, chained):
                one.wait(20)
                assert one.after(20)
            for later in range(k, len(want)):
                if later == k or k in want[later]:
                    want[later] |= {20} | want[20]
