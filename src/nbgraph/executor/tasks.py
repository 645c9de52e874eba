"""Lowering of nodes: the tasks of every kind of operator, added to a schedule builder.

A method for kernels, which may not support the dtypes or layouts, then returns False and adds
nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from nbgraph.array.push import same
from nbgraph.dtype import is_float, real_dtype
from nbgraph.executor.places import Place, equal, rights, viewed
from nbgraph.executor.schedule_builder import ScheduleBuilder, copy_task, task_over
from nbgraph.executor.work import FunctionWork, KernelWork, Use, map_work
from nbgraph.graph.build import NUMBERS, GraphNode, draws_alone, has_effect
from nbgraph.graph.graph import spec
from nbgraph.graph.schedule import Task, Value
from nbgraph.operator.arrays.device_forms import Part, Parts, Pieces, Unit, form_of, parts_of
from nbgraph.operator.arrays.unit_op import unit_lowered
from nbgraph.operator.kernel_call import Application, KernelCall, Lowered, lowered
from nbgraph.operator.layout import Layout, layout
from nbgraph.operator.request import OpReqType, Requests, kAddTo, kWriteTo
from nbgraph.ops.elementwise.arithmetic import add


class NodeTasks:
    """The tasks of one node, added to a builder."""

    # the kernel calls, the words of the outputs' requests, and a function for other requests
    lowering: Lowered
    words: Sequence[str]
    find: Callable[[Sequence[str]], Lowered | None] | None

    def __init__(self, builder: ScheduleBuilder, node: GraphNode) -> None:
        self.builder, self.node = builder, node
        self.op: Any = node.op
        self.name, self.reads = builder.names[node], builder.reads(node)

    def layouts(self) -> list[Layout]:
        """Return the layouts of the outputs."""
        return [layout(*spec((self.node, k))) for k in range(self.node.nout)]

    # elements ---------------------------------------------------------------------------------

    def mapped(self) -> None:
        """Add one kernel for a scalar operator, which omits outputs that are not needed."""
        node, reads = self.node, self.reads
        dtypes = [spec(v).dtype if type(v) is tuple else v for v in node.inputs]
        plan = self.op.invoker.plan_of(dtypes, node.attributes)
        uses = iter(Use.each(reads))
        operands = [next(uses) if type(v) is tuple else v for v in node.inputs]
        targets = [self.builder.target(node, k) for k in range(node.nout)]
        writes = [target[0] for target in targets if target is not None]
        if not writes:
            return
        written = iter(Use.each(writes))
        outputs = [None if target is None else next(written) for target in targets]
        # outputs that a kernel may add to in place: the bits are those of adding stored values if
        # the kernel computes in the dtype that it stores
        stored = [place.layout.dtype for place in writes]
        compute = plan.typed.compute
        exact = tuple([k for k, d in enumerate(stored) if not is_float(d) or d.name == compute])
        task = task_over(
            self.name,
            reads,
            writes,
            [target[1] for target in targets if target is not None],
            map_work(plan, spec((node, 0)).shape, operands, outputs, self.layouts()),
            rights=rights(reads, writes),
            accumulates=exact,
            is_sum=self.op is add and len(reads) == 2 and all(equal(r, writes[0]) for r in reads),
        )
        self.builder.enter(node, task)

    def filled(self, number: Any) -> None:
        """Add a task that writes one number to all elements of the output."""
        place, request = self._only()
        self.builder.enter(self.node, *fill_tasks(self.name, place, number, request))

    def copied(self) -> None:
        """Add a task that copies the operand's elements, cast to the output's dtype."""
        task = copy_task(self.name, self.reads[0], *self._only(), self.builder.device)
        self.builder.enter(self.node, task)

    def _only(self) -> tuple[Place, OpReqType]:
        """Return the place and the request of the only output."""
        return self.builder.output(self.node, 0), self.builder.request(self.node, 0)

    # kernel calls -----------------------------------------------------------------------------

    def kernels(self) -> bool:
        """Add kernel calls, with copies of operands in unsupported layouts, and return True, or
        return False without kernels; see `operator.kernel_call`."""
        builder, node, own = self.builder, self.node, self.layouts()
        layouts = [place.layout for place in self.reads]
        words = [
            self.op.words[builder.request(node, k)] if builder.needed((node, k)) else "null"
            for k in range(node.nout)
        ]

        def find(words: Sequence[str]) -> Lowered | None:
            return lowered(self.op, layouts, own, words, node.attributes, host=builder.device.host)

        lowering = find(words)
        if lowering is not None:
            self._enter(lowering, words, find)
        return lowering is not None

    def _enter(
        self,
        lowering: Lowered,
        words: Sequence[str],
        find: Callable[[Sequence[str]], Lowered | None] | None = None,
    ) -> list[Task]:
        """Add the calls of an operator and return their tasks. `find` returns the calls for other
        requests of the outputs; without it the requests are fixed."""
        self.lowering, self.words, self.find = lowering, words, find
        builder, node, name, count = self.builder, self.node, self.name, len(self.reads)
        arrays = dict(enumerate(builder.with_layouts(name, self.reads, lowering.places)))
        requests: dict[int, OpReqType] = {}  # of the arrays that calls write
        copies: list[Task] = []
        for k in sorted({k for call in lowering.calls for k in call.order[-call.writes :]}):
            output, requests[k] = k - count, kWriteTo
            if k < count:  # a state, which is updated in place
                requests[k] = kAddTo
                continue
            if output >= node.nout:
                room = lowering.scratch[output - node.nout]
                arrays[k] = scratch(f"{name} totals {output - node.nout}", room)
                continue
            arrays[k], own = builder.output(node, output), lowering.places[k]
            if own is None:
                requests[k] = builder.request(node, output)
            else:
                arrays[k] = scratch(f"{name} rows {output}", own)
                copies += self._delivered(output, arrays[k])
        tasks = [self._task(k, arrays, requests) for k in range(len(lowering.calls))]
        builder.enter(node, *tasks, *copies)
        return tasks

    def _task(
        self, place: int, arrays: Mapping[int, Place], requests: Mapping[int, OpReqType]
    ) -> Task:
        """Return the task of a call."""
        op, node, lowering, words = self.op, self.node, self.lowering, self.words
        call, count = lowering.calls[place], len(self.reads)
        first = len(call.order) - call.writes
        operands, written = call.order[:first], call.order[first:]
        reads, writes = [arrays[k] for k in operands], [arrays[k] for k in written]
        results = range(count, count + node.nout)
        direct = [k for k in written if k in results and lowering.places[k] is None]

        def again(asked: Requests, once: bool) -> KernelCall:
            own = list(words)
            for k, request in zip(written, asked, strict=False):
                if k in direct and own[k - count] != "null":
                    own[k - count] = op.words[request]
            other = None if self.find is None or own == list(words) else self.find(own)
            return (other or lowering).calls[place]

        mode = op.mode(node.attributes)
        mode = node.marks.get("is_train") if mode is None else mode
        numbers: Sequence[Any] = ()
        if op.draws:  # patched at each run
            numbers = [*[0] * op.draws, *[int(bool(mode))] * (len(call.scalars) - op.draws)]
        elif call.scalars:
            numbers = op.numbers(node.attributes, is_train=bool(mode))
        uses = [*((False, u) for u in Use.each(reads)), *((True, u) for u in Use.each(writes))]
        work = KernelWork(
            again, uses, numbers, bool(op.draws), mode, effect_of(node), op, node.attributes
        )
        allowed = set(op.inplace_pairs(node.attributes))
        states = [arrays[k] for k in op.states(is_train=True) if k not in written]
        return task_over(
            self.name if len(lowering.calls) == 1 else f"{self.name} {call.name}",
            reads,
            [*writes, *states],
            [*(requests[k] for k in written), *[kAddTo] * len(states)],
            work,
            whole=call.size == 1,
            rights=tuple(
                (i, j)
                for i, j in rights(reads, writes)
                if written[j] in direct and (operands[i], written[j] - count) in allowed
            ),
            accumulates=tuple(j for j, k in enumerate(written) if lowering.adds and k in direct),
        )

    def _delivered(self, output: int, value: Place) -> list[Task]:
        """Return tasks that copy a value, computed in scratch memory, to its result."""
        builder, name = self.builder, f"{self.name} result {output}"
        result, request = builder.places[self.node, output], builder.request(self.node, output)
        tasks: list[Task] = []
        if request is kAddTo and value.layout.dtype != result.layout.dtype:  # it is rounded
            rounded = scratch(f"{name} rounded", result.layout)
            tasks.append(copy_task(f"{name} rounded", value, rounded, kWriteTo, builder.device))
            value = rounded
        return [*tasks, copy_task(name, value, result, request, builder.device)]

    # Python functions -------------------------------------------------------------------------

    def function(self) -> None:
        """Add a Python function over NumPy views, which may write its auxiliary states."""
        op, node, reads, attributes = self.op, self.node, self.reads, self.node.attributes
        outputs = [self.builder.output(node, k) for k in range(node.nout)]
        requests = [self.builder.request(node, k) for k in range(node.nout)]
        specs = [spec(v) for v in node.entries]
        work = FunctionWork(
            op,
            attributes,
            Use.each(reads),
            Use.each(outputs),
            () if draws_alone(op) else op.grant_to(self.builder.device, attributes, specs),
            effect_of(node) if has_effect(op) else None,
        )
        auxiliary = getattr(op, "auxiliary", ())
        work.states = [i for i, name in enumerate(op.operands) if name in auxiliary]
        work.mode = node.marks.get("is_train")
        allowed = set(op.inplace_pairs(attributes))
        task = task_over(
            self.name,
            reads,
            [*outputs, *(reads[i] for i in work.states)],
            [*requests, *[kAddTo] * len(work.states)],
            work,
            rights=tuple(pair for pair in rights(reads, outputs) if pair in allowed),
            accumulates=tuple(range(len(outputs))),
        )
        self.builder.enter(node, task)

    # other forms ------------------------------------------------------------------------------

    def view_of_copy(self) -> bool:
        """Make the node a view of a copy of an operand that allows no view; return success."""
        builder, source = self.builder, self.reads[0].layout
        contiguous = layout(source.shape, source.dtype)
        moved = builder.copied_to(f"{self.name} operand 0", self.reads[0], contiguous)
        place = viewed(self.op, self.node.attributes, moved)
        if place is not None:
            builder.places[self.node, 0] = place
            builder.of_node[self.node] = builder.tasks[-1]
        return place is not None

    def formed(self) -> bool:
        """Add copies between parts of arrays, or a device's kernel; return whether one fits."""
        form = form_of(self.op, Pieces)
        if form is not None and self._written(form.parts):
            return True
        return not self.builder.device.host and self._unit_kernel()

    def _unit_kernel(self) -> bool:
        """Add a hand-written kernel, after copies of operands' parts; return whether one fits."""
        form, words = form_of(self.op, Unit), ["write"] * self.node.nout
        layouts = [place.layout for place in self.reads]
        case = Application(layouts, self.layouts(), words, self.node.attributes, False)
        lowering = unit_lowered(self.op, case)
        if form is None or lowering is None:
            return False
        if form.first is not None:
            self._written(form.first)
        (task,) = self._enter(lowering, words)
        if form.first is not None:
            task.requests = [kAddTo] * self.node.nout  # it updates the copied elements
        return True

    def _written(self, parts: Parts) -> bool:
        """Add the copies of a node; return whether its form supports it."""
        layouts = [place.layout for place in self.reads]
        copies = parts_of(parts, layouts, self.layouts()[0], self.node.attributes)
        if copies is None:
            return False
        target = self.builder.output(self.node, 0)
        tasks: list[Task] = []
        for k, part in enumerate(copies):
            tasks += self._copies(f"{self.name} part {k}", part, target)
        if tasks:
            self.builder.enter(self.node, *tasks)
        return True

    def _copies(self, name: str, part: Part, to: Place) -> list[Task]:
        place = _seen(to, part.offset, part.layout)
        if part.operand is None:
            tasks = fill_tasks(name, place, part.source, kWriteTo)
        else:
            source = _seen(self.reads[part.operand], part.from_offset, part.source)
            tasks = [copy_task(name, source, place, kWriteTo, self.builder.device)]
        for task in tasks:
            task.rights = task.accumulates = ()  # others write the same value
        return tasks


