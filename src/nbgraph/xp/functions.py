"""Functions of the standard that are more than a call of an operator, and named tuples of sets."""

from typing import Any

import numpy as np

from nbgraph import ops
from nbgraph.array import NDArray, create
from nbgraph.device import Context
from nbgraph.errors import ShapeError
from nbgraph.ops.indexing.sets import UniqueAll as UniqueAll
from nbgraph.ops.indexing.sets import UniqueCounts as UniqueCounts
from nbgraph.ops.indexing.sets import UniqueInverse as UniqueInverse
from nbgraph.shape import Shape, broadcast
from nbgraph.xp.dtypes import result_type

__all__ = ["asarray", "broadcast_shapes", "clip", "isin", "reshape", "take"]


def asarray(
    obj: Any, /, *, dtype: Any = None, device: Context | None = None, copy: bool | None = None
) -> NDArray:
    """Return an array from nested sequences, numbers, or an array of another kind.

    `copy=None` copies unless `obj` is an NDArray of that dtype and device, True always copies;
    False borrows a NumPy array's memory, read-only, and raises ValueError if values would have to
    be copied.

    >>> asarray([[1, 2], [3, 4]], dtype="float32").shape
    (2, 2)
    """
    if copy is False:
        same = isinstance(obj, (NDArray, np.ndarray)) and dtype in (None, obj.dtype)
        array = create.asarray(obj, dtype, device=device) if same else None
        if array is not None and (array is obj or array._chunk.bin is None):
            return array
        raise ValueError(
            f"asarray: copy=False, but the values of this {type(obj).__name__} have to be copied "
            "to have that dtype and device; leave copy out"
        )
    if isinstance(obj, NDArray) and not copy:
        return create.asarray(obj, dtype, device=device)
    return create.array(obj, dtype, device=device)


def broadcast_shapes(*shapes: Shape) -> tuple[int, ...]:
    """Return the shape that arrays of these shapes broadcast to; ShapeError where there is none.

    >>> broadcast_shapes((3, 1), (2,))
    (3, 2)
    """
    named = [(f"shape {i}", tuple(shape)) for i, shape in enumerate(shapes)]
    return broadcast("broadcast_shapes", named) if named else ()


def clip(x: Any, /, min: Any = None, max: Any = None) -> Any:
    """Return `x` limited to [min, max], where None means no limit; the dtype of `x` stays.

    >>> from nbgraph import xp
    >>> xp.clip(xp.arange(5), 1, 3)
    array([1, 1, 2, 3, 3])
    """
    return ops.astype(ops.clip(x, min, max), x.dtype, copy=False)


def isin(x1: Any, x2: Any, /, *, invert: bool = False) -> Any:
    """Return for each element of `x1` whether `x2` has it, or with `invert` whether it does not.

    One of both may be a number, or a list of numbers. NaN is not equal to NaN.

    >>> from nbgraph import xp
    >>> xp.isin(xp.asarray([1, 2, 3]), xp.asarray([3, 1]))
    array([ True, False,  True])
    """
    x1, x2 = (create.asarray(x) if isinstance(x, list | tuple) else x for x in (x1, x2))
    dtype = result_type(x1, x2)
    return ops.isin(create.asarray(x1, dtype), create.asarray(x2, dtype), invert=invert)


def reshape(x: NDArray, /, shape: Shape, *, copy: bool | None = None) -> NDArray:
    """Return the elements in C order under another shape.

    A view if memory allows, unless `copy=True`; with `copy=False`, ValueError if it does not.

    >>> from nbgraph import xp
    >>> xp.reshape(xp.arange(6), (2, -1)).shape
    (2, 3)
    """
    reshaped = ops.reshape(x, shape)
    return reshaped if copy is None else x._apart(reshaped, copy)


def take(x: NDArray, indices: NDArray, /, *, axis: int | None = None) -> NDArray:
    """Return elements (or slices along an axis) at indices; of a vector, `axis` is optional."""
    if axis is None and x.ndim > 1:
        raise ShapeError(f"take: x has shape {x.shape}; say along which axis, as in axis=0")
    return ops.take(x, indices, 0 if axis is None else axis)
