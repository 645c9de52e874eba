"""Shapes, joining and repeating."""

from __future__ import annotations

from typing import Any

from nbgraph import ops
from nbgraph.array import NDArray

__all__ = [
    "broadcast_arrays", "broadcast_to", "concat", "expand_dims", "flip", "moveaxis", "permute_dims",
    "repeat", "reshape", "roll", "squeeze", "stack", "tile", "unstack",
]  # fmt: skip

Axes = int | tuple[int, ...]


def broadcast_arrays(*arrays: NDArray) -> list[NDArray]:
    """All with the shape they broadcast to."""
    return ops.broadcast_arrays(*arrays)


def broadcast_to(x: NDArray, /, shape: tuple[int, ...]) -> NDArray:
    """Repeated along axes of size 1 and new leading axes."""
    return ops.broadcast_to(x, shape)


def concat(arrays: Any, /, *, axis: int | None = 0) -> NDArray:
    """Arrays one after another along an axis; flattened first for None."""
    return ops.concat(arrays, axis)


def expand_dims(x: NDArray, /, axis: int) -> NDArray:
    """A new axis of size 1."""
    return ops.expand_dims(x, axis)


def flip(x: NDArray, /, *, axis: Axes | None = None) -> NDArray:
    """Elements in reverse order along axes, by default all."""
    return ops.flip(x, axis)


def moveaxis(x: NDArray, source: Axes, destination: Axes, /) -> NDArray:
    """Axes moved to other places."""
    return ops.moveaxis(x, source, destination)


def permute_dims(x: NDArray, /, axes: tuple[int, ...]) -> NDArray:
    """Axes in another order."""
    return ops.permute_dims(x, axes)


def repeat(x: NDArray, repeats: Any, /, *, axis: int | None = None) -> NDArray:
    """Each element (or slice along an axis) several times; counts in an array are waited for."""
    return ops.repeat(x, repeats, axis)


def reshape(x: NDArray, /, shape: tuple[int, ...], *, copy: bool | None = None) -> NDArray:
    """The elements in C order under another shape.

    A view where memory allows it, unless `copy=True`; with `copy=False` ValueError where it does
    not.

    >>> from nbgraph import xp
    >>> xp.reshape(xp.arange(6), (2, -1)).shape
    (2, 3)
    """
    made = ops.reshape(x, shape)
    if copy is False and made.size and made._chunk is not x._chunk:
        raise ValueError(
            f"reshape: copy=False, but shape {x.shape} with strides {x.strides} has no view of "
            f"shape {made.shape}; leave copy out"
        )
    return ops.copy(made) if copy and made._chunk is x._chunk else made


def roll(x: NDArray, /, shift: Axes, *, axis: Axes | None = None) -> NDArray:
    """Elements moved along axes; what leaves at one end comes in at the other."""
    return ops.roll(x, shift, axis)


def squeeze(x: NDArray, /, axis: Axes) -> NDArray:
    """Without these axes of size 1."""
    return ops.squeeze(x, axis)


def stack(arrays: Any, /, *, axis: int = 0) -> NDArray:
    """Arrays of one shape side by side along a new axis."""
    return ops.stack(arrays, axis)


def tile(x: NDArray, repetitions: tuple[int, ...], /) -> NDArray:
    """The whole array several times along each axis."""
    return ops.tile(x, repetitions)


def unstack(x: NDArray, /, *, axis: int = 0) -> tuple[NDArray, ...]:
    """The slices along an axis."""
    return ops.unstack(x, axis=axis)
