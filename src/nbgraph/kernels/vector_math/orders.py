"""Bessel functions of any real order, in float64.

Temme's method: two continued fractions, and his series where x < 2, give the functions of orders
nu - n in [-1/2, 1/2] and their slopes; recurrences lead to nu (Numerical Recipes, third edition,
6.6). For J and Y of x beyond nu^2 / 2 and 25 Hankel's asymptotic series (DLMF 10.17), for I and K
likewise (DLMF 10.40). Negative orders by reflection (DLMF 10.2.3, 10.27).
"""

import math

import numpy as np

from nbgraph.kernels.vector_math.formats import scalar, shared
from nbgraph.kernels.vector_math.wide import (
    EPS,
    SETTLED,
    TINY,
    cos,
    cos_pi,
    exp,
    gamma,
    lentz,
    lgamma,
    log,
    pow,
    sin,
    sin_pi,
)
from nbgraph.native.floats import absolute, floor, sqrt

TRIPS = 200_000.0
THIRD, ROOT_3 = 1.0 / 3.0, math.sqrt(3.0)
AI_0, AI_1 = 0.3550280538878172, -0.2588194037928068  # Ai and its slope at 0
# of 1 / gamma(1 + x) = sum c_k x**k: A and B of Temme's series are its even and odd parts
RECIPROCAL = (
    *(1.0, 0.5772156649015329, -0.6558780715202538, -0.04200263503409524, 0.16653861138229148),
    *(-0.04219773455554433, -0.009621971527876973, 0.0072189432466631, -0.0011651675918590652),
    *(-0.00021524167411495098, 0.0001280502823881162, -2.013485478078824e-05),
    *(-1.2504934821426706e-06, 1.1330272319816959e-06, -2.0563384169776071e-07),
    *(6.116095104481416e-09, 5.002007644469223e-09, -1.1812745704870201e-09),
    *(1.0434267116911005e-10, 7.782263439905071e-12, -3.696805618642206e-12),
    *(5.100370287454476e-13, -2.058326053566507e-14),
)
EVEN, ODD = RECIPROCAL[::2][::-1], RECIPROCAL[1::2][::-1]


@scalar
def temme_gammas(mu):
    """gamma1 and gamma2 of Temme, 1 / gamma(1 + mu), 1 / gamma(1 - mu)."""
    z = mu * mu
    even, odd = 0.0, 0.0
    for c in EVEN:
        even = even * z + c
    for c in ODD:
        odd = odd * z + c
    return -odd, even, even + mu * odd, even - mu * odd


@scalar
def first_fraction(nu, x, sign):
    """J'/J (sign -1), or I'/I (sign 1), and the sign of the denominators."""
    b = 2.0 * nu / x
    h = nu / x if nu > 0.0 else TINY
    c, d, turned, change, i = h, 0.0, 1.0, 2.0, 0.0
    while absolute(change - 1.0) > SETTLED and i < TRIPS:
        i += 1.0
        b += 2.0 / x
        c, d = lentz(sign, b, c, d)
        change = c * d
        h *= change
        if d < 0.0:
            turned = -turned
    return h, turned


@scalar
def temme_series(mu, x, sign):
    """Y of orders mu and mu + 1 (sign -1), or K (sign 1), for x < 2."""
    pimu = math.pi * mu
    gamma1, gamma2, up, down = temme_gammas(mu)
    factor = 1.0 if absolute(pimu) < 1e-15 else pimu / sin(pimu)
    d = -log(0.5 * x)
    e = mu * d
    if absolute(e) < 1e-3:
        z = e * e
        cosh_e, sinh_e = 1.0 + 0.5 * z * (1.0 + z / 12.0), 1.0 + z / 6.0 * (1.0 + z / 20.0)
        grown = exp(e)
    else:
        grown = exp(e)
        cosh_e, sinh_e = 0.5 * (grown + 1.0 / grown), 0.5 * (grown - 1.0 / grown) / e
    f = factor * (gamma1 * cosh_e + gamma2 * sinh_e * d)
    p, q = 0.5 * grown / up, 0.5 / (grown * down)
    if sign < 0.0:
        p, q, f = p * 2.0 / math.pi, q * 2.0 / math.pi, f * 2.0 / math.pi
        half = 0.5 * pimu
        r = 1.0 if absolute(half) < 1e-15 else sin(half) / half
        r = math.pi * half * r * r
    else:
        r = 0.0
    c, z = 1.0, sign * 0.25 * x * x
    total, other = f + r * q, p
    i = 0.0
    while i < 500.0:
        i += 1.0
        f = (i * f + p + q) / (i * i - mu * mu)
        c *= z / i
        p /= i - mu
        q /= i + mu
        more = c * (f + r * q)
        total += more
        other += c * p - i * more if sign < 0.0 else c * (p - i * f)
        if absolute(more) < EPS * absolute(total):
            break
    return total * sign, other * (2.0 / x) * sign


