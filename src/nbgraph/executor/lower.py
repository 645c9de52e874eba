"""From a graph to tasks over values: views cost nothing, and outputs are written in place.

Every node becomes a kernel or a function (`tasks`), except a view of an operand, which is a part of
the same value. A kernel writes a result directly into its array unless something forbids that; else
the result is copied there.
"""

from collections import Counter
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from nbgraph.array.place import refuse
from nbgraph.device import Context
from nbgraph.dtype import is_float
from nbgraph.executor.places import Place, viewed
from nbgraph.executor.schedule_builder import ScheduleBuilder
from nbgraph.executor.tasks import NodeTasks
from nbgraph.graph.build import GraphNode
from nbgraph.graph.constant import CONSTANT
from nbgraph.graph.graph import Entry, Graph, spec
from nbgraph.graph.schedule import Schedule, Value
from nbgraph.operator.arrays.array_op import ArrayOp, Spec
from nbgraph.operator.arrays.device_forms import Library, form_of, forms_of
from nbgraph.operator.layout import Layout, Layouts, layout
from nbgraph.operator.mapper.mapper import Mapper
from nbgraph.operator.request import OpReqType, Requests

kAddTo = OpReqType.kAddTo


class Inside(NamedTuple):
    """Arrays in the arena that outlive the run: results that exist after its end, by their numbers;
    variables, with their offsets at its beginning. Empty arrays have no place."""

    results: frozenset[int] = frozenset()
    variables: tuple[tuple[int, int], ...] = ()


NOTHING_INSIDE = Inside()


class Lowering:
    """A typed graph as a schedule.

    `schedule`: Schedule. `arguments`, `results`: a value for each variable of the graph, and for
    each head. `constants`: dict from Value to NumPy array. `places`: dict from entries to places.
    """

    def __init__(
        self,
        graph: Graph,
        layouts: Layouts,
        requests: Requests,
        device: Context,
        names: Mapping[GraphNode, str],
        inside: Inside = NOTHING_INSIDE,
    ) -> None:
        self.graph, self.names = graph, names
        self.builder = ScheduleBuilder(graph, device, names)
        self.places = self.builder.places
        self.constants: dict[Value, np.ndarray[Any, Any]] = {}
        self.arguments = [
            self._argument(node, own) for node, own in zip(graph.variables, layouts, strict=True)
        ]
        for k, offset in inside.variables:
            if self.arguments[k].nbytes:
                self.arguments[k].external, self.arguments[k].pinned = False, offset
        self.results = [
            Value(f"result {k}", spec(head).nbytes, external=True)
            for k, head in enumerate(graph.heads)
        ]
        for k in inside.results:
            if self.results[k].nbytes:
                self.results[k].external, self.results[k].lasts = False, True
        self._direct(requests)
        for node in graph.nodes:
            if node.op is not None:
                self._lower(node, node.op)
        self._deliver(requests)
        touched = (v for task in self.builder.tasks for v in (*task.reads, *task.writes))
        self.schedule = Schedule(self.builder.tasks, list(dict.fromkeys(touched)))

    def _argument(self, node: GraphNode, own: Layout) -> Value:
        assert own.contiguous, own
        value = Value(str(node.name), own.nbytes, external=True)
        self.places[node, 0] = Place(value, 0, own)
        return value

    # targets of results -----------------------------------------------------------------------

    def _direct(self, requests: Requests) -> None:
        """Set the targets of the heads whose node can write the result directly."""
        targets, counts = self.builder.targets, Counter(self.graph.heads)
        for head, value, request in zip(self.graph.heads, self.results, requests, strict=True):
            node, _ = head
            if node.op in (None, CONSTANT) or head in targets or getattr(node.op, "view", None):
                continue
            alone = counts[head] == 1 and head not in self.graph.users
            if request is kAddTo and not (alone and self._adds(node, spec(head))):
                continue  # its readers, such as another head, need the value without the sum
            targets[head] = value, request

    def _deliver(self, requests: Requests) -> None:
        """Copy the results that no task wrote directly to their places."""
        for head, value, request in zip(self.graph.heads, self.results, requests, strict=True):
            target = self.builder.targets.get(head)
            if target is None or target[0] is not value:
                place = Place(value, 0, layout(*spec(head)))
                self.builder.copy(f"copy {value.name}", self.places[head], place, request)

    # nodes ------------------------------------------------------------------------------------

    def _lower(self, node: GraphNode, op: Any) -> None:
        if op is CONSTANT:
            self._constant(node)
        elif isinstance(op, Mapper):
            NodeTasks(self.builder, node).mapped()
        elif not (op.view is not None and self._view(node, op)):
            self._array_op(NodeTasks(self.builder, node), op)

    def _constant(self, node: GraphNode) -> None:
        data = node.attributes["value"].array
        value = Value(self.names[node], data.nbytes, external=True)
        self.constants[value] = data
        self.places[node, 0] = Place(value, 0, layout(data.shape, data.dtype))

    def _view(self, node: GraphNode, op: ArrayOp) -> bool:
        """Return whether the node is a view of its operand, after entering its place."""
        source: Entry | Any = node.inputs[0]
        if type(source) is not tuple:
            return False
        place = viewed(op, node.attributes, self.places[source])
        if place is not None:
            self.places[node, 0] = place
            of_node = self.builder.of_node
            if source[0] in of_node:  # waiting for a view is waiting for its source
                of_node[node] = of_node[source[0]]
        return place is not None

    def _array_op(self, tasks: NodeTasks, op: ArrayOp) -> None:
        if op.view is not None and tasks.view_of_copy():
            return
        number = None if op.constant is None else op.constant(**tasks.node.attributes)
        if op.copies and tasks.node.nout == 1:
            tasks.copied()
        elif number is not None:
            tasks.filled(number)
        elif not (tasks.kernels() or tasks.formed()):
            if not (self.builder.device.host or form_of(op, Library)):
                refuse(tasks.name, self.builder.device)
            tasks.function()

    def _adds(self, node: GraphNode, result: Spec) -> bool:
        """Return whether the operator can deliver kAddTo with the bits of a sum of its results."""
        op: Any = node.op
        if isinstance(op, Mapper):
            wide = any(spec(v).dtype.itemsize > result.dtype.itemsize for v in node.entries)
            return not wide and not (is_float(result.dtype) and result.dtype.itemsize == 2)
        if not (self.builder.device.host and "host" in op.kernels) and forms_of(op):
            return False
        return not getattr(op, "copies", False) and getattr(op, "adds", True)
