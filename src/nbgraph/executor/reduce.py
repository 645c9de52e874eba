"""Lowering of reductions: kernels one after another, with scratch memory between them.

A fused loop with reductions at its end sets down block totals, which a second kernel makes one of;
a reduction alone is the kernels of `array.folds`. What lies between them is a value like any other.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from nbgraph.array.folds import lower
from nbgraph.array.launch import Prepared
from nbgraph.array.layout import Layout, layout
from nbgraph.array.reduce import PreparedReduction, block_on, prepare_reduction
from nbgraph.device import Context
from nbgraph.executor.draft import Draft, task_over
from nbgraph.executor.places import Place, rights
from nbgraph.executor.work import ReadyWork, Use
from nbgraph.graph.build import GraphNode
from nbgraph.graph.graph import spec, spec_of
from nbgraph.graph.schedule import Task, Value
from nbgraph.operator.map_reduce import elementwise
from nbgraph.operator.reduce_op import ReduceOp
from nbgraph.operator.request import OpReqType

Asked = Sequence["tuple[Place, OpReqType] | None"]  # of outputs: where one goes, and how

_WRITE = OpReqType.kWriteTo
_WORDS = {OpReqType.kNullOp: "null", OpReqType.kWriteTo: "write", OpReqType.kAddTo: "add"}


def alone(draft: Draft, node: GraphNode, op: ReduceOp) -> bool:
    """Whether kernels do this reduction by itself: those of a call on arrays."""
    (given,) = draft.reads(node)
    name, request = draft.names[node], draft.request(node, 0)
    out = layout(*spec((node, 0)))
    found = lower(op, given.layout, out, request, node.attributes, draft.device)
    if found is None:
        return False
    (given,) = draft.laid(name, [given], [found.operand])
    tasks: list[Task] = []
    for k, kernel in enumerate(found.stages):
        last = k == len(found.stages) - 1
        made = draft.output(node, 0) if last else scratch(f"{name} totals {k}", found.scratch[k])
        tasks.append(kernel_task(name, kernel, [given], [made], [request if last else _WRITE]))
        given = made
    draft.enter(node, *tasks)
    return True


def fused(draft: Draft, node: GraphNode) -> bool:
    """Whether kernels do this loop with reductions at its end: not where there is nothing."""
    if 0 in spec(node.entries[0]).shape:
        return False
    name, reads = draft.names[node], draft.reads(node)
    asked = [draft.asked(node, k) for k in range(node.nout)]
    made, shape = _prepared(draft.device, node, reads, asked)
    writes: list[Place] = []
    requests: list[OpReqType] = []
    ends: list[Task] = []
    for k, found in enumerate(asked):
        if found is None:
            continue
        place, request = found
        held, end = made.totals[k], made.ends[k]
        if held is not None and end is not None:
            total = scratch(f"{name} totals {k}", held)
            ends.append(kernel_task(f"{name} total", end, [total], [place], [request]))
            place, request = total, _WRITE
        writes.append(place)
        requests.append(request)
    loop = kernel_task(name, made.loop, reads, writes, requests, node.attributes["numbers"])
    loop.rights = tuple(
        (i, j)
        for i, j in rights(reads, writes)
        if writes[j].layout.shape == shape and requests[j] is _WRITE
    )
    draft.enter(node, loop, *ends)
    return True


def _prepared(
    device: Context, node: GraphNode, reads: Sequence[Place], asked: Asked
) -> tuple[PreparedReduction, tuple[int, ...]]:
    """The kernels of a fused loop, and the shape that it goes over."""
    attributes = node.attributes
    mapper, numbers = attributes["mapper"], attributes["numbers"]
    reductions = attributes["reductions"]
    parameters = dict(attributes["parameters"])
    specs = [given for operand in node.inputs if (given := spec_of(operand)) is not None]
    inner = elementwise(specs, mapper, parameters, numbers)
    plan = mapper.invoker.plan_of([*(s.dtype for s in specs), *numbers], parameters)
    layouts = [
        layout(*inner[k]) if found is None else found[0].layout for k, found in enumerate(asked)
    ]
    made = prepare_reduction(
        mapper,
        plan,
        inner[0].shape,
        [*(place.layout for place in reads), *(None for _ in numbers)],
        layouts,
        ["null" if found is None else _WORDS[found[1]] for found in asked],
        [None if r is None else r.combine for r in reductions],
        max(r.axes for r in reductions if r is not None),
        disjoint=True,
        block=block_on(device, math.prod(inner[0].shape)),
    )
    return made, inner[0].shape


def kernel_task(
    name: str,
    kernel: Prepared,
    reads: Sequence[Place],
    writes: Sequence[Place],
    requests: Sequence[OpReqType],
    numbers: Sequence[Any] = (),
) -> Task:
    """A kernel that is prepared, over the values of places."""
    work = ReadyWork(kernel, Use.each(reads), Use.each(writes), numbers)
    return task_over(name, reads, writes, requests, work)


def scratch(name: str, own: Layout) -> Place:
    """A value of that layout between two kernels."""
    return Place(Value(name, own.nbytes), 0, own)
