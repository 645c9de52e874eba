"""The beta function, the incomplete one, its inverse and density, in float64.

betainc: the continued fraction (DLMF 8.17.22) by Lentz's method, for the smaller side. Its leading
factor is written with log(1 + u) - u if both parameters are large (Loader, Fast and accurate
computation of binomial probabilities, 2000), and with differences of Stirling's series if one is.
betaincinv: Halley's method (Numerical Recipes, third edition, 6.4), within bounds.
"""

import math

import numpy as np

from nbgraph.kernels.vector_math.formats import scalar, shared
from nbgraph.kernels.vector_math.gamma import series
from nbgraph.kernels.vector_math.wide import (
    EPS,
    SETTLED,
    TINY,
    exp,
    gamma,
    lentz,
    lgamma,
    log,
    log1p,
    log1p_less,
    pow,
)
from nbgraph.native.floats import absolute, fma, sqrt

FAR = 12.0  # from here on Stirling's series is short
ROOT = math.sqrt(2.0 * math.pi)
TRIPS = 20_000


@scalar
def log_ratio(a, b):
    """log(gamma(b) / gamma(a + b)) + a log(b), for b >= FAR and a < b."""
    u = a / b
    return a - (a + b - 0.5) * log1p(u) + series(b) - series(a + b)


@shared
def complete(a, b):
    """gamma(a) gamma(b) / gamma(a + b)."""
    if not (a > 0.0 and b > 0.0):
        if a == 0.0 or b == 0.0:
            return np.inf
        return gamma(a) / gamma(a + b) * gamma(b)
    low, high = min(a, b), max(a, b)
    if low >= FAR:
        s = low + high
        power = low * log(low / s) - high * log1p(low / high)
        return ROOT * sqrt(s / low / high) * exp(power + series(low) + series(high) - series(s))
    if high >= FAR:
        return gamma(low) * pow(high, -low) * exp(log_ratio(low, high))
    if low < 1e-9:
        return 1.0 / low
    return gamma(low) / (gamma(low + high) / gamma(high))


@scalar
def beta(a, b):
    """gamma(a) gamma(b) / gamma(a + b)."""
    return complete(a, b)


@scalar
def betaln(a, b):
    """log |beta(a, b)|."""
    if not (a > 0.0 and b > 0.0):
        return lgamma(a) + lgamma(b) - lgamma(a + b)
    low, high = min(a, b), max(a, b)
    if low >= FAR:
        s = low + high
        power = low * log(low / s) - high * log1p(low / high)
        rest = series(low) + series(high) - series(s)
        return 0.5 * log(2.0 * math.pi * (s / low) / high) + power + rest
    if high >= FAR:
        return lgamma(low) - low * log(high) + log_ratio(low, high)
    return log(complete(low, high))


@shared
def beta_factor(a, b, x, y):
    """x**a y**b / beta(a, b), y = 1 - x, for 0 < x < 1."""
    s = a + b
    if a >= FAR and b >= FAR:
        off = fma(b, x, -a * y)  # s (x - a / s)
        u, v = off / a, -off / b
        power = a * (log1p_less(u) if u > -0.5 else log(x * (s / a)) - u)
        power += b * (log1p_less(v) if v > -0.5 else log(y * (s / b)) - v)
        rest = series(s) - series(a) - series(b)
        return sqrt(a / s * b) / ROOT * exp(power + rest)
    if max(a, b) >= FAR:
        swapped = a > b
        low, high = (b, a) if swapped else (a, b)
        u, v = (y, x) if swapped else (x, y)
        rest = log1p(-u) if u < 0.5 else log(v)
        # u**low v**high high**low / gamma(low)
        power = high * rest - log_ratio(low, high)
        if low > 1.0 or high * u > 1e-200:
            return pow(high * u, low) * exp(power) / gamma(low)
        return exp(low * (log(high) + log(u)) + power) / gamma(low)
    return pow(x, a) * pow(y, b) / complete(a, b)


