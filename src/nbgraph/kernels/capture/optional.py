"""Names that hold None on some paths and a number on others."""

from __future__ import annotations

import math

from nbgraph.kernels.capture.values import Optional, Static, Value
from nbgraph.kernels.scalar import Graph, Node


def on_path(graph: Graph, value: Value, path: Node) -> Value:
    """Return a value as it is where `path` holds, which may say whether it is None."""
    if not isinstance(value, Optional):
        return value
    facts = _facts(graph, path)
    if value.none in facts:
        return Static(None)
    return value.value if graph.logical_not(value.none) in facts else value


def _facts(graph: Graph, path: Node) -> list[Node]:
    """The conditions that hold where all of `path` does."""
    facts, pending = [], [path]
    while pending:
        fact = pending.pop()
        facts.append(fact)
        if fact.op == "and":
            pending += fact.args
        elif fact.op == "not" and fact.args[0].op == "or":
            pending += [graph.logical_not(a) for a in fact.args[0].args]
    return facts


def number(graph: Graph, value: Value) -> Value:
    """Return a value that is used as a number: NaN where it is None, of integers any number."""
    if not isinstance(value, Optional):
        return value
    inner = value.value
    if isinstance(inner, Node) and inner.kind == "f":
        return graph.select(value.none, graph.const(math.nan), inner)
    return inner
