"""Vectors of a few numbers as so many numbers, where they are put together from numbers.

>>> import nbgraph as ng
>>> x = ng.var("x", shape=(2,), dtype="float32")
>>> scalars((x * ng.stack([x[1], ng.sin(x[0])]))[0].graph)
%0 = x: float32[2]
%1 = slice_view(%0, key=(0,)): float32[]
%2 = slice_view(%0, key=(1,)): float32[]
%3 = multiply(%1, %2): float32[]
return %3
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from nbgraph.graph.build import GraphNode, Operand, apply, constant, rebuilt
from nbgraph.graph.graph import Graph, spec
from nbgraph.operator.mapper.mapper import Mapper
from nbgraph.ops.define import library

MOST = 4  # numbers; a loop over more is worth its call


def scalars(graph: Graph) -> Graph:
    """Return the graph in which such vectors, and what is computed of them element by element, are
    numbers, which one loop computes; they are stacked where all of a vector is read.

    Preserves every value, bit for bit. Without shapes nothing is done.
    """
    return graph.rewrite(_Parts().rule) if graph.typed else graph


class _Parts:
    """The rule of one rewriting, and the numbers that vectors consist of."""

    def __init__(self) -> None:
        self.of: dict[Operand, Sequence[Operand]] = {}

    def rule(self, node: GraphNode, inputs: tuple[Operand, ...]) -> list[Operand] | None:
        """Return what takes the place of a node, None where it stays."""
        if node.op is None or node.token is not None or node.after or not inputs:
            return None
        shape = spec((node, 0)).shape
        if isinstance(node.op, Mapper):
            few = len(shape) == 1 and shape[0] <= MOST
            return (
                self._each(node, inputs) if few and not self.of.keys().isdisjoint(inputs) else None
            )
        name, key = node.op.__name__, node.attributes.get("key", ())
        if name == "slice_view" and inputs[0] in self.of and len(key) == 1 and type(key[0]) is int:
            part = self.of[inputs[0]][key[0]]
            known = type(part) is tuple
            return [part if known else (constant(np.asarray(part, spec((node, 0)).dtype)), 0)]
        if len(shape) != 1 or shape[0] > MOST or any(spec(i).shape for i in node.entries):
            return None
        again: Operand = rebuilt(node, inputs), 0
        if name == "stack" and all(spec(i).dtype == spec((node, 0)).dtype for i in node.entries):
            self.of[again] = inputs
        elif name == "slice_scatter" and spec((node, 0)).dtype.kind == "f":
            parts: list[Operand] = [0.0] * shape[0]
            parts[key[0]] = inputs[0]
            self.of[again] = parts
        return [again]

    def _each(self, node: GraphNode, inputs: tuple[Operand, ...]) -> list[Operand] | None:
        """Return the vectors of a scalar operator, applied number by number."""
        count = spec((node, 0)).shape[0]
        rows = [*zip(*(self._numbers(i, count) for i in inputs), strict=True)]
        if not all(any(type(i) is tuple for i in row) for row in rows):
            return None
        nodes = [rebuilt(node, row, name=None) for row in rows]
        vectors: list[Operand] = []
        for k in range(node.nout):
            parts: list[Operand] = [(each, k) for each in nodes]
            if any(spec((each, k)).dtype != spec((node, k)).dtype for each in nodes):
                return None
            vectors.append((apply(library.stack.op, parts, {"axis": 0, "dtype": None}), 0))
            self.of[vectors[-1]] = parts
        return vectors

    def _numbers(self, operand: Operand, count: int) -> Sequence[Operand]:
        """Return the numbers of an operand that broadcasts to a vector."""
        if operand in self.of:
            return (
                self.of[operand] if len(self.of[operand]) == count else [*self.of[operand]] * count
            )
        if type(operand) is not tuple or not spec(operand).shape:
            return [operand] * count
        last = spec(operand).shape[0] - 1
        keys = [{"key": (min(k, last),)} for k in range(count)]
        return [(apply(library.slice_view.op, [operand], key), 0) for key in keys]
