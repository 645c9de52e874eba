"""log, log2, log10, log1p and softplus.

x = 2^e (1 + f) with 1 + f in [sqrt(1/2), sqrt(2)), found by an integer subtraction on the bits, and
log(1 + f) = f - f^2 / 2 + f^3 P(f).  The exponent becomes a float by a mask and a subtraction,
since AVX2 converts no 64-bit integers.  Muller, Handbook of Floating-Point Arithmetic, section 10.
"""

from __future__ import annotations

import numpy as np

from nbgraph.kernels.vector_math.exp import range_of_exp, reduced_exp, scale
from nbgraph.kernels.vector_math.formats import Format, per_format, scalar, step
from nbgraph.native.floats import absolute, bits, fma, fma_exact, from_bits, polynomial


@per_format
def exponent_and_fraction(f: Format):
    """Positive normal u -> (e + bias as a float, f): u = 2^e (1 + f), |f| <= sqrt(2) - 1."""
    uint, shift, one = f.uint, f.shift, f.float(1)
    root = int(f.float(np.sqrt(0.5)).view(f.uint))
    root, mask = f.word(root), f.word((1 << (f.digits - 1)) - 1)
    lift = f.word(int(f.float(1).view(f.uint)) - int(root))
    integer = f.float(2.0 ** (f.digits - 1))  # its low bits count units
    integer_bits = integer.view(f.uint)

    @step
    def exponent_and_fraction(u):
        word = uint(bits(u) + lift)
        exponent = from_bits(uint(uint(word >> shift) | integer_bits)) - integer
        return exponent, from_bits(uint(uint(word & mask) + root)) - one

    return exponent_and_fraction


@per_format
def split(f: Format):
    """Positive x -> (e, f); x may be subnormal."""
    tiny, zero_exponent = f.tiny, f.float(f.bias)
    lifted, lifted_exponent = f.power_of_two(f.digits), f.float(f.bias + f.digits)
    parts = exponent_and_fraction(f)

    @step
    def split(x):
        small = x < tiny
        exponent, fraction = parts(x * lifted if small else x)
        return exponent - (lifted_exponent if small else zero_exponent), fraction

    return split


@per_format
def special(f: Format):
    """The logarithm of zero, infinity, a NaN or a negative number; else y."""
    zero, inf, nan = f.float(0), f.inf, f.nan

    @step
    def special(x, y):
        y = y if x < inf else x  # infinity and NaN
        y = nan if x < zero else y
        return -inf if x == zero else y

    return special


@per_format
def log(f: Format):
    """Natural logarithm."""
    half = f.float(0.5)
    ln2_high, ln2_low = f.constants("ln2")
    tail = f.constants("log")
    parts, finish = split(f), special(f)

    @scalar
    def log(x):
        e, v = parts(x)
        square = v * v
        y = fma(square * v, polynomial(v, tail), e * ln2_low)
        y = fma(-half, square, y)
        return finish(x, fma(e, ln2_high, v + y))

    return log


def _log_to_base(f: Format, per_exponent: tuple, per_nat: tuple):
    """e * per_exponent + log(1 + f) * per_nat, each constant in two pieces.

    e * per_exponent is exact in its first piece, and so is the product f * per_nat with its
    error; the sum of the two leading terms keeps what it rounds away.
    """
    half, (exponent_high, exponent_low), (nat_high, nat_low) = f.float(0.5), per_exponent, per_nat
    tail = f.constants("log")
    parts, finish = split(f), special(f)

    @scalar
    def log_to_base(x):
        e, v = parts(x)
        square = v * v
        rest = fma(square * v, polynomial(v, tail), -half * square)  # log(1 + f) - f
        lead = v * nat_high
        rest = fma(rest, nat_high, fma(v, nat_low, fma_exact(v, nat_high, -lead)))
        base = e * exponent_high
        total = base + lead
        rest = fma(e, exponent_low, rest + (lead - (total - base)))
        return finish(x, total + rest)

    return log_to_base


@per_format
def log2(f: Format):
    """Logarithm to base 2."""
    return _log_to_base(f, (f.float(1), f.float(0)), f.constants("log2e"))


@per_format
def log10(f: Format):
    """Logarithm to base 10."""
    return _log_to_base(f, f.constants("log10_2"), f.constants("log10e"))


@per_format
def log_of_sum(f: Format):
    """log(u + c) for finite u >= 2^-60, |c| at most half a unit in the last place of u.

    With u = 2^e (1 + f), c counts as c 2^-e / (1 + f), to two terms of the geometric series.
    """
    half = f.float(0.5)
    ln2_high, ln2_low = f.constants("ln2")
    tail = f.constants("log")
    uint, shift = f.uint, f.shift
    bias, last, integer = f.float(f.bias), f.float(2 * f.bias), f.float(2.0 ** (f.digits - 1))
    top = f.word(2 * f.bias + int(integer.view(f.uint)))
    parts = exponent_and_fraction(f)

    @step
    def log_of_sum(u, c):
        e, v = parts(u)
        down = from_bits(
            uint(uint(top - bits((last if e > last else e) + integer)) << shift)
        )  # 2^-e
        e = e - bias
        square = v * v
        c = c * down
        y = fma(square * v, polynomial(v, tail), fma(e, ln2_low, c))
        y = fma(-half, square, fma(c, square - v, y))
        return fma(e, ln2_high, v + y)

    return log_of_sum


@per_format
def log1p(f: Format):
    """log(1 + x) without cancellation."""
    one, inf, nan = f.float(1), f.inf, f.nan
    small = f.power_of_two(-f.digits)
    logarithm = log_of_sum(f)

    @scalar
    def log1p(x):
        u = one + x
        y = logarithm(u, x - (u - one))
        y = x if absolute(x) < small else y  # keeps -0 and subnormal numbers
        y = y if x < inf else x
        y = nan if x < -one else y
        return -inf if x == -one else y

    return log1p


@per_format
def softplus(f: Format):
    """log(1 + exp(x)) = max(x, 0) + log1p(exp(-|x|))."""
    low, _ = range_of_exp(f)
    zero, one = f.float(0), f.float(1)
    small = f.power_of_two(-f.digits)
    reduced, scaled, logarithm = reduced_exp(f), scale(f), log_of_sum(f)

    @scalar
    def softplus(x):
        a = -absolute(x)
        a = low if a < low else a
        q, n = reduced(a)
        e = scaled(one + q, n)
        u = one + e
        y = logarithm(u, e - (u - one))
        y = e if e < small else y
        y = (zero if x < zero else x) + y
        return y if x == x else x

    return softplus
