"""The quick way of operators over whole arrays that one kernel does: see `route`.

An operator with a state or a resource has none, but those that draw have their own (`ByKernels`);
results that are views are known by the layout of what they show.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, cast

import numpy as np

from nbgraph.array.chunk import CPU, shared
from nbgraph.array.copying import prepare_copy
from nbgraph.array.core import Array, empty_of, make
from nbgraph.array.lowered import Job, push_function
from nbgraph.array.place import push
from nbgraph.array.push import moved, same
from nbgraph.array.route import Push, Routes, routes_of
from nbgraph.device import Context
from nbgraph.engine.inline import in_charge
from nbgraph.engine.threaded import ThreadedEngine
from nbgraph.operator.array_op import ArrayOp, Attributes
from nbgraph.operator.call import recording, sources, training
from nbgraph.operator.kernel_call import Application, KernelCall, lowered_form
from nbgraph.operator.layout import Layout, keep, layout
from nbgraph.operator.request import OpReqType
from nbgraph.operator.shortcuts import SHORTCUTS, call_key
from nbgraph.operator.spec import items_of
from nbgraph.settings import CLOSELY_ASKED, config

_NEW: Sequence[bool] = ()  # in_place: no output existed before


def ways(
    op: ArrayOp, attributes: Attributes, operands: Sequence[Any]
) -> ByRoutes | ByKernels | ByFunctions | None:
    """Return the quick way of an operator with these attributes and so many operands, if any."""
    if op.draws:
        return DRAWN
    if not (op.copies or "host" in op.kernels) or op.auxiliary or op.resources:
        alone = op.view is None and op.constant is None and op.computes_alone and not op.copies
        return FUNCTIONS if alone and operands else None
    routes = routes_of(op, op.fixed(attributes), len(operands))
    return None if routes is None else ByRoutes(routes)


class ByRoutes:
    """The quick way of an operator: routes, of copies where its kernel wants contiguous arrays."""

    __slots__ = ("routes",)

    def __init__(self, routes: Routes) -> None:
        self.routes = routes

    def again(self, op: Any, operands: Sequence[Any], attributes: Attributes) -> Any:
        """Return what a call like one before gives, or None where the general way is needed."""
        if not self.routes.count:
            return None
        engine = in_charge()
        if isinstance(engine, ThreadedEngine):
            engine._open_gate()
        numbers = op.values(attributes)
        result = _push_of(op, self.routes)(engine.site_id(2), (*operands, *numbers))
        if result is None:
            return None
        outputs = result if type(result) is tuple else (result,)
        return _recorded(op, operands, attributes, outputs)

    def learn(
        self, op: Any, values: Sequence[Array], results: Sequence[Array], attributes: Attributes
    ) -> None:
        """Remember the kernel of a call, which is over; `attributes` are normalised."""
        routes, outputs = self.routes, [r._layout for r in results]
        layouts = tuple([v._layout for v in values])
        entry = _kernel(op, layouts, outputs, attributes)
        copies = None if entry is not None else _copies(op, layouts, outputs, attributes)
        if copies is not None:
            values = _laid(in_charge().site_id(2), values, copies)
            entry = _kernel(op, [v._layout for v in values], outputs, attributes)
        numbers = op.values(attributes)
        if entry is None:
            return
        call, order, scratch = entry
        if not routes.learn(call, [*outputs, *scratch], (*values, *numbers), order):
            return
        routes.scratch |= bool(scratch)
        if copies is not None:
            more = (None,) * len(numbers)
            keep(routes.copied, (*layouts, *more), (*copies, *more), SHORTCUTS)
        key = call_key(op.fixed(attributes), values)
        keep(op.shortcuts, key, (_push_of(op, routes), attributes), SHORTCUTS)


def _recorded(
    op: Any, operands: Sequence[Any], attributes: Attributes, results: tuple[Any, ...]
) -> Any:
    """Record a call, where something follows, and return its results."""
    recorder = recording.get()
    if recorder is not None:
        recorder.record(op, operands, op.normalise(attributes), results, _NEW)
    return results[0] if len(results) == 1 else results


def _push_of(op: Any, routes: Routes) -> Push:
    """Return what pushes by routes and gives the operator's results, without scratch memory."""
    push, count = _of_copies(routes), op.nout
    if not routes.scratch:
        return push

    def run(*arguments: Any) -> Any:
        results = push(*arguments)
        if type(results) is not tuple:
            return results
        return results[0] if count == 1 else results[:count]

    return run


