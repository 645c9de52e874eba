"""NumPy's functions that write to an array argument."""

import functools
from typing import Any

import numpy as np

from nbgraph.errors import DTypeError
from nbgraph.operator.call import carrier_of
from nbgraph.ops.define import as_array, library
from nbgraph.ops.dispatch.host import on_values
from nbgraph.ops.dispatch.table import rows
from nbgraph.shape import Shape, axis_of

_ROWS = """
copyto(dst, src, casting="same_kind", where=True): ours
    = copied(dst, src, casting, where)
put(a, ind, v, mode="raise"): ours
    = placed(np.put, a, ind, v, mode)
put_along_axis(arr, indices, values, axis): ours
    = placed_along(arr, indices, values, axis)
putmask(a, mask, values): ours
    = masked(np.putmask, a, mask, values)
place(arr, mask, vals): ours
    = masked(np.place, arr, mask, vals)
fill_diagonal(a, val, wrap=False): ours
    = on_diagonal(a, val, wrap)
"""


def _plain(x: Any) -> bool:
    """Return whether an array to be written is NumPy's, so that NumPy writes."""
    return carrier_of((x,)) is None


def _is_number(value: Any) -> bool:
    return carrier_of((value,)) is None and np.ndim(value) == 0


def copied(dst: Any, src: Any, casting: Any, where: Any) -> None:
    """Copy one array to another, where a mask is true."""
    if _plain(dst):
        on_values(np.copyto, (dst, src, casting, where), {})
        return
    if not isinstance(src, (bool, int)):
        src = as_array(src)
        if not np.can_cast(src.dtype, dst.dtype, casting):
            raise DTypeError(
                f"np.copyto: src has dtype {src.dtype}, which casting={casting!r} does not turn "
                f"into {dst.dtype}; give another casting="
            )
    if where is True:
        dst[...] = src
    else:
        cast = src if isinstance(src, (bool, int, float)) else library.astype(src, dst.dtype)
        dst[...] = library.where(where, cast, dst)


def placed(function: Any, a: Any, ind: Any, v: Any, mode: str) -> None:
    """Write values at flat indices; they repeat as often as needed."""
    if _plain(a):
        on_values(function, (a, ind, v, mode), {})
        return
    places = np.asarray(ind).ravel()
    if mode == "raise" and places.size and not -a.size <= places.min() <= places.max() < a.size:
        raise IndexError(f"np.put: places {places} are out of bounds for {a.size} elements")
    places = np.clip(places, 0, a.size - 1) if mode == "clip" else places % max(a.size, 1)
    if _is_number(v):
        a[places if a.ndim == 1 else np.unravel_index(places, a.shape)] = v
        return
    _write(a, places, v)


def _write(a: Any, places: np.ndarray[Any, Any], v: Any) -> None:
    """Write values at flat indices; the last one at a repeated index remains."""
    values = library.ravel(as_array(v))
    if not places.size or not values.size:
        return
    last = len(places) - 1
    places, behind = np.unique(places[::-1], return_index=True)
    repeated = library.take(values, (last - behind) % values.size)
    a[np.unravel_index(places, a.shape)] = library.astype(repeated, a.dtype, copy=False)


def masked(function: Any, a: Any, mask: Any, values: Any) -> None:
    """Write values where a mask is true: `putmask` takes those at the same positions, `place` takes
    them in sequence, and both repeat them."""
    if _plain(a):
        on_values(function, (a, mask, values), {})
        return
    if _is_number(values) and getattr(mask, "dtype", None) == np.bool_ and mask.shape == a.shape:
        a[mask] = values
        return
    chosen = np.flatnonzero(np.broadcast_to(np.asarray(mask), a.shape))
    source = library.ravel(as_array(values))
    if not chosen.size:
        return
    if not source.size:
        raise ValueError(f"np.{function.__name__}: there are no values to write")
    order = np.arange(len(chosen)) if function is np.place else chosen
    written = library.astype(library.take(source, order % source.size), a.dtype, copy=False)
    a[np.unravel_index(chosen, a.shape)] = written


def placed_along(arr: Any, indices: Any, values: Any, axis: int | None) -> None:
    """Write values at indices along an axis."""
    if _plain(arr):
        on_values(np.put_along_axis, (arr, indices, values, axis), {})
        return
    where = as_array(indices)
    if where.ndim != (1 if axis is None else arr.ndim):
        raise ValueError(
            f"np.put_along_axis: indices have {where.ndim} axes; give {arr.ndim}, 1 for axis=None"
        )
    if axis is None:
        arr[np.unravel_index(np.asarray(where), arr.shape)] = values
        return
    # broadcast with the indices
    key: list[Any] = [np.arange(n).reshape(-1, *(1,) * d) for d, n in enumerate(arr.shape[::-1])]
    key.reverse()
    key[axis_of("np.put_along_axis", axis, arr.ndim)] = where
    arr[tuple(key)] = values


def on_diagonal(a: Any, val: Any, wrap: bool) -> None:
    """Write values to the main diagonal."""
    if _plain(a):
        on_values(np.fill_diagonal, (a, val, wrap), {})
        return
    places = _diagonal(a.shape, bool(wrap))
    if _is_number(val):
        a[places] = val
        return
    values = library.ravel(as_array(val))
    if not values.size:
        raise ValueError("np.fill_diagonal: there are no values to write")
    order = np.arange(len(places[0])) % values.size
    a[places] = library.astype(library.take(values, order), a.dtype, copy=False)


@functools.lru_cache(256)
def _diagonal(shape: Shape, wrap: bool) -> tuple[np.ndarray[Any, Any], ...]:
    """Return the indices of a main diagonal."""
    marks = np.zeros(shape, bool)
    np.fill_diagonal(marks, True, wrap)
    return marks.nonzero()


FUNCTIONS = rows(_ROWS, globals())
