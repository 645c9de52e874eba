"""Results that are views of the operand: worked out by NumPy once, then known by its layout."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from nbgraph.array.chunk import shared
from nbgraph.array.core import Array, make
from nbgraph.operator.array_op import ArrayOp, Attributes, told
from nbgraph.operator.call import recording
from nbgraph.operator.layout import Layout
from nbgraph.ops.define import library

_KEPT = 2048  # layouts that a table holds, and what else an operator keeps
_recorder = recording.get
# by the operand's layout: bytes from its start, and how; None: it is a view of a copy
Places = dict[Layout, tuple[int, Layout] | None]


def known(op: ArrayOp, source: Array, attributes: Attributes) -> Any:
    """Return the view of an array of a layout that was worked out before, recorded, or None."""
    places: Places | None = op.carried.get(_key(attributes))
    if places is None or source._layout not in places:
        return None
    place, origin = places[source._layout], source
    if place is None:
        origin = _copy(source)
        place = places.get(origin._layout)
        if place is None:
            return None
    result = _view(origin, place)
    recorder = _recorder()
    if recorder is not None:
        recorder.record(op, (source,), attributes, (result,), (False,))
    return result


def viewed(op: ArrayOp, values: Sequence[Array], attributes: Attributes) -> list[Array] | None:
    """Return the result as a view of operand 0, or of a copy where its own order has none."""
    source = values[0]
    result = _of(op, source, attributes)
    if result is not None:
        _learn(op, source, result, attributes)
    elif not source._layout.contiguous:
        copy = _copy(source)
        result = _of(op, copy, attributes)
        if result is not None:
            _learn(op, copy, result, attributes)[source._layout] = None
    return None if result is None else [result]


def _copy(source: Array) -> Any:
    """Return a contiguous copy, which is not recorded."""
    token = recording.set(None)
    try:
        return library.copy(source)
    finally:
        recording.reset(token)


def _of(op: ArrayOp, source: Array, attributes: Attributes) -> Any:
    """Return the view of an array, or None where NumPy has none of memory that lies so."""
    assert op.view is not None
    memory = source._view()
    try:
        view = op.view(memory, **attributes)
    except ValueError:
        return None
    if view.size and not np.may_share_memory(view, memory):  # NumPy made a copy
        return None
    return source._of_view(view)


def _key(attributes: Attributes) -> Any:
    return ("views", *attributes.items())


def _view(source: Array, place: tuple[int, Layout]) -> Any:
    return make(source._chunk, source._address + place[0], place[1], shared(source))


def _learn(op: ArrayOp, source: Array, found: Array, attributes: Attributes) -> Places:
    """Enter the view that an array has; return the table of the operator."""
    places: Places | None = op.carried.get(_key(attributes))
    if places is None:
        if len(op.carried) >= _KEPT:
            op.carried.clear()
            op.shortcuts.clear()
        places = op.carried[_key(attributes)] = {}
        op.shortcuts[told(attributes, (source,))] = _shortcut(places, type(source))
    if len(places) >= _KEPT:
        places.clear()
    places[source._layout] = found._address - source._address, found._layout
    return places


def _shortcut(places: Places, kind: type[Array]) -> Callable[[Any, tuple[Any, ...]], Any]:
    def run(place: Any, operands: tuple[Any, ...]) -> Any:
        source = operands[0]
        if type(source) is not kind or _recorder() is not None:
            return None
        view_place = places.get(source._layout)
        return None if view_place is None else _view(source, view_place)

    return run
