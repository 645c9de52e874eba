"""Every public function on Dask arrays: as on NumPy's, or refused."""

import itertools

import dask.array as da
import numpy as np
import pytest

import nbgraph as ng
from nbgraph.errors import ArgumentError
from nbgraph.operator import registry
from nbgraph.operator.mapper.mapper import Mapper
from nbgraph.ops.named.keywords import in_words
from tests.blocks.lazily import cuts, lazy
from tests.executor.test_worlds import ANY_VALUES, PUBLIC, selection, taken_apart

# sums in another order; relative to the largest
BOUND = 1e-5
# what draws or changes the state of a layer is never taken
NEVER = {name for name in PUBLIC if name.startswith(("random_", "rand_", "sample_"))}
NEVER -= {name for name in PUBLIC if "_pdf_" in name}
NEVER |= {"BatchNorm", "batch_statistics", "Dropout", "dropout", "rrelu", "sample_multinomial"}
NEVER |= {"shuffled", "box_nms", "MultiBoxTarget", "MultiBoxDetection"}  # the latter scan boxes


def is_elementwise(name):
    return isinstance(registry.find(name), Mapper)


@pytest.mark.parametrize("name", selection(set(PUBLIC) - ANY_VALUES - {"debug"}, 20))
def test_every_public_function_is_alike_on_dask_arrays(name):
    """Shape and dtype before and after computing; the bits of NumPy arrays where a block holds all,
    or elements do not depend on each other; else a bound. Refusals say what to do."""
    arrays, arguments = taken_apart(*PUBLIC[name])
    function = registry.find(name)
    if not arrays:
        return

    def f(*made):
        operands, keywords = arguments(made)
        call, operands, keywords = in_words(function, tuple(operands), keywords)
        results = call(*operands, **keywords)
        return list(results) if isinstance(results, (tuple, list)) else [results]

    for chunks in itertools.zip_longest(*(cuts(x.shape) for x in arrays)):
        given = [lazy(x, c or x.shape) for x, c in zip(arrays, chunks, strict=True)]
        whole = all(x.npartitions == 1 for x in given)
        try:
            results = f(*given)
        except ArgumentError as refusal:
            assert "rechunk" in str(refusal) or "compute()" in str(refusal), refusal
            assert name in NEVER or not (whole or is_elementwise(name)), refusal
            continue
        assert name not in NEVER
        for made, wanted in zip(results, map(np.asarray, f(*map(np.copy, arrays))), strict=True):
            assert type(made) is da.Array
            values = np.asarray(made.compute(scheduler="synchronous"))
            assert made.shape == values.shape == wanted.shape, chunks
            assert made.dtype == values.dtype == wanted.dtype, chunks
            if whole or is_elementwise(name):
                assert values.tobytes() == wanted.tobytes(), chunks
            else:
                most = np.abs(np.where(np.isfinite(wanted), wanted, 0)).max(initial=1)
                np.testing.assert_allclose(values, wanted, rtol=BOUND, atol=BOUND * most)


# reductions -------------------------------------------------------------------------------------

REDUCTIONS = "sum mean max min prod std vector_norm any all count_nonzero logsumexp".split()
DTYPES = "float32 float64 float16 int32 uint8 bool".split()
AXES = (None, 0, -1, (0, 2))


def values(dtype, shape):
    x = np.random.default_rng(3).normal(size=shape)
    return np.abs(3 * x).astype(dtype) if np.dtype(dtype).kind in "ub" else (x * 3).astype(dtype)


CASES = [
    pytest.param(name, dtype, marks=[] if (i + k) % 6 == 0 else pytest.mark.slow)
    for i, name in enumerate([*REDUCTIONS, "var", "argmax", "argmin"])
    for k, dtype in enumerate(DTYPES)
]


