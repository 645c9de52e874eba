"""Bounds of values, as far as their formulas and the path imply them.

An index within the bounds of its table needs no test. In functions that call themselves the path
decides conditions, too: `-x < 0` is false where x < 0. Such bounds ignore NaN (`numbers`): where a
condition on the path is false because of NaN, NaN is treated as the numbers for which it is false.
"""

import math
from collections.abc import Callable, Mapping

import numpy as np

from nbgraph.kernels.derivatives.equalities import literals
from nbgraph.kernels.scalar.graph import Graph, Node
from nbgraph.kernels.scalar.kinds import INTEGERS, is_boolean

Interval = tuple[float, float]
EVERY: Interval = (-math.inf, math.inf)
_DEEP, _SHALLOW = 16, 8  # operations followed back, for integers and for all numbers
_NESTED = 4  # nested selects whose conditions are used
_WIDE = 2.0**53  # beyond, sums may wrap and bounds are no longer exact


class Intervals:
    """Bounds of integers where a path holds; with `numbers`, of all numbers, taken as not NaN."""

    def __init__(self, graph: Graph, path: Node | None = None, *, numbers: bool = False) -> None:
        self._graph, self._numbers = graph, numbers
        self._facts = {} if path is None else _facts(path, True, numbers)
        self._known: dict[tuple[int, int], Interval] = {}  # bounds by node and depth of search

    def of(self, node: Node, depth: int = _DEEP) -> Interval:
        """Return the least and the largest value of a node; infinite where unknown."""
        depth = 0 if node.op in ("const", "phi") else depth
        bounds = self._known.get((node.id, depth)) or self._known.get((node.id, _DEEP))
        if bounds is None:
            low, high = self._of_formula(node, depth)
            least, most = self._facts.get(node.id, EVERY)
            bounds = self._known[node.id, depth] = max(low, least), min(high, most)
        return bounds

    def _of_formula(self, node: Node, depth: int) -> Interval:
        if node.op == "const" and (node.kind != "f" or self._numbers):
            return node.data, node.data
        if node.op in ("phi", "final"):
            variable = node.id if node.op == "phi" else node.data[1]
            low, high = self._graph.ranges.get(variable, EVERY)
        else:
            low, high = self._by_operation(node, depth) or EVERY
        least, most = EVERY if self._numbers else _of_kind(node.kind)
        return (low if abs(low) <= _WIDE else least), (high if abs(high) <= _WIDE else most)

    def _by_operation(self, node: Node, depth: int) -> Interval | None:
        if node.op == "gather" and node.kind != "f":
            return min(node.data.values), max(node.data.values)
        if node.op == "cast" and node.args[0].kind == "f":
            return self._whole_part(node.args[0])
        rule = _RULES.get(node.op)
        floats = any(a.kind == "f" for a in node.args)
        if rule is None or not depth or (floats and not self._numbers):
            return None
        if node.op == "select":
            return self._select(node, depth)
        bounds = rule(*(self.of(a, depth - 1) for a in node.args))
        low, high = _of_kind(node.kind)
        if bounds is None or bounds[0] < low or bounds[1] > high:
            return None
        if any(map(math.isnan, bounds)):
            return None
        exact = floats or node.op in _BOUNDED or max(map(abs, bounds)) <= _WIDE  # else it may wrap
        return bounds if exact else None

    def _whole_part(self, value: Node) -> Interval | None:
        """Return the bounds of a float that is cast to an integer."""
        if value.op == "call" and value.data in ("trunc", "floor"):
            value = value.args[0]
        bounds = self._facts.get(value.id)
        if bounds is None or math.inf in map(abs, bounds):
            return None
        return math.floor(bounds[0]), math.trunc(bounds[1])

    def _select(self, node: Node, depth: int) -> Interval:
        cond, yes, no = node.args
        (a, b), (c, d) = self._where(cond, True, yes, depth), self._where(cond, False, no, depth)
        if cond.op in ("lt", "le", "gt", "ge"):
            ordered = [_plain(n) for n in cond.args]
            arms = [_plain(n) for n in (yes, no)]
            if ordered in (arms, arms[::-1]):
                least = (cond.op in ("lt", "le")) == (ordered == arms)
                return (min(a, c), min(b, d)) if least else (max(a, c), max(b, d))
        return min(a, c), max(b, d)

    def _where(self, cond: Node, holds: bool, node: Node, depth: int) -> Interval:
        """Return the bounds of `node` where `cond` holds, or does not; outer selects only."""
        more = _facts(cond, holds, self._numbers) if depth > _DEEP - _NESTED else {}
        if not more:
            return self.of(node, depth - 1)
        inner = Intervals(self._graph, numbers=self._numbers)
        inner._facts = _both(self._facts, more)
        return inner.of(node, depth - 1)


def _both(a: Mapping[int, Interval], b: Mapping[int, Interval]) -> dict[int, Interval]:
    joined = {**a, **b}
    for key in a.keys() & b.keys():
        joined[key] = max(a[key][0], b[key][0]), min(a[key][1], b[key][1])
    return joined


