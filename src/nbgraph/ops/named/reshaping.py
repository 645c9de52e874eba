"""Shapes by MXNet's names: its codes for parts of a shape, axes made one, shapes of others.

Codes of `Reshape`, each for some of the axes that are there: 0 keeps one, -1 is what is left, -2
keeps all the rest, -3 makes one of two, -4 makes two of one, whose sizes follow (one may be -1).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from nbgraph.errors import ShapeError
from nbgraph.operator.array_op import ArrayOp, Spec, constant
from nbgraph.ops.define import (
    Shape,
    as_known,
    composed,
    deferrable,
    library,
    public,
    whole,
    whole_tuple,
)
from nbgraph.ops.named.layering import named
from nbgraph.ops.shapes.shape import reshape_view
from nbgraph.shape import Shapes, broadcast, merged, same_size

Array = np.ndarray[Any, Any]
Bounds = tuple[int | None, int | None]


def _coded(codes: Shape, shape: Shape) -> list[int]:
    """The sizes that codes stand for; -1 stays."""
    left, given, found = list(shape), iter(codes), list[int]()
    for code in given:
        if code == -2:
            found += left
            left = []
        elif code == -3:
            found.append(left.pop(0) * left.pop(0))
        elif code == -4:
            found += _halves(left.pop(0), next(given), next(given))
        else:
            size = left.pop(0) if left else None
            found.append(_own(code, size))
    return found


def _own(code: int, size: int | None) -> int:
    if code == 0 and size is not None:
        return size
    if code < -1 or code == 0:
        raise IndexError
    return code


def _halves(size: int, first: int, second: int) -> tuple[int, int]:
    if first == -1:
        first = size // max(1, second)
    if second == -1:
        second = size // max(1, first)
    if first * second != size:
        raise IndexError
    return first, second


def resolved(codes: Shape, shape: Shape, *, reverse: bool = False) -> Shape:
    """The shape that codes give of a shape; ShapeError where they do not fit.

    >>> resolved((0, -1), (2, 3, 4)), resolved((-3, -4, 2, -1), (2, 3, 4))
    ((2, 12), (6, 2, 2))
    """
    size = math.prod(shape)
    try:
        found = _turned(codes, shape) if reverse else _coded(codes, shape)
    except (IndexError, StopIteration):
        found = []
    rest = math.prod(n for n in found if n != -1)
    if found.count(-1) == 1 and rest and size % rest == 0:
        found[found.index(-1)] = size // rest
    if -1 in found or math.prod(found) != size or (codes and not found):
        raise ShapeError(
            f"Reshape: shape={codes} (reverse={reverse}) does not fit an array of shape {shape}; "
            "give sizes, or codes: 0 keeps an axis, -1 is what is left, -2 keeps the rest, -3 "
            "joins two axes, -4 splits one into the two sizes that follow"
        )
    return tuple(found)


def _turned(codes: Shape, shape: Shape) -> list[int]:
    """As `_coded`, from the last axis on."""
    return _coded(tuple(_reversed_codes(codes)), shape[::-1])[::-1]


def _reversed_codes(codes: Shape) -> Iterator[int]:
    """From the last on; a -4 stays before its two sizes, which are met from the other end."""
    groups, given = list[list[int]](), iter(codes)
    for code in given:
        groups.append([code, *reversed([next(given), next(given)])] if code == -4 else [code])
    for group in reversed(groups):
        yield from group


def _view(x: Array, *, shape: Shape, reverse: bool) -> Array:
    return reshape_view(x, shape=resolved(shape, x.shape, reverse=reverse))


def _partial(
    in_shapes: Shapes, out_shapes: Shapes, *, shape: Shape, reverse: bool
) -> tuple[Shapes, Shapes]:
    if all(n == -1 or n > 0 for n in shape):  # other codes copy extents
        given = tuple([None if n == -1 else n for n in shape])
        out_shapes = [merged(out_shapes[0], given, "Reshape")]
    return same_size(in_shapes, out_shapes)


_RESHAPE = ArrayOp(
    "Reshape",
    lambda x, *, shape, reverse: Spec(resolved(shape, x.shape, reverse=reverse), x.dtype),
    view=_view,
    gradient=lambda g: [library.reshape(g.out_grad, g.specs[0].shape)],
    operands=("data",),
    partial=_partial,
)


@public(_RESHAPE)
def Reshape(
    data: Any, shape: Any, *, reverse: bool = False, name: str | None = None, out: Any = None
) -> Any:
    """The elements in C order under another shape: a view where memory allows it.

    Parameters
    ----------
    data : array of any dtype
    shape : sizes, or MXNet's codes: 0 keeps an axis, -1 (once) is what is left, -2 keeps all the
        rest, -3 makes one axis of two, -4 makes two of one, whose sizes follow (one of them may be
        -1)
    reverse : whether codes are matched with axes from the last one on
    out : array to write to, optional

    Raises
    ------
    ShapeError where sizes or codes do not fit.

    >>> Reshape(np.zeros((2, 3, 4)), (0, -1)).shape, Reshape(np.zeros((8, 3)), (-4, 2, -1, 0)).shape
    ((2, 12), (2, 4, 3))
    """
    codes = whole_tuple("Reshape", "shape", shape)
    return named(_RESHAPE(data, shape=codes, reverse=bool(reverse), out=out), name)


@composed("data", aliases=("flatten",))
def Flatten(data: Any, *, name: str | None = None) -> Any:
    """All axes but the first as one.

    Parameters
    ----------
    data : array (samples, ...), also (samples,)

    Returns
    -------
    array (samples, numbers of a sample), a view where memory allows it

    >>> Flatten(np.zeros((2, 3, 4))).shape
    (2, 12)
    """
    return Reshape(data, (0, -1), name=name)


def _like_infer(lhs: Spec, rhs: Spec, *, lhs_axes: Bounds, rhs_axes: Bounds) -> Spec:
    first, last, _ = slice(*lhs_axes).indices(len(lhs.shape))
    taken = rhs.shape[slice(*rhs_axes)]
    shape = (*lhs.shape[:first], *taken, *lhs.shape[max(first, last) :])
    if math.prod(shape) != math.prod(lhs.shape):
        raise ShapeError(
            f"reshape_like: lhs has shape {lhs.shape} and rhs {rhs.shape}: that gives {shape}; "
            "give arrays of as many elements"
        )
    return Spec(shape, lhs.dtype)


def _like(inputs: Sequence[Array], outputs: Sequence[Array], **_: Any) -> None:
    outputs[0][...] = inputs[0].reshape(outputs[0].shape)


_LIKE = ArrayOp(
    "reshape_like",
    _like_infer,
    _like,
    gradient=lambda g: [library.reshape(g.out_grad, g.specs[0].shape), None],
    operands=("lhs", "rhs"),
)


@public(_LIKE)
def reshape_like(
    lhs: Any,
    rhs: Any,
    *,
    lhs_begin: int | None = None,
    lhs_end: int | None = None,
    rhs_begin: int | None = None,
    rhs_end: int | None = None,
) -> Any:
    """The elements of `lhs` under the shape of `rhs`, or with some of its axes in place of some of
    their own.

    Parameters
    ----------
    lhs : array of any dtype
    rhs : array of which the shape counts; it has no gradient
    lhs_begin, lhs_end : int or None, the axes that are replaced: from the first up to the second,
        by default all; negative ones count from the end
    rhs_begin, rhs_end : likewise, the axes of rhs that come in their place

    Raises
    ------
    ShapeError where that is another number of elements.

    >>> reshape_like(np.zeros((30, 7)), np.zeros((15, 2, 4)), lhs_end=1, rhs_end=2).shape
    (15, 2, 7)
    """
    return _LIKE(lhs, rhs, lhs_axes=(lhs_begin, lhs_end), rhs_axes=(rhs_begin, rhs_end))


def _wide_infer(lhs: Spec, rhs: Spec, *, axes: tuple[tuple[int, int], ...]) -> Spec:
    shape = [*lhs.shape] if axes else [*rhs.shape]
    for own, other in axes:
        shape[own] = rhs.shape[other]
    if broadcast("broadcast_like", [("lhs", lhs.shape), ("rhs", tuple(shape))]) != tuple(shape):
        raise ShapeError(f"broadcast_like: shape {lhs.shape} does not broadcast to {tuple(shape)}")
    return Spec(tuple(shape), lhs.dtype)


def _wide(inputs: Sequence[Array], outputs: Sequence[Array], **_: Any) -> None:
    outputs[0][...] = inputs[0]


_WIDE = ArrayOp(
    "broadcast_like",
    _wide_infer,
    _wide,
    gradient=lambda g: [library.sum_to(g.out_grad, g.specs[0].shape), None],
    operands=("lhs", "rhs"),
)


@public(_WIDE)
def broadcast_like(lhs: Any, rhs: Any, *, lhs_axes: Any = (), rhs_axes: Any = ()) -> Any:
    """`lhs` repeated to the shape of `rhs`, or along some axes to the sizes of others.

    Parameters
    ----------
    lhs : array, of size 1 along what is repeated
    rhs : array of which the shape counts; it has no gradient
    lhs_axes, rhs_axes : axes of lhs, and as many of rhs whose sizes they get; by default all

    Returns
    -------
    array of lhs's dtype; the gradient is the sum over what was repeated

    Raises
    ------
    ShapeError where shapes do not broadcast.

    >>> broadcast_like(np.zeros((1, 3)), np.zeros((4, 2)), lhs_axes=(0,), rhs_axes=(-1,)).shape
    (2, 3)
    """
    own, other = (
        whole_tuple("broadcast_like", label, axes or ())
        for label, axes in (("lhs_axes", lhs_axes), ("rhs_axes", rhs_axes))
    )
    return _WIDE(lhs, rhs, axes=tuple(zip(own, other, strict=True)))


@composed("data", aliases=("broadcast_axes",))
@deferrable()
def broadcast_axis(data: Any, axis: Any = (), size: Any = ()) -> Any:
    """Repeated along axes of size 1 to these sizes.

    Parameters
    ----------
    data : array
    axis, size : ints or as many of both: axes of size 1, and their new sizes

    Raises
    ------
    ShapeError for an axis of another size than 1.

    >>> broadcast_axis(np.zeros((1, 3, 1)), axis=(0, 2), size=(2, 4)).shape
    (2, 3, 4)
    """
    data = as_known("broadcast_axis", data)
    axes, sizes = (
        whole_tuple("broadcast_axis", label, v) for label, v in (("axis", axis), ("size", size))
    )
    shape = list(data.shape)
    for own, n in zip(axes, sizes, strict=True):
        shape[own] = n
    return library.broadcast_to(data, tuple(shape))


@composed("data")
def SwapAxis(data: Any, dim1: int = 0, dim2: int = 0, *, name: str | None = None) -> Any:
    """`swapaxes` by MXNet's name: a view with two axes exchanged.

    Parameters
    ----------
    data : array
    dim1, dim2 : ints, the axes; negative ones count from the end

    >>> SwapAxis(np.zeros((2, 3, 4)), dim1=0, dim2=2).shape
    (4, 3, 2)
    """
    first, second = (whole("SwapAxis", "dim", d) for d in (dim1, dim2))
    return named(library.swapaxes(data, first, second), name)


def _shape(inputs: Sequence[Array], outputs: Sequence[Array]) -> None:
    outputs[0][...] = inputs[0].shape


def _size(inputs: Sequence[Array], outputs: Sequence[Array]) -> None:
    outputs[0][...] = inputs[0].size


_SHAPE = ArrayOp(
    "shape_array",
    lambda x: Spec((len(x.shape),), np.dtype("int64")),
    _shape,
    gradient=constant,
)
_SIZE = ArrayOp("size_array", lambda x: Spec((1,), np.dtype("int64")), _size, gradient=constant)


@public(_SHAPE)
def shape_array(x: Any) -> Any:
    """The shape as a vector of int64.

    Parameters
    ----------
    x : array

    >>> shape_array(np.zeros((2, 3)))
    array([2, 3])
    """
    return _SHAPE(x)


@public(_SIZE)
def size_array(x: Any) -> Any:
    """The number of elements as a vector of one int64.

    Parameters
    ----------
    x : array

    >>> size_array(np.zeros((2, 3)))
    array([6])
    """
    return _SIZE(x)
