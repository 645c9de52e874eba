"""MXNet's files of arrays (`net-0001.params`), read as they were written: dense arrays.

A file is a header, arrays, and their names. An array is a mark of its version, the kind of storage
(from version 2 on), its axes, a device, the number of its dtype, and its elements; all in
little-endian order. The format is that of MXNet's `NDArray::Save`.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from nbgraph.dtype import MXNET_DTYPES, as_dtype
from nbgraph.errors import FormatError

HEADER = (0x112).to_bytes(8, "little")
_V1, _V2, _V3 = 0xF993FAC8, 0xF993FAC9, 0xF993FACA  # before the first, the mark is the axes' count


class _Bytes:
    """Numbers one after the other."""

    def __init__(self, data: bytes) -> None:
        self._data, self._place = data, len(HEADER) + 8

    def take(self, dtype: Any, count: int) -> np.ndarray[Any, Any]:
        array = np.frombuffer(self._data, dtype, count, self._place)
        self._place += array.nbytes
        return array

    def number(self, dtype: str) -> int:
        return int(self.take(dtype, 1)[0])


def arrays_of(data: bytes, where: str) -> list[Any] | dict[str, Any]:
    """Return the NumPy arrays of a file's bytes, by name where they have names; FormatError where
    it is damaged, or holds sparse arrays."""
    read = _Bytes(data)
    try:
        arrays = [_array(read, where) for _ in range(read.number("<u8"))]
        names = [
            read.take("u1", read.number("<u8")).tobytes().decode()
            for _ in range(read.number("<u8"))
        ]
        return dict(zip(names, arrays, strict=True)) if names else arrays
    except (ValueError, IndexError, OverflowError) as error:
        if isinstance(error, FormatError):
            raise
        raise FormatError(f"{where} is damaged ({error}); write it again") from None


def _array(read: _Bytes, where: str) -> np.ndarray[Any, Any]:
    mark = read.number("<u4")
    if mark in (_V2, _V3) and read.number("<i4") > 0:
        raise FormatError(f"{where} holds a sparse array; write array.tostype('default') of it")
    versioned = mark in (_V1, _V2, _V3)
    ndim = read.number("<i4") if versioned else mark
    shape = tuple(read.take("<i8" if versioned else "<u4", max(ndim, 0)).tolist())
    if ndim < 0 or (ndim == 0 and mark != _V3):  # an array that was never filled
        return np.zeros(0, np.float32)
    read.take("<i4", 2)  # the device
    kind = read.number("<i4")
    if not 0 <= kind < len(MXNET_DTYPES):
        raise FormatError(f"{where} holds an array of dtype {kind}, as MXNet numbers them: unknown")
    return read.take(as_dtype(MXNET_DTYPES[kind]), math.prod(shape)).reshape(shape).copy()
