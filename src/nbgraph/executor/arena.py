"""Memory of programs' own values, and where values lie."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from nbgraph.array import chunk
from nbgraph.array.chunk import Chunk
from nbgraph.array.core import Array, make
from nbgraph.executor.compiled import Spot
from nbgraph.operator.layout import Layout

_CACHE_LINE = 64
_NONE: Mapping[int, int] = {}


class Arena:
    """Memory of the values of a program, or of several whose runs take turns then; given back when
    the last run that uses it is over."""

    __slots__ = ("address", "chunk", "device", "nbytes")

    def __init__(self, nbytes: int, device: Any) -> None:
        self.nbytes, self.device = nbytes, device
        self.chunk: Chunk | None = None
        self.address = 0
        if nbytes:
            self.chunk = chunk.take(nbytes + _CACHE_LINE, device, ())
            self.address = -(-self.chunk.address // _CACHE_LINE) * _CACHE_LINE

    def array(self, offset: int, own: Layout) -> Any:
        """Return an array inside the arena; programs that use its place for other values, too, see
        to the order."""
        address = self.address + offset
        return make(chunk.part(self, address, own.nbytes, self.device), address, own)

    def __del__(self) -> None:
        try:
            if self.chunk is not None:
                chunk.give(self.chunk)
        except (AttributeError, TypeError):  # the interpreter is going
            return


class Homes:
    """The addresses of spots in memory. Steps hold this and not the program: the engine holds steps
    until the program's instance is dropped, so they must not be what keeps it."""

    __slots__ = ("arena", "arrays")

    def __init__(self, arena: Arena, arrays: Sequence[Array | None]) -> None:
        self.arena, self.arrays = arena, arrays

    def loose(self, spot: Spot) -> bool:
        """Return whether a spot lies in an array that a run brings."""
        return spot.slot is not None and self.arrays[spot.slot] is None

    def address(self, spot: Spot, addresses: Mapping[int, int] = _NONE) -> int:
        """Return the address of a spot; 0 as long as the addresses that a run brings are
        unknown."""
        if spot.slot is None:
            return self.arena.address + spot.offset
        array = self.arrays[spot.slot]
        if array is None:
            return addresses[spot.slot] + spot.offset if addresses else 0
        return array._address + spot.offset
