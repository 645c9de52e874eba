"""Names that hold None, or nothing at all, on some paths and a number on others."""

from __future__ import annotations

import math

from nbgraph.kernels.capture.values import (
    Optional,
    Partly,
    Static,
    Unset,
    Value,
    flatten,
    unflatten,
)
from nbgraph.kernels.scalar import Graph, Node


def on_path(graph: Graph, value: Value, path: Node) -> Value:
    """Return a value as it is where `path` holds, which may say whether it is None or unset."""
    if isinstance(value, Partly):
        return value.value if graph.logical_not(value.missing) in _facts(graph, path) else value
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


def as_partly(graph: Graph, value: Value, like: Partly) -> Partly:
    """Return a value as one that may be unset; `like` has the form of the number."""
    if isinstance(value, Partly):
        return value
    unset = isinstance(value, Unset)
    return Partly(graph.const(unset), like.value if unset else value)


def nothing_like(graph: Graph, value: Value) -> Value | None:
    """Return NaN and 0 in the form of numbers that are not there yet; None for other values."""
    nodes = flatten(value)
    if nodes is None:
        return None
    nothing = [graph.cast(graph.const(math.nan if n.kind == "f" else 0), n.kind) for n in nodes]
    return unflatten(value, nothing)
