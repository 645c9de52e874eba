"""Functions of `scipy.special` that are written with others: plain scalar functions under SciPy's
names, captured like the user's own.

Functions with a recurrence in a degree take whole degrees from 0 on, and give NaN for other
degrees. Formulas: NIST Digital Library of Mathematical Functions, chapters 5, 8, 10 and 18.
"""

import math

import numpy as np

from nbgraph.kernels.capture import special as base


def _alternating(count):
    """Return the weights of the first `count` terms of the alternating zeta series."""
    parts = [
        count
        * math.factorial(count + i - 1)
        * 4**i
        // (math.factorial(count - i) * math.factorial(2 * i))
        for i in range(count + 1)
    ]
    whole = sum(parts)
    left = [(whole - sum(parts[: k + 1])) / whole for k in range(count)]
    return tuple(-x if k % 2 else x for k, x in enumerate(left))


ETA = _alternating(24)
LOGARITHMS = tuple(math.log(k + 1) for k in range(24))

# distributions -----------------------------------------------------------------------------------


def log_ndtr(x):
    """Return the logarithm of the normal distribution function."""
    t = -x * math.sqrt(0.5)
    if x < -1.0:
        return math.log(0.5 * base.erfcx(t)) - t * t
    return math.log1p(-0.5 * math.erfc(-t))


def stdtr(df, t):
    """Return the distribution function of Student's t distribution."""
    square = t * t
    if square < df:
        half = 0.5 * base.betainc(0.5, 0.5 * df, square / (df + square))
        return 0.5 + (half if t > 0.0 else -half)
    tail = 0.5 * base.betainc(0.5 * df, 0.5, df / (df + square))
    return 1.0 - tail if t > 0.0 else tail


def stdtrit(df, p):
    """Return the quantile of Student's t distribution."""
    tail = p if p < 0.5 else 1.0 - p
    if tail > 0.25:  # the middle, of which base.betainc(1/2, df/2) is the share
        x = base.betaincinv(0.5, 0.5 * df, 1.0 - 2.0 * tail)
        t = math.sqrt(df * x / (1.0 - x))
    else:
        x = base.betaincinv(0.5 * df, 0.5, 2.0 * tail)
        t = math.sqrt(df * (1.0 - x) / x)
    return t if p >= 0.5 else -t


# the distribution function of the chi square distribution
chdtr = lambda v, x: base.gammainc(0.5 * v, 0.5 * x)
chdtrc = lambda v, x: base.gammaincc(0.5 * v, 0.5 * x)  # 1 - chdtr(v, x)
chdtri = lambda v, p: 2.0 * base.gammainccinv(0.5 * v, p)  # the x with chdtrc(v, x) = p
# the distribution function of the F distribution
fdtr = lambda dfn, dfd, x: fdtr_share(0.5 * dfn, 0.5 * dfd, dfn * x, dfd, False)
# 1 - fdtr(dfn, dfd, x)
fdtrc = lambda dfn, dfd, x: fdtr_share(0.5 * dfn, 0.5 * dfd, dfn * x, dfd, True)


def fdtr_share(a, b, u, v, upper):
    """Return betainc(a, b, u / (u + v)), or its complement (`upper`), without cancellation."""
    if (u < v) != upper:
        return base.betainc(a, b, u / (u + v)) if u < v else base.betainc(b, a, v / (u + v))
    return base.betaincc(b, a, v / (u + v)) if v < u else base.betaincc(a, b, u / (u + v))


# the distribution function of the gamma distribution of rate a and shape b
gdtr = lambda a, b, x: base.gammainc(b, a * x)
gdtrc = lambda a, b, x: base.gammaincc(b, a * x)  # 1 - gdtr(a, b, x)
# the distribution function of the Poisson distribution
pdtr = lambda k, m: base.gammaincc(math.floor(k) + 1.0, m)
pdtrc = lambda k, m: base.gammainc(math.floor(k) + 1.0, m)  # 1 - pdtr(k, m)


def bdtr(k, n, p):
    """Return the distribution function of the binomial distribution."""
    k = base.floating(math.floor(k))
    return 1.0 if k >= n else base.betaincc(k + 1.0, n - k, p)


def bdtrc(k, n, p):
    """Return 1 - bdtr(k, n, p)."""
    k = base.floating(math.floor(k))
    return 0.0 if k >= n else base.betainc(k + 1.0, n - k, p)


# the distribution function of the negative binomial distribution
nbdtr = lambda k, n, p: base.betainc(n, math.floor(k) + 1.0, p)
nbdtrc = lambda k, n, p: base.betaincc(n, math.floor(k) + 1.0, p)  # 1 - nbdtr(k, n, p)


