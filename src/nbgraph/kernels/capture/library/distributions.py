"""Distributions of `scipy.stats` in standard form, by name and method, as plain scalar texts.

Each takes x, or a probability, and the shapes. `DERIVED` says which methods follow from others, and
`SHIFTED` how location and scale come in. Johnson, Kotz and Balakrishnan, Continuous univariate
distributions, 1994; Johnson, Kemp and Kotz, Univariate discrete distributions, 2005.
"""

from __future__ import annotations

import math

from nbgraph.kernels.capture.composed import log_sigmoid, ndtr, xlog1py, xlogy
from nbgraph.kernels.capture.library import special
from nbgraph.kernels.capture.special import (
    beta_density,
    betaincinv,
    betaln,
    erfinv,
    gamma_density,
    gammainccinv,
    gammaincinv,
    ndtri,
    sigmoid,
)
from nbgraph.kernels.capture.special import betainc as _betainc
from nbgraph.kernels.capture.special import betaincc as _betaincc
from nbgraph.kernels.capture.special import gammainc as _gammainc
from nbgraph.kernels.capture.special import gammaincc as _gammaincc

HALF_LOG_TAU = 0.5 * math.log(2.0 * math.pi)


# methods from others -----------------------------------------------------------------------------


def exp_of(x, standard, shapes):
    """A density from its logarithm."""
    return math.exp(standard(x, *shapes))


def log_of(x, standard, shapes):
    """A logarithm."""
    return math.log(standard(x, *shapes))


def rest_of(x, standard, shapes):
    """1 less a share."""
    return 1.0 - standard(x, *shapes)


def log_of_smaller(x, standard, other, shapes):
    """The logarithm of a share, near 1 from the other one."""
    y = standard(x, *shapes)
    return math.log(y) if y < 0.5 else math.log1p(-other(x, *shapes))


def log_rest_of(x, standard, shapes):
    """The logarithm of 1 less a share."""
    return math.log1p(-standard(x, *shapes))


def upper_of(q, standard, shapes):
    """A quantile of what lies above it."""
    return standard(1.0 - q, *shapes)


def density(standard, x, shapes, loc, scale):
    """A density at x."""
    return standard((x - loc) / scale, *shapes) / scale if scale > 0.0 else math.nan


def log_density(standard, x, shapes, loc, scale):
    """The logarithm of a density at x."""
    return standard((x - loc) / scale, *shapes) - math.log(scale) if scale > 0.0 else math.nan


def share(standard, x, shapes, loc, scale):
    """What does not depend on the unit of x."""
    return standard((x - loc) / scale, *shapes) if scale > 0.0 else math.nan


def quantile(standard, q, shapes, loc, scale):
    """An x."""
    return loc + scale * standard(q, *shapes) if scale > 0.0 else math.nan


# continuous --------------------------------------------------------------------------------------


def norm_logpdf(x):
    return -0.5 * x * x - HALF_LOG_TAU


def norm_cdf(x):
    return ndtr(x)


def norm_sf(x):
    return ndtr(-x)


def norm_logcdf(x):
    return special.log_ndtr(x)


def norm_logsf(x):
    return special.log_ndtr(-x)


def norm_ppf(q):
    return ndtri(q)


def norm_isf(q):
    return -ndtri(q)


def lognorm_logpdf(x, s):
    inside = x > 0.0
    y = math.log(x) if inside else 0.0
    return norm_logpdf(y / s) - math.log(s) - y if inside else -math.inf


def lognorm_cdf(x, s):
    return ndtr(math.log(x) / s) if x > 0.0 else 0.0


def lognorm_sf(x, s):
    return ndtr(-math.log(x) / s) if x > 0.0 else 1.0


def lognorm_ppf(q, s):
    return math.exp(s * ndtri(q))


def lognorm_isf(q, s):
    return math.exp(-s * ndtri(q))


def expon_logpdf(x):
    return -x if x >= 0.0 else -math.inf


def expon_cdf(x):
    return -math.expm1(-x) if x > 0.0 else 0.0


def expon_sf(x):
    return math.exp(-x) if x > 0.0 else 1.0


def expon_logsf(x):
    return -x if x > 0.0 else 0.0


def expon_ppf(q):
    return -math.log1p(-q)


