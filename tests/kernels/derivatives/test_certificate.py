"""Certificates: wrong gradients do not get past them, right ones do (SMP-21, SMP-40).

No kernel is compiled here, except one where a value is asked for.
"""

# ruff: noqa: E501, PLW0108 - one case a line; lambdas are the operators

import math

import numpy as np
import pytest

import nbgraph as ng
from nbgraph.errors import CertificateError
from nbgraph.kernels.derivatives import certificate
from nbgraph.kernels.derivatives import partials as derivative
from nbgraph.kernels.scalar.functions import FUNCTIONS
from nbgraph.operator.report import certified


def power_loop(x):
    total = 1.0
    for _ in range(20):
        total = total * x
    return total


def power_loop_gradient(out_grad, x):
    total = 0.0
    for _ in range(18):  # one trip too few
        total = total * x + 1.0
    return out_grad * total


def power_sum(x, *, n=20):
    total = 0.0
    for k in range(n):
        total = total * x + k
    return total


def power_sum_gradient(out_grad, x, *, n):
    total = slope = 0.0
    for k in range(n):
        slope = slope * x + total
        total = total * x + (k if k < 17 else 0)
    return out_grad * slope


def smooth(x, *, sigma=1.0):
    s2 = sigma * sigma
    return 0.5 * s2 * x * x if abs(x) * s2 < 1 else abs(x) - 0.5 / s2


def sigmoid(x):
    return 1 / (1 + math.exp(-x))


def square(x):
    return x * x


def leaky(x):
    return x if x > 0 else 0.1 * x


def sphere(x, y):
    return math.sqrt(x * x + y * y)


def huber(x, *, d=1.0):
    return 0.5 * x * x if abs(x) <= d else d * (abs(x) - 0.5 * d)


WRONG = {
    "sign": (lambda x: math.sin(x), lambda out_grad, x: -out_grad * math.cos(x)),
    "factor of two": (square, lambda out_grad, x: out_grad * x),
    "chain factor missing": (lambda x: math.sin(3 * x), lambda out_grad, x: out_grad * math.cos(3 * x)),
    "out_grad missing": (lambda x: math.exp(x), lambda out_grad, out: out),
    "out_grad twice": (lambda x: math.exp(x), lambda out_grad, out: out_grad * out_grad * out),
    "branches exchanged": (leaky, lambda out_grad, x: out_grad * (0.1 if x > 0 else 1.0)),
    "narrow branch": (square, lambda out_grad, x: out_grad * (3 if 1.0 < x < 1.001 else 2) * x),
    "narrow branch far out": (
        square, lambda out_grad, x: out_grad * (3 if 5000.0 < x < 5000.001 else 2) * x,
    ),
    "beyond 1e3": (square, lambda out_grad, x: out_grad * (2 * x if abs(x) < 1e3 else x)),
    "beyond 1e6": (square, lambda out_grad, x: out_grad * (2 * x if x < 1e6 else x)),
    "near zero": (square, lambda out_grad, x: out_grad * (2 * x if abs(x) > 1e-5 else 1.0)),
    "negative side": (lambda x: x * abs(x), lambda out_grad, x: out_grad * (2 * x if x > 0 else 0.0)),
    "a constant off": (square, lambda out_grad, x: out_grad * (2 * x + 1e-3)),
    "1e-5 off": (square, lambda out_grad, x: out_grad * 2.00002 * x),
    "operands exchanged": (lambda x, y: x * y * y, lambda out_grad, x, y: (out_grad * 2 * x * y, out_grad * y * y)),
    "one operand left out": (lambda x, y: x + y * y, lambda out_grad, x, y: (out_grad, 0.0)),
    "trip too few": (power_loop, power_loop_gradient),
    "wrong late in a loop": (power_sum, power_sum_gradient),
    "argument of tanh'": (
        lambda x: math.tanh(x / 2), lambda out_grad, x: out_grad * 0.5 * (1 - math.tanh(x) ** 2),
    ),
    "from the output": (sigmoid, lambda out_grad, out: out_grad * out * (1 + out)),
    "product rule": (lambda x: x * math.exp(x), lambda out_grad, x: out_grad * math.exp(x)),
    "quotient": (lambda x: 1 / x, lambda out_grad, x: out_grad / (x * x)),
    "log of abs": (lambda x: math.log(abs(x)), lambda out_grad, x: out_grad / abs(x)),
    "atan": (lambda x: math.atan(x), lambda out_grad, x: out_grad / (1 - x * x)),
    "exponent": (lambda x: x**3, lambda out_grad, x: out_grad * 3 * x),
    "constant of erf": (
        lambda x: math.erf(x), lambda out_grad, x: out_grad * 2 / math.pi * math.exp(-x * x),
    ),
    "parameter left out": (smooth, lambda out_grad, x, *, sigma: out_grad * max(-1.0, min(1.0, x))),
    "not a number": (square, lambda out_grad, x: out_grad * 2 * x * math.sqrt(x) / math.sqrt(x)),
    "tail cut": (
        lambda x: math.log1p(math.exp(x)), lambda out_grad, x: out_grad * (1.0 if x > 3 else sigmoid(x)),
    ),
    "threshold": (huber, lambda out_grad, x, *, d: out_grad * max(-1.1 * d, min(1.1 * d, x))),
    "max to both": (lambda x, y: max(x, y), lambda out_grad, x, y: (out_grad, out_grad)),
    "hypot": (sphere, lambda out_grad, out, x, y: (out_grad * y / out, out_grad * x / out)),
    "second output": (
        lambda x: (x * x, x**3), lambda out_grad0, out_grad1, x: out_grad0 * 2 * x + out_grad1 * x,
    ),
    "stale constant": (lambda x: 0.5 * math.exp(-2 * x), lambda out_grad, x: -out_grad * math.exp(-1.9 * x)),
}  # fmt: skip
assert len(WRONG) >= 30

