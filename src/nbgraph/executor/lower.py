"""From a graph to tasks over values: views cost nothing, outputs are written where they go.

Every node becomes a kernel or a function, except those that give a view of an operand: theirs is
a part of the same value. A result is written by whoever computes it straight into the array it is
for, where nothing else forbids that; else it is copied there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from nbgraph.array.layout import Layout, layout
from nbgraph.array.push import same
from nbgraph.device import Context
from nbgraph.dtype import is_float
from nbgraph.executor import reduce
from nbgraph.executor.places import Place, viewed
from nbgraph.executor.work import (
    CastWork,
    FunctionWork,
    MapWork,
    ProductWork,
    RowWork,
    TiledWork,
    Use,
    copy_plan,
)
from nbgraph.graph.build import NUMBERS, GraphNode, draws_alone, has_effect
from nbgraph.graph.constant import CONSTANT
from nbgraph.graph.graph import Entry, Graph
from nbgraph.graph.schedule import Schedule, Task, Value
from nbgraph.operator.array_op import ArrayOp, Spec
from nbgraph.operator.map_reduce import MapReduce
from nbgraph.operator.mapper import Mapper
from nbgraph.operator.request import OpReqType
from nbgraph.ops.arithmetic import add

if TYPE_CHECKING:
    from nbgraph.operator.product_op import ProductOp
    from nbgraph.operator.row_op import Placed, RowOp
    from nbgraph.operator.tiled_op import TiledOp

kWriteTo, kAddTo = OpReqType.kWriteTo, OpReqType.kAddTo


class Lowering:
    """A typed graph as a schedule.

    Attributes
    ----------
    schedule : Schedule
    arguments, results : list of Value
        Given: one for each variable of the graph, and one for each head.
    constants : dict from Value to NumPy array
    places : dict from entries to where they lie

    `native`: reductions by themselves are kernels, which add up in another order than their
    operators do.
    """

    def __init__(
        self,
        graph: Graph,
        layouts: Sequence[Layout],
        requests: Sequence[OpReqType],
        device: Context,
        names: Mapping[GraphNode, str],
        *,
        native: bool = True,
    ) -> None:
        self.graph, self.device, self.names, self.native = graph, device, names, native
        self.places: dict[Entry, Place] = {}
        self.constants: dict[Value, np.ndarray[Any, Any]] = {}
        self.tasks: list[Task] = []
        self._of_node: dict[GraphNode, Task] = {}
        self.arguments = [
            self._argument(node, own) for node, own in zip(graph.variables, layouts, strict=True)
        ]
        self.results = [Value(f"result {k}", 0, given=True) for k in range(len(graph.heads))]
        self._targets = self._direct(requests)
        for node in graph.nodes:
            if node.op is not None:
                self._lower(node)
        self._deliver(requests)
        values = dict.fromkeys(v for task in self.tasks for v in (*task.reads, *task.writes))
        self.schedule = Schedule(self.tasks, list(values))

    def _argument(self, node: GraphNode, own: Layout) -> Value:
        assert own.contiguous, own
        value = Value(str(node.name), own.nbytes, given=True)
        self.places[node, 0] = Place(value, 0, own)
        return value

    # where results go -------------------------------------------------------------------------

    def _direct(self, requests: Sequence[OpReqType]) -> dict[Entry, tuple[Value, OpReqType]]:
        """Heads whose node can write the result itself."""
        found: dict[Entry, tuple[Value, OpReqType]] = {}
        for head, value, request in zip(self.graph.heads, self.results, requests, strict=True):
            node, _ = head
            value.nbytes = layout(*spec(head)).nbytes
            if node.op is None or head in found or _is_view(node.op) or node.op is CONSTANT:
                continue
            if request is kAddTo and (head in self.graph.users or not _adds(node, spec(head))):
                continue  # who reads it wants the value alone
            found[head] = value, request
        return found

    def _deliver(self, requests: Sequence[OpReqType]) -> None:
        """Copy the results that nobody wrote to where they go."""
        for head, value, request in zip(self.graph.heads, self.results, requests, strict=True):
            target = self._targets.get(head)
            if target is None or target[0] is not value:
                own = layout(*spec(head))
                self._copy(f"copy {value.name}", self.places[head], Place(value, 0, own), request)

    # nodes ------------------------------------------------------------------------------------

    def _lower(self, node: GraphNode) -> None:
        op = node.op
        assert op is not None
        if isinstance(op, Mapper):
            self._map(node, op)
        elif op is CONSTANT:
            self._constant(node)
        elif not (op.view is not None and self._view(node, op)):
            self._array_op(node, op)

    def _constant(self, node: GraphNode) -> None:
        data = node.attributes["value"].array
        value = Value(self.names[node], data.nbytes, given=True)
        self.constants[value] = data
        self.places[node, 0] = Place(value, 0, layout(data.shape, data.dtype))

    def _view(self, node: GraphNode, op: ArrayOp) -> bool:
        """Whether it is a view of its operand."""
        source = node.inputs[0]
        if type(source) is not tuple:
            return False
        place = viewed(op, node.attributes, self.places[source])
        if place is not None:
            self.places[node, 0] = place
            if source[0] in self._of_node:  # to come after a view is to come after its source
                self._of_node[node] = self._of_node[source[0]]
        return place is not None

    def _array_op(self, node: GraphNode, op: ArrayOp) -> None:
        if op.copies and node.nout == 1:
            (source,) = node.entries
            place = self._output(node, 0)
            request = self._request(node, 0)
            self._enter(node, self._copy(self.names[node], self.places[source], place, request))
        elif op.constant is not None and op.constant(**node.attributes) is not None:
            self._fill(node, op.constant(**node.attributes))
        elif not (self._reduced(node, op) or self._kernel(node, op)):
            self._function(node, op)

    def _kernel(self, node: GraphNode, op: Any) -> bool:
        """Whether it is an operator of a kind that kernels do, and one does it."""
        kinds = {"rows": self._rows, "product": self._product, "tiled": self._tiled}
        return bool(op.kind) and kinds[op.kind](node, op)

    def _reduced(self, node: GraphNode, op: ArrayOp) -> bool:
        """Whether it is a reduction that kernels do."""
        name, reads = self.names[node], [self.places[v] for v in node.entries]
        if isinstance(op, MapReduce):
            if 0 in spec(node.entries[0]).shape:
                return False
            tasks = reduce.fused(node, name, reads, lambda k: self._asked(node, k), _rights)
        elif self.native and reads and reduce.is_alone(node, reads[0]):
            target, request = self._output(node, 0), self._request(node, 0)
            tasks = reduce.alone(node, name, reads[0], target, request)
        else:
            return False
        self._of_node[node] = tasks[0]
        self.tasks += tasks
        tasks[0].after = tuple(self._of_node[n] for n in node.after if n in self._of_node)
        return True

    def _rows(self, node: GraphNode, op: RowOp) -> bool:
        """Whether a kernel does this row program."""
        reads = [self.places[v] for v in node.entries]
        asked = [self._asked(node, k) for k in range(node.nout)]
        writes, requests = zip(*(found for found in asked if found is not None), strict=True)
        at = iter(range(len(writes)))
        work = RowWork(
            op,
            node.attributes,
            [Use.of(i, place) for i, place in enumerate(reads)],
            [None if found is None else Use.of(next(at), found[0]) for found in asked],
            [layout(*spec((node, k))) for k in range(node.nout)],
        )
        if work.kernel(requests) is None:
            return False
        task = Task(
            self.names[node],
            tuple(place.value for place in reads),
            tuple(place.value for place in writes),
            list(requests),
            rights=tuple(pair for pair in _rights(reads, writes) if pair in op.inplace),
            accumulates=tuple(range(len(writes))),
            work=work,
        )
        self._enter(node, task)
        return True

    def _product(self, node: GraphNode, op: ProductOp) -> bool:
        """Whether a kernel does this product, with copies of what it does not take."""
        name, reads = self.names[node], [self.places[v] for v in node.entries]
        output = layout(*spec((node, 0)))
        layouts = op.replacements([place.layout for place in reads], output, node.attributes)
        if layouts is None:
            return False
        given = [
            place if own is None else self._moved(f"{name} operand {k}", place, own)
            for k, (place, own) in enumerate(zip(reads, layouts, strict=False))
        ]
        target = result = self._output(node, 0)
        if layouts[2] is not None:
            target = Place(Value(f"{name} product", output.nbytes), 0, _layout(layouts[2]))
        work = ProductWork(
            op,
            node.attributes,
            [Use.of(i, place) for i, place in enumerate(given)],
            Use.of(0, target),
        )
        request = self._request(node, 0)
        task = Task(
            name,
            tuple(place.value for place in given),
            (target.value,),
            [request if target is result else kWriteTo],
            accumulates=(0,) if target is result else (),
            work=work,
        )
        self._enter(node, task)
        if target is not result:
            self._enter(node, self._copy(f"{name} result", target, result, request))
        return True

    def _tiled(self, node: GraphNode, op: TiledOp) -> bool:
        """Whether a kernel makes this result, with copies of operands in pieces."""
        name, reads = self.names[node], [self.places[v] for v in node.entries]
        given = [Spec(place.layout.shape, place.layout.dtype) for place in reads]
        if op.tiled_call(given, kWriteTo, node.attributes) is None:
            return False
        for k, place in enumerate(reads):
            if not place.layout.contiguous:
                own = layout(place.layout.shape, place.layout.dtype)
                reads[k] = self._moved(f"{name} operand {k}", place, own)
        target = self._output(node, 0)
        uses = [Use.of(i, place) for i, place in enumerate(reads)]
        task = Task(
            name,
            tuple(place.value for place in reads),
            (target.value,),
            [self._request(node, 0)],
            accumulates=(0,) if op.adds else (),
            work=TiledWork(op, node.attributes, uses, Use.of(0, target)),
        )
        self._enter(node, task)
        return True

    def _moved(self, name: str, source: Place, own: Placed) -> Place:
        """The same elements in memory of their own, laid out like that."""
        place = Place(Value(name, source.layout.nbytes), 0, _layout(own))
        self._copy(name, source, place, kWriteTo)
        return place

    def _asked(self, node: GraphNode, index: int) -> tuple[Place, OpReqType] | None:
        """Where an output goes, and how; None where nobody needs it."""
        if not self._needed((node, index)):
            return None
        return self._output(node, index), self._request(node, index)

    def _map(self, node: GraphNode, op: Mapper) -> None:
        """One kernel; outputs that nobody needs are left out."""
        given = [spec(v).dtype if type(v) is tuple else v for v in node.inputs]
        plan = op.invoker.plan_of(given, node.attributes)
        reads = [self.places[v] for v in node.entries]
        at = iter(range(len(reads)))
        operands: list[Any] = []
        for value in node.inputs:
            if type(value) is tuple:
                index = next(at)
                operands.append(Use.of(index, reads[index]))
            else:
                operands.append(value)
        shape = spec((node, 0)).shape
        outputs: list[Use | None] = []
        writes: list[Place] = []
        requests: list[OpReqType] = []
        for k in range(node.nout):
            if not self._needed((node, k)):
                outputs.append(None)
                continue
            place = self._output(node, k)
            outputs.append(Use.of(len(writes), place))
            writes.append(place)
            requests.append(self._request(node, k))
        if not writes:
            return
        layouts = [layout(*spec((node, k))) for k in range(node.nout)]
        task = Task(
            self.names[node],
            tuple(place.value for place in reads),
            tuple(place.value for place in writes),
            requests,
            rights=_rights(reads, writes),
            accumulates=_exact_sums(writes, plan.typed.compute),
            is_sum=op is add and len(reads) == 2 and all(_equal(r, writes[0]) for r in reads),
            work=MapWork(op, plan, shape, operands, outputs, layouts),
        )
        self._enter(node, task)

    def _fill(self, node: GraphNode, number: Any) -> None:
        own = layout(*spec((node, 0)))
        place = self._output(node, 0)
        held = np.zeros((), own.dtype)
        held[...] = number
        value = held.item()
        plan = same.invoker.plan([own.dtype], own.dtype, {})
        work = MapWork(
            same, plan, own.shape, [value if type(value) in NUMBERS else float(value)],
            [Use.of(0, place)], [own],
        )  # fmt: skip
        request = self._request(node, 0)
        task = Task(self.names[node], (), (place.value,), [request], accumulates=(0,), work=work)
        self._enter(node, task)

    def _function(self, node: GraphNode, op: ArrayOp) -> None:
        given = [spec(v) for v in node.entries]
        reads = [self.places[v] for v in node.entries]
        writes = [self._output(node, k) for k in range(node.nout)]
        effect = node.token[1] if node.token and node.token[0] == "again" else node.token
        work = FunctionWork(
            op,
            node.attributes,
            [Use.of(i, place) for i, place in enumerate(reads)],
            [Use.of(i, place) for i, place in enumerate(writes)],
            () if draws_alone(op) else op.grant_to(self.device, node.attributes, given),
            effect if has_effect(op) else None,
        )
        states = [i for i, name in enumerate(op.operands) if name in getattr(op, "auxiliary", ())]
        work.states, work.mode = states, node.marks.get("is_train")
        written = [reads[i].value for i in states]
        allowed = set(op.inplace_pairs(node.attributes))
        rights = tuple(pair for pair in _rights(reads, writes) if pair in allowed)
        task = Task(
            self.names[node],
            tuple(place.value for place in reads),
            (*(place.value for place in writes), *written),
            [*(self._request(node, k) for k in range(node.nout)), *[kAddTo] * len(written)],
            rights=rights,
            accumulates=tuple(range(len(writes))),
            work=work,
        )
        self._enter(node, task)

    def _copy(self, name: str, source: Place, target: Place, request: OpReqType) -> Task:
        """Elements from place to place, cast as in C."""
        was, becomes = source.layout.dtype, target.layout.dtype
        uses = Use.of(0, source), Use.of(0, target)
        to_bool = becomes.kind == "b" and was.kind != "b"
        if to_bool or (is_float(was) and becomes.kind in "iu"):
            work: Any = CastWork(*uses)
        else:
            plan = copy_plan(was)
            work = MapWork(same, plan, target.layout.shape, [uses[0]], [uses[1]], [target.layout])
        task = Task(
            name,
            (source.value,),
            (target.value,),
            [request],
            rights=_rights([source], [target]),
            accumulates=(0,) if was == becomes else (),
            work=work,
        )
        self.tasks.append(task)
        return task

    # helpers ----------------------------------------------------------------------------------

    def _enter(self, node: GraphNode, task: Task) -> None:
        if not self.tasks or self.tasks[-1] is not task:
            self.tasks.append(task)
        self._of_node[node] = task
        task.after = tuple(self._of_node[n] for n in node.after if n in self._of_node)

    def _needed(self, entry: Entry) -> bool:
        return entry in self.graph.users or entry in self.graph.head_set

    def _output(self, node: GraphNode, index: int) -> Place:
        """Where an output is written: the result it is, or a new value."""
        own = layout(*spec((node, index)))
        target = self._targets.get((node, index))
        name = self.names[node]
        label = name if node.nout == 1 else f"{name}[{index}]"
        value = target[0] if target is not None else Value(label, own.nbytes)
        if target is not None:
            value.note = label
        place = self.places[node, index] = Place(value, 0, own)
        return place

    def _request(self, node: GraphNode, index: int) -> OpReqType:
        target = self._targets.get((node, index))
        return kWriteTo if target is None else target[1]


def spec(entry: Entry) -> Spec:
    """Shape and dtype of an entry of a typed graph."""
    node, index = entry
    assert node.specs is not None, f"{node!r} has no shapes yet"
    return node.specs[index]


def _layout(place: Placed) -> Layout:
    return layout(place.shape, place.dtype, place.strides)


def _is_view(op: Any) -> bool:
    return getattr(op, "view", None) is not None


def _adds(node: GraphNode, result: Spec) -> bool:
    """Whether the operator can deliver kAddTo with the bits of a sum of what it gives."""
    if not isinstance(node.op, Mapper):
        return not getattr(node.op, "copies", False) and getattr(node.op, "adds", True)
    wide = any(spec(v).dtype.itemsize > result.dtype.itemsize for v in node.entries)
    return not wide and not _is_short(result.dtype)


def _exact_sums(writes: Sequence[Place], compute: str) -> tuple[int, ...]:
    """Outputs that a kernel may add to what is there: a sum has the bits of adding up what was
    stored where the kernel computes in the dtype that it stores."""
    return tuple(
        k
        for k, place in enumerate(writes)
        if not is_float(place.layout.dtype) or place.layout.dtype.name == compute
    )


def _is_short(dtype: np.dtype[Any]) -> bool:
    return is_float(dtype) and dtype.itemsize == 2


def _equal(a: Place, b: Place) -> bool:
    return a.whole and b.whole and a.layout is b.layout


def _rights(reads: Sequence[Place], writes: Sequence[Place]) -> tuple[tuple[int, int], ...]:
    """Element by element: pairs of one layout, where nothing else of that value is read."""
    found: list[tuple[int, int]] = []
    for i, source in enumerate(reads):
        others = [p for p in reads if p.value is source.value]
        if not source.whole or any(p.layout is not source.layout or p.offset for p in others):
            continue
        for k, target in enumerate(writes):
            same_size = source.layout.dtype.itemsize == target.layout.dtype.itemsize
            if target.whole and source.layout.shape == target.layout.shape and same_size:
                found.append((i, k))
    return tuple(found)
