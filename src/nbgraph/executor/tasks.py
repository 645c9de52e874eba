"""Lowering of nodes: the task of every kind of operator, entered in a draft.

A kind that kernels may refuse (for its dtypes, its layouts) says so by returning False, and has
entered nothing then.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from nbgraph.array.push import same
from nbgraph.dtype import is_float, real_dtype
from nbgraph.executor.draft import Draft, copy_task, task_over
from nbgraph.executor.places import Place, equal, rights, viewed
from nbgraph.executor.work import FunctionWork, KernelWork, Use, map_work
from nbgraph.graph.build import NUMBERS, GraphNode, draws_alone, has_effect
from nbgraph.graph.graph import spec
from nbgraph.graph.schedule import Task, Value
from nbgraph.operator.arrays.array_op import ArrayOp
from nbgraph.operator.arrays.elsewhere import Part, Parts, Pieces, Unit, form_of, parts_of
from nbgraph.operator.arrays.unit_op import unit_lowered
from nbgraph.operator.kernel_call import Application, KernelCall, Lowered, lowered
from nbgraph.operator.layout import Layout, layout
from nbgraph.operator.mapper.mapper import Mapper
from nbgraph.operator.request import OpReqType
from nbgraph.ops.elementwise.arithmetic import add

kWriteTo, kAddTo = OpReqType.kWriteTo, OpReqType.kAddTo


# elements -------------------------------------------------------------------------------------


def mapped(draft: Draft, node: GraphNode, op: Mapper) -> None:
    """Enter one kernel for a scalar operator; outputs that nobody needs are left out."""
    dtypes = [spec(v).dtype if type(v) is tuple else v for v in node.inputs]
    plan = op.invoker.plan_of(dtypes, node.attributes)
    reads = draft.reads(node)
    uses = iter(Use.each(reads))
    operands = [next(uses) if type(v) is tuple else v for v in node.inputs]
    outputs, writes, requests = _outputs(draft, node)
    if not writes:
        return
    work = map_work(plan, spec((node, 0)).shape, operands, outputs, _layouts(node))
    task = task_over(
        draft.names[node],
        reads,
        writes,
        requests,
        work,
        rights=rights(reads, writes),
        accumulates=_exact_sums(writes, plan.typed.compute),
        is_sum=op is add and len(reads) == 2 and all(equal(r, writes[0]) for r in reads),
    )
    draft.enter(node, task)


def filled(draft: Draft, node: GraphNode, number: Any) -> None:
    """Enter a task that writes one number to all elements of the output."""
    place, request = draft.output(node, 0), draft.request(node, 0)
    draft.enter(node, *fill_tasks(draft.names[node], place, number, request))


def fill_tasks(name: str, place: Place, number: Any, request: OpReqType) -> list[Task]:
    """Return the tasks that write one number to all elements of a place: one, or one a part."""
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


def copied(draft: Draft, node: GraphNode) -> None:
    """Enter a task that copies the operand's elements as the output's dtype."""
    (source,) = draft.reads(node)
    place, request = draft.output(node, 0), draft.request(node, 0)
    draft.enter(node, copy_task(draft.names[node], source, place, request, draft.device))


def _exact_sums(writes: Sequence[Place], compute: str) -> tuple[int, ...]:
    """Return the outputs that a kernel may add to in place: a sum has the bits of adding up stored
    values where the kernel computes in the dtype that it stores."""
    return tuple(
        k
        for k, place in enumerate(writes)
        if not is_float(place.layout.dtype) or place.layout.dtype.name == compute
    )


# kernel calls ---------------------------------------------------------------------------------


def kernels(draft: Draft, node: GraphNode, op: Any) -> bool:
    """Return whether kernels do this, with copies of operands whose layouts they refuse: one of the
    three runners, see `operator.kernel_call`."""
    layouts, own = [place.layout for place in draft.reads(node)], _layouts(node)
    words = [
        op.words[draft.request(node, k)] if draft.needed((node, k)) else "null"
        for k in range(node.nout)
    ]

    def find(words: Sequence[str]) -> Lowered | None:
        return lowered(op, layouts, own, words, node.attributes, host=draft.device.host)

    lowering = find(words)
    if lowering is not None:
        enter(draft, node, lowering, words, find)
    return lowering is not None


def enter(
    draft: Draft,
    node: GraphNode,
    lowering: Lowered,
    words: Sequence[str],
    find: Callable[[Sequence[str]], Lowered | None] | None = None,
) -> list[Task]:
    """Enter the calls of an operator and return their tasks. `find` gives the calls for other
    requests of the outputs; without it the requests stay."""
    name, count = draft.names[node], len(draft.reads(node))
    arrays = dict(enumerate(draft.laid(name, draft.reads(node), lowering.places)))
    requests: dict[int, OpReqType] = {}  # of what calls write
    copies: list[Task] = []
    for k in sorted({k for call in lowering.calls for k in call.order[-call.writes :]}):
        output, requests[k] = k - count, kWriteTo
        if k < count:  # a state, which is written where it lies
            requests[k] = kAddTo
            continue
        if output >= node.nout:
            room = lowering.scratch[output - node.nout]
            arrays[k] = scratch(f"{name} totals {output - node.nout}", room)
            continue
        arrays[k], own = draft.output(node, output), lowering.places[k]
        if own is None:
            requests[k] = draft.request(node, output)
        else:
            arrays[k] = scratch(f"{name} rows {output}", own)
            copies += _delivered(draft, node, output, arrays[k])
    tasks = [
        _task(draft, node, lowering, k, arrays, requests, words, find)
        for k in range(len(lowering.calls))
    ]
    draft.enter(node, *tasks, *copies)
    return tasks


def _task(
    draft: Draft,
    node: GraphNode,
    lowering: Lowered,
    place: int,
    arrays: Mapping[int, Place],
    requests: Mapping[int, OpReqType],
    words: Sequence[str],
    find: Callable[[Sequence[str]], Lowered | None] | None,
) -> Task:
    """Return the task of a call."""
    op: Any = node.op
    call, count = lowering.calls[place], len(draft.reads(node))
    first = len(call.order) - call.writes
    operands, written = call.order[:first], call.order[first:]
    reads, writes = [arrays[k] for k in operands], [arrays[k] for k in written]
    direct = [k for k in written if count <= k < count + node.nout and lowering.places[k] is None]

    def again(asked: Sequence[OpReqType], once: bool) -> KernelCall:
        own = list(words)
        for k, request in zip(written, asked, strict=False):
            if k in direct and own[k - count] != "null":
                own[k - count] = op.words[request]
        other = None if find is None or own == list(words) else find(own)
        return (other or lowering).calls[place]

    mode = op.mode(node.attributes)
    mode = node.marks.get("is_train") if mode is None else mode
    numbers: Sequence[Any] = ()
    if op.draws:  # a run brings them
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
        draft.names[node] if len(lowering.calls) == 1 else f"{draft.names[node]} {call.name}",
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


def _delivered(draft: Draft, node: GraphNode, output: int, value: Place) -> list[Task]:
    """Return tasks that copy a value computed beside a result to where the result goes."""
    name, result = f"{draft.names[node]} result {output}", draft.places[node, output]
    request, tasks = draft.request(node, output), list[Task]()
    if request is kAddTo and value.layout.dtype != result.layout.dtype:  # the result is rounded
        rounded = scratch(f"{name} rounded", result.layout)
        tasks.append(copy_task(f"{name} rounded", value, rounded, kWriteTo, draft.device))
        value = rounded
    return [*tasks, copy_task(name, value, result, request, draft.device)]


def scratch(name: str, own: Layout) -> Place:
    """Return the place of a new value of that layout, between two kernels."""
    return Place(Value(name, own.nbytes), 0, own)


# Python functions -----------------------------------------------------------------------------


def function(draft: Draft, node: GraphNode, op: ArrayOp) -> None:
    """Enter a Python function over NumPy views, which may write its auxiliary states."""
    reads = draft.reads(node)
    outputs = [draft.output(node, k) for k in range(node.nout)]
    requests = [draft.request(node, k) for k in range(node.nout)]
    work = _function_work(draft, node, op, reads, outputs)
    allowed = set(op.inplace_pairs(node.attributes))
    task = task_over(
        draft.names[node],
        reads,
        [*outputs, *(reads[i] for i in work.states)],
        [*requests, *[kAddTo] * len(work.states)],
        work,
        rights=tuple(pair for pair in rights(reads, outputs) if pair in allowed),
        accumulates=tuple(range(len(outputs))),
    )
    draft.enter(node, task)


def _function_work(
    draft: Draft, node: GraphNode, op: ArrayOp, reads: Sequence[Place], outputs: Sequence[Place]
) -> FunctionWork:
    specs = [spec(v) for v in node.entries]
    work = FunctionWork(
        op,
        node.attributes,
        Use.each(reads),
        Use.each(outputs),
        () if draws_alone(op) else op.grant_to(draft.device, node.attributes, specs),
        effect_of(node) if has_effect(op) else None,
    )
    auxiliary = getattr(op, "auxiliary", ())
    work.states = [i for i, name in enumerate(op.operands) if name in auxiliary]
    work.mode = node.marks.get("is_train")
    return work


def effect_of(node: GraphNode) -> Any:
    """Return the token under which a run keeps the resources granted to a node; another node that
    does the same work again has it, too."""
    return node.token[1] if node.token and node.token[0] == "again" else node.token


# helpers --------------------------------------------------------------------------------------


def _outputs(
    draft: Draft, node: GraphNode
) -> tuple[list[Use | None], list[Place], list[OpReqType]]:
    """Return the uses of all outputs, None for unneeded ones; places and requests of the rest."""
    targets = [draft.asked(node, k) for k in range(node.nout)]
    writes = [target[0] for target in targets if target is not None]
    requests = [target[1] for target in targets if target is not None]
    uses = iter(Use.each(writes))
    return [None if target is None else next(uses) for target in targets], writes, requests


def _layouts(node: GraphNode) -> list[Layout]:
    return [layout(*spec((node, k))) for k in range(node.nout)]


def formed(draft: Draft, node: GraphNode, op: ArrayOp) -> bool:
    """Return whether kernels of the device do this."""
    return in_pieces(draft, node, op) or _unit_kernel(draft, node, op)


def view_of_copy(draft: Draft, node: GraphNode, op: ArrayOp) -> bool:
    """Return whether the node is a view of a copy, as its operand's strides allow no view."""
    (source,) = draft.reads(node)
    name = f"{draft.names[node]} operand 0"
    moved = draft.moved(name, source, layout(source.layout.shape, source.layout.dtype))
    place = viewed(op, node.attributes, moved)
    if place is not None:
        draft.places[node, 0] = place
        draft.of_node[node] = draft.tasks[-1]
    return place is not None


