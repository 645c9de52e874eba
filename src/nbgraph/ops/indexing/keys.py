"""Indices of every kind as data: a hashable template, and the integer arrays that fill it.

A template is a tuple of ints, `Triple(start, stop, step)`, None, Ellipsis, and "array" where an
integer array stands. NumPy's rules hold: index arrays (and, beside them, integers) broadcast
against each other; their axes replace the indexed ones, and come first where a slice, or an
Ellipsis that stands for no axis, lies between them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from nbgraph.errors import IndexingError
from nbgraph.operator.lazy import foreign
from nbgraph.operator.scalar.typing import is_foreign, of_library
from nbgraph.ops.define import Shape, is_elsewhere
from nbgraph.ops.indexing.addressing import ARRAY as ARRAY
from nbgraph.ops.indexing.addressing import Template as Template
from nbgraph.ops.indexing.indexing import check_bounds
from nbgraph.ops.indexing.sets import nonzero
from nbgraph.ops.shapes.slicing import Triple, basic_part, full_key

# from an index to its template ------------------------------------------------------------------


def normal_key(key: Any, shape: Shape | None, name: str = "index") -> tuple[Template, list[Any]]:
    """An index of NumPy's rules as (template, index arrays), checked against a shape. With None,
    a shape that is not known yet, the template is as short as the index, and checked later.

    Boolean masks and lists become integer arrays. An array that is not NumPy's is kept as it is:
    it holds integers, and its values are checked when it is used. Without index arrays the
    template is a key of `slice_view`. IndexingError where the index does not fit.

    >>> normal_key((slice(1, None), [0, 2]), (4, 3))
    ((Triple(start=1, stop=None, step=None), 'array'), [array([0, 2])])
    >>> normal_key(4, (4, 3))  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    nbgraph.errors.IndexingError: index: index 4 is out of bounds for axis 0 of shape (4, 3); ...
    """
    parts: list[Any] = []
    for part in key if isinstance(key, tuple) else (key,):
        parts.extend(_parts(name, part))
    form = tuple(ARRAY if _is_array(part) else basic_part(name, part) for part in parts)
    arrays = [part for part in parts if _is_array(part)]
    if shape is None:
        return form, [a.places if isinstance(a, _Mask) else a for a in arrays]
    template = full_key(name, form, shape)
    for i, (axis, array) in enumerate(zip(_array_axes(template), arrays, strict=True)):
        if isinstance(array, _Mask):
            arrays[i] = _mask_places(name, array, axis, shape)
        elif isinstance(array, np.ndarray):
            check_bounds(name, array, shape[axis], axis)
    return template, arrays


class _Mask:
    """A mask along one of its axes: where it is True, of how many."""

    __slots__ = ("places", "size")

    def __init__(self, places: Any, size: int) -> None:
        self.places, self.size = places, size


def _is_array(part: Any) -> bool:
    return isinstance(part, (_Mask, np.ndarray)) or hasattr(type(part), "__nbgraph_call__")


def _parts(name: str, part: Any) -> list[Any]:
    """What one element of an index stands for: a mask has an array for each of its axes."""
    if isinstance(part, Triple):  # of a template
        return [part]
    if isinstance(part, (list, tuple, bool, np.bool_)) or foreign[type(part)]:
        part = _from_sequence(name, part)
    known = getattr(part, "shape", None) is not None  # else a carrier's dtype may be unknown, too
    if is_foreign(part):
        part = of_library(name, "key", part)
    kind = part.dtype.kind if known and hasattr(part, "dtype") else None
    if kind is not None and kind not in "iub":
        raise IndexingError(
            f"{name}: an index array of dtype {part.dtype}; indices are integers or booleans: use "
            "i.astype('int64')"
        )
    if not isinstance(part, np.ndarray):
        if kind == "b" and is_elsewhere(part):
            return [_Mask(p, n) for p, n in zip(nonzero(part), part.shape, strict=True)]
        if kind == "b" and not isinstance(part, np.generic):
            raise IndexingError(f"{name}: a mask is known by its values; use nonzero(mask)")
        return [part]
    if kind != "b":
        return [part if part.ndim else int(part)]
    if part.ndim:
        return [_Mask(p, n) for p, n in zip(part.nonzero(), part.shape, strict=True)]
    if part:
        return [None]
    raise IndexingError(f"{name}: the index False selects nothing; give an empty slice, 0:0")


def _from_sequence(name: str, part: Any) -> Any:
    try:
        array = np.asarray(part)
    except ValueError as error:
        raise IndexingError(f"{name}: {part!r} is not an index: {error}") from None
    # an empty list has no dtype of its own
    return array.astype(np.int64) if array.size == 0 and array.dtype.kind == "f" else array


def _mask_places(name: str, mask: _Mask, axis: int, shape: Shape) -> Any:
    if mask.size not in (0, shape[axis]):  # a mask of no elements selects nothing of any axis
        raise IndexingError(
            f"{name}: a mask of size {mask.size} for axis {axis} of shape {shape}; give one of "
            f"size {shape[axis]}"
        )
    return mask.places


def _array_axes(template: Template) -> list[int]:
    """The axes that the index arrays index."""
    indexed = (part for part in template if part is not None and part is not Ellipsis)
    return [axis for axis, part in enumerate(indexed) if part == ARRAY]


def numpy_index(
    name: str, key: Template, shape: Shape, arrays: Sequence[np.ndarray[Any, Any]]
) -> tuple[Any, ...]:
    """The index as NumPy takes it; IndexingError where a value of an array is out of bounds."""
    full = full_key(name, key, shape)
    for axis, array in zip(_array_axes(full), arrays, strict=True):
        check_bounds(name, array, shape[axis], axis)
    arrays_left = iter(arrays)
    return tuple(
        slice(*part) if isinstance(part, tuple) else next(arrays_left) if part == ARRAY else part
        for part in full
    )
