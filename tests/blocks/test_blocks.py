"""Operators on Dask arrays: lazy, block by block, beside arrays of ours, or refused."""

import math
import pickle

import dask.array as da
import numpy as np
import pytest

import nbgraph as ng
from nbgraph.errors import ArgumentError, DTypeError, ShapeError
from tests.blocks.lazily import lazy, never


@ng.op
def huber(x, y, *, sigma=1.0):
    d = x - y
    return 0.5 * d * d if abs(d) < sigma else sigma * (abs(d) - 0.5 * sigma)


X = np.linspace(-3, 3, 40, dtype="float32").reshape(8, 5)
Y = np.float32(0.25) * X[::-1]

CALLS = {
    "op": huber,
    "parameter": lambda x, y: huber(x, y, sigma=0.5),
    "number": lambda x, y: huber(x, 0.25),
    "NumPy's number": lambda x, y: huber(x, np.float64(0.25)),
    "dtype": lambda x, y: huber(x, y, dtype="float64"),
    "library": lambda x, y: ng.exp(ng.multiply(x, y)),
    "derivative": huber.derivative("x"),
    "broadcast": lambda x, y: huber(x[:, :1], y[:1]),
    "second output": lambda x, y: ng.modf(x)[1],
    "bool": ng.less,
    "static parameter": lambda x, y: ng.gelu(x, approximate="tanh"),
    "ng.nd": lambda x, y: ng.nd.exp(x),
    "ng.xp": ng.xp.add,
}


@pytest.mark.parametrize("name", CALLS)
def test_operators_are_lazy_and_block_by_block(name):
    call = CALLS[name]
    made = call(lazy(X), lazy(Y, (4, 5)))
    assert type(made) is da.Array
    values, wanted = made.compute(), np.asarray(call(X, Y))
    assert made.shape == values.shape == wanted.shape
    assert made.dtype == values.dtype == wanted.dtype
    assert values.tobytes() == wanted.tobytes()


def test_the_chunks_stay():
    assert huber(lazy(X), 1.0).chunks == lazy(X).chunks


def test_nothing_is_computed_before_it_is_asked_for():
    x = never(X)
    results = [huber(x, 1.0), *ng.modf(x), ng.std(x), ng.softmax(x, axis=0), ng.sum(x, axis=1)]
    results += ng.value_and_grad(lambda v: ng.mean(ng.exp(v)))(x)
    assert {type(r) for r in results} == {da.Array}
    with pytest.raises(AssertionError, match="computed"):
        results[0].compute()


def test_arrays_without_axes():
    x = lazy(np.float32(2), ())
    for made, wanted in ((ng.exp(x), ng.exp(np.float32(2))), (x + 1.5, np.float32(3.5))):
        assert (made.shape, made.dtype, made.compute()) == ((), wanted.dtype, wanted)


@pytest.mark.parametrize(
    "call",
    [
        ng.exp,
        lambda x: x + ng.exp(x),
        lambda x: ng.sum(x, axis=0),
        lambda x: ng.mean(x, axis=0),
        ng.std,
        lambda x: ng.max(x, axis=0),
        lambda x: ng.softmax(x, axis=0),
        lambda x: ng.softmax(x, axis=1),
        ng.transpose,
    ],
)
def test_sizes_of_blocks_may_be_unknown(call):
    """Some have no rows at all."""
    x = lazy(X)
    made, wanted = call(x[x[:, 0] > 0]), call(X[X[:, 0] > 0])
    assert made.ndim == wanted.ndim
    assert made.dtype == wanted.dtype
    np.testing.assert_allclose(made.compute(), wanted, rtol=1e-6)


def test_out_stands_for_the_result():
    out = da.zeros((8, 5), chunks=(3, 2), dtype="float64")
    assert ng.exp(lazy(X), out=out) is out
    assert out.dtype == "float64"
    assert np.array_equal(out.compute(), ng.exp(X).astype("float64"))


def test_results_can_be_sent():
    """With the bits that they have here; operators of the library by name, others by content."""
    x = lazy(X)
    made = huber(ng.softmax(x, axis=0), ng.sum(x)) + ng.matmul(x, ng.ones((5, 5)))
    sent = pickle.loads(pickle.dumps(made))
    assert np.asarray(sent.compute()).tobytes() == np.asarray(made.compute()).tobytes()
    assert ng.exp(x).name == ng.exp(x).name


INDICES = [2, [2, 0, -1], [[0, 1], [3, 3]], lazy([0, 1, 4, 2], 3), lazy([[0, 1], [2, 3]], 1)]


@pytest.mark.parametrize("axis", [0, 1, -1])
@pytest.mark.parametrize("k", range(len(INDICES)))
def test_places_are_picked_from_whole_axes(k, axis):
    """Whatever the blocks along it, and those of the indices."""
    wanted = np.take(X, np.asarray(INDICES[k]), axis)
    for x in (lazy(X), lazy(X, (8, 2)), lazy(X, (1, 5)), X):
        picked = ng.take(x, INDICES[k], axis)
        assert picked.shape == wanted.shape and (np.asarray(picked) == wanted).all()
    rows = ng.embedding(INDICES[k], lazy(X))
    assert (np.asarray(rows) == ng.embedding(np.asarray(INDICES[k]), X)).all()
    with pytest.raises(ng.errors.IndexingError, match="index 9 is out of bounds"):
        ng.take(lazy(X), [9], axis).compute()


