"""Transforms that crop or mirror images."""

from typing import ClassVar

import numpy as np

from nbgraph.errors import ShapeError
from nbgraph.io.protocol import DataDesc
from nbgraph.io.transforms.base import changed, pair
from nbgraph.io.transforms.draws import Draws
from nbgraph.io.transforms.images import Axes, Images, resized
from nbgraph.shape import Array


class CenterCrop(Images):
    """Cut a rectangle out of the middle of each image.

    Parameters
    ----------
    size : int or (height, width)
    padding : int or (rows, columns)
        Rows and columns of `fill` that are added at each side of an image before the cut.
    fill : float
    layout : "HWC", "CHW" or "HW", optional
        By default that of the column.

    >>> x = np.arange(16).reshape(1, 4, 4)
    >>> CenterCrop(2)((x,), Draws(0, 0, [0]))[0].tolist()
    [[[5, 6], [9, 10]]]
    """

    size: int | tuple[int, int]
    padding: int | tuple[int, int] = 0
    fill: float = 0
    layout: str | None = None
    _checks = {"size": (pair,), "padding": (lambda what, value: value and pair(what, value, 0),)}

    def _margins(self) -> tuple[int, int]:
        return self.padding if isinstance(self.padding, tuple) else (0, 0)

    def described(self, desc: DataDesc) -> DataDesc:
        super().described(desc)
        axes = self._axes(desc)
        extents = desc.shape[axes.height - 1], desc.shape[axes.width - 1]
        size = pair(f"{self.name}: size", self.size)
        for extent, target, margin in zip(extents, size, self._margins(), strict=True):
            if extent >= 0 and extent + 2 * margin < target:
                raise ShapeError(
                    f"{self.name}: column {desc.name!r} has images of {extents[0]} x {extents[1]}, "
                    f"from which {size[0]} x {size[1]} cannot be cut; give padding=, or resize "
                    "them before"
                )
        return changed(desc, shape=resized(desc, axes, size))

    def apply(self, x: Array, draws: Draws, desc: DataDesc) -> Array:
        axes = self._axes(desc)
        x = padded(x, axes, self._margins(), self.fill)
        size = pair(f"{self.name}: size", self.size)
        room = x.shape[axes.height] - size[0], x.shape[axes.width] - size[1]
        return cut(x, axes, *self._corners(room, draws), size)

    def _corners(self, room: tuple[int, int], draws: Draws) -> tuple[Array, Array]:
        """Return the first rows and columns of each sample's rectangle."""
        rows, columns = (np.full(len(draws), n // 2) for n in room)
        return rows, columns


class RandomCrop(CenterCrop):
    """Cut a rectangle out of each image, at a random position.

    Parameters
    ----------
    size, padding, fill, layout : as those of CenterCrop

    >>> x = np.arange(2 * 8 * 8).reshape(2, 8, 8)
    >>> (cut,) = RandomCrop(6, padding=1)((x,), Draws(0, 0, [0, 1]))
    >>> cut.shape
    (2, 6, 6)
    """

    def _corners(self, room: tuple[int, int], draws: Draws) -> tuple[Array, Array]:
        rows, columns = draws.below(np.broadcast_to(np.add(room, 1), (len(draws), 2))).T
        return rows, columns


class RandomFlipLeftRight(Images):
    """Mirror each image left to right, with probability `p`.

    Parameters
    ----------
    p : float
    layout : "HWC", "CHW" or "HW", optional

    >>> x = np.array([[[1, 2], [3, 4]]])
    >>> RandomFlipLeftRight(p=1.0)((x,), Draws(0, 0, [0]))[0].tolist()
    [[[2, 1], [4, 3]]]
    """

    p: float = 0.5
    layout: str | None = None
    _along: ClassVar[str] = "width"

    def apply(self, x: Array, draws: Draws, desc: DataDesc) -> Array:
        axes = self._axes(desc)
        axis = getattr(axes, self._along)
        # NumPy copies pixels of a few bytes one by one, but a channel in one loop
        few = axes.channel == x.ndim - 1 and axis == axes.width and x.shape[-1] <= 4
        parts = [(..., k) for k in range(x.shape[-1])] if few else [...]
        out = np.array(x)
        for i in np.flatnonzero(draws.bernoulli(self.p)):
            mirrored = np.flip(x[i], axis - 1)
            for part in parts:
                out[i][part] = mirrored[part]
        return out


class RandomFlipTopBottom(RandomFlipLeftRight):
    """Mirror each image top to bottom, with probability `p`.

    >>> x = np.array([[[1, 2], [3, 4]]])
    >>> RandomFlipTopBottom(p=1.0)((x,), Draws(0, 0, [0]))[0].tolist()
    [[[3, 4], [1, 2]]]
    """

    _along = "height"


def padded(x: Array, axes: Axes, margins: tuple[int, int], fill: float) -> Array:
    """Return images with rows and columns of `fill` added at each side."""
    if margins == (0, 0):
        return x
    shape, inside = list(x.shape), [slice(None)] * x.ndim
    for axis, margin in zip((axes.height, axes.width), margins):
        inside[axis] = slice(margin, margin + shape[axis])
        shape[axis] += 2 * margin
    out = np.full(shape, fill, x.dtype)
    out[tuple(inside)] = x
    return out


def cut(x: Array, axes: Axes, rows: Array, columns: Array, size: tuple[int, int]) -> Array:
    """Return for each image its rectangle of `size` that begins at `rows` and `columns`."""
    spatial = axes.height, axes.width
    windows = np.lib.stride_tricks.sliding_window_view(x, size, axis=spatial)
    # first samples and positions, then a sample's axes, with the window's as height and width
    order = [0, *spatial, *range(1, x.ndim)]
    for place, axis in zip(spatial, (x.ndim, x.ndim + 1)):
        order[2 + place] = axis
    return windows.transpose(order)[np.arange(len(x)), rows, columns]
