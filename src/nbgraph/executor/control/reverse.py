"""The gradient of a loop: a loop in the other direction, over residuals of the steps."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from nbgraph.dtype import inexact
from nbgraph.errors import DerivativeError
from nbgraph.executor.control.loop import Loop, typed
from nbgraph.executor.split import split
from nbgraph.graph import build
from nbgraph.graph.build import GraphNode
from nbgraph.graph.graph import Entry, Graph, spec
from nbgraph.graph.passes.gradient import gradient, uniform
from nbgraph.operator.arrays.array_op import Gradients


class Reversed(NamedTuple):
    """The body of a backward loop.

    `kept`: values of the forward body that it reads (residuals). `slopes`: the variables whose
    gradients are its heads. `seeds`: variables for gradients of the forward body's results, by
    their numbers.
    """

    heads: tuple[Entry, ...]
    slopes: tuple[GraphNode, ...]
    kept: tuple[Entry, ...]
    stand_ins: tuple[GraphNode, ...]  # variables for `kept`
    seeds: dict[int, GraphNode]
    reads: tuple[GraphNode, ...]  # variables of the forward body


def reversed_body(
    body: Graph, seeded: Sequence[int], wrt: Sequence[GraphNode], again: Sequence[GraphNode] = ()
) -> Reversed:
    """Return the body for gradients of the results `seeded` with respect to `wrt`. The variables
    `again` change in each step, so their values are saved too."""
    seeds = {k: build.variable(f"gradient of result {k}", *spec(body.heads[k])) for k in seeded}
    forward = body.with_heads([body.heads[k] for k in seeded])
    gradients = gradient(forward, wrt, [(seed, 0) for seed in seeds.values()])
    halves = split(forward, gradients)
    count = len(halves.backward.variables) - len(halves.kept)
    read = set(halves.backward.variables[:count])
    carried = [v for v in again if v in read]
    return Reversed(
        halves.backward.heads,
        tuple(wrt),
        (*halves.kept, *((v, 0) for v in carried)),
        (*halves.backward.variables[count:], *carried),
        seeds,
        tuple([v for v in body.variables if v in read and v not in carried]),
    )


def _floating(loop: Loop) -> tuple[list[int], list[GraphNode]]:
    """Return the numbers of inexact results, and the inexact variables: those with gradients."""
    heads = [k for k, head in enumerate(loop.body.heads) if inexact(spec(head).dtype)]
    return heads, [v for v in loop.variables if inexact(spec((v, 0)).dtype)]


def keeping(op: Any) -> Any:
    """Return the operator of the loop that also saves its gradient's residuals, as last ys."""
    loop: Loop = op.loop
    if loop.saved or loop.ends_by_test:
        return op
    heads, wrt = _floating(loop)
    if not heads or not wrt:
        return op
    last = loop.carries + loop.ys
    saved: tuple[Entry, ...] = ()
    while True:  # derivatives of derivatives differentiate the saved values too
        candidate = loop._replace(
            heads=(*loop.heads[:last], *saved, *loop.heads[last:]),
            ys=loop.ys + len(saved),
            saved=len(saved),
        )
        heads, wrt = _floating(candidate)
        entries = reversed_body(candidate.body, heads, wrt, loop.variables[: loop.carries]).kept
        more = tuple([entry for entry in entries if entry not in saved])
        if not more:
            return op.of(candidate)
        saved += more


def loop_gradient(op: Any, g: Gradients) -> Sequence[Any]:
    """Return the in-gradients of a loop."""
    first = op.loop.counted
    loop = op.typed(g.specs)
    if loop.ends_by_test:
        raise DerivativeError(
            "while_loop: its gradient needs the values of all steps, and how many these will be "
            "is not known; give max_iterations=, use ng.fori_loop or ng.scan, or derivatives "
            "forward: ng.jvp, ng.jacfwd"
        )
    op, outputs, out_grads = op.of(loop), g.outputs, g.out_grads
    if not loop.saved:
        op = keeping(op)
        if not op.loop.saved and not _floating(loop)[0]:
            return [None] * len(g.specs)
        results = op(*g.inputs)
        outputs = results if isinstance(results, tuple) else (results,)
        more, last = op.loop.saved, loop.carries + loop.ys
        out_grads = [*out_grads[:last], *[None] * more, *out_grads[last:]]
        loop = op.loop
    return _reverse(op, g, outputs, out_grads, first)