def fill_tasks(name: str, place: Place, number: Any, request: OpReqType) -> list[Task]:
    """Return the tasks that write a number to all elements of a place: two if it is complex."""
    own = place.layout
    if own.dtype.kind == "c":
        dtype, value = real_dtype(own.dtype), complex(number)
        real = _seen(place, 0, layout(own.shape, dtype, own.strides))
        pairs = (real, value.real), (_seen(real, dtype.itemsize, real.layout), value.imag)
        return [task for pair in pairs for task in fill_tasks(name, *pair, request)]
    scalar = np.zeros((), own.dtype)
    scalar[...] = number
    value = scalar.item()
    plan = same.invoker.plan([own.dtype], own.dtype, {})
    operand = value if type(value) in NUMBERS else float(value)
    work = map_work(plan, own.shape, [operand], Use.each([place]), [own])
    return [task_over(name, [], [place], [request], work, accumulates=(0,))]


def scratch(name: str, own: Layout) -> Place:
    """Return the place of a new value of that layout, between two kernels."""
    return Place(Value(name, own.nbytes), 0, own)


def effect_of(node: GraphNode) -> Any:
    """Return the token under which a run stores the resources granted to a node; a node that
    repeats its work has the same token."""
    return node.token[1] if node.token and node.token[0] == "again" else node.token


def _seen(place: Place, offset: int, own: Any) -> Place:
    return Place(place.value, place.offset + offset, own)
