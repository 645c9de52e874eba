"""Distributions of `scipy.stats` in standard form, by name and method, as scalar texts.

Each takes x, or a probability, and the shapes. `DERIVED` lists the methods that follow from others,
`SHIFTED` the texts that apply location and scale. Johnson, Kotz and Balakrishnan, Continuous
univariate distributions, 1994; Johnson, Kemp and Kotz, Univariate discrete distributions, 2005.
"""

import math

from nbgraph.kernels.capture import special as base
from nbgraph.kernels.capture.composed import log_sigmoid, ndtr, xlog1py, xlogy
from nbgraph.kernels.capture.library import special

HALF_LOG_TAU = 0.5 * math.log(2.0 * math.pi)


# methods from others -----------------------------------------------------------------------------


exp_of = lambda x, standard, shapes: math.exp(standard(x, *shapes))  # a density from its logarithm
log_of = lambda x, standard, shapes: math.log(standard(x, *shapes))  # a logarithm
rest_of = lambda x, standard, shapes: 1.0 - standard(x, *shapes)  # 1 less a share


def log_of_smaller(x, standard, other, shapes):
    """Return the logarithm of a probability; if that is near 1, by its complement."""
    y = standard(x, *shapes)
    return math.log(y) if y < 0.5 else math.log1p(-other(x, *shapes))


# the logarithm of 1 less a share
log_rest_of = lambda x, standard, shapes: math.log1p(-standard(x, *shapes))
# a quantile of what lies above it
upper_of = lambda q, standard, shapes: standard(1.0 - q, *shapes)


def density(standard, x, shapes, loc, scale):
    """Return the density at x from that of the standard form."""
    return standard((x - loc) / scale, *shapes) / scale if scale > 0.0 else math.nan


def log_density(standard, x, shapes, loc, scale):
    """Return the logarithm of the density at x from that of the standard form."""
    return standard((x - loc) / scale, *shapes) - math.log(scale) if scale > 0.0 else math.nan


def share(standard, x, shapes, loc, scale):
    """Return a probability at x from that of the standard form."""
    return standard((x - loc) / scale, *shapes) if scale > 0.0 else math.nan


def quantile(standard, q, shapes, loc, scale):
    """Return a quantile from that of the standard form."""
    return loc + scale * standard(q, *shapes) if scale > 0.0 else math.nan


def inside(holds, x, other, text, beyond=-math.inf):
    """Return text(x) where `holds`, else `beyond`, with text(other) to avoid NaN slopes."""
    value = text(x if holds else other)
    return value if holds else beyond


# a text of a count, where something holds and it is whole
counted = lambda k, holds, text, beyond=-math.inf: inside(
    holds and k == math.floor(k), 1.0 * k, 0.0, text, beyond
)

# continuous --------------------------------------------------------------------------------------


norm_logpdf = lambda x: -0.5 * x * x - HALF_LOG_TAU
norm_cdf = ndtr
norm_sf = lambda x: ndtr(-x)
norm_logcdf = special.log_ndtr
norm_logsf = lambda x: special.log_ndtr(-x)
norm_ppf = base.ndtri
norm_isf = lambda q: -base.ndtri(q)


lognorm_logpdf = lambda x, s: inside(
    x > 0.0, x, 1.0, lambda y: norm_logpdf(math.log(y) / s) - math.log(s) - math.log(y)
)
lognorm_cdf = lambda x, s: ndtr(math.log(x) / s) if x > 0.0 else 0.0
lognorm_sf = lambda x, s: ndtr(-math.log(x) / s) if x > 0.0 else 1.0
lognorm_ppf = lambda q, s: math.exp(s * base.ndtri(q))
lognorm_isf = lambda q, s: math.exp(-s * base.ndtri(q))
expon_logpdf = lambda x: -x if x >= 0.0 else -math.inf
expon_cdf = lambda x: -math.expm1(-x) if x > 0.0 else 0.0
expon_sf = lambda x: math.exp(-x) if x > 0.0 else 1.0
expon_logsf = lambda x: -x if x > 0.0 else 0.0
expon_ppf = lambda q: -math.log1p(-q)
expon_isf = lambda q: -math.log(q)
gamma_logpdf = lambda x, a: xlogy(a - 1.0, x) - x - math.lgamma(a) if x >= 0.0 else -math.inf
gamma_pdf = lambda x, a: base.gamma_density(a, x) if x >= 0.0 else 0.0
gamma_cdf = lambda x, a: base.gammainc(a, x) if x > 0.0 else 0.0
gamma_sf = lambda x, a: base.gammaincc(a, x) if x > 0.0 else 1.0
gamma_ppf = lambda q, a: base.gammaincinv(a, q)
gamma_isf = lambda q, a: base.gammainccinv(a, q)
chi2_logpdf = lambda x, df: gamma_logpdf(0.5 * x, 0.5 * df) - math.log(2.0)
chi2_pdf = lambda x, df: 0.5 * gamma_pdf(0.5 * x, 0.5 * df)
chi2_cdf = lambda x, df: gamma_cdf(0.5 * x, 0.5 * df)
chi2_sf = lambda x, df: gamma_sf(0.5 * x, 0.5 * df)
chi2_ppf = lambda q, df: 2.0 * base.gammaincinv(0.5 * df, q)
chi2_isf = lambda q, df: 2.0 * base.gammainccinv(0.5 * df, q)


