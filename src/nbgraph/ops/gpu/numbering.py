"""Flat indices and coordinates of elements; counts of values between edges."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from nbgraph.kernel_errors import INDEX_CODE
from nbgraph.operator.arrays import device_forms
from nbgraph.operator.arrays.units import Units, threads
from nbgraph.operator.spec import Specs
from nbgraph.ops.define import Shape, library
from nbgraph.ops.named.numbering import WHOLE, histogram, ravel_multi_index, unravel_index
from nbgraph.ops.ordering.searching import sorts_as

_ARRAYS = {"data": ("given", "int64"), "out": ("y", "int64")}


def _whole(public: Any, data: Any, shape: Shape) -> Any:
    """Return a function's result for data cast to integers; None if they are integers."""
    if data.dtype == WHOLE:
        return None
    return public(library.astype(data, WHOLE), shape)


@device_forms.composed(ravel_multi_index)
def whole_coordinates(data: Any, *, shape: Shape) -> Any:
    """Return the flat indices of floats truncated to integers."""
    return _whole(library.ravel_multi_index, data, shape)


@device_forms.composed(unravel_index)
def whole_numbers(data: Any, *, shape: Shape) -> Any:
    """Return the coordinates of floats truncated to integers."""
    return _whole(library.unravel_index, data, shape)


def _below(name: str, size: str) -> tuple[str, str]:
    """Return lines that end the kernel for an index out of bounds; a negative size has none."""
    return (
        f"if {name} < 0 or ({size} >= 0 and {name} >= {size}):",
        f"    return {name} * 256 + {INDEX_CODE}",
    )


@device_forms.unit(ravel_multi_index)
def numbered(operands: Specs, outputs: Specs, *, shape: Shape) -> Units:
    """Return the kernel with a thread per element's coordinates."""
    lines = ["at = 0"]
    for k in range(len(shape)):
        lines += [f"c{k} = load(given, {k} * count + i)", *_below(f"c{k}", f"n{k}")]
        lines.append(f"at = at * n{k} + c{k}" if k else "at = c0")
    words = {"count": math.prod(outputs[0].shape), "none": 0}
    words |= {f"n{k}": n for k, n in enumerate(shape)}
    return threads("ravel_multi_index", words, _ARRAYS, *lines, "store(y, i, at)", fails=True)


@device_forms.unit(unravel_index)
def unnumbered(operands: Specs, outputs: Specs, *, shape: Shape) -> Units:
    """Return the kernel with a thread per flat index."""
    size = -1 if shape[0] < 0 else math.prod(shape)
    lines = ["at = load(given, i)", *_below("at", "size")]
    for k in reversed(range(1, len(shape))):
        lines += [f"r{k} = at // n{k}", f"store(y, {k} * count + i, at - r{k} * n{k})"]
        lines.append(f"at = r{k}")
    words = {"count": math.prod(operands[0].shape), "size": size}
    words |= {f"n{k}": n for k, n in enumerate(shape) if k}
    return threads("unravel_index", words, _ARRAYS, *lines, "store(y, i, at)", fails=True)


@device_forms.composed(histogram)
def counts(a: Any, *edges: Any, bins: int | None, range: Any) -> tuple[Any, Any]:
    """Return counts by a search for the edges among the sorted values."""
    (between,) = edges if edges else (_edges(a, bins or 1, range),)
    dtype = sorts_as(a, between)
    known = library.sort(library.astype(library.reshape(a, (-1,)), dtype))
    wanted = library.astype(between, dtype)
    first = library.searchsorted(known, wanted)
    behind = library.searchsorted(known, library.slice_view(wanted, slice(-1, None)), side="right")
    steps = library.concatenate([library.slice_view(first, slice(None, -1)), behind], axis=0)
    below = library.slice_view(steps, slice(None, -1))
    return library.subtract(library.slice_view(steps, slice(1, None)), below), between


def _edges(a: Any, bins: int, limits: Any) -> Any:
    """Return equal bins, between limits or the least and the largest value."""
    floating = a.dtype if a.dtype.kind in "fV" else np.dtype("float64")
    wide = np.dtype("float32") if floating.itemsize == 2 else floating
    if limits is not None or not math.prod(a.shape):
        low, high = limits or (0.0, 1.0)
        low, high = (low - 0.5, high + 0.5) if low == high else (low, high)
        edges = np.linspace(low, high, bins + 1)
        return library.add(library.zeros_like(a, wide, shape=edges.shape), edges.astype(wide))
    a = library.astype(a, wide)
    least, most = library.min(a), library.max(a)
    half = library.astype(library.equal(least, most), wide) * 0.5
    low, high = library.subtract(least, half), library.add(most, half)
    step = library.divide(library.subtract(high, low), float(bins))
    numbers = np.arange(bins, dtype=wide)
    most = library.reshape(high, (1,))
    return library.concatenate([library.add(library.multiply(step, numbers), low), most], axis=0)
