"""Fast paths of indexing: caches of views, elements, selections, writes and fills.

Their keys are the layout of the array and a hashable form of the index.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from nbgraph.array.chunk import CPU, shared
from nbgraph.array.core import Array, make
from nbgraph.array.push import inferred, same
from nbgraph.array.route import Over, Push, Routes, routes_of
from nbgraph.array.update import written
from nbgraph.dtype import name_of
from nbgraph.operator.layout import Layout, keep
from nbgraph.operator.scalar.map_call import map_call
from nbgraph.ops.elementwise.casting import caster

_KEPT = 4096  # entries of a cache
_WHOLE = {int, type(None)}
LONG = 64  # elements up to which an index array is a key by its values
_EXACT = 1 << 53  # integers up to this are exact as float64
_LARGE = 3e38  # finite in float32
_parts: dict[Any, tuple[int, Layout]] = {}
_elements: dict[Any, tuple[int, Layout, Push]] = {}
# index -> the key of `gather` and its arrays; None for arrays that are part of the index
_selections: dict[Any, tuple[tuple[Any, ...], tuple[Array | None, ...]]] = {}
_writes: dict[Any, Write] = {}
_fills: dict[Any, tuple[Push, float, float]] = {}
_LENT: Any = object()  # a holder for temporary arrays, which return no chunk


def frozen(key: Any) -> Any:
    """Return a hashable form of a basic index of Python integers, or None for other indices.

    >>> frozen((slice(2), 1, ..., None))
    ((<class 'slice'>, None, 2, None), 1, 'rest', 'new')
    >>> frozen(True), frozen(((0, 1), 2))  # indices of several elements
    (None, None)
    """
    kind = type(key)
    if kind is int:
        return key
    if kind is slice:
        start, stop, step = key.start, key.stop, key.step
        own = type(start) in _WHOLE and type(stop) in _WHOLE and type(step) in _WHOLE
        return (slice, start, stop, step) if own else None
    if kind is tuple:
        parts = tuple([None if type(part) is tuple else frozen(part) for part in key])
        return None if None in parts else parts
    return "rest" if key is Ellipsis else "new" if key is None else None


def cached_part(array: Array, form: Any) -> Any:
    """Return the view that a frozen index selects, or None if it is not in the cache."""
    entry = _parts.get((array._layout, form))
    if entry is None:
        return None
    return make(array._chunk, array._address + entry[0], entry[1], shared(array))


def learn_part(array: Array, form: Any, part: Array) -> None:
    """Remember the view that a frozen index selects."""
    if form is not None:
        keep(_parts, (array._layout, form), (part._address - array._address, part._layout), _KEPT)


# elements -----------------------------------------------------------------------------------------


def cached_element(array: Array, key: Any, place: Any) -> Any:
    """Return a copy of the element at integers by a route, for the frame `place` of the caller, or
    None where the slow path is needed."""
    entry = _elements.get((array._layout, key))
    if entry is None:
        return None
    offset, own, push = entry
    return push(place, (make(array._chunk, array._address + offset, own, _LENT),))


def learn_element(array: Array, key: Any, part: Array) -> None:
    """Remember the element that integers select."""
    routes = routes_of(same, {})
    assert routes is not None
    offset = part._address - array._address
    keep(_elements, (array._layout, key), (offset, part._layout, routes.push), _KEPT)


# index arrays -------------------------------------------------------------------------------------


def selection_form(array: Array, key: Any) -> tuple[Any, list[Array]] | None:
    """Return a hashable form of an index with index arrays, and its NDArrays; None for other
    indices. Short lists and small NumPy arrays are keys by value, NDArrays by layout."""
    if not array._chunk.device.host:
        return None
    form: list[Any] = [array._layout]
    arrays: list[Array] = []
    for part in key if type(key) is tuple else (key,):
        kind = type(part)
        if kind is list:
            if not 0 < len(part) <= LONG or set(map(type, part)) != {int}:
                return None
            form.append((list, *part))
        elif kind is np.ndarray:
            if part.dtype.kind not in "iu" or not part.shape or part.size > LONG:
                return None
            form.append((part.dtype, part.shape, part.tobytes()))
        elif isinstance(part, Array):
            if part.dtype.kind not in "iu" or not part.shape:
                return None
            form.append(part._layout)
            arrays.append(part)
        else:
            basic = None if kind is tuple else frozen(part)
            if basic is None:
                return None
            form.append(basic)
    return tuple(form), arrays


def cached_selection(form: Any, places: list[Array]) -> tuple[Any, list[Array]] | None:
    """Return the key of `gather` and its index arrays for an index in the cache, or None."""
    selection = _selections.get(form)
    if selection is None:
        return None
    template, constants = selection
    rest = iter(places)
    return template, [next(rest) if c is None else c for c in constants]


def learn_selection(
    form: Any, places: list[Array], template: tuple[Any, ...], arrays: list[Array]
) -> None:
    """Remember the key of `gather` and the index arrays of an index."""
    own = [None if any(a is g for g in places) else a for a in arrays]
    keep(_selections, form, (template, tuple(own)), _KEPT)


# writes -----------------------------------------------------------------------------------------


class Write(NamedTuple):
    """The route of writes of an array, or of numbers from `low` to `high`, to a view. `whole`: the
    size in bytes of a chunk that the view covers; 0 for a part of a chunk."""

    push: Push
    own: Layout
    offset: int
    low: float
    high: float
    whole: int

    def run(self, array: Array, value: Any, place: Any) -> bool:
        """Push the write; return False where the slow path is needed."""
        holder = array._holder
        nbytes = array._layout.nbytes if holder is None else holder.nbytes
        if self.whole and self.whole != nbytes:
            return False
        address = array._address + self.offset
        if not isinstance(value, Array):
            if not self.low <= value <= self.high:
                return False
        elif value._chunk is array._chunk:
            if value._address != address or value._layout is not self.own:
                return False
            array._chunk.writes += 1  # the view itself: a[key] += x has written it
            return True
        part = make(array._chunk, address, self.own, _LENT)
        return written(self.push, place, (value, part), part)


def write_by_cache(array: Array, form: Any, value: Any, place: Any) -> bool:
    """Write `value` at a frozen index by the route of an earlier write, for the frame `place` of
    the caller; return False where the slow path is needed."""
    write = _writes.get(_key(array, form, value))
    return write is not None and write.run(array, value, place)


def learn_write(array: Array, form: Any, part: Array, value: Any) -> None:
    """Remember the route of a checked write of `value` to a view."""
    own = part._layout
    bounds = None if form is None else _bounds(own.dtype, value)
    if bounds is None or not array._chunk.device.host:
        return
    nbytes = array._layout.nbytes if array._holder is None else array._holder.nbytes
    whole = own.nbytes if own.contiguous and own.nbytes == nbytes else 0
    op, call = _writing(own, value)
    routes = None if call is None else routes_of(op, {"over": bool(whole)})
    over = Over(part, whole=bool(whole), fits=True)
    if routes is not None and routes.learn(call, [own], (value,), over=over):
        write = Write(routes.push, own, part._address - array._address, *bounds, whole)
        keep(_writes, _key(array, form, value), write, _KEPT)


def _writing(own: Layout, value: Any) -> tuple[Any, Any]:
    """Return the operator and kernel call that write a value to an array of a layout; None where
    there is none."""
    many = isinstance(value, Array)
    op = caster(value.dtype if many else np.dtype(type(value)), own.dtype)
    if op is None or (many and len(value.shape) > len(own.shape)):
        return op, None
    layouts = [value._layout if many else None]
    plan = inferred(op, (value if many else type(value)(),), {}).plan  # of all numbers of a kind
    return op, map_call(plan, own.shape, layouts, [own], ("write",))


def cached_fill(own: Layout, value: Any, place: Any) -> Any:
    """Return a new host array filled with a number by a route, or None."""
    fill = _fills.get((own, type(value)))
    if fill is None or not fill[1] <= value <= fill[2]:
        return None
    return fill[0](place, (value,), True)


def learn_fill(own: Layout, value: Any) -> None:
    """Remember the route that fills arrays of a layout with numbers of this type."""
    bounds = _bounds(own.dtype, value) if own.size else None
    call = None if bounds is None else _writing(own, value)[1]
    routes = Routes()
    if bounds is not None and routes.learn(call, [own], (value,), device=CPU):
        keep(_fills, (own, type(value)), (routes.push, *bounds), _KEPT)


def _key(array: Array, form: Any, value: Any) -> Any:
    return array._layout, form, value._layout if isinstance(value, Array) else type(value)


def _bounds(dtype: np.dtype[Any], value: Any) -> tuple[float, float] | None:
    """Return the range of numbers that a dtype holds without a check, or None if all need one."""
    if isinstance(value, Array):
        return 0, 0
    kind = type(value)
    if name_of(dtype) in ("float32", "float64"):
        return {float: (-_LARGE, _LARGE), int: (-_EXACT, _EXACT)}.get(kind)
    if dtype.kind in "iu" and kind is int:
        limits = np.iinfo(dtype)
        return int(limits.min), min(int(limits.max), (1 << 63) - 1)
    return (0, 1) if dtype.kind == "b" and kind is bool else None
