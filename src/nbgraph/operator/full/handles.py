"""Handles for an operator's arrays before they exist, and facts stated with them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

Kind = Literal["out_grad", "in_data", "out_data", "in_grad"]


class Handle(NamedTuple):
    """A reference to one array of a pass, before arrays exist."""

    kind: Kind
    place: int

    def __repr__(self) -> str:
        return f"{self.kind}[{self.place}]"


Handles = Sequence[Handle]


@dataclass(frozen=True, slots=True)
class Facts:
    """The names of an operator's arrays, and which of them are read or overwritten."""

    arguments: tuple[str, ...]
    states: tuple[str, ...]
    outputs: tuple[str, ...]
    visible: int
    reads: tuple[Handle, ...]  # of backward
    forward_pairs: tuple[tuple[Handle, Handle], ...]
    backward_pairs: tuple[tuple[Handle, Handle], ...]
    forward_requests: tuple[Any, ...] | None  # None: they depend on shapes
    backward_requests: tuple[Any, ...] | None

    def reads_at(self, kind: Kind) -> tuple[int, ...]:
        """Return the indices of the arrays of a kind that backward reads."""
        return tuple(sorted(h.place for h in self.reads if h.kind == kind))
