"""Softmax and its kin: accuracy, rows with infinities, temperature, gradients in every world."""

import mpmath
import numpy as np
import pytest

import nbgraph as ng
from nbgraph.errors import ArgumentError

INF, NAN = float("inf"), float("nan")


def exact(row, temperature):
    """softmax and its logarithm with 60 digits."""
    with mpmath.workdps(60):
        powers = [mpmath.exp(mpmath.mpf(float(v)) / temperature) for v in row]
        total = mpmath.fsum(powers)
        return (
            [float(p / total) for p in powers],
            [float(mpmath.mpf(float(v)) / temperature - mpmath.log(total)) for v in row],
            float(mpmath.log(total)),
        )


@pytest.mark.parametrize("scale", [1e-3, 1.0, 30.0, 1e4])
@pytest.mark.parametrize(("dtype", "rtol"), [("float32", 2e-6), ("float64", 1e-14)])
def test_accuracy(dtype, rtol, scale):
    """MTE-08: relative errors, where the exponents lose none: log_softmax never."""
    row = (scale * np.random.default_rng(0).normal(size=200)).astype(dtype)
    share, logarithm, total = exact(row, 1)
    eps = np.finfo(dtype).eps
    far = rtol + 2 * eps * np.abs(row.astype("float64") - float(row.max()))
    found = ng.softmax(row).astype("float64")
    tiny = np.finfo(dtype).tiny
    assert (np.abs(found - share) <= far * np.asarray(share) + tiny).all()
    np.testing.assert_allclose(ng.log_softmax(row), logarithm, rtol=rtol, atol=4 * eps)
    np.testing.assert_allclose(ng.logsumexp(row), total, rtol=rtol)


@pytest.mark.parametrize("temperature", [0.25, 3, None])
def test_temperature(temperature):
    """MTE-08: exponents are divided by it, as in MXNet."""
    row = np.random.default_rng(1).normal(size=20)
    share, logarithm, _ = exact(row, temperature or 1)
    np.testing.assert_allclose(ng.softmax(row, temperature=temperature), share, rtol=1e-13)
    np.testing.assert_allclose(
        ng.log_softmax(row, temperature=temperature), logarithm, rtol=1e-13, atol=1e-14
    )


@pytest.mark.parametrize("value", [0, -1.0, NAN, "1", True])
def test_temperatures_that_are_none(value):
    """MTE-08: refused by name."""
    with pytest.raises(ArgumentError, match="softmax: temperature="):
        ng.softmax(np.ones(3), temperature=value)


ROWS = [
    ([0.0, -INF, 0.0], [0.5, 0, 0.5]),
    ([-INF, -INF], [NAN, NAN]),
    ([INF, 0.0], [NAN, NAN]),
    ([NAN, 0.0], [NAN, NAN]),
    ([3e38, -3e38, 3e38], [0.5, 0, 0.5]),
    ([-3e38, -3e38], [0.5, 0.5]),
]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(("row", "share"), ROWS)
@pytest.mark.parametrize("repeat", [1, 9])
def test_rows_with_infinities(row, share, dtype, repeat):
    """MTE-08: as in JAX and PyTorch; neighbouring rows are not touched by them."""
    given = np.array([[1.0] * len(row), row, [2.0] * len(row)], dtype).repeat(repeat, axis=1)
    right = np.array(share).repeat(repeat) / repeat
    found = ng.softmax(given)
    np.testing.assert_allclose(found[1], right, rtol=1e-6)
    np.testing.assert_allclose(found[::2], 1 / given.shape[1], rtol=1e-6)
    logarithm = ng.log_softmax(given)[1]
    np.testing.assert_allclose(np.exp(logarithm), right, rtol=1e-6)
    assert (logarithm[given[1] == -INF] == -INF).all() or np.isnan(right).all()


def test_logsumexp_of_rows_with_infinities():
    """MTE-08: what the mathematics says."""
    rows = np.array([[-INF, -INF], [INF, 0.0], [NAN, 0.0], [1e4, 1e4]])
    np.testing.assert_allclose(ng.logsumexp(rows, 1), [-INF, INF, NAN, 1e4 + np.log(2)])
    assert ng.logsumexp(np.zeros((2, 0)), axis=1).tolist() == [-INF, -INF]
    assert ng.logsumexp(np.zeros((0, 2)), axis=1).shape == (0,)
    slopes = ng.grad(lambda x: ng.logsumexp(x, 1).sum())(ng.array(rows))
    expected = [[0, 0], [NAN, 0], [NAN, NAN], [0.5, 0.5]]
    np.testing.assert_allclose(slopes.asnumpy(), expected)


@pytest.mark.parametrize("dtype", ["int8", "bool", "uint64"])
def test_integers_give_float64(dtype):
    """MTE-08: like other functions of integers that are not exact."""
    x = np.array([[0, 1, 1]], dtype)
    found = ng.softmax(x)
    assert found.dtype == np.float64
    np.testing.assert_allclose(found, ng.softmax(x.astype("float64")), rtol=0)


@pytest.mark.parametrize("name", ["softmax", "log_softmax", "logsumexp"])
@pytest.mark.parametrize("shape", [(0,), (0, 3), (3, 0), (4, 1), (2, 3, 4)])
def test_worlds_and_gradients(name, shape):
    """MTE-08: NumPy arrays, NDArrays, symbols; the gradient is that of the formula."""
    op = getattr(ng, name)
    rng = np.random.default_rng(2)
    x = rng.normal(size=shape).astype("float32")
    own = np.asarray(op(x, axis=-1))
    weights = rng.normal(size=own.shape).astype("float32")
    v = ng.array(x)
    assert op(v, axis=-1).asnumpy().tobytes() == own.tobytes()
    pushed = ng.grad(lambda a: ng.sum(op(a, axis=-1) * ng.array(weights)))(v).asnumpy()
    symbol = op(ng.var("x", shape=shape), axis=-1)
    exe = symbol.simple_bind(ng.cpu(), x=shape)
    assert exe.forward(is_train=True, x=x)[0].asnumpy().tobytes() == own.tobytes()
    exe.backward([ng.array(weights)])
    exe.grad_dict["x"].wait_to_read()  # the pass itself must not fail, even where rows are empty
    assert exe.grad_dict["x"].asnumpy().tobytes() == pushed.tobytes()
    wide = x.astype("float64")
    share = np.exp(wide) / np.exp(wide).sum(-1, keepdims=True) if x.size else wide
    right = {
        "softmax": lambda: share * (weights - (weights * share).sum(-1, keepdims=True)),
        "log_softmax": lambda: weights - share * weights.sum(-1, keepdims=True),
        "logsumexp": lambda: share * weights[..., None],
    }[name]()
    np.testing.assert_allclose(pushed, right, rtol=1e-4, atol=1e-6)