@scalar
def hankel(nu, x):
    """P and Q of Hankel's series."""
    m = 4.0 * nu * nu
    p, q, term, k = 1.0, 0.0, 1.0, 0.0
    while k < 200.0:
        k += 1.0
        odd = 2.0 * k - 1.0
        more = term * (m - odd * odd) / (k * 8.0 * x)
        if absolute(more) > absolute(term) and k > nu:
            break
        term = more
        turn = k - 4.0 * floor(0.25 * k)
        if turn == 1.0:
            q += term
        elif turn == 2.0:
            p -= term
        elif turn == 3.0:
            q -= term
        else:
            p += term
        if absolute(term) < EPS:
            break
    return p, q


@scalar
def second_fraction(mu, x):
    """p + i q of Steed's second continued fraction for J and Y, x >= 2."""
    a = 0.25 - mu * mu
    p, q = -0.5 / x, 1.0
    b_re, b_im = 2.0 * x, 2.0
    fact = a / x / (p * p + q * q)
    c_re, c_im = b_re + q * fact, b_im + p * fact
    size = b_re * b_re + b_im * b_im
    d_re, d_im = b_re / size, -b_im / size
    l_re, l_im = c_re * d_re - c_im * d_im, c_re * d_im + c_im * d_re
    p, q = p * l_re - q * l_im, p * l_im + q * l_re
    i, off = 1.0, 1.0
    while off > SETTLED and i < TRIPS:
        a += 2.0 * i
        i += 1.0
        b_im += 2.0
        d_re, d_im = a * d_re + b_re, a * d_im + b_im
        if absolute(d_re) + absolute(d_im) < TINY:
            d_re = TINY
        fact = a / (c_re * c_re + c_im * c_im)
        c_re, c_im = b_re + c_re * fact, b_im - c_im * fact
        if absolute(c_re) + absolute(c_im) < TINY:
            c_re = TINY
        size = d_re * d_re + d_im * d_im
        d_re, d_im = d_re / size, -d_im / size
        l_re, l_im = c_re * d_re - c_im * d_im, c_re * d_im + c_im * d_re
        p, q = p * l_re - q * l_im, p * l_im + q * l_re
        off = absolute(l_re - 1.0) + absolute(l_im)
    return p, q


@scalar
def downward(nu, x, steps, y, slope, sign):
    """Recur from y of the order nu down by `steps` orders: J (sign -1) or I (sign 1), its slope,
    and y in the same scale, as all three are scaled down where they grow large."""
    start, dy, fraction, k = y, slope * y, nu / x, steps
    while k > 0.0:
        more = fraction * y + dy
        fraction -= 1.0 / x
        dy = fraction * more + sign * y
        y = more
        if absolute(y) > 1e200:
            y, dy, start = y * 1e-200, dy * 1e-200, start * 1e-200
        k -= 1.0
    return y, dy, start


@shared
def bessel_jy(nu, x):
    """J and Y of an order nu >= 0, for x > 0."""
    if x > 25.0 and x > 0.5 * nu * nu:
        p, q = hankel(nu, x)
        turn = 0.5 * nu + 0.25
        s, c = sin(x), cos(x)
        ts, tc = sin_pi(turn), cos_pi(turn)
        cosine, sine = c * tc + s * ts, s * tc - c * ts
        root = sqrt(2.0 / (math.pi * x))
        return root * (p * cosine - q * sine), root * (p * sine + q * cosine)
    steps = floor(nu + 0.5) if x < 2.0 else max(0.0, floor(nu - x + 1.5))
    mu = nu - steps
    slope, turned = first_fraction(nu, x, -1.0)
    # J is j times a factor that is found at mu
    j, dj, j_start = downward(nu, x, steps, turned * 1e-250, slope, -1.0)
    j = EPS if j == 0.0 else j
    f = dj / j
    if x < 2.0:
        y, y_next = temme_series(mu, x, -1.0)
        dy = mu / x * y - y_next
        j_mu = 2.0 / (math.pi * x) / (dy - f * y)
    else:
        p, q = second_fraction(mu, x)
        gap = (p - f) / q
        j_mu = sqrt(2.0 / (math.pi * x) / ((p - f) * gap + q))
        j_mu = j_mu if j > 0.0 else -j_mu
        y = j_mu * gap
        y_next = mu / x * y - (y * p + j_mu * q)
    value = j_start * (j_mu / j)
    k = 1.0
    while k <= steps:
        y, y_next = y_next, 2.0 * (mu + k) / x * y_next - y
        k += 1.0
        if y_next == -np.inf:  # so are all that follow
            return value, y if k > steps else y_next
    return value, y


