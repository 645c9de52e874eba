"""Windows over arrays: what strides, pads and gaps mean, for convolutions and pools alike.

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
    """A whole number for all axes, or one for each; ArgumentError below `least`."""
    numbers = whole_tuple(name, argument, value)
    if not numbers or min(numbers) < least or isinstance(value, bool):
        raise ArgumentError(f"{name}: {argument}={value!r}; expected whole numbers from {least} on")
    return numbers if isinstance(value, (tuple, list)) else numbers[0]


def spelled(name: str, argument: str, value: int | Shape, axes: int) -> Shape:
    """One number for each axis of space."""
    if isinstance(value, int):
        return (value,) * axes
    if len(value) != axes:
        raise ArgumentError(
            f"{name}: {argument}={value} has {len(value)} number(s) for {axes} axes of space; give "
            "one number for all, or one for each"
        )
    return value


def require_space(name: str, operand: str, shape: Shape) -> int:
    """The number of axes of space; ShapeError unless there are one to three."""
    if not 3 <= len(shape) <= 2 + AXES:
        raise ShapeError(
            f"{name}: {operand} has shape {shape}; expected (images, channels, *space) with one to "
            "three axes of space: use reshape or expand_dims"
        )
    return len(shape) - 2


@dataclass(frozen=True, slots=True)
class Windows:
    """Windows along axes of space: `ins` cells give `outs` places. `gap`: cells from one element
    of the window to the next (dilation)."""

    ins: Shape
    outs: Shape
    kernel: Shape
    step: Shape
    pad: Shape
    gap: Shape

    @property
    def spots(self) -> int:
        """Places."""
        return math.prod(self.outs)

    @property
    def volume(self) -> int:
        """Elements of the window."""
        return math.prod(self.kernel)

    @property
    def plain(self) -> bool:
        """Whether each place is a cell: what lies under the window is the data as it is."""
        return (
            set(self.kernel) <= {1}
            and set(self.step) <= {1}
            and set(self.pad) <= {0}
            and self.ins == self.outs
        )

    def wide(self) -> Windows:
        """The same with three axes of space."""
        lead = AXES - len(self.ins)
        ones, zeros = (1,) * lead, (0,) * lead
        parts = (self.ins, self.outs, self.kernel, self.step, self.pad, self.gap)
        ins, outs, kernel, step, pad, gap = (ones + part for part in parts)
        return Windows(ins, outs, kernel, step, (*zeros, *pad[lead:]), gap)

    def words(self) -> tuple[int, ...]:
        """As words of a record; see `nbgraph.kernels.windows.convolution`."""
        own = self.wide()
        return (*own.ins, *own.outs, *own.kernel, *own.step, *own.pad, *own.gap)

    def offsets(self) -> list[Shape]:
        """The elements of the window, in order."""
        return list(np.ndindex(*self.kernel))

    def _reach(self) -> list[int]:
        """Cells that a padded axis has where every window lies within."""
        each = zip(self.ins, self.outs, self.kernel, self.step, self.pad, self.gap, strict=True)
        return [max(n + p, (o - 1) * s + (k - 1) * g + 1) for n, o, k, s, p, g in each]

    def padded(self, x: Array, fill: float = 0) -> Array:
        """The data among cells of `fill`, so that every window lies within."""
        image = np.full((*x.shape[:2], *self._reach()), fill, x.dtype)
        image[self.inside()] = x
        return image

    def inside(self) -> tuple[Any, ...]:
        """Where the data lie in `padded`."""
        cells = (slice(p, p + n) for p, n in zip(self.pad, self.ins, strict=True))
        return (slice(None), slice(None), *cells)

    def under(self, at: Shape) -> tuple[Any, ...]:
        """The cells of `padded` under this element of the window, for all places."""
        each = zip(at, self.outs, self.step, self.gap, strict=True)
        cells = (slice(k * g, k * g + (o - 1) * s + 1, s) for k, o, s, g in each)
        return (slice(None), slice(None), *cells)


def convolved(name: str, ins: Shape, kernel: Shape, step: Shape, pad: Shape, gap: Shape) -> Windows:
    """Windows within the padded data, from the first cell on; ShapeError where none is."""
    each = zip(ins, kernel, step, pad, gap, strict=True)
    outs = tuple((n + 2 * p - (k - 1) * g - 1) // s + 1 for n, k, s, p, g in each)
    if min(outs) < 1:
        raise ShapeError(
            f"{name}: a window of {kernel} elements, {gap} apart, does not fit into space {ins} "
            f"with pad {pad}; give a larger pad or a smaller window"
        )
    return Windows(ins, outs, kernel, step, pad, gap)


def share(extent: int, most: int, granule: int = 1) -> int:
    """The size of equal parts of at most so many, in whole granules where that fits."""
    parts = -(-extent // max(1, most))
    even = -(-extent // parts)
    return min(extent, max(1, most), -(-even // granule) * granule)
