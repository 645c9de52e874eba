"""GPUs in this process: what a machine without one is tried and tested with (`gpu="emulated"`).

Addresses are those of pages that nobody may touch; the bytes lie elsewhere, where the emulation
alone looks. So host code that reads a device's memory ends the process, as it does on a real
machine. Streams are threads that take their jobs in order and know nothing of one another, so a
wait that is missing shows as a race; `hurry` has them pause at random, by a seed.

Kernels run in their host form. Memory that was given back is overwritten.
"""

from __future__ import annotations

import itertools
import math
import mmap
import os
import queue
import random
import threading
import time
from bisect import bisect_right, insort
from collections.abc import Callable, Sequence

import numpy as np

from nbgraph.device.gemm import Gemm
from nbgraph.device.protocol import Bytes, Capability, Code, Extent, View, three
from nbgraph.errors import DeviceError

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
        self.base = _address(np.frombuffer(self._closed, np.uint8))
        self.offset = _address(self.view) - self.base
        self.size = nbytes
        self.most = nbytes  # may be lowered, to see memory run out
        self.used = 0
        self._taken: dict[int, int] = {}
        self._starts: list[int] = []
        self._lock = threading.Lock()

    def take(self, nbytes: int) -> int:
        """The first place that is free."""
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
        """The bytes at an address; DeviceError where that is not memory in use."""
        self.check(address, nbytes)
        first = address - self.base
        return self.view[first : first + nbytes]

    def array(self, view: View) -> Bytes:
        """The memory as an array."""
        address, shape, dtype, strides = view
        return np.ndarray(shape, dtype, self.view, address - self.base, strides)

    def holds(self, address: int, nbytes: int = 1) -> bool:
        """Whether an address is of memory in use."""
        with self._lock:
            place = bisect_right(self._starts, address) - 1
            start = self._starts[place] if place >= 0 else 0
            return place >= 0 and address + nbytes <= start + self._taken[start]

    def check(self, address: int, nbytes: int = 1) -> None:
        """DeviceError where an address is not of memory in use."""
        if not self.holds(address, nbytes):
            raise DeviceError(f"an illegal memory access was encountered, at {address:#x}")


def _address(view: Bytes) -> int:
    found: int = view.__array_interface__["data"][0]
    return found


class EmulatedEvent:
    """A point in a stream's work."""

    def __init__(self, device: Emulation) -> None:
        self._reached = threading.Event()
        self._device = device
        self._problem: ValueError | None = None

    def reach(self, problem: ValueError | None = None) -> None:
        """The stream has come here; a library did not like what it was given."""
        self._problem = problem
        self._reached.set()

    def synchronize(self) -> None:
        """See Event."""
        self._reached.wait()
        if self._device.error is not None:
            raise DeviceError(self._device.error)
        if self._problem is not None:
            raise self._problem

    def done(self) -> bool:
        """See Event."""
        return self._reached.is_set()

    def pause(self) -> None:
        """Wait, whatever has become of the device."""
        self._reached.wait()


class EmulatedStream:
    """A thread that does its jobs in order."""

    _numbers = itertools.count(1 << 16)  # as of a pointer: 1 and 2 are names of default streams

    def __init__(self, emulation: Emulation, handle: int = 0) -> None:
        self.device, self.handle = emulation.number, handle or next(self._numbers)
        self._emulation = emulation
        self._jobs: queue.SimpleQueue[Callable[[], object]] = queue.SimpleQueue()
        self._capturing: list[Callable[[], object]] | None = None
        self._problem: ValueError | None = None  # of a library, to be told by the next event
        name = f"emulated gpu({self.device}) stream {self.handle}"
        threading.Thread(target=self._run, name=name, daemon=True).start()

    def _run(self) -> None:
        while True:
            job = self._jobs.get()
            self._emulation.linger()
            job()
            del job

    def _work(self, job: Callable[[], object]) -> None:
        """Have it done; a device that has failed does nothing any more."""

        def run() -> None:
            if self._emulation.error is None:
                try:
                    job()
                except Exception as problem:
                    self._emulation.error = f"gpu({self.device}): {problem}"

        if self._capturing is not None:
            self._capturing.append(job)
        else:
            self._jobs.put(run)

    def captured(self, issue: Callable[[], object]) -> list[Callable[[], object]]:
        """See Stream."""
        made: list[Callable[[], object]] = []
        self._capturing = made
        try:
            issue()
        finally:
            self._capturing = None
        return made

    def replay(self, captured: list[Callable[[], object]]) -> None:
        """See Stream."""

        def run() -> None:
            for job in captured:
                job()

        self._work(run)

    def record(self) -> EmulatedEvent:
        """See Stream."""
        event = EmulatedEvent(self._emulation)

        def reach() -> None:
            problem, self._problem = self._problem, None
            event.reach(problem)

        self._jobs.put(reach)
        return event

    def wait(self, event: EmulatedEvent) -> None:
        """See Stream."""
        self._jobs.put(event.pause)

    def launch(
        self,
        function: EmulatedFunction,
        blocks: Extent,
        threads: Extent,
        record: bytes,
        shared: int = 0,
    ) -> None:
        """See Stream."""
        if not 0 < math.prod(three(blocks)) < 1 << 31 or not 0 < math.prod(three(threads)) <= 1024:
            raise DeviceError(f"launch of {function.name}: {blocks} blocks of {threads} threads")
        self._work(lambda: function.run(self._emulation.room, record))

    def write(self, address: int, source: Bytes) -> None:
        """See Stream."""
        room = self._emulation.room
        self._work(lambda: np.copyto(room.at(address, source.nbytes), source))

    def read(self, target: Bytes, address: int) -> None:
        """See Stream."""
        room = self._emulation.room
        self._work(lambda: np.copyto(target, room.at(address, target.nbytes)))

    def copy(self, target: int, source: int, nbytes: int, device: int) -> None:
        """See Stream."""
        room, other = self._emulation.room, self._emulation.others[device].room
        self._work(lambda: np.copyto(room.at(target, nbytes), other.at(source, nbytes)))

    def multiply(self, gemm: Gemm, a: int, b: int, c: int) -> None:
        """See Stream; by NumPy, of what lies where the record says."""
        gemm.check()
        room, views = self._emulation.room, gemm.views(a, b, c)

        def run() -> None:
            for address, shape, dtype, strides in views:
                last = sum((n - 1) * step for n, step in zip(shape, strides, strict=True))
                room.check(address, last + dtype.itemsize)
            x, y, out = (room.array(view) for view in views)
            wide = np.float32 if gemm.dtype.itemsize == 2 else gemm.dtype
            found = np.matmul(x.astype(wide), y.astype(wide))
            out[...] = found + out.astype(wide) if gemm.adds else found

        self._work(run)

    def call(self, function: Callable[..., object], views: Sequence[View]) -> None:
        """See Stream; by NumPy."""
        room = self._emulation.room

        def run() -> None:
            for address, *_ in views:
                room.check(address)
            try:
                function(np, *(room.array(view) for view in views))
            except ValueError as problem:
                self._problem = problem

        self._work(run)

    def synchronize(self) -> None:
        """See Stream."""
        self.record().synchronize()


