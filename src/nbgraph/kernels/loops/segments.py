"""Long scalar bodies in segments, each a loop over a short run of elements; bodies with loops in
groups of elements, see `lanewise`.

LLVM takes time quadratic in a loop's body (4 s for 5,600 operations, most of it in the vectoriser),
and beyond its registers a processor keeps values in memory anyway. Values that pass between
segments lie in strips on the stack, which stay in the first-level cache.
"""

from __future__ import annotations

import heapq
import itertools
from bisect import bisect_left
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from nbgraph.kernels.loops.body import Body
from nbgraph.kernels.loops.lanewise import Lanes, lanes, suits
from nbgraph.kernels.loops.writer import Writer
from nbgraph.kernels.scalar.graph import Graph, Node
from nbgraph.kernels.scalar.kinds import is_boolean

RUN = 256  # elements: long loops, and few bytes of many strips in the cache
_CALL = 8  # cost of a function call, in operations
_LONG = 480  # least operations of a body that is cut
_LEAST, _MOST = 120, 360  # operations of a segment
_PASSING = 32  # most values passed from segment to segment


class Segment(NamedTuple):
    """The values that a segment reads from earlier ones, and those that it passes on or outputs."""

    reads: tuple[Node, ...]
    gives: tuple[Node, ...]


def cut(graph: Graph, roots: Sequence[Node], body: Body) -> list[Segment]:
    """Return the segments of `body` for `roots`; a short body is one segment."""
    nodes = graph.reachable(roots, body.names)
    if sum(map(_weight, nodes)) < _LONG:
        return [Segment((), tuple(roots))]
    units, inside = _units(body.schedule(roots)), _inside(nodes)
    orders = (_ordered(units, roots, body, late=late) for late in (True, False))
    plans = [_Plan(order, roots, body, inside) for order in orders]
    return min(plans, key=lambda plan: sum(plan.passing)).segments()


class _Plan:
    """An order of units, the number of values that pass each place in it, and its cuts."""

    def __init__(
        self,
        units: Sequence[Sequence[Node]],
        roots: Sequence[Node],
        body: Body,
        inside: Mapping[int, int],
    ) -> None:
        self._units, self._roots = units, roots
        self._places = {node.id: k for k, unit in enumerate(units) for node in unit}
        self._inputs = [_inputs(unit, body, self._places) for unit in units]
        self._last = {node.id: len(units) for node in roots if node.id in self._places}
        for k, inputs in enumerate(self._inputs):
            for node in inputs:
                self._last[node.id] = max(k, self._last.get(node.id, 0))
        self.passing, self._done = [0], [0]  # by place: values that pass it, operations before it
        ends = Counter(self._last.values())
        for k, unit in enumerate(units):
            born = sum(node.id in self._last for node in unit)
            self.passing.append(self.passing[-1] + born - ends[k])
            loop = inside[unit[0].data[0]] if unit[0].op == "final" else _weight(unit[0])
            self._done.append(self._done[-1] + loop)

    def segments(self) -> list[Segment]:
        """Return the units between the cuts."""
        cuts, segments = [0, *self._cuts(), len(self._units)], list[Segment]()
        for a, b in itertools.pairwise(cuts):
            reads = (n for used in self._inputs[a:b] for n in used if self._places[n.id] < a)
            gives = [n for unit in self._units[a:b] for n in unit if self._last.get(n.id, 0) >= b]
            segments.append(Segment(tuple(dict.fromkeys(reads)), tuple(gives)))
        early = (n for n in self._roots if self._places.get(n.id, cuts[-2]) < cuts[-2])
        reads = dict.fromkeys([*segments[-1].reads, *early])
        segments[-1] = Segment(tuple(reads), tuple(self._roots))
        return segments

    def _cuts(self) -> list[int]:
        """Return places to cut at: where few values pass, none where many would."""
        done, cuts, start = self._done, list[int](), 0
        while done[-1] - done[start] > _MOST:
            window = [bisect_left(done, done[start] + _LEAST, start + 1)]
            for k in range(window[0] + 1, len(done)):
                if done[k] - done[start] > _MOST:
                    break
                window.append(k)
            start = min(window, key=lambda k: (self.passing[k], -k))
            if self.passing[start] <= _PASSING and start < len(self._units):
                cuts.append(start)
        return cuts


def _inputs(unit: Sequence[Node], body: Body, places: Mapping[int, int]) -> list[Node]:
    """Return what a unit is computed from except leaves; results of one loop have equal inputs."""
    return [node for node in body.inputs(unit[0]) if node.id in places]


def _units(order: Sequence[Node]) -> list[list[Node]]:
    """Return the nodes in order as units: the results of a loop together, others each alone."""
    loops: dict[int, list[Node]] = {}
    units: list[list[Node]] = []
    for node in order:
        if node.op == "final" and node.data[0] in loops:
            loops[node.data[0]].append(node)
            continue
        units.append([node])
        if node.op == "final":
            loops[node.data[0]] = units[-1]
    return units


