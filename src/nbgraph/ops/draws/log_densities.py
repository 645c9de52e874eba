"""Logarithms of densities, and of probabilities of counts, as scalar functions.

Outside of a distribution's support they are minus infinity; NaN stays NaN.
"""

import math

from nbgraph.kernels.capture import composed
from nbgraph.operator.decorator import op
from nbgraph.operator.registry import register

HALF_LOG_2PI = 0.9189385332046727


@register
@op
def uniform_log_density(x, low, high):
    """-log(high - low) from `low` to `high`.

    >>> uniform_log_density([0.5, 3.0], 0.0, 1.0)
    array([  0., -inf])
    """
    if x < low or x > high:
        return -math.inf
    return x - x - math.log(high - low)


@register
@op
def normal_log_density(x, mean, deviation):
    """-z**2 / 2 - log(deviation * sqrt(2 pi)), z = (x - mean) / deviation.

    >>> normal_log_density([0.0], 0.0, 1.0)
    array([-0.91893853])
    """
    z = (x - mean) / deviation
    return -0.5 * z * z - math.log(deviation) - HALF_LOG_2PI


@register
@op
def exponential_log_density(x, rate):
    """log(rate) - rate * x from 0 on.

    >>> exponential_log_density([2.0, -1.0], 1.0)
    array([ -2., -inf])
    """
    if x < 0:
        return -math.inf
    return math.log(rate) - rate * x


@register
@op
def gamma_log_density(x, shape, rate):
    """shape * log(rate) + (shape - 1) * log(x) - rate * x - lgamma(shape) from 0 on.

    >>> gamma_log_density([2.0, -1.0], 1.0, 1.0)
    array([ -2., -inf])
    """
    if x < 0:
        return -math.inf
    power = composed.xlogy(shape - 1.0, x) + shape * math.log(rate)
    return power - rate * x - math.lgamma(shape)


@register
@op
def poisson_log_density(x, mean):
    """x * log(mean) - mean - log(x!) from 0 on.

    >>> poisson_log_density([0.0, -1.0], 2.0)
    array([ -2., -inf])
    """
    if x < 0:
        return -math.inf
    return composed.xlogy(x, mean) - mean - math.lgamma(x + 1.0)


@register
@op
def negative_binomial_log_density(x, count, chance):
    """log((x + count - 1)! / (x! (count - 1)!)) + count * log(chance) + x * log(1 - chance) from 0
    on: x events of one kind before `count` of the other, which come with this chance.

    >>> negative_binomial_log_density([0.0, -1.0], 1.0, 1.0)
    array([  0., -inf])
    """
    if x < 0:
        return -math.inf
    ways = math.lgamma(x + count) - math.lgamma(x + 1.0) - math.lgamma(count)
    return ways + count * math.log(chance) + composed.xlog1py(x, -chance)


@register
@op
def dispersed_log_density(x, mean, dispersion):
    """`negative_binomial_log_density` of this mean, and of variance mean + dispersion * mean**2.

    >>> dispersed_log_density([0.0, -1.0], 0.0, 1.0)
    array([  0., -inf])
    """
    if x < 0:
        return -math.inf
    count, odds = 1.0 / dispersion, mean * dispersion
    ways = math.lgamma(x + count) - math.lgamma(x + 1.0) - math.lgamma(count)
    return ways + composed.xlogy(x, odds) - (x + count) * math.log1p(odds)
