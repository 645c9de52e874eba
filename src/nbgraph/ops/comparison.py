"""Comparisons and extremes, element by element.

Comparisons give bool; integers of different sign and width are compared exactly, anything
compared with NaN is False (`not_equal`: True). They have no derivative.
"""

from __future__ import annotations

import numpy as np

from nbgraph.operator.mapper import op
from nbgraph.operator.registry import register


@register
@op
def equal(x1, x2):
    """Whether x1 is x2.

    >>> equal([1, 2], 2)
    array([False,  True])
    """
    return x1 == x2


@register
@op
def not_equal(x1, x2):
    """Whether x1 is not x2.

    >>> not_equal([1, 2], 2)
    array([ True, False])
    """
    return x1 != x2


@register
@op
def less(x1, x2):
    """Whether x1 is below x2.

    >>> less([1, 2], 2)
    array([ True, False])
    """
    return x1 < x2


@register
@op
def less_equal(x1, x2):
    """Whether x1 is below x2 or the same.

    >>> less_equal([1, 2, 3], 2)
    array([ True,  True, False])
    """
    return x1 <= x2


@register
@op
def greater(x1, x2):
    """Whether x1 is above x2.

    >>> greater([1, 2, 3], 2)
    array([False, False,  True])
    """
    return x1 > x2


@register
@op
def greater_equal(x1, x2):
    """Whether x1 is above x2 or the same.

    >>> greater_equal([1, 2, 3], 2)
    array([False,  True,  True])
    """
    return x1 >= x2


@register
@op
def maximum(x1, x2):
    """The larger value; NaN where either is NaN. Where both are equal the slope goes to x1.

    >>> maximum([1, 2, 3], 2)
    array([2, 2, 3])
    """
    return np.maximum(x1, x2)


@register
@op
def minimum(x1, x2):
    """The smaller value; NaN where either is NaN. Where both are equal the slope goes to x1.

    >>> minimum([1, 2, 3], 2)
    array([1, 2, 2])
    """
    return np.minimum(x1, x2)
