"""sinh, cosh, tanh and their inverses.

Near zero the odd functions are polynomials x + x^3 P(x^2) by Remez; elsewhere they are made of
exp, and the inverses of log1p.
"""

from nbgraph.kernels.vector_math.exp import reduced_exp, scale
from nbgraph.kernels.vector_math.formats import Format, per_format, scalar
from nbgraph.kernels.vector_math.log import log_of_sum, special
from nbgraph.native.floats import absolute, bits, copysign, fma, from_bits, polynomial
from nbgraph.native.floats import sqrt as root


@per_format
def tanh(f: Format):
    """t / (t + 2) with t = expm1(2|x|)."""
    one, two = f.float(1), f.float(2)
    high = f.float(10) if f.digits == 24 else f.float(20)  # the result there is 1
    uint, shift, bias = f.uint, f.shift, f.word(f.bias)
    reduced = reduced_exp(f, "expm1")

    @scalar
    def tanh(x):
        a = absolute(x)
        b = high if a > high else a
        q, n = reduced(b + b)
        power = from_bits(uint(uint(bits(n) + bias) << shift))
        t = fma(power, q, power - one)
        return copysign(t / (t + two), x)

    return tanh


def _last(f: Format):
    """A bound beyond which sinh and cosh overflow."""
    return f.float(90.5) if f.digits == 24 else f.float(711.5)


@per_format
def sinh(f: Format):
    """x + x^3 P(x^2) up to 1; beyond it e - 1 / (4 e) with e = exp(|x|) / 2."""
    one, quarter = f.float(1), f.float(0.25)
    high = _last(f)
    tail = f.constants("sinh")
    reduced, scaled = reduced_exp(f), scale(f)

    @scalar
    def sinh(x):
        a = absolute(x)
        z = one if a > one else a * a
        near = fma(a * z, polynomial(z, tail), a)
        b = high if a > high else a
        q, n = reduced(b)
        e = scaled(one + q, n - one)
        return copysign(e - quarter / e if a > one else near, x)

    return sinh


@per_format
def cosh(f: Format):
    """e + 1 / (4 e) with e = exp(|x|) / 2."""
    one, quarter = f.float(1), f.float(0.25)
    high = _last(f)
    reduced, scaled = reduced_exp(f), scale(f)

    @scalar
    def cosh(x):
        a = absolute(x)
        a = high if a > high else a
        q, n = reduced(a)
        e = scaled(one + q, n - one)
        return e + quarter / e

    return cosh


@per_format
def asinh(f: Format):
    """log1p(a + a^2 / (1 + sqrt(1 + a^2))), or log(a) + ln 2 where 1 + a^2 is a^2."""
    one, zero, inf = f.float(1), f.float(0), f.inf
    large = f.power_of_two(f.digits // 2 + 2)
    ln2 = f.float(0.6931471805599453)
    logarithm = log_of_sum(f)

    @scalar
    def asinh(x):
        a = absolute(x)
        b = one if a > large else a
        v = fma(b / (one + root(fma(b, b, one))), b, b)
        u = one + v
        c = v - (u - one)
        y = logarithm(a if a > large else u, zero if a > large else c)
        y = y + (ln2 if a > large else zero)
        return copysign(y if a < inf else a, x)

    return asinh


@per_format
def acosh(f: Format):
    """log1p(t + sqrt(t^2 + 2t)) with t = x - 1, or log(x) + ln 2 for large x."""
    one, zero, inf, nan = f.float(1), f.float(0), f.inf, f.nan
    large = f.power_of_two(f.digits // 2 + 2)
    ln2 = f.float(0.6931471805599453)
    logarithm = log_of_sum(f)

    @scalar
    def acosh(x):
        t = one if x > large else x - one
        v = t + root(fma(t, t, t + t))
        u = one + v
        c = v - (u - one)
        y = logarithm(x if x > large else u, zero if x > large else c)
        y = y + (ln2 if x > large else zero)
        y = y if x < inf else x
        return nan if x < one else y

    return acosh


@per_format
def atanh(f: Format):
    """log1p(2a / (1 - a)) / 2."""
    one, half = f.float(1), f.float(0.5)
    logarithm, finish = log_of_sum(f), special(f)

    @scalar
    def atanh(x):
        a = absolute(x)
        v = (a + a) / (one - a)
        u = one + v
        return copysign(half * finish(u, logarithm(u, v - (u - one))), x)

    return atanh
