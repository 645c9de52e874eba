"""Memory of GPUs shared with other libraries: DLPack and `__cuda_array_interface__`.

An export waits for pushed operations, so any stream may use the memory; when it is released, later
operations wait for the consumer's stream (`Lease`). For an import the other library makes a stream
of ours wait for its work, and pushed operations follow that.
"""

from typing import Any

import numpy as np

from nbgraph.array import capsule as capsules
from nbgraph.array import chunk
from nbgraph.array.core import Array, empty_of, make
from nbgraph.device import Context, driver, gpu, require
from nbgraph.dtype import require_supported
from nbgraph.engine.streams import EXCHANGE, device_queue
from nbgraph.errors import DeviceError
from nbgraph.operator.layout import layout, layout_of

CUDA = 2  # kDLCUDA
_OF_GPUS = (CUDA, 13)  # and kDLCUDAManaged
_OF_HOST = (1, 3)  # kDLCPU, kDLCUDAHost
_LEGACY = 1  # the handle that stands for the default stream
_LENT = "it belongs to another library: write to a copy, x.copy()"


# out --------------------------------------------------------------------------------------------


def capsule_of(array: Any, stream: Any, version: dict[str, Any], *, copied: bool) -> Any:
    """Return a capsule of an array on a device; wait, and lend the memory for a stream."""
    handle = _lasting(array.device, stream)
    capsule = leased(array, handle).__dlpack__(**version)
    brain = array.dtype.name == "bfloat16"
    return capsules.moved(capsule, CUDA, array.device.device_id, brain=brain, copied=copied)


def _lasting(device: Context, stream: Any) -> int:
    """Return the consumer's stream, or a permanent stream for its default one."""
    handle = _LEGACY if stream is None or stream == -1 else stream
    if not isinstance(handle, int) or isinstance(handle, bool) or handle <= 0:
        raise BufferError(
            f"__dlpack__: stream={stream!r}; expected None or 1 for the default stream, 2 for the "
            "thread's own, -1 for none, or the address of a stream"
        )
    return driver().settled(device.device_id, handle)


def interface_of(array: Array) -> dict[str, Any]:
    """Return the value of `__cuda_array_interface__`; wait, so that it needs no stream."""
    own = array._layout
    if own.dtype.kind == "V":
        raise DeviceError(
            "__cuda_array_interface__: there is no bfloat16 in it; use DLPack, or astype('float32')"
        )
    chunk.wait(array._chunk)
    return {**own.interface(array._address, locked=bool(array._chunk.locked)), "stream": None}


# in ---------------------------------------------------------------------------------------------


def on_gpu(x: Any) -> bool:
    """Return whether the memory of another library's object is a GPU's. Raise BufferError for an
    unsupported device."""
    method = getattr(type(x), "__dlpack_device__", None)
    if method is None:
        return hasattr(x, "__cuda_array_interface__")
    kind = int(method(x)[0])
    if kind not in _OF_GPUS and kind not in _OF_HOST:
        raise BufferError(
            f"from_dlpack: x is on a device of DLPack's kind {kind}; memory of the host (1) and of "
            "NVIDIA's GPUs (2) is shared; copy x to one of those first"
        )
    return kind in _OF_GPUS


def borrowed(x: Any) -> Any:
    """Return another library's array on a GPU as a read-only NDArray that shares its memory.

    DeviceError if the device does not exist, BufferError if the memory cannot be shared."""
    return _by_dlpack(x) if hasattr(x, "__dlpack__") else _by_interface(x)


def _there(number: int) -> Context:
    return require(gpu(number), f"from_dlpack: x is on gpu({number})")


def _by_dlpack(x: Any) -> Any:
    device = _there(int(x.__dlpack_device__()[1]))
    stream = device_queue(device).stream(EXCHANGE)
    try:
        capsule = x.__dlpack__(stream=stream.handle, max_version=(capsules.MAJOR, 0))
    except TypeError:  # no support for versions
        capsule = x.__dlpack__(stream=stream.handle)
    event = stream.record()  # the other library has had the stream wait for its work
    tensor = capsules.look(capsule).tensor
    dtype = capsules.dtype_of(tensor)
    shape = tuple(tensor.shape[: tensor.ndim])
    if 0 in shape:
        return empty_of(layout(shape, dtype), device)
    if (tensor.device.kind, tensor.device.number) not in [(k, device.device_id) for k in _OF_GPUS]:
        raise BufferError(
            f"from_dlpack: x.__dlpack_device__() tells {device!r}, its capsule a device "
            f"({tensor.device.kind}, {tensor.device.number}); the library that made x is wrong"
        )
    address = (tensor.data or 0) + tensor.offset
    steps = capsules.steps_of(tensor, dtype.itemsize)
    return _array(device, address, shape, dtype, steps, capsules.Taken(capsule), event)


def _by_interface(x: Any) -> Any:
    interface = x.__cuda_array_interface__
    dtype, shape = np.dtype(interface["typestr"]), tuple(map(int, interface["shape"]))
    require_supported(dtype, "from_dlpack: x")
    if not dtype.isnative or interface.get("mask") is not None:
        what = "a mask" if dtype.isnative else f"another byte order ({dtype.str})"
        raise BufferError(f"from_dlpack: x has {what}; give a copy without, in its library")
    address = int(interface["data"][0])
    number = driver().owner(address) if address else 0
    if number < 0:
        raise BufferError(
            f"from_dlpack: the memory of x, at {address:#x}, is of no device that nbgraph can use; "
            "copy x within its library to memory of a GPU"
        )
    device, stream = _there(number), interface.get("stream")
    if 0 in shape:
        return empty_of(layout(shape, dtype), device)
    if stream == 0:
        raise BufferError("from_dlpack: x has stream 0, which means nothing; expected None or 1")
    event = None if stream is None else driver().foreign(number, int(stream)).record()
    return _array(device, address, shape, dtype, interface.get("strides"), x, event)


class _At:
    """Memory of another library with NumPy's array interface; it keeps `owner` alive."""

    __slots__ = ("__array_interface__", "owner")

    def __init__(self, interface: dict[str, Any], owner: Any) -> None:
        self.__array_interface__, self.owner = interface, owner


def _array(
    device: Context,
    address: int,
    shape: tuple[int, ...],
    dtype: np.dtype[Any],
    strides: Any,
    owner: Any,
    event: Any,
) -> Any:
    if address % dtype.itemsize or any(step % dtype.itemsize for step in strides or ()):
        raise BufferError(
            f"from_dlpack: elements of x ({dtype}) are not at multiples of their size; give a copy "
            "of it, made in its library"
        )
    own = layout(shape, dtype, None if strides is None else tuple(map(int, strides)))
    words = np.asarray(_At(own.interface(address, locked=True), owner))
    view = words.view(dtype) if dtype.kind == "V" else words
    memory = chunk.borrow(view, device, readonly=_LENT)
    if event is not None:
        device_queue(device).follow(memory.number, event)
    return make(memory, address, layout_of(view), chunk.Holder(memory, view.nbytes))


class Lease:
    """A chunk lent to another library; the lease ends when the object dies.

    `stream`: on a device the handle of the stream that the library uses it on.
    """

    __slots__ = ("__array_interface__", "_chunk", "_holder", "_stream")

    def __init__(self, array: Array, stream: int) -> None:
        self._holder = chunk.shared(array)  # keeps the chunk from being recycled
        self._chunk, self._stream = array._chunk, stream
        locked = bool(array._chunk.locked)
        self.__array_interface__ = array._layout.interface(array._address, locked=locked)
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
