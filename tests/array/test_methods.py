"""NumPy's methods on NDArrays, against NumPy: values, shapes and dtypes."""

import inspect
import math
import operator

import hypothesis.extra.numpy as hnp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import nbgraph as ng
from tests.array.samples import SHAPES, pairs, same

FULL = hnp.array_shapes(min_dims=1, max_dims=3, min_side=1, max_side=4)
CASTS = ["bool", "int8", "uint16", "int64", "float16", "float32", "float64"]


def close(found, wanted):
    wanted = np.asarray(wanted)
    assert (found.shape, found.dtype) == (wanted.shape, wanted.dtype)
    np.testing.assert_allclose(found.asnumpy(), wanted, rtol=1e-5)


@given(pairs(shapes=SHAPES), st.data())
def test_reductions(pair, data):
    """X-NDA-04: over all axes, one or several, of empty and 0-d arrays too."""
    x, a = pair
    axes = st.none() | (st.integers(-x.ndim, x.ndim - 1) if x.ndim else st.none())
    axis = data.draw(axes | st.just(tuple(range(x.ndim))[::2]))
    options = {"axis": axis, "keepdims": data.draw(st.booleans())}
    for name in ("sum", "prod", "any", "all"):
        # the digits that a product rounds away depend on its order
        judge = close if name == "prod" and x.dtype.kind == "f" else same
        with np.errstate(over="ignore"):  # a large product, in NumPy
            judge(getattr(a, name)(**options), getattr(x, name)(**options))
    if x.size:
        for name in ("max", "min"):
            same(getattr(a, name)(**options), getattr(x, name)(**options))
        for name in ("mean", "var", "std"):
            close(getattr(a, name)(**options), getattr(x, name)(**options))


@given(pairs(shapes=FULL), st.data())
def test_places_and_scans(pair, data):
    x, a = pair
    axis = data.draw(st.none() | st.integers(-x.ndim, x.ndim - 1))
    for name in ("argmax", "argmin", "cumsum", "cumprod"):
        with np.errstate(over="ignore"):
            same(getattr(a, name)(axis=axis), getattr(x, name)(axis=axis))
    last = -1 if axis is None else axis
    same(a.argsort(last), np.argsort(x, last, stable=True))
    ordered = a.copy()
    ordered.sort(last)
    same(ordered, np.sort(x, last))
    same(a.take([0, -1], axis=last), x.take([0, -1], axis=last))
    same(a.repeat(2, axis), x.repeat(2, axis))
    for found, wanted in zip(a.nonzero(), x.nonzero(), strict=True):
        same(found, wanted)


@given(pairs(shapes=SHAPES), st.data())
def test_shapes(pair, data):
    x, a = pair
    order = data.draw(st.permutations(range(x.ndim)))
    for found, wanted in (
        (a.T, x.T),
        (a.transpose(), x.transpose()),
        (a.transpose(order), x.transpose(order)),
        (a.reshape(-1) if x.size else a.reshape(0), x.reshape(-1) if x.size else x.reshape(0)),
        (a.ravel() if x.size else a, x.ravel() if x.size else x),
        (a.reshape(x.shape[::-1]), x.reshape(x.shape[::-1])),
        (a.squeeze(), x.squeeze()),
        (a.expand_dims(0), np.expand_dims(x, 0)),
        (a.broadcast_to((2, *x.shape)), np.broadcast_to(x, (2, *x.shape))),
        (a.reshape((*x.shape, 1)), x.reshape((*x.shape, 1))),
        (a.flatten() if x.size else a, x.flatten() if x.size else x),
    ):
        same(found, wanted)
    if x.ndim >= 2:
        same(a.swapaxes(0, -1), x.swapaxes(0, -1))
        same(a.mT, np.swapaxes(x, -1, -2))
        same(a.diagonal(), x.diagonal())
        same(a.trace(), x.trace())


def test_shapes_that_are_views_share_memory():
    """X-NDA-04: no copy where strides allow a view."""
    a = ng.zeros((2, 3, 1))
    for view in (a.T, a.reshape(3, 2), a.ravel(), a.squeeze(), a.swapaxes(0, 1), a[None], a.mT):
        assert view.variable is a.variable
    for copy in (a.flatten(), a.copy(), a.T.reshape(-1), a.astype("float32")):
        assert copy.variable is not a.variable
    assert a.reshape(6, copy=True).variable is not a.variable
    with pytest.raises(ValueError, match="reshape: strides"):
        a.T.reshape(6, copy=False)


@given(pairs(("int64", "float32"), FULL), st.sampled_from(["int64", "float32", "bool", "uint8"]))
def test_astype(pair, dtype):
    """As in C, and what copy=False does."""
    x, a = pair
    x, a = abs(x), abs(a)
    same(a.astype(dtype), x.astype(dtype))
    assert (a.astype(dtype, copy=False) is a) == (x.dtype == dtype)


