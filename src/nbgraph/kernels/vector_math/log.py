"""log, log2, log10, log1p and softplus.

x = 2^e (1 + f) with 1 + f in [sqrt(1/2), sqrt(2)), found by an integer subtraction on the bits, and
log(1 + f) = 2 atanh(s), s = f / (2 + f): an odd polynomial of s (Ng, e_log.c of FDLIBM).  Its
division goes beside the multiplications, of which f alone would need twice as many.  The exponent
becomes a float by a mask and a subtraction, since AVX2 converts no 64-bit integers.  Muller,
Handbook of Floating-Point Arithmetic, section 10.
"""

import numpy as np

from nbgraph.kernels.vector_math.exp import range_of_exp, reduced_exp, scale
from nbgraph.kernels.vector_math.formats import Format, per_format, scalar, step
from nbgraph.native.floats import absolute, bits, copysign, fma, fma_exact, from_bits, polynomial
from nbgraph.native.instructions import exponent, mantissa, scaled, settled


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
    if f.evex:
        return _split_by_instructions(f)
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
def _split_by_instructions(f: Format):
    """The same (e, f); (-inf, 0) of zero, (inf, 0) of infinity, f is NaN of negative numbers."""
    uint, one = f.uint, f.float(1)
    root, unit = f.float(2) * f.float(np.sqrt(0.5)), f.word(1 << (f.digits - 1))

    @step
    def split_by_instructions(x):
        e, m = exponent(x), mantissa(x)
        above = m >= root
        half = from_bits(uint(bits(m) - unit))
        return e + one if above else e, (half if above else m) - one

    return split_by_instructions


@per_format
def special(f: Format, *, natural: bool = False):
    """The logarithm of zero, infinity, a NaN or a negative number; else y. `natural`: y is that
    already where `split` gives infinite exponents."""
    zero, inf, nan = f.float(0), f.inf, f.nan

    @step
    def special(x, y):
        y = y if x < inf else x  # infinity and NaN
        y = nan if x < zero else y
        return -inf if x == zero else y

    @step
    def special_at_once(x, y):
        return y if natural else settled(y, x)

    return special_at_once if f.evex else special


@per_format
def log_of_fraction(f: Format):
    """v -> (h, s, r) with log(1 + v) = v - h + s r, where h = v^2 / 2 and s = v / (2 + v)."""
    half, two = f.float(0.5), f.float(2)
    tail = f.constants("log")

    @step
    def log_of_fraction(v):
        h = half * (v * v)
        s = v / (two + v)
        z = s * s
        return h, s, fma(z, polynomial(z, tail), h)

    return log_of_fraction


@per_format
def log(f: Format):
    """Natural logarithm."""
    ln2_high, ln2_low = f.constants("ln2")
    parts, fraction, finish = split(f), log_of_fraction(f), special(f, natural=ln2_low > 0)

    @scalar
    def log(x):
        e, v = parts(x)
        h, s, r = fraction(v)
        return finish(x, fma(e, ln2_high, v + (fma(s, r, e * ln2_low) - h)))

    return log


def _log_to_base(f: Format, per_exponent: tuple, per_nat: tuple):
    """e * per_exponent + log(1 + f) * per_nat, each constant in two pieces.

    e * per_exponent is exact in its first piece, and so is the product f * per_nat with its
    error; the sum of the two leading terms keeps what it rounds away.
    """
    (exponent_high, exponent_low), (nat_high, nat_low) = per_exponent, per_nat
    parts, fraction, finish = split(f), log_of_fraction(f), special(f)

    @scalar
    def log_to_base(x):
        e, v = parts(x)
        h, s, r = fraction(v)
        rest = fma(s, r, -h)  # log(1 + f) - f
        lead = v * nat_high
        rest = fma(rest, nat_high, fma(v, nat_low, fma_exact(v, nat_high, -lead)))
        base = e * exponent_high
        total = base + lead
        rest = fma(e, exponent_low, rest + (lead - (total - base)))
        return finish(x, total + rest)

    return log_to_base


# logarithm to base 2
log2 = per_format(lambda f: _log_to_base(f, (f.float(1), f.float(0)), f.constants("log2e")))
# logarithm to base 10
log10 = per_format(lambda f: _log_to_base(f, f.constants("log10_2"), f.constants("log10e")))


@per_format
def _split_sum(f: Format):
    """(u, c) -> (e, f, c 2^-e) for finite u >= 2^-60 = 2^e (1 + f) and much smaller c."""
    if f.evex:
        apart = split(f)

        @step
        def split_at_once(u, c):
            e, v = apart(u)
            return e, v, scaled(c, -e)

        return split_at_once
    uint, shift = f.uint, f.shift
    bias, last, integer = f.float(f.bias), f.float(2 * f.bias), f.float(2.0 ** (f.digits - 1))
    top = f.word(2 * f.bias + int(integer.view(f.uint)))
    parts = exponent_and_fraction(f)

    @step
    def split_sum(u, c):
        e, v = parts(u)
        down = from_bits(
            uint(uint(top - bits((last if e > last else e) + integer)) << shift)
        )  # 2^-e
        return e - bias, v, c * down

    return split_sum


@per_format
def log_of_sum(f: Format):
    """log(u + c) for finite u >= 2^-60, |c| at most half a unit in the last place of u; c where
    u = 1, NaN where c is one.

    With u = 2^e (1 + f), c counts as c 2^-e / (1 + f), to two terms of the geometric series.
    """
    ln2_high, ln2_low = f.constants("ln2")
    parts, fraction = _split_sum(f), log_of_fraction(f)

    @step
    def log_of_sum(u, c):
        e, v, c = parts(u, c)
        h, s, r = fraction(v)
        y = fma(s, r, fma(e, ln2_low, c))
        return fma(e, ln2_high, v + (fma(c, v * v - v, y) - h))

    return log_of_sum


@per_format
def log1p(f: Format):
    """log(1 + x) without cancellation."""
    one = f.float(1)
    logarithm, finish = log_of_sum(f), special(f)

    @scalar
    def log1p(x):
        u = one + x
        return copysign(finish(u, logarithm(u, x - (u - one))), x)  # keeps -0

    return log1p


@per_format
def softplus(f: Format):
    """log(1 + exp(x)) = max(x, 0) + log1p(exp(-|x|))."""
    low, _ = range_of_exp(f)
    zero, one = f.float(0), f.float(1)
    reduced, scaled, logarithm = reduced_exp(f), scale(f), log_of_sum(f)

    @scalar
    def softplus(x):
        a = -absolute(x)
        a = low if a < low else a
        q, n = reduced(a)
        e = scaled(one + q, n)
        u = one + e
        return (zero if x < zero else x) + logarithm(u, e - (u - one))

    return softplus
