"""Shapes and dtypes through a graph, in both directions, as far as they are determined.

Where all operands of a node are known its operator infers the outputs; from outputs to operands
shapes flow through what keeps shapes (operators of one operand) and through operators that say how
(`infer_partial`). A shape is never guessed through broadcasting.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from nbgraph.dtype import as_dtype
from nbgraph.engine.sites import site
from nbgraph.errors import ArgumentError, DTypeError, NbgraphError, ShapeError
from nbgraph.graph.build import GraphNode, PartialShape, infer
from nbgraph.graph.graph import Entry, Graph
from nbgraph.operator.array_op import Spec
from nbgraph.operator.mapper import Mapper
from nbgraph.settings import config

_SHOWN = 6  # nodes of a path that an error shows


class Inference:
    """What is known of each entry of a graph, beginning with some variables' shapes and dtypes."""

    def __init__(self, graph: Graph, shapes: Mapping[str, Any], dtypes: Mapping[str, Any]) -> None:
        self.graph = graph
        self.shapes: dict[Entry, PartialShape] = {}
        self.dtypes: dict[Entry, np.dtype[Any]] = {}
        _require_known("shape", shapes, graph)
        _require_known("dtype", dtypes, graph)
        for node in graph.variables:
            self._begin(node, shapes, dtypes)
        while self._sweep():
            pass

    def _begin(self, node: GraphNode, shapes: Mapping[str, Any], dtypes: Mapping[str, Any]) -> None:
        name = str(node.name)
        given = shapes.get(name)
        declared: PartialShape = node.attributes["shape"]
        asked = tuple(given) if given is not None else None
        self.shapes[node, 0] = merged(declared, asked, f"variable {name!r}")
        dtype = node.attributes["dtype"]
        told = dtypes.get(name)
        if dtype is not None and told is not None and as_dtype(told) != dtype:
            raise DTypeError(
                f"variable {name!r} was made with dtype {dtype}, {as_dtype(told)} is given; leave "
                "one of them out"
            )
        chosen = dtype if told is None else as_dtype(told)
        self.dtypes[node, 0] = chosen or as_dtype(config.default_float)

    def spec(self, entry: Entry) -> Spec | None:
        """Shape and dtype, where both are known in full."""
        shape = self.shapes.get(entry)
        dtype = self.dtypes.get(entry)
        return None if dtype is None or shape is None or None in shape else Spec(shape, dtype)  # type: ignore[arg-type]

    def _sweep(self) -> bool:
        """Once forward, once backward; whether anything became known."""
        changed = False
        for node in self.graph.nodes:
            changed |= node.op is not None and self._forward(node)
        for node in reversed(self.graph.nodes):
            changed |= node.op is not None and self._backward(node)
        return changed

    def _forward(self, node: GraphNode) -> bool:
        assert node.op is not None
        if self.spec((node, 0)) is not None:
            return False
        operands = [self.spec(v) if type(v) is tuple else v for v in node.inputs]
        if any(v is None for v in operands):
            return False
        try:
            specs = infer(node.op, operands, node.attributes)
        except NbgraphError as problem:
            raise _located(problem, self, node) from None
        for k, (shape, dtype) in enumerate(specs):
            entry = node, k
            self.shapes[entry] = merged(self.shapes.get(entry), shape, f"{node.label}")
            self.dtypes[entry] = dtype
        return True

    def _backward(self, node: GraphNode) -> bool:
        """From outputs, and other operands, to operands."""
        arrays = [v for v in node.inputs if type(v) is tuple]
        if all(self._known(v) for v in arrays):
            return False
        before = [self.shapes.get(v) for v in arrays]
        outputs = [self.shapes.get((node, k)) for k in range(node.nout)]
        hook = getattr(node.op, "infer_partial", None)
        if isinstance(node.op, Mapper):
            found: Any = outputs[:1] if len(node.inputs) == 1 else None
        else:
            found = hook(before, outputs, node.attributes) if hook is not None else None
        if found is None:
            return False
        changed = False
        for entry, old, new in zip(arrays, before, found, strict=True):
            made = merged(old, new, f"operand of {node.label}")
            if made != old:
                self.shapes[entry] = made
                changed = True
        return changed

    def _known(self, entry: Entry) -> bool:
        shape = self.shapes.get(entry)
        return shape is not None and None not in shape

    def missing(self) -> list[str]:
        """Variables whose shape is not determined."""
        return [str(v.name) for v in self.graph.variables if not self._known((v, 0))]


def merged(a: PartialShape, b: PartialShape, what: str) -> PartialShape:
    """What two partial shapes say together; ShapeError where they contradict each other.

    >>> merged((None, 3), (2, None), "x")
    (2, 3)
    """
    if a is None or b is None:
        return b if a is None else a
    if len(a) != len(b) or any(None not in (m, n) and m != n for m, n in zip(a, b, strict=False)):
        raise ShapeError(
            f"{what}: shape {_shown(b)} does not agree with {_shown(a)}; extents must be equal "
            "where both are known"
        )
    return tuple(n if m is None else m for m, n in zip(a, b, strict=True))


def _shown(shape: Sequence[int | None]) -> str:
    return f"({', '.join('?' if n is None else str(n) for n in shape)})"


def _require_known(what: str, given: Mapping[str, Any], graph: Graph) -> None:
    names = [str(v.name) for v in graph.variables]
    for name in given:
        if name not in names:
            raise ArgumentError(
                f"{what} of {name!r} is given, but no variable is called so; there are: "
                f"{', '.join(names) or 'none'}"
            )


def _located(problem: NbgraphError, known: Inference, node: GraphNode) -> NbgraphError:
    """The same error, with the way from the variables to the node."""
    lines = [str(problem)]
    if node.line is not None:
        lines.append(f"  made at {site(*node.line)}")
    for i, operand in enumerate(node.inputs):
        if type(operand) is tuple:
            lines.append(f"  operand {i}: {' <- '.join(_path(known, operand))}")
    return type(problem)("\n".join(lines))


def _path(known: Inference, entry: Entry) -> list[str]:
    found: list[str] = []
    while True:
        spec = known.spec(entry)
        found.append(f"{entry[0].label}{'' if spec is None else f': {spec}'}")
        above = [v for v in entry[0].inputs if type(v) is tuple]
        if not above:
            return found
        if len(found) == _SHOWN:
            return [*found, "..."]
        entry = above[0]
