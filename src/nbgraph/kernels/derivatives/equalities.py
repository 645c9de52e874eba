"""Equalities that conditions imply, and where they hold: `x == c`, `x <= c and x >= c`, ...; and
where both sides of a comparison are equal along an operand, by bisection in float64."""

import math
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from nbgraph.kernels.scalar.functions import PIECEWISE_CONSTANT
from nbgraph.kernels.scalar.graph import COMPARISONS, Graph, Node

_OPPOSITE = {"lt": "ge", "le": "gt", "gt": "le", "ge": "lt", "eq": "ne", "ne": "eq"}
_MIRROR = {"ge": "le", "gt": "lt"}
_SMOOTH = frozenset(("const", "arg", "param", "add", "sub", "mul", "div", "neg", "call"))


class Fact(NamedTuple):
    """A comparison that holds on a branch, and the node of the text that implies it."""

    op: str
    a: Node
    b: Node
    source: Node


def cases(cond: Node, holds: bool) -> list[Node]:
    """Return conditions, any of which suffices for `cond` to hold, or not to hold."""
    parts, stack = [], [cond]
    while stack:
        part = stack.pop()
        if part.op == ("or" if holds else "and"):
            stack.extend(reversed(part.args))
        else:
            parts.append(part)
    return parts


def literals(cond: Node, holds: bool) -> Iterator[tuple[Node, bool]]:
    """Yield conditions, with their truth values, that are implied if `cond` is `holds`."""
    stack = [(cond, holds)]
    while stack:
        part, true = stack.pop()
        if part.op == "not":
            stack.append((part.args[0], not true))
        elif part.op == ("and" if true else "or"):
            stack.extend((a, true) for a in reversed(part.args))
        else:
            yield part, true


def facts(cond: Node, holds: bool) -> Iterator[Fact]:
    """Yield comparisons of floating values that are implied if the truth of `cond` is `holds`."""
    for part, true in literals(cond, holds):
        if part.op in COMPARISONS and part.args[0].kind == "f" and part.args[0] is not part.args[1]:
            a, b = part.args
            op = part.op if true else _OPPOSITE[part.op]
            if op in _MIRROR:
                op, a, b = _MIRROR[op], b, a
            yield Fact(op, a, b, part)


def equal(facts: Sequence[Fact]) -> Iterator[Fact]:
    """Yield the facts that imply equality: ==, <= in both directions, or a square or size <= 0."""
    below = {(f.a.id, f.b.id) for f in facts if f.op == "le"}
    for fact in facts:
        first = fact.a.id < fact.b.id
        both = fact.op == "le" and first and (fact.b.id, fact.a.id) in below
        least = fact.op == "le" and _is_zero(fact.b) and _is_size(fact.a)
        if fact.op == "eq" or both or least:
            yield fact


def _is_size(node: Node) -> bool:
    return node.op == "abs" or (node.op == "mul" and node.args[0] is node.args[1])


def _is_zero(node: Node) -> bool:
    return node.op == "const" and node.data == 0


def depends(graph: Graph, seed: Node, fact: Fact) -> bool:
    """Return whether a compared value depends on `seed`."""
    return seed in graph.reachable([fact.a, fact.b])


def solve(graph: Graph, fact: Fact, seed: Node) -> Node | None:
    """Return the value of `seed` at which both sides are equal, over the other leaves, or None."""
    active = {seed.id}
    for node in graph.reachable([fact.a, fact.b]):
        if any(a.id in active for a in graph.children(node)):
            active.add(node.id)
    a, b = fact.a, fact.b
    if b.id in active:
        a, b = b, a
    if b.id in active:
        return None
    while a is not seed:
        step = _isolate(graph, a, b, active)
        if step is None:
            return None
        a, b = step
    return b


def _isolate(graph: Graph, a: Node, b: Node, active: set[int]) -> tuple[Node, Node] | None:
    """Return the unknown part of a in a = b, and the value that it equals."""
    if a.op == "neg":
        return a.args[0], graph.negate(b)
    if _is_zero(b) and _is_size(a):
        return a.args[0], b
    if a.op not in ("add", "sub", "mul", "div") or (a.args[0].id in active) is (
        a.args[1].id in active
    ):
        return None
    left = a.args[0].id in active
    part, known = a.args if left else (a.args[1], a.args[0])
    if a.op == "mul":
        return part, b if _is_zero(b) else graph.arithmetic("div", b, known)
    if a.op == "add" or (a.op == "sub" and left):
        return part, graph.arithmetic("sub" if a.op == "add" else "add", b, known)
    if a.op == "sub":
        return part, graph.arithmetic("sub", known, b)
    if left:
        return part, b if _is_zero(b) else graph.arithmetic("mul", b, known)
    return None if _is_zero(b) else (part, graph.arithmetic("div", known, b))


def is_smooth(graph: Graph, fact: Fact) -> bool:
    """Return whether both sides are smooth functions, so that they are equal on no interval."""
    parts = graph.reachable([fact.a, fact.b])
    return all(n.op in _SMOOTH and n.data not in PIECEWISE_CONSTANT for n in parts)


Gap = Callable[[float], float]  # one side less the other; NaN if undefined


def crossings(gap: Gap, line: Sequence[float]) -> list[float]:
    """Return the zeros of a gap between and beside increasing points of a line."""
    gaps = [gap(x) for x in line]
    points = []
    for i in range(len(line) - 1):
        if _sign(gaps[i]) != _sign(gaps[i + 1]) and not math.isnan(gaps[i] + gaps[i + 1]):
            points.append(_bisect(gap, line[i], line[i + 1]))
    for i in range(1, len(line) - 1):
        a, b, c = gaps[i - 1 : i + 2]
        if abs(b) <= min(abs(a), abs(c)) and b and _sign(a) == _sign(b) == _sign(c):
            low = _lowest(gap, line[i - 1], line[i + 1])
            if _sign(gap(low)) == -_sign(b):
                points += [_bisect(gap, line[i - 1], low), _bisect(gap, low, line[i + 1])]
    return [x for x in points if math.isfinite(x)]


def _sign(x: float) -> int:
    """Return -1, 0 or 1; products of values would underflow."""
    return (x > 0) - (x < 0)


def _bisect(gap: Gap, a: float, b: float) -> float:
    """Return a zero of `gap` between a and b, to the last float64 digits."""
    below = gap(a)
    for _ in range(70):
        middle = 0.5 * (a + b)
        if middle in (a, b):
            break
        value = gap(middle)
        if math.isnan(value):
            return math.nan
        if _sign(value) == _sign(below):
            a = middle
        else:
            b = middle
    return 0.5 * (a + b)


def _lowest(gap: Gap, a: float, b: float) -> float:
    """Return where |gap| is smallest between a and b (golden section)."""
    ratio = 0.5 * (math.sqrt(5) - 1)
    sign = math.copysign(1.0, gap(a))
    left, right = b - ratio * (b - a), a + ratio * (b - a)
    low, high = sign * gap(left), sign * gap(right)
    for _ in range(40):
        if low < high:
            b, right, high = right, left, low
            left = b - ratio * (b - a)
            low = sign * gap(left)
        else:
            a, left, low = left, right, high
            right = a + ratio * (b - a)
            high = sign * gap(right)
    return 0.5 * (a + b)