def _of_copies(routes: Routes) -> Push:
    """Return `routes.push`, of copies where operands of these layouts are copied."""
    push, table = routes.push, routes.copied
    if not table:
        return push

    def run(place: Any, operands: tuple[Any, ...], *recorded: bool) -> Any:
        result = push(place, operands, *recorded)
        if result is not None or not (recorded or type(place) is int or _recorder() is None):
            return result
        copies = table.get(tuple([getattr(v, "_layout", None) for v in operands]))
        return None if copies is None else push(place, _laid(place, operands, copies), *recorded)

    return run


def _copies(
    op: Any, layouts: Sequence[Layout], outputs: Sequence[Layout], attributes: Attributes
) -> Sequence[Layout | None] | None:
    """Return the layouts of the copies that one kernel wants, None for what may stay; or None where
    it wants none, or more than copies."""
    if op.copies:
        return None
    lowering = lowered_form(op, Application.at_once(layouts, outputs, attributes))
    if lowering is None or len(lowering.calls) > 1:
        return None
    copies, others = lowering.places[: len(layouts)], lowering.places[len(layouts) :]
    casts = any(c is not None and c.dtype != x.dtype for c, x in zip(copies, layouts, strict=True))
    return copies if any(copies) and not any(others) and not casts else None


def _laid(place: Any, values: Sequence[Array], copies: Sequence[Layout | None]) -> Any:
    """Return the operands as a tuple, some of them copied; nothing is recorded."""
    pairs = zip(values, copies, strict=True)
    return tuple([v if own is None else _into(place, v, own) for v, own in pairs])


def _into(place: Any, value: Array, own: Layout) -> Any:
    """Return a copy of that layout, and of the same dtype."""
    routes = same.carried.get(("copies", own)) or keep(
        same.carried, ("copies", own), Routes(), _PLACES
    )
    copy = routes.push(place, (value,), True)
    if copy is None:
        copy = moved(value, own)
        routes.learn(prepare_copy(value._layout, own), [own], (value,))
    return copy


def _kernel(
    op: Any, layouts: Sequence[Layout], outputs: Sequence[Layout], attributes: Attributes
) -> tuple[KernelCall | None, Sequence[int], Sequence[Layout]] | None:
    """Return the kernel over these arrays as they lie, the order of its operands' addresses, and
    the scratch memory behind its outputs."""
    if op.copies:
        return prepare_copy(layouts[0], outputs[0]), (0,), ()
    lowering = lowered_form(op, Application.at_once(layouts, outputs, attributes))
    if lowering is None or lowering.alone is None:
        return None
    call = lowering.alone
    return call, call.order[: -call.writes], lowering.scratch


def _followed() -> bool:
    """Return whether a call without arrays has to go the general way: a tape or an anomaly's search
    follows it, or it makes something else than arrays."""
    return _recorder() is not None or sources.get() is not None or CLOSELY_ASKED[0]


class Sources:
    """The quick way of what an operator gives whatever its operand holds, if it has one: zeros,
    ones, memory as it is, a range. `make(layout, device)` makes the array."""

    __slots__ = ("layouts", "make")

    def __init__(self, make: Callable[[Layout, Any], Any]) -> None:
        self.make = make
        self.layouts: dict[Layout | None, Layout] = {}  # of results, by the operand's

    def __call__(self, place: Any, operands: tuple[Any, ...], *recorded: bool) -> Any:
        """Return the array, or None where somebody follows what is done."""
        if _followed():
            return None
        own = self.layouts.get(getattr(operands[0], "_layout", None) if operands else None)
        if own is None:
            return None
        return self.make(own, operands[0]._chunk.device if operands else CPU)


