"""Functions that are written with others: plain scalar functions, captured like the user's own."""

import math

import numpy as np

from nbgraph.kernels.capture.special import floating

LOG2_E = 1.4426950408889634


def floor_divide(a, b):
    """Return `a // b` of floats, rounded towards minus infinity (Python, NumPy)."""
    r = math.fmod(a, b)
    q = (a - r) / b
    q = q - 1.0 if (r != 0.0 and (r < 0.0) != (b < 0.0)) else q
    n = np.floor(q)
    n = n + 1.0 if q - n > 0.5 else n
    n = math.copysign(n, a / b) if n == 0.0 else n
    return a / b if b == 0.0 else n


def remainder(a, b):
    """Return `a % b` of floats, with the sign of the divisor (Python, NumPy)."""
    r = math.fmod(a, b)
    r = r + b if (r != 0.0 and (r < 0.0) != (b < 0.0)) else r
    return math.copysign(r, b) if r == 0.0 else r


def integer_power(a, n):
    """Return `a ** n` of integers by squaring; 0 for negative n, unless a is 1 or -1."""
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


def with_smaller(a, b, rest):
    """Return the larger number plus `rest(difference)`; infinite numbers unchanged."""
    a, b = floating(a), floating(b)
    high = a if (a >= b or a != a) else b
    low = b if (a >= b or a != a) else a
    return high if abs(high) == math.inf else high + rest(low - high)


# log(e**a + e**b) and log2(2**a + 2**b) without overflow
logaddexp = lambda a, b: with_smaller(a, b, lambda d: math.log1p(math.exp(d)))
logaddexp2 = lambda a, b: with_smaller(a, b, lambda d: math.log1p(math.exp2(d)) * LOG2_E)
log_base = lambda x, base: math.log(x) / math.log(base)  # logarithm of x to a base
# 1 / x of an integer, rounded towards zero (NumPy); 0 for 0
integer_reciprocal = lambda x: (x == 1) * 1 - (x == -1) * 1


def digit_count(n, base):
    """Return the number of characters of an integer, with its sign."""
    count, rest = 1 + (n < 0), abs(n) // base
    while rest > 0:
        count, rest = count + 1, rest // base
    return count


character_code = lambda digit: digit + 48 + 39 * (digit > 9)  # ord() of it, at most f
nothing = lambda: None  # what `object.__init__` gives


def turned_digits(n, base, count):
    """Return the integer with the last `count` digits of another one, reversed."""
    turned, rest = n * 0, abs(n)
    for _ in range(count):
        turned, rest = turned * base + rest % base, rest // base
    return turned


def digits_between(n, base, count, stop, size):
    """Return the integer of the `size` digits before place `stop` among `count` digits."""
    rest = n // base ** (count - stop)
    return rest % base**size if size < 1 or base**size > 1 else rest  # 1: too large for int64


def digit_uses(n, base, count, digit):
    """Return how often a digit occurs among `count` digits of an integer, ignoring its sign."""
    uses, rest = 0, abs(n)
    for _ in range(count - (n < 0)):
        uses, rest = uses + (rest % base == digit), rest // base
    return uses


def digits_read(n, base, count, other):
    """Return the integer that `count` digits of another one mean in another base."""
    number, rest, power = n * 0, abs(n), 1
    for _ in range(count):
        if rest % base >= other:
            raise ValueError("invalid literal for int(): a digit is too large for the base")
        if rest and power > 9223372036854775807 // other:
            raise OverflowError("the integer does not fit into 64 bits")
        number, rest, power = number + rest % base * power, rest // base, power * other
    return -number if n < 0 else number


def digits_together(strings, base):
    """Return the number whose digits are those of all strings in turn, and its digit count."""
    number, size = 0, 0
    for digits in strings:
        number = number * base ** len(digits) + np.int64(int(digits, base))  # whatever they are of
        size = size + len(digits)
    return number, size