class EmulatedFunction:
    """A kernel's host form, over records with the device's addresses."""

    def __init__(self, code: Code) -> None:
        self.name, self._pointers, self._run = code.name, code.pointers, code.host()

    def run(self, room: Room, record: bytes) -> None:
        """Run it on the bytes behind the addresses."""
        words = np.frombuffer(record, np.int64).copy()
        for place in range(2, 2 + self._pointers):
            room.check(int(words[place]))
            words[place] += room.offset
        self._run(words)


class Emulation:
    """A device."""

    def __init__(self, number: int, others: list[Emulation]) -> None:
        self.number, self.others = number, others
        self.room = Room(ROOM)
        self.streams: dict[int, EmulatedStream] = {}
        self.error: str | None = None  # what it failed with; for ever, but for `heal`
        self._random: random.Random | None = None

    def linger(self) -> None:
        """Pause, if that is asked for."""
        if self._random is not None:
            time.sleep(self._random.random() ** 4 * _LONGEST)

    def hurry(self, seed: int | None) -> None:
        """Have streams pause at random from now on, or no more."""
        self._random = None if seed is None else random.Random(seed)


class EmulatedDriver:
    """See Driver; `devices` can be told to pause, to have less memory, and to be well again."""

    name = "the emulation"

    def __init__(self, count: int = DEVICES) -> None:
        self.devices: list[Emulation] = []
        self.devices += [Emulation(number, self.devices) for number in range(count)]

    def count(self) -> int:
        """See Driver."""
        return len(self.devices)

    def title(self, device: int) -> str:
        """See Driver."""
        return f"emulated GPU {device}"

    def capability(self, device: int) -> Capability:
        """See Driver."""
        return (9, 0)

    def multiprocessors(self, device: int) -> int:
        """See Driver."""
        return _MULTIPROCESSORS

    def resident(self, device: int) -> int:
        """See Driver."""
        return 2048

    def memory(self, device: int) -> tuple[int, int]:
        """See Driver."""
        room = self.devices[device].room
        return room.most - room.used, room.most

    def allocate(self, device: int, nbytes: int) -> int:
        """See Driver."""
        return self.devices[device].room.take(nbytes)

    def free(self, device: int, address: int) -> None:
        """See Driver."""
        self.devices[device].room.give(address)

    def trim(self, device: int) -> None:
        """See Driver; nothing is kept."""

    def pinned(self, nbytes: int) -> Bytes:
        """See Driver."""
        return np.empty(nbytes, np.uint8)

    def stream(self, device: int) -> EmulatedStream:
        """See Driver."""
        made = EmulatedStream(self.devices[device])
        return self.devices[device].streams.setdefault(made.handle, made)

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
        """See Driver."""
        return next((d.number for d in self.devices if d.room.holds(address)), -1)

    def function(self, device: int, code: Code) -> EmulatedFunction:
        """See Driver."""
        return EmulatedFunction(code)

    def require_products(self) -> None:
        """See Driver: NumPy is there."""


def load() -> EmulatedDriver:
    """The driver of so many devices as NBGRAPH_GPU_COUNT says."""
    return EmulatedDriver(int(os.environ.get("NBGRAPH_GPU_COUNT", DEVICES)))
