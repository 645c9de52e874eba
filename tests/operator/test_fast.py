"""The short path of a call gives what the slow path gives, and leaves to it what it must."""

from typing import Any

import numpy as np
import pytest

import nbgraph as ng
from nbgraph.errors import NbgraphError
from nbgraph.operator import kernel_call, parallel
from nbgraph.operator.layout import layout_of

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
            actual = op(*given)
            assert actual.dtype == a.dtype
            np.testing.assert_array_equal(actual, expected)
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
        actual, expected = quick(a, number), fresh(a, number)
    assert actual.dtype == expected.dtype
    np.testing.assert_array_equal(actual, expected)


@pytest.mark.parametrize("options", [{}, {"shift": 3.0}], ids=["operands", "a parameter"])
def test_dtypes_that_begin_alike_have_a_short_path_each(options, monkeypatch):
    """Whichever was called first: of one history a call took 36 us, of another 1.1."""

    @ng.op
    def mixed(x, y, *, shift=1.0):
        return x * y + shift

    wide = np.linspace(1, 2, 37)
    calls = [(wide, wide.astype(d)) for d in ("float32", "float64", "int16")]
    wanted = [[mixed(*call, **options) for _ in range(3)][-1] for call in calls]
    monkeypatch.setattr(mixed, "_call", None)  # the slow path
    for call, expected in zip(calls, wanted, strict=True):
        actual = mixed(*call, **options)
        assert actual.dtype == expected.dtype
        np.testing.assert_array_equal(actual, expected)


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int64", "float16", "float32"])
def test_numbers_beside_masks_and_integers(dtype, monkeypatch):
    """A number takes the dtype of the arrays' floats, else of their integers, if it fits."""
    chosen = ng.op(lambda c, x, y: x + y if c else y - x)
    a = np.arange(37).astype(dtype)
    calls = {number: (a > 5, a, number) for number in (0, 100, -1, 127, 128)}
    wanted: dict[Any, Any] = {}
    for number, operands in calls.items():
        for _ in range(3):
            try:
                wanted[number] = chosen(*operands)
            except OverflowError as error:
                wanted[number] = type(error)
    monkeypatch.setattr(chosen, "_call", None)  # the slow path
    for number, expected in wanted.items():
        if isinstance(expected, type):
            with pytest.raises(TypeError):  # it would have raised
                chosen(*calls[number])
        else:
            actual = chosen(*calls[number])
            assert actual.dtype == a.dtype
            np.testing.assert_array_equal(actual, expected)


def test_arrays_that_do_not_lie_in_order_take_the_general_way():
    """Strides, other shapes and large arrays beside a number."""
    op = made()
    a = np.linspace(-2, 2, 200_000).astype("float32")
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
    monkeypatch.setattr(op, "_call", None)  # the slow path
    out = np.empty_like(a)
    assert call(op, a, out=out) is out
    for actual in (call(op, a), out):
        assert actual.dtype == expected.dtype
        np.testing.assert_array_equal(actual, expected)


def test_parameters_are_told_apart_by_type_and_sign():
    op, a = with_defaults(), np.linspace(-2, 2, 37)
    for scale in (0.0, -0.0, 1, 1.0, True, 2, np.float64(3.0)):
        for _ in range(4):
            actual = op(a, a, scale=scale)
        expected = with_defaults()(a, a, scale=scale)
        np.testing.assert_array_equal(actual, expected)
        np.testing.assert_array_equal(np.signbit(actual), np.signbit(expected))


WORLDS = {"numpy": lambda a: a, "ndarray": ng.array}


@pytest.mark.parametrize("power", [False, True], ids=["float", "integer too"])
@pytest.mark.parametrize("world", WORLDS.values(), ids=list(WORLDS))
def test_a_changing_parameter_makes_nothing_new(world, power):
    """Values of parameters are words of the record: no plan, kernel, route or entry is added."""
    op, a = with_defaults(), np.linspace(-2, 2, 37).astype("float32")
    x = world(a)

    def kept():
        invoker, fast_call = op.invoker, op._fast
        tables = (invoker._plans, fast_call.entries, op.carried)
        return [len(table) for table in tables]

    def call(k):
        return op(x, x, scale=k + 0.5, **({"power": k % 4} if power else {}))

    for k in range(4):
        call(k)
    before = kept()
    for k in range(100):
        expected = np.float32(k + 0.5) * a ** (k % 4 if power else 2) + a
        np.testing.assert_allclose(np.asarray(call(k)), expected, rtol=2e-6, atol=1e-5)
    assert kept() == before


