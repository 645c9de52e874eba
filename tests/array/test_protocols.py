"""What NumPy and the standard library ask of an array: ufuncs, functions, copies, pickles."""

import copy
import operator
import pickle
import sys
import threading

import numpy as np
import pytest
from hypothesis import given

import nbgraph as ng
from nbgraph.errors import ArgumentError, DTypeError
from tests.array.samples import pairs, same

UNARY = ["negative", "absolute", "exp", "isnan", "logical_not"]
BINARY = ["add", "maximum", "less", "divide"]


@pytest.mark.parametrize("name", UNARY + BINARY)
def test_ufuncs_of_numpy_stay_ndarrays(name):
    """API rule 1: `np.add(nd, nd)` is the library's operator, and so is a mixture."""
    x = np.array([0.25, 1.0, 2.5], "float32")
    a, ufunc = ng.array(x), getattr(np, name)
    if name in UNARY:
        same(ufunc(a), getattr(ng, name)(x))
        np.testing.assert_allclose(ufunc(a).asnumpy(), ufunc(x), rtol=1e-6)
        return
    y = np.array([1.0, 1.0, 3.0], "float32")
    for left, right in ((a, ng.array(y)), (a, y), (x, ng.array(y)), (a, 2), (a, 2.0)):
        plain = [v.asnumpy() if isinstance(v, ng.NDArray) else v for v in (left, right)]
        same(ufunc(left, right), ufunc(*plain))
    assert np.array_equal(getattr(ng, name)(a, y).asnumpy(), ufunc(x, y))


def test_numpy_arrays_and_scalars_keep_their_dtype():
    """API rules 1 and 3: a NumPy array beside an NDArray is a constant by value, of its dtype;
    Python numbers are weak."""
    for mine, other in (("float32", "float64"), ("int64", "float32")):
        x = np.arange(3).astype(mine)
        a = ng.array(x)
        for value in (np.ones((), other), np.full(3, 2, other), np.dtype(other).type(3), 2, 2.5):
            same(a + value, x + value)
            same(value + a, value + x)
    held = np.ones(3)
    b = ng.zeros(3) + held
    held[:] = 7
    same(b, np.ones(3))


def test_numpy_on_the_left_makes_no_object_array():
    """API rule 1."""
    x, a = np.arange(3.0), ng.arange(3.0)
    for actual in (x + a, x * a, x - a, x @ a, x < a, 2.0 - a, np.float64(2) * a, [1, 2, 3] + a):
        assert isinstance(actual, ng.NDArray)


INTO_NUMPY = {
    "add in place": operator.iadd,
    "power in place": operator.ipow,
    "part in place": lambda out, a: operator.isub(out[1:], a[1:]),
    "ufunc": lambda out, a: np.hypot(a, 2.0, out=out),
    "ufunc, masked": lambda out, a: np.add(a, out, out=out, where=a > 1),
    "two outs": lambda out, a: np.modf(a / 2, out=(out, out.copy()))[0],
    "reduction": lambda out, a: np.add.reduce(a[:, None] + a, out=out),
    "scan": lambda out, a: np.multiply.accumulate(a, out=out),
    "function": lambda out, a: np.cumsum(a, out=out),
    "function of a list": lambda out, a: np.concatenate([a[:1], a[1:]], out=out),
}


@pytest.mark.parametrize("name", INTO_NUMPY)
def test_numpy_memory_is_written_at_once(name, threads, gate):
    """API rule 4; rule 1: by no pushed work, the values are waited for."""
    x, use = np.array([1.0, 2.0, 0.5], "float32"), INTO_NUMPY[name]
    a, out, wanted = ng.array(x), np.ones(3, "float32"), np.ones(3, "float32")
    opened = gate(ng.engine, a.variable)
    threading.Timer(0.05, opened.open).start()
    actual = use(out, a)
    use(wanted, x)
    assert type(actual) is np.ndarray and np.shares_memory(actual, out)
    np.testing.assert_allclose(out, wanted, 1e-6)


def test_what_numpy_memory_does_not_take():
    a, out = ng.array([1.0, 2.0]), np.zeros(2, "int64")
    with pytest.raises(TypeError, match="Cannot cast"):
        out += a
    a.attach_grad()
    for use in (lambda x: np.add(x, 1, out=np.zeros(2)), lambda x: np.sum(x, out=np.zeros(()))):
        with ng.autograd.record(), pytest.raises(ArgumentError, match="no gradient flows"):
            use(a * 2)
    with pytest.raises(ArgumentError, match="a symbol has no memory"):
        out += ng.var("x", shape=(2,))


