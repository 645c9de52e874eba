"""GPUs in this process: what a machine without one is tried and tested with (`gpu="emulated"`).

Addresses are those of pages that nobody may touch; the bytes lie elsewhere, where the emulation
alone looks. So host code that reads a device's memory ends the process, as it does on a real
machine. Streams are threads that take their jobs in order and know nothing of one another, so a
wait that is missing shows as a race; `hurry` has them pause at random, by a seed.

Kernels run in their host form. Memory that was given back is overwritten.
"""

from __future__ import annotations

import mmap
import os
import random
import threading
import time
from bisect import bisect_right, insort

import numpy as np

from nbgraph.device.emulated_streams import EmulatedFunction, EmulatedStream
from nbgraph.device.protocol import Bytes, Capability, Code, Driver, View
from nbgraph.errors import DeviceError
from nbgraph.shape import address as address_of

DEVICES = 2
ROOM = 1 << 32  # bytes of a device; pages are there once they are used
_PAGE = 1 << 16
_GONE = 0xDB  # what memory holds that was given back
_ALIGNED = 256
_LONGEST = 0.002  # seconds of a pause
_MULTIPROCESSORS = 4


class Room:
    """The memory of a device: addresses, and bytes behind them."""

    def __init__(self, nbytes: int) -> None:
        flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | getattr(mmap, "MAP_NORESERVE", 0)
        self._bytes = mmap.mmap(-1, nbytes, flags=flags)
        self._closed = mmap.mmap(-1, nbytes, flags=flags, prot=0)  # addresses alone
        self.view = np.frombuffer(self._bytes, np.uint8)
        self.base = address_of(np.frombuffer(self._closed, np.uint8))
        self.offset = address_of(self.view) - self.base
        self.size = nbytes
        self.most = nbytes  # may be lowered, to see memory run out
        self.used = 0
        self._taken: dict[int, int] = {}
        self._starts: list[int] = []
        self._lock = threading.Lock()

    def take(self, nbytes: int) -> int:
        """Return the first place that is free."""
        nbytes = -(-nbytes // _ALIGNED) * _ALIGNED
        with self._lock:
            if self.used + nbytes > self.most:
                return 0
            start = self.base
            for taken in self._starts:
                if taken - start >= nbytes:
                    break
                start = taken + self._taken[taken]
            if start + nbytes > self.base + self.size:
                return 0
            insort(self._starts, start)
            self._taken[start] = nbytes
            self.used += nbytes
            return start

    def give(self, address: int) -> None:
        """Give it back."""
        with self._lock:
            nbytes = self._taken.pop(address)
            self._starts.remove(address)
            self.used -= nbytes
            first = address - self.base
            self.view[first : first + min(nbytes, _PAGE)] = _GONE

    def at(self, address: int, nbytes: int) -> Bytes:
        """Return the bytes at an address; DeviceError where that is not memory in use."""
        self.check(address, nbytes)
        first = address - self.base
        return self.view[first : first + nbytes]

    def array(self, view: View) -> Bytes:
        """Return the memory as an array."""
        address, shape, dtype, strides = view
        return np.ndarray(shape, dtype, self.view, address - self.base, strides)

    def holds(self, address: int, nbytes: int = 1) -> bool:
        """Return whether an address is of memory in use."""
        with self._lock:
            place = bisect_right(self._starts, address) - 1
            start = self._starts[place] if place >= 0 else 0
            return place >= 0 and address + nbytes <= start + self._taken[start]

    def check(self, address: int, nbytes: int = 1) -> None:
        """DeviceError where an address is not of memory in use."""
        if not self.holds(address, nbytes):
            raise DeviceError(f"an illegal memory access was encountered, at {address:#x}")


class Emulation:
    """A device."""

    def __init__(self, number: int, others: list[Emulation]) -> None:
        self.number, self.others = number, others
        self.room = Room(ROOM)
        self.streams: dict[int, EmulatedStream] = {}
        self.error: str | None = None  # what it failed with; for ever, but for `heal`
        self._random: random.Random | None = None

    def require_well(self) -> None:
        """A device that has failed takes nothing in any more: whatever is asked of it says why."""
        if self.error is not None:
            raise DeviceError(self.error)

    def linger(self) -> None:
        """Pause, if that is asked for."""
        if self._random is not None:
            time.sleep(self._random.random() ** 4 * _LONGEST)

    def hurry(self, seed: int | None) -> None:
        """Have streams pause at random from now on, or no more."""
        self._random = None if seed is None else random.Random(seed)


class EmulatedDriver(Driver):
    """The driver of emulated GPUs; `devices` can be told to pause, to have less memory, and to be
    well again."""

    name = "the emulation"

    def __init__(self, count: int = DEVICES) -> None:
        self.devices: list[Emulation] = []
        self.devices += [Emulation(number, self.devices) for number in range(count)]

    def count(self) -> int:
        return len(self.devices)

    def title(self, device: int) -> str:
        return f"emulated GPU {device}"

    def capability(self, device: int) -> Capability:
        return (9, 0)

    def multiprocessors(self, device: int) -> int:
        return _MULTIPROCESSORS

    def resident(self, device: int) -> int:
        return 2048

    def memory(self, device: int) -> tuple[int, int]:
        room = self.devices[device].room
        return room.most - room.used, room.most

    def allocate(self, device: int, nbytes: int) -> int:
        self.devices[device].require_well()
        return self.devices[device].room.take(nbytes)

    def free(self, device: int, address: int) -> None:
        self.devices[device].room.give(address)

    def trim(self, device: int) -> None:
        """See Driver; nothing is kept."""

    def pinned(self, nbytes: int) -> Bytes:
        return np.empty(nbytes, np.uint8)

    def stream(self, device: int) -> EmulatedStream:
        stream = EmulatedStream(self.devices[device])
        return self.devices[device].streams.setdefault(stream.handle, stream)

    def foreign(self, device: int, handle: int) -> EmulatedStream:
        """See Driver; each device has two default streams, whatever the thread."""
        known = self.devices[device].streams
        if handle in (1, 2) and handle not in known:
            known.setdefault(handle, EmulatedStream(self.devices[device], handle))
        try:
            return known[handle]
        except KeyError:
            raise DeviceError(f"gpu({device}) has no stream {handle:#x}") from None

    def settled(self, device: int, handle: int) -> int:
        """See Driver; no stream here waits for another by itself."""
        return handle

    def owner(self, address: int) -> int:
        return next((d.number for d in self.devices if d.room.holds(address)), -1)

    def function(self, device: int, code: Code) -> EmulatedFunction:
        self.devices[device].require_well()
        return EmulatedFunction(code)

    def require_products(self) -> None:
        """See Driver: NumPy is there."""


def load() -> EmulatedDriver:
    """Return the driver of so many devices as NBGRAPH_GPU_COUNT says."""
    return EmulatedDriver(int(os.environ.get("NBGRAPH_GPU_COUNT", DEVICES)))