# several results ---------------------------------------------------------------------------------


sici = lambda x: (base.sine_integral(x), base.cosine_integral(x))  # the sine and cosine integrals
fresnel = lambda x: (
    base.fresnel_sine(x),
    base.fresnel_cosine(x),
)  # Fresnel's integrals of sine and cosine
# Ai, its derivative, Bi, its derivative
airy = lambda x: (base.airy_ai(x), base.airy_ai_slope(x), base.airy_bi(x), base.airy_bi_slope(x))


# others ------------------------------------------------------------------------------------------


# the real W(z) of the branches 0 and -1; NaN where it is complex
lambertw = lambda z, k=0: base.lambert(z, k)
# Riemann's zeta function; with q > 0 Hurwitz's, for x > 1
zeta = lambda x, q=None: _riemann(x) if q is None else base.hurwitz(x, q)


def _riemann(s):
    """Return Riemann's zeta function by its alternating series (Borwein, "An efficient algorithm
    for the Riemann zeta function", 2000), for negative numbers by reflection."""
    t = 1.0 - s if s < 0.0 else s
    total = 0.0
    for k in range(len(ETA)):
        total = total + ETA[k] * math.exp(-t * LOGARITHMS[k])
    value = total / (0.0 - math.expm1((1.0 - t) * LOGARITHMS[1]))
    if s < 0.0:
        r = math.fmod(s, 4.0)
        r = r + 4.0 if r < -2.0 else r
        r = 2.0 - r if r > 1.0 else (-2.0 - r if r < -1.0 else r)
        factor = 2.0 * math.exp((s - 1.0) * math.log(2.0 * math.pi)) * math.gamma(t)
        value = value * factor * math.sin(0.5 * math.pi * r)
    return value


erfi = lambda x: 2.0 / math.sqrt(math.pi) * math.exp(x * x) * base.dawsn(x)  # erf(i x) / i
# 1 / gamma(x), 0 at the poles
rgamma = lambda x: 0.0 if x <= 0.0 and x == math.floor(x) else 1.0 / math.gamma(x)
loggamma = lambda x: math.lgamma(x) if x > 0.0 else math.nan  # log(gamma(x)) of x > 0


def gammasgn(x):
    """Return the sign of gamma(x)."""
    below = base.floating(math.floor(x))
    even = below == 2.0 * math.floor(0.5 * below)
    return 1.0 if x > 0.0 or (even and x != below) else (math.nan if x == below else -1.0)


# gamma(n + 1); 0 below 0, as in SciPy
factorial = lambda n, exact=False: math.gamma(n + 1.0) if n >= 0.0 else 0.0 * n


def binom(n, k):
    """Return the binomial coefficient of real numbers, n > -1, else NaN. DLMF 5.5.3, 5.12.1."""
    if k > -1.0 and n - k > -1.0:
        return 1.0 / ((n + 1.0) * base.beta(n - k + 1.0, k + 1.0))
    low = k if k <= -1.0 else n - k
    whole = np.rint(low)
    sine = math.sin(math.pi * (low - whole)) * (2.0 * abs(math.fmod(whole, 2.0)) - 1.0)
    return sine / math.pi * base.beta(n + 1.0, -low) if n > -1.0 else math.nan


# the number of ways to choose k of N, 0 where there are none
comb = lambda N, k, exact=False: binom(N, k) if k >= 0.0 and k <= N else 0.0 * N * k
# the number of ordered choices of k of N, 0 where there are none
perm = lambda N, k: poch(N - k + 1.0, k) if k >= 0.0 and k <= N else 0.0 * N * k


def poch(z, m):
    """Return Pochhammer's symbol gamma(z + m) / gamma(z), z > 0."""
    return math.gamma(m) / base.beta(z, m) if m > 0.0 else math.gamma(z + m) / math.gamma(z)


def agm(a, b):
    """Return the arithmetic-geometric mean."""
    a, b = base.floating(a), base.floating(b)
    for _ in range(8):
        a, b = 0.5 * (a + b), math.sqrt(a * b)
    return a


exp10 = lambda x: 10.0**x  # 10**x
sindg = lambda x: math.sin(math.radians(math.fmod(x, 360.0)))  # the sine of degrees
cosdg = lambda x: math.sin(math.radians(90.0 - math.fmod(abs(x), 360.0)))  # the cosine of degrees
tandg = lambda x: math.tan(math.radians(math.fmod(x, 180.0)))  # the tangent of degrees


# the logarithm of the sum of exponentials, and the share of each
logsumexp = lambda a: max(a) + math.log(sum(math.exp(x - max(a)) for x in a))
softmax = lambda x: np.array([math.exp(each - logsumexp(x)) for each in x])


