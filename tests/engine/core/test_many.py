"""Many simulated processors, and what an engine of 16 threads makes of them; without chance."""

import pytest

from tests.engine.core.many import PROGRAMS, efficiency, simulated


@pytest.mark.parametrize(
    ("name", "threads", "least"),
    [
        ("plan of 2 us", 8, 0.68),
        ("plan of 20 us", 8, 0.9),
        ("plan of 20 us", 16, 0.85),
        ("chains of 2 us", 16, 0.6),
        ("chains of 5 us", 16, 0.78),
        ("chains of 20 us", 16, 0.88),
        ("pushes of 100 us", 16, 0.9),
    ],
)
def test_processors_are_used(name, threads, least):
    assert efficiency(simulated(threads, PROGRAMS[name]), threads) > least


def test_a_line_that_others_write_costs_more():
    """One thread has the core for itself; of two, one waits for what the other has written."""
    alone, both = (simulated(n, PROGRAMS["plan of 2 us"]) for n in (1, 2))
    assert efficiency(alone, 1) > efficiency(both, 2) and sum(both.locking.values()) > 0
