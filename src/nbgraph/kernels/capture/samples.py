"""Summaries of tuples, tables by linear pieces, and choices: captured like the user's own."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from nbgraph.kernels.capture.vectors import bisect_right

mean = lambda a: sum(a) / len(a)  # the mean


def average(a, weights=None):
    """The mean, or the weighted mean."""
    if weights is None:
        return mean(a)
    return sum(v * w for v, w in zip(a, weights, strict=True)) / sum(weights)


count_nonzero = lambda a: sum(1 for value in a if value)  # how many are not 0


def variance(a, ddof=0):
    """The mean square of the distances from the mean."""
    middle = mean(a)
    return sum((value - middle) ** 2 for value in a) / (len(a) - ddof)


std = lambda a, ddof=0: math.sqrt(variance(a, ddof))  # the root of `variance`
sample_variance = lambda data: variance(data, 1)  # `statistics.variance`
sample_std = lambda data: std(data, 1)  # `statistics.stdev`


def middle(data):
    """`statistics.median`."""
    found, half = sorted(data), len(data) // 2
    return found[half] if len(data) % 2 else 0.5 * (found[half - 1] + found[half])


def norm(x, ord=None):
    """The length of a vector, or its norm of an order."""
    sizes = [abs(value) for value in x]
    if ord is None or ord == 2:
        return math.hypot(*sizes)
    if ord == math.inf:
        return max(sizes)
    if ord == -math.inf:
        return min(sizes)
    if ord == 0:
        return sum(1.0 for value in sizes if value)
    if ord == 1:
        return sum(sizes)
    return sum(value**ord for value in sizes) ** (1.0 / ord)


# the sum of the numbers that are not NaN
nansum = lambda a: sum(value if value == value else 0.0 for value in a)
# the mean of the numbers that are not NaN
nanmean = lambda a: nansum(a) / sum(1 for value in a if value == value)


def nanmax(a):
    """The largest of the numbers that are not NaN."""
    found = a[0]
    for value in a[1:]:
        found = np.fmax(found, value)
    return found


def nanmin(a):
    """The smallest of the numbers that are not NaN."""
    found = a[0]
    for value in a[1:]:
        found = np.fmin(found, value)
    return found


def interp(x, xp, fp, left=None, right=None):
    """The line through points with growing xp, at x; outside the first and the last value."""
    low = fp[0] if left is None else left
    high = fp[-1] if right is None else right
    if len(xp) == 1:
        return low if x < xp[0] else (high if x > xp[0] else fp[0] + x * 0.0)
    place = min(max(bisect_right(xp, x) - 1, 0), len(xp) - 2)
    steps = list(zip(xp, xp[1:], fp, fp[1:], strict=False))
    slopes = [(d - c) / (b - a) for a, b, c, d in steps]
    inside = slopes[place] * (x - xp[place]) + fp[place]
    at_end = 1.0 * fp[-1] if x == xp[-1] else inside
    return 1.0 * low if x < xp[0] else (1.0 * high if x > xp[-1] else at_end)


def select(condlist, choicelist, default=0):
    """The choice of the first condition that holds."""
    found = default
    for cond, choice in reversed(list(zip(condlist, choicelist, strict=True))):
        found = np.where(cond, choice, found)
    return found


def piecewise(x, condlist, funclist):
    """The function, or the number, of the last condition that holds; one more is the default."""
    found = x * 0
    if len(funclist) > len(condlist):
        found = funclist[-1](x) if callable(funclist[-1]) else funclist[-1]
    for cond, f in zip(condlist, funclist, strict=False):
        found = found if not cond else (f(x) if callable(f) else f)
    return found


def convolve(a, v):
    """The products of each part of one with the other, by the sum of their places."""
    return tuple(
        sum(a[i] * v[k - i] for i in range(len(a)) if 0 <= k - i < len(v))
        for k in range(len(a) + len(v) - 1)
    )


choose = lambda a, choices: choices[a]  # the choice of this number


FUNCTIONS: dict[Any, Callable[..., Any]] = {
    np.average: average,
    np.count_nonzero: count_nonzero,
    np.linalg.norm: norm,
    np.nansum: nansum,
    np.nanmean: nanmean,
    np.nanmax: nanmax,
    np.nanmin: nanmin,
    np.interp: interp,
    np.select: select,
    np.choose: choose,
    np.piecewise: piecewise,
    np.convolve: convolve,
}
# of the module `statistics`, by name: it stays unimported
_STATISTICS: dict[str, Callable[..., Any]] = {
    "mean": mean,
    "fmean": average,
    "median": middle,
    "pvariance": variance,
    "pstdev": std,
    "variance": sample_variance,
    "stdev": sample_std,
}


def of_statistics(target: object) -> Callable[..., Any] | None:
    """Return the text of a function of `statistics`, None for other objects."""
    if getattr(target, "__module__", None) != "statistics":
        return None
    return _STATISTICS.get(getattr(target, "__name__", ""))
