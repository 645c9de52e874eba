"""Gradients of operands of every shape, dtype and device (X-NDA-01, X-NDA-07)."""

import numpy as np
import pytest

import nbgraph as ng
from nbgraph import autograd
from nbgraph.errors import CertificateError
from tests.autograd.judge import variable
from tests.engine.conftest import _under
from tests.slopes import differences


@pytest.mark.parametrize(
    "shapes", [((3, 4), (4,)), ((3, 1), (1, 4)), ((2, 1, 3), ()), ((0, 2), (2,)), ((1, 1), (3,))]
)
def test_broadcast_operands(shapes):
    rng = np.random.default_rng(5)
    points = [rng.normal(size=shape) for shape in shapes]
    a, b = (variable(p) for p in points)
    with autograd.record():
        y = (a * b + b).sum()
    y.backward()
    for wrt, got in enumerate((a.grad, b.grad)):
        expected = differences(lambda a, b: (a * b + b).sum(), points, wrt)
        np.testing.assert_allclose(got.asnumpy(), expected, atol=1e-6)


def test_views_slices_and_indices():
    points = [np.arange(12.0).reshape(3, 4) / 7]

    def f(x):
        part = x[1:, ::-2]
        flat = x.reshape((4, 3)).T
        chosen = x[[0, 2, 0], 1]
        return (part * part).sum() + (flat[0] * 3 * flat[2]).sum() + (chosen * chosen).sum()

    x = variable(points[0])
    with autograd.record():
        y = f(x)
    y.backward()
    np.testing.assert_allclose(x.grad.asnumpy(), differences(f, points, 0), atol=1e-6)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_a_gradient_has_the_dtype_of_its_variable(dtype):
    x = variable([1.0, 2.0], dtype=dtype)
    other = variable([3.0, 5.0], dtype="float64")
    with autograd.record():
        y = (x * other).sum()
    y.backward()
    assert y.dtype == np.float64
    assert x.grad.dtype == dtype
    assert x.grad.tolist() == [3.0, 5.0]
    assert other.grad.dtype == np.float64


def test_gradients_are_where_their_variables_are():
    x = ng.array([1.0, 2.0], device=ng.cpu(1))
    x.attach_grad()
    assert x.grad.device == ng.cpu(1)
    with autograd.record():
        y = (x * x + ng.ones((2,), device=ng.cpu(1))).sum()
    y.backward()
    assert x.grad.device == ng.cpu(1)
    assert ng.hessian(lambda x: (x * x).sum())(x).device == ng.cpu(1)


SLOPES = {
    "add": lambda a, b: (1 + 0 * a, 1 + 0 * b),
    "multiply": lambda a, b: (b, a),
    "divide": lambda a, b: (1 / b, -a / b**2),
}


@pytest.fixture
def learning():
    """The engine under which calls learn their way; it may have to be built first."""
    yield from _under("threaded")


@pytest.mark.parametrize("seed", range(3))
def test_calls_with_operands_of_other_dtypes_do_not_change_later_gradients(seed, learning):
    """X-NDA-01: what a backward pass learns for a float32 operand is not used for a float64 one,
    whose out-gradient has the same dtype."""
    rng = np.random.default_rng(seed)
    for _ in range(150):
        name, dtype = rng.choice(list(SLOPES)), rng.choice(["float32", "float64"])
        shape, number = [(4,), (2, 3), (70,)][rng.integers(3)], rng.normal() + 4
        others = [float(number), np.float64(number), np.array(number), np.float32(number)]
        others += [ng.array(rng.normal(size=shape) + 4, dtype=dtype), ng.array(number, dtype=dtype)]
        x, other = (
            variable(rng.normal(size=shape) + 4, dtype=dtype),
            others[rng.integers(len(others))],
        )
        place = int(rng.integers(2))
        operands = (other, x) if place else (x, other)
        with autograd.record():
            y = getattr(ng, name)(*operands)
        y.backward()
        points = [np.broadcast_to(np.asarray(v, "float64"), shape) for v in operands]
        assert x.grad.dtype == dtype
        np.testing.assert_allclose(x.grad, SLOPES[name](*points)[place], rtol=1e-5)


def test_bfloat16():
    pytest.importorskip("ml_dtypes")
    x = variable([1.0, 2.0], dtype="bfloat16")
    with autograd.record():
        y = (x * x).sum()
    y.backward()
    assert x.grad.dtype.name == "bfloat16"
    assert x.grad.astype("float32").tolist() == [2.0, 4.0]


def test_the_first_nan_of_a_backward_pass_is_named():
    x = variable([0.0, 1.0])
    with ng.config(anomaly=1), autograd.record():
        y = (ng.sqrt(x) * 0.0).sum()
    with ng.config(anomaly=1), pytest.raises(FloatingPointError, match="backward of sqrt"):
        y.backward()


def test_integer_operands_have_no_gradient():
    x, n = variable([1.5, 2.0]), ng.array([2, 3])
    with autograd.record():
        y = x**n
        z = (y * n).astype("int64") * y
    z.backward()
    assert n.grad is None
    value = np.array([1.5, 2.0])
    slope = np.array([2, 3]) * value ** (np.array([2, 3]) - 1)
    whole = np.trunc(value ** np.array([2, 3]) * np.array([2, 3]))
    np.testing.assert_allclose(x.grad.asnumpy(), whole * slope)


def test_a_gradient_given_by_hand_is_used():
    seen = ng.op(lambda x: x * x)
    x = variable([2.0])
    with autograd.record():
        y = seen(x)
    y.backward()
    assert x.grad.tolist() == [4.0]

    @seen.gradient
    def _(out_grad, x):
        return (out_grad * (x + x),)

    with autograd.record():
        y = seen(x)
    y.backward()
    assert x.grad.tolist() == [4.0]
    from nbgraph.operator.backward import backward

    assert backward(seen).scalar.gradient is seen.hand_gradient

    with pytest.raises(CertificateError):

        @seen.gradient
        def _(out_grad, x):
            return (out_grad * x,)
