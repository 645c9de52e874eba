"""Angles, circular and hyperbolic functions, element by element.

Angles are in radians. Results are floating: of integers the smallest float that holds them, as
NumPy. Outside the domain the result is NaN; nothing is raised.
"""

from __future__ import annotations

import math

import numpy as np

from nbgraph.operator.decorator import op
from nbgraph.operator.registry import register, registered


@register
@op
def sin(x):
    """Sine.

    >>> sin([0.0, np.pi / 2])
    array([0., 1.])
    """
    return math.sin(x)


@register
@op
def cos(x):
    """Cosine.

    >>> cos([0.0, np.pi])
    array([ 1., -1.])
    """
    return math.cos(x)


@register
@op
def tan(x):
    """Tangent.

    >>> tan([0.0, np.pi / 4])
    array([0., 1.])
    """
    return math.tan(x)


@registered("arcsin")
@op
def asin(x):
    """Inverse sine, in [-pi/2, pi/2].

    >>> asin([0.0, 1.0])
    array([0.        , 1.57079633])
    """
    return math.asin(x)


@registered("arccos")
@op
def acos(x):
    """Inverse cosine, in [0, pi].

    >>> acos([1.0, 0.0])
    array([0.        , 1.57079633])
    """
    return math.acos(x)


@registered("arctan")
@op
def atan(x):
    """Inverse tangent, in [-pi/2, pi/2].

    >>> atan([0.0, np.inf])
    array([0.        , 1.57079633])
    """
    return math.atan(x)


@registered("arctan2")
@op
def atan2(x1, x2):
    """The angle of the point (x2, x1), in [-pi, pi].

    >>> atan2([0.0, 1.0], [-1.0, 0.0])
    array([3.14159265, 1.57079633])
    """
    return math.atan2(x1, x2)


@register
@op
def hypot(x1, x2):
    """sqrt(x1**2 + x2**2) without overflow. Its slope at the origin is 0.

    >>> hypot([3.0, 5.0], [4.0, 12.0])
    array([ 5., 13.])
    """
    return math.hypot(x1, x2)


@register
@op
def sinh(x):
    """Hyperbolic sine.

    >>> sinh([0.0, 1.0])
    array([0.        , 1.17520119])
    """
    return math.sinh(x)


@register
@op
def cosh(x):
    """Hyperbolic cosine.

    >>> cosh([0.0, 1.0])
    array([1.        , 1.54308063])
    """
    return math.cosh(x)


@register
@op
def tanh(x):
    """Hyperbolic tangent.

    >>> tanh([0.0, np.inf])
    array([0., 1.])
    """
    return math.tanh(x)


@registered("arcsinh")
@op
def asinh(x):
    """Inverse hyperbolic sine.

    >>> asinh([0.0, 1.0])
    array([0.        , 0.88137359])
    """
    return math.asinh(x)


@registered("arccosh")
@op
def acosh(x):
    """Inverse hyperbolic cosine.

    >>> acosh([1.0, 2.0])
    array([0.       , 1.3169579])
    """
    return math.acosh(x)


@registered("arctanh")
@op
def atanh(x):
    """Inverse hyperbolic tangent.

    >>> atanh([0.0, 0.5])
    array([0.        , 0.54930614])
    """
    return math.atanh(x)


@registered("rad2deg")
@op
def degrees(x):
    """Radians to degrees.

    >>> degrees([0.0, np.pi])
    array([  0., 180.])
    """
    return np.degrees(x)


@registered("deg2rad")
@op
def radians(x):
    """Degrees to radians.

    >>> radians([0.0, 180.0])
    array([0.        , 3.14159265])
    """
    return np.radians(x)


@register
@op
def sinc(x):
    """sin(pi x) / (pi x), 1 at 0.

    >>> sinc([0.0, 0.5])
    array([1.        , 0.63661977])
    """
    return np.sinc(x)


arcsin = asin
arccos = acos
arctan = atan
arctan2 = atan2
arcsinh = asinh
arccosh = acosh
arctanh = atanh
rad2deg = degrees
deg2rad = radians
