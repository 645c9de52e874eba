"""Layouts: shape, dtype and strides of an array. Equal layouts are one object.

What an operator works out for operands of certain layouts is found again by these objects alone.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from nbgraph.dtype import is_float

_LAYOUTS: dict[Any, Layout] = {}
_MOST = 8192  # layouts known at a time; a forgotten one costs a second look-up of its kernels


class Layout:
    """Shape, dtype and byte strides; immutable. Made by `layout`."""

    __slots__ = ("contiguous", "dtype", "floating", "nbytes", "shape", "size", "strides")

    def __init__(
        self, shape: tuple[int, ...], dtype: np.dtype[Any], strides: tuple[int, ...], size: int
    ) -> None:
        self.shape, self.dtype, self.strides, self.size = shape, dtype, strides, size
        self.nbytes = size * dtype.itemsize
        self.floating = is_float(dtype)
        self.contiguous = size <= 1 or strides == c_strides(shape, dtype.itemsize)

    def __repr__(self) -> str:
        return f"Layout({self.dtype}{list(self.shape)}, strides={self.strides})"


def layout(
    shape: tuple[int, ...], dtype: np.dtype[Any], strides: tuple[int, ...] | None = None
) -> Layout:
    """The layout of that shape and dtype; row-major where no strides are given.

    >>> layout((2, 3), np.dtype("float32")) is layout((2, 3), np.dtype("float32"), (12, 4))
    True
    """
    key = shape, dtype, strides
    found = _LAYOUTS.get(key)
    if found is not None:
        return found
    if len(_LAYOUTS) >= _MOST:
        _LAYOUTS.clear()
    if strides is None:
        found = layout(shape, dtype, c_strides(shape, dtype.itemsize))
    else:
        found = Layout(shape, dtype, strides, math.prod(shape))
    return _LAYOUTS.setdefault(key, found)


def layout_of(view: np.ndarray[Any, Any]) -> Layout:
    """The layout of a NumPy array; steps along axes of one element, which mean nothing, are made
    the row-major ones."""
    shape, strides = view.shape, view.strides
    if 1 in shape or 0 in shape:
        usual = c_strides(shape, view.itemsize)
        if view.size == 0:
            strides = usual
        else:
            strides = tuple(u if n == 1 else s for n, s, u in zip(shape, strides, usual))
    return layout(shape, view.dtype, strides)


def c_strides(shape: tuple[int, ...], itemsize: int) -> tuple[int, ...]:
    """Byte strides of a row-major array.

    >>> c_strides((2, 3), 4)
    (12, 4)
    """
    strides, step = [], itemsize
    for extent in reversed(shape):
        strides.append(step)
        step *= max(1, extent)
    return tuple(reversed(strides))
