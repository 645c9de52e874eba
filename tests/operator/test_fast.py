"""The short path of a call gives what the general way gives, and leaves to it what it must."""

import numpy as np
import pytest

import nbgraph as ng
from nbgraph.errors import NbgraphError
from nbgraph.operator import fast, parallel

NUMBERS = (2.0, -0.0, 0.1, 65504.0, -3.5)


def made():
    """An operator that no other test has warmed."""

    @ng.op
    def mixed(x, y):
        return x * y + x / (1.0 + y * y)

    return mixed


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@pytest.mark.parametrize("first", [False, True], ids=["array first", "number first"])
def test_a_number_beside_an_array(dtype, first):
    """API rule 3: a Python float takes the array's dtype; the same bits on the first call and after
    the short path is set up, and as with an array full of it."""
    op, a = made(), np.linspace(-2, 2, 37).astype(dtype)
    for number in NUMBERS:
        given = (number, a) if first else (a, number)
        full = np.full_like(a, number)
        expected = made()(full, a) if first else made()(a, full)
        for _ in range(5):
            found = op(*given)
            assert found.dtype == a.dtype
            np.testing.assert_array_equal(found, expected)
            out = np.empty_like(a)
            assert op(*given, out=out) is out
            np.testing.assert_array_equal(out, expected)
    assert op._fast.call((0.5, a) if first else (a, 0.5), None, {}) is not None


@pytest.mark.parametrize("number", [np.float64(2.0), 1e300, float("nan"), float("inf"), True, 3])
def test_what_is_left_to_the_general_way(number):
    """API rule 2: NumPy's scalars keep their dtype; numbers beyond a format are NumPy's affair."""
    a = np.linspace(-2, 2, 37).astype("float32")
    quick, fresh = made(), made()
    for _ in range(4):
        quick(a, 2.0)
    with np.errstate(all="ignore"):
        found, expected = quick(a, number), fresh(a, number)
    assert found.dtype == expected.dtype
    np.testing.assert_array_equal(found, expected)


def test_arrays_that_do_not_lie_in_order_take_the_general_way():
    """Strides, other shapes and large arrays beside a number."""
    op = made()
    a = np.linspace(-2, 2, 70_000).astype("float32")
    for _ in range(4):
        op(a[:10], 0.5)
    for view in (a[::2], a[:40].reshape(4, 10).T, a, a[:0], a[:1].reshape(())):
        np.testing.assert_array_equal(op(view, 0.5), made()(view, np.full(view.shape, 0.5, "f4")))


def with_defaults():
    """An operator that no other test has warmed, with a default operand and a parameter."""

    @ng.op
    def scaled(x, y=2.0, *, scale=1.0, power=2):
        return scale * x**power + y

    return scaled


CALLS = {
    "default operand": lambda op, a, **out: op(a, **out),
    "number by name": lambda op, a, **out: op(a, y=0.25, **out),
    "array by name": lambda op, a, **out: op(a, y=a, **out),
    "all by name": lambda op, a, **out: op(y=a, x=a, **out),
    "integer": lambda op, a, **out: op(a, 3, **out),
    "parameter": lambda op, a, **out: op(a, a, scale=0.5, **out),
    "two parameters": lambda op, a, **out: op(a, a, power=3, scale=-0.0, **out),
}


@pytest.mark.parametrize("call", CALLS.values(), ids=list(CALLS))
def test_names_and_defaults_take_the_short_path(call, monkeypatch):
    op, a = with_defaults(), np.linspace(-2, 2, 37).astype("float32")
    expected = call(with_defaults(), a)
    for _ in range(3):
        np.testing.assert_array_equal(call(op, a), expected)
    monkeypatch.setattr(op, "_call", None)  # the general way
    out = np.empty_like(a)
    assert call(op, a, out=out) is out
    for found in (call(op, a), out):
        assert found.dtype == expected.dtype
        np.testing.assert_array_equal(found, expected)


def test_parameters_are_told_apart_by_type_and_sign():
    op, a = with_defaults(), np.linspace(-2, 2, 37)
    for scale in (0.0, -0.0, 1, 1.0, True, 2, np.float64(3.0)):
        for _ in range(4):
            found = op(a, a, scale=scale)
        expected = with_defaults()(a, a, scale=scale)
        np.testing.assert_array_equal(found, expected)
        np.testing.assert_array_equal(np.signbit(found), np.signbit(expected))


def test_a_sweep_keeps_few_short_paths():
    op, a = with_defaults(), np.linspace(-2, 2, 37)
    for k in range(3 * fast.SETTINGS):
        for _ in range(2):
            np.testing.assert_array_equal(op(a, a, scale=k + 0.5), (k + 0.5) * (a * a) + a)
    assert len(op._fast.settings) <= fast.SETTINGS


def test_mistakes_in_names_are_errors_behind_the_short_path_too():
    op, a = with_defaults(), np.linspace(-2, 2, 37)
    for _ in range(4):
        op(a, y=a, scale=0.5)
    for options in ({"z": 1.0}, {"x": a}, {"scale": "wide"}):
        with pytest.raises(NbgraphError):
            op(a, **options)


def test_without_workers_long_calls_take_it_too(monkeypatch):
    op = ng.op(lambda x: np.sqrt(x) / (1.0 + np.exp(-x)) / (2.0 + np.tanh(x)) / np.log(x))
    x = np.linspace(2, 3, 120_000)
    expected = op(x)
    monkeypatch.setattr(parallel, "GRAIN", 1000)
    ng.engine.set("naive")
    try:
        for _ in range(3):
            op(x[:9])
        monkeypatch.setattr(op, "_call", None)  # the general way
        np.testing.assert_array_equal(op(x), expected)
    finally:
        ng.engine.set("threaded")
