"""Slopes at branches that are taken on a set without interior, against limits with 150 digits."""

import math
import warnings

import numpy as np
import pytest

import nbgraph as ng
from nbgraph.errors import CertificateError, DerivativeWarning
from nbgraph.kernels.derivatives import guards
from tests.operator.worlds import WAYS
from tests.zoo.judge import in_mpmath, mp


def exprel(x):
    return 1.0 if x == 0 else math.expm1(x) / x


def sinc(x):
    if x != 0:
        return math.sin(x) / x
    return 1.0


def log_ratio(x):
    return math.log1p(x) / x if not (x == 0) else 1.0


def versine(x):
    return 0.5 if abs(x) <= 0 else (1 - math.cos(x)) / x**2


def over_sinh(x):
    return 1.0 if x <= 0 and x >= 0 else x / math.sinh(x)


def bernoulli(x):
    return 1.0 if 0 <= x <= 0 else x / (1 - math.exp(-x))


def by_sign(x):
    if x > 0:
        return math.tanh(x) / x
    elif x < 0:
        return math.tanh(-x) / -x
    return 1.0


def safe_divisor(x):
    divisor = 1.0 if x == 0 else x
    return 1.0 if x == 0 else math.atan(x) / divisor


def two_places(x):
    return 1.0 if x == 0 or x == 1 else math.sin(x * (x - 1)) / (x * (x - 1))


def root_ratio(x):
    return 1.5 if x == 1 else (x**1.5 - 1) / (x - 1)


def chord(x, y):
    return math.exp(y) if x == y else (math.exp(x) - math.exp(y)) / (x - y)


def log_mean(x, y):
    return x if x - y == 0 else (x - y) / (math.log(x) - math.log(y))


def xlogy(x, y):
    return 0.0 if x == 0 else x * math.log(y)


def wave(x, frequency):
    phase = frequency * x
    return 1.0 if phase == 0 else math.sin(phase) / phase


def barron(x, alpha, *, scale=1.0):
    square = (x / scale) ** 2
    if alpha == 2:
        return 0.5 * square
    if alpha == 0:
        return math.log1p(0.5 * square)
    size = abs(alpha - 2)
    return size / alpha * ((square / size + 1) ** (alpha / 2) - 1)


LIMITS = [  # function, operand, point at a guard
    (exprel, 0, (0.0,)),
    (sinc, 0, (0.0,)),
    (log_ratio, 0, (0.0,)),
    (versine, 0, (0.0,)),
    (over_sinh, 0, (0.0,)),
    (bernoulli, 0, (0.0,)),
    (by_sign, 0, (0.0,)),
    (safe_divisor, 0, (0.0,)),
    (two_places, 0, (0.0,)),
    (two_places, 0, (1.0,)),
    (root_ratio, 0, (1.0,)),
    (chord, 0, (1.5, 1.5)),
    (chord, 1, (-0.5, -0.5)),
    (log_mean, 0, (0.75, 0.75)),
    (log_mean, 1, (3.0, 3.0)),
    (xlogy, 0, (0.0, 2.5)),
    (xlogy, 1, (0.0, 2.5)),
    (wave, 0, (0.0, 2.0)),
    (wave, 0, (2.0, 0.0)),
    (wave, 1, (2.0, 0.0)),
    (barron, 1, (1.5, 0.0)),
    (barron, 0, (1.5, 0.0)),
    (barron, 0, (1.5, 2.0)),
]
NAMES = [f"{f.__name__}-{wrt}-{point}" for f, wrt, point in LIMITS]


def limit(function, point, wrt, order):
    """A derivative by differences, so close that what is left of them is beyond float64."""
    text = in_mpmath(function)
    with mp.workdps(150):
        h = mp.mpf(10) ** -25

        def at(step):
            return text(*(mp.mpf(p) + (step if i == wrt else 0) for i, p in enumerate(point)))

        if order == 1:
            return float((at(h) - at(-h)) / (2 * h))
        return float((at(h) - 2 * at(mp.mpf(0)) + at(-h)) / h**2)


def slope(op, point, wrt, order=1, dtype="float64"):
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore", DerivativeWarning)  # Barron's at 2 has no limit
        found = op.derivative(wrt, order=order)(*(np.array([p], dtype) for p in point))
    assert found.dtype == dtype
    return float(found[0])


