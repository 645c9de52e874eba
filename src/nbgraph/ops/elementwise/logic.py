"""Logic, bits and tests of values, element by element.

Logical functions take any dtype (non-zero is true) and give bool; functions of bits take integers
and bool, others are refused (TypeError). A shift by a negative number or beyond the width gives
0, or the sign's fill to the right.
"""

import numpy as np

from nbgraph.operator.declared import define_scalars
from nbgraph.operator.mapper.decorator import op
from nbgraph.operator.registry import register

_TABLE = """
logical_and(x1, x2): Whether both are true.
    >>> logical_and([1, 0], True)
    array([ True, False])
    = np.logical_and(x1, x2)
logical_or(x1, x2): Whether at least one is true.
    >>> logical_or([1, 0], False)
    array([ True, False])
    = np.logical_or(x1, x2)
logical_xor(x1, x2): Whether exactly one is true.
    >>> logical_xor([1, 0], True)
    array([False,  True])
    = np.logical_xor(x1, x2)
logical_not(x): Whether x is zero or False.
    >>> logical_not([1, 0])
    array([False,  True])
    = np.logical_not(x)
bitwise_and(x1, x2): The bits that are set in both.
    >>> bitwise_and([5, 6], 3)
    array([1, 2])
    = x1 & x2
bitwise_or(x1, x2): The bits that are set in at least one.
    >>> bitwise_or([5, 6], 3)
    array([7, 7])
    = x1 | x2
bitwise_xor(x1, x2): The bits that are set in exactly one.
    >>> bitwise_xor([5, 6], 3)
    array([6, 5])
    = x1 ^ x2
bitwise_invert invert bitwise_not(x): All bits inverted; of bool the negation.
    >>> bitwise_invert([0, 5])
    array([-1, -6])
    = ~x
bitwise_left_shift left_shift(x1, x2): x1 shifted left by x2 bits.
    >>> bitwise_left_shift([1, 5], 2)
    array([ 4, 20])
    = x1 << x2
bitwise_right_shift right_shift(x1, x2): x1 shifted right by x2 bits; the sign fills.
    >>> bitwise_right_shift([8, -8], 2)
    array([ 2, -2])
    = x1 >> x2
isnan(x): Whether x is not a number.
    >>> isnan([1.0, np.nan, np.inf])
    array([False,  True, False])
    = np.isnan(x)
isinf(x): Whether x is infinite.
    >>> isinf([1.0, np.nan, np.inf])
    array([False, False,  True])
    = np.isinf(x)
isfinite(x): Whether x is neither infinite nor NaN.
    >>> isfinite([1.0, np.nan, np.inf])
    array([ True, False, False])
    = np.isfinite(x)
signbit(x): Whether the sign is set: -0.0 has it too.
    >>> signbit([-0.0, 0.0, -3.0])
    array([ True, False,  True])
    = np.signbit(x)
"""
define_scalars(_TABLE, globals())


@register
@op
def gcd(x1, x2):
    """Greatest common divisor of integers.

    >>> gcd([12, 18], 8)
    array([4, 2])
    """
    refused = -(x1 & x2)  # refuses floating values, and two bools, as NumPy does
    zero = refused ^ refused
    a, b = x1 | zero, x2 | zero
    while b != 0:
        a, b = b, a % b
    return np.absolute(a)


@register
@op
def lcm(x1, x2):
    """Least common multiple of integers; 0 where one is 0.

    >>> lcm([4, 6], 10)
    array([20, 30])
    """
    divisor = gcd(x1, x2)
    zero = divisor ^ divisor
    return np.absolute(x1 | zero) // divisor * np.absolute(x2 | zero)
