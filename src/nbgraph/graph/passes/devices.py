"""Graphs on several devices: the device of each node, and parts with one device each.

The attribute `ctx_group` of a node (`__ctx_group__` in MXNet's files) names a group, and a table
maps groups to devices. A node without one runs on the device of its first operand, else of its
first consumer. Gradients have the group of the node that they belong to.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from nbgraph.device import Context
from nbgraph.graph import build
from nbgraph.graph.build import GraphNode, Operand, group_of
from nbgraph.graph.constant import CONSTANT
from nbgraph.graph.graph import Entry, Graph, spec
from nbgraph.graph.node import topological


def place(
    graph: Graph, groups: Mapping[str, Context], default: Context
) -> dict[GraphNode, Context]:
    """Return the device of each node.

    >>> import nbgraph as ng
    >>> with ng.AttrScope(ctx_group="second"):
    ...     w = ng.var("w", shape=(2,))
    >>> y = ng.sin(ng.exp(w) * ng.var("x", shape=(2,)))
    >>> [str(d) for d in place(y.graph, {"second": ng.cpu(1)}, ng.cpu(0)).values()]
    ['cpu(1)', 'cpu(1)', 'cpu(1)', 'cpu(1)', 'cpu(1)']
    """
    devices: dict[GraphNode, Context] = {}
    for node in graph.nodes:
        group = group_of(node)
        sources = [devices[source] for source, _ in node.entries if source in devices]
        if group is not None:
            devices[node] = groups.get(group, default)
        elif sources:
            devices[node] = sources[0]
    for node in reversed(graph.nodes):
        here = devices.setdefault(node, default)
        for source, _ in node.entries:
            devices.setdefault(source, here)
    return {node: devices[node] for node in graph.nodes}


@dataclass(slots=True, eq=False)
class Part:
    """Nodes of one device that run without another device in between.

    The heads of `graph` are the entries `gives`. Besides variables of the whole graph it has one
    for each entry of another part in `takes`.
    """

    device: Context
    nodes: list[GraphNode] = field(default_factory=list[GraphNode])
    gives: list[Entry] = field(default_factory=list[Entry])
    takes: dict[GraphNode, Entry] = field(default_factory=dict[GraphNode, Entry])
    graph: Graph = None  # type: ignore[assignment]


def parts(graph: Graph, devices: Mapping[GraphNode, Context]) -> list[Part]:
    """Return the graph as parts, in an order in which they can run; each head is in one of them.

    Constants are in every part that reads them.
    """
    level: dict[GraphNode, int] = {}
    by_stage: dict[tuple[int, Context], Part] = {}
    for node in graph.nodes:
        if node.op is None or _is_constant(node):
            continue
        before = [n for n in (*(n for n, _ in node.entries), *node.after) if n in level]
        level[node] = max([level[n] + (devices[n] != devices[node]) for n in before], default=0)
        key = level[node], devices[node]
        by_stage.setdefault(key, Part(devices[node])).nodes.append(node)
    for node, _ in graph.heads:
        if node not in level:
            level[node] = 0
            by_stage.setdefault((0, devices[node]), Part(devices[node]))
    part_of = {node: by_stage[level[node], devices[node]] for node in level}
    needed: dict[Entry, None] = dict.fromkeys(graph.heads)
    for node in graph.nodes:
        crossing = (e for e in node.entries if e[0] in part_of and e[0].op is not None)
        if node in part_of and node.op is not None:
            needed.update(dict.fromkeys(e for e in crossing if part_of[e[0]] is not part_of[node]))
    for entry in needed:
        part_of[entry[0]].gives.append(entry)
    ordered = [by_stage[key] for key in sorted(by_stage, key=lambda key: key[0])]
    for part in ordered:
        part.graph = _cut(part, part_of)
    return ordered


def _cut(part: Part, part_of: Mapping[GraphNode, Part]) -> Graph:
    """Return the graph of a part, with variables for the entries of other parts."""
    moved: dict[Entry, Operand] = {}
    for node in part.nodes:
        for entry in node.entries:
            source = part_of.get(entry[0])
            if source in {None, part} or entry[0].op is None or entry in moved:
                continue
            own = build.variable(f"from another device {len(part.takes)}", *spec(entry))
            part.takes[own], moved[entry] = entry, (own, 0)
    own_nodes, others = set(part.nodes), {n for n, p in part_of.items() if p is not part}
    for node in topological([n for n, _ in part.gives], others):
        if node.op is not None and (node in own_nodes or node not in part_of):
            inputs = [moved.get(v, v) if type(v) is tuple else v for v in node.inputs]
            same = build.rebuilt(node, inputs)
            moved.update({(node, k): (same, k) for k in range(node.nout)})
    return Graph([moved.get(entry, entry) for entry in part.gives])  # type: ignore[misc]


def _is_constant(node: GraphNode) -> bool:
    return node.token is None and (
        node.op is CONSTANT or (not node.entries and getattr(node.op, "constant", None) is not None)
    )
