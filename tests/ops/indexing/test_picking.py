"""Embeddings, places and choices against NumPy; sparse products, sparsemax, running logarithms."""

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st

import nbgraph as ng
from nbgraph.errors import ArgumentError, DTypeError, IndexingError, ShapeError
from tests.engine.conftest import engine as engine
from tests.support import run_python

RNG = np.random.default_rng(0)
W = RNG.normal(size=(7, 3)).astype("float32")


@pytest.mark.parametrize("dtype", ["int64", "uint8", "float32"])
def test_embedding(dtype):
    """MXP-01: rows of a table; repeated rows gather gradients, those of padding none."""
    places = np.array([[1, 6, 1], [0, 2, 6]], dtype)
    own = ng.embedding(places, W, input_dim=7, output_dim=3)
    np.testing.assert_array_equal(own, W[places.astype(int)])
    table = ng.array(W)
    table.attach_grad()
    with ng.autograd.record():
        found = ng.nd.Embedding(places, table, padding_index=-1)
    found.backward()
    np.testing.assert_array_equal(found.asnumpy(), own)
    counts = np.array([1, 2, 1, 0, 0, 0, 0])
    np.testing.assert_array_equal(table.grad.asnumpy(), np.repeat(counts[:, None], 3, 1))


@settings(max_examples=40)
@given(st.data())
def test_places(data):
    """MXP-01: elements by number, as NumPy's indices choose them."""
    shape = data.draw(st.lists(st.integers(1, 4), min_size=2, max_size=4).map(tuple))
    x = np.arange(np.prod(shape)).reshape(shape)
    axis = data.draw(st.integers(-x.ndim, x.ndim - 1))
    rng = np.random.default_rng(data.draw(st.integers(0, 99)))
    index = rng.integers(-shape[axis], shape[axis], rng.integers(0, 5))
    np.testing.assert_array_equal(ng.index_select(x, axis, index), np.take(x, index, axis))
    row = rng.integers(0, shape[axis], np.delete(shape, axis))
    wanted = np.take_along_axis(x, np.expand_dims(row, axis), axis)
    np.testing.assert_array_equal(ng.pick(x, row, axis), wanted.squeeze(axis))
    np.testing.assert_array_equal(ng.pick(x, row.astype("f4"), axis, keepdims=True), wanted)
    count = data.draw(st.integers(1, x.ndim))
    places = np.stack([rng.integers(-n, n, (2, 3)) for n in shape[:count]])
    picked = ng.gather_nd(x, places)
    np.testing.assert_array_equal(picked, x[tuple(places)])
    back = np.zeros_like(x)
    np.add.at(back, tuple(places), picked)
    np.testing.assert_array_equal(ng.scatter_nd(picked, places, shape), back)
    begin, end = data.draw(st.integers(-4, 4)), data.draw(st.one_of(st.none(), st.integers(-4, 4)))
    cut = [slice(None)] * x.ndim
    cut[axis] = slice(begin, end)
    np.testing.assert_array_equal(ng.slice_axis(x, axis, begin, end), x[tuple(cut)])
    by = [data.draw(st.integers(-5, 5)) for _ in shape]
    moved = np.full_like(x, 9)
    to = tuple(slice(max(b, 0), max(n + min(b, 0), 0)) for b, n in zip(by, shape, strict=True))
    of = tuple(slice(max(-b, 0), max(n - max(b, 0), 0)) for b, n in zip(by, shape, strict=True))
    if all(abs(b) < n for b, n in zip(by, shape, strict=True)):
        moved[to] = x[of]
    np.testing.assert_array_equal(ng.shift(x, by, fill_value=9), moved)


def test_channels_and_choices():
    """MXP-01: MXNet's SliceChannel, NumPy's choose."""
    x = RNG.normal(size=(2, 3, 4))
    for part, wanted in zip(ng.SliceChannel(x, 3), np.split(x, 3, 1), strict=True):
        np.testing.assert_array_equal(part, wanted)
    assert [p.shape for p in ng.slice_channel(x, 3, squeeze_axis=True)] == [(2, 4)] * 3
    assert ng.nd.split(ng.array(x), num_outputs=1).shape == x.shape
    assert ng.sym.split(ng.var("x"), num_outputs=1).infer_shape(x=x.shape)[1] == [x.shape]
    which = RNG.integers(0, 3, (3, 4))
    choices = [RNG.normal(size=shape) for shape in ((3, 4), (4,), ())]
    np.testing.assert_array_equal(ng.choose(which, choices), np.choose(which, choices))


