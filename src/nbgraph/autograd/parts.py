"""How gradients flow through an array of which a part was written through a view."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from nbgraph.operator.array_op import ArrayOp, Gradients


def _rule(g: Gradients) -> Sequence[Any]:
    """Out of the part to what was written there, out of the rest to what was there before."""
    view, attributes = g.attributes["view"], g.attributes["attributes"]
    rest = None
    if g.wanted[0]:
        from nbgraph.ops import copy

        rest = copy(g.out_grad)
        view(rest, **attributes)[...] = 0.0
    return [rest, view(g.out_grad, **attributes) if g.wanted[1] else None]


PART_WRITTEN = ArrayOp(
    "write to a view", lambda base, part, **_: base, gradient=_rule, operands=("base", "part")
)
