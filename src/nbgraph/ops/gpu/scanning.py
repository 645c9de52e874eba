"""Running sums, products and extremes on GPUs where rows are long and few: by stretches.

Each is scanned by itself, then their last values are, and what comes before a stretch is combined
with it. So a sum is added up in another order: an element of n takes part in
STRETCH + log(n) / log(STRETCH) additions one after another, times two.
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

STRETCH = 256  # elements that one thread of a long row takes
MANY = 1 << 14  # rows that keep a device busy


def _stretched(
    scan: Callable[..., Any], combine: Callable[[Any, Any], Any], x: Any, axis: int
) -> Any:
    """A scan of long rows; None where a thread a row is as quick."""
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
    """The form of a running sum or product over long rows."""

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
    """The form of a running extreme over long rows."""

    @device_forms.composed(op)
    def long(x: Any, *, axis: int) -> Any:
        return _stretched(op, getattr(library, combine), x, axis)


_enter_long_totals(cumulative_sum, "add", "zeros_like")
_enter_long_totals(cumulative_prod, "multiply", "ones_like")
_enter_long_extremes(cummax, "maximum")
_enter_long_extremes(cummin, "minimum")