def expon_isf(q):
    return -math.log(q)


def gamma_logpdf(x, a):
    return xlogy(a - 1.0, x) - x - math.lgamma(a) if x >= 0.0 else -math.inf


def gamma_pdf(x, a):
    return gamma_density(a, x) if x >= 0.0 else 0.0


def gamma_cdf(x, a):
    return _gammainc(a, x) if x > 0.0 else 0.0


def gamma_sf(x, a):
    return _gammaincc(a, x) if x > 0.0 else 1.0


def gamma_ppf(q, a):
    return gammaincinv(a, q)


def gamma_isf(q, a):
    return gammainccinv(a, q)


def chi2_logpdf(x, df):
    return gamma_logpdf(0.5 * x, 0.5 * df) - math.log(2.0)


def chi2_pdf(x, df):
    return 0.5 * gamma_pdf(0.5 * x, 0.5 * df)


def chi2_cdf(x, df):
    return gamma_cdf(0.5 * x, 0.5 * df)


def chi2_sf(x, df):
    return gamma_sf(0.5 * x, 0.5 * df)


def chi2_ppf(q, df):
    return 2.0 * gammaincinv(0.5 * df, q)


def chi2_isf(q, df):
    return 2.0 * gammainccinv(0.5 * df, q)


def beta_logpdf(x, a, b):
    inside = 0.0 <= x <= 1.0
    y = x if inside else 0.5
    logs = xlogy(a - 1.0, y) + xlog1py(b - 1.0, -y) - betaln(a, b)
    return logs if inside else -math.inf


def beta_pdf(x, a, b):
    return beta_density(a, b, x) if 0.0 <= x <= 1.0 else 0.0


def beta_cdf(x, a, b):
    return _betainc(a, b, x) if 0.0 < x < 1.0 else (1.0 if x >= 1.0 else 0.0)


def beta_sf(x, a, b):
    return _betaincc(a, b, x) if 0.0 < x < 1.0 else (0.0 if x >= 1.0 else 1.0)


def beta_ppf(q, a, b):
    return betaincinv(a, b, q)


def beta_isf(q, a, b):
    return 1.0 - betaincinv(b, a, q)


def t_logpdf(x, df):
    scale = 0.5 * math.log(df) + betaln(0.5, 0.5 * df)
    return -scale - 0.5 * (df + 1.0) * math.log1p(x * x / df)


def t_cdf(x, df):
    return special.stdtr(df, x)


def t_sf(x, df):
    return special.stdtr(df, -x)


def t_ppf(q, df):
    return special.stdtrit(df, q)


def t_isf(q, df):
    return -special.stdtrit(df, q)


def f_logpdf(x, dfn, dfd):
    a, b = 0.5 * dfn, 0.5 * dfd
    inside = x > 0.0
    y = x if inside else 1.0
    ratio = dfn / dfd
    logs = a * math.log(ratio) + (a - 1.0) * math.log(y) - (a + b) * math.log1p(ratio * y)
    return logs - betaln(a, b) if inside else -math.inf


def f_cdf(x, dfn, dfd):
    return special.fdtr(dfn, dfd, x) if x > 0.0 else 0.0


def f_sf(x, dfn, dfd):
    return special.fdtrc(dfn, dfd, x) if x > 0.0 else 1.0


def f_ppf(q, dfn, dfd):
    if q > 0.5:
        return 1.0 / f_ppf_low(1.0 - q, dfd, dfn)
    return f_ppf_low(q, dfn, dfd)


def f_isf(q, dfn, dfd):
    if q > 0.5:
        return f_ppf_low(1.0 - q, dfn, dfd)
    return 1.0 / f_ppf_low(q, dfd, dfn)


def f_ppf_low(q, dfn, dfd):
    y = betaincinv(0.5 * dfn, 0.5 * dfd, q)
    return dfd * y / (dfn * (1.0 - y))


def uniform_pdf(x):
    return 1.0 if 0.0 <= x <= 1.0 else 0.0 * x


def uniform_logpdf(x):
    return 0.0 if 0.0 <= x <= 1.0 else -math.inf


def uniform_cdf(x):
    return x if 0.0 <= x <= 1.0 else (1.0 if x > 1.0 else 0.0 * x)


