"""Engines and samples for tests of expression graphs."""

from math import cos, sin

import pytest

import nbgraph as ng
from nbgraph.nodes import add, element
from tests.engine.conftest import engine, naive, nothing_left, threads

__all__ = ["engine", "naive", "threads"]


class SinNodeOp(ng.UnaryNodeOp):
    """The node of the documents."""

    def forward_ops(self):
        return [element(lambda x: 1.0 * sin(x), self.val, self.child(0).val)]

    def backward_ops(self):
        x = self.child(0)
        return [add(lambda adj, x: adj * cos(x), x.grad, self.adj, x.val)]


class TimesNodeOp(ng.NaryNodeOp):
    """A node with two children, which broadcast."""

    def __init__(self, a, b):
        super().__init__((a, b))

    def forward_ops(self):
        return [element(lambda a, b: a * b, self.val, self.child(0).val, self.child(1).val)]

    def backward_ops(self):
        a, b = self.child(0), self.child(1)
        return [
            add(lambda adj, b: adj * b, a.grad, self.adj, b.val),
            add(lambda adj, a: adj * a, b.grad, self.adj, a.val),
        ]


@pytest.fixture
def graph():
    return ng.ExpressionGraph(dtype="float64")


_nothing_left = pytest.fixture(autouse=True)(nothing_left)
