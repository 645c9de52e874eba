"""Numerical methods in the text: quadrature, roots, series, splines, differential equations."""

import functools
import itertools
import math
import statistics
from functools import partial

import numpy as np
from scipy import integrate, special

from tests.corpus.samples import sample

KNOTS = np.array([0.0, 1.0, 2.5, 4.0, 5.0])

HEIGHTS = np.array([1.0, 2.0, 0.5, 1.5, 1.0])

SLOPES = np.array([0.8, 0.1, -0.2, 0.3, -0.4])

POLYNOMIAL = (1.0, -2.0, 0.5, 0.25, -0.125)

BERNOULLI = [1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66]


@sample("for", "closure", "nested", a=(0.0, 1.0), b=(1.0, 3.0), ulps=64)
def simpson(a, b, n=20):
    def f(x):
        return math.exp(-x * x) * math.cos(3 * x)

    h = (b - a) / n
    total = f(a) + f(b)
    for i in range(1, n):
        total += 4 * f(a + i * h) if i % 2 else 2 * f(a + i * h)
    return total * h / 3


@sample("local", "for", "lists", b=(0.5, 3.0), ulps=200)
def romberg(b):
    rows = np.zeros((5, 5))
    h = b
    rows[0, 0] = 0.5 * h * (1.0 + 1 / (1 + b * b))
    for i in range(1, 5):
        h *= 0.5
        total = 0.0
        for k in range(1, 2**i, 2):
            total += 1 / (1 + (k * h) ** 2)
        rows[i, 0] = 0.5 * rows[i - 1, 0] + h * total
        for j in range(1, i + 1):
            rows[i, j] = rows[i, j - 1] + (rows[i, j - 1] - rows[i - 1, j - 1]) / (4**j - 1)
    return rows[4, 4]


@sample("while", "convergence", "lambda", c=(0.1, 50.0))
def newton_with_lambdas(c):
    f = lambda x: x**3 - x - c
    df = lambda x: 3 * x**2 - 1
    x = c + 1.0
    for _ in range(100):
        step = f(x) / df(x)
        x -= step
        if abs(step) <= 1e-12 * abs(x):
            break
    return x


@sample("while", "early", "convergence", y=(-2.0, 2.0), ulps=200)
def secant(y):
    f = lambda x: math.sinh(x) - y
    x0, x1 = 0.0, 1.0
    f0, f1 = f(x0), f(x1)
    n = 0
    while n < 50:
        if f1 == f0:
            return x1
        x0, x1 = x1, x1 - f1 * (x1 - x0) / (f1 - f0)
        f0, f1 = f1, f(x1)
        if abs(x1 - x0) < 1e-13:
            return x1
        n += 1
    return x1


@sample("for", "nested", "tuple", "outputs", t=(0.1, 3.0), ulps=200)
def pendulum(t, theta=1.0, omega=0.0):
    def rates(q, p):
        return p, -9.81 * math.sin(q)

    h = t / 30
    for _ in range(30):
        a1, b1 = rates(theta, omega)
        a2, b2 = rates(theta + h / 2 * a1, omega + h / 2 * b1)
        a3, b3 = rates(theta + h / 2 * a2, omega + h / 2 * b2)
        a4, b4 = rates(theta + h * a3, omega + h * b3)
        theta += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4)
        omega += h / 6 * (b1 + 2 * b2 + 2 * b3 + b4)
    return theta, omega


@sample("for", x=(0.05, 5.0))
def tanh_fraction(x):
    acc = 0.0
    for k in range(29, 1, -2):
        acc = x * x / (k + acc)
    return x / (1 + acc)


@sample("table", "for", x=(-3.0, 3.0), ulps=200)
def horner(x):
    acc = 0.0
    for c in POLYNOMIAL:
        acc = acc * x + c
    return acc


@sample("interp", "table", x=(-3.0, 3.0), ulps=200)
def polyval(x):
    return np.polyval(POLYNOMIAL, x)


@sample("table", "while", "power", "whole", x=(-0.5, 5.5), at=[(0.0,), (2.5,)], ulps=64)
def hermite_spline(x):
    lo, hi = 0, len(KNOTS) - 1
    while hi - lo > 1:
        mid = (lo + hi) // 2
        if KNOTS[mid] > x:
            hi = mid
        else:
            lo = mid
    h = KNOTS[hi] - KNOTS[lo]
    t = (x - KNOTS[lo]) / h
    return (
        (1 + 2 * t) * (1 - t) ** 2 * HEIGHTS[lo]
        + t * (1 - t) ** 2 * h * SLOPES[lo]
        + t * t * (3 - 2 * t) * HEIGHTS[hi]
        + t * t * (t - 1) * h * SLOPES[hi]
    )


