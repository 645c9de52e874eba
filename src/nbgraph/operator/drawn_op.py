"""Operators that draw random numbers, some of them by kernels.

Which numbers these will be is fixed at the push, as a draw of the host's stream, whatever device
they are made on; so the same seed gives the same numbers on all devices. What has no kernel is made
by NumPy on the host.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from nbgraph.device import Context
from nbgraph.operator.array_op import ArrayOp
from nbgraph.operator.spec import Spec

if TYPE_CHECKING:
    from nbgraph.kernels.draws import Drawn
    from nbgraph.resource import Resource


class DrawnCall(NamedTuple):
    """A kernel that makes `size` numbers, and the words of its parameters. The record: elements
    and blocks, addresses of the operands that it loads and of the outputs that it stores,
    `parameters`, three words of a draw, and, where it `trains`, whether a run does."""

    drawn: Drawn
    parameters: tuple[int, ...]
    size: int


class DrawnOp(ArrayOp):
    """An operator that is granted random numbers: the host's, or those that `rng` stands for. Where
    kernels may draw for it, it has the kind "drawn"."""

    adds = True
    trains = False  # whether kernels are told if a run trains

    def by_kernels(self, *, trains: bool = False) -> None:
        """Kernels may draw for it: they store."""
        self.kind, self.adds, self.trains = "drawn", False, trains

    def always(self, attributes: Mapping[str, Any]) -> bool:
        """Whether it does what it does in training whatever a run says."""
        return False

    def grant(
        self, device: Context, attributes: Mapping[str, Any] | None = None
    ) -> tuple[Resource, ...]:
        """A generator, its numbers fixed now."""
        from nbgraph.resource import parallel_random

        return (parallel_random(None if attributes is None else attributes.get("rng")),)

    def draw_words(self, attributes: Mapping[str, Any]) -> tuple[int, int, int]:
        """The next draw, as words of a record."""
        from nbgraph.resource.random import draw_of

        return draw_of(attributes.get("rng")).words

    def drawn_call(
        self, operands: Sequence[Spec], stores: Sequence[bool], attributes: Mapping[str, Any]
    ) -> DrawnCall | None:
        """The kernel for contiguous operands of these Specs; None where none does it. `stores`:
        which outputs are needed; the first one is stored in any case."""
        return None