@pytest.mark.parametrize("order", [1, 2])
@pytest.mark.parametrize(("function", "wrt", "point"), LIMITS, ids=NAMES)
def test_limits(function, wrt, point, order):
    op, wanted = ng.op(function), limit(function, point, wrt, order)
    for dtype, digits in (("float64", 1e-12), ("float32", 2e-6))[: 3 - order]:
        found = slope(op, point, wrt, order, dtype)
        assert found == pytest.approx(wanted, rel=digits, abs=digits)


@pytest.mark.parametrize(("function", "wrt", "point"), LIMITS, ids=NAMES)
def test_slopes_close_by_go_to_the_limit(function, wrt, point):
    op = ng.op(function)
    for step in (0.01, -0.01):
        near = tuple(p + step * (i == wrt) for i, p in enumerate(point))
        assert slope(op, near, wrt) == pytest.approx(limit(function, near, wrt, 1), rel=1e-6)


@pytest.mark.everyday(1 / 2)
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_every_way_gives_the_limits(way, dtype):
    for function, wrt, point in LIMITS[list(WAYS).index(way) :: len(WAYS)]:  # in turns
        op = ng.op(function)
        beside = [p + 0.5 * (i == wrt) for i, p in enumerate(point)]
        arrays = [np.array(pair, dtype) for pair in zip(point, beside, strict=True)]
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore", DerivativeWarning)
            wanted = op.derivative(wrt)(*arrays)
            found = WAYS[way](op, arrays, wrt)
        np.testing.assert_allclose(found, wanted, rtol=2e-6, err_msg=function.__name__)


SMOOTH = {
    "exp": (math.exp, [-0.5, 0.0, 1.25]),
    "erf": (math.erf, [0.0, -0.5]),
    "sin": (math.sin, [0.0, 0.5, 2.0]),
    "log": (math.log, [0.5, 1.0, 3.0]),
    "tanh": (math.tanh, [0.0, 0.75]),
    "sqrt": (math.sqrt, [0.25, 4.0]),
    "atan": (math.atan, [0.0, 1.5]),
    "asinh": (math.asinh, [0.0, 2.0]),
    "lgamma": (math.lgamma, [1.0, 2.5]),
}


@pytest.mark.parametrize("name", SMOOTH)
def test_difference_quotients_of_any_function(name):
    """(f(x) - f(c)) / (x - c) has value f'(c) and slope f''(c) / 2 at c."""
    function, places = SMOOTH[name]
    reference = mp.loggamma if name == "lgamma" else getattr(mp, name)
    for c in places:
        first, second = (float(mp.diff(reference, c, n)) for n in (1, 2))
        op = ng.op(quotient(function, c, first))
        assert slope(op, (c,), 0) == pytest.approx(second / 2, rel=1e-12, abs=1e-14)


def quotient(function, c, first):
    def at(x):
        return first if x == c else (function(x) - function(c)) / (x - c)

    return at


# guards without a limit ---------------------------------------------------------------------------


def spike(x):
    return 5.0 if x == 0 else math.sin(x)


def safe_reciprocal(x):
    return 0.0 if x == 0 else 1 / x


def indicator(x):
    return 1.0 if x == 0 else 0.0


def bend(x):
    return 0.0 if x == 0 else 3 * abs(x)


@pytest.mark.parametrize(
    ("function", "outcome"), [(spike, "jump"), (safe_reciprocal, "jump"), (bend, "kink")]
)
def test_no_slope_there_to_be_found(function, outcome):
    """The branch's own slope stays; explain() says why, and nobody is warned."""
    op = ng.op(function)
    assert slope(op, (0.0,), 0) == 0
    (row,) = op.explain().guards
    assert row["outcome"] == outcome and row["why"]
    assert f"def {function.__name__}" not in row["line"] and "x == 0" in row["line"]
    assert row["where"] in str(op.explain()) and row["why"] in str(op.explain())


