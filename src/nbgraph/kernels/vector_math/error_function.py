"""erf, erfc and erfinv.

erf is x + x P(x^2) up to 1, and 1 - exp(-p(|x| - 1)) beyond, where p fits -log erfc: centred at 1,
the polynomial is exact where the difference is most sensitive.  erfc of a = |x| >= 1/2 is
exp(-a^2) P(t) / (1 + 2a), t = (a - k) / (a + k) (Shepherd and Laframboise 1981), with the rounding
errors of a^2, of P, of the quotient and of 1 + 2a carried along.

erfinv is smooth in w = -log(1 - x^2) (Giles, Approximating the erfinv function, 2010): it is
x + x P(w - c) up to a border 2c, and s + s P(t) beyond, s = sqrt(w), t = (s - 3.75) / (s + 2).
"""

from nbgraph.kernels.vector_math.exp import reduced_exp, scale
from nbgraph.kernels.vector_math.formats import Format, per_format, scalar
from nbgraph.kernels.vector_math.log import log
from nbgraph.native.floats import absolute, bits, copysign, fma, fma_exact, from_bits, polynomial
from nbgraph.native.floats import sqrt as root


@per_format
def erf(f: Format):
    """The error function."""
    one = f.float(1)
    border, span = f.float(1), f.float(3) if f.digits == 24 else f.float(4.95)
    uint, shift, bias = f.uint, f.shift, f.word(f.bias)
    near_tail, far_tail = f.constants("erf_small"), f.constants("erf_large")
    reduced = reduced_exp(f)

    @scalar
    def erf(x):
        a = absolute(x)
        z = one if a > border else a * a
        near = fma(a, polynomial(z, near_tail), a)
        u = a - border
        u = span if u > span else u
        q, n = reduced(-polynomial(u, far_tail))
        power = from_bits(uint(uint(bits(n) + bias) << shift))
        far = (one - power) - power * q
        return copysign(far if a > border else near, x)

    return erf


@per_format
def erfc(f: Format):
    """1 - erf(x), accurate relative to itself where it is small."""
    zero, one, two = f.float(0), f.float(1), f.float(2)
    border, last = f.float(0.5), f.float(10.1) if f.digits == 24 else f.float(27.3)
    centre = f.float(2) if f.digits == 24 else f.float(2.5)
    near_tail, (first, *others) = f.constants("erf_small"), f.constants("erfc")
    others = tuple(others)
    reduced, scaled = reduced_exp(f), scale(f)

    @scalar
    def erfc(x):
        a = absolute(x)
        z = border if a > border else a * a
        near = one - fma(x, polynomial(z, near_tail), x)
        a = last if a > last else a
        square = a * a
        q, n = reduced(-square)
        lost = fma_exact(a, a, -square)
        q = fma(-lost, one + q, q)  # exp(-square - lost) - 1
        t = (a - centre) / (a + centre)
        tail = polynomial(t, others)
        p = fma(t, tail, first)
        p_low = fma(t, tail, first - p)
        d = fma(two, a, one)
        inverse = one / d
        w = p * inverse
        rest = (fma(-w, fma(two, a, one - d), fma_exact(-w, d, p)) + p_low) * inverse
        far = scaled(w + fma(w, q, fma(rest, q, rest)), n)
        far = two - far if x < zero else far
        return far if absolute(x) > border else near

    return erfc


@per_format
def erfinv(f: Format):
    """The number whose erf is x; infinite at -1 and 1, NaN beyond. At most 1.7 ULP."""
    one, border = f.float(1), f.float(5) if f.digits == 24 else f.float(6.25)
    middle = border / f.float(2)
    last, centre, two = f.float(7), f.float(3.75), f.float(2)
    near_tail, far_tail = f.constants("erfinv_near"), f.constants("erfinv_far")
    logarithm = log(f)

    @scalar
    def erfinv(x):
        a = absolute(x)
        w = -logarithm(fma(-a, a, one))
        near = fma(a, polynomial(w - middle, near_tail), a)
        s = root(w)
        bounded = last if s > last else s  # infinite at 1
        far = fma(bounded, polynomial((bounded - centre) / (bounded + two), far_tail), s)
        return copysign(far if w > border else near, x)

    return erfinv
