"""Loops as data, their inference, and their evaluation without kernels."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from nbgraph.errors import ShapeError
from nbgraph.graph import build
from nbgraph.graph.build import GraphNode
from nbgraph.graph.composite import CompositeOp, resolved
from nbgraph.graph.constant import CONSTANT
from nbgraph.graph.graph import Entry, Graph, with_variables
from nbgraph.operator.arrays.array_op import Specs
from nbgraph.operator.call import training
from nbgraph.operator.mapper.mapper import Mapper
from nbgraph.scopes import Scopes
from nbgraph.shape import Array, Arrays

_modes = Scopes(training)


class Loop(NamedTuple):
    """A loop as data.

    The variables of the body are carries, parts of xs, constants; its heads are the next carries,
    parts of ys, terms of sums, and the test of the carries where there is one. `length`: None if
    only the test ends it, or the xs determine it. `counted`: whether operand 0 is the number of
    steps. `saved`: the number of last ys that only the gradient reads.
    """

    heads: tuple[Entry, ...]
    variables: tuple[GraphNode, ...]
    carries: int
    xs: int
    ys: int
    length: int | None
    reverse: bool = False
    counted: bool = False
    tests: bool = False
    saved: int = 0

    @property
    def sums(self) -> int:
        """The number of results that are sums over all steps."""
        return len(self.heads) - self.carries - self.ys - self.tests

    @property
    def ends_by_test(self) -> bool:
        """Whether only the test ends the loop."""
        return self.tests and self.length is None

    @property
    def body(self) -> Graph:
        """The body without the test."""
        return Graph(self.heads[: len(self.heads) - self.tests], self.variables)

    @property
    def test(self) -> Graph:
        """The test alone."""
        return Graph(self.heads[-1:], self.variables)

    def over(self, graph: Graph) -> Loop:
        """Return the same loop with another body, test included."""
        return self._replace(heads=graph.heads, variables=graph.variables)


def typed(graph: Graph, specs: Specs) -> Graph:
    """Return the graph for variables of these specs; raise ShapeError if inference fails."""
    replacements = {
        old: old if not old.open and old.specs == (spec,) else build.variable(str(old.name), *spec)
        for old, spec in zip(graph.variables, specs, strict=True)
    }
    if any(old is not new for old, new in replacements.items()):
        graph = with_variables(graph, replacements)
    if any(isinstance(node.op, CompositeOp) for node in graph.nodes):
        graph = resolved(graph, {}, {})[0]
    for node in graph.nodes:
        if node.specs is None:
            raise ShapeError(f"the body: the shape of {node.label!r} does not follow")
    return graph


def evaluated(graph: Graph, arrays: Arrays) -> list[Array]:
    """Return the heads' values, computed operator by operator on NumPy arrays."""
    values: dict[Entry, Any] = {
        (node, 0): array for node, array in zip(graph.variables, arrays, strict=True)
    }
    for node in graph.nodes:
        op: Any = node.op
        if op is None:
            continue
        operands = [values[i] if type(i) is tuple else i for i in node.inputs]
        if op is CONSTANT:
            result: Any = node.attributes["value"].array
        elif isinstance(op, Mapper):
            result = op(*operands, **node.attributes)
        else:
            mode = node.marks.get("is_train")
            with _modes(training.get(False) if mode is None else mode):
                result = op.on_numpy(operands, node.attributes, None)
        for k, value in enumerate(result if isinstance(result, tuple) else (result,)):
            values[node, k] = np.asarray(value)
    return [values[head] for head in graph.heads]
