"""NumPy's reductions that ignore NaN. A slice of NaN alone gives NaN without a warning, as its
values may be unknown at the call."""

from typing import Any

import numpy as np

from nbgraph.dtype import inexact, is_float
from nbgraph.ops.define import as_array, library
from nbgraph.ops.dispatch.host import on_host
from nbgraph.ops.dispatch.reducing import variance
from nbgraph.ops.dispatch.table import rows
from nbgraph.ops.reductions.others import neutral

_ROWS = """
nansum(a, axis=None, dtype=None, out=None, keepdims=False, initial=None, where=True): composed
    = library.sum(without(a, 0), axis, dtype, keepdims=keepdims, initial=initial, where=where,
        out=out)
nanprod(a, axis=None, dtype=None, out=None, keepdims=False, initial=None, where=True): composed
    = library.prod(without(a, 1), axis, dtype, keepdims=keepdims, initial=initial, where=where,
        out=out)
nancumsum(a, axis=None, dtype=None, out=None): composed
    = library.cumsum(without(a, 0), axis, dtype, out=out)
nancumprod(a, axis=None, dtype=None, out=None): composed
    = library.cumprod(without(a, 1), axis, dtype, out=out)
nanmax(a, axis=None, out=None, keepdims=False, initial=None, where=True): composed
    = extreme("max", a, axis, out, keepdims, initial, where)
nanmin(a, axis=None, out=None, keepdims=False, initial=None, where=True): composed
    = extreme("min", a, axis, out, keepdims, initial, where)
nanmean(a, axis=None, dtype=None, out=None, keepdims=False, *, where=True): composed
    = library.mean(a, axis, dtype, keepdims=keepdims, where=there(a, where), out=out)
nanvar(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, where=True, mean=None,
    correction=None): kept
    = spread(a, axis, dtype, out, ddof if correction is None else correction, keepdims, where, mean)
nanstd(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, where=True, mean=None,
    correction=None): kept
    = library.sqrt(spread(a, axis, dtype, None, ddof if correction is None else correction,
        keepdims, where, mean), out=out)
nan_to_num(x, copy=True, nan=0.0, posinf=None, neginf=None): composed
    = numbers(x, copy, nan, posinf, neginf)
"""


def without(a: Any, value: Any) -> Any:
    """Return an array with NaN replaced by a value."""
    x = as_array(a)
    if is_float(x.dtype):
        return library.replace_nan(x, value)
    return library.where(library.isnan(x), value, x) if x.dtype.kind == "c" else x


def there(a: Any, where: Any) -> Any:
    """Return the mask of elements that are not NaN and where a mask is true; True for integers."""
    x = as_array(a)
    if not inexact(x.dtype):
        return where
    known = library.logical_not(library.isnan(x))
    return known if where is True else library.logical_and(known, where)


def extreme(
    name: str, a: Any, axis: Any, out: Any, keepdims: bool, initial: Any, where: Any
) -> Any:
    """Return the largest or smallest element that is not NaN; NaN if there is none."""
    x = as_array(a)
    if x.dtype.kind == "c":
        known = {"initial": initial} if initial is not None else {}
        options = {"keepdims": keepdims, "where": where, "out": out, **known}
        return on_host(getattr(np, f"nan{name}"), (x, axis), options, "refused")
    reduce = getattr(library, name)
    how = {"keepdims": keepdims, "initial": initial, "where": where}
    if not is_float(x.dtype):
        return reduce(x, axis, out=out, **how)
    value = reduce(without(x, neutral(name, x.dtype)), axis, **how)
    if initial is not None:
        return value if out is None else library.copy(value, out=out)
    none = library.all(library.isnan(x), axis, keepdims=keepdims)
    return library.where(none, np.nan, value, out=out)


def spread(
    a: Any, axis: Any, dtype: Any, out: Any, ddof: Any, keepdims: bool, where: Any, mean: Any
) -> Any:
    """Return the variance of elements that are not NaN; NaN if there are at most `ddof`."""
    mask = there(a, where)
    if mask is True:
        return variance(a, axis, dtype, out, ddof, keepdims, True, mean)
    value = variance(without(a, 0), axis, dtype, None, ddof, keepdims, mask, mean)
    count = library.sum(mask, axis, keepdims=keepdims)
    return library.where(library.less_equal(count, ddof), np.nan, value, out=out)


def numbers(x: Any, copy: bool, nan: Any, posinf: Any, neginf: Any) -> Any:
    """Return an array with finite numbers for NaN and infinity; written to `x` if not `copy`."""
    values = as_array(x)
    if values.dtype.kind == "c":
        options = {"nan": nan, "posinf": posinf, "neginf": neginf}
        return on_host(np.nan_to_num, (values,), options, "refused")
    if not is_float(values.dtype):
        return library.copy(values) if copy else values
    most = float(np.nextafter(*np.array([np.inf, 0], values.dtype)))
    high = most if posinf is None else posinf
    low = -most if neginf is None else neginf
    return library.replace_nonfinite(values, nan, high, low, out=None if copy else x)


FUNCTIONS = rows(_ROWS, globals())
