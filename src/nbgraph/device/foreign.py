"""Work that an array library, CuPy, does with our memory on our streams."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from nbgraph.device.protocol import View
from nbgraph.errors import DeviceError


def call(function: Callable[..., object], views: Sequence[View], device: int, stream: int) -> None:
    """`function(cupy, *arrays)` on a stream; see `protocol.Stream.call`."""
    cupy = _cupy()
    told = importlib.import_module("cupyx").errstate(linalg="raise")  # else it gives what it has
    # a stream of another's is of the device that is current
    with cupy.cuda.Device(device), cupy.cuda.Stream.from_external(_Lent(stream)), told:
        function(cupy, *(_array(cupy, device, view) for view in views))


class _Lent(NamedTuple):
    """A stream of ours, which CuPy does not destroy."""

    handle: int

    def __cuda_stream__(self) -> tuple[int, int]:
        """The protocol's version, and the stream."""
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
    """Memory of ours as an array of CuPy's."""
    address, shape, dtype, strides = view
    steps = sum((n - 1) * abs(step) for n, step in zip(shape, strides, strict=True))
    extent = 0 if 0 in shape else steps + dtype.itemsize
    memory = cupy.cuda.UnownedMemory(address, extent, None, device)
    return cupy.ndarray(shape, dtype, cupy.cuda.MemoryPointer(memory, 0), strides)


__all__ = ["call"]
