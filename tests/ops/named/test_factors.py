"""Factors with orthonormal rows: what they multiply to, MXNet's values, gradients."""

import numpy as np
import pytest

import nbgraph as ng
from nbgraph import ops
from nbgraph.errors import DTypeError, ShapeError

RNG = np.random.default_rng(3)


def symmetric(*shape):
    x = RNG.normal(size=shape)
    return x + np.swapaxes(x, -1, -2)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_factors_multiply_to_the_matrix(dtype):
    """OPP-24: U.T diag(L) U with rising L, and L Q with a lower L; of batches too."""
    tolerance = {"rtol": 1e-4, "atol": 1e-4} if dtype == "float32" else {"atol": 1e-12}
    a = symmetric(3, 5, 5).astype(dtype)
    u, values = (x.asnumpy() for x in ng.nd.linalg.syevd(a))
    assert u.dtype == values.dtype == dtype
    assert (np.diff(values) >= 0).all()
    back = np.swapaxes(u, -1, -2) @ (values[..., None] * u)
    np.testing.assert_allclose(back, a, **tolerance)
    b = RNG.normal(size=(3, 2, 5)).astype(dtype)
    q, factor = (x.asnumpy() for x in ng.nd.linalg.gelqf(b))
    np.testing.assert_allclose(factor @ q, b, **tolerance)
    np.testing.assert_allclose(q @ np.swapaxes(q, -1, -2), np.eye(2)[None].repeat(3, 0), atol=1e-5)
    assert (np.triu(factor, 1) == 0).all()


def test_signs_are_those_of_mxnet():
    """OPP-24: the numbers that MXNet 1.9.1 gives."""
    u, values = ops.linalg_syevd([[1.0, 2.0], [2.0, 4.0]])
    np.testing.assert_allclose(u, [[0.8944272, -0.4472136], [0.4472136, 0.8944272]], rtol=1e-6)
    np.testing.assert_allclose(values, [0, 5], atol=1e-12)
    q, factor = ops.linalg_gelqf([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    wanted = [[-0.26726115, -0.5345225, -0.8017837], [0.87287164, 0.21821794, -0.4364358]]
    np.testing.assert_allclose(q, wanted, rtol=1e-6)
    np.testing.assert_allclose(factor, [[-3.7416575, 0], [-8.552359, 1.9639605]], rtol=1e-6)


def slope(function, a, direction, step=1e-6):
    return (function(a + step * direction) - function(a - step * direction)) / (2 * step)


@pytest.mark.parametrize("used", [(0,), (1,), (0, 1)])
@pytest.mark.parametrize("name", ["syevd", "gelqf"])
def test_gradients(name, used):
    """OPP-24: along a direction as central differences, of either result and of both."""
    a = symmetric(2, 4, 4) if name == "syevd" else RNG.normal(size=(2, 3, 5))
    direction = symmetric(2, 4, 4) if name == "syevd" else RNG.normal(size=a.shape)
    operator = getattr(ng.nd.linalg, name)
    weights = [ng.array(RNG.normal(size=x.shape)) for x in operator(a)]

    def loss(x):
        found = operator(x)
        return sum((found[k] * weights[k]).sum() for k in used)

    x = ng.array(a)
    x.attach_grad()
    with ng.autograd.record():
        total = loss(x)
    total.backward()
    measured = slope(lambda v: float(loss(ng.array(v)).asnumpy()), a, direction)
    np.testing.assert_allclose((x.grad.asnumpy() * direction).sum(), measured, rtol=1e-5)


BAD = [
    (lambda: ops.linalg_syevd(np.ones((2, 3))), ShapeError, "expected square matrices"),
    (lambda: ops.linalg_syevd(np.ones((2, 2), int)), DTypeError, "expected floats"),
    (lambda: ops.linalg_gelqf(np.ones((3, 2))), ShapeError, "with m <= n"),
    (lambda: ops.linalg_gelqf(np.ones((2, 3), int)), DTypeError, "expected floats"),
]


@pytest.mark.parametrize(("call", "error", "message"), BAD, ids=[m[:30] for _, _, m in BAD])
def test_bad_input(call, error, message):
    """OPR-16: operator, argument, the given, the expected."""
    with pytest.raises(error, match=message):
        call()