def test_out_and_where_and_dtype_of_ufuncs():
    a, out = ng.array([1.0, 4.0, 9.0]), ng.zeros(3)
    assert np.sqrt(a, out=out) is out
    same(out, np.array([1, 2, 3], "float32"))
    mask = np.array([True, False, True])
    assert np.add(a, 10, out=out, where=mask) is out
    same(out, np.array([11, 2, 19], "float32"))
    same(np.add(a, 1, dtype="float64"), np.array([2.0, 5.0, 10.0]))
    assert np.add(a, 1, where=np.ones((2, 1), bool)).shape == (2, 3)
    whole = ng.zeros(3, "int64")
    np.multiply(a, 1.5, out=whole, casting="unsafe")
    same(whole, np.array([1, 6, 13]))
    for use, text in (
        (lambda: np.multiply(a, 1.5, out=whole), "may not be cast"),
        (lambda: np.add(a, 1, casting="never"), "casting='never'"),
        (lambda: np.add(a, 1, order="F"), "order='F'"),
        (lambda: np.add(a, 1, 2), "add: out is an int; expected an array"),
        (lambda: np.add(a, 1.5, dtype="int64"), "Cannot cast .* to dtype..int64"),
    ):
        with pytest.raises(TypeError, match=text):
            use()


def test_methods_of_ufuncs():
    x = np.arange(6.0, dtype="float32").reshape(2, 3)
    a = ng.array(x)
    for ufunc in (np.add, np.multiply, np.maximum, np.minimum):
        for axis in (0, 1, None):
            same(ufunc.reduce(a, axis=axis), ufunc.reduce(x, axis=axis))
        same(ufunc.reduce(a, axis=1, keepdims=True), ufunc.reduce(x, axis=1, keepdims=True))
        same(ufunc.accumulate(a, axis=1), ufunc.accumulate(x, axis=1))
    same(np.logical_and.reduce(a), np.logical_and.reduce(x))
    same(np.subtract.outer(a, [1, 2]), np.subtract.outer(x, [1, 2]))
    plus, square, mask = (
        ng.op(lambda a, b: a + b),
        np.zeros((3, 3), "float32"),
        np.eye(3, dtype=bool),
    )
    actual = plus.outer(a[0], a[1], where=mask, out=ng.zeros((3, 3)))
    same(actual, np.add.outer(x[0], x[1], where=mask, out=square))
    out = ng.zeros(3)
    assert np.add.reduce(a, out=out) is out
    same(np.logical_or.accumulate(a), np.logical_or.accumulate(x))


def test_operators_of_users_take_part():
    """Issue 4: user ops, too; in any mixture, with parameters and out."""
    scaled = ng.op(lambda x, y, *, k=2.0: k * x + y)
    x, y = np.float32([1, 2]), np.float32([3, 4])
    for left in (x, ng.array(x)):
        for right in (y, ng.array(y)):
            actual = scaled(left, right, k=3.0)
            assert isinstance(actual, ng.NDArray) == (left is not x or right is not y)
            np.testing.assert_array_equal(np.asarray(actual), scaled(x, y, k=3.0))
    out = ng.zeros(2)
    assert scaled(ng.array(x), y, out=out) is out
    same(out, scaled(x, y))


def test_functions_of_numpy():
    """A short list stays with NDArrays; others say what to do."""
    x = np.arange(6.0, dtype="float32").reshape(2, 3)
    a = ng.array(x)
    for use in (
        lambda v: np.sum(v, axis=0),
        lambda v: np.mean(v, axis=1, keepdims=True),
        np.max,
        np.transpose,
        lambda v: np.reshape(v, (3, 2)),
        lambda v: np.concatenate([v, v], axis=1),
        lambda v: np.stack([v, v]),
        lambda v: np.where(v > 2, v, 0),
        lambda v: np.clip(v, 1, 3),
        lambda v: np.cumsum(v, axis=1),
        lambda v: np.take(v, [0, 2], axis=1),
        np.argmax,
        np.zeros_like,
        lambda v: np.expand_dims(v, 0),
    ):
        same(use(a), use(x))
    assert (np.shape(a), np.ndim(a), np.size(a)) == ((2, 3), 2, 6)
    for use, text in (
        (lambda: np.datetime_as_string(a), r"np.datetime_as_string: dates.*use NumPy arrays"),
    ):
        with pytest.raises(TypeError, match=text):
            use()


def test_asarray_waits_and_copies(threads, gate):
    """API rule 5."""
    a = ng.zeros(3)
    held = gate(ng.engine, a.variable)
    b = a + 1
    held.open()
    x = np.asarray(b)
    assert x.flags.writeable and x.dtype == np.float32
    x[0] = 9
    same(b, np.ones(3, "float32"))
    assert np.asarray(b, "float64").dtype == np.float64
    assert np.array(b).sum() == 3
    with pytest.raises(ValueError, match="copy=False"):
        b.__array__(copy=False)
    assert type(b.asnumpy()) is np.ndarray


