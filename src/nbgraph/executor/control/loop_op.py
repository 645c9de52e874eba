"""A loop as an operator: its body is a graph, which runs a number of times, or while a test holds.

Operands are the number of steps (if it is `counted`), carries, arrays of which each step reads a
part (`xs`), and constants. Outputs are the last carries, the stacked results of all steps (`ys`),
sums over all steps, and the number of steps if there is a test. On the host all of it is one kernel
call, whose working memory does not depend on the number of steps.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Any
from weakref import WeakValueDictionary

import numpy as np

from nbgraph.errors import ArgumentError, ShapeError
from nbgraph.executor.control.loop import Loop, evaluated, typed
from nbgraph.executor.control.registers import Registers
from nbgraph.executor.control.reverse import loop_gradient
from nbgraph.executor.control.rows import WORK, Fixed, Moving, Rows, Turning, Where, scratch_bytes
from nbgraph.executor.control.stream_rows import StreamRows
from nbgraph.graph.graph import Entry, Graph, spec
from nbgraph.operator.arrays.array_op import ArrayOp, Attributes, Spec, Specs
from nbgraph.operator.kernel_call import Application, Lowered
from nbgraph.operator.request import OpReqType
from nbgraph.shape import Arrays

_OPS: WeakValueDictionary[Loop, LoopOp] = WeakValueDictionary()
_COUNT = Spec((), np.dtype("int64"))
_TRIPS = 1 << 22  # assumed for a loop that ends by its test, so that no pusher runs it itself
_PART = 40_000  # nanoseconds of such a loop that any thread may run
_STEP = 20  # nanoseconds of a step besides its kernels


class LoopOp(ArrayOp):
    """A loop; `loop_op` creates it, so that equal loops are one operator."""

    kernels = ("host", "devices")
    adds = False  # whether its results may be written as kAddTo

    def __init__(self, loop: Loop) -> None:
        ys = loop.ys - loop.saved
        super().__init__(
            "while_loop" if loop.tests else "scan",
            self._specs,
            gradient=lambda g: loop_gradient(self, g),
            operands=("*operands",),
            nout=loop.carries + loop.ys + loop.sums + loop.tests,
            doc="A loop whose body is a graph.",
        )
        self.loop = loop
        self.shown = [*range(loop.carries + ys)]  # outputs except those for the gradient only
        self.shown += range(loop.carries + loop.ys, self.nout)
        self._typed: dict[tuple[Spec, ...], Loop] = {}

    def keeps_input(self, index: int) -> bool:
        loop = self.loop
        return not loop.saved or not loop.counted <= index < loop.counted + loop.carries

    def keeps_output(self, index: int) -> bool:
        """See ArrayOp: the saved values, and the number of steps."""
        loop = self.loop
        last = loop.carries + loop.ys
        return last - loop.saved <= index < last or (loop.tests and index == self.nout - 1)

    # shapes -----------------------------------------------------------------------------------

    def typed(self, specs: Specs) -> Loop:
        """Return the loop for operands of these specs; raise an error if they do not fit."""
        key = tuple(specs)
        if key not in self._typed:
            self._typed[key] = self._checked(specs[self.loop.counted :])
        return self._typed[key]

    def _checked(self, specs: Specs) -> Loop:
        loop = self.loop
        first, last = loop.carries, loop.carries + loop.xs
        if len(specs) != len(loop.variables):
            raise ArgumentError(
                f"{self.__name__}: takes {len(loop.variables)} arrays, {len(specs)} were given"
            )
        if loop.length is None and loop.xs and specs[first].shape:
            loop = loop._replace(length=specs[first].shape[0])
        parts = [Spec(x.shape[1:], x.dtype) for x in specs[first:last]]
        for k, x in enumerate(specs[first:last]):
            if not x.shape or x.shape[0] != loop.length:
                raise ShapeError(
                    f"{self.__name__}: xs[{k}] has shape {x.shape}; its first axis has to have the "
                    f"loop's {loop.length} steps"
                )
        graph = Graph(loop.heads, loop.variables)
        checked = loop.over(typed(graph, [*specs[:first], *parts, *specs[last:]]))
        for k, head in enumerate(checked.heads[:first]):
            if spec(head) != specs[k]:
                raise ShapeError(
                    f"{self.__name__}: carry {k} is {specs[k]} before a step and {spec(head)} "
                    "after it; the body has to return carries of the shapes and dtypes that it "
                    "is given"
                )
        return checked

    def _specs(self, *specs: Spec) -> list[Spec]:
        loop = self.typed(specs)
        heads = [spec(head) for head in loop.heads]
        stacked = slice(loop.carries, loop.carries + loop.ys)
        length = -1 if loop.length is None else loop.length
        heads[stacked] = [Spec((length, *s.shape), s.dtype) for s in heads[stacked]]
        if loop.tests:
            heads[-1] = _COUNT
        return heads

    # kernels ----------------------------------------------------------------------------------

    def lower(self, case: Application) -> Lowered | None:
        if not case.host:
            return self._lowered(case, StreamRows())
        arrays = len(case.operands) + len(case.needed) + 1
        return self._lowered(case, Registers(arrays)) or self._lowered(case, Rows())

    def _lowered(self, case: Application, rows: Any) -> Lowered | None:
        loop, needed, count = self.typed(case.specs), case.needed, len(case.operands)
        order = [*range(count), *(count + k for k in needed)]
        slots = {k: count + place for place, k in enumerate(needed)}
        front = {"length": -1 if loop.length is None else loop.length, "reverse": loop.reverse}
        if loop.counted:
            front["count_slot"] = 0
        carried = [spec((v, 0)).nbytes for v in loop.variables[: loop.carries]]
        buffers = [(rows.room(size), rows.room(size)) for size in carried]
        inside = self._variables(loop, rows, buffers)
        if loop.tests:
            front["test_offset"] = rows.room(2 * 8)  # the test, and the step that a part reached
            place = Fixed(WORK, front["test_offset"])
            if not rows.body(loop.test, [OpReqType.kWriteTo], inside, [place]):
                return None
            front["tests"] = len(rows.sections["row"])
            if self.nout - 1 in slots:
                front["count_out"] = slots[self.nout - 1]
        if not self._steps(loop, rows, buffers, inside, slots):
            return None
        trips = _TRIPS if loop.length is None else loop.length
        if loop.ends_by_test and case.host and rows.cost <= _PART:
            front["patience"] = _PART // (rows.cost + _STEP)
        call, nbytes = rows.call(
            self.__name__, front, [*order, count + self.nout], len(needed) + 1, trips
        )
        return Lowered((call,), case.contiguous(), (scratch_bytes(nbytes),), adds=False)

    def _variables(self, loop: Loop, rows: Rows, buffers: Sequence[tuple[int, int]]) -> list[Where]:
        """Return the places of the body's variables; add copies of carries to their first ones."""
        places: list[Where] = []
        sizes = [spec((v, 0)).nbytes for v in loop.variables]
        for k, nbytes in enumerate(sizes):
            slot = k + loop.counted
            if k < loop.carries:
                rows.sections["begin"].append((WORK, buffers[k][0], slot, 0, nbytes))
                places.append(Turning(*buffers[k]))
            else:
                moves = k < loop.carries + loop.xs
                places.append(Moving(slot, nbytes) if moves else Fixed(slot))
        return places

    def _steps(
        self,
        loop: Loop,
        rows: Rows,
        buffers: Sequence[tuple[int, int]],
        inside: Sequence[Where],
        slots: Mapping[int, int],
    ) -> bool:
        """Add the body, without results that are not needed; return whether kernels support it."""
        body = loop.body
        heads: list[Entry] = []
        places: list[Where] = []
        requests: list[OpReqType] = []
        last = loop.carries + loop.ys
        for k, head in enumerate(body.heads):
            nbytes = spec(head).nbytes
            if k < loop.carries:
                even, odd = buffers[k]
                place: Where = Turning(odd, even)
                if k in slots:
                    rows.sections["end"].append((slots[k], 0, even, odd, nbytes))
            elif k not in slots:
                continue
            elif k < last:
                place = Moving(slots[k], nbytes)
                if loop.tests or loop.counted:
                    rows.sections["clear"].append((slots[k], 0, nbytes * (loop.length or 0)))
            else:
                place = Fixed(slots[k])
                rows.sections["clear"].append((slots[k], 0, nbytes))
            heads.append(head)
            places.append(place)
            requests.append(OpReqType.kWriteTo if k < last else OpReqType.kAddTo)
        return rows.body(body.with_heads(heads), requests, inside, places)

    # without kernels --------------------------------------------------------------------------

    def compute(self, inputs: Arrays, outputs: Arrays, attributes: Attributes, *__: Any) -> None:
        """See ArrayOp: evaluated step by step, operator by operator."""
        loop = self.typed([Spec.of(x) for x in inputs])
        first, last = loop.carries, loop.carries + loop.ys
        limit = loop.length
        if loop.counted:
            count, *inputs = inputs
            limit = min(int(count), loop.length or 0)
        for out in outputs[first:]:
            out[...] = 0
        carried, rest = list(inputs[:first]), inputs[first:]
        trip = 0
        for trip in itertools.count():
            t = trip if not loop.reverse else (limit or 0) - 1 - trip
            if limit is not None and trip >= limit:
                break
            parts = [x[t] if k < loop.xs else x for k, x in enumerate(rest)]
            if loop.tests and not evaluated(loop.test, [*carried, *parts])[0]:
                break
            results = evaluated(loop.body, [*carried, *parts])
            carried = results[:first]
            for out, value in zip(outputs[first:last], results[first:last], strict=False):
                out[t] = value
            for out, value in zip(outputs[last:], results[last:], strict=False):
                out += value
        for out, value in zip(outputs, carried, strict=False):
            out[...] = value
        if loop.tests:
            outputs[-1][...] = trip

    def body_form(self) -> tuple[dict[str, Any], list[Entry]]:
        """Return the loop for a file: numbers, and the entries of its body."""
        loop = self.loop
        fields = {name: getattr(loop, name) for name in Loop._fields[2:]}
        return {**fields, "heads": len(loop.heads)}, [
            *loop.heads,
            *((v, 0) for v in loop.variables),
        ]

    def of(self, loop: Loop) -> LoopOp:
        """Return the operator of another loop."""
        return loop_op(loop)


def restored(fields: Mapping[str, Any], entries: Sequence[Entry]) -> LoopOp:
    """Return the operator of a loop from a file; see `LoopOp.body_form`."""
    count, rest = fields["heads"], {k: v for k, v in fields.items() if k != "heads"}
    variables = tuple([node for node, _ in entries[count:]])
    return loop_op(Loop(tuple(entries[:count]), variables, **rest))


def loop_op(loop: Loop) -> LoopOp:
    """Return the operator of a loop: the existing one if there is an equal one."""
    op = _OPS.get(loop)
    if op is None:
        op = _OPS.setdefault(loop, LoopOp(loop))
    return op
