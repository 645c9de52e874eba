"""What loops carry: the nodes of variables in a trip, before the first one and after one.

Loops of the text and those that recursion becomes carry their variables alike.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from nbgraph.kernels.capture.values import Env, Reference, Value, flatten, unflatten
from nbgraph.kernels.kinds import promote
from nbgraph.kernels.nodes import Region
from nbgraph.kernels.scalar import Graph, Node

Row = tuple[Node, Node, Node]  # of a carried variable: in a trip, before the first, after one


def phis_of(
    graph: Graph, region: Region, start: Env, names: Iterable[str]
) -> dict[str, list[Node]]:
    """Return what stands in the trips of a loop for the nodes of its variables."""
    nodes = {name: carried_nodes(start[name]) or [] for name in names}
    return {
        name: [graph.phi(region, (name, i, n.kind), n.kind) for i, n in enumerate(row)]
        for name, row in nodes.items()
    }


def widest(kinds: Sequence[str], ends: Sequence[Node]) -> list[str]:
    """Return kinds that hold numbers of these and what they are at the end of a trip."""
    pairs = zip(kinds, ends, strict=True)
    return [kind if kind == end.kind else promote(kind, end.kind) for kind, end in pairs]


def wider(graph: Graph, start: Value, ends: Sequence[Node]) -> Value:
    """Return a start value in the kinds that hold what it is at the end of a trip, too."""
    nodes = carried_nodes(start) or []
    old = [n.kind for n in nodes]
    if (kinds := widest(old, ends)) == old:
        return start
    return unflatten(start, [graph.cast(n, k) for n, k in zip(nodes, kinds, strict=True)])


def rows_of(start: Env, ends: Env, phis: dict[str, list[Node]]) -> list[Row]:
    """Return the nodes of variables: in a trip, before the first, after one."""
    columns = (
        (phis[name], carried_nodes(start[name]) or [], carried_nodes(ends[name]) or [])
        for name in phis
    )
    return [row for column in columns for row in zip(*column, strict=True)]


def closed(graph: Graph, region: Region, rows: Iterable[Row]) -> list[Node]:
    """Return the values of carried variables after a loop."""
    carried = [(phi, init, graph.cast(out, phi.kind)) for phi, init, out in rows]
    region.carried.update((row[0].id, row) for row in carried)
    return [graph.carry(region, *row) for row in carried]


def carried_nodes(value: Value) -> list[Node] | None:
    """The nodes of a value, without those of the lists that are in it."""
    lists = isinstance(value, tuple) and any(isinstance(item, Reference) for item in value)
    return flatten(tuple(() if isinstance(v, Reference) else v for v in value) if lists else value)
