"""Small programs under all schedules with few preemptions, and under random ones."""

import pytest

from nbgraph.engine.core import plans
from tests.engine.core.explore import Failed, Late, exhaustive, once, randomly
from tests.engine.core.mutants import LATE
from tests.engine.core.programs import PROGRAMS
from tests.engine.core.random_programs import random_program

EVERYDAY = 100  # schedules of a program for each number of preemptions, where there are more
SEEDS = 250  # random programs


@pytest.fixture(autouse=True)
def little_patience(monkeypatch):
    """A thread looks for tickets of a plan a few times, not a thousand."""
    monkeypatch.setattr(plans, "PATIENCE_SPINS", 3)


@pytest.mark.everyday(1 / 2)
@pytest.mark.parametrize("name", PROGRAMS)
def test_few_preemptions(name):
    program = PROGRAMS[name]
    for budget in (0, 1, 2):
        exhaustive(program, budget, alarms=program.alarms, most=EVERYDAY)


@pytest.mark.slow
@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("budget", [2, 3])
def test_more_preemptions(name, budget):
    program = PROGRAMS[name]
    exhaustive(program, budget, alarms=program.alarms, most=20_000)


@pytest.mark.everyday(1 / 2)
@pytest.mark.parametrize("name", PROGRAMS)
def test_random_schedules(name, full):
    program = PROGRAMS[name]
    randomly(program, 1, 3000 if full else 60, alarms=program.alarms)


@pytest.mark.parametrize("part", range(5))
def test_random_programs(part, full):
    seeds = range(part, 40 * SEEDS if full else SEEDS, 5)
    for seed in seeds:
        randomly(random_program(seed), seed, 3)


@pytest.mark.parametrize("run", [1, 2])
def test_a_claim_may_come_late(run):
    """The place is of a ticket yet to come, and the thread waits for it."""
    chooser = Late(4, run)
    once(PROGRAMS["plan_of_many_long_rows"], chooser, lambda: "the same again")
    assert chooser.late is not None and chooser.looks > 3


@pytest.mark.parametrize("bug", LATE)
def test_bugs_of_late_claims_are_found(bug, monkeypatch):
    monkeypatch.setattr(plans, "PATIENCE_SPINS", 0)
    with LATE[bug].at_work(), pytest.raises(Failed):
        for run in (1, 2):
            once(PROGRAMS["plan_of_many_long_rows"], Late(4, run), lambda: "the same again")
