"""The main road, end to end: text, derivative, kernel, node operator, engine (MND-02, MND-15)."""

from __future__ import annotations

import numpy as np

import nbgraph as ng
from nbgraph.engine.naive import NaiveEngine
from nbgraph.operator.node import Leaf, Node, UnaryNodeOp, add, element


@ng.op
def smooth_l1(x, *, sigma=1.0):
    s2 = sigma * sigma
    if x > 1 / s2:
        return x - 0.5 / s2
    if x < -1 / s2:
        return -x - 0.5 / s2
    return 0.5 * s2 * x * x


def by_hand(x):
    return np.where(x > 1, x - 0.5, np.where(x < -1, -x - 0.5, 0.5 * x * x))


def slope_by_hand(x):
    return np.clip(x, -1, 1)


X = np.linspace(-3, 3, 1001, dtype=np.float32)


def test_value_and_derivative_of_smooth_l1():
    """SMP-39, SMP-40: the derived mapper equals the one written by hand."""
    np.testing.assert_allclose(smooth_l1(X), by_hand(X), rtol=1e-6)
    np.testing.assert_allclose(smooth_l1.derivative("x")(X), slope_by_hand(X), rtol=1e-6)
    assert smooth_l1(X).dtype == np.float32


def test_unary_node_op_runs_forward_and_backward_on_the_naive_engine():
    """MND-02, MND-15, MND-16: node operators written with `element` and `add`."""
    slope = smooth_l1.derivative("x")

    class SmoothL1(UnaryNodeOp):
        def forward_ops(self):
            return [element(smooth_l1, self.val, self.child(0).val)]

        def backward_ops(self):
            return [
                add(lambda adj, x: adj * slope(x), self.child(0).grad, self.adj, self.child(0).val)
            ]

    leaf = Leaf(NaiveEngine(), X)
    node: Node = SmoothL1(leaf)
    node.forward()
    node.adj.array[...] = 2.0
    node.backward()
    node.backward()
    np.testing.assert_allclose(node.val.array, by_hand(X), rtol=1e-6)
    np.testing.assert_allclose(leaf.grad.array, 4 * slope_by_hand(X), rtol=1e-6)
    leaf.engine.wait_for_all(timeout=30)
    assert leaf.grad.variable.version == 2
    assert leaf.val.variable.version == 0
