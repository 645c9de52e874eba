"""Small programs under all schedules with few preemptions, and under random ones."""

import pytest

from nbgraph.engine.core import plans
from tests.engine.core.explore import exhaustive, randomly
from tests.engine.core.programs import PROGRAMS

EVERYDAY = 400  # schedules of a program where there are more


@pytest.fixture(autouse=True)
def little_patience(monkeypatch):
    """A thread looks for tickets of a plan a few times, not a thousand."""
    monkeypatch.setattr(plans, "PATIENCE_SPINS", 3)


@pytest.mark.parametrize("name", PROGRAMS)
def test_few_preemptions(name):
    program = PROGRAMS[name]
    for budget in (0, 1, 2):
        exhaustive(program, budget, alarms=program.alarms, most=EVERYDAY)


@pytest.mark.parametrize("name", PROGRAMS)
def test_random_schedules(name):
    program = PROGRAMS[name]
    randomly(program, 1, 100, alarms=program.alarms)
