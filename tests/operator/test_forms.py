"""Static parameters: None, bools, strings, enum members and functions, a kernel for each value."""

import enum
import inspect
import math
import pickle

import numpy as np
import pytest

import nbgraph as ng
from nbgraph.errors import ArgumentError, CaptureError, DerivativeError, FormatError
from tests.operator.worlds import WAYS

X = np.array([0.25, 0.5, 2.0])
W = np.array([3.0, -1.0, 0.5])


class Mode(enum.Enum):
    UP = "up"
    DOWN = "down"


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


@ng.op
def growth(x, scale=None, method="exact", *, flag=True, mode=Mode.UP):
    y = math.exp(x) if method == "exact" else 1 + x
    if scale is not None:
        y = y * scale
    if mode is Mode.DOWN:
        y = 1 / y
    return y if flag else -y * x


def exact(x):
    return math.exp(x)


# arguments of a call, and the function that it then is
FORMS = {
    "default": ((), {}, exact),
    "text by place": ((None, "fast"), {}, lambda x: 1 + x),
    "text by name": ((), {"method": "fast"}, lambda x: 1 + x),
    "the default's text": ((), {"method": "exact"}, exact),
    "bool": ((), {"flag": False}, lambda x: -math.exp(x) * x),
    "NumPy's bool": ((), {"flag": np.False_}, lambda x: -math.exp(x) * x),
    "enum": ((), {"mode": Mode.DOWN}, lambda x: math.exp(-x)),
    "number by place": ((2.5,), {}, lambda x: 2.5 * math.exp(x)),
    "integer by name": ((), {"scale": 2}, lambda x: 2 * math.exp(x)),
    "two of them": ((2.0, "fast"), {"flag": False}, lambda x: -2 * (1 + x) * x),
}


@pytest.fixture(params=FORMS)
def form(request):
    """Positional and named arguments behind the first, and the function that they make."""
    return FORMS[request.param]


def test_numpy_arrays_numbers_and_the_users_text(form):
    args, named, plain = form
    expected = [plain(x) for x in X]
    for _ in range(4):  # the short paths of later calls, too
        np.testing.assert_allclose(growth(X, *args, **named), expected, rtol=1e-14)
    assert growth(0.5, *args, **named) == pytest.approx(plain(0.5))
    with ng.config(compiler="python"):
        np.testing.assert_allclose(growth(X, *args, **named), expected, rtol=1e-14)
    assert growth(np.float32(X), *args, **named).dtype == np.float32


def test_arrays_and_recorded_gradients(form):
    args, named, plain = form
    slope = ng.op(plain).derivative("x")(X)
    for _ in range(3):
        x = ng.array(X)
        x.attach_grad()
        with ng.autograd.record():
            y = growth(x, *args, **named)
        y.backward()
        np.testing.assert_allclose(y.asnumpy(), [plain(v) for v in X], rtol=1e-14)
        np.testing.assert_allclose(x.grad.asnumpy(), slope, rtol=1e-13)


def test_compiled_functions_graphs_and_files(form):
    args, named, plain = form
    expected = [plain(x) for x in X]
    x = ng.array(X)
    np.testing.assert_allclose(ng.jit(lambda t: growth(t, *args, **named))(x).asnumpy(), expected)
    node = growth(ng.var("x"), *args, **named)
    for symbol in (
        node,
        ng.load_json(node.tojson(), ops={"growth": growth}),
        ng.load_json(node.tojson(), allow_code=True),
        pickle.loads(pickle.dumps(node)),
    ):
        np.testing.assert_allclose(symbol.eval(x=x)[0].asnumpy(), expected)


def test_expression_graphs(form):
    args, named, plain = form
    graph = ng.ExpressionGraph(dtype="float64")
    y = growth(graph.constant(X), *args, **named)
    graph.forward()
    np.testing.assert_allclose(y.val.asnumpy(), [plain(x) for x in X])


@pytest.mark.parametrize("way", WAYS)
def test_slopes_of_a_form_in_every_world(way):
    """`scale` as an array is an operand of that form."""
    op = growth.specialize(scale=W, method="fast", flag=False)
    assert op.nin == 2
    np.testing.assert_allclose(WAYS[way](op, (X, W), 0), -W * (1 + 2 * X), rtol=1e-13)
    np.testing.assert_allclose(WAYS[way](op, (X, W), 1), -(1 + X) * X, rtol=1e-13)


