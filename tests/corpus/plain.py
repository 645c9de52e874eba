"""What a row of the corpus gives in plain Python: values, how far they may move, slopes."""

import math

import numpy as np

from tests.zoo import judge

RAISES = (ValueError, ArithmeticError, AssertionError, LookupError, NameError, TypeError)


def points(row, count, seed=0, dtype=np.float64, *, smooth=False):
    """Operands as columns: drawn from the ranges, then the ends of each, then `at` and `edges`."""
    draw = np.random.default_rng([seed, len(row.id)])
    rows = [[pick(draw, r) for r in row.ranges.values()] for _ in range(count)]
    middle = [pick(draw, r) for r in row.ranges.values()]
    for k, ends in enumerate(row.ranges.values()):
        rows += [[*middle[:k], end, *middle[k + 1 :]] for end in ends]
    rows += [list(point) for point in (row.at if smooth else row.at + row.edges)]
    kinds = [np.int64 if isinstance(low, int) else dtype for low, _ in row.ranges.values()]
    return [np.array(c, dtype=kind) for c, kind in zip(zip(*rows), kinds)]


def pick(draw, ends):
    low, high = ends
    if isinstance(low, int):
        return int(draw.integers(low, high + 1))
    return float(draw.uniform(low, high))


def outputs(result):
    """The numbers of a result as a tuple."""
    return tuple(result) if isinstance(result, (tuple, list)) else (result,)


def at(row, point):
    """The row's outputs at a point of Python numbers, or None where the text raises or draws."""
    if "random" in row.tags:
        return None
    try:
        with np.errstate(all="ignore"):
            try:
                return outputs(row.fn(*point, **row.options))
            except AttributeError:  # the text asks for a dtype
                return outputs(row.fn(*map(np.float64, point), **row.options))
    except RAISES:
        return None


def neighbours(row, point, eps):
    """The point with each float moved by some roundings."""
    for k, x in enumerate(point):
        if isinstance(x, float) and math.isfinite(x):
            for steps in (-4, -1, 1, 4):
                moved = x * (1 + steps * eps) if x else steps * eps * 1e-3
                yield (*point[:k], moved, *point[k + 1 :])


def slack(row, point, values, eps):
    """How far each output may be off: roundings of the value, and of what it is made from."""
    bound = [row.ulps * eps * max(abs(float(v)), row.size) for v in values]
    for moved in neighbours(row, point, eps):
        there = at(row, moved)
        if there is None:
            return [math.inf] * len(values)
        for i, (a, b) in enumerate(zip(values, there)):
            change = abs(float(a) - float(b))
            bound[i] = max(bound[i], 4 * change if change == change else math.inf)
    return bound


def slopes(row, point, wrt):
    """Derivatives of the outputs by one operand, each None where the two sides differ."""
    try:
        return of_sides(
            *sides(
                row,
                [judge.mp.mpf(p) if isinstance(p, float) else p for p in point],
                wrt,
                judge.in_mpmath(row.fn),
                judge.mp.mpf(10) ** -12,
            ),
            1e-7,
        )
    except Exception:  # the text does not run on mpmath's numbers
        pass
    return richardson(row, list(point), wrt, 1e-4 * max(1e-2, abs(point[wrt])))


def sides(row, point, wrt, fn, h):
    """Values at a point, and a step to both sides of it."""
    columns = []
    for step in (-h, 0, h):
        moved = [*point[:wrt], point[wrt] + step, *point[wrt + 1 :]]
        columns.append([judge.mp.mpf(v) for v in outputs(fn(*moved, **row.options))])
    return (*columns, h)


def of_sides(low, middle, high, h, agree):
    """Central differences where both one-sided ones agree."""
    made = []
    for a, b, c in zip(low, middle, high):
        left, right = (b - a) / h, (c - b) / h
        size = max(abs(left), abs(right), 1e-6)
        made.append(float((left + right) / 2) if abs(left - right) <= agree * size else None)
    return made


def richardson(row, point, wrt, h):
    """Central differences of float64 with falling steps, None where these differ, as at kinks."""
    values = {}
    for step in (-h, -h / 2, -h / 4, 0.0, h / 4, h / 2, h):
        values[step] = at(row, [*point[:wrt], point[wrt] + step, *point[wrt + 1 :]])
        if values[step] is None:
            return None

    def difference(low, high, k):
        return (float(values[high][k]) - float(values[low][k])) / (high - low)

    made = []
    for k in range(len(values[0.0])):
        wide, fine, finer = (difference(-step, step, k) for step in (h, h / 2, h / 4))
        left, right = difference(-h / 4, 0.0, k), difference(0.0, h / 4, k)
        best = (4 * finer - fine) / 3
        size = max(abs(best), 1e-6)
        steady = abs(fine - finer) <= 1e-5 * size and abs(left - right) <= 1e-2 * size
        made.append(best if steady and wide == wide else None)
    return made
