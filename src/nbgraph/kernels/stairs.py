"""Loops that narrow an interval, as a bisection does: what they end with moves in small steps.

Which half of the interval is kept depends on an operand, its ends do not: so the slope of the text
is that of one step, mostly 0, and differences over less than a step agree with it. Differences over
much more than a step show how the root moves. Where they agree with each other and not with the
slope, the slope is refused.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from nbgraph.kernels.interpret import Budget, Evaluator, Exhausted, FloatDomain, Undetermined
from nbgraph.kernels.scalar import Graph, Node

SECONDS, WORK = 0.4, 400_000.0  # for the points that are tried
FEW = 2  # points that decide, where most others agree
WIDE = 2.0**-13  # of differences, relative to the operand
STRAIGHT = 1e-3  # relative: differences over two widths that agree so well are a slope
OFF = 0.02  # relative: how far from it the slope of a step is
_ARITHMETIC = frozenset(("add", "sub", "mul", "div"))


class Step(NamedTuple):
    """A point where the slope is that of a step, and where the function rises as `rise`."""

    leaves: Mapping[int, Any]
    slope: float
    rise: float


def narrowing(graph: Graph, nodes: Iterable[Node], wrt: Node) -> Node | None:
    """Return the comparison by which a loop decides with the operand which of its own numbers it
    keeps; None where there is no such loop."""
    for number in {node.data[0] for node in nodes if node.op == "final"}:
        for phi, _, out in graph.regions[number].carried.values():
            for select in _selects(out) if phi.kind == "f" else ():
                cond, *arms = select.args
                moved = any(a.op in _ARITHMETIC and number in a.regions for a in arms)
                if moved and _reads(graph, cond, wrt) and not _reads(graph, out, wrt, own=True):
                    return cond
    return None


def _selects(out: Node) -> Iterable[Node]:
    """The selects whose arms a value is."""
    stack = [out]
    while stack:
        node = stack.pop()
        if node.op == "select":
            yield node
            stack.extend(node.args[1:])


def _reads(graph: Graph, root: Node, wrt: Node, *, own: bool = False) -> bool:
    """Whether a value reads an operand in the trip itself; `own`: not by conditions."""
    seen, stack = set[int](), [root]
    while stack:
        node = stack.pop()
        if node is wrt:
            return True
        if node.id not in seen:
            seen.add(node.id)
            stack.extend(graph.children(node)[1 if own and node.op == "select" else 0 :])
    return False


def step(
    graph: Graph, wrt: Node, value: Node, slope: Node, points: Iterable[Mapping[int, Any]]
) -> Step | None:
    """Return a point where the slope is that of a step, if that is so at most points."""
    budget, steps, agree = Budget(WORK, SECONDS), list[Step](), 0
    try:
        for leaves in points:
            seen = _seen(graph, wrt, (value, slope), leaves, budget)
            if seen is not None and abs(seen.slope - seen.rise) > OFF * abs(seen.rise):
                steps.append(seen)
            agree += seen is not None and (not steps or steps[-1] is not seen)
    except Exhausted:
        pass
    return steps[0] if len(steps) >= FEW and len(steps) > agree else None


def _seen(
    graph: Graph, wrt: Node, roots: Sequence[Node], leaves: Mapping[int, Any], budget: Budget
) -> Step | None:
    """What there is to see at a point; None where wide differences are not those of a slope."""
    x = leaves[wrt.id]
    width = WIDE * (abs(x) or 1.0)

    def at(place: float, root: Node) -> float:
        return float(Evaluator(graph, {**leaves, wrt.id: place}, FloatDomain(budget))(root))

    try:
        values = [at(x + k * width, roots[0]) for k in (-2, -1, 1, 2)]
        slope = at(x, roots[1])
    except (Undetermined, OverflowError, ValueError):
        return None
    narrow, wide = (values[2] - values[1]) / (2 * width), (values[3] - values[0]) / (4 * width)
    noise = 1e-9 * max(map(abs, values)) / width
    if not noise < abs(narrow) or not abs(narrow - wide) <= STRAIGHT * abs(narrow):
        return None
    rising = {later > before for before, later in itertools.pairwise(values)}
    return Step(leaves, slope, narrow) if len(rising) == 1 and slope == slope else None
