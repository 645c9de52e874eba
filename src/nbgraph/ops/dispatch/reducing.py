"""NumPy's reductions and scans on carriers, with `where`, `initial` and `out`."""

from typing import Any

import numpy as np

from nbgraph.ops.define import as_array, library
from nbgraph.ops.dispatch.table import rows

_ROWS = """
sum(a, axis=None, dtype=None, out=None, keepdims=False, initial=None, where=True): ours
    = library.sum(a, axis, dtype, keepdims=keepdims, out=out, initial=initial, where=where)
prod(a, axis=None, dtype=None, out=None, keepdims=False, initial=None, where=True): ours
    = library.prod(a, axis, dtype, keepdims=keepdims, out=out, initial=initial, where=where)
max amax(a, axis=None, out=None, keepdims=False, initial=None, where=True): ours
    = library.max(a, axis, keepdims=keepdims, out=out, initial=initial, where=where)
min amin(a, axis=None, out=None, keepdims=False, initial=None, where=True): ours
    = library.min(a, axis, keepdims=keepdims, out=out, initial=initial, where=where)
any(a, axis=None, out=None, keepdims=False, *, where=True): ours; constant
    = library.any(a, axis, keepdims=keepdims, out=out, where=where)
all(a, axis=None, out=None, keepdims=False, *, where=True): ours; constant
    = library.all(a, axis, keepdims=keepdims, out=out, where=where)
mean(a, axis=None, dtype=None, out=None, keepdims=False, *, where=True): ours
    = library.mean(a, axis, dtype, keepdims=keepdims, out=out, where=where)
var(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, where=True, mean=None,
    correction=None): ours
    = variance(a, axis, dtype, out, ddof if correction is None else correction, keepdims, where,
        mean)
std(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, where=True, mean=None,
    correction=None): ours
    = library.sqrt(variance(a, axis, dtype, None, ddof if correction is None else correction,
        keepdims, where, mean), out=out)
ptp(a, axis=None, out=None, keepdims=False): ours
    = library.subtract(library.max(a, axis, keepdims=keepdims),
        library.min(a, axis, keepdims=keepdims), out=out)
argmax(a, axis=None, out=None, *, keepdims=False): ours; constant
    = library.argmax(a, axis, keepdims=keepdims, out=out)
argmin(a, axis=None, out=None, *, keepdims=False): ours; constant
    = library.argmin(a, axis, keepdims=keepdims, out=out)
count_nonzero(a, axis=None, *, keepdims=False): ours; constant
    = library.count_nonzero(a, axis, keepdims=keepdims)
cumsum(a, axis=None, dtype=None, out=None): ours
    = library.cumsum(a, axis, dtype, out=out)
cumprod(a, axis=None, dtype=None, out=None): ours
    = library.cumprod(a, axis, dtype, out=out)
cumulative_sum(x, /, *, axis=None, dtype=None, out=None, include_initial=False): ours
    = library.cumulative_sum(x, axis=axis, dtype=dtype, include_initial=include_initial, out=out)
cumulative_prod(x, /, *, axis=None, dtype=None, out=None, include_initial=False): ours
    = library.cumulative_prod(x, axis=axis, dtype=dtype, include_initial=include_initial, out=out)
trace(a, offset=0, axis1=0, axis2=1, dtype=None, out=None): ours
    = library.sum(library.diagonal(a, offset, axis1, axis2), -1, dtype, out=out)
average(a, axis=None, weights=None, returned=False, *, keepdims=False): composed
    = average_of(a, axis, weights, returned, keepdims)
apply_over_axes(func, a, axes): composed
    = over_axes(func, a, axes)
"""


def variance(
    a: Any, axis: Any, dtype: Any, out: Any, ddof: Any, keepdims: bool, where: Any, mean: Any
) -> Any:
    """Return the mean squared distance from a mean, where a mask is true."""
    if where is True and mean is None:
        return library.var(a, axis, dtype, ddof=ddof, keepdims=keepdims, out=out)
    x = as_array(a)
    middle = library.mean(x, axis, dtype, keepdims=True, where=where) if mean is None else mean
    apart = library.subtract(x, middle)
    apart = library.absolute(apart) if apart.dtype.kind == "c" else apart
    apart = library.where(where, library.square(apart), 0)
    total = library.sum(apart, axis, dtype, keepdims=keepdims)
    count = library.sum(library.broadcast_to(where, x.shape), axis, keepdims=keepdims)
    divisor = library.maximum(library.astype(count, total.dtype) - ddof, 0)
    return library.divide(total, divisor, out=out)


def average_of(a: Any, axis: Any, weights: Any, returned: bool, keepdims: bool) -> Any:
    """Return the weighted mean, and the sum of weights if `returned`."""
    x = as_array(a)
    if weights is None:
        mean = library.mean(x, axis, keepdims=keepdims)
        total: Any = library.full_like(mean, x.size / max(mean.size, 1))
    else:
        w = as_array(weights)
        kinds = [x.dtype, w.dtype, *(["f8"] if x.dtype.kind in "iub" else [])]
        dtype = np.result_type(*kinds)
        if w.shape != x.shape:
            axes = (axis,) if isinstance(axis, int) else tuple(axis)
            axes = tuple(d % len(x.shape) for d in axes)
            order = sorted(range(len(axes)), key=axes.__getitem__)
            placed = [n if d in axes else 1 for d, n in enumerate(x.shape)]
            w = library.reshape(library.transpose(w, tuple(order)), tuple(placed))
        total = library.sum(w, axis, dtype, keepdims=keepdims)
        mean = library.divide(library.sum(x * w, axis, dtype, keepdims=keepdims), total)
        total = library.broadcast_to(total, mean.shape)
    return (mean, total) if returned else mean


def over_axes(func: Any, a: Any, axes: Any) -> Any:
    """Return a function applied along one axis after another; these stay with size 1."""
    array = as_array(a)
    for axis in [axes] if isinstance(axes, int) else axes:
        axis = axis % len(array.shape)
        result = func(array, axis)
        kept = len(result.shape) == len(array.shape)
        array = result if kept else library.expand_dims(result, axis)
    return array


FUNCTIONS = rows(_ROWS, globals())