@sample("local", "for", "lists", x=(0.0, 4.0), ulps=400)
def neville(x):
    xs = [0.0, 1.0, 2.0, 3.0]
    p = [math.exp(-v) for v in xs]
    for k in range(1, 4):
        for i in range(4 - k):
            p[i] = ((x - xs[i + k]) * p[i] + (xs[i] - x) * p[i + 1]) / (xs[i] - xs[i + k])
    return p[0]


@sample("while", "tuple", "convergence", a=(0.1, 10.0), b=(0.1, 10.0))
def arithmetic_geometric(a, b):
    for _ in range(12):
        a, b = (a + b) / 2, math.sqrt(a * b)
        if abs(a - b) < 1e-15 * a:
            break
    return a


@sample("recursion", "table", "for", x=(-4.3, 12.0), ulps=2e3)
def digamma(x):
    if x < 0.5:
        return digamma(1 - x) - math.pi / math.tan(math.pi * x)
    shift = 0.0
    for _ in range(6):
        shift -= 1 / x
        x += 1
    inverse = 1 / (x * x)
    series, power = 0.0, inverse
    for k in range(5):
        series += BERNOULLI[k] / (2 * (k + 1)) * power
        power *= inverse
    return shift + math.log(x) - 0.5 / x - series


@sample("recursion", "whole", x=(-1.0, 1.0), n=(0, 6), ulps=200)
def legendre(x, n):
    if n == 0:
        return 1.0
    if n == 1:
        return x
    return ((2 * n - 1) * x * legendre(x, n - 1) - (n - 1) * legendre(x, n - 2)) / n


@sample("for", "unbound", x=(-1.0, 1.0), n=(2, 9), ulps=200)
def chebyshev(x, n):
    a, b = 1.0, x
    for _ in range(2, n + 1):
        a, b = b, 2 * x * b - a
    return b


@sample("for", "generator", s=(1.5, 8.0), ulps=64)
def zeta(s):
    """Euler and Maclaurin."""
    n = 10
    total = sum(k**-s for k in range(1, n))
    total += n ** (1 - s) / (s - 1) + 0.5 * n**-s
    return total + s * n ** (-s - 1) / 12 - s * (s + 1) * (s + 2) * n ** (-s - 3) / 720


@sample("early", "branches", x=(-2.0, 2.0), at=[(0.0,), (1e-9,)], ulps=64)
def sinhc(x):
    if abs(x) < 1e-4:
        return 1 + x * x / 6
    return math.sinh(x) / x


@sample("partial", "lambda", "closure", x=(-2.0, 2.0), ulps=64)
def powers_by_closures(x):
    def power_of(n):
        return lambda v: v**n

    square, cube = power_of(2), power_of(3)
    scaled = partial(lambda k, v: k * v, 0.5)
    return square(x) + scaled(cube(x))


@sample("walrus", "while", x=(0.0, 60.0), ulps=64)
def reduce_and_sum(x):
    total = 0.0
    while (y := x / 2) > 1:
        total += y
        x = y - 0.25
    return total + y


@sample("match", "whole", "power", x=(0.1, 3.0), kind=(0, 4))
def choose_kernel(x, kind):
    match kind:
        case 0:
            return math.exp(-x * x)
        case 1 | 2:
            return 1 / (1 + x)
        case 3:
            return x**2.5
        case _:
            return 0.0


@sample("fparts", "for", x=(1e-3, 1e3))
def logarithm_by_frexp(x):
    m, e = math.frexp(x)
    if m < 0.7071067811865476:
        m *= 2
        e -= 1
    s = (m - 1) / (m + 1)
    total, power = 0.0, s
    for k in range(1, 26, 2):
        total += power / k
        power *= s * s
    return 2 * total + e * 0.6931471805599453


@sample("fparts", "branches", x=(-20.0, 20.0), ulps=64)
def exponential_by_ldexp(x):
    k = math.floor(x / 0.6931471805599453 + 0.5)
    r = x - k * 0.6931471805599453
    total = term = 1.0
    for n in range(1, 16):
        term *= r / n
        total += term
    return math.ldexp(total, int(k))


