"""What an array library sorts, on the device's stream. Its sorts are stable; NaN comes last."""

from __future__ import annotations

from typing import Any

from nbgraph.operator.elsewhere import by_library
from nbgraph.ops.define import axis_of
from nbgraph.ops.ordering.sorting import argsort, sort, topk


def _order(xp: Any, x: Any, axis: int, *, descending: bool) -> Any:
    """Places of the elements in order, equal ones as they are."""
    x = x.astype("float32") if x.dtype.kind == "V" else x  # bfloat16
    if not descending:
        return xp.argsort(x, axis=axis, kind="stable")
    backwards = xp.flip(xp.argsort(xp.flip(x, axis), axis=axis, kind="stable"), axis)
    return x.shape[axis] - 1 - backwards


@by_library(sort)
def in_order(xp: Any, x: Any, out: Any, *, axis: int, descending: bool, stable: bool) -> None:
    """The elements in order: NaN first where that is descending."""
    axis = axis_of("sort", axis, x.ndim)
    wide = x.astype("float32") if x.dtype.kind == "V" else x
    found = xp.sort(wide, axis=axis)
    out[...] = xp.flip(found, axis) if descending else found


@by_library(argsort)
def order(xp: Any, x: Any, out: Any, *, axis: int, descending: bool, stable: bool) -> None:
    """Places of the elements in order."""
    out[...] = _order(xp, x, axis_of("argsort", axis, x.ndim), descending=descending)


@by_library(topk)
def first(xp: Any, x: Any, values: Any, places: Any, *, k: int, axis: int, largest: bool) -> None:
    """The first ones in order, and where they are."""
    axis = axis_of("topk", axis, x.ndim)
    found = _order(xp, x, axis, descending=largest)[(slice(None),) * axis + (slice(k),)]
    places[...] = found
    values[...] = xp.take_along_axis(x, found, axis)