@pytest.mark.parametrize("world", WORLDS.values(), ids=list(WORLDS))
@pytest.mark.parametrize("most", [127, 128])
def test_an_integer_parameter_that_fits_no_operand_is_refused_behind_the_short_path(world, most):
    op = ng.op(lambda x, *, k=3: x + k)
    x = world(np.arange(5, dtype="int8"))
    for k in (1, 2, 3, 4, -128):
        np.testing.assert_array_equal(np.asarray(op(x, k=k)), np.arange(5) + k)
    if most > 127:
        with pytest.raises(OverflowError, match="k=128 is out of bounds for int8"):
            op(x, k=most)


LAYOUTS = {
    "every second": lambda a: (a[::2], a[::2]),
    "backwards": lambda a: (a[::-1], 0.5),
    "a row beside rows": lambda a: (a.reshape(9, 4), a[:4]),
    "a column beside rows": lambda a: (a.reshape(9, 4), a[:9, None]),
    "outer": lambda a: (a[:, None], a),
    "column-major": lambda a: (a.reshape(9, 4).T, a.reshape(9, 4).T),
    "column-major and not": lambda a: (a.reshape(6, 6).T, a.reshape(6, 6)),
    "axes in another order": lambda a: (a.reshape(3, 3, 4).transpose(1, 0, 2), 1.5),
    "no dimensions": lambda a: (a[0], a.dtype.type(2)),
    "numbers": lambda a: (0.5, 2.0),
    "nothing": lambda a: (a[:0], 2.0),
    "other dtype": lambda a: (a, np.arange(36)),
}


@pytest.mark.parametrize("lie", LAYOUTS.values(), ids=list(LAYOUTS))
def test_small_operands_that_lie_otherwise(lie):
    """Values, dtype, layout and class of the result are those of the slow path."""
    a = np.linspace(-2, 2, 36).astype("float32")
    op, operands = made(), lie(a)
    expected = made()(*operands)
    for _ in range(4):
        op(a, a), op(*operands)
    actual = op(*operands)
    assert type(actual) is type(expected) and actual.dtype == expected.dtype
    assert actual.strides == expected.strides
    np.testing.assert_array_equal(actual, expected)


def test_mistakes_in_names_are_errors_behind_the_short_path_too():
    op, a = with_defaults(), np.linspace(-2, 2, 37)
    for _ in range(4):
        op(a, y=a, scale=0.5)
    for options in ({"z": 1.0}, {"x": a}, {"scale": "wide"}):
        with pytest.raises(NbgraphError):
            op(a, **options)


def test_symbols_of_unknown_shape_beside_arrays_make_nodes():
    """After calls with several dtypes, which the short path tells by those of all operands."""
    mask, x, z = np.array([True, False]), np.array([1.0, 2.0]), np.array([1 + 2j, 3])
    for operands in ((x, x), (z, z), (z, x)):
        for _ in range(3):
            ng.where(mask, *operands)
    node = ng.where(mask, ng.var("x"), ng.var("y"))
    np.testing.assert_array_equal(node.eval(x=ng.array(x), y=ng.array(-x))[0].asnumpy(), [1, -2])


def test_without_workers_long_calls_take_it_too(monkeypatch):
    op = ng.op(lambda x: np.sqrt(x) / (1.0 + np.exp(-x)) / (2.0 + np.tanh(x)) / np.log(x))
    x = np.linspace(2, 3, 120_000)
    expected = op(x)
    monkeypatch.setattr(parallel, "GRAIN", 1000)
    ng.engine.set("naive")
    try:
        for _ in range(3):
            op(x[:9])
        monkeypatch.setattr(op, "_call", None)  # the slow path
        np.testing.assert_array_equal(op(x), expected)
    finally:
        ng.engine.set("threaded")


@pytest.mark.parametrize("step", [1, 2])
def test_a_call_that_raises_leaves_what_it_would_overwrite(step):
    """The fast paths hand it on to the slow one, which runs the kernel again."""

    @ng.op
    def below_zero(x):
        if x < 0:
            raise ValueError("x is negative")
        return -x - 1

    x = np.arange(1.0, 41.0)[::step]
    x[-1] = -1.0
    before = x.copy()
    for _ in range(5):
        with pytest.raises(ValueError, match=f"element {x.size - 1}"):
            below_zero(x, out=x)
        assert (x == before).all()


def test_a_repeated_kernel_call_runs_over_arrays_alone():
    rows, out = np.arange(6.0, dtype="float32").reshape(2, 3), np.empty(2, "float32")
    attributes = {"axis": (1,), "dtype": None, "keepdims": False}
    layouts = [layout_of(rows)], [layout_of(out)]
    lowering: Any = kernel_call.lowered(ng.sum.op, *layouts, ["write"], attributes)
    call: Any = lowering.alone
    assert call.runner is None  # the first time, which may be the last
    run: Any = call.runner
    assert run(rows, out) is out
    assert out.tolist() == [3, 12]
    for arguments in ((rows,), (rows, [0.0, 0.0]), (rows, out, out)):
        assert run(*arguments) is None
