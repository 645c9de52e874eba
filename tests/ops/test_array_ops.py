"""Operators over whole arrays against NumPy: shapes, axes, strides, dtypes (X-NDA-04)."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

import nbgraph as ng
import nbgraph.ops as ops
from nbgraph.operator.spec import Spec
from nbgraph.ops.define import operator_of
from nbgraph.ops.shapes.slicing import Triple
from nbgraph.settings import config
from tests import worlds

DTYPES = ["bool", "int8", "uint8", "int32", "int64", "uint64", "float16", "float32", "float64"]
QUICK = settings(max_examples=60)


@st.composite
def arrays(draw, min_dims=0, dtypes=DTYPES, min_side=0):
    """Small arrays of any layout: contiguous, transposed, reversed, with steps."""
    dtype = np.dtype(draw(st.sampled_from(dtypes)))
    shape = draw(npst.array_shapes(min_dims=min_dims, max_dims=4, min_side=min_side, max_side=4))
    rng = np.random.default_rng(draw(st.integers(0, 1000)))
    x = rng.integers(0 if dtype.kind in "bu" else -3, 4, shape).astype(dtype)
    layout = draw(st.sampled_from(["c", "t", "flip", "step"]))
    if layout == "t":
        return np.ascontiguousarray(x.T).T
    if layout == "flip":
        return np.flip(np.ascontiguousarray(np.flip(x)))
    if layout == "step" and x.ndim:
        wide = np.zeros((*x.shape[:-1], 2 * x.shape[-1]), dtype)
        wide[..., ::2] = x
        return wide[..., ::2]
    return x


def axes_of(data, x):
    """None, an axis or several, from either end."""
    if x.ndim == 0:
        return None
    one = st.integers(-x.ndim, x.ndim - 1)
    several = st.sets(st.integers(0, x.ndim - 1)).map(tuple)
    return data.draw(st.one_of(st.none(), one, several))


def same(own, judge, exact=True):
    assert own.dtype == judge.dtype, (own.dtype, judge.dtype)
    assert own.shape == judge.shape
    tolerance = 0 if exact or own.dtype.kind != "f" else 4 * np.finfo(own.dtype).eps
    np.testing.assert_allclose(own, judge, rtol=tolerance, atol=tolerance)


# reductions -------------------------------------------------------------------------------------


@QUICK
@given(st.data(), arrays())
def test_reductions(data, x):
    axis, keepdims = axes_of(data, x), data.draw(st.booleans())
    options = {"axis": axis, "keepdims": keepdims}
    for name in ("sum", "prod", "any", "all"):
        same(getattr(ops, name)(x, **options), getattr(np, name)(x, **options), exact=False)
    count = np.asarray(np.count_nonzero(x, **options))
    np.testing.assert_array_equal(ops.count_nonzero(x, **options), count)
    if x.size:
        same(ops.max(x, **options), np.max(x, **options))
        same(ops.min(x, **options), np.min(x, **options))
        wide = x.astype("float32") if x.dtype == "float16" else x  # as it is accumulated
        for name in ("mean", "var", "std"):
            judge = np.asarray(getattr(np, name)(wide, **options))
            own = getattr(ops, name)(x, **options)
            assert own.dtype == getattr(np, name)(x, **options).dtype
            np.testing.assert_allclose(
                own, judge, rtol=2e-3 if x.itemsize == 2 else 1e-6, atol=1e-6
            )


@QUICK
@given(st.data(), arrays(min_dims=1, min_side=1))
def test_places_and_scans(data, x):
    axis = data.draw(st.one_of(st.none(), st.integers(-x.ndim, x.ndim - 1)))
    for name in ("argmax", "argmin"):
        same(getattr(ops, name)(x, axis), np.int64(getattr(np, name)(x, axis)))
    for name in ("cumsum", "cumprod"):
        same(getattr(ops, name)(x, axis), getattr(np, name)(x, axis), exact=False)
    axis = 0 if axis is None else axis
    running = np.maximum.accumulate(x, axis)
    same(ops.cummax(x, axis), running)
    same(ops.take_along_axis(x, ops.cumargmax(x, axis), axis), running)
    same(ops.diff(x, 1, axis), np.diff(x, 1, axis))
    first = ops.cumulative_sum(x, axis=axis, include_initial=True)
    same(first, np.cumulative_sum(x, axis=axis, include_initial=True), exact=False)


@QUICK
@given(st.data(), arrays(min_dims=1, min_side=1))
def test_order(data, x):
    axis = data.draw(st.integers(-x.ndim, x.ndim - 1))
    same(ops.sort(x, axis), np.sort(x, axis))
    same(ops.argsort(x, axis), np.argsort(x, axis, kind="stable"))
    down = ops.argsort(x, axis, descending=True)
    kept = np.argsort(-x.astype(float), axis, kind="stable")
    same(down, kept)  # equal elements keep their order
    same(ops.sort(x, axis, descending=True), np.take_along_axis(x, kept, axis))
    k = data.draw(st.integers(0, x.shape[axis]))
    values, places = ops.topk(x, k, axis)
    first = np.take(kept, np.arange(k), axis)
    same(places, first)
    same(values, np.take_along_axis(x, first, axis))
    same(ops.isin(x, x[:1]), np.isin(x, x[:1]))
    line = np.sort(x, None)
    same(ops.searchsorted(line, x, side="right"), np.searchsorted(line, x, "right"))


def test_long_sums_are_blocked():
    """A sum of float32 keeps its digits along every axis, and the same bits in every layout."""
    x = np.random.default_rng(0).random((3000, 17), np.float32)
    exact = x.sum(0, dtype="float64")
    own = np.abs(ops.sum(x, 0) - exact).max()
    assert own < np.abs(np.add.reduce(x, 0) - exact).max() / 5
    big = np.full((600, 500), 0.1, np.float32)
    np.testing.assert_allclose(ops.sum(big), 30000 * np.float64(np.float32(0.1)) * 10, rtol=1e-6)
    assert ops.sum(big).tobytes() == ops.sum(big.copy()).tobytes()
    halves = np.ones(5000, "float16")
    assert ops.sum(halves) == 5000
    assert ops.mean(np.full(5000, 60000, "float16")) == 60000


def test_extremes_and_norms_know_nan_and_infinity():
    x = np.array([1.0, np.nan, -np.inf])
    assert np.isnan(ops.max(x)) and np.isnan(ops.min(x)) and ops.argmax(x) == 1
    assert ops.logsumexp(np.array([-np.inf, -np.inf])) == -np.inf
    assert ops.logsumexp(np.array([np.inf, 0.0])) == np.inf
    assert ops.logsumexp(np.array([], "float32")) == -np.inf
    assert ops.vector_norm(np.array([3, 4])).dtype == "float64"
    for order in (0, 1, 2, 3, -1, np.inf, -np.inf):
        m = np.array([[3.0, -4.0], [1.0, 2.0]])
        np.testing.assert_allclose(
            ops.norm(m, order, axis=1), np.linalg.norm(m, order, axis=1), rtol=1e-14
        )
    assert ops.norm(m, "fro") == np.linalg.norm(m, "fro")


# shapes -----------------------------------------------------------------------------------------


@QUICK
@given(st.data(), arrays())
def test_views(data, x):
    """Views share memory with what they are views of, whatever its layout."""
    n = x.ndim
    order = data.draw(st.permutations(range(n)))
    view = ops.transpose(x, order)
    same(view, x.transpose(order))
    assert not x.size or not n or np.shares_memory(view, x)
    same(ops.transpose(x), x.T)
    same(ops.expand_dims(x, (0, -1)), np.expand_dims(x, (0, -1)))
    same(ops.squeeze(x), np.squeeze(x))
    same(ops.flip(x), np.flip(x))
    wide = (3, *(4 if m == 1 else m for m in x.shape))
    same(ops.broadcast_to(x, wide), np.broadcast_to(x, wide))
    same(
        ops.reshape(x, (-1,)) if x.size else ops.reshape(x, x.shape[::-1]),
        x.reshape((-1,) if x.size else x.shape[::-1]),
    )
    if n:
        a, b = data.draw(st.tuples(*[st.integers(-n, n - 1)] * 2))
        same(ops.swapaxes(x, a, b), np.swapaxes(x, a, b))
        same(ops.moveaxis(x, a, b), np.moveaxis(x, a, b))
        same(ops.flip(x, a), np.flip(x, a))
    if n >= 2:
        k = data.draw(st.integers(-3, 3))
        same(ops.diagonal(x, k, -1, 0), np.diagonal(x, k, -1, 0))
        same(ops.trace(x, k), np.trace(x, k), exact=False)
        same(ops.tril(x, k), np.tril(x, k))
        same(ops.triu(x, k), np.triu(x, k))
        back = ops.diagonal_scatter(ops.diagonal(x, k), x.shape, k)
        same(ops.diagonal(back, k), np.diagonal(x, k))


def test_reshape_shares_memory_where_strides_allow():
    x = np.arange(12).reshape(3, 4)
    assert np.shares_memory(ops.reshape(x, (4, 3)), x)
    assert np.shares_memory(ops.reshape(x[:, ::2], (3, 2, 1)), x)
    assert not np.shares_memory(ops.reshape(x.T, (12,)), x)
    ops.diagonal(x)[...] = 0  # written through
    assert x.trace() == 0


@QUICK
@given(st.data(), arrays(min_dims=1))
def test_joining(data, x):
    axis = data.draw(st.integers(-x.ndim, x.ndim - 1))
    other = x[::-1].astype(data.draw(st.sampled_from(DTYPES)))
    same(ops.concatenate([x, other], axis), np.concatenate([x, other], axis))
    same(ops.concatenate([x, other], None), np.concatenate([x, other], None))
    same(ops.stack([x, other], axis), np.stack([x, other], axis))
    for name in ("hstack", "vstack", "dstack", "column_stack"):
        same(getattr(ops, name)([x, other]), getattr(np, name)([x, other]))
    for own, judge in zip(ops.array_split(x, 3, axis), np.array_split(x, 3, axis), strict=True):
        same(own, judge)
    cuts = data.draw(st.lists(st.integers(-5, 5), max_size=3).map(sorted))
    for own, judge in zip(ops.split(x, cuts, axis), np.split(x, cuts, axis), strict=True):
        same(own, judge)
    for own, judge in zip(ops.unstack(x, axis=axis), np.unstack(x, axis=axis), strict=True):
        same(own, judge)


@QUICK
@given(st.data(), arrays(min_dims=1))
def test_repeating(data, x):
    axis = data.draw(st.one_of(st.none(), st.integers(-x.ndim, x.ndim - 1)))
    size = x.size if axis is None else x.shape[axis]
    same(ops.repeat(x, 2, axis), np.repeat(x, 2, axis))
    counts = data.draw(st.lists(st.integers(0, 3), min_size=size, max_size=size))
    if size > 1:
        same(ops.repeat(x, counts, axis), np.repeat(x, counts, axis))
    reps = data.draw(st.lists(st.integers(0, 3), max_size=5))
    same(ops.tile(x, reps), np.tile(x, reps))
    same(ops.roll(x, 2, axis), np.roll(x, 2, axis))
    same(ops.roll(x, -1, (0, -1)), np.roll(x, -1, (0, -1)))
    pairs = st.lists(st.tuples(*[st.integers(0, 3)] * 2), min_size=x.ndim, max_size=x.ndim)
    widths = data.draw(pairs)
    same(ops.pad(x, widths, constant_values=1), np.pad(x, widths, constant_values=1))
    if x.size:
        for mode in ("edge", "reflect", "symmetric", "wrap"):
            same(ops.pad(x, widths, mode), np.pad(x, widths, mode))


# linear algebra ---------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", ["bool", "int32", "float16", "float32", "float64"])
@pytest.mark.parametrize(
    "shapes",
    [((3,), (3,)), ((2, 3), (3,)), ((3,), (3, 2)), ((2, 3), (3, 4)), ((5, 1, 2, 3), (4, 3, 2)),
     ((0, 3), (3, 2)), ((2, 0), (0, 3)), ((3,), (4, 3, 2)), ((4, 2, 3), (3,))],
)  # fmt: skip
def test_products(shapes, dtype):
    a, b = (np.arange(np.prod(s)).reshape(s).astype(dtype) for s in shapes)
    same(ops.matmul(a, b), np.asarray(np.matmul(a, b))[()])
    if dtype != "bool":
        same(ops.dot(a, b), np.asarray(np.dot(a, b))[()])
    if min(a.ndim, b.ndim) > 0 and a.shape[-1] == b.shape[0]:
        same(ops.tensordot(a, b, axes=1), np.asarray(np.tensordot(a, b, 1))[()])
    np.testing.assert_array_equal(ops.outer(a, b), np.outer(a, b))


@pytest.mark.parametrize(
    "text, shapes",
    [("ij,jk->ik", [(2, 3), (3, 4)]), ("ij,jk", [(2, 3), (3, 4)]), ("ii->i", [(3, 3)]),
     ("ii", [(3, 3)]), ("...ij,...jk->...ik", [(2, 1, 2, 3), (4, 3, 2)]), ("i,j->ji", [(2,), (3,)]),
     ("ij,j", [(1, 3), (3,)]), ("ba", [(2, 3)]), ("i->", [(0,)]), ("...,...", [(3,), ()]),
     ("ij,ij->i", [(3, 1), (3, 4)])],
)  # fmt: skip
def test_einsum(text, shapes):
    operands = [np.arange(np.prod(s, dtype=int)).reshape(s) + 1.0 for s in shapes]
    for dtype in ("float64", "int64"):
        given = [x.astype(dtype) for x in operands]
        same(ops.einsum(text, *given), np.asarray(np.einsum(text, *given))[()], exact=False)


def test_vecdot():
    a, b = np.arange(12.0).reshape(3, 4), np.arange(4.0)
    same(ops.vecdot(a, b), a @ b)
    same(ops.vecdot(a, a, axis=-2), (a * a).sum(0))


# creation, casts, sets --------------------------------------------------------------------------


def test_creation():
    """Values as NumPy's; floats default to the setting (X-NDA-09)."""
    rows = [
        (ops.zeros((2, 3)), np.zeros((2, 3), "f4")),
        (ops.ones(3, "int8"), np.ones(3, "int8")),
        (ops.full((2,), True), np.full((2,), True)),
        (ops.full((), np.float64(2.5)), np.full((), 2.5)),
        (ops.arange(5), np.arange(5)),
        (ops.arange(1, 0, -0.25), np.arange(1, 0, -0.25).astype("f4")),
        (ops.arange(3, 1), np.arange(3, 1)),
        (ops.linspace(0, 1, 5, dtype="float64"), np.linspace(0, 1, 5)),
        (ops.linspace(0, 3, 4, False, "int32"), np.linspace(0, 3, 4, endpoint=False, dtype="i4")),
        (ops.linspace(0, 1, 1), np.zeros(1, "f4")),
        (ops.eye(2, 3, 1), np.eye(2, 3, 1, "f4")),
        (ops.identity(2, "int64"), np.identity(2, "int64")),
        (ops.tri(3, 2, -1), np.tri(3, 2, -1, "f4")),
    ]
    for own, judge in rows:
        own = np.asarray(own)
        assert (own.dtype, own.shape) == (judge.dtype, judge.shape)
        np.testing.assert_array_equal(own, judge)
    with config(default_float="float64"):
        assert ops.zeros(1).dtype == ops.full(1, 0.5).dtype == "float64"
    x = np.arange(3, dtype="int16")
    same(ops.full_like(x, 7), np.full_like(x, 7))
    same(ops.ones_like(x, "f8", shape=(2,)), np.ones(2))
    assert ops.empty_like(x).shape == (3,)
    for indexing in ("xy", "ij"):
        pair = zip(
            ops.meshgrid(x, x[:2], indexing=indexing), np.meshgrid(x, x[:2], indexing=indexing)
        )
        for own, judge in pair:
            same(own, judge)


