"""Constant folding.

>>> import nbgraph as ng, numpy as np
>>> x = ng.var("x", shape=(2,), dtype="float32")
>>> table = ng.sym.exp(np.float32([0, 1])) * 2
>>> fold((x + table).graph)
%0 = x: float32[2]
%1 = constant(value=[2.0, 5.436563491821289]): float32[2]
%2 = add(%0, %1): float32[2]
return %2
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from nbgraph.graph.build import GraphNode, Operand, constant, rebuilt
from nbgraph.graph.constant import CONSTANT
from nbgraph.graph.graph import Graph
from nbgraph.operator.arrays.array_op import ArrayOp, Attributes
from nbgraph.operator.mapper.mapper import Mapper
from nbgraph.shape import Array

LIMIT = 1 << 12  # bytes by which results may be larger than the constants that they replace
SOURCE = 1 << 16  # bytes up to which operators without operands are folded


def fold(graph: Graph) -> Graph:
    """Return the graph in which nodes whose operands are constants are constants.

    Preserves every value, bit for bit: the operator itself is applied, once, to the same arrays.
    Nodes stay if they have an effect or follow another node, if they raise, or if folding them
    makes the graph larger: results may take `LIMIT` bytes more than the constants that they read,
    and `SOURCE` bytes if they read nothing (eye, arange); fills (zeros, ones, full) are kernels and
    stay. Views that are not row-major stay, as they cost nothing and sums over them depend on the
    order in memory. The pass is idempotent.
    """
    views: dict[Operand, Array] = {}  # known values of nodes that stay

    def known(operand: Operand) -> Any:
        if type(operand) is not tuple:
            return operand
        node = operand[0]
        return node.attributes["value"].array if node.op is CONSTANT else views.get(operand)

    def rule(node: GraphNode, inputs: tuple[Operand, ...]) -> list[Operand] | None:
        if node.op is None or node.token is not None or node.after:
            return None
        if not inputs and not _source(node):
            return None
        arrays = [known(operand) for operand in inputs]
        if any(a is None for a in arrays) or not _small(node, arrays):
            return None
        results = _computed(node.op, arrays, node.attributes)
        if results is None:
            return None
        if _is_view(node) and not results[0].flags.c_contiguous:
            again = rebuilt(node, inputs)
            views[again, 0] = results[0]
            return [(again, 0)]
        return [(constant(a), 0) for a in results]

    return graph.rewrite(rule)


def _source(node: GraphNode) -> bool:
    """Return whether a node without operands computes the same array in every run."""
    op = node.op
    if type(op) is not ArrayOp or op is CONSTANT or op.constant is not None:
        return False
    return op.never_waits and node.attributes.get("device") is None


def _is_view(node: GraphNode) -> bool:
    return getattr(node.op, "view", None) is not None


def _small(node: GraphNode, arrays: Sequence[Any]) -> bool:
    """Return whether the results are small enough to fold; views need no memory."""
    if node.specs is None:
        return False
    total = sum(spec.nbytes for spec in node.specs)
    if not arrays:
        return total <= SOURCE
    read = sum(_nbytes(a) for a in arrays if isinstance(a, np.ndarray))
    return total <= LIMIT + read or _is_view(node)


def _nbytes(array: Array) -> int:
    """Return the bytes of memory of an array, where broadcast axes count once."""
    sizes = [n for n, step in zip(array.shape, array.strides, strict=True) if step]
    return math.prod(sizes) * array.itemsize


def _computed(
    op: Mapper | ArrayOp, arrays: Sequence[Any], attributes: Attributes
) -> list[Array] | None:
    """Return the outputs, or None if the operator raises, as it then does in the run."""
    try:
        with np.errstate(all="ignore"):
            mapped = isinstance(op, Mapper)
            outputs = op(*arrays, **attributes) if mapped else op.on_numpy(arrays, attributes, None)
    except Exception:  # raised again by the run, with the user's line
        return None
    return [np.asarray(a) for a in (outputs if isinstance(outputs, tuple) else (outputs,))]
