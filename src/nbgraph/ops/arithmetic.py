"""Arithmetic, element by element, with NumPy's dtypes (NEP 50).

Operands are arrays, lists or numbers that broadcast against each other. Integers wrap. bool is
added and multiplied as logic; it cannot be subtracted or negated (TypeError).
"""

from __future__ import annotations

import numpy as np

from nbgraph.operator.mapper import op
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
    """Distance from zero; the smallest signed integer wraps to itself. Slope 0 at 0.

    >>> absolute([1, -2])
    array([1, 2])
    """
    return np.absolute(x)


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
    return x * x


true_divide = divide
abs = absolute
pow = power