def integer_fmod(a, b):
    """Return `fmod` of integers: the remainder with the sign of a; 0 where b is 0."""
    r = a % b
    return r - b if (r != 0 and (r < 0) != (a < 0)) else r


# the larger value; NaN where either is NaN (NumPy)
maximum = lambda a, b: np.where(a >= b or a != a, a, b)
# the smaller value; NaN where either is NaN (NumPy)
minimum = lambda a, b: np.where(a <= b or a != a, a, b)
fmax = lambda a, b: np.where(a >= b or b != b, a, b)  # the larger value, ignoring NaN
fmin = lambda a, b: np.where(a <= b or b != b, a, b)  # the smaller value, ignoring NaN


def clip(a, a_min=None, a_max=None, *, min=None, max=None):
    """Return a limited to [a_min, a_max], without a limit for None; NaN stays NaN."""
    low = min if a_min is None else a_min
    high = max if a_max is None else a_max
    above = a if low is None else maximum(a, low)
    return above if high is None else minimum(above, high)


def heaviside(x, middle):
    """Return 0 below zero, `middle` at zero, 1 above."""
    x, middle = floating(x), floating(middle)
    return x if x != x else (0.0 if x < 0.0 else (1.0 if x > 0.0 else middle))


degrees = lambda x: floating(x) * (180.0 / math.pi)  # radians to degrees
radians = lambda x: floating(x) * (math.pi / 180.0)  # degrees to radians
# sin(pi x) / (pi x), 1 at 0
sinc = lambda x: 1.0 if x == 0.0 else math.sin(math.pi * x) / (math.pi * x)
sign = lambda x: 1.0 if x > 0.0 else (-1.0 if x < 0.0 else x * 1.0)  # -1, 0 or 1; NaN stays
integer_sign = lambda x: (x > 0) * 1 - (x < 0) * 1  # -1, 0 or 1 of an integer


def round_to(x, digits):
    """Return x rounded to decimal digits as in NumPy: scale, round half to even, scale back."""
    scale = 10.0**digits
    return np.rint(x * scale) / scale


def decimal(x, digits):
    """Return x rounded to decimal digits as in Python: ties due to rounding x * scale do not count.

    Products of two parts of x with the scale are exact, and give the error of that rounding.
    """
    scale, high = 10.0 ** abs(digits), float(np.float32(x))
    product = x * scale if digits > 0 else x / scale
    whole = np.rint(product)
    if abs(product - whole) == 0.5:
        rest = (high * scale - product) + (x - high) * scale if digits > 0 else x - product * scale
        if rest * (product - whole) > 0.0:
            whole = whole + 2.0 * (product - whole)
    if digits > 0 and abs(product) >= 2.0**52:
        return x
    return whole / scale if digits > 0 else whole * scale


xlogy = lambda x, y: 0.0 if (x == 0.0 and y == y) else x * math.log(y)  # x * log(y), 0 where x is 0
# x * log1p(y), 0 where x is 0
xlog1py = lambda x, y: 0.0 if (x == 0.0 and y == y) else x * math.log1p(y)
logit = lambda x: math.log(x / (1.0 - x))  # log(x / (1 - x))
# log(1 / (1 + e**-x)) without overflow
log_sigmoid = lambda x: -(max(-x, 0.0) + math.log1p(math.exp(-abs(x))))


def ieee_remainder(x, y):
    """Return x - n * y for the integer n nearest to x / y, the even one of two."""
    size, step = abs(x), abs(y)
    r = math.fmod(size, step)
    rest = step - r
    if r > rest:
        r = -rest
    elif r == rest:
        r = r - 2.0 * math.fmod(0.5 * (size - r), step)
    return math.copysign(1.0, x) * r


def modf(x):
    """Return the fractional and the whole part, both with the sign of x."""
    whole = np.trunc(x)
    part = -(whole - x) if math.copysign(1.0, x) < 0.0 else x - whole  # -0.0 of -1.0
    return math.copysign(0.0, x) if abs(x) == math.inf else part, whole


