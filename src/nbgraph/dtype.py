"""Supported dtypes, their promotion, and the precision in which operators compute."""

import functools
from collections.abc import Sequence
from typing import Any

import numpy as np

from nbgraph.errors import DTypeError

Dtype = np.dtype[Any]
SUPPORTED = (
    *("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
    *("float16", "bfloat16", "float32", "float64"),
    *("complex64", "complex128"),
)
# indexed by MXNet's numbers of dtypes
MXNET_DTYPES = ("float32", "float64", "float16", "uint8", "int32", "int8", "int64", "bool")
_NAMES = frozenset(SUPPORTED)
_FLOATS = frozenset(("float16", "bfloat16", "float32", "float64"))


@functools.cache
def bfloat16() -> Dtype:
    """Return the bfloat16 dtype of ml_dtypes; raise DTypeError if that is not installed."""
    try:
        import ml_dtypes
    except ImportError:
        raise DTypeError(
            "bfloat16 needs the package ml_dtypes: pip install 'nbgraph[bfloat16]'"
        ) from None
    return np.dtype(ml_dtypes.bfloat16)


@functools.cache
def name_of(dtype: Dtype) -> str:
    """Return `dtype.name`, cached because NumPy computes it anew each time."""
    return dtype.name


def as_dtype(value: object, where: str = "dtype") -> Dtype:
    """Convert anything that NumPy accepts as a dtype, or the name 'bfloat16', to a supported dtype.
    `where`: the beginning of error messages."""
    if isinstance(value, str) and value == "bfloat16":
        return bfloat16()
    try:
        dtype = np.dtype(value)  # type: ignore[call-overload]
    except TypeError:
        shape = isinstance(value, (int, tuple))
        hint = "; a shape of several axes is one tuple, as in zeros((2, 3))" if shape else ""
        hint = "; keepdims is given by name: keepdims=True" if isinstance(value, bool) else hint
        raise DTypeError(
            f"dtype={value!r}; expected a dtype, such as {', '.join(SUPPORTED[-5:])}{hint}"
        ) from None
    return require_supported(dtype, where)


def require_supported(dtype: Dtype, where: str = "dtype") -> Dtype:
    """Return the dtype in native byte order; raise DTypeError if it is not supported."""
    if name_of(dtype) in _NAMES:
        return dtype if dtype.isnative else dtype.newbyteorder("=")
    listed = ", ".join(SUPPORTED) + "; cast numbers, as with x.astype(float)" * dtype.hasobject
    listed += "; number labels, as with np.unique(x, return_inverse=True)[1]" * (dtype.kind in "SU")
    raise DTypeError(f"{where}: {dtype} is not supported; supported: {listed}")


def is_float(dtype: Dtype) -> bool:
    """Return whether it is float16, bfloat16, float32 or float64."""
    return name_of(dtype) in _FLOATS


def inexact(dtype: Dtype) -> bool:
    """Return whether it is a floating or a complex dtype."""
    return dtype.kind == "c" or is_float(dtype)


def real_dtype(dtype: Dtype) -> Dtype:
    """Return the dtype of the real part of a complex dtype, and any other dtype unchanged.

    >>> real_dtype(np.dtype("complex64")), real_dtype(np.dtype("int8"))
    (dtype('float32'), dtype('int8'))
    """
    return np.dtype(f"float{4 * dtype.itemsize}") if dtype.kind == "c" else dtype


def compute_dtype(dtype: Dtype) -> str:
    """Return the dtype of arithmetic: itself for float64 and complex dtypes, else float32."""
    if dtype.kind == "c":
        return name_of(dtype)
    return "float64" if name_of(dtype) == "float64" else "float32"


def not_common(name: str, dtypes: Sequence[Any]) -> DTypeError:
    """Return the error for operands of operator `name` whose dtypes NumPy does not promote, such as
    bfloat16 and int64."""
    listed = ", ".join(str(d) for d in dtypes if isinstance(d, np.dtype))
    return DTypeError(
        f"{name}: operands have dtypes {listed}, which have no common one; expected dtypes that "
        "np.result_type promotes: cast one, as with x.astype('float32')"
    )


def float_of_integers(dtypes: Sequence[Dtype], *, divides: bool) -> Dtype:
    """Return the result dtype of a floating function of integers, as in NumPy: float64 for
    division, and otherwise the smallest float that represents the integers.

    >>> float_of_integers([np.dtype("int8")], divides=False).name
    'float16'
    """
    if divides:
        return np.dtype("float64")
    each = [np.result_type(np.float16, dtype) for dtype in dtypes]  # not of int8 and uint8 together
    return max(each, key=lambda dtype: dtype.itemsize)