@scalar
def beta_fraction(a, b, x):
    """The continued fraction of betainc, for x < (a + 1) / (a + b + 2)."""
    s, above, below = a + b, a + 1.0, a - 1.0
    c, d = 1.0, 1.0 - s * x / above
    d = TINY if absolute(d) < TINY else d
    d = 1.0 / d
    h, m, change = d, 0.0, 2.0
    while absolute(change - 1.0) > SETTLED and m < TRIPS:
        m += 1.0
        twice = 2.0 * m
        step = m * (b - m) * x / ((below + twice) * (a + twice))
        c, d = lentz(step, 1.0, c, d)
        h *= d * c
        step = -(a + m) * (s + m) * x / ((a + twice) * (above + twice))
        c, d = lentz(step, 1.0, c, d)
        change = d * c
        h *= change
    return h


@shared
def beta_ratio(a, b, x, y, upper):
    """The share of the beta distribution below x, above it where `upper`; y = 1 - x."""
    if not (a > 0.0 and b > 0.0 and x >= 0.0 and y >= 0.0):
        return np.nan
    if x == 0.0 or y == 0.0:
        return 1.0 if (y == 0.0) != upper else 0.0
    swapped = x * (a + b + 2.0) > a + 1.0
    if swapped:
        a, b, x, y, upper = b, a, y, x, not upper
    share = beta_factor(a, b, x, y) * beta_fraction(a, b, x) / a
    return 1.0 - share if upper else share


# the regularised incomplete beta function
betainc = scalar(lambda a, b, x: beta_ratio(a, b, x, 1.0 - x, False))
betaincc = scalar(lambda a, b, x: beta_ratio(a, b, x, 1.0 - x, True))  # 1 - betainc(a, b, x)


@scalar
def beta_density(a, b, x):
    """x**(a - 1) (1 - x)**(b - 1) / beta(a, b), the slope of betainc by x."""
    if not (a > 0.0 and b > 0.0 and x >= 0.0 and x <= 1.0):
        return np.nan
    if x == 0.0 or x == 1.0:
        power, other = (a, b) if x == 0.0 else (b, a)
        return 0.0 if power > 1.0 else (other if power == 1.0 else np.inf)
    if a < 1.0 and x < 1e-100:
        return pow(x, a - 1.0) / complete(a, b)
    return beta_factor(a, b, x, 1.0 - x) / x / (1.0 - x)


@scalar
def beta_guess(a, b, p):
    """Return the initial value for the inverse."""
    if a >= 1.0 and b >= 1.0:
        tail = p if p < 0.5 else 1.0 - p
        t = sqrt(-2.0 * log(tail))
        z = (2.30753 + t * 0.27061) / (1.0 + t * (0.99229 + t * 0.04481)) - t
        z = -z if p < 0.5 else z
        mean = (z * z - 3.0) / 6.0
        h = 2.0 / (1.0 / (2.0 * a - 1.0) + 1.0 / (2.0 * b - 1.0))
        bend = 1.0 / (2.0 * b - 1.0) - 1.0 / (2.0 * a - 1.0)
        w = z * sqrt(mean + h) / h - bend * (mean + 5.0 / 6.0 - 2.0 / (3.0 * h))
        return a / (a + b * exp(2.0 * w))
    low = exp(a * log(a / (a + b))) / a
    high = exp(b * log(b / (a + b))) / b
    w = low + high
    if p < low / w:
        return exp(log(a * w * p) / a)
    return 1.0 - exp(log(b * w * (1.0 - p)) / b)


@scalar
def betaincinv(a, b, p):
    """The x with betainc(a, b, x) = p."""
    if not (a > 0.0 and b > 0.0 and p >= 0.0 and p <= 1.0):
        return np.nan
    if p == 0.0 or p == 1.0:
        return p
    upper = p > 0.5  # then 1 - p is exact, and a small share is known with more digits
    x, low, high, trip = beta_guess(a, b, p), 0.0, 1.0, 0
    while trip < 200 and high - low > EPS * high:
        if not (x > low and x < high):
            x = 0.5 * (low + high) if low > 0.0 or high > 1e-3 else 0.01 * high
            if x == 0.0:
                return x
        if upper:
            off = (1.0 - p) - beta_ratio(a, b, x, 1.0 - x, True)
        else:
            off = beta_ratio(a, b, x, 1.0 - x, False) - p
        if off > 0.0:
            high = x
        else:
            low = x
        newton = off / beta_density(a, b, x)
        bend = newton * ((a - 1.0) / x - (b - 1.0) / (1.0 - x))
        step = newton / (1.0 - 0.5 * min(1.0, bend))
        x -= step
        trip += 1
        if absolute(step) < 1e-8 * min(x, 1.0 - x):
            return x
    return x
