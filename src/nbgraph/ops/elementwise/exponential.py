"""Exponentials, logarithms, roots and special functions, element by element.

Results are floating: of integers the smallest float that holds them, as NumPy. Outside the domain
the result is NaN, at a pole infinite; nothing is raised.
"""

from nbgraph.operator.declared import define_scalars

_TABLE = """
exp(x): e to the power x.
    >>> exp([0.0, 1.0])
    array([1.        , 2.71828183])
    = np.exp(x)
exp2(x): 2 to the power x.
    >>> exp2([0.0, 3.0])
    array([1., 8.])
    = np.exp2(x)
expm1(x): exp(x) - 1, accurate near 0.
    >>> expm1([0.0, 1e-10])
    array([0.e+00, 1.e-10])
    = np.expm1(x)
log(x): Natural logarithm.
    >>> log([1.0, np.e])
    array([0., 1.])
    = np.log(x)
log2(x): Logarithm to the base 2.
    >>> log2([1.0, 8.0])
    array([0., 3.])
    = np.log2(x)
log10(x): Logarithm to the base 10.
    >>> log10([1.0, 1000.0])
    array([0., 3.])
    = np.log10(x)
log1p(x): log(1 + x), accurate near 0.
    >>> log1p([0.0, 1e-10])
    array([0.e+00, 1.e-10])
    = np.log1p(x)
logaddexp(x1, x2): log(e**x1 + e**x2) without overflow.
    >>> logaddexp([0.0, 1000.0], 0.0)
    array([6.93147181e-01, 1.00000000e+03])
    = np.logaddexp(x1, x2)
logaddexp2(x1, x2): log2(2**x1 + 2**x2) without overflow.
    >>> logaddexp2([0.0, 2000.0], 0.0)
    array([1.e+00, 2.e+03])
    = np.logaddexp2(x1, x2)
sqrt(x): Square root.
    >>> sqrt([4.0, 9.0])
    array([2., 3.])
    = np.sqrt(x)
rsqrt(x): 1 / sqrt(x).
    >>> rsqrt([4.0, 16.0])
    array([0.5 , 0.25])
    = special.rsqrt(x)
cbrt(x): Cube root, of negative numbers too.
    >>> cbrt([8.0, -27.0])
    array([ 2., -3.])
    = math.cbrt(x)
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
lgamma gammaln(x): The logarithm of the gamma function's absolute value.
    >>> lgamma([1.0, 3.0])
    array([0.        , 0.69314718])
    = math.lgamma(x)
digamma psi(x): The derivative of `lgamma`.
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
