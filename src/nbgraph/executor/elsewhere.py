"""Lowering of nodes on devices: copies where the host has views, operators by their forms there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from nbgraph.executor.draft import Draft, copy_task
from nbgraph.executor.places import Place, viewed
from nbgraph.executor.tasks import enter, fill_task
from nbgraph.graph.build import GraphNode
from nbgraph.graph.graph import spec
from nbgraph.graph.schedule import Task
from nbgraph.operator.array_op import ArrayOp
from nbgraph.operator.elsewhere import Pieces, Unit, form_of
from nbgraph.operator.kernel_call import Application
from nbgraph.operator.layout import layout
from nbgraph.operator.pieces import Part, Parts, parts_of
from nbgraph.operator.request import OpReqType
from nbgraph.operator.unit_op import unit_lowered

kWriteTo, kAddTo = OpReqType.kWriteTo, OpReqType.kAddTo


def formed(draft: Draft, node: GraphNode, op: ArrayOp) -> bool:
    """Return whether kernels of the device do this."""
    return in_pieces(draft, node, op) or _unit(draft, node, op)


def view_of_copy(draft: Draft, node: GraphNode, op: ArrayOp) -> bool:
    """Return whether the node is a view of a copy of its operand, whose own strides allow no
    view."""
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


def _unit(draft: Draft, node: GraphNode, op: ArrayOp) -> bool:
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
    tasks = [_task(draft, f"{name} part {k}", p, reads, target) for k, p in enumerate(copies)]
    if tasks:
        draft.enter(node, *tasks)
    return True


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
