"""Entries at an index that depends on values: constant tables, or selects among numbers."""

import functools
import itertools
from collections.abc import Sequence
from typing import NamedTuple

from nbgraph.kernels.capture.intervals import Intervals
from nbgraph.kernels.capture.values import Choice, Static, Value, flatten, form, unflatten
from nbgraph.kernels.scalar.graph import Graph, Node
from nbgraph.kernels.scalar.kinds import is_boolean, is_integer, promote
from nbgraph.kernels.scalar.tables import Table

MAX_ITEMS = 256  # items of an index that depends on values, unless all are constant
_FEW = 4  # up to so many constants, selects are used


def is_constant(items: Sequence[Value]) -> bool:
    """Return whether items can be looked up in tables: constant, and of one form."""
    parts = [flatten(item) for item in items]
    return _alike(items) and all(p and all(n.op == "const" for n in p) for p in parts)


def entry_at(graph: Graph, items: Sequence[Value], index: Node, name: str = "") -> Value | None:
    """Return the item at an index within bounds; None for too many or different items."""
    parts = [flatten(item) for item in items]
    if all(isinstance(item, Static) for item in items):
        return Choice(index, tuple(items))
    if None in parts and {*map(type, items)} == {tuple} and len({*map(len, items)}) == 1:
        entries = [entry_at(graph, column, index) for column in zip(*items, strict=True)]
        return None if None in entries else tuple(entries)
    if not _alike(items) or any(p is None for p in parts):
        return None
    columns = [list(column) for column in zip(*(p or [] for p in parts), strict=True)]
    entries = [_entry(graph, column, index, name) for column in columns]
    if any(n is None for n in entries):
        return None
    return unflatten(items[0], [n for n in entries if n is not None])


def within(graph: Graph, index: Node, count: int, path: Node | None = None) -> tuple[Node, Node]:
    """Return an index of `count` items counted from 0 (0 if out of bounds), and whether it is
    within bounds, both for use where `path` holds."""
    index, zero, size = graph.cast(index, "i"), graph.const(0), graph.const(count)
    low, high = Intervals(graph, path).of(index)
    inside = graph.const(True)
    if low < -count:
        inside = graph.compare("ge", index, graph.negate(size))
    if high >= count:
        inside = graph.logical_and(inside, graph.compare("lt", index, size))
    place = index
    if low < 0:
        behind = graph.arithmetic("add", index, size)
        place = graph.select(graph.compare("lt", index, zero), behind, index)
    return graph.select(inside, place, zero), inside


class Counter(NamedTuple):
    """The counter of a loop that makes every trip, in steps of 1; `path` is that of the body."""

    node: Node
    start: Node
    stop: Node
    path: Node

    def missed(self, graph: Graph, index: Node, count: int) -> Node | None:
        """Return whether an index, the counter plus a constant, is out of bounds of `count` items
        in some trip; None for any other index."""
        more = offset(self.node, index)
        if more is None:
            return None
        first = graph.arithmetic("add", self.start, graph.const(int(more)))
        after = graph.arithmetic("add", self.stop, graph.const(int(more)))
        below = graph.compare("lt", first, graph.const(-count))
        outside = graph.logical_or(below, graph.compare("gt", after, graph.const(count)))
        return graph.logical_and(graph.compare("lt", self.start, self.stop), outside)


def offset(a: Value, b: Value) -> float | None:
    """Return b - a if that is constant, else None."""
    if not isinstance(a, Node) or not isinstance(b, Node):
        return None
    (root, low), (other, high) = _sum(a), _sum(b)
    return high - low if root is other else None


def _sum(node: Node) -> tuple[Node | None, float]:
    """Return (base, constant) so that a node is their sum; the base of a constant is None."""
    if node.op == "const" and not is_boolean(node.kind):
        return None, node.data
    if node.op in ("add", "sub"):
        a, b = node.args
        if b.op == "const":
            root, more = _sum(a)
            return root, more + (b.data if node.op == "add" else -b.data)
        if a.op == "const" and node.op == "add":
            root, more = _sum(b)
            return root, more + a.data
    return node, 0


def _alike(items: Sequence[Value]) -> bool:
    return len({form(item) for item in items}) == 1


def _entry(graph: Graph, column: list[Node], index: Node, name: str) -> Node | None:
    kind = functools.reduce(promote, {n.kind for n in column})
    column = [graph.cast(n, kind) for n in column]
    first = column[0]
    if all(n is first for n in column):
        return first
    if all(n.op == "const" for n in column):
        return _constant(graph, column, index, name)
    if all(n.op == "gather" and n.args == first.args for n in column):
        return _rows(graph, column, index)
    if len(column) > MAX_ITEMS:
        return None
    return _chosen(graph, column, index)


def _constant(graph: Graph, column: list[Node], index: Node, name: str) -> Node:
    values, kind = tuple(n.data for n in column), column[0].kind
    if is_integer(kind):
        step = values[1] - values[0]
        if values == tuple(range(values[0], values[0] + len(values) * step, step or 1)):
            scaled = graph.arithmetic("mul", graph.cast(index, kind), graph.const(step))
            return graph.arithmetic("add", scaled, graph.const(values[0]))
    if len(column) <= _FEW:
        return _chosen(graph, column, index)
    if kind == "i":
        values = tuple(graph.cast(n, "int64").data for n in column)
    return graph.gather(Table(values, kind, name), index)


def _rows(graph: Graph, column: list[Node], index: Node) -> Node | None:
    """Return an entry of a row of a table of rows, as one entry of a longer table."""
    tables: list[Table] = [n.data for n in column]
    size = len(tables[0].values)
    if any(len(t.values) != size for t in tables):
        return _chosen(graph, column, index) if len(column) <= MAX_ITEMS else None
    whole = tuple(value for table in tables for value in table.values)
    place = graph.arithmetic("mul", index, graph.const(size))
    place = graph.arithmetic("add", place, column[0].args[0])
    return graph.gather(Table(whole, tables[0].kind, tables[0].name), place)


def _chosen(graph: Graph, column: list[Node], index: Node) -> Node:
    digit = 1
    while len(column) > 2 * _FEW:  # halved by the bits of the index, from the lowest
        odd = graph.compare("ne", graph.bitwise("band", index, graph.const(digit)), graph.const(0))
        pairs = itertools.zip_longest(column[::2], column[1::2], fillvalue=column[-1])
        column, digit = [graph.select(odd, b, a) for a, b in pairs], 2 * digit
    if digit > 1:
        index = graph.arithmetic("floordiv", index, graph.const(digit))
    value = column[-1]
    for place in reversed(range(len(column) - 1)):
        here = graph.compare("eq", index, graph.const(place))
        value = graph.select(here, column[place], value)
    return value
