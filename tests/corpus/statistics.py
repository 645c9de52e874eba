"""Statistics: densities, distribution functions, quantiles, robust estimates."""

import math

import numpy as np
import scipy.special as sp
import scipy.stats as st
from numba import njit
from scipy.special import betainc, erf, expit, gammaincc, gammaln, ndtri, xlogy

from tests.corpus.samples import sample

RNG = np.random.default_rng(11)

ACKLAM_A = [
    -39.69683028665376,
    220.9460984245205,
    -275.9285104469687,
    138.3577518672690,
    -30.66479806614716,
    2.506628277459239,
]

ACKLAM_B = [
    -54.47609879822406,
    161.5858368580409,
    -155.6989798598866,
    66.80131188771972,
    -13.28068155288572,
]

ACKLAM_C = [
    -0.007784894002430293,
    -0.3223964580411365,
    -2.400758277161838,
    -2.549732539343734,
    4.374664141464968,
    2.938163982698783,
]

ACKLAM_D = [0.007784695709041462, 0.3224671290700398, 2.445134137142996, 3.754408661907416]

LANCZOS = np.array(
    [
        0.99999999999980993,
        676.5203681218851,
        -1259.1392167224028,
        771.32342877765313,
        -176.61502916214059,
        12.507343278686905,
    ]
)


@sample("plain", x=(-5.0, 5.0), mu=(-1.0, 1.0), sigma=(0.3, 3.0))
def normal_density(x, mu, sigma):
    return math.exp(-((x - mu) ** 2) / (2 * sigma**2)) / (sigma * math.sqrt(2 * math.pi))


@sample(
    "table",
    "elif",
    "raise",
    p=(0.001, 0.999),
    at=[(0.0,), (1.0,), (0.5,)],
    ulps=64,
    decorated={"on_invalid": "nan"},
)
def acklam(p):
    """Acklam's inverse of the normal distribution."""
    a, b, c, d = ACKLAM_A, ACKLAM_B, ACKLAM_C, ACKLAM_D
    if p <= 0 or p >= 1:
        raise ValueError("Argument to ltqnorm %f must be in open interval (0,1)" % p)
    if p < 0.02425:
        q = math.sqrt(-2 * math.log(p))
        return (((((c[0] * q + c[1]) * q + c[2]) * q + c[3]) * q + c[4]) * q + c[5]) / (
            (((d[0] * q + d[1]) * q + d[2]) * q + d[3]) * q + 1
        )
    if 1 - 0.02425 < p:
        q = math.sqrt(-2 * math.log(1 - p))
        return -(((((c[0] * q + c[1]) * q + c[2]) * q + c[3]) * q + c[4]) * q + c[5]) / (
            (((d[0] * q + d[1]) * q + d[2]) * q + d[3]) * q + 1
        )
    q = p - 0.5
    r = q * q
    return (
        (((((a[0] * r + a[1]) * r + a[2]) * r + a[3]) * r + a[4]) * r + a[5])
        * q
        / (((((b[0] * r + b[1]) * r + b[2]) * r + b[3]) * r + b[4]) * r + 1)
    )


@sample("special", t=(-6.0, 6.0), nu=(1.0, 30.0), smooth="t", ulps=1e3)
def student_t_cdf(t, nu):
    x = nu / (nu + t * t)
    tail = 0.5 * betainc(nu / 2, 0.5, x)
    return tail if t < 0 else 1 - tail


@sample("stats", x=(-4.0, 4.0), scale=(0.5, 3.0), ulps=64)
def log_density(x, scale):
    return st.norm.logpdf(x, 0, scale) + st.norm.cdf(x)


@sample("stats", p=(0.01, 0.99), ulps=64)
def value_at_risk(p, mu=0.001, sigma=0.02):
    return -(mu + sigma * st.norm.ppf(p))


@sample("stats", x=(0.1, 20.0), ulps=1e3)
def chi_square_p(x, df=4):
    return st.chi2.sf(x, df)


@sample("special", x=(0.05, 12.0), a=(0.5, 8.0), smooth="x", ulps=1e3)
def gamma_tail(x, a):
    return gammaincc(a, x)


@sample("special", "branches", x=(0.01, 0.99))
def probit_of_half(x):
    return ndtri(0.5 + x / 2) if x > 0 else 0.0


@sample("whole", "plain", "helper", k=(0, 20), p=(0.05, 0.95), ulps=400)
def binomial_mass(k, p, n=20):
    log_choose = math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)
    return math.exp(log_choose + k * math.log(p) + (n - k) * math.log1p(-p))


@sample("for", "whole", k=(0, 30), lam=(0.5, 15.0), ulps=64)
def poisson_cdf(k, lam):
    term = math.exp(-lam)
    total = term
    for i in range(1, k + 1):
        term *= lam / i
        total += term
    return total


