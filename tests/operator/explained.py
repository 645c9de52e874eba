"""Operators whose explanations and pictures are tested."""

from __future__ import annotations

import math

import nbgraph as ng

SCALE = 3.0


@ng.op
def smooth_l1(x, *, sigma=1.0):
    """Quadratic near 0, linear far from it."""
    s2 = sigma * sigma
    if x > 1 / s2:
        return x - 0.5 / s2
    if x < -1 / s2:
        return -x - 0.5 / s2
    return 0.5 * s2 * x * x


@ng.op
def sigmoid(x):
    return 1 / (1 + math.exp(-x))


@ng.op
def newton_root(a):
    x = a
    while abs(x * x - a) > 1e-6 * a:
        x = 0.5 * (x + a / x)
    return x


@ng.op
def factorial(x):
    return math.gamma(x + 1.0)


@ng.op
def affine(x, y):
    return SCALE * x - y


@ng.op
def weighted(x, w):
    return w * math.log1p(x * x)


@ng.op
def shared(x, y):
    t = math.sqrt(x) if x > 0 else 0.0
    u = math.log(t + 1) * y if y > t else math.exp(x * y + t) * (t + 1)
    return u * u + t


@ng.op
def escape(x, y):
    zx = zy = 0.0
    n = 0
    while n < 40 and zx * zx + zy * zy < 4:
        zx, zy = zx * zx - zy * zy + x, 2 * zx * zy + y
        n += 1
    return zx + 0.5 * n


@ng.op
def positive(x):
    return x > 0


@ng.op
def bell(x):
    return math.exp(-x * x)


@bell.gradient
def _(out_grad, out, x):
    return -2 * x * out * out_grad


ZOO = [smooth_l1, sigmoid, newton_root, factorial, affine, weighted, shared, escape, positive, bell]
IDS = [f.__name__ for f in ZOO]