def test_what_is_none_takes_an_array():
    expected = np.exp(X) * W
    np.testing.assert_allclose(growth(X, W), expected)
    np.testing.assert_allclose(growth(X, scale=W), expected)
    np.testing.assert_allclose(growth(X, list(W)), expected)
    np.testing.assert_allclose(growth(ng.array(X), W).asnumpy(), expected)
    np.testing.assert_allclose(growth(X, ng.array(W)).asnumpy(), expected)
    assert growth(np.float32([0]), np.float64(2)).dtype == np.float64
    assert growth(np.float32([0]), 2.0).dtype == np.float32
    node = growth(ng.var("x"), ng.var("w"), "fast")
    read = ng.load_json(node.tojson(), ops=[growth])
    assert read.list_arguments() == ["x", "w"]
    np.testing.assert_allclose(read.eval(x=ng.array(X), w=ng.array(W))[0].asnumpy(), (1 + X) * W)


def test_derivatives_take_the_parameters_of_their_operator():
    slope = growth.derivative("x")
    np.testing.assert_allclose(slope(X, method="fast", flag=False), -(1 + 2 * X))
    np.testing.assert_allclose(slope(X, 3.0, "fast"), [3.0] * 3)
    np.testing.assert_allclose(growth.derivative("x", order=2)(X, flag=False), -np.exp(X) * (X + 2))
    np.testing.assert_allclose(growth.derivative("scale")(X, 2.0), np.exp(X))
    np.testing.assert_allclose(growth.derivative("scale")(X, W, "fast"), 1 + X)
    again = pickle.loads(pickle.dumps(growth.specialize(method="fast").derivative("x")))
    np.testing.assert_allclose(again(X, W), W)
    with pytest.raises(ArgumentError, match="'method' is not a number"):
        growth.derivative("method")


def test_information_is_about_the_form():
    assert str(inspect.signature(growth)) == (
        f"(x, scale=None, method='exact', *, flag=True, mode={Mode.UP!r})"
    )
    fast = growth.specialize(method="fast")
    assert fast.specialize() is fast is growth.specialize(method="fast", flag=True)
    assert fast.specialize(method="exact") is growth
    assert "method='fast'" in str(inspect.signature(fast))
    assert fast.explain().derivatives["x"].endswith("return 1")
    point = growth.at_point(0.5, method="fast", flag=False)
    assert (point.value, point.partials["x"]) == (-0.75, -2.0)
    assert fast.ptx("float32") != growth.ptx("float32")
    assert fast.ptx("float32") == ng.op(lambda x: 1 + x, name="growth").ptx("float32")


def test_one_form_for_all_numbers_and_one_for_each_static_value():
    op = ng.op(_add)
    assert op.specialize(n=1.5) is op.specialize(n=2.5) is not op.specialize(n=2)
    assert op.specialize(word="b") is not op
    assert op(1.0, 2.5) == 3.5
    assert op(1, 2) == 3
    assert op(1, 2, "b") == 4


def _add(x, n=None, word="a"):
    return x + (0 if n is None else n) + (1 if word == "b" else 0)


def test_values_that_are_equal_but_of_other_types_are_told_apart():
    @ng.op
    def f(x, p=None):
        if p is True:
            return x + 10
        if p is None:
            return x
        return x * p

    assert [float(f(3.0, p)) for p in (True, 1, 1.0, None, Level.HIGH)] == [13, 3, 3, 3, 6]

    @ng.op
    def g(x, t=(1, 2)):
        return x / t[0] if t[1] > 1 else x

    assert g(3, (2, 2.0)) == 1.5
    assert g(np.int64(3), (2.0, 2)) == 1.5


def test_a_parameter_without_default_is_a_number_or_static():
    @ng.op
    def f(x, *, p):
        return x if p is None else x * p

    assert [float(f(3.0, p=p)) for p in (2.0, 2, None)] == [6, 6, 3]
    assert f.derivative("p")(3.0, p=2.0) == 3
    with pytest.raises(ArgumentError, match="'p' is missing"):
        f(3.0)


class Side(enum.Flag):
    LEFT = 1
    RIGHT = 2


def test_types_flags_and_strings_as_parameters():
    @ng.op
    def f(x, dtype=np.float64, side=Side.LEFT, unit="km"):
        y = dtype(x) if side & Side.LEFT else -x
        scale = dict(k=1e3, c=1e-2)  # noqa: C408
        return y * (scale[unit[0]] if len(unit) > 1 else 1.0) + sum(1 for c in unit if c == "m")

    assert f(2.0) == 2001
    assert f(2.5, int) == 2001
    assert f(2.0, side=Side.RIGHT) == -1999
    assert f(2.0, float, Side.LEFT | Side.RIGHT, "m") == 3


