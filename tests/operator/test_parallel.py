"""Large calls on NumPy arrays run on the engine's workers, with the same bits."""

import subprocess
import sys

import numpy as np
import pytest

import nbgraph as ng
from nbgraph.operator import parallel

SMALL_CALLS = """
import sys
import numpy as np
import nbgraph as ng
smooth = ng.op(lambda x: x * x if abs(x) < 1 else 2 * abs(x) - 1)
for n in (1, 100, 10_000):
    smooth(np.ones(n, np.float32))
assert "nbgraph.engine" not in sys.modules, "a small call has loaded the engine"
"""


@pytest.fixture
def any_size(monkeypatch):
    """Every call counts as large."""
    monkeypatch.setattr(parallel, "GRAIN", 0)
    monkeypatch.setattr("nbgraph.engine.kernels.SPLIT_FROM", 1)


def tangled(x, y):
    return x * y + 1 if x > y else x - 2 * y


@pytest.mark.parametrize("kind", ["threaded", "chaos", "naive"])
@pytest.mark.parametrize("n", [1, 7, 1000, 300_001])
def test_chunks_give_the_same_bits(any_size, kind, n):
    """X-NDA-03: split over workers, another engine, or one thread: the same values."""
    rng = np.random.default_rng(n)
    x, y = rng.normal(size=(2, n))
    ng.engine.set(kind)
    try:
        op = ng.op(tangled)
        assert np.array_equal(op(x, y), np.where(x > y, x * y + 1, x - 2 * y))
        grid = op(x[:, None], y[: min(n, 3)])
        assert np.array_equal(grid[:, 0], op(x, y[0]))
    finally:
        ng.engine.set("threaded")


def test_small_calls_never_start_the_engine():
    """Nothing of the engine is even imported."""
    subprocess.run([sys.executable, "-c", SMALL_CALLS], check=True, timeout=120)


def test_a_call_within_an_engine_function_stays_on_its_thread(any_size):
    """No function waits for other work of the engine."""
    op = ng.op(tangled)
    x = np.arange(5000.0)
    result = ng.engine.push(lambda run_ctx: op(x, x[::-1])).result(30)
    assert np.array_equal(result, op(x, x[::-1]))


def test_a_large_call_goes_past_the_short_path():
    """The compiled entry declines what the workers should share."""
    ng.engine.set("threaded")
    op = ng.op(lambda x: x + 1)
    x = np.zeros(10, np.float32)
    for _ in range(4):
        op(x)
    captured = op.invoker.plan([x.dtype], x.dtype, {}).typed.captured
    n = parallel.most(captured, 8) + 1
    pushed = ng.engine.stats().pushed
    assert np.array_equal(op(np.zeros(n, np.float32)), np.ones(n, np.float32))
    assert ng.engine.stats().pushed > pushed
