"""Functions that are written with others: plain scalar functions, captured like the user's own."""

from __future__ import annotations

import math

import numpy as np

from nbgraph.kernels.capture.special import floating

LOG2_E = 1.4426950408889634


def floor_divide(a, b):
    """`a // b` of floats, rounded towards minus infinity (Python, NumPy)."""
    r = math.fmod(a, b)
    q = (a - r) / b
    q = q - 1.0 if (r != 0.0 and (r < 0.0) != (b < 0.0)) else q
    n = np.floor(q)
    n = n + 1.0 if q - n > 0.5 else n
    n = math.copysign(n, a / b) if n == 0.0 else n
    return a / b if b == 0.0 else n


def remainder(a, b):
    """`a % b` of floats: the sign of the divisor (Python, NumPy)."""
    r = math.fmod(a, b)
    r = r + b if (r != 0.0 and (r < 0.0) != (b < 0.0)) else r
    return math.copysign(r, b) if r == 0.0 else r


def integer_power(a, n):
    """`a ** n` of integers by squaring; 0 for negative n, unless a is 1 or -1."""
    result = a * 0 + 1
    base = a
    k = n if n >= 0 else -n
    while k > 0:
        if k % 2 == 1:
            result = result * base
        k = k // 2
        base = base * base
    if n < 0 and a != 1 and a != -1:
        result = result * 0
    return result


def logaddexp(a, b):
    """log(e**a + e**b) without overflow."""
    a, b = floating(a), floating(b)
    high = a if (a >= b or a != a) else b
    low = b if (a >= b or a != a) else a
    return high if abs(high) == math.inf else high + math.log1p(math.exp(low - high))


def logaddexp2(a, b):
    """log2(2**a + 2**b) without overflow."""
    a, b = floating(a), floating(b)
    high = a if (a >= b or a != a) else b
    low = b if (a >= b or a != a) else a
    return high if abs(high) == math.inf else high + math.log1p(math.exp2(low - high)) * LOG2_E


def log_base(x, base):
    """Logarithm of x to a base."""
    return math.log(x) / math.log(base)


def integer_reciprocal(x):
    """1 / x of an integer, rounded towards zero (NumPy); 0 for 0."""
    return (x == 1) * 1 - (x == -1) * 1


def integer_fmod(a, b):
    """`fmod` of integers: the remainder with the sign of a; 0 where b is 0."""
    r = a % b
    return r - b if (r != 0 and (r < 0) != (a < 0)) else r


def maximum(a, b):
    """The larger value; NaN where either is NaN (NumPy)."""
    return np.where(a >= b or a != a, a, b)  # unlike a branch it takes a bool and a number


def minimum(a, b):
    """The smaller value; NaN where either is NaN (NumPy)."""
    return np.where(a <= b or a != a, a, b)


def fmax(a, b):
    """The larger value, ignoring NaN."""
    return np.where(a >= b or b != b, a, b)


def fmin(a, b):
    """The smaller value, ignoring NaN."""
    return np.where(a <= b or b != b, a, b)


def clip(a, a_min, a_max):
    """a limited to [a_min, a_max]; NaN stays."""
    return minimum(maximum(a, a_min), a_max)


def heaviside(x, middle):
    """0 below zero, `middle` at zero, 1 above."""
    x, middle = floating(x), floating(middle)
    return x if x != x else (0.0 if x < 0.0 else (1.0 if x > 0.0 else middle))


def degrees(x):
    """Radians to degrees."""
    return floating(x) * (180.0 / math.pi)


def radians(x):
    """Degrees to radians."""
    return floating(x) * (math.pi / 180.0)


def sinc(x):
    """sin(pi x) / (pi x), 1 at 0."""
    return 1.0 if x == 0.0 else math.sin(math.pi * x) / (math.pi * x)


def sign(x):
    """-1, 0 or 1; NaN stays."""
    return 1.0 if x > 0.0 else (-1.0 if x < 0.0 else x * 1.0)


def integer_sign(x):
    """-1, 0 or 1 of an integer."""
    return (x > 0) * 1 - (x < 0) * 1


def round_to(x, digits):
    """x rounded to decimal digits, as NumPy: scale, round half to even, scale back."""
    scale = 10.0**digits
    return np.rint(x * scale) / scale


def xlogy(x, y):
    """x * log(y), 0 where x is 0."""
    return 0.0 if (x == 0.0 and y == y) else x * math.log(y)


def xlog1py(x, y):
    """x * log1p(y), 0 where x is 0."""
    return 0.0 if (x == 0.0 and y == y) else x * math.log1p(y)


def logit(x):
    """log(x / (1 - x))."""
    return math.log(x / (1.0 - x))


def log_sigmoid(x):
    """log(1 / (1 + e**-x)) without overflow."""
    return -(max(-x, 0.0) + math.log1p(math.exp(-abs(x))))


def ieee_remainder(x, y):
    """`math.remainder`: x - n * y for the integer n nearest to x / y, of two the even one."""
    size, step = abs(x), abs(y)
    r = math.fmod(size, step)
    rest = step - r
    if r > rest:
        r = -rest
    elif r == rest:
        r = r - 2.0 * math.fmod(0.5 * (size - r), step)
    return math.copysign(1.0, x) * r


def modf(x):
    """The part behind the point and the whole part, both with the sign of x."""
    whole = np.trunc(x)
    return math.copysign(0.0 if abs(x) == math.inf else x - whole, x), whole


def ldexp(x, n):
    """x * 2**n, in two steps: 2**n alone may be out of range."""
    half = n // 2
    return x * math.exp2(half) * math.exp2(n - half)


def isclose(a, b, rel_tol=1e-9, abs_tol=0.0):
    """Whether two numbers differ by little of the larger one (`math.isclose`)."""
    off = abs(a - b)
    return a == b or (off != math.inf and off <= max(rel_tol * max(abs(a), abs(b)), abs_tol))


def ndtr(x):
    """The distribution function of the normal distribution."""
    return 0.5 * math.erfc(x * -math.sqrt(0.5))


def entr(x):
    """-x * log(x), 0 at 0, -inf below."""
    return -x * math.log(x) if x > 0.0 else (-math.inf if x < 0.0 else x)


def rel_entr(x, y):
    """x * log(x / y), 0 where x is 0; inf where either is negative or y alone 0."""
    if x > 0.0 and y > 0.0:
        return x * math.log(x / y)
    return x + y if (x != x or y != y) else (0.0 if (x == 0.0 and y >= 0.0) else math.inf)


def exprel(x):
    """(e**x - 1) / x, 1 at 0."""
    return math.expm1(x) / x if x != 0.0 else 1.0


def cosm1(x):
    """cos(x) - 1 without cancellation."""
    half = math.sin(0.5 * x)
    return -2.0 * half * half
