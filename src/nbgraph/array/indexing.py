"""Indexing: `a[key]` and `a[key] = value` with all of NumPy's indices.

Integers for every axis select an element, which is copied, so that `a[0], a[1] = a[1], a[0]` swaps
as with NumPy's scalars. Slices, None, Ellipsis and fewer integers give views, which share memory
and engine variable. Integer arrays, lists and masks give copies. Indices out of bounds raise at the
call, those of NDArrays at the wait. The shape of a selection by a mask depends on its values, so a
mask that is an NDArray is waited for, unless a number is assigned.
"""

import functools
import operator
import sys
from typing import Any

import numpy as np

from nbgraph import ops
from nbgraph.array.apply_scalar_op import common_device, writable
from nbgraph.array.chunk import wait
from nbgraph.array.copying import cell, fill_from, put_by_route
from nbgraph.array.core import Array, from_host, lift
from nbgraph.array.index_cache import (
    LONG,
    cached_element,
    cached_part,
    cached_selection,
    frozen,
    learn_element,
    learn_part,
    learn_selection,
    learn_write,
    selection_form,
    write_by_cache,
)
from nbgraph.array.place import place
from nbgraph.array.push import WEAK, same
from nbgraph.array.update import write_over
from nbgraph.errors import IndexingError, ShapeError
from nbgraph.operator.call import call, recording
from nbgraph.ops.carrier.indexing import is_basic, is_element, is_false, part, with_masks
from nbgraph.ops.carrier.operators import operator_of
from nbgraph.ops.define import is_elsewhere
from nbgraph.settings import CLOSELY_ASKED
from nbgraph.shape import Shape, spreads

_frame = sys._getframe
_INT = {int}
_NUMBERED = slice, int, list, np.ndarray, Array
_PARTS = (slice, type(None), type(Ellipsis))


def get(array: Array, key: Any) -> Any:
    """Return `array[key]`: a copy of one element, a view for other basic indices, else a copy."""
    kind, ndim = type(key), len(array._layout.shape)
    if kind not in _PARTS and kind is not int and kind is not tuple and isinstance(key, tuple):
        key, kind = tuple(key), tuple  # key was a named tuple
    if kind is int:
        if ndim == 1:
            element = cached_element(array, key, _frame(2))
            return _element(array, key) if element is None else element
        if recording.get() is None:
            return _part(array, key, key)
    elif kind is tuple:
        if len(key) == ndim and (kinds := set(map(type, key))).isdisjoint(_PARTS):
            if kinds == _INT or is_element(key, ndim):
                key = key if kinds == _INT else tuple(map(operator.index, key))
                element = cached_element(array, key, _frame(2))
                return _element(array, key) if element is None else element
    elif kind not in _PARTS and is_element(key, ndim):
        return _element(array, operator.index(key))
    if isinstance(key, Array) and array._layout.shape:
        selected = _by_array(array, key)
        if selected is not None:
            return selected
    if recording.get() is not None:
        return part(array, key)
    form = frozen(key)
    if form is None:
        lines = selection_form(array, key)
        if lines is not None:
            return _selected(array, key, *lines)
        if not is_basic(key):
            numbers = _as_numbers(array, key)
            return part(array, key) if numbers is None else get(array, numbers)
    return _part(array, key, form)


def _by_array(array: Array, key: Any) -> Any:
    """Return the selection by an NDArray: lines by integers, elements by a mask, which is waited
    for; None for other dtypes."""
    shape, kind = array._layout.shape, key._layout.dtype.kind
    lines, host = key if kind in "iu" else None, key._chunk.device.host
    if kind == "b" and host and key._layout.shape == shape[:1]:
        lines = from_host(key.asnumpy().nonzero()[0], array.device)
    if lines is not None:
        gather, template = _taking(len(shape))
        return gather(array, lines, key=template)
    host = host and array._chunk.device.host
    if recording.get() is not None or not (host and _is_whole_mask(key, array)):
        return None
    wait(key._chunk)
    wait(array._chunk)
    return from_host(array._view()[key._view()], array.device)