RIGHT = {
    "sin": (lambda x: math.sin(x), lambda out_grad, x: out_grad * math.sin(x + math.pi / 2)),
    "square": (square, lambda out_grad, x: (x + x) * out_grad),
    "exp from out": (lambda x: math.exp(x), lambda out_grad, out: out * out_grad),
    "sigmoid from out": (sigmoid, lambda out_grad, out: out_grad * (out - out * out)),
    "sigmoid from x": (
        sigmoid, lambda out_grad, x: out_grad / (2 + math.exp(x) + math.exp(-x)),
    ),
    "leaky": (leaky, lambda out_grad, x: out_grad * 0.1 if x <= 0 else out_grad),
    "smooth": (smooth, lambda out_grad, x, *, sigma: out_grad * max(-1.0, min(1.0, x * sigma**2))),
    "huber": (huber, lambda out_grad, x, *, d: out_grad * (x if -d < x < d else math.copysign(d, x))),
    "tanh": (lambda x: math.tanh(x), lambda out_grad, x: out_grad / math.cosh(x) ** 2),
    "quotient": (
        lambda x, y: x / y, lambda out_grad, out, y: (out_grad / y, -out_grad * out / y),
    ),
    "sphere": (sphere, lambda out_grad, out, x, y: (out_grad * x / out, out_grad * y / out)),
    "loop": (power_loop, lambda out_grad, x: out_grad * 20 * x**19),
    "two outputs": (
        lambda x: (x * x, x**3), lambda out_grad0, out_grad1, x: x * (2 * out_grad0 + 3 * out_grad1 * x),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_gradient_is_refused(name):
    """The message says where, what was given and what is right."""
    fn, gradient = WRONG[name]
    with pytest.raises(
        CertificateError, match=r"is wrong at .*=.*: it gives .*, .* give"
    ) as caught:
        ng.op(fn).gradient(gradient)
    assert "certify=False" in str(caught.value)


@pytest.mark.parametrize("name", RIGHT)
def test_a_right_gradient_passes(name):
    fn, gradient = RIGHT[name]
    op = ng.op(fn)
    assert op.gradient(gradient) is op


def test_a_wrong_gradient_is_used_when_told_to():
    """SMP-15, API: certify=False."""
    op = ng.op(certify=False)(square).gradient(lambda out_grad, x: out_grad * 7 * x)
    with ng.config(compiler="python"):
        assert op.derivative(0)(2.0) == 14.0


def by_halves(x):
    low, high = 0.0, max(1.0, x)
    while high - low > 1e-10:
        middle = (low + high) / 2
        if middle**3 < x:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def by_halves_of_a_product(x, y):
    low, high = 0.0, 40.0
    at = lambda t: t + math.exp(t / 8) - abs(x) - abs(y)
    for _ in range(60):
        middle = 0.5 * (low + high)
        if at(low) * at(middle) <= 0:
            high = middle
        else:
            low = middle
    return low


def by_halves_to_a_tolerance(x, tolerance=1e-7):
    low, high = 0.0, 40.0
    while high - low > tolerance:
        middle = 0.5 * (low + high)
        if middle * middle < x:
            low = middle
        else:
            high = middle
    return low


def by_golden_sections(x):
    least = lambda u: (u - math.sin(x)) ** 2 + 0.1 * u**4
    share, low, high = (math.sqrt(5.0) - 1.0) / 2.0, -2.0, 2.0
    for _ in range(30):
        first, second = high - share * (high - low), low + share * (high - low)
        if least(first) < least(second):
            high = second
        else:
            low = first
    return (low + high) / 2.0


BISECTIONS = [by_halves, by_halves_of_a_product, by_halves_to_a_tolerance, by_golden_sections]


@pytest.mark.parametrize("fn", BISECTIONS, ids=lambda fn: fn.__name__)
def test_the_slope_of_a_step_of_a_bisection_is_refused(fn):
    """The value is there; its slope is that of no root."""
    x = np.array([2.0, 7.0])
    operands = [x] * (fn.__code__.co_argcount - len(fn.__defaults__ or ()))
    op = ng.op(fn)
    np.testing.assert_allclose(op(*operands), [fn(*row) for row in zip(*operands, strict=True)])
    with pytest.raises(CertificateError, match=r"narrows an interval \(test_certificate.py:\d+\)"):
        op.derivative(0)(*operands)


def least_of_a_narrowed_interval(x):
    low, high = -30.0, 30.0
    for _ in range(80):
        a, b = low + (high - low) / 3, high - (high - low) / 3
        if (a - x) ** 2 < (b - x) ** 2:
            high = b
        else:
            low = a
    return ((low + high) / 2 - x) ** 2 + 3.0 * x


def bounces(x):
    place, speed = 1.0, 0.0
    for _ in range(200):
        speed -= 0.01 * x
        place += 0.01 * speed
        if place < 0:
            place, speed = -place, -0.8 * speed
    return place


def nearest_of_a_grid(x):
    best, place = 1e9, 0.0
    for k in range(300):
        if (gap := abs(k * 0.1 - x)) < best:
            best, place = gap, k * 0.1
    return place * x


def rounded_beside_a_tolerance_of_retries(x):
    tolerance = 1e-12
    for _ in range(40):
        if abs(math.sin(x)) * 1e-9 > tolerance:
            tolerance = tolerance + tolerance
        else:
            break
    return round(x * 1e4) / 1e4 + tolerance


OTHERS = [least_of_a_narrowed_interval, bounces, nearest_of_a_grid]
OTHERS += [rounded_beside_a_tolerance_of_retries]


@pytest.mark.parametrize("fn", OTHERS)
def test_other_loops_that_decide_keep_their_slopes(fn):
    x = np.array([1.23, 2.37])
    slopes = [(fn(v + 1e-7) - fn(v - 1e-7)) / 2e-7 for v in x.tolist()]
    np.testing.assert_allclose(ng.op(fn).derivative(0)(x), slopes, rtol=1e-4, atol=1e-6)


KINKS = {
    "abs": (lambda x: abs(-x), [0.0]),
    "relu": (lambda x: max(x, 0.0), [0.0]),
    "leaky": (leaky, [0.0]),
    "hinge": (lambda x: max(0.0, 1 - x), [1.0]),
    "tent": (lambda x: 1 - abs(x - 2) if abs(x - 2) < 1 else 0.0, [1.0, 2.0, 3.0]),
    "clip": (lambda x: np.clip(x, -0.5, 0.25), [-0.5, 0.25]),
    "huber": (huber, []),
    "smooth": (square, []),
}


@pytest.mark.parametrize("name", KINKS)
def test_kinks_are_reported_not_refused(name):
    fn, places = KINKS[name]
    (found,) = certified.certificates(ng.op(fn).scalar, "x")
    at = sorted({round(place, 6) for place, _, _ in found.kinks})
    assert at == places
    assert found.points >= 24
    assert found.worst < 1e-9


PLANTED = {  # all rules: test_rules.py
    "sin": lambda x: math.sin(x) + 0.123,
    "tanh": lambda x: math.tanh(x) + 0.123,
    "pow": lambda x: abs(x) ** 2.7 + 0.123,
}


@pytest.mark.parametrize("rule", PLANTED)
def test_a_bug_in_a_rule_is_caught_before_a_value_leaves(rule, monkeypatch):
    row = FUNCTIONS[rule]

    def wrong(right):
        return right and (lambda y, *args: 1.0001 * right(y, *args))

    for index, right in row.slopes.items():
        monkeypatch.setitem(row.slopes, index, wrong(right))
    monkeypatch.setattr(row, "accurate", wrong(row.accurate))
    slope = ng.op(PLANTED[rule]).derivative("x")
    with pytest.raises(CertificateError, match="wrong at x="):
        slope(np.linspace(0.1, 1, 5))
    with pytest.raises(CertificateError):  # and again: nothing was taken for granted
        slope(np.linspace(0.1, 1, 5))


BROKEN = {
    "_mul": (lambda self, n: self._times(n.args[1], self._d(n.args[0])), lambda x: x * math.sin(x)),
    "_sub": (lambda self, n: self._d(n.args[0]) or self._d(n.args[1]), lambda x: x * x - x),
    "_div": (lambda self, n: self._d(n.args[0]), lambda x: x / (1 + x * x)),
    "_abs": (lambda self, n: self._d(n.args[0]), lambda x: abs(x) + 1.5),
    "_select": (
        lambda self, n: self._graph.select(n.args[0], *(self._d(a) or self._graph.const(0.0)
                                                        for a in n.args[:0:-1])),
        lambda x: x * x if x > 0.25 else 0.5 * x,
    ),
}  # fmt: skip


@pytest.mark.parametrize("method", BROKEN)
def test_a_bug_in_the_forward_mode_is_caught(method, monkeypatch):
    broken, fn = BROKEN[method]
    monkeypatch.setattr(derivative.Forward, method, broken)
    with pytest.raises(CertificateError):
        ng.op(fn).derivative("x")(np.linspace(0.1, 1, 5))


def test_certificates_are_quick_and_found_again(monkeypatch):
    """At most 50 ms on a quiet machine; a second process, or operator, reads it from disk."""
    fn = lambda x: math.exp(-x * x) / (1 + math.exp(-3 * x))  # noqa: E731
    (first,) = certified.certificates(ng.op(fn).scalar, "x")
    assert first.seconds < 0.5
    monkeypatch.setattr(certificate._Checker, "run", lambda self: pytest.fail("checked again"))
    (again,) = certified.certificates(ng.op(fn).scalar, "x")
    assert (again.points, again.worst) == (first.points, first.worst)
    assert f"{again.points} points" in str(again)


def test_second_derivatives_have_certificates_of_both_orders():
    found = certified.certificates(ng.op(lambda x: x * math.tanh(x) + 0.5).scalar, "x", order=2)
    assert len(found) == 2
    assert all(c.points >= 24 and c.worst < 1e-9 for c in found)


def test_a_changed_global_is_checked_again():
    """A hand-written gradient that no longer fits is refused at its next use."""
    space = {"math": math}
    globals()["_rate"] = 2.0
    try:
        op = ng.op(lambda x: math.exp(_rate * x)).gradient(  # noqa: F821
            lambda out_grad, out: 2.0 * out_grad * out
        )
        with ng.config(compiler="python"):
            slope = op.derivative(0)
            np.testing.assert_allclose(slope(0.5), 2 * math.e)
            globals()["_rate"] = 3.0
            with pytest.raises(CertificateError):
                slope(0.5)
    finally:
        del globals()["_rate"], space


def test_steps_closer_than_any_difference_are_not_taken_for_a_slope():
    """10**d has no value in float64 at points where a step of round() is below every difference."""

    def rounded(x, d):
        scale = 10 ** (d - math.floor(math.log10(abs(x))))
        return round(x * scale) / scale

    slope = ng.op(rounded).derivative("d")(0.65, 1.2)
    np.testing.assert_allclose(slope, -math.log(10) * rounded(0.65, 1.2), rtol=1e-12)


def test_none_says_not_differentiable():
    op = ng.op(lambda x, n: x * n).gradient(lambda out_grad, x, n: (out_grad * n, None))
    with ng.config(compiler="python"):
        assert op.derivative("x")(3.0, 2.0) == 2.0
    with pytest.raises(ng.errors.DerivativeError):
        op.derivative("n")
