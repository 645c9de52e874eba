"""sin, cos, tan over all finite arguments, and their fast `_small` variants.

x = n pi/2 + r.  Up to TRIG_BOUND, r comes from pi/2 in three pieces (Cody and Waite): with a fused
multiply-add the first step is exact.  Beyond it, from the product of the significand of x with the
bits of 2/pi that matter at its exponent (Payne and Hanek 1983), as a sum of floats.  The table
holds 2/pi times 2^k, reduced modulo 4, in pieces of one float each.  Muller, Elementary Functions,
ch. 11; Handbook of Floating-Point Arithmetic, section 10.
"""

import numpy as np

from nbgraph.kernels.vector_math.coefficients import TWO_OVER_PI
from nbgraph.kernels.vector_math.formats import Format, per_format, scalar, step
from nbgraph.kernels.vector_math.names import TRIG_BOUND
from nbgraph.native.floats import (
    absolute,
    bits,
    copysign,
    fma,
    fma_exact,
    from_bits,
    polynomial,
    round_even,
)

PIECES = 3
TWO_OVER_PI_BITS = 1280


@per_format
def reduced_small(f: Format):
    """x -> (r, rest of r, n in the low bits of a word), for |x| <= TRIG_BOUND."""
    magic = f.magic
    (two_over_pi,) = f.constants("two_over_pi")
    first, second, third = f.constants("half_pi")

    @step
    def reduced_small(x):
        shifted = fma(x, two_over_pi, magic)
        n = shifted - magic
        whole = fma_exact(-n, first, x)
        # whole - n * second, with its error: the two may cancel.
        part = n * second
        r = whole - part
        back = r - whole
        rest = (whole - (r - back)) - (part + back)
        rest = rest - fma_exact(n, second, -part)
        return r, fma(-n, third, rest), bits(shifted)

    return reduced_small


def _pieces(exponent: int, f: Format) -> list[float]:
    """2/pi * 2^exponent modulo 4 in three floats: two bits before the point, the rest behind."""
    scaled = TWO_OVER_PI << exponent if exponent >= 0 else TWO_OVER_PI >> -exponent
    scaled %= 4 << TWO_OVER_PI_BITS
    pieces = []
    for i in range(1, PIECES + 1):
        below = TWO_OVER_PI_BITS + 2 - f.digits * i
        piece = scaled >> below << below
        pieces.append(piece / (1 << TWO_OVER_PI_BITS))  # exact: it has f.digits bits
        scaled -= piece
    return pieces


@per_format
def two_over_pi_table(f: Format) -> np.ndarray:
    """Column e: the pieces for an integer significand times 2^(e - digits + 1)."""
    return np.array([_pieces(e - f.digits + 1, f) for e in range(f.bias + 1)], dtype=f.float).T


@per_format
def reduced_large(f: Format):
    """Like `reduced_small`, for 1 <= |x| < infinity."""
    uint, shift, magic = f.uint, f.shift, f.magic
    four, quarter = f.float(4), f.float(0.25)
    bias, last = f.word(f.bias), f.word(f.bias)
    fraction = f.word((1 << (f.digits - 1)) - 1)
    integer = f.word((f.bias + f.digits - 1) << (f.digits - 1))
    half_pi, half_pi_low, _ = f.constants("half_pi")
    first, second, third = (np.ascontiguousarray(row) for row in two_over_pi_table(f))

    @step
    def reduced_large(x):
        word = bits(absolute(x))
        exponent = uint(word >> shift)
        column = uint((bias if exponent < bias else exponent) - bias)
        column = last if column > last else column
        m = copysign(from_bits(uint(uint(word & fraction) | integer)), x)
        t0, t1, t2 = first[column], second[column], third[column]
        p0, p1, p2 = m * t0, m * t1, m * t2
        e0, e1, e2 = fma_exact(m, t0, -p0), fma_exact(m, t1, -p1), fma_exact(m, t2, -p2)
        # Multiples of 4 are whole turns.  p0 and e0 are multiples of 2^(2 - digits), so that
        # these differences and their sum are exact.
        whole = (p0 - four * round_even(p0 * quarter)) + (e0 - four * round_even(e0 * quarter))
        p1 = p1 - four * round_even(p1 * quarter)
        n = round_even(whole + p1)
        whole = whole - n
        # whole + p1 + e1 + p2, each sum with its error (Knuth), since any may cancel.
        a = whole + p1
        back = a - whole
        rest = (whole - (a - back)) + (p1 - back)
        b = a + e1
        back = b - a
        rest = rest + ((a - (b - back)) + (e1 - back))
        c = b + p2
        back = c - b
        rest = (rest + ((b - (c - back)) + (p2 - back))) + e2
        turn = c + rest
        rest = rest - (turn - c)
        r = turn * half_pi
        low = fma_exact(turn, half_pi, -r)
        return r, low + fma(turn, half_pi_low, rest * half_pi), bits(n + magic)

    return reduced_large


