"""The quick way of `a + b`: layouts seen before, one compiled call, nothing worked out again.

Layouts that have been through the general way get a `Quick`: the engine's entry with all that is
fixed, and the free list that outputs come from. Whatever is not as usual (gradients are recorded,
an array stands on both sides, no free block, another engine) takes the general way.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from nbgraph.array import core
from nbgraph.array.carry import common_device
from nbgraph.array.core import Array
from nbgraph.array.launch import scalar_word
from nbgraph.array.layout import Layout
from nbgraph.array.push import Carried, carried
from nbgraph.engine import current
from nbgraph.engine.handle import Core
from nbgraph.engine.kernels import Kernels
from nbgraph.engine.launcher import Launcher
from nbgraph.operator.call import call, recording
from nbgraph.operator.mapper import Mapper
from nbgraph.settings import CLOSELY_ASKED
from nbgraph.storage import pool

SMALL = 1 << 15  # bytes up to which any free block will do
_KEPT = 512  # pairs of layouts that an operator's table holds
_recorder = recording.get
_frame = sys._getframe
_new = object.__new__
_classes = core._class


class Quick:
    """A kernel for an array and an array or number, of known layouts, and an output of its own."""

    __slots__ = (
        *("bound", "core", "count", "engine", "free", "head", "launcher", "output", "scalar"),
        *("sites", "steps", "takes"),
    )

    def __init__(self, found: Carried, engine: Kernels, device: Any, numbers: int) -> None:
        prepared = next(iter(found.prepared.values()))
        own = found.outputs[0]
        self.output: Layout = own
        self.engine = engine
        self.launcher: Launcher = prepared.launcher(engine, 2 - numbers, 1, True)
        self.bound: Callable[..., int] = self.launcher._bound
        self.core: Core | None = self.launcher._core
        self.count: int = self.launcher._count
        self.head, self.steps = prepared.head, (*prepared.steps, *prepared.outer)
        self.scalar = prepared.scalars[0] if numbers else ("", "")
        if numbers and prepared.outer:
            self.core = None  # words behind the number: not on this way
        size_class = pool(device).bin(own.nbytes)
        self.free: list[Any] = size_class.free
        self.takes = size_class.takes
        self.sites = engine._site_ids


def library(name: str) -> Any:
    """An operator of the library, by name; its family loads now."""
    from nbgraph import ops

    return getattr(ops, name)


def binary(name: str, *, swapped: bool = False) -> Callable[..., Any]:
    """The method for an operator of two operands."""
    table: dict[Any, Quick] = {}
    op: Any = None

    def method(self: Any, other: Any) -> Any:
        kind = type(other)
        if kind is type(self):
            quick = table.get((self._layout, other._layout))
            if quick is not None and _recorder() is None and not CLOSELY_ASKED[0]:
                engine, core = quick.engine, quick.core
                a, b = self._chunk, other._chunk
                if (
                    core is engine._core
                    and a._core is core
                    and b._core is core
                    and a is not b
                    and not engine._bulks
                ):
                    try:
                        c = quick.free.pop()
                    except IndexError:
                        return general(self, other)
                    if c._core is not core:
                        c.bin.free.append(c)
                        return general(self, other)
                    next(quick.takes)
                    made = _new(_classes[0])
                    made._holder = made._node = None
                    made._chunk = c
                    made._address = c.address
                    made._layout = quick.output
                    frame = _frame(1)
                    site = quick.sites.get((id(frame.f_code), frame.f_lasti))
                    if site is None:
                        site = engine.site_id()
                    if swapped:
                        self, other, a, b = other, self, b, a
                    if (
                        quick.bound(
                            site,
                            quick.count,
                            a._address << 2,
                            b._address << 2,
                            c._address << 2,
                            *quick.head,
                            self._address,
                            other._address,
                            c.address,
                            *quick.steps,
                        )
                        <= 0
                    ):
                        record = (*quick.head, self._address, other._address, c.address)
                        quick.launcher((a, b, c), (*record, *quick.steps), site)
                    return made
        elif kind is float or kind is int:
            quick = table.get((self._layout, kind))
            if quick is not None and _recorder() is None and not CLOSELY_ASKED[0]:
                return with_number(quick, self, other)
        return general(self, other)

    def with_number(quick: Quick, self: Any, number: Any) -> Any:
        engine, core, a = quick.engine, quick.core, self._chunk
        if core is not engine._core or a._core is not core or engine._bulks:
            return general(self, number)
        try:
            word = scalar_word(number, *quick.scalar)
            c = quick.free.pop()
        except (IndexError, OverflowError):
            return general(self, number)
        next(quick.takes)
        made = core_make(c, c.address, quick.output)
        record = (*quick.head, self._address, c.address, *quick.steps, word)
        frame = _frame(2)
        site = quick.sites.get((id(frame.f_code), frame.f_lasti))
        quick.launcher((a, c), record, engine.site_id() if site is None else site)
        return made

    def general(self: Any, other: Any) -> Any:
        nonlocal op
        if not takes_part(other):
            return NotImplemented
        if op is None:
            op = library(name)
        operands = (other, self) if swapped else (self, other)
        result = call(op, operands, {})
        if isinstance(op, Mapper):
            _learn(table, op, self, other, operands)
        return result

    method.__name__ = method.__qualname__ = f"{name}_method"
    return method


core_make = core.make


def _learn(
    table: dict[Any, Quick], op: Mapper, self: Any, other: Any, operands: tuple[Any, Any]
) -> None:
    """Remember the quick way for operands like these, where there is one."""
    engine = current()
    number = type(other) in (float, int)
    if not isinstance(engine, Kernels) or not (number or isinstance(other, Array)):
        return
    if not number and other._chunk is self._chunk:
        return
    found = carried(op, operands, {})
    own = found.outputs[0]
    if not 0 < own.nbytes <= SMALL or len(found.prepared) != 1:
        return
    if number and found.plan.typed.operands[0 if operands[0] is other else 1].kind in "iu":
        return  # it has to be looked at whether the number fits
    if len(table) >= _KEPT:
        table.clear()
    device = common_device(op.__name__, op.scalar.operands, operands)
    made = Quick(found, engine, device, int(number))
    if made.core is not None:
        table[self._layout, type(other) if number else other._layout] = made


def takes_part(other: Any) -> bool:
    """Whether a value may stand beside an array: a class that says otherwise is asked first."""
    kind = type(other)
    if getattr(kind, "__nbgraph_priority__", None) is not None:
        return True
    return getattr(kind, "__array_ufunc__", ...) is not None


def in_place(name: str) -> Callable[..., Any]:
    """The method for `a op= b`: the result goes to the memory of `a`, seen through every view."""
    op: Any = None

    def method(self: Any, other: Any) -> Any:
        nonlocal op
        if op is None:
            op = library(name)
        call(op, (self, other), {}, self)
        return self

    method.__name__ = method.__qualname__ = f"in_place_{name}"
    return method


def unary(name: str) -> Callable[..., Any]:
    """The method for an operator of one operand."""
    op: Any = None

    def method(self: Any) -> Any:
        nonlocal op
        if op is None:
            op = library(name)
        return call(op, (self,), {})

    method.__name__ = method.__qualname__ = f"{name}_method"
    return method
