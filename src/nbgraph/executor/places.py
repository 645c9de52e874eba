"""Places of nodes' outputs (part of a value's memory, in a layout), and arenas of programs."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from nbgraph.array import chunk
from nbgraph.array.chunk import Chunk
from nbgraph.array.core import Array, make
from nbgraph.graph.schedule import Value
from nbgraph.operator.arrays.array_op import ArrayOp
from nbgraph.operator.arrays.device_forms import untouched
from nbgraph.operator.layout import Layout, layout_of


class Spot(NamedTuple):
    """The place of a value at run time: in an array of the run, by its slot, or in the arena."""

    slot: int | None
    offset: int


class Place(NamedTuple):
    """Part of a value's memory, seen in a layout."""

    value: Value
    offset: int  # bytes from the beginning of the value
    layout: Layout

    @property
    def whole(self) -> bool:
        """Whether the place covers the whole value, in C order."""
        return (
            self.offset == 0 and self.layout.contiguous and self.layout.nbytes >= self.value.nbytes
        )


def equal(a: Place, b: Place) -> bool:
    """Return whether both are whole values, in one layout."""
    return a.whole and b.whole and a.layout is b.layout


def rights(reads: Sequence[Place], writes: Sequence[Place]) -> tuple[tuple[int, int], ...]:
    """Return pairs (read, write) in which the write may overwrite the read, element by element:
    both are whole values of one shape and item size, and no other part of the value is read."""
    pairs: list[tuple[int, int]] = []
    for i, source in enumerate(reads):
        others = [p for p in reads if p.value is source.value]
        if not source.whole or any(p.layout is not source.layout or p.offset for p in others):
            continue
        for k, target in enumerate(writes):
            same_size = source.layout.dtype.itemsize == target.layout.dtype.itemsize
            if target.whole and source.layout.shape == target.layout.shape and same_size:
                pairs.append((i, k))
    return tuple(pairs)


def viewed(op: ArrayOp, attributes: Any, place: Place) -> Place | None:
    """Return the place of a view in the same memory; None where the operator needs a copy."""
    assert op.view is not None
    memory = untouched(place.value.nbytes)
    own = place.layout
    source = np.ndarray(own.shape, own.dtype, memory, place.offset, own.strides)
    try:
        view = op.view(source, **attributes)
    except ValueError:
        return None
    if not view.size:
        return Place(place.value, 0, layout_of(view))
    if not np.may_share_memory(view, memory):  # NumPy made a copy
        return None
    offset = view.__array_interface__["data"][0] - memory.__array_interface__["data"][0]
    return Place(place.value, offset, layout_of(view))


class _At:
    """Memory at an address, in the form of NumPy's array interface."""

    __slots__ = ("__array_interface__",)

    def __init__(self, interface: dict[str, Any]) -> None:
        self.__array_interface__ = interface


def array_at(address: int, own: Layout, *, writable: bool) -> np.ndarray[Any, Any]:
    """Return a NumPy array over memory, which the caller keeps alive."""
    view = np.asarray(_At(own.interface(address, locked=not writable)))
    return view.view(own.dtype) if own.dtype.kind == "V" else view


_CACHE_LINE = 64
_NONE: Mapping[int, int] = {}


class Arena:
    """Memory for values of programs whose runs never overlap; freed after the last run."""

    __slots__ = ("address", "chunk", "device", "nbytes")

    def __init__(self, nbytes: int, device: Any) -> None:
        self.nbytes, self.device = nbytes, device
        self.chunk: Chunk | None = None
        self.address = 0
        if nbytes:
            self.chunk = chunk.take(nbytes + _CACHE_LINE, device, ())
            self.address = -(-self.chunk.address // _CACHE_LINE) * _CACHE_LINE

    def array(self, offset: int, own: Layout) -> Any:
        """Return an array in the arena; programs that reuse its memory ensure the order."""
        address = self.address + offset
        return make(chunk.part(self, address, own.nbytes, self.device), address, own)

    def __del__(self) -> None:
        try:
            if self.chunk is not None:
                chunk.give(self.chunk)
        except (AttributeError, TypeError):  # the interpreter is ending
            return


class Homes:
    """The addresses of spots in memory. Steps refer to this and not to the program: the engine
    holds steps until the program's instance is dropped, so they must not keep the program alive."""

    __slots__ = ("arena", "arrays")

    def __init__(self, arena: Arena, arrays: Sequence[Array | None]) -> None:
        self.arena, self.arrays = arena, arrays

    def loose(self, spot: Spot) -> bool:
        """Return whether a spot lies in an array that is passed to each run."""
        return spot.slot is not None and self.arrays[spot.slot] is None

    def address(self, spot: Spot, addresses: Mapping[int, int] = _NONE) -> int:
        """Return the address of a spot; 0 if it lies in an array of a run without `addresses`."""
        if spot.slot is None:
            return self.arena.address + spot.offset
        array = self.arrays[spot.slot]
        if array is None:
            return addresses[spot.slot] + spot.offset if addresses else 0
        return array._address + spot.offset
