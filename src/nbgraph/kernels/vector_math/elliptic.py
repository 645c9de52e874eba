"""Elliptic integrals of the parameter m, zeta, Lambert's W, in float64.

Complete integrals by the arithmetic-geometric mean (DLMF 19.8), incomplete ones by Carlson's
duplication (DLMF 19.25, 19.36). Zeta by Euler and Maclaurin's series (DLMF 25.11). W by Halley's
method from the series at the branch point and at infinity (DLMF 4.13; Corless et al., On the
Lambert W function, 1996).
"""

import math

import numpy as np

from nbgraph.kernels.vector_math.formats import scalar, shared
from nbgraph.kernels.vector_math.gamma import BERNOULLI
from nbgraph.kernels.vector_math.wide import cos, exp, log, pow, sin
from nbgraph.native.floats import absolute, fma, polynomial, round_even, sqrt

B1, B2, B3, B4, B5, B6, B7, B8 = BERNOULLI
E_HIGH, E_LOW = math.e, 1.4456468917292502e-16
BRANCH = -1.0 / math.e
AT_BRANCH = (  # W in powers of sqrt(2 (e x + 1))
    *(-1.0, 1.0, -1 / 3, 11 / 72, -43 / 540, 769 / 17280, -221 / 8505, 680863 / 43545600),
    *(-1963 / 204120, 226287557 / 37623398400),
)


@shared
def means(m, rest):
    """K(m) and (K(m) - E(m)) / m; rest = 1 - m > 0."""
    a, b = 1.0, sqrt(rest)
    # c_n^2 / m of c_0^2 = m; c_(n+1) = c_n^2 / (4 a_(n+1))
    share, total, weight = 1.0, 0.5, 0.5
    trip = 0
    while trip == 0 or (absolute(a - b) > 1e-8 * a and trip < 40):
        middle = 0.5 * (a + b)
        b = sqrt(a * b)
        share = share * share * m / (16.0 * middle * middle)
        weight *= 2.0
        total += weight * share
        a = middle
        trip += 1
    k = math.pi / (a + b)
    return k, k * total


@scalar
def ellipk(m):
    """The complete elliptic integral of the first kind; infinite at 1, NaN above."""
    if not m < 1.0:
        return np.inf if m == 1.0 else np.nan
    return 0.0 if m == -np.inf else means(m, 1.0 - m)[0]


@scalar
def ellipkm1(p):
    """ellipk(1 - p)."""
    if not p > 0.0:
        return np.inf if p == 0.0 else np.nan
    return 0.0 if p == np.inf else means(1.0 - p, p)[0]


@scalar
def ellipe(m):
    """The complete elliptic integral of the second kind; 1 at 1, NaN above."""
    if not m < 1.0:
        return 1.0 if m == 1.0 else np.nan
    if m == -np.inf:
        return np.inf
    if m < 0.0:  # E(m) = sqrt(1 - m) E(m / (m - 1)): no cancellation of large numbers
        k, d = means(m / (m - 1.0), 1.0 / (1.0 - m))
        return sqrt(1.0 - m) * (k - m / (m - 1.0) * d)
    k, d = means(m, 1.0 - m)
    return k - m * d


@scalar
def ellipd(m):
    """(ellipk(m) - ellipe(m)) / m."""
    if not m < 1.0:
        return np.inf if m == 1.0 else np.nan
    return means(m, 1.0 - m)[1]


@scalar
def duplicated(x, y):
    """Carlson's RF(x, y, 1) and RD(x, y, 1)."""
    z, total, factor, trip = 1.0, 0.0, 1.0, 0
    while trip < 60:
        middle = (x + y + z) / 3.0
        off = max(absolute(middle - x), absolute(middle - y), absolute(middle - z))
        if off < 0.0015 * middle:
            break
        rx, ry, rz = sqrt(x), sqrt(y), sqrt(z)
        shift = rx * (ry + rz) + ry * rz
        total += factor / (rz * (z + shift))
        factor *= 0.25
        x, y, z = 0.25 * (x + shift), 0.25 * (y + shift), 0.25 * (z + shift)
        trip += 1
    middle = (x + y + z) / 3.0
    u, v = 1.0 - x / middle, 1.0 - y / middle
    w = -u - v
    e2, e3 = u * v - w * w, u * v * w
    series = 1.0 - e2 / 10.0 + e3 / 14.0 + e2 * (e2 / 24.0 - 3.0 * e3 / 44.0)
    first = series / sqrt(middle)
    middle = (x + y + 3.0 * z) / 5.0
    u, v = 1.0 - x / middle, 1.0 - y / middle
    w = (-u - v) / 3.0
    e2, e3 = u * v - 6.0 * w * w, (3.0 * u * v - 8.0 * w * w) * w
    e4, e5 = 3.0 * (u * v - w * w) * w * w, u * v * w * w * w
    series = 1.0 - 3.0 * e2 / 14.0 + e3 / 6.0 + 9.0 * e2 * e2 / 88.0
    series += -3.0 * e4 / 22.0 - 9.0 * e2 * e3 / 52.0 + 3.0 * e5 / 26.0
    return first, 3.0 * total + factor * series / (middle * sqrt(middle))


