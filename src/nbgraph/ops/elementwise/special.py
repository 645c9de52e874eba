"""Special functions, element by element, under the names of `math` and of `scipy.special`.

Results are floating: of integers the smallest float that holds them.
"""

from nbgraph.operator.declared import define_scalars

_TABLE = """
erf(x): The error function.
    >>> erf([0.0, 1.0])
    array([0.        , 0.84270079])
    = math.erf(x)
erfc(x): 1 - erf(x), accurate where that is small.
    >>> erfc([0.0, 1.0])
    array([1.        , 0.15729921])
    = math.erfc(x)
erfinv(x): The number whose `erf` is x: infinite at -1 and 1, NaN beyond.
    >>> erfinv([0.0, 0.5, 1.0])
    array([0.        , 0.47693628,        inf])
    = special.erfinv(x)
gamma(x): The gamma function.
    >>> gamma([1.0, 5.0])
    array([ 1., 24.])
    = math.gamma(x)
lgamma gammaln(x): The logarithm of the gamma function's size.
    >>> lgamma([1.0, 3.0])
    array([0.        , 0.69314718])
    = math.lgamma(x)
digamma psi(x): The slope of `lgamma`.
    >>> digamma([1.0])
    array([-0.57721566])
    = special.digamma(x)
polygamma(x, *, n=1): The n-th derivative of `digamma`, n whole, from 0 to 170; by default the first
    one.
    >>> polygamma([1.0])
    array([1.64493407])
    >>> polygamma([1.0], n=2)
    array([-2.40411381])
    = special.polygamma(n, x)
xlogy(x1, x2): x1 * log(x2), 0 where x1 is 0.
    >>> xlogy([0.0, 2.0], [0.0, 1.0])
    array([0., 0.])
    = composed.xlogy(x1, x2)
xlog1py(x1, x2): x1 * log(1 + x2), 0 where x1 is 0.
    >>> xlog1py([0.0, 2.0], [-1.0, 0.0])
    array([0., 0.])
    = composed.xlog1py(x1, x2)
logit(x): log(x / (1 - x)), the inverse of `sigmoid`.
    >>> logit([0.5, 1.0])
    array([ 0., inf])
    = composed.logit(x)
"""
define_scalars(_TABLE, globals())
