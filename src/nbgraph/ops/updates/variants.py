"""What is made of an update rule: one that keeps its operands, one that gives a copy, too."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from nbgraph.kernels.function.derived import Derived
from nbgraph.kernels.function.scalar_function import Captured, Scalar
from nbgraph.kernels.scalar.graph import Node
from nbgraph.operator.mapper.mapper import Mapper

GO = "go"


class Variant(Derived):
    """A rule whose first outputs are new values of the operands `kept`.

    `guarded`: a further operand `go`; where it is false, those outputs are the old values.
    `doubled`: the first output comes twice, the first one for an array of less precision.
    """

    def __init__(
        self, parent: Scalar, kept: Sequence[str], *, guarded: bool, doubled: bool
    ) -> None:
        marks = [mark for mark, holds in (("guarded", guarded), ("doubled", doubled)) if holds]
        super().__init__(parent, "_".join([parent.name, *marks]))
        self.kept, self.guarded, self.doubled = tuple(kept), guarded, doubled
        if guarded:
            self.operands = (*parent.operands, GO)

    def make(self, kinds: Sequence[str], parameters: Mapping[str, Any]) -> Captured:
        """The rule's graph with other outputs."""
        captured = self.parent.capture(kinds[: len(self.parent.operands)], parameters)
        operands, outputs = list(captured.operands), list(captured.outputs)
        if self.guarded:
            go = captured.graph.argument(GO, kinds[-1])
            operands.append(go)
            outputs[: len(self.kept)] = self._guard(captured, go)
        if self.doubled:
            outputs.insert(0, outputs[0])
        return Captured(captured.graph, tuple(operands), captured.parameters, tuple(outputs))

    def _guard(self, captured: Captured, go: Node) -> list[Node]:
        leaves = {str(leaf.data): leaf for leaf in captured.operands}
        truth = captured.graph.truth(go)
        return [
            captured.graph.select(truth, new, leaves[name])
            for name, new in zip(self.kept, captured.outputs, strict=False)
        ]


@lru_cache(maxsize=256)
def variant(rule: Mapper, kept: tuple[str, ...], *, guarded: bool, doubled: bool) -> Mapper:
    """The rule itself, or a variant of it.

    >>> from nbgraph.ops.updates.rules import averaged
    >>> keeps = variant(averaged, ("mean",), guarded=True, doubled=False)
    >>> keeps([1.0, 1.0], [3.0, 3.0], 0.5, [True, False])
    array([2., 1.])
    """
    if not guarded and not doubled:
        return rule
    scalar = Variant(rule.scalar, kept, guarded=guarded, doubled=doubled)
    return Mapper(scalar, certify=False)
