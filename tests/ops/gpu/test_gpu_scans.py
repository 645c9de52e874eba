"""Running sums, products, extremes and recurrences on a GPU, against the host (MTE-04, SMP-24)."""

import numpy as np
import pytest

import nbgraph as ng
from nbgraph import ops
from nbgraph.ops.gpu.scanning import MANY, STRETCH
from tests.array.gpu import GPU

LONG = 4 * STRETCH
SHORT = (((9,), 0), ((3, 20, 5), 1), ((0, 4), 0), ((2, 33), -1))
STRETCHED = (((LONG + 7,), 0), ((2, LONG), 1), ((LONG + 1, 3), 0))
NAMES = {
    "cumulative_sum": ("float32", "float16", "int8", "bool"),
    "cumulative_prod": ("float32", "bfloat16", "uint8", "bool"),
    "cummax": ("float64", "float16", "int32", "bool"),
    "cummin": ("float32", "uint8"),
    "cumargmax": ("float32", "float16", "int16", "bool"),
    "cumargmin": ("float64", "int32"),
    "logcumsumexp": ("float32", "float64"),
}


def both(name, inputs, **attributes):
    """The results on the GPU and on the host, in float64."""
    function = getattr(ops, name)
    on = [[ng.array(x, device=device) for x in inputs] for device in (GPU, ng.cpu())]
    found, wanted = (function(*arrays, **attributes) for arrays in on)
    assert found.device == GPU and found.dtype == wanted.dtype
    return found.asnumpy().astype("float64"), wanted.asnumpy().astype("float64")


def drawn(shape, dtype):
    """Numbers around 1 of both signs, with what is not finite among them."""
    rng = np.random.default_rng(len(shape) + sum(shape))
    x = rng.uniform(0.9, 1.1, shape) * rng.choice([-1, 1], shape)
    if dtype == "bool":
        return x > 0
    dtype = ng.dtype.as_dtype(dtype)
    if dtype.kind in "iu":
        return rng.integers(0, 5, shape).astype(dtype)
    if x.size > 30 and x.size < LONG:
        x.flat[[3, 11, 17]] = np.nan, np.inf, -0.0
    return x.astype(dtype)


@pytest.mark.parametrize(("name", "dtype"), [(n, d) for n, each in NAMES.items() for d in each])
def test_rows_in_their_order_have_the_bits_of_the_host(name, dtype):
    for shape, axis in SHORT:
        more = [{}, {"include_initial": True}] if name.startswith("cumulative") else [{}]
        for how in more:
            found, wanted = both(name, [drawn(shape, dtype)], axis=axis, **how)
            if name == "logcumsumexp":
                tolerance = 8 * np.finfo(dtype).eps
                np.testing.assert_allclose(found, wanted, rtol=tolerance, atol=tolerance)
            else:
                np.testing.assert_array_equal(found, wanted)


@pytest.mark.parametrize("name", ["cumulative_sum", "cumulative_prod", "cummax", "cummin"])
@pytest.mark.parametrize(("shape", "axis"), STRETCHED)
def test_long_rows_go_by_stretches(name, shape, axis):
    """Integers and extremes have the host's bits; floats are off by no more than additions are."""
    for dtype in ("float32", "int16"):
        found, wanted = both(name, [drawn(shape, dtype)], axis=axis)
        if dtype == "int16" or name in ("cummax", "cummin"):
            np.testing.assert_array_equal(found, wanted)
        else:
            bound = 2 * shape[axis] * np.finfo(dtype).eps
            np.testing.assert_allclose(found, wanted, rtol=bound, atol=bound * shape[axis])
    assert MANY > max(shape[1 - axis] if len(shape) > 1 else 1 for shape, axis in STRETCHED)


def test_long_rows_of_halves_are_added_up_in_single_precision():
    x = np.full(LONG, 1.0, "float16")
    found, wanted = both("cumulative_sum", [x], axis=0, include_initial=True)
    np.testing.assert_array_equal(found, wanted)
    assert found[-1] == LONG


@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_recurrences(dtype):
    for shape, axis in SHORT:
        a, b = drawn(shape, dtype), drawn(shape, dtype)[::-1].copy()
        np.testing.assert_array_equal(*both("linear_recurrence", [a, b], axis=axis))


@pytest.mark.parametrize("name", ["cumulative_sum", "cumulative_prod", "cummax", "logcumsumexp"])
def test_gradients_and_graphs(name):
    """Their rules are made of operators that have forms, eager and in a compiled graph."""
    x = drawn((3, 7), "float64")

    def loss(x):
        return (getattr(ops, name)(x, axis=1) * ops.exp(x)).sum()

    wanted = ng.grad(loss)(ng.array(x)).asnumpy()
    for run in (ng.grad(loss), ng.jit(ng.grad(loss))):
        found = run(ng.array(x, device=GPU))
        assert found.device == GPU
        np.testing.assert_allclose(found.asnumpy(), wanted, rtol=1e-12, atol=1e-12)
