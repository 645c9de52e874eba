"""Logarithms of densities, and of probabilities of counts, as scalar functions.

Outside a distribution's support they are minus infinity; NaN stays NaN.
"""

from nbgraph.operator.declared import define_scalars

HALF_LOG_2PI = 0.9189385332046727

_TABLE = """
uniform_log_density(x, low, high): -log(high - low) from `low` to `high`.
    >>> uniform_log_density([0.5, 3.0], 0.0, 1.0)
    array([  0., -inf])
    = -math.inf if x < low or x > high else x - x - math.log(high - low)
normal_log_density(x, mean, deviation): -z**2 / 2 - log(deviation * sqrt(2 pi)), z = (x - mean) /
    deviation.
    >>> normal_log_density([0.0], 0.0, 1.0)
    array([-0.91893853])
    = (-0.5 * ((x - mean) / deviation) * ((x - mean) / deviation) - math.log(deviation)
        - HALF_LOG_2PI)
exponential_log_density(x, rate): log(rate) - rate * x from 0 on.
    >>> exponential_log_density([2.0, -1.0], 1.0)
    array([ -2., -inf])
    = -math.inf if x < 0 else math.log(rate) - rate * x
gamma_log_density(x, shape, rate): shape * log(rate) + (shape - 1) * log(x) - rate * x -
    lgamma(shape) from 0 on.
    >>> gamma_log_density([2.0, -1.0], 1.0, 1.0)
    array([ -2., -inf])
    = -math.inf if x < 0 else (composed.xlogy(shape - 1.0, x) + shape * math.log(rate) - rate * x
        - math.lgamma(shape))
poisson_log_density(x, mean): x * log(mean) - mean - log(x!) from 0 on.
    >>> poisson_log_density([0.0, -1.0], 2.0)
    array([ -2., -inf])
    = -math.inf if x < 0 else composed.xlogy(x, mean) - mean - math.lgamma(x + 1.0)
negative_binomial_log_density(x, count, chance): log((x + count - 1)! / (x! (count - 1)!)) + count *
    log(chance) + x * log(1 - chance) from 0 on: x events of one kind before `count` of the other,
    which come with this chance.
    >>> negative_binomial_log_density([0.0, -1.0], 1.0, 1.0)
    array([  0., -inf])
    = -math.inf if x < 0 else (math.lgamma(x + count) - math.lgamma(x + 1.0) - math.lgamma(count)
        + count * math.log(chance) + composed.xlog1py(x, -chance))
dispersed_log_density(x, mean, dispersion): `negative_binomial_log_density` of this mean, and of
    variance mean + dispersion * mean**2.
    >>> dispersed_log_density([0.0, -1.0], 0.0, 1.0)
    array([  0., -inf])
    = -math.inf if x < 0 else (math.lgamma(x + 1.0 / dispersion) - math.lgamma(x + 1.0)
        - math.lgamma(1.0 / dispersion) + composed.xlogy(x, mean * dispersion)
        - (x + 1.0 / dispersion) * math.log1p(mean * dispersion))
"""
define_scalars(_TABLE, globals())
