"""Memory of loops that train: flat, though nobody waits. The loops are those behind mxnet#3179,
#6734 and #8747; the everyday run takes fewer steps than the 100,000 of --full."""

import sys

import numpy as np
import pytest

import nbgraph as ng
from tests.engine.conftest import KINDS, _under
from tests.memory.watch import watch

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")

STEPS = 100_000
DAILY = {"naive": 400, "threaded": 5000, "chaos": 400}
assert set(DAILY) == set(KINDS)


@pytest.fixture(params=KINDS)
def engine(request):
    """Each kind with a near brake: what is unfinished has memory, too, and some steps reach it."""
    with ng.config(engine_pending=1000):
        yield from _under(request.param)


@pytest.fixture
def steps(full, engine):
    """How many steps with the engine in force."""
    return STEPS if full else DAILY[ng.engine.current().kind]


@pytest.mark.everyday(1 / 3)
def test_allocating_in_a_loop_without_waiting(engine, steps):
    """mxnet#3179: new arrays are made faster than they are filled."""

    def step(i):
        a = ng.zeros((32, 1024))
        b = a + i
        b *= 2
        ng.sqrt(b)

    watch(step, steps).require_flat()  # 128 KiB each: a leak would be gigabytes


@pytest.mark.everyday(1 / 3)
def test_a_forward_loop_that_keeps_nothing(engine, steps):
    """mxnet#6734: a net is applied again and again, and its results are dropped."""
    x, w1, w2 = ng.ones((32, 64)), ng.ones((64, 128)), ng.ones((128, 10))

    def step(i):
        hidden = ng.relu(x @ w1 - 1)
        ng.sum(ng.tanh(hidden @ w2), axis=1)

    watch(step, steps).require_flat()


@pytest.mark.everyday(1 / 3)
def test_batches_from_numpy_and_updates_in_place(engine, steps):
    """mxnet#8747: a new batch of host memory in each step, parameters updated in place."""
    rng = np.random.default_rng(0)
    data, label = rng.random((512, 64), "float32"), rng.random((512, 8), "float32")
    w = ng.zeros((64, 8))
    w.attach_grad()
    address = w._address

    def step(i):
        at = 32 * (i % 16)
        x, y = ng.array(data[at : at + 32]), ng.array(label[at : at + 32])
        with ng.autograd.record():
            loss = ng.mean((x @ w - y) ** 2)
        loss.backward()
        w.__isub__(0.1 * w.grad)

    watch(step, steps).require_flat()
    assert w._address == address
    residual = data @ w.asnumpy() - label
    assert (residual**2).mean() < 0.12  # it has learned: uniform noise has variance 1/12


@pytest.mark.everyday(1 / 3)
def test_random_numbers_in_a_loop(engine, steps):
    """Draws and masks come and go like other arrays."""
    x = ng.ones((64, 256))

    def step(i):
        with ng.autograd.train_mode():
            ng.dropout(x + ng.random.normal(size=(64, 256)))

    watch(step, steps // 5).require_flat()


def test_arrays_that_hold_each_other_are_collected(engine, steps):
    """A recorded graph that is never differentiated goes with its arrays."""
    x = ng.ones((64, 256))
    x.attach_grad()

    def step(i):
        with ng.autograd.record():
            y = ng.exp(x) * x
            (y + y).sum()

    watch(step, steps // 5).require_flat()
