"""Rounding to an integer, signs, square roots: one instruction or a few each; and remainders."""

from __future__ import annotations

from nbgraph.kernels.vector_math.formats import Format, per_format, scalar
from nbgraph.native import floats


def _instruction(intrinsic):
    """Return a factory of functions that are a single intrinsic of one argument."""

    @per_format
    def build(f: Format):
        @scalar
        def instruction(x):
            return intrinsic(x)

        return instruction

    return build


floor = _instruction(floats.floor)
ceil = _instruction(floats.ceil)
trunc = _instruction(floats.trunc)
round = _instruction(floats.round_even)  # half to even, as NumPy's
sqrt = _instruction(floats.sqrt)


@per_format
def rsqrt(f: Format):
    """1 / sqrt(x)."""
    one, root = f.float(1), floats.sqrt

    @scalar
    def rsqrt(x):
        return one / root(x)

    return rsqrt


@per_format
def sign(f: Format):
    """-1, 0 or 1; NaN for NaN; +0 for both zeros, as NumPy's."""
    zero, one = f.float(0), f.float(1)

    @scalar
    def sign(x):
        y = one if x > zero else x + zero  # -0 + 0 is +0
        return -one if x < zero else y

    return sign


@per_format
def copysign(f: Format):
    """|x| with the sign of y."""
    change = floats.copysign

    @scalar
    def copysign(x, y):
        return change(x, y)

    return copysign


@per_format
def fmod(f: Format):
    """The exact remainder of x / y with the sign of x.

    Long division in digits of `chunk`: y is lifted by powers of it as far as x goes, then x loses
    its multiples of each. Such a quotient is right or one too many, and what is left is exact.
    """
    zero, inf, nan = f.float(0), f.inf, f.nan
    chunk = f.power_of_two(20 if f.digits == 24 else 48)
    part = f.float(1) / chunk

    @scalar
    def fmod(x, y):
        a, b = floats.absolute(x), floats.absolute(y)
        if not (a < inf) or not (b > zero):
            return nan
        if not (a >= b):  # or y is a NaN
            return x if b == b else y
        top = a * part
        d = b
        while d <= top:
            d *= chunk
        while True:
            a = floats.fma_exact(-floats.trunc(a / d), d, a)
            a = a + d if a < zero else a
            if d == b:
                return floats.copysign(a, x)
            d *= part

    return fmod


@per_format
def fmod_small(f: Format):
    """`fmod` of an x that is at most FMOD_BOUND times y: one digit of the long division is all."""
    zero = f.float(0)

    @scalar
    def fmod_small(x, y):
        a, b = floats.absolute(x), floats.absolute(y)
        rest = floats.fma_exact(-floats.trunc(a / b), b, a)
        rest = rest + b if rest < zero else rest
        return floats.copysign(a if a < b else rest, x)

    return fmod_small