def learn_source(
    op: ArrayOp,
    make: Callable[[Layout, Any], Any],
    own: Layout,
    values: Sequence[Array],
    attributes: Attributes,
) -> None:
    """Remember the array of a call like this; see `Sources`."""
    key = call_key(attributes, values)
    entry = op.shortcuts.get(key) or (Sources(make), attributes)
    keep(op.shortcuts, key, entry, SHORTCUTS)
    layouts = cast("Sources", entry[0]).layouts
    keep(layouts, values[0]._layout if values else None, own, _PLACES)


class Draws(NamedTuple):
    """The kernel of draws over operands of certain layouts."""

    call: KernelCall
    outputs: Sequence[Layout]
    routes: Routes

    def push(
        self, place: Any, operands: Sequence[Any], numbers: Sequence[int], device: Context
    ) -> tuple[Any, ...]:
        """Push a draw and return its results; nothing is recorded."""
        result = self.routes.push(place, (*operands, *numbers))
        if result is not None:
            return result if type(result) is tuple else (result,)
        call, order = self.call, self.call.order
        results = tuple([empty_of(own, device) for own in self.outputs])
        if call.size:
            push(call, [(*operands, *results)[k] for k in order], numbers, overwrites=True)
        read = order[: -call.writes]
        if len(read) == len(operands) and call.writes == len(results):
            values = (*operands, *numbers)
            self.routes.learn(call, self.outputs, values, read, device=device)
        return results


class ByKernels:
    """The quick way of operators that draw: the kernel of a draw by an operand seen before. What
    draws by a generator of its own has none."""

    def again(self, op: Any, operands: Sequence[Any], attributes: Attributes) -> Any:
        """See ByRoutes."""
        try:
            entry = op.carried.get(_key(operands, op.fixed(attributes)))
        except (AttributeError, TypeError):  # numbers and lists; an attribute that is a list
            return None
        if entry is None:
            return None
        device = operands[0]._chunk.device if operands else CPU
        if not device.host or any(v._chunk.device is not device for v in operands):
            return None
        numbers = *op.values(attributes), *op.numbers(attributes, is_train=training.get())
        results = entry.push(in_charge().site_id(2), operands, numbers, device)
        return _recorded(op, operands, attributes, results)

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
        if lowering is None or lowering.alone is None:
            return
        key = _key(values, op.fixed(attributes))
        entry = op.carried[key] = Draws(lowering.alone, outputs, Routes())
        if not values:
            own, first = op.normalise(attributes), op.values(attributes)

            def run(place: Any, operands: tuple[Any, ...], *recorded: bool) -> Any:
                if _followed():
                    return None
                numbers = *first, *op.numbers(own, is_train=training.get())
                results = entry.push(place, (), numbers, CPU)
                return results[0] if len(results) == 1 else results

            keep(op.shortcuts, call_key(attributes, ()), (run, own), SHORTCUTS)


