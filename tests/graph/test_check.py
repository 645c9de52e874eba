"""The checker of graphs: legal ones pass, and each fault is named with the lines around it."""

import numpy as np
import pytest

import nbgraph as ng
from nbgraph.errors import GraphError
from nbgraph.graph import build
from nbgraph.graph.build import GraphNode
from nbgraph.graph.graph import Graph
from nbgraph.operator.arrays.array_op import Spec
from tests.graph.legality import check
from tests.graph.random_graphs import FAMILIES, random_graph


def made(op, inputs, specs=None, token=None, after=()):
    """A node that `build.apply` would not make."""
    node = GraphNode(op, tuple(inputs), {}, None)
    node.specs, node.token, node.after = specs, token, after
    node.marks, node.scope, node.line = {}, "", None
    return node


def var(name, *shape):
    return ng.var(name, shape=shape, dtype="float32")


F3 = (Spec((3,), np.dtype("float32")),)
x = var("x", 3)


def sums():
    return ng.ops.sum.op


@pytest.mark.parametrize("seed", range(10))
def test_what_is_built_is_legal(seed):
    graph, _ = random_graph(seed, 25, families=tuple(FAMILIES))
    check(graph)


@pytest.mark.parametrize(
    ("node", "problem"),
    [
        (lambda: made(ng.ops.add, [x.entry], F3), "add takes 2 operand.s., 1 are given"),
        (lambda: made(ng.ops.sin, [(x.node, 1)], F3), "reads output 1 of .*, which has 1"),
        (lambda: made(ng.ops.sin, ["text"], F3), "neither an entry nor a number"),
        (lambda: made(sums(), [2.0], F3), "sum: operand 0 is the number 2.0; it takes arrays"),
        (lambda: made(ng.ops.sin, [x.entry], F3[:0]), "has 1 outputs and 0 shapes"),
        (
            lambda: made(ng.ops.sin, [x.entry], (Spec((4,), np.dtype("float32")),)),
            r"says float32\[4\], inference gives float32\[3\]",
        ),
        (
            lambda: made(ng.ops.add, [x.entry, var("y", 4).entry], F3),
            "inference refuses its operands: add",
        ),
        (lambda: made(ng.dropout.op, [x.entry], F3 * 2), "has an effect but no token"),
        (
            lambda: made(ng.ops.sin, [(build.variable("unknown"), 0)], F3),
            "although those of .* are not known",
        ),
    ],
)
def test_faults_of_nodes(node, problem):
    with pytest.raises(GraphError, match=problem) as caught:
        check(Graph([(node(), 0)]))
    assert "\n> %" in str(caught.value)  # the line it is about


def test_cycles():
    """Operands and what is to run before are computed before."""
    a = made(ng.ops.sin, [x.entry], F3)
    b = made(ng.ops.sin, [(a, 0)], F3)
    a.after = (b,)
    with pytest.raises(GraphError, match="a cycle"):
        check(Graph([(b, 0)]))


def test_tokens_belong_to_one_operator():
    """A draw and its recomputed copy have one token; two operators have two."""
    first, second = ng.dropout(x), ng.dropout(ng.sin(x))
    check((first + second).graph)
    other = ng.random.poisson(x).node
    stolen = build.apply(other.op, other.inputs, other.attributes, token=first.node.token)
    with pytest.raises(GraphError, match="which belongs to"):
        check(Graph([first.entry, (stolen, 0)]))


def test_faults_of_graphs():
    y = ng.sin(x)
    with pytest.raises(GraphError, match="the variable 'x' is not listed"):
        check(Graph([y.entry], []))
    with pytest.raises(GraphError, match="two variables have one name: x, x"):
        check(Graph([y.entry], [x.node, var("x", 4).node]))
    with pytest.raises(GraphError, match="is listed as a variable"):
        check(Graph([y.entry], [x.node, y.node]))
    with pytest.raises(GraphError, match="head 0 is output 1 of"):
        check(Graph([(y.node, 1)]))


def test_ten_lines_around_the_fault_are_shown():
    y = x
    for _ in range(20):
        y = ng.sin(y)
    wrong = made(ng.ops.add, [y.entry], F3)
    z = (wrong, 0)
    for _ in range(20):
        z = (made(ng.ops.sin, [z], F3), 0)
    with pytest.raises(GraphError) as caught:
        check(Graph([z]))
    lines = str(caught.value).splitlines()[1:]
    assert len(lines) == 10
    assert [line for line in lines if line.startswith(">")] == ["> %21 = add(%20): float32[3]"]
