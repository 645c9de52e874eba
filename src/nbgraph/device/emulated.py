"""Emulated GPUs in this process, for tests on machines without one (`gpu="emulated"`).

Addresses are those of inaccessible pages; the bytes lie elsewhere, for the emulation alone. So host
code that reads a device's memory crashes the process, as it does on a real machine. Streams are
threads that run their jobs in order and independently of one another, so a missing wait shows as a
race; `hurry` makes them pause at random, by a seed.

Kernels run in their host form. Freed memory is overwritten.
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
ROOM = 1 << 32  # bytes of a device; the system maps pages as they are used
_PAGE = 1 << 16
_GONE = 0xDB  # the bytes that overwrite freed memory
_ALIGNED = 256
_LONGEST = 0.002  # seconds of a pause
_MULTIPROCESSORS = 4


class Room:
    """The memory of a device: addresses, and the bytes that they stand for."""

    def __init__(self, nbytes: int) -> None:
        flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | getattr(mmap, "MAP_NORESERVE", 0)
        self._bytes = mmap.mmap(-1, nbytes, flags=flags)
        self._closed = mmap.mmap(-1, nbytes, flags=flags, prot=0)  # inaccessible: for addresses
        self.view = np.frombuffer(self._bytes, np.uint8)
        self.base = address_of(np.frombuffer(self._closed, np.uint8))
        self.offset = address_of(self.view) - self.base
        self.size = nbytes
        self.most = nbytes  # tests lower it, to make memory run out
        self.used = 0
        self._taken: dict[int, int] = {}
        self._starts: list[int] = []
        self._lock = threading.Lock()

    def take(self, nbytes: int) -> int:
        """Allocate `nbytes` at the first free address and return it, or 0."""
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
        """Free the memory at an address."""
        with self._lock:
            nbytes = self._taken.pop(address)
            self._starts.remove(address)
            self.used -= nbytes
            first = address - self.base
            self.view[first : first + min(nbytes, _PAGE)] = _GONE

    def at(self, address: int, nbytes: int) -> Bytes:
        """Return the bytes at an address; raise DeviceError unless it is allocated memory."""
        self.check(address, nbytes)
        first = address - self.base
        return self.view[first : first + nbytes]

    def array(self, view: View) -> Bytes:
        """Return the memory of a view as an array."""
        address, shape, dtype, strides = view
        return np.ndarray(shape, dtype, self.view, address - self.base, strides)

    def holds(self, address: int, nbytes: int = 1) -> bool:
        """Return whether `nbytes` at an address are allocated."""
        with self._lock:
            place = bisect_right(self._starts, address) - 1
            start = self._starts[place] if place >= 0 else 0
            return place >= 0 and address + nbytes <= start + self._taken[start]

    def check(self, address: int, nbytes: int = 1) -> None:
        """Raise DeviceError unless `nbytes` at an address are allocated."""
        if not self.holds(address, nbytes):
            raise DeviceError(f"an illegal memory access was encountered, at {address:#x}")


class Emulation:
    """An emulated device."""

    def __init__(self, number: int, others: list[Emulation]) -> None:
        self.number, self.others = number, others
        self.room = Room(ROOM)
        self.streams: dict[int, EmulatedStream] = {}
        self.error: str | None = None  # of its failure, which is permanent (tests reset it)
        self._random: random.Random | None = None

    def require_well(self) -> None:
        """Raise DeviceError if the device has failed: it accepts no more work."""
        if self.error is not None:
            raise DeviceError(self.error)

    def linger(self) -> None:
        """Pause for a random time, after `hurry(seed)`."""
        if self._random is not None:
            time.sleep(self._random.random() ** 4 * _LONGEST)

    def hurry(self, seed: int | None) -> None:
        """Make streams pause at random from now on, or with None stop that."""
        self._random = None if seed is None else random.Random(seed)


class EmulatedDriver(Driver):
    """The driver of emulated GPUs; tests make its `devices` pause, have less memory, or recover."""

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
        """See Driver; there is no pool to trim."""

    def pinned(self, nbytes: int) -> Bytes:
        return np.empty(nbytes, np.uint8)

    def stream(self, device: int) -> EmulatedStream:
        stream = EmulatedStream(self.devices[device])
        return self.devices[device].streams.setdefault(stream.handle, stream)

    def foreign(self, device: int, handle: int) -> EmulatedStream:
        """See Driver; each device has two default streams, whatever the thread."""
        streams = self.devices[device].streams
        if handle in (1, 2) and handle not in streams:
            streams.setdefault(handle, EmulatedStream(self.devices[device], handle))
        try:
            return streams[handle]
        except KeyError:
            raise DeviceError(f"gpu({device}) has no stream {handle:#x}") from None

    def settled(self, device: int, handle: int) -> int:
        """See Driver; no stream here waits for another implicitly."""
        return handle

    def owner(self, address: int) -> int:
        return next((d.number for d in self.devices if d.room.holds(address)), -1)

    def function(self, device: int, code: Code) -> EmulatedFunction:
        self.devices[device].require_well()
        return EmulatedFunction(code)

    def require_products(self) -> None:
        """See Driver: NumPy computes them."""


def load() -> EmulatedDriver:
    """Return a driver with NBGRAPH_GPU_COUNT devices."""
    return EmulatedDriver(int(os.environ.get("NBGRAPH_GPU_COUNT", DEVICES)))
