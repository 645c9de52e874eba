"""Scalar functions as people write them in research code: nothing here knows of nbgraph."""

import math
from math import erf, exp, pi, sqrt

import numpy as np
from numba import njit

EARTH = 6371.0
COEFFICIENTS = (0.31938153, -0.356563782, 1.781477937, -1.821255978, 1.330274429)


# activations ------------------------------------------------------------------------------------


def relu_max(x):
    return max(x, 0.0)


def relu_ternary(x):
    return x if x > 0 else 0


def leaky_relu(x, *, slope=0.01):
    return x if x >= 0 else slope * x


def elu(x, *, alpha=1.0):
    if x > 0:
        return x
    return alpha * (math.exp(x) - 1)


elu_expm1 = lambda x: x if x > 0 else math.expm1(x)  # noqa: E731


def selu(x):
    alpha, scale = 1.6732632423543772, 1.0507009873554805
    return scale * (max(0, x) + min(0, alpha * (math.exp(x) - 1)))


def gelu_erf(x):
    return 0.5 * x * (1 + erf(x / sqrt(2)))


def gelu_tanh(x):
    return 0.5 * x * (1 + math.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))


def swish(x, *, beta=1.0):
    return x / (1 + math.exp(-beta * x))


def softplus_stable(x):
    return max(x, 0) + math.log1p(math.exp(-abs(x)))


def softplus_naive(x):
    return math.log(1 + math.exp(x))


def softplus_cut(x, *, beta=1.0, threshold=20.0):
    z = beta * x
    if z > threshold:
        return x
    return math.log1p(math.exp(z)) / beta


def mish(x):
    return x * math.tanh(softplus_stable(x))


def hardswish(x):
    return x * min(max(x + 3, 0), 6) / 6


def hardtanh(x, *, low=-1.0, high=1.0):
    if x < low:
        return low
    elif x > high:
        return high
    else:
        return x


# robust losses ----------------------------------------------------------------------------------


def smooth_l1(x, *, sigma=1.0):
    s2 = sigma * sigma
    if x > 1 / s2:
        return x - 0.5 / s2
    if x < -1 / s2:
        return -x - 0.5 / s2
    return 0.5 * s2 * x * x


def huber(y, y_hat, *, delta=1.5):
    r = abs(y - y_hat)
    return 0.5 * r**2 if r <= delta else delta * (r - 0.5 * delta)


def tukey(r, *, c=4.685):
    if abs(r) > c:
        return c * c / 6
    u = 1 - (r / c) ** 2
    return c * c / 6 * (1 - u * u * u)


def cauchy_loss(r, *, gamma=2.0):
    return 0.5 * gamma**2 * math.log1p((r / gamma) ** 2)


def geman_mcclure(r, *, sigma=1.0):
    return r * r / (sigma * sigma + r * r)


def barron(x, *, alpha=1.0, c=1.0):
    """Barron 2019, A general and adaptive robust loss function."""
    z = (x / c) ** 2
    if alpha == 2:
        return 0.5 * z
    if alpha == 0:
        return math.log1p(0.5 * z)
    b = abs(alpha - 2)
    return b / alpha * ((z / b + 1) ** (alpha / 2) - 1)


# finance, geography, colour ---------------------------------------------------------------------


def normal_cdf(x):
    return 0.5 * math.erfc(-x / math.sqrt(2))


def black_scholes(spot, strike, years, rate=0.02, *, vol=0.2):
    root = vol * math.sqrt(years)
    d1 = (math.log(spot / strike) + (rate + 0.5 * vol**2) * years) / root
    d2 = d1 - root
    return spot * normal_cdf(d1) - strike * math.exp(-rate * years) * normal_cdf(d2)


def cdf_hastings(x):
    k = 1 / (1 + 0.2316419 * abs(x))
    tail = 0.0
    for a in (1.330274429, -1.821255978, 1.781477937, -0.356563782, 0.31938153):
        tail = (tail + a) * k
    tail *= math.exp(-0.5 * x * x) / math.sqrt(2 * math.pi)
    return 1 - tail if x > 0 else tail


def haversine(lat1, lon1, lat2, lon2):
    p1, p2 = math.radians(lat1), math.radians(lat2)
    dp, dl = p2 - p1, math.radians(lon2 - lon1)
    a = math.sin(dp / 2) ** 2 + math.cos(p1) * math.cos(p2) * math.sin(dl / 2) ** 2
    return 2 * EARTH * math.asin(min(1.0, math.sqrt(a)))


def srgb_encode(u):
    return 12.92 * u if u <= 0.0031308 else 1.055 * u ** (1 / 2.4) - 0.055


def srgb_decode(v):
    if v <= 0.04045:
        return v / 12.92
    return ((v + 0.055) / 1.055) ** 2.4


# iterations -------------------------------------------------------------------------------------


def cube_root_newton(a):
    x = a if a > 1 else 1.0
    for _ in range(100):
        step = (x * x * x - a) / (3 * x * x)
        x -= step
        if abs(step) < 1e-14 * x:
            break
    return x


def kepler(M, e):
    E = M if e < 0.8 else math.pi
    for _ in range(50):
        f = E - e * math.sin(E) - M
        d = f / (1 - e * math.cos(E))
        E = E - d
        if abs(d) < 1e-14:
            break
    return E


