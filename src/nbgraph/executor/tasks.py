"""What a node becomes: the task of every kind of operator, entered in a draft.

A kind that kernels may refuse (for its dtypes, its layouts) says so by returning False, and has
entered nothing then.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from nbgraph.array.layout import Layout, layout
from nbgraph.array.push import same
from nbgraph.array.rows import rearranged
from nbgraph.dtype import is_float
from nbgraph.executor.draft import Draft, copy_task, task_over
from nbgraph.executor.functions import FunctionWork
from nbgraph.executor.places import Place, equal, rights
from nbgraph.executor.work import (
    MapWork,
    MovingWork,
    OwnWork,
    ProductWork,
    RowWork,
    TiledWork,
    Use,
)
from nbgraph.graph.build import NUMBERS, GraphNode, draws_alone, has_effect
from nbgraph.graph.graph import spec
from nbgraph.graph.schedule import Task, Value
from nbgraph.operator.array_op import ArrayOp, Spec
from nbgraph.operator.elsewhere import unit_call
from nbgraph.operator.mapper import Mapper
from nbgraph.operator.request import OpReqType
from nbgraph.ops.elementwise.arithmetic import add

if TYPE_CHECKING:
    from nbgraph.operator.moving_op import MovingOp
    from nbgraph.operator.product_op import ProductOp
    from nbgraph.operator.row_op import RowOp
    from nbgraph.operator.tiled_op import TiledOp
    from nbgraph.operator.update_op import UpdateOp

kWriteTo, kAddTo = OpReqType.kWriteTo, OpReqType.kAddTo


# elements -------------------------------------------------------------------------------------


def mapped(draft: Draft, node: GraphNode, op: Mapper) -> None:
    """One kernel; outputs that nobody needs are left out."""
    given = [spec(v).dtype if type(v) is tuple else v for v in node.inputs]
    plan = op.invoker.plan_of(given, node.attributes)
    reads = draft.reads(node)
    uses = iter(Use.each(reads))
    operands = [next(uses) if type(v) is tuple else v for v in node.inputs]
    outputs, writes, requests = _outputs(draft, node)
    if not writes:
        return
    work = MapWork(op, plan, spec((node, 0)).shape, operands, outputs, _layouts(node))
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
    """One number in all places."""
    place, request = draft.output(node, 0), draft.request(node, 0)
    draft.enter(node, fill_task(draft.names[node], place, number, request))


def fill_task(name: str, place: Place, number: Any, request: OpReqType) -> Task:
    """One number in all elements of a place."""
    own = place.layout
    held = np.zeros((), own.dtype)
    held[...] = number
    value = held.item()
    plan = same.invoker.plan([own.dtype], own.dtype, {})
    operand = value if type(value) in NUMBERS else float(value)
    work = MapWork(same, plan, own.shape, [operand], Use.each([place]), [own])
    return task_over(name, [], [place], [request], work, accumulates=(0,))


def copied(draft: Draft, node: GraphNode) -> None:
    """The operand's elements as the output's dtype."""
    (source,) = draft.reads(node)
    place, request = draft.output(node, 0), draft.request(node, 0)
    draft.enter(node, copy_task(draft.names[node], source, place, request, draft.device))


def _exact_sums(writes: Sequence[Place], compute: str) -> tuple[int, ...]:
    """Outputs that a kernel may add to what is there: a sum has the bits of adding up what was
    stored where the kernel computes in the dtype that it stores."""
    return tuple(
        k
        for k, place in enumerate(writes)
        if not is_float(place.layout.dtype) or place.layout.dtype.name == compute
    )


# kernels of kinds -----------------------------------------------------------------------------


def rows(draft: Draft, node: GraphNode, op: RowOp) -> bool:
    """Whether a kernel does this row program, with copies of what it does not take."""
    name, reads = draft.names[node], draft.reads(node)
    outputs, writes, requests = _outputs(draft, node)
    asked = [OpReqType.kNullOp if use is None else requests[use.place] for use in outputs]
    layouts = [place.layout for place in reads]
    places = rearranged(op, layouts, _layouts(node), asked, node.attributes)
    if places is None:
        return False
    given = draft.laid(name, reads, places)
    copies: list[Task] = []
    laid = places[len(reads) :]
    for k, use in enumerate(outputs):
        if use is None or laid[k] is use.layout:
            continue
        target = Place(Value(f"{name} rows {k}", laid[k].nbytes), 0, laid[k])
        whole, request = writes[use.place], requests[use.place]
        copies.append(copy_task(f"{name} result {k}", target, whole, request, draft.device))
        writes[use.place], requests[use.place] = target, kWriteTo
        outputs[k] = Use.of(use.place, target)
    work = RowWork(op, node.attributes, Use.each(given), outputs, laid)
    task = task_over(
        name,
        given,
        writes,
        requests,
        work,
        rights=tuple(pair for pair in rights(given, writes) if pair in op.inplace),
        accumulates=tuple(range(len(writes))),
    )
    draft.enter(node, task, *copies)
    return True


def product(draft: Draft, node: GraphNode, op: ProductOp) -> bool:
    """Whether a kernel does this product, with copies of what it does not take."""
    if not draft.device.host:
        from nbgraph.executor.multiplied import multiplied  # with the first on a device

        if all(place.layout.size for place in draft.reads(node)):
            return multiplied(draft, node, op)
        filled(draft, node, 0)  # nothing is added up
        return True
    name, reads = draft.names[node], draft.reads(node)
    output = layout(*spec((node, 0)))
    wanted = op.replacements([place.layout for place in reads], output, node.attributes)
    if wanted is None:
        return False
    given = draft.laid(name, reads, [None if own is None else layout(*own) for own in wanted])
    result, request = draft.output(node, 0), draft.request(node, 0)
    own = wanted[2]
    if own is None:
        work = ProductWork(op, node.attributes, Use.each(given), Use.of(0, result))
        draft.enter(node, task_over(name, given, [result], [request], work, accumulates=(0,)))
    else:
        target = Place(Value(f"{name} product", output.nbytes), 0, layout(*own))
        work = ProductWork(op, node.attributes, Use.each(given), Use.of(0, target))
        draft.enter(node, task_over(name, given, [target], [kWriteTo], work))
        draft.enter(node, copy_task(f"{name} result", target, result, request, draft.device))
    return True


def tiled(draft: Draft, node: GraphNode, op: TiledOp) -> bool:
    """Whether a kernel makes this result, with copies of operands in pieces."""
    name, reads = draft.names[node], draft.reads(node)
    given = [Spec(place.layout.shape, place.layout.dtype) for place in reads]
    if op.tiled_call(given, kWriteTo, node.attributes) is None:
        return False
    reads = contiguous(draft, name, reads)
    target, request = draft.output(node, 0), draft.request(node, 0)
    work = TiledWork(op, node.attributes, Use.each(reads), Use.of(0, target))
    sums = (0,) if op.adds else ()
    draft.enter(node, task_over(name, reads, [target], [request], work, accumulates=sums))
    return True


def moving(draft: Draft, node: GraphNode, op: MovingOp) -> bool:
    """Whether a kernel moves the states of this node, with a copy of an operand in pieces."""
    name, reads = draft.names[node], draft.reads(node)
    states = op.states(is_train=True)
    given = [Spec(place.layout.shape, place.layout.dtype) for place in reads]
    made = [spec((node, k)) for k in range(node.nout)]
    host = draft.device.host
    call = op.moving_call if host else functools.partial(unit_call, op, outputs=made)
    if call(given, attributes=node.attributes) is None:
        return False
    reads = contiguous(draft, name, reads)  # states are: they are variables
    outputs = [draft.output(node, k) for k in range(node.nout)]
    requests = [draft.request(node, k) for k in range(node.nout)]
    mode = False if op.still(node.attributes) else node.marks.get("is_train")
    work = MovingWork(op, node.attributes, Use.each(reads), Use.each(outputs), mode, host=host)
    written = [*outputs, *(reads[k] for k in states)]
    requests += [kAddTo] * len(states)
    draft.enter(node, task_over(name, reads, written, requests, work))
    return True


def updated(draft: Draft, node: GraphNode, op: UpdateOp) -> bool:
    """One kernel, whose last outputs are states and written where they lie. Always true."""
    name, reads = draft.names[node], draft.reads(node)
    states = [reads[k] for k in op.states(is_train=True)]
    values = op.arguments([spec(v).dtype for v in node.entries], node.attributes)
    plan = op.mapper.invoker.plan_of(values, {})
    uses = op.arguments(Use.each(reads), node.attributes)
    target, request = draft.output(node, 0), draft.request(node, 0)
    writes = [target, *states]
    outputs, layouts = Use.each(writes), [place.layout for place in writes]
    # the states' places in the record are the outputs', whatever else is read
    work = MapWork(op.mapper, plan, target.layout.shape, uses, outputs, layouts, len(states))
    requests = [request, *[kAddTo] * len(states)]
    draft.enter(node, task_over(name, reads, writes, requests, work))
    return True


def own(draft: Draft, node: GraphNode, op: Any) -> bool:
    """A user's kernel for the device. What nobody wants of it is written all the same, to where
    nobody looks."""
    name, call = draft.names[node], op.own_kernel(draft.device, node.attributes)
    reads = contiguous(draft, name, draft.reads(node))
    outputs = [draft.output(node, k) for k in range(node.nout)]
    requests = [draft.request(node, k) for k in range(node.nout)]
    loose = [
        Place(Value(f"{name} unwanted", own.nbytes), 0, own)
        for own in (layout(*target) for target in call.targets if type(target) is not int)
    ]
    spare = iter(range(len(outputs), len(outputs) + len(loose)))
    order = [target if type(target) is int else next(spare) for target in call.targets]
    uses = Use.each([*outputs, *loose])
    work = OwnWork(op, call, Use.each(reads), [uses[k] for k in order], node.marks.get("is_train"))
    allowed = set(op.inplace_pairs(node.attributes))
    task = task_over(
        name,
        reads,
        [*outputs, *loose],
        [*requests, *[kWriteTo] * len(loose)],
        work,
        rights=tuple(pair for pair in rights(reads, outputs) if pair in allowed),
        accumulates=tuple(range(len(outputs))),
    )
    draft.enter(node, task)
    return True


# Python functions -----------------------------------------------------------------------------


def function(draft: Draft, node: GraphNode, op: ArrayOp) -> None:
    """A Python function over NumPy views, which may write its auxiliary states."""
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
    given = [spec(v) for v in node.entries]
    work = FunctionWork(
        op,
        node.attributes,
        Use.each(reads),
        Use.each(outputs),
        () if draws_alone(op) else op.grant_to(draft.device, node.attributes, given),
        effect_of(node) if has_effect(op) else None,
    )
    auxiliary = getattr(op, "auxiliary", ())
    work.states = [i for i, name in enumerate(op.operands) if name in auxiliary]
    work.mode = node.marks.get("is_train")
    return work


def effect_of(node: GraphNode) -> Any:
    """The token under which a run keeps what was granted to a node; another node that does the same
    work again has it, too."""
    return node.token[1] if node.token and node.token[0] == "again" else node.token


# helpers --------------------------------------------------------------------------------------


def _outputs(
    draft: Draft, node: GraphNode
) -> tuple[list[Use | None], list[Place], list[OpReqType]]:
    """Of all outputs the use, None for one that nobody needs; places and requests of the rest."""
    asked = [draft.asked(node, k) for k in range(node.nout)]
    writes = [found[0] for found in asked if found is not None]
    requests = [found[1] for found in asked if found is not None]
    uses = iter(Use.each(writes))
    return [None if found is None else next(uses) for found in asked], writes, requests


def contiguous(draft: Draft, name: str, reads: Sequence[Place]) -> list[Place]:
    """Operands of a node, those in pieces copied."""
    own = [place.layout for place in reads]
    return draft.laid(
        name, reads, [None if x.contiguous else layout(x.shape, x.dtype) for x in own]
    )


def _layouts(node: GraphNode) -> list[Layout]:
    return [layout(*spec((node, k))) for k in range(node.nout)]
