"""One jit function used by many: threads, recursion, runs in flight, memory (X-SYM-07)."""

import sys
import threading

import numpy as np
import pytest

import nbgraph as ng
from tests.engine.conftest import engine
from tests.memory.test_threads import THREADS
from tests.memory.watch import watch
from tests.support import on_threads

__all__ = ["engine"]


def chain(x, w):
    h = ng.tanh(x @ w)
    return h, (h * x).sum()


def test_threads_share_a_function(engine):
    """Each has runs of its own; results are those of one thread."""
    rng = np.random.default_rng(0)
    w = ng.array(rng.normal(size=(8, 8)))
    xs = [ng.array(rng.normal(size=(5, 8))) for _ in range(8)]
    expected = [chain(x, w)[0].asnumpy() for x in xs]
    jitted = ng.jit(chain)  # nobody has traced it yet

    def work(i):
        for k in range(20):
            found, total = jitted(xs[(i + k) % 8], w)
            np.testing.assert_array_equal(found.asnumpy(), expected[(i + k) % 8])
            assert np.isfinite(total.item())

    on_threads(work, range(THREADS), seconds=120)


def test_two_threads_and_a_recursion_in_one_jit_function():
    """A function that is called again while its own call is under way, from two threads."""
    x = ng.array([1.0, 2.0])
    level = threading.local()

    @ng.jit
    def f(x):
        return ng.sin(x) * 2

    expected = f.traced_function(f.traced_function(x)).tolist()

    def recursive(x, depth):
        y = f(x)
        return y if depth == 1 else recursive(y, depth - 1)

    def work(i):
        level.found = []
        for _ in range(20):
            level.found.append(recursive(x, 2).tolist())
        assert all(found == expected for found in level.found)

    on_threads(work, range(THREADS), seconds=120)

    class Inner(ng.autograd.Function):
        """Its forward and backward passes call the function that is being differentiated."""

        def forward(self, x):
            return f(x)

        def backward(self, dy):
            return dy * f(dy)

    x.attach_grad()
    with ng.autograd.record():
        y = f(Inner()(x))
    y.backward()
    dy = 2 * np.cos(2 * np.sin([1.0, 2.0]))
    np.testing.assert_allclose(x.grad.asnumpy(), dy * 2 * np.sin(dy), rtol=1e-5)


def test_a_function_called_from_within_the_engine(threads_engine):
    """A pushed Python function may call it on what it declares: its text runs at once."""
    jitted = ng.jit(lambda x: x * 2 + 1)
    x, found = ng.array([1.0, 2.0]), []
    jitted(x)
    call = lambda run_ctx: found.append(jitted(x))
    pending = [ng.engine.push(call, const_vars=[x.variable]) for _ in range(4)]
    for each in pending:
        each.result(30)
    assert [y.tolist() for y in found] == [[3.0, 5.0]] * 4


@pytest.fixture
def threads_engine():
    before = ng.engine.current().kind
    ng.engine.set("threaded")
    yield
    ng.engine.wait_for_all(30)
    ng.engine.set(before)


def test_runs_in_flight_keep_their_values(engine):
    """Many calls without waiting, arguments that die, results that are dropped."""
    jitted = ng.jit(lambda x: (ng.exp(x * 0.5).sum(axis=0) - x, x + 1))
    found = [jitted(ng.full((3, 4), float(i)) * 1.0)[1] for i in range(50)]
    for i, y in enumerate(found):
        assert y.asnumpy().tolist() == [[i + 1.0] * 4] * 3


def test_a_failure_poisons_the_results():
    x = ng.ones(3)

    def fails(run_ctx):
        raise ValueError("on the way")

    jitted = ng.jit(lambda x: x + 1)
    jitted(x)
    ng.engine.push(fails, mutate_vars=[x.variable])
    y = jitted(x)
    with pytest.raises(ValueError, match="on the way"):
        y.asnumpy()
    assert jitted(ng.ones(3)).tolist() == [2.0] * 3


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
def test_memory_is_flat():
    """Training by a jit step, in a loop that does not wait."""
    x, w = ng.ones((32, 64)), ng.full((64, 64), 0.01)
    step = ng.jit(ng.value_and_grad(lambda w, x: (ng.tanh(x @ w) ** 2).mean()))

    def train(i):
        _, slope = step(w, x)
        w.__isub__(0.01 * slope)

    watch(train, 1000).require_flat()