@given(pairs(("float32",)))
def test_copies_and_pickles(pair):
    x, a = pair
    for made in (copy.copy(a), copy.deepcopy(a), pickle.loads(pickle.dumps(a))):
        same(made, x)
        assert made.variable is not a.variable
    assert copy.deepcopy([a, a])[0] is not a


@pytest.mark.parametrize("again", [copy.deepcopy, lambda a: pickle.loads(pickle.dumps(a))])
def test_copies_of_parameters_collect_gradients_as_they_do(again):
    a = {request: ng.ones(3) for request in ("write", "add", "null")}
    for request, array in a.items():
        array.attach_grad(request)
    b = again(a)
    for _ in range(2):
        with ng.autograd.record():
            product = (b["write"] * b["add"] * b["null"]).sum()
            assert again(product).grad is None  # a value of the tape is no parameter
        product.backward()
    same(b["write"].grad, np.full(3, 1, "float32"))
    same(b["add"].grad, np.full(3, 2, "float32"))
    assert b["null"].grad is None and not a["write"].grad.any()


def test_pickles_wait_and_raise(engine):
    a = ng.ones(3)
    a += 1
    same(pickle.loads(pickle.dumps(a)), np.full(3, 2, "float32"))

    def fails(run_ctx):
        raise OSError("no such page")

    ng.engine.push(fails, mutate_vars=[a.variable])
    with pytest.raises(OSError, match="no such page"):
        pickle.dumps(a)


def test_other_classes_are_asked():
    """API rule 1: a class with __array_ufunc__ = None takes the operator itself."""

    class Other:
        __array_ufunc__ = None

        def __radd__(self, left):
            return "mine"

    class Ufunc:
        def __array_ufunc__(self, ufunc, method, *inputs, **options):
            return "its"

    a = ng.ones(3)
    assert a + Other() == "mine"
    assert np.add(a, Ufunc()) == "its"


class torch_like:
    """A class that claims to be of torch."""

    def __dlpack__(self):
        raise AssertionError("only from_dlpack asks")


torch_like.__module__ = "torch"


def test_arrays_of_other_libraries_are_not_taken_silently():
    """API rule 1: TypeError naming ng.from_dlpack."""
    for use in (lambda: ng.ones(3) + torch_like(), lambda: ng.array(torch_like())):
        with pytest.raises(TypeError, match=r"ng\.from_dlpack"):
            use()


@pytest.mark.skipif(sys.version_info < (3, 12), reason="__buffer__ is from Python 3.12 on")
def test_buffers_are_copies():
    """A buffer of an NDArray is a copy, as np.asarray(x) is; it cannot be asked for to write."""
    a = ng.arange(3, dtype="int8")
    assert bytes(memoryview(a)) == b"\x00\x01\x02"
    np.asarray(a)[0] = 9
    same(a, np.arange(3, dtype="int8"))
    a += 1
    with pytest.raises(BufferError, match="is a copy"):
        a.__buffer__(1)


def test_the_array_api_namespace():
    xp = ng.zeros(2).__array_namespace__()
    assert xp.__name__ == "nbgraph.xp"
    with pytest.raises(ValueError, match="version 2999.12"):
        ng.zeros(2).__array_namespace__(api_version="2999.12")


RNG = np.random.default_rng(3)
METHODS = {  # of a ufunc, an array, options; what the library has and what NumPy does on values
    "a first number": lambda x, n: np.add.reduce(x, axis=1, initial=2.0),
    "a mask": lambda x, n: np.maximum.reduce(x, axis=0, where=n > 1, initial=-1.0),
    "a dtype of a largest one": lambda x, n: np.maximum.reduce(n, axis=None, dtype="float32"),
    "bits": lambda x, n: np.bitwise_or.reduce(n, axis=1),
    "bits so far": lambda x, n: np.bitwise_xor.accumulate(n, axis=1),
    "quotients": lambda x, n: np.divide.reduce(x, axis=1),
    "hypotenuses of parts": lambda x, n: np.hypot.reduceat(x, [0, 2], axis=1),
    "truths with a first one": lambda x, n: np.logical_and.reduce(n, initial=0),
    "powers in 64 bits": lambda x, n: np.float_power(n, 2, casting="unsafe"),
    "steps": lambda x, n: np.nextafter(x.astype("float16"), n),
    "dtypes of a loop": lambda x, n: np.equal(n, x, dtype=bool),
    "a narrow loop": lambda x, n: np.exp(x, dtype="float32"),
    "into complex": lambda x, n: np.sin(n, out=np.zeros_like(x, "complex128")),
    "where alone": lambda x, n: np.sqrt(4.0, where=n > 0, out=np.ones_like(x)),
    "spacing into": lambda x, n: np.spacing(x, out=np.zeros_like(x)),
    "counts into": lambda x, n: np.bitwise_count(n, out=np.zeros_like(n, "uint8")),
}


