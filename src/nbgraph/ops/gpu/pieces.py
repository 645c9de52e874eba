"""Operators that are copies between parts of arrays, and numbers where nothing is copied."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np

from nbgraph.operator.elsewhere import composed, in_pieces
from nbgraph.ops.define import axis_of, library
from nbgraph.ops.shapes.joining import concatenate, stack
from nbgraph.ops.shapes.repeating import pad, roll
from nbgraph.ops.shapes.slicing import diagonal_scatter, full_key, numpy_key, slice_scatter

View = np.ndarray[Any, Any]
Parts = Iterator[tuple[View, int | None, Any]]


def _at(axis: int, part: slice | int) -> tuple[Any, ...]:
    return (*(slice(None),) * axis, part, Ellipsis)


@in_pieces(concatenate)
def joined(out: View, *operands: View, axis: int, dtype: Any) -> Parts:
    """One operand behind the other."""
    axis = axis_of("concatenate", axis, out.ndim)
    start = 0
    for k, x in enumerate(operands):
        stop = start + x.shape[axis]
        yield out[_at(axis, slice(start, stop))], k, x
        start = stop


@in_pieces(stack)
def stacked(out: View, *operands: View, axis: int, dtype: Any) -> Parts:
    """Each operand at its number of a new axis."""
    axis = axis_of("stack", axis, out.ndim)
    for k, x in enumerate(operands):
        yield out[_at(axis, k)], k, x


@in_pieces(slice_scatter)
def in_slice(out: View, value: View, *, shape: Any, key: Any) -> Parts:
    """The value among zeros."""
    yield out, None, 0
    yield out[(*numpy_key(full_key("slice_scatter", key, out.shape)), Ellipsis)], 0, value


@in_pieces(diagonal_scatter)
def on_diagonal(
    out: View, value: View, *, shape: Any, offset: int, axis1: int, axis2: int
) -> Parts:
    """The value on a diagonal of zeros."""
    yield out, None, 0
    yield np.diagonal(out, offset, axis1, axis2), 0, value


@in_pieces(pad)
def padded(out: View, x: View, *, pad_width: Any, constant_values: Any) -> Parts:
    """The operand within a number."""
    yield out, None, constant_values
    inside = (slice(b, b + n) for n, (b, _) in zip(x.shape, pad_width, strict=True))
    yield out[(*inside, Ellipsis)], 0, x


@composed(roll)
def rolled_flat(x: Any, *, shift: Any, axis: Any) -> Any:
    """All elements as one axis, where none is named."""
    if axis is not None:
        return None
    return library.reshape(library.roll(library.ravel(x), shift[-1], 0), x.shape)


@in_pieces(roll)
def rolled(out: View, x: View, *, shift: Any, axis: Any) -> Parts | None:
    """Two parts for each axis: what is moved on, and what begins anew. None where all elements are
    one axis, which arrays of several have no view of."""
    if axis is None:
        return _rolled(out, x, shift[-1:], 0) if out.ndim == 1 else None
    return _rolled(out, x, shift, axis)


def _rolled(out: View, x: View, shift: Any, axis: Any) -> Parts:
    axes = axis if isinstance(axis, tuple) else (axis,)
    moves = dict.fromkeys(range(out.ndim), 0)
    for own, by in zip(axes, shift if len(shift) > 1 else shift * len(axes), strict=True):
        moves[axis_of("roll", own, out.ndim)] += by
    halves = [_halves(n, moves[d]) for d, n in enumerate(out.shape)]
    for parts in itertools.product(*halves):
        yield out[(*(p[0] for p in parts), Ellipsis)], 0, x[(*(p[1] for p in parts), Ellipsis)]


def _halves(size: int, by: int) -> list[tuple[slice, slice]]:
    """Pairs of where elements of an axis come to and where they are."""
    by = by % size if size else 0
    if not by:
        return [(slice(None), slice(None))]
    return [(slice(by, None), slice(size - by)), (slice(by), slice(size - by, None))]