@shared
def bessel_ik(nu, x):
    """exp(-x) I and exp(x) K of an order nu >= 0, for x > 0."""
    if x > 30.0 and x > 0.5 * nu * nu:
        p, q = growing(nu, x, -1.0), growing(nu, x, 1.0)
        return p / sqrt(2.0 * math.pi * x), q * sqrt(math.pi / (2.0 * x))
    steps = floor(nu + 0.5)
    mu = nu - steps
    slope, _ = first_fraction(nu, x, 1.0)
    i, di, i_start = downward(nu, x, steps, 1e-250, slope, 1.0)
    if x < 2.0:
        value, following = temme_series(mu, x, 1.0)
        grown = exp(x)
        value, following = value * grown, following * grown
    else:
        value, following = steed(mu, x)
    # Wronskian
    i_mu = 1.0 / (x * (di / i * value - (mu / x * value - following)))
    k = 1.0
    while k <= steps:
        value, following = following, 2.0 * (mu + k) / x * following + value
        k += 1.0
    return i_mu * (i_start / i), value


@scalar
def steed(mu, x):
    """exp(x) K of orders mu and mu + 1, x >= 2, by Steed's method and Temme's sum."""
    b = 2.0 * (1.0 + x)
    d = 1.0 / b
    h, change = d, d
    q1, q2 = 0.0, 1.0
    first = 0.25 - mu * mu
    q, c, a = first, first, -first
    s, i, term = 1.0 + first * d, 1.0, 1.0
    while absolute(term) > EPS * absolute(s) and i < TRIPS:
        i += 1.0
        a -= 2.0 * (i - 1.0)
        c = -a * c / i
        new = (q1 - b * q2) / a
        q1, q2 = q2, new
        q += c * new
        b += 2.0
        d = 1.0 / (b + a * d)
        change *= b * d - 1.0
        h += change
        term = q * change
        s += term
    value = sqrt(math.pi / (2.0 * x)) / s
    return value, value * (mu + x + 0.5 - first * h) / x


@scalar
def growing(nu, x, sign):
    """Hankel's series for K (sign 1) and I (sign -1)."""
    m = 4.0 * nu * nu
    total, term, k = 1.0, 1.0, 0.0
    while k < 200.0 and absolute(term) > EPS:
        k += 1.0
        odd = 2.0 * k - 1.0
        more = sign * term * (m - odd * odd) / (k * 8.0 * x)
        if absolute(more) > absolute(term) and k > nu:
            break
        term = more
        total += term
    return total


@scalar
def power_series(nu, x, sign):
    """J (sign -1) or I (sign 1) of an order nu >= 0, for 0 < x^2 / 4 <= nu + 1."""
    z, total, term, k = sign * 0.25 * x * x, 1.0, 1.0, 0.0
    while absolute(term) > EPS * total:
        k += 1.0
        term *= z / (k * (nu + k))
        total += term
    if nu < 100.0:
        return total * (pow(0.5 * x, nu) / gamma(nu + 1.0))
    return total * exp(nu * log(0.5 * x) - lgamma(nu + 1.0))


@scalar
def first_kind(nu, x, sign):
    """J (sign -1) or exp(-|x|) I (sign 1) of an order; of x < 0 for whole orders alone."""
    a, z = absolute(nu), absolute(x)
    whole = a == floor(a)
    odd = whole and a != 2.0 * floor(0.5 * a)
    if not (a < np.inf and z <= np.inf) or (x < 0.0 and not whole):
        return np.nan
    if z == np.inf:
        return 0.0
    if z == 0.0:
        return 1.0 if a == 0.0 else (0.0 if nu > 0.0 or whole else np.inf)
    if (nu >= 0.0 or whole) and 0.25 * z * z <= a + 1.0:
        y, second = power_series(a, z, sign), 0.0
        y = exp(-z) * y if sign > 0.0 else y
    else:
        y, second = bessel_ik(a, z) if sign > 0.0 else bessel_jy(a, z)
    if nu < 0.0 and not whole:
        c, s = cos_pi(a), sin_pi(a)
        if sign > 0.0:
            return y + 2.0 / math.pi * s * (exp(-2.0 * z) * second)
        return c * y - s * second if c != 0.0 else -s * second
    return -y if odd and (x < 0.0) != (sign < 0.0 and nu < 0.0) else y


