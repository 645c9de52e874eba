"""Conditions that are decided by what holds on their path: `-x < 0` where x < 0 is not.

Numbers are meant: where a condition on the path does not hold because of NaN, NaN goes on as the
numbers for which it does not hold.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

from nbgraph.kernels.scalar import Graph, Node

Interval = tuple[float, float]
_OUTCOMES = {"lt": "<", "le": "<=", "gt": ">", "ge": ">=", "eq": "=", "ne": "<>"}
_MIRROR = str.maketrans("<>", "><")
_DEEP = 8  # operations that are looked through


def decided(graph: Graph, path: Node, cond: Node) -> Node:
    """Return the condition, or the constant that it is where `path` holds."""
    if cond.op == "not":
        return graph.logical_not(decided(graph, path, cond.args[0]))
    if cond.op in ("and", "or"):
        a, b = (decided(graph, path, part) for part in cond.args)
        return graph.logical_and(a, b) if cond.op == "and" else graph.logical_or(a, b)
    if cond.op not in _OUTCOMES:
        return cond
    possible = _possible(_Facts(path), *cond.args)
    if not possible & set(_OUTCOMES[cond.op]):
        return graph.const(False)
    return graph.const(True) if possible <= set(_OUTCOMES[cond.op]) else cond


def opposed(path: Node, other: Node) -> bool:
    """Whether two paths exclude each other."""
    holding = {(part.id, holds) for part, holds in literals(path, True)}
    return any((part.id, not holds) in holding for part, holds in literals(other, True))


def literals(cond: Node, holds: bool) -> Iterator[tuple[Node, bool]]:
    """Conditions that hold, or do not hold, where `cond` does."""
    stack = [(cond, holds)]
    while stack:
        part, true = stack.pop()
        if part.op == "not":
            stack.append((part.args[0], not true))
        elif part.op == ("and" if true else "or"):
            stack.extend((a, true) for a in part.args)
        else:
            yield part, true


class _Facts:
    """What a path says of the order of nodes, and between which numbers they lie."""

    def __init__(self, path: Node) -> None:
        self.orders: dict[tuple[int, int], set[str]] = {}
        self.intervals: dict[int, Interval] = {}
        for part, holds in literals(path, True):
            if part.op not in _OUTCOMES:
                continue
            some = set(_OUTCOMES[part.op])
            a, b = part.args
            self._learn(a, b, some if holds else set("<=>") - some)

    def _learn(self, a: Node, b: Node, some: set[str]) -> None:
        mirrored = {s.translate(_MIRROR) for s in some}
        for x, y, outcomes in ((a, b, some), (b, a, mirrored)):
            self.orders[x.id, y.id] = self.orders.get((x.id, y.id), set("<=>")) & outcomes
            if y.op != "const" or x.op == "const":
                continue
            low, high = self.intervals.get(x.id, (-math.inf, math.inf))
            if "<" not in outcomes:
                low = max(low, y.data)
            if ">" not in outcomes:
                high = min(high, y.data)
            self.intervals[x.id] = low, high

    def interval(self, node: Node, depth: int = _DEEP) -> Interval:
        """The least and the largest number that a node may be."""
        if node.op == "const":
            return float(node.data), float(node.data)
        low, high = self.intervals.get(node.id, (-math.inf, math.inf))
        rule = _RULES.get(node.op)
        if rule is not None and depth:
            bounds = rule(*(self.interval(a, depth - 1) for a in node.args))
            if not any(map(math.isnan, bounds)):
                low, high = max(low, bounds[0]), min(high, bounds[1])
        return low, high


def _possible(facts: _Facts, a: Node, b: Node) -> set[str]:
    """How two nodes may compare."""
    orders = set(facts.orders.get((a.id, b.id), "<=>"))
    (low, high), (least, most) = facts.interval(a), facts.interval(b)
    if low >= most:
        orders -= {"<"} if low == most else {"<", "="}
    if high <= least:
        orders -= {">"} if high == least else {">", "="}
    return orders


def _product(a: Interval, b: Interval) -> Interval:
    ends = [0.0 if 0.0 in (x, y) else x * y for x in a for y in b]
    return min(ends), max(ends)


def _quotient(a: Interval, b: Interval) -> Interval:
    if b[0] <= 0.0 <= b[1] and (b[0] < 0.0 < b[1] or b == (0.0, 0.0)):
        return -math.inf, math.inf
    inverse = [math.copysign(math.inf, sum(b)) if y == 0.0 else 1.0 / y for y in b]
    return _product(a, (min(inverse), max(inverse)))


def _size(a: Interval) -> Interval:
    return max(0.0, a[0], -a[1]), max(abs(a[0]), abs(a[1]))


_RULES: dict[str, Callable[..., Interval]] = {
    "add": lambda a, b: (a[0] + b[0], a[1] + b[1]),
    "sub": lambda a, b: (a[0] - b[1], a[1] - b[0]),
    "neg": lambda a: (-a[1], -a[0]),
    "abs": _size,
    "mul": _product,
    "div": _quotient,
    "cast": lambda a: a,
}