@pytest.mark.parametrize("dtype", ["?", "b", "i", "L", "f", "d"])
@pytest.mark.parametrize("shape", [(5, 3), (4, 1100), (2, 3, 4), (1, 2)])
def test_running_sums_and_products_of_rows(dtype, shape):
    """Kernels along an axis before others: NumPy's bits, and more than one strip of columns."""
    random = np.random.default_rng(2)
    x = (random.random(shape) * 4).astype(dtype)
    for axis in range(len(shape)):
        for name in ("cumsum", "cumprod"):
            for wanted in (None, "float64", "int8"):
                found = getattr(ng, name)(ng.array(x), axis, dtype=wanted)
                with np.errstate(over="ignore"):  # a long product of floats is infinite
                    same(found.asnumpy(), getattr(np, name)(x, axis, dtype=wanted))


@pytest.mark.parametrize("world", [np.asarray, ng.array])
def test_deviations_take_any_dtype(world):
    """Integers are cut behind the root, as the mean of integers is."""
    x = world(np.array([[1, 2], [3, 9]], "int16"))
    for dtype, wanted in (("int32", 3), ("int8", 3), ("float32", np.std([1, 2, 3, 9]))):
        result = ng.std(x, dtype=dtype)
        assert result.dtype == dtype
        np.testing.assert_allclose(np.asarray(result), wanted, rtol=1e-6)


