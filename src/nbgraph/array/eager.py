"""The quick way of `a + b`: layouts seen before, one compiled call, nothing worked out again.

Layouts that have been through the general way get a `Quick`: the engine's entry with all that is
fixed, and the free list that outputs come from. Whatever is not as usual (gradients are recorded,
an array stands on both sides, no free block, another engine) takes the general way.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Any

from nbgraph.array import core
from nbgraph.array.core import Array
from nbgraph.array.launch import prepare, scalar_word
from nbgraph.array.layout import Layout
from nbgraph.array.push import Carried, carried
from nbgraph.array.route import Route
from nbgraph.engine import current
from nbgraph.engine.kernels import Kernels
from nbgraph.engine.launcher import Launcher
from nbgraph.operator.call import call, recording
from nbgraph.operator.mapper import Mapper
from nbgraph.ops.carrier.operators import operator_of, takes_part
from nbgraph.settings import CLOSELY_ASKED
from nbgraph.storage import LARGE, pool

_NONE: dict[str, Any] = {}
_KEPT = 512  # pairs of layouts that an operator's table holds
_recorder = recording.get
_frame = sys._getframe
_new = object.__new__
_classes = core._class


class Quick:
    """A kernel for two operands of known layouts: its route, and for two arrays with a small output
    all that the quickest way needs, at hand."""

    __slots__ = (
        *("bound", "core", "count", "engine", "free", "head", "launcher", "output", "route"),
        *("sites", "steps", "takes"),
    )

    def __init__(self, found: Carried, engine: Kernels, operands: Sequence[Any]) -> None:
        self.route = Route(found, operands, engine)
        prepared, own = self.route.prepared, found.outputs[0]
        self.output: Layout = own
        self.engine = engine
        self.launcher: Launcher = prepared.launcher(engine, 2, 1, True)
        self.bound: Callable[..., int] = self.launcher.prime()
        self.core = self.route.core
        self.count: int = self.launcher._count
        self.head, self.steps = prepared.head, (*prepared.steps, *prepared.outer)
        size_class = pool(self.route.device).bin(own.nbytes)
        # of large blocks an idle one is looked for; the empty list leads to where that is done
        self.free: list[Any] = size_class.free if size_class.size < LARGE else []
        self.takes = size_class.takes
        self.sites = engine._site_ids


class _Ways:
    """An operator of two operands as a method: the quick ways that were learnt, and the general."""

    def __init__(self, name: str, *, swapped: bool) -> None:
        self.name, self.swapped = name, swapped
        self.op: Any = None
        self.table: dict[Any, Quick] = {}

    def general(self, a: Any, b: Any) -> Any:
        """Through `call`; what went that way is learnt."""
        if not takes_part(b):
            return NotImplemented
        if self.op is None:
            self.op = operator_of(self.name)
        operands = (b, a) if self.swapped else (a, b)
        result = call(self.op, operands, {})
        if isinstance(self.op, Mapper):
            self._learn(self.op, a, b, operands)
        return result

    def recorded(self, quick: Quick, recorder: Any, a: Any, b: Any) -> Any:
        """By the route, and told to the recorder."""
        operands = (b, a) if self.swapped else (a, b)
        made = None if recorder.traces else quick.route.run(operands)
        if made is None:
            return self.general(a, b)
        recorder.record(self.op, operands, _NONE, (made,), ())
        return made

    def routed(self, a: Any, b: Any) -> Any:
        """An array and a number, or whatever the quickest way is not for."""
        key = b._layout if isinstance(b, Array) else type(b)
        quick = self.table.get((a._layout, key))
        if quick is None or CLOSELY_ASKED[0]:
            return self.general(a, b)
        recorder = _recorder()
        if recorder is not None:
            return self.recorded(quick, recorder, a, b)
        made = quick.route.run((b, a) if self.swapped else (a, b))
        return self.general(a, b) if made is None else made

    def _learn(self, op: Mapper, a: Any, b: Any, operands: tuple[Any, Any]) -> None:
        """Remember the quick way for operands like these, where there is one."""
        engine = current()
        number = type(b) in {float, int}
        if not isinstance(engine, Kernels) or not (number or isinstance(b, Array)):
            return
        found = carried(op, operands, {})
        if not found.outputs[0].nbytes or len(found.prepared) != 1:
            return
        if number and found.plan.typed.operands[0 if self.swapped else 1].kind in "iu":
            return  # it has to be looked at whether the number fits
        if len(self.table) >= _KEPT:
            self.table.clear()
        self.table[a._layout, type(b) if number else b._layout] = Quick(found, engine, operands)


def binary(name: str, *, swapped: bool = False) -> Callable[..., Any]:
    """The method for an operator of two operands."""
    ways = _Ways(name, swapped=swapped)
    table = ways.table

    def method(self: Any, other: Any) -> Any:
        if type(other) is not type(self):
            return ways.routed(self, other)
        quick = table.get((self._layout, other._layout))
        if quick is None or CLOSELY_ASKED[0]:
            return ways.general(self, other)
        recorder = _recorder()
        if recorder is not None:
            return ways.recorded(quick, recorder, self, other)
        engine, core = quick.engine, quick.core
        a, b = self._chunk, other._chunk
        if a._core is not core or b._core is not core or a is b or core is not engine._core:
            return ways.routed(self, other)
        if engine is not engine._owner.engine:  # another took over
            return ways.general(self, other)
        try:
            c = quick.free.pop()
        except IndexError:
            return ways.routed(self, other)
        if c._core is not core or engine._bulks:
            c.bin.free.append(c)
            return ways.routed(self, other)
        next(quick.takes)
        made = _new(_classes[0])
        made._holder = made._node = None
        made._chunk = c
        made._address = c.address
        made._layout = quick.output
        if swapped:
            self, other, a, b = other, self, b, a
        frame = _frame(1)
        site = quick.sites.get((id(frame.f_code), frame.f_lasti))
        if site is None:
            site = engine.site_id()
        words = a._address << 2, b._address << 2, c._address << 2
        ends = self._address, other._address, c.address
        if quick.bound(site, quick.count, *words, *quick.head, *ends, *quick.steps) <= 0:
            quick.launcher((a, b, c), (*quick.head, *ends, *quick.steps), site)
        return made

    method.__name__ = method.__qualname__ = f"{name}_method"
    return method


class Update:
    """A kernel that writes `a op b` over `a`, for operands of known layouts."""

    __slots__ = ("core", "engine", "head", "launcher", "number", "steps", "tail")

    def __init__(self, op: Mapper, engine: Kernels, operands: tuple[Any, Any]) -> None:
        a, b = operands
        found = carried(op, operands, {})
        own, weak = a._layout, not isinstance(b, Array)
        layouts = [own, None if weak else b._layout]
        prepared = prepare(op, found.plan, own.shape, layouts, [own], ("write",))
        self.engine, self.core = engine, engine._core
        self.launcher = prepared.launcher(engine, 0 if weak else 1, 1, False)
        self.head, self.steps, self.tail = prepared.head, prepared.steps, prepared.outer
        self.number = prepared.scalars[0] if weak else None

    def run(self, a: Any, b: Any) -> bool:
        """Push it; False where the general way is needed."""
        engine, held = self.engine, a._chunk
        if engine is not engine._owner.engine or engine._bulks or held.locked or held.leases:
            return False
        if self.number is not None:
            record = (*self.head, a._address, a._address, *self.steps)
            record += (scalar_word(b, *self.number), *self.tail)
            self.launcher((held,), record, engine.site_id())
        else:
            other = b._chunk
            if other is held or other.device is not held.device:
                return False
            record = (*self.head, a._address, b._address, a._address, *self.steps, *self.tail)
            self.launcher((other, held), record, engine.site_id())
        held.writes += 1
        return True


def in_place(name: str) -> Callable[..., Any]:
    """The method for `a op= b`: the result goes to the memory of `a`, seen through every view."""
    table: dict[Any, Update] = {}
    op: Any = None

    def method(self: Any, other: Any) -> Any:
        key = self._layout, other._layout if type(other) is type(self) else type(other)
        known = table.get(key)
        if known is not None and _recorder() is None and not CLOSELY_ASKED[0]:
            if known.run(self, other):
                return self
        nonlocal op
        if op is None:
            op = operator_of(name)
        call(op, (self, other), {}, self)
        if isinstance(op, Mapper) and key not in table:
            _learn_update(table, key, op, self, other)
        return self

    method.__name__ = method.__qualname__ = f"in_place_{name}"
    return method


def _learn_update(table: dict[Any, Update], key: Any, op: Mapper, a: Any, b: Any) -> None:
    """Remember the quick way of `a op= b`, which has just been found to be right."""
    engine = current()
    number = type(b) in {float, int}
    if not isinstance(engine, Kernels) or not (number or isinstance(b, Array)):
        return
    if not a.size or (number and a.dtype.kind in "iu"):
        return  # it has to be looked at whether the number fits
    if len(table) >= _KEPT:
        table.clear()
    table[key] = Update(op, engine, (a, b))