def _ordered(
    units: list[list[Node]], roots: Sequence[Node], body: Body, *, late: bool
) -> list[list[Node]]:
    """Return the units in an order that keeps few values alive: the next unit ends the most
    lifetimes. Ties go, if `late`, to the longest path to the roots, so that arms are computed when
    they are selected; else to the shortest path from the leaves, so that a chain and the uses of
    its values advance together."""
    places = {node.id: k for k, unit in enumerate(units) for node in unit}
    inputs = [{places[n.id] for n in _inputs(unit, body, places)} for unit in units]
    users: list[list[int]] = [[] for _ in units]
    for k, used in enumerate(inputs):
        for i in used:
            users[i].append(k)
    levels = _levels(inputs, late=late)
    uses = [len(u) for u in users]  # uses to come
    for root in roots:
        if root.id in places:
            uses[places[root.id]] += 1
    missing = [len(used) for used in inputs]

    def key(k: int) -> tuple[int, int, int]:
        return -sum(uses[i] == 1 for i in inputs[k]), levels[k], k

    ready = [key(k) for k in range(len(units)) if not missing[k]]
    heapq.heapify(ready)
    done, order = [False] * len(units), list[list[Node]]()
    while ready:
        k = heapq.heappop(ready)[2]
        if done[k]:
            continue
        done[k] = True
        order.append(units[k])
        for i in inputs[k]:
            uses[i] -= 1
        for user in users[k]:
            missing[user] -= 1
        last = (u for i in inputs[k] if uses[i] == 1 for u in users[i])
        for user in {*users[k], *last}:
            if not missing[user] and not done[user]:
                heapq.heappush(ready, key(user))
    return order


def _levels(inputs: Sequence[Collection[int]], *, late: bool) -> list[int]:
    """Return the distance of each unit from the roots, negative, or from the leaves."""
    levels = [0] * len(inputs)
    for k in reversed(range(len(inputs))) if late else range(len(inputs)):
        for i in inputs[k]:
            if late:
                levels[i] = min(levels[i], levels[k] - 1)
            else:
                levels[k] = max(levels[k], levels[i] + 1)
    return levels


def _inside(nodes: Sequence[Node]) -> Counter[int]:
    """Return the number of operations within each loop."""
    inside: Counter[int] = Counter()
    for node in nodes:
        for region in node.regions:
            inside[region] += _weight(node)
    return inside


def _weight(node: Node) -> int:
    return _CALL if node.op in ("call", "extern") else 1


def has_groups(writer: Writer) -> bool:
    """Return whether a kernel's elements go through loops together; see `lanewise.suits`."""
    return suits(writer.loop.graph, writer.roots(), writer.leaves)


def write_run(writer: Writer, *, small: bool) -> None:
    """Write the inner run; with `small`, trigonometry is for moderate arguments and sets `wide`."""
    count = lanes(writer.loop.compute)
    body = writer.lanes(1, writer.roots(), small=small)
    body.lines = writer.lines
    writer.line(0, f"for group in range((m + {count - 1}) // {count}):")
    writer.line(1, f"first = group * {count}")
    writer.line(1, f"count = min({count}, m - first)")
    _load(writer, body, count)
    named = zip(writer.outputs, writer.loop.outputs, strict=True)
    outputs = [(f"{n}{'_imag' * k}", own) for n, o in named for k, own in enumerate(o.nodes)]
    rooms = [body.room(f"{name}_lanes", node) for name, node in outputs]

    def finish(texts: Sequence[str]) -> None:
        for room, (_, node), text in zip(rooms, outputs, texts, strict=True):
            body.keep(room, node, text)

    body.compute(writer.roots(), finish)
    _store(writer, rooms, count)
    head = [f"{room} = lanes_{kind}()" for room, kind in body.rooms.items()]
    writer.lines[:0] = ["wide = False", *head] if small else head


def _load(writer: Writer, body: Lanes, count: int) -> None:
    """Load operands into rooms; the last group repeats the last element as padding."""
    loop = writer.loop
    named = zip(writer.names, loop.operands, strict=True)
    varying = [
        (writer.imaginary[node.id] if part else name, node)
        for name, operand in named
        if operand.layout != "0"
        for part, node in enumerate(operand.nodes)
    ]
    if not varying:
        return
    for name, node in varying:
        body.strips[node.id] = body.room(f"{name}_lanes", node)
    shared = dict(writer.leaves)
    last = "first + min(lane, count - 1)"
    for test, place in ((f"if count == {count}:", "first + lane"), ("else:", last)):
        writer.line(1, test)
        writer.line(2, f"for lane in range({count}):")
        writer.line(3, "straight()")
        writer.line(3, f"i = {place}")
        writer.load_all(3, range(len(loop.operands)), access=loop.access)
        body.indent = 3
        for name, node in varying:
            body.keep(f"{name}_lanes", node, name)
    body.indent, writer.leaves = 1, shared


def _store(writer: Writer, rooms: Sequence[str], count: int) -> None:
    """Store rooms to outputs."""
    loop = writer.loop
    for whole in (True, False):
        writer.line(1, f"if count == {count}:" if whole else "else:")
        writer.line(2, f"for lane in range({count if whole else 'count'}):")
        if whole:
            writer.line(3, "straight()")
        writer.line(3, "i = first + lane")
        texts = [
            f"(load({room}, lane) != 0)" if is_boolean(node.kind) else f"load({room}, lane)"
            for room, node in zip(rooms, loop.results, strict=True)
        ]
        writer.stores(3, texts, access=loop.access)
