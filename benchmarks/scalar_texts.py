"""Scalar functions as people write them, for `benchmarks.scalar_corpus`."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

SIZE = 100_000

Function = Callable[..., Any]


@dataclass(frozen=True, slots=True)
class Case:
    """A scalar function and the interval that its operands are drawn from."""

    function: Function
    low: float
    high: float

    @property
    def name(self) -> str:
        """What the function is called."""
        return self.function.__name__

    def operands(self, dtype: str) -> list[np.ndarray[Any, Any]]:
        """An array for each operand that the function needs."""
        random = np.random.default_rng(0)
        count = self.function.__code__.co_argcount
        return [random.uniform(self.low, self.high, SIZE).astype(dtype) for _ in range(count)]


CASES: list[Case] = []


def case(low: float = 0.1, high: float = 2.0) -> Callable[[Function], Function]:
    """Add a function to the list."""

    def add(function: Function) -> Function:
        CASES.append(Case(function, low, high))
        return function

    return add


# powers


@case(0.9, 1.1)
def power_12(x):
    return x**12


@case(0.9, 1.1)
def power_minus_14(x):
    return x**-14


@case(0.5, 2.0)
def lennard_jones(r):
    return 4.0 * ((1.0 / r) ** 12 - (1.0 / r) ** 6)


@case(0.9, 1.1)
def math_pow_9(x):
    return math.pow(x, 9)


@case()
def power_3_halves(x):
    return x**1.5


@case()
def power_minus_5_halves(x):
    return x**-2.5


@case()
def cube_root(x):
    return x ** (1.0 / 3.0)


@case(0.9, 1.1)
def compound(rate):
    return (1.0 + rate / 12.0) ** 360


@case()
def power_of_two_operands(x, y):
    return x**y


@case(50.0, 900.0)
def potential_temperature(p):
    return 300.0 * (1000.0 / p) ** 0.286


# remainders and roundings


@case(-400.0, 400.0)
def degrees_wrapped(a):
    return a % 360.0


@case(-10.0, 10.0)
def angle_difference(a, b):
    return (a - b + math.pi) % (2.0 * math.pi) - math.pi


@case(-50.0, 50.0)
def floor_division(x):
    return x // 0.3


@case(-50.0, 50.0)
def remainder_of_operands(x, y):
    return x % y


@case(-50.0, 50.0)
def fmod_of_operands(x, y):
    return np.fmod(x, y)


@case(-50.0, 50.0)
def fmod_of_a_constant(x):
    return np.fmod(x, 1.7)


@case(-50.0, 50.0)
def fraction(x):
    return x - math.floor(x)


@case(-50.0, 50.0)
def sawtooth(x):
    return 2.0 * (x % 1.0) - 1.0


@case(-50.0, 50.0)
def roundings(x):
    return math.floor(x) + math.ceil(x) + math.trunc(x)


@case(-50.0, 50.0)
def rounded(x):
    return round(x) * 0.5


@case(-50.0, 50.0)
def truncated(x):
    return int(x) * 0.25 + int(x / 3.0)


@case(-50.0, 50.0)
def parity(x):
    return 1.0 if int(x) % 2 == 0 else -1.0


@case(1900.0, 2100.0)
def julian_day(y):
    a = math.floor(y / 100.0)
    return math.floor(365.25 * (y + 4716.0)) + 2.0 - a + math.floor(a / 4.0) - 1524.5


@case(-10.0, 10.0)
def signs(x, y):
    return math.copysign(x, y) + abs(x) - math.fabs(y)


# loops with constant bounds


@case()
def harmonic_20(x):
    total = 0.0
    for i in range(1, 21):
        total += x / i
    return total


COEFFICIENTS = tuple((-1.0) ** k / math.factorial(min(k, 20)) for k in range(64))


@case(-1.0, 1.0)
def table_20(x):
    total = 0.0
    for i in range(20):
        total = total * x + COEFFICIENTS[i]
    return total


@case(-1.0, 1.0)
def table_64(x):
    total = 0.0
    for i in range(64):
        total = total * x + COEFFICIENTS[63 - i]
    return total


@case(-1.0, 1.0)
def power_series_30(x):
    total, term = 1.0, 1.0
    for n in range(1, 31):
        term *= x / n
        total += term
    return total


@case(-1.0, 1.0)
def fourier_24(x):
    total = 0.0
    for n in range(1, 25):
        total += math.sin(n * x) / n
    return total


@case(-1.0, 1.0)
def simpson_100(x):
    h = x / 100
    total = 1.0 + math.exp(-x * x)
    for i in range(1, 100):
        t = i * h
        total += (4.0 if i % 2 == 1 else 2.0) * math.exp(-t * t)
    return total * h / 3.0


@case(1.0, 100.0)
def logs_of_powers(x):
    total = 0.0
    for p in range(1, 11):
        total += math.log2(x / 3.0**p)
    return total


@case(0.5, 3.9)
def logistic_map_100(r):
    x = 0.5
    for _ in range(100):
        x = r * x * (1.0 - x)
    return x


@case(-1.0, 1.0)
def legendre_20(x):
    p0, p1 = 1.0, x
    for n in range(2, 21):
        p0, p1 = p1, ((2.0 * n - 1.0) * x * p1 - (n - 1.0) * p0) / n
    return p1


@case(50.0, 150.0)
def binomial_tree_20(s):
    u = 1.02
    total = 0.0
    for j in range(21):
        total += max(s * u ** (2 * j - 20) - 100.0, 0.0)
    return total / 21.0


# loops that end by values


@case(0.1, 50.0)
def newton_for(x):
    y = x
    for _ in range(8):
        y = 0.5 * (y + x / y)
    return y


@case(0.1, 50.0)
def newton_while(x):
    y, k = x, 0
    while k < 8:
        y = 0.5 * (y + x / y)
        k += 1
    return y


@case(0.1, 50.0)
def newton_until(x):
    y = x
    while abs(y * y - x) > 1e-5 * x:
        y = 0.5 * (y + x / y)
    return y


@case(0.1, 50.0)
def newton_break(x):
    y = x
    for _ in range(50):
        z = 0.5 * (y + x / y)
        if abs(z - y) < 1e-5 * z:
            break
        y = z
    return y


@case(0.05, 3.0)
def kepler(mean):
    e = 0.3
    anomaly = mean
    for _ in range(30):
        step = (anomaly - e * math.sin(anomaly) - mean) / (1.0 - e * math.cos(anomaly))
        anomaly -= step
        if abs(step) < 1e-5:
            break
    return anomaly


@case(-1.5, 0.5)
def mandelbrot(cr, ci):
    zr, zi, n = 0.0, 0.0, 0
    while zr * zr + zi * zi < 4.0 and n < 50:
        zr, zi = zr * zr - zi * zi + cr, 2.0 * zr * zi + ci
        n += 1
    return n


@case(0.0, 3.0)
def bisection(target):
    low, high = 0.0, 2.0
    while high - low > 1e-5:
        middle = 0.5 * (low + high)
        if middle**3 < target:
            low = middle
        else:
            high = middle
    return low


@case(0.1, 2.0)
def geometric_mean(a, b):
    while abs(a - b) > 1e-5 * a:
        a, b = 0.5 * (a + b), math.sqrt(a * b)
    return a


@case(1.0, 1000.0)
def halvings(x):
    n = 0
    while x > 1.0:
        x = x / 2.0
        n += 1
    return n


@case(1.0, 1000.0)
def collatz(x):
    n, steps = int(x), 0
    while n != 1 and steps < 200:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
    return steps


@case(0.1, 5.0)
def bessel_series(x):
    term, total, k = 1.0, 1.0, 1
    while abs(term) > 1e-6 * abs(total):
        term *= -0.25 * x * x / (k * k)
        total += term
        k += 1
    return total


# physics, finance, geometry


@case(0.5, 2.0)
def black_scholes(s, k):
    r, sigma, t = 0.05, 0.2, 1.0
    d1 = (math.log(s / k) + (r + 0.5 * sigma * sigma) * t) / (sigma * math.sqrt(t))
    d2 = d1 - sigma * math.sqrt(t)
    n1 = 0.5 * math.erfc(-d1 / math.sqrt(2.0))
    n2 = 0.5 * math.erfc(-d2 / math.sqrt(2.0))
    return s * n1 - k * math.exp(-r * t) * n2


@case(-1.0, 1.0)
def haversine(lat1, lon1, lat2, lon2):
    h = math.sin((lat2 - lat1) / 2.0) ** 2
    h += math.cos(lat1) * math.cos(lat2) * math.sin((lon2 - lon1) / 2.0) ** 2
    return 2.0 * 6371.0 * math.asin(math.sqrt(h))


@case(0.1, 2.0)
def planck(wavelength, temperature):
    a = 1.191 / wavelength**5
    return a / (math.exp(1.4388 / (wavelength * temperature)) - 1.0)


@case(-30.0, 40.0)
def saturation_pressure(t):
    return 6.112 * math.exp(17.67 * t / (t + 243.5))


@case(-5.0, 5.0)
def quadratic_root(a, b, c):
    d = b * b - 4.0 * a * c
    if d < 0.0:
        return math.nan
    return (-b + math.sqrt(d)) / (2.0 * a)


@case(-5.0, 5.0)
def polar_angle(x, y):
    return math.degrees(math.atan2(y, x))


@case(-5.0, 5.0)
def distance(x, y):
    return math.hypot(x, y)


@case(-3.0, 3.0)
def normal_distribution(x):
    return 0.5 * (1.0 + math.erf(x / math.sqrt(2.0)))


@case(0.5, 20.0)
def log_gamma(x):
    return math.lgamma(x)


@case(0.5, 20.0)
def gamma(x):
    return math.gamma(x)


@case(0.1, 0.9)
def entropy(p):
    return -p * math.log2(p) - (1.0 - p) * math.log2(1.0 - p)


@case(0.0, 200_000.0)
def income_tax(income):
    if income <= 10_000:
        return 0.0
    elif income <= 40_000:
        return 0.1 * (income - 10_000)
    elif income <= 90_000:
        return 3_000 + 0.2 * (income - 40_000)
    return 13_000 + 0.4 * (income - 90_000)


@case(-2.0, 2.0)
def inside(x, y):
    return 0.0 < x < 1.0 and -1.0 <= y <= 1.0


@case(-2.0, 2.0)
def in_circle(x, y):
    return x * x + y * y <= 1.0


@case(0.0, 1.0)
def gamma_corrected(c):
    return 12.92 * c if c <= 0.0031308 else 1.055 * c ** (1.0 / 2.4) - 0.055


@case(-2.0, 2.0)
def smoothstep(x):
    t = min(max(x, 0.0), 1.0)
    return t * t * (3.0 - 2.0 * t)


@case(1e3, 1e6)
def friction_factor(reynolds):
    f = 0.02
    for _ in range(10):
        f = 1.0 / (-2.0 * math.log10(1e-4 / 3.7 + 2.51 / (reynolds * math.sqrt(f)))) ** 2
    return f


@case(0.1, 2.0)
def relativistic(v):
    return 1.0 / math.sqrt(1.0 - (v / 3.0) ** 2)


@case(-3.0, 3.0)
def sinc(x):
    return 1.0 if x == 0 else math.sin(math.pi * x) / (math.pi * x)
