"""Streams of NVIDIA's driver: their events, launches captured as a graph whose nodes may be
changed, and work of CuPy, an array library, on our memory."""

from __future__ import annotations

import ctypes
import importlib
from collections.abc import Callable, Sequence
from ctypes import POINTER, byref, c_int, c_size_t, c_uint, c_void_p
from typing import TYPE_CHECKING, Any, NamedTuple

from nbgraph.device.gemm import Gemm
from nbgraph.device.protocol import Bytes, Captured, Event, Launch, Stream, View, three
from nbgraph.errors import DeviceError

if TYPE_CHECKING:
    from nbgraph.device.cublas import Multiplier
    from nbgraph.device.nvidia import NvidiaDriver


def call_library(
    function: Callable[..., object], views: Sequence[View], device: int, stream: int
) -> None:
    """Call `function(cupy, *arrays)` on a stream; see `protocol.Stream.call`."""
    cupy = _cupy()
    errors = importlib.import_module("cupyx").errstate(linalg="raise")  # default: invalid results
    # CuPy takes an external stream as one of the current device
    with cupy.cuda.Device(device), cupy.cuda.Stream.from_external(_Lent(stream)), errors:
        function(cupy, *(_array(cupy, device, view) for view in views))


class _Lent(NamedTuple):
    """A stream lent to CuPy, which does not destroy it."""

    handle: int

    def __cuda_stream__(self) -> tuple[int, int]:
        """Return the protocol's version, and the stream's handle."""
        return 0, self.handle


def _cupy() -> Any:
    try:
        return importlib.import_module("cupy")
    except ImportError:
        raise DeviceError(
            "what is asked for is done by CuPy, which is not installed: pip install "
            "'nbgraph[cuda13]', or use x.to(ng.cpu())"
        ) from None


def _array(cupy: Any, device: int, view: View) -> Any:
    """Return our memory as an array of CuPy."""
    address, shape, dtype, strides = view
    steps = sum((n - 1) * abs(step) for n, step in zip(shape, strides, strict=True))
    extent = 0 if 0 in shape else steps + dtype.itemsize
    memory = cupy.cuda.UnownedMemory(address, extent, None, device)
    return cupy.ndarray(shape, dtype, cupy.cuda.MemoryPointer(memory, 0), strides)


class NvidiaFunction(NamedTuple):
    """A loaded kernel; `order` like that of Code."""

    handle: int
    order: tuple[int, ...] | None


def parameters(function: NvidiaFunction, record: bytes) -> Any:
    """Return the addresses of a launch's parameters in `record`, which must outlive the call."""
    buffer = ctypes.c_char_p(record)
    start = ctypes.cast(buffer, c_void_p).value or 0
    places = [start] if function.order is None else [start + 8 * k for k in function.order]
    return (c_void_p * len(places))(*places)


def extents(launch: Launch) -> tuple[int, ...]:
    """Return blocks and threads along three axes, and bytes of shared memory, for the driver."""
    return *three(launch.blocks), *three(launch.threads), launch.shared


class NodeParams(ctypes.Structure):
    """CUDA_KERNEL_NODE_PARAMS_v2; kernel and context default to the function's."""

    _fields_ = (
        ("function", c_void_p),
        *((name, c_uint) for name in ("gx", "gy", "gz", "bx", "by", "bz", "shared")),
        ("parameters", POINTER(c_void_p)),
        ("extra", c_void_p),
        ("kernel", c_void_p),
        ("context", c_void_p),
    )


class NvidiaGraph(Captured):
    """An executable graph of captured launches; `nodes` are those of kernels, in their order."""

    __slots__ = ("_driver", "_graph", "_nodes", "device", "handle")

    def __init__(self, driver: NvidiaDriver, device: int, graph: int, nodes: Sequence[int]) -> None:
        self._driver, self.device, self._nodes = driver, device, nodes
        self._graph = graph  # kept, as its nodes identify those of the executable graph
        self.handle = 0
        self.handle = driver.create(device, "cuGraphInstantiateWithFlags", graph, 0)

    def node(self, place: int) -> NvidiaNode:
        return NvidiaNode(self, self._nodes[place])

    def change(self, node: int, launch: NodeParams) -> None:
        """Set the launch of a node from the next replay on. The driver copies the parameters."""
        self._driver.on(
            *(self.device, "cuGraphExecKernelNodeSetParams_v2", self.handle, node, byref(launch))
        )

    def __del__(self) -> None:
        try:
            if self.handle:
                self._driver.on(self.device, "cuGraphExecDestroy", self.handle)
            self._driver.on(self.device, "cuGraphDestroy", self._graph)
        except (AttributeError, TypeError, DeviceError):  # half made, or the process is going
            return


class NvidiaNode(NamedTuple):
    """A kernel in a graph."""

    graph: NvidiaGraph
    handle: int

    def launch(self, launch: Launch, record: bytes) -> None:
        """See Captured."""
        own = (launch.function.handle, *extents(launch), parameters(launch.function, record))
        self.graph.change(self.handle, NodeParams(*own))