def test_functions_enums_and_results_by_parameter():
    @ng.op
    def f(x, fn=math.sin, full=False, level=Level.LOW):
        y = fn(x) * level if level == Level.HIGH else fn(x)
        return (y, x) if full else y

    assert f(0.0) == 0
    assert f(0.0, math.cos) == 1
    assert f(0.0, math.cos, level=Level.HIGH) == 2
    y, x = f(ng.array([1.0]), lambda t: t + 1, True)
    assert (float(y), float(x)) == (2, 1)


def test_operators_in_texts_of_others_take_static_values():
    outer = ng.op(lambda x: growth(x, method="fast") + growth(x, 2.0, "fast", flag=False))
    np.testing.assert_allclose(outer(X), (1 + X) - 2 * (1 + X) * X)


def test_a_static_parameter_before_an_operand():
    @ng.op
    def f(x, kind="a", y=1.0):
        return x + y if kind == "a" else x * y

    for _ in range(4):
        np.testing.assert_allclose(f(X, "b", W), X * W)
        np.testing.assert_allclose(f(X), X + 1)
        np.testing.assert_allclose(f(X, y=W), X + W)
        np.testing.assert_allclose(f(ng.array(X), "b", ng.array(W)).asnumpy(), X * W)
        with pytest.raises(ArgumentError, match="'kind' is an array of shape"):
            f(X, W)


def test_errors_name_the_parameter_and_what_it_takes():
    with pytest.raises(ArgumentError, match=r"'method' is an array of shape \(3,\).*'exact'"):
        growth(X, method=X)
    with pytest.raises(ArgumentError, match=r"'flag' is an array.*move it before the \*"):
        growth(X, flag=X > 1)
    with pytest.raises(ArgumentError, match="4 positional arguments"):
        growth(X, None, "exact", True)
    with pytest.raises(ArgumentError, match="no parameter 'mod'; parameters: scale"):
        growth.specialize(mod=1)
    with pytest.raises(ArgumentError, match="cannot be static"):
        ng.op(lambda x, t=(): x)(1.0, (set(), 1))


def test_a_value_that_the_text_refuses_raises_what_it_raises():
    def power(x, kind="square"):
        if kind not in ("square", "cube"):
            raise ValueError(f"unknown kind {kind!r}")
        return x * x if kind == "square" else x**3

    op = ng.op(power)
    for call in (lambda: op(X, "root"), lambda: op(ng.array(X), kind="root")):
        with pytest.raises(ValueError, match=r"power: unknown kind 'root' \(raised at .*:\d+\)"):
            call()
    np.testing.assert_array_equal(op(X, "cube"), X**3)
    assert np.isnan(ng.op(power, on_invalid="nan")(X, "root")).all()
    late = ng.op(lambda x, kind="root": power(x, kind))
    with pytest.raises(ValueError, match="unknown kind 'root'"):
        late(X)
    np.testing.assert_array_equal(late(X, "cube"), X**3)


def converted(x, unit, power: int):
    """What has no default is static where it is compared with strings."""
    if unit == "m":
        scale = 1.0
    elif unit == "km":
        scale = 1000.0
    else:
        raise ValueError(f"unknown unit {unit!r}")
    return x * scale**power if power & 1 else x


def solved(f, x, *, steps=20):
    for _ in range(steps):
        x -= f(x) / ((f(x + 1e-6) - f(x - 1e-6)) / 2e-6)
    return x


def unknown_of_three(x, p=None, v=None, t=None):
    if p is not None and v is not None:
        return x + p * v
    if p is not None and t is not None:
        return x + t / p
    raise ValueError("two of p, v and t are needed")


def test_strings_and_functions_without_default_are_static():
    op = ng.op(converted)
    for x in (X, ng.array(X)):
        np.testing.assert_array_equal(np.asarray(op(x, "km", 3)), X * 1e9)
        np.testing.assert_array_equal(np.asarray(op(x, unit="m", power=2)), X)
    np.testing.assert_array_equal(ng.jit(lambda x: op(x, "km", 1))(ng.array(X)).asnumpy(), X * 1e3)
    np.testing.assert_array_equal(op.derivative("x")(X, "km", 1), np.full_like(X, 1e3))
    with pytest.raises(ValueError, match="unknown unit 'mile'"):
        op(X, "mile", 1)
    with pytest.raises(ValueError, match="unknown unit"):
        op(X, 2.0, 1)
    np.testing.assert_allclose(ng.op(solved)(lambda x: x * x - 2, np.ones(3)), math.sqrt(2))


def test_what_no_default_decides_is_left_to_calls():
    """As none of the defaults gives a number, a call says which of them are to be None."""
    op = ng.op(unknown_of_three)
    np.testing.assert_array_equal(op(X, 2.0, 3.0), X + 6.0)
    np.testing.assert_array_equal(op(X, p=2.0, t=3.0), X + 1.5)
    with pytest.raises(ValueError, match="two of p, v and t"):
        op(X)


