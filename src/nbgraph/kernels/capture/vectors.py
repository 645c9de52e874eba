"""Functions of tuples and small arrays: plain scalar functions, captured like the user's own."""

import functools
import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

POWERS = tuple(2**k for k in reversed(range(17)))  # no table is longer than twice the first


def polyval(p, x):
    """Return a polynomial at x; its coefficients begin with the highest power."""
    total = x * 0
    for c in p:
        total = total * x + c
    return total


def polyval_rising(x, c):
    """Return a polynomial at x; its coefficients begin with the lowest power."""
    total = c[-1] + x * 0
    for factor in reversed(c[:-1]):
        total = factor + total * x
    return total


def series(x, c, following):
    """Return a sum of orthogonal polynomials by their three-term recurrence `following`."""
    total, last, before = c[0] + x * 0, 1.0, 0.0
    for n, factor in enumerate(c[1:]):
        last, before = following(n, x, last, before), last
        total = total + factor * last
    return total


# of numpy.polynomial; Abramowitz and Stegun, Handbook of mathematical functions, table 22.7
chebval = lambda x, c: series(x, c, lambda n, x, p, q: ((n > 0) + 1) * x * p - q)
legval = lambda x, c: series(x, c, lambda n, x, p, q: x * p + n * (x * p - q) / (n + 1))
lagval = lambda x, c: series(x, c, lambda n, x, p, q: p + (n * (p - q) - x * p) / (n + 1))
hermval = lambda x, c: series(x, c, lambda n, x, p, q: 2 * x * p - 2 * n * q)
hermeval = lambda x, c: series(x, c, lambda n, x, p, q: x * p - n * q)
# the sum of the diagonal
trace = lambda a: sum(a[k][k] for k in range(min(len(a), len(a[0]))))


def dot(a, b):
    """Return the sum of the products of two vectors' entries."""
    total = a[0] * b[0]
    for x, y in zip(a[1:], b[1:], strict=True):
        total = total + x * y
    return total


def entries_below(a, x, above):
    """Return how many entries of a sorted table are below x, or (`above`) at most x."""
    place, count = 0, len(a)
    if count == 0:
        return 0
    for step in POWERS:
        if step <= count:
            last = (min(count, place + step)) - 1
            if place + step <= count and (not x < a[last] if above else a[last] < x):
                place += step
    return place


def searchsorted(a, v, side="left"):
    """Return how many entries of a sorted table are below a number, or at most that."""
    below = entries_below(a, v, side == "right")
    return below if v == v else len(a)


def digitize(x, bins, right=False):
    """Return the index of a number's bin between ascending or descending edges."""
    if len(bins) > 1 and bins[0] > bins[-1]:
        return len(bins) - searchsorted(bins[::-1], x, "left" if right else "right")
    return searchsorted(bins, x, "left" if right else "right")


# the sum and the product of all entries
total = lambda a: functools.reduce(operator.add, a[1:], a[0] * 1)
product = lambda a: functools.reduce(operator.mul, a[1:], a[0] * 1)
# the distance of two points
dist = lambda p, q: math.hypot(*[a - b for a, b in zip(p, q, strict=True)])


def largest(a, least=False):
    """Return the largest entry, or the least one; NaN if there is one."""
    best = a[0]
    for x in a[1:]:
        best = x if (x < best if least else x > best) or x != x else best
    return best


def place_of_largest(a, least=False):
    """Return the index of the first largest, or least, entry, or of the first NaN."""
    best, place = a[0], 0
    for k, x in enumerate(a):
        if best == best and ((x < best if least else x > best) or x != x):
            best, place = x, k
    return place


smallest = lambda a: largest(a, True)  # the least entry; NaN where one is
place_of_smallest = lambda a: place_of_largest(a, True)  # the place of the least entry
extent = lambda a: largest(a) - smallest(a)  # from the least entry to the largest
isin = lambda element, test_elements: element in test_elements  # whether a number is among some


some = lambda a: any(bool(x) for x in a)  # whether an entry is not zero
every = lambda a: all(bool(x) for x in a)  # whether no entry is zero


def middle(a):
    """Return the median of sorted entries; NaN if there is one."""
    half = len(a) // 2
    value = a[half] * 1.0 if len(a) % 2 else 0.5 * (a[half - 1] + a[half])
    return value if a[-1] == a[-1] else a[-1] * 1.0


