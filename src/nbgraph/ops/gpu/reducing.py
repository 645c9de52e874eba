"""Reductions by other operators: of no elements, of other dtypes, means, truth, deviations, norms.

None stands for cases of the device's own kernels: sums, products and extremes.
"""

import math
from functools import partial
from typing import Any

from nbgraph.operator.arrays.device_forms import composed
from nbgraph.ops.define import axes_of, library
from nbgraph.ops.gpu.complexes import by_parts
from nbgraph.ops.reductions.extremes import all, any, count_nonzero
from nbgraph.ops.reductions.norms import vector_norm
from nbgraph.ops.reductions.reductions import (
    accumulator,
    mean_dtype,
    prod,
    reduced_shape,
    sum,
    sum_to,
    total_dtype,
)
from nbgraph.ops.reductions.statistics import mean, std, var


def _of_nothing(name: str, x: Any, number: int, dtype: Any, axis: Any, keepdims: bool) -> Any:
    """Return a number in the shape of the result; None if there are elements."""
    if math.prod(x.shape):
        return None
    shape = reduced_shape(name, tuple(x.shape), axis, keepdims=keepdims)
    return library.full_like(x, number, dtype, shape=shape)


def _in_dtype(fold: Any, number: int, x: Any, *, axis: Any, dtype: Any, keepdims: bool) -> Any:
    """Return a sum or product with another kind of dtype than its elements; else None."""
    total = total_dtype(x.dtype, dtype)
    if not math.prod(x.shape):
        return _of_nothing(fold.__name__, x, number, total, axis, keepdims)
    if total.kind == "c":
        x, how = library.astype(x, total), {"axis": axis, "keepdims": keepdims}
        return by_parts(fold, x, **how) if fold is sum else None
    if (total.kind in "iub") is (x.dtype.kind in "iub") and x.dtype.kind != "c":
        return None
    return fold(library.astype(x, total), axis, keepdims=keepdims)


# a number for no elements; floats are cast first if requested
composed(sum)(partial(_in_dtype, sum, 0))
composed(prod)(partial(_in_dtype, prod, 1))


@composed(sum_to)
def summed_to(x: Any, *, shape: Any) -> Any:
    """Return 0 for no elements; the operand itself if nothing is summed; else None."""
    if tuple(x.shape) == shape:
        return x
    if x.dtype.kind == "c":
        return by_parts(sum_to, x, shape=shape)
    return None if math.prod(x.shape) else library.full_like(x, 0, shape=shape)


@composed(mean)
def averaged(x: Any, *, axis: Any, dtype: Any, keepdims: bool) -> Any:
    """Return a sum in float32 at least, divided by the number of terms."""
    wide = accumulator(mean_dtype(x.dtype, dtype))
    total = sum(library.astype(x, wide), axis, keepdims=keepdims)
    count = math.prod(x.shape[d] for d in axes_of("mean", axis, len(x.shape)))
    return library.divide(total, float(count))


# what is true ------------------------------------------------------------------------------------


def _any_all(question: Any, number: int, dtype: str, x: Any, *, axis: Any, keepdims: bool) -> Any:
    """Return `any` or `all` of no elements, or of complex numbers; else None."""
    if x.dtype.kind == "c":
        return question(library.astype(x, "bool"), axis, keepdims=keepdims)
    return _of_nothing(question.__name__, x, number, dtype, axis, keepdims)


for _own in ((any, 0, "bool"), (all, 1, "bool"), (count_nonzero, 0, "int64")):
    composed(_own[0])(partial(_any_all, *_own))


@composed(var)
def variance(x: Any, *, axis: Any, dtype: Any, correction: float, keepdims: bool) -> Any:
    """Return the mean square of distances from the mean, which is computed first."""
    axes = axes_of("var", axis, len(x.shape))
    x = library.astype(x, accumulator(mean_dtype(x.dtype, dtype)))
    away = library.subtract(x, library.mean(x, axes, keepdims=True))
    away = library.absolute(away) if away.dtype.kind == "c" else away
    summed = library.sum(library.square(away), axes, keepdims=keepdims)
    free = max(math.prod(x.shape[d] for d in axes) - correction, 0)
    return library.divide(summed, float(free))


@composed(std)
def deviation(x: Any, **how: Any) -> Any:
    """Return the root of the variance, before it is narrowed."""
    return library.sqrt(variance(x, **how))


@composed(vector_norm)
def norm(x: Any, *, axis: Any, ord: float, keepdims: bool) -> Any:
    """Return a root of a sum of powers, an extreme, or a count."""
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
