"""Dtype objects (NumPy's), questions about them, and casts."""

from builtins import bool as Truth
from dataclasses import dataclass
from typing import Any

import numpy as np

from nbgraph import ops
from nbgraph.device import Context
from nbgraph.dtype import require_supported
from nbgraph.errors import ArgumentError, DTypeError, require_word

__all__ = [
    "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float32",
    "float64", "complex64", "complex128", "astype", "can_cast", "finfo", "iinfo", "isdtype",
    "result_type",
]  # fmt: skip

DType = np.dtype[Any]

bool = np.dtype("bool")
int8 = np.dtype("int8")
int16 = np.dtype("int16")
int32 = np.dtype("int32")
int64 = np.dtype("int64")
uint8 = np.dtype("uint8")
uint16 = np.dtype("uint16")
uint32 = np.dtype("uint32")
uint64 = np.dtype("uint64")
float32 = np.dtype("float32")
float64 = np.dtype("float64")
complex64 = np.dtype("complex64")
complex128 = np.dtype("complex128")

KINDS: dict[str, tuple[DType, ...]] = {
    "bool": (bool,),
    "signed integer": (int8, int16, int32, int64),
    "unsigned integer": (uint8, uint16, uint32, uint64),
    "integral": (int8, int16, int32, int64, uint8, uint16, uint32, uint64),
    "real floating": (float32, float64),
    "complex floating": (complex64, complex128),
}
KINDS["numeric"] = KINDS["integral"] + KINDS["real floating"] + KINDS["complex floating"]


@dataclass(frozen=True, slots=True)
class FInfo:
    """The results of `finfo` for a floating dtype, or a complex one's parts, as Python numbers."""

    bits: int
    eps: float
    max: float
    min: float
    smallest_normal: float
    dtype: DType


@dataclass(frozen=True, slots=True)
class IInfo:
    """The results of `iinfo` for an integer dtype, as Python numbers."""

    bits: int
    max: int
    min: int
    dtype: DType


def _dtype_of(value: Any) -> DType:
    """Return the dtype of an array or dtype."""
    return require_supported(np.dtype(getattr(value, "dtype", value)))


def astype(x: Any, dtype: Any, /, *, copy: Truth = True, device: Context | None = None) -> Any:
    """Return the values in another dtype, on `device` if given; `copy=False` may return `x` itself.

    >>> from nbgraph import xp
    >>> xp.astype(xp.asarray([1.5, 2.5]), xp.int32)
    array([1, 2], dtype=int32)
    """
    result = ops.astype(x, dtype, copy=copy)
    return result if device is None else result.to_device(device)


def can_cast(from_: Any, to: Any, /) -> Truth:
    """Return whether type promotion leads from an array's or dtype's kind and size to `to`.

    >>> can_cast(int8, int16), can_cast(float64, float32)
    (True, False)
    """
    return np.can_cast(_dtype_of(from_), _dtype_of(to))


def finfo(type: Any, /) -> FInfo:
    """Return range and precision of a floating dtype (of a complex one's parts), or an array's;
    raise DTypeError for another.

    >>> finfo(float32).bits, finfo(float64).eps == 2.0**-52
    (32, True)
    """
    dtype = _dtype_of(type)
    if dtype.kind not in "fc":
        raise DTypeError(f"finfo: {dtype} is not a floating dtype; use iinfo for integers")
    info = np.finfo(dtype)
    eps, top, low, small = map(float, (info.eps, info.max, info.min, info.smallest_normal))
    return FInfo(int(info.bits), eps, top, low, small, np.dtype(info.dtype))


def iinfo(type: Any, /) -> IInfo:
    """Return the range of an integer dtype, or an array's; raise DTypeError for another.

    >>> iinfo(int8).min, iinfo(uint8).max
    (-128, 255)
    """
    dtype = _dtype_of(type)
    if dtype.kind not in "iu":
        raise DTypeError(f"iinfo: {dtype} is not an integer dtype; use finfo for floats")
    info = np.iinfo(dtype)
    return IInfo(int(info.bits), int(info.max), int(info.min), dtype)


def isdtype(dtype: Any, kind: Any) -> Truth:
    """Return whether a dtype is `kind`: a dtype, the name of a kind, or one of a tuple of those.

    >>> isdtype(int8, "integral"), isdtype(float32, (bool, "integral"))
    (True, False)
    """
    if isinstance(kind, tuple):
        return any(isdtype(dtype, k) for k in kind)
    if not isinstance(kind, str):
        return np.dtype(dtype) == np.dtype(kind)
    return np.dtype(dtype) in KINDS[require_word("isdtype: kind", kind, KINDS)]


def result_type(*arrays_and_dtypes: Any) -> DType:
    """Return the dtype that arrays, dtypes and (weak) Python numbers promote to.

    >>> result_type(float32, 1.0), result_type(int8, uint8)
    (dtype('float32'), dtype('int16'))
    """
    if not arrays_and_dtypes:
        raise ArgumentError("result_type: nothing was given; give an array or a dtype at least")
    weak = (Truth, int, float, complex)
    operands = [v if isinstance(v, weak) else _dtype_of(v) for v in arrays_and_dtypes]
    return require_supported(np.result_type(*operands), "result_type")
