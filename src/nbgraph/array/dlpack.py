"""Memory shared with other libraries: DLPack in and out; buffers.

An export is a lease: it waits for what is unfinished, the memory is not used again before the
other library lets go of it, and until then nbgraph does not write there. An import is borrowed:
it is read, never written. What is more to it on a GPU is in `dlpack_device`.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from nbgraph.array import chunk
from nbgraph.array.copying import copy_of
from nbgraph.array.core import Array, from_host, make
from nbgraph.array.dlpack_device import CUDA, borrowed, capsule_of, interface_of, leased, on_gpu
from nbgraph.array.place import elsewhere
from nbgraph.device import Context
from nbgraph.dtype import require_supported
from nbgraph.errors import ArgumentError, noun
from nbgraph.operator.layout import layout_of
from nbgraph.operator.scalar.typing import of_library
from nbgraph.signatures import checked

_WRITABLE = 1  # PyBUF_WRITABLE
_HOST = (1, 0)  # kDLCPU
UNTOLD: Any = object()  # of a stream that was not named


class Exports:
    """What other libraries ask for memory by."""

    __slots__ = ()

    def __dlpack_device__(self: Any) -> tuple[int, int]:
        """Host memory, for all of `ng.cpu(i)`; a GPU's by its number."""
        device: Context = self.device
        return _HOST if device.host else (CUDA, device.device_id)

    @property
    def __cuda_array_interface__(self: Any) -> dict[str, Any]:
        """What libraries on NVIDIA's GPUs ask for; waits. AttributeError on the host, as they take
        an array that has it for one of theirs. Keep the array as long as they use the memory."""
        if self.device.host:
            raise AttributeError("__cuda_array_interface__: the array is in the host's memory")
        return interface_of(self)

    def __dlpack__(
        self: Any,
        *,
        stream: Any = UNTOLD,
        max_version: tuple[int, int] | None = None,
        dl_device: tuple[int, int] | None = None,
        copy: bool | None = None,
    ) -> Any:
        """Return a DLPack capsule of the memory, leased (or of a copy, with `copy=True`); wait.

        While it is leased nbgraph does not write there: write to a copy. BufferError where the
        consumer asks for another device, or for memory to write that is borrowed itself.

        On a GPU `stream` is the one that the memory will be used on: None or 1 the default one, 2
        the thread's own, else its address. What was begun there when the memory is let go of is
        waited for, on the device, by whatever uses it next here.

        >>> import numpy as np, nbgraph as ng
        >>> a = ng.arange(3)
        >>> b = np.from_dlpack(a)
        >>> a += 1
        Traceback (most recent call last):
        ValueError: add: out may not be written: 1 view(s) of its memory are lent to another \
library; delete those, or write to a copy
        >>> del b
        >>> a += 1
        """
        if not self.device.host:
            return _on_device(self, stream, dl_device, copy, max_version)
        if stream is not UNTOLD and stream is not None:
            raise BufferError("__dlpack__: stream is for other devices than the host; give None")
        if dl_device is not None and tuple(map(int, dl_device)) != _HOST:
            raise BufferError(
                f"__dlpack__: dl_device={tuple(dl_device)}; the array is in host memory, {_HOST}"
            )
        if self.dtype.name == "bfloat16":
            raise BufferError("__dlpack__: NumPy cannot share bfloat16; use astype('float32')")
        if copy is None and sys._getframe(1).f_globals.get("__name__", "").startswith("torch."):
            copy = min(self._layout.strides, default=0) < 0  # at which it ends the process
        values = self.asnumpy() if copy else leased(self)
        try:
            return values.__dlpack__(**_version(max_version))
        except BufferError as error:
            raise _refused(error) from None

    def __buffer__(self: Any, flags: int, /) -> memoryview:
        """Return a buffer of a copy (from Python 3.12 on); wait.

        NumPy looks here before it asks `__array__`: hence a copy, though one that np.asarray with
        `copy=False` takes for none. BufferError where it is asked for in order to write
        (`file.readinto(x)`).
        """
        if not self.device.host:
            raise BufferError(f"__buffer__: {elsewhere(self.device)}")
        if flags & _WRITABLE:
            raise BufferError("__buffer__: an NDArray's buffer is a copy; use np.from_dlpack(x)")
        self._lost("np.asarray", 3)
        return memoryview(self.asnumpy())


