"""`functools.partial` and starred targets inside scalar functions: as Python runs the text."""

import functools
import math
from functools import partial

import numpy as np
import pytest

import nbgraph as ng
from nbgraph.errors import CaptureError

X = np.array([-2.0, 0.25, 1.5, 3.0])


def line(slope, x, offset=0.0):
    return slope * x + offset


def of_a_helper(x):
    double = functools.partial(line, 2.0)
    return double(x) + double(x, offset=1.0) + partial(line, x=x)(3.0)


def of_values(x):
    tilted = partial(line, x, offset=x * x)
    return tilted(2.0) - partial(tilted, offset=0.5)(x)


def of_known_functions(x):
    power, larger = partial(pow, x), partial(max, 0.5)
    lines = sum(map(partial(line, x), (1.0, 2.0)))
    return power(2) + larger(x) + partial(math.hypot, x)(1.0) + lines


def of_nested_functions(x):
    def power_of(n):
        return lambda v: v**n

    scaled = partial(lambda k, v: k * v, 0.5)
    return scaled(power_of(3)(x)) + power_of(2)(x)


def of_a_changed_list(x):
    def put(values, v):
        values.append(v)

    items = [x]
    add = partial(put, items)
    add(2.0 * x)
    add(1.0)
    put(items, 3.0)
    return sum(items)


def starred(x):
    first, *rest = x, 2.0 * x, 3.0
    *start, last = rest
    low, *nothing, high = first, last
    rest[0] = 1.0
    return first + 2 * rest[0] + 3 * start[0] + last * len(nothing) - low * high


def starred_in_a_loop(x):
    total = 0.0
    for k, *(a, b) in ((1, x, 2.0), (2, 3.0, x)):
        total += k * a - b
    [*every] = (total, x)
    return every[0] * len(every)


FUNCTIONS = (
    of_a_helper,
    of_values,
    of_known_functions,
    of_nested_functions,
    of_a_changed_list,
    starred,
    starred_in_a_loop,
)


@pytest.mark.parametrize("fn", FUNCTIONS, ids=lambda fn: fn.__name__)
def test_values_and_slopes(fn):
    op = ng.op(fn)
    wanted = [fn(x) for x in X.tolist()]
    for compiler in ("llvm", "python"):
        with ng.config(compiler=compiler):
            np.testing.assert_allclose(op(X), wanted, rtol=1e-14)
    slopes = [(fn(x + 1e-5) - fn(x - 1e-5)) / 2e-5 for x in X.tolist()]
    np.testing.assert_allclose(op.derivative("x")(X), slopes, rtol=1e-6, atol=1e-8)


def nothing_bound(x):
    return partial(x)(1.0)


def too_few(x):
    a, b, *rest = (x,)
    return a + b + len(rest)


@pytest.mark.parametrize(
    ("fn", "words"),
    [(nothing_bound, "first argument of partial"), (too_few, "a tuple of 1")],
    ids=lambda v: getattr(v, "__name__", ""),
)
def test_refusals(fn, words):
    with pytest.raises(CaptureError, match=words):
        ng.op(fn)(1.0)
