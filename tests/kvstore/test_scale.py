"""The model of steps on many machines: sums by hand, and what must hold for any costs."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.scale import DESIGNS, Costs, Job, exchange, step

JOB = Job(layers=4, nbytes=1e6, compute=0.5, rate=1e7, latency=0.0, spread=0.0)
FREE = Costs(0.0, 0.0, 0.0)


def test_two_workers_by_hand():
    """Of 4 MB each sends a half and gets a half, and answers as much: 0.4 s at 10 MB/s."""
    assert exchange(JOB, FREE, 2)["wire"] == pytest.approx(0.4)
    assert step(JOB, FREE, 2, overlapped=False) == pytest.approx(0.9)
    assert step(JOB, FREE, 2) == pytest.approx(0.5 + 0.1)  # of four layers the last is not hidden
    assert exchange(JOB, Costs(0.01, 0.0, 0.0), 2)["hosts"] == pytest.approx(8 * 0.01)


def test_processes_share_cores():
    alone, shared = (exchange(JOB, Costs(cores=cores), 3)["hosts"] for cores in (0, 2))
    assert shared == pytest.approx(1.5 * alone)


@pytest.mark.parametrize("design", [*DESIGNS][:3])  # without the tree, which begins at some size
@given(st.floats(1e-5, 1e-2), st.floats(1e6, 1e9), st.floats(0.01, 1.0), st.integers(0, 9))
def test_more_workers_are_never_faster(design, message, nbytes, compute, power):
    job = replace(JOB, nbytes=nbytes, compute=compute, spread=0.03, **DESIGNS[design])
    costs = replace(FREE, message=message)
    few, many = (step(job, costs, 1 << power) for power in (power, power + 1))
    assert many >= few * (1 - 1e-9)
    assert few >= compute


def test_what_is_said_to_help_does():
    """Each design is better at 1,024 workers than the one before."""
    steps = [step(replace(Job(), **options), Costs(), 1024) for options in DESIGNS.values()]
    assert steps == sorted(steps, reverse=True)