# the Huber loss
huber = lambda delta, r: 0.5 * r * r if abs(r) <= delta else delta * (abs(r) - 0.5 * delta)


def pseudo_huber(delta, r):
    """Return a smooth Huber loss."""
    u = r / delta
    square = u * u
    return delta * delta * (square / (1.0 + math.sqrt(1.0 + square)))


def kl_div(x, y):
    """Return x log(x / y) - x + y; inf where either is negative or y alone 0."""
    if x > 0.0 and y > 0.0:
        return x * math.log(x / y) - x + y
    return x + y if (x != x or y != y) else (y if x == 0.0 and y >= 0.0 else math.inf)


# (x**lmbda - 1) / lmbda of the logarithm of x, that itself where lmbda is 0; the reverse
_powers = lambda log, lmbda: math.expm1(lmbda * log) / lmbda if lmbda != 0.0 else log
_log_of_power = lambda y, lmbda: math.log1p(lmbda * y) / lmbda if lmbda != 0.0 else y
boxcox = lambda x, lmbda: _powers(math.log(x), lmbda)
boxcox1p = lambda x, lmbda: _powers(math.log1p(x), lmbda)  # boxcox(1 + x, lmbda)
inv_boxcox = lambda y, lmbda: math.exp(_log_of_power(y, lmbda))  # the x with boxcox(x, lmbda) = y
inv_boxcox1p = lambda y, lmbda: math.expm1(_log_of_power(y, lmbda))


# orthogonal polynomials and spherical functions --------------------------------------------------


def _of_degree(n, now, step):
    """Return the polynomial of a degree by a three-term recurrence."""
    last = 1.0
    for k in range(1, int(n)):
        last, now = now, step(k, last, now)
    whole = n >= 0 and n == int(n)
    return (1.0 * now if n > 0 else 1.0 + 0.0 * now) if whole else math.nan


# Legendre's, Chebyshev's of both kinds, Hermite's of weights exp(-x**2) and exp(-x**2 / 2)
eval_legendre = lambda n, x: _of_degree(
    n, base.floating(x), lambda k, last, now: ((2 * k + 1) * x * now - k * last) / (k + 1)
)
eval_chebyt = lambda n, x: _of_degree(
    n, base.floating(x), lambda k, last, now: 2.0 * x * now - last
)
eval_chebyu = lambda n, x: _of_degree(n, 2.0 * x, lambda k, last, now: 2.0 * x * now - last)
eval_hermite = lambda n, x: _of_degree(n, 2.0 * x, lambda k, last, now: 2.0 * (x * now - k * last))
eval_hermitenorm = lambda n, x: _of_degree(
    n, base.floating(x), lambda k, last, now: x * now - k * last
)
# Laguerre's polynomial, and the generalised one; Gegenbauer's
eval_laguerre = lambda n, x: eval_genlaguerre(n, 0.0, x)
eval_genlaguerre = lambda n, alpha, x: _of_degree(
    n,
    alpha + 1.0 - x,
    lambda k, last, now: ((2 * k + 1 + alpha - x) * now - (k + alpha) * last) / (k + 1),
)
eval_gegenbauer = lambda n, alpha, x: _of_degree(
    n,
    2.0 * alpha * x,
    lambda k, last, now: (2.0 * (k + alpha) * x * now - (k - 1 + 2.0 * alpha) * last) / (k + 1),
)


def spherical_jn(n, z):
    """Return the spherical Bessel function of the first kind, of a whole order; for negative z and
    a fractional order with SciPy's sign."""
    order = math.trunc(n)
    if z == 0.0:
        return 1.0 if order == 0 else 0.0
    y = _root(abs(z)) * base.jv(order + 0.5, abs(z))
    return y if z > 0.0 or n % 2 == 0 else -y


_root = lambda z: math.sqrt(0.5 * math.pi / z)
# the spherical Bessel function of the second kind, z >= 0, and the modified one
spherical_yn = lambda n, z: _root(z) * base.yv(math.trunc(n) + 0.5, z) if z > 0.0 else -math.inf
spherical_kn = lambda n, z: (
    _root(z) * (math.exp(-z) * base.kve(math.trunc(n) + 0.5, z)) if z > 0.0 else math.inf
)


def spherical_in(n, z):
    """Return the modified spherical Bessel function of the first kind, z >= 0."""
    n = math.trunc(n)
    if z == 0.0:
        return 1.0 if n == 0 else 0.0
    return _root(z) * (math.exp(z) * base.ive(n + 0.5, z))
