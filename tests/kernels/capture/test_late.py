"""Names that get their first values inside a loop and are read after it, as in Python."""

import math

import numpy as np
import pytest

import nbgraph as ng

X = np.array([-2.0, 0.25, 1.5, 3.0, 40.0])


def constant_range(x):
    for i in range(1000):
        t = x + i
        last = i
    return t * last


def endless(x):
    while True:
        t = 2.0 * x
        x = x + 1.0
        if x > 10.0:
            break
    return t


def may_not_run(x):
    while x < 10.0:
        t = 2.0 * x
        x = x + 1.0
    return t


def break_before(x):
    for i in range(200):
        if x + i > 20.0:
            break
        t = x * i
    return t


def break_before_in_a_short_loop(x):
    for i in range(3):
        if x > i:
            break
        t = x - i
    return t


def branch_before(x):
    if x > 1.0:
        t = -x
    for i in range(100):
        if i > 20.0 * x:
            t = float(i)
            break
    return t


def conditional(x):
    n = 0
    for i in range(100):
        if i % 7 == 3 and i > x:
            t = i
            n += 1
        if n > 2:
            continue
        pair = (x * i, i)
    return t + pair[0] - pair[1]


def break_or_else(x):
    for i in range(100):
        if x < i:
            break
        else:
            t = x * i
        x -= 0.5 * t / (1.0 + abs(t))
    else:
        t = 0.5
    return t if i else 0.0


def nested_loops(x):
    total = 0.0
    for i in range(40):
        for j in range(30):
            d = x * j - i
            if d > 50.0:
                break
        total += d
    return total + d


def inside_a_branch(x):
    if x > 1.0:
        for i in range(100):
            rate = x / (1 + i)
        return rate
    return x


FUNCTIONS = (
    constant_range,
    endless,
    may_not_run,
    break_before,
    break_before_in_a_short_loop,
    branch_before,
    conditional,
    break_or_else,
    nested_loops,
    inside_a_branch,
)


def of_python(fn, x):
    try:
        return float(fn(x))
    except UnboundLocalError:
        return math.nan


@pytest.mark.parametrize("fn", FUNCTIONS, ids=lambda fn: fn.__name__)
def test_values_and_errors_are_those_of_python(fn):
    wanted = np.array([of_python(fn, x) for x in X.tolist()])
    op = ng.op(fn, on_invalid="nan")
    for compiler in ("llvm", "python"):
        with ng.config(compiler=compiler):
            np.testing.assert_allclose(op(X), wanted, rtol=1e-13)
    assert ".entry" in op.ptx()
    if np.isnan(wanted).any():
        with pytest.raises(UnboundLocalError, match="cannot access local variable 't'"):
            ng.op(fn)(X)
    else:
        np.testing.assert_allclose(ng.op(fn)(X), wanted, rtol=1e-13)


@pytest.mark.parametrize("fn", [constant_range, endless, inside_a_branch], ids=lambda f: f.__name__)
def test_slopes(fn):
    points = X[:-1] + 0.3
    slopes = [(fn(x + 1e-6) - fn(x - 1e-6)) / 2e-6 for x in points.tolist()]
    np.testing.assert_allclose(ng.op(fn).derivative("x")(points), slopes, rtol=1e-6)