jv = scalar(lambda nu, x: first_kind(nu, x, -1.0))  # J of an order


@scalar
def yv(nu, x):
    """Y of an order; -inf at 0, NaN below."""
    a = absolute(nu)
    if not (a < np.inf and x >= 0.0):
        return np.nan
    if x == 0.0 or x == np.inf:
        return -np.inf if x == 0.0 else 0.0
    j, y = bessel_jy(a, x)
    if nu >= 0.0:
        return y
    c, s = cos_pi(a), sin_pi(a)
    return s * j + c * y if c != 0.0 else s * j


ive = scalar(lambda nu, x: first_kind(nu, x, 1.0))  # exp(-|x|) I of an order


@scalar
def iv(nu, x):
    """I of an order; of x < 0 for whole orders alone."""
    half = exp(0.5 * absolute(x))
    y = half * ive(nu, x) * half
    return y if absolute(x) < np.inf else absolute(x)


@scalar
def kve(nu, x):
    """exp(x) K of an order; infinite at 0, NaN below."""
    a = absolute(nu)
    if not (a < np.inf and x >= 0.0):
        return np.nan
    if x == 0.0 or x == np.inf:
        return np.inf if x == 0.0 else 0.0
    return bessel_ik(a, x)[1]


@scalar
def kv(nu, x):
    """K of an order; infinite at 0, NaN below."""
    y = kve(nu, x)
    return exp(-x) * y if x > 0.0 else y


@scalar
def airy_parts(x):
    """Return sqrt(|x|) and zeta = 2/3 |x|**1.5, from which Airy's functions are computed."""
    a = absolute(x)
    return sqrt(a), a * sqrt(a) * (2.0 / 3.0)


@scalar
def airy_ai(x):
    """Airy's function Ai (DLMF 9.6)."""
    root, z = airy_parts(x)
    if z < 1e-280 or not z < np.inf:
        return AI_0 if z < 1.0 else (0.0 if z == z else x)
    if x > 0.0:
        return root / (math.pi * ROOT_3) * (exp(-z) * bessel_ik(THIRD, z)[1])
    j, y = bessel_jy(THIRD, z)
    return 0.5 * root * (j - y / ROOT_3)


@scalar
def airy_bi(x):
    """Airy's function Bi."""
    root, z = airy_parts(x)
    if z < 1e-280 or not z < np.inf:
        return AI_0 * ROOT_3 if z < 1.0 else (max(x, 0.0) if z == z else x)
    if x > 0.0:
        i, k = bessel_ik(THIRD, z)
        grown = exp(0.5 * z)
        return grown * (root * (2.0 / ROOT_3 * i + exp(-2.0 * z) * k / math.pi)) * grown
    j, y = bessel_jy(THIRD, z)
    return -0.5 * root * (j / ROOT_3 + y)


@scalar
def airy_ai_slope(x):
    """The derivative of Ai."""
    _, z = airy_parts(x)
    a = absolute(x)
    if z < 1e-280 or not z < np.inf:
        return AI_1 if z < 1.0 else (0.0 if x > 0.0 else np.nan)
    if x > 0.0:
        return -a / (math.pi * ROOT_3) * (exp(-z) * bessel_ik(2.0 * THIRD, z)[1])
    j, y = bessel_jy(2.0 * THIRD, z)
    return 0.5 * a * (j + y / ROOT_3)  # (J_2/3 - J_-2/3) x / 3, reflected


@scalar
def airy_bi_slope(x):
    """The derivative of Bi."""
    _, z = airy_parts(x)
    a = absolute(x)
    if z < 1e-280 or not z < np.inf:
        return -AI_1 * ROOT_3 if z < 1.0 else (x if x > 0.0 else np.nan)
    if x > 0.0:
        i, k = bessel_ik(2.0 * THIRD, z)
        grown = exp(0.5 * z)
        return grown * (a * (2.0 / ROOT_3 * i + exp(-2.0 * z) * k / math.pi)) * grown
    j, y = bessel_jy(2.0 * THIRD, z)
    return 0.5 * a * (j / ROOT_3 - y)