beta_logpdf = lambda x, a, b: inside(
    *(0.0 <= x <= 1.0, x, 0.5),
    lambda y: xlogy(a - 1.0, y) + xlog1py(b - 1.0, -y) - base.betaln(a, b),
)
beta_pdf = lambda x, a, b: base.beta_density(a, b, x) if 0.0 <= x <= 1.0 else 0.0
beta_cdf = lambda x, a, b: base.betainc(a, b, x) if 0.0 < x < 1.0 else (1.0 if x >= 1.0 else 0.0)
beta_sf = lambda x, a, b: base.betaincc(a, b, x) if 0.0 < x < 1.0 else (0.0 if x >= 1.0 else 1.0)
beta_ppf = lambda q, a, b: base.betaincinv(a, b, q)
beta_isf = lambda q, a, b: 1.0 - base.betaincinv(b, a, q)


def t_logpdf(x, df):
    scale = 0.5 * math.log(df) + base.betaln(0.5, 0.5 * df)
    return -scale - 0.5 * (df + 1.0) * math.log1p(x * x / df)


t_cdf = lambda x, df: special.stdtr(df, x)
t_sf = lambda x, df: special.stdtr(df, -x)
t_ppf = lambda q, df: special.stdtrit(df, q)
t_isf = lambda q, df: -special.stdtrit(df, q)


def f_logpdf(x, dfn, dfd):
    a, b = 0.5 * dfn, 0.5 * dfd
    inside = x > 0.0
    y = x if inside else 1.0
    ratio = dfn / dfd
    logs = a * math.log(ratio) + (a - 1.0) * math.log(y) - (a + b) * math.log1p(ratio * y)
    return logs - base.betaln(a, b) if inside else -math.inf


f_cdf = lambda x, dfn, dfd: special.fdtr(dfn, dfd, x) if x > 0.0 else 0.0
f_sf = lambda x, dfn, dfd: special.fdtrc(dfn, dfd, x) if x > 0.0 else 1.0


def f_ppf(q, dfn, dfd):
    if q > 0.5:
        return 1.0 / f_ppf_low(1.0 - q, dfd, dfn)
    return f_ppf_low(q, dfn, dfd)


def f_isf(q, dfn, dfd):
    if q > 0.5:
        return f_ppf_low(1.0 - q, dfn, dfd)
    return 1.0 / f_ppf_low(q, dfd, dfn)


def f_ppf_low(q, dfn, dfd):
    y = base.betaincinv(0.5 * dfn, 0.5 * dfd, q)
    return dfd * y / (dfn * (1.0 - y))


uniform_pdf = lambda x: 1.0 if 0.0 <= x <= 1.0 else 0.0 * x
uniform_logpdf = lambda x: 0.0 if 0.0 <= x <= 1.0 else -math.inf
uniform_cdf = lambda x: x if 0.0 <= x <= 1.0 else (1.0 if x > 1.0 else 0.0 * x)
uniform_sf = lambda x: 1.0 - x if 0.0 <= x <= 1.0 else (0.0 * x if x > 1.0 else 1.0)
uniform_ppf = lambda q: q if 0.0 <= q <= 1.0 else math.nan


weibull_min_logpdf = lambda x, c: inside(
    x >= 0.0, x, 1.0, lambda y: math.log(c) + xlogy(c - 1.0, y) - y**c
)
weibull_min_cdf = lambda x, c: -math.expm1(-(x**c)) if x > 0.0 else 0.0
weibull_min_sf = lambda x, c: math.exp(-(x**c)) if x > 0.0 else 1.0
weibull_min_logsf = lambda x, c: -(x**c) if x > 0.0 else 0.0
weibull_min_ppf = lambda q, c: (-math.log1p(-q)) ** (1.0 / c)
weibull_min_isf = lambda q, c: (-math.log(q)) ** (1.0 / c)
cauchy_pdf = lambda x: 1.0 / (math.pi * (1.0 + x * x))
cauchy_logpdf = lambda x: -math.log(math.pi) - math.log1p(x * x)
cauchy_cdf = lambda x: math.atan2(1.0, -x) / math.pi
cauchy_sf = lambda x: math.atan2(1.0, x) / math.pi


def cauchy_ppf(q):
    if abs(q - 0.5) <= 0.25:
        return math.tan(math.pi * (q - 0.5))
    return -1.0 / math.tan(math.pi * (q if q < 0.5 else q - 1.0))


cauchy_isf = lambda q: -cauchy_ppf(q)
laplace_logpdf = lambda x: -abs(x) - math.log(2.0)
laplace_cdf = lambda x: 0.5 * math.exp(x) if x < 0.0 else 1.0 - 0.5 * math.exp(-x)
laplace_sf = lambda x: laplace_cdf(-x)
laplace_ppf = lambda q: math.log(2.0 * q) if q < 0.5 else -math.log(2.0 * (1.0 - q))
laplace_isf = lambda q: -laplace_ppf(q)


