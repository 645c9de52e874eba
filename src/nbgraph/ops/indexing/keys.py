"""Indices of every kind as data: a hashable template, and the integer arrays that fill it.

A template is a tuple of ints, `Triple(start, stop, step)`, None, Ellipsis, and "array" for an
integer array. NumPy's rules hold: index arrays (and integers with them) broadcast against each
other; their axes replace the indexed ones, and come first if a slice, or an Ellipsis for no axis,
lies between them.
"""

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
    """Return an index of NumPy's rules as (template, index arrays), checked against a shape. For
    None, an unknown shape, the template is as short as the index, and checked later.

    Boolean masks and lists become integer arrays. An array that is not NumPy's is kept: it holds
    integers, and its values are checked at its use. Without index arrays the template is a key of
    `slice_view`. Raises IndexingError if the index does not fit.

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
            size = shape[axis]
            if array.size not in (0, size):  # a mask without elements selects nothing of any axis
                raise IndexingError(
                    f"{name}: a mask of size {array.size} for axis {axis} of shape {shape}; give "
                    f"one of size {size}"
                )
            arrays[i] = array.places
        elif isinstance(array, np.ndarray):
            check_bounds(name, array, shape[axis], axis)
    return template, arrays


class _Mask:
    """A mask along one of its axes: the indices where it is True, and the extent."""

    __slots__ = ("places", "size")

    def __init__(self, places: Any, size: int) -> None:
        self.places, self.size = places, size


def _is_array(part: Any) -> bool:
    return isinstance(part, (_Mask, np.ndarray)) or hasattr(type(part), "__nbgraph_call__")


def _parts(name: str, part: Any) -> list[Any]:
    """Return the parts of one element of an index: a mask has an array per axis."""
    if isinstance(part, Triple):  # of a template
        return [part]
    if isinstance(part, (list, tuple, bool, np.bool_)) or foreign[type(part)]:
        part = _from_sequence(name, part)
    known = getattr(part, "shape", None) is not None  # else the dtype may be unknown, too
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
            raise IndexingError(
                f"{name}: a mask has no values yet; choose by where(mask, value, x), or within a "
                "part by x[index] = where(mask, value, x[index])"
            )
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
    # an empty list has no dtype
    return array.astype(np.int64) if array.size == 0 and array.dtype.kind == "f" else array


def _array_axes(template: Template) -> list[int]:
    """Return the axes that the index arrays index."""
    indexed = (part for part in template if part is not None and part is not Ellipsis)
    return [axis for axis, part in enumerate(indexed) if part == ARRAY]


def numpy_index(
    name: str, key: Template, shape: Shape, arrays: Sequence[np.ndarray[Any, Any]]
) -> tuple[Any, ...]:
    """Return the index in NumPy's form; IndexingError for a value out of bounds."""
    full = full_key(name, key, shape)
    for axis, array in zip(_array_axes(full), arrays, strict=True):
        check_bounds(name, array, shape[axis], axis)
    arrays_left = iter(arrays)
    return tuple(
        slice(*part) if isinstance(part, tuple) else next(arrays_left) if part == ARRAY else part
        for part in full
    )