def test_casts():
    x = np.array([1.5, -2.5])
    same(ops.astype(x, "int8"), x.astype("int8"))
    assert ops.astype(x, "float64", copy=False) is x
    assert not np.shares_memory(ops.astype(x, "float64"), x)
    assert not np.shares_memory(ops.copy(x), x)
    assert np.shares_memory(ops.stop_gradient(x), x)
    same(
        ops.one_hot([2, 0, 7], 3, dtype="int8"), np.array([[0, 0, 1], [1, 0, 0], [0, 0, 0]], "int8")
    )


@pytest.mark.parametrize("share", [1, 2, 3, 100])
def test_kernels_of_units_in_any_range(share):
    """A range may begin and end within a row, and tiles be parts of one."""
    x, rows = np.arange(60.0).reshape(2, 6, 5), np.array([2, -6, 5, 0])
    for op, operands, attributes in (
        (ops.tril, [x], {"k": -1}),
        (ops.triu, [x], {"k": 1}),
        (ops.one_hot, [np.array([3, -1, 0, 9, 4])], {"depth": 12, "dtype": np.dtype("int16")}),
        (ops.take, [x, rows % 6], {"axis": 1}),
        (ops.gather, [x, rows], {"key": (Triple(None, None, -1), "array", Triple(1, 4, None))}),
    ):
        expected = op(*operands, **attributes)
        specs = [Spec.of(a) for a in operands], [Spec.of(expected)]
        units = operator_of(op)._units(*specs, **attributes)
        run = min(share, units.run)
        call = units._replace(share=run).on_host(expected.size)
        firsts = [r + p for r in range(0, units.units, units.run) for p in range(0, units.run, run)]
        ends = [*firsts, expected.size]
        assert call.size == len(firsts)
        for lo, hi in ((0, 1), (1, call.size), (call.size // 2, call.size - 1), (0, call.size)):
            out = np.full_like(expected, 7)
            arrays = [*operands, out]
            record = (*call.head, *(a.ctypes.data for a in arrays), *call.words)
            call.code.run(np.array(record, np.int64), lo, hi)
            first, end = ends[lo], ends[max(lo, hi)]
            np.testing.assert_array_equal(out.flat[first:end], expected.flat[first:end])
            assert (out.flat[:first] == 7).all() and (out.flat[end:] == 7).all()


def test_sets():
    x = np.array([[3, 1], [1, 2]])
    for own, judge in zip(ops.unique_all(x), np.unique_all(x), strict=True):
        np.testing.assert_array_equal(own, judge)
    for name in ("unique_counts", "unique_inverse"):
        for own, judge in zip(getattr(ops, name)(x), getattr(np, name)(x), strict=True):
            np.testing.assert_array_equal(own, judge)
    nan = np.array([np.nan, 1, np.nan])
    assert ops.unique_values(nan).size == 3 and ops.unique(nan).size == 2
    np.testing.assert_array_equal(ops.nonzero(x > 1), np.nonzero(x > 1))
    np.testing.assert_array_equal(ops.argwhere(x > 1), np.argwhere(x > 1))
    np.testing.assert_array_equal(ops.extract(x > 1, x), x[x > 1])


def test_axes_may_be_a_range():
    x = np.zeros((1, 2, 3))
    assert ops.moveaxis(x, range(2), range(1, 3)).shape == (3, 1, 2)
    assert ops.sum(x, axis=range(1, 3)).shape == (1,)
    assert ops.transpose(x, range(2, -1, -1)).shape == (3, 2, 1)


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("among", ["few equals", "many equals", "NaN", "zeros"])
@pytest.mark.parametrize("n", [20, 700])
@pytest.mark.parametrize("make", [np.asarray, ng.array])
def test_orders_keep_that_of_equals(make, n: int, among: str, axis: int) -> None:
    """Orders of a vectorised sort, partitions and insertion give what a stable sort gives."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(2, n) if axis else (n, 2)).astype("float32")
    if among.endswith("equals"):
        x = np.round(x, 3 if among == "few equals" else 0)
    else:
        x[rng.random(x.shape) < 0.01] = np.nan if among == "NaN" else 0.0
        x[rng.random(x.shape) < 0.01] = np.nan if among == "NaN" else -0.0
    rising = np.argsort(x, axis=axis, kind="stable")
    falling = n - 1 - np.flip(np.argsort(np.flip(x, axis), axis=axis, kind="stable"), axis)
    array = make(x)
    for descending, order in ((False, rising), (True, falling)) * 3:  # calls that are known by then
        np.testing.assert_array_equal(ops.argsort(array, axis, descending=descending), order)
        ordered = np.take_along_axis(x, order, axis)
        np.testing.assert_array_equal(ops.sort(array, axis, descending=descending), ordered)
        for k in (1, 5, n // 9, n // 2):
            values, places = ops.topk(array, k, axis, largest=descending)
            np.testing.assert_array_equal(places, np.take(order, range(k), axis))
            np.testing.assert_array_equal(values, np.take(ordered, range(k), axis))


@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("shape", [(3, 9, 2), (3, 60, 2), (1, 4200, 1)])  # by insertion, by digits
@pytest.mark.parametrize("dtype", [*DTYPES, "bfloat16"])
def test_orders_of_lines_by_their_length(dtype, shape, descending):
    """By a kernel in every dtype and over its whole range, NaN behind all numbers."""
    rng, n = np.random.default_rng(1), shape[1]
    if dtype in ("bool", "bfloat16") or "float" in dtype:
        x = rng.normal(size=shape).astype("float32") * 100
        x[:, ::3] = np.round(x[:, ::3] / 50)  # zeros of both signs, and equals
        if dtype != "bool":
            x[:, ::4], x[:, 1::7], x[:, 2::7] = np.nan, np.inf, -np.inf
        exact = ng.array(x).astype(dtype)
    else:
        info = np.iinfo(dtype)
        exact = ng.array(rng.integers(info.min, info.max, shape, dtype, endpoint=True))
    x = exact.astype("float32").asnumpy() if dtype == "bfloat16" else exact.asnumpy()
    order = np.argsort(x[:, ::-1] if descending else x, 1, kind="stable")
    order = n - 1 - order[:, ::-1] if descending else order
    for _ in range(3):
        np.testing.assert_array_equal(ng.argsort(exact, 1, descending=descending), order)
        both = ng.topk(exact, n, 1, largest=descending)
        np.testing.assert_array_equal(both[1], order)
        for ordered in (ng.sort(exact, 1, descending=descending), both[0]):
            assert ordered.dtype == exact.dtype
            numbers = ordered.astype("float32") if dtype == "bfloat16" else ordered
            np.testing.assert_array_equal(numbers, np.take_along_axis(x, order, 1))
    assert not worlds.functions(worlds.bind(lambda x: ng.sort(x, 1, descending=descending), exact))


@pytest.mark.parametrize("largest", [True, False])
@pytest.mark.parametrize("dtype", [*DTYPES, "bfloat16"])
def test_the_first_of_long_lines(dtype, largest):
    """By blocks, in every dtype: equal elements, lines that are in order, NaN in few and all
    blocks, and a line whose last block is short."""
    n, k = 779, 5
    x = np.random.default_rng(2).integers(0, 200, (6, n)).astype("float32")
    x[1].sort()
    x[2] = -np.sort(-x[2])
    x[3] = 1
    if dtype[0] != "b" and "float" in dtype:
        x[4, ::100] = x[5, 2:] = np.nan
    exact = ng.array(x).astype(dtype)
    order = np.argsort(exact.astype("float64").asnumpy(), 1, kind="stable")
    if largest:  # equal ones in order, NaN first
        backwards = exact.astype("float64").asnumpy()[:, ::-1]
        order = n - 1 - np.argsort(backwards, 1, kind="stable")[:, ::-1]
    values, places = ng.topk(exact, k, largest=largest)
    np.testing.assert_array_equal(places, order[:, :k])
    np.testing.assert_array_equal(values, ng.take_along_axis(exact, order[:, :k], 1))
    bound = worlds.bind(lambda x: ng.topk(x, k, largest=largest)[0], exact)
    assert not worlds.functions(bound)
