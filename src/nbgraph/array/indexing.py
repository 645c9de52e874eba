"""Reading and writing parts of arrays: `a[key]`, `a[key] = value`, with all of NumPy's indices.

Integers, slices, None and Ellipsis give views, which share memory and engine variable. Integer
arrays, lists and masks give copies; what they are out of bounds is told at the call for values
at hand, and at the wait for NDArrays. The shape that a mask selects depends on its values, so an
NDArray as a mask is waited for; not so where a number is assigned.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from nbgraph.array.carry import common_device, writable
from nbgraph.array.copying import cell, copied, fill_from
from nbgraph.array.core import Array
from nbgraph.array.eager import library
from nbgraph.array.lift import lift
from nbgraph.array.push import WEAK
from nbgraph.device import RunContext
from nbgraph.engine import current
from nbgraph.errors import IndexingError, ShapeError
from nbgraph.operator.call import call, recording

_BASIC = (int, slice, type(None), type(Ellipsis))


def get(array: Array, key: Any) -> Any:
    """`array[key]`: a view for a basic index, else a copy."""
    if not _is_basic(key):
        from nbgraph.ops.keys import normal_key

        if _is_false(key):
            return get(get(array, None), slice(0, 0))  # none of one such array
        template, arrays = normal_key(_with_masks(key), array.shape)
        if arrays:
            return library("gather")(array, *arrays, key=template)
        key = tuple(slice(*part) if isinstance(part, tuple) else part for part in template)
    if recording.get() is not None:
        return library("slice_view")(array, key)
    return _view(array, key)


def set_(array: Array, key: Any, value: Any) -> None:
    """`array[key] = value`: written to the memory of `array`, broadcast and cast as in NumPy."""
    if isinstance(key, Array) and key.dtype.kind == "b" and np.ndim(value) == 0:
        if key.shape == array.shape:  # no need to know the mask
            _set_where(array, key, value)
            return
    writable("setitem", array)
    if isinstance(value, (*WEAK, np.generic)):
        value = cell(value, array.dtype)
    if _is_false(key):
        _given(array, value, (0, *array.shape))  # it has to fit all the same
        return
    if recording.get() is not None:
        _set_recorded(array, key, value)
        return
    if _is_basic(key):
        _set_view(_view(array, key), value)
    else:
        _set_elements(array, key, value)
    array._chunk.writes += 1


# keys -------------------------------------------------------------------------------------------


def _is_basic(key: Any) -> bool:
    """Whether the index selects a view."""
    parts = key if type(key) is tuple else (key,)
    return all((isinstance(p, _BASIC) and type(p) is not bool) or _whole(p) for p in parts)


def _whole(part: Any) -> bool:
    """Whether it is a whole number of another class: a NumPy integer, or what has __index__."""
    if isinstance(part, (Array, np.ndarray, bool, np.bool_)):
        return False
    try:
        operator.index(part)
    except TypeError:
        return False
    return True


def _with_masks(key: Any) -> Any:
    """The index with masks as NumPy arrays: what they select must be known."""
    parts = key if type(key) is tuple else (key,)
    return tuple(_known(p) if isinstance(p, Array) and p.dtype.kind == "b" else p for p in parts)


def _is_false(key: Any) -> bool:
    """Whether it is a mask without axes that selects nothing."""
    if isinstance(key, (Array, np.ndarray, np.bool_)):
        return key.dtype.kind == "b" and key.ndim == 0 and not key
    return key is False


def _known(mask: Any) -> np.ndarray[Any, Any]:
    values: np.ndarray[Any, Any] = mask.asnumpy()
    return values


def _view(array: Array, key: Any) -> Any:
    """The part that a basic index selects."""
    parts = key if type(key) is tuple else (key,)
    try:
        # an Ellipsis keeps an index of integers alone from giving a scalar
        found = array._view()[parts if Ellipsis in parts else (*parts, ...)]
    except (IndexError, ValueError, TypeError) as error:
        from nbgraph.ops.slicing import full_key, view_key

        full_key("index", view_key("index", key), array.shape)  # says what is wrong
        raise IndexingError(f"index: {key!r} of shape {array.shape}: {error}") from None
    return array._of_view(found)


# assignment -------------------------------------------------------------------------------------


def _set_where(array: Array, mask: Array, value: Any) -> None:
    if not isinstance(value, Array):
        value = cell(value, array.dtype)
    elif value.dtype != array.dtype:
        value = library("astype")(value, array.dtype)
    call(library("where"), [mask, value, array], {}, array)


def _set_recorded(array: Array, key: Any, value: Any) -> None:
    library("index_update")(
        array, value, key=key if _is_basic(key) else _with_masks(key), out=array
    )


def _set_view(target: Array, value: Any) -> None:
    if isinstance(value, np.ndarray) and value.ndim == 0 and value.dtype == target.dtype:
        fill_from(target, value.item() if type(value.item()) in WEAK else float(value))
        return
    given = _given(target, value, target.shape)
    same = given._chunk is target._chunk and given._address == target._address
    if not (same and given._layout is target._layout):  # a[key] += x has written already
        fill_from(target, given)


def _given(array: Array, value: Any, shape: tuple[int, ...]) -> Any:
    """A value as an array that broadcasts to `shape`, at the same place."""
    (given,) = lift("setitem", ["value"], [value], weak=False)
    if not isinstance(value, Array) and given.device != array.device:
        given = given.to_device(array.device)
    common_device("setitem", ["array", "value"], [array, given])
    while given.ndim > len(shape) and given.shape[0] == 1:  # as NumPy lets pass
        given = _view(given, 0)
    lead = len(shape) - given.ndim
    if lead < 0 or any(n not in (1, m) for n, m in zip(given.shape, shape[lead:], strict=True)):
        raise ShapeError(
            f"setitem: value has shape {given.shape}, the index selects {shape}; give a value that "
            "broadcasts to it"
        )
    return given


def _set_elements(array: Array, key: Any, value: Any) -> None:
    """Elements at integer arrays: a function writes them in the array's memory."""
    from nbgraph.ops.keys import normal_key, selected_shape

    template, arrays = normal_key(_with_masks(key), array.shape)
    indices: list[Any] = lift("setitem", ["index"] * len(arrays), arrays, weak=False)
    if not indices:
        numbers = tuple(slice(*part) if isinstance(part, tuple) else part for part in template)
        _set_view(_view(array, numbers), value)
        return
    shape = selected_shape("setitem", template, array.shape, [i.shape for i in indices])
    given = _given(array, value, shape)
    work = _Assignment(array, given, indices, template)
    current().push(work, const_vars=work.reads, mutate_vars=[array._chunk], name="setitem")


class _Assignment:
    """`target[key] = value` as the engine runs it."""

    __slots__ = ("indices", "key", "reads", "target", "value")

    def __init__(self, target: Array, value: Array, indices: Sequence[Array], key: Any) -> None:
        held = target._chunk
        operands = [copied(a) if a._chunk is held else a for a in (value, *indices)]
        self.target, self.key = target._view(), key
        self.value, *self.indices = (a._view() for a in operands)
        self.reads = [a._chunk for a in operands]

    def __call__(self, run_ctx: RunContext) -> None:
        from nbgraph.ops.keys import numpy_index

        places = numpy_index("setitem", self.key, self.target.shape, self.indices)
        with np.errstate(invalid="ignore", over="ignore"):  # a cast as in C
            self.target[places] = self.value
