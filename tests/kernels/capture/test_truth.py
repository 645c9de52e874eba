"""Bools beside numbers: on branches, in loops, as results; `and` and `or` of numbers."""

import math

import numpy as np
import pytest

import nbgraph as ng

X = np.array([-2.0, -1.0, -0.0, 0.0, 0.5, 1.0, 3.0, np.nan])


def or_default(x):
    return x > 0 and x or 0.25


def truth_or_number(x):
    return x > 0 or 2.5 * x


def early_false(x):
    if x < 0:
        return False
    return math.sqrt(x)


def flag_that_becomes_a_number(x):
    found = False
    for i in range(30):
        if i > x:
            found = x
    return found


def sums_of_truths(x):
    a = x > 0 and x
    b = not x or x > 1
    return a + b * 2


def nested(x):
    return (x if x > 1 else False) or (x < 0)


def tuples(x):
    a, b = (x, True) if x > 0 else (False, 2.5)
    return a + b


def whole(x):
    return 1 if x > 2 else x > 0


FUNCTIONS = (
    or_default,
    truth_or_number,
    early_false,
    flag_that_becomes_a_number,
    sums_of_truths,
    nested,
    tuples,
    whole,
)


@pytest.mark.parametrize("compiler", ["llvm", "numba", "python"])
@pytest.mark.parametrize("fn", FUNCTIONS, ids=lambda fn: fn.__name__)
def test_a_bool_beside_a_number_is_zero_or_one(fn, compiler):
    op = ng.op(fn)
    kind = np.int64 if fn is whole else np.float64
    with ng.config(compiler=compiler):
        got = op(X)
        assert got.dtype == kind and op(np.float32(X)).dtype == (
            np.float32 if kind != np.int64 else kind
        )
    np.testing.assert_array_equal(got, np.array([fn(x) for x in X.tolist()], kind))


@pytest.mark.parametrize("fn", [f for f in FUNCTIONS if f is not whole], ids=lambda fn: fn.__name__)
def test_slopes_are_those_of_the_side_taken(fn):
    points, step = np.array([-1.5, 0.5, 2.5]), 1e-6
    wanted = [(fn(x + step) - fn(x - step)) / (2 * step) for x in points.tolist()]
    np.testing.assert_allclose(ng.op(fn).derivative("x")(points), wanted, rtol=1e-6, atol=1e-9)
