"""NumPy's functions that choose elements, order them, or compare arrays."""

import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from nbgraph.errors import ArgumentError
from nbgraph.operator.mapper.complex_call import is_complex
from nbgraph.ops.define import as_array, library
from nbgraph.ops.dispatch.host import on_host
from nbgraph.ops.dispatch.table import rows

_clip: Any = np._core.umath.clip  # type: ignore[attr-defined]
_ROWS = """
where(condition, x=None, y=None, /): ours
    = (library.nonzero(condition) if x is None and y is None
        else library.where(truth(condition), x, y))
clip(a, a_min=None, a_max=None, out=None, *, min=None, max=None, **options): ours
    = limited(a, a_min if min is None else min, a_max if max is None else max, out, options)
round around(a, decimals=0, out=None): ours
    = rounded(as_array(a), decimals, out)
fix(x, out=None): ours
    = library.fix(x, out=out)
sinc(x): ours
take(a, indices, axis=None, out=None, mode="raise"): ours
    = library.take(a, indices, axis, mode=mode, out=out)
take_along_axis(arr, indices, axis=-1): ours
    = library.take_along_axis(library.ravel(arr) if axis is None else arr, indices,
        0 if axis is None else axis)
compress(condition, a, axis=None, out=None): composed
    = library.take(a, *library.nonzero(condition), axis, out=out)
extract(condition, arr): composed
    = library.take(library.ravel(arr), *library.nonzero(library.ravel(condition)))
choose(a, choices, out=None, mode="raise"): ours
    = chosen(a, choices, out, mode)
select(condlist, choicelist, default=0): composed
    = selected(condlist, choicelist, default)
piecewise(x, condlist, funclist, *args, **kw): composed
    = pieces(x, condlist, funclist, args, kw)
apply_along_axis(func1d, axis, arr, *args, **kwargs): composed
    = by_lines(func1d, axis, arr, args, kwargs)
nonzero(a): ours; constant
argwhere(a): ours; constant
flatnonzero(a): ours; constant
    = library.nonzero(library.ravel(a))[0]
sort(a, axis=-1, kind=None, order=None, *, stable=None): ours
    = library.sort(unstructured("sort", a, order), axis)
argsort(a, axis=-1, kind=None, order=None, *, stable=None): ours; constant
    = library.argsort(unstructured("argsort", a, order), axis=axis)
partition(a, kth, axis=-1, kind="introselect", order=None): ours
    = library.sort(unstructured("partition", a, order), axis)
argpartition(a, kth, axis=-1, kind="introselect", order=None): ours; constant
    = library.argsort(unstructured("argpartition", a, order), axis=axis)
searchsorted(a, v, side="left", sorter=None): ours; constant
    = library.searchsorted(a, v, side=side, sorter=sorter)
isin(element, test_elements, assume_unique=False, invert=False, *, kind=None): ours; constant
    = library.isin(element, test_elements, invert=invert)
isclose(a, b, rtol=1e-05, atol=1e-08, equal_nan=False): composed; constant
    = close(as_array(a), as_array(b), rtol, atol, equal_nan)
isposinf(x, out=None): composed; constant
    = library.equal(x, np.inf, out=out)
isneginf(x, out=None): composed; constant
    = library.equal(x, -np.inf, out=out)
isreal(x): composed; constant
    = library.equal(library.imag(x), 0)
iscomplex(x): composed; constant
    = library.not_equal(library.imag(x), 0)
real(val): ours
    = library.real(val)
real_if_close(a, tol=100): composed
    = nearly_real(as_array(a), tol)
imag(val): ours
    = library.imag(val)
angle(z, deg=False): ours
    = library.angle(z, deg)
float_power(x1, x2, /, out=None): composed
    = library.power(wide(as_array(x1)), wide(as_array(x2)), out=out)
ldexp(x1, x2, /, out=None): host; refused
    = library.copy(on_host(np.ldexp, (x1, x2), {}, "refused"), out=out)
unique(ar, return_index=False, return_inverse=False, return_counts=False, axis=None, *,
    equal_nan=True, sorted=True): host; refused
    = distinct(ar, return_index, return_inverse, return_counts, axis, equal_nan)
unique_values(x): host; refused
    = on_host(np.unique_values, (x,), {}, "refused")
unique_all(x): host; refused
    = on_host(np.unique_all, (x,), {}, "refused")
unique_counts(x): host; refused
    = on_host(np.unique_counts, (x,), {}, "refused")
unique_inverse(x): host; refused
    = on_host(np.unique_inverse, (x,), {}, "refused")
"""


def truth(x: Any) -> Any:
    """Return a condition as bools, so that numbers do not affect the dtype of choices."""
    return x if getattr(x, "dtype", None) == np.bool_ else library.not_equal(x, 0)


def limited(a: Any, low: Any, high: Any, out: Any, options: dict[str, Any]) -> Any:
    """Return elements limited to bounds, ignoring None and bounds beyond the dtype. `options` are
    those of a ufunc."""
    if options:
        return _clip(a, low, high, out=out, **options)  # dispatches to the carrier
    dtype = as_array(a).dtype
    if dtype.kind in "iu":
        low = None if type(low) is int and low <= np.iinfo(dtype).min else low
        high = None if type(high) is int and high >= np.iinfo(dtype).max else high
    return library.clip(a, low, high, out=out)


