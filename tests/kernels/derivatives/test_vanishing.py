"""Derivatives where what is below a fraction, or in an exponent, has overflowed (SMP-39)."""

import math

import numpy as np
import pytest

import nbgraph as ng
from tests.zoo.judge import slopes

LIMITS = {  # points where a rule meets 0 times infinity, and others
    "logistic": (lambda x: 1 / (1 + math.exp(-x)), [-800, -60, 0, 60, 800]),
    "silu": (lambda x: x / (1 + math.exp(-x)), [-800, -60, 0, 800]),
    "fermi": (lambda x: 1 / (math.exp((x - 1.0) / 0.01) + 1), [50, 0.9, 1, 1.01]),
    "sech": (lambda x: 1 / math.cosh(x), [-800, -10, 0, 800]),
    "einstein": (lambda x: x**3 / math.expm1(x), [5, 710, 800]),
    "bump": (lambda x: math.exp(-1 / x**2), [1e-200, 0.001, 1]),
    "gumbel": (lambda x: math.exp(-math.exp(-x)), [-800, -2, 0, 800]),
    "gudermann": (lambda x: 2 * math.atan(math.exp(x)), [-800, 0, 800]),
}


@pytest.mark.parametrize("name", LIMITS)
def test_limits(name):
    """First and second order, against numbers that do not overflow."""
    function, points = LIMITS[name]
    op = ng.op(function, name=name)
    points = np.array(points, float)
    for order in (1, 2):
        with np.errstate(all="ignore"):
            found = op.derivative("x", order=order)(points)
        wanted = slopes(function, [(x,) for x in points], {}, 0, order)
        np.testing.assert_allclose(found, wanted, rtol=1e-11, atol=1e-16)


def root_of_a_branch_that_is_constant(x):
    rest = 0.0 if x > 1 else 1 - x
    ratio = 0.0 if rest == 0 else x / rest
    return x + math.sqrt(ratio)


HELD = {  # arguments that are held where the slope of what they are given to is infinite
    "root": (lambda x: math.sqrt(max(x, 0.0)), [-1.0, 4.0], [0, 0.25]),
    "power": (lambda x: max(x, 0.0) ** 0.5, [-1.0, 4.0], [0, 0.25]),
    "chosen": (lambda x: math.sqrt(x if x > 0 else 0.0), [-1.0, 0.0, 4.0], [0, 0, 0.25]),
    "clipped": (lambda x: math.acos(min(max(x, -1.0), 1.0)), [-2.0, 0.0, 3.0], [0, -1, 0]),
    "step": (
        lambda x: math.sqrt(0.0 if x < 0 else (1.0 if x > 1 else x)),
        [-1, 0.25, 2],
        [0, 1, 0],
    ),
    "sum": (lambda x: math.sqrt(max(x, 0.0) + max(x - 1, 0.0)), [-1.0, 0.25], [0, 1]),
    "multiple": (lambda x: math.sqrt(3.0 * max(x, 0.0)), [-1.0, 3.0], [0, 0.5]),
    "square": (lambda x: math.sqrt(max(x, 0.0) ** 2), [-1.0, 3.0], [0, 1]),
    "sum of cusps": (lambda x: math.sqrt(abs(x) * 4), [-4.0, 0.0], [-0.5, math.nan]),
    "condition": (root_of_a_branch_that_is_constant, [0.5, 1.5, 4.0], [3, 1, 1]),
    "cusp": (lambda x: math.sqrt(abs(x)), [-4.0, 0.0, 4.0], [-0.25, math.nan, 0.25]),
}


@pytest.mark.parametrize("name", HELD)
def test_what_is_held_has_no_slope(name):
    function, points, slope = HELD[name]
    with np.errstate(all="ignore"):
        found = ng.op(function, name=name).derivative("x")(np.array(points, float))
    np.testing.assert_allclose(found, slope)


def test_a_root_is_no_overflow_either():
    assert ng.op(lambda x: x / (1 + math.sqrt(x)), name="root").derivative("x")(0.0) == 1


@pytest.mark.parametrize("function", [lambda x: 1 / (1 / x + 0.5), lambda x: math.atan(1 / x)])
def test_poles_are_no_overflow(function):
    """The slope is 1 or -1 there, which the rule cannot know: NaN, and never 0."""
    with np.errstate(all="ignore"):
        assert math.isnan(ng.op(function, name="pole").derivative("x")(np.float64(0.0)))


BRANCHES = {  # operators whose slope is 0 on a branch
    "where": lambda x: ng.where(x > 0, x, 0),
    "relu": ng.relu,
    "relu6": ng.relu6,
    "maximum": lambda x: ng.maximum(x, 0),
    "clip": lambda x: ng.clip(x, 0, 9),
    "hard_tanh": lambda x: ng.hard_tanh(x, low=0.0, high=9.0),
    "own": ng.op(lambda x: math.sqrt(x * x) if x > 0 else 0.0, name="own"),
}


@pytest.mark.parametrize("name", BRANCHES)
def test_an_infinite_gradient_stays_with_its_branch(name):
    """What another operator sends back meets the branch taken: 0, not 0 times infinity."""
    program = lambda x: ng.sqrt(BRANCHES[name](x)).sum()
    x = ng.array([-1.0, 4.0])
    for gradient in (ng.grad(program), ng.jit(ng.grad(program))):
        assert gradient(x).tolist() == [0, 0.25]
    x.attach_grad()
    with ng.autograd.record():
        loss = program(x)
    loss.backward()
    assert x.grad.tolist() == [0, 0.25]
