"""Leases: memory lent to another library, until it lets go of it. Nobody here writes it meanwhile,
and it is not given to another array.

On a device work of the other library may be unfinished when it lets go. What comes here then is
ordered behind it, on the stream that it named when it took the memory.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from nbgraph.array import chunk
from nbgraph.array.core import Array
from nbgraph.device import driver
from nbgraph.engine.streams import device_queue
from nbgraph.errors import DeviceError


class Lease:
    """A chunk lent to another library; the lease ends when the object dies.

    `stream`: on a device the handle of the stream that the library uses it on.
    """

    __slots__ = ("__array_interface__", "_chunk", "_holder", "_stream")

    def __init__(self, array: Array, stream: int) -> None:
        self._holder = chunk.shared(array)  # the block is not given to another array meanwhile
        self._chunk, self._stream = array._chunk, stream
        own = array._layout
        self.__array_interface__ = {
            "data": (array._address, bool(array._chunk.locked)),
            "shape": own.shape,
            "strides": own.strides,
            "typestr": "<u2" if own.dtype.name == "bfloat16" else own.dtype.str,
            "version": 3,
        }
        chunk.lend(self._chunk)

    def __del__(self) -> None:
        try:
            if self._stream:
                self._follow()
        except (AttributeError, TypeError, RuntimeError, DeviceError):  # the process, or the device
            pass
        try:
            chunk.take_back(self._chunk)
        except (AttributeError, TypeError):  # half made, or the interpreter is going
            return

    def _follow(self) -> None:
        device = self._chunk.device
        event = driver().foreign(device.device_id, self._stream).record()
        device_queue(device).follow(self._chunk.number, event, keep=self._holder)


def leased(array: Array, stream: int = 0) -> np.ndarray[Any, Any]:
    """Return the memory as a NumPy array for another library; wait."""
    chunk.wait(array._chunk)
    return np.asarray(Lease(array, stream))
