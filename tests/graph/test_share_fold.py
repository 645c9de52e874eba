"""Sharing and folding: the same bits with less work."""

import numpy as np
import pytest

import nbgraph as ng
from nbgraph.graph import build
from nbgraph.graph.graph import Graph
from nbgraph.graph.passes.fold import LIMIT, SOURCE, fold
from nbgraph.graph.passes.share import share
from nbgraph.operator.arrays.array_op import ArrayOp
from tests.graph.legality import check
from tests.graph.naive import evaluate, same_bits
from tests.graph.random_graphs import FAMILIES, random_graph


def var(name, *shape, dtype="float32"):
    return ng.var(name, shape=shape, dtype=dtype)


@pytest.mark.parametrize("seed", range(25))
@pytest.mark.parametrize("transform", [share, fold])
def test_the_same_bits(transform, seed):
    """X-SYM-06: random graphs give the same bits, random draws included; twice changes nothing."""
    graph, given = random_graph(seed, 25, families=tuple(FAMILIES))
    after = transform(graph)
    check(after)
    assert transform(after).heads == after.heads
    assert after.variables == graph.variables
    assert len(after.nodes) <= len(graph.nodes)
    with ng.autograd.train_mode():
        assert same_bits(evaluate(graph, given), evaluate(after, given))


# share ------------------------------------------------------------------------------------------


def test_names_scopes_and_marks_do_not_count(golden):
    """X-SYM-06: what computes the same is one node, whatever people call it."""
    x = var("x", 3)
    with ng.name_scope("block_"):
        a = ng.sin(x)
    with ng.attribute_scope(group="a"):
        b = ng.sin(x)
    y = (a * 2 + b * 2) * (ng.sin(x).named("wave") * 2)
    graph = y.graph
    assert len(graph.nodes) == 9
    golden("graph/share.txt", f"{graph}\n\n{share(graph)}\n")
    assert len(share(graph).nodes) == 5


def test_attributes_and_kinds_of_numbers_count():
    x = var("x", 3)
    graph = ng.Group([x + 1, x + 1.0, x + True, ng.sum(x, axis=0), ng.sum(x), x + 0.0, x + -0.0])
    assert share(graph.graph).heads == graph.graph.heads


def test_effects_and_recomputed_nodes_are_left_alone():
    """Two draws stay two; what is computed again on purpose stays so."""
    x = var("x", 3)
    drawn = ng.dropout(x) + ng.dropout(x)
    assert len(share(drawn.graph).nodes) == 4
    again = build.apply(ng.sin, [x.entry], token=build.new_token("again"))
    later = build.apply(ng.sin, [x.entry], after=(drawn.node,))
    graph = Graph([ng.sin(x).entry, (again, 0), (later, 0)])
    assert share(graph).heads == graph.heads


def test_equal_heads_and_dead_nodes():
    """X-SYM-06: heads that are equal become one entry; what no head needs is in no graph."""
    x = var("x", 3)
    ng.exp(x)
    one, two = share(ng.Group([ng.cos(x).named("a"), ng.cos(x).named("b")]).graph).heads
    assert one == two
    graph = Graph([ng.cos(x).entry])
    assert [node.label for node in graph.nodes] == ["x", "cos"]


# fold -------------------------------------------------------------------------------------------


def test_what_depends_on_constants_alone(golden):
    """X-SYM-06: constant operands are computed once; what is between them and variables stays."""
    x = var("x", 2, 3)
    table = ng.sym.exp(np.arange(3, dtype="float32")) * 2 + 1
    y = x * table + ng.sum(ng.transpose(ng.sym.sin(np.ones((2, 2), "float32"))))
    folded = fold(y.graph)
    golden("graph/fold.txt", f"{y.graph}\n\n{folded}\n")
    assert [n.label for n in folded.nodes] == ["x", "constant", "multiply", "constant", "add"]


def test_results_may_not_be_much_larger_than_what_is_read():
    x = var("x", 2)
    small, large = (ng.sym.exp(ng.broadcast_to(_number(), (n,))) for n in (10, LIMIT))
    operators = [node.label for node in fold(ng.Group([small, large, x]).graph).nodes]
    assert operators == ["constant", "constant", "broadcast_to", "exp", "x"]


def _number():
    return ng.sym.negative(np.float32(1))


def test_what_reads_nothing_is_computed_once():
    """X-SYM-06: ranges and identities are constants; what is filled, large or drawn stays."""
    known = [ng.sym.eye(3), ng.sym.tri(3), ng.sym.linspace(0, 1, 3), ng.sym.arange(3.0)]
    others = [ng.sym.zeros(3), ng.sym.eye(SOURCE), ng.sym.random.uniform(size=3)]
    graph = ng.Group([*known, *others]).graph
    folded = fold(graph)
    labels = [node.label for node, _ in folded.heads]
    assert labels == [*["constant"] * 4, *[node.label for node, _ in graph.heads[4:]]]
    first = [each.with_heads(each.heads[:4]) for each in (graph, folded)]
    assert same_bits(*(evaluate(each, {}) for each in first))


def test_what_raises_is_left_for_the_run():
    """The error is told where the operator is run, not when the graph is compiled."""

    def fail(inputs, outputs):
        raise ValueError("not today")

    op = ArrayOp("failing", lambda x: x, fail)
    graph = op(_number()).graph
    assert [node.label for node in fold(graph).nodes] == ["constant", "failing"]


def test_views_with_gaps_stay():
    """A sum reads a transposed constant in its own order; a reshaped one is a constant."""
    array = np.random.default_rng(0).normal(size=(7, 50)).astype("float32")
    turned = ng.transpose(ng.sym.positive(array))
    graph = ng.Group([turned, ng.sum(turned), ng.reshape(ng.sym.positive(array), (50, 7))]).graph
    folded = fold(graph)
    assert [node.label for node, _ in folded.heads] == ["transpose", "constant", "constant"]
    assert same_bits(evaluate(graph, {}), evaluate(folded, {}))


def test_random_draws_are_not_folded():
    graph = ng.dropout(_number(), 0.5).graph
    assert "dropout" in [node.label for node in fold(graph).nodes]
