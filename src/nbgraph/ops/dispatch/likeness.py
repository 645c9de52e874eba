"""NumPy's functions that make arrays: like a carrier's, or between two of them."""

from typing import Any

import numpy as np

from nbgraph.ops.define import as_array, library
from nbgraph.ops.define import as_known as as_known
from nbgraph.ops.dispatch.table import rows

_ROWS = """
zeros_like(a, dtype=None, order="K", subok=True, shape=None, *, device=None): ours; constant
    = library.zeros_like(a, dtype, shape=shape)
ones_like(a, dtype=None, order="K", subok=True, shape=None, *, device=None): ours; constant
    = library.ones_like(a, dtype, shape=shape)
empty_like(a, dtype=None, order="K", subok=True, shape=None, *, device=None): ours; constant
    = library.empty_like(a, dtype, shape=shape)
full_like(a, fill_value, dtype=None, order="K", subok=True, shape=None, *, device=None): ours
    = filled(a, fill_value, dtype, shape)
linspace(start, stop, num=50, endpoint=True, retstep=False, dtype=None, axis=0, *, device=None):
    composed
    = between(start, stop, num, endpoint, retstep, dtype, axis)
logspace(start, stop, num=50, endpoint=True, base=10.0, dtype=None, axis=0): composed
    = cast(library.power(base, between(start, stop, num, endpoint, False, None, axis)), dtype)
geomspace(start, stop, num=50, endpoint=True, dtype=None, axis=0): composed
    = cast(geometric(start, stop, num, endpoint, axis), dtype)
ndim(a): layout; constant
    = len(as_known("ndim", a).shape)
shape(a): layout; constant
    = as_array(a).shape
size(a, axis=None): layout; constant
    = extent(as_array(a).shape, axis)
diag_indices_from(arr): layout; constant
    = beside(arr, np.diag_indices_from(np.broadcast_to(0, arr.shape)))
tril_indices_from(arr, k=0): layout; constant
    = beside(arr, np.tril_indices(arr.shape[-2], k, arr.shape[-1]))
triu_indices_from(arr, k=0): layout; constant
    = beside(arr, np.triu_indices(arr.shape[-2], k, arr.shape[-1]))
"""


def filled(a: Any, value: Any, dtype: Any, shape: Any) -> Any:
    """Return a number, or an array that broadcasts, as an array of another's shape and dtype."""
    x = as_array(a)
    if isinstance(value, (bool, int, float)):
        return library.full_like(x, value, dtype, shape=shape)
    sizes = (shape,) if isinstance(shape, int) else shape
    wide = library.broadcast_to(as_array(value), x.shape if sizes is None else tuple(sizes))
    return library.copy(library.astype(wide, x.dtype if dtype is None else dtype))


def cast(x: Any, dtype: Any) -> Any:
    """Return an array cast to a dtype; unchanged for None."""
    return x if dtype is None else library.astype(x, dtype)


def ends(*values: Any) -> list[Any]:
    """Return arrays of a common float dtype: that of the arrays, if others are Python numbers."""
    kinds = [x if type(x) in (int, float, complex) else as_array(x).dtype for x in values]
    kind = np.result_type(*kinds, 0.0)
    return [library.astype(as_array(x), kind, copy=False) for x in values]


def between(
    start: Any, stop: Any, num: int, endpoint: bool, retstep: bool, dtype: Any, axis: int
) -> Any:
    """Return numbers at equal distances from `start` to `stop`, along a new axis."""
    first, last = ends(start, stop)
    kind = np.result_type(first.dtype, last.dtype)
    parts = num - 1 if endpoint else num
    if num < 0:
        raise ValueError(f"np.linspace: num={num}; expected 0 or more")
    apart = library.subtract(last, first)
    step = library.divide(apart, parts) if parts > 0 else library.multiply(apart, np.nan)
    ndim = len(apart.shape)
    at = np.arange(num, dtype=kind).reshape((-1,) + (1,) * ndim)
    if parts > 0:
        points = library.add(library.multiply(at, step), first)
        if endpoint and num > 1:
            end = library.broadcast_to(last, points.shape[1:])
            points = library.concatenate([points[:-1], library.expand_dims(end, 0)], 0)
    else:
        points = library.add(library.multiply(at, apart), first)
    points = library.moveaxis(points, 0, axis) if axis else points
    if dtype is not None:
        whole = np.issubdtype(np.dtype(dtype), np.integer)
        points = library.astype(library.floor(points) if whole else points, dtype)
    return (points, step) if retstep else points


def geometric(start: Any, stop: Any, num: int, endpoint: bool, axis: int) -> Any:
    """Return numbers with equal ratios from `start` to `stop`, which have one sign."""
    first, last = ends(start, stop)
    sign = library.sign(first)
    low, high = (library.log10(library.multiply(x, sign)) for x in (first, last))
    points = library.moveaxis(
        library.power(10.0, between(low, high, num, endpoint, False, None, 0)), 0, -1
    )
    points = library.multiply(points, library.expand_dims(sign, -1))
    if num > 0:
        parts = [library.expand_dims(library.broadcast_to(first, points.shape[:-1]), -1)]
        parts.append(points[..., 1 : -1 if endpoint and num > 1 else None])
        if endpoint and num > 1:
            parts.append(library.expand_dims(library.broadcast_to(last, points.shape[:-1]), -1))
        points = library.concatenate(parts, -1)
    return library.moveaxis(points, -1, axis)


def beside(x: Any, arrays: Any) -> tuple[Any, ...]:
    """Return NumPy arrays of integers as arrays of the class and device of x."""
    zero = library.zeros_like(x, np.int64, shape=())
    return tuple(library.add(zero, a) for a in arrays)


def extent(shape: tuple[int, ...], axis: Any) -> int:
    """Return the number of elements along axes, or in all."""
    axes = range(len(shape)) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    return int(np.prod([shape[d] for d in axes], dtype=np.int64))


FUNCTIONS = rows(_ROWS, globals())
