"""Roots and integrals of functions inside scalar functions: SciPy's values, implicit slopes."""

import math

import numpy as np
import pytest
import scipy.optimize
import scipy.special
from scipy.integrate import fixed_quad, quad, simpson, trapezoid
from scipy.optimize import bisect, brentq, newton, ridder

import nbgraph as ng

M, E = np.array([0.3, 1.0, 2.5]), np.array([0.1, 0.5, 0.9])


def by_brent(m, e):
    return brentq(lambda x: x - e * math.sin(x) - m, 0.0, 7.0, full_output=False)


def by_newton(m, e):
    def excess(x):
        return x - e * math.sin(x) - m

    return newton(excess, m, disp=False)


def by_halving(m, e):
    return scipy.optimize.bisect(lambda x, q: x - q * math.sin(x) - m, 0.0, 7.0, args=(e,))


@pytest.mark.parametrize("solve", [by_brent, by_newton, by_halving])
def test_roots_and_their_slopes(solve):
    """Kepler's equation: d x / d m = 1 / (1 - e cos x), d x / d e = sin x times that."""
    op = ng.op(solve)
    x = op(M, E)
    np.testing.assert_allclose(x - E * np.sin(x), M, rtol=1e-15, atol=1e-15)
    np.testing.assert_allclose(x, np.vectorize(solve)(M, E), rtol=1e-8)
    _, back = ng.vjp(op, M, E)
    by_m, by_e = map(np.asarray, back(np.ones(3)))
    np.testing.assert_allclose(by_m, 1 / (1 - E * np.cos(x)), rtol=5e-12)
    np.testing.assert_allclose(by_e, np.sin(x) / (1 - E * np.cos(x)), rtol=5e-12)


@pytest.mark.parametrize("solve", [brentq, bisect, ridder])
def test_a_second_slope_is_that_of_the_implicit_function(solve):
    root = ng.op(lambda c: solve(lambda u: u**3 - c, 0.0, 3.0))
    second = root.derivative("c").derivative("c")
    np.testing.assert_allclose(second(M), -2 / 9 * M ** (-5 / 3), rtol=1e-11)


@pytest.mark.parametrize("solve", [by_brent, by_newton, by_halving])
def test_roots_in_float32(solve):
    """Which may not come to a tolerance that is meant for float64."""
    got = ng.op(solve)(M.astype(np.float32), E.astype(np.float32))
    assert got.dtype == np.float32
    np.testing.assert_allclose(got, by_brent_of(M, E), rtol=1e-6)


def by_brent_of(m, e):
    return np.vectorize(by_brent)(m, e)


def test_a_root_that_is_an_end_and_one_that_is_not_there():
    op = ng.op(lambda a: ridder(lambda x: x * x - a, 0.0, 3.0))
    assert op(9.0) == 3.0 and op(0.0) == 0.0
    assert math.isnan(op(10.0)) and math.isnan(op(-1.0))
    halved = ng.op(lambda a: bisect(lambda x: x * x - a, 0.0, 3.0))
    assert math.isnan(halved(10.0))


def bell(a, b):
    return quad(lambda t: math.exp(-a * t * t), 0, b)[0]


def fading(a, b):
    value, _ = quad(lambda t, rate: math.exp(-rate * t) * math.cos(t), b, np.inf, args=(a,))
    return value


def whole(a, b):
    return quad(lambda t: b / (a * a + t * t), -np.inf, np.inf)[0]


@pytest.mark.parametrize("integral", [bell, fading, whole])
def test_integrals(integral):
    got = ng.op(integral)(np.array([0.7, 2.0]), np.array([1.5, 0.2]))
    want = np.vectorize(integral)(np.array([0.7, 2.0]), np.array([1.5, 0.2]))
    np.testing.assert_allclose(got, want, rtol=1e-9)


def test_the_slope_of_an_integral():
    """By a parameter of the function, and by a limit: the function there."""
    _, back = ng.vjp(ng.op(bell), np.float64(0.7), np.float64(1.5))
    by_a, by_b = back(np.float64(1.0))
    assert by_b == pytest.approx(math.exp(-0.7 * 2.25), rel=1e-13)
    inner = quad(lambda t: -t * t * math.exp(-0.7 * t * t), 0, 1.5)[0]
    assert by_a == pytest.approx(inner, rel=1e-12)


def power_at_zero(a):
    return quad(lambda t: t**-a, 0.0, 1.0)[0]


def power_at_one(a):
    return quad(lambda t: (1.0 - t) ** -a, 0.0, 1.0)[0]


def gamma(a):
    return quad(lambda t: t ** (a - 1.0) * math.exp(-t), 0.0, np.inf)[0]


def slow_tail(a):
    return quad(lambda t: t ** (-1.0 - a), -np.inf if a > 9.0 else 1.0, np.inf)[0]


def kink(a):
    return quad(lambda t: abs(t - a), 0.0, 1.0)[0]


def step(a):
    return quad(lambda t: 1.0 if t > a else 0.0, 0.0, 1.0)[0]


@pytest.mark.parametrize(
    ("integral", "exact", "rtol"),
    [
        (power_at_zero, lambda a: 1 / (1 - a), 1e-9),
        (power_at_one, lambda a: 1 / (1 - a), 1e-3),  # floats near 1 lie 1e-16 apart
        (gamma, scipy.special.gamma, 1e-9),
        (slow_tail, lambda a: 1 / a, 1e-9),
        (kink, lambda a: a * a - a + 0.5, 1e-9),
        (step, lambda a: 1 - a, 1e-9),
    ],
)
def test_integrals_that_one_panel_does_not_see(integral, exact, rtol):
    """Singular ends, slow tails, kinks and steps: narrower panels where they are."""
    a = np.array([0.3, 0.5, 0.8])
    np.testing.assert_allclose(ng.op(integral)(a), exact(a), rtol=rtol)
    assert np.isfinite(ng.op(integral)(a.astype(np.float32))).all()


# rules of integration ---------------------------------------------------------------------------


def of_five_points(a):
    return fixed_quad(lambda t: np.exp(a * t), 0.0, 1.5)[0]


def of_seven_points(a):
    return fixed_quad(lambda t, k: np.exp(a * t * k), -1.0, 1.5, args=(2.0,), n=7)[0]


def by_lines(a):
    return trapezoid([a, 2 * a, 3.0], [0.0, 1.0, 3.0]) + np.trapezoid([a, a * a, 1.0], dx=0.5)


def by_parabolas(a):
    return simpson([a, 2 * a, 3.0], dx=0.5)


def by_an_even_number(a):
    return simpson([a, 2 * a * a, 3.0, 7.0], x=[0.0, 1.0, 1.5, 3.0])


def by_a_list(a):
    values = [a]
    for k in range(5):
        values.append(math.sin(a * k))
    return simpson(values) + simpson([a, 2.0])


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(
    "rule",
    [of_five_points, of_seven_points, by_lines, by_parabolas, by_an_even_number, by_a_list],
)
def test_rules_of_integration(rule, dtype):
    op, a = ng.op(rule), np.array([0.3, 0.7, 1.1])
    eps = 16 * np.finfo(dtype).eps
    wanted = np.array([float(np.squeeze(rule(v))) for v in a])
    np.testing.assert_allclose(op(a.astype(dtype)), wanted, rtol=eps)
    h = 1e-6
    slopes = [float(np.squeeze(rule(v + h) - rule(v - h))) / (2 * h) for v in a]
    np.testing.assert_allclose(op.derivative(0)(a.astype(dtype)), slopes, rtol=max(1e-8, 4 * eps))
