"""The normal distribution's relatives of the error function, in float64.

erfcx has the factors of `error_function.erfc` without its exponential, and an asymptotic series
beyond them (DLMF 7.12.1). erfcinv has the polynomials of `erfinv`, of w = -log(p (2 - p)), and
another one for what 1 - p cannot hold.
"""

import math

import numpy as np

from nbgraph.kernels.vector_math.formats import scalar
from nbgraph.kernels.vector_math.wide import WIDE, erfc, erfinv, exp_square, fitted, log
from nbgraph.native.floats import absolute, fma, fma_exact, polynomial, sqrt

CENTRE, LAST = 2.5, 27.3  # of the polynomial of erfc
FIRST, *_REST = WIDE.constants("erfc")
REST = tuple(_REST)
NEAR, FAR = WIDE.constants("erfinv_near"), WIDE.constants("erfinv_far")
BORDER = 6.25  # of w, between the two polynomials of erfinv
TAIL = 5.95  # of sqrt(w), where the third begins
inverse_tail = fitted("erfcinv_tail", 1 / 27.5, 1 / 5.9)


@scalar
def erfcx(x):
    """exp(x^2) erfc(x)."""
    a = absolute(x)
    if a <= 0.5:
        return exp_square(x) * erfc(x)
    if a > LAST:
        w = 1.0 / (2.0 * a * a)
        series = 1.0 - w * (1.0 - 3.0 * w * (1.0 - 5.0 * w * (1.0 - 7.0 * w * (1.0 - 9.0 * w))))
        y = series / (math.sqrt(math.pi) * a)
    else:
        t = (a - CENTRE) / (a + CENTRE)
        tail = polynomial(t, REST)
        p = fma(t, tail, FIRST)
        p_low = fma(t, tail, FIRST - p)
        d = fma(2.0, a, 1.0)
        w = p / d
        y = w + (fma(-w, fma(2.0, a, 1.0 - d), fma_exact(-w, d, p)) + p_low) / d
    return y if x > 0.0 else 2.0 * exp_square(x) - y


@scalar
def erfcinv(p):
    """The number whose erfc is p; infinite at 0 and 2, NaN beyond."""
    if not (p > 0.0 and p < 2.0):
        return np.inf if p == 0.0 else (-np.inf if p == 2.0 else np.nan)
    if p >= 0.25:  # 1 - p is exact from 1/2 on, and loses little here
        return erfinv(1.0 - p)
    w = -log(p * (2.0 - p))
    if w <= BORDER:
        return fma(1.0 - p, polynomial(w - 0.5 * BORDER, NEAR), 1.0 - p)
    s = sqrt(w)
    if s < TAIL:
        return fma(s, polynomial((s - 3.75) / (s + 2.0), FAR), s)
    return s * inverse_tail(1.0 / s)


@scalar
def ndtri(p):
    """The quantile of the normal distribution; infinite at 0 and 1, NaN beyond."""
    if p > 0.5:
        return math.sqrt(2.0) * erfinv(2.0 * p - 1.0) if p <= 1.0 else np.nan
    return -math.sqrt(2.0) * erfcinv(2.0 * p)
