"""Equal work is done once.

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
    """Nodes that compute the same become one: the first of them, with its name.

    Preserves every value, bit for bit, and every draw. Nodes are the same where operator,
    attributes and operands are; names, marks, scopes and lines do not count. What has an effect,
    is computed again on purpose, or follows another node is left alone, as are variables. Doing
    it twice changes nothing.
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
    """Return the node without what people call it: one for all that compute the same."""
    assert node.op is not None, "a variable is not work"
    if node.name is None and not node.scope and not node.marks:
        return node
    return apply(node.op, node.inputs, node.attributes)
