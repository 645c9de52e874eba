"""Arithmetic of complex numbers, written with real ones: captured like the user's own."""

from __future__ import annotations

import math


def product(z, w):
    """z * w."""
    a, b, c, d = z.real, z.imag, w.real, w.imag
    return complex(a * c - b * d, a * d + b * c)


def quotient(z, w):
    """z / w by Smith's method: scaled by the larger part of w."""
    turned = abs(w.real) < abs(w.imag)
    large, small = (w.imag, w.real) if turned else (w.real, w.imag)
    first, second = (z.imag, z.real) if turned else (z.real, z.imag)
    ratio = small / (large if large != 0.0 else 1.0)
    size = large + small * ratio
    imag = second - first * ratio
    return complex((first + second * ratio) / size, (-imag if turned else imag) / size)


def power(z, w):
    """z ** w; 1 where w is 0."""
    size = abs(z)
    angle = math.atan2(z.imag, z.real)
    some = size if size != 0.0 else 1.0
    length = some**w.real * math.exp(-angle * w.imag)
    turn = angle * w.real + w.imag * math.log(some)
    found = complex(by(length, math.cos(turn)), by(length, math.sin(turn)))
    nothing = complex(0.0 if w.real > 0.0 else math.nan, 0.0)
    found = nothing if size == 0.0 else found
    return complex(1.0, 0.0) if w == 0 else found


def power_of_integer(z, n):
    """z ** n for an integer that is no literal, by squaring."""
    result = complex(1.0, 0.0)
    base, left = z, abs(n)
    while left > 0:
        if left % 2 == 1:
            result = result * base
        left = left // 2
        base = base * base
    return 1.0 / result if n < 0 else result


def absolute(z):
    """abs(z)."""
    return math.hypot(z.real, z.imag)


def phase(z):
    """The angle of z, from -pi to pi."""
    return math.atan2(z.imag, z.real)


def angle(z, deg=False):
    """`np.angle`: `phase`, in degrees where `deg` is true."""
    return phase(z) * (180.0 / math.pi if deg.real else 1.0)


def polar(z):
    """Size and angle."""
    return absolute(z), phase(z)


def rect(r, phi):
    """The number of this size and angle."""
    return complex(by(r.real, math.cos(phi.real)), by(r.real, math.sin(phi.real)))


def real(z):
    """The real part."""
    return z.real


def imag(z):
    """The imaginary part; of a real number 0."""
    return z.imag


def conjugate(z):
    """z with the other sign of its imaginary part."""
    return complex(z.real, -z.imag)


def sign(z):
    """z / abs(z), 0 at 0 (NumPy)."""
    size = absolute(z)
    return z / complex(size if size != 0.0 else 1.0, 0.0)


def square(z):
    """z * z."""
    return z * z


def reciprocal(z):
    """1 / z."""
    return 1.0 / z


def isnan(z):
    """Whether a part is NaN."""
    return math.isnan(z.real) or math.isnan(z.imag)


def isinf(z):
    """Whether a part is infinite."""
    return math.isinf(z.real) or math.isinf(z.imag)


def isfinite(z):
    """Whether both parts are finite."""
    return math.isfinite(z.real) and math.isfinite(z.imag)


def isclose(a, b, *, rel_tol=1e-9, abs_tol=0.0):
    """Whether two numbers differ by little of the larger one (`cmath.isclose`)."""
    off, size = absolute(a - b), max(absolute(a), absolute(b))
    near = off <= rel_tol.real * size or off <= abs_tol.real
    return a == b or (math.isfinite(size) and near)


def by(size, part):
    """size * part, 0 where one is 0 and the other has no finite value."""
    known = math.copysign(1.0, size) if part == 0.0 and not math.isfinite(size) else size
    return known * (1.0 if size == 0.0 and part != part else part)