@pytest.mark.parametrize("name", METHODS)
def test_ways_of_ufuncs_agree_with_numpy(name):
    x, n = RNG.normal(size=(3, 4)), RNG.integers(0, 5, (3, 4))
    result = METHODS[name](ng.array(x, dtype=x.dtype), ng.array(n))
    expected = METHODS[name](x, n)
    assert isinstance(result, ng.NDArray)
    assert result.dtype == expected.dtype
    np.testing.assert_allclose(result.asnumpy(), expected, rtol=1e-6)


def test_a_ufunc_changes_elements_in_place():
    x = ng.array([1.0, 2.0, 3.0])
    np.add.at(x, [0, 0, 2], ng.array([1.0, 10.0, 5.0]))
    np.negative.at(x, 1)
    assert x.tolist() == [12.0, -2.0, 8.0]
    x.attach_grad()
    with ng.autograd.record(), pytest.raises(ArgumentError, match="hypot"):
        np.hypot.reduce(x * 2)


@pytest.mark.parametrize("casting", ["no", "equiv"])
@pytest.mark.parametrize("ufunc", [np.exp, np.floor_divide, np.isfinite, np.maximum])
def test_rules_for_casts_are_those_of_numpy(ufunc, casting):
    for dtypes in (("int32", "int32"), ("float32", "float64"), ("float64", "float64")):
        plain = [np.ones(2, dtype) for dtype in dtypes][: ufunc.nin]
        arrays = [ng.array(x, dtype=x.dtype) for x in plain]
        try:
            expected = ufunc(*plain, casting=casting)
        except TypeError:
            with pytest.raises(DTypeError, match=f"casting rule '{casting}'"):
                ufunc(*arrays, casting=casting)
        else:
            assert ufunc(*arrays, casting=casting).dtype == expected.dtype


def test_sparse_matrices_of_scipy_take_products_themselves():
    sparse = pytest.importorskip("scipy.sparse").csr_array(np.diag([1.0, 2.0, 3.0]))
    x = ng.array([1.0, 1.0, 2.0])
    for product in (x @ sparse, sparse @ x):
        np.testing.assert_array_equal(product, [1.0, 2.0, 6.0])
    assert (x * sparse).toarray().tolist() == np.diag([1.0, 2.0, 6.0]).tolist()


@pytest.mark.parametrize("kind", ["csr_array", "coo_matrix"])
@pytest.mark.parametrize("name", "eq ne lt ge add sub truediv pow".split())
def test_what_is_no_product_with_a_sparse_matrix_names_the_remedy(name, kind):
    """A comparison was silently False."""
    sparse = getattr(pytest.importorskip("scipy.sparse"), kind)(np.eye(2))
    with pytest.raises(ArgumentError, match=rf"is a {kind}, a sparse matrix; give x.toarray\(\)"):
        getattr(operator, name)(ng.ones((2, 2)), sparse)


def test_results_that_are_objects_stay_numpys():
    """Memory holds no addresses of Python's objects."""
    x = ng.array([1.5, 2.5])
    same_object = np.frompyfunc(lambda a: a, 1, 1)(x)
    pair = np.frompyfunc(lambda a, b: (a, b), 2, 2)(x, 2)
    assert [type(v) for v in (same_object, *pair)] == [np.ndarray] * 3
    assert same_object.tolist() == [1.5, 2.5]
    assert [v.tolist() for v in pair] == [[1.5, 2.5], [2, 2]]


def test_columns_of_objects_are_refused_with_the_remedy():
    """As pandas has them, of numbers too."""
    half = ng.op(lambda x: x / 2)
    for use in (half, ng.exp, ng.array):
        with pytest.raises(DTypeError, match=r"object is not supported.*x\.astype\(float\)"):
            use(np.array([1, 2.5], dtype=object))


@pytest.mark.parametrize("dtype", ["float32", "int8", "bool", "uint64"])
def test_arrow_takes_the_values_of_one_axis(dtype):
    pa = pytest.importorskip("pyarrow")
    x = ng.array([0, 1, 1]).astype(dtype)
    for actual in (pa.array(x), pa.table({"x": x})["x"].combine_chunks()):
        assert actual.to_numpy(zero_copy_only=False).dtype == dtype
        np.testing.assert_array_equal(actual, x)
    with pytest.raises(pa.ArrowInvalid, match="1-dimensional"):
        pa.array(ng.ones((2, 2)))


def test_matplotlib_takes_columns():
    """By the name that it asks other libraries' arrays for; it would take rows as series."""
    cbook = pytest.importorskip("matplotlib.cbook")
    columns = cbook._reshape_2D(ng.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]), "x")
    assert [c.tolist() for c in columns] == [[1, 3, 5], [2, 4, 6]]
