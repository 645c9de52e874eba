"""Bodies with loops of data-dependent trip counts, for a group of elements at once.

A loop per element would leave vector registers idle. Here a group of elements runs a loop together
until all have left it; an element that has left keeps its values. Each element performs the same
operations in the same order as alone, so results are identical to the bit.

A body is cut at its loops. The straight segments between them, and the trips, are loops over the
lanes of a group, which LLVM vectorises. Values passed between segments are stored in a room, an
array on the stack with an element per lane; LLVM keeps most rooms in registers.

Carried variables that are equal in all lanes, such as counters, stay scalars. If all lanes run the
same number of trips, nothing is masked.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from nbgraph.codegen.host import features
from nbgraph.kernels.loops.body import Body, moving
from nbgraph.kernels.loops.loop import VECTORS
from nbgraph.kernels.scalar.graph import ARITHMETIC, BITWISE, Graph, Node
from nbgraph.kernels.scalar.kinds import ITEMSIZE
from nbgraph.kernels.vector_math.names import NARROW
from nbgraph.native.processor import vector_bytes

_TRUTH = ("b", "bool")
MOST_CARRIED = 48  # carried variables: vectors of more, such as lists, do not fit registers
_WORK = frozenset((*ARITHMETIC, *BITWISE, "call", "neg", "abs", "cast", "narrow"))


def register(compute: str) -> int:
    """Return the elements of one vector register."""
    return vector_bytes(features()) // ITEMSIZE[compute]


def lanes(compute: str) -> int:
    """Return the elements of a group: enough vectors to hide the latency of one."""
    return VECTORS * register(compute)


def suits(graph: Graph, roots: Sequence[Node], uniform: dict[int, str]) -> bool:
    """Return whether the roots depend on loops that vectorise; `uniform` names known nodes."""
    loops = works = False
    nodes = graph.reachable(roots)
    if sum(node.op == "phi" for node in nodes) > MOST_CARRIED:
        return False
    for node in nodes:
        if node.regions and (node.op == "extern" or (node.op == "call" and node.data in NARROW)):
            return False
        loops |= node.op == "final" and node.id not in uniform
        works |= bool(node.regions) and node.op in _WORK and not _counts(node)
    return loops and works  # a plain search is faster element by element


def _counts(node: Node) -> bool:
    """Return whether a node is a carried variable plus or minus a constant."""
    return sorted(a.op for a in node.args) == ["const", "phi"] and node.op in ("add", "sub")


class Lanes(Body):
    """A writer of statements for a group of elements; `names` are values that all lanes share."""

    rooms: dict[str, str]  # dtype by name
    strips: dict[int, str]  # the room of a node's values, by id
    _masked: int  # nesting of masked loops

    def of(self, count: int) -> Lanes:
        """Set the number of lanes; return the writer itself."""
        self.count, self.rooms, self.strips, self._masked = count, {}, {}, 0
        return self

    def room(self, name: str, node: Node) -> str:
        """Declare a room for the values of a node; return its name."""
        kinds = {"f": self.namespace.compute, "i": "int64", "b": "uint8", "bool": "uint8"}
        self.rooms[name] = kinds.get(node.kind, node.kind)
        return name

    def compute(self, targets: Sequence[Node], finish: Callable[[list[str]], None]) -> None:
        """Write the targets and what they need. `finish` gets their texts and writes the last lines
        inside the last loop over the lanes."""
        order = [n for n in self.schedule(targets) if n.id not in self.strips]
        levels, loops = self._levels(order)
        last = max([*levels.values(), *(level + 1 for level in loops)], default=0)
        for level in range(last + 1):
            here = [n for n in order if n.op != "final" and levels[n.id] == level]
            here = [n for n in here if not self._write_uniform(n)]
            later = self._read_later(order, levels, loops, level)
            kept = [n for n in here if n.id in later]
            if level == last:
                self._segment(here, kept, targets, finish)
            else:
                kept += [n for n in targets if n in here and n not in kept]
                self._segment(here, kept, [], None)
            for region_id in loops.get(level, ()):
                self._loop(region_id)

    def schedule(self, roots: Sequence[Node]) -> list[Node]:
        """See Body; nodes stored in rooms are not computed again."""
        names = self.names
        self.names = {**names, **self.strips}
        order = super().schedule(roots)
        self.names = names
        return order

    def _levels(self, order: Sequence[Node]) -> tuple[dict[int, int], dict[int, list[int]]]:
        """Return after how many loops each node comes, and the loops after each level."""
        levels: dict[int, int] = {}
        loops: dict[int, list[int]] = {}
        behind: dict[int, int] = {}
        for node in order:
            if node.op == "final":
                region_id = node.data[0]
                if region_id not in behind:
                    level = max((levels.get(n.id, 0) for n in self._entering(region_id)), default=0)
                    behind[region_id] = level + 1
                    loops.setdefault(level, []).append(region_id)
                levels[node.id] = behind[region_id]
            else:
                levels[node.id] = max((levels.get(n.id, 0) for n in node.args), default=0)
        return levels, loops

    def _read_later(
        self, order: Sequence[Node], levels: dict[int, int], loops: dict[int, list[int]], level: int
    ) -> set[int]:
        """Return ids of nodes read by segments after a level, or by loops from this level on."""
        read = {a.id for n in order if n.op != "final" and levels[n.id] > level for a in n.args}
        for at, regions in loops.items():
            if at >= level:
                read.update(n.id for region_id in regions for n in self._entering(region_id))
        return read

    def _is_known_uniform(self, node: Node) -> bool:
        return node.op == "const" or node.id in self.names

    def _write_uniform(self, node: Node) -> bool:
        """Write a node once for all lanes if its inputs are uniform; return whether it was."""
        if node.op in ("arg", "phi", "final") or not all(map(self._is_known_uniform, node.args)):
            return False
        self._write(node)
        return True

    # segments ---------------------------------------------------------------------------------

    def _segment(
        self,
        nodes: Sequence[Node],
        kept: Sequence[Node],
        targets: Sequence[Node],
        finish: Callable[[list[str]], None] | None,
    ) -> None:
        """Write a loop over the lanes that computes `nodes` and stores `kept` ones in rooms."""
        if not kept and finish is None:
            return
        shared = dict(self.names)
        self._begin_lanes()
        inside = {n.id for n in nodes}
        read = [a for n in nodes for a in n.args] + list(targets)
        for node in read:
            if node.id not in inside and node.id in self.strips and node.id not in self.names:
                self._load(node)
        for node in nodes:
            self._write(node)
        for node in kept:
            self.strips[node.id] = name = self.room(f"room{node.id}", node)
            self.keep(name, node, self.text(node))
        if finish is not None:
            finish([self.text(node) for node in targets])
        self.indent -= 1
        self.names = shared

    def _begin_lanes(self) -> None:
        """Begin a loop over the lanes."""
        self.line(f"for lane in range({self.count}):")
        self.indent += 1
        self.line("straight()")

    def _load(self, node: Node) -> None:
        name = f"{self._prefix}{self.written}"
        self.written += 1
        text = f"load({self.strips[node.id]}, lane)"
        self.line(f"{name} = {f'({text} != 0)' if node.kind in _TRUTH else text}")
        self.names[node.id] = name

    def keep(self, name: str, node: Node, text: str) -> None:
        """Store a lane's value of a node in a room."""
        text = f"uint8({text})" if node.kind in _TRUTH else self._typed(text, node)
        self.line(f"store({name}, lane, {text})")

    # loops ------------------------------------------------------------------------------------

    def _loop(self, region_id: int) -> None:
        """Write all trips of a group through a loop."""
        region, phis = self.graph.regions[region_id], self._carried[region_id]
        self._open.add(region_id)
        together, shared = self._uniformity(region_id)
        self._open.discard(region_id)
        own = {key: phi for key, phi in phis.items() if key not in shared}
        rooms = {key: self.room(f"v{region_id}_{i}", phis[key]) for i, key in enumerate(own)}
        scalars = {key: f"u{region_id}_{i}" for i, key in enumerate(shared)}
        for key, name in scalars.items():
            self.line(f"{name} = {self._typed(self.text(region.carried[key][1]), phis[key])}")
        self._write_initial(region_id, rooms, masked=not together and bool(scalars))
        names, strips = dict(self.names), dict(self.strips)
        self.names.update(scalars)
        self.strips.update(rooms)
        self._open.add(region_id)
        self.line("while True:")
        self.indent += 1
        trip = self._trip_together if together else self._trip_masked
        self._masked += not together
        trip(region_id, rooms, masked=bool(scalars))
        self._advance_uniform(region_id, scalars)
        self._masked -= not together
        if not together:  # arguments beyond `wide`'s limits may loop for ever
            ends = f"(not going{region_id}) | wide" if self._limits else f"not going{region_id}"
            self.line(f"if {ends}:")
            self.line("    break")
        self.indent -= 1
        self._open.discard(region_id)
        self.names, self.strips = names, strips
        for names, places in ((self.names, scalars), (self.strips, rooms)):
            for key, name in places.items():
                final = self.graph.find_final(region_id, key)
                if final is not None:
                    names[final.id] = name
        if self._fault and (moves := moving(self.graph, region_id)) is not None:
            self._report_stuck(region_id, rooms, scalars, moves)

    def _uniformity(self, region_id: int) -> tuple[bool, list[int]]:
        """Return whether all lanes run the same trips, and the variables uniform meanwhile."""
        region, phis = self.graph.regions[region_id], self._carried[region_id]
        shared = self._uniform_variables(region_id, sorted(phis))
        if self._is_uniform(region.cond, set(shared)):
            return True, shared
        outs = [region.carried[key][2] for key in phis]
        if any(n.op in ("final", "check") for n in self.schedule([region.cond, *outs])):
            return False, []
        moves = self._fault and moving(self.graph, region_id)  # which `_report_stuck` reads
        shared = [key for key in shared if not moves or key != moves.id]
        finals = {key: self.graph.find_final(region_id, key) for key in shared}
        unread = [key for key, n in finals.items() if n is None or n.id not in self._uses]
        return False, self._uniform_variables(region_id, unread)

    def _uniform_variables(self, region_id: int, keys: Sequence[int]) -> list[int]:
        """Return the variables of a loop that stay uniform together."""
        carried = self.graph.regions[region_id].carried
        alike = [key for key in keys if self._is_known_uniform(carried[key][1])]
        while True:
            kept = [key for key in alike if self._is_uniform(carried[key][2], set(alike))]
            if kept == alike:
                return kept
            alike = kept

    def _is_uniform(self, node: Node, phis: set[int]) -> bool:
        """Return whether a value inside a loop is uniform if `phis` are."""
        stack, seen = [node], set[int]()
        while stack:
            node = stack.pop()
            if node.id in seen or node.id in phis or self._is_known_uniform(node):
                continue
            seen.add(node.id)
            if node.op in ("arg", "phi", "final") or node.id in self.strips:
                return False
            stack += node.args
        return True

    def _write_initial(self, region_id: int, rooms: dict[int, str], *, masked: bool) -> None:
        """Write the initial values of the variables of each lane."""
        carried, names = self.graph.regions[region_id].carried, dict(self.names)
        self._begin_lanes()
        for key, room in rooms.items():
            phi, init, _ = carried[key]
            if not self._is_known_uniform(init) and init.id not in self.names:
                self._load(init)
            self.keep(room, phi, self.text(init))
        if masked:
            self.rooms[f"active{region_id}"] = "uint8"
            self.line(f"store(active{region_id}, lane, uint8(True))")
        self.indent -= 1
        self.names = names

    def _trip_together(self, region_id: int, rooms: dict[int, str], *, masked: bool) -> None:
        """Write a trip that all lanes take, or none."""
        region = self.graph.regions[region_id]
        for node in self.schedule([region.cond]):
            self._write(node)
        self.line(f"if not {self.text(region.cond)}:")
        self.line("    break")

        def finish(texts: list[str]) -> None:
            for room, phi, text in zip(rooms.values(), phis, texts, strict=False):
                self.keep(room, phi, text)

        phis = [region.carried[key][0] for key in rooms]
        if rooms:
            self.compute([region.carried[key][2] for key in rooms], finish)

    def _trip_masked(self, region_id: int, rooms: dict[int, str], *, masked: bool) -> None:
        """Write a trip whose results a lane keeps if its condition holds. In a lane that has left,
        the condition stays false, unless it reads uniform variables: then `masked` is set."""
        region = self.graph.regions[region_id]
        phis = [region.carried[key][0] for key in rooms]
        outs = [region.carried[key][2] for key in rooms]
        going, active = f"going{region_id}", f"active{region_id}"

        def finish(texts: list[str]) -> None:
            cond, *rest = texts
            if masked:
                cond, test = f"now{region_id}", f"(load({active}, lane) != 0) & {cond}"
                self.line(f"{cond} = {test}")
                self.line(f"store({active}, lane, uint8({cond}))")
            for room, phi, old, new in zip(
                rooms.values(), phis, rest[: len(phis)], rest[len(phis) :], strict=True
            ):
                if old != new:
                    self.keep(room, phi, f"select({cond}, {self._typed(new, phi)}, {old})")
            self.line(f"{going} = {going} | {cond}")

        self.line(f"{going} = False")
        self.compute([region.cond, *phis, *outs], finish)

    def _expression(self, node: Node) -> str:
        """See Body; lanes that left a loop still read tables, so indices are clamped."""
        text = super()._expression(node)
        if node.op != "gather" or not self._masked:
            return text
        index = self.text(node.args[0])
        return text.replace(f"({index})", f"(max(0, min({index}, {len(node.data.values) - 1})))", 1)

    def _advance_uniform(self, region_id: int, scalars: dict[int, str]) -> None:
        """Write the next values of uniform variables."""
        region = self.graph.regions[region_id]
        outs = [region.carried[key][2] for key in scalars]
        for node in self.schedule(outs):
            self._write(node)
        for name, out in zip(scalars.values(), outs, strict=True):
            self.line(f"{name}_next = {self._typed(self.text(out), out)}")
        for name in scalars.values():
            self.line(f"{name} = {name}_next")

    def _report_stuck(
        self, region_id: int, rooms: dict[int, str], scalars: dict[int, str], moves: Node
    ) -> None:
        """Write the error code if a lane left the loop because a trip changed nothing."""
        names, strips = dict(self.names), dict(self.strips)
        self.strips.update(rooms)
        self.names.update(scalars)
        self.line(f"stuck{region_id} = False")
        self._begin_lanes()
        for node in (*self._carried[region_id].values(), *self._entering(region_id)):
            if node.id in self.strips and node.id not in self.names:
                self._load(node)
        carried = {key: self.names[key] for key in self._carried[region_id]}
        excused = self._end_condition(carried, moves, region_id)
        self.line(f"stuck{region_id} = stuck{region_id} | (not ({excused}))")
        self.indent -= 1
        self.line(f"if stuck{region_id}:")
        self.indent += 1
        self._store_stuck_code(region_id)
        self.indent -= 1
        self.names, self.strips = names, strips
