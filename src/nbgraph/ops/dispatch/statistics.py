"""NumPy's moments of two variables, and counts."""

from __future__ import annotations

from typing import Any

import numpy as np

from nbgraph.errors import DTypeError
from nbgraph.operator.call import carrier_of
from nbgraph.ops.define import as_array, library
from nbgraph.ops.dispatch.host import on_host
from nbgraph.ops.dispatch.reducing import average_of
from nbgraph.ops.dispatch.table import rows

_ROWS = """
cov(m, y=None, rowvar=True, bias=False, ddof=None, fweights=None, aweights=None, *, dtype=None):
    kept
    = covariance(m, y, rowvar, (0 if bias else 1) if ddof is None else ddof, fweights, aweights,
        dtype)
corrcoef(x, y=None, rowvar=True, *, dtype=None): kept
    = correlation(covariance(x, y, rowvar, 1, None, None, dtype))
bincount(x, /, weights=None, minlength=0): composed
    = counts(x, weights, minlength)
digitize(x, bins, right=False): composed
    = numbers_of_bins(x, bins, right)
"""


def covariance(
    m: Any, y: Any, rowvar: bool, ddof: int, repeats: Any, weights: Any, dtype: Any
) -> Any:
    """Return the covariances of variables, which are rows (or columns) of one or two arrays."""
    arrays = [as_array(v) for v in (m, y) if v is not None]
    if dtype is None:
        dtype = np.result_type(*(v.dtype for v in arrays), np.float64)
    tables = []
    for k, v in enumerate(arrays):
        table = library.atleast_2d(library.astype(v, dtype, copy=False))
        columns = not rowvar and (v.ndim != 1 if not k else table.shape[0] != 1)
        tables.append(library.transpose(table) if columns else table)
    x = library.concatenate(tables, 0) if len(tables) > 1 else tables[0]
    w = None if repeats is None else library.astype(as_array(repeats), np.float64)
    if weights is not None:
        own = library.astype(as_array(weights), np.float64)
        w = own if w is None else library.multiply(w, own)
    middle, total = average_of(x, 1, w, True, False)
    total = total[..., :1]
    if w is None:
        divisor: Any = float(max(x.shape[1] - ddof, 0))
    elif not ddof:
        divisor = total
    elif weights is None:
        divisor = library.subtract(total, ddof)
    else:
        squares = library.sum(library.multiply(w, as_array(weights)))
        divisor = library.subtract(total, library.divide(library.multiply(squares, ddof), total))
    if w is not None:
        divisor = library.maximum(divisor, 0.0)
    apart = library.subtract(x, library.expand_dims(middle, 1))
    weighed = apart if w is None else library.multiply(apart, w)
    result = library.divide(
        library.matmul(apart, library.conj(library.transpose(weighed))), divisor
    )
    return library.squeeze(result)


def correlation(c: Any) -> Any:
    """Return correlations of covariances."""
    if not c.ndim:
        return library.divide(c, c)
    if c.dtype.kind == "c":
        raise DTypeError("np.corrcoef: it is not there for complex numbers; use np.cov")
    root = library.sqrt(library.diagonal(c))
    result = library.divide(c, library.expand_dims(root, 1))
    return library.clip(library.divide(result, library.expand_dims(root, 0)), -1, 1)


def counts(x: Any, weights: Any, minlength: int) -> Any:
    """Return the counts of 0, 1, 2, ..., or the sums of their weights."""
    if weights is None or as_array(weights).dtype.kind == "c":
        options = {"minlength": minlength, "weights": weights}
        return on_host(np.bincount, (x,), options)
    numbers = np.asarray(x).astype(np.intp, casting="safe", copy=False)
    size = max(int(numbers.max()) + 1 if numbers.size else 0, minlength)
    w = library.astype(as_array(weights), np.float64, copy=False)
    if numbers.shape != w.shape or numbers.ndim != 1 or numbers.min(initial=0) < 0:
        raise ValueError(
            f"np.bincount: x has shape {numbers.shape}, weights {w.shape}; give one axis of as "
            "many numbers, none of them negative"
        )
    return library.index_add(library.zeros_like(w, shape=(size,)), w, key=numbers)


def numbers_of_bins(x: Any, bins: Any, right: bool) -> Any:
    """Return the bin of each element: how many edges, in increasing or decreasing order, precede
    it. If edges have no values, the first and last element decide the order."""
    side = "left" if right else "right"
    known = carrier_of((bins,)) is None or hasattr(bins, "asnumpy")
    edges = np.asarray(bins) if known else bins

    def numbers(*, rising: bool) -> Any:
        if rising:
            return library.searchsorted(bins, x, side=side)
        return library.subtract(edges.shape[0], library.searchsorted(edges[::-1], x, side=side))

    if not known:
        rises = library.greater_equal(edges[-1], edges[0])
        return library.where(rises, numbers(rising=True), numbers(rising=False))
    if edges.ndim == 1 and (edges[1:] >= edges[:-1]).all():
        return numbers(rising=True)
    if edges.ndim == 1 and (edges[1:] <= edges[:-1]).all():
        return numbers(rising=False)
    raise ValueError("np.digitize: bins has to be a vector that rises or falls; sort it")


FUNCTIONS = rows(_ROWS, globals())
