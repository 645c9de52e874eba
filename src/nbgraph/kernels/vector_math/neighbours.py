"""The next number of a format in a direction: float32 and float64, and for values that are stored
with 16 bits the next one that 16 bits hold."""

from nbgraph.kernels.vector_math.formats import Format, per_format, scalar
from nbgraph.native.floats import absolute, bits, from_bits
from nbgraph.native.floats import copysign as change


def _step(f: Format, digits: int, exponent: int):
    """`nextafter` in a format of `digits` whose least normal number is 2^exponent."""
    zero, inf, uint = f.float(0), f.inf, f.uint
    unit = f.word(1 << (f.digits - digits))
    normal = f.power_of_two(exponent)
    least = f.power_of_two(exponent - digits + 1)
    largest = f.float((2 - 2.0 ** (1 - digits)) * 2.0 ** (1 - exponent))

    @scalar
    def nextafter(x, y):
        up = y > x
        word = bits(x)
        result = from_bits(uint(word + unit) if (x > zero) == up else uint(word - unit))
        moved = x + (least if up else -least)  # exact where numbers are evenly spaced
        result = change(moved, x) if absolute(x) <= normal else result
        result = moved if x == zero else result
        result = change(largest, x) if absolute(x) == inf else result
        result = y if x == y else result
        return x + y if (x != x) | (y != y) else result

    return nextafter


nextafter = per_format(lambda f: _step(f, f.digits, 1 - f.bias))  # the next number from x towards y
# the next float16 from x towards y, both of which are float16 values
nextafter_float16 = per_format(lambda f: _step(f, 11, -14))
# the next bfloat16 from x towards y, both of which are bfloat16 values
nextafter_bfloat16 = per_format(lambda f: _step(f, 8, -126))