def test_python_integers_stay_integers_where_the_text_needs_them():
    op = ng.op(converted)
    assert op(2.0, "km", 1) == 2000.0
    masked = ng.op(lambda x, n: x * (n & 3))
    assert masked(0.5, 6) == 1.0
    assert masked(np.float32([0.5]), 6).dtype == np.float32
    np.testing.assert_array_equal(masked(ng.array([0.5]), 6).asnumpy(), [1.0])
    total = ng.op(lambda n=10: sum(range(n)))
    assert total() == 45 and total(4) == 6


def test_what_a_form_reads_is_watched():
    """A global that only one form reads counts for compiled functions that use it."""
    space = globals()
    space["FACTOR"] = 2.0
    compiled = ng.jit(lambda x: _scaled(x, "scaled"))
    x = ng.array(X)
    np.testing.assert_allclose(compiled(x).asnumpy(), 2 * X)
    space["FACTOR"] = 3.0
    np.testing.assert_allclose(_scaled(X, "scaled"), 3 * X)
    np.testing.assert_allclose(compiled(x).asnumpy(), 3 * X)
    np.testing.assert_allclose(_scaled(X), X)


FACTOR = 2.0


@ng.op
def _scaled(x, how="plain"):
    return x * FACTOR if how == "scaled" else x


def test_gradients_given_by_hand_are_those_of_each_form():
    @ng.op
    def f(x, method="exact"):
        return math.exp(x) if method == "exact" else x * x

    @f.gradient
    def f_gradient(out_grad, x, out, *, method):
        return out_grad * out if method == "exact" else out_grad * 2 * x

    np.testing.assert_allclose(f.derivative("x")(X, "square"), 2 * X)
    np.testing.assert_allclose(f.derivative("x")(X), np.exp(X))
    with pytest.raises(DerivativeError, match="returns 1 value"):
        _with_hand_gradient()(X, W)


def _with_hand_gradient():
    op = ng.op(lambda x, w=None: x if w is None else x * w)
    op.gradient(lambda out_grad, x: out_grad + 0 * x)
    return op


def test_files_with_an_enum_that_is_not_there():
    text = growth(ng.var("x"), mode=Mode.DOWN).tojson().replace('"DOWN"', '"SIDEWAYS"')
    with pytest.raises((ArgumentError, FormatError), match="Mode.SIDEWAYS is not there"):
        ng.load_json(text, ops=[growth])


def saturation(p, p_sat=None, phi=None):
    if phi is not None:
        return phi * p_sat / p
    return p_sat / p


def amount(mass=None, volume=None, density=2.0):
    if mass is not None and volume is not None:
        return mass / volume
    return density * volume if mass is None else mass


def test_a_name_with_default_none_may_be_needed():
    """Made although it cannot be without; a call that leaves the name out is refused."""
    op, x = ng.op(saturation), np.array([1.0, 2.0])
    np.testing.assert_array_equal(op(x, p_sat=3.0), 3.0 / x)
    np.testing.assert_array_equal(op(x, x, 0.5), [0.5, 0.5])
    np.testing.assert_array_equal(op(ng.array(x), p_sat=x).asnumpy(), [1, 1])
    np.testing.assert_allclose(ng.grad(lambda p: ng.sum(op(p, p_sat=6.0)))(x), -6.0 / x**2)
    with pytest.raises(CaptureError, match=r"this is None"):
        op(x)


def test_all_names_may_have_default_none():
    op, x = ng.op(amount), np.array([1.0, 2.0])
    np.testing.assert_array_equal(op(mass=x), x)
    np.testing.assert_array_equal(op(volume=x, density=3.0), 3 * x)
    np.testing.assert_array_equal(op(x, 4.0), x / 4)
    np.testing.assert_array_equal(op(mass=x, volume=2 * x), [0.5, 0.5])
    assert float(op(mass=3.0)) == 3.0
    assert ng.jit(lambda v: op(mass=v, volume=v))(ng.array(x)).tolist() == [1, 1]


def test_a_call_without_an_operand_is_refused():
    op = ng.op(lambda a=None, b=None: a if b is None else b)
    for call in (op, lambda: op(None), lambda: op(a=None, b=None)):
        with pytest.raises(ArgumentError, match="no operand; expected at least one of a, b"):
            call()
    assert op(2.0) == 2.0


def test_what_is_not_understood_with_values_either_is_refused_at_once():
    with pytest.raises(CaptureError, match="foo"):
        ng.op(lambda x, y=None: x.foo + y)
