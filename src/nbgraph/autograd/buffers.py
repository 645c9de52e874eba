"""Arrays that gradients are collected in: made, overwritten, added to; never recorded."""

from __future__ import annotations

from typing import Any

from nbgraph.array.chunk import CPU
from nbgraph.array.core import Array, empty_of
from nbgraph.array.layout import Layout, layout
from nbgraph.array.push import same, write
from nbgraph.device import Context


def write_to(target: Array, value: Any, request: str) -> None:
    """Write to `target` or add to it, as the request says."""
    write(same, value, target, request)
    target._chunk.writes += 1


def zeros_of(own: Layout, device: Context = CPU) -> Any:
    """A new array of zeros of that shape and dtype."""
    return _filled(own, 0.0, device)


def ones_like(array: Array) -> Any:
    """The gradient of an array with respect to itself."""
    return _filled(array._layout, 1.0, array.device)


def _filled(own: Layout, value: float, device: Context) -> Any:
    result = empty_of(layout(own.shape, own.dtype), device)
    if own.size:
        write(same, value, result)
    return result