@pytest.mark.usefixtures("engine")
def test_symbols_and_arrays_agree():
    """MXP-01: the same numbers by arrays and by a bound graph."""
    places = np.array([[1, 6, 1], [0, 2, 6]])

    def composed(w):
        rows = ng.embedding(places, w)
        return ng.sum(ng.sparsemax(rows) * ng.logcumsumexp(rows, 1) + ng.slice_axis(rows, 2, 0, 1))

    table = ng.array(W)
    slope = ng.grad(composed)(table).asnumpy()
    exe = composed(ng.var("w", shape=W.shape)).simple_bind(ng.cpu(), w=W.shape)
    (bound,) = exe.forward_backward(w=W)
    np.testing.assert_allclose(bound.asnumpy(), composed(W), rtol=1e-6)
    np.testing.assert_allclose(exe.grad_dict["w"].asnumpy(), slope, rtol=1e-5, atol=1e-6)


# sparse -----------------------------------------------------------------------------------------


@settings(max_examples=30)
@given(
    st.tuples(st.integers(1, 5), st.integers(1, 5), st.integers(0, 4)),
    st.integers(0, 99),
    st.sampled_from("efd"),
)
def test_sparse_products(sizes, seed, char):
    """X-MAR-10: products on either side, transposed or not, as of the dense matrix."""
    rows, columns, width = sizes
    s = scipy.sparse.random(rows, columns, 0.5, "csr", random_state=seed)
    given = s.data.astype(char), s.indices, s.indptr
    full = s.toarray().astype(char).astype("d")
    rng = np.random.default_rng(seed)
    rtol = {"e": 4e-3, "f": 1e-5, "d": 1e-12}[char]
    for transpose, a in ((False, full), (True, full.T)):
        dense = rng.normal(size=(a.shape[1], width)).astype(char)
        options = {"columns": columns, "transpose": transpose}
        own = ng.csr_dot(*given, dense, **options)
        assert own.dtype == np.dtype(char)
        np.testing.assert_allclose(own, a @ dense.astype("d"), rtol=rtol, atol=rtol)
        vector = dense[:, 0] if width else np.ones(a.shape[1], char)
        np.testing.assert_allclose(
            ng.csr_dot(*given, vector, **options), a @ vector.astype("d"), rtol=rtol, atol=rtol
        )
        left = rng.normal(size=(width, a.shape[0])).astype(char)
        own = ng.dot_csr(left, *given, **options)
        np.testing.assert_allclose(own, left.astype("d") @ a, rtol=rtol, atol=rtol)


def test_matrices_of_scipy():
    """X-MAR-10: arrays and symbols beside a scipy.sparse matrix of any format."""
    s = scipy.sparse.random(6, 5, 0.4, "coo", random_state=1)
    x = RNG.normal(size=(5, 2)).astype("float32")
    v = ng.array(x)
    v.attach_grad()
    with ng.autograd.record():
        y = ng.sparse_dot(s, v)
    y.backward()
    assert y.dtype == np.float32
    np.testing.assert_allclose(y.asnumpy(), s @ x, rtol=1e-5, atol=1e-6)
    wanted = np.repeat(s.toarray().sum(0)[:, None], 2, 1)
    np.testing.assert_allclose(v.grad.asnumpy(), wanted, rtol=1e-5, atol=1e-6)
    made = ng.sparse_dot(s, ng.var("x", shape=x.shape)).simple_bind(ng.cpu(), x=x.shape)
    np.testing.assert_allclose(made.forward(x=x)[0].asnumpy(), y.asnumpy(), rtol=1e-6)
    np.testing.assert_allclose(ng.sparse_dot(x.T, s.T), (s @ x).T, rtol=1e-5, atol=1e-6)


def test_scipy_sparse_loads_when_it_is_used():
    """NFR: the library's start does not load what it may never need."""
    code = (
        "import sys, nbgraph as ng; from nbgraph.ops.products import sparse; "
        "print('scipy.sparse' in sys.modules); ng.csr_dot([1.0], [0], [0, 1], [2.0]); "
        "print('scipy.sparse' in sys.modules)"
    )
    assert run_python("-c", code).split() == ["False", "True"]


