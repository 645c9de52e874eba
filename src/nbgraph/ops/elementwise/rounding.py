"""Rounding, and conversion to floating values, element by element.

`floor`, `ceil`, `trunc` and `round` leave integers and bool as they are; `rint` makes floats of
them. Rounding has slope 0.
"""

import numpy as np

from nbgraph.kernels.capture.special import floating
from nbgraph.operator.declared import define_scalars
from nbgraph.operator.mapper.decorator import op
from nbgraph.operator.registry import register

_TABLE = """
floor(x): The largest whole number not above x.
    >>> floor([1.5, -1.5])
    array([ 1., -2.])
    = np.floor(x)
ceil(x): The smallest whole number not below x.
    >>> ceil([1.5, -1.5])
    array([ 2., -1.])
    = np.ceil(x)
trunc fix(x): x rounded towards zero to a whole number.
    >>> trunc([1.5, -1.5])
    array([ 1., -1.])
    = np.trunc(x)
rint(x): The nearest whole number, half to even, as a floating value.
    >>> rint([0.5, 1.5, -0.7])
    array([ 0.,  2., -1.])
    = np.rint(x)
round around(x, decimals=None): The nearest number with `decimals` decimals (below zero: tens,
    hundreds), half to even.
    >>> round([1.25, 2.75])
    array([1., 3.])
    >>> round([1.25, 2.75], 1)
    array([1.2, 2.8])
    = np.round(x) if decimals is None else np.round(x, decimals)
nextafter(x1, x2): The next floating number from x1 towards x2, in the format of the result.
    >>> nextafter(np.float16([1.0, 0.0]), np.float16(2.0)).tolist()
    [1.0009765625, 5.960464477539063e-08]
    = np.nextafter(x1, x2)
copysign(x1, x2): The absolute value of x1 with the sign of x2.
    >>> copysign([1.0, -2.0], -0.0)
    array([-1., -2.])
    = np.copysign(x1, x2)
"""
define_scalars(_TABLE, globals())


@register
@op
def modf(x):
    """The fraction, with the sign of x, and the whole part.

    >>> modf([1.5, -2.25])
    (array([ 0.5 , -0.25]), array([ 1., -2.]))
    """
    x = floating(x)
    whole = np.trunc(x)
    fraction = 0.0 if np.isinf(x) else x - whole
    return np.copysign(fraction, x), whole
