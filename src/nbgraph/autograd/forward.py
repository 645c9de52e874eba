"""Derivatives of graphs in a direction, through loops that end by their test alone.

The backward pass is linear in its seeds, so its own backward pass is the forward pass. A loop whose
number of steps is not known has no backward pass: it is cut out, and its tangents are those of a
loop whose carries are the values and their tangents.
"""

import itertools
from collections.abc import Sequence
from typing import Any

from nbgraph.autograd.control.closing import Closing, applied, effects_so_far, fresh, spec_of
from nbgraph.dtype import inexact
from nbgraph.executor.control.loop import Loop
from nbgraph.executor.control.loop_op import LoopOp, loop_op
from nbgraph.graph import build
from nbgraph.graph.build import GraphNode
from nbgraph.graph.graph import Entry, Graph, spec
from nbgraph.graph.node import topological
from nbgraph.graph.passes.gradient import gradient, uniform

_numbers = itertools.count()  # of variables that no finished graph has


def pushed(
    heads: Sequence[Entry], wrt: Sequence[GraphNode], directions: Sequence[Entry]
) -> list[Entry]:
    """Return the derivatives of heads with respect to variables in the directions."""
    wrt, directions = list(wrt), list(directions)
    back: dict[Entry, Any] = {}  # what was cut out, at the place of its variables
    while (loop := _first_loop(heads, wrt)) is not None:
        tangents_of_loop = _of_loop(loop, wrt, directions)
        cut = [build.variable(f"cut {next(_numbers)}", *spec((loop, k))) for k in tangents_of_loop]
        moved = {(loop, k): (v, 0) for k, v in zip(tangents_of_loop, cut, strict=True)}
        back |= {new: old for old, new in moved.items()}
        others = {(loop, k): (loop, k) for k in range(loop.nout) if k not in tangents_of_loop}
        heads = _moved(heads, moved | others)
        wrt += cut
        directions += tangents_of_loop.values()
    tangents = _plain(heads, wrt, directions)
    for new, old in reversed(back.items()):
        tangents = _moved(tangents, {new: old})
    return tangents


def _plain(
    heads: Sequence[Entry], wrt: Sequence[GraphNode], directions: Sequence[Entry]
) -> list[Entry]:
    """Return the derivatives of heads that have a backward pass."""
    seeds = [build.variable(f"seed {next(_numbers)}", *spec(head)) for head in heads]
    slopes = gradient(Graph(heads), wrt, [(seed, 0) for seed in seeds]).heads
    tangents = gradient(Graph(slopes), seeds, directions).heads
    ones = {(s, 0): uniform("ones", spec(h)).entry for s, h in zip(seeds, heads, strict=True)}
    return _moved(tangents, ones)


def _moved(entries: Sequence[Entry], moved: dict[Entry, Any]) -> list[Entry]:
    return list(Graph(entries).rewrite(lambda node, inputs: None, moved).heads)


def _first_loop(heads: Sequence[Entry], wrt: Sequence[GraphNode]) -> GraphNode | None:
    """Return the first loop that depends on the variables and has no backward pass."""
    depends = set(wrt)
    for node in topological([node for node, _ in heads]):
        if node.op is None or not any(other in depends for other, _ in node.entries):
            continue
        depends.add(node)
        if isinstance(node.op, LoopOp) and node.op.loop.ends_by_test and not node.op.loop.ys:
            return node
    return None


def _of_loop(
    node: GraphNode, wrt: Sequence[GraphNode], directions: Sequence[Entry]
) -> dict[int, Entry]:
    """Return the tangents of the carries of a loop, by their numbers."""
    op: Any = node.op
    operands = list(node.entries)
    loop: Loop = op.typed([spec(entry) for entry in operands])
    moving = [k for k, entry in enumerate(operands) if inexact(spec(entry).dtype)]
    inner_directions = _plain([operands[k] for k in moving], wrt, directions)
    variables, before = fresh([spec_of((v, 0)) for v in loop.variables]), effects_so_far()
    inside = fresh([spec_of(operands[k]) for k in moving])
    own = {(old, 0): (new, 0) for old, new in zip(loop.variables, variables, strict=True)}
    *values, test = _moved(loop.heads, own)
    carries = [k for k in moving if k < loop.carries]
    slopes = pushed(
        [values[k] for k in carries], [variables[k] for k in moving], [(v, 0) for v in inside]
    )
    tangents = dict(zip(moving, inner_directions, strict=True))
    constants = {(variables[k], 0): operands[k] for k in range(loop.carries, len(operands))}
    constants |= {
        (v, 0): tangents[k] for k, v in zip(moving, inside, strict=True) if k >= loop.carries
    }
    heads = _moved([*values, *slopes, test], constants)
    first = [*variables[: loop.carries], *inside[: len(carries)]]
    names = [f"carry {k}" for k in range(len(first))]
    body = Closing("while_loop", first, before, names, None).over(heads)
    joint = loop_op(Loop(body.heads, body.variables, len(first), 0, 0, None, tests=True))
    begin = [*operands[: loop.carries], *(tangents[k] for k in carries)]
    outputs = applied(joint, [*begin, *body.captured])
    last_tangents = outputs[loop.carries : len(first)]
    return {k: value.entry for k, value in zip(carries, last_tangents, strict=True)}
