"""gamma, lgamma, digamma, trigamma, polygamma; all but lgamma branch and loop, so they do not
vectorise.

All compute in float64, also for float32, where the recurrences would lose too many digits, and call
nothing outside this room, so that they are the same on every device. gamma and lgamma step to [1.5,
2.5] by the recurrence, where polynomials by Remez approximate them (scripts/remez.py); gamma from
FAR on, and lgamma from NEAR on, use Stirling's series. digamma and trigamma step up to 10 and end
with the asymptotic series. Negative arguments are reflected (Abramowitz and Stegun 6.1, 6.3, 6.4).
polygamma sums Hurwitz's zeta function on both sides of the nearest pole (DLMF 25.11).
"""

import math

import numpy as np

from nbgraph.kernels.vector_math import exp as _exp
from nbgraph.kernels.vector_math import log as _log
from nbgraph.kernels.vector_math import power as _power
from nbgraph.kernels.vector_math import trigonometric as _trigonometric
from nbgraph.kernels.vector_math.formats import FORMATS, Format, per_format, scalar, step
from nbgraph.native.floats import absolute, floor, fma, fma_exact, polynomial, round_even

WIDE = FORMATS["float64"]
log, exp, pow = _log.log(WIDE), _exp.exp(WIDE), _power.pow(WIDE)
sin, tan = _trigonometric.sin_small(WIDE), _trigonometric.tan_small(WIDE)

FAR = 12.0  # from here on eight terms of Stirling's series leave less than 1e-19
NEAR = 3.5  # one step of the recurrence leads there from 2.5, and ten terms do from there on
LARGEST, LEAST = 171.7, -185.0  # beyond them gamma is infinite, and zero
# B(2k) for k = 1 to 8; digamma has B(2k) / 2k, lgamma B(2k) / (2k (2k - 1)).
BERNOULLI = (1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6, -3617 / 510)
DIGAMMA = tuple(b / (2 * k) for k, b in enumerate(BERNOULLI, start=1))
STIRLING = tuple(b / (2 * k - 1) for k, b in enumerate(DIGAMMA, start=1))
HALF_LOG = 0.5 * math.log(2 * math.pi)
ROOT = math.sqrt(2 * math.pi)
NEAR_TWO, LOG_NEAR_TWO = WIDE.constants("gamma"), WIDE.constants("lgamma")
LOG_FAR = WIDE.constants("stirling")


@step
def sine(z):
    """|sin(pi z)|, which is zero for integers alone."""
    return absolute(sin(math.pi * (z - round_even(z))))


@step
def series(z):
    """Stirling's correction of log gamma(z)."""
    return polynomial(1.0 / (z * z), STIRLING) / z


@scalar
def gamma_near(z):
    """gamma(z) up to FAR. The product that leads to [1.5, 2.5] is carried in two floats."""
    lead, rest, up = 1.0, 0.0, z < 1.5
    while z < 1.5 or z > 2.5:
        z = z if up else z - 1.0
        more = lead * z
        rest = fma(rest, z, fma_exact(lead, z, -more))
        lead = more
        z = z + 1.0 if up else z
    t = z - 2.0
    y = fma(t, polynomial(t, NEAR_TWO), 1.0)
    if up:
        return y / (lead + rest)
    return fma(y, lead, y * rest)


@scalar
def gamma_far(z):
    """gamma(z) from FAR on by Stirling's formula, or, below -FAR, by reflection.

    The power is taken in two halves, which do not overflow before the result does.
    """
    a = absolute(z)
    half = pow(a, 0.5 * a - 0.25)
    first = ROOT * half * exp(-a) * exp(series(a))
    if z > 0.0:
        return first * half
    y = (math.pi / (a * sine(a)) / first) / half
    below = floor(a)
    return y if below != 2.0 * floor(0.5 * below) else -y


@per_format
def gamma(f: Format):
    """The gamma function; NaN at negative integers, infinite at zero."""
    float_, wide = f.float, np.float64

    @scalar
    def gamma(x):
        z = wide(x)
        if z == 0.0:
            return float_(1.0 / z)
        if z < 0.0 and z == floor(z):  # so is -inf
            return float_(np.nan)
        if z != z or z > LARGEST:
            return float_(z + np.inf)
        if z < LEAST:
            return float_(0.0) if floor(z) == 2.0 * floor(0.5 * floor(z)) else float_(-0.0)
        if absolute(z) < FAR:
            return float_(gamma_near(z))
        return float_(gamma_far(z))

    return gamma


