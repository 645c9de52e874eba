"""Compiled graphs: passes applied, tasks in order, memory planned, kernels selected.

They do not depend on the arrays of a run. Compiling an equal graph again returns the cached one.
"""

from __future__ import annotations

import bisect
import itertools
import threading
from collections import OrderedDict
from collections.abc import Collection, Iterable
from typing import Any

from nbgraph.array.issue import launches_of
from nbgraph.device import Context
from nbgraph.executor.lower import NOTHING_INSIDE, Inside, Lowering
from nbgraph.executor.pipeline import Options, Stage, optimised
from nbgraph.executor.places import Spot
from nbgraph.executor.work import KernelWork, Use
from nbgraph.graph.build import GraphNode
from nbgraph.graph.graph import Graph, spec
from nbgraph.graph.passes import inplace, memory
from nbgraph.graph.passes.lifetimes import homes
from nbgraph.graph.schedule import Task, Value
from nbgraph.kernels.compiler.kernel import Kernel, deferring
from nbgraph.operator.layout import Layouts, layout
from nbgraph.operator.request import Requests
from nbgraph.scopes import forkable

_MOST = 256  # compiled graphs kept, least recently used first out
_COMPILED: OrderedDict[Any, Compiled] = OrderedDict()
_LOCK = forkable(threading.RLock())


class Compiled:
    """The common part of all runs of a graph.

    `source`, `graph`: before and after the passes. `stages`: each pass with the graph before and
    after it. `schedule`: Schedule. `memory`: MemoryPlan. `slots`: values in external memory:
    variables, then results, then constants. `loaded`: whether all kernels are known to be in
    memory. `substitute`: an Interim that runs while they are compiled; see `executor.interim`.

    Kernels are selected here, but neither loaded nor compiled. `loose`: see `fuse`; `inside`: see
    `Inside`.
    """

    loaded = False
    substitute: Any = None

    def __init__(
        self,
        graph: Graph,
        layouts: Layouts,
        requests: Requests,
        options: Options,
        device: Context,
        loose: Collection[tuple[GraphNode, ...]] = (),
        inside: Inside = NOTHING_INSIDE,
    ) -> None:
        self.deciding = forkable(threading.RLock())
        self.source, self.options, self.device = graph, options, device
        self.layouts, self.requests, self.inside = tuple(layouts), tuple(requests), inside
        self.stages: list[Stage] = []
        self.graph = optimised(graph, options, self.stages, device, loose)
        with deferring():
            self._lay_out()

    def _lay_out(self) -> None:
        names, options = self.graph.names, self.options
        lowering = self.lowering = Lowering(
            *(self.graph, self.layouts, self.requests, self.device, names), inside=self.inside
        )
        self.arguments = len(lowering.arguments)
        self.result_layouts = [layout(*spec(head)) for head in self.graph.heads]
        self.schedule = lowering.schedule
        # the engine's plan omits empty tasks, so none may lie between two that depend on each other
        self.schedule.tasks = [
            task
            for task in self.schedule.tasks
            if not (isinstance(task.work, KernelWork) and task.work.empty)
        ]
        if options.inplace:
            inplace.accumulate(self.schedule)
        if options.memory:
            memory.order(self.schedule)
            _losses_first(self.schedule.tasks)
        if options.inplace:
            inplace.take_over(self.schedule)
        self.memory = memory.plan(self.schedule, share=options.memory)
        self.tasks = self.schedule.tasks
        self.slots = [*lowering.arguments, *lowering.results, *lowering.constants]
        self.constants = list(lowering.constants.values())
        self._slot = {value: k for k, value in enumerate(self.slots)}
        self._home = homes(self.schedule.values)
        self.calls = [
            task.work.call(task) if isinstance(task.work, KernelWork) else None
            for task in self.tasks
        ]

    @property
    def kernels(self) -> list[Kernel]:
        """Return the kernels of all tasks, those in bodies of loops included, each once."""
        codes = (call.code for call in self.calls if call is not None)
        each = (k for code in codes if code is not None for k in getattr(code, "kernels", (code,)))
        return list(dict.fromkeys(each))

    def require(self) -> None:
        """Raise CompileError for a kernel that cannot be compiled for the device, a GPU."""
        for call in self.calls:
            if call is not None and call.size:
                launches_of(call).require(self.device.device_id)

    def absent(self) -> list[Kernel]:
        """Return the kernels that are neither in memory nor on disk; the others are loaded."""
        return [kernel for kernel in self.kernels if not kernel.at_hand()]

    def home(self, value: Value) -> Value:
        """Return the value whose memory this one has taken over, computed once (see `root`)."""
        return self._home[value] if value in self._home else root(value)

    def spot(self, value: Value) -> Spot:
        """Return the spot where a value lies."""
        value = self.home(value)
        slot = self._slot.get(value) if value.external else None
        return Spot(slot, 0) if slot is not None else Spot(None, self.memory.offset[value])

    def crossings(self) -> dict[Task, list[int]]:
        """Return, by the first task of each value in the arena, the slots of results in the arena
        that it overwrites: readers of the previous run's results must end before that task."""
        slots = sorted((self.spot(v).offset, k) for k, v in enumerate(self.slots) if v.lasts)
        slots_of: dict[Task, list[int]] = {}
        visited: set[Value] = {self.home(self.slots[k]) for _, k in slots}
        for task in self.tasks if slots else ():
            for value in map(self.home, (*task.reads, *task.writes)):
                if value.external or value.pinned is not None or value in visited:
                    continue
                visited.add(value)
                start = self.memory.offset[value]
                at = bisect.bisect_right(slots, (start, len(self.slots))) - 1
                for place, k in slots[max(at, 0) :]:
                    if place >= start + value.nbytes:
                        break
                    if start < place + self.slots[k].nbytes:
                        slots_of.setdefault(task, []).append(k)
        return slots_of

    def places(self, results: Iterable[int]) -> list[int]:
        """Return the offsets in the arena of the results with these numbers; 0 for empty ones."""
        return [self.spot(self.slots[self.arguments + k]).offset for k in sorted(results)]

    def used(self, task: Task, written: bool, use: Use) -> Spot:
        """Return the spot of a value that a task uses."""
        spot = self.spot((task.writes if written else task.reads)[use.place])
        return Spot(spot.slot, spot.offset + use.offset)


