"""A wrong derivative is a CertificateError in every world, with the operator's name."""

import math

import numpy as np
import pytest

import nbgraph as ng
from nbgraph import autograd
from nbgraph.errors import CertificateError
from nbgraph.kernels.scalar.functions import FUNCTIONS


def sine():
    return ng.op(lambda x: 1.7 * math.sin(x) + 0.3, name="sine")


def called():
    sine().derivative("x")(0.5)


def taped(function):
    x = ng.array([0.5, 1.0])
    x.attach_grad()
    with autograd.record():
        y = function(x)
    y.backward()


def on_the_tape():
    taped(sine())


def jitted():
    op = sine()
    taped(ng.jit(lambda x: op(x) * 2.0))


def jitted_gradient():
    op = sine()
    ng.jit(ng.grad(lambda x: op(x).sum()))(ng.array([0.5, 1.0]))


def bound():
    exe = ng.sum(sine()(ng.var("x"))).simple_bind(x=(3,), grad_req="write")
    exe.forward(is_train=True)
    exe.backward()


def in_an_expression_graph():
    graph = ng.ExpressionGraph(dtype="float64")
    x = graph.param("x", (3,), np.ones(3))
    sine()(x).sum()
    graph.backprop()


WORLDS = [called, on_the_tape, jitted, jitted_gradient, bound, in_an_expression_graph]


@pytest.mark.parametrize("world", WORLDS, ids=lambda f: f.__name__)
def test_a_wrong_rule_is_refused(world, monkeypatch):
    slopes = FUNCTIONS["sin"].slopes
    right = slopes[0]
    monkeypatch.setitem(slopes, 0, lambda y, x: 1.001 * right(y, x))
    with pytest.raises(CertificateError, match="sine: .* is wrong at x=.*fault of nbgraph"):
        world()


@pytest.mark.parametrize("world", WORLDS, ids=lambda f: f.__name__)
def test_a_right_rule_passes(world):
    world()
    assert np.isclose(float(sine().derivative("x")(0.5)), 1.7 * math.cos(0.5))