def frexp(x):
    """Return m in [0.5, 1) with the sign of x, and an integer n, so that x is m * 2**n."""
    size = abs(floating(x))
    known = 0.0 < size < math.inf
    some = size if known else 1.0
    n = np.floor(math.log2(some)) + 1.0
    m = ldexp(some, -n)
    m, n = (0.5 * m, n + 1.0) if m >= 1.0 else ((2.0 * m, n - 1.0) if m < 0.5 else (m, n))
    return (math.copysign(m, x) if known else floating(x)), (int(n) if known else 0)


def ldexp(x, n):
    """Return x * 2**n, in two steps, since 2**n may be out of range."""
    half = np.floor(0.5 * n)
    return x * math.exp2(half) * math.exp2(n - half)


def isclose(a, b, rel_tol=1e-9, abs_tol=0.0):
    """Return whether two numbers are close relative to the larger one (`math.isclose`)."""
    off = abs(a - b)
    return a == b or (off != math.inf and off <= max(rel_tol * max(abs(a), abs(b)), abs_tol))


def close(a, b, rtol=1e-5, atol=1e-8, equal_nan=False):
    """Return whether two numbers are close relative to the second one (`np.isclose`)."""
    near = abs(a - b) <= atol + rtol * abs(b) and abs(b) != math.inf
    return near or a == b or (equal_nan and a != a and b != b)


def ulp(x):
    """Return the distance from a number to the next larger magnitude (`math.ulp`)."""
    size = abs(floating(x))
    above = np.nextafter(size, math.inf)
    step = size - np.nextafter(size, 0.0) if above == math.inf else above - size
    return size if size == math.inf else step


def spacing(x):
    """Return `ulp` with the sign of the number; NaN for infinite numbers (NumPy)."""
    step = ulp(x)
    return math.nan if step == math.inf else (-step if x < 0.0 else step)


def nan_to_num(x, copy=True, nan=0.0, posinf=None, neginf=None):
    """Return numbers in place of NaN and infinity; by default 0 and the largest floats."""
    largest = np.nextafter(math.inf, 0.0)
    high = largest if posinf is None else posinf
    low = -largest if neginf is None else neginf
    x = floating(x)
    return 1.0 * nan if x != x else (high if x == math.inf else (low if x == -math.inf else x))


fix = lambda x: np.trunc(floating(x))  # x rounded towards 0, as a float
isposinf = lambda x: x == math.inf  # whether a number is infinite and positive
isneginf = lambda x: x == -math.inf  # whether a number is infinite and negative
itself = lambda x: x  # the number, as `np.positive` and `operator.pos` give it
isnot = lambda x: not x  # `operator.not_`
istrue = lambda x: not not x  # `operator.truth`
floor_and_rest = lambda a, b: (a // b, a % b)  # `np.divmod`
item = lambda values, place: values[place]  # `operator.getitem`
contains = lambda values, sought: sought in values  # `operator.contains`
# the distribution function of the normal distribution
ndtr = lambda x: 0.5 * math.erfc(x * -math.sqrt(0.5))
# -x * log(x), 0 at 0, -inf below
entr = lambda x: -x * math.log(x) if x > 0.0 else (-math.inf if x < 0.0 else x)


def rel_entr(x, y):
    """Return x * log(x / y), 0 where x is 0; inf where either is negative or y alone 0."""
    if x > 0.0 and y > 0.0:
        return x * math.log(x / y)
    return x + y if (x != x or y != y) else (0.0 if (x == 0.0 and y >= 0.0) else math.inf)


exprel = lambda x: math.expm1(x) / x if x != 0.0 else 1.0  # (e**x - 1) / x, 1 at 0


cosm1 = lambda x: -2.0 * math.sin(0.5 * x) ** 2  # cos(x) - 1 without cancellation