@pytest.mark.parametrize("function", [
    lambda x: x if math.floor(x) == 0 else x * x,
    lambda x: 2 * x if max(x, 0.0) == 0 else x * x,
    lambda x: 3 * x if (x if x > 0 else 1.0) == 1.0 else x * x,
    lambda x: x if x != x else x * x,
])  # fmt: skip
def test_conditions_that_hold_on_intervals_are_no_guards(function):
    """Points inside of those intervals: the branch's own slope."""
    op = ng.op(function, name="interval")
    assert op.explain().guards == []
    assert slope(op, (-0.5,), 0) == pytest.approx(limit(function, (-0.5,), 0, 1))
    assert slope(op, (0.5,), 0) == pytest.approx(limit(function, (0.5,), 0, 1))


def test_integers_are_no_guards():
    """A case for each number: nothing lies between."""

    def cases(x, n):
        return x if n == 0 else x * x / n

    op = ng.op(cases)
    assert op.derivative("x")(np.array([3.0]), np.array([0])) == 1


def entropy(x):
    return 0.0 if x == 0 else -x * math.log(x)


def by_newton(x):
    if x == 0:
        return 0.0
    root = x
    for _ in range(60):
        root -= (root * root * root - x) / (3 * root * root)
    return root


@pytest.mark.parametrize(("function", "wrt"), [(entropy, "x"), (by_newton, "x"), (barron, "alpha")])
def test_a_limit_that_is_not_found_warns_once(function, wrt):
    op = ng.op(function, certify=False)
    with pytest.warns(DerivativeWarning, match=f"{function.__name__}: .*'{wrt}'") as caught:
        derivative = op.derivative(wrt)
        derivative(*[np.full(3, 0.5)] * op.nin)
    (warning,) = caught
    first = function.__code__.co_firstlineno
    assert warning.filename == __file__ and first < warning.lineno < first + 5
    derivative(*[np.full(3, 0.5, "float32")] * op.nin)
    WAYS["by_tape"](op, [np.full(3, 0.5)] * op.nin, op.nin - 1)
    (row,) = (r for r in op.explain().guards if r["outcome"] == "unknown")
    assert row["operand"] == wrt and row["slope"] is None


def test_a_gradient_by_hand_is_not_warned_of():
    op = ng.op(entropy, name="by_hand")

    @op.gradient
    def _(out_grad, x):
        return out_grad * (0.0 if x == 0 else -1 - math.log(x))

    assert np.isclose(op.derivative("x")(0.5), -1 - math.log(0.5)) and op.explain().guards == []


# shown, and their price ---------------------------------------------------------------------------


def test_explain_names_guard_line_and_limit():
    (row,) = ng.op(exprel).explain().guards
    assert row["outcome"] == "limit" and row["slope"] == "0.5" and row["operand"] == "x"
    assert row["line"] == "return 1.0 if x == 0 else math.expm1(x) / x"
    assert row["where"].startswith("test_guards.py:")
    assert "the limit of the other branch, 0.5;" in str(ng.op(exprel).explain())
    assert ng.op(exprel).explain().to_dict()["guards"] == [row]
    assert ng.op(exprel).at_point(x=0.0).partials == {"x": 0.5}


def test_guards_of_the_library():
    """The library's own sinc, at 0, to second order."""

    def library_sinc(x):
        return np.sinc(x)

    op = ng.op(library_sinc)
    assert slope(op, (0.0,), 0) == 0
    assert slope(op, (0.0,), 0, order=2) == pytest.approx(-(math.pi**2) / 3)


def test_nothing_is_expanded_without_guards(monkeypatch):
    monkeypatch.setattr(guards, "Expansion", None)
    op = ng.op(lambda x, y: max(x, y) if x > 0 else x * y if y != y else abs(x), name="unguarded")
    assert slope(op, (2.0, 1.0), 0) == 1


@pytest.mark.parametrize("function", [exprel, chord, barron], ids=lambda f: f.__name__)
def test_limits_are_made_for_devices(function):
    op = ng.op(function, certify=False)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DerivativeWarning)
        assert op.derivative(op.nin - 1).ptx("float32")


def test_certificates_look_at_the_guard_itself(monkeypatch):
    """A limit that is wrong is refused, though the slopes on both sides are right."""

    def off(root, expansion):
        found = side(root, expansion)
        return None if found is None else (found[0], expansion.graph.const(0.25))

    side = guards._side
    monkeypatch.setattr(guards, "_side", off)
    with pytest.raises(CertificateError, match="x=0: it gives 0.25, .* 0.5"):
        ng.op(exprel, name="off").derivative("x")(np.ones(3))
