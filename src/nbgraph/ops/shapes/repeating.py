"""Arrays repeated, padded and rolled."""

import itertools
import math
from itertools import chain
from typing import Any

import numpy as np

from nbgraph.errors import ArgumentError, ShapeError, require_word
from nbgraph.operator.arrays import device_forms
from nbgraph.operator.arrays.array_op import Gradients, Spec
from nbgraph.operator.arrays.device_forms import Writes
from nbgraph.operator.arrays.pieces_op import PiecesOp
from nbgraph.operator.call import carrier_of
from nbgraph.ops.define import (
    Axis,
    Shape,
    as_known,
    axis_of,
    composed,
    deferrable,
    define_rows,
    kept,
    library,
    number,
    public,
    shape_tuple,
    whole,
    whole_tuple,
)
from nbgraph.ops.shapes.creation import Number
from nbgraph.ops.shapes.shape import broadcast_to, ravel, reshape
from nbgraph.ops.shapes.slicing import slice_view
from nbgraph.shape import Array

Widths = tuple[tuple[int, int], ...]


def _interleaved(x: Any, pairs: list[tuple[int, ...]], repeats: list[tuple[int, ...]]) -> Any:
    """Broadcast new axes of size 1 to `repeats`, then merge each group of axes."""
    split = reshape(x, tuple(chain.from_iterable(pairs)))
    wide = broadcast_to(split, tuple(chain.from_iterable(repeats)))
    return reshape(wide, tuple(math.prod(group) for group in repeats))


@composed("x")
@deferrable()
def tile(x: Any, reps: Any) -> Any:
    """The whole array repeated along each axis; missing leading axes are added.

    The gradient of an element is the sum over its copies.

    reps : int, or one for each axis
    >>> tile([1, 2], (2, 2))
    array([[1, 2, 1, 2],
           [1, 2, 1, 2]])
    """
    x, counts = as_known("tile", x), shape_tuple("tile", reps, "reps")
    ndim = max(len(x.shape), len(counts))
    shape = (1,) * (ndim - len(x.shape)) + tuple(x.shape)
    counts = (1,) * (ndim - len(counts)) + counts
    ones = [(1, n) for n in shape]
    return _interleaved(x, ones, list(zip(counts, shape, strict=True)))


@composed("x")
@deferrable()
def repeat(x: Any, repeats: Any, axis: int | None = None) -> Any:
    """Each element repeated along an axis.

    The gradient of an element is the sum over its copies.

    repeats : int, or one for each element along the axis (an NDArray of them is waited for)
    axis : int, by default of the flattened array
    >>> repeat([1, 2], 2), repeat([1, 2], [0, 2])
    (array([1, 1, 2, 2]), array([2, 2]))
    """
    x = as_known("repeat", x)
    if axis is None:
        x, axis = ravel(x), 0
    if carrier_of((repeats,)) is not None:
        repeats = np.asarray(repeats)  # the result's shape depends on it
    counts = shape_tuple("repeat", repeats, "repeats")
    shape = tuple(x.shape)
    place = axis_of("repeat", whole("repeat", "axis", axis), len(shape))
    if len(counts) == 1:
        pairs = [(n, 1) if d == place else (n,) for d, n in enumerate(shape)]
        return _interleaved(x, pairs, [(p[0], counts[0]) if len(p) > 1 else p for p in pairs])
    if len(counts) != shape[place]:
        raise ShapeError(
            f"repeat: repeats has {len(counts)} numbers, axis {place} of shape {shape} has "
            f"{shape[place]} elements; give one number, or one for each"
        )
    return library.take(
        x, np.repeat(np.arange(shape[place]), np.asarray(counts, np.int64)), axis=place
    )


# padding ----------------------------------------------------------------------------------------

_MODES = ("constant", "edge", "reflect", "symmetric", "wrap")


def _widths(pad_width: Any, ndim: int) -> Widths:
    """Return (before, after) of each axis, from NumPy's four forms of pad_width."""
    try:
        widths = np.broadcast_to(np.asarray(pad_width), (ndim, 2))
    except ValueError:
        raise ShapeError(
            f"pad: pad_width={pad_width!r} does not fit {ndim} axes; give one number, (before, "
            "after), or such a pair for each axis"
        ) from None
    if widths.dtype.kind not in "iu" or (widths < 0).any():
        raise ArgumentError(f"pad: pad_width={pad_width!r}; give whole numbers from 0")
    return tuple((int(before), int(after)) for before, after in widths)


def _inside(shape: Shape, widths: Widths) -> tuple[tuple[int, int, None], ...]:
    """Return the key of the operand's elements in the result."""
    return tuple((b, b + n, None) for n, (b, _) in zip(shape, widths, strict=True))


def _pad_infer(x: Spec, *, pad_width: Widths, constant_values: Number) -> Spec:
    if len(pad_width) != len(x.shape):
        raise ShapeError(f"pad: {len(pad_width)} widths for shape {x.shape}; give one an axis")
    return Spec(tuple(b + n + a for n, (b, a) in zip(x.shape, pad_width, strict=True)), x.dtype)


def _pad(out: Array, x: Array, *, pad_width: Widths, constant_values: Number) -> Writes:
    """Yield the fill with a number and the copy of the operand."""
    for axis, (before, after) in enumerate(pad_width):
        within = out.shape[axis] - after
        lead = (slice(None),) * axis
        yield out[(*lead, slice(before))], None, constant_values
        yield out[(*lead, slice(within, None))], None, constant_values
        out = out[(*lead, slice(before, within))]
    yield out, 0, x


