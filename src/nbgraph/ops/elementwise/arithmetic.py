"""Arithmetic, element by element, with NumPy's dtypes (NEP 50).

Operands are arrays, lists or numbers that broadcast against each other. Integers wrap, and an
integer divided by 0 is 0. bool is added and multiplied as logic; it has no difference, sign or
negative (TypeError).
"""

from __future__ import annotations

import numpy as np

from nbgraph.operator.decorator import op
from nbgraph.operator.registry import register, registered


@register
@op
def add(x1, x2):
    """Sum.

    >>> add([1, 2], 3)
    array([4, 5])
    """
    return x1 + x2


@register
@op
def subtract(x1, x2):
    """Difference.

    >>> subtract([1, 2], 3)
    array([-2, -1])
    """
    return x1 - x2


@register
@op
def multiply(x1, x2):
    """Product.

    >>> multiply([1, 2], 3)
    array([3, 6])
    """
    return x1 * x2


@registered("true_divide")
@op
def divide(x1, x2):
    """Quotient; of integers float64.

    >>> divide([1, 2], 4)
    array([0.25, 0.5 ])
    """
    return x1 / x2


@register
@op
def floor_divide(x1, x2):
    """Quotient rounded down. Its slope is 0.

    >>> floor_divide([7, -7], 2)
    array([ 3, -4])
    """
    return x1 // x2


@registered("mod")
@op
def remainder(x1, x2):
    """What `floor_divide` leaves: it has the sign of x2.

    >>> remainder([7, -7], 3)
    array([1, 2])
    """
    return x1 % x2


@register
@op
def fmod(x1, x2):
    """What division rounded towards zero leaves: it has the sign of x1.

    >>> fmod([7, -7], 3)
    array([ 1, -1])
    """
    return np.fmod(x1, x2)


@register
@op
def divmod(x1, x2):
    """`floor_divide` and `remainder` in one pass.

    >>> divmod([7, -7], 2)
    (array([ 3, -4]), array([1, 1]))
    """
    return x1 // x2, x1 % x2


@register
@op
def negative(x):
    """The value with the other sign; unsigned integers wrap.

    >>> negative([1, -2])
    array([-1,  2])
    """
    return -x


@register
@op
def positive(x):
    """The value itself, as a new array.

    >>> positive([1, -2])
    array([ 1, -2])
    """
    return +x


@registered("abs")
@op
def absolute(x):
    """Distance from zero; the smallest signed integer wraps to itself. Its slope at 0 is 0.

    >>> absolute([1, -2])
    array([1, 2])
    """
    return np.absolute(x)


@register
@op
def fabs(x):
    """Distance from zero as a floating value.

    >>> fabs([1, -2])
    array([1., 2.])
    """
    return np.fabs(x)


@register
@op
def sign(x):
    """-1, 0 or 1; NaN where x is NaN. Its slope is 0.

    >>> sign([2, 0, -3])
    array([ 1,  0, -1])
    """
    return np.sign(x)


@registered("pow")
@op
def power(x1, x2):
    """x1 to the power x2; an integer to a negative integer power is 0, unless it is 1 or -1.

    >>> power([1, 2, 3], 2)
    array([1, 4, 9])
    """
    return x1**x2


@register
@op
def square(x):
    """x times x.

    >>> square([1, -2])
    array([1, 4])
    """
    return np.square(x)


@register
@op
def reciprocal(x):
    """1 / x; of an integer rounded towards zero, 0 for 0.

    >>> reciprocal([2.0, -4.0])
    array([ 0.5 , -0.25])
    """
    return np.reciprocal(x)


true_divide = divide
mod = remainder
abs = absolute
pow = power