def root(value: Value) -> Value:
    """Return the value whose memory this one has taken over."""
    while value.shared is not None:
        value = value.shared
    return value


_SMALL = 4096  # bytes of results whose computation is not worth a separate worker


def _losses_first(tasks: list[Task]) -> None:
    """Start the task after a small result (a loss) only once that is computed.

    No task depends on the result, so its operands could otherwise never be overwritten.
    """
    needed = {value for task in tasks for value in task.reads}
    for task, following in itertools.pairwise(tasks):
        small = sum(value.nbytes for value in task.writes) <= _SMALL
        over = all((value.external or value.lasts) and value not in needed for value in task.writes)
        if small and over:
            following.after = (*following.after, task)


def compiled(
    graph: Graph,
    layouts: Layouts,
    requests: Requests,
    options: Options,
    device: Context,
    inside: Inside = NOTHING_INSIDE,
) -> Compiled:
    """Return the graph compiled for arguments of these layouts, from the cache or new.

    Equal graphs consist of the same node objects, so the key compares them by identity.
    """
    key = graph.heads, graph.variables, tuple(layouts), tuple(requests), options, device, inside
    with _LOCK:
        result = _COMPILED.get(key)
        if result is not None:
            _COMPILED.move_to_end(key)
            return result
    candidate = Compiled(graph, layouts, requests, options, device, inside=inside)
    with _LOCK:
        result = _COMPILED.setdefault(key, candidate)
        while len(_COMPILED) > _MOST:
            _COMPILED.popitem(last=False)
    return result