def ordered(a, b):
    """Return two numbers in ascending order; NaN comes last."""
    swapped = b < a or (a != a and b == b)
    return (b, a) if swapped else (a, b)


def between(start, stop, k, count):
    """Return point `k` of `count` from `start` to `stop`."""
    if k == count - 1 and count > 1:
        return stop
    return start + k * ((stop - start) / (count - 1)) if count > 1 else start


def cross(a, b):
    """Return the cross product of vectors of three entries."""
    return np.array(
        [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
    )


def trapezoid(y, x=None, dx=1.0):
    """Return the integral of a function from its values at points (trapezoidal rule)."""
    area = 0.0
    for k in range(len(y) - 1):
        width = dx if x is None else x[k + 1] - x[k]
        area += 0.5 * width * (y[k] + y[k + 1])
    return area


# summaries of samples, tables by linear pieces, and choices ---------------------------------------

mean = lambda a: sum(a) / len(a)  # the mean


def average(a, weights=None):
    """Return the mean, or the weighted mean."""
    if weights is None:
        return mean(a)
    return sum(v * w for v, w in zip(a, weights, strict=True)) / sum(weights)


count_nonzero = lambda a: sum(1 for value in a if value)  # how many are not 0


def variance(a, ddof=0, middle=None):
    """Return the variance: the mean square of the deviations from the mean."""
    center = mean(a) if middle is None else middle
    return sum((value - center) ** 2 for value in a) / (len(a) - ddof)


std = lambda a, ddof=0, middle=None: math.sqrt(variance(a, ddof, middle))  # its root
# those of `statistics`, whose second argument is the mean
pvariance = lambda data, mu=None: variance(data, 0, mu)
pstdev = lambda data, mu=None: std(data, 0, mu)
sample_variance = lambda data, xbar=None: variance(data, 1, xbar)
sample_std = lambda data, xbar=None: std(data, 1, xbar)


# the reciprocal of the mean reciprocal, and the exponential of the mean logarithm
harmonic_mean = lambda data: len(data) / sum(1.0 / value for value in data)
geometric_mean = lambda data: math.exp(sum(math.log(value) for value in data) / len(data))


median = lambda data: middle(sorted(data))  # `statistics.median`


def norm(x, ord=None):
    """Return the length of a vector, or its norm of an order."""
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


nanmax = lambda a: functools.reduce(np.fmax, a)  # the largest of the numbers that are not NaN
nanmin = lambda a: functools.reduce(np.fmin, a)  # the least of them


def interp(x, xp, fp, left=None, right=None):
    """Return the linear interpolation of points with ascending xp at x; end values outside."""
    low = fp[0] if left is None else left
    high = fp[-1] if right is None else right
    if len(xp) == 1:
        return low if x < xp[0] else (high if x > xp[0] else fp[0] + x * 0.0)
    place = min(max(entries_below(xp, x, True) - 1, 0), len(xp) - 2)
    steps = list(zip(xp, xp[1:], fp, fp[1:], strict=False))
    slopes = [(d - c) / (b - a) for a, b, c, d in steps]
    inside = slopes[place] * (x - xp[place]) + fp[place]
    at_end = 1.0 * fp[-1] if x == xp[-1] else inside
    return 1.0 * low if x < xp[0] else (1.0 * high if x > xp[-1] else at_end)


def select(condlist, choicelist, default=0):
    """Return the choice of the first condition that holds."""
    result = default
    for cond, choice in reversed(list(zip(condlist, choicelist, strict=True))):
        result = np.where(cond, choice, result)
    return result


def piecewise(x, condlist, funclist):
    """Return the function value, or number, of the last true condition, or the default."""
    result = x * 0
    if len(funclist) > len(condlist):
        result = funclist[-1](x) if callable(funclist[-1]) else funclist[-1]
    for cond, f in zip(condlist, funclist, strict=False):
        result = result if not cond else (f(x) if callable(f) else f)
    return result


def convolve(a, v):
    """Return the convolution of two vectors."""
    return tuple(
        sum(a[i] * v[k - i] for i in range(len(a)) if 0 <= k - i < len(v))
        for k in range(len(a) + len(v) - 1)
    )


def eliminated(a):
    """Return a matrix in upper triangular form (Gauss, with pivoting), and its determinant."""
    rows, product = [list(row) for row in a], 1.0
    for i in range(len(rows)):
        for r in range(i + 1, len(rows)):
            swap, pair = abs(rows[r][i]) > abs(rows[i][i]), list(zip(rows[i], rows[r], strict=True))
            rows[i] = [y if swap else x for x, y in pair]
            rows[r] = [x if swap else y for x, y in pair]
            product = -product if swap else product
        product = product * rows[i][i]
        for r in range(i + 1, len(rows)):
            factor = rows[r][i] / rows[i][i] if rows[i][i] != 0.0 else 0.0
            rows[r] = [y - factor * x for x, y in zip(rows[i], rows[r], strict=True)]
    return rows, product


def solve(a, b):
    """Return the x with a @ x = b, for a vector or a matrix b."""
    a, b = np.array(a), np.array(b)
    rows, _ = eliminated(
        [[*row, *([part] if b.ndim == 1 else part)] for row, part in zip(a, b, strict=True)]
    )
    for i in reversed(range(len(a))):
        rows[i] = [x / rows[i][i] for x in rows[i]]
        for r in range(i):
            rows[r] = [y - rows[r][i] * x for x, y in zip(rows[i], rows[r], strict=True)]
    return tuple(row[-1] if b.ndim == 1 else tuple(row[len(a) :]) for row in rows)


def quantile(a, q):
    """Return a quantile of sorted entries by linear interpolation."""
    items, place = sorted(a), q * (len(a) - 1.0)
    low = min(int(place), max(len(a) - 2, 0))
    return items[low] + (items[min(low + 1, len(a) - 1)] - items[low]) * (place - low)


det = lambda a: eliminated(a)[1]  # the determinant
inv = lambda a: solve(a, np.eye(len(a)))  # the inverse matrix
percentile = lambda a, q: quantile(a, q / 100.0)  # `quantile` by percent
argsort = lambda a: tuple(sorted(range(len(a)), key=lambda k: a[k]))  # places by their entries
choose = lambda a, choices: choices[a]  # the choice of this number


def table(rows: str) -> dict[str, Callable[..., Any]]:
    """Return a table from names of functions to texts, from words `name` or `name=text`."""
    parts = (row.partition("=") for row in rows.split())
    return {name: globals()[text or name] for name, _, text in parts}


_NUMPY = table(
    "isin polyval cross searchsorted digitize average count_nonzero nansum nanmean nanmax nanmin "
    "interp select choose piecewise convolve quantile percentile argsort trace"
)
FUNCTIONS: dict[Any, Callable[..., Any]] = {
    **{getattr(np, name): text for name, text in _NUMPY.items()},
    getattr(np, "trapezoid", None) or getattr(np, "trapz", None): trapezoid,
    **{getattr(np.linalg, name): text for name, text in table("norm det inv solve").items()},
    math.dist: dist,
    **({sumprod: dot} if (sumprod := getattr(math, "sumprod", None)) else {}),
}
# what they say of all entries of a matrix is what they say of the vector of these
OF_ENTRIES = {np.average, np.count_nonzero, np.nansum, np.nanmean, np.nanmax, np.nanmin}
OF_ENTRIES |= {np.linalg.norm, np.quantile, np.percentile}
# functions of modules that stay unimported, by their module and name
_BY_MODULE = {
    "statistics": table(
        "mean fmean=average median harmonic_mean geometric_mean pvariance pstdev "
        "variance=sample_variance stdev=sample_std"
    ),
    "numpy.polynomial.polynomial": {"polyval": polyval_rising},
    "numpy.polynomial.chebyshev": table("chebval"),
    "numpy.polynomial.legendre": table("legval"),
    "numpy.polynomial.laguerre": table("lagval"),
    "numpy.polynomial.hermite": table("hermval"),
    "numpy.polynomial.hermite_e": table("hermeval"),
}


def text_by_module(target: object) -> Callable[..., Any] | None:
    """Return the text of a function of `statistics` or `numpy.polynomial`, or None."""
    texts = _BY_MODULE.get(getattr(target, "__module__", None) or "")
    return texts.get(getattr(target, "__name__", "")) if texts else None
