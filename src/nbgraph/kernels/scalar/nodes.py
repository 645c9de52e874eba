"""Hash-consed nodes: what scalar graphs are made of, with the loops among them.

A node is an operation over earlier nodes, so ids are a topological order. Values are
immutable; equal nodes are one object. Loops are regions: a phi node stands for a carried
variable inside the body, a `final` node for its value after the last trip. A derivative adds
carried variables to the region it differentiates, so value and derivatives share one loop.
"""

from __future__ import annotations

import operator
import threading
from collections.abc import Container, Iterable, Sequence
from typing import Any

from nbgraph.kernel_errors import Raised
from nbgraph.scopes import forkable

# Graphs are shared by an operator and its derivatives, which threads may ask for at once. Held
# while a node is added, while loops are differentiated (they carry more then), and while a graph
# is written out.
GROWING = forkable(threading.RLock())
_ID, _REGIONS = operator.attrgetter("id"), operator.attrgetter("regions")
MOVES = "$moves"  # the carried variable of a `while` that says whether a trip changed another one
RESULT = "$result"  # what a loop's `return` gives, NaN until then


class Node:
    """One operation: `op` over `args`, of a `kind`, with static `data`; made by Graph only."""

    __slots__ = ("args", "data", "id", "kind", "line", "op", "regions")

    op: str
    args: tuple[Node, ...]
    kind: str
    data: Any
    id: int
    line: str
    regions: frozenset[int]  # regions whose phis this value depends on

    def __repr__(self) -> str:
        data = "" if self.data is None else f" {self.data!r}"
        return f"%{self.id} = {self.op}{data}({', '.join(f'%{a.id}' for a in self.args)})"


class Region:
    """A loop: while `cond` holds, every carried phi takes its `out`; it starts at its `init`."""

    __slots__ = ("carried", "cond", "id", "outer")
    cond: Node  # set before the first phi is carried

    def __init__(self, id: int) -> None:
        self.id = id
        self.carried: dict[int, tuple[Node, Node, Node]] = {}  # phi, init, out
        self.outer: frozenset[int] | None = None  # the regions that it lies in, once that is known


