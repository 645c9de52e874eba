"""asin, acos, atan, atan2.

asin(s) = s + s^3 P(s^2) up to 1/2, and beyond it pi/2 - 2 asin(sqrt((1 - a) / 2)).  The angle of
(x, y) is pi/4 + atan((y - x) / (y + x)) between y = x/2 and y = 2x, which leaves at most 1/2 for
the polynomial of atan.  Constants come in two pieces and sums keep their rounding errors.
"""

from nbgraph.kernels.vector_math.formats import Format, per_format, scalar, step
from nbgraph.native.floats import absolute, bits, copysign, fma, polynomial
from nbgraph.native.floats import sqrt as root


@per_format
def asin(f: Format):
    """Arc sine."""
    half, two = f.float(0.5), f.float(2)
    right, right_low, _ = f.constants("half_pi")
    tail = f.constants("asin")

    @scalar
    def asin(x):
        a = absolute(x)
        outer = a > half
        z = fma(-half, a, half) if outer else a * a
        s = root(z) if outer else a
        more = s * z * polynomial(z, tail)
        lead = right - two * s
        rest = fma(-two, more, (right - lead) - two * s + right_low)
        return copysign(lead + rest if outer else s + more, x)

    return asin


@per_format
def acos(f: Format):
    """Arc cosine: 2 asin(sqrt((1 - x) / 2)), pi/2 - asin(x), or pi less the first."""
    zero, half, two = f.float(0), f.float(0.5), f.float(2)
    right, right_low, _ = f.constants("half_pi")
    straight, straight_low = f.constants("pi")
    tail = f.constants("asin")

    @scalar
    def acos(x):
        a = absolute(x)
        outer = a > half
        z = fma(-half, a, half) if outer else x * x
        s = two * root(z) if outer else a
        more = s * z * polynomial(z, tail)
        whole = (straight if x < zero else zero) if outer else right
        low = (straight_low if x < zero else zero) if outer else right_low
        # whole - (s + more), with the sign of s turned where the angle is to grow.
        turn = outer ^ (x < zero)
        s = -s if turn else s
        more = -more if turn else more
        lead = whole - s
        rest = ((whole - lead) - s) + (low - more)
        return lead + rest

    return acos


@per_format
def first_quadrant(f: Format):
    """(y, x), neither negative nor both zero nor both infinite -> the angle of (x, y), in parts.

    The angle is lead + rest; lead is 0, pi/4 or pi/2.
    """
    zero, half, two = f.float(0), f.float(0.5), f.float(2)
    right, right_low, _ = f.constants("half_pi")
    eighth, eighth_low = half * right, half * right_low
    tail = f.constants("atan")

    @step
    def first_quadrant(y, x):
        steep = y > two * x
        middle = (y > half * x) & (not steep)
        numerator = -x if steep else (y - x if middle else y)
        denominator = y if steep else (y + x if middle else x)
        t = numerator / denominator
        z = t * t
        lead = right if steep else (eighth if middle else zero)
        low = right_low if steep else (eighth_low if middle else zero)
        return lead, t, fma(t * z, polynomial(z, tail), low)

    return first_quadrant


@per_format
def atan(f: Format):
    """Arc tangent."""
    one = f.float(1)
    angle = first_quadrant(f)

    @scalar
    def atan(x):
        lead, t, rest = angle(absolute(x), one)
        return copysign(lead + (t + rest), x)

    return atan


@per_format
def atan2(f: Format):
    """The angle of the point (x, y), in (-pi, pi], with the sign of y."""
    zero, one, inf = f.float(0), f.float(1), f.inf
    large, small = f.power_of_two(f.bias - 2), f.float(0.125)
    straight, straight_low = f.constants("pi")
    none, top = f.word(0), f.word(f.width - 1)
    uint = f.uint
    angle = first_quadrant(f)

    @scalar
    def atan2(y, x):
        a, b = absolute(y), absolute(x)
        left = uint(bits(x) >> top) != none
        endless, nothing = (a == b) & (a == inf), (a == zero) & (b == zero)
        b = one if endless | nothing else b
        a = one if endless else a
        factor = small if (a > large) | (b > large) else one
        lead, t, rest = angle(a * factor, b * factor)
        # pi less the angle, on the left.
        base = straight - lead if left else lead
        t = -t if left else t
        rest = straight_low - rest if left else rest
        total = base + t
        y_angle = total + (((base - total) + t) + rest)
        return copysign(y_angle, y)

    return atan2
