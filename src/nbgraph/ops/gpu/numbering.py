"""Counts of values between edges."""

import math
from typing import Any

import numpy as np

from nbgraph.operator.arrays import device_forms
from nbgraph.ops.define import library
from nbgraph.ops.named.numbering import histogram
from nbgraph.ops.ordering.searching import sorts_as


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
