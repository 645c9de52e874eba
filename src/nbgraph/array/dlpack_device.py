"""DLPack of a device's memory: the capsule that another library takes, written by hand.

NumPy writes those of the host. A capsule holds the array, and its memory as lent, until the library
that took it calls the deleter.
"""

from __future__ import annotations

import ctypes
from ctypes import POINTER, c_int32, c_int64, c_uint8, c_uint16, c_uint64, c_void_p
from typing import Any

from nbgraph.array import chunk
from nbgraph.array.core import Array
from nbgraph.errors import DeviceError

CUDA = 2  # kDLCUDA
_CODES = {"i": 0, "u": 1, "f": 2, "b": 6, "V": 4}  # V: bfloat16


class _Device(ctypes.Structure):
    _fields_ = [("kind", c_int32), ("number", c_int32)]


class _DataType(ctypes.Structure):
    _fields_ = [("code", c_uint8), ("bits", c_uint8), ("lanes", c_uint16)]


class Tensor(ctypes.Structure):
    """DLTensor."""

    _fields_ = [
        ("data", c_void_p),
        ("device", _Device),
        ("ndim", c_int32),
        ("dtype", _DataType),
        ("shape", POINTER(c_int64)),
        ("strides", POINTER(c_int64)),
        ("offset", c_uint64),
    ]


class Managed(ctypes.Structure):
    """DLManagedTensor."""


_DELETER = ctypes.CFUNCTYPE(None, POINTER(Managed))
Managed._fields_ = [("tensor", Tensor), ("context", c_void_p), ("deleter", _DELETER)]
_DESTRUCTOR = ctypes.PYFUNCTYPE(None, c_void_p)  # called with the GIL

# prototypes of our own: those that hang on `pythonapi` belong to whoever sets them last
_new = ctypes.PYFUNCTYPE(ctypes.py_object, c_void_p, ctypes.c_char_p, _DESTRUCTOR)(
    ("PyCapsule_New", ctypes.pythonapi)
)
_valid = ctypes.PYFUNCTYPE(ctypes.c_int, c_void_p, ctypes.c_char_p)(
    ("PyCapsule_IsValid", ctypes.pythonapi)
)
_pointer = ctypes.PYFUNCTYPE(c_void_p, c_void_p, ctypes.c_char_p)(
    ("PyCapsule_GetPointer", ctypes.pythonapi)
)
_NAME = b"dltensor"
_held: dict[int, tuple[Any, ...]] = {}  # by address of the structure: what it points to


@_DELETER
def _delete(managed: Any) -> None:
    held = _held.pop(ctypes.addressof(managed.contents), None)
    if held is not None:
        chunk.take_back(held[1]._chunk)


@_DESTRUCTOR
def _destroy(capsule: int) -> None:
    """Of a capsule that nobody took: one that was taken has another name."""
    if _valid(capsule, _NAME):
        _delete(ctypes.cast(_pointer(capsule, _NAME), POINTER(Managed)))


def capsule_of(array: Array) -> Any:
    """A capsule of an array on a device; waits, and lends the memory."""
    own = array._layout
    chunk.wait(array._chunk)
    shape = (c_int64 * max(1, len(own.shape)))(*own.shape)
    strides = (c_int64 * max(1, len(own.shape)))(*(s // own.dtype.itemsize for s in own.strides))
    made = Managed()
    made.tensor = Tensor(
        array._address,
        _Device(CUDA, array.device.device_id),
        len(own.shape),
        _DataType(_CODES[own.dtype.kind], 8 * own.dtype.itemsize, 1),
        shape,
        strides,
        0,
    )
    made.deleter = _delete
    chunk.lend(array._chunk)
    _held[ctypes.addressof(made)] = made, array, shape, strides, chunk.shared(array)
    return _new(ctypes.addressof(made), _NAME, _destroy)


def interface_of(array: Array) -> dict[str, Any]:
    """What `__cuda_array_interface__` tells; waits, so that no stream need be waited for."""
    own = array._layout
    if own.dtype.kind == "V":
        raise DeviceError(
            "__cuda_array_interface__: there is no bfloat16 in it; use DLPack, or astype('float32')"
        )
    chunk.wait(array._chunk)
    return {
        "data": (array._address, bool(array._chunk.locked)),
        "shape": own.shape,
        "strides": own.strides,
        "typestr": own.dtype.str,
        "version": 3,
        "stream": None,
    }
