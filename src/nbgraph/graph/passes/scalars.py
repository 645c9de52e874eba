"""The pass that replaces short vectors, stacked from numbers, by these numbers.

>>> import nbgraph as ng
>>> x = ng.var("x", shape=(2,), dtype="float32")
>>> scalars((2 * ng.stack([x[1], x[0]]))[0].graph)
%0 = x: float32[2]
%1 = slice_view(%0, key=(1,)): float32[]
%2 = multiply(2, %1): float32[]
return %2
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from nbgraph.graph.build import GraphNode, Operand, apply, constant, rebuilt
from nbgraph.graph.graph import Graph, spec
from nbgraph.operator.mapper.mapper import Mapper
from nbgraph.ops.define import library

MOST = 4  # numbers in a vector; a longer loop is worth its call


def scalars(graph: Graph) -> Graph:
    """Return the graph with stacked vectors, and elementwise results of them, as numbers, which one
    loop computes; they are stacked where a whole vector is read.

    Preserves every value, bit for bit. A graph without shapes is returned unchanged.
    """
    return graph.rewrite(_Parts().rule) if graph.typed else graph


class _Parts:
    """The rule of one rewriting, and the numbers that vectors consist of."""

    def __init__(self) -> None:
        self.of: dict[Operand, Any] = {}  # vector -> the operands of its numbers

    def rule(self, node: GraphNode, inputs: tuple[Operand, ...]) -> list[Operand] | None:
        """Return the outputs that replace those of a node; None to keep the node."""
        if node.op is None or node.token is not None or node.after or not inputs:
            return None
        (shape, dtype), name = spec((node, 0)), node.op.__name__
        few, key = len(shape) == 1 and shape[0] <= MOST, node.attributes.get("key", ())
        at = key[0] if len(key) == 1 and type(key[0]) is int else None
        if isinstance(node.op, Mapper):
            split = few and not self.of.keys().isdisjoint(inputs)
            return self._each(node, inputs, shape[0]) if split else None
        if name == "slice_view" and inputs[0] in self.of and at is not None:
            return [self.of[inputs[0]][at]]
        if not few or any(spec(i) != ((), dtype) for i in node.entries):
            return None
        again: Operand = rebuilt(node, inputs), 0
        if name == "stack":
            self.of[again] = inputs
        elif name == "slice_scatter" and at is not None:
            self.of[again] = [(constant(np.zeros((), dtype)), 0)] * shape[0]
            self.of[again][at] = inputs[0]
        return [again]

    def _each(self, node: GraphNode, inputs: Sequence[Operand], count: int) -> list[Operand]:
        """Return the vectors of a scalar operator, applied number by number."""
        columns = [self._numbers(operand, count) for operand in inputs]
        nodes = [rebuilt(node, row, name=None) for row in zip(*columns, strict=True)]
        vectors: list[Operand] = []
        for k in range(node.nout):
            parts: list[Operand] = [(each, k) for each in nodes]
            vectors.append((apply(library.stack.op, parts, {"axis": 0, "dtype": None}), 0))
            self.of[vectors[-1]] = parts
        return vectors

    def _numbers(self, operand: Any, count: int) -> list[Operand]:
        """Return the numbers of an operand that broadcasts to a vector."""
        if operand not in self.of and (type(operand) is not tuple or not spec(operand).shape):
            return [operand] * count
        parts = self.of.get(operand) or [
            (apply(library.slice_view.op, [operand], {"key": (k,)}), 0)
            for k in range(spec(operand).shape[0])
        ]
        return [*parts] * (count // len(parts))
