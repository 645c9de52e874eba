"""Arithmetic and elementary functions of complex numbers, written with real ones: captured like the
user's own.

The formulas are those of C99's Annex G, as `cmath` and NumPy have them: W. Kahan, "Branch cuts for
complex elementary functions", 1987. Infinite and undefined parts are set right by changing factors
and not results, so that derivatives are those of the formula.
"""

import math

import numpy as np

TINY_SCALE, TINY_BACK = 2.0**61, 2.0**-31  # scales of roots: 1 / sqrt(2 * 2**61) is 2**-31
LOG_2 = math.log(2.0)
TINY_LOG = -61.0 * LOG_2
FAR = 80.0  # from here on exponentials may overflow in float32
HALVED = 1e38  # above it the root of a sum of squares of parts may overflow in float32
LARGE = 1e18  # from here on 1 + z**2 is z**2, in float32 with room below the largest number


def product(z, w):
    """Return z * w."""
    a, b, c, d = z.real, z.imag, w.real, w.imag
    return complex(a * c - b * d, a * d + b * c)


def quotient(z, w):
    """Return z / w by Smith's method: scaled by the larger part of w."""
    turned = abs(w.real) < abs(w.imag)
    large, small = (w.imag, w.real) if turned else (w.real, w.imag)
    first, second = (z.imag, z.real) if turned else (z.real, z.imag)
    nothing = large == 0.0  # w is 0, and infinite parts of z are to stay so
    ratio = small / (1.0 if nothing else large)
    size = large + small * ratio
    real = first if nothing else first + second * ratio
    imag = second if nothing else second - first * ratio
    return complex(real / size, (-imag if turned else imag) / size)


def power(z, w):
    """Return z ** w; 1 where w is 0. Whole w up to 100 give products, as in CPython and NumPy."""
    size = abs(w.real)
    whole = size <= 100.0 and w.imag == 0.0 and np.floor(size) == size
    known = of_whole(z, size if whole else 0.0)
    inverse = 1.0 / (known if whole else complex(1.0, 0.0))
    known = inverse if w.real < 0.0 else known
    return known if whole and z != 0.0 else of_any(z, w)


def of_whole(z, n):
    """Return z ** n for a whole number up to 127, by squaring."""
    result = complex(1.0, 0.0)
    for step in (1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0):
        times = np.floor(n / step)
        some = times != 2.0 * np.floor(0.5 * times)
        result = (z if step == 1.0 else result * z) if some else result
        z = z * z
    return result


def of_any(z, w):
    """Return z ** w by size and angle; 1 where w is 0."""
    far = abs(z.real) > HALVED or abs(z.imag) > HALVED  # then the size of z may overflow
    size = abs(0.5 * z if far else z)
    angle = math.atan2(z.imag, z.real)
    some = size if size != 0.0 else 1.0
    length = some**w.real * math.exp((LOG_2 * w.real if far else 0.0) - angle * w.imag)
    turn = angle * w.real + w.imag * (math.log(some) + (LOG_2 if far else 0.0))
    result = complex(by(length, math.cos(turn)), by(length, math.sin(turn)))
    nothing = complex(0.0 if w.real > 0.0 else math.nan, 0.0)
    result = nothing if size == 0.0 else result
    return complex(1.0, 0.0) if w == 0 else result


def power_of_integer(z, n):
    """Return z ** n for an integer that is not a literal, by squaring."""
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
joined = lambda x, y: complex(x.real, y.real)  # the number of two parts
conjugate = lambda z: complex(z.real, -z.imag)  # z with the other sign of its imaginary part


def sign(z):
    """Return z / abs(z), 0 at 0; for an infinite z the direction of its infinite part (NumPy)."""
    x, y, size = z.real, z.imag, absolute(z)
    far = size == math.inf
    x = x if not far else math.copysign(1.0 if abs(x) == math.inf else 0.0, x)
    y = y if not far else math.copysign(1.0 if abs(y) == math.inf else 0.0, y)
    size = 1.0 if size == 0.0 or far else size
    return complex(x / size, y / size)


square = lambda z: z * z  # z * z
reciprocal = lambda z: 1.0 / z  # 1 / z
isnan = lambda z: math.isnan(z.real) or math.isnan(z.imag)  # whether a part is NaN
isinf = lambda z: math.isinf(z.real) or math.isinf(z.imag)  # whether a part is infinite
# whether both parts are finite
isfinite = lambda z: math.isfinite(z.real) and math.isfinite(z.imag)


