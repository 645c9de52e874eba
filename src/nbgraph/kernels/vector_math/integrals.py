"""Exponential, trigonometric and Fresnel's integrals, Dawson's, the dilogarithm, in float64.

Power series near 0, continued fractions by Lentz's method (in two real numbers each where they are
complex) or asymptotic series beyond: DLMF 6.6, 6.9, 6.12, 7.6, 7.9, 8.19, 25.12, and
Numerical Recipes, third edition, 6.3, 6.8 and 6.9. Dawson's integral is Rybicki's sum with the step
1/4, which leaves exp(-(2 pi)^2) of it.
"""

import math

import numpy as np

from nbgraph.kernels.vector_math.formats import scalar
from nbgraph.kernels.vector_math.wide import (
    EPS,
    EULER,
    SETTLED,
    TINY,
    cos,
    cos_pi,
    digamma,
    exp,
    log,
    log1p,
    sin,
    sin_pi,
)
from nbgraph.native.floats import absolute, floor, fma, polynomial, round_even

SIXTH = math.pi * math.pi / 6.0
STEP = 0.25  # of Rybicki's sum
WEIGHTS = tuple(math.exp(-((STEP * (2 * i + 1)) ** 2)) for i in range(13))
ROOT_PI = math.sqrt(math.pi)
# of z / (1 - exp(-z)) - 1 + z / 2 in odd powers: B(2k) / (2k + 1)!
DILOGARITHM = tuple(
    b / math.factorial(2 * k + 1)
    for k, b in enumerate(
        (
            *(1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6, -3617 / 510),
            *(43867 / 798, -174611 / 330, 854513 / 138),
        ),
        start=1,
    )
)


@scalar
def exponential_fraction(n, x):
    """exp(x) expn(n, x) for x > 1."""
    b = x + n
    c, d = 1.0 / TINY, 1.0 / b
    h, i, change = d, 0.0, 2.0
    while absolute(change - 1.0) > SETTLED and i < 10000.0:
        i += 1.0
        step = -i * (n - 1.0 + i)
        b += 2.0
        d = 1.0 / (step * d + b)
        c = b + step / c
        change = c * d
        h *= change
    return h


@scalar
def exp1(x):
    """The exponential integral E1; infinite at 0, NaN below."""
    if not x > 0.0:
        return np.inf if x == 0.0 else np.nan
    if x > 1.0:
        return exp(-x) * exponential_fraction(1.0, x) if x < 750.0 else 0.0
    total, term, n = 0.0, -1.0, 0.0
    while absolute(term) > EPS * absolute(total):
        n += 1.0
        term *= -x / n
        total += term / n
    return total - EULER - log(x)


@scalar
def expn(n, x):
    """The exponential integral of a whole order from 0 on."""
    if not (n >= 0.0 and x >= 0.0) or n != floor(n):
        return np.nan
    if n == 0.0:
        return exp(-x) / x
    if x == 0.0:
        return np.inf if n == 1.0 else 1.0 / (n - 1.0)
    if x > 1.0:
        return exp(-x) * exponential_fraction(n, x) if x < 750.0 else 0.0
    total = 1.0 / (n - 1.0) if n != 1.0 else -log(x) - EULER
    term, i = 1.0, 0.0
    while i < 1000.0:
        i += 1.0
        term *= -x / i
        if i == n - 1.0:
            more = term * (digamma(n) - log(x))
        else:
            more = -term / (i - n + 1.0)
        total += more
        if absolute(more) < EPS * absolute(total) and (i > n or absolute(term) < 1e-30):
            return total
    return total


@scalar
def expi(x):
    """The exponential integral Ei; -inf at 0."""
    if x < 0.0:
        return -exp1(-x)
    if x == 0.0:
        return -np.inf
    if x < 40.0:
        total, term, n = 0.0, 1.0, 0.0
        while term > EPS * total:
            n += 1.0
            term *= x / n
            total += term / n
        return total + EULER + log(x)
    total, term, k = 1.0, 1.0, 1.0
    while term > EPS:
        term *= k / x
        total += term
        k += 1.0
    half = exp(0.5 * x)
    return half * (total / x) * half


@scalar
def complex_fraction(x, every):
    """Both parts of 1 / (b + i x - n (n + e - 1) / (b + 2 e + i x - ...)) for e = `every`, where b
    and n begin as 1, and n grows by e."""
    b = 1.0  # b + i x
    size = b * b + x * x
    c_re, c_im = 1.0 / TINY, 0.0
    d_re, d_im = b / size, -x / size
    h_re, h_im, n = d_re, d_im, 1.0 - every
    off = 1.0
    while off > SETTLED and n < 1000.0:
        n += every
        step = -n * (n + (every - 1.0))
        b += 2.0 * every
        d_re, d_im = step * d_re + b, step * d_im + x
        size = d_re * d_re + d_im * d_im
        d_re, d_im = d_re / size, -d_im / size
        size = c_re * c_re + c_im * c_im
        c_re, c_im = b + step * c_re / size, x - step * c_im / size
        by_re, by_im = c_re * d_re - c_im * d_im, c_re * d_im + c_im * d_re
        h_re, h_im = h_re * by_re - h_im * by_im, h_re * by_im + h_im * by_re
        off = absolute(by_re - 1.0) + absolute(by_im)
    return h_re, h_im