def reduction(f: Format, small: bool):
    """Return the reduction of a `_small` variant, or the one for every x; infinity gives NaN."""
    near = reduced_small(f)
    if small:
        return near
    far, bound, inf, nan = reduced_large(f), f.float(TRIG_BOUND[f.name]), f.inf, f.nan

    @step
    def reduced(x):
        a = absolute(x)
        inside = a <= bound
        r0, rest0, n0 = near(x)
        r1, rest1, n1 = far(x)
        r1 = r1 if a < inf else nan
        return (r0 if inside else r1), (rest0 if inside else rest1), (n0 if inside else n1)

    return reduced


@per_format
def sine_or_cosine(f: Format):
    """(r, rest, z = r^2, odd) -> sin(r + rest), or where odd is not zero cos(r + rest)."""
    zero_word, one, half = f.word(0), f.float(1), f.float(0.5)
    sine, cosine = f.constants("sin"), f.constants("cos")

    @step
    def sine_or_cosine(r, rest, odd):
        z = r * r
        s = r + fma(r * z, polynomial(z, sine), rest)
        c = one - fma(-z * z, polynomial(z, cosine), half * z)
        return c if odd != zero_word else s

    return sine_or_cosine


def _sin(f: Format, small: bool):
    zero, one, two = f.float(0), f.word(1), f.word(2)
    uint, to_sign = f.uint, f.word(f.width - 2)
    reduced, curve = reduction(f, small), sine_or_cosine(f)

    @scalar
    def sin(x):
        r, rest, n = reduced(x)
        y = curve(r, rest, uint(n & one))
        y = from_bits(uint(bits(y) ^ uint(uint(n & two) << to_sign)))
        return x if x == zero else y

    return sin


def _cos(f: Format, small: bool):
    one, two = f.word(1), f.word(2)
    uint, to_sign = f.uint, f.word(f.width - 2)
    reduced, curve = reduction(f, small), sine_or_cosine(f)

    @scalar
    def cos(x):
        r, rest, n = reduced(x)
        n = uint(n + one)  # cos(x) = sin(x + pi/2)
        y = curve(r, rest, uint(n & one))
        return from_bits(uint(bits(y) ^ uint(uint(n & two) << to_sign)))

    return cos


def _tan(f: Format, small: bool):
    """t = r + r^3 P(r^2), or -1 / t a quarter turn on; t + rest counts as t + rest (1 + t^2)."""
    zero, one, unit, none = f.float(0), f.float(1), f.word(1), f.word(0)
    uint = f.uint
    tail = f.constants("tan")
    reduced = reduction(f, small)

    @scalar
    def tan(x):
        r, rest, n = reduced(x)
        z = r * r
        more = r * z * polynomial(z, tail)
        t = r + more
        rest = fma(rest, fma(t, t, one), more - (t - r))
        inverse = -one / t
        # One step of Newton towards -1 / (t + rest).
        inverse = fma(inverse, fma(inverse, rest, fma_exact(inverse, t, one)), inverse)
        y = t + rest if uint(n & unit) == none else inverse
        return x if x == zero else y

    return tan


sin = per_format(lambda f: _sin(f, small=False))  # sine
cos = per_format(lambda f: _cos(f, small=False))  # cosine
tan = per_format(lambda f: _tan(f, small=False))  # tangent
sin_small = per_format(lambda f: _sin(f, small=True))  # sine for |x| <= TRIG_BOUND
cos_small = per_format(lambda f: _cos(f, small=True))  # cosine for |x| <= TRIG_BOUND
tan_small = per_format(lambda f: _tan(f, small=True))  # tangent for |x| <= TRIG_BOUND