def logistic_logpdf(x):
    size = abs(x)
    return -size - 2.0 * math.log1p(math.exp(-size))


logistic_cdf = base.sigmoid
logistic_sf = lambda x: base.sigmoid(-x)
logistic_logcdf = log_sigmoid
logistic_logsf = lambda x: log_sigmoid(-x)
logistic_ppf = lambda q: math.log(q) - math.log1p(-q)
logistic_isf = lambda q: math.log1p(-q) - math.log(q)
gumbel_r_logpdf = lambda x: -x - math.exp(-x)
gumbel_r_cdf = lambda x: math.exp(-math.exp(-x))
gumbel_r_logcdf = lambda x: -math.exp(-x)
gumbel_r_sf = lambda x: -math.expm1(-math.exp(-x))
gumbel_r_ppf = lambda q: -math.log(-math.log(q))
gumbel_r_isf = lambda q: -math.log(-math.log1p(-q))
rayleigh_logpdf = lambda x: math.log(x) - 0.5 * x * x if x > 0.0 else -math.inf
rayleigh_cdf = lambda x: -math.expm1(-0.5 * x * x) if x > 0.0 else 0.0
rayleigh_sf = lambda x: math.exp(-0.5 * x * x) if x > 0.0 else 1.0
rayleigh_ppf = lambda q: math.sqrt(-2.0 * math.log1p(-q))
rayleigh_isf = lambda q: math.sqrt(-2.0 * math.log(q))
pareto_logpdf = lambda x, b: math.log(b) - (b + 1.0) * math.log(x) if x >= 1.0 else -math.inf
pareto_cdf = lambda x, b: -math.expm1(-b * math.log(x)) if x >= 1.0 else 0.0
pareto_sf = lambda x, b: x ** (-b) if x >= 1.0 else 1.0
pareto_ppf = lambda q, b: math.exp(-math.log1p(-q) / b)
pareto_isf = lambda q, b: math.exp(-math.log(q) / b)
halfnorm_logpdf = lambda x: math.log(2.0) + norm_logpdf(x) if x >= 0.0 else -math.inf
halfnorm_cdf = lambda x: math.erf(x * math.sqrt(0.5)) if x > 0.0 else 0.0
halfnorm_sf = lambda x: math.erfc(x * math.sqrt(0.5)) if x > 0.0 else 1.0
halfnorm_ppf = lambda q: (
    math.sqrt(2.0) * base.erfinv(q) if q < 0.5 else -base.ndtri(0.5 * (1.0 - q))
)
halfnorm_isf = lambda q: -base.ndtri(0.5 * q)


# discrete ----------------------------------------------------------------------------------------


poisson_logpmf = lambda k, mu: counted(
    k, k >= 0, lambda n: xlogy(n, mu) - math.lgamma(n + 1.0) - mu
)
poisson_pmf = lambda k, mu: counted(k, k >= 0, lambda n: base.gamma_density(n + 1.0, mu), 0.0)
poisson_cdf = lambda k, mu: special.pdtr(k, mu) if k >= 0 else 0.0
poisson_sf = lambda k, mu: special.pdtrc(k, mu) if k >= 0 else 1.0


binom_logpmf = lambda k, n, p: counted(
    *(k, 0 <= k <= n),
    lambda j: (
        -math.log(n + 1.0) - base.betaln(n - j + 1.0, j + 1.0) + xlogy(j, p) + xlog1py(n - j, -p)
    ),
)
binom_pmf = lambda k, n, p: counted(
    k, 0 <= k <= n, lambda j: base.beta_density(j + 1.0, n - j + 1.0, p) / (n + 1.0), 0.0
)
binom_cdf = lambda k, n, p: special.bdtr(k, n, p) if k >= 0 else 0.0
binom_sf = lambda k, n, p: special.bdtrc(k, n, p) if k >= 0 else 1.0


geom_logpmf = lambda k, p: counted(k, k >= 1, lambda n: math.log(p) + xlog1py(n - 1.0, -p))
geom_cdf = lambda k, p: -math.expm1(math.floor(k) * math.log1p(-p)) if k >= 1 else 0.0
geom_sf = lambda k, p: math.exp(math.floor(k) * math.log1p(-p)) if k >= 1 else 1.0
bernoulli_pmf = lambda k, p: p if k == 1 else (1.0 - p if k == 0 else 0.0 * p)
bernoulli_cdf = lambda k, p: 0.0 * p if k < 0 else (1.0 - p if k < 1 else 1.0 + 0.0 * p)


nbinom_logpmf = lambda k, n, p: counted(
    *(k, k >= 0),
    lambda j: (
        math.lgamma(n + j) - math.lgamma(j + 1.0) - math.lgamma(n) + xlogy(n, p) + xlog1py(j, -p)
    ),
)
nbinom_cdf = lambda k, n, p: special.nbdtr(k, n, p) if k >= 0 else 0.0
nbinom_sf = lambda k, n, p: special.nbdtrc(k, n, p) if k >= 0 else 1.0


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
