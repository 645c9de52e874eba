"""Launches of NVIDIA's driver captured as one: what is launched in a graph may be changed."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from ctypes import POINTER, byref, c_uint, c_void_p
from typing import TYPE_CHECKING, Any, NamedTuple

from nbgraph.device.protocol import Extent, three
from nbgraph.errors import DeviceError

if TYPE_CHECKING:
    from nbgraph.device.nvidia import NvidiaDriver


class NvidiaFunction(NamedTuple):
    """A kernel that is loaded; `order` as in Code."""

    handle: int
    order: tuple[int, ...] | None


def parameters(function: NvidiaFunction, record: bytes) -> Any:
    """Addresses of a launch's parameters, in the record, which is held until the call is over: the
    driver copies what lies there."""
    held = ctypes.c_char_p(record)
    start = ctypes.cast(held, c_void_p).value or 0
    places = [start] if function.order is None else [start + 8 * k for k in function.order]
    return (c_void_p * len(places))(*places)


class NodeParams(ctypes.Structure):
    """CUDA_KERNEL_NODE_PARAMS_v2; a kernel and a context that are not given are those of the
    function."""

    _fields_ = (
        ("function", c_void_p),
        *((name, c_uint) for name in ("gx", "gy", "gz", "bx", "by", "bz", "shared")),
        ("parameters", POINTER(c_void_p)),
        ("extra", c_void_p),
        ("kernel", c_void_p),
        ("context", c_void_p),
    )


class NvidiaGraph:
    """Launches as one, ready to be run; `nodes` are those of kernels, in their order."""

    __slots__ = ("_driver", "_graph", "_nodes", "device", "handle")

    def __init__(self, driver: NvidiaDriver, device: int, graph: int, nodes: Sequence[int]) -> None:
        self._driver, self.device, self._nodes = driver, device, nodes
        self._graph = graph  # what is run is told of its nodes by those of the graph it was made of
        self.handle = 0
        self.handle = driver.made(device, "cuGraphInstantiateWithFlags", graph, 0)

    def node(self, place: int) -> NvidiaNode:
        """See Captured."""
        return NvidiaNode(self, self._nodes[place])

    def change(self, node: int, launch: NodeParams) -> None:
        """What a node launches from the next replay on. The driver copies it."""
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
    """See Launcher: a kernel in a graph."""

    graph: NvidiaGraph
    handle: int

    def launch(
        self,
        function: NvidiaFunction,
        blocks: Extent,
        threads: Extent,
        record: bytes,
        shared: int = 0,
    ) -> None:
        """See Captured."""
        places = parameters(function, record)
        self.graph.change(
            self.handle,
            NodeParams(function.handle, *three(blocks), *three(threads), shared, places),
        )
