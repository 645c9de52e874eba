"""Comparisons, extremes and choice, element by element.

Comparisons give bool; integers of different sign and width are compared exactly, anything
compared with NaN is False (`not_equal`: True). They have no slope.
"""

from __future__ import annotations

import numpy as np

from nbgraph.operator.decorator import op
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


@register
@op
def fmax(x1, x2):
    """The larger value; the other one where one is NaN.

    >>> fmax([1.0, 3.0], [2.0, np.nan])
    array([2., 3.])
    """
    return np.fmax(x1, x2)


@register
@op
def fmin(x1, x2):
    """The smaller value; the other one where one is NaN.

    >>> fmin([1.0, 3.0], [2.0, np.nan])
    array([1., 3.])
    """
    return np.fmin(x1, x2)


@register
@op
def clip(x, min, max):
    """x limited to [min, max]; `max` where min is above max; NaN stays.

    >>> clip([1, 5, 9], 2, 6)
    array([2, 5, 6])
    """
    return np.clip(x, min, max)


@register
@op
def where(condition, x1, x2):
    """x1 where the condition (bool) holds, else x2; a bool beside a number becomes a number.

    >>> where([True, False], [1, 2], -1)
    array([ 1, -1])
    """
    return np.where(condition, x1, x2)


@register
@op
def heaviside(x1, x2):
    """0 where x1 is below zero, x2 where it is zero, 1 above.

    >>> heaviside([-2.0, 0.0, 2.0], 0.5)
    array([0. , 0.5, 1. ])
    """
    return np.heaviside(x1, x2)
