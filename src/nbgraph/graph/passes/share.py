"""The pass that merges nodes with equal values (common subexpression elimination).

>>> import nbgraph as ng
>>> x = ng.var("x", shape=(3,), dtype="float32")
>>> y = ng.sin(x).named("first") + ng.sin(x).named("second")
>>> share(y.graph)
%0 = x: float32[3]
%1 = sin(%0) 'first': float32[3]
%2 = add(%1, %1): float32[3]
return %2
"""

from __future__ import annotations

from nbgraph.graph.build import GraphNode, Operand, apply, rebuilt
from nbgraph.graph.graph import Graph


def share(graph: Graph) -> Graph:
    """Return the graph with nodes that compute the same merged into the first, with its name.

    Preserves every value, bit for bit, and every draw. Nodes compute the same if operator,
    attributes and operands are equal; names, marks, scopes and lines do not count. Variables and
    nodes that have an effect, recompute a value on purpose, or follow another node are kept. A
    second application changes nothing.
    """
    first: dict[GraphNode, GraphNode] = {}

    def rule(node: GraphNode, inputs: tuple[Operand, ...]) -> list[Operand] | None:
        if node.op is None or node.token is not None or node.after:
            return None
        again = rebuilt(node, inputs)
        kept = first.setdefault(_work(again), again)
        return [(kept, k) for k in range(kept.nout)]

    return graph.rewrite(rule)


def _work(node: GraphNode) -> GraphNode:
    """Return the node without name, scope and marks, as a key of what it computes."""
    assert node.op is not None, "a variable is not work"
    if node.name is None and not node.scope and not node.marks:
        return node
    return apply(node.op, node.inputs, node.attributes)
