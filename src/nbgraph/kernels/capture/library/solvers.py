"""Roots and integrals of functions inside scalar functions, as plain scalar texts.

The function is captured in place; `**_` takes SciPy's other options, without effect. A root is
refined by two steps of Newton's method at the end, which give it the derivatives of the implicit
function, whichever method computed the root.
Brent, Algorithms for minimization without derivatives, 1973; Piessens et al., QUADPACK, 1983.
"""

import math

import numpy as np

from nbgraph.kernels.capture.special import detached, slope

# Kronrod's rule of 21 points on [-1, 1], and the weights of Gauss's rule of 10 of them
_LEFT = (
    *(-0.9956571630258081, -0.9739065285171717, -0.9301574913557082, -0.8650633666889845),
    *(-0.7808177265864169, -0.6794095682990244, -0.5627571346686047, -0.4333953941292472),
    *(-0.2943928627014602, -0.14887433898163122),
)
_WEIGHTS = (
    *(0.011694638867371874, 0.032558162307964725, 0.054755896574351995, 0.07503967481091996),
    *(0.0931254545836976, 0.10938715880229764, 0.12349197626206584, 0.13470921731147334),
    *(0.14277593857706009, 0.14773910490133849),
)
_GAUSS = (0.0, 0.06667134430868814, 0.0, 0.1494513491505806, 0.0, 0.21908636251598204)
_GAUSS += (0.0, 0.26926671930999635, 0.0, 0.29552422471475287)
NODES = (*_LEFT, 0.0, *(-x for x in reversed(_LEFT)))
KRONROD = (*_WEIGHTS, 0.1494455540029169, *reversed(_WEIGHTS))
GAUSS = (*_GAUSS, 0.0, *reversed(_GAUSS))
POINTS = len(NODES)
# Gauss's rules on [-1, 1] of 1 to 8 points: nodes and weights from the middle on, both sides alike
LEGENDRE = {
    n: tuple(tuple(part[n // 2 :].tolist()) for part in np.polynomial.legendre.leggauss(n))
    for n in range(1, 9)
}
PANELS = 1000  # that `quad` tries at most
SHARE = 1 / 64  # of the error that `quad` may make, which any panel may make, however narrow


listed = lambda args: args if isinstance(args, (tuple, list)) else (args,)  # as SciPy takes them


def polished(f, x, args):
    """Return a root after two steps of Newton's method, which give it correct derivatives up to the
    third order; the root itself where a step is NaN."""
    x = detached(x)
    for _ in range(2):
        step = f(x, *args) / slope(f, x, args)
        x = x - step if abs(step) < math.inf else x
    return x


def brentq(f, a, b, args=(), xtol=2e-12, rtol=8.881784197001252e-16, maxiter=100, **_):
    """Return the root of f between a and b, where f changes its sign; otherwise NaN."""
    args, before, now = listed(args), 1.0 * a, 1.0 * b
    f_before, f_now = f(before, *args), f(now, *args)
    other, f_other, last, step = before, f_before, now - before, now - before
    bracketed = f_before * f_now <= 0.0
    for _ in range(maxiter):
        if (f_now > 0.0) == (f_other > 0.0):
            other, f_other = before, f_before
            last = step = now - before
        if abs(f_other) < abs(f_now):
            before, now, other = now, other, now
            f_before, f_now, f_other = f_now, f_other, f_now
        least = 0.5 * (xtol + rtol * abs(now))
        middle = 0.5 * (other - now)
        if f_now == 0.0 or abs(middle) < least or not bracketed:
            break
        if abs(last) > least and abs(f_now) < abs(f_before):
            if before == other:
                try_ = -f_now * (now - before) / (f_now - f_before)
            else:
                u = (f_before - f_now) / (before - now)
                v = (f_other - f_now) / (other - now)
                try_ = -f_now * (f_other * v - f_before * u) / (v * u * (f_other - f_before))
            good = 2.0 * abs(try_) < min(abs(last), 3.0 * abs(middle) - least)
            last = step if good else middle
            step = try_ if good else middle
        else:
            last = step = middle
        before, f_before = now, f_now
        now = now + (step if abs(step) > least else math.copysign(least, middle))
        f_now = f(now, *args)
    return polished(f, now, args) if bracketed else math.nan


def bisect(f, a, b, args=(), xtol=2e-12, rtol=8.881784197001252e-16, maxiter=100, **_):
    """Return the root of f between a and b by bisection; NaN where f does not change its sign."""
    args, low, width = listed(args), 1.0 * a, 1.0 * (b - a)
    first = f(low, *args)
    bracketed = first * f(1.0 * b, *args) <= 0.0
    for _ in range(maxiter):
        width = 0.5 * width
        middle = low + width
        value = f(middle, *args)
        if value * first >= 0.0:
            low = middle
        if value == 0.0 or abs(width) < xtol + rtol * abs(middle) or not bracketed:
            break
    return polished(f, low, args) if bracketed else math.nan


def newton(
    func, x0, fprime=None, args=(), tol=1.48e-8, maxiter=50, fprime2=None, x1=None, rtol=0.0, **_
):
    """Return a root of func near x0 by Newton's method, with the derivative of its text. Steps of a
    few units in the last place end it, as float32 may not reach the tolerance."""
    args, x, step = listed(args), 1.0 * x0, math.inf
    for _ in range(maxiter):
        if abs(step) <= tol or x + 0.0625 * step == x:
            break
        step = func(x, *args) / slope(func, x, args)
        x = x - step
    return polished(func, x, args) if abs(step) <= tol or x + 0.0625 * step == x else math.nan


def place(t, right, a, b):
    """Return the point for t in [0, 1] between an end and the middle, and its derivative. The end
    at t = 0 is a, or b if `right`, and may be infinite; floats are dense near it."""
    if a > -math.inf and b < math.inf:
        half = 0.5 * (b - a)
        return b - half * t if right else a + half * t, half
    if a > -math.inf and not right:
        return a + t, 1.0
    if b < math.inf and right:
        return b - t, 1.0
    far = 1.0 / t
    if a > -math.inf:
        return a + far, far * far
    if b < math.inf:
        return b - far, far * far
    return far - 1.0 if right else 1.0 - far, far * far


def panel(f, a, b, args, right, left, width):
    """Return the integral over t from `left` (Kronrod), and the distance to Gauss's rule."""
    own, other, half = 0.0, 0.0, 0.5 * width
    for i in range(POINTS):
        x, speed = place(left + half * (1.0 + NODES[i]), right, a, b)
        y = f(x, *args) * speed
        own = own + KRONROD[i] * y
        other = other + GAUSS[i] * y
    return half * own, half * abs(own - other)


def quad(func, a, b, args=(), full_output=0, epsabs=1.49e-8, epsrel=1.49e-8, limit=50):
    """Return the integral of func from a to b, and a bound of its error. From both ends to the
    middle, a panel is halved until the rules of Gauss and Kronrod agree up to rounding; the next
    panel is twice as wide. Points stay distinct, and their derivatives finite."""
    args, total, off, least = listed(args), 0.0, 0.0, epsabs
    right, left, width = False, 0.0, 1.0
    for k in range(PANELS):
        own, error = panel(func, a, b, args, right, left, width)
        least = max(least, epsrel * abs(total + own))
        first = left + 0.001 * width
        near, _ = place(first, right, a, b)
        next_, _ = place(left + 0.002 * width, right, a, b)
        rough = error > least * max(width, SHARE) and abs(own) + 0.0625 * error > abs(own)
        if rough and near != next_ and 1.0 / (first * first) < math.inf and k < PANELS - 2:
            width = 0.5 * width
        else:
            total, off, left = total + own, off + error, left + width
            if left >= 1.0:
                if right:
                    break
                right, left = True, 0.0
            width = 1.0 - left if k >= PANELS - 3 else min(2.0 * width, 1.0 - left)
    return total, off


def fixed_quad(func, a, b, args=(), n=5):
    """Return the integral of func from a to b by Gauss's rule of n <= 8 points, and None."""
    args, (nodes, weights) = listed(args), LEGENDRE[n]
    middle, half, total = 0.5 * (a + b), 0.5 * (b - a), 0.0
    for node, weight in zip(nodes, weights, strict=True):
        if node == 0.0:
            total = total + weight * func(middle, *args)
        else:
            pair = func(middle - half * node, *args) + func(middle + half * node, *args)
            total = total + weight * pair
    return half * total, None


def simpson(y, x=None, dx=1.0):
    """Return the integral of parabolas through points; for an even number of points the last step
    is that of the parabola through the last three (Cartwright, 2017)."""
    steps = [1.0 * dx if x is None else x[i + 1] - x[i] for i in range(len(y) - 1)]
    if len(y) == 2:
        return 0.5 * steps[0] * (y[0] + y[1])
    total = 0.0
    for i in range(0, len(y) - 2, 2):
        first, second = steps[i], steps[i + 1]
        both = first + second
        ends = y[i] * (2.0 - second / first) + y[i + 2] * (2.0 - first / second)
        total = total + both / 6.0 * (ends + y[i + 1] * both * both / (first * second))
    if len(y) % 2 == 0:
        first, last = steps[-2], steps[-1]
        own = (2.0 * last * last + 3.0 * first * last) / (6.0 * (first + last))
        before = (last * last + 3.0 * first * last) / (6.0 * first)
        far = last * last * last / (6.0 * first * (first + last))
        total = total + own * y[-1] + before * y[-2] - far * y[-3]
    return total