@per_format
def lgamma(f: Format):
    """log |gamma(x)|; infinite at zero and at negative integers. It has no branches.

    Of w >= -1/2 up to NEAR it is lgamma(2 + t), |t| <= 1/2, with the logarithm of a product added
    or taken away; so the zeros at 1 and 2 keep their digits. From there on it is Stirling's
    formula, and below -1/2 it is reflected.
    """
    float_, wide, near, inf = f.float, np.float64, NEAR, np.inf

    @scalar
    def lgamma(x):
        z = wide(x)
        a = absolute(z)
        below = z < -0.5
        w = a if below else z
        far, low, high = w >= near, w < 1.5, w > 2.5
        t = w if w < 0.5 else (w - 1.0 if low else (w - 3.0 if high else w - 2.0))
        lead = absolute(fma(w, w, w)) if w < 0.5 else (w if low else (w - 1.0 if high else 1.0))
        y = log(w if far else lead)
        close = fma(t, polynomial(t, LOG_NEAR_TWO), -y if low else y)
        v = 1.0 / w
        rest = fma(v, polynomial(v * v, LOG_FAR), HALF_LOG - 0.5)
        y = fma(w - 0.5, y - 1.0, rest) if far else close
        reflected = log(math.pi / (a * sine(a))) - y
        return float_(y if y == inf else (reflected if below else y))

    return lgamma


@per_format
def digamma(f: Format):
    """The derivative of lgamma; NaN at negative integers, and -1/x at zero."""
    float_, wide = f.float, np.float64

    @scalar
    def digamma(x):
        z = wide(x)
        total = 0.0
        if z == 0.0:
            return float_(-1.0 / z)
        if z < 0.0:
            if z == floor(z):
                return float_(np.nan)
            total = -math.pi / tan(math.pi * (z - round_even(z)))
            z = 1.0 - z
        while z < 10.0:
            total -= 1.0 / z
            z += 1.0
        w = 1.0 / (z * z)
        return float_(total + (log(z) - 0.5 / z - w * polynomial(w, DIGAMMA)))

    return digamma


@per_format
def trigamma(f: Format):
    """The derivative of digamma; infinite at zero and at negative integers."""
    float_, wide = f.float, np.float64

    @scalar
    def trigamma(x):
        z = wide(x)
        total, sign = 0.0, 1.0
        if z <= 0.0:
            if z == -np.inf:
                return float_(np.nan)
            if z == floor(z):
                return float_(np.inf)
            total, sign = (math.pi / sine(z)) ** 2, -1.0
            z = 1.0 - z
        while z < 10.0:
            total += sign / (z * z)
            z += 1.0
        w = 1.0 / (z * z)
        series_ = 1.0 / z + 0.5 * w + (w / z) * polynomial(w, BERNOULLI)
        return float_(total + sign * series_)

    return trigamma


@scalar
def hurwitz(n, z):
    """The sum of (z + k)**-(n + 1) over all k from 0 on, n >= 1 and z > 0: some terms, and Euler
    and Maclaurin's series for the rest."""
    total = 0.0
    while z < 12.0 + n:
        total += pow(z, -n - 1.0)
        z += 1.0
    w = 1.0 / (z * z)
    term, k = 0.5 * (n + 1.0) * w, 2.0
    rest = 1.0 / n + 0.5 / z
    for b in BERNOULLI:
        rest += b * term
        term *= (n + k) * (n + k + 1.0) / ((k + 1.0) * (k + 2.0)) * w
        k += 2.0
    return total + pow(z, -n) * rest


@per_format
def polygamma(f: Format):
    """The n-th derivative of digamma, n whole, from 0 to 170; at zero and at negative integers
    infinite where n is odd, else NaN."""
    float_, wide, slope = f.float, np.float64, digamma(f)

    @scalar
    def polygamma(order, x):
        n, z = wide(order), wide(x)
        if n == 0.0:
            return slope(x)
        if not 0.0 < n <= 170.0 or n != floor(n) or z == -np.inf or z != z:
            return float_(np.nan)
        odd = n != 2.0 * floor(0.5 * n)
        if z <= 0.0 and z == floor(z):
            return float_(np.inf if odd else np.nan)
        size, k = 1.0, 1.0
        while k <= n:
            size *= k
            k += 1.0
        sign = 1.0 if odd else -1.0
        near = round_even(z)
        low = absolute(z - near)  # distances to the poles below and above: exact near these
        high = 1.0 - low
        low, high = (low, high) if z > near else (high, low)
        total, turn, turns = 0.0, 0.0, 1.0 if z > 0.0 else 3.0
        while turn < turns:  # above the poles; of negative z then the finite row below them
            part = z if z > 0.0 else (low if turn == 0.0 else (high if turn == 1.0 else 1.0 - z))
            times = 1.0 if turn == 0.0 else (sign if turn == 1.0 else -sign)
            total += times * hurwitz(n, part)
            turn += 1.0
        return float_(sign * size * total)

    return polygamma
