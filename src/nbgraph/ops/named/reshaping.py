"""Shapes by MXNet's names: its codes for parts of a shape, merged axes, shapes of other arrays.

Codes of `Reshape`, each for some of the existing axes: 0 keeps one, -1 is the remaining size, -2
keeps all the rest, -3 merges two, -4 splits one into two, whose sizes follow (one may be -1).
"""

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from nbgraph.device import Context
from nbgraph.errors import ShapeError
from nbgraph.operator.arrays.array_op import ArrayOp, Spec
from nbgraph.ops.define import Shape, as_known, define_rows, library, whole_tuple
from nbgraph.ops.named.calls import named as named
from nbgraph.ops.shapes.shape import reshape_view
from nbgraph.shape import Shapes, broadcast, merged, same_size

Bounds = tuple[int | None, int | None]


def _coded(codes: Shape, shape: Shape) -> list[int]:
    """Return the sizes that codes stand for; -1 stays."""
    left, codes_left, extents = list(shape), iter(codes), list[int]()
    for code in codes_left:
        if code == -2:
            extents += left
            left = []
        elif code == -3:
            extents.append(left.pop(0) * left.pop(0))
        elif code == -4:
            extents += _halves(left.pop(0), next(codes_left), next(codes_left))
        else:
            size = left.pop(0) if left else None
            extents.append(_own(code, size))
    return extents


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
    """Return the shape that codes make of a shape; ShapeError if they do not fit.

    >>> resolved((0, -1), (2, 3, 4)), resolved((-3, -4, 2, -1), (2, 3, 4))
    ((2, 12), (6, 2, 2))
    """
    size = math.prod(shape)
    try:
        extents = _turned(codes, shape) if reverse else _coded(codes, shape)
    except (IndexError, StopIteration):
        extents = []
    rest = math.prod(n for n in extents if n != -1)
    if extents.count(-1) == 1 and rest and size % rest == 0:
        extents[extents.index(-1)] = size // rest
    if -1 in extents or math.prod(extents) != size or (codes and not extents):
        raise ShapeError(
            f"Reshape: shape={codes} (reverse={reverse}) does not fit an array of shape {shape}; "
            "give sizes, or codes: 0 keeps an axis, -1 is what is left, -2 keeps the rest, -3 "
            "joins two axes, -4 splits one into the two sizes that follow"
        )
    return tuple(extents)


def _turned(codes: Shape, shape: Shape) -> list[int]:
    """Return the sizes like `_coded`, from the last axis on."""
    return _coded(tuple(_reversed_codes(codes)), shape[::-1])[::-1]


def _reversed_codes(codes: Shape) -> Iterator[int]:
    """Yield codes from the last on; a -4 stays before its two sizes, which are swapped."""
    groups, codes_left = list[list[int]](), iter(codes)
    for code in codes_left:
        groups.append(
            [code, *reversed([next(codes_left), next(codes_left)])] if code == -4 else [code]
        )
    for group in reversed(groups):
        yield from group


def _partial(
    in_shapes: Shapes, out_shapes: Shapes, *, shape: Shape, reverse: bool
) -> tuple[Shapes, Shapes]:
    if all(n == -1 or n > 0 for n in shape):  # other codes copy extents
        extents = tuple([None if n == -1 else n for n in shape])
        out_shapes = [merged(out_shapes[0], extents, "Reshape")]
    return same_size(in_shapes, out_shapes)


_RESHAPE = ArrayOp(
    "Reshape",
    lambda x, *, shape, reverse: Spec(resolved(shape, x.shape, reverse=reverse), x.dtype),
    view=lambda x, *, shape, reverse: reshape_view(
        x, shape=resolved(shape, x.shape, reverse=reverse)
    ),
    gradient=lambda g: [library.reshape(g.out_grad, g.specs[0].shape)],
    operands=("data",),
    partial=_partial,
)


def shape_like(lhs: Any, rhs: Any, lhs_axes: Bounds, rhs_axes: Bounds) -> Shape:
    """Return the shape of `lhs` with some axes replaced by axes of `rhs`."""
    own, other = (tuple(as_known("reshape_like", x).shape) for x in (lhs, rhs))
    first, last, _ = slice(*lhs_axes).indices(len(own))
    shape = (*own[:first], *other[slice(*rhs_axes)], *own[max(first, last) :])
    if math.prod(shape) != math.prod(own):
        raise ShapeError(
            f"reshape_like: lhs has shape {own} and rhs {other}: that gives {shape}; "
            "give arrays of as many elements"
        )
    return shape