def _as_numbers(array: Array, key: Any) -> tuple[Any, ...] | None:
    """Return an index with integers for 1-d masks, and NDArrays for long arrays and lists; None for
    other indices."""
    shape, parts = array.shape, list(key) if type(key) is tuple else [key]
    if len(parts) > len(shape) or not all(isinstance(p, _NUMBERED) for p in parts):
        return None
    changed = False
    for axis, index in enumerate(parts):
        part = np.asarray(index) if type(index) is list else index
        if isinstance(part, slice | int):
            continue
        if part.dtype.kind == "b":
            if part.shape != shape[axis : axis + 1] or is_elsewhere(part):
                return None
            parts[axis] = part = np.asarray(part).nonzero()[0]
            changed = True
        if type(part) is np.ndarray and part.size > LONG and array._chunk.device.host:
            fits = part.dtype.kind in "iu" and -shape[axis] <= part.min() <= part.max()
            if fits and part.max() < shape[axis]:  # else the slow path raises
                parts[axis] = from_host(part, array.device)
                changed = True
    return tuple(parts) if changed else None


def _selected(array: Array, key: Any, form: Any, indices: list[Array]) -> Any:
    """Return an unrecorded copy of the selection by an index with index arrays."""
    known = cached_selection(form, indices)
    template, arrays = known or _template(array, key)
    taken = operator_of("gather")(array, *arrays, key=template)
    if known is None:
        learn_selection(form, indices, template, arrays)
    return taken


def _template(array: Array, key: Any) -> tuple[Any, list[Array]]:
    """Return the key of `gather` for an index, and its index arrays."""
    from nbgraph.ops.indexing.keys import normal_key

    template, arrays = normal_key(key, array.shape)
    return template, [_beside(array, "index", index) for index in arrays]


def _element(array: Array, key: Any) -> Any:
    """Return a copy of the element that integers select; recorded if there is a recorder."""
    recorder = recording.get()
    if recorder is not None:
        view = part(array, key)
        return view if recorder.traces else ops.copy(view)
    view = _part(array, key, frozen(key))
    element = call(same, (view,), {})
    learn_element(array, key, view)
    return element


@functools.cache
def _taking(axes: int) -> tuple[Any, Any]:
    """Return `gather` and its key for whole lines of an array with so many axes."""
    from nbgraph.ops.define import operator_of
    from nbgraph.ops.indexing.keys import ARRAY
    from nbgraph.ops.shapes.slicing import ALL

    return operator_of(ops.gather), (ARRAY, *(ALL,) * (axes - 1))


def set_(array: Array, key: Any, value: Any) -> None:
    """Write `array[key] = value` to the memory of `array`, broadcast and cast as in NumPy."""
    if type(key) is not tuple and isinstance(key, tuple):
        key = tuple(key)  # key was a named tuple
    if _is_whole_mask(key, array) and np.ndim(value) == 0:  # no need to know the mask
        _set_where(array, key, value)
        return
    recorded = recording.get() is not None
    form = None if recorded or CLOSELY_ASKED[0] else frozen(key)
    lines = None if recorded or form is not None else selection_form(array, key)
    if lines is None and form is None and not recorded:
        numbers = _as_numbers(array, key)
        if numbers is not None:
            key, lines = numbers, selection_form(array, numbers)
    selection = None if lines is None else cached_selection(*lines)
    quick = form is not None or selection is not None
    if quick and (type(value) is list or (type(value) is np.ndarray and value.ndim)):
        value = _beside(array, "value", value)
    if form is not None and write_by_cache(array, form, value, _frame(2)):
        return
    if selection and not CLOSELY_ASKED[0] and put_by_route(array, value, *selection, _frame(2)):
        return
    original = value
    writable("setitem", array)
    if isinstance(value, (*WEAK, np.generic)):
        value = cell(value, array.dtype)
    basic = selection is None and is_basic(key)
    if selection is None and not basic:
        key = with_masks(key)
        if is_false(key):
            _fitting(array, value, (0, *array.shape))  # raises for shapes that do not broadcast
            return
    if recorded:
        ops.index_update(array, value, key=key, out=array)
        return
    if basic:
        target = _part(array, key, form)
        _set_view(target, value)
        learn_write(array, form, target, original)
    else:
        _set_elements(array, key, value, lines or selection_form(array, key), selection)
    array._chunk.writes += 1


