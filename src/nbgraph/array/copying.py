"""Copies, casts and fills: one identity kernel for all of them. Nothing here is recorded."""

from __future__ import annotations

from typing import Any

from nbgraph.array.chunk import CPU
from nbgraph.array.core import Array, empty_of
from nbgraph.array.layout import Layout, layout
from nbgraph.array.push import copied as copied
from nbgraph.array.push import same, write
from nbgraph.device import Context


def copy_of(array: Array, dtype: Any = None, device: Context | None = None) -> Any:
    """A new array with the values of `array`, row-major, cast and on a device."""
    own = layout(array.shape, array.dtype if dtype is None else dtype)
    result = empty_of(own, array.device if device is None else device)
    write(same, array, result)
    return result


def fill_from(target: Array, value: Any) -> None:
    """Write an array or a number, broadcast and cast, over all of `target`."""
    write(same, value, target)


def write_to(target: Array, value: Any, request: str) -> None:
    """Write to `target` or add to it, as the request says."""
    write(same, value, target, request)
    target._chunk.writes += 1


def filled(own: Layout, value: float, device: Context) -> Any:
    """A new array with one value everywhere."""
    result = empty_of(own, device)
    write(same, value, result)
    return result


def zeros_of(own: Layout, device: Context = CPU) -> Any:
    """A new array of zeros, row-major."""
    return filled(layout(own.shape, own.dtype), 0.0, device)