def wide_like(lhs: Any, rhs: Any, lhs_axes: Any, rhs_axes: Any) -> Shape:
    """Return the shape of `lhs`, with the sizes of `rhs` along some axes or all."""
    name = "broadcast_like"
    own, other = (tuple(as_known(name, x).shape) for x in (lhs, rhs))
    places = whole_tuple(name, "lhs_axes", lhs_axes or ())
    shape = [*own] if places else [*other]
    for d, k in zip(places, whole_tuple(name, "rhs_axes", rhs_axes or ()), strict=True):
        shape[d] = other[k]
    if broadcast(name, [("lhs", own), ("rhs", tuple(shape))]) != tuple(shape):
        raise ShapeError(f"{name}: shape {own} does not broadcast to {tuple(shape)}")
    return tuple(shape)


def numbers(x: Any, values: Sequence[int]) -> Any:
    """Return a vector of int64, on the device of `x`."""
    if isinstance(x, np.ndarray):
        return np.array(values, np.int64)
    device = getattr(x, "device", None)
    if isinstance(device, Context):  # an array; symbols have no device
        namespace = x.__array_namespace__()
        return namespace.asarray(values, dtype=namespace.int64, device=device)
    zeros = library.zeros_like(x, "int64", shape=(len(values),))
    return library.add(zeros, np.array(values, np.int64))


_TABLE = """
Reshape(data, shape: ints, *, reverse=False, name=None, out=None): The elements in C order under
    another shape: a view where memory allows it.
    data : array of any dtype
    shape : sizes, or MXNet's codes: 0 keeps an axis, -1 (once) is the remaining size, -2 keeps all
        the rest, -3 makes one axis of two, -4 makes two of one, whose sizes follow (one of them may
        be -1)
    reverse : whether codes are matched with axes from the last one on
    ! ShapeError where sizes or codes do not fit.
    >>> Reshape(np.zeros((2, 3, 4)), (0, -1)).shape, Reshape(np.zeros((8, 3)), (-4, 2, -1, 0)).shape
    ((2, 12), (2, 4, 3))
    = named(op(...), name)
reshape_like(lhs, rhs, *, lhs_begin: int | None = None, lhs_end: int | None = None, rhs_begin: int |
    None = None, rhs_end: int | None = None): `lhs` in the shape of `rhs`, or with some of its axes
    replaced by some of those of `rhs`: a view where memory allows it.
    lhs : array of any dtype
    rhs : array whose shape is used; it has no gradient
    lhs_begin, lhs_end : int or None, the axes that are replaced: from the first up to the second,
        by default all; negative ones count from the end
    rhs_begin, rhs_end : likewise, the axes of rhs that come in their place
    ! ShapeError if the number of elements differs.
    >>> reshape_like(np.zeros((30, 7)), np.zeros((15, 2, 4)), lhs_end=1, rhs_end=2).shape
    (15, 2, 7)
    = library.reshape(
        lhs, shape_like(lhs, rhs, (lhs_begin, lhs_end), (rhs_begin, rhs_end)))
broadcast_like(lhs, rhs, *, lhs_axes=(), rhs_axes=()): `lhs` repeated to the shape of `rhs`, or
    along some axes to the sizes of others, without copies.
    lhs : array, of size 1 along repeated axes
    rhs : array whose shape is used; it has no gradient
    lhs_axes, rhs_axes : axes of lhs, and as many of rhs whose sizes they get; by default all
    -> array of lhs's dtype; the gradient is the sum over the copies
    ! ShapeError where shapes do not broadcast.
    >>> broadcast_like(np.zeros((1, 3)), np.zeros((4, 2)), lhs_axes=(0,), rhs_axes=(-1,)).shape
    (2, 3)
    = library.broadcast_to(lhs, wide_like(lhs, rhs, lhs_axes, rhs_axes))
shape_array(x): The shape as a vector of int64.
    >>> shape_array(np.zeros((2, 3)))
    array([2, 3])
    = numbers(as_array(x), as_known("shape_array", x).shape)
size_array(x): The number of elements as a vector of one int64.
    >>> size_array(np.zeros((2, 3)))
    array([6])
    = numbers(as_array(x), [math.prod(as_known("size_array", x).shape)])
"""
_LIKE = ("reshape_like", "broadcast_like", "shape_array", "size_array")
define_rows(_TABLE, globals(), ("lhs", "rhs", "x"), like=_LIKE)
