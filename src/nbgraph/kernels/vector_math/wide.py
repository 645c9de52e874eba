"""Building blocks of functions that are written for float64 alone; float32 operands are widened.

Special functions branch and loop, and in float32 their recurrences would lose too many digits.
Unlike the other functions of this room they are written once, with plain numbers.
"""

import math

from nbgraph.kernels.vector_math import exp as _exp
from nbgraph.kernels.vector_math import log as _log
from nbgraph.kernels.vector_math import power as _power
from nbgraph.kernels.vector_math import trigonometric as _trigonometric
from nbgraph.kernels.vector_math.coefficients import FITS
from nbgraph.kernels.vector_math.error_function import erfc as _erfc
from nbgraph.kernels.vector_math.error_function import erfinv as _erfinv
from nbgraph.kernels.vector_math.formats import FORMATS, scalar, shared
from nbgraph.kernels.vector_math.gamma import digamma as _digamma
from nbgraph.kernels.vector_math.gamma import gamma as _gamma
from nbgraph.kernels.vector_math.gamma import lgamma as _lgamma
from nbgraph.native.floats import absolute, fma, polynomial, round_even

WIDE = FORMATS["float64"]
EULER = 0.5772156649015329
TINY = 1e-300  # replaces a zero divisor in Lentz's method
EPS = 1.2e-16  # of a series' sum: a last term below it changes nothing
SETTLED = 4e-16  # of a factor in Lentz's method that is 1 up to rounding

exp, expm1 = _exp.exp(WIDE), _exp.expm1(WIDE)
log, log1p = _log.log(WIDE), _log.log1p(WIDE)
sin, cos = _trigonometric.sin(WIDE), _trigonometric.cos(WIDE)
erfc, erfinv = _erfc(WIDE), _erfinv(WIDE)
near_gamma, near_lgamma, near_digamma = _gamma(WIDE), _lgamma(WIDE), _digamma(WIDE)
near_pow = _power.pow(WIDE)

# (2 / (2k + 1)) for k from 1 on: 2 atanh(r) - 2 r = r^3 times their polynomial in r^2
_ATANH = tuple(2.0 / (2 * k + 1) for k in range(1, 20))


def fitted(name: str, low: float, high: float):
    """Return a polynomial of FITS as a function on the interval of its fit."""
    coefficients = FITS[name]
    by, middle = 2.0 / (high - low), (low + high) / 2

    @scalar
    def value(u):
        return polynomial((u - middle) * by, coefficients)

    return value


@shared
def gamma(x):
    """The gamma function."""
    return near_gamma(x)


@shared
def lgamma(x):
    """log |gamma(x)|."""
    return near_lgamma(x)


@shared
def digamma(x):
    """The derivative of lgamma."""
    return near_digamma(x)


@shared
def pow(x, y):
    """x**y."""
    return near_pow(x, y)


@shared
def log1p_less(u):
    """log(1 + u) - u without cancellation, u > -1."""
    if -0.5 < u < 0.7:
        r = u / (2.0 + u)
        z = r * r
        return r * (z * polynomial(z, _ATANH) - u)
    return log1p(u) - u


@scalar
def lentz(step, b, c, d):
    """c and d of Lentz's method after a term b + step / ... of a continued fraction."""
    c, d = b + step / c, b + step * d
    c = TINY if absolute(c) < TINY else c
    return c, 1.0 / (TINY if absolute(d) < TINY else d)


@scalar
def sin_pi(x):
    """sin(pi x), exact at whole and half numbers."""
    r = x - 2.0 * round_even(0.5 * x)
    if r > 0.5:
        r = 1.0 - r
    elif r < -0.5:
        r = -1.0 - r
    return sin(math.pi * r)


@scalar
def cos_pi(x):
    """cos(pi x), exact at whole and half numbers."""
    r = absolute(x - 2.0 * round_even(0.5 * x))
    return sin(math.pi * (0.5 - r))


@scalar
def exp_square(x):
    """exp(x^2), with the rounding error of the square."""
    square = x * x
    return exp(square) * (1.0 + fma(x, x, -square)) if square < 800.0 else exp(square)
