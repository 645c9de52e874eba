"""Between which numbers an integer lies, as far as its formula tells: indices that need no test."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from nbgraph.kernels.kinds import INTEGERS, is_boolean
from nbgraph.kernels.scalar import Graph, Node

Interval = tuple[float, float]
EVERY: Interval = (-math.inf, math.inf)
_DEEP = 16  # operations that are looked through
_WIDE = 2.0**53  # beyond, sums may wrap and bounds are no longer exact


def interval(graph: Graph, node: Node, depth: int = _DEEP) -> Interval:
    """Return the least and the largest value of an integer node; infinite where unknown."""
    if node.op == "const" and node.kind != "f":
        return int(node.data), int(node.data)
    known = graph.ranges.get(node.id) if node.op == "phi" else _by_operation(graph, node, depth)
    if known is None or max(map(abs, known)) > _WIDE:
        return _of_kind(node.kind)
    return known


def _of_kind(kind: str) -> Interval:
    if is_boolean(kind):
        return 0, 1
    if kind in INTEGERS:
        info = np.iinfo(kind)
        return float(info.min), float(info.max)
    return EVERY


def _by_operation(graph: Graph, node: Node, depth: int) -> Interval | None:
    if node.op == "gather" and node.kind != "f":
        return min(node.data.values), max(node.data.values)
    rule = _RULES.get(node.op)
    if rule is None or not depth or not all(a.kind != "f" for a in node.args):
        return None
    if node.op == "select":
        return _select(graph, node, depth)
    found = rule(*(interval(graph, a, depth - 1) for a in node.args))
    low, high = _of_kind(node.kind)
    return found if found is None or (low <= found[0] and found[1] <= high) else None


def _select(graph: Graph, node: Node, depth: int) -> Interval:
    cond, yes, no = node.args
    (a, b), (c, d) = (interval(graph, n, depth - 1) for n in (yes, no))
    if cond.op in ("lt", "le", "gt", "ge"):
        ordered = [_plain(n) for n in cond.args]
        arms = [_plain(n) for n in (yes, no)]
        if ordered in (arms, arms[::-1]):
            least = (cond.op in ("lt", "le")) == (ordered == arms)
            return (min(a, c), min(b, d)) if least else (max(a, c), max(b, d))
    return min(a, c), max(b, d)


def _plain(node: Node) -> tuple[str, object]:
    """What tells a node from others, constants by their value."""
    return ("const", node.data) if node.op == "const" else ("node", node.id)


def _product(a: Interval, b: Interval) -> Interval | None:
    if math.inf in (*map(abs, a), *map(abs, b)):
        return None
    ends = [x * y for x in a for y in b]
    return min(ends), max(ends)


def _modulo(a: Interval, b: Interval) -> Interval | None:
    if b[0] > 0:
        return 0, b[1] - 1
    return (b[0] + 1, 0) if b[1] < 0 else None


def _quotient(a: Interval, b: Interval) -> Interval | None:
    if b[0] != b[1] or b[0] <= 0 or math.inf in map(abs, a):
        return None
    return a[0] // b[0], a[1] // b[0]


def _masked(a: Interval, b: Interval) -> Interval | None:
    masks = [high for low, high in (a, b) if low >= 0]
    return (0, min(masks)) if masks else None


_RULES: dict[str, Callable[..., Interval | None]] = {
    "add": lambda a, b: (a[0] + b[0], a[1] + b[1]),
    "sub": lambda a, b: (a[0] - b[1], a[1] - b[0]),
    "neg": lambda a: (-a[1], -a[0]),
    "abs": lambda a: (max(0, a[0], -a[1]), max(abs(a[0]), abs(a[1]))),
    "cast": lambda a: a,
    "mul": _product,
    "mod": _modulo,
    "floordiv": _quotient,
    "band": _masked,
    "select": lambda *arms: None,
}

__all__ = ["EVERY", "interval"]
