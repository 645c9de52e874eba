"""Replacement of means by sums and quotients, which fuse with other loops.

>>> import nbgraph as ng
>>> x = ng.var("x", shape=(2, 3), dtype="float32")
>>> means(ng.mean(x, axis=1).graph)
%0 = x: float32[2, 3]
%1 = sum(%0, axis=1, dtype=None, keepdims=False): float32[2]
%2 = divide(%1, 3.0): float32[2]
return %2
"""

import math

from nbgraph.dtype import is_float
from nbgraph.graph.build import GraphNode, Operand, apply, rebuilt
from nbgraph.graph.graph import Graph, spec
from nbgraph.operator.rows.reduce_op import ReduceOp
from nbgraph.ops.define import axes_of, library


def means(graph: Graph) -> Graph:
    """Means of floats as a sum and a quotient; those of 16 bits stay, as their sums round.

    Preserves every value but for the order in which a sum adds up. Without shapes nothing is done.
    """
    return graph.rewrite(as_sum) if graph.typed else graph


def is_mean(node: GraphNode) -> bool:
    """Return whether a node is a mean, without loading the operator."""
    return isinstance(node.op, ReduceOp) and node.op.averages


def as_sum(node: GraphNode, inputs: tuple[Operand, ...]) -> list[Operand] | None:
    """Return the replacement of a mean, or None for other nodes; a rule of `Graph.rewrite`."""
    if not is_mean(node) or not node.entries:
        return None
    source, result = spec(node.entries[0]), spec((node, 0))
    wide = is_float(source.dtype) and source.dtype.itemsize > 2
    if not wide or source.dtype != result.dtype or 0 in source.shape:
        return None
    own = rebuilt(node, inputs)
    axis = own.attributes["axis"]
    count = math.prod(source.shape[d] for d in axes_of("mean", axis, len(source.shape)))
    total = apply(library.sum.op, own.inputs, dict(own.attributes))
    return [(apply(library.divide, [(total, 0), float(count)]), 0)]
