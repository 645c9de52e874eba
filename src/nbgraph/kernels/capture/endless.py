"""Endless `while` loops: a loop is left when the variables of its condition repeat earlier values.

In float32 a tolerance meant for float64 makes them do so. The kernel then ends with an error code,
unless NaN is among the values; a `return` that is never reached gives NaN.
"""

from __future__ import annotations

from typing import Any, cast

from nbgraph.kernels.scalar.graph import Graph, Node
from nbgraph.kernels.scalar.nodes import Region

MAX_KEPT = 8  # variables of which a loop keeps those of an earlier trip


def moves(graph: Graph, region: Region, columns: list[Any]) -> Node:
    """Return whether a trip gives the variables on which the condition depends, directly or through
    later trips, values that they did not have before. `columns`: the nodes of each name at the
    loop's start, before a trip and after it."""
    moved = graph.const(False)
    known = {row[1].id: row for column in columns for row in zip(*column, strict=True)}
    rows, todo = list[tuple[Node, Node, Node]](), [cast("Node", region.cond)]
    while todo:
        rows += (read := [known.pop(n.id) for n in graph.reachable(todo) if n.id in known])
        todo = [now for *_, now in read]
    if any(n.op in ("add", "sub") and n.kind != "f" and p in n.args for _, p, n in rows):
        return graph.const(True)  # it counts the trips
    for before, now in _earlier(graph, region, rows):
        differs = graph.compare("ne", before, now)
        if now.kind == "f":  # NaN stays NaN
            numbers = graph.compare("eq", before, before)
            differs = graph.logical_and(
                differs, graph.logical_or(numbers, graph.compare("eq", now, now))
            )
        moved = graph.logical_or(moved, differs)
    return moved


def _earlier(graph: Graph, region: Region, rows: list[Any]) -> list[tuple[Node, Node]]:
    """Return pairs of each variable: its value after the last trip whose number was a power of two,
    and after this one. So states that alternate, as Newton's do in float32, are found (Brent's
    cycle detection)."""
    one, zero = graph.const(1), graph.const(0)
    if len(rows) > MAX_KEPT:
        return [(before, now) for _, before, now in rows]
    trips, pairs = graph.phi(region, ("$trips", 0, "i"), "i"), list[tuple[Node, Node]]()
    ahead = graph.arithmetic("add", trips, one)
    region.carried[trips.id] = trips, zero, ahead
    renewed = graph.compare("eq", graph.bitwise("band", trips, ahead), zero)
    for k, (start, before, now) in enumerate(rows):
        kept = graph.phi(region, ("$kept", k, before.kind), before.kind)
        pairs.append((kept, graph.cast(now, before.kind)))
        graph.detached.add(kept.id)
        region.carried[kept.id] = kept, start, graph.select(renewed, pairs[-1][1], kept)
    return pairs
