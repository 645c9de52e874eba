"""Hash-consed nodes of scalar graphs, and the loops among them.

A node is an operation over earlier nodes, so ids are a topological order. Values are immutable;
equal nodes are one object. Loops are regions: a phi node stands for a carried variable inside the
body, a `final` node for its value after the last trip. A derivative adds carried variables to the
region it differentiates, so a value and its derivatives share one loop.
"""

from __future__ import annotations

import operator
import threading
from collections.abc import Container, Iterable, Sequence
from typing import Any

from nbgraph.kernel_errors import Raised
from nbgraph.scopes import forkable

# Graphs are shared by an operator and its derivatives, in several threads. Taken while a node is
# added, while loops are differentiated (which adds carried variables), and while a graph is written
# out.
GROWING = forkable(threading.RLock())
_ID, _REGIONS = operator.attrgetter("id"), operator.attrgetter("regions")
MOVES = "$moves"  # whether a trip of a `while` changed another carried variable
RESULT = "$result"  # result of a loop's `return`, NaN until then


class Node:
    """One operation: `op` over `args`, of a `kind`, with static `data`; created by Graph only."""

    __slots__ = ("args", "data", "id", "kind", "line", "op", "regions")

    op: str
    args: tuple[Node, ...]
    kind: str
    data: Any
    id: int
    line: str
    regions: frozenset[int]  # regions with phis that this value depends on

    def __repr__(self) -> str:
        data = "" if self.data is None else f" {self.data!r}"
        return f"%{self.id} = {self.op}{data}({', '.join(f'%{a.id}' for a in self.args)})"


class Region:
    """A loop: while `cond` holds, every carried phi becomes its `out`; it starts at its `init`."""

    __slots__ = ("carried", "cond", "id", "outer")
    cond: Node  # set before the first phi is carried

    def __init__(self, id: int) -> None:
        self.id = id
        self.carried: dict[int, tuple[Node, Node, Node]] = {}  # phi, init, out
        self.outer: frozenset[int] | None = None  # the enclosing regions, once known


class Nodes:
    """The table of a graph's nodes, and the only place that creates them."""

    def __init__(self) -> None:
        self.nodes: list[Node] = []
        self.regions: dict[int, Region] = {}
        self.raises: list[Raised] = []  # exceptions that the text raises for some elements
        self.classes: dict[int, type] = {}  # their classes
        self.notes: list[str] = []  # remarks on what was left out
        self.wide: dict[int, Node] = {}  # powers of integers, as floats, which have a wider range
        # the exception to raise if a result needs bits above 64 of a value, by its id
        self.wrapped: dict[int, Exception] = {}
        self.draws: dict[Any, int] = {}  # the numbers of the places of the text that draw
        self.line = ""  # the line of the user's text that new nodes come from
        self.names: dict[int, str] = {}  # names in the user's text, by node id
        # findings on guards, by the ids of a select, of the seed of the derivative, and of the
        # condition
        self.guards: dict[tuple[int, int, int], Any] = {}
        # bounds of the counters of loops, by the ids of their phis
        self.ranges: dict[int, tuple[float, float]] = {}
        self.unsigned = False  # whether an operand is uint64
        self.detached: set[int] = set()  # ids of loop results that slopes do not pass through
        self._table: dict[tuple[Any, ...], Node] = {}
        self._closures: dict[int, tuple[Node, ...]] = {}
        self._children: dict[int, tuple[Node, ...]] = {}  # of nodes that end loops
        self._parts: dict[Any, tuple[Node, ...]] = {}  # the same, by their contents
        self._finals: dict[tuple[int, int], Node] = {}

    def node(self, op: str, args: Sequence[Node], kind: str, data: object = None) -> Node:
        """Return the node `op(args)`, an existing one if equal."""
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
        """Return the node of an operand of the scalar function."""
        self.unsigned |= kind == "uint64"
        return self.node("arg", (), kind, name)

    def parameter(self, name: str, kind: str) -> Node:
        """Return the node of a scalar parameter, which has one value per call."""
        return self.node("param", (), kind, name)

    # loops ------------------------------------------------------------------------------------

    def region(self) -> Region:
        """Return a new, empty loop."""
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
        """Let `phi` start at `init` and become `out` on each trip; return its final value."""
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
        """Return the existing node of a carried variable's final value, or None."""
        return self._finals.get((region_id, phi_id))

    def closure(self, final: Node) -> tuple[Node, ...]:
        """Return the phis that a `final` node needs: its own and those its loop depends on."""
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
                    if node.op == "final":  # one loop may have many results
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
        """Return the nodes that a value is computed from, including a loop's whole body."""
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
        """Return all nodes that the roots depend on in topological order (phis aside), except nodes
        with ids in `known` and those that only these depend on."""
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