def _facts(path: Node, true: bool, numbers: bool) -> dict[int, Interval]:
    """Return the bounds of nodes that comparisons with constants imply where `path` holds, or
    (`true` false) does not. Floats of a comparison that does not hold may be NaN: they are left out
    unless `numbers`."""
    facts: dict[int, Interval] = {}
    for part, holds in literals(path, true):
        op = part.op if holds else _NEGATED.get(part.op, "")
        if op not in _MIRRORED:
            continue
        a, b = part.args
        if not holds and not numbers and "f" in (a.kind, b.kind):
            continue
        op = _CLOSED[op] if numbers and "f" in (a.kind, b.kind) else op  # as results are rounded
        for x, y, how in ((a, b, op), (b, a, _MIRRORED[op])):
            if y.op == "const" and x.op != "const":
                low, high = facts.get(x.id, EVERY)
                least, most = _beside(how, y.data, whole=x.kind != "f")
                facts[x.id] = max(low, least), min(high, most)
    return facts


def _beside(how: str, bound: float, *, whole: bool) -> Interval:
    """Return the bounds of a number that compares by `how` ("lt", "le", ...) to `bound`."""
    if how in ("lt", "gt"):
        side = math.inf if how == "gt" else -math.inf
        bound = bound + math.copysign(1, side) if whole else math.nextafter(bound, side)
    least = bound if how in ("gt", "ge", "eq") else -math.inf
    return least, bound if how in ("lt", "le", "eq") else math.inf


def _of_kind(kind: str) -> Interval:
    if is_boolean(kind):
        return 0, 1
    if kind in INTEGERS:
        info = np.iinfo(kind)
        return float(info.min), float(info.max)
    return EVERY


def _plain(node: Node) -> tuple[str, object]:
    """Return a key that is equal for the same node and for equal constants."""
    return ("const", node.data) if node.op == "const" else ("node", node.id)


# conditions that a path decides -------------------------------------------------------------------


def opposed(path: Node, other: Node) -> bool:
    """Return whether two paths exclude each other."""
    holding = set(literals(path, True))
    return any((part, not holds) in holding for part, holds in literals(other, True))


def implies(path: Node, cond: Node, holds: bool) -> bool:
    """Return whether `path` has all parts of `cond`, or of its negation (`holds` false)."""
    return set(literals(cond, holds)) <= set(literals(path, True))


def decided(graph: Graph, path: Node, cond: Node) -> Node:
    """Return `cond`, or the constant that it equals wherever `path` holds."""
    if cond.op == "not":
        return graph.logical_not(decided(graph, path, cond.args[0]))
    if cond.op in ("and", "or"):
        a, b = (decided(graph, path, part) for part in cond.args)
        return graph.logical_and(a, b) if cond.op == "and" else graph.logical_or(a, b)
    if cond.op not in _OUTCOMES:
        return cond
    outcomes, possible = set(_OUTCOMES[cond.op]), _possible(graph, path, *cond.args)
    if not possible & outcomes:
        return graph.const(False)
    return graph.const(True) if possible <= outcomes else cond


def _possible(graph: Graph, path: Node, a: Node, b: Node) -> set[str]:
    """Return which of "<", "=", ">" may hold between two nodes on a path."""
    orders = set("<=>")
    for part, holds in literals(path, True):
        for op, pair in ((part.op, part.args), (_MIRRORED.get(part.op, ""), part.args[::-1])):
            if op in _OUTCOMES and pair == (a, b):
                orders &= set(_OUTCOMES[op]) if holds else set("<=>") - set(_OUTCOMES[op])
    known = Intervals(graph, path, numbers=True)
    (low, high), (least, most) = known.of(a, _SHALLOW), known.of(b, _SHALLOW)
    if low >= most:
        orders -= {"<"} if low == most else {"<", "="}
    if high <= least:
        orders -= {">"} if high == least else {">", "="}
    return orders


# ranges of results --------------------------------------------------------------------------------


def _product(a: Interval, b: Interval) -> Interval:
    ends = [0.0 if 0 in (x, y) else x * y for x in a for y in b]
    return min(ends), max(ends)


def _ratio(a: Interval, b: Interval) -> Interval | None:
    if b[0] <= 0.0 <= b[1] and (b[0] < 0.0 < b[1] or b == (0.0, 0.0)):
        return None
    inverse = [math.copysign(math.inf, sum(b)) if y == 0.0 else 1.0 / y for y in b]
    return _product(a, (min(inverse), max(inverse)))


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


_MIRRORED = {"lt": "gt", "gt": "lt", "le": "ge", "ge": "le", "eq": "eq"}
_NEGATED = {"lt": "ge", "ge": "lt", "le": "gt", "gt": "le", "ne": "eq"}
_CLOSED = {"lt": "le", "gt": "ge", "le": "le", "ge": "ge", "eq": "eq"}
_OUTCOMES = {"lt": "<", "le": "<=", "gt": ">", "ge": ">=", "eq": "=", "ne": "<>"}
_BOUNDED = ("cast", "mod", "band")  # operations whose results do not wrap
_RULES: dict[str, Callable[..., Interval | None]] = {
    "add": lambda a, b: (a[0] + b[0], a[1] + b[1]),
    "sub": lambda a, b: (a[0] - b[1], a[1] - b[0]),
    "neg": lambda a: (-a[1], -a[0]),
    "abs": lambda a: (max(0, a[0], -a[1]), max(abs(a[0]), abs(a[1]))),
    "cast": lambda a: a,
    "mul": _product,
    "div": _ratio,
    "mod": _modulo,
    "floordiv": _quotient,
    "band": _masked,
    "select": lambda *arms: None,
}
