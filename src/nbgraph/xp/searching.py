"""Searching, sorting, sets and indexing. Where the shape of a result depends on values, they are
waited for."""

from __future__ import annotations

from typing import Any, NamedTuple

from nbgraph import ops
from nbgraph.array import NDArray
from nbgraph.errors import ShapeError

__all__ = [
    "argmax", "argmin", "count_nonzero", "nonzero", "searchsorted", "where", "argsort", "sort",
    "unique_all", "unique_counts", "unique_inverse", "unique_values", "take", "take_along_axis",
]  # fmt: skip

Axes = int | tuple[int, ...] | None


class UniqueAll(NamedTuple):
    """What `unique_all` gives."""

    values: NDArray
    indices: NDArray
    inverse_indices: NDArray
    counts: NDArray


class UniqueCounts(NamedTuple):
    """What `unique_counts` gives."""

    values: NDArray
    counts: NDArray


class UniqueInverse(NamedTuple):
    """What `unique_inverse` gives."""

    values: NDArray
    inverse_indices: NDArray


def argmax(x: NDArray, /, *, axis: int | None = None, keepdims: bool = False) -> NDArray:
    """Where the largest element is; the first of several."""
    return ops.argmax(x, axis, keepdims=keepdims)


def argmin(x: NDArray, /, *, axis: int | None = None, keepdims: bool = False) -> NDArray:
    """Where the smallest element is; the first of several."""
    return ops.argmin(x, axis, keepdims=keepdims)


def count_nonzero(x: NDArray, /, *, axis: Axes = None, keepdims: bool = False) -> NDArray:
    """How many elements are not zero."""
    return ops.count_nonzero(x, axis, keepdims=keepdims)


def nonzero(x: NDArray, /) -> tuple[NDArray, ...]:
    """Where the elements are that are not zero: an index array for each axis."""
    return tuple(ops.nonzero(x))


def searchsorted(
    x1: NDArray, x2: NDArray, /, *, side: str = "left", sorter: NDArray | None = None
) -> NDArray:
    """Where `x2` would be inserted into `x1`, which is sorted (or is by `sorter`)."""
    return ops.searchsorted(x1, x2, side=side, sorter=sorter)


def where(condition: NDArray, x1: Any, x2: Any, /) -> NDArray:
    """Elements of `x1` where the condition holds, else of `x2`."""
    return ops.where(condition, x1, x2)


def argsort(
    x: NDArray, /, *, axis: int = -1, descending: bool = False, stable: bool = True
) -> NDArray:
    """Indices that sort along an axis; equal elements keep their order."""
    return ops.argsort(x, axis, descending=descending, stable=stable)


def sort(
    x: NDArray, /, *, axis: int = -1, descending: bool = False, stable: bool = True
) -> NDArray:
    """The elements in order along an axis."""
    return ops.sort(x, axis, descending=descending, stable=stable)


def unique_all(x: NDArray, /) -> UniqueAll:
    """The different values in order, where each is first, which of them each element is, counts."""
    return UniqueAll(*ops.unique_all(x))


def unique_counts(x: NDArray, /) -> UniqueCounts:
    """The different values in order, and how often each occurs."""
    return UniqueCounts(*ops.unique_counts(x))


def unique_inverse(x: NDArray, /) -> UniqueInverse:
    """The different values in order, and which of them each element is.

    >>> from nbgraph import xp
    >>> xp.unique_inverse(xp.asarray([7, 5, 7])).inverse_indices
    array([1, 0, 1])
    """
    return UniqueInverse(*ops.unique_inverse(x))


def unique_values(x: NDArray, /) -> NDArray:
    """The different values in order."""
    return ops.unique_values(x)


def take(x: NDArray, indices: NDArray, /, *, axis: int | None = None) -> NDArray:
    """Elements (or slices along an axis) at the indices; of a vector `axis` may be left out."""
    if axis is None and x.ndim > 1:
        raise ShapeError(f"take: x has shape {x.shape}; say along which axis, as in axis=0")
    return ops.take(x, indices, 0 if axis is None else axis)


def take_along_axis(x: NDArray, indices: NDArray, /, *, axis: int = -1) -> NDArray:
    """Elements along an axis, each at its own index."""
    return ops.take_along_axis(x, indices, axis)
