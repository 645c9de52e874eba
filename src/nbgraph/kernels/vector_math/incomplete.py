"""The incomplete gamma and beta functions, their inverses and densities, in float64.

gammainc and gammaincc: the power series or, for x > a, the continued fraction by Lentz's method
(DLMF 8.7.1, 8.9.2); Temme's uniform expansion near x = a for a from 200 on (DLMF 8.12); for small a
and x the series of gammaincc (Gil, Segura and Temme, Efficient and accurate algorithms for the
computation and inversion of the incomplete gamma function ratios, 2012). betainc: its continued
fraction (DLMF 8.17.22). The factors before these series are written with log(1 + u) - u, as an
exponent of many digits would lose them (Loader, Fast and accurate computation of binomial
probabilities, 2000). The inverses: Halley's method (Numerical Recipes, third edition, 6.2 and 6.4).
"""

import math

import numpy as np

from nbgraph.kernels.vector_math.coefficients import FITS
from nbgraph.kernels.vector_math.formats import scalar, shared
from nbgraph.kernels.vector_math.gamma import LOG_NEAR_TWO, series
from nbgraph.kernels.vector_math.normal import ndtri
from nbgraph.kernels.vector_math.wide import (
    EPS,
    SETTLED,
    TINY,
    erfc,
    exp,
    expm1,
    gamma,
    lentz,
    lgamma,
    log,
    log1p,
    log1p_less,
    pow,
)
from nbgraph.native.floats import absolute, copysign, fma, polynomial, sqrt

TEMME = tuple(FITS[f"temme{k}"] for k in range(10))
T0, T1, T2, T3, T4, T5, T6, T7, T8, T9 = TEMME
UNIFORM = 200.0  # from this a on Temme's expansion is used
FAR = 12.0  # from here on Stirling's series is short
TRIPS = 100_000
ROOT = math.sqrt(2.0 * math.pi)


@shared
def gamma_factor(a, x):
    """x**a exp(-x) / gamma(a + 1), a > 0 and x > 0."""
    if a < FAR:
        if x < 600.0:
            return pow(x, a) * exp(-x) / gamma(a + 1.0)
        return exp(a * log(x) - x - lgamma(a + 1.0))
    u = (x - a) / a
    power = a * log1p_less(u) if u > -0.5 else a * log(x / a) - (x - a)
    return exp(power - series(a)) / (ROOT * sqrt(a))


@scalar
def temme(a, x, sign):
    """Q for sign 1, P for sign -1, by Temme's expansion."""
    half = -log1p_less((x - a) / a)
    eta = copysign(sqrt(2.0 * half), x - a)
    v = 1.0 / a
    total = polynomial(eta, T9)
    total = fma(total, v, polynomial(eta, T8))
    total = fma(total, v, polynomial(eta, T7))
    total = fma(total, v, polynomial(eta, T6))
    total = fma(total, v, polynomial(eta, T5))
    total = fma(total, v, polynomial(eta, T4))
    total = fma(total, v, polynomial(eta, T3))
    total = fma(total, v, polynomial(eta, T2))
    total = fma(total, v, polynomial(eta, T1))
    total = fma(total, v, polynomial(eta, T0))
    rest = exp(-a * half) * total / (ROOT * sqrt(a))
    return 0.5 * erfc(sign * eta * sqrt(0.5 * a)) + sign * rest


@scalar
def gamma_series(a, x):
    """1 + x / (a + 1) + x^2 / ((a + 1) (a + 2)) + ..."""
    total, term, n, trip = 1.0, 1.0, a, 0
    while term > EPS * total and trip < TRIPS:
        n += 1.0
        term *= x / n
        total += term
        trip += 1
    return total


@scalar
def gamma_fraction(a, x):
    """The continued fraction of gamma(a, x) exp(x) / x**a."""
    b = x + 1.0 - a
    c, d = 1.0 / TINY, 1.0 / b if b != 0.0 else 1.0 / TINY
    h, i, change = d, 0.0, 2.0
    while absolute(change - 1.0) > SETTLED and i < TRIPS:
        i += 1.0
        step = -i * (i - a)
        b += 2.0
        c, d = lentz(step, b, c, d)
        change = d * c
        h *= change
    return h


