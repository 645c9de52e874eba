"""MXNet's files of arrays (`net-0001.params`): a header, dense arrays, their names.

An array is a mark of its version, the kind of storage (from version 2 on), its axes, a device, the
number of its dtype, and its elements; all in little-endian order, as `NDArray::Save` writes them.
"""

from __future__ import annotations

import io
import math
from typing import Any

import numpy as np

from nbgraph.dtype import MXNET_DTYPES
from nbgraph.errors import FormatError

HEADER = (0x112).to_bytes(8, "little")
_V1, _V2, _V3 = 0xF993FAC8, 0xF993FAC9, 0xF993FACA  # before the first, the mark is the axes' count


def arrays_of(data: bytes, where: str) -> list[Any] | dict[str, Any]:
    """Return the NumPy arrays of a file's bytes, by name where they have names; FormatError where
    it is damaged, or holds sparse arrays."""
    stream = io.BytesIO(data[len(HEADER) + 8 :])

    def take(dtype: str, count: int) -> np.ndarray[Any, Any]:
        size = min(count * np.dtype(dtype).itemsize, len(data))
        read = stream.read(size)
        if len(read) < size:
            raise FormatError(f"{where} is damaged: it ends too early; write it again")
        return np.frombuffer(read, dtype).copy()

    def number(dtype: str) -> int:
        return int(take(dtype, 1)[0])

    def array() -> np.ndarray[Any, Any]:
        mark = number("<u4")
        if mark in (_V2, _V3) and number("<i4") > 0:
            raise FormatError(f"{where} holds a sparse array; write array.tostype('default') of it")
        versioned = mark in (_V1, _V2, _V3)
        ndim = number("<i4") if versioned else mark
        shape = tuple(take("<i8" if versioned else "<u4", max(ndim, 0)).tolist())
        if ndim < 0 or (ndim == 0 and mark != _V3):  # an array that was never filled
            return np.zeros(0, np.float32)
        _device, kind = take("<i4", 2), number("<i4")
        if not 0 <= kind < len(MXNET_DTYPES):
            raise FormatError(f"{where} holds an array of the unknown dtype {kind}")
        return take(MXNET_DTYPES[kind], math.prod(shape)).reshape(shape)

    arrays = [array() for _ in range(number("<u8"))]
    names = [take("u1", number("<u8")).tobytes().decode() for _ in range(number("<u8"))]
    return dict(zip(names, arrays, strict=True)) if names else arrays