def _body(
    loop: Loop, out_grads: Sequence[Any], asked: Sequence[bool], saved: Mapping[Entry, int]
) -> tuple[Reversed, Sequence[int]]:
    """Return the backward body and the results whose gradients it reads: only those present, with
    respect to the variables in `asked`, if all residuals were saved; else all."""
    every, floating = _floating(loop)
    again = loop.variables[: loop.carries]
    seeded = [k for k in every if k < loop.carries or out_grads[k] is not None]
    wanted = dict(zip(loop.variables, asked, strict=True))
    back = reversed_body(loop.body, seeded, [v for v in floating if wanted[v]], again)
    if all(entry in saved for entry in back.kept):
        return back, seeded
    return reversed_body(loop.body, every, floating, again), every


def _reverse(
    op: Any, g: Gradients, outputs: Sequence[Any], out_grads: Sequence[Any], first: int
) -> list[Any]:
    loop: Loop = op.loop
    last = loop.carries + loop.ys
    place = {v: k for k, v in enumerate(loop.variables)}
    saved = {loop.heads[k]: k for k in range(last - loop.saved, last)}
    asked = [place[v] < loop.carries or g.wanted[first + place[v]] for v in loop.variables]
    back, seeded = _body(loop, out_grads, asked, saved)
    carries = [k for k in seeded if k < loop.carries]

    def seed(k: int) -> Any:
        own = spec(loop.heads[k])
        if loop.carries <= k < loop.carries + loop.ys:  # of the whole loop
            own = own._replace(shape=(loop.length, *own.shape))
        return uniform("zeros", own) if out_grads[k] is None else out_grads[k]

    slopes = dict(zip(back.slopes, back.heads, strict=True))
    moving = [k for k in seeded if loop.carries <= k < last]
    parts = [v for v in back.reads if place[v] < loop.carries + loop.xs]
    whole = [v for v in back.reads if place[v] >= loop.carries + loop.xs]
    sums = [k for k in seeded if k >= last]
    of_parts = [v for v in back.slopes if loop.carries <= place[v] < loop.carries + loop.xs]
    of_whole = [v for v in back.slopes if place[v] >= loop.carries + loop.xs]
    ordered = [*(loop.variables[k] for k in carries), *of_parts, *of_whole]
    variables = [
        *(back.seeds[k] for k in (*carries, *moving)),
        *back.stand_ins,
        *parts,
        *(back.seeds[k] for k in sums),
        *whole,
    ]
    counted = loop.counted or loop.tests
    operands = [
        *([outputs[-1] if loop.tests else g.inputs[0]] if counted else []),
        *(seed(k) for k in (*carries, *moving)),
        *(outputs[saved[entry]] for entry in back.kept),
        *(g.inputs[first + place[v]] for v in parts),
        *(seed(k) for k in sums),
        *(g.inputs[first + place[v]] for v in whole),
    ]
    backward = canonical(
        loop._replace(
            heads=tuple([slopes[v] for v in ordered]),
            variables=tuple(variables),
            carries=len(carries),
            xs=len(moving) + len(back.stand_ins) + len(parts),
            ys=len(of_parts),
            reverse=not loop.reverse,
            counted=counted,
            tests=False,
            saved=0,
        )
    )
    results = op.of(backward)(*operands)
    results = results if isinstance(results, tuple) else (results,)
    gradients: list[Any] = [None] * len(g.specs)
    for v, value in zip(ordered, results, strict=True):
        gradients[first + place[v]] = value
    return gradients


def canonical(loop: Loop) -> Loop:
    """Return the loop with variables named by position, so that equal loops are identical."""
    names: Callable[[int], str] = lambda k: (
        f"carry {k}"
        if k < loop.carries
        else f"x {k - loop.carries}"
        if k < loop.carries + loop.xs
        else f"constant {k - loop.carries - loop.xs}"
    )
    return loop.over(renamed(Graph(loop.heads, loop.variables), names))


def renamed(graph: Graph, names: Callable[[int], str]) -> Graph:
    """Return the graph with renamed variables."""
    specs = [spec((v, 0)) for v in graph.variables]
    fresh = [build.variable(names(k), *own) for k, own in enumerate(specs)]
    moved: Any = {(old, 0): (new, 0) for old, new in zip(graph.variables, fresh, strict=True)}
    rewritten = graph.rewrite(lambda node, inputs: None, moved)
    return typed(Graph(rewritten.heads, fresh), specs)
