"""Streams of NVIDIA's driver, and the events that they leave."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from ctypes import POINTER, byref, c_int, c_size_t, c_void_p
from typing import TYPE_CHECKING

from nbgraph.device import foreign
from nbgraph.device.gemm import Gemm
from nbgraph.device.nvidia_graphs import NvidiaFunction, NvidiaGraph, parameters
from nbgraph.device.protocol import Bytes, Extent, View, three
from nbgraph.errors import DeviceError

if TYPE_CHECKING:
    from nbgraph.device.cublas import Multiplier
    from nbgraph.device.nvidia import NvidiaDriver

NON_BLOCKING = 1  # of streams: they do not wait for the legacy stream
_NO_TIMING, _BLOCKING = 2, 1  # of events; the latter: who waits sleeps
_NOT_READY = 600
_CAPTURING = 1  # CU_STREAM_CAPTURE_STATUS_ACTIVE
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


class NvidiaStream:
    """A queue of a device."""

    def __init__(self, driver: NvidiaDriver, device: int, handle: int = 0) -> None:
        self._driver, self.device = driver, device
        self.handle = handle or driver.made(device, "cuStreamCreate", NON_BLOCKING)
        self._products: Multiplier | None = None
        self._nodes: list[int] | None = None  # kernels of the graph that is being captured

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
        places = parameters(function, record)
        self._driver.on(
            *(self.device, "cuLaunchKernel", function.handle, *three(blocks), *three(threads)),
            *(shared, self.handle, places, None),
        )
        if self._nodes is not None:
            self._nodes.append(self._last_node())

    def _last_node(self) -> int:
        """The node of the launch that was just captured: all that comes next depends on it, and on
        it alone."""
        status, count, found = c_int(), c_size_t(), POINTER(c_void_p)()
        self._driver.on(
            *(self.device, "cuStreamGetCaptureInfo_v2", self.handle, byref(status), None, None),
            *(byref(found), byref(count)),
        )
        if status.value != _CAPTURING or count.value != 1:
            raise DeviceError(
                f"a launch was not captured as one node (status {status.value}, {count.value} "
                "nodes); please report this"
            )
        return found[0] or 0

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
        self._nodes = nodes = []
        try:
            issue()
        except BaseException:
            self._end_capture(quietly=True)
            raise
        return NvidiaGraph(self._driver, self.device, self._end_capture(), nodes)

    def _end_capture(self, *, quietly: bool = False) -> int:
        """The graph; `quietly`: none, as something else went wrong."""
        self._nodes = None
        try:
            graph = self._driver.made_of(self.device, "cuStreamEndCapture", self.handle)
        except DeviceError:
            if quietly:
                return 0
            raise
        if quietly:
            self._driver.on(self.device, "cuGraphDestroy", graph)
        return graph

    def replay(self, captured: NvidiaGraph) -> None:
        """See Stream."""
        self._driver.on(self.device, "cuGraphLaunch", captured.handle, self.handle)

    def call(self, function: Callable[..., object], views: Sequence[View]) -> None:
        """See Stream; by CuPy."""
        foreign.call(function, views, self.device, self.handle)

    def synchronize(self) -> None:
        """See Stream."""
        self._driver.on(self.device, "cuStreamSynchronize", self.handle)
