"""gamma, lgamma, digamma, trigamma: they branch and loop, and are not made for vector code.

All four work in float64, also for float32, where the recurrences would cost too many digits.
gamma and lgamma are the C library's.  digamma and trigamma reflect negative arguments, step up to
10 by their recurrences and end with the asymptotic series (Abramowitz and Stegun 6.3, 6.4).
"""

from __future__ import annotations

import math

import numpy as np
from numba import types

from nbgraph.kernels.vector_math.formats import Format, per_format, scalar
from nbgraph.native.floats import floor, polynomial, round_even

# Of the C library: math.gamma would be Numba's own, which is not there without Numba.
tgamma = types.ExternalFunction("tgamma", types.float64(types.float64))

# B(2k) for k = 1 to 8; digamma has B(2k) / 2k.
BERNOULLI = (1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6, -3617 / 510)
DIGAMMA = tuple(b / (2 * k) for k, b in enumerate(BERNOULLI, start=1))


@per_format
def gamma(f: Format):
    """The gamma function."""
    float_, wide = f.float, np.float64

    @scalar
    def gamma(x):
        return float_(tgamma(wide(x)))

    return gamma


@per_format
def lgamma(f: Format):
    """log |gamma(x)|."""
    float_, wide = f.float, np.float64

    @scalar
    def lgamma(x):
        return float_(math.lgamma(wide(x)))

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
            return float_(math.copysign(np.inf, -z))
        if z < 0.0:
            if z == floor(z):
                return float_(np.nan)
            total = -math.pi / math.tan(math.pi * (z - round_even(z)))
            z = 1.0 - z
        while z < 10.0:
            total -= 1.0 / z
            z += 1.0
        w = 1.0 / (z * z)
        return float_(total + (math.log(z) - 0.5 / z - w * polynomial(w, DIGAMMA)))

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
            sine = math.sin(math.pi * (z - round_even(z)))
            total, sign = (math.pi / sine) ** 2, -1.0
            z = 1.0 - z
        while z < 10.0:
            total += sign / (z * z)
            z += 1.0
        w = 1.0 / (z * z)
        series = 1.0 / z + 0.5 * w + (w / z) * polynomial(w, BERNOULLI)
        return float_(total + sign * series)

    return trigamma