def test_sparse_input_that_does_not_fit():
    """OPR-16: operator, argument, the given, the expected."""
    good = np.array([1.0, 2.0]), np.array([0, 1]), np.array([0, 1, 2])
    x = np.ones((2, 2))
    with pytest.raises(ShapeError, match=r"values \(1,\), indices \(2,\), offsets \(3,\)"):
        ng.csr_dot(good[0][:1], *good[1:], x)
    with pytest.raises(ShapeError, match=r"dense has shape \(2, 2\); expected 3 rows"):
        ng.csr_dot(*good, x, columns=3)
    with pytest.raises(DTypeError, match="csr_dot: indices has dtype float64"):
        ng.csr_dot(good[0], good[0], good[2], x)
    with pytest.raises(DTypeError, match="not a floating dtype"):
        ng.csr_dot(good[1], *good[1:], good[1])
    with pytest.raises(ValueError, match="offsets go from 0 to 1; expected from 0 to 2"):
        ng.csr_dot(*good[:2], np.array([0, 1, 1]), x)
    with pytest.raises(IndexingError, match="index 5 is out of bounds"):
        ng.csr_dot(good[0], np.array([0, 5]), good[2], x)
    with pytest.raises(ArgumentError, match="give columns="):
        ng.csr_dot(*good, x, transpose=True)
    with pytest.raises(ArgumentError, match="for dense ones use dot"):
        ng.sparse_dot(x, x)


# sparsemax and running logarithms ---------------------------------------------------------------


@settings(max_examples=40)
@given(st.integers(1, 6), st.integers(0, 999), st.sampled_from([0.1, 1.0, 30.0]))
def test_sparsemax_is_the_nearest_point(size, seed, scale):
    """MXP-01: the optimality conditions of the projection, whatever found it."""
    x = scale * np.random.default_rng(seed).normal(size=(4, size))
    p = ng.sparsemax(x)
    np.testing.assert_allclose(p.sum(-1), 1, rtol=1e-12)
    assert (p >= 0).all()
    for row, own in zip(x, p, strict=True):
        threshold = (row - own)[own > 0]
        np.testing.assert_allclose(threshold, threshold[0], rtol=1e-9, atol=1e-9 * scale)
        assert (row[own == 0] <= threshold[0] + 1e-9 * scale).all()


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_sparsemax_along_axes(dtype):
    """MXP-01: dtypes, axes, strides, -inf; no elements have no share."""
    x = RNG.normal(size=(3, 4, 5)).astype(dtype)
    along = ng.sparsemax(x, 1)
    assert along.dtype == dtype
    moved = ng.sparsemax(np.moveaxis(x, 1, -1))
    np.testing.assert_allclose(np.moveaxis(along, 1, -1), moved, rtol=1e-3)
    assert ng.sparsemax([0.0, -np.inf]).tolist() == [1, 0]
    assert ng.sparsemax(np.ones((0, 2))).shape == (0, 2)
    with pytest.raises(ShapeError, match="expected elements along axis -1"):
        ng.sparsemax(np.ones((2, 0)))
    with pytest.raises(DTypeError, match="sparsemax: x has dtype int64"):
        ng.sparsemax([1, 2])


def test_logcumsumexp():
    """MXP-01: against sums of powers; large ones, and -inf at the beginning."""
    x = RNG.normal(size=(3, 8))
    np.testing.assert_allclose(ng.logcumsumexp(x, 1), np.log(np.cumsum(np.exp(x), 1)), rtol=1e-12)
    low = np.array([-np.inf, -np.inf, 0.0, 1000.0, -1000.0])
    v = ng.array(low)
    v.attach_grad()
    with ng.autograd.record():
        y = ng.logcumsumexp(v)
    y.backward()
    assert y.asnumpy().tolist() == [-np.inf, -np.inf, 0, 1000, 1000]
    assert v.grad.asnumpy().tolist() == [0, 0, 1, 2, 0]


def test_gradients_are_cut():
    """MXP-01: Marian's clipGradient."""
    x = ng.array([1.0, -3.0, 0.1])
    x.attach_grad()
    with ng.autograd.record():
        y = ng.clip_gradient(x, 0.5) * x
    y.backward()
    np.testing.assert_allclose(x.grad.asnumpy(), [1 + 0.5, -3 - 0.5, 0.1 + 0.1], rtol=1e-6)
    with pytest.raises(ArgumentError, match="clip_gradient: limit=-1"):
        ng.clip_gradient(x, -1)


