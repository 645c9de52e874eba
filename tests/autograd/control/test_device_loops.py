"""Loops and branches on a GPU, emulated or real, agree with those on the host."""

import math

import numpy as np
import pytest

import nbgraph as ng
from nbgraph.errors import DeviceError
from nbgraph.operator.arrays.array_op import ArrayOp
from tests.array.gpu import GPU

RNG = np.random.default_rng(11)
H, XS, W = (RNG.normal(size=s).astype("float32") for s in ((3,), (5, 3), (3, 3)))


def cell(w):
    return lambda h, x: ((n := ng.tanh(ng.matmul(h, w) + x)), n * x)


def tower(h, xs, w):
    """A loop within a loop within a branch."""

    def step(h, x):
        return ng.fori_loop(0, 3, lambda i, v: v * 0.5 + x + i, h), ng.scan(cell(w), h, xs)[0]

    return ng.cond(h.sum() < 100, lambda h: ng.scan(step, h, xs)[1], lambda h: xs * h, h)


CASES = {
    "scan": lambda h, xs, w: ng.scan(cell(w), h, xs),
    "the other way": lambda h, xs, w: ng.scan(cell(w), h, xs, reverse=True),
    "a number to begin with": lambda h, xs, w: ng.scan(lambda c, x: (c + x.sum(), c * x), 0.0, xs),
    "no steps": lambda h, xs, w: ng.scan(cell(w), h, xs[:0]),
    "carries that change places": lambda h, xs, w: ng.scan(
        lambda c, x: ((c[1], c[0] + x), c[0]), (h, h * 2), xs
    ),
    "computed again": lambda h, xs, w: ng.scan(cell(w), h, xs, checkpoint=True),
    "steps of a row": lambda h, xs, w: ng.scan(
        lambda c, x: (ng.softmax(c + x), ng.sort(x) * c.max()), h, xs
    ),
    "fori": lambda h, xs, w: ng.fori_loop(0, 4, lambda i, x: ng.sin(x * 2) + i, h),
    "bounds that are arrays": lambda h, xs, w: ng.fori_loop(
        (h * 0).sum().astype("int64"), 3, lambda i, x: x * 2 + i, h
    ),
    "while": lambda h, xs, w: ng.while_loop(lambda x: (x * x).sum() < 1e3, lambda x: x * 2, h),
    "bounded": lambda h, xs, w: ng.while_loop(
        lambda x: (x * x).sum() < 1e3, lambda x: x * x + 2, h, max_iterations=6
    ),
    "taken": lambda h, xs, w: ng.cond((h * h).sum() > 0, lambda x: x @ w, lambda x: x, h),
    "not taken": lambda h, xs, w: ng.cond((h * h).sum() < 0, lambda x: x @ w, lambda x: x * x, h),
    "switch": lambda h, xs, w: ng.switch(1, [lambda x: x, lambda x: x * x], h),
    "map": lambda h, xs, w: ng.transforms.map(lambda x: ng.matmul(w, x), xs),
    "prefixes": lambda h, xs, w: ng.associative_scan(lambda a, b: a * b, xs),
    "nested": tower,
}
NO_GRADIENT = {"while", "bounds that are arrays"}


def flat(value):
    if isinstance(value, tuple):
        return [leaf for part in value for leaf in flat(part)]
    return [value]


def total(f):
    return lambda *arrays: sum((p * p).sum() for p in flat(f(*arrays)))


@pytest.mark.parametrize("name", CASES)
def test_loops_on_a_device_agree_with_those_on_the_host(name):
    functions = [CASES[name]]
    if name not in NO_GRADIENT:
        functions.append(ng.jit(ng.grad(total(CASES[name]), (0, 1, 2))))
    for f in functions:
        host, device = (
            flat(f(*(ng.array(x, device=where) for x in (H, XS, W)))) for where in (ng.cpu(), GPU)
        )
        for a, b in zip(host, device, strict=True):
            assert b.device == GPU
            np.testing.assert_allclose(b.asnumpy(), a.asnumpy(), rtol=2e-5, atol=1e-5)


def test_a_second_derivative_through_a_loop_on_a_device():
    def bent(h, xs, w):
        slope = ng.grad(total(CASES["scan"]))(h, xs, w)
        return (slope * slope).sum()

    host, device = (
        ng.grad(bent)(*(ng.array(x, device=where) for x in (H, XS, W))) for where in (ng.cpu(), GPU)
    )
    np.testing.assert_allclose(device.asnumpy(), host.asnumpy(), rtol=1e-4)


def test_a_body_without_a_form_for_the_device_is_refused_by_name():
    def rolled(inputs, outputs):
        math.fsum(inputs[0].flat)  # of NumPy's arrays alone
        outputs[0][...] = np.roll(inputs[0], 1)

    opaque = ArrayOp("opaque", lambda x: x, rolled)
    w = ng.array(W, device=GPU)
    with pytest.raises(DeviceError, match="opaque.*there is no GPU form"):
        ng.scan(lambda c, _: (opaque(c), None), w, None, 2)


def test_a_failure_in_a_step_is_that_of_the_loop():
    table, steps = ng.array(XS, device=GPU), ng.array([0, 9], device=GPU)
    carry, _ = ng.scan(
        lambda c, k: (c + ng.take(table, k, axis=0, mode="raise"), None), 0.0 * table[0], steps
    )
    with pytest.raises(IndexError):
        carry.asnumpy()
