"""Random graphs: the same bits on every engine, and gradients that differences confirm."""

import random

import numpy as np
import pytest

import nbgraph as ng
from nbgraph.nodes import library
from tests.nodes.conftest import SinNodeOp, TimesNodeOp

UNARY = [
    ng.tanh,
    ng.sin,
    lambda a: a * 0.5 + 1.0,
    lambda a: ng.expression(SinNodeOp, a),
    lambda a: ng.exp(-a * a),
    lambda a: library.sum(a, 0) + a,
    lambda a: library.transpose(library.transpose(a)),
    lambda a: a - library.mean(a, 1),
    lambda a: library.slice(a, 1, None, None, -1),
    lambda a: a.reshape(4, 3).reshape(3, 4),
]
BINARY = [
    lambda a, b: a + b,
    lambda a, b: a * ng.tanh(b),
    lambda a, b: ng.expression(TimesNodeOp, ng.sin(a), ng.sin(b)),
    lambda a, b: (a @ b.T) @ ng.sin(a) * 0.1,
    lambda a, b: library.scalar_product(a, ng.tanh(b), 1) * 0.1 + b,
    lambda a, b: ng.logaddexp(a, b) - 0.5,
]


def program(seed, points):
    """A graph of at least 20 nodes over parameters; every node has a share in the one root."""
    rng = random.Random(seed)
    graph = ng.ExpressionGraph(dtype="float64")
    pool = [graph.param(f"p{i}", p.shape, p) for i, p in enumerate(points)]
    params = list(pool)
    while len(graph) < 24:
        if rng.random() < 0.5:
            pool.append(rng.choice(UNARY)(rng.choice(pool)))
        else:
            pool.append(rng.choice(BINARY)(rng.choice(pool), rng.choice(pool)))
    for i, top in enumerate(list(graph.top_nodes())):
        share = ng.mean(top * np.cos(np.arange(top.size) + i).reshape(top.shape))
        total = share if not i else total + share  # noqa: F821
    return graph, params, total


def points_of(seed):
    rng = np.random.default_rng(seed)
    return [
        rng.normal(size=(3, 4)),
        rng.normal(size=(3, 4)),
        rng.normal(size=(1, 4)) + np.zeros((3, 4)),
    ]


def found(seed):
    graph, params, root = program(seed, points_of(seed))
    graph.backprop()
    assert len(graph) >= 20
    return [a.asnumpy().tobytes() for a in (root.val, *(p.grad for p in params))]


def test_random_graphs_give_the_same_bits_on_every_engine():
    """MND-18: naive, threaded and chaos engines agree on graphs of at least 20 nodes."""
    before = ng.engine.current().kind
    try:
        ng.engine.set("naive")
        expected = [found(seed) for seed in range(12)]
        for kind, options in (("threaded", {}), ("chaos", {"seed": 1}), ("chaos", {"seed": 2})):
            ng.engine.set(kind, **options)
            assert [found(seed) for seed in range(12)] == expected, kind
    finally:
        ng.engine.set(before)


@pytest.mark.parametrize("seed", range(6))
def test_whole_graph_gradients_are_those_of_differences(seed):
    """MND-18: reverse-mode differentiation of random graphs of at least 20 nodes, in float64."""
    points = points_of(seed)
    graph, params, _ = program(seed, points)
    graph.backprop()
    step = 1e-6
    for i, point in enumerate(points):
        got, expected = params[i].grad.asnumpy(), np.zeros(point.shape)
        for index in np.ndindex(point.shape):
            sides = []
            for sign in (step, -step):
                moved = [p.copy() for p in points]
                moved[i][index] += sign
                other, _, top = program(seed, moved)
                other.forward()
                sides.append(top.val.item())
            expected[index] = (sides[0] - sides[1]) / (2 * step)
        scale = max(1.0, float(np.abs(expected).max()))
        np.testing.assert_allclose(got, expected, atol=2e-7 * scale, rtol=1e-6)


def test_a_long_chain_needs_no_recursion():
    """MND-18: thousands of nodes, one after another."""
    graph = ng.ExpressionGraph(dtype="float64")
    x = graph.param("x", (2,), 1.0)
    y = x
    for _ in range(5000):
        y = y * 1.0 + 0.001
    graph.backprop()
    np.testing.assert_allclose(y.val.asnumpy(), [6.0, 6.0])
    assert x.grad.tolist() == [1.0, 1.0]
