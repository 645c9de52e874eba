"""DLPack capsules: reading those of other libraries, and changing the device of NumPy's.

A capsule is a pointer with a name. The consumer renames it, and calls its deleter when the memory
is no longer used.
"""

import ctypes
import sys
from ctypes import POINTER, c_char_p, c_int32, c_int64, c_uint8, c_uint16, c_uint32, c_uint64
from ctypes import c_void_p as Pointer
from typing import Any

import numpy as np

from nbgraph.dtype import bfloat16
from nbgraph.errors import DTypeError

MAJOR = 1  # the supported major version
_READ_ONLY, _COPIED = 1, 2  # flags
_BFLOAT = 4  # code of a dtype; those of NumPy's follow
_KINDS = {0: "i", 1: "u", 2: "f", 6: "b"}


class _Device(ctypes.Structure):
    _fields_ = [("kind", c_int32), ("number", c_int32)]


class _DataType(ctypes.Structure):
    _fields_ = [("code", c_uint8), ("bits", c_uint8), ("lanes", c_uint16)]


class Tensor(ctypes.Structure):
    """DLTensor."""

    _fields_ = [
        ("data", Pointer),
        ("device", _Device),
        ("ndim", c_int32),
        ("dtype", _DataType),
        ("shape", POINTER(c_int64)),
        ("strides", POINTER(c_int64)),
        ("offset", c_uint64),
    ]


class Managed(ctypes.Structure):
    """DLManagedTensor."""

    _fields_ = [("tensor", Tensor), ("context", Pointer), ("deleter", Pointer)]


class Versioned(ctypes.Structure):
    """DLManagedTensorVersioned."""

    _fields_ = [
        ("major", c_uint32),
        ("minor", c_uint32),
        ("context", Pointer),
        ("deleter", Pointer),
        ("flags", c_uint64),
        ("tensor", Tensor),
    ]


# prototypes of our own: those that hang on `pythonapi` belong to the module that sets them last
def _api(name: str, result: Any, *arguments: Any) -> Any:
    return ctypes.PYFUNCTYPE(result, ctypes.py_object, *arguments)((name, ctypes.pythonapi))


_valid = _api("PyCapsule_IsValid", ctypes.c_int, c_char_p)
_pointer = _api("PyCapsule_GetPointer", Pointer, c_char_p)
_rename = _api("PyCapsule_SetName", ctypes.c_int, c_char_p)
_Delete = ctypes.CFUNCTYPE(None, Pointer)
# name -> structure, and the name after it was consumed (capsules keep the pointer to the name)
_SORTS: dict[bytes, tuple[Any, bytes]] = {
    b"dltensor_versioned": (Versioned, b"used_dltensor_versioned"),
    b"dltensor": (Managed, b"used_dltensor"),
}


def _sort_of(capsule: Any) -> bytes:
    """Return the name of a capsule that has not been consumed."""
    for name in _SORTS:
        if type(capsule).__name__ == "PyCapsule" and _valid(capsule, name):
            return name
    raise BufferError(
        f"from_dlpack: x.__dlpack__() gave {capsule!r}; expected a capsule that has not "
        "been consumed yet"
    )


def look(capsule: Any) -> Any:
    """Return the Managed or Versioned tensor in a capsule; raise BufferError if it was consumed."""
    name = _sort_of(capsule)
    tensor = _SORTS[name][0].from_address(_pointer(capsule, name))
    if isinstance(tensor, Versioned) and tensor.major != MAJOR:
        raise BufferError(
            f"from_dlpack: x has version {tensor.major}.{tensor.minor} of DLPack, {MAJOR}.x is "
            "read here; convert it with an __dlpack__ that respects max_version"
        )
    return tensor


class Taken:
    """The consumed content of a capsule; calls the other library's deleter at its own end."""

    __slots__ = ("_address", "_delete")

    def __init__(self, capsule: Any) -> None:
        name = _sort_of(capsule)
        struct, used = _SORTS[name]
        self._address = _pointer(capsule, name)
        deleter = struct.from_address(self._address).deleter
        self._delete = _Delete(deleter) if deleter else None
        _rename(capsule, used)

    def __del__(self) -> None:
        try:
            if self._delete is not None and not sys.is_finalizing():
                self._delete(self._address)
        except (AttributeError, TypeError):  # half made, or the interpreter is going
            return


def dtype_of(tensor: Tensor) -> np.dtype[Any]:
    """Return the dtype of a tensor's elements; raise DTypeError for unsupported ones."""
    code = tensor.dtype
    kind, size = _KINDS.get(code.code), code.bits // 8
    if code.lanes == 1 and (code.code, code.bits) == (_BFLOAT, 16):
        return np.dtype(bfloat16())
    fits = {"i": (1, 2, 4, 8), "u": (1, 2, 4, 8), "f": (2, 4, 8), "b": (1,)}
    if kind is None or code.lanes != 1 or code.bits % 8 or size not in fits[kind]:
        raise DTypeError(
            f"from_dlpack: x has elements of DLPack's code {code.code}, {code.bits} bits and "
            f"{code.lanes} lane(s); give bools, integers, or floats of 16 to 64 bits"
        )
    return np.dtype(f"{kind}{size}")


def steps_of(tensor: Tensor, itemsize: int) -> tuple[int, ...] | None:
    """Return the strides in bytes; None for a row-major tensor without strides."""
    if not tensor.strides:
        return None
    return tuple(itemsize * step for step in tensor.strides[: tensor.ndim])


def moved(capsule: Any, kind: int, number: int, *, brain: bool, copied: bool) -> Any:
    """Set the device of a capsule that NumPy has just created, and return it; `brain`: its 16-bit
    words are bfloat16."""
    tensor = look(capsule)
    tensor.tensor.device = _Device(kind, number)
    if brain:
        tensor.tensor.dtype = _DataType(_BFLOAT, 16, 1)
    if copied and isinstance(tensor, Versioned):
        tensor.flags |= _COPIED
    return capsule