NON_BLOCKING = 1  # of streams: they do not wait for the legacy stream
_NO_TIMING, _BLOCKING = 2, 1  # of events; the latter: waiting threads sleep
_NOT_READY = 600
_CAPTURING = 1  # CU_STREAM_CAPTURE_STATUS_ACTIVE
_RELAXED = 2  # of captures: all threads may call any function meanwhile


class NvidiaEvent(Event):
    """A point in a stream's work."""

    __slots__ = ("_driver", "device", "handle")

    def __init__(self, driver: NvidiaDriver, device: int) -> None:
        self._driver, self.device = driver, device
        self.handle = driver.create(device, "cuEventCreate", _NO_TIMING | _BLOCKING)

    def synchronize(self) -> None:
        self._driver.on(self.device, "cuEventSynchronize", self.handle)

    def done(self) -> bool:
        self._driver.enter(self.device)
        return self._driver.library.cuEventQuery(self.handle) != _NOT_READY  # type: ignore[attr-defined]

    def __del__(self) -> None:
        try:
            self._driver.on(self.device, "cuEventDestroy_v2", self.handle)
        except (AttributeError, TypeError, DeviceError):  # half made, or the process is going
            return


class NvidiaStream(Stream):
    """A queue of a device."""

    def __init__(self, driver: NvidiaDriver, device: int, handle: int = 0) -> None:
        self._driver, self.device = driver, device
        self.handle = handle or driver.create(device, "cuStreamCreate", NON_BLOCKING)
        self._products: Multiplier | None = None
        self._nodes: list[int] | None = None  # kernels of the graph that is being captured

    def __cuda_stream__(self) -> tuple[int, int]:
        """Return the protocol's version and the stream's handle, for other libraries."""
        return 0, self.handle

    def record(self) -> NvidiaEvent:
        event = NvidiaEvent(self._driver, self.device)
        self._driver.on(self.device, "cuEventRecord", event.handle, self.handle)
        return event

    def wait(self, event: NvidiaEvent) -> None:
        self._driver.on(self.device, "cuStreamWaitEvent", self.handle, event.handle, 0)

    def launch(self, launch: Launch, record: bytes) -> None:
        places = parameters(launch.function, record)
        self._driver.on(
            *(self.device, "cuLaunchKernel", launch.function.handle, *extents(launch)),
            *(self.handle, places, None),
        )
        if self._nodes is not None:
            self._nodes.append(self._last_node())

    def _last_node(self) -> int:
        """Return the node of the last captured launch, on which the next one depends."""
        status, count, nodes = c_int(), c_size_t(), POINTER(c_void_p)()
        self._driver.on(
            *(self.device, "cuStreamGetCaptureInfo_v2", self.handle, byref(status), None, None),
            *(byref(nodes), byref(count)),
        )
        if status.value != _CAPTURING or count.value != 1:
            raise DeviceError(
                f"a launch was not captured as one node (status {status.value}, {count.value} "
                "nodes); please report this"
            )
        return nodes[0] or 0

    def write(self, address: int, source: Bytes) -> None:
        where = source.__array_interface__["data"][0]
        self._driver.on(
            self.device, "cuMemcpyHtoDAsync_v2", address, where, source.nbytes, self.handle
        )

    def read(self, target: Bytes, address: int) -> None:
        where = target.__array_interface__["data"][0]
        self._driver.on(
            self.device, "cuMemcpyDtoHAsync_v2", where, address, target.nbytes, self.handle
        )

    def copy(self, target: int, source: int, nbytes: int, device: int) -> None:
        driver = self._driver
        if device == self.device:
            driver.on(device, "cuMemcpyDtoDAsync_v2", target, source, nbytes, self.handle)
            return
        here, there = driver.context(self.device), driver.context(device)
        driver.on(
            *(self.device, "cuMemcpyPeerAsync", target, here, source, there, nbytes, self.handle)
        )

    def multiply(self, gemm: Gemm, a: int, b: int, c: int) -> None:
        """See Stream; cuBLAS computes it."""
        if self._products is None:
            self._products = self._driver.multiplier(self)
        self._driver.enter(self.device)
        self._products.multiply(gemm, a, b, c)

    def captured(self, issue: Callable[[], object]) -> NvidiaGraph:
        self._driver.on(self.device, "cuStreamBeginCapture_v2", self.handle, _RELAXED)
        self._nodes = nodes = []
        try:
            issue()
        except BaseException:
            self._end_capture(quietly=True)
            raise
        return NvidiaGraph(self._driver, self.device, self._end_capture(), nodes)

    def _end_capture(self, *, quietly: bool = False) -> int:
        """Return the graph; `quietly`: drop it and raise nothing, after another error."""
        self._nodes = None
        try:
            graph = self._driver.create_last(self.device, "cuStreamEndCapture", self.handle)
        except DeviceError:
            if quietly:
                return 0
            raise
        if quietly:
            self._driver.on(self.device, "cuGraphDestroy", graph)
        return graph

    def replay(self, captured: NvidiaGraph) -> None:
        self._driver.on(self.device, "cuGraphLaunch", captured.handle, self.handle)

    def call(self, function: Callable[..., object], views: Sequence[View]) -> None:
        """See Stream; the library is CuPy."""
        call_library(function, views, self.device, self.handle)

    def synchronize(self) -> None:
        self._driver.on(self.device, "cuStreamSynchronize", self.handle)
