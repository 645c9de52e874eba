"""Bessel functions of orders 0 and 1, in float64.

J and Y: up to 8 polynomials in x^2, for Y of the part besides its logarithm (DLMF 10.8); beyond 8,
polynomials of P and Q in (8 / x)^2 (DLMF 10.17). Errors are about a unit in the last place of the
amplitude sqrt(2 / (pi x)), so relative errors near the zeros are unbounded. I and K: polynomials in
x or x^2 after division by exp(x) and without the logarithm (DLMF 10.31), and in 1 / x after
division by exp(x) / sqrt(x).
"""

import math

import numpy as np

from nbgraph.kernels.vector_math.formats import scalar
from nbgraph.kernels.vector_math.wide import cos, exp, fitted, log, sin
from nbgraph.native.floats import absolute, sqrt

SQUARES = 0.0, 64.0
j0_near, j1_near = fitted("j0_near", *SQUARES), fitted("j1_near", *SQUARES)
y0_near, y1_near = fitted("y0_near", *SQUARES), fitted("y1_near", *SQUARES)
p0, q0 = fitted("p0", 0.0, 1.0), fitted("q0", 0.0, 1.0)
p1, q1 = fitted("p1", 0.0, 1.0), fitted("q1", 0.0, 1.0)
i0_near, i1_near = fitted("i0_near", 0.0, 8.0), fitted("i1_near", 0.0, 8.0)
i0_far, i1_far = fitted("i0_far", 0.0, 1.0), fitted("i1_far", 0.0, 1.0)
k0_near, k1_near = fitted("k0_near", 0.0, 4.0), fitted("k1_near", 0.0, 4.0)
k0_far, k1_far = fitted("k0_far", 0.0, 1.0), fitted("k1_far", 0.0, 1.0)
TWO_OVER_PI = 2.0 / math.pi
HALF_LOG = math.log(2.0)  # of x / 2
LARGEST = 713.99  # I beyond is infinite


# 1 / sqrt(pi x): times a sum of sine and cosine
amplitude = scalar(lambda x: sqrt(1.0 / (math.pi * x)))


@scalar
def j0(x):
    """J of order 0."""
    a = absolute(x)
    if a < 8.0:
        return j0_near(a * a)
    if a == np.inf:
        return 0.0
    s, c, v = sin(a), cos(a), 8.0 / a
    z = v * v
    return amplitude(a) * ((c + s) * p0(z) - (s - c) * v * q0(z))


@scalar
def j1(x):
    """J of order 1."""
    a = absolute(x)
    if a < 8.0:
        return x * j1_near(a * a)
    if a == np.inf:
        return 0.0
    s, c, v = sin(a), cos(a), 8.0 / a
    z = v * v
    y = amplitude(a) * ((s - c) * p1(z) + (c + s) * v * q1(z))
    return y if x > 0.0 else -y


@scalar
def y0(x):
    """Y of order 0; -inf at 0, NaN below."""
    if not x > 0.0:
        return -np.inf if x == 0.0 else np.nan
    if x < 8.0:
        z = x * x
        return TWO_OVER_PI * log(x) * j0_near(z) + y0_near(z)
    if x == np.inf:
        return 0.0
    s, c, v = sin(x), cos(x), 8.0 / x
    z = v * v
    return amplitude(x) * ((s - c) * p0(z) + (c + s) * v * q0(z))


@scalar
def y1(x):
    """Y of order 1; -inf at 0, NaN below."""
    if not x > 0.0:
        return -np.inf if x == 0.0 else np.nan
    if x < 8.0:
        z = x * x
        return TWO_OVER_PI * (log(x) * x * j1_near(z) - 1.0 / x) + x * y1_near(z)
    if x == np.inf:
        return 0.0
    s, c, v = sin(x), cos(x), 8.0 / x
    z = v * v
    return amplitude(x) * (-(c + s) * p1(z) + (s - c) * v * q1(z))


@scalar
def i0e(x):
    """exp(-|x|) I of order 0."""
    a = absolute(x)
    return i0_near(a) if a <= 8.0 else i0_far(8.0 / a) / sqrt(a)


@scalar
def i1e(x):
    """exp(-|x|) I of order 1."""
    a = absolute(x)
    if a <= 8.0:
        return x * i1_near(a)
    y = i1_far(8.0 / a) / sqrt(a)
    return y if x > 0.0 else -y


@scalar
def i0(x):
    """I of order 0."""
    a = absolute(x)
    half = exp(0.5 * a)  # so that it does not overflow before the result
    return half * i0e(a) * half if a < LARGEST else a + np.inf


@scalar
def i1(x):
    """I of order 1."""
    a = absolute(x)
    half = exp(0.5 * a)
    return half * i1e(x) * half if a < LARGEST else x * np.inf


@scalar
def k0e(x):
    """exp(x) K of order 0; infinite at 0, NaN below."""
    if not x > 0.0:
        return np.inf if x == 0.0 else np.nan
    if x <= 2.0:
        e = exp(x)
        return e * (k0_near(x * x) - (log(x) - HALF_LOG) * (e * i0_near(x)))
    return k0_far(2.0 / x) / sqrt(x)


@scalar
def k1e(x):
    """exp(x) K of order 1; infinite at 0, NaN below."""
    if not x > 0.0:
        return np.inf if x == 0.0 else np.nan
    if x <= 2.0:
        e = exp(x)
        near = k1_near(x * x) + (log(x) - HALF_LOG) * (e * i1_near(x))
        return e * (1.0 / x + x * near)
    return k1_far(2.0 / x) / sqrt(x)


@scalar
def k0(x):
    """K of order 0; infinite at 0, NaN below."""
    if not x > 0.0:
        return np.inf if x == 0.0 else np.nan
    if x <= 2.0:
        return k0_near(x * x) - (log(x) - HALF_LOG) * (exp(x) * i0_near(x))
    return exp(-x) * (k0_far(2.0 / x) / sqrt(x))


@scalar
def k1(x):
    """K of order 1; infinite at 0, NaN below."""
    if not x > 0.0:
        return np.inf if x == 0.0 else np.nan
    if x <= 2.0:
        near = k1_near(x * x) + (log(x) - HALF_LOG) * (exp(x) * i1_near(x))
        return 1.0 / x + x * near
    return exp(-x) * (k1_far(2.0 / x) / sqrt(x))
