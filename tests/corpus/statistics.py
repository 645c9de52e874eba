"""Statistics: densities, distribution functions, quantiles, robust estimates."""

import math

import numpy as np
import scipy.special as sp
from numba import njit
from scipy.special import erf, expit, gammaln, xlogy

from tests.corpus.samples import sample


@sample("plain", x=(-5.0, 5.0), mu=(-1.0, 1.0), sigma=(0.3, 3.0))
def normal_density(x, mu, sigma):
    return math.exp(-((x - mu) ** 2) / (2 * sigma**2)) / (sigma * math.sqrt(2 * math.pi))


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


@sample("sorted", "local", a=(-5.0, 5.0), b=(-5.0, 5.0), c=(-5.0, 5.0), d=(-5.0, 5.0))
def trimmed_mean(a, b, c, d):
    values = sorted((a, b, c, d))
    return sum(values[1:-1]) / 2
