"""Running sums, products and extremes on GPUs for long, few rows: by stretches.

Each stretch is scanned by itself, then the last values of all stretches, and each stretch is
combined with the total before it. So sums have another order: an element of n takes part in 2
(STRETCH + log(n) / log(STRETCH)) sequential additions.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from nbgraph.dtype import real_dtype
from nbgraph.operator.arrays import device_forms
from nbgraph.ops.define import axis_of, library
from nbgraph.ops.gpu.complexes import by_parts
from nbgraph.ops.ordering.running import cummax, cummin
from nbgraph.ops.ordering.scans import cumulative_prod, cumulative_sum
from nbgraph.ops.reductions.reductions import accumulator, total_dtype
from nbgraph.ops.shapes.slicing import at_axis, slice_view

STRETCH = 256  # elements of a long row per thread
MANY = 1 << 14  # rows that occupy a device


def _stretched(
    scan: Callable[..., Any], combine: Callable[[Any, Any], Any], x: Any, axis: int
) -> Any:
    """Return a scan of long rows; None if a thread per row is as fast."""
    shape = tuple(x.shape)
    place = axis_of("axis", axis, len(shape))
    n, rows = shape[place], math.prod(shape) // max(1, shape[place])
    if n < 4 * STRETCH or rows >= MANY:
        return None
    before, after, count = shape[:place], shape[place + 1 :], n // STRETCH

    def part(x: Any, first: int, last: int, along: int = place) -> Any:
        return slice_view(x, at_axis(along, slice(first, last)))

    whole = part(x, 0, count * STRETCH)
    own = scan(library.reshape(whole, (*before, count, STRETCH, *after)), axis=place + 1)
    ends = part(own, STRETCH - 1, STRETCH, place + 1)
    ends = scan(library.reshape(ends, (*before, count, *after)), axis=place)
    earlier = library.reshape(part(ends, 0, count - 1), (*before, count - 1, 1, *after))
    later = combine(part(own, 1, count), earlier)
    pieces = [
        library.reshape(part(own, 0, 1), (*before, STRETCH, *after)),
        library.reshape(later, (*before, (count - 1) * STRETCH, *after)),
    ]
    if n > count * STRETCH:
        rest = scan(part(x, count * STRETCH, n), axis=place)
        pieces.append(combine(rest, part(ends, count - 1, count)))
    return library.concatenate(pieces, place)


def _enter_long_totals(op: Any, combine: str, none: str) -> None:
    """Register the form of a running sum or product over long rows."""

    @device_forms.composed(op)
    def long(x: Any, *, axis: int, dtype: Any, include_initial: bool) -> Any:
        total = total_dtype(np.dtype(x.dtype), dtype)
        wide = accumulator(total)

        def scan(x: Any, *, axis: int) -> Any:
            return op(x, axis=axis, dtype=wide)

        if total.kind == "c" and combine == "add":
            how = {"axis": axis, "include_initial": include_initial}
            return by_parts(op, library.astype(x, total), dtype=real_dtype(total), **how)
        if total.kind in "bc":
            return None
        totals = _stretched(scan, getattr(library, combine), x, axis)
        if totals is None:
            return None
        if include_initial:
            start = getattr(library, none)(slice_view(totals, at_axis(axis, slice(0, 1))))
            totals = library.concatenate([start, totals], axis)
        return totals if wide == total else library.astype(totals, total)


def _enter_long_extremes(op: Any, combine: str) -> None:
    """Register the form of a running extreme over long rows."""

    @device_forms.composed(op)
    def long(x: Any, *, axis: int) -> Any:
        return _stretched(op, getattr(library, combine), x, axis)


_enter_long_totals(cumulative_sum, "add", "zeros_like")
_enter_long_totals(cumulative_prod, "multiply", "ones_like")
_enter_long_extremes(cummax, "maximum")
_enter_long_extremes(cummin, "minimum")