@shared
def incomplete(phi, m, second):
    """F(phi, m), or E(phi, m) where `second`."""
    turns = round_even(phi / math.pi)
    rest = fma(-turns, math.pi, phi)
    rest = fma(-turns, 1.2246467991473532e-16, rest)  # what math.pi lacks
    s, c = sin(rest), cos(rest)
    below = 1.0 - m * s * s
    if not below >= 0.0 or absolute(phi) == np.inf:
        return np.nan
    f, d = duplicated(c * c, below)
    y = s * f
    if second:
        y -= m * s * s * s * d / 3.0
    if turns != 0.0:
        y += 2.0 * turns * (ellipe(m) if second else ellipk(m))
    return y


# the incomplete elliptic integral of the first kind
ellipkinc = scalar(lambda phi, m: incomplete(phi, m, False))
# the incomplete elliptic integral of the second kind
ellipeinc = scalar(lambda phi, m: incomplete(phi, m, True))


@scalar
def rise(s, k):
    """Return the factor from the k-th term of Euler and Maclaurin's series to the next one."""
    return (s + (2.0 * k - 1.0)) * (s + 2.0 * k) / ((2.0 * k + 1.0) * (2.0 * k + 2.0))


@scalar
def zeta(s, q):
    """Hurwitz's zeta function, the sum of (q + k)**-s, for s > 1 and q > 0; infinite at s = 1."""
    if not (s > 1.0 and q > 0.0):
        return np.inf if s == 1.0 else np.nan
    z, total, trip = q, 0.0, 0
    while trip < 12 or z < 0.6 * s:
        term = pow(z, -s)
        total += term
        z += 1.0
        trip += 1
        if term < 1e-18 * total and z > 1.0:
            return total
    w = 1.0 / (z * z)
    tail = B7 + rise(s, 7.0) * w * B8
    tail = B6 + rise(s, 6.0) * w * tail
    tail = B5 + rise(s, 5.0) * w * tail
    tail = B4 + rise(s, 4.0) * w * tail
    tail = B3 + rise(s, 3.0) * w * tail
    tail = B2 + rise(s, 2.0) * w * tail
    tail = B1 + rise(s, 1.0) * w * tail
    rest = 1.0 / (s - 1.0) + 0.5 / z + 0.5 * s * w * tail
    return total + pow(z, 1.0 - s) * rest


@scalar
def lambertw(x, k):
    """The real W(x) of the branch k, 0 or -1: W exp(W) = x; NaN where there is none."""
    if not ((k == 0.0 or k == -1.0) and x >= BRANCH) or (k == -1.0 and x > 0.0):
        return np.nan
    if x == 0.0:
        return x if k == 0.0 else -np.inf
    if x == np.inf:
        return x
    above = fma(E_HIGH, x, 1.0) + E_LOW * x  # e x + 1
    p = sqrt(2.0 * max(above, 0.0))
    p = p if k == 0.0 else -p
    if absolute(p) < 0.04:
        return polynomial(p, AT_BRANCH)
    if absolute(p) < 1.0:
        w = polynomial(p, AT_BRANCH)
    elif k == 0.0:
        w = x / (1.0 + x) * (1.0 + 0.5 * x) / (1.0 + 0.7 * x) if x < 3.0 else log(x) - log(log(x))
    else:
        l = log(-x)
        w = l - log(-l)
    for _ in range(8):
        e = exp(w)
        # f = w - x exp(-w), so that nothing overflows
        f = w - x / e
        step = f / (1.0 + w - 0.5 * (w + 2.0) * f / (1.0 + w))
        w -= step
        if absolute(step) < 1e-9 * absolute(w):
            break
    return w
