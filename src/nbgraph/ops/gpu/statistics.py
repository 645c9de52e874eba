"""Deviations and norms, by reductions and maps, which are fused in graphs."""

from __future__ import annotations

import math
from typing import Any

from nbgraph.operator.elsewhere import composed
from nbgraph.ops.define import axes_of, library
from nbgraph.ops.reductions.norms import vector_norm
from nbgraph.ops.reductions.reductions import accumulator, mean_dtype
from nbgraph.ops.reductions.statistics import std, var


@composed(var)
def variance(x: Any, *, axis: Any, dtype: Any, correction: float, keepdims: bool) -> Any:
    """The mean square of distances from the mean, which is there first."""
    axes = axes_of("var", axis, len(x.shape))
    x = library.astype(x, accumulator(mean_dtype(x.dtype, dtype)))
    away = library.subtract(x, library.mean(x, axes, keepdims=True))
    summed = library.sum(library.square(away), axes, keepdims=keepdims)
    free = max(math.prod(x.shape[d] for d in axes) - correction, 0)
    return library.divide(summed, float(free))


@composed(std)
def deviation(x: Any, **how: Any) -> Any:
    """Its root, before it is made narrower."""
    return library.sqrt(variance(x, **how))


@composed(vector_norm)
def norm(x: Any, *, axis: Any, ord: float, keepdims: bool) -> Any:
    """A root of a sum of powers; an extreme; a count."""
    axes = axes_of("vector_norm", axis, len(x.shape))
    wide = accumulator(mean_dtype(x.dtype, None))
    if ord == 0:
        return library.count_nonzero(x, axes, keepdims=keepdims)
    x = library.absolute(library.astype(x, wide))
    if math.isinf(ord):
        fold = library.max if ord > 0 else library.min
        return fold(x, axes, keepdims=keepdims)
    if ord == 1:
        return library.sum(x, axes, keepdims=keepdims)
    terms = library.square(x) if ord == 2 else library.power(x, ord)
    total = library.sum(terms, axes, keepdims=keepdims)
    return library.sqrt(total) if ord == 2 else library.power(total, 1 / ord)


__all__ = ["deviation", "norm", "variance"]
