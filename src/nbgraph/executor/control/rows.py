"""From compiled bodies to the table of a loop or a branch: its rows and their addresses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from nbgraph.array.chunk import CPU
from nbgraph.executor.compiled import Compiled, compiled
from nbgraph.executor.pipeline import Options
from nbgraph.executor.work import KernelWork
from nbgraph.graph.graph import Graph, spec
from nbgraph.graph.passes.scalars import scalars
from nbgraph.kernels.compiler.control import Table
from nbgraph.operator.kernel_call import KernelCall
from nbgraph.operator.layout import layout
from nbgraph.operator.request import Requests

WORK = -2  # the slot of working memory, until its number is known
_LINE = 64  # bytes of a cache line
_OPTIONS = Options()


class Fixed(NamedTuple):
    """Memory at a fixed offset of an array."""

    slot: int
    offset: int = 0


class Moving(NamedTuple):
    """A part of an array that moves by `step` bytes from step to step."""

    slot: int
    step: int


class Turning(NamedTuple):
    """Two places in working memory, for even and for odd steps."""

    even: int
    odd: int


Where = Fixed | Moving | Turning


class Rows:
    """A builder of a table: rows of kernel calls, and the working memory that they need."""

    def __init__(self) -> None:
        self.sections: dict[str, list[Any]] = {
            name: []
            for name in (
                *("template", "begin", "clear", "fixed", "moving", "turning"),
                *("branch", "row", "end"),
            )
        }
        self.cost = 0
        self._bytes = 0
        self._keep: list[Any] = []

    def room(self, nbytes: int) -> int:
        """Allocate `nbytes` of working memory, and return the offset."""
        place, self._bytes = self._bytes, self._bytes + -(-nbytes // _LINE) * _LINE
        return place

    def body(
        self,
        graph: Graph,
        requests: Requests,
        variables: Sequence[Where],
        results: Sequence[Where],
        arena: int | None = None,
    ) -> bool:
        """Add the kernels of a body; return whether there are kernels for all of it.

        `arena`: offset of its own values in working memory; None: allocate it.
        """
        layouts = [layout(*spec((v, 0))) for v in graph.variables]
        program = compiled(scalars(graph), layouts, requests, _OPTIONS, CPU)
        for task, call in zip(program.tasks, program.calls, strict=True):
            if call is None or (isinstance(task.work, KernelWork) and task.work.draws):
                return False
        if arena is None:
            arena = self.room(program.memory.arena_bytes)
        self._keep.append(program)
        places = [*variables, *results]
        for task, call in zip(program.tasks, program.calls, strict=True):
            assert call is not None, task
            if call.size and not self._row(program, task, call, places, arena):
                return False
        return True

    def _row(
        self, compiled: Compiled, task: Any, call: KernelCall, places: Sequence[Where], arena: int
    ) -> bool:
        """Add a kernel; return whether that is supported."""
        template = self.sections["template"]
        first, addresses = len(template), list[int]()
        for k, (written, use) in enumerate(task.work.uses):
            spot, word = compiled.used(task, written, use), first + len(call.head) + k
            if spot.slot is None:
                self._place(word, Fixed(WORK, arena), spot.offset)
            elif spot.slot < len(places):
                self._place(word, places[spot.slot], spot.offset)
            else:
                data = compiled.constants[spot.slot - len(places)]
                addresses.append(data.__array_interface__["data"][0] + spot.offset)
                continue
            addresses.append(0)
        template += call.block(addresses, task.work.numbers)
        self.sections["row"].append((call.code, call.size, first))
        self._keep.append(call)
        self.cost += call.cost
        return True

    def _place(self, word: int, where: Where, offset: int) -> None:
        if isinstance(where, Fixed):
            self.sections["fixed"].append((word, where.slot, where.offset + offset))
        elif isinstance(where, Moving):
            self.sections["moving"].append((word, where.slot, offset, where.step))
        else:
            self.sections["turning"].append((word, where.even + offset, where.odd + offset))

    def call(
        self, name: str, front: Mapping[str, int], order: Sequence[int], writes: int, trips: int
    ) -> tuple[KernelCall, int]:
        """Return the call over arrays in this `order`, of which the last is working memory, and
        its bytes. `trips`: the estimated number of steps."""
        parts, slot = self.sections, len(order) - 1
        base = -(-len(parts["template"]) * 8 // _LINE) * _LINE

        def at(place: int, offset: int) -> tuple[int, int]:
            return (slot, offset + base) if place == WORK else (place, offset)

        sections = parts | {
            "template": [(word,) for word in parts["template"]],
            "begin": [(*at(to, x), *at(source, y), n) for to, x, source, y, n in parts["begin"]],
            "clear": [(*at(place, x), n) for place, x, n in parts["clear"]],
            "fixed": [(word, *at(place, x)) for word, place, x in parts["fixed"]],
            "turning": [(word, x + base, y + base) for word, x, y in parts["turning"]],
            "end": [(*at(to, x), y + base, z + base, n) for to, x, y, z, n in parts["end"]],
        }
        fields = {"reverse": 0, "tests": 0, **front, "work_slot": slot}
        fields["test_offset"] = fields.get("test_offset", 0) + base
        table = Table(name, fields, sections, self._keep)
        head, cost = (table.where, len(order)), max(1, self.cost * trips)
        options: dict[str, Any] = {"writes": writes, "resumes": "patience" in front}
        call = KernelCall(name, table, head, tuple(order), (), 1, cost, **options)
        return call, base + self._bytes


def scratch_bytes(nbytes: int) -> Any:
    """Return the layout of `nbytes` bytes of scratch memory."""
    return layout((max(1, nbytes),), np.dtype("uint8"))
