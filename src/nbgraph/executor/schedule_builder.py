"""A builder of schedules: the tasks so far, the places of values, and the targets of results.

It uses the names, shapes and order of nodes only, not the operators that they compute.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from nbgraph.device import Context
from nbgraph.executor.places import Place, rights
from nbgraph.executor.work import Use, cast_work
from nbgraph.graph.build import GraphNode
from nbgraph.graph.graph import Entry, Graph, spec
from nbgraph.graph.schedule import Task, Value
from nbgraph.operator.layout import Layout, in_reals, layout
from nbgraph.operator.request import OpReqType, Requests, kWriteTo


class ScheduleBuilder:
    """Tasks and places of a typed graph.

    `places`: dict from entries to places. `tasks`: list of Task. `of_node`: dict from nodes to the
    task that later tasks wait for. `targets`: dict from heads that their node writes directly to
    the result and its request.
    """

    def __init__(self, graph: Graph, device: Context, names: Mapping[GraphNode, str]) -> None:
        self.graph, self.device, self.names = graph, device, names
        self.places: dict[Entry, Place] = {}
        self.tasks: list[Task] = []
        self.of_node: dict[GraphNode, Task] = {}
        self.targets: dict[Entry, tuple[Value, OpReqType]] = {}

    def reads(self, node: GraphNode) -> list[Place]:
        """Return the places of the operands of a node that are arrays."""
        return [self.places[entry] for entry in node.entries]

    def needed(self, entry: Entry) -> bool:
        """Return whether a node or a user reads an entry."""
        return entry in self.graph.users or entry in self.graph.head_set

    def output(self, node: GraphNode, index: int) -> Place:
        """Return the place to which an output is written: a result's, or that of a new value."""
        if (node, index) in self.places:
            return self.places[node, index]
        own = layout(*spec((node, index)))
        target = self.targets.get((node, index))
        name = self.names[node]
        label = name if node.nout == 1 else f"{name}[{index}]"
        value = target[0] if target is not None else Value(label, own.nbytes)
        if target is not None:
            value.note = label
        place = self.places[node, index] = Place(value, 0, own)
        return place

    def request(self, node: GraphNode, index: int) -> OpReqType:
        """Return the request with which an output is written."""
        target = self.targets.get((node, index))
        return kWriteTo if target is None else target[1]

    def target(self, node: GraphNode, index: int) -> tuple[Place, OpReqType] | None:
        """Return the place and the request of an output, or None if no node or user reads it."""
        if not self.needed((node, index)):
            return None
        return self.output(node, index), self.request(node, index)

    def enter(self, node: GraphNode, *tasks: Task) -> None:
        """Append the tasks of a node; the first waits for the nodes in `node.after`."""
        self.tasks += tasks
        self.of_node[node] = tasks[0]
        tasks[0].after = tuple(self.of_node[n] for n in node.after if n in self.of_node)

    def copy(self, name: str, source: Place, target: Place, request: OpReqType) -> Task:
        """Append a task that copies elements from place to place, cast as in C, and return it."""
        task = copy_task(name, source, target, request, self.device)
        self.tasks.append(task)
        return task

    def with_layouts(
        self, name: str, reads: Sequence[Place], layouts: Sequence[Layout | None]
    ) -> list[Place]:
        """Return the operands of a task, copied to these layouts where they differ."""
        return [
            place
            if own is None or own is place.layout
            else self.copied_to(f"{name} operand {k}", place, own)
            for k, (place, own) in enumerate(zip(reads, layouts, strict=False))
        ]

    def copied_to(self, name: str, source: Place, own: Layout) -> Place:
        """Return a new place with a copy of the elements of `source`, in layout `own`."""
        place = Place(Value(name, own.nbytes), 0, own)
        self.copy(name, source, place, kWriteTo)
        return place


def task_over(
    name: str,
    reads: Sequence[Place],
    writes: Sequence[Place],
    requests: Requests,
    work: Any,
    **claims: Any,
) -> Task:
    """Return a task over the values of places; `claims` are other fields of Task."""
    values = tuple(p.value for p in reads), tuple(p.value for p in writes)
    return Task(name, *values, list(requests), work=work, **claims)


def copy_task(name: str, source: Place, target: Place, request: OpReqType, device: Context) -> Task:
    """Return a task that copies elements from place to place, cast as in C."""
    was, becomes = source.layout.dtype, target.layout.dtype
    if was.kind == becomes.kind == "c" and not device.host:
        source, target = (p._replace(layout=in_reals(p.layout)) for p in (source, target))
    (read,), (written,) = Use.each([source]), Use.each([target])
    work: Any = cast_work(read, written, host=device.host)
    sums = (0,) if was == becomes else ()
    pairs = rights([source], [target])
    return task_over(name, [source], [target], [request], work, rights=pairs, accumulates=sums)
