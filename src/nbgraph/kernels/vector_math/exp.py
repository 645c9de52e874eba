"""exp, exp2, expm1 and sigmoid.

exp(x) = 2^n exp(r), n = round(x / ln 2), r = x - n ln 2 in two pieces (Cody and Waite 1980), and
exp(r) = 1 + r + r^2 P(r) with P by Remez.  The scale 2^n is applied in two halves, so that results
below the least normal number lose their digits gradually.  Muller, Handbook of Floating-Point
Arithmetic, section 10.
"""

from nbgraph.kernels.vector_math.formats import Format, per_format, scalar, step
from nbgraph.native import instructions
from nbgraph.native.floats import absolute, bits, copysign, fma, from_bits, polynomial


@per_format
def reduced_exp(f: Format, tail: str = "exp"):
    """x -> (expm1(r), magic + n), for x where n * ln2 does not overflow; errors of the polynomial
    "exp" are small beside 1, of "expm1" beside the result."""
    magic = f.magic
    (log2e, _), (ln2_high, ln2_low) = f.constants("log2e"), f.constants("ln2")
    coefficients = f.constants(tail)

    @step
    def reduced_exp(x):
        shifted = fma(x, log2e, magic)
        n = shifted - magic
        r = fma(-n, ln2_low, fma(-n, ln2_high, x))
        return fma(r * r, polynomial(r, coefficients), r), shifted

    return reduced_exp


@per_format
def scale(f: Format):
    """(y, magic + n) -> y * 2^n with at most one rounding, for |n| < 2^10 (float32: 2^8)."""
    if f.evex:
        magic = f.magic

        @step
        def scale_at_once(y, shifted):
            return instructions.scaled(y, shifted - magic)

        return scale_at_once
    uint, shift, one = f.uint, f.shift, f.word(1)
    # n + 2 * offset is positive, so that a logical shift halves it.
    offset = f.bias // 2 + 1
    lift = f.word(2 * offset - int(f.magic.view(f.uint)))
    settle = f.word(f.bias - offset)

    @step
    def scale(y, shifted):
        n = uint(bits(shifted) + lift)
        first = uint(n >> one)
        second = uint(n - first)
        first = uint(uint(first + settle) << shift)
        second = uint(uint(second + settle) << shift)
        return (y * from_bits(first)) * from_bits(second)

    return scale


def range_of_exp(f: Format) -> tuple:
    """Clamping bounds: exp is 0 below the first, and infinite above the second."""
    return (f.float(-104.5), f.float(89.5)) if f.digits == 24 else (f.float(-746.0), f.float(710.5))


@per_format
def exp(f: Format):
    """e to the x."""
    low, high = range_of_exp(f)
    one = f.float(1)
    reduced, scaled = reduced_exp(f), scale(f)

    @scalar
    def exp(x):
        x = low if x < low else x  # a NaN compares false and goes through
        x = high if x > high else x
        q, n = reduced(x)
        return scaled(one + q, n)

    return exp


@per_format
def exp2(f: Format):
    """2 to the x."""
    low, high = (f.float(-151), f.float(129)) if f.digits == 24 else (f.float(-1076), f.float(1025))
    magic, one = f.magic, f.float(1)
    tail = f.constants("exp2")
    scaled = scale(f)

    @scalar
    def exp2(x):
        x = low if x < low else x
        x = high if x > high else x
        shifted = x + magic
        r = x - (shifted - magic)
        return scaled(fma(r, polynomial(r, tail), one), shifted)

    return exp2


@per_format
def expm1(f: Format):
    """exp(x) - 1 without cancellation: 2^n expm1(r) + (2^n - 1), at half size until the end."""
    # Below the first bound the result is -1; above the second 2 * 2^(n - 1) overflows.
    low, high = (f.float(-18), f.float(89)) if f.digits == 24 else (f.float(-40), f.float(709.9))
    half, two = f.float(0.5), f.float(2)
    uint, shift, below_bias = f.uint, f.shift, f.word(f.bias - 1)
    reduced = reduced_exp(f)

    @scalar
    def expm1(x):
        z = low if x < low else x
        z = high if z > high else z
        q, n = reduced(z)
        power = from_bits(uint(uint(bits(n) + below_bias) << shift))  # 2^(n - 1)
        return copysign(two * fma(power, q, power - half), x)

    return expm1


@per_format
def sigmoid(f: Format):
    """1 / (1 + exp(-x)), as e / (1 + e) for negative x; the quotient is corrected once."""
    low, _ = range_of_exp(f)
    zero, one = f.float(0), f.float(1)
    reduced, scaled = reduced_exp(f), scale(f)

    @scalar
    def sigmoid(x):
        a = -absolute(x)
        a = low if a < low else a
        q, n = reduced(a)
        e = scaled(one + q, n)
        d = one + e
        lost = e - (d - one)
        inverse = one / d
        numerator = e if x < zero else one
        y = numerator * inverse
        return fma(fma(-y, lost, fma(-y, d, numerator)), inverse, y)

    return sigmoid
