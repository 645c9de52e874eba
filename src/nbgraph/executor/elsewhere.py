"""What nodes become on devices: copies where the host has views, operators by their forms there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from nbgraph.array.layout import layout
from nbgraph.array.parts import Part, Parts, parts_of
from nbgraph.executor.draft import Draft, copy_task, task_over
from nbgraph.executor.places import Place, viewed
from nbgraph.executor.tasks import contiguous, fill_task
from nbgraph.executor.work import UnitWork, Use
from nbgraph.graph.build import GraphNode
from nbgraph.graph.schedule import Task
from nbgraph.operator.array_op import ArrayOp
from nbgraph.operator.elsewhere import Pieces, Unit, form_of
from nbgraph.operator.request import OpReqType

kWriteTo, kAddTo = OpReqType.kWriteTo, OpReqType.kAddTo


def formed(draft: Draft, node: GraphNode, op: ArrayOp) -> bool:
    """Whether kernels of the device do this."""
    if op.view is not None:
        return _view_of_copy(draft, node, op)
    return _pieces(draft, node, op) or _unit(draft, node, op)


def _view_of_copy(draft: Draft, node: GraphNode, op: ArrayOp) -> bool:
    """Whether it is a view of a copy of its operand, whose own strides have none."""
    (source,) = draft.reads(node)
    name = f"{draft.names[node]} operand 0"
    moved = draft.moved(name, source, layout(source.layout.shape, source.layout.dtype))
    place = viewed(op, node.attributes, moved)
    if place is not None:
        draft.places[node, 0] = place
        draft.of_node[node] = draft.tasks[-1]
    return place is not None


def _pieces(draft: Draft, node: GraphNode, op: ArrayOp) -> bool:
    """Whether copies between parts of arrays do this."""
    form = form_of(op, Pieces)
    if form is not None:
        _written(draft, node, form.parts, draft.reads(node), draft.output(node, 0))
    return form is not None


def _unit(draft: Draft, node: GraphNode, op: ArrayOp) -> bool:
    """Whether a kernel that is written by hand does this, with copies of operands in pieces."""
    form, name = form_of(op, Unit), draft.names[node]
    if form is None:
        return False
    reads = contiguous(draft, name, draft.reads(node))
    outputs = [draft.output(node, k) for k in range(node.nout)]
    work = UnitWork(op, node.attributes, Use.each(reads), Use.each(outputs))
    if work.kernel() is None:
        return False
    request = kWriteTo
    if form.first is not None:
        _written(draft, node, form.first, reads, outputs[0])
        request = kAddTo  # it goes on from what is there
    draft.enter(node, task_over(name, reads, outputs, [request] * len(outputs), work))
    return True


def _written(
    draft: Draft, node: GraphNode, parts: Parts, reads: Sequence[Place], target: Place
) -> None:
    """Enter the copies of a node."""
    given = [place.layout for place in reads]
    found = parts_of(parts, given, target.layout, node.attributes)
    name = draft.names[node]
    tasks = [_task(draft, f"{name} part {k}", p, reads, target) for k, p in enumerate(found)]
    if tasks:
        draft.enter(node, *tasks)


def _task(draft: Draft, name: str, part: Part, reads: Sequence[Place], target: Place) -> Task:
    place = _seen(target, part.offset, part.layout)
    if part.operand is None:
        task = fill_task(name, place, part.source, kWriteTo)
    else:
        source = _seen(reads[part.operand], part.from_offset, part.source)
        task = copy_task(name, source, place, kWriteTo, draft.device)
    task.rights = task.accumulates = ()  # others write the same value
    return task


def _seen(place: Place, offset: int, own: Any) -> Place:
    return Place(place.value, place.offset + offset, own)
