"""Shapes: reshaping, reordering, adding, dropping and broadcasting axes.

Results are views wherever memory allows: they share the operand's memory.
"""

import math
from typing import Any

import numpy as np

from nbgraph.errors import ArgumentError, ShapeError
from nbgraph.operator.arrays.array_op import ArrayOp, Gradients, Spec
from nbgraph.ops.define import (
    Axis,
    Shape,
    as_known,
    axes_of,
    axis_of,
    composed,
    deferrable,
    define_rows,
    library,
)
from nbgraph.shape import Array, Shapes, broadcast, merged, same_size, spreads

_CAN_REFUSE = np.lib.NumpyVersion(np.__version__) >= "2.1.0"  # whether a reshape can refuse to copy


# reshape ----------------------------------------------------------------------------------------


def resolved(extents: Shape, shape: Shape) -> Shape:
    """Return the new shape, -1 replaced by the remaining size; ShapeError for a misfit."""
    size = math.prod(shape)
    known = math.prod(n for n in extents if n != -1)
    if extents.count(-1) == 1 and known and size % known == 0:
        return tuple(size // known if n == -1 else n for n in extents)
    if -1 in extents or known != size or any(n < 0 for n in extents):
        raise ShapeError(
            f"reshape: an array of shape {shape} has {size} elements, which do not fit {extents}; "
            "give sizes of that product, at most one of them -1"
        )
    return extents


def reshape_view(x: Array, *, shape: Shape) -> Array:
    """Return the elements under another shape, as a view; raise ValueError if there is none."""
    # a copy would read memory that may be a device's
    if _CAN_REFUSE:
        return x.reshape(resolved(shape, x.shape), copy=False)
    view = x[...]
    try:
        setattr(view, "shape", resolved(shape, x.shape))  # noqa: B010  (NumPy 2.5 warns of it)
    except AttributeError:
        raise ValueError("no view has that shape") from None
    return view


def _partial(in_shapes: Shapes, out_shapes: Shapes, *, shape: Shape) -> tuple[Shapes, Shapes]:
    extents = tuple([None if n == -1 else n for n in shape])
    return same_size(in_shapes, [merged(out_shapes[0], extents, "reshape")])


_RESHAPE = ArrayOp(
    "reshape",
    lambda x, *, shape: Spec(resolved(shape, x.shape), x.dtype),
    view=reshape_view,
    gradient=lambda g: [library.reshape(g.out_grad, g.specs[0].shape)],
    partial=_partial,
)


# order of axes ----------------------------------------------------------------------------------


def _order(axes: Shape | None, ndim: int) -> Shape:
    if axes is None:
        return tuple(reversed(range(ndim)))
    order = axes_of("transpose", axes, ndim, "axes")
    if len(order) != ndim:
        raise ShapeError(
            f"transpose: axes={axes} has {len(order)} axes, the array has {ndim}; name each once"
        )
    return order


def _moved(source: Shape, destination: Shape, ndim: int) -> Shape:
    """Return the order of axes that moves each source to its destination."""
    if len(source) != len(destination):
        raise ArgumentError(
            f"moveaxis: source={source} and destination={destination} differ in number; give as "
            "many of each"
        )
    pairs = zip(
        axes_of("moveaxis", destination, ndim, "destination"),
        axes_of("moveaxis", source, ndim, "source"),
        strict=True,
    )
    sources = {d % ndim for d in source}
    order = [d for d in range(ndim) if d not in sources]
    for place, axis in sorted(pairs):
        order.insert(place, axis)
    return tuple(order)


def _swapped(axis1: int, axis2: int, ndim: int) -> Shape:
    a, b = axis_of("swapaxes", axis1, ndim, "axis1"), axis_of("swapaxes", axis2, ndim, "axis2")
    order = list(range(ndim))
    order[a], order[b] = order[b], order[a]
    return tuple(order)


def _reordered(spec: Spec, order: Shape) -> Spec:
    return Spec(tuple(spec.shape[d] for d in order), spec.dtype)


def _transpose_rule(g: Gradients) -> list[Any]:
    order = _order(g.attributes["axes"], len(g.specs[0].shape))
    return [library.transpose(g.out_grad, tuple(order.index(d) for d in range(len(order))))]


def _transpose_partial(ins: Shapes, outs: Shapes, *, axes: Shape | None) -> tuple[Shapes, Shapes]:
    (x,), (out,) = ins, outs
    known = out if x is None else x
    if known is None:
        return ins, outs
    order = _order(axes, len(known))
    turned = None if x is None else tuple(x[d] for d in order)
    back = None if out is None else tuple(out[order.index(d)] for d in range(len(order)))
    return [back], [turned]


_TRANSPOSE = ArrayOp(
    "transpose",
    lambda x, *, axes: _reordered(x, _order(axes, len(x.shape))),
    view=lambda x, *, axes: x.transpose(_order(axes, x.ndim)),
    gradient=_transpose_rule,
    partial=_transpose_partial,
)
_SWAPAXES = ArrayOp(
    "swapaxes",
    lambda x, *, axis1, axis2: _reordered(x, _swapped(axis1, axis2, len(x.shape))),
    view=lambda x, *, axis1, axis2: x.transpose(_swapped(axis1, axis2, x.ndim)),
    gradient=lambda g: [library.swapaxes(g.out_grad, g.attributes["axis1"], g.attributes["axis2"])],
)
_MOVEAXIS = ArrayOp(
    "moveaxis",
    lambda x, *, source, destination: _reordered(x, _moved(source, destination, len(x.shape))),
    view=lambda x, *, source, destination: x.transpose(_moved(source, destination, x.ndim)),
    gradient=lambda g: [
        library.moveaxis(g.out_grad, g.attributes["destination"], g.attributes["source"])
    ],
)


# axes of size one -------------------------------------------------------------------------------


def _expanded(axis: Shape, shape: Shape) -> Shape:
    ndim = len(shape) + len(axis)
    places = axes_of("expand_dims", axis, ndim)
    sizes = iter(shape)
    return tuple(1 if d in places else next(sizes) for d in range(ndim))


def _squeezed(axis: Axis, shape: Shape) -> Shape:
    if axis is None:
        return tuple(n for n in shape if n != 1)
    dropped = axes_of("squeeze", axis, len(shape))
    for d in dropped:
        if shape[d] != 1:
            raise ShapeError(
                f"squeeze: axis {d} of shape {shape} has size {shape[d]}, only axes of size 1 can "
                "be dropped; index it instead"
            )
    return tuple(n for d, n in enumerate(shape) if d not in dropped)


_EXPAND_DIMS = ArrayOp(
    "expand_dims",
    lambda x, *, axis: Spec(_expanded(axis, x.shape), x.dtype),
    view=lambda x, *, axis: np.expand_dims(x, axis),
    gradient=lambda g: [library.reshape(g.out_grad, g.specs[0].shape)],
)
_SQUEEZE = ArrayOp(
    "squeeze",
    lambda x, *, axis: Spec(_squeezed(axis, x.shape), x.dtype),
    view=lambda x, *, axis: np.squeeze(x, axis),
    gradient=lambda g: [library.reshape(g.out_grad, g.specs[0].shape)],
)


# broadcasting -----------------------------------------------------------------------------------


def _broadcast(x: Spec, *, shape: Shape) -> Spec:
    if not spreads(x.shape, shape):
        raise ShapeError(
            f"broadcast_to: shape {x.shape} does not broadcast to {shape}; sizes must be equal or "
            "1, counted from the last axis"
        )
    return Spec(shape, x.dtype)


_BROADCAST_TO = ArrayOp(
    "broadcast_to",
    _broadcast,
    view=lambda x, *, shape: np.broadcast_to(x, shape),
    gradient=lambda g: [library.sum_to(g.out_grad, g.specs[0].shape)],
)


@composed()
@deferrable(lambda *arrays, **_: len(arrays))
def broadcast_arrays(*arrays: Any) -> list[Any]:
    """The arrays, broadcast to their common shape.

    *arrays : arrays that broadcast
    -> list of arrays, views
    >>> [x.shape for x in broadcast_arrays([1, 2], [[3], [4]])]
    [(2, 2), (2, 2)]
    """
    known = [as_known("broadcast_arrays", x) for x in arrays]
    named = [(f"arrays[{i}]", tuple(x.shape)) for i, x in enumerate(known)]
    shape = broadcast("broadcast_arrays", named) if known else ()
    return [
        x if own == shape else library.broadcast_to(x, shape)
        for x, (_, own) in zip(known, named, strict=True)
    ]


_TABLE = """
reshape(x, shape: ints, *, out=None): The elements in C order under another shape: a view where
    memory allows it.
    shape : int or tuple of ints; one may be -1, for the remaining size
    ! ShapeError for another number of elements.
    >>> reshape([[1, 2, 3], [4, 5, 6]], (3, -1))
    array([[1, 2],
           [3, 4],
           [5, 6]])
ravel(x): The elements in C order along one axis: a view where memory allows it.
    >>> ravel([[1, 2], [3, 4]])
    array([1, 2, 3, 4])
    = reshape(x, (-1,))
transpose permute_dims(x, axes=None, *, out=None): The array with its axes reordered: a view.
    axes : the axes of x in their new order, by default reversed
    >>> transpose([[1, 2], [3, 4]])
    array([[1, 3],
           [2, 4]])
    = op(..., axes=None if axes is None else whole_tuple("transpose", "axes", axes))
swapaxes(x, axis1: int, axis2: int, *, out=None): The array with two axes exchanged: a view.
    axis1, axis2 : ints
    >>> swapaxes([[1, 2], [3, 4]], 0, 1)
    array([[1, 3],
           [2, 4]])
moveaxis(x, source: ints, destination: ints, *, out=None): The array with axes moved; the others
    keep their order.
    source, destination : ints, or as many of both
    >>> moveaxis([[[1, 2, 3]]], 2, 0).shape
    (3, 1, 1)
matrix_transpose(x, *, out=None): The last two axes exchanged.
    x : array (..., m, n)
    >>> matrix_transpose([[1, 2], [3, 4]])
    array([[1, 3],
           [2, 4]])
    = swapaxes(x, -1, -2, out=out)
expand_dims(x, axis: ints = 0, *, out=None): The array with new axes of size 1: a view.
    axis : int, or several: places in the result
    >>> expand_dims([1, 2], 1).shape
    (2, 1)
squeeze(x, axis=None, *, out=None): The array without axes of size 1: a view.
    axis : int, several, or None for all of size 1
    ! ShapeError for an axis of another size.
    >>> squeeze([[[1, 2]]], 0).shape
    (1, 2)
broadcast_to(x, shape, *, out=None): The array repeated along axes of size 1 and new leading axes,
    without copies.

    The gradient is the sum over the copies.
    shape : tuple of ints
    ! ShapeError where x does not broadcast to it.
    >>> broadcast_to([1, 2], (2, 2))
    array([[1, 2],
           [1, 2]])
"""
define_rows(_TABLE, globals())
