"""Memory as a simulated GPU sees it: each array far from all others, every access looked at.

Addresses are not those of this process. An access beside all arrays names the nearest one, and two
threads at one place, of which one writes, are a race unless a barrier of their block is between.
"""

import struct
import threading

import numpy as np

from nbgraph.kernels.scalar.kinds import ITEMSIZE
from tests.kernels.cuda.numbers import FLOATS, Number, cast

_FAR = 1 << 40  # bytes between arrays
_HALF = _FAR >> 1
_FORMAT = {
    "float32": "f",
    "float64": "d",
    **{f"int{b}": c for b, c in zip((8, 16, 32, 64), "bhiq", strict=True)},
    **{f"uint{b}": c for b, c in zip((8, 16, 32, 64), "BHIQ", strict=True)},
}


class Fault(Exception):
    """What a GPU would do unseen, or stop at."""


class Book:
    """Who was where, since which barrier."""

    def __init__(self):
        self._lock = threading.Lock()
        self._reads, self._writes = {}, {}

    def note(self, place, who, epoch, what, *, writes):
        """An access of thread `who`, a block and a thread, after so many barriers."""
        with self._lock:
            kept = [self._writes] + ([self._reads] if writes else [])
            for book in kept:
                for other, then in book.get(place, {}).items():
                    apart = other == who or (other[0] == who[0] and then != epoch)
                    if not apart:
                        raise Fault(f"race: threads {other} and {who} at {what}")
            (self._writes if writes else self._reads).setdefault(place, {})[who] = epoch


class Memory:
    """The arrays of a launch; `place` gives the address a kernel finds something at."""

    def __init__(self, arrays, names):
        self.book = Book()
        self._regions = {}
        self._moved = []  # where they are in this process
        for array, name in zip(arrays, names, strict=True):
            real = array.__array_interface__["data"][0]
            if all(real != each[0] or not array.nbytes for each in self._moved):
                number = len(self._regions) + 1
                first = number * _FAR + _HALF + real % 256
                self._regions[number] = name, first, memoryview(array.reshape(-1).view(np.uint8))
                self._moved.append((real, array.nbytes, first))

    def place(self, real):
        """The address of what this process has at an address."""
        near = [
            (abs(real - at), to + real - at) for at, n, to in self._moved if at <= real <= at + n
        ]
        return min(near)[1]

    def _bytes(self, kind, address, count):
        name, first, held = self._regions.get(address // _FAR, ("no array", 0, b""))
        size, at = ITEMSIZE[kind] * count, address - first
        if not (0 <= at and at + size <= len(held)):
            raise Fault(f"{count} {kind} at byte {at} of {name}, which has {len(held)}")
        if at + first & (size - 1):
            raise Fault(f"{count} {kind} at byte {at} of {name}: no multiple of {size} bytes")
        return name, held, at

    def load(self, kind, address, count, who, epoch):
        """So many elements."""
        name, held, at = self._bytes(kind, address, count)
        self._note(name, at, kind, count, who, epoch, writes=False)
        found = struct.unpack_from(f"<{count}{_FORMAT[kind]}", held, at)
        return [Number(kind, FLOATS.get(kind, int)(value)) for value in found]

    def store(self, kind, address, values, who, epoch):
        """So many elements."""
        name, held, at = self._bytes(kind, address, len(values))
        self._note(name, at, kind, len(values), who, epoch, writes=True)
        made = [cast(value, kind).value for value in values]
        held[at : at + ITEMSIZE[kind] * len(made)] = np.array(made, kind).tobytes()

    def _note(self, name, at, kind, count, who, epoch, *, writes):
        for j in range(count):
            place = at + j * ITEMSIZE[kind]
            self.book.note((name, place), who, epoch, f"byte {place} of {name}", writes=writes)
