"""Seeded bugs in the core's source are each found by small programs under many schedules."""

import pytest

from nbgraph.engine.core import plans
from tests.engine.core.explore import Failed, exhaustive, randomly
from tests.engine.core.mutants import MUTANTS
from tests.engine.core.programs import PROGRAMS


@pytest.mark.everyday(1 / 2)
@pytest.mark.parametrize("bug", MUTANTS)
def test_seeded_bug_is_found(bug, monkeypatch):
    monkeypatch.setattr(plans, "PATIENCE_SPINS", 3)
    mutant = MUTANTS[bug]
    with mutant.at_work(), pytest.raises(Failed):
        for name in mutant.programs:
            program = PROGRAMS[name]
            randomly(program, 1, 150, alarms=program.alarms)
            for budget in (0, 1, 2):
                exhaustive(program, budget, alarms=program.alarms, most=3000)
