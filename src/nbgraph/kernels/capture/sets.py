"""Sets of values: lists in ascending order, each item once, so that equal sets are equal lists."""

from __future__ import annotations

import ast
import functools
from collections.abc import Sequence
from dataclasses import replace

from nbgraph.kernels.capture import list_texts, objects, resizable
from nbgraph.kernels.capture.comparing import compare
from nbgraph.kernels.capture.containers import List
from nbgraph.kernels.capture.context import Call
from nbgraph.kernels.capture.joining import join_value
from nbgraph.kernels.capture.joining import resizable as as_resizable
from nbgraph.kernels.capture.values import Node, Value


def distinct(call: Call, items: Value) -> Value:
    """Return the items of a set."""
    known = objects.known(items)
    if known is None:
        return call.text(list_texts.distinct, items)
    places = dict(zip(known[0], items, strict=True))
    try:
        return List(places[key] for key in sorted(places))
    except TypeError:  # of several types
        return List(places.values())


def with_item(call: Call, content: Value, item: Value) -> Value:
    """Return a set with one more item: without loops, as each of them is compiled for long."""
    graph, owner, item = call.graph, as_resizable(call.graph, content), resizable.frozen(item)
    items = owner.items
    resizable.require_one_form(call, (*items, item))
    if not items:
        return List((item,))
    used = [graph.compare("lt", graph.const(k), owner.length) for k in range(len(items))]
    same, below = (_count(call, op, items, used, item) for op in (ast.Eq(), ast.Lt()))
    known = graph.compare("gt", same, graph.const(0))
    longer = graph.arithmetic("add", owner.length, graph.cast(graph.logical_not(known), "i"))
    if owner.bounded:
        full = graph.compare("gt", longer, graph.const(len(items)))
        resizable.raises_full(call, full, len(items))
    place = graph.select(known, graph.const(len(items) + 1), below)
    rows = list[Value]()
    for k, old in enumerate((*items, *(() if owner.bounded else (item,)))):
        here = graph.compare("eq", place, graph.const(k))
        moved = join_value(graph, here, item, items[k - 1]) if k else item
        kept = graph.compare("gt", place, graph.const(k))
        rows.append(join_value(graph, kept, old, moved))
    return replace(owner, length=longer, items=tuple(rows))


def _count(
    call: Call, op: ast.cmpop, items: Sequence[Value], used: list[Node], item: Value
) -> Node:
    """Return how many items compare so with another one."""
    graph = call.graph
    tests = (compare(call, op, each, item) for each in items)
    counts = (graph.cast(graph.logical_and(*row), "i") for row in zip(used, tests, strict=True))
    return functools.reduce(functools.partial(graph.arithmetic, "add"), counts)
