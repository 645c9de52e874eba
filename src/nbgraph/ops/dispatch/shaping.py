"""NumPy's functions that change shape, order or position of elements."""

import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from nbgraph.errors import ArgumentError, AxisError, ShapeError
from nbgraph.ops.define import as_array, axes_of, library
from nbgraph.ops.dispatch.table import rows
from nbgraph.shape import axis_of

_ROWS = """
reshape(a, /, shape, order="C", *, copy=None): ours
    = library.reshape(a, shape) if order == "C" and copy is None else reshaped(a, shape,
        order, copy)
ravel(a, order="C"): ours
    = library.ravel(a) if order == "C" else reshaped(a, -1, order, None)
transpose(a, axes=None): ours
permute_dims(a, axes=None): ours
    = library.transpose(a, axes)
matrix_transpose(x, /): ours
swapaxes(a, axis1, axis2): ours
moveaxis(a, source, destination): ours
expand_dims(a, axis): ours
squeeze(a, axis=None): ours
broadcast_to(array, shape, subok=False): ours
    = library.broadcast_to(array, shape)
broadcast_arrays(*args, subok=False): ours
    = tuple(library.broadcast_arrays(*args))
diagonal(a, offset=0, axis1=0, axis2=1): ours
diag(v, k=0): ours
    = library.diag(matrix("diag", v), k)
diagflat(v, k=0): composed
    = library.diag(library.ravel(v), k)
flip(m, axis=None): ours
fliplr(m): ours
    = library.flip(m, 1)
flipud(m): ours
    = library.flip(m, 0)
rot90(m, k=1, axes=(0, 1)): composed
    = turned(m, k, axes)
roll(a, shift, axis=None): ours
rollaxis(a, axis, start=0): ours
    = library.moveaxis(a, axis, to_start(as_array(a), axis, start))
tile(A, reps): ours
repeat(a, repeats, axis=None): ours
pad(array, pad_width, mode="constant", **options): ours
    = padded(array, pad_width, mode, options)
tril(m, k=0): ours
triu(m, k=0): ours
atleast_1d(*arys): ours
    = each(library.atleast_1d, arys)
atleast_2d(*arys): ours
    = each(library.atleast_2d, arys)
atleast_3d(*arys): ours
    = each(library.atleast_3d, arys)
split(ary, indices_or_sections, axis=0): ours
    = library.split(ary, sections(indices_or_sections), axis)
array_split(ary, indices_or_sections, axis=0): ours
    = library.array_split(ary, sections(indices_or_sections), axis)
hsplit(ary, indices_or_sections): ours
    = library.split(ary, sections(indices_or_sections), 0 if as_array(ary).ndim == 1 else 1)
vsplit(ary, indices_or_sections): ours
    = library.split(ary, sections(indices_or_sections), 0)
dsplit(ary, indices_or_sections): ours
    = library.split(ary, sections(indices_or_sections), 2)
unstack(x, /, *, axis=0): ours
astype(x, dtype, /, *, copy=True, device=None): ours
    = library.astype(x, dtype, copy=copy)
copy(a, order="K", subok=False): ours
    = library.copy(a)
resize(a, new_shape): kept
    = (moved(lambda at: np.resize(at, new_shape), a) if as_array(a).size
        else library.zeros_like(a, shape=new_shape))
delete(arr, obj, axis=None): kept
    = deleted(arr, obj, axis)
insert(arr, obj, values, axis=None): kept
    = inserted(arr, obj, values, axis)
append(arr, values, axis=None): ours
trim_zeros(filt, trim="fb", axis=None): composed
    = trimmed(filt, trim, axis)
sliding_window_view(x, window_shape, axis=None): composed
    = moved(lambda at: np.lib.stride_tricks.sliding_window_view(at, window_shape, axis), x)
"""


def reshaped(a: Any, shape: Any, order: str, copy: bool | None) -> Any:
    """Return the elements in rows ("C") or in columns ("F") under another shape."""
    x = as_array(a)
    if order == "F":
        sizes = (shape,) if isinstance(shape, (int, np.integer)) else tuple(shape)
        return library.transpose(library.transpose(x).reshape(sizes[::-1], copy=copy))
    if order not in ("C", "A", "K"):
        raise ArgumentError(f"np.reshape: order={order!r}; expected 'C', 'F' or 'A'")
    return library.reshape(x, shape) if copy is None else x.reshape(shape, copy=copy)


def turned(m: Any, k: int, axes: Sequence[int]) -> Any:
    """Return an array rotated by right angles in the plane of two axes."""
    x = as_array(m)
    first, second = axes_of("np.rot90", tuple(axes), x.ndim, "axes")
    if k % 4 in (0, 2):
        return library.flip(x, (first, second)) if k % 4 else library.copy(x)
    if k % 4 == 1:
        return library.swapaxes(library.flip(x, second), first, second)
    return library.flip(library.swapaxes(x, first, second), second)


