"""Kernel calls one after another, each by a route: several kernels, copies, scratch memory."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from operator import itemgetter
from typing import Any, NamedTuple

from nbgraph.array.chunk import CPU
from nbgraph.array.copying import prepare_copy
from nbgraph.array.core import empty_of
from nbgraph.array.place import push
from nbgraph.array.route import Over, Push, Routes
from nbgraph.device import Context
from nbgraph.engine.thread import here
from nbgraph.operator.kernel_call import KernelCall, Lowered
from nbgraph.operator.layout import Layout, Layouts
from nbgraph.settings import CLOSELY_ASKED


class Step(NamedTuple):
    """A kernel call, and how it goes: what pushes it, what takes the arrays that it reads from
    those of all steps, how many numbers it takes, where what it writes over lies (as often as it
    reads that, and once more), and the places that it writes."""

    way: tuple[Push, Callable[[Any], tuple[Any, ...]], int, Sequence[int], Sequence[int]]
    call: KernelCall
    outputs: Layouts
    routes: Routes

    def learn(self, arrays: Sequence[Any], numbers: Sequence[Any], device: Context) -> Any:
        """Push it the general way, remember the route, and return what it writes, as a route."""
        call, (_, _, scalars, written, _) = self.call, self.way
        operands, numbers = [arrays[k] for k in call.order[: -call.writes]], numbers[:scalars]
        over = Over(arrays[written[0]], whole=False, fits=True) if written else None
        results = [over.array] if over else [empty_of(own, device) for own in self.outputs]
        if call.size:
            push(call, [*operands, *results], numbers, overwrites=over is None)
            self.routes.learn(call, self.outputs, [*operands, *numbers], over=over, device=device)
        return results[0] if len(results) == 1 else results


class Steps(NamedTuple):
    """The calls of an operator for so many operands of certain layouts. `end`: of the results,
    which stand behind the operands; `room`: for them and for scratch memory."""

    steps: Sequence[Step]
    inputs: int
    end: int
    room: Sequence[None]

    def push(
        self, place: Any, operands: Sequence[Any], more: Callable[[], Sequence[Any]] = tuple
    ) -> Any:
        """Push them, with numbers behind the operands, and `more`, which are fixed at the push;
        return the result, a tuple of several, or None where the general way is needed. Nothing is
        recorded."""
        _, count, end, room = self
        device = operands[0]._chunk.device if count else CPU
        if CLOSELY_ASKED[0] or not device.host or here.running is not None:
            return None
        for k in range(1, count):
            if operands[k]._chunk.device is not device:
                return None
        arrays, numbers = [*operands[:count], *room], (*operands[count:], *more())
        for step in self.steps:
            push, used, scalars, over, writes = step.way
            values = used(arrays)
            if scalars:
                values += numbers[:scalars]
            if over:
                values += tuple([arrays[k] for k in over])
            result = push(place, values, True)
            if result is None:
                result = step.learn(arrays, numbers, device)
            if len(writes) == 1:
                arrays[writes[0]] = result
                continue
            for k, output in zip(writes, result, strict=True):
                arrays[k] = output
        return arrays[count] if end == count + 1 else tuple(arrays[count:end])


def _step(call: KernelCall, own: Layouts, *, over: bool = False) -> Step:
    """Return a step; `own`: the layouts of all arrays."""
    reads, writes = call.order[: -call.writes], call.order[-call.writes :]
    routes, written = Routes(), writes[:1] * (reads.count(writes[0]) + 1) if over else ()
    others = [k for k in reads if k not in written]
    used: Any = (
        itemgetter(*others) if len(others) > 1 else lambda own: tuple([own[k] for k in others])
    )
    way = routes.push, used, len(call.scalars), written, writes
    return Step(way, call, [own[k] for k in writes], routes)


def copying(own: Layouts, target: Layout, place: int = 0) -> Step | None:
    """Return the step that puts a copy, which may be a cast, in an array's place, or None where
    NumPy casts; `own`: the layouts of all arrays."""
    call = prepare_copy(own[place], target)
    if call is None:
        return None
    layouts = list(own)
    layouts[place] = target
    return _step(replace(call, order=(place, place)), layouts)


def steps_of(lowering: Lowered, operands: Layouts, outputs: Layouts) -> Steps | None:
    """Return the steps of an operator's calls; None where an operand is written, or NumPy casts."""
    count, wanted = len(operands), [*operands, *outputs, *lowering.scratch]
    end, own = count + len(outputs), [*operands, *outputs, *lowering.scratch]
    steps: list[Step | None] = []
    for k, needed in enumerate(lowering.places):
        if needed is not None:
            steps += [copying(own, needed, k)] if k < count else []
            own[k] = needed
    known = set(range(count))
    for call in lowering.calls:
        reads, writes = call.order[: -call.writes], call.order[-call.writes :]
        over = not known.isdisjoint(writes)
        if not known.issuperset(reads) or (over and (call.writes > 1 or writes[0] < count)):
            return None
        known.update(writes)
        steps.append(_step(call, own, over=over))
    steps += [copying(own, wanted[k], k) for k in range(count, end) if own[k] is not wanted[k]]
    if None in steps or not known.issuperset(range(end)):
        return None
    return Steps([s for s in steps if s], count, end, [None] * (len(wanted) - count))
