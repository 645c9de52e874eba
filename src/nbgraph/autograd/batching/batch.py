"""A graph with one more axis in front, node by node from the variables that have this axis."""

from collections.abc import Sequence
from typing import Any

from nbgraph.autograd.batching.rules import Case, aligned, broadcast, elementwise, rule_of
from nbgraph.autograd.control.closing import applied, drawn_again, is_later, widened, wrapped
from nbgraph.errors import ArgumentError
from nbgraph.executor.control.branch_op import Branches, BranchOp, branch_op
from nbgraph.executor.control.loop import Loop
from nbgraph.executor.control.loop_op import LoopOp, loop_op
from nbgraph.executor.control.reverse import keeping, renamed
from nbgraph.graph import build
from nbgraph.graph.build import GraphNode, has_effect
from nbgraph.graph.graph import Entry, Graph, spec
from nbgraph.graph.node import topological
from nbgraph.operator.call import recording
from nbgraph.operator.mapper.mapper import Mapper
from nbgraph.ops.define import library


def batched(
    heads: Sequence[Entry], entries: dict[GraphNode, Entry], size: int, before: tuple[int, int]
) -> tuple[list[Entry], list[bool]]:
    """Return heads whose variables are replaced by entries with one more axis in front, and which
    of the heads have this axis. `before`: the effects that precede the function."""
    moved: dict[Entry, Entry] = {(node, 0): entry for node, entry in entries.items()}
    for node in topological([node for node, _ in heads]):
        if node.op is None or node in entries:
            continue
        flags = [type(v) is tuple and v in moved for v in node.inputs]
        own = has_effect(node.op) and is_later(node, before)  # a random draw of the function itself
        if not any(flags) and not own:
            continue
        operands = [moved[v] if has else v for v, has in zip(node.inputs, flags, strict=True)]
        outputs = _drawn(node, operands, flags, size) if own else _step(node, operands, flags, size)
        moved.update({(node, k): entry for k, entry in enumerate(outputs)})
    return [moved.get(head, head) for head in heads], [head in moved for head in heads]


def _step(
    node: GraphNode, operands: Sequence[Any], flags: Sequence[bool], size: int
) -> list[Entry]:
    """Return the outputs of a node with the new axis."""
    case = Case(node, operands, flags, size)
    op: Any = node.op
    if isinstance(op, Mapper):
        return elementwise(case)
    own = _loop if isinstance(op, LoopOp) else _branches if isinstance(op, BranchOp) else None
    rule = own or rule_of(op)
    entries = None if rule is None else rule(case)
    return _one_by_one(case) if entries is None else entries


def _one_by_one(case: Case) -> list[Entry]:
    """Return outputs by the general rule: a loop over the new axis."""
    entries = [operand for operand in case.node.inputs if type(operand) is tuple]
    parts = [e for e in dict.fromkeys(entries) if case.batched[case.node.inputs.index(e)]]
    rest = [e for e in dict.fromkeys(entries) if e not in parts]
    names = [f"x {k}" for k in range(len(parts))] + [f"constant {k}" for k in range(len(rest))]
    variables = [
        build.variable(name, *spec(e)) for name, e in zip(names, [*parts, *rest], strict=True)
    ]
    inside: dict[Any, Any] = {e: (v, 0) for e, v in zip([*parts, *rest], variables, strict=True)}
    inputs = [inside[v] if type(v) is tuple else v for v in case.node.inputs]
    node = build.rebuilt(case.node, inputs, name=None)
    heads = tuple((node, k) for k in range(node.nout))
    loop = Loop(heads, tuple(variables), 0, len(parts), len(heads), case.size)
    new = dict(zip(case.node.inputs, case.operands, strict=True))
    return _looped(loop, [new[e] for e in (*parts, *rest)])[: len(heads)]


def _looped(loop: Loop, operands: Sequence[Entry]) -> list[Entry]:
    """Return the outputs of a loop, which saves the residuals of its gradient where needed."""
    op, recorder = loop_op(loop), recording.get()
    if recorder is None or recorder.records:
        op = keeping(op)
    outputs = applied(op, operands)
    return [outputs[k].entry for k in op.shown]