def _part(array: Array, key: Any, form: Any) -> Any:
    """Return the view by a basic index with hashable form `form`, or None for other indices."""
    part = None if form is None else cached_part(array, form)
    if part is None:
        part = view(array, key)
        learn_part(array, form, part)
    return part


def view(array: Array, key: Any) -> Any:
    """Return the view that a basic index selects."""
    parts = key if type(key) is tuple else (key,)
    try:
        # an Ellipsis keeps an index of integers alone from giving a scalar
        selected = array._view()[parts if Ellipsis in parts else (*parts, ...)]
    except (IndexError, ValueError, TypeError) as error:
        from nbgraph.ops.shapes.slicing import full_key, view_key

        full_key("index", view_key("index", key), array.shape)  # raises
        raise IndexingError(f"index: {key!r} of shape {array.shape}: {error}") from None
    return array._of_view(selected)


# assignment -------------------------------------------------------------------------------------


def _is_whole_mask(key: Any, array: Array) -> bool:
    own = type(key) is np.ndarray or isinstance(key, Array)
    return own and key.dtype.kind == "b" and key.shape == array.shape


def _set_where(array: Array, key: Any, value: Any) -> None:
    mask = key if isinstance(key, Array) else _beside(array, "mask", key)
    if not isinstance(value, Array):
        value = cell(value, array.dtype)
        number = value.item()
        value = number if type(number) in WEAK else value
    elif value.dtype != array.dtype:
        value = ops.astype(value, array.dtype)
    op, operands = operator_of("where"), (mask, value, array)
    if not write_over(op, operands, array, _frame(3)):
        call(op, operands, {}, array)


def _set_view(target: Array, value: Any) -> None:
    if isinstance(value, np.ndarray) and value.ndim == 0 and value.dtype == target.dtype:
        number = value.item()
        fill_from(target, number if type(number) in WEAK else float(value))
        return
    source = _fitting(target, value, target.shape)
    same = source._chunk is target._chunk and source._address == target._address
    if not (same and source._layout is target._layout):  # a[key] += x: already written
        fill_from(target, source)


def _fitting(array: Array, value: Any, shape: Shape) -> Any:
    """Return a value as an array that broadcasts to `shape`, on the device of `array`."""
    source = _beside(array, "value", value)
    while source.ndim > len(shape) and source.shape[0] == 1:  # as NumPy lets pass
        source = view(source, 0)
    if not spreads(source.shape, shape):
        raise ShapeError(
            f"setitem: value has shape {source.shape}, the index selects {shape}; give a value "
            "that broadcasts to it"
        )
    return source


def _beside(array: Array, name: str, value: Any) -> Any:
    """Return a value as an array; values that are not arrays go to the device of `array`."""
    (lifted,) = lift("setitem", [name], [value], weak=False)
    if not isinstance(value, Array) and lifted.device != array.device:
        lifted = lifted.to_device(array.device)
    common_device("setitem", ["array", name], [array, lifted])
    return lifted


def _set_elements(
    array: Array, key: Any, value: Any, lines: tuple[Any, list[Array]] | None, selection: Any
) -> None:
    """Write elements at integer arrays in place; `lines` is the `selection_form` of the key."""
    from nbgraph.ops.indexing.addressing import selected_shape

    template, indices = selection or _template(array, key)
    if not indices:
        numbers = tuple(slice(*part) if isinstance(part, tuple) else part for part in template)
        _set_view(view(array, numbers), value)
        return
    number = type(value) is np.ndarray and not value.ndim and array._chunk.device.host
    if not number or selection is None:
        shape = selected_shape("setitem", template, array.shape, [i.shape for i in indices])
        value = value if number else _fitting(array, value, shape)
    place(array._chunk.device).write_elements(array, value, indices, template)
    if lines is not None and selection is None:
        learn_selection(*lines, template, indices)
