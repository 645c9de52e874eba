"""Parts of arrays and borders around them, by MXNet's names and parameters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from nbgraph.errors import ArgumentError, ShapeError
from nbgraph.operator.array_op import ArrayOp, Gradients, Spec
from nbgraph.operator.registry import register
from nbgraph.ops.define import (
    Shape,
    as_known,
    axis_of,
    composed,
    deferrable,
    library,
    operator_of,
    public,
    whole,
    whole_tuple,
)
from nbgraph.ops.named.layering import named, one_of
from nbgraph.ops.shapes.creation import number
from nbgraph.ops.shapes.repeating import pad
from nbgraph.ops.shapes.slicing import slice_view

Array = np.ndarray[Any, Any]
_builtin_slice = slice


def _bounds(name: str, argument: str, value: Any) -> tuple[int | None, ...]:
    given = value if isinstance(value, (tuple, list)) else (value,)
    return tuple(None if v is None else whole(name, argument, v) for v in given)


@composed("data", aliases=("slice", "crop"))
def slice_range(data: Any, begin: Any, end: Any, step: Any = None) -> Any:
    """Parts of the first axes, from `begin` up to `end`: a view.

    Parameters
    ----------
    data : array of any dtype
    begin, end, step : int or None, or one for each of the first axes: as in Python's slices, with
        None for the end of an axis; step by default 1

    Raises
    ------
    ArgumentError where these are not equally many.

    >>> slice_range([[1, 2, 3], [4, 5, 6]], begin=(None, 1), end=(1, 3))
    array([[2, 3]])
    """
    first, last, stride = (
        _bounds("slice", argument, value)
        for argument, value in (("begin", begin), ("end", end), ("step", step))
    )
    if step is None:
        stride = (None,) * len(first)
    if len({len(first), len(last), len(stride)}) > 1:
        raise ArgumentError(
            f"slice: begin={begin}, end={end}, step={step}; give one of each for the same axes"
        )
    keys = zip(first, last, stride, strict=True)
    return slice_view(data, tuple(_builtin_slice(*key) for key in keys))


def _like_key(shape: Shape, like: Shape, axes: Shape) -> tuple[Any, ...]:
    places = {axis_of("slice_like", axis, len(shape)) for axis in axes or range(len(shape))}
    over = [d for d in places if d >= len(like) or like[d] > shape[d]]
    if over:
        raise ShapeError(
            f"slice_like: data has shape {shape} and shape_like {like}: at axis {over[0]} there "
            "are not so many elements"
        )
    return tuple(_builtin_slice(like[d] if d in places else None) for d in range(len(shape)))


def _like_infer(data: Spec, shape_like: Spec, *, axes: Shape) -> Spec:
    key = _like_key(data.shape, shape_like.shape, axes)
    return Spec(tuple(len(range(n)[k]) for n, k in zip(data.shape, key, strict=True)), data.dtype)


def _like(inputs: Sequence[Array], outputs: Sequence[Array], *, axes: Shape) -> None:
    outputs[0][...] = inputs[0][_like_key(inputs[0].shape, inputs[1].shape, axes)]


def _like_rule(g: Gradients) -> Sequence[Any]:
    shape, like = g.specs[0].shape, g.specs[1].shape
    key = _like_key(shape, like, g.attributes["axes"])
    return [library.slice_scatter(g.out_grad, shape, key), None]


_LIKE = ArrayOp(
    "slice_like", _like_infer, _like, gradient=_like_rule, operands=("data", "shape_like")
)


@public(_LIKE)
def slice_like(data: Any, shape_like: Any, *, axes: Any = ()) -> Any:
    """The first elements of each axis, or of some axes: as many as another array has.

    Parameters
    ----------
    data : array of any dtype
    shape_like : array of which the shape counts; it has no gradient
    axes : ints, by default all axes of data; the others are kept whole

    Raises
    ------
    ShapeError where shape_like has more elements along an axis, or no such axis.

    >>> slice_like([[1, 2, 3], [4, 5, 6]], [[0, 0]], axes=(1,))
    array([[1, 2],
           [4, 5]])
    """
    return _LIKE(data, shape_like, axes=whole_tuple("slice_like", "axes", axes))


@register
@deferrable()
def Crop(
    *data: Any,
    num_args: int | None = None,
    offset: Any = (0, 0),
    h_w: Any = (0, 0),
    center_crop: bool = False,
    name: str | None = None,
) -> Any:
    """A part of images: of size `h_w`, or as large as a second operand's.

    Parameters
    ----------
    *data : an array (images, channels, height, width), or two: of the second one the space counts
    num_args : ignored, as MXNet's scripts give it
    offset : (row, column) where the part begins
    h_w : (height, width) of the part, where there is one operand
    center_crop : whether the part lies in the middle, and `offset` does not count

    Returns
    -------
    array (images, channels, rows, columns), a view

    Raises
    ------
    ShapeError for other shapes, and for a part that does not lie within.

    >>> import numpy as np
    >>> Crop(np.arange(9.0).reshape(1, 1, 3, 3), h_w=(1, 2), offset=(1, 0))
    array([[[[3., 4.]]]])
    """
    known = [as_known("Crop", x) for x in data]
    if not 1 <= len(known) <= 2 or any(len(x.shape) != 4 for x in known):
        raise ShapeError(
            f"Crop: arrays of shapes {[tuple(x.shape) for x in known]}; expected one or two of "
            "shape (images, channels, height, width)"
        )
    whole_size = known[0].shape[2:]
    size = known[1].shape[2:] if len(known) == 2 else whole_tuple("Crop", "h_w", h_w)
    first = whole_tuple("Crop", "offset", offset)
    if center_crop:
        first = tuple((n - m) // 2 for n, m in zip(whole_size, size, strict=True))
    rows, columns = (_builtin_slice(f, f + n) for f, n in zip(first, size, strict=True))
    made = slice_view(known[0], (_builtin_slice(None), _builtin_slice(None), rows, columns))
    if tuple(made.shape[2:]) != tuple(size):
        raise ShapeError(f"Crop: {size} from {first} on does not lie within {tuple(whole_size)}")
    return named(made, name)


@composed("data")
def Pad(
    data: Any,
    mode: str = "constant",
    pad_width: Any = (),
    *,
    constant_value: float = 0.0,
    name: str | None = None,
) -> Any:
    """`pad` by MXNet's name: cells around an array.

    Parameters
    ----------
    data : array
    mode : "constant", "edge" (the last element repeated) or "reflect" (mirrored, without the edge)
    pad_width : (before, after) of all axes in one row
    constant_value : what "constant" adds

    Raises
    ------
    ArgumentError for another mode, or an odd number of widths.

    >>> Pad([[1.0, 2.0]], pad_width=(0, 0, 1, 1))
    array([[0., 1., 2., 0.]])
    """
    one_of("Pad", "mode", mode, ("constant", "edge", "reflect"))
    flat = whole_tuple("Pad", "pad_width", pad_width)
    if len(flat) % 2:
        raise ArgumentError(f"Pad: pad_width={pad_width} has {len(flat)} numbers; give pairs")
    widths = tuple(zip(flat[::2], flat[1::2], strict=True))
    if mode == "constant":
        value = number("Pad", "constant_value", constant_value)
        return named(operator_of(pad)(data, pad_width=widths, constant_values=value), name)
    return named(pad(data, widths, mode), name)


@composed("data")
def split_v2(
    data: Any, indices_or_sections: Any, axis: int = 0, squeeze_axis: bool = False
) -> list[Any]:
    """`split`: an array in parts along an axis, which `squeeze_axis` drops.

    Parameters
    ----------
    data : array
    indices_or_sections : the number of equal parts, or the places where parts begin
    axis : int
    squeeze_axis : whether the axis is dropped, where parts have size 1 along it

    Returns
    -------
    list of arrays, views

    >>> [part.tolist() for part in split_v2([1, 2, 3], (1,))]
    [[1], [2, 3]]
    """
    parts: Sequence[Any] = library.split(data, indices_or_sections, axis)
    return [library.squeeze(part, axis) for part in parts] if squeeze_axis else list(parts)


@composed("data")
@deferrable()
def diag(data: Any, k: int = 0, axis1: int = 0, axis2: int = 1) -> Any:
    """The diagonal of two axes; of a vector the matrix that has it there.

    Parameters
    ----------
    data : array (n,), or of two axes or more
    k : int, which diagonal: above the main one where positive, below where negative
    axis1, axis2 : ints, the two axes, where there are more than one

    Returns
    -------
    array (n + abs(k), n + abs(k)) of a vector; else (other axes, length of the diagonal)

    >>> diag([1, 2])
    array([[1, 0],
           [0, 2]])
    >>> diag([[1, 2], [3, 4]], k=1)
    array([2])
    """
    data = as_known("diag", data)
    if len(data.shape) > 1:
        return library.diagonal(data, k, axis1, axis2)
    size = data.shape[0] + abs(k)
    return library.diagonal_scatter(data, (size, size), k)
