"""Lowering of reductions: kernels one after another, with scratch memory between them.

A fused loop with reductions at its end sets down block totals, which a second kernel makes one of;
a reduction alone goes axis by axis. What lies between the kernels is a value like any other.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from nbgraph.array.launch import Prepared
from nbgraph.array.layout import Layout, layout
from nbgraph.array.leading import prepare_axes
from nbgraph.array.reduce import prepare_reduction
from nbgraph.dtype import is_float
from nbgraph.executor.places import Place
from nbgraph.executor.work import ReadyWork, Use
from nbgraph.graph.build import GraphNode
from nbgraph.graph.graph import spec_of
from nbgraph.graph.passes.fuse_facts import COMBINES, reduced_axes
from nbgraph.graph.schedule import Task, Value
from nbgraph.operator.map_reduce import elementwise
from nbgraph.operator.request import OpReqType

_WORDS = {OpReqType.kNullOp: "null", OpReqType.kWriteTo: "write", OpReqType.kAddTo: "add"}


def is_alone(node: GraphNode, source: Place) -> bool:
    """Whether the node is a reduction of floats that kernels can do."""
    if node.op not in COMBINES or not source.whole or not source.layout.size:
        return False
    assert node.specs is not None, f"{node!r} has no shapes yet"
    dtype = source.layout.dtype
    return is_float(dtype) and dtype.itemsize > 2 and node.specs[0].dtype == dtype


def alone(
    node: GraphNode, name: str, source: Place, target: Place, request: OpReqType
) -> list[Task]:
    """The tasks of a reduction by itself."""
    spec = spec_of(node.inputs[0])
    assert spec is not None, "a reduction reduces an array"
    axes = reduced_axes(node, spec)
    made = prepare_axes(source.layout, axes, target.layout, _WORDS[request], COMBINES[node.op])
    tasks: list[Task] = []
    given = source
    for k, kernel in enumerate(made.stages):
        last = k == len(made.stages) - 1
        result = target if last else _scratch(f"{name} totals {k}", made.scratch[k])
        tasks.append(_task(name, kernel, [given], [result], [request if last else _WRITE]))
        given = result
    return tasks


def fused(
    node: GraphNode,
    name: str,
    reads: Sequence[Place],
    output: Callable[[int], tuple[Place, OpReqType] | None],
    rights: Callable[[Sequence[Place], Sequence[Place]], tuple[tuple[int, int], ...]],
) -> list[Task]:
    """The tasks of a loop with reductions at its end; `output(k)`: where an output goes and how,
    None where nobody needs it."""
    attributes = node.attributes
    mapper, numbers = attributes["mapper"], attributes["numbers"]
    reductions = attributes["reductions"]
    parameters = dict(attributes["parameters"])
    specs = [spec for operand in node.inputs if (spec := spec_of(operand)) is not None]
    inner = elementwise(specs, mapper, parameters, numbers)
    plan = mapper.invoker.plan_of([*(s.dtype for s in specs), *numbers], parameters)
    asked = [output(k) for k in range(node.nout)]
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
    )
    writes: list[Place] = []
    requests: list[OpReqType] = []
    ends: list[Task] = []
    for k, found in enumerate(asked):
        if found is None:
            continue
        place, request = found
        held, end = made.totals[k], made.ends[k]
        if held is not None and end is not None:
            total = _scratch(f"{name} totals {k}", held)
            ends.append(_task(f"{name} total", end, [total], [place], [request]))
            place, request = total, _WRITE
        writes.append(place)
        requests.append(request)
    loop = _task(name, made.loop, reads, writes, requests, numbers)
    loop.rights = tuple(
        (i, j)
        for i, j in rights(reads, writes)
        if writes[j].layout.shape == inner[0].shape and requests[j] is _WRITE
    )
    return [loop, *ends]


_WRITE = OpReqType.kWriteTo


def _task(
    name: str,
    kernel: Prepared,
    reads: Sequence[Place],
    writes: Sequence[Place],
    requests: Sequence[OpReqType],
    numbers: Sequence[Any] = (),
) -> Task:
    work = ReadyWork(
        kernel,
        [Use.of(i, place) for i, place in enumerate(reads)],
        [Use.of(i, place) for i, place in enumerate(writes)],
        numbers,
    )
    return Task(
        name,
        tuple(place.value for place in reads),
        tuple(place.value for place in writes),
        list(requests),
        work=work,
    )


def _scratch(name: str, own: Layout) -> Place:
    return Place(Value(name, own.nbytes), 0, own)
