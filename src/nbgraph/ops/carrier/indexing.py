"""`x[key]` as operators of the library, for all of NumPy's indices.

Integers, slices, None and Ellipsis become a `slice_view`; integer arrays, lists and masks a
`gather`. The shape that a mask selects depends on its values, so a carrier's mask must have values.
"""

import operator
from collections.abc import Iterator
from typing import Any

import numpy as np

from nbgraph import ops
from nbgraph.errors import ArgumentError, IndexingError, noun
from nbgraph.operator.call import carrier_of
from nbgraph.ops.define import is_elsewhere, library

_BASIC = (int, slice, type(None), type(Ellipsis))


class Indexing:
    """Reading by index; classes with memory define writing."""

    __slots__ = ()

    def __getitem__(self, key: Any) -> Any:
        return part(self, key)

    def __iter__(self) -> Iterator[Any]:
        # otherwise Python would ask for parts without end
        raise ArgumentError(
            f"iter: the parts of {noun(self)} are not there; index it, or use ng.unstack"
        )

    def __setitem__(self, key: Any, value: Any) -> None:
        raise ArgumentError(
            f"setitem: {noun(self)} has no memory to be written; make another one, with "
            "ng.index_update(x, value, key=key), or with ng.where(mask, value, x) for a mask"
        )


def part(x: Any, key: Any) -> Any:
    """Return `x[key]`; IndexingError if the index does not fit.

    >>> part(np.arange(6).reshape(2, 3), (slice(None), [0, -1]))
    array([[0, 2],
           [3, 5]])
    """
    if type(key) is not tuple and isinstance(key, tuple):
        key = tuple(key)  # also for named tuples
    if not is_basic(key):
        if len(getattr(key, "shape", None) or ()) > 1 and _chooses_elements(key, x):
            return ops.extract(key, x)
        from nbgraph.ops.indexing.keys import normal_key  # loads families that few programs use

        key = with_masks(key)
        if is_false(key):
            return part(part(x, None), slice(0, 0))  # nothing of one such array
        key, arrays = normal_key(key, x.shape)
        if arrays:
            return ops.gather(x, *arrays, key=key)
        return library.copy(library.slice_view(x, key))  # copies masks and integers without axes
    return library.slice_view(x, key)


def _chooses_elements(key: Any, x: Any) -> bool:
    """Return whether the index is a mask over all axes of an array with values on the host."""
    if key.shape != x.shape or key.dtype != np.bool_ or not hasattr(x, "asnumpy"):
        return False
    return not (is_elsewhere(x) or is_elsewhere(key))


def is_basic(key: Any) -> bool:
    """Return whether the index selects a view."""
    parts = key if type(key) is tuple else (key,)
    return all((isinstance(p, _BASIC) and type(p) is not bool) or _is_index(p) for p in parts)


def is_element(key: Any, ndim: int) -> bool:
    """Return whether the index has an integer for each of so many axes, and nothing else.

    >>> is_element((0, np.int64(2)), 2), is_element((0, ...), 1), is_element(True, 1)
    (True, False, False)
    """
    parts = key if type(key) is tuple else (key,)
    return len(parts) == ndim and all(type(p) is int or _is_index(p) for p in parts)


def _is_index(part: Any) -> bool:
    """Return whether an index is an integer of another class: a NumPy integer, or by __index__."""
    if isinstance(part, (np.ndarray, bool, np.bool_)) or carrier_of((part,)) is not None:
        return False
    try:
        operator.index(part)
    except TypeError:
        return False
    return True


def with_masks(key: Any) -> tuple[Any, ...]:
    """Return the parts of an index, with masks of the host as NumPy arrays."""
    parts = key if type(key) is tuple else (key,)
    return tuple(_mask_values(p) if _is_mask(p) and not is_elsewhere(p) else p for p in parts)


def is_false(parts: tuple[Any, ...]) -> bool:
    """Return whether the index is a mask without axes that selects nothing."""
    if len(parts) != 1 or not isinstance(parts[0], (bool, np.bool_, np.ndarray)):
        return False
    mask = np.asarray(parts[0])
    return mask.dtype.kind == "b" and mask.ndim == 0 and not mask


def _is_mask(part: Any) -> bool:
    """Return whether a part is known to be a carrier's mask."""
    if carrier_of((part,)) is None or part.shape is None:
        return False
    return part.dtype.kind == "b"


def _mask_values(mask: Any) -> np.ndarray[Any, Any]:
    """Return the values of a mask; waits for them."""
    if not hasattr(mask, "asnumpy"):
        raise IndexingError(
            f"index: the mask ({noun(mask)}) has no values yet, and the shape of the result "
            "depends on them; use ng.where(mask, x, other)"
        )
    values: np.ndarray[Any, Any] = mask.asnumpy()
    return values
