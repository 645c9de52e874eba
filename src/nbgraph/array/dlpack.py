"""Memory shared with other libraries: DLPack exports and imports, and the buffer protocol.

An export waits for unfinished operations; until the other library releases the memory, nbgraph
neither writes nor recycles it. Imported memory is read-only. The parts for GPUs are in
`dlpack_device`.
"""

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
UNTOLD: Any = object()  # the default of `stream`


class Exports:
    """The dunder methods by which other libraries share memory."""

    __slots__ = ()

    def __dlpack_device__(self: Any) -> tuple[int, int]:
        """Return DLPack's device type and number; all of `ng.cpu(i)` are the host."""
        device: Context = self.device
        return _HOST if device.host else (CUDA, device.device_id)

    @property
    def __cuda_array_interface__(self: Any) -> dict[str, Any]:
        """The CUDA array interface; waits. Keep the array as long as the memory is used. Raises
        AttributeError on the host, as its presence marks an array of a GPU."""
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

        While it is leased nbgraph does not write the memory: write to a copy. BufferError where the
        consumer asks for another device, or for writable memory that is itself borrowed.

        On a GPU `stream` is the consumer's: None or 1 for the default stream, 2 for the thread's
        own, else its address. When the memory is released, later uses here wait on the device for
        the work on that stream.

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
            copy = min(self._layout.strides, default=0) < 0  # torch aborts on negative strides
        values = self.asnumpy() if copy else leased(self)
        try:
            return values.__dlpack__(**_version(max_version))
        except BufferError as error:
            raise _refused(error) from None

    def __buffer__(self: Any, flags: int, /) -> memoryview:
        """Return a buffer of a copy (from Python 3.12 on); wait.

        NumPy prefers this to `__array__`, hence the copy; np.asarray with `copy=False` does not
        notice it. BufferError for a request of a writable buffer (`file.readinto(x)`).
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
    """Return an error of NumPy's or ours with the remedy added."""
    message = str(error).removeprefix("__dlpack__: ")
    return (
        error
        if message != str(error)
        else BufferError(f"__dlpack__: {message}; use copy=True, or x.copy()")
    )


def _version(asked: tuple[int, int] | None) -> dict[str, Any]:
    """Return the options for NumPy's `__dlpack__`, which takes versions from 2.1 on."""
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

    On a GPU operations on the result wait for the work on `x` that its library began before the
    call. The caller has to order later writes of that library, as by `a.wait_to_write()`.

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
