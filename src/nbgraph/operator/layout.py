"""Layouts: shape, dtype and strides of an array. Equal layouts are one object.

Caches of work for operands of certain layouts use these objects as keys.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from nbgraph.dtype import Dtype, inexact, real_dtype
from nbgraph.errors import DTypeError
from nbgraph.shape import Array, Shape, Space

Class = Literal["c", "0", "s"]  # of steps along a run: see `classes_of`
_LAYOUTS: dict[Any, Layout] = {}
_MOST = 8192  # layouts cached; an evicted one costs a second look-up of its kernels


class Layout:
    """Shape, dtype and byte strides; immutable. Created by `layout`."""

    __slots__ = ("contiguous", "dtype", "floating", "nbytes", "shape", "size", "strides")

    def __init__(self, shape: Shape, dtype: Dtype, strides: tuple[int, ...], size: int) -> None:
        self.shape, self.dtype, self.strides, self.size = shape, dtype, strides, size
        self.nbytes = size * dtype.itemsize
        self.floating = inexact(dtype)
        self.contiguous = size <= 1 or strides == c_strides(shape, dtype.itemsize)

    def empty(self) -> Array:
        """Return a new NumPy array of this layout."""
        return np.ndarray(self.shape, self.dtype, strides=self.strides)

    def interface(self, address: int, *, locked: bool = False) -> dict[str, Any]:
        """Return `__array_interface__` of memory with this layout; bfloat16 as 16-bit words."""
        return {
            "data": (address, locked),
            "shape": self.shape,
            "strides": self.strides,
            "typestr": "<u2" if self.dtype.kind == "V" else self.dtype.str,
            "version": 3,
        }

    def copy(self, array: Array) -> Array:
        """Return a new NumPy array of this layout with the values of `array`, cast as in C."""
        copy = self.empty()
        np.copyto(copy, array, casting="unsafe")
        return copy

    def __repr__(self) -> str:
        return f"Layout({self.dtype}{list(self.shape)}, strides={self.strides})"


Layouts = Sequence[Layout]


def in_reals(own: Layout) -> Layout:
    """Return the layout of complex numbers seen as real ones, with both parts along a last axis;
    real layouts are unchanged."""
    if own.dtype.kind != "c":
        return own
    dtype = real_dtype(own.dtype)
    return layout((*own.shape, 2), dtype, (*own.strides, dtype.itemsize))


def keep(table: dict[Any, Any], key: Any, value: Any, most: int) -> Any:
    """Return a value after entering it in a cache, which is emptied when full."""
    if len(table) >= most:
        table.clear()
    table[key] = value
    return value


def layout(shape: Shape, dtype: Dtype, strides: tuple[int, ...] | None = None) -> Layout:
    """Return the layout of this shape and dtype; row-major without strides.

    >>> layout((2, 3), np.dtype("float32")) is layout((2, 3), np.dtype("float32"), (12, 4))
    True
    """
    key = shape, dtype, strides
    own = _LAYOUTS.get(key)
    if own is not None:
        return own
    if dtype.hasobject:  # memory of arrays never holds Python objects
        raise DTypeError(f"an array of dtype {dtype} holds Python objects; cast to numbers first")
    if len(_LAYOUTS) >= _MOST:
        _LAYOUTS.clear()
    if strides is None:
        own = layout(shape, dtype, c_strides(shape, dtype.itemsize))
    else:
        own = Layout(shape, dtype, strides, math.prod(shape))
    return _LAYOUTS.setdefault(key, own)


def layout_of(view: Array) -> Layout:
    """Return the layout of a NumPy array; axes of one element get row-major strides."""
    shape, strides = view.shape, view.strides
    if 1 in shape or 0 in shape:
        usual = c_strides(shape, view.itemsize)
        if view.size == 0:
            strides = usual
        else:
            strides = tuple(u if n == 1 else s for n, s, u in zip(shape, strides, usual))
    return layout(shape, view.dtype, strides)


def c_strides(shape: Shape, itemsize: int) -> tuple[int, ...]:
    """Return byte strides of a row-major array.

    >>> c_strides((2, 3), 4)
    (12, 4)
    """
    strides, step = [], itemsize
    for extent in reversed(shape):
        strides.append(step)
        step *= max(1, extent)
    return tuple(reversed(strides))


def packed(shape: Shape, dtype: Dtype, order: Sequence[int]) -> Layout:
    """Return the layout of an array without gaps, with axes in `order` from the outermost.

    >>> packed((2, 3), np.dtype("int8"), (1, 0)).strides
    (1, 2)
    """
    steps, step = [0] * len(shape), dtype.itemsize
    for d in reversed(order):
        steps[d] = step
        step *= max(1, shape[d])
    return layout(shape, dtype, tuple(steps))


def merged(shape: Shape, axes: Sequence[int], strides: tuple[int, ...]) -> bool:
    """Return whether elements along these axes, in order, are one step apart.

    >>> merged((2, 3, 4), (0, 1), (12, 4, 1)), merged((2, 3, 4), (0, 2), (12, 4, 1))
    (True, False)
    """
    dims = [d for d in axes if shape[d] != 1]
    pairs = itertools.pairwise(dims)
    return 0 in shape or all(strides[a] == strides[b] * shape[b] for a, b in pairs)


def classes_of(
    arrays: Sequence[Layout | Array], where: Space, operands: int, one: Sequence[bool] = ()
) -> tuple[Class, ...]:
    """Return the compile-time classes of the steps along a run: "c" contiguous, "0" a single
    element (of the first `operands`, and of arrays that have `one` per run), "s" any other.

    If one array is strided, all are, so that an operator has few kernels.
    """
    classes: list[Class] = []
    for k, (a, step) in enumerate(zip(arrays, where.steps, strict=True)):
        if (one and one[k]) or (step == 0 and k < operands and where.inner != 1):
            classes.append("0")
        else:
            classes.append("c" if step == a.dtype.itemsize or where.inner == 1 else "s")
    return tuple("s" if "s" in classes and c == "c" else c for c in classes)