@sample("while", "convergence", x=(0.3, 3.0), at=[(0.02,)], ulps=64)
def kolmogorov_tail(x):
    total, sign, k = 0.0, 1.0, 1
    while k < 101:
        term = math.exp(-2 * k * k * x * x)
        total += sign * term
        if term < 1e-16:
            break
        sign = -sign
        k += 1
    return 2 * total


@sample("minmax", a=(-800.0, 800.0), b=(-800.0, 800.0), at=[(-math.inf, 1.0), (1000.0, 1000.0)])
def log_add_exp(a, b):
    high, low = (a, b) if a > b else (b, a)
    return high + math.log1p(math.exp(low - high))


@sample("for", "convergence", "njit", x=(0.01, 0.99), a=(3.0, 10.0), b=(0.5, 2.9), ulps=3e4)
@njit
def beta_fraction(x, a, b):
    """Lentz' method for the continued fraction of the incomplete beta function."""
    tiny = 1e-30
    c, d = 1.0, 1.0 - (a + b) * x / (a + 1)
    if abs(d) < tiny:
        d = tiny
    d = 1 / d
    h = d
    for m in range(1, 200):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        d = 1 + even * d
        c = 1 + even / c
        d = 1 / (d if abs(d) > tiny else tiny)
        c = c if abs(c) > tiny else tiny
        h *= d * c
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        d = 1 + odd * d
        c = 1 + odd / c
        d = 1 / (d if abs(d) > tiny else tiny)
        c = c if abs(c) > tiny else tiny
        h *= d * c
        if abs(d * c - 1) < 1e-15:
            break
    return h


@sample("recursion", "table", "for", x=(-3.4, 12.0), ulps=400)
def gamma_lanczos(x):
    if x < 0.5:
        return math.pi / (math.sin(math.pi * x) * gamma_lanczos(1 - x))
    x -= 1
    total = LANCZOS[0]
    for i in range(1, 6):
        total += LANCZOS[i] / (x + i)
    t = x + 5.5
    return math.sqrt(2 * math.pi) * t ** (x + 0.5) * math.exp(-t) * total


@sample("early", "none", "static", x=(0.1, 20.0), lmbda=(-2.0, 2.0), at=[(3.0, 0.0)], ulps=400)
def box_cox(x, lmbda, shift=None):
    if shift is not None:
        x = x + shift
    if lmbda == 0:
        return np.log(x)
    return (x**lmbda - 1) / lmbda


@sample("clip", p=(0.0, 1.0))
def clipped_logit(p, eps=1e-6):
    p = np.clip(p, eps, 1 - eps)
    return np.log(p / (1 - p))


@sample("branches", "power", r=(-10.0, 10.0), c=(1.0, 6.0))
def tukey_weight(r, c):
    return (1 - (r / c) ** 2) ** 2 if abs(r) <= c else 0.0


@sample("elif", "branches", r=(-8.0, 8.0))
def hampel(r, a=1.5, b=3.0, c=6.0):
    s = abs(r)
    if s <= a:
        return r
    elif s <= b:
        return math.copysign(a, r)
    elif s <= c:
        return math.copysign(a * (c - s) / (c - b), r)
    return 0.0


@sample("special", p=(0.0, 1.0), q=(0.01, 0.99), at=[(0.0, 0.5)], ulps=200)
def relative_entropy(p, q):
    return xlogy(p, p / q) + sp.xlog1py(1 - p, -q) - xlogy(1 - p, 1 - q) + expit(p)


@sample("for", "convergence", p=(-0.99, 0.99), ulps=400)
def inverse_erf(p):
    w = -math.log((1 - p) * (1 + p))
    x = math.copysign(math.sqrt(math.sqrt((4.33 + w / -2) ** 2 + w / 0.147) - (4.33 + w / -2)), p)
    for _ in range(4):
        x -= (math.erf(x) - p) * math.sqrt(math.pi) / 2 * math.exp(x * x)
    return x


@sample("special", "whole", x=(0.0, 25.0), n=(1, 40), ulps=1e3)
def posterior_log(x, n):
    return gammaln(n + x) - gammaln(n + 1.0) + np.log(1 + erf(x / 10))


@sample("random", "branches", x=(0.0, 1.0), smooth="")
def noisy_threshold(x):
    return 1.0 if x + 0.1 * np.random.normal() > 0.5 else 0.0


@sample("random", "for", drift=(-0.1, 0.1), sigma=(0.05, 0.4))
def simulated_path(drift, sigma, *, steps=24):
    value = 1.0
    for _ in range(steps):
        value *= math.exp((drift - 0.5 * sigma**2) / steps + sigma * RNG.normal() / steps**0.5)
    return value


@sample("random", "while", x=(0.2, 0.9))
def truncated_draw(x):
    z = RNG.standard_normal()
    while abs(z) > 1.0 + x:
        z = RNG.standard_normal()
    return z * x


@sample("sorted", "local", a=(-5.0, 5.0), b=(-5.0, 5.0), c=(-5.0, 5.0), d=(-5.0, 5.0))
def trimmed_mean(a, b, c, d):
    values = sorted((a, b, c, d))
    return sum(values[1:-1]) / 2