def _pad_rule(g: Gradients) -> list[Any]:
    key = _inside(g.specs[0].shape, g.attributes["pad_width"])
    return [library.slice_view(g.out_grad, key)]


_PAD = PiecesOp("pad", _pad_infer, _pad, gradient=_pad_rule)


@public(_PAD)
@deferrable()
def pad(
    x: Any, pad_width: Any, mode: str = "constant", *, constant_values: Any = 0, out: Any = None
) -> Any:
    """Elements added before and after each axis.

    The gradient of an element is the sum over its copies.

    pad_width : int for all sides, (before, after) for all axes, or a pair for each axis
    mode : "constant", or which elements are repeated, as in NumPy: "edge", "reflect", "symmetric",
        "wrap"
    constant_values : number
    >>> pad([1, 2], (1, 2)), pad([1, 2, 3], 2, "reflect")
    (array([0, 1, 2, 0, 0]), array([3, 2, 1, 2, 3, 2, 1]))
    """
    require_word("pad: mode", mode, _MODES)
    x = as_known("pad", x)
    widths = _widths(pad_width, len(x.shape))
    if mode == "constant":
        value = number("pad", "constant_values", constant_values, real=False)
        return _PAD(x, pad_width=widths, constant_values=value, out=out)
    x = _mirrored(x, widths, mode)
    return x if out is None else library.positive(x, out=out)


@kept
def _mirrored(x: Any, widths: Widths, mode: str) -> Any:
    """Return an array padded with its own elements."""
    for axis, width in enumerate(widths):
        if width != (0, 0):
            places = np.pad(np.arange(x.shape[axis]), width, mode)  # type: ignore[call-overload]
            x = library.take(x, places, axis=axis)
    return x


# roll -------------------------------------------------------------------------------------------


def _roll_infer(x: Spec, *, shift: Shape, axis: Axis) -> Spec:
    count = len(axis) if isinstance(axis, tuple) else 1
    if len(shift) not in (1, count):
        raise ArgumentError(
            f"roll: {len(shift)} shifts for {count} axes; give one shift, or one for each axis"
        )
    for own in axis if isinstance(axis, tuple) else () if axis is None else (axis,):
        axis_of("roll", own, len(x.shape))  # a repeated axis is rolled repeatedly, as in NumPy
    return x


def _roll(out: Array, x: Array, *, shift: Shape, axis: Axis) -> Writes | None:
    """Yield two parts for each axis: the shifted one, and the one that wraps around."""
    if axis is not None:
        return _rolled(out, x, shift, axis)
    if x.ndim > 1 and not (x.flags.c_contiguous and out.flags.c_contiguous):
        return None  # all elements are one axis, which is not a view
    return _rolled(out.reshape(-1), x.reshape(-1), shift[-1:], 0)


def _rolled(out: Array, x: Array, shift: Shape, axis: int | Shape) -> Writes:
    axes = axis if isinstance(axis, tuple) else (axis,)
    moves = dict.fromkeys(range(out.ndim), 0)
    for own, by in zip(axes, shift if len(shift) > 1 else shift * len(axes), strict=True):
        moves[axis_of("roll", own, out.ndim)] += by  # a repeated axis is rolled repeatedly
    halves = [_halves(n, moves[d]) for d, n in enumerate(out.shape)]
    for parts in itertools.product(*halves):
        yield out[(*(p[0] for p in parts), ...)], 0, x[(*(p[1] for p in parts), ...)]


def _halves(size: int, by: int) -> list[tuple[slice, slice]]:
    """Return pairs of target and source slices of an axis."""
    by = by % size if size else 0
    if not by:
        return [(slice(None), slice(None))]
    return [(slice(by, None), slice(size - by)), (slice(by), slice(size - by, None))]


_ROLL = PiecesOp(
    "roll",
    _roll_infer,
    _roll,
    gradient=lambda g: [
        library.roll(g.out_grad, tuple(-n for n in g.attributes["shift"]), g.attributes["axis"])
    ],
)


@device_forms.composed(_ROLL)
def _rolled_flat(x: Any, *, shift: Shape, axis: Axis) -> Any:
    """Roll all elements as one axis on devices, if no axis is named."""
    if axis is not None:
        return None
    return reshape(library.roll(ravel(x), shift[-1], 0), x.shape)


@composed("x")
@deferrable()
def shift(x: Any, offsets: Any, *, fill_value: Number = 0) -> Any:
    """Elements moved along the axes by so many places, with `fill_value` where none come from.

    offsets : ints, one for each axis; negative ones move back
    fill_value : number
    >>> shift([1, 2, 3], (1,))
    array([0, 1, 2])
    """
    x, moves = as_known("shift", x), whole_tuple("shift", "offsets", offsets)
    if len(moves) != len(x.shape):
        raise ShapeError(
            f"shift: offsets={offsets!r} for shape {tuple(x.shape)}; give one for each axis"
        )
    moves = tuple(max(-n, min(n, by)) for by, n in zip(moves, x.shape, strict=True))
    wide = pad(x, tuple((max(by, 0), max(-by, 0)) for by in moves), constant_values=fill_value)
    cut = tuple(slice(max(-by, 0), max(-by, 0) + n) for by, n in zip(moves, x.shape, strict=True))
    return slice_view(wide, cut)


_TABLE = """
roll(x, shift: ints, axis=None, *, out=None): Elements shifted along axes; those beyond the end
    reappear at the beginning.
    shift : int, or one for each axis; negative ones move back
    axis : int, several, or None for the flattened array
    >>> roll([1, 2, 3], 1)
    array([3, 1, 2])
"""
define_rows(_TABLE, globals())
