"""Parts of arrays and borders around them, by MXNet's names and parameters."""

from typing import Any

from nbgraph.errors import ArgumentError, ShapeError
from nbgraph.ops.define import Shape, as_known, axis_of, composed, define_rows, whole, whole_tuple
from nbgraph.ops.named.calls import named as named
from nbgraph.ops.shapes.slicing import slice_view

_builtin_slice = slice


def _bounds(name: str, argument: str, value: Any) -> tuple[int | None, ...]:
    bounds = value if isinstance(value, (tuple, list)) else (value,)
    return tuple(None if v is None else whole(name, argument, v) for v in bounds)


@composed("data", aliases=("slice", "crop"))
def slice_range(data: Any, begin: Any, end: Any, step: Any = None) -> Any:
    """Parts of the first axes, from `begin` up to `end`: a view.

    data : array of any dtype
    begin, end, step : int or None, or one for each of the first axes: as in Python's slices, with
        None for the end of an axis; step by default 1
    ! ArgumentError where these are not equally many.
    >>> slice_range([[1, 2, 3], [4, 5, 6]], begin=(None, 1), end=(1, 3))
    array([[2, 3]])
    """
    first, last, stride = (
        _bounds("slice", argument, value)
        for argument, value in (("begin", begin), ("end", end), ("step", step))
    )
    if step is None or not stride:
        stride = (None,) * len(first)
    if len({len(first), len(last), len(stride)}) > 1:
        raise ArgumentError(
            f"slice: begin={begin}, end={end}, step={step}; give one of each for the same axes"
        )
    keys = zip(first, last, stride, strict=True)
    return slice_view(data, tuple(_builtin_slice(*key) for key in keys))


def key_like(data: Any, shape_like: Any, axes: Shape) -> tuple[Any, ...]:
    """Return the key of as many elements of `data` as another array has, along axes or all."""
    shape, like = (tuple(as_known("slice_like", x).shape) for x in (data, shape_like))
    axes = whole_tuple("slice_like", "axes", axes)
    places = {axis_of("slice_like", axis, len(shape)) for axis in axes or range(len(shape))}
    over = [d for d in places if d >= len(like) or like[d] > shape[d]]
    if over:
        raise ShapeError(
            f"slice_like: data has shape {shape} and shape_like {like}: at axis {over[0]} there "
            "are not so many elements"
        )
    return tuple(_builtin_slice(like[d] if d in places else None) for d in range(len(shape)))


def cropped(data: Any, offset: Any, h_w: Any, center_crop: bool) -> Any:
    """Return a part of images, in the size of other images or of `h_w`."""
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
    part = slice_view(known[0], (_builtin_slice(None), _builtin_slice(None), rows, columns))
    if tuple(part.shape[2:]) != tuple(size):
        raise ShapeError(f"Crop: {size} from {first} on does not lie within {tuple(whole_size)}")
    return part


_TABLE = """
Crop(*data, num_args=None, offset=(0, 0), h_w=(0, 0), center_crop=False, name=None): A part of
    images: of size `h_w`, or as large as a second operand's.
    *data : an array (images, channels, height, width), or two: the second gives the size
    num_args : ignored; MXNet's scripts pass it
    offset : (row, column) where the part begins
    h_w : (height, width) of the part, where there is one operand
    center_crop : whether to crop the centre, ignoring `offset`
    -> array (images, channels, rows, columns), a view
    ! ShapeError for other shapes, and for a part that does not lie within.
    >>> import numpy as np
    >>> Crop(np.arange(9.0).reshape(1, 1, 3, 3), h_w=(1, 2), offset=(1, 0))
    array([[[[3., 4.]]]])
    = named(cropped(data, offset, h_w, center_crop), name)
slice_like(data, shape_like, *, axes: ints = ()): The first elements of each axis, or of some axes:
    as many as another array has; a view.
    data : array of any dtype
    shape_like : array whose shape is used; it has no gradient
    axes : ints, by default all axes of data; the others are kept whole
    ! ShapeError where shape_like has more elements along an axis, or no such axis.
    >>> slice_like([[1, 2, 3], [4, 5, 6]], [[0, 0]], axes=(1,))
    array([[1, 2],
           [4, 5]])
    = slice_view(data, key_like(data, shape_like, axes))
"""
define_rows(_TABLE, globals(), ("data", "shape_like"), ("Crop",), like=("slice_like",))
