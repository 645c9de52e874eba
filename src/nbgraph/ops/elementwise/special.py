"""Special functions, element by element, under the names of `math` and of `scipy.special`.

Results are floating: of integers the smallest float that holds them.
"""

from __future__ import annotations

import math

from nbgraph.kernels.capture import composed, special
from nbgraph.operator.decorator import op
from nbgraph.operator.registry import register, registered


@register
@op
def erf(x):
    """The error function.

    >>> erf([0.0, 1.0])
    array([0.        , 0.84270079])
    """
    return math.erf(x)


@register
@op
def erfc(x):
    """1 - erf(x), accurate where that is small.

    >>> erfc([0.0, 1.0])
    array([1.        , 0.15729921])
    """
    return math.erfc(x)


@register
@op
def erfinv(x):
    """The number whose `erf` is x: infinite at -1 and 1, NaN beyond.

    >>> erfinv([0.0, 0.5, 1.0])
    array([0.        , 0.47693628,        inf])
    """
    return special.erfinv(x)


@register
@op
def gamma(x):
    """The gamma function.

    >>> gamma([1.0, 5.0])
    array([ 1., 24.])
    """
    return math.gamma(x)


@registered("gammaln")
@op
def lgamma(x):
    """The logarithm of the gamma function's size.

    >>> lgamma([1.0, 3.0])
    array([0.        , 0.69314718])
    """
    return math.lgamma(x)


@registered("psi")
@op
def digamma(x):
    """The slope of `lgamma`.

    >>> digamma([1.0])
    array([-0.57721566])
    """
    return special.digamma(x)


@register
@op
def polygamma(x, *, n=1):
    """The n-th derivative of `digamma`, n whole, from 0 to 170; by default the first one.

    >>> polygamma([1.0])
    array([1.64493407])
    >>> polygamma([1.0], n=2)
    array([-2.40411381])
    """
    return special.polygamma(n, x)


@register
@op
def xlogy(x1, x2):
    """x1 * log(x2), 0 where x1 is 0.

    >>> xlogy([0.0, 2.0], [0.0, 1.0])
    array([0., 0.])
    """
    return composed.xlogy(x1, x2)


@register
@op
def xlog1py(x1, x2):
    """x1 * log(1 + x2), 0 where x1 is 0.

    >>> xlog1py([0.0, 2.0], [-1.0, 0.0])
    array([0., 0.])
    """
    return composed.xlog1py(x1, x2)


@register
@op
def logit(x):
    """log(x / (1 - x)), the inverse of `sigmoid`.

    >>> logit([0.5, 1.0])
    array([ 0., inf])
    """
    return composed.logit(x)


gammaln = lgamma
psi = digamma
