"""Emitted folds, scans and indexed updates: a binary function applied in order."""

from __future__ import annotations

from nbgraph.kernels.loops import Operand
from nbgraph.kernels.scalar import Node
from nbgraph.kernels.writer import Writer


class Fold(Writer):
    """A binary function along the run, in order: the last value (fold) or every value (scan).

    Operands: the value to start with (layout "0"), then the run.
    """

    def space(self) -> None:
        """See Writer."""
        loop = self.loop
        start = loop.operands[0]
        out = loop.outputs[0]
        name = self.outputs[0]
        self.line(1, "for row in range(lo, hi):")
        self.pointers(2, "row", "0", (0, 1, 2))
        self.line(2, f"acc = {self._as_compute(self.leaves[start.node.id], start)}")
        self.line(2, "for i in range(n):")
        self.load_all(3, (1,), access="plain")
        self.leaves[start.node.id] = "acc"
        (text,) = self.body(3, [out.node])
        self.line(3, f"acc = {self._as_start(text, out.node, start)}")
        if loop.form == "scan":
            self.store(3, name, out, "acc", access="plain")
        else:
            self.line(2, f"store({name}_p, 0, {self.converted('acc', out.node, out.dtype)})")

    def _as_compute(self, text: str, operand: Operand) -> str:
        return f"{self.loop.compute}({text})" if operand.node.kind == "f" else text

    def _as_start(self, text: str, node: Node, start: Operand) -> str:
        if start.node.kind == "f":
            return text if node.kind == "f" else f"{self.loop.compute}({text})"
        return text if node.kind == start.node.kind else f"{start.dtype}({text})"


class At(Writer):
    """`a[index] = f(a[index], b)` in order. Operands: byte offsets, the element, maybe b."""

    def space(self) -> None:
        """See Writer."""
        loop = self.loop
        offsets, element = self.names[:2]
        out = loop.outputs[0]
        y = self.outputs[0]
        self.line(1, f"{offsets}_p = int64_pointer(word(args, 2))")
        for k in range(2, len(self.names)):
            operand = loop.operands[k]
            name = self.names[k]
            self.line(1, f"{name}_p = {operand.dtype}_pointer(word(args, {2 + k}))")
        self.line(1, f"{y}_p = {out.dtype}_pointer(word(args, {2 + len(self.names)}))")
        self.line(1, "for i in range(lo, hi):")
        self.line(2, f"place = shifted({y}_p, load({offsets}_p, i))")
        loaded = self.loaded("place", "0", out.dtype)
        operand = loop.operands[1]
        text = f"{loop.compute}({loaded})" if operand.node.kind == "f" else loaded
        self.line(2, f"{element} = {text}")
        self.leaves[operand.node.id] = element
        self.load_all(2, range(2, len(self.names)), access="plain")
        (result,) = self.body(2, [out.node])
        self.line(2, f"store(place, 0, {self.converted(result, out.node, out.dtype)})")
