"""Positional parameters with an integer default that the text counts with: `n=20`, `range(n)`."""

import numpy as np
import pytest

import nbgraph as ng
from tests import worlds

X = np.array([0.25, 0.5, 2.0])


def harmonic(x, terms=3):
    total = 0.0
    for k in range(terms):
        total += x / (k + 1)
    return total


def picked(x, place=1):
    return (x, 2 * x, 3 * x)[place]


def shifted(x, bits=2):
    return x * (1 << bits)


COUNTED = (harmonic, picked, shifted)


@pytest.mark.parametrize("world", [*worlds.WORLDS, worlds.expressions], ids=lambda w: w.__name__)
@pytest.mark.parametrize("fn", COUNTED, ids=lambda fn: fn.__name__)
def test_left_out_by_place_by_name_and_by_element(fn, world):
    op, counts = ng.op(fn), np.array([1, 2, 0])
    name = fn.__code__.co_varnames[1]
    calls = {
        op: [fn(x) for x in X],
        lambda x: op(x, 2): [fn(x, 2) for x in X],
        lambda x: op(x, **{name: 0}): [fn(x, 0) for x in X],
    }
    for call, expected in calls.items():
        ((_, _, got),) = worlds.bits(world(call, X))
        np.testing.assert_allclose(np.frombuffer(got), expected, rtol=1e-14)
    if world is not worlds.expressions:  # whose parameters are floats
        ((_, _, got),) = worlds.bits(world(op, X, counts))
        np.testing.assert_allclose(np.frombuffer(got), [*map(fn, X, counts.tolist())], rtol=1e-14)


@pytest.mark.parametrize("fn", COUNTED, ids=lambda fn: fn.__name__)
def test_dtypes_slopes_and_the_text(fn):
    op = ng.op(fn)
    assert op(np.float32(X)).dtype == op(np.float32(X), 2).dtype == np.float32
    step = fn(1.0, 2) - fn(0.0, 2)
    np.testing.assert_allclose(op.derivative("x")(X, 2), [step] * 3, rtol=1e-14)
    with ng.config(compiler="python"):
        np.testing.assert_allclose(op(X, 2), [fn(x, 2) for x in X], rtol=1e-14)


def test_what_no_text_counts_with_is_an_operand():
    @ng.op
    def power(x, n=2):
        return x**n

    assert power.scalar.operands == ("x", "n")
    with pytest.raises(ng.errors.CaptureError, match="range.. takes integers"):
        ng.op(harmonic)(X, 2.5)