@sample("try", "early", "branches", x=(-3.0, 3.0), edges=[(0.0,), (1.0,)], ulps=64)
def safe_ratio(x):
    try:
        return math.sin(x) / (x * (x - 1))
    except ZeroDivisionError:
        return 0.0


@sample("interp", "branches", x=(-4.0, 4.0))
def select_piece(x):
    return np.select([x < -1, x < 1, x >= 1], [-x, x * x, 2 - 1 / x], 0.0)


@sample("mixed", "logic", x=(-2.0, 2.0), y=(-2.0, 2.0), smooth="")
def truthy_numbers(x, y):
    flag = x > 0 and y
    other = not x or y > 1
    return flag + other * 2


@sample("dtype", "njit", x=(-3.0, 3.0))
def typed_ones(x):
    one = np.ones_like(x)
    return one / (one + np.exp(-x)) + x.dtype.type(0.5)


@sample("minmax", "rounding", "whole", x=(-50.0, 50.0), smooth="")
def banker(x):
    q, r = divmod(x, 5)
    return round(x, 1) + round(x) + q + (r > 2.5) + abs(int(x)) % 3


@sample("power", "branches", x=(-3.0, 3.0), n=(-3, 5), at=[(0.0, 2), (-2.0, 3)])
def integer_power(x, n):
    if n < 0:
        return (1 / x) ** -n if x != 0 else 0.0
    return x**n


@sample("lists", "none", "solver", "default", a=(0.5, 2.0), ulps=64)
def simpson_of_samples(a):
    x = np.linspace(0, 1, 11)
    y = np.exp(-a * x)
    return integrate.simpson(y, x=x) + area(y, x) + area(y)


def area(y, x=None):
    steps = [0.1] * (len(y) - 1) if x is None else np.diff(x)
    return sum(0.5 * h * (p + q) for h, p, q in zip(steps, y, y[1:]))


@sample("solver", "lambda", "default", a=(0.5, 2.0), k=(0.2, 3.0), ulps=64)
def quadrature_with_one_argument(a, k):
    return integrate.quad(lambda t, rate: math.exp(-rate * t), 0, a, args=k, limit=100)[0]


@sample("none", "elif", x=(-2.0, 2.0), edges=[(0.0,)])
def one_of_three(x):
    if x < 0:
        return -x
    elif x == 0:
        return 0.0
    elif x > 0:
        return x * x


LENGTHS = {"m": 1.0, "km": 1000.0, "ft": 0.3048}


@sample("str", "static", "dict", "raise", x=(0.0, 5.0), options={"unit": "ft", "to": "km"})
def converted(x, unit, to: str):
    if unit not in LENGTHS or to not in LENGTHS:
        raise ValueError(f"unknown unit {unit!r}")
    return x * LENGTHS[unit] / LENGTHS[to]


class Polynomial:
    def __init__(self, *coefficients):
        self.coefficients = coefficients

    def __call__(self, x):
        return np.polyval(self.coefficients, x)


CUBIC = Polynomial(0.5, -1.0, 0.25, 2.0)


@sample("closure", "power", "nested", x=(-2.0, 2.0), ulps=64)
def through_an_object(x):
    @functools.cache
    def squared(y):
        return CUBIC(y) ** 2

    return squared(x) + squared(0.5)


@sample("stats", "lists", a=(0.5, 2.0), b=(0.1, 3.0))
def spread_of_means(a, b):
    values = [a, b, a + b]
    harmonic, geometric = statistics.harmonic_mean(values), statistics.geometric_mean(values)
    return statistics.mean(values) - harmonic, geometric + special.logsumexp(values)


@sample("for", "lists", "local", a=(0.5, 2.0), slope=(-0.1, 0.1), ulps=400)
def length_along_points(a, slope):
    heights, height = [a], a
    for k in range(1, 20):
        height += slope * math.cos(0.1 * k)
        heights.append(height)
    return sum(math.hypot(1.0, after - before) for before, after in zip(heights, heights[1:]))


@sample("lists", "for", x=(0.1, 2.0))
def lattice_sum(x):
    corners = itertools.product((-1, 1), repeat=3)
    return sum(math.exp(-x * abs(i + 0.5 * j + 0.25 * k)) for i, j, k in list(corners))