def rounded(x: Any, decimals: int, out: Any) -> Any:
    """Return numbers rounded to decimals; for complex numbers both parts."""
    decimals = operator.index(decimals)
    if not is_complex(x) or not decimals:
        return library.round(x, decimals=decimals or None, out=out)
    parts = (library.round(part, decimals=decimals) for part in (library.real(x), library.imag(x)))
    return library.complex_parts(*parts, out=out)


def unstructured(name: str, a: Any, order: Any) -> Any:
    """Return an array; ArgumentError for an order of fields, which carriers lack."""
    if order is not None:
        raise ArgumentError(f"np.{name}: order={order!r} is for arrays with fields; leave it out")
    return a


def nearly_real(x: Any, tol: float) -> Any:
    """Return real parts if all imaginary ones are small; waits for complex numbers."""
    if not is_complex(x):
        return x
    bound = tol * np.finfo(x.dtype).eps if tol > 1 else tol
    small = library.all(library.less(library.absolute(library.imag(x)), bound))
    return library.real(x) if bool(small) else x


def wide(x: Any) -> Any:
    """Return an array in 64-bit floats or complex128; a real number as Python's."""
    if type(x) is np.ndarray and not x.ndim and x.dtype.kind in "biuf":
        return float(x)
    return library.astype(x, np.result_type(x.dtype, np.float64), copy=False)


def floats(x: Any) -> Any:
    """Return an array of floats: integers as float64."""
    array = as_array(x)
    return array if array.dtype.kind in "fcV" else library.astype(array, np.float64)


def distinct(ar: Any, index: bool, inverse: bool, counts: bool, axis: Any, equal_nan: bool) -> Any:
    """Return the distinct elements, sorted, and the further results requested."""
    options = {
        "return_index": index,
        "return_inverse": inverse,
        "return_counts": counts,
        "axis": axis,
        "equal_nan": equal_nan,
    }
    return on_host(np.unique, (ar,), options, "refused")


def chosen(a: Any, choices: Any, out: Any, mode: str) -> Any:
    """Return at each place the element of the array that the index there selects."""
    indices = as_array(a)
    indices = library.astype(indices, np.int64) if indices.dtype.kind == "b" else indices
    arrays = library.broadcast_arrays(indices, *(as_array(c) for c in choices))
    n = len(arrays) - 1
    where = arrays[0]
    if mode == "wrap":
        where = library.remainder(where, n)
    elif mode == "clip":
        where = library.clip(where, 0, n - 1)
    lines = library.stack(list(arrays[1:]), 0)
    picked = library.take_along_axis(lines, library.expand_dims(where, 0), 0)
    return library.copy(library.squeeze(picked, 0), out=out)


def selected(conditions: Sequence[Any], choices: Sequence[Any], default: Any) -> Any:
    """Return at each place the choice of the first condition that is true there."""
    if len(conditions) != len(choices):
        raise ValueError(
            f"np.select: {len(conditions)} conditions and {len(choices)} choices; give as many"
        )
    result = default
    for condition, choice in zip(reversed(conditions), reversed(choices), strict=True):
        result = library.where(condition, choice, result)
    return result


def pieces(x: Any, conditions: Any, functions: Sequence[Any], args: Any, options: Any) -> Any:
    """Return a function's results for the elements where its condition is true; waits for the
    conditions. An additional function is for all other elements, which otherwise are 0."""
    values = as_array(x)
    if not isinstance(conditions, (list, tuple)):
        conditions = [conditions]
    masks = [library.broadcast_to(as_array(c), values.shape) for c in conditions]
    if len(functions) == len(masks) + 1:
        rest = masks[0]
        for mask in masks[1:]:
            rest = library.logical_or(rest, mask)
        masks = [*masks, library.logical_not(rest)]
    if len(functions) != len(masks):
        raise ValueError(f"np.piecewise: {len(masks)} conditions and {len(functions)} functions")
    result = library.zeros_like(values)
    for mask, function in zip(masks, functions, strict=True):
        key = np.asarray(mask)
        if key.any():
            part = function(values[key], *args, **options) if callable(function) else function
            part = library.broadcast_to(part, (int(key.sum()),))
            part = library.astype(part, values.dtype, copy=False)
            result = library.index_update(result, part, key=key)
    return result


def by_lines(function: Any, axis: int, arr: Any, args: Any, options: Any) -> Any:
    """Return a function's result for each line along an axis, in place of the line."""
    x = as_array(arr)
    axis %= x.ndim
    lines = library.moveaxis(x, axis, -1)
    outer = lines.shape[:-1]
    outputs = [as_array(function(lines[at], *args, **options)) for at in np.ndindex(*outer)]
    stacked = library.reshape(library.stack(outputs), (*outer, *outputs[0].shape))
    inner = tuple(range(len(outer), stacked.ndim))
    return library.moveaxis(stacked, inner, tuple(range(axis, axis + len(inner))))


def close(a: Any, b: Any, rtol: Any, atol: Any, equal_nan: bool) -> Any:
    """Return where two arrays differ by at most the tolerances; infinities are equal."""
    y = floats(b)
    limit = library.add(atol, library.multiply(rtol, library.absolute(y)))
    near = library.less_equal(library.absolute(library.subtract(a, y)), limit)
    near_or_equal = library.logical_and(near, library.isfinite(y))
    near_or_equal = library.logical_or(near_or_equal, library.equal(a, y))
    if equal_nan:
        both = library.logical_and(library.isnan(floats(a)), library.isnan(y))
        near_or_equal = library.logical_or(near_or_equal, both)
    return near_or_equal


FUNCTIONS = rows(_ROWS, globals())
