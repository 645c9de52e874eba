"""Searches, places of extremes, triangles, statistics and reductions on GPUs."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nbgraph import ops
from tests.ops.gpu.cases import agree

X = np.sin(np.arange(60.0)).reshape(3, 4, 5)
SORTED = np.sort(np.r_[X.ravel()[:20], [np.nan]])


@settings(max_examples=10, deadline=None)
@given(data=st.data())
def test_places_of_extremes(data):
    """OPP-24: the first one; NaN counts most; long rows by stages."""
    shape = data.draw(st.sampled_from([(1,), (3, 4), (2, 3, 2), (1500,), (2, 700), (700, 2)]))
    dtype = data.draw(st.sampled_from(["float32", "float16", "float64", "int8", "uint64", "bool"]))
    axis = data.draw(st.none() | st.integers(-len(shape), len(shape) - 1))
    rng = np.random.default_rng(data.draw(st.integers(0, 99)))
    x = (rng.integers(0, 4, shape)).astype(dtype)
    if np.dtype(dtype).kind == "f" and data.draw(st.booleans()):
        x.ravel()[rng.integers(0, x.size, 2)] = np.nan
    for op in (ops.argmax, ops.argmin):
        agree(lambda x, op=op: op(x, axis, keepdims=True), x, tolerance=0)


@pytest.mark.parametrize("side", ["left", "right"])
def test_searches(side):
    """OPP-24: NaN behind all numbers; arrays of two dtypes; by an order."""
    agree(lambda a, b: ops.searchsorted(a, b, side=side), SORTED, np.r_[SORTED, X.ravel()])
    agree(
        lambda a, b: ops.searchsorted(a, b, side=side),
        SORTED.astype("float16"),
        X.astype("float32"),
    )
    x = X.ravel()
    agree(lambda a, b, c: ops.searchsorted(a, b, side=side, sorter=c), x, x[:7], np.argsort(x))


@pytest.mark.parametrize("known", [[3.0, 7.0, 100.0, np.nan], []])
@pytest.mark.parametrize("invert", [False, True])
def test_membership(known, invert):
    """OPP-24: isin of integers among floats, and among none."""
    agree(lambda a, b: ops.isin(a, b, invert=invert), np.arange(12).reshape(3, 4), np.array(known))


@pytest.mark.parametrize("dtype", ["float32", "float16", "int8", "bool"])
def test_triangles_and_one_hot(dtype):
    """OPP-24: the bits, of all dtypes."""
    x = (X * 9).astype(dtype)
    for k in (-1, 0, 2):
        agree(lambda x: ops.tril(x, k), x, tolerance=0)
        agree(lambda x: ops.triu(x, k), x, tolerance=0)
    i = np.array([[0, 3], [4, -1]])
    agree(lambda i: ops.one_hot(i, 4, dtype=dtype), i, tolerance=0)

    agree(lambda i: ops.one_hot(i, 4, on_value=-2.5, off_value=7), i, tolerance=0)


def test_numbers_of_places():
    """OPP-24: coordinates and numbers, of floats too."""
    agree(lambda a: ops.ravel_multi_index(a, (7, 6)), np.array([[3, 6.0], [4, 5]]))
    agree(lambda a: ops.unravel_index(a, (-1, 6, 2)), np.array([[22, 41], [0, 1]]))


@pytest.mark.parametrize("values", [X[0], np.arange(9) // 2, np.ones(3), np.zeros(0)])
def test_histograms(values):
    """OPP-24: bins from the least value to the largest, between limits, between edges."""
    agree(lambda a: ops.histogram(a, 5), values)
    agree(lambda a: ops.histogram(a, 5, (-1, 1)), values)
    agree(ops.histogram, values, np.array([-1, 0, 0.5, 4]))


@pytest.mark.parametrize("dtype", ["float32", "float16", "int32"])
def test_statistics(dtype):
    """OPP-24: deviations and norms, with gradients."""
    x, tolerance = (X * 3).astype(dtype), 2e-3 if dtype == "float16" else 1e-5
    agree(lambda x: ops.var(x, (0, 2), ddof=1), x, tolerance=tolerance)
    agree(lambda x: ops.std(x, 1, keepdims=True), x, tolerance=tolerance)
    for by in (0, 2) if dtype == "float16" else (0, 1, 2, 3, np.inf, -np.inf):
        agree(
            lambda x, by=by: ops.vector_norm(x, axis=1, ord=by),
            *(x,),
            tolerance=10 * tolerance,
            graph=by == 2,
        )


@pytest.mark.parametrize("name", ["sum", "mean", "prod", "max", "min", "any", "all"])
def test_reductions(name):
    """OPP-24: of every dtype, of parts and of nothing; in graphs, too."""
    op, whole = getattr(ops, name), (X * 3).round()
    dtypes = ("float64", "float16", "int8", "bool", "uint64")
    for k, dtype in enumerate(dtypes):
        x = np.abs(whole).astype(dtype)
        agree(lambda x: op(x, 1), x, tolerance=2e-3, graph=(len(name) + k) % 2 == 0)
    agree(lambda x: op(ops.slice_view(x, (slice(1, None), slice(None, None, 2))), 1), whole)
    if name not in ("max", "min"):
        agree(lambda x: op(x, 1), np.zeros((3, 0, 2)))


def test_products_with_sparse_matrices():
    """MND-22: rows of the matrix times columns, with gradients; the matrix transposed."""
    csr = [X.ravel()[:3], np.array([0, 2, -1]), np.array([0, 2, 2, 3])]
    agree(ops.csr_dot, *csr, X[:, :, 0])
    agree(ops.csr_dot, *csr, X[:, 0, 0].astype("float32"))
    agree(lambda *a: ops.csr_dot(*a, columns=5, transpose=True), *csr, X[:, :, 0])