rint = lambda z: complex(np.rint(z.real), np.rint(z.imag))  # both parts rounded, to even
round = lambda z: complex(np.rint(z.real), np.rint(z.imag))  # the same
logical_not = lambda z: z == 0.0  # whether z is 0
logical_and = lambda z, w: z != 0.0 and w != 0.0  # whether neither is 0
logical_or = lambda z, w: z != 0.0 or w != 0.0  # whether one is not 0
logical_xor = lambda z, w: (z != 0.0) != (w != 0.0)  # whether one of them is not 0


def isclose(a, b, *, rel_tol=1e-9, abs_tol=0.0):
    """Return whether two numbers are close relative to the larger one (`cmath.isclose`)."""
    off, size = absolute(a - b), max(absolute(a), absolute(b))
    near = off <= rel_tol.real * size or off <= abs_tol.real
    return a == b or (math.isfinite(size) and near)


def by(size, part):
    """Return size * part, 0 where one is 0 and the other is not finite."""
    known = math.copysign(1.0, size) if part == 0.0 and not math.isfinite(size) else size
    return known * (1.0 if size == 0.0 and part != part else part)


def exp(z):
    """Return e**z, in two halves for a large part: e**z.real may overflow where a part does not."""
    far = z.real > FAR
    size = math.exp(0.5 * z.real if far else z.real)
    more = size if far else 1.0
    return complex(by(more, by(size, cosine(z))), by(more, by(size, math.sin(z.imag))))


exp2 = lambda z: exp(complex(z.real * LOG_2, z.imag * LOG_2))  # 2**z


def expm1(z):
    """Return e**z - 1, near 0 without cancellation."""
    half, value = math.sin(z.imag / 2.0), exp(z)
    near = math.expm1(z.real) * math.cos(z.imag) - 2.0 * half * half
    return complex(near if abs(z.real) < FAR else value.real - 1.0, value.imag)


# e**z where the real part is 0 or NaN, as that of `1j * x` is
turn = lambda z: complex((1.0 + z.real) * math.cos(z.imag), (1.0 + z.real) * math.sin(z.imag))


def log(z, base=None):
    """Return the logarithm, to `base` unless it is None."""
    return _log(z) if base is None else _log(z) / _log(base)


def log_of_real(z, base=None):
    """Return the logarithm of a real number, to `base` unless it is None."""
    value = complex(math.log(abs(z.real)), math.atan2(0.0, z.real))
    return value if base is None else value / _log(base)


def log1p(z):
    """Return the logarithm of 1 + z, near 0 without cancellation."""
    x, y = z.real, z.imag
    close = abs(x) < 0.5 and abs(y) < 0.5
    size = 0.5 * math.log1p(x * (2.0 + x) + y * y)
    return complex(size if close else _log(complex(1.0 + x, y)).real, math.atan2(y, 1.0 + x))


shrunk = lambda z, size: complex(z.real / size, z.imag / size)  # z divided by a real number
log10 = lambda z: shrunk(_log(z), math.log(10.0))  # the logarithm to base 10
log2 = lambda z: shrunk(_log(z), math.log(2.0))  # the logarithm to base 2


def sqrt(z):
    """Return the square root with a nonnegative real part."""
    x, y = z.real, z.imag
    size = max(abs(x), abs(y))
    scale, back = (TINY_SCALE, TINY_BACK) if size < 1e-18 else (0.125, 2.0)
    root = back * math.sqrt(scale * abs(x) + math.hypot(scale * x, scale * y))
    twice = 2.0 * root if root != 0.0 else 1.0
    endless = abs(y) == math.inf
    high = math.inf if endless else root
    low = math.inf if endless else abs(y) / twice
    side = y if endless else y / twice
    right = x >= 0.0 or endless
    return complex(high if right else low, side if right else math.copysign(high, y))


def sqrt_of_real(z):
    """Return the square root of a real number."""
    root = math.sqrt(abs(z.real))
    return complex(0.0 if z.real < 0.0 else root, 0.0 if z.real >= 0.0 else root)


def sinh(z):
    """Return the hyperbolic sine."""
    up, along, more = halves(z.real)
    return complex(by(more, by(up, cosine(z))), by(more, by(along, math.sin(z.imag))))


def cosh(z):
    """Return the hyperbolic cosine."""
    up, along, more = halves(z.real)
    return complex(by(more, by(along, cosine(z))), by(more, by(up, math.sin(z.imag))))