def uniform_sf(x):
    return 1.0 - x if 0.0 <= x <= 1.0 else (0.0 * x if x > 1.0 else 1.0)


def uniform_ppf(q):
    return q if 0.0 <= q <= 1.0 else math.nan


def weibull_min_logpdf(x, c):
    inside = x >= 0.0
    y = x if inside else 1.0
    return math.log(c) + xlogy(c - 1.0, y) - y**c if inside else -math.inf


def weibull_min_cdf(x, c):
    return -math.expm1(-(x**c)) if x > 0.0 else 0.0


def weibull_min_sf(x, c):
    return math.exp(-(x**c)) if x > 0.0 else 1.0


def weibull_min_logsf(x, c):
    return -(x**c) if x > 0.0 else 0.0


def weibull_min_ppf(q, c):
    return (-math.log1p(-q)) ** (1.0 / c)


def weibull_min_isf(q, c):
    return (-math.log(q)) ** (1.0 / c)


def cauchy_pdf(x):
    return 1.0 / (math.pi * (1.0 + x * x))


def cauchy_logpdf(x):
    return -math.log(math.pi) - math.log1p(x * x)


def cauchy_cdf(x):
    return math.atan2(1.0, -x) / math.pi


def cauchy_sf(x):
    return math.atan2(1.0, x) / math.pi


def cauchy_ppf(q):
    if abs(q - 0.5) <= 0.25:
        return math.tan(math.pi * (q - 0.5))
    return -1.0 / math.tan(math.pi * (q if q < 0.5 else q - 1.0))


def cauchy_isf(q):
    return -cauchy_ppf(q)


def laplace_logpdf(x):
    return -abs(x) - math.log(2.0)


def laplace_cdf(x):
    return 0.5 * math.exp(x) if x < 0.0 else 1.0 - 0.5 * math.exp(-x)


def laplace_sf(x):
    return laplace_cdf(-x)


def laplace_ppf(q):
    return math.log(2.0 * q) if q < 0.5 else -math.log(2.0 * (1.0 - q))


def laplace_isf(q):
    return -laplace_ppf(q)


def logistic_logpdf(x):
    size = abs(x)
    return -size - 2.0 * math.log1p(math.exp(-size))


def logistic_cdf(x):
    return sigmoid(x)


def logistic_sf(x):
    return sigmoid(-x)


def logistic_logcdf(x):
    return log_sigmoid(x)


def logistic_logsf(x):
    return log_sigmoid(-x)


def logistic_ppf(q):
    return math.log(q) - math.log1p(-q)


def logistic_isf(q):
    return math.log1p(-q) - math.log(q)


def gumbel_r_logpdf(x):
    return -x - math.exp(-x)


def gumbel_r_cdf(x):
    return math.exp(-math.exp(-x))


def gumbel_r_logcdf(x):
    return -math.exp(-x)


def gumbel_r_sf(x):
    return -math.expm1(-math.exp(-x))


def gumbel_r_ppf(q):
    return -math.log(-math.log(q))


def gumbel_r_isf(q):
    return -math.log(-math.log1p(-q))


def rayleigh_logpdf(x):
    return math.log(x) - 0.5 * x * x if x > 0.0 else -math.inf


def rayleigh_cdf(x):
    return -math.expm1(-0.5 * x * x) if x > 0.0 else 0.0


def rayleigh_sf(x):
    return math.exp(-0.5 * x * x) if x > 0.0 else 1.0


def rayleigh_ppf(q):
    return math.sqrt(-2.0 * math.log1p(-q))


def rayleigh_isf(q):
    return math.sqrt(-2.0 * math.log(q))


def pareto_logpdf(x, b):
    return math.log(b) - (b + 1.0) * math.log(x) if x >= 1.0 else -math.inf


def pareto_cdf(x, b):
    return -math.expm1(-b * math.log(x)) if x >= 1.0 else 0.0


def pareto_sf(x, b):
    return x ** (-b) if x >= 1.0 else 1.0


def pareto_ppf(q, b):
    return math.exp(-math.log1p(-q) / b)


def pareto_isf(q, b):
    return math.exp(-math.log(q) / b)


