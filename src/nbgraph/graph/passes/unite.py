"""The pass that unites an operator over rows with its gradient into one operator.

The attribute `at_once` of an operator names its gradient operator, and the joint operator with the
outputs of both: its own, then that of the gradient. The gradient reads the operator's operands,
some of its outputs, and the out-gradients; the joint operator reads operands and out-gradients.

>>> import nbgraph as ng
>>> x, g = ng.var("x", shape=(4, 9)), ng.var("g", shape=(4,))
>>> label = ng.var("label", shape=(4,), dtype="int64")
>>> loss, top, inverse = ng.ops.label_entropy(x, label)
>>> slope = ng.ops.label_entropy_gradient(x, label, top, inverse, g, g)
>>> [node.op.__name__ for node in unite(ng.Group([loss, slope]).graph).nodes if node.op]
['label_entropy_at_once']
"""

from nbgraph.graph.build import GraphNode, Operand, apply
from nbgraph.graph.graph import Graph
from nbgraph.graph.node import topological


def unite(graph: Graph) -> Graph:
    """Return the graph with operators and their gradients united where the out-gradients do not
    depend on the operator's results.

    Preserves every value, bit for bit, by the contract of `at_once`. Results of 16 bits, which
    would not be rounded in between, and nodes that have an effect or follow another node are kept.
    A second application changes nothing.
    """
    while True:
        pair = next(filter(None, map(_pair, graph.nodes)), None)
        if pair is None:
            return graph
        first, gradient, joint = pair
        moved: dict[tuple[GraphNode, int], Operand] = {
            (first, k): (joint, k) for k in range(first.nout)
        }
        moved[gradient, 0] = joint, first.nout
        graph = graph.rewrite(lambda node, inputs: None, moved)


def _pair(gradient: GraphNode) -> tuple[GraphNode, GraphNode, GraphNode] | None:
    """Return the operator of this gradient, the gradient, and the joint node, or None."""
    first = _source(gradient)
    if first is None or first.token is not None or first.after or gradient.after:
        return None
    wanted, both = getattr(first.op, "at_once")  # noqa: B009  (not all operators have it)
    count = len(first.inputs)
    if gradient.op is not wanted or gradient.inputs[:count] != first.inputs:
        return None
    narrow = first.specs is None or any(spec.dtype.itemsize < 4 for spec in first.specs)
    if gradient.attributes != first.attributes or narrow:
        return None
    rest = gradient.inputs[count:]
    above = [v for v in rest if not (type(v) is tuple and v[0] is first)]
    if first in topological([v[0] for v in above if type(v) is tuple], [first]):
        return None
    return first, gradient, apply(both, (*first.inputs, *above), first.attributes)


def _source(gradient: GraphNode) -> GraphNode | None:
    """Return the first operand's node with `at_once`, whose gradient this may be, or None."""
    for operand in gradient.inputs:
        if type(operand) is tuple and getattr(operand[0].op, "at_once", None):
            return operand[0]
    return None