class ByFunctions:
    """The quick way of operators that NumPy computes: the result layouts of calls before."""

    def again(self, op: Any, operands: Sequence[Any], attributes: Attributes) -> Any:
        """See ByRoutes."""
        attributes = op.normalise(attributes)
        try:
            entry = op.carried["functions"].get(_key(operands, attributes))
            device = operands[0]._chunk.device
        except (AttributeError, KeyError, TypeError):  # see ByKernels; the first call
            return None
        if entry is None or not device.host:
            return None
        if any(v._chunk.device is not device for v in operands):
            return None
        outputs, shortest = entry
        if outputs is None:
            return None
        reads = list(dict.fromkeys([v._chunk for v in operands]))
        results = tuple([empty_of(own, device, reads) for own in outputs])
        job = Job(op, operands, results, [OpReqType.kWriteTo] * len(results), attributes, True)
        push_function(job, reads, [r._chunk for r in results], least=shortest)
        return _recorded(op, operands, attributes, results)

    def learn(
        self, op: Any, values: Sequence[Array], results: Sequence[Array], attributes: Attributes
    ) -> None:
        """See ByRoutes."""
        entry = _function(op, values, attributes)
        if entry and results and results[0].device is values[0].device and results[0].device.host:
            entry[0] = [r._layout for r in results]


def _function(op: Any, values: Sequence[Array], attributes: Attributes) -> list[Any] | None:
    """Return what is known of calls like this of an operator that NumPy computes: the layouts of
    the results, or None, and `least`."""
    table, key = op.carried.setdefault("functions", {}), _key(values, attributes)
    try:
        shortest = [_UNKNOWN] if op.never_waits else None
        return table.get(key) or keep(table, key, [None, shortest], _PLACES)
    except TypeError:  # an attribute that is a list
        return None


def least(op: Any, values: Sequence[Array], attributes: Attributes) -> list[int] | None:
    """Return the nanoseconds that NumPy took at least for a call like this, in a list that calls
    bring up to date; None where that is not known."""
    entry = _function(op, values, attributes)
    return None if entry is None else entry[1]


DRAWN, FUNCTIONS = ByKernels(), ByFunctions()


def _key(operands: Sequence[Any], attributes: Attributes) -> Any:
    layouts = (v._layout for v in operands)
    return ("again", config.compiler, *layouts, *items_of(attributes))


_UNKNOWN = 1 << 62  # nanoseconds, before a call was measured
_PLACES = 2048  # layouts that a table holds, and what else an operator keeps
_recorder = recording.get
# by the operand's layout: bytes from its start, and how; None: it is a view of a copy
Places = dict[Layout, tuple[int, Layout] | None]


def known_view(op: ArrayOp, source: Array, attributes: Attributes) -> Any:
    """Return the view of an array of a layout that was worked out before, recorded, or None."""
    places: Places | None = op.carried.get(_view_key(attributes))
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
        _learn_view(op, source, result, attributes)
    elif not source._layout.contiguous:
        copy = _copy(source)
        result = _of(op, copy, attributes)
        if result is not None:
            _learn_view(op, copy, result, attributes)[source._layout] = None
    return None if result is None else [result]


def _copy(source: Array) -> Any:
    """Return a contiguous copy, which is not recorded."""
    return _into(in_charge().site_id(1), source, layout(source.shape, source.dtype))


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


def _view_key(attributes: Attributes) -> Any:
    return ("views", *items_of(attributes))


def _view(source: Array, place: tuple[int, Layout]) -> Any:
    return make(source._chunk, source._address + place[0], place[1], shared(source))


def _learn_view(op: ArrayOp, source: Array, found: Array, attributes: Attributes) -> Places:
    """Enter the view that an array has; return the table of the operator."""
    places: Places | None = op.carried.get(_view_key(attributes))
    if places is None:
        if len(op.carried) >= _PLACES:
            op.carried.clear()
            op.shortcuts.clear()
        places = op.carried[_view_key(attributes)] = {}
        op.shortcuts[call_key(attributes, (source,))] = _shortcut(places, type(source)), attributes
    keep(places, source._layout, (found._address - source._address, found._layout), _PLACES)
    return places


def _shortcut(places: Places, kind: type[Array]) -> Push:
    def run(place: Any, operands: tuple[Any, ...], *recorded: bool) -> Any:
        source = operands[0]
        if type(source) is not kind or _recorder() is not None:
            return None
        view_place = places.get(source._layout)
        return None if view_place is None else _view(source, view_place)

    return run