@scalar
def auxiliary(x):
    """f and g of the sine and cosine integrals for x > 2: exp(i x) E1(i x) = g - i f."""
    g, f = complex_fraction(x, 1.0)
    return -f, g


@scalar
def sine_integral(x):
    """The integral of sin(t) / t from 0 to x."""
    a = absolute(x)
    if a <= 3.0:
        z, total, term, n = -a * a, a, a, 1.0
        while absolute(term) > EPS * absolute(total):
            n += 2.0
            term *= z / (n * (n - 1.0))
            total += term / n
        return total if x > 0.0 else -total
    y = 0.5 * math.pi
    if a < np.inf:
        f, g = auxiliary(a)
        y -= f * cos(a) + g * sin(a)
    return y if x > 0.0 else (-y if x < 0.0 else x)


@scalar
def cosine_integral(x):
    """The cosine integral Ci; -inf at 0, NaN below."""
    if not x > 0.0:
        return -np.inf if x == 0.0 else np.nan
    if x == np.inf:
        return 0.0
    if x <= 3.0:
        z, total, term, n = -x * x, 0.0, 1.0, 0.0
        while absolute(term) > EPS * absolute(total):
            n += 2.0
            term *= z / (n * (n - 1.0))
            total += term / n
        return total + EULER + log(x)
    f, g = auxiliary(x)
    return f * sin(x) - g * cos(x)


@scalar
def dawsn(x):
    """Dawson's integral exp(-x^2) times that of exp(t^2) from 0 to x."""
    a = absolute(x)
    if a < 0.25:
        z, total, term, n = -2.0 * a * a, a, a, 1.0
        while absolute(term) > EPS * total:
            n += 2.0
            term *= z / n
            total += term
        return total if x > 0.0 else (-total if x < 0.0 else x)
    if a > 12.0:
        w = 0.5 / a / a
        total, term, k = 1.0, 1.0, 1.0
        while term > EPS:
            term *= k * w
            total += term
            k += 2.0
        y = 0.5 / a * total
        return y if x > 0.0 else -y
    n = 2.0 * round_even(0.5 * a / STEP)
    rest = a - n * STEP
    e1 = exp(2.0 * rest * STEP)
    e2 = e1 * e1
    up, down, total = e1, 1.0 / e1, 0.0
    above, below = n + 1.0, n - 1.0
    for weight in WEIGHTS:
        total += weight * (up / above + down / below)
        above += 2.0
        below -= 2.0
        up *= e2
        down /= e2
    y = exp(-rest * rest) * total / ROOT_PI
    return y if x > 0.0 else -y


@scalar
def fresnel_parts(a):
    """Both of Fresnel's integrals of a >= 0: S and C."""
    if a < 1.6:
        z = 0.5 * math.pi * a * a
        square, n = -z * z, 0.0
        s, c = z / 3.0, 1.0
        even, odd = 1.0, z
        while absolute(even) > EPS:
            n += 2.0
            even *= square / (n * (n - 1.0))
            odd *= square / (n * (n + 1.0))
            c += even / (2.0 * n + 1.0)
            s += odd / (2.0 * n + 3.0)
        return a * s, a * c
    # (1 + i) / 2 (1 - exp(i pi a^2 / 2) w), w as the continued fraction of erfc
    h_re, h_im = complex_fraction(-math.pi * a * a, 2.0)
    h_re, h_im = a * (h_re + h_im), a * (h_im - h_re)  # times (1 - i) a
    high = a * a
    low = fma(a, a, -high)
    turn = high - 4.0 * round_even(0.25 * high)
    angle = 0.5 * (turn + low)
    e_re, e_im = cos_pi(angle), sin_pi(angle)
    w_re, w_im = 1.0 - (h_re * e_re - h_im * e_im), -(h_re * e_im + h_im * e_re)
    return 0.5 * (w_re + w_im), 0.5 * (w_re - w_im)


@scalar
def fresnel_sine(x):
    """The integral of sin(pi t^2 / 2) from 0 to x."""
    a = absolute(x)
    y = fresnel_parts(a)[0] if a < 1e8 else 0.5
    return y if x > 0.0 else (-y if x < 0.0 else x)


@scalar
def fresnel_cosine(x):
    """The integral of cos(pi t^2 / 2) from 0 to x."""
    a = absolute(x)
    y = fresnel_parts(a)[1] if a < 1e8 else 0.5
    return y if x > 0.0 else (-y if x < 0.0 else x)


@scalar
def dilogarithm(u):
    """Li2(1 - exp(-u)) for |u| <= 0.7."""
    z = u * u
    return u - 0.25 * z + u * z * polynomial(z, DILOGARITHM)


@scalar
def spence(x):
    """The integral of log(t) / (1 - t) from 1 to x, which is Li2(1 - x); NaN below 0."""
    if not x >= 0.0:
        return np.nan
    if x == 0.0:
        return SIXTH
    if x < 0.5:  # by 1 - x, then
        return SIXTH - log(x) * log1p(-x) - dilogarithm(-log1p(-x))
    if x <= 2.0:
        return dilogarithm(-log(x))
    l = log(x)  # by 1 / x
    if x > 1e300:
        return -0.5 * l * l - SIXTH
    return -0.5 * l * l - spence_below(1.0 / x)


# spence of 0 < x < 1/2
spence_below = scalar(lambda x: SIXTH - log(x) * log1p(-x) - dilogarithm(-log1p(-x)))