def halfnorm_logpdf(x):
    return math.log(2.0) + norm_logpdf(x) if x >= 0.0 else -math.inf


def halfnorm_cdf(x):
    return math.erf(x * math.sqrt(0.5)) if x > 0.0 else 0.0


def halfnorm_sf(x):
    return math.erfc(x * math.sqrt(0.5)) if x > 0.0 else 1.0


def halfnorm_ppf(q):
    return math.sqrt(2.0) * erfinv(q) if q < 0.5 else -ndtri(0.5 * (1.0 - q))


def halfnorm_isf(q):
    return -ndtri(0.5 * q)


# discrete ----------------------------------------------------------------------------------------


def poisson_logpmf(k, mu):
    inside = k >= 0 and k == math.floor(k)
    n = 1.0 * k if inside else 0.0
    return xlogy(n, mu) - math.lgamma(n + 1.0) - mu if inside else -math.inf


def poisson_pmf(k, mu):
    inside = k >= 0 and k == math.floor(k)
    n = 1.0 * k if inside else 0.0
    return gamma_density(n + 1.0, mu) if inside else 0.0


def poisson_cdf(k, mu):
    return special.pdtr(k, mu) if k >= 0 else 0.0


def poisson_sf(k, mu):
    return special.pdtrc(k, mu) if k >= 0 else 1.0


def binom_logpmf(k, n, p):
    inside = 0 <= k <= n and k == math.floor(k)
    j = 1.0 * k if inside else 0.0
    ways = -math.log(n + 1.0) - betaln(n - j + 1.0, j + 1.0)
    return ways + xlogy(j, p) + xlog1py(n - j, -p) if inside else -math.inf


def binom_pmf(k, n, p):
    inside = 0 <= k <= n and k == math.floor(k)
    j = 1.0 * k if inside else 0.0
    return beta_density(j + 1.0, n - j + 1.0, p) / (n + 1.0) if inside else 0.0


def binom_cdf(k, n, p):
    return special.bdtr(k, n, p) if k >= 0 else 0.0


def binom_sf(k, n, p):
    return special.bdtrc(k, n, p) if k >= 0 else 1.0


def geom_logpmf(k, p):
    inside = k >= 1 and k == math.floor(k)
    return math.log(p) + xlog1py(k - 1.0, -p) if inside else -math.inf


def geom_cdf(k, p):
    return -math.expm1(math.floor(k) * math.log1p(-p)) if k >= 1 else 0.0


def geom_sf(k, p):
    return math.exp(math.floor(k) * math.log1p(-p)) if k >= 1 else 1.0


def bernoulli_pmf(k, p):
    return p if k == 1 else (1.0 - p if k == 0 else 0.0 * p)


def bernoulli_cdf(k, p):
    return 0.0 * p if k < 0 else (1.0 - p if k < 1 else 1.0 + 0.0 * p)


def nbinom_logpmf(k, n, p):
    inside = k >= 0 and k == math.floor(k)
    j = 1.0 * k if inside else 0.0
    ways = math.lgamma(n + j) - math.lgamma(j + 1.0) - math.lgamma(n)
    return ways + xlogy(n, p) + xlog1py(j, -p) if inside else -math.inf


def nbinom_cdf(k, n, p):
    return special.nbdtr(k, n, p) if k >= 0 else 0.0


def nbinom_sf(k, n, p):
    return special.nbdtrc(k, n, p) if k >= 0 else 1.0


# method -> the methods that it may follow from, and how
DERIVED = {
    "pdf": ((("logpdf",), exp_of),),
    "pmf": ((("logpmf",), exp_of),),
    "logpdf": ((("pdf",), log_of),),
    "logpmf": ((("pmf",), log_of),),
    "sf": ((("cdf",), rest_of),),
    "logcdf": ((("cdf", "sf"), log_of_smaller), (("cdf",), log_of)),
    "logsf": ((("sf", "cdf"), log_of_smaller), (("cdf",), log_rest_of)),
    "isf": ((("ppf",), upper_of),),
}
SHIFTED = {
    "pdf": density,
    "logpdf": log_density,
    **dict.fromkeys(("cdf", "sf", "logcdf", "logsf", "pmf", "logpmf"), share),
    **dict.fromkeys(("ppf", "isf"), quantile),
}
