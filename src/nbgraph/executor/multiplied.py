"""Lowering of products on devices: copies of what lies otherwise, and what multiplies.

The ways are those of arrays; see `nbgraph.array.gemms`.
"""

from __future__ import annotations

from collections.abc import Sequence

from nbgraph.array.gemms import Way, prepare_sums, way_of
from nbgraph.array.layout import Layout, layout
from nbgraph.executor.draft import Draft, copy_task, task_over
from nbgraph.executor.places import Place
from nbgraph.executor.reduce import kernel_task, scratch
from nbgraph.executor.work import ProductWork, Use
from nbgraph.graph.build import GraphNode
from nbgraph.graph.graph import spec
from nbgraph.graph.schedule import Task
from nbgraph.operator.product_op import ProductOp
from nbgraph.operator.request import WORDS, OpReqType

kWriteTo = OpReqType.kWriteTo


def multiplied(draft: Draft, node: GraphNode, op: ProductOp) -> bool:
    """Whether something does this product of arrays with elements."""
    name, reads = draft.names[node], draft.reads(node)
    way = way_of(op, [x.layout for x in reads], layout(*spec((node, 0))), node.attributes)
    if way is None:
        return False
    given = draft.laid(name, reads, way.places)
    result, request = draft.output(node, 0), draft.request(node, 0)
    own = way.places[2]
    target = result if own is None else scratch(f"{name} product", own)
    how = request if own is None else kWriteTo
    tasks = _tasks(name, way, op, node, given, target, how)
    if own is not None:
        tasks.append(copy_task(f"{name} result", target, result, request, draft.device))
    draft.enter(node, *tasks)
    return True


def _tasks(
    name: str,
    way: Way,
    op: ProductOp,
    node: GraphNode,
    given: Sequence[Place],
    target: Place,
    request: OpReqType,
) -> list[Task]:
    if way.sums:
        return _sums(name, op, node, given, target, request)
    work = ProductWork(op, node.attributes, Use.each(given), Use.of(0, target), host=False)
    # what is added to a result of 16 bits is not rounded first, so that is no sum of two values
    sums = (0,) if target.layout.dtype.itemsize > 2 else ()
    return [task_over(name, given, [target], [request], work, accumulates=sums)]


def _sums(
    name: str,
    op: ProductOp,
    node: GraphNode,
    given: Sequence[Place],
    target: Place,
    request: OpReqType,
) -> list[Task]:
    layouts: list[Layout] = [place.layout for place in given]
    made = prepare_sums(op, layouts, target.layout, WORDS[request], node.attributes)
    (totals,), (end,) = made.totals, made.ends
    if totals is None or end is None:
        return [kernel_task(name, made.loop, given, [target], [request])]
    between = scratch(f"{name} totals", totals)
    return [
        kernel_task(name, made.loop, given, [between], [kWriteTo]),
        kernel_task(f"{name} total", end, [between], [target], [request]),
    ]
