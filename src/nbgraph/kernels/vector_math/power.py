"""pow, cbrt, hypot.

pow(x, y) = exp(y log|x|) with the logarithm and the product carried in two floats each, in the
function's own format: log(m) = 2 atanh(s), s = (m - 1) / (m + 1), atanh(s) = s + s^3 / 3 + s^5 Q
(Dekker 1971 for the arithmetic; Muller, Handbook of Floating-Point Arithmetic, chapters 4 and 10).
"""

from nbgraph.kernels.vector_math.exp import range_of_exp, reduced_exp, scale
from nbgraph.kernels.vector_math.formats import Format, per_format, scalar, step
from nbgraph.kernels.vector_math.log import split
from nbgraph.native.floats import (
    absolute,
    bits,
    copysign,
    fma,
    fma_exact,
    from_bits,
    polynomial,
    trunc,
)
from nbgraph.native.floats import sqrt as root


@per_format
def long_log(f: Format):
    """Positive finite x -> log(x) as a sum of two floats, to 10 digits more than the format's."""
    one, two = f.float(1), f.float(2)
    ln2_high, ln2_low = f.constants("ln2")
    third, third_low = f.constants("third")
    tail = f.constants("log_quotient")
    parts = split(f)

    @step
    def long_log(x):
        e, v = parts(x)
        d = two + v
        inverse = one / d
        s = v * inverse
        s_low = fma(-s, v - (d - two), fma_exact(-s, d, v)) * inverse
        z = s * s
        z_low = fma(two * s, s_low, fma_exact(s, s, -z))
        cube = s * z
        cube_low = fma(s, z_low, fma(s_low, z, fma_exact(s, z, -cube)))
        more = z * polynomial(z, tail)
        factor = third + more
        factor_low = ((third - factor) + more) + third_low
        add = cube * factor
        add_low = fma(cube, factor_low, fma(cube_low, factor, fma_exact(cube, factor, -add)))
        half = s + add
        half_low = ((s - half) + add) + (s_low + add_low)
        base = e * ln2_high
        high = base + two * half
        low = ((base - high) + two * half) + fma(e, ln2_low, two * half_low)
        return high, low

    return long_log


@per_format
def pow_whole(f: Format):
    """x to the y by squaring for whole y from 0 to 8, as for constant exponents; NaN for others."""
    one, half, nan, eight = f.float(1), f.float(0.5), f.nan, f.float(8)

    @scalar
    def pow_whole(x, y):
        halves = trunc(half * y)
        fourths = trunc(half * halves)
        eighths = trunc(half * fourths)
        square = x * x
        fourth = square * square
        power = x if y != halves + halves else one
        power = power * square if halves != fourths + fourths else power
        power = power * fourth if fourths != eighths + eighths else power
        power = fourth * fourth if y == eight else power
        return power if (absolute(y) == trunc(y)) & (y <= eight) else nan

    return pow_whole


@per_format
def pow_short(f: Format):
    """x to the y for whole y from -8 to 8; NaN for others, and where x**-y overflows."""
    zero, one, inf, nan = f.float(0), f.float(1), f.inf, f.nan
    whole_power = pow_whole(f)

    @scalar
    def pow_short(x, y):
        power = whole_power(x, absolute(y))
        beyond = (y < zero) & (absolute(power) == inf) & (absolute(x) < inf)
        power = one / power if y < zero else power
        return nan if beyond else power

    return pow_short


@per_format
def pow(f: Format):
    """x to the y, with every special case of C99 Annex F; see `pow_short`."""
    zero, one, half, inf, nan = f.float(0), f.float(1), f.float(0.5), f.inf, f.nan
    low, high = range_of_exp(f)
    none, top = f.word(0), f.word(f.width - 1)
    uint, short_power = f.uint, pow_short(f)
    logarithm, reduced, scaled = long_log(f), reduced_exp(f), scale(f)

    @scalar
    def pow(x, y):
        a = absolute(x)
        lead, rest = logarithm(a)
        lead = lead if a < inf else a  # infinity and NaN
        lead = -inf if a == zero else lead
        product = y * lead
        extra = fma(y, rest, fma_exact(y, lead, -product))
        extra = zero if (product < low) | (product > high) else extra
        product = low if product < low else product
        product = high if product > high else product
        q, n = reduced(product)
        p = one + q
        power = scaled(one + fma(extra, p, q), n)
        whole = trunc(y) == y
        halves = half * y
        odd = whole & (trunc(halves) != halves)
        power = nan if (x < zero) & (a < inf) & (not whole) else power
        power = -power if odd & (uint(bits(x) >> top) != none) else power
        power = one if (x == one) | ((a == one) & (absolute(y) == inf)) else power
        short = short_power(x, y)
        return short if short == short else power

    return pow


@per_format
def cbrt(f: Format):
    """Cube root.

    x = m 8^k with m in [0.35, 2.9); a polynomial gives cbrt(m) roughly, and one step of third
    order with an exact residue gives it in full.
    """
    one, zero, inf = f.float(1), f.float(0), f.inf
    third, _ = f.constants("third")
    two_ninths = f.float(2 / 9)
    three, magic = f.float(3), f.magic
    uint, shift, bias = f.uint, f.shift, f.word(f.bias)
    up, down = f.float(2 ** (1 / 3)), f.float(2 ** (-1 / 3))
    half, two = f.float(0.5), f.float(2)
    rough = f.constants("cbrt")
    parts = split(f)

    @scalar
    def cbrt(x):
        a = absolute(x)
        e, v = parts(a)
        shifted = fma(e, third, magic)
        left = fma(shifted - magic, -three, e)  # -1, 0 or 1
        m = one + v
        t = polynomial(v, rough)
        t = t * (up if left > zero else (down if left < zero else one))
        m = m * (two if left > zero else (half if left < zero else one))
        square = t * t
        residue = fma_exact(-square, t, m) - fma_exact(t, t, -square) * t
        step = residue / m
        t = fma(t * step, fma(step, two_ninths, third), t)
        y = t * from_bits(uint(uint(bits(shifted) + bias) << shift))
        y = y if (a < inf) & (a > zero) else a
        return copysign(y, x)

    return cbrt


@per_format
def hypot(f: Format):
    """sqrt(x^2 + y^2), scaled by a power of two so that the squares stay in range."""
    one, inf = f.float(1), f.inf
    near, far = (60, 100) if f.digits == 24 else (500, 700)
    large, small = f.power_of_two(near), f.power_of_two(-near)
    up, down = f.power_of_two(far), f.power_of_two(-far)

    @scalar
    def hypot(x, y):
        a, b = absolute(x), absolute(y)
        most = a if a > b else b
        factor = down if most > large else (up if most < small else one)
        back = up if most > large else (down if most < small else one)
        a, b = a * factor, b * factor
        h = root(fma(a, a, b * b)) * back
        return inf if (absolute(x) == inf) | (absolute(y) == inf) else h

    return hypot
