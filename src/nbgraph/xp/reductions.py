"""Statistics, scans and questions of whole axes."""

from __future__ import annotations

from typing import Any

from nbgraph import ops
from nbgraph.array import NDArray

__all__ = [
    "all", "any", "max", "min", "mean", "prod", "std", "sum", "var", "cumulative_prod",
    "cumulative_sum", "diff",
]  # fmt: skip

Axes = int | tuple[int, ...] | None


def all(x: NDArray, /, *, axis: Axes = None, keepdims: bool = False) -> NDArray:
    """Whether no element is zero."""
    return ops.all(x, axis, keepdims=keepdims)


def any(x: NDArray, /, *, axis: Axes = None, keepdims: bool = False) -> NDArray:
    """Whether any element is not zero."""
    return ops.any(x, axis, keepdims=keepdims)


def max(x: NDArray, /, *, axis: Axes = None, keepdims: bool = False) -> NDArray:
    """The largest element; NaN where there is one."""
    return ops.max(x, axis, keepdims=keepdims)


def min(x: NDArray, /, *, axis: Axes = None, keepdims: bool = False) -> NDArray:
    """The smallest element; NaN where there is one."""
    return ops.min(x, axis, keepdims=keepdims)


def mean(x: NDArray, /, *, axis: Axes = None, keepdims: bool = False) -> NDArray:
    """The mean."""
    return ops.mean(x, axis, keepdims=keepdims)


def prod(x: NDArray, /, *, axis: Axes = None, dtype: Any = None, keepdims: bool = False) -> NDArray:
    """The product; of integers in 64 bits."""
    return ops.prod(x, axis, dtype, keepdims=keepdims)


def std(
    x: NDArray, /, *, axis: Axes = None, correction: float = 0.0, keepdims: bool = False
) -> NDArray:
    """The standard deviation, its divisor less by `correction`."""
    return ops.std(x, axis, correction=correction, keepdims=keepdims)


def sum(x: NDArray, /, *, axis: Axes = None, dtype: Any = None, keepdims: bool = False) -> NDArray:
    """The sum; of integers in 64 bits.

    >>> from nbgraph import xp
    >>> xp.sum(xp.asarray([[1, 2], [3, 4]]), axis=0)
    array([4, 6])
    """
    return ops.sum(x, axis, dtype, keepdims=keepdims)


def var(
    x: NDArray, /, *, axis: Axes = None, correction: float = 0.0, keepdims: bool = False
) -> NDArray:
    """The variance, its divisor less by `correction`."""
    return ops.var(x, axis, correction=correction, keepdims=keepdims)


def cumulative_prod(
    x: NDArray, /, *, axis: int | None = None, dtype: Any = None, include_initial: bool = False
) -> NDArray:
    """Products of the elements so far along an axis; with `include_initial` from 1 on."""
    return ops.cumulative_prod(x, axis=axis, dtype=dtype, include_initial=include_initial)


def cumulative_sum(
    x: NDArray, /, *, axis: int | None = None, dtype: Any = None, include_initial: bool = False
) -> NDArray:
    """Sums of the elements so far along an axis; with `include_initial` from 0 on."""
    return ops.cumulative_sum(x, axis=axis, dtype=dtype, include_initial=include_initial)


def diff(
    x: NDArray,
    /,
    *,
    axis: int = -1,
    n: int = 1,
    prepend: NDArray | None = None,
    append: NDArray | None = None,
) -> NDArray:
    """Differences of neighbours along an axis, `n` times."""
    return ops.diff(x, n=n, axis=axis, prepend=prepend, append=append)
