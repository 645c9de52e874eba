"""Names that some paths leave unset: an error where they are read there, as in Python."""

# ruff: noqa: F821 - as people write them

import math

import numpy as np
import pytest

import nbgraph as ng

X = np.array([-2.0, -1.0, 0.0, 0.5, 1.0, 3.0, np.nan])


def two_ifs(x):
    if x > 0:
        y = 1.0
    if x <= 0:
        y = 2 * x
    return y


def ladder(x):
    if x < 0:
        state = 2.0
    elif x < 1:
        state = 1.0
    elif x >= 1:
        state = x
    return state


def nested(x):
    if x > 0:
        y = x
        if x > 2:
            z = y * y
    if x > 2.5:
        return y + z
    return 0.0


def read_where_it_is_not(x):
    if x > 0:
        y = x
    return y if x > -1.5 else 0.0


def tuples(x):
    if x > 0:
        a, b = x, (x, 2 * x)
    elif x < 0:
        a, b = -x, (1.0, 2.0)
    return a + b[0] * b[1]


def helper(x):
    def inner(t):
        if t > 0:
            found = t
        return found

    return inner(x) + inner(x + 1)


def loop_after(x):
    if x == x:
        step = 0.5 * x
    total = 0.0
    for _ in range(100):
        total += step
    return total


def after_no_trip(x):
    for k in range((x > 0) * 1 + (x > 1) * 1):
        pass
    return k + x


def in_another_trip(x):
    total = 0.0
    for _ in range(3):
        for k in range((x > 0) * 1 + (x > 1) * 1):
            total += k
        total += k
    return total


def read_in_other_loops(x):
    total = 0.0
    for k in range((x > 0) * 1 + (x > 1) * 1):
        total += k * x
    for k in range((x > 0) * 1 + (x > 1) * 1):
        total += x
    return total + sum(k for k in range((x > 0) * 1 + 2))


FUNCTIONS = (
    two_ifs,
    after_no_trip,
    in_another_trip,
    read_in_other_loops,
    ladder,
    nested,
    read_where_it_is_not,
    tuples,
    helper,
    loop_after,
)
every = pytest.mark.parametrize("fn", FUNCTIONS, ids=lambda fn: fn.__name__)


def of_python(fn, x):
    try:
        return float(fn(x))
    except UnboundLocalError:
        return math.nan


@every
def test_values_and_nan_where_python_raises(fn):
    wanted = [of_python(fn, x) for x in X.tolist()]
    op = ng.op(fn, on_invalid="nan")
    for compiler in ("llvm", "python"):
        with ng.config(compiler=compiler):
            np.testing.assert_allclose(op(X), wanted, rtol=1e-14)
    assert ".entry" in op.ptx()


@every
def test_the_error_is_that_of_python(fn):
    op = ng.op(fn)
    known = X[~np.isnan([of_python(fn, x) for x in X.tolist()])]
    np.testing.assert_allclose(op(known), [fn(x) for x in known.tolist()], rtol=1e-14)
    if len(known) < len(X):
        with pytest.raises(UnboundLocalError, match=r"cannot access local variable '\w+'"):
            op(X)


def test_slopes_are_those_of_the_path_taken():
    points = np.array([-1.0, 0.5, 3.0])
    np.testing.assert_array_equal(ng.op(two_ifs).derivative("x")(points), [2, 0, 0])
    np.testing.assert_array_equal(ng.op(nested).derivative("x")(points), [0, 0, 7])