REFUSED = {
    "needs whole lines": (
        lambda x: ng.sort(x, axis=0),
        r"sort: .*\(3, 3\) blocks; rechunk .*axis=0",
    ),
    "needs all": (
        lambda x: ng.linalg_inverse(x[:, :5][:5]),
        r"rechunk it to one block, or compute",
    ),
    "draws": (lambda x: ng.dropout(x, 0.5), r"dropout: it draws .* compute\(\)"),
    "shape by values": (ng.unique, r"unique: the shape .* compute\(\)"),
    "cannot be reshaped": (lambda x: ng.reshape(x, (5, 8)), r"reshape: .* rechunk"),
    "writes elsewhere": (
        lambda x: ng.exp(x, out=X.copy()),
        r"exp: out is an ndarray.*dask.array.store",
    ),
    "where": (lambda x: ng.exp(x, where=X > 0), r"exp: where=<ndarray> .*ng.where"),
    "parameter": (lambda x: huber(x, 1.0, size=2), r"huber: unexpected keyword argument 'size'"),
    "scan": (lambda x: ng.scan(lambda c, v: (c, v), 0.0, x), r"^scan: xs is an Array; compute\(\)"),
    "layer": (
        lambda x: ng.nn.GRU(2)(x[None]),
        r"^scan: a Dask array .* x.map_blocks, or compute\(\)",
    ),
    "branch": (lambda x: ng.cond(True, ng.sin, ng.cos, x), r"\[0\] is an Array; compute\(\)"),
    "loop": (lambda x: ng.while_loop(ng.any, ng.sin, x), r"init_val is an Array; compute\(\)"),
    "symbol": (lambda x: x + ng.var("v"), r"add: a Symbol stands beside a Dask array.*ng.jit"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused_names_the_remedy(name):
    call, text = REFUSED[name]
    with pytest.raises(ArgumentError, match=text):
        call(never(X))


def test_shapes_and_dtypes_are_checked_at_the_call():
    with pytest.raises(ShapeError, match=r"add: shapes do not broadcast: x1\(8, 5\), x2\(3,\)"):
        ng.add(never(X), np.zeros(3))
    with pytest.raises(DTypeError, match=r"exp: the result has dtype float32.*int64"):
        ng.exp(never(X), out=da.zeros((8, 5), chunks=(3, 2), dtype="int64"))


# beside arrays of ours --------------------------------------------------------------------------

MEETINGS = {
    "right": lambda n, d: n + d,
    "left": lambda n, d: d + n,
    "compared": lambda n, d: n < d,
    "ufunc": np.add,
    "ufunc, swapped": lambda n, d: np.add(d, n),
    "function": ng.add,
    "function, swapped": lambda n, d: ng.add(d, n),
    "op": huber,
    "product": lambda n, d: ng.matmul(n, ng.transpose(d)),
    "concatenate": lambda n, d: np.concatenate([n, d]),
    "concatenate, swapped": lambda n, d: np.concatenate([d, n]),
    "stack": lambda n, d: ng.stack([n, d], axis=1),
    "where": lambda n, d: ng.where(d > 0, n, d),
}


@pytest.mark.parametrize("name", MEETINGS)
def test_arrays_of_ours_meet_those_of_dask(name):
    """The result is lazy."""
    call = MEETINGS[name]
    made = call(ng.array(X), lazy(Y))
    assert type(made) is da.Array
    wanted = call(X, Y)
    assert made.dtype == wanted.dtype
    np.testing.assert_allclose(np.asarray(made.compute()), wanted, rtol=1e-6)


FUNCTIONS = {
    "sum": lambda x: x.sum(axis=0),
    "mean": lambda x: x.mean(),
    "std": lambda x: x.std(axis=1),
    "max": lambda x: x.max(),
    "argmax": lambda x: x.argmax(axis=0),
    "cumsum": lambda x: x.cumsum(axis=1),
    "any": lambda x: (x > 1).any(axis=0),
    "prod": lambda x: x.prod(axis=1),
    "concatenate": lambda x: np.concatenate([x, x]),
    "stack": lambda x: np.stack([x, x]),
    "where": lambda x: np.where(x > 0, x, 0),
    "tensordot": lambda x: np.tensordot(x, x.T, 1),
    "matmul": lambda x: x @ x.T,
    "einsum": lambda x: np.einsum("ij,ij->i", x, x),
    "zeros_like": np.zeros_like,
    "full_like": lambda x: np.full_like(x, 3),
    "tril": np.tril,
    "ravel": lambda x: x.ravel(),
    "flip": lambda x: np.flip(x, 0),
    "roll": lambda x: np.roll(x, 1, 0),
    "repeat": lambda x: np.repeat(x, 2, axis=0),
    "take": lambda x: np.take(x, [0, 2], axis=0),
    "index": lambda x: x[1:7:2, ::-1],
    "mask": lambda x: x[x > 0],
    "clip": lambda x: x.clip(-1, 1),
    "broadcast_to": lambda x: np.broadcast_to(x, (2, 8, 5)),
    "ours": lambda x: ng.softmax(ng.exp(x), axis=0),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_ndarrays_are_chunks(name):
    """Functions of Dask call those of NumPy on its chunks."""
    call = FUNCTIONS[name]
    made = call(lazy(X).map_blocks(ng.array)).compute()
    wanted = call(X)
    assert type(made) is ng.NDArray
    assert made.dtype == wanted.dtype
    np.testing.assert_allclose(made.asnumpy(), wanted, rtol=1e-5, atol=1e-6)


def test_totals_of_ndarrays():
    chunks = lazy(X).map_blocks(ng.array)
    for total in (huber(chunks, 1.0).sum(), ng.sum(huber(chunks, 1.0))):
        assert math.isclose(float(total.compute()), float(huber(X, 1.0).sum()), rel_tol=1e-6)
