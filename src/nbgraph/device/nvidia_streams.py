"""Streams of NVIDIA's driver, and what they leave: events, and launches captured as one."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from ctypes import c_void_p
from typing import TYPE_CHECKING, NamedTuple

from nbgraph.device import foreign
from nbgraph.device.gemm import Gemm
from nbgraph.device.protocol import Bytes, Extent, View, three
from nbgraph.errors import DeviceError

if TYPE_CHECKING:
    from nbgraph.device.cublas import Multiplier
    from nbgraph.device.nvidia import NvidiaDriver

NON_BLOCKING = 1  # of streams: they do not wait for the legacy stream
_NO_TIMING, _BLOCKING = 2, 1  # of events; the latter: who waits sleeps
_NOT_READY = 600
_RELAXED = 2  # of captures: other threads, and this one, may call what they like


class NvidiaEvent:
    """A point in a stream's work."""

    __slots__ = ("_driver", "device", "handle")

    def __init__(self, driver: NvidiaDriver, device: int) -> None:
        self._driver, self.device = driver, device
        self.handle = driver.made(device, "cuEventCreate", _NO_TIMING | _BLOCKING)

    def synchronize(self) -> None:
        """See Event."""
        self._driver.on(self.device, "cuEventSynchronize", self.handle)

    def done(self) -> bool:
        """See Event."""
        self._driver.enter(self.device)
        return self._driver.library.cuEventQuery(self.handle) != _NOT_READY  # type: ignore[attr-defined]

    def __del__(self) -> None:
        try:
            self._driver.on(self.device, "cuEventDestroy_v2", self.handle)
        except (AttributeError, TypeError, DeviceError):  # half made, or the process is going
            return


class NvidiaGraph:
    """Launches as one, ready to be run."""

    __slots__ = ("_driver", "device", "handle")

    def __init__(self, driver: NvidiaDriver, device: int, graph: int) -> None:
        self._driver, self.device = driver, device
        try:
            self.handle = driver.made(device, "cuGraphInstantiateWithFlags", graph, 0)
        finally:
            driver.on(device, "cuGraphDestroy", graph)

    def __del__(self) -> None:
        try:
            self._driver.on(self.device, "cuGraphExecDestroy", self.handle)
        except (AttributeError, TypeError, DeviceError):  # half made, or the process is going
            return


class NvidiaFunction(NamedTuple):
    """A kernel that is loaded; `order` as in Code."""

    handle: int
    order: tuple[int, ...] | None


class NvidiaStream:
    """A queue of a device."""

    def __init__(self, driver: NvidiaDriver, device: int, handle: int = 0) -> None:
        self._driver, self.device = driver, device
        self.handle = handle or driver.made(device, "cuStreamCreate", NON_BLOCKING)
        self._products: Multiplier | None = None

    def __cuda_stream__(self) -> tuple[int, int]:
        """What other libraries ask for the stream by."""
        return 0, self.handle

    def record(self) -> NvidiaEvent:
        """See Stream."""
        event = NvidiaEvent(self._driver, self.device)
        self._driver.on(self.device, "cuEventRecord", event.handle, self.handle)
        return event

    def wait(self, event: NvidiaEvent) -> None:
        """See Stream."""
        self._driver.on(self.device, "cuStreamWaitEvent", self.handle, event.handle, 0)

    def launch(
        self,
        function: NvidiaFunction,
        blocks: Extent,
        threads: Extent,
        record: bytes,
        shared: int = 0,
    ) -> None:
        """See Stream."""
        held = ctypes.c_char_p(record)  # the driver copies it before the call returns
        start = ctypes.cast(held, c_void_p).value or 0
        places = [start] if function.order is None else [start + 8 * k for k in function.order]
        parameters = (c_void_p * len(places))(*places)
        self._driver.on(
            *(self.device, "cuLaunchKernel", function.handle, *three(blocks), *three(threads)),
            *(shared, self.handle, parameters, None),
        )

    def write(self, address: int, source: Bytes) -> None:
        """See Stream."""
        where = source.__array_interface__["data"][0]
        self._driver.on(
            self.device, "cuMemcpyHtoDAsync_v2", address, where, source.nbytes, self.handle
        )

    def read(self, target: Bytes, address: int) -> None:
        """See Stream."""
        where = target.__array_interface__["data"][0]
        self._driver.on(
            self.device, "cuMemcpyDtoHAsync_v2", where, address, target.nbytes, self.handle
        )

    def copy(self, target: int, source: int, nbytes: int, device: int) -> None:
        """See Stream."""
        driver = self._driver
        if device == self.device:
            driver.on(device, "cuMemcpyDtoDAsync_v2", target, source, nbytes, self.handle)
            return
        here, there = driver.context(self.device), driver.context(device)
        driver.on(
            *(self.device, "cuMemcpyPeerAsync", target, here, source, there, nbytes, self.handle)
        )

    def multiply(self, gemm: Gemm, a: int, b: int, c: int) -> None:
        """See Stream; by cuBLAS."""
        if self._products is None:
            self._products = self._driver.multiplier(self)
        self._driver.enter(self.device)
        self._products.multiply(gemm, a, b, c)

    def captured(self, issue: Callable[[], object]) -> NvidiaGraph:
        """See Stream."""
        self._driver.on(self.device, "cuStreamBeginCapture_v2", self.handle, _RELAXED)
        try:
            issue()
        finally:
            graph = self._driver.made_of(self.device, "cuStreamEndCapture", self.handle)
        return NvidiaGraph(self._driver, self.device, graph)

    def replay(self, captured: NvidiaGraph) -> None:
        """See Stream."""
        self._driver.on(self.device, "cuGraphLaunch", captured.handle, self.handle)

    def call(self, function: Callable[..., object], views: Sequence[View]) -> None:
        """See Stream; by CuPy."""
        foreign.call(function, views, self.device, self.handle)

    def synchronize(self) -> None:
        """See Stream."""
        self._driver.on(self.device, "cuStreamSynchronize", self.handle)
