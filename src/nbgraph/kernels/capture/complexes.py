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
    """z ** n for an integer that is not a literal, by squaring."""
    result = complex(1.0, 0.0)
    base, left = z, abs(n)
    while left > 0:
        if left % 2 == 1:
            result = result * base
        left = left // 2
        base = base * base
    return 1.0 / result if n < 0 else result


absolute = lambda z: math.hypot(z.real, z.imag)  # abs(z)
phase = lambda z: math.atan2(z.imag, z.real)  # the angle of z, from -pi to pi
# `np.angle`: `phase`, in degrees where `deg` is true
angle = lambda z, deg=False: phase(z) * (180.0 / math.pi if deg.real else 1.0)
polar = lambda z: (absolute(z), phase(z))  # size and angle
# the number of this size and angle
rect = lambda r, phi: complex(by(r.real, math.cos(phi.real)), by(r.real, math.sin(phi.real)))
real = lambda z: z.real  # the real part
imag = lambda z: z.imag  # the imaginary part; of a real number 0
conjugate = lambda z: complex(z.real, -z.imag)  # z with the other sign of its imaginary part


def sign(z):
    """z / abs(z), 0 at 0 (NumPy)."""
    size = absolute(z)
    return z / complex(size if size != 0.0 else 1.0, 0.0)


square = lambda z: z * z  # z * z
reciprocal = lambda z: 1.0 / z  # 1 / z
isnan = lambda z: math.isnan(z.real) or math.isnan(z.imag)  # whether a part is NaN
isinf = lambda z: math.isinf(z.real) or math.isinf(z.imag)  # whether a part is infinite
# whether both parts are finite
isfinite = lambda z: math.isfinite(z.real) and math.isfinite(z.imag)


def isclose(a, b, *, rel_tol=1e-9, abs_tol=0.0):
    """Whether two numbers differ by little of the larger one (`cmath.isclose`)."""
    off, size = absolute(a - b), max(absolute(a), absolute(b))
    near = off <= rel_tol.real * size or off <= abs_tol.real
    return a == b or (math.isfinite(size) and near)


def by(size, part):
    """size * part, 0 where one is 0 and the other has no finite value."""
    known = math.copysign(1.0, size) if part == 0.0 and not math.isfinite(size) else size
    return known * (1.0 if size == 0.0 and part != part else part)
