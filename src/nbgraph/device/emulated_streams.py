"""Streams of emulated GPUs: independent threads that run their jobs in order.

For captures they enforce the driver's rules: no waits meanwhile, no library that is not initialised
yet, and a change of a graph affects later replays only.
"""

from __future__ import annotations

import itertools
import math
import queue
import threading
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from nbgraph.device.gemm import Gemm
from nbgraph.device.protocol import (
    Bytes,
    Captured,
    Code,
    Event,
    Launch,
    Launcher,
    Stream,
    View,
    three,
)
from nbgraph.errors import DeviceError

if TYPE_CHECKING:
    from nbgraph.device.emulated import Emulation, Room

Job = Callable[[], object]


class EmulatedEvent(Event):
    """A point in a stream's work."""

    def __init__(self, device: Emulation) -> None:
        self._reached = threading.Event()
        self._device = device
        self._problem: Exception | None = None

    def reach(self, problem: Exception | None = None) -> None:
        """Mark the event as reached; `problem` is an error of a library on the way."""
        self._problem = problem
        self._reached.set()

    def synchronize(self) -> None:
        self._reached.wait()
        if self._device.error is not None:
            raise DeviceError(self._device.error)
        problem, self._problem = self._problem, None  # else the event would keep its frames alive
        if problem is not None:
            raise problem

    def done(self) -> bool:
        return self._reached.is_set()

    def pause(self) -> None:
        """Wait for the event, even if the device has failed."""
        self._reached.wait()


class EmulatedGraph(Captured):
    """Captured jobs, run as one."""

    def __init__(self, emulation: Emulation) -> None:
        self.emulation = emulation
        self.jobs: list[Job] = []
        self.kernels: list[int] = []  # indices of the jobs that are launches

    def node(self, place: int) -> EmulatedNode:
        return EmulatedNode(self, self.kernels[place])


class EmulatedNode(Launcher):
    """A kernel in a graph."""

    def __init__(self, graph: EmulatedGraph, place: int) -> None:
        self._graph, self._place = graph, place

    def launch(self, launch: Launch, record: bytes) -> None:
        emulation = self._graph.emulation
        emulation.require_well()
        self._graph.jobs[self._place] = launch.function.job(emulation.room, launch, record)


class EmulatedStream(Stream):
    """A thread that runs its jobs in order."""

    _numbers = itertools.count(1 << 16)  # handles like pointers: 1 and 2 are the default streams

    def __init__(self, emulation: Emulation, handle: int = 0) -> None:
        self.device, self.handle = emulation.number, handle or next(self._numbers)
        self._emulation = emulation
        self._jobs: queue.SimpleQueue[Job] = queue.SimpleQueue()
        self._capturing: EmulatedGraph | None = None
        self._multiplies = False  # whether a product has initialised the library
        self._problem: Exception | None = None  # of a library, raised by the next event
        name = f"emulated gpu({self.device}) stream {self.handle}"
        threading.Thread(target=self._run, name=name, daemon=True).start()

    def _run(self) -> None:
        while True:
            job = self._jobs.get()
            self._emulation.linger()
            job()
            del job

    def _work(self, job: Job) -> None:
        """Queue or capture a job; a device that has failed runs no more jobs."""
        self._emulation.require_well()

        def run() -> None:
            if self._emulation.error is None:
                try:
                    job()
                except Exception as problem:
                    self._emulation.error = f"gpu({self.device}): {problem}"

        if self._capturing is not None:
            self._capturing.jobs.append(job)
        else:
            self._jobs.put(run)

    def _require_no_capture(self, what: str) -> None:
        if self._capturing is not None:
            raise DeviceError(f"{what}: operation not permitted when stream is capturing")

    def captured(self, issue: Callable[[], object]) -> EmulatedGraph:
        self._require_no_capture("captured")
        self._capturing = graph = EmulatedGraph(self._emulation)
        try:
            issue()
        finally:
            self._capturing = None
        return graph

    def replay(self, captured: EmulatedGraph) -> None:
        self._require_no_capture("replay")
        jobs = tuple(captured.jobs)  # later changes do not affect this replay

        def run() -> None:
            for job in jobs:
                job()

        self._work(run)

    def record(self) -> EmulatedEvent:
        self._require_no_capture("record")
        self._emulation.require_well()
        event = EmulatedEvent(self._emulation)

        def reach() -> None:
            problem, self._problem = self._problem, None
            event.reach(problem)

        self._jobs.put(reach)
        return event

    def wait(self, event: EmulatedEvent) -> None:
        self._require_no_capture("wait")
        self._emulation.require_well()
        self._jobs.put(event.pause)

    def launch(self, launch: Launch, record: bytes) -> None:
        job = launch.function.job(self._emulation.room, launch, record)
        if self._capturing is not None:
            self._capturing.kernels.append(len(self._capturing.jobs))
        self._work(job)

    def write(self, address: int, source: Bytes) -> None:
        room = self._emulation.room
        self._work(lambda: np.copyto(room.at(address, source.nbytes), source))

    def read(self, target: Bytes, address: int) -> None:
        room = self._emulation.room
        self._work(lambda: np.copyto(target, room.at(address, target.nbytes)))

    def copy(self, target: int, source: int, nbytes: int, device: int) -> None:
        room, other = self._emulation.room, self._emulation.others[device].room
        self._work(lambda: np.copyto(room.at(target, nbytes), other.at(source, nbytes)))

    def multiply(self, gemm: Gemm, a: int, b: int, c: int) -> None:
        """See Stream; NumPy computes it when the job runs."""
        gemm.check()
        if not self._multiplies:
            self._require_no_capture("a first product")
            self._multiplies = True
        room, views = self._emulation.room, gemm.views(a, b, c)

        def run() -> None:
            for address, shape, dtype, strides in views:
                last = sum((n - 1) * step for n, step in zip(shape, strides, strict=True))
                room.check(address, last + dtype.itemsize)
            x, y, out = (room.array(view) for view in views)
            wide = np.float32 if gemm.dtype.itemsize == 2 else gemm.dtype
            product = np.matmul(x.astype(wide), y.astype(wide))
            out[...] = product + out.astype(wide) if gemm.adds else product

        self._work(run)

    def call(self, function: Callable[..., object], views: Sequence[View]) -> None:
        """See Stream; the library is NumPy."""
        self._require_no_capture("call")
        room = self._emulation.room

        def run() -> None:
            for address, *_ in views:
                room.check(address)
            try:
                function(np, *(room.array(view) for view in views))
            except Exception as problem:
                self._problem = problem

        self._work(run)

    def synchronize(self) -> None:
        self.record().synchronize()


class EmulatedFunction:
    """A kernel's host form, for records with the device's addresses."""

    def __init__(self, code: Code) -> None:
        self.name, self._pointers, self._run = code.name, code.pointers, code.host()

    def job(self, room: Room, launch: Launch, record: bytes) -> Job:
        """Return a launch as a job; raise DeviceError if its extents are not valid."""
        blocks, threads = launch.blocks, launch.threads
        if not 0 < math.prod(three(blocks)) < 1 << 31 or not 0 < math.prod(three(threads)) <= 1024:
            raise DeviceError(f"launch of {self.name}: {blocks} blocks of {threads} threads")
        return lambda: self.run(room, record)

    def run(self, room: Room, record: bytes) -> None:
        """Run it on the bytes that the addresses stand for."""
        words = np.frombuffer(record, np.int64).copy()
        for place in range(2, 2 + self._pointers):
            room.check(int(words[place]))
            words[place] += room.offset
        self._run(words)
