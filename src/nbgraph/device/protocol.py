"""What a GPU is driven by: one protocol, NVIDIA's driver behind it or an emulation of one.

A driver knows devices by number, hands out memory by address, and has streams: queues that carry
work out in their order, each by itself. What lies between two streams is said by events. Methods
may be called from any thread. Errors of a device are DeviceErrors; those of work that was taken in
show when its event is waited for.
"""

from __future__ import annotations

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
    """Along three axes.

    >>> three(5), three((2, 3, 4))
    ((5, 1, 1), (2, 3, 4))
    """
    return (extent, 1, 1) if isinstance(extent, int) else extent


class Code(Protocol):
    """A kernel, as a driver takes it in. It is launched with a record of 64-bit words, of which
    `pointers` from the third on are addresses."""

    name: str  # of the entry; known once there is a text
    pointers: int

    @property
    def order(self) -> tuple[int, ...] | None:
        """The words of the record that are parameters, one each; None: the record is the one."""
        ...

    def ptx(self, capability: Capability) -> str | bytes:
        """Return the text for devices of a capability, and those above; or machine code for the
        device whose context is the calling thread's."""
        ...

    def host(self) -> Callable[[Bytes], None]:
        """What does the same on the host, given a record whose addresses are the host's."""
        ...


class Event(Protocol):
    """A point in a stream's work."""

    def synchronize(self) -> None:
        """Wait until it is reached; DeviceError where the device has failed on the way."""
        ...

    def done(self) -> bool:
        """Return whether it is reached; a failure counts as that."""
        ...


class Launch(NamedTuple):
    """A kernel in so many blocks of threads, each with bytes of dynamic shared memory."""

    function: Any
    blocks: Extent
    threads: Extent
    shared: int = 0


class Launcher(Protocol):
    """What kernels are given to."""

    def launch(self, launch: Launch, record: bytes) -> None:
        """Run a kernel on a record."""
        ...


class Captured(Protocol):
    """Launches and products as one. Changing one and replaying it take turns."""

    def node(self, place: int) -> Launcher:
        """Return the kernel that was launched at this place among the captured ones. What is
        launched here instead stands there from the next replay on; those that were asked for stay
        as they were."""
        ...


class Stream(Launcher, Protocol):
    """A queue of a device. Each method takes work in, and returns before it is done."""

    device: int
    handle: int  # the driver's own name for it: of NVIDIA's a CUstream

    def record(self) -> Event:
        """Return the point behind all that was taken in so far."""
        ...

    def wait(self, event: Any) -> None:
        """What is taken in from now on begins behind an event, of whatever stream or device."""
        ...

    def write(self, address: int, source: Bytes) -> None:
        """Copy pinned memory, which stays as it is until then, to the device."""
        ...

    def read(self, target: Bytes, address: int) -> None:
        """Copy the device's memory to pinned memory."""
        ...

    def copy(self, target: int, source: int, nbytes: int, device: int) -> None:
        """Copy memory of `device`, this one or another, to this device."""
        ...

    def multiply(self, gemm: Gemm, a: int, b: int, c: int) -> None:
        """Products of the matrices at these addresses; see `Driver.require_products`."""
        ...

    def call(self, function: Callable[..., object], views: Sequence[View]) -> None:
        """Have `function(xp, *arrays)` work on memory of the device: `xp` is an array library like
        NumPy, whose work goes to this stream. DeviceError where there is none. An exception that
        it raises is that of the work: it comes from here, or from the event behind it."""
        ...

    def captured(self, issue: Callable[[], object]) -> Captured:
        """The launches and products that `issue()` asks of this stream, as one thing; none of them
        runs. Each was asked for once before: libraries make what they need at their first use."""
        ...

    def replay(self, captured: Any) -> None:
        """Run what was captured, as it is now."""
        ...

    def synchronize(self) -> None:
        """Wait for all that was taken in."""
        ...


class Driver(Protocol):
    """The devices of one kind."""

    name: str

    def count(self) -> int:
        """How many devices there are."""
        ...

    def title(self, device: int) -> str:
        """What the device is called."""
        ...

    def capability(self, device: int) -> Capability:
        """Return the compute capability, such as (9, 0)."""
        ...

    def multiprocessors(self, device: int) -> int:
        """How many blocks of threads at least run at once."""
        ...

    def resident(self, device: int) -> int:
        """How many threads a multiprocessor holds."""
        ...

    def memory(self, device: int) -> tuple[int, int]:
        """Bytes that are free, and that there are."""
        ...

    def allocate(self, device: int, nbytes: int) -> int:
        """Return the address of fresh memory, at a multiple of 256; 0: there is not enough."""
        ...

    def free(self, device: int, address: int) -> None:
        """Give memory back, which nothing uses any more."""
        ...

    def trim(self, device: int) -> None:
        """Keep no memory that was given back."""
        ...

    def pinned(self, nbytes: int) -> Bytes:
        """Memory of the host that devices copy from and to by themselves."""
        ...

    def stream(self, device: int) -> Stream:
        """Return a new stream."""
        ...

    def foreign(self, device: int, handle: int) -> Stream:
        """Return a stream of another library in this process: 1 is the legacy default one, 2 the
        calling thread's default, else its handle, which is in use as long as the stream."""
        ...

    def settled(self, device: int, handle: int) -> int:
        """A stream whose work is behind that of the one given from its next event on, and which is
        there for good if that can be: the legacy one waits for all streams that do not say no."""
        ...

    def owner(self, address: int) -> int:
        """Return the device that an address is of; -1: none."""
        ...

    def function(self, device: int, code: Code) -> Any:
        """Return a kernel, ready for `Stream.launch`."""
        ...

    def require_products(self) -> None:
        """DeviceError where there is no library for `Stream.multiply`."""
        ...
