"""What conditions say of equal values, and where they hold: `x == c`, `x <= c and x >= c`, ..."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from nbgraph.kernels.rules import PIECEWISE_CONSTANT
from nbgraph.kernels.scalar import COMPARISONS, Graph, Node

_OPPOSITE = {"lt": "ge", "le": "gt", "gt": "le", "ge": "lt", "eq": "ne", "ne": "eq"}
_MIRROR = {"ge": "le", "gt": "lt"}
_SMOOTH = frozenset(("const", "arg", "param", "add", "sub", "mul", "div", "neg", "call"))


class Fact(NamedTuple):
    """A comparison that holds on a branch, and the node of the text that says so."""

    op: str
    a: Node
    b: Node
    source: Node


def cases(cond: Node, holds: bool) -> list[Node]:
    """Conditions of which one is enough for `cond` to hold, or not to hold."""
    found, stack = [], [cond]
    while stack:
        part = stack.pop()
        if part.op == ("or" if holds else "and"):
            stack.extend(reversed(part.args))
        else:
            found.append(part)
    return found


def facts(cond: Node, holds: bool) -> Iterator[Fact]:
    """Comparisons of floating values that hold where `cond` does, or does not."""
    stack = [(cond, holds)]
    while stack:
        part, true = stack.pop()
        if part.op == "not":
            stack.append((part.args[0], not true))
        elif part.op == ("and" if true else "or"):
            stack.extend((a, true) for a in reversed(part.args))
        elif (
            part.op in COMPARISONS and part.args[0].kind == "f" and part.args[0] is not part.args[1]
        ):
            a, b = part.args
            op = part.op if true else _OPPOSITE[part.op]
            if op in _MIRROR:
                op, a, b = _MIRROR[op], b, a
            yield Fact(op, a, b, part)


def is_half(fact: Fact) -> bool:
    """Whether a comparison the other way round would make both sides equal."""
    return fact.op == "le"


def equal(facts: Sequence[Fact]) -> Iterator[Fact]:
    """Facts that say what is equal: ==, <= from both sides, or of a square or size, <= 0."""
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
    """Whether what is compared depends on `seed`."""
    return seed in graph.reachable([fact.a, fact.b])


def solve(graph: Graph, fact: Fact, seed: Node) -> Node | None:
    """The value of `seed` where both sides are equal, over the other leaves; None if not found."""
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
        step = _undo(graph, a, b, active)
        if step is None:
            return None
        a, b = step
    return b


def _undo(graph: Graph, a: Node, b: Node, active: set[int]) -> tuple[Node, Node] | None:
    """From a = b, in which one part of a is unknown, that part and what it equals."""
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
    """Whether both sides are made of smooth functions, so that they are equal on no interval."""
    parts = graph.reachable([fact.a, fact.b])
    return all(n.op in _SMOOTH and n.data not in PIECEWISE_CONSTANT for n in parts)