def in_pieces(draft: Draft, node: GraphNode, op: ArrayOp) -> bool:
    """Return whether copies between parts of arrays do this."""
    form = form_of(op, Pieces)
    return form is not None and _written(draft, node, form.parts)


def _unit_kernel(draft: Draft, node: GraphNode, op: ArrayOp) -> bool:
    """Return whether a hand-written kernel does this, with copies of operands in pieces."""
    form, reads = form_of(op, Unit), draft.reads(node)
    own, words = [layout(*spec((node, k))) for k in range(node.nout)], ["write"] * node.nout
    case = Application([place.layout for place in reads], own, words, node.attributes, False)
    lowering = unit_lowered(op, case)
    if form is None or lowering is None:
        return False
    if form.first is not None:
        _written(draft, node, form.first)
    (task,) = enter(draft, node, lowering, words)
    if form.first is not None:
        task.requests = [kAddTo] * node.nout  # it goes on from what is there
    return True


def _written(draft: Draft, node: GraphNode, parts: Parts) -> bool:
    """Enter the copies of a node; return whether its form supports it."""
    reads, own = draft.reads(node), layout(*spec((node, 0)))
    copies = parts_of(parts, [place.layout for place in reads], own, node.attributes)
    if copies is None:
        return False
    name, target = draft.names[node], draft.output(node, 0)
    tasks: list[Task] = []
    for k, part in enumerate(copies):
        tasks += _copies(draft, f"{name} part {k}", part, reads, target)
    if tasks:
        draft.enter(node, *tasks)
    return True


def _copies(draft: Draft, name: str, part: Part, reads: Sequence[Place], to: Place) -> list[Task]:
    place = _seen(to, part.offset, part.layout)
    if part.operand is None:
        tasks = fill_tasks(name, place, part.source, kWriteTo)
    else:
        source = _seen(reads[part.operand], part.from_offset, part.source)
        tasks = [copy_task(name, source, place, kWriteTo, draft.device)]
    for task in tasks:
        task.rights = task.accumulates = ()  # others write the same value
    return tasks


def _seen(place: Place, offset: int, own: Any) -> Place:
    return Place(place.value, place.offset + offset, own)
