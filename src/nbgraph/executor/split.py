"""A split of a graph of results and gradients in two: a forward graph that also returns residuals,
and a backward graph that reads them.

Views and constants that both need are not saved: they cost nothing to compute again.
"""

from typing import NamedTuple

from nbgraph.graph import build
from nbgraph.graph.build import GraphNode, Operand
from nbgraph.graph.constant import CONSTANT
from nbgraph.graph.graph import Entry, Graph, spec_of
from nbgraph.graph.node import topological
from nbgraph.operator.arrays.array_op import ArrayOp


class Halves(NamedTuple):
    """Both graphs. `forward.heads` ends with the residuals, `backward`'s last variables."""

    forward: Graph
    backward: Graph
    kept: tuple[Entry, ...]


def split(results: Graph, gradients: Graph) -> Halves:
    """Return both halves of a typed graph.

    `results` are the heads; `gradients` reads nodes of the same graph.
    """
    entries = _read_later(set(results.nodes), gradients)
    order = {node: k for k, node in enumerate(results.nodes)}
    residuals = tuple(sorted(entries, key=lambda e: (order[e[0]], e[1])))
    forward = results.with_heads([*results.heads, *residuals])
    return Halves(forward, _backward(gradients, residuals, results), residuals)


def _read_later(forward: set[GraphNode], gradients: Graph) -> set[Entry]:
    """Return the entries of the forward graph that the backward one reads."""
    stack: list[Operand] = [head for head in gradients.heads if head[0] in forward]
    for node in gradients.nodes:
        if node not in forward:
            stack.extend(node.inputs)
    entries: set[Entry] = set()
    again: set[GraphNode] = set()
    while stack:
        operand = stack.pop()
        if type(operand) is not tuple or operand[0] not in forward:
            continue
        node = operand[0]
        if node.op is None or node in again:
            continue
        if _free(node):
            again.add(node)
            stack.extend(node.inputs)
        else:
            entries.add(operand)
    return entries


def _free(node: GraphNode) -> bool:
    """Return whether computing a node again costs nothing."""
    op = node.op
    if not isinstance(op, ArrayOp):
        return False
    return op is CONSTANT or op.constant is not None or op.view is not None


def _backward(gradients: Graph, residuals: tuple[Entry, ...], results: Graph) -> Graph:
    """Return the gradients with variables in place of the entries `residuals`."""
    names = results.names
    # a gradient of a gradient has variables for residuals already
    used_names = {v.name for v in gradients.variables}
    moved: dict[Entry, Operand] = {}
    stand_ins: list[GraphNode] = []
    for node, index in residuals:
        spec = spec_of((node, index))
        assert spec is not None
        name = f"{names[node]}[{index}] kept"
        while name in used_names:
            name += "'"
        used_names.add(name)  # nodes may share a name, and equal variables are one
        variable = build.variable(name, *spec)
        moved[node, index] = (variable, 0)
        stand_ins.append(variable)
    heads = _over(gradients, moved)
    reached = set(topological([node for node, _ in heads]))
    variables = [v for v in gradients.variables if v in reached]
    return Graph(heads, [*variables, *stand_ins])


def _over(graph: Graph, moved: dict[Entry, Operand]) -> list[Entry]:
    """Return the heads with entries replaced by `moved`, skipping nodes needed only for those."""
    ends = {node for node, _ in moved}
    order = topological([node for node, _ in graph.heads], _Complete(ends, moved))
    for node in order:
        if node.op is None:
            continue
        inputs = [moved.get(v, v) if type(v) is tuple else v for v in node.inputs]
        same = build.rebuilt(node, inputs)
        for k in range(node.nout):
            moved.setdefault((node, k), (same, k))
    return [moved.get(head, head) for head in graph.heads]  # type: ignore[misc]


class _Complete:
    """The set of nodes all of whose outputs are replaced, so that their operands are not needed."""

    def __init__(self, nodes: set[GraphNode], moved: dict[Entry, Operand]) -> None:
        self._nodes = {n for n in nodes if all((n, k) in moved for k in range(n.nout))}

    def __contains__(self, node: object) -> bool:
        return node in self._nodes