@pytest.mark.parametrize(("name", "dtype"), CASES)
def test_reductions_are_trees_of_totals(name, dtype, full):
    """What is exact is equal; sums of floats are within a few units in the last place of the sum
    of sizes."""
    x = values(dtype, (9, 4, 7))
    function = getattr(ng.nd if name == "var" else ng, name)
    if dtype == "bool" and name in ("max", "min"):
        x = x.astype("uint8")
    for axis in AXES if full else AXES[1:4:2]:
        if name.startswith("arg") and isinstance(axis, tuple):
            continue
        for keepdims in (False, True):
            wanted = np.asarray(_numpy(name, x, axis, keepdims))
            made = function(lazy(x, (4, 2, 3)), axis=axis, keepdims=keepdims)
            result = np.asarray(made.compute())
            assert made.shape == result.shape == wanted.shape
            assert made.dtype == result.dtype == wanted.dtype
            if name in ("max", "min", "any", "all", "count_nonzero", "argmax", "argmin"):
                assert np.array_equal(result, wanted)
            elif wanted.dtype.kind in "iu":
                assert np.array_equal(result, wanted)
            else:
                eps = np.finfo(wanted.dtype).eps
                sizes = np.abs(x.astype("float64")).sum() if name == "sum" else np.abs(wanted)
                terms = x.size if name == "prod" else 4
                bound = terms * eps * np.where(np.isfinite(sizes), sizes, 0)
                with np.errstate(invalid="ignore"):  # two infinities are equal
                    near = np.abs(result.astype("float64") - wanted) <= bound + 8 * eps
                assert (near | (result == wanted)).all(), (axis, keepdims)


def _numpy(name, x, axis, keepdims):
    """The library on a NumPy array."""
    if name == "var":
        return ng.nd.var(ng.array(x), axis=axis, keepdims=keepdims).asnumpy()
    return getattr(ng, name)(x, axis=axis, keepdims=keepdims)


def test_dtypes_of_sums_are_ours():
    x = lazy(values("int32", (9, 4)))
    for dtype in ("float32", "int64", None):
        made = ng.sum(x, axis=0, dtype=dtype)
        assert made.dtype == made.compute().dtype == (dtype or "int64")


def test_trees_take_blocks_in_their_order():
    """However many there are at once: the bits of a sum do not depend on the scheduler."""
    x = lazy(values("float32", (24, 9)), (5, 4))
    for made in (ng.sum(x), ng.std(x, axis=0), ng.logsumexp(x, axis=0)):
        alone = np.asarray(made.compute(scheduler="synchronous")).tobytes()
        assert np.asarray(made.compute(scheduler="threads")).tobytes() == alone


@pytest.mark.parametrize("name", ["max", "argmax", "std"])
def test_nan_counts_as_in_numpy(name):
    x = values("float32", (9, 4))
    x[5, 1] = np.nan
    made = getattr(ng, name)(lazy(x), axis=0).compute()
    np.testing.assert_allclose(made, getattr(ng, name)(x, axis=0), rtol=1e-6)


@pytest.mark.parametrize("name", ["argmax", "argmin"])
def test_the_first_of_equal_extremes_is_taken(name):
    """In the order of elements, not of blocks."""
    x = (np.arange(30).reshape(5, 6) % 7).astype("uint8")
    for keepdims in (False, True):
        wanted = np.asarray(getattr(ng, name)(x, keepdims=keepdims))
        made = getattr(ng, name)(lazy(x, (2, 3)), keepdims=keepdims)
        assert (made.shape, made.dtype, made.compute()) == (wanted.shape, "int64", wanted)


def test_row_operators_of_users_span_blocks():
    """Those that need the row's length or the place in it, too."""
    from nbgraph.operator.rows.row_op import RowOp
    from nbgraph.operator.rows.row_program import Result, RowProgram

    op = RowOp(
        RowProgram(
            "weighted",
            totals={
                "total": ("add", lambda x: x),
                "away": ("max", lambda x, total, count: abs(x - total / count)),
                "placed": ("add", lambda x, index: x * index),
            },
            results=[
                Result(lambda x, total, away, *, scale=2.0: scale * x / away + total),
                Result(lambda placed, count: placed / count, row=True),
            ],
        )
    )
    x = values("float64", (9, 4))
    for axis, keepdims in ((0, True), (1, False)):
        found = op(lazy(x), axis=axis, keepdims=keepdims, scale=3.0)
        wanted = op(x, axis=axis, keepdims=keepdims, scale=3.0)
        for made, value in zip(found, wanted, strict=True):
            assert made.shape == value.shape
            np.testing.assert_allclose(made.compute(), value, rtol=1e-12)


def test_samples_do_not_depend_on_each_other():
    """Layers take a batch in blocks of samples, with the bits of the whole."""
    images = values("float32", (6, 2, 8, 8))
    weight = values("float32", (3, 2, 3, 3))
    x = lazy(images, (2, -1, -1, -1))

    def net(x):
        y = ng.Pooling(ng.Convolution(x, weight, num_filter=3, kernel=(3, 3), no_bias=True),
                       kernel=(2, 2), pool_type="max", stride=(2, 2))  # fmt: skip
        return ng.relu(y)

    made = net(x)
    assert made.chunks[0] == (2, 2, 2)
    np.testing.assert_allclose(made.compute(), net(images), rtol=1e-6)
