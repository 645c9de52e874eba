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
            last = (min(count, place + step)) - 1
            if place + step <= count and a[last] < x:
                place += step
    return place


def bisect_right(a, x):
    """How many entries of a sorted table are not above a number; NaN is above all."""
    place, count = 0, len(a)
    for step in POWERS:
        if step <= count:
            last = (min(count, place + step)) - 1
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


def total(a):
    """The sum of all entries."""
    result = a[0] * 1
    for x in a[1:]:
        result = result + x
    return result


def product(a):
    """The product of all entries."""
    result = a[0] * 1
    for x in a[1:]:
        result = result * x
    return result


def largest(a):
    """The largest entry; NaN where one is."""
    best = a[0]
    for x in a[1:]:
        best = x if x > best or x != x else best
    return best


def smallest(a):
    """The least entry; NaN where one is."""
    best = a[0]
    for x in a[1:]:
        best = x if x < best or x != x else best
    return best


def place_of_largest(a):
    """The place of the first largest entry, or of the first NaN."""
    best, place = a[0], 0
    for k, x in enumerate(a):
        if best == best and (x > best or x != x):
            best, place = x, k
    return place


def place_of_smallest(a):
    """The place of the first least entry, or of the first NaN."""
    best, place = a[0], 0
    for k, x in enumerate(a):
        if best == best and (x < best or x != x):
            best, place = x, k
    return place


def extent(a):
    """From the least entry to the largest."""
    return largest(a) - smallest(a)


def some(a):
    """Whether an entry is not zero."""
    found = False
    for x in a:
        found = found or bool(x)
    return found


def isin(element, test_elements):
    """Whether a number is among some."""
    found = False
    for x in test_elements:
        found = found or element == x
    return found


def every(a):
    """Whether no entry is zero."""
    found = True
    for x in a:
        found = found and bool(x)
    return found


def middle(a):
    """The median of sorted entries; NaN where one is."""
    half = len(a) // 2
    value = a[half] * 1.0 if len(a) % 2 else 0.5 * (a[half - 1] + a[half])
    return value if a[-1] == a[-1] else a[-1] * 1.0


def ordered(a, b):
    """Two numbers, the larger one last; NaN is above all."""
    swapped = b < a or (a != a and b == b)
    return (b, a) if swapped else (a, b)


def between(start, stop, k, count):
    """Point `k` of so many from `start` to `stop`."""
    if k == count - 1 and count > 1:
        return stop
    return start + k * ((stop - start) / (count - 1)) if count > 1 else start


def cross(a, b):
    """The cross product of vectors of three entries."""
    return np.array(
        [
            a[1] * b[2] - a[2] * b[1],
            a[2] * b[0] - a[0] * b[2],
            a[0] * b[1] - a[1] * b[0],
        ]
    )


def trapezoid(y, x=None, dx=1.0):
    """The integral of a function by its values at points."""
    area = 0.0
    for k in range(len(y) - 1):
        width = dx if x is None else x[k + 1] - x[k]
        area += 0.5 * width * (y[k] + y[k + 1])
    return area


FUNCTIONS: dict[Any, Callable[..., Any]] = {
    np.isin: isin,
    np.polyval: polyval,
    np.polynomial.polynomial.polyval: polyval_rising,
    np.cross: cross,
    getattr(np, "trapezoid", None) or getattr(np, "trapz", None): trapezoid,
    np.searchsorted: searchsorted,
    np.digitize: digitize,
    bisect.bisect: bisect_right,
    bisect.bisect_right: bisect_right,
    bisect.bisect_left: bisect_left,
    **({sumprod: dot} if (sumprod := getattr(math, "sumprod", None)) else {}),
}
