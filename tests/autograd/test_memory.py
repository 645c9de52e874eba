"""What a tape keeps alive, and for how long: no cycles, no growth, no recursion (X-MEM-08)."""

import gc
import sys
import weakref

import numpy as np
import pytest

import nbgraph as ng
from nbgraph import autograd
from nbgraph.graph.node import Node


@pytest.fixture
def uncollected():
    """Nothing but reference counts frees what is made within."""
    gc.collect()
    gc.disable()
    yield
    gc.enable()


def variable(values):
    x = ng.array(values)
    x.attach_grad()
    return x


def everything(w, x):
    """A little of each: scalar operators, whole arrays, views, writes in place."""
    h = ng.tanh(x @ w) + 1.0
    part = h[:, 1:]
    part += h[:, :1] * 2
    h = h.reshape((-1,)) * 1.5
    return (h * h).sum()


PROGRAMS = {
    "operators": lambda w, x: (ng.exp(w) * w + 1).sum(),
    "everything": everything,
    "in place": lambda w, x: ((w * w).__imul__(3.0)).sum(),
    "several outputs": lambda w, x: ng.modf(w * 3)[0].sum(),
}


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_graph_is_freed_with_its_result(program, uncollected):
    w, x = variable(np.ones((3, 4))), ng.ones((2, 3), dtype="float64")
    for differentiated in (True, False):
        with autograd.record():
            loss = PROGRAMS[program](w, x)
        nodes = [weakref.ref(node) for node in _nodes(loss._node) if node.op is not None]
        assert nodes
        if differentiated:
            loss.backward()
        del loss
        assert not [node() for node in nodes if node() is not None]
    leaf = w._node
    references = sys.getrefcount(leaf)
    with autograd.record():
        loss = PROGRAMS[program](w, x)
    loss.backward()
    del loss
    after = sys.getrefcount(leaf)
    assert after == references


def _nodes(head):
    found, stack = [], [head]
    while stack:
        node = stack.pop()
        found.append(node)
        stack += [entry[0] for entry in node.inputs if entry is not None]
    return found


def test_functional_derivatives_leave_nothing(uncollected):
    x = ng.array(np.arange(3.0))
    f = lambda x: (ng.sin(x) * x).sum()

    def everything():
        ng.grad(f)(x)
        ng.value_and_grad(lambda p: (p["w"] * p["w"]).sum())({"w": x})
        ng.jvp(f, (x,), (x,))
        ng.hessian(f)(x)
        ng.vjp(f, x)[1](1.0)

    everything()
    count = _living()
    everything()
    assert _living() == count
    assert x._node is None


def _living():
    """Arrays and nodes that are there."""
    return sum(issubclass(type(found), (ng.NDArray, Node)) for found in gc.get_objects())


def test_values_are_freed_as_a_pass_goes(uncollected):
    x = variable(np.ones(1000))
    with autograd.record():
        y = x * x
        z = (y * y).sum()
    saved = weakref.ref(y)
    del y
    assert saved() is not None  # by the node that reads it
    z.backward()
    assert saved() is None
    assert z._node is not None


@pytest.mark.parametrize("steps", [1000, pytest.param(10_000, marks=pytest.mark.slow)])
def test_memory_of_a_training_loop_is_flat(steps, uncollected):
    """The loop of every tutorial: nothing is left behind by any of its steps."""
    w, x = variable(np.ones((8, 4))), ng.ones((16, 8), dtype="float64")
    total = 0.0

    def step():
        nonlocal w
        with autograd.record():
            h = ng.tanh(x @ w)
            loss = (h * h).mean()
        loss.backward()
        w -= 0.01 * w.grad
        return loss

    for _ in range(50):
        total += step().item()
    ng.waitall()
    objects, held = _living(), ng.storage.stats().to_dict()
    for k in range(steps):
        loss = step()
        if k % 100 == 0:
            total += loss.item()
    del loss
    ng.waitall()
    assert np.isfinite(total)
    assert _living() <= objects
    after = ng.storage.stats().to_dict()
    assert _bytes(after) <= 2 * _bytes(held) + (1 << 16)


def _bytes(stats):
    """Bytes in use of all devices."""
    found = [v for k, v in _flat(stats) if k == "in_use"]
    assert found
    return sum(found)


def _flat(value, key=""):
    if isinstance(value, dict):
        for name, item in value.items():
            yield from _flat(item, name)
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from _flat(item, key)
    else:
        yield key, value


LONG = 20_000  # operators, many times the depth of recursion


def test_a_long_chain(uncollected):
    """Recorded, differentiated and freed without recursion."""
    x = variable(np.ones(2))
    with autograd.record():
        y = x
        for _ in range(LONG):
            y = y + x
    y.backward()
    assert x.grad.tolist() == [LONG + 1.0, LONG + 1.0]
    head = weakref.ref(y._node)
    del y
    assert head() is None


def test_a_chain_that_was_never_differentiated_is_freed():
    x = variable(np.ones(2))
    with autograd.record():
        y = x
        for _ in range(LONG):
            y = y * x
    head = weakref.ref(y._node)
    del y
    gc.collect()
    assert head() is None


def test_state_that_is_cut_off_forgets_its_past(uncollected):
    """Truncated back-propagation: the graph of earlier steps goes."""
    x, state = variable(np.ones(3)), ng.zeros((3,), dtype="float64")
    for cut in (lambda s: s.detach(), ng.stop_gradient):
        with autograd.record():
            state = state * 0.5 + x
            before = weakref.ref(state._node)
            state = cut(state)
        assert before() is None


@pytest.mark.parametrize(
    "product",
    [
        lambda y, w: y @ w,
        lambda y, w: ng.einsum("ij,jk->ik", y, w),
        ng.fully_connected,
        lambda y, w: ng.convolution(y[None], w[:, :, None]),
        lambda y, w: (y * 1j) * w,
    ],
)
def test_a_product_with_constants_does_not_keep_the_other_factor(product, uncollected):
    x, w = variable(np.ones((2, 2))), ng.ones((2, 2), dtype="float64")
    with autograd.record():
        y = x + 1
        kept = weakref.ref(y)
        z = product(y, w)
    del y
    assert kept() is None
    z.backward()
    assert x.grad.shape == (2, 2)
