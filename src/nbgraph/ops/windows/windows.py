"""Windows over arrays, with strides, pads and gaps, for convolutions and pools.

Arrays have shape (images, channels, *space), space of one to three axes.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from nbgraph.errors import ArgumentError, ShapeError
from nbgraph.ops.define import Shape, whole_tuple
from nbgraph.shape import Array

AXES = 3


def per_axis(name: str, argument: str, value: Any, least: int) -> int | Shape:
    """Return an integer for all axes, or one per axis; ArgumentError below `least`."""
    numbers = whole_tuple(name, argument, value)
    if not numbers or min(numbers) < least or isinstance(value, bool):
        raise ArgumentError(f"{name}: {argument}={value!r}; expected whole numbers from {least} on")
    return numbers if isinstance(value, (tuple, list)) else numbers[0]


def spelled(name: str, argument: str, value: int | Shape, axes: int) -> Shape:
    """Return one number per axis of space."""
    if isinstance(value, int):
        return (value,) * axes
    if len(value) != axes:
        raise ArgumentError(
            f"{name}: {argument}={value} has {len(value)} number(s) for {axes} axes of space; give "
            "one number for all, or one for each"
        )
    return value


def require_space(name: str, operand: str, shape: Shape) -> int:
    """Return the number of axes of space; ShapeError unless there are one to three."""
    if not 3 <= len(shape) <= 2 + AXES:
        raise ShapeError(
            f"{name}: {operand} has shape {shape}; expected (images, channels, *space) with one to "
            "three axes of space: use reshape or expand_dims"
        )
    return len(shape) - 2


@dataclass(frozen=True, slots=True)
class Windows:
    """Windows along axes of space: `ins` cells give `outs` places. `gap`: cells between elements of
    the window (dilation)."""

    ins: Shape
    outs: Shape
    kernel: Shape
    step: Shape
    pad: Shape
    gap: Shape

    @property
    def spots(self) -> int:
        """The number of places."""
        return math.prod(self.outs)

    @property
    def volume(self) -> int:
        """The number of elements of the window."""
        return math.prod(self.kernel)

    @property
    def plain(self) -> bool:
        """Whether each place is a cell, so that the cells under the window are the data itself."""
        return (
            set(self.kernel) <= {1}
            and set(self.step) <= {1}
            and set(self.pad) <= {0}
            and self.ins == self.outs
        )

    def wide(self) -> Windows:
        """Return the same windows with three axes of space."""
        lead = AXES - len(self.ins)
        ones, zeros = (1,) * lead, (0,) * lead
        parts = (self.ins, self.outs, self.kernel, self.step, self.pad, self.gap)
        ins, outs, kernel, step, pad, gap = (ones + part for part in parts)
        return Windows(ins, outs, kernel, step, (*zeros, *pad[lead:]), gap)

    def words(self) -> tuple[int, ...]:
        """Return words of a record; see `nbgraph.kernels.windows.convolution`."""
        own = self.wide()
        return (*own.ins, *own.outs, *own.kernel, *own.step, *own.pad, *own.gap)

    def offsets(self) -> list[Shape]:
        """Return the elements of the window, in order."""
        return list(np.ndindex(*self.kernel))

    def _reach(self) -> list[int]:
        """Return the cells of a padded axis that contains all windows."""
        each = zip(self.ins, self.outs, self.kernel, self.step, self.pad, self.gap, strict=True)
        return [max(n + p, (o - 1) * s + (k - 1) * g + 1) for n, o, k, s, p, g in each]

    def padded(self, x: Array, fill: float = 0) -> Array:
        """Return the data padded with cells of `fill` to contain all windows."""
        image = np.full((*x.shape[:2], *self._reach()), fill, x.dtype)
        image[self.inside()] = x
        return image

    def inside(self) -> tuple[Any, ...]:
        """Return the index of the data in `padded`."""
        cells = (slice(p, p + n) for p, n in zip(self.pad, self.ins, strict=True))
        return (slice(None), slice(None), *cells)

    def under(self, at: Shape) -> tuple[Any, ...]:
        """Return the cells of `padded` under this element of the window, for all places."""
        each = zip(at, self.outs, self.step, self.gap, strict=True)
        cells = (slice(k * g, k * g + (o - 1) * s + 1, s) for k, o, s, g in each)
        return (slice(None), slice(None), *cells)


def convolved(name: str, ins: Shape, kernel: Shape, step: Shape, pad: Shape, gap: Shape) -> Windows:
    """Return windows within padded data, from the first cell; ShapeError if there is none."""
    each = zip(ins, kernel, step, pad, gap, strict=True)
    outs = tuple((n + 2 * p - (k - 1) * g - 1) // s + 1 for n, k, s, p, g in each)
    if min(outs) < 1:
        raise ShapeError(
            f"{name}: a window of {kernel} elements, {gap} apart, does not fit into space {ins} "
            f"with pad {pad}; give a larger pad or a smaller window"
        )
    return Windows(ins, outs, kernel, step, pad, gap)


def share(extent: int, most: int, granule: int = 1) -> int:
    """Return the size of equal parts of at most `most`, in whole granules if that fits."""
    parts = -(-extent // max(1, most))
    even = -(-extent // parts)
    return min(extent, max(1, most), -(-even // granule) * granule)