@scalar
def gamma_upper_small(a, x):
    """Q for small a and x, where 1 - P would cancel."""
    if a <= 0.5:
        rest = a * polynomial(a, LOG_NEAR_TWO) - log1p(a)  # log gamma(1 + a)
    else:
        rest = lgamma(a + 1.0)
    power = a * log(x) - rest
    total, term, n = 0.0, 1.0, 0.0
    while absolute(term) > EPS * absolute(total) and n < 200.0:
        n += 1.0
        term *= -x / n
        total += term / (a + n)
    return -expm1(power) - exp(power) * a * total


@shared
def gamma_ratio(a, x, upper):
    """P(a, x), or Q(a, x) where `upper`."""
    if not (a >= 0.0 and x >= 0.0) or (a == np.inf and x == np.inf):
        return np.nan
    if x == 0.0 or a == np.inf:
        if a == 0.0:
            return np.nan
        return 1.0 if upper else 0.0
    if a == 0.0 or x == np.inf:
        return 0.0 if upper else 1.0
    if a >= UNIFORM and absolute(x - a) < 0.6 * a:
        return temme(a, x, 1.0 if upper else -1.0)
    if x > 1.1 and x > a:
        q = gamma_factor(a, x) * a * gamma_fraction(a, x)
        return q if upper else 1.0 - q
    if upper and (x > 1.1 or a > 1.1 * x or (x <= 0.5 and a * log(x) < -0.4)):
        return 1.0 - gamma_factor(a, x) * gamma_series(a, x)
    if upper:
        return gamma_upper_small(a, x)
    return gamma_factor(a, x) * gamma_series(a, x)


# the regularised lower incomplete gamma function P(a, x)
gammainc = scalar(lambda a, x: gamma_ratio(a, x, False))
# the regularised upper incomplete gamma function Q(a, x)
gammaincc = scalar(lambda a, x: gamma_ratio(a, x, True))


@scalar
def gamma_density(a, x):
    """x**(a - 1) exp(-x) / gamma(a), the slope of gammainc by x."""
    if not (a > 0.0 and x >= 0.0):
        return np.nan
    if x == 0.0:
        return 0.0 if a > 1.0 else (1.0 if a == 1.0 else np.inf)
    if x == np.inf:
        return 0.0
    if a < 1.0:  # gamma_factor may underflow where the quotient does not
        return exp(-x) * pow(x, a - 1.0) / gamma(a)
    return gamma_factor(a, x) * (a / x)


@scalar
def gamma_guess(a, p, upper):
    """Return the initial value for the inverse."""
    if a > 1.0:
        z = ndtri(p)
        z = -z if upper else z
        third = 1.0 - 1.0 / (9.0 * a) + z / (3.0 * sqrt(a))
        guess = a * third * third * third
        if third > 0.3:
            return guess
        if not upper:
            return exp((log(p) + lgamma(a + 1.0)) / a)
        return max(guess, 1e-3)
    t = 1.0 - a * (0.253 + a * 0.12)
    low = 1.0 - p if upper else p
    if low < t:
        return exp((log(low) + lgamma(a + 1.0)) / a)
    high = p if upper else 1.0 - p
    return 1.0 - log(high / (1.0 - t))


@scalar
def gamma_inverse(a, p, upper):
    """The x with P(a, x) = p, or Q(a, x) = p where `upper`."""
    if not (a > 0.0 and a < np.inf and p >= 0.0 and p <= 1.0):
        return np.nan
    if p == 0.0 or p == 1.0:
        return np.inf if (p == 0.0) == upper else 0.0
    if p > 0.5:  # 1 - p is exact, and a small share is known with more digits
        p, upper = 1.0 - p, not upper
    x, trip, step = gamma_guess(a, p, upper), 0, 1.0
    while trip < 60 and absolute(step) > 1e-9 * x and x > 0.0:
        density = gamma_density(a, x)
        off = gamma_ratio(a, x, upper) - p
        off = -off if upper else off
        newton = off / density
        bend = newton * ((a - 1.0) / x - 1.0)
        step = newton / (1.0 - 0.5 * min(1.0, bend))
        if not absolute(step) < np.inf:
            step = -x  # the density is lost far out: come nearer
            x = 0.5 * x if off > 0.0 else 2.0 * x
        else:
            low = 0.5 * x
            x -= step
            x = low if x < low else x
        trip += 1
    return x


gammaincinv = scalar(lambda a, p: gamma_inverse(a, p, False))  # the x with gammainc(a, x) = p
gammainccinv = scalar(lambda a, q: gamma_inverse(a, q, True))  # the x with gammaincc(a, x) = q
