"""Numbers of places, and histograms, against NumPy."""

import numpy as np
import pytest

import nbgraph as ng
from nbgraph import ops
from nbgraph.errors import ArgumentError, IndexingError, ShapeError
from tests import worlds

SHAPES = [(7,), (3, 4), (2, 1, 5, 3)]


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("first", [None, -1])
def test_numbers_and_coordinates_are_inverse(shape, first):
    """OPP-24: unravel_index and ravel_multi_index as in NumPy, also without the first size."""
    numbers = np.random.default_rng(0).permutation(np.prod(shape))
    told = shape if first is None else (first, *shape[1:])
    for given in (numbers, numbers.astype("float32")):
        places = ng.nd.unravel_index(given, shape=told)
        np.testing.assert_array_equal(places.asnumpy(), np.unravel_index(numbers, shape))
        back = ng.nd.ravel_multi_index(places, shape=told)
        assert back.dtype == np.int64
        np.testing.assert_array_equal(back.asnumpy(), numbers)


def test_coordinates_of_each_axis_may_be_traced():
    """A tuple of arrays, as NumPy takes it; both are kernels of the plan."""
    rows = np.array([3, 6]), np.array([4, 5])
    numbers = lambda a, b: ops.ravel_multi_index((a, b), (7, 6))
    arrays = [ng.array(row) for row in rows]
    for call in (numbers, ng.jit(numbers)):
        np.testing.assert_array_equal(call(*arrays), np.ravel_multi_index(rows, (7, 6)))
    bound = worlds.bind(lambda x: ops.unravel_index(x, (7, 6)), arrays[0])
    assert not worlds.functions(bound)
    with pytest.raises(IndexingError, match="index 7 is out of bounds"):
        ng.jit(numbers)(ng.array([7]), ng.array([0])).asnumpy()


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "int8", "uint16", "int64"])
def test_histograms(dtype):
    """OPP-24: a number of bins, a range, edges; counts, edges and their dtype as in NumPy."""
    a = np.random.default_rng(1).integers(0, 100, (4, 25)).astype(dtype)
    edges = np.array([3.0, 10, 11, 50])
    for options in ({}, {"bins": 7}, {"bins": 4, "range": (10, 20)}, {"bins": edges}):
        counts, limits = ng.nd.histogram(a, **options)
        wide = a.astype("float32") if dtype == "float16" else a
        wanted, between = np.histogram(wide, **options)
        np.testing.assert_array_equal(counts.asnumpy(), wanted)
        np.testing.assert_allclose(limits.asnumpy(), between, rtol=1e-3 if "16" in dtype else 1e-6)
        assert (counts.dtype, limits.dtype.kind) == (np.int64, "f")


@pytest.mark.parametrize("dtype", ["float32", "float64", "int8", "uint8", "int32", "int64", "bool"])
@pytest.mark.parametrize("size", [1, 2, 100, 3000])
@pytest.mark.parametrize("bins", [1, 7, 49, "edges"])
def test_counts_are_those_of_numpy_to_the_last_one(dtype, size, bins):
    """Values on edges, NaN outside a range, equal values, edges that are equal, strides: in arrays,
    calls on NDArrays and compiled functions, without functions in the plan."""
    random = np.random.default_rng(size)
    edges = np.sort(np.array([0, 1, 2, 2, 3, 1.25, 7]).astype(dtype if dtype != "bool" else "i8"))
    several = [{}, {"range": (0.5, 3.0)}, {"range": (1, 1)}, {"range": (-1.1, 2.3)}]
    for scale in (0, 1, 100):
        x = np.repeat((random.normal(size=size) * scale).astype(dtype), 2)[::2]
        for options in several if bins != "edges" else [{}]:
            if options and dtype.startswith("float"):
                x[0] = np.nan
            call = lambda v, options=options: ops.histogram(
                v, edges if bins == "edges" else bins, **options
            )
            values = x.astype("uint8") if dtype == "bool" else x
            wanted = np.histogram(values, edges if bins == "edges" else bins, **options)
            nd = ng.array(x, dtype=dtype)
            for results in (call(x), call(nd), ng.jit(call)(nd)):
                for result, each in zip(results, wanted, strict=True):
                    np.testing.assert_array_equal(np.asarray(result), each.astype(result.dtype))
    if bins != "edges":
        assert not worlds.functions(worlds.bind(call, nd))


def test_in_graphs():
    """OPP-24: both are nodes whose shapes follow, and constants for derivatives."""
    x = ng.var("x")
    out = ng.Group(list(ng.sym.histogram(x, bins=3)))
    assert out.infer_shape(x=(4, 5))[1] == [(3,), (4,)]
    assert ng.sym.unravel_index(x, shape=(2, 3)).infer_shape(x=(5,))[1] == [(2, 5)]
    a = ng.array([1.0, 2.0])
    a.attach_grad()
    with ng.autograd.record():
        y = a * ng.nd.histogram(a, bins=2)[0]
    y.backward()
    np.testing.assert_array_equal(a.grad.asnumpy(), [1, 1])


BAD = [
    (lambda: ops.unravel_index([42], (7, 6)), IndexingError, "42 is not a number .* 0 to 41"),
    (lambda: ops.unravel_index([-1], (-1, 6)), IndexingError, "-1 is not a number"),
    (lambda: ops.unravel_index([1], (7, -1)), ShapeError, "the first of them may be -1"),
    (lambda: ops.ravel_multi_index([[7], [0]], (7, 6)), IndexingError, "7 is out of bounds .* 0;"),
    (lambda: ops.ravel_multi_index([[1], [-1]], (-1, 6)), IndexingError, "for axis 1"),
    (lambda: ops.ravel_multi_index([[7], [0]], (7,)), ShapeError, "coordinates of each axis"),
    (lambda: ops.histogram([1.0, np.nan]), ArgumentError, "is not finite"),
    (lambda: ops.histogram([1.0], [2.0, 1.0]), ArgumentError, "monotonic"),
    (lambda: np.array(ng.histogram(ng.array([np.inf, 1]))[0]), ArgumentError, "of a is"),
    (lambda: ops.histogram([1.0], [2.0]), ShapeError, "at least two edges"),
    (lambda: ops.histogram([1.0], 0), ArgumentError, "at least 1"),
    (lambda: ops.histogram([1.0], 2.5), ArgumentError, "bins=2.5 is not a whole number"),
    (lambda: ops.histogram([1.0], 2, (3, 1)), ArgumentError, "the lower one first"),
    (lambda: ops.histogram([1.0], 2, 3), ArgumentError, "give .lowest, highest."),
]


@pytest.mark.parametrize(("call", "error", "message"), BAD, ids=[m[:30] for _, _, m in BAD])
def test_bad_input(call, error, message):
    """OPR-16: operator, argument, the given, the expected."""
    with pytest.raises(error, match=message):
        call()