def _loop(case: Case) -> list[Entry] | None:
    """Return the outputs of a loop whose body gets the new axis, or None where it cannot."""
    op: Any = case.node.op
    loop: Loop = op.typed([spec(v) for v in case.node.entries])
    if loop.counted or (loop.tests and (loop.ys or not loop.ends_by_test)):
        return None
    last, size = loop.carries + loop.xs, case.size
    has = [k < loop.carries or flag for k, flag in enumerate(case.batched)]
    variables = [
        build.variable(str(v.name), (size, *s.shape), s.dtype) if flag else v
        for v, s, flag in zip(
            loop.variables, (spec((v, 0)) for v in loop.variables), has, strict=True
        )
    ]
    replacements = {
        old: (new, 0) for old, new, flag in zip(loop.variables, variables, has, strict=True) if flag
    }
    heads, flags = batched(loop.heads, replacements, size, (0, 0))
    heads = [h if flag else broadcast(h, size) for h, flag in zip(heads, flags, strict=True)]
    if loop.tests:  # runs until all examples have ended; ended ones keep their values
        *values, going = map(wrapped, heads)
        olds = [wrapped((v, 0)) for v in variables[: loop.carries]]
        tests = [library.expand_dims(going, tuple(range(1, len(v.shape)))) for v in values]
        kept = map(library.where, tests, values, olds)
        heads = [value.entry for value in (*kept, library.any(going))]
    operands = [case.spread(k) if k < loop.carries else v for k, v in enumerate(case.operands)]
    for k in range(loop.carries, last):
        if has[k]:  # steps go along the first axis
            operands[k] = library.moveaxis(wrapped(operands[k]), 0, 1).entry
    batched_loop = loop._replace(heads=tuple(heads), variables=tuple(variables), saved=0)
    entries = _looped(batched_loop, operands)
    stacked = range(loop.carries, loop.carries + loop.ys)
    return [
        library.moveaxis(wrapped(e), 1, 0).entry if k in stacked else e
        for k, e in enumerate(entries)
    ]


def _branches(case: Case) -> list[Entry] | None:
    """Return the outputs of a branch, or None where the choice differs between examples."""
    op: Any = case.node.op
    if case.batched[0]:
        return None
    size = case.size
    graphs: list[Graph] = op.typed([spec(v) for v in case.node.entries])
    variables = graphs[0].variables
    shapes = [spec((v, 0)) for v in variables]
    fresh = [
        build.variable(f"batched {k}", (size, *s.shape), s.dtype) if flag else v
        for k, (v, s, flag) in enumerate(zip(variables, shapes, case.batched[1:], strict=True))
    ]
    bodies: list[Graph] = []
    for graph in graphs:
        own = [
            v if not flag else f
            for v, f, flag in zip(graph.variables, fresh, case.batched[1:], strict=True)
        ]
        replacements = {
            old: (new, 0) for old, new in zip(graph.variables, own, strict=True) if old is not new
        }
        heads, flags = batched(graph.heads, replacements, size, (0, 0))
        heads = [h if f else broadcast(h, size) for h, f in zip(heads, flags, strict=True)]
        bodies.append(renamed(Graph(heads, own), "operand {}".format))
    choice = branch_op(Branches(tuple(g.heads for g in bodies), bodies[0].variables))
    return [value.entry for value in applied(choice, case.operands)]


# random draws -----------------------------------------------------------------------------------


def _drawn(
    node: GraphNode, operands: Sequence[Any], flags: Sequence[bool], size: int
) -> list[Entry]:
    """Return draws for all examples at once, a separate one for each."""
    sized = "size" in node.attributes
    if getattr(node.op, "auxiliary", ()) or not (sized or all(flags)):
        raise ArgumentError(
            f"vmap: the function applies {node.label}, which updates a state, or draws in a way "
            "that has no rule; apply it outside"
        )
    if not sized:
        return drawn_again(node, operands, node.attributes)
    case, attributes = Case(node, operands, flags, size), widened(node, (size,))
    rank = len(attributes["size"]) - 1
    return drawn_again(node, [aligned(case, k, rank) for k in range(len(operands))], attributes)
