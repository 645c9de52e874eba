"""Operators whose states move in training, by a kernel where one does it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from nbgraph.operator.array_op import ArrayOp, Spec

if TYPE_CHECKING:
    from nbgraph.operator.tiled_op import TiledCall


class MovingOp(ArrayOp):
    """An ArrayOp with auxiliary states that a graph may run as a kernel. Its `run` is what the
    kernel is to do, and is run for arrays."""

    adds = False  # the kernel stores

    def still(self, attributes: Mapping[str, Any]) -> bool:
        """Whether the states never move, whatever a run says."""
        return False

    def moving_call(self, specs: Sequence[Spec], attributes: Mapping[str, Any]) -> TiledCall | None:
        """The kernel for contiguous operands of these Specs; None where none does it.

        The record's addresses are those of the operands, then of the outputs. Its last word is
        whether the states move (1 or 0), which is known at the push."""
        raise NotImplementedError(f"{type(self).__name__} has no moving_call(); write one")