def test_random_leaks():
    """X-NDA-08: random slopes in training, their mean elsewhere; the gradient has the same."""
    x = ng.array(RNG.normal(size=1000).astype("float32"))
    x.attach_grad()
    with ng.autograd.record():
        y = ng.rrelu(x, 0.25, 0.75, rng=3)
    y.backward()
    values, slopes = x.asnumpy(), x.grad.asnumpy()
    np.testing.assert_allclose(y.asnumpy(), values * slopes, rtol=1e-6)
    assert (slopes[values > 0] == 1).all()
    drawn = slopes[values <= 0]
    assert drawn.min() >= 0.25 and drawn.max() <= 0.75 and drawn.std() > 0.1
    steady = ng.rrelu(values, 0.25, 0.75)
    np.testing.assert_array_equal(steady, np.where(values > 0, values, 0.5 * values))
    with pytest.raises(ArgumentError, match="expected lower <= upper"):
        ng.rrelu(x, 1, 0)


def test_bad_places_are_named():
    """OPR-16: operator, argument, the given, the expected."""
    with pytest.raises(ShapeError, match=r"weight has shape \(7, 3\); expected \(7, 4\)"):
        ng.embedding([0], W, input_dim=7, output_dim=4)
    with pytest.raises(IndexingError, match="index 7 is out of bounds"):
        ng.embedding([7], W)
    with pytest.raises(DTypeError, match="gather_nd: indices have shape"):
        ng.gather_nd(W, np.int64(1))
    with pytest.raises(ArgumentError, match="choose: no arrays were given"):
        ng.choose([0], [])
    with pytest.raises(ShapeError, match="give one for each axis"):
        ng.shift(W, (1,))


def test_classes_and_counts():
    """X-NDA-08: shapes, worlds, seeds, what is refused."""
    logits = np.log(np.array([[0.1, 0.9], [0.9, 0.1]], "float32"))
    own = ng.random.categorical(logits, (5, 2), rng=4)
    assert isinstance(own, np.ndarray) and own.shape == (5, 2)
    pushed = ng.random.categorical(ng.array(logits), (5, 2), rng=4)
    np.testing.assert_array_equal(pushed.asnumpy(), own)
    assert ng.random.categorical(logits, axis=0).shape == (2,)
    with pytest.raises(ShapeError, match=r"expected a shape that ends in \(2,\)"):
        ng.random.categorical(logits, (5, 3))
    counts = ng.random.multinomial(ng.array([3, 5]), np.array([0.5, 0.5]), rng=1)
    assert counts.shape == (2, 2) and counts.asnumpy().sum(-1).tolist() == [3, 5]
    assert ng.random.multinomial(4, [[1.0, 0.0]], (3, 1)).shape == (3, 1, 2)
    with pytest.raises(ValueError, match="pvals="):
        ng.random.multinomial(4, [0.5, -0.5])
    with pytest.raises(ArgumentError, match="n=1.5; expected a whole number"):
        ng.random.multinomial(1.5, [0.5, 0.5])
    with pytest.raises(ArgumentError, match="expected low < high"):
        ng.random.truncated_normal(low=1, high=1)
    far = ng.random.truncated_normal(size=500, low=8, high=9, dtype="float64", rng=2).asnumpy()
    assert far.min() >= 8 and far.max() <= 9 and len(np.unique(far)) > 490


@pytest.mark.parametrize(("mode", "name"), [("wrap", "remainder"), ("clip", "clip")])
def test_indices_are_brought_into_bounds_by_a_kernel(mode, name):
    """Of arrays at once: a function of NumPy on the engine costs some 80 us more."""
    x, at = np.arange(12.0).reshape(4, 3), np.array([[5, -7], [1, -1]])
    for indices in (ng.array(at), at):
        with ng.profile() as seen:
            actual = ng.take(ng.array(x), indices, axis=0, mode=mode).asnumpy()
        np.testing.assert_array_equal(actual, np.take(x, at, axis=0, mode=mode))
        names = [event.name for event in seen.events]
        assert "indices_within" not in names
        assert name in names or indices is at


@pytest.mark.parametrize("mode", ["wrap", "clip"])
@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "int64", "uint64"])
def test_narrow_indices_of_a_long_axis(dtype, mode):
    """An axis of 300 elements was no number of uint8."""
    x, places = np.arange(300.0), np.array([1, 2, 100], dtype)
    wanted = np.take(x, places, mode=mode)
    for own, at in ((x, places), (ng.array(x), ng.array(places, dtype=dtype))):
        np.testing.assert_array_equal(ng.take(own, at, mode=mode), wanted)
        np.testing.assert_array_equal(
            ng.jit(lambda a, b: ng.take(a, b, mode=mode))(own, at), wanted
        )
