"""Sequences of kernel calls pushed by routes: operators with several kernels, copies or scratch."""

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
    """A kernel call of a sequence: its routes, the function that selects its operands from the
    arrays of all steps, how many numbers it takes, the indices of arrays that it overwrites (each
    as often as it is read, and once more), and the indices that it writes."""

    way: tuple[Push, Callable[[Any], tuple[Any, ...]], int, Sequence[int], Sequence[int]]
    call: KernelCall
    outputs: Layouts
    routes: Routes

    def learn(self, arrays: Sequence[Any], numbers: Sequence[Any], device: Context) -> Any:
        """Push the call by the slow path, remember its route, and return what a route returns."""
        call, (_, _, scalars, written, _) = self.call, self.way
        operands, numbers = [arrays[k] for k in call.order[: -call.writes]], numbers[:scalars]
        over = Over(arrays[written[0]], whole=False, fits=True) if written else None
        results = [over.array] if over else [empty_of(own, device) for own in self.outputs]
        if call.size:
            push(call, [*operands, *results], numbers, overwrites=over is None)
            self.routes.learn(call, self.outputs, [*operands, *numbers], over=over, device=device)
        return results[0] if len(results) == 1 else results


class Steps(NamedTuple):
    """The calls of an operator for operands of certain layouts. Results follow the operands up to
    index `end`; `room` has the layouts of results and scratch memory."""

    steps: Sequence[Step]
    inputs: int
    end: int
    room: Sequence[None]

    def push(
        self, place: Any, operands: Sequence[Any], more: Callable[[], Sequence[Any]] = tuple
    ) -> Any:
        """Push the calls; numbers follow the operands, and `more` returns numbers that are fixed at
        the push. Return the unrecorded result (a tuple of several), or None where the slow path is
        needed."""
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
    """Return the step of a call; `own`: the layouts of all arrays."""
    reads, writes = call.order[: -call.writes], call.order[-call.writes :]
    routes, written = Routes(), writes[:1] * (reads.count(writes[0]) + 1) if over else ()
    others = [k for k in reads if k not in written]
    used: Any = (
        itemgetter(*others) if len(others) > 1 else lambda own: tuple([own[k] for k in others])
    )
    way = routes.push, used, len(call.scalars), written, writes
    return Step(way, call, [own[k] for k in writes], routes)


def copying(own: Layouts, target: Layout, place: int = 0) -> Step | None:
    """Return the step that replaces array `place` by a copy with layout `target`, or None where
    NumPy has to cast; `own`: the layouts of all arrays."""
    call = prepare_copy(own[place], target)
    if call is None:
        return None
    layouts = list(own)
    layouts[place] = target
    return _step(replace(call, order=(place, place)), layouts)


def steps_of(lowering: Lowered, operands: Layouts, outputs: Layouts) -> Steps | None:
    """Return the steps of an operator's calls; None if an operand is written or NumPy casts."""
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