def halves(x):
    """Return the hyperbolic sine and cosine of a real number, and a factor of both: see `exp`."""
    far = abs(x) > FAR
    near = 0.5 * x if far else x
    along = math.cosh(near)
    return math.sinh(near), along, (2.0 * along if far else 1.0)


def tanh(z):
    """Return the hyperbolic tangent."""
    far = abs(z.real) == math.inf and not math.isfinite(z.imag)
    x, y = z.real, (0.0 if far else z.imag)
    wide, high, narrow = math.tanh(x), math.tan(y), 1.0 / math.cosh(x)
    both = by(wide, high)
    size = 1.0 + both * both
    low = high / size * narrow * narrow
    return complex(by(wide, (1.0 + high * high) / size), y if y == 0.0 else low)


sin = lambda z: turned(sinh, z)  # the sine


def turned(f, z):
    """Return f of z rotated by a quarter turn, rotated back."""
    result = f(complex(-z.imag, z.real))
    return complex(result.imag, -result.real)


cos = lambda z: cosh(complex(-z.imag, z.real))  # the cosine


tan = lambda z: turned(tanh, z)  # the tangent


def asinh(z):
    """Return the inverse hyperbolic sine."""
    x, y = z.real, z.imag
    far = abs(x) > LARGE or abs(y) > LARGE
    a, b = sqrt(complex(1.0 + y, -x)), sqrt(complex(1.0 - y, x))
    size = distance(z, x) if far else a.real * b.imag - b.real * a.imag
    level = abs(x) if far else b.real * a.real - b.imag * a.imag
    side = math.atan2(y, level)
    return complex(along(size, far), y if y == 0.0 and x != x else side)


def acosh(z):
    """Return the inverse hyperbolic cosine: the inverse cosine, rotated."""
    side = acos(z)
    return complex(abs(side.imag), math.copysign(side.real, z.imag))


def acos(z):
    """Return the inverse cosine."""
    x, y = z.real, z.imag
    far = abs(x) > LARGE or abs(y) > LARGE
    a, b = sqrt(complex(1.0 - x, -y)), sqrt(complex(1.0 + x, y))
    size = distance(z, -y) if far else b.real * a.imag - b.imag * a.real
    up, level, many = (abs(y), x, 1.0) if far else (a.real, b.real, 2.0)
    return complex(many * math.atan2(up, level), along(size, far))


asin = lambda z: turned(asinh, z)  # the inverse sine


def distance(z, sign):
    """Return a quarter of abs(z), with a sign."""
    return math.copysign(math.hypot(0.25 * z.real, 0.25 * z.imag), sign)


def along(size, far):
    """Return the inverse hyperbolic sine of a real number, or of four times a large one (`far`)."""
    value = math.asinh(size)
    return value + math.copysign(2.0 * LOG_2, size) if far else value


def atanh(z):
    """Return the inverse hyperbolic tangent."""
    side = math.copysign(1.0, z.real)
    x, y = abs(z.real), z.imag * side
    near, off = math.hypot(1.0 - x, y), math.hypot(1.0 + x, y)
    far, close = x > LARGE or abs(y) > LARGE, near < 1e-30
    size = (
        0.5 * (LOG_2 - math.log(near)) if close else 0.5 * math.log1p(4.0 * x / (near + off) / near)
    )
    size = (0.0 if near == math.inf else x / near / near) if far else size
    turned = 0.5 * math.atan2(2.0 * y, (1.0 - x) * (1.0 + x) - y * y)
    turned = math.copysign(math.pi / 2.0, y) if far and y == y else turned
    return complex(side * (x if x == 0.0 else size), side * turned)


atan = lambda z: turned(atanh, z)  # the inverse tangent


def _log(z):
    """Return the logarithm; near 1 without cancellation."""
    x, y = abs(z.real), abs(z.imag)
    high, low = np.maximum(x, y), np.minimum(x, y)
    scale, more = (TINY_SCALE, TINY_LOG) if high < 1.0 / LARGE else (1.0, 0.0)
    scale, more = (0.5, LOG_2) if high > LARGE else (scale, more)
    size = math.hypot(scale * x, scale * y)
    near = 0.5 * math.log1p((high - 1.0) * (high + 1.0) + low * low)
    close = 0.71 <= size <= 1.73
    return complex(near if close else math.log(size) + more, math.atan2(z.imag, z.real))


def cosine(z):
    """Return the cosine of the imaginary part; 1 where that is unknown beside an infinite part."""
    value = math.cos(z.imag)
    return 1.0 if value != value and abs(z.real) == math.inf else value