@pytest.mark.slow
def test_astype_of_values_that_do_not_fit():
    """From every dtype to every one, with fractions, NaN and numbers out of range: whatever
    NumPy gives on this machine."""
    x = np.array([0.0, -0.0, 0.5, -1.5, 300, -300, 1e10, -1e10, 1e20, np.nan, np.inf, -np.inf])
    with np.errstate(all="ignore"):
        for source in CASTS:
            values = x.astype(source)
            for dtype in CASTS:
                same(ng.array(values).astype(dtype), values.astype(dtype))
        whole = np.array([0, 1, 255, 256, -1, 1 << 40], "int64")
        for dtype in CASTS:
            same(ng.array(whole).astype(dtype), whole.astype(dtype))
    same(ng.array([1.5, -2.25]).astype("bfloat16").astype("float32"), np.float32([1.5, -2.25]))


def test_astype_of_fractions_nan_and_large_numbers():
    """Arrays, graphs and parts of arrays agree, and kernels do it."""
    x = np.array([0.5, -1.5, 300, 1e10, np.nan, np.inf], "float32")
    with np.errstate(all="ignore"):
        for dtype in ("int8", "int32", "int64", "bool", "uint16"):
            wanted = x.astype(dtype)
            same(ng.array(x).astype(dtype), wanted)
            exe = ng.astype(ng.var("x"), dtype).simple_bind(x=x.shape)
            same(exe.forward(x=x)[0], wanted)
            part = ng.zeros((len(x), 2), dtype=dtype)
            part[:, 1] = ng.array(x)
            same(part[:, 1], wanted)


def test_element_by_element():
    x = np.array([-2.5, 0.5, 1.5, 7.25], "float32")
    a = ng.array(x)
    same(a.clip(-1, 2), x.clip(-1, 2))
    same(a.clip(max=2), x.clip(max=2))
    same(a.clip(0), x.clip(0))
    same(a.round(), x.round())
    same(a.round(1), x.round(1))
    same(a.dot(a), np.dot(x, x))
    same(a.norm(), np.linalg.norm(x))
    same(abs(a), abs(x))
    same(-a, -x)
    for found, wanted in zip(divmod(a, 2), divmod(x, np.float32(2)), strict=True):
        same(found, wanted)
    for found, wanted in zip(divmod(7, a), divmod(np.float32(7), x), strict=True):
        same(found, wanted)
    same(round(a, 1), x.round(1))
    assert round(ng.array(2.5)) == 2
    assert math.trunc(ng.array(-2.5)) == -2
    assert list(a.flat) == x.tolist() == a.tolist()


def test_out():
    """X-NDA-04: `out=` is written, through views too, and returned."""
    a, out = ng.arange(6.0).reshape(2, 3), ng.zeros((3, 2))
    found = a.sum(axis=0, out=out[:, 1])
    same(found, np.array([3, 5, 7], "float32"))
    same(out, np.array([[0, 3], [0, 5], [0, 7]], "float32"))
    assert ng.add(a, 1, out=a) is a
    same(a, np.arange(6).reshape(2, 3).astype("float32") + 1)
    with pytest.raises(ValueError, match="out has shape"):
        a.sum(axis=0, out=out)
    with pytest.raises(TypeError, match="may not be cast"):
        ng.add(a, 1, out=ng.zeros((2, 3), "int64"))


def test_copies(engine):
    """X-NDA-03: copy, copyto, fill, as_in_context."""
    a = ng.arange(3)
    b, c = a.copy(), ng.zeros((2, 3))
    a.fill(7)
    same(b, np.arange(3))
    assert a.copyto(c) is c
    same(c, np.full((2, 3), 7, "float32"))
    there = a.copyto(ng.cpu(1))
    assert there.device == ng.cpu(1)
    same(there, np.full(3, 7))
    b.copyto(there)
    same(there, np.arange(3))
    assert a.as_in_context(ng.cpu()) is a
    same(a.copy(ng.cpu(1)), np.full(3, 7))
    with pytest.raises(TypeError, match="copyto: other is an ndarray"):
        a.copyto(np.zeros(3))
    with pytest.raises(ValueError, match="value has shape"):
        a.copyto(ng.zeros(4))


