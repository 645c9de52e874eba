"""Handles: what a property names arrays by, before there are any.

>>> handles("out_grad", 2)
[out_grad[0], out_grad[1]]
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Literal, NamedTuple

from nbgraph.errors import ArgumentError

Kind = Literal["out_grad", "in_data", "out_data", "in_grad"]


class Handle(NamedTuple):
    """One array of a pass."""

    kind: Kind
    place: int

    def __repr__(self) -> str:
        return f"{self.kind}[{self.place}]"


def handles(kind: Kind, count: int) -> list[Handle]:
    """Those of all arrays of a kind."""
    return [Handle(kind, i) for i in range(count)]


def read_handles(where: str, given: Any, known: Sequence[Handle]) -> tuple[Handle, ...]:
    """Handles that a property returned, each once; ArgumentError for anything else."""
    if not isinstance(given, Iterable):
        raise ArgumentError(f"{where} returned {given!r}; return a list of handles it was given")
    found = [_known(where, one, known) for one in given]
    return tuple(dict.fromkeys(found))


def read_pairs(
    where: str, given: Any, sources: Sequence[Handle], targets: Sequence[Handle]
) -> tuple[tuple[Handle, Handle], ...]:
    """Pairs (read, written) that a property returned."""
    found: list[tuple[Handle, Handle]] = []
    for pair in given if isinstance(given, Iterable) else [given]:
        if not isinstance(pair, (tuple, list)) or isinstance(pair, Handle) or len(pair) != 2:
            raise ArgumentError(
                f"{where} returned {given!r}; return a list of pairs such as "
                f"({sources[0]!r}, {targets[0]!r})"
            )
        found.append((_known(where, pair[0], sources), _known(where, pair[1], targets)))
    return tuple(found)


def _known(where: str, one: Any, known: Sequence[Handle]) -> Handle:
    if not isinstance(one, Handle) or one not in known:
        listed = ", ".join(map(repr, known)) or "none"
        raise ArgumentError(f"{where} names {one!r}; expected handles among {listed}")
    return one
