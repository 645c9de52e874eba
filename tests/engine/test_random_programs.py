"""Random programs behave on every engine as if executed one operation after another."""

import contextlib

import hypothesis
import pytest
from hypothesis import strategies as st

from nbgraph.engine.chaos.engine import ChaosEngine
from nbgraph.engine.naive import NaiveEngine
from nbgraph.engine.threaded import ThreadedEngine
from tests.engine.execute import Execution
from tests.engine.programs import make, seeded

ENGINES = {
    "naive": NaiveEngine,
    "threaded 1": lambda: ThreadedEngine(workers=1),
    "threaded 2": lambda: ThreadedEngine(workers=2),
    "threaded 4": lambda: ThreadedEngine(workers=4),
    "chaos": lambda: ChaosEngine(seed=3),
}


@contextlib.contextmanager
def running(name):
    engine = ENGINES[name]()
    try:
        yield engine
    finally:
        engine.stop()
    counts = engine.stats()
    assert counts.pending == 0 and counts.pending_bytes == 0


@pytest.fixture(scope="module", params=ENGINES)
def shared(request):
    """One engine for many programs: what an earlier one left would show."""
    with running(request.param) as engine:
        yield engine


@hypothesis.given(rng=st.randoms(use_true_random=False), length=st.integers(1, 25))
@hypothesis.settings(max_examples=60, suppress_health_check=list(hypothesis.HealthCheck))
def test_small_programs(shared, rng, length):
    program = make(rng, length, variables=3, failing=0.2)
    assert not Execution(program, shared).run()


@pytest.mark.parametrize("seed", range(3))
def test_programs_with_many_failures(shared, seed):
    assert not Execution(seeded(seed, 600, failing=0.3), shared, seed).run()


def many(kind, total, seed=0):
    """Programs of 2,000 operations, one after another on one engine."""
    with running(kind) as engine:
        for start in range(0, total, 2000):
            program = seeded((seed, start).__hash__(), min(2000, total - start), variables=12)
            found = Execution(program, engine, start).run()
            assert not found, f"program at {start}: {found}"


@pytest.mark.everyday(2 / 5)
@pytest.mark.parametrize("kind", ENGINES)
def test_30_000_operations(kind):
    many(kind, 8_000)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ENGINES)
def test_a_million_operations(kind):
    many(kind, 250_000, seed=1)