def test_one_element():
    a = ng.array([[2.5]])
    assert (a.item(), a.asscalar(), float(a), int(a), bool(a)) == (2.5, 2.5, 2.5, 2, True)
    assert ng.arange(6).reshape(2, 3).item(1, 2) == 5
    assert [10, 20, 30][ng.array(1)] == 20
    for use in (bool, float, int, lambda x: x.item()):
        with pytest.raises((ValueError, TypeError), match=r"shape \(2,\)"):
            use(ng.zeros(2))
    with pytest.raises(TypeError, match="one integer"):
        [1][ng.array(0.0)]
    for use in (len, iter):
        with pytest.raises(TypeError, match=r"shape \(\)"):
            use(ng.array(1))


def test_signatures_are_real():
    """Completion and help show parameters and say what a method does."""
    for name in dir(ng.ones(1)):
        method = getattr(ng.NDArray, name)
        if name.startswith("_") or not inspect.isfunction(method):
            continue
        assert method.__doc__, name
        kinds = {p.kind for p in inspect.signature(method).parameters.values()}
        assert inspect.Parameter.VAR_KEYWORD not in kinds, name


@pytest.mark.parametrize(
    ("use", "error", "text"),
    [
        (lambda a: a.sum(axis=2), ValueError, "sum: axis=2 does not exist"),
        (lambda a: a.reshape(4), ValueError, "reshape: an array of shape (2, 3) has 6 elements"),
        (lambda a: a.reshape("x"), TypeError, "reshape"),
        (lambda a: a.transpose(0), ValueError, "transpose: axes"),
        (lambda a: a[0].mT, ValueError, "mT: an array of shape (3,)"),
        (lambda a: a.squeeze(0), ValueError, "squeeze: axis 0"),
        (lambda a: a.astype("longdouble"), TypeError, "not supported"),
        (lambda a: a.astype("no such"), TypeError, "no such"),
        (lambda a: a[:0].max(), ValueError, "max: no elements"),
        (lambda a: a.dot(ng.zeros(2)), ValueError, "dot: inner sizes differ: x1(2, 3), x2(2,)"),
        (lambda a: a + ng.zeros(2), ValueError, "add: shapes do not broadcast"),
        (lambda a: a.to_device("cpu"), TypeError, "to_device: device='cpu'"),
    ],
)
def test_bad_input_raises_at_the_call(use, error, text, threads, gate):
    a = ng.zeros((2, 3))
    held = gate(ng.engine, a.variable)
    with pytest.raises(error) as caught:
        use(a)
    assert text in str(caught.value)
    held.open()


@pytest.mark.parametrize("exponent", [-1, 0.5, 2, 3, 2.0, 3.0, 2.5, -2, True])
@pytest.mark.parametrize("dtype", ["bool", "int8", "int32", "float16", "float32", "float64", "c8"])
def test_powers_by_numbers(dtype, exponent):
    """A few are operators of their own, with the dtype and the values of `power`."""
    x = np.array([1, 2, 3, 0.5, 7]).astype(dtype)
    if exponent is True and dtype == "bool":
        pytest.skip("NumPy has no bool power")
    wanted = ng.power(x, exponent)
    names = {-1: "reciprocal", 0.5: "sqrt", 2: "square", 3: "third_power"}
    for power in (ng.array(x) ** exponent, ng.jit(lambda x: x**exponent)(ng.array(x))):
        assert power.dtype == wanted.dtype
        np.testing.assert_allclose(power, wanted, rtol=1e-3 if dtype == "float16" else 1e-6)
    if np.dtype(dtype).kind == "f" and exponent is not True:
        y = ng.array(x)
        view, y = y[::-1], operator.ipow(y, exponent)
        np.testing.assert_array_equal(y, ng.array(x) ** exponent)
        np.testing.assert_array_equal(view, y[::-1])  # of the same memory
        own = ng.var("x", shape=(5,), dtype=dtype) ** exponent
        assert own.entry[0].op.__name__ == names.get(exponent, "power")


def test_methods_take_what_numpys_do():
    x = np.arange(1.0, 7).reshape(2, 3)
    array, mask = ng.array(x), x > 2
    pairs = [
        (a.sum(where=m), a.min(where=m, initial=9.0), a.mean(where=m), a.all(where=m))
        + (a.max(initial=9.0), a.take([7], mode="wrap"), a.flatten("F"), a.ravel(order="F"))
        + (a.reshape(-1, order="F"), a.reshape((3, 2), order="F"), a.copy("F"), a.copy(order="K"))
        for a, m in ((array, ng.array(mask)), (x, mask))
    ]
    for ours, theirs in zip(*pairs, strict=True):
        np.testing.assert_array_equal(np.asarray(ours), theirs)
    np.testing.assert_array_equal(np.median(array, axis=[1]).asnumpy(), np.median(x, axis=1))
    np.testing.assert_array_equal(ng.xp.isin(array, [1.0, 5.0]).asnumpy(), np.isin(x, [1, 5]))
