"""`np.errstate` and calls on NumPy arrays: what is asked for is told as NumPy tells it."""

import math
import warnings

import numpy as np
import pytest

import nbgraph as ng

X = np.float32([0, 1, -1, 1000])


@ng.op
def guarded(x):
    return math.log(x) if x > 0 else x


@ng.op
def steep(x, *, k=1.0):
    return k / x if x < 1 else math.exp(x)


BINARY = {"divide", "power", "floor_divide", "multiply", "fmod", "arctan2", "hypot", "maximum"}
UNARY = {"log", "log1p", "exp", "expm1", "sqrt", "reciprocal", "arctanh", "square", "tan", "sin"}


def raised(call, *operands, **state):
    with np.errstate(**state):
        try:
            call(*operands)
        except FloatingPointError as error:
            return str(error)
    return None


@pytest.mark.parametrize("kind", ["divide", "over", "invalid", "all"])
@pytest.mark.parametrize("name", sorted(BINARY | UNARY))
def test_library_operators_raise_where_numpy_does(name, kind):
    for value in (0.0, -1.0, 2.0, 3e38):
        operands = [np.float32([value])] * (2 if name in BINARY else 1)
        quiet = {"all": "ignore", kind: "raise"} if kind != "all" else {"all": "raise"}
        expected = raised(getattr(np, name), *operands, **quiet)
        assert raised(getattr(ng, name), *operands, **quiet) == expected, value


@pytest.mark.parametrize(
    "x, message",
    [
        (X, "divide by zero"),
        (X[1:], "overflow"),
        (X[1:3], None),
        (np.float32([np.inf, np.nan]), None),
        (0.0, "divide by zero"),
    ],
)
def test_texts_are_judged_by_the_side_of_the_branch_that_is_taken(x, message):
    found = raised(steep, x, over="raise", divide="raise", invalid="raise")
    assert (found or "").startswith(message or "") and (found is None) == (message is None)
    assert raised(guarded, x, all="raise") is None


def test_masks_parameters_and_calls():
    told = []
    with np.errstate(all="ignore", divide="call", call=lambda kind, flag: told.append(kind)):
        assert np.isinf(ng.log(X)[0])
        ng.log(X, where=X > 0)
        steep(X, k=2.0)
    assert told == ["divide by zero", "divide by zero"]


def test_the_default_and_arrays_of_the_engine_are_silent():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for state in ({}, {"all": "warn"}, {"over": "ignore"}, {"over": "raise"}):
            with np.errstate(**state):
                ng.log(X)
        with np.errstate(all="raise"):
            ng.log(ng.array(X)).wait_to_read()
