"""Recomputation: the same gradients from fewer values kept."""

import math

import numpy as np
import pytest

import nbgraph as ng
from nbgraph.errors import ArgumentError
from nbgraph.graph.graph import Graph
from nbgraph.graph.node import topological
from nbgraph.graph.passes.fuse import fuse
from nbgraph.graph.passes.gradient import gradient
from nbgraph.graph.passes.recompute import recompute
from tests.graph.legality import check
from tests.graph.naive import evaluate, same_bits
from tests.graph.random_graphs import SMOOTH, random_graph

GIVEN = {"x": np.linspace(0.1, 1, 8, dtype="float32")}
FEW = [*range(2), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(2, 40))]
UNARY = {"T1": ng.tanh, "T2": ng.sin}


def joint(loss):
    """Loss and gradients of all variables; the nodes of the forward pass."""
    slopes = gradient(loss, loss.variables)
    return Graph([*loss.heads, *slopes.heads], loss.variables), frozenset(loss.nodes)


def chain(n, *ops):
    y = ng.var("x", shape=(8,), dtype="float32")
    for k in range(n):
        y = ops[k % len(ops)](y)
    return joint(ng.sum(y).graph)


def peak(graph):
    """The most values alive at once, if nodes run in the order of the listing."""
    readers = {}
    for entry in [*graph.heads, *(e for node in graph.nodes for e in node.entries)]:
        readers[entry] = readers.get(entry, 0) + 1
    live = most = 0
    for node in graph.nodes:
        if node.op is None:
            continue
        live += node.nout
        most = max(most, live)
        live -= sum((node, k) not in readers for k in range(node.nout))
        for entry in node.entries:
            readers[entry] -= 1
            live -= not readers[entry] and entry[0].op is not None
    return most


def copies(graph):
    return [n for n in graph.nodes if n.token is not None and n.token[0] == "again"]


@pytest.mark.parametrize("op", UNARY.values(), ids=UNARY)
@pytest.mark.parametrize("n", [4, 100, 1000])
def test_chain_keeps_few_values(n, op):
    """X-MEM-07, X-MAR-07: O(sqrt n) of a chain of n, for less than one more forward pass."""
    graph, forward = chain(n, op)
    made = recompute(graph, forward)
    check(made)
    assert peak(graph) >= n
    assert peak(made) <= 2 * math.sqrt(n) + 6
    assert len(copies(made)) < n


@pytest.mark.parametrize("every", ["sqrt", 1, 50])
def test_chain_keeps_its_bits(every):
    """X-MEM-07: however it is cut, and fused on top of it."""
    graph, forward = chain(14, ng.sin, ng.tanh, lambda y: y * 1.25)
    made = recompute(graph, forward, every=every)
    expected = evaluate(graph, GIVEN)
    assert same_bits(expected, evaluate(made, GIVEN))
    together = fuse(made, limit=6)
    check(together)
    assert same_bits(expected, evaluate(together, GIVEN))


def test_copies_wait_for_backward():
    """No copy runs before backward has come to its segment: it follows a backward node."""
    graph, forward = chain(25, ng.sin)
    made = recompute(graph, forward)
    roots = [node for node in copies(made) if node.after]
    assert len(roots) == len({node.token[2] for node in copies(made)}) == 5
    for node in roots:
        (trigger,) = node.after
        assert trigger not in forward
        same = {n for n in copies(made) if n.token[2] == node.token[2]}
        assert not same & set(topological([trigger]))


def test_random_draws_are_repeated():
    """X-MAR-07: a copy of a dropout carries the token of the draw it repeats."""
    graph, forward = chain(30, ng.sin, lambda y: ng.dropout(y, 0.5))
    made = recompute(graph, forward)
    drawn = [n for n in copies(made) if n.op.__name__ == "dropout"]
    effects = {n.token for n in forward if n.op is not None and n.op.__name__ == "dropout"}
    assert drawn
    assert {n.token[1] for n in drawn} <= effects


@pytest.mark.parametrize("seed", FEW)
def test_random_graphs_keep_their_bits(seed):
    loss, given = random_graph(seed, 12, families=SMOOTH, dtypes=("float64",), smooth=True)
    graph, forward = joint(loss)
    expected = evaluate(graph, given)
    for every in ("sqrt", 1, 2):
        made = recompute(graph, forward, every=every)
        check(made)
        assert same_bits(expected, evaluate(made, given))


# marks ------------------------------------------------------------------------------------------


def test_checkpoints_end_segments():
    """X-MAR-07: only what is marked is kept, and what comes after the last mark."""
    x = y = ng.var("x", shape=(8,), dtype="float32")
    for k in range(12):
        y = ng.sin(y)
        y = ng.checkpoint(y) if k in (3, 7) else y
    graph, forward = joint(ng.sum(y).graph)
    made = recompute(graph, forward, every=None)
    check(made)
    assert len(copies(made)) == 3 + 3
    assert peak(made) < peak(graph)
    assert same_bits(evaluate(graph, GIVEN), evaluate(made, GIVEN))
    assert not copies(recompute(graph, forward, every=None, marked=False))
    assert x.node in made.variables


def test_attributes_say_what_is_computed_again():
    """X-MEM-07: cheap operators beside expensive ones, as with MXNet's mirror attribute."""
    x, w = ng.var("x", shape=(4, 4), dtype="float32"), ng.var("w", shape=(4, 4), dtype="float32")
    y = x
    for _ in range(3):
        y = y @ w
        with ng.attribute_scope(recompute=True):
            y = ng.sin(y)
    graph, forward = joint(ng.sum(y).graph)
    made = recompute(graph, forward, every=None)
    assert [n.op.__name__ for n in copies(made)] == ["sin", "sin"]  # backward reads no third one


def test_marked_nodes_are_kept():
    with ng.attribute_scope(checkpoint=True):
        x = ng.var("x", shape=(8,), dtype="float32")
        y = ng.sin(ng.sin(x))
    graph, forward = joint(ng.sum(ng.sin(ng.sin(y))).graph)
    assert copies(recompute(graph, forward, every=1))
    marked = {n for n in forward if n.marks.get("checkpoint")}
    again = {n.inputs for n in copies(recompute(graph, forward, every=1))}
    assert not again & {n.inputs for n in marked}


# edges ------------------------------------------------------------------------------------------


def test_heads_are_kept():
    x = ng.var("x", shape=(8,), dtype="float32")
    values = [x]
    for _ in range(6):
        values.append(ng.sin(values[-1]))
    loss = Graph([v.entry for v in values[1:]])
    graph, forward = joint(loss)
    assert recompute(graph, forward).nodes == graph.nodes


def test_nothing_to_do_changes_nothing():
    graph, forward = chain(0)
    assert recompute(graph, forward) is graph
    graph, forward = chain(5, ng.sin)
    assert recompute(graph, forward, every=None) is graph


@pytest.mark.parametrize("every", [0, -1, 1.5, "cube", True])
def test_segments_of_no_size_are_refused(every):
    graph, forward = chain(5, ng.sin)
    with pytest.raises(ArgumentError, match=r"every=.*'sqrt', a number of nodes"):
        recompute(graph, forward, every=every)


def test_forward_nodes_are_closed():
    graph, forward = chain(5, ng.sin)
    some = [n for n in graph.nodes if n in forward][3:]
    with pytest.raises(ArgumentError, match=r"depends on .*forward_nodes"):
        recompute(graph, some)


def test_long_chains():
    """X-MEM-07: without recursion, and in linear time."""
    graph, forward = chain(5000, ng.sin)
    made = recompute(graph, forward)
    assert peak(made) <= 2 * math.sqrt(5000) + 6
