"""Fast paths of operators over whole arrays: routes, kernels of draws, functions and views.

Operators with states or resources have none, except for draws (`ByKernels`). Views are cached by
the layout of their operand.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, cast

import numpy as np

from nbgraph.array.chunk import CPU, shared
from nbgraph.array.copying import prepare_copy
from nbgraph.array.core import Array, empty_of, make
from nbgraph.array.push import moved, same
from nbgraph.array.route import Push, Routes, routes_of
from nbgraph.array.runner import Job, push_function
from nbgraph.array.steps import copying, steps_of
from nbgraph.engine.inline import in_charge
from nbgraph.engine.threaded import ThreadedEngine
from nbgraph.operator.arrays.array_op import ArrayOp, Attributes
from nbgraph.operator.arrays.shortcuts import SHORTCUTS, call_key
from nbgraph.operator.call import recording, sources, training
from nbgraph.operator.kernel_call import Application, Lowered, lowered_form
from nbgraph.operator.layout import Layout, keep, layout
from nbgraph.operator.request import OpReqType
from nbgraph.operator.spec import items_of
from nbgraph.settings import CLOSELY_ASKED, config
from nbgraph.signatures import Function

_NEW: Sequence[bool] = ()  # in_place: no output existed before


def ways(
    op: ArrayOp, attributes: Attributes, operands: Sequence[Any]
) -> ByRoutes | ByKernels | Functions | None:
    """Return the fast path of an operator with these attributes and operands, or None."""
    if op.draws:
        return DRAWN
    if not (op.copies or "host" in op.kernels) or op.auxiliary or op.resources:
        alone = op.view is None and op.constant is None and op.computes_alone and not op.copies
        return _functions(op, op.normalise(attributes)) if alone and operands else None
    routes = routes_of(op, op.fixed(attributes), len(operands))
    return None if routes is None else ByRoutes(routes)


class ByRoutes:
    """The fast path of an operator by routes; operands are copied if its kernel wants that."""

    __slots__ = ("routes",)

    def __init__(self, routes: Routes) -> None:
        self.routes = routes

    def again(self, op: Any, operands: Sequence[Any], attributes: Attributes) -> Any:
        """Return the result of a call like an earlier one, or None to take the slow path."""
        result = None
        if self.routes.count or self.routes.steps:
            engine = in_charge()
            if isinstance(engine, ThreadedEngine):
                engine._open_gate()
            values = (*operands, *op.values(attributes))
            result = _push_of(self.routes)(engine.site_id(2), values)
        if result is None:
            functions = _functions(op, op.normalise(attributes))
            return None if functions is None else functions.again(op, operands, attributes)
        return _recorded(op, operands, attributes, result)

    def learn(
        self, op: Any, values: Sequence[Array], results: Sequence[Array], attributes: Attributes
    ) -> None:
        """Remember the kernels of a call that has been pushed; `attributes` are normalised."""
        routes, outputs = self.routes, [r._layout for r in results]
        layouts, numbers = [v._layout for v in values], op.values(attributes)
        lowering: Lowered | None = None
        key = (*layouts, *[None] * len(numbers))
        if key in routes.steps:
            return
        if op.copies:
            call, order = prepare_copy(layouts[0], outputs[0]), (0,)
        else:
            lowering = lowered_form(op, Application.at_once(layouts, outputs, attributes))
            if lowering is None:
                functions = _functions(op, attributes)
                if functions is not None and op.computes_alone and op.view is None and values:
                    functions.learn(op, values, results, attributes)
                return
            call = None if lowering.scratch else lowering.alone
            order = () if call is None else call.order[: -call.writes]
        if call is not None or lowering is None:
            if not routes.learn(call, outputs, (*values, *numbers), order):
                return
        else:
            steps = steps_of(lowering, layouts, outputs)
            if keep(routes.steps, key, steps, SHORTCUTS) is None:
                return
        key = call_key(op.fixed(attributes), values)
        keep(op.shortcuts, key, (_push_of(routes), attributes), SHORTCUTS)


def _recorded(op: Any, operands: Sequence[Any], attributes: Attributes, result: Any) -> Any:
    """Record a call if there is a recorder, and return its result (a tuple of several)."""
    recorder = recording.get()
    if recorder is not None and result is not None:
        results = result if type(result) is tuple else (result,)
        recorder.record(op, operands, op.normalise(attributes), results, _NEW)
    return result


def _push_of(routes: Routes) -> Push:
    """Return a function that pushes by routes, or by steps where operands have no route."""
    push, table = routes.push, routes.steps
    if not table:
        return push

    def run(place: Any, operands: tuple[Any, ...], *recorded: bool) -> Any:
        result = push(place, operands, *recorded) if routes.count else None
        if result is not None:
            return result
        steps = table.get(tuple([getattr(v, "_layout", None) for v in operands]))
        if steps is None or not (recorded or type(place) is int or _recorder() is None):
            return None
        return steps.push(place, operands)

    return run


def _followed() -> bool:
    """Return whether a call without arrays needs the slow path: a tape or the search for anomalies
    follows it, or its results are not NDArrays."""
    return _recorder() is not None or sources.get() is not None or CLOSELY_ASKED[0]


class Sources:
    """The fast path of results that do not depend on the operand's values: zeros, ones, empty,
    ranges. `make(layout, device, numbers, place)` returns the array."""

    __slots__ = ("layouts", "make")

    def __init__(self, make: Function) -> None:
        self.make = make
        self.layouts: dict[Layout | None, Layout] = {}  # operand's layout -> result's layout

    def __call__(self, place: Any, operands: tuple[Any, ...], *recorded: bool) -> Any:
        """Return the array, or None where the slow path is needed."""
        if _followed():
            return None
        first = operands[0] if operands else None
        own = self.layouts.get(getattr(first, "_layout", None))
        if own is None:
            return None
        device = first._chunk.device if isinstance(first, Array) else CPU
        return self.make(own, device, operands, place)


def remember_source(
    op: ArrayOp, make: Function, own: Layout, values: Sequence[Array], attributes: Attributes
) -> None:
    """Remember how to make the result of calls like this one; see `Sources`."""
    key = call_key(op.fixed(attributes), values)
    entry = op.shortcuts.get(key) or (Sources(make), attributes)
    keep(op.shortcuts, key, entry, SHORTCUTS)
    layouts = cast("Sources", entry[0]).layouts
    keep(layouts, values[0]._layout if values else None, own, _PLACES)


class ByKernels:
    """The fast path of draws: the kernels of an earlier draw with operands of the same layouts.
    Draws from a generator that the user passes have none."""

    def again(self, op: Any, operands: Sequence[Any], attributes: Attributes) -> Any:
        """See ByRoutes."""
        try:
            entry = op.carried.get(_key(operands, op.fixed(attributes)))
        except (AttributeError, TypeError):  # numbers and lists; an attribute that is a list
            return None
        if entry is None:
            return None
        values = (*operands, *op.values(attributes))
        draw = partial(op.numbers, attributes, is_train=training.get())
        result = entry.push(in_charge().site_id(2), values, draw)
        return _recorded(op, operands, attributes, result)

    def learn(
        self, op: Any, values: Sequence[Array], results: Sequence[Array], attributes: Attributes
    ) -> None:
        """See ByRoutes."""
        if attributes.get("rng") is not None or not results[0].device.host:
            return
        if not values and results[0].device != CPU:
            return
        layouts, outputs = ([v._layout for v in arrays] for arrays in (values, results))
        lowering = lowered_form(op, Application.at_once(layouts, outputs, attributes))
        entry = None if lowering is None else steps_of(lowering, layouts, outputs)
        if entry is None:
            return
        op.carried[_key(values, op.fixed(attributes))] = entry
        if not values:
            own, first = op.normalise(attributes), op.values(attributes)

            def run(place: Any, numbers: tuple[Any, ...], *recorded: bool) -> Any:
                draw = partial(op.numbers, own, is_train=training.get())
                return None if _followed() else entry.push(place, numbers, draw)

            keep(op.shortcuts, call_key(op.fixed(attributes), ()), (run, own), SHORTCUTS)
            known = (lambda place, _, *recorded: run(place, first)), own
            keep(op.shortcuts, call_key(attributes, ()), known, SHORTCUTS)


class Functions:
    """The fast path of an operator that NumPy computes, for certain attributes. `known` maps the
    layouts of the operands to those of the results (None before the first call) and to `least` of
    `push_function`."""

    __slots__ = ("attributes", "known", "op")

    def __init__(self, op: Any, attributes: Attributes) -> None:
        self.op, self.attributes = op, attributes
        self.known: dict[Any, list[Any]] = {}

    def entry(self, values: Sequence[Array]) -> list[Any]:
        """Return the entry of `known` for operands like these."""
        key = tuple([v._layout for v in values])
        entry = self.known.get(key)
        if entry is None:
            entry = [None, [_UNKNOWN] if self.op.never_waits else None]
            keep(self.known, key, entry, _PLACES)
        return entry

    def __call__(self, place: Any, operands: tuple[Any, ...], *recorded: bool) -> Any:
        """Return the results, unrecorded, or None where the slow path is needed."""
        if CLOSELY_ASKED[0] or not (recorded or _recorder() is None):
            return None
        try:
            outputs, shortest = self.known.get(tuple([v._layout for v in operands])) or _NOTHING
            device = operands[0]._chunk.device
        except AttributeError:  # numbers and lists
            return None
        if outputs is None or not device.host:
            return None
        reads: list[Any] = []
        for v in operands:
            if v._chunk.device is not device:
                return None
            if v._chunk not in reads:
                reads.append(v._chunk)
        results = [empty_of(own, device, reads) for own in outputs]
        requests = [OpReqType.kWriteTo] * len(results)
        job = Job(self.op, operands, results, requests, self.attributes, True)
        push_function(job, reads, [r._chunk for r in results], least=shortest)
        return results[0] if len(results) == 1 else tuple(results)

    def again(self, op: Any, operands: Sequence[Any], attributes: Attributes) -> Any:
        """See ByRoutes."""
        return _recorded(op, operands, attributes, self(None, tuple(operands), True))

    def learn(
        self, op: Any, values: Sequence[Array], results: Sequence[Array], attributes: Attributes
    ) -> None:
        """See ByRoutes."""
        device = results[0].device if results else None
        if device is not None and device.host and device is values[0].device:
            self.entry(values)[0] = [r._layout for r in results]
            keep(op.shortcuts, call_key(attributes, values), (self, attributes), SHORTCUTS)


def _functions(op: Any, attributes: Attributes) -> Functions | None:
    """Return the fast path of an operator that NumPy computes; None if an attribute cannot be
    hashed."""
    key = ("functions", *items_of(attributes))
    try:
        return op.carried.get(key) or keep(op.carried, key, Functions(op, attributes), _PLACES)
    except TypeError:
        return None


def least(op: Any, values: Sequence[Array], attributes: Attributes) -> list[int] | None:
    """Return the shortest time of NumPy for a call like this, in nanoseconds, as a list of one that
    calls update, or None where it was not measured."""
    functions = _functions(op, attributes)
    return None if functions is None else functions.entry(values)[1]


DRAWN = ByKernels()


def _key(operands: Sequence[Any], attributes: Attributes) -> Any:
    layouts = (v._layout for v in operands)
    return ("again", config.compiler, *layouts, *items_of(attributes))


_UNKNOWN = 1 << 62  # nanoseconds: not measured yet
_NOTHING = None, None
_PLACES = 2048  # entries of a table by layout, and of an operator's `carried`
_recorder = recording.get
# operand's layout -> offset in bytes and layout of the view; None: the view is of a copy
Places = dict[Layout, tuple[int, Layout] | None]


def cached_view(op: ArrayOp, source: Array, attributes: Attributes) -> Any:
    """Return the recorded view of an array whose layout has one in the cache, or None."""
    places: Places | None = op.carried.get(_view_key(attributes))
    result = None if places is None else _at(places, source)
    if result is None:
        return None
    recorder = _recorder()
    if recorder is not None:
        recorder.record(op, (source,), attributes, (result,), (False,))
    return result


def viewed(op: ArrayOp, values: Sequence[Array], attributes: Attributes) -> list[Array] | None:
    """Return the result as a view of operand 0, or of a contiguous copy of it, or None."""
    source = values[0]
    result = _of(op, source, attributes)
    if result is not None:
        _learn_view(op, source, result, attributes)
    elif not source._layout.contiguous:
        copy = _copy(source)
        result = _of(op, copy, attributes)
        if result is not None:
            _learn_view(op, copy, result, attributes)[source._layout] = None
    return None if result is None else [result]


def _copy(source: Array) -> Any:
    """Return a contiguous copy; it is not recorded."""
    key, own = ("copy", source._layout), layout(source.shape, source.dtype)
    step = same.carried.get(key)
    if step is None:
        step = keep(same.carried, key, copying([source._layout], own), _PLACES)
    if step is None:
        return moved(source, own)
    copy = step.routes.push(in_charge().site_id(1), (source,), True)
    return step.learn((source,), (), source._chunk.device) if copy is None else copy


def _of(op: ArrayOp, source: Array, attributes: Attributes) -> Any:
    """Return the view of an array, or None where its strides allow none."""
    assert op.view is not None
    memory = source._view()
    try:
        view = op.view(memory, **attributes)
    except ValueError:
        return None
    if view.size and not np.may_share_memory(view, memory):  # NumPy made a copy
        return None
    return source._of_view(view)


def _view_key(attributes: Attributes) -> Any:
    return ("views", *items_of(attributes))


def _at(places: Places, source: Array) -> Any:
    """Return the view that `places` has for an array's layout, or None."""
    place = places.get(source._layout)
    if place is None:
        if source._layout not in places:
            return None
        source = _copy(source)
        place = places.get(source._layout)
        if place is None:
            return None
    return make(source._chunk, source._address + place[0], place[1], shared(source))


def _learn_view(op: ArrayOp, source: Array, result: Array, attributes: Attributes) -> Places:
    """Remember the view of an array; return the table of the operator."""
    places: Places | None = op.carried.get(_view_key(attributes))
    if places is None:
        if len(op.carried) >= _PLACES:
            op.carried.clear()
            op.shortcuts.clear()
        places = op.carried[_view_key(attributes)] = {}
        op.shortcuts[call_key(attributes, (source,))] = _shortcut(places, type(source)), attributes
    keep(places, source._layout, (result._address - source._address, result._layout), _PLACES)
    return places


def _shortcut(places: Places, kind: type[Array]) -> Push:
    def run(place: Any, operands: tuple[Any, ...], *recorded: bool) -> Any:
        source = operands[0]
        if type(source) is not kind or _recorder() is not None:
            return None
        return _at(places, source)

    return run