class Nodes:
    """The table of the nodes of one graph; the only place where they are made."""

    def __init__(self) -> None:
        self.nodes: list[Node] = []
        self.regions: dict[int, Region] = {}
        self.raises: list[Raised] = []  # what the text raises for some elements
        self.classes: dict[int, type] = {}  # the classes of these
        self.notes: list[str] = []  # what was left out
        self.wide: dict[int, Node] = {}  # powers of integers, as floats, which have more room
        # what to raise where a result needs the bits above 64 of a value, by its id
        self.wrapped: dict[int, Exception] = {}
        self.draws: dict[Any, int] = {}  # the numbers of the places in the text that draw
        self.line = ""  # where in the user's text the nodes being made come from
        self.names: dict[int, str] = {}  # what the user's text calls a value, by node id
        # what was found of guards, by the ids of a select, of what it was differentiated by, and
        # of the condition
        self.guards: dict[tuple[int, int, int], Any] = {}
        # between which numbers the counters of loops lie, by the ids of their phis
        self.ranges: dict[int, tuple[float, float]] = {}
        self.unsigned = False  # whether an operand is uint64
        self.detached: set[int] = set()  # results of loops that slopes do not go through, by id
        self._table: dict[tuple[Any, ...], Node] = {}
        self._closures: dict[int, tuple[Node, ...]] = {}
        self._children: dict[int, tuple[Node, ...]] = {}  # of nodes that end loops
        self._parts: dict[Any, tuple[Node, ...]] = {}  # the same, by what they hold
        self._finals: dict[tuple[int, int], Node] = {}

    def node(self, op: str, args: Sequence[Node], kind: str, data: object = None) -> Node:
        """Return the node `op(args)`: the existing one where there is an equal one."""
        key = (op, tuple(map(_ID, args)), kind, type(data).__name__, repr(data))
        known = self._table.get(key)
        if known is not None:
            return known
        node = Node()
        node.op, node.args, node.kind, node.data = op, tuple(args), kind, data
        node.line = self.line
        node.regions = frozenset().union(*map(_REGIONS, args))
        with GROWING:
            known = self._table.get(key)
            if known is None:
                node.id = len(self.nodes)
                self.nodes.append(node)
                self._table[key] = known = node
        return known

    def argument(self, name: str, kind: str) -> Node:
        """Return an operand of the scalar function."""
        self.unsigned |= kind == "uint64"
        return self.node("arg", (), kind, name)

    def parameter(self, name: str, kind: str) -> Node:
        """Return a scalar parameter: one value for the whole call."""
        return self.node("param", (), kind, name)

    # loops ------------------------------------------------------------------------------------

    def region(self) -> Region:
        """Return a new, still empty loop."""
        with GROWING:
            region = Region(len(self.regions))
            self.regions[region.id] = region
        return region

    def phi(self, region: Region, key: object, kind: str) -> Node:
        """Return the carried variable `key` of a region, as seen inside its body."""
        phi = self.node("phi", (), kind, (region.id, key))
        phi.regions = frozenset((region.id,))
        return phi

    def carry(self, region: Region, phi: Node, init: Node, out: Node) -> Node:
        """Let `phi` start at `init` and become `out` on each trip; returns its final value."""
        if region.carried.get(phi.id) != (phi, init, out):
            region.carried[phi.id], region.outer = (phi, init, out), None
        final = self.node("final", (), phi.kind, (region.id, phi.id))
        self._finals[region.id, phi.id] = final
        if region.outer is None:
            inner = (n.regions for _, *ends in region.carried.values() for n in ends)
            region.outer = region.cond.regions.union(*inner) - {region.id}
        final.regions = region.outer
        return final

    def find_final(self, region_id: int, phi_id: int) -> Node | None:
        """Return the node of a carried variable's final value, where it was made."""
        return self._finals.get((region_id, phi_id))

    def closure(self, final: Node) -> tuple[Node, ...]:
        """The phis a `final` node needs: its own and all that its loop's course depends on."""
        known = self._closures.get(final.id)
        if known is not None:
            return known
        region = self.regions[final.data[0]]
        needed: dict[int, Node] = {}
        todo = [region.carried[final.data[1]][0]]
        seen, seen_parts = set[int](), set[int]()
        stack = [region.cond]
        while todo or stack:
            while stack:
                node = stack.pop()
                if node.id in seen:
                    continue
                seen.add(node.id)
                if node.op == "phi" and node.data[0] == region.id and node.id not in needed:
                    todo.append(node)
                elif region.id in node.regions:
                    parts = self.children(node)
                    stack.extend(() if id(parts) in seen_parts else parts)
                    if node.op == "final":  # many results are of one loop
                        seen_parts.add(id(parts))
            while todo:
                phi = todo.pop()
                other = self._finals.get((region.id, phi.id))
                if phi.id not in needed and other is not None and other.id in self._closures:
                    needed.update({p.id: p for p in self._closures[other.id]})
                elif phi.id not in needed:
                    needed[phi.id] = phi
                    stack.append(region.carried[phi.id][2])
        result = tuple(needed[key] for key in sorted(needed))
        self._closures[final.id] = result
        return result

    def children(self, node: Node) -> tuple[Node, ...]:
        """What a node's value is computed from, a loop's whole body included."""
        if node.op != "final":
            return node.args
        if (known := self._children.get(node.id)) is not None:
            return known
        region, phis = self.regions[node.data[0]], self.closure(node)
        parts = (region.cond, *(part for phi in phis for part in region.carried[phi.id]))
        known = self._children[node.id] = self._parts.setdefault((region.id, parts), parts)
        return known

    # walking ----------------------------------------------------------------------------------

    def reachable(self, roots: Iterable[Node], known: Container[int] = ()) -> list[Node]:
        """Return all nodes the roots depend on, each after those it is computed from (phis aside);
        without those whose ids are `known`, and what these alone depend on."""
        seen: dict[int, Node] = {}
        stack, loops = list(roots), set[int]()
        while stack:
            node = stack.pop()
            if node.id not in seen and node.id not in known:
                seen[node.id] = node
                parts = node.args if node.op != "final" else self.children(node)
                stack.extend(() if id(parts) in loops else parts)
                if node.op == "final":
                    loops.add(id(parts))
        return [seen[key] for key in sorted(seen)]
