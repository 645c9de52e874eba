"""Quantiles on carriers: elements of the sorted array, or values between two of them."""

from collections.abc import Callable
from typing import Any

import numpy as np

from nbgraph.dtype import inexact
from nbgraph.errors import ArgumentError
from nbgraph.operator.call import carrier_of, recording
from nbgraph.ops.define import as_array, axes_of, library
from nbgraph.ops.dispatch.host import on_host
from nbgraph.ops.dispatch.table import rows

_ROWS = """
{0}median(a, axis=None, out=None, overwrite_input=False, keepdims=False): kept
    = quantile_of(np.{0}median, a, 0.5, axis, out, keepdims, "mean", None)
{0}quantile(a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=False, *,
    weights=None): kept
    = quantile_of(np.{0}quantile, a, q, axis, out, keepdims, method, weights)
{0}percentile(a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=False, *,
    weights=None): kept
    = quantile_of(np.{0}percentile, a, q, axis, out, keepdims, method, weights)
"""
# methods that return an element
_DISCRETE = {"inverted_cdf", "closest_observation", "lower", "higher", "nearest"}


def quantile_of(
    function: Callable[..., Any],
    a: Any,
    q: Any,
    axis: Any,
    out: Any,
    keepdims: bool,
    method: str,
    weights: Any,
) -> Any:
    """Return quantiles along axes. With weights, and by methods other than "linear" for
    nanquantile, NumPy computes them on the host. Medians use the method "mean", which gives
    infinity between infinity and a number, where "linear" would give NaN."""
    name = function.__name__
    skips = name.startswith("nan")
    if weights is not None or (skips and method not in ("linear", "mean")):
        options = {"axis": axis, "method": method, "keepdims": keepdims, "weights": weights}
        result = on_host(function, (a, q), options, gradient="refused")
        return result if out is None else library.copy(result, out=out)
    x = as_array(a)
    if recording.get() is not None and carrier_of((q,)) is not None:
        raise ArgumentError(f"np.{name}: q={q!r}; expected numbers, a list or a NumPy array")
    wanted = np.asarray(q)
    if name.endswith("percentile"):
        wanted = wanted / 100
    if np.any((wanted < 0) | (wanted > 1)):
        raise ValueError(f"np.{name}: q={q!r} is out of range; expected 0 to 1 (percentiles: 100)")
    dtype = x.dtype
    if method not in _DISCRETE and not (isinstance(q, (int, float)) and inexact(dtype)):
        dtype = np.result_type(dtype, np.asarray(q).dtype, np.float64)
    lines, shape = _lines(x, axis, keepdims)
    if not lines.shape[-1]:
        return library.full_like(lines, np.nan, dtype, shape=(*wanted.shape, *shape))
    ordered = library.sort(lines, -1)
    between = _skipping if skips and inexact(x.dtype) else _along
    ordered = library.astype(ordered, dtype, copy=False)
    result = between(ordered, wanted.ravel(), method)
    result = library.reshape(library.moveaxis(result, -1, 0), (*wanted.shape, *shape))
    return result if out is None else library.copy(result, out=out)


def _lines(x: Any, axis: Any, keepdims: bool) -> tuple[Any, tuple[int, ...]]:
    """Return an array with the reduced axes last, as one, and the shape of results."""
    over = axes_of("quantile", axis, len(x.shape))
    kept = [d for d in range(len(x.shape)) if d not in over]
    rows_ = tuple(x.shape[d] for d in kept)
    lines = library.reshape(
        library.transpose(x, (*kept, *over)) if x.shape else x,
        (*rows_, int(np.prod([x.shape[d] for d in over], dtype=np.int64))),
    )
    whole = tuple(1 if d in over else n for d, n in enumerate(x.shape))
    return lines, whole if keepdims else rows_


def _along(ordered: Any, q: Any, method: str) -> Any:
    """Return quantiles of sorted lines; NaN for a line with NaN."""
    n = ordered.shape[-1]
    # the quantiles of 0, 1, 2, ... are positions
    own: Any = "linear" if method == "mean" else method
    places = np.quantile(np.arange(n, dtype=np.float64), q, method=own)
    lower = np.floor(places).astype(np.int64)
    result = library.take(ordered, lower, -1)
    if method not in _DISCRETE:
        upper = library.take(ordered, np.ceil(places).astype(np.int64), -1)
        result = _blend(result, upper, places - lower, method)
    if not inexact(ordered.dtype):
        return result
    last = ordered[..., -1:]
    return library.where(library.isnan(last), last, result)


def _skipping(ordered: Any, q: Any, method: str) -> Any:
    """Return quantiles of the elements before the NaN of sorted lines."""
    count = library.sum(library.logical_not(library.isnan(ordered)), -1, keepdims=True)
    places = library.multiply(library.maximum(library.subtract(count, 1), 0), q)
    lower = library.astype(library.floor(places), np.int64)
    above = library.astype(library.ceil(places), np.int64)
    low, high = (library.take_along_axis(ordered, where, -1) for where in (lower, above))
    return _blend(low, high, library.subtract(places, lower), method)


def _blend(low: Any, high: Any, share: Any, method: str) -> Any:
    """Return a value between two elements, starting from the nearer one as in NumPy."""
    if method == "mean":
        wide = np.result_type(low.dtype, np.float32)
        both = (library.astype(x, wide, copy=False) for x in (low, high))
        return library.astype(library.multiply(library.add(*both), 0.5), low.dtype, copy=False)
    share = library.astype(share, low.dtype, copy=False)
    apart = library.subtract(high, low)
    near = library.add(low, library.multiply(apart, share))
    far = library.subtract(high, library.multiply(apart, library.subtract(1, share)))
    same = library.equal(low, high)  # the difference of equal infinities is NaN
    return library.where(same, low, library.where(library.less(share, 0.5), near, far))


FUNCTIONS = rows(_ROWS.format("") + _ROWS.format("nan"), globals())