def lambert_w(z):
    w = math.log1p(z)
    n = 0
    while n < 40:
        ew = math.exp(w)
        f = w * ew - z
        step = f / (ew * (w + 1) - (w + 2) * f / (2 * w + 2))
        w -= step
        n += 1
        if abs(step) <= 1e-15 * (1 + abs(w)):
            break
    return w


def root_bisection(target):
    """x with x**3 + x = target."""
    lo, hi = -10.0, 10.0
    for i in range(60):
        mid = 0.5 * (lo + hi)
        if mid**3 + mid < target:
            lo = mid
        else:
            hi = mid
    return 0.5 * (lo + hi)


def mandelbrot_count(cr, ci, *, limit=60):
    zr = zi = 0.0
    for n in range(limit):
        if zr * zr + zi * zi > 4:
            return n
        zr, zi = zr * zr - zi * zi + cr, 2 * zr * zi + ci
    return limit


def mandelbrot_smooth(cr, ci):
    zr, zi, n = cr, ci, 0
    while zr * zr + zi * zi < 256.0 and n < 50:
        zr, zi = zr * zr - zi * zi + cr, 2 * zr * zi + ci
        n += 1
    if n == 50:
        return 0.0
    return n + 1 - math.log2(0.5 * math.log(zr * zr + zi * zi))


def tan_fraction(x):
    """Lambert's continued fraction."""
    acc = 0.0
    for k in range(25, 1, -2):
        acc = x * x / (k - acc)
    return x / (1 - acc)


def agm(a, b):
    n = 0
    while abs(a - b) > 1e-14 * abs(a) and n < 9:  # float32 never gets as close
        a, b = 0.5 * (a + b), math.sqrt(a * b)
        n += 1
    return a


def logistic_map(x, *, r=3.2, steps=20):
    for _ in range(steps):
        x = r * x * (1 - x)
    return x


def first_zero_crossing(phase, speed):
    """while with a return inside."""
    t = 0.0
    while t < 4.0:
        t += 0.25
        if math.sin(phase + speed * t) < 0:
            return t * speed
    return -1.0 * speed


def lattice_sum(x):
    """Nested loops with continue."""
    total = 0.0
    for i in range(-2, 3):
        for j in range(-2, 3):
            if i == 0 and j == 0:
                continue
            total += 1 / ((i + x) ** 2 + j * j + 1)
    return total


def halvings(x):
    n = 0
    while (y := abs(x)) > 1.0:
        x = x / 2
        n += 1
    return n + y


# densities --------------------------------------------------------------------------------------


def normal_pdf(x, mu, sigma):
    z = (x - mu) / sigma
    return math.exp(-0.5 * z * z) / (sigma * math.sqrt(2 * math.pi))


def student_t_logpdf(x, nu):
    c = math.lgamma((nu + 1) / 2) - math.lgamma(nu / 2) - 0.5 * math.log(nu * math.pi)
    return c - (nu + 1) / 2 * math.log1p(x * x / nu)


def beta_pdf(x, a, b):
    if not 0 < x < 1:
        return 0.0
    log_b = math.lgamma(a) + math.lgamma(b) - math.lgamma(a + b)
    return math.exp((a - 1) * math.log(x) + (b - 1) * math.log1p(-x) - log_b)


def gamma_pdf(x, k, theta):
    return x ** (k - 1) * np.exp(-x / theta) / (math.gamma(k) * theta**k)


def von_mises_pdf(x, *, kappa=2.0):
    term, i0, k = 1.0, 1.0, 1
    while term > 1e-17 * i0:
        term *= (kappa / 2) ** 2 / (k * k)
        i0 += term
        k += 1
    return math.exp(kappa * math.cos(x)) / (2 * math.pi * i0)


# polynomials, splines, physics ------------------------------------------------------------------


@njit
def horner(x):
    acc = 0.0
    for c in COEFFICIENTS:
        acc = acc * x + c
    return acc


def piecewise_polynomial(x):
    if x < -1:
        return horner(-1.0) - (x + 1) ** 2
    return horner(x) if x < 1 else horner(1.0) + 0.25 * (x - 1) ** 3


def cubic_bspline(x):
    t = abs(x)
    if t < 1:
        return 2 / 3 - t * t + 0.5 * t**3
    elif t < 2:
        return (2 - t) ** 3 / 6
    return 0.0


def planck(micrometres, kelvin):
    c1, c2 = 1.191042972e8, 1.438776877e4
    return c1 / (micrometres**5 * math.expm1(c2 / (micrometres * kelvin)))


def lennard_jones(r, *, eps=1.0, sigma=1.0, cutoff=2.5):
    if r > cutoff:
        return 0.0
    s6 = (sigma / r) ** 6
    c6 = (sigma / cutoff) ** 6
    return 4 * eps * (s6 * s6 - s6) - 4 * eps * (c6 * c6 - c6)


def solve_quadratic(a, b, c):
    d = b * b - 4 * a * c
    if d < 0:
        return math.nan, math.nan
    q = -0.5 * (b + math.copysign(math.sqrt(d), b))
    return q / a, c / q


def polar_to_cartesian(r, phi):
    return r * np.cos(phi), r * np.sin(phi)


def lerp_clamped(a, b, t):
    t = 0.0 if t < 0 else 1.0 if t > 1 else t
    return a + (b - a) * t


def smoothstep(x, *, lo=0.0, hi=1.0):
    t = np.clip((x - lo) / (hi - lo), 0.0, 1.0)
    return t * t * (3 - 2 * t)
