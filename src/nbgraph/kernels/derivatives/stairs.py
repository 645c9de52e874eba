"""Detection of loops that narrow an interval, as bisection does: results move in small steps.

The operand decides which half of the interval is kept, but not its ends: so the slope of the text
is that of one step, mostly 0, and differences over less than a step agree with it. Differences over
much more than a step show how the root moves. If they agree with each other and not with the slope,
the slope is refused.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from typing import Any

from nbgraph.kernels.derivatives.claim import Claim
from nbgraph.kernels.scalar.graph import Graph, Node
from nbgraph.kernels.scalar.interpret import Budget, Evaluator, Exhausted, FloatDomain, Undetermined

SECONDS, WORK = 0.4, 400_000.0  # budget for all points
FEW, MANY = 2, 12  # steps that refuse the slope if most points are steps; most points examined
WIDE = 2.0**-13  # of differences, relative to the operand
STRAIGHT = 1e-3  # relative: agreement of differences over two widths that makes them a slope
OFF = 0.02  # relative deviation from it that makes the slope that of a step
_MOVES = frozenset(("add", "sub", "mul", "div"))

Observation = tuple[dict[int, Any], float, float]  # leaves, slope, slope over many steps


def narrowing(claim: Claim) -> Node | None:
    """Return the comparison by which a loop selects, depending on the operand, which of its own
    numbers it keeps; None without such a loop."""
    graph, wrt = claim.graph, claim.wrt
    nodes = graph.reachable([claim.value]) if graph.regions else ()
    for number in {node.data[0] for node in nodes if node.op == "final"}:
        for phi, _, out in graph.regions[number].carried.values():
            stack = [out] if phi.kind == "f" and not _reads(graph, out, wrt, 1) else []
            while stack:
                if (node := stack.pop()).op == "select":
                    cond, *arms = node.args
                    moved = any(number in a.regions and _is_moved(a, phi) for a in arms)
                    if moved and _reads(graph, cond, wrt):
                        return cond
                    stack += arms
    return None


def _is_moved(node: Node, phi: Node) -> bool:
    """Return whether a value is a shifted number or another number of the loop, as golden sections
    keep; not one that is only scaled, such as a tolerance between retries."""
    if node.op == "phi":
        return node is not phi and node.kind == "f"
    scaled = node.op in ("mul", "div") and {a.op for a in node.args} == {"phi", "const"}
    return node.op in _MOVES and not scaled


def _reads(graph: Graph, root: Node, wrt: Node, first: int = 0) -> bool:
    """Return whether a value reads an operand within a trip, in selects from argument `first`."""
    seen, stack = set[int](), [root]
    while stack:
        node = stack.pop()
        if node is wrt:
            return True
        if node.id not in seen:
            seen.add(node.id)
            stack.extend(graph.children(node)[first if node.op == "select" else 0 :])
    return False


def step(claim: Claim, points: Iterable[dict[int, Any]]) -> Observation | None:
    """Return a point where the slope is that of a step, if this holds at most of the points."""
    budget, steps, count = Budget(WORK, SECONDS), list[Observation](), 0
    try:
        for leaves in points:
            if (seen := _observe(claim, leaves, budget)) is not None:
                count += 1
                steps += [seen] * (abs(seen[1] - seen[2]) > OFF * abs(seen[2]))
            if count == MANY:
                break
    except Exhausted:
        pass
    return steps[0] if len(steps) >= FEW and 2 * len(steps) > count else None


def _observe(claim: Claim, leaves: dict[int, Any], budget: Budget) -> Observation | None:
    """Return slope and rise at a point; None if its differences do not make a slope."""
    wrt, x = claim.wrt.id, leaves[claim.wrt.id]
    width = WIDE * (abs(x) or 1.0)

    def at(place: float, root: Node) -> float:
        return float(Evaluator(claim.graph, {**leaves, wrt: place}, FloatDomain(budget))(root))

    try:
        b, c = (at(x + k * width, claim.value) for k in (-1, 1))
        if b == c:
            return None
        a, d = (at(x + k * width, claim.value) for k in (-2, 2))
        slope = at(x, claim.slope)
    except (Undetermined, OverflowError, ValueError):
        return None
    rise, noise = (c - b) / (2 * width), 1e-9 * max(map(abs, (a, b, c, d))) / width
    straight = noise < abs(rise) and abs(rise - (d - a) / (4 * width)) <= STRAIGHT * abs(rise)
    steady = len({more > less for less, more in itertools.pairwise((a, b, c, d))}) == 1
    return (leaves, slope, rise) if straight and steady and slope == slope else None
