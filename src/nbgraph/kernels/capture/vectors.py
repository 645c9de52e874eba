"""Functions of tuples and small arrays: plain scalar functions, captured like the user's own."""

from __future__ import annotations

import bisect
import math
from collections.abc import Callable
from typing import Any

import numpy as np

POWERS = tuple(2**k for k in reversed(range(17)))  # no table is longer than twice the first


def polyval(p, x):
    """A polynomial, the highest power first."""
    total = x * 0
    for c in p:
        total = total * x + c
    return total


def polyval_rising(x, c):
    """A polynomial, the lowest power first."""
    total = c[-1] + x * 0
    for factor in reversed(c[:-1]):
        total = factor + total * x
    return total


def dot(a, b):
    """The sum of the products of two vectors' entries."""
    total = a[0] * b[0]
    for x, y in zip(a[1:], b[1:], strict=True):
        total = total + x * y
    return total


def bisect_left(a, x):
    """How many entries of a sorted table are below a number."""
    place, count = 0, len(a)
    for step in POWERS:
        if step <= count:
            last = min(place + step, count) - 1
            if place + step <= count and a[last] < x:
                place += step
    return place


def bisect_right(a, x):
    """How many entries of a sorted table are not above a number; NaN is above all."""
    place, count = 0, len(a)
    for step in POWERS:
        if step <= count:
            last = min(place + step, count) - 1
            if place + step <= count and not x < a[last]:
                place += step
    return place


def searchsorted(a, v, side="left"):
    """How many entries of a sorted table are below a number, or not above it; NaN is above all."""
    below = bisect_right(a, v) if side == "right" else bisect_left(a, v)
    return below if v == v else len(a)


def digitize(x, bins, right=False):
    """The number of the bin that a number lies in, between growing or falling edges."""
    if len(bins) > 1 and bins[0] > bins[-1]:
        return len(bins) - searchsorted(bins[::-1], x, "left" if right else "right")
    return searchsorted(bins, x, "left" if right else "right")


FUNCTIONS: dict[Any, Callable[..., Any]] = {
    np.polyval: polyval,
    np.polynomial.polynomial.polyval: polyval_rising,
    np.dot: dot,
    np.inner: dot,
    np.vdot: dot,
    np.searchsorted: searchsorted,
    np.digitize: digitize,
    bisect.bisect: bisect_right,
    bisect.bisect_right: bisect_right,
    bisect.bisect_left: bisect_left,
    **({sumprod: dot} if (sumprod := getattr(math, "sumprod", None)) else {}),
}