def to_start(x: Any, axis: int, start: int) -> int:
    """Return the new index of an axis that is rolled back until it precedes `start`."""
    axis = axis_of("np.rollaxis", axis, x.ndim)
    start = start + x.ndim if start < 0 else start
    if not 0 <= start <= x.ndim:
        raise AxisError(f"np.rollaxis: start={start} does not exist in a {x.ndim}-d array")
    return start - 1 if axis < start else start


def padded(array: Any, width: Any, mode: Any, options: dict[str, Any]) -> Any:
    """Return an array with margins: numbers, or elements of the array as NumPy chooses them."""
    if mode == "constant":
        return library.pad(array, width, constant_values=options.get("constant_values", 0))
    if mode in ("edge", "reflect", "symmetric", "wrap") and not options.get("reflect_type"):
        return moved(lambda at: np.pad(at, width, mode, **options), array)
    raise ArgumentError(
        f"np.pad: mode={mode!r} with {options} is not there for arrays whose values may be on "
        "their way; use 'constant', 'edge', 'reflect', 'symmetric' or 'wrap'"
    )


def each(function: Any, arrays: Sequence[Any]) -> Any:
    """Return the result of a function for one array, or for each of several."""
    results = tuple(function(x) for x in arrays)
    return results[0] if len(results) == 1 else results


def matrix(name: str, v: Any) -> Any:
    """Return an array of one or two axes; raise ShapeError for others."""
    x = as_array(v)
    if x.ndim not in (1, 2):
        raise ShapeError(f"np.{name}: v has shape {x.shape}; give a vector or a matrix")
    return x


def sections(value: Any) -> Any:
    """Return the number of parts, or the indices at which they begin as a tuple."""
    return tuple(map(operator.index, value)) if np.ndim(value) else value


def moved(order: Any, a: Any) -> Any:
    """Return an array with its elements moved as a NumPy function moves them."""
    x = as_array(a)
    places = order(np.arange(x.size).reshape(x.shape))
    return library.reshape(library.take(library.ravel(x), places.ravel()), places.shape)


def deleted(arr: Any, obj: Any, axis: int | None) -> Any:
    """Return an array without these parts of an axis."""
    x = library.ravel(arr) if axis is None else as_array(arr)
    axis = 0 if axis is None else axis_of("np.delete", axis, x.ndim)
    places = obj if isinstance(obj, (slice, list)) else np.asarray(obj)  # waits for a carrier
    return library.take(x, np.delete(np.arange(x.shape[axis]), places), axis)


def inserted(arr: Any, obj: Any, values: Any, axis: int | None) -> Any:
    """Return an array with values inserted at these indices of an axis."""
    x = library.ravel(arr) if axis is None else as_array(arr)
    d = 0 if axis is None else axis_of("np.insert", axis, x.ndim)
    where = _indices(obj)
    new = library.astype(as_array(values), x.dtype, copy=False)
    places = range(x.shape[d])[where] if isinstance(where, slice) else where
    count = np.size(places)
    if count == 1 and new.ndim:
        new = library.reshape(new, (*(1,) * (x.ndim - new.ndim), *new.shape))
        new = library.moveaxis(new, 0, d) if np.ndim(places) == 0 else new
        count = new.shape[d]
    shape = (*x.shape[:d], count, *x.shape[d + 1 :])
    both = library.concatenate([x, library.broadcast_to(new, shape)], d)
    size = x.shape[d]
    order = np.insert(np.arange(size), where, size + np.arange(count))
    return library.take(both, order, d)


def _indices(obj: Any) -> Any:
    """Return indices as NumPy has them; waits for a carrier's."""
    if isinstance(obj, (int, slice)):
        return obj
    places = np.asarray(obj)
    if places.dtype.kind == "b":
        if places.ndim != 1:
            raise ShapeError(f"np.insert: obj is a mask of shape {places.shape}; give one axis")
        return np.flatnonzero(places)
    return places if places.size else places.astype(np.int64)  # an empty list is float


def trimmed(filt: Any, trim: str, axis: Any) -> Any:
    """Return an array without the zeros at the ends of its axes; waits for their positions."""
    if trim.lower() not in ("fb", "bf", "f", "b"):
        raise ValueError(f"np.trim_zeros: trim={trim!r}; expected 'f', 'b' or 'fb'")
    x = as_array(filt)
    kept = np.argwhere(np.asarray(x) != 0).T
    key = [slice(None)] * x.ndim
    for d in axes_of("np.trim_zeros", axis, x.ndim):
        low = int(kept[d].min()) if len(kept[d]) and "f" in trim.lower() else 0
        high = int(kept[d].max()) + 1 if len(kept[d]) and "b" in trim.lower() else x.shape[d]
        key[d] = slice(low, high if len(kept[d]) else 0)
    return x[tuple(key)]


FUNCTIONS = rows(_ROWS, globals())
