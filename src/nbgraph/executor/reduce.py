"""Lowering of reductions: kernels one after another, with scratch memory between them.

A fused loop with reductions at its end sets down block totals, which a second kernel makes one of;
a reduction alone goes axis by axis. What lies between the kernels is a value like any other.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from nbgraph.array.launch import Prepared
from nbgraph.array.layout import Layout, layout
from nbgraph.array.leading import prepare_axes
from nbgraph.array.reduce import PreparedReduction, block_on, prepare_reduction
from nbgraph.device import Context
from nbgraph.dtype import is_float
from nbgraph.executor.draft import Draft, task_over
from nbgraph.executor.places import Place, rights
from nbgraph.executor.work import ReadyWork, Use
from nbgraph.graph.build import GraphNode
from nbgraph.graph.graph import spec, spec_of
from nbgraph.graph.passes.fuse_facts import COMBINES, reduced_axes
from nbgraph.graph.schedule import Task, Value
from nbgraph.operator.array_op import Spec
from nbgraph.operator.map_reduce import elementwise
from nbgraph.operator.request import OpReqType

Asked = Sequence["tuple[Place, OpReqType] | None"]  # of outputs: where one goes, and how

_WRITE = OpReqType.kWriteTo
_WORDS = {OpReqType.kNullOp: "null", OpReqType.kWriteTo: "write", OpReqType.kAddTo: "add"}


def alone(draft: Draft, node: GraphNode) -> bool:
    """Whether it is a reduction by itself that kernels can do: of floats, on devices of all
    dtypes, of operands in pieces by copies."""
    if node.op not in COMBINES or not node.entries:
        return False
    (given,) = draft.reads(node)
    own, made = given.layout, spec((node, 0))
    kernels = is_float(own.dtype) and own.dtype.itemsize > 2 and made.dtype == own.dtype
    if not own.size or (draft.device.host and not (kernels and given.whole)):
        return False
    if not own.contiguous:
        own = layout(own.shape, own.dtype)
        given = draft.moved(f"{draft.names[node]} operand 0", given, own)
    name, target, request = draft.names[node], draft.output(node, 0), draft.request(node, 0)
    axes = reduced_axes(node, Spec(own.shape, own.dtype))
    block = block_on(draft.device, own.size)
    ready = prepare_axes(own, axes, target.layout, _WORDS[request], COMBINES[node.op], block)
    tasks: list[Task] = []
    for k, kernel in enumerate(ready.stages):
        last = k == len(ready.stages) - 1
        result = target if last else scratch(f"{name} totals {k}", ready.scratch[k])
        tasks.append(kernel_task(name, kernel, [given], [result], [request if last else _WRITE]))
        given = result
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