def _on_device(
    array: Any, stream: Any, asked: tuple[int, int] | None, copy: bool | None, version: Any
) -> Any:
    """Return the capsule of a device's memory."""
    own = array.__dlpack_device__()
    if asked is not None and tuple(map(int, asked)) != own:
        raise BufferError(
            f"__dlpack__: dl_device={tuple(asked)}; the array is on {array.device!r}, {own}; use "
            ".to(...) before"
        )
    if stream is UNTOLD and version is not None:  # NumPy, and who else knows the host alone
        raise BufferError(
            f"__dlpack__: the array is on {array.device!r}, and no stream was named: the library "
            "that asks uses the host's memory; give it x.to(ng.cpu()), or x.asnumpy()"
        )
    handle = None if stream is UNTOLD else stream
    source = array.copy() if copy else array
    try:
        return capsule_of(source, handle, _version(version), copied=bool(copy))
    except BufferError as error:
        raise _refused(error) from None


def _refused(error: BufferError) -> BufferError:
    """Return the error that NumPy or this library raised, with the remedy."""
    message = str(error).removeprefix("__dlpack__: ")
    return (
        error
        if message != str(error)
        else BufferError(f"__dlpack__: {message}; use copy=True, or x.copy()")
    )


def _version(asked: tuple[int, int] | None) -> dict[str, Any]:
    """Return what NumPy can be asked: versions, and with them read-only memory, from 2.1 on."""
    supported = np.lib.NumpyVersion(np.__version__) >= "2.1.0"
    return {"max_version": asked} if supported and asked is not None else {}


@checked
def from_dlpack(x: Any, /, *, device: Context | None = None, copy: bool | None = None) -> Any:
    """Return the array of another library (NumPy, torch, CuPy, JAX, ...) as an NDArray on its
    device.

    The memory is borrowed, and read-only for nbgraph; the other library's later writes are seen.
    `copy=True`, or a `device` other than that of `x`, gives a copy; `copy=False` refuses one.
    Objects that have `__cuda_array_interface__` alone (Numba) are taken, too. BufferError where the
    other library has no memory to share, DeviceError where its device cannot be used.

    On a GPU what runs here begins behind the work on `x` that its library has begun before the
    call. Later writes of that library are for the caller to order, as by `a.wait_to_write()`.

    >>> import numpy as np, nbgraph as ng
    >>> x = np.arange(3)
    >>> a = ng.from_dlpack(x)
    >>> x[0] = 7
    >>> a
    array([7, 1, 2])
    """
    place = x.device if isinstance(x, Array) and device is None else device or chunk.CPU
    if isinstance(x, Array):
        if place == x.device and not copy:
            return x
        _copies(copy, place)
        return copy_of(x, device=place)
    if type(x) is not np.ndarray and on_gpu(x):
        array = borrowed(x)
        if not copy and device in (None, array.device):
            return array
        _copies(copy, device or array.device)
        return copied_now(array, device=device)
    if not hasattr(x, "__dlpack__"):
        raise ArgumentError(
            f"from_dlpack: x is {noun(x)}, which has no __dlpack__; give an array, or "
            "use ng.asarray"
        )
    try:
        values = x if type(x) is np.ndarray else np.from_dlpack(x)
    except RuntimeError:  # NumPy does not know the dtype: bfloat16
        values = of_library("from_dlpack", "x", x)
    require_supported(values.dtype, "from_dlpack: x")
    if copy or place != chunk.CPU:
        _copies(copy, place)
        return from_host(values, place)
    memory = chunk.borrow(values, place)
    address = values.__array_interface__["data"][0]
    return make(memory, address, layout_of(values), chunk.Holder(memory, values.nbytes))


def copied_now(array: Any, dtype: Any = None, device: Context | None = None) -> Any:
    """Return a copy of borrowed memory of a GPU; wait, as its library may write there later."""
    copy = copy_of(array, dtype, device)
    copy.wait_to_read()
    return copy


def _copies(copy: bool | None, place: Context) -> None:
    if copy is False:
        raise BufferError(
            f"from_dlpack: copy=False, but there is no way to {place} without one; leave copy out"
        )
