"""The protocol of GPU drivers, which NVIDIA's driver and an emulation implement.

A driver identifies devices by number and memory by address, and has streams: independent queues,
each of which runs its work in order. Events order work of different streams. Methods may be called
from any thread. Errors of a device are DeviceErrors; those of work on a stream are raised by a wait
for its event.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np

from nbgraph.device.gemm import Gemm

Bytes = np.ndarray[Any, np.dtype[Any]]
Capability = tuple[int, int]
Extent = int | tuple[int, int, int]  # of a grid or a block, along one axis or three
# address of the first element, shape, dtype, byte strides
View = tuple[int, tuple[int, ...], np.dtype[Any], tuple[int, ...]]


def three(extent: Extent) -> tuple[int, int, int]:
    """Return an extent along three axes.

    >>> three(5), three((2, 3, 4))
    ((5, 1, 1), (2, 3, 4))
    """
    return (extent, 1, 1) if isinstance(extent, int) else extent


class Code(Protocol):
    """A kernel, for a driver to load. It is launched with a record of 64-bit words, of which
    `pointers` from the third on are addresses."""

    name: str  # of the entry; known once the text exists
    pointers: int

    @property
    def order(self) -> tuple[int, ...] | None:
        """Indices of the record's words that are parameters; None: the record is the parameter."""
        ...

    def ptx(self, capability: Capability) -> str | bytes:
        """Return the text for devices of a capability or above; or machine code for the device
        whose context is the calling thread's."""
        ...

    def host(self) -> Callable[[Bytes], None]:
        """Return the same kernel for the host, as a function of a record with host addresses."""
        ...


class Event(Protocol):
    """A point in a stream's work."""

    def synchronize(self) -> None:
        """Wait until it is reached; raise DeviceError if the device has failed before."""
        ...

    def done(self) -> bool:
        """Return whether it is reached, or the device has failed."""
        ...


class Launch(NamedTuple):
    """A kernel with its extents in blocks and threads, and its bytes of dynamic shared memory."""

    function: Any
    blocks: Extent
    threads: Extent
    shared: int = 0


class Launcher(Protocol):
    """A stream, or a node of a graph, that can launch a kernel."""

    def launch(self, launch: Launch, record: bytes) -> None:
        """Run a kernel on a record."""
        ...


class Captured(Protocol):
    """Captured launches and products, replayed as one. It must not change during a replay call."""

    def node(self, place: int) -> Launcher:
        """Return the node of kernel number `place` among the captured ones. A launch on the node
        replaces that kernel from the next replay on; replays requested before do not change."""
        ...


class Stream(Launcher, Protocol):
    """A queue of a device. Each method enqueues work, and returns before it is done."""

    device: int
    handle: int  # the driver's own name for it: of NVIDIA's a CUstream

    def record(self) -> Event:
        """Return an event after all work enqueued so far."""
        ...

    def wait(self, event: Any) -> None:
        """Start later work after an event, of any stream or device."""
        ...

    def write(self, address: int, source: Bytes) -> None:
        """Copy pinned memory, which must not change until then, to the device."""
        ...

    def read(self, target: Bytes, address: int) -> None:
        """Copy the device's memory to pinned memory."""
        ...

    def copy(self, target: int, source: int, nbytes: int, device: int) -> None:
        """Copy memory of `device`, this one or another, to this device."""
        ...

    def multiply(self, gemm: Gemm, a: int, b: int, c: int) -> None:
        """Multiply the matrices at these addresses; see `Driver.require_products`."""
        ...

    def call(self, function: Callable[..., object], views: Sequence[View]) -> None:
        """Call `function(xp, *arrays)` with arrays in memory of the device: `xp` is an array
        library like NumPy, whose work goes to this stream. Raise DeviceError if there is none. An
        exception of the function is raised here, or by the next event's wait."""
        ...

    def captured(self, issue: Callable[[], object]) -> Captured:
        """Return the launches and products that `issue()` enqueues on this stream, without running
        them. Each must have run before, as libraries initialise at their first use."""
        ...

    def replay(self, captured: Any) -> None:
        """Run captured work, with its present nodes."""
        ...

    def synchronize(self) -> None:
        """Wait for all enqueued work."""
        ...


class Driver(Protocol):
    """The devices of one kind."""

    name: str

    def count(self) -> int:
        """Return the number of devices."""
        ...

    def title(self, device: int) -> str:
        """Return the name of a device."""
        ...

    def capability(self, device: int) -> Capability:
        """Return the compute capability, such as (9, 0)."""
        ...

    def multiprocessors(self, device: int) -> int:
        """Return the number of multiprocessors, each of which runs at least a block at a time."""
        ...

    def resident(self, device: int) -> int:
        """Return the number of threads that a multiprocessor can hold."""
        ...

    def memory(self, device: int) -> tuple[int, int]:
        """Return the free and the total bytes."""
        ...

    def allocate(self, device: int, nbytes: int) -> int:
        """Return the address of new memory, at a multiple of 256, or 0 if there is not enough."""
        ...

    def free(self, device: int, address: int) -> None:
        """Free memory, which nothing uses any more."""
        ...

    def trim(self, device: int) -> None:
        """Return pooled free memory to the device."""
        ...

    def pinned(self, nbytes: int) -> Bytes:
        """Return pinned memory of the host, which devices access directly."""
        ...

    def stream(self, device: int) -> Stream:
        """Return a new stream."""
        ...

    def foreign(self, device: int, handle: int) -> Stream:
        """Return a stream of another library in this process: 1 is the legacy default stream, 2
        the calling thread's default, else a handle, valid as long as that stream exists."""
        ...

    def settled(self, device: int, handle: int) -> int:
        """Return a stream whose next event follows all work of stream `handle`: if possible the
        legacy one, which is never destroyed and waits for all streams except non-blocking ones."""
        ...

    def owner(self, address: int) -> int:
        """Return the device whose memory an address is in, or -1."""
        ...

    def function(self, device: int, code: Code) -> Any:
        """Return a loaded kernel, for `Stream.launch`."""
        ...

    def require_products(self) -> None:
        """Raise DeviceError unless there is a library for `Stream.multiply`."""
        ...
