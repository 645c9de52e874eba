"""Which nodes share a loop: groups of one iteration shape, joined where memory traffic is saved.

Nodes are taken in topological order. A node joins the group of an operand, the one where it saves
most, and brings groups of other operands in; then groups that read one large array are merged. No
group may reach itself through others: each knows its ancestors as a set of bits, exact within a
stretch of `STRETCH` nodes of the topological order, and no group goes beyond its stretch, so that
edges between stretches all point forward.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from nbgraph.dtype import is_float, name_of
from nbgraph.graph.build import GraphNode
from nbgraph.graph.graph import Entry, Graph, spec
from nbgraph.graph.passes.fuse_facts import Facts, Knowledge
from nbgraph.operator.mapper.mapper import Mapper

STRETCH = 4096  # nodes between which groups are found
LIVE = 64  # values of one element that may wait at once, in registers or on the stack
POINTERS = 32  # arrays that one loop reads and writes
_TRIED = 8  # groups that a sibling is offered to

NO_CYCLE = "they would wait for each other through nodes between them"
READ_AGAIN = "is a reduction's value, which takes a pass over memory of its own"


class Live:
    """How many values wait before each member of a group, and who reads them last."""

    def __init__(self) -> None:
        self.counts: list[int] = []
        self.last: list[int] = []
        self.peak = 0

    def after(self, reads: Iterable[int]) -> int:
        """Return the largest number once a member is appended that reads these members."""
        ends = sorted({self.last[p] for p in reads})
        peak = self.peak
        for k, end in enumerate(ends, 1):
            upto = ends[k] if k < len(ends) else len(self.counts)
            waiting = max(self.counts[end + 1 : upto + 1], default=0)
            peak = max(peak, waiting + k)
        return peak

    def append(self, reads: Iterable[int]) -> None:
        """Another member, which reads these."""
        self.peak = self.after(reads)
        self.last.append(len(self.counts))
        self.counts.append(0)
        for p in set(reads):
            for q in range(self.last[p] + 1, len(self.counts)):
                self.counts[q] += 1
            self.last[p] = len(self.counts) - 1
        self.peak = max(self.peak, self.counts[-1])

    def extend(self, other: Live) -> None:
        """Add the members of another group, which neither read these nor are read by them."""
        self.last += [p + len(self.counts) for p in other.last]
        self.counts += other.counts
        self.peak = max(self.peak, other.peak)


@dataclass(slots=True, eq=False, repr=False)
class Group:
    """Nodes of one loop, or one node alone; `into` the group it was merged into."""

    facts: Facts  # of the loop: shape, precision, scalar operations, axes; `problem`: stays alone
    bits: int  # one bit for each group that became this one
    stretch: int
    forward: bool
    ancestors: int = 0
    members: list[GraphNode] = field(default_factory=list[GraphNode])
    place: dict[GraphNode, int] = field(default_factory=dict[GraphNode, int])
    reads: dict[Entry, None] = field(default_factory=dict[Entry, None])  # from other groups
    successors: list[Group] = field(default_factory=list["Group"])
    live: Live = field(default_factory=Live)
    into: Group | None = None


def root(group: Group) -> Group:
    """Return the group that it is part of now."""
    while group.into is not None:
        group = group.into
    return group


class Grouping:
    """The groups of a graph; `apart` says of pairs of neighbours why they are not in one."""

    def __init__(
        self, graph: Graph, limit: int, forward: Container[GraphNode], knowledge: Knowledge
    ) -> None:
        self.graph, self.limit, self.knowledge = graph, limit, knowledge
        self.apart: dict[tuple[GraphNode, GraphNode], str] = {}
        self._of: dict[GraphNode, Group] = {}
        self._forward = forward
        nodes = graph.nodes
        for stretch in range(0, len(nodes), STRETCH):
            part = nodes[stretch : stretch + STRETCH]
            groups = [self._placed(node, bit, stretch) for bit, node in enumerate(part)]
            self._siblings([g for g in dict.fromkeys(groups) if g.into is None])

    def of(self, node: GraphNode) -> Group:
        """Return the group of a node."""
        return root(self._of[node])

    def groups(self) -> Iterator[Group]:
        """Yield all of them, in the order of their first nodes."""
        return iter(dict.fromkeys(self.of(node) for node in self.graph.nodes))

    def outputs(self, group: Group) -> list[Entry]:
        """Return what others read of a group's members, and heads."""
        users, heads = self.graph.users, self.graph.head_set
        return [
            (node, k)
            for node in group.members
            for k in range(node.nout)
            if (node, k) in heads or any(u not in group.place for u, _ in users.get((node, k), ()))
        ]

    # one node after another -------------------------------------------------------------------

    def _placed(self, node: GraphNode, bit: int, stretch: int) -> Group:
        """Return the group that a node begins or joins."""
        own = _alone(node, self.knowledge.of(node), 1 << bit, stretch, node in self._forward)
        operands = [self.of(n) for n in (*(e[0] for e in node.entries), *node.after)]
        before = dict.fromkeys(g for g in operands if g.stretch == stretch)
        chosen = [] if own.facts.problem else self._chosen(node, own, list(before))
        into = chosen[0] if chosen else own
        for group in chosen[1:]:
            _merge(into, group)
        if chosen:
            into.live.append([into.place[n] for n, _ in node.entries if n in into.place])
            into.reads |= {e: None for e in node.entries if e[0] not in into.place}
            into.place[node] = len(into.members)
            into.members.append(node)
            into.facts = _together(into.facts, own.facts)
        self._of[node] = into
        others = [g for g in before if g not in chosen]
        for group in others:
            group.successors.append(into)
            into.ancestors |= group.ancestors | group.bits
        if chosen:
            _tell(into)
        return into

    def _chosen(self, node: GraphNode, own: Group, before: Sequence[Group]) -> list[Group]:
        """Return the groups that a node joins: one of its operands', and those it can take in."""
        chosen: list[Group] = []
        saved = {g: self._saved(node, g) for g in before if not g.facts.problem}
        for group in sorted(saved, key=lambda g: -saved[g]):
            others = [g for g in before if g is not group and g not in chosen]
            reason = self._reason(node, own, [*chosen, group], others)
            if reason is not None:
                self._note(node, group, reason)
            elif saved[group]:
                chosen.append(group)
        return chosen

    def _note(self, node: GraphNode, group: Group, reason: str) -> None:
        for operand, _ in node.entries:
            if operand in group.place:
                self.apart[operand, node] = reason

    def _saved(self, node: GraphNode, group: Group) -> int:
        """Return bytes that no longer go through memory if a node joins a group."""
        total = 0
        for entry in dict.fromkeys(node.entries):
            if entry[0] in group.place:
                alone = len(self.graph.users[entry]) == 1 and entry not in self.graph.head_set
                total += spec(entry).nbytes * (1 + alone)
            elif entry in group.reads:
                total += spec(entry).nbytes
        return total

    def _reason(
        self, node: GraphNode, own: Group, chosen: Sequence[Group], others: Sequence[Group]
    ) -> str | None:
        """Why a node may not join the last of these groups, beside the others of them."""
        *first, group = chosen
        if any(g.ancestors & group.bits for g in others) or any(_related(g, group) for g in first):
            return NO_CYCLE
        reason = self._unlike([own, *chosen])
        if reason is not None:
            return reason
        reads = [group.place[n] for n, _ in node.entries if n in group.place]
        live = group.live.after(reads) + sum(g.live.peak for g in first)
        if live > LIVE:
            return f"{live} values would wait at once, the limit is {LIVE}"
        compute = next((g.facts.compute for g in (own, *chosen) if g.facts.compute), None)
        inner = [e for e in node.entries if e[0] in group.place]
        return next((why for e in inner if (why := _not_kept(e, compute)) is not None), None)

    def _unlike(self, groups: Sequence[Group]) -> str | None:
        """Why these are not one loop, whichever reads what."""
        first, *others = groups
        scalars, reads = first.facts.scalars, len(first.reads)
        compute, axes = first.facts.compute, first.facts.axes
        for group in others:
            facts = group.facts
            if facts.shape != first.facts.shape:
                return "has another shape"
            if compute and facts.compute and compute != facts.compute:
                return "computes in another precision"
            if axes and facts.axes and axes != facts.axes:
                return "reduces other axes"
            if group.forward != first.forward:
                return "belongs to the other pass, forward or backward"
            compute, axes = compute or facts.compute, axes or facts.axes
            scalars, reads = scalars + facts.scalars, reads + len(group.reads)
        if scalars > self.limit:
            return f"{scalars} scalar operations would be in the loop, the limit is {self.limit}"
        if reads > POINTERS and (reads := len({e for g in groups for e in g.reads})) > POINTERS:
            return f"{reads} arrays would be read"
        return None

    # siblings ---------------------------------------------------------------------------------

    def _siblings(self, groups: Sequence[Group]) -> None:
        """Merge groups that read one array of their own shape, the largest arrays first."""
        readers: dict[Entry, list[Group]] = {}
        for group in groups:
            for entry in group.reads if not group.facts.problem else ():
                if spec(entry).shape == group.facts.shape:
                    readers.setdefault(entry, []).append(group)
        shared = [entry for entry, reading in readers.items() if len(reading) > 1]
        for entry in sorted(shared, key=lambda e: -spec(e).nbytes):
            remaining: list[Group] = []
            for group in dict.fromkeys(root(g) for g in readers[entry]):
                host = next((g for g in remaining[-_TRIED:] if self._mergeable(g, group)), None)
                if host is None:
                    remaining.append(group)
                else:
                    _merge(host, group)
                    _tell(host)

    def _mergeable(self, group: Group, other: Group) -> bool:
        if _related(group, other) or self._unlike([group, other]) is not None:
            return False
        written = len(self.outputs(group)) + len(self.outputs(other))
        return len({*group.reads, *other.reads}) + written <= POINTERS


def _not_kept(entry: Entry, compute: str | None) -> str | None:
    """Why a loop cannot pass a value on."""
    if not isinstance(entry[0].op, Mapper):
        return READ_AGAIN
    dtype = spec(entry).dtype
    if is_float(dtype) and name_of(dtype) != compute:
        return f"reads {dtype}, which is rounded in memory but not in a loop"
    return None


def _related(a: Group, b: Group) -> bool:
    """Return whether one depends on the other."""
    return bool(a.ancestors & b.bits or b.ancestors & a.bits)


def _alone(node: GraphNode, facts: Facts, bits: int, stretch: int, forward: bool) -> Group:
    group = Group(facts, bits, stretch, forward)
    group.members.append(node)
    group.place[node] = 0
    group.reads = dict.fromkeys(node.entries)
    group.live.append(())
    return group


def _merge(group: Group, other: Group) -> None:
    """Make a group that is not related part of this one."""
    other.into = group
    group.place |= {n: len(group.members) + p for n, p in other.place.items()}
    group.members += other.members
    group.reads |= other.reads
    group.live.extend(other.live)
    group.facts = _together(group.facts, other.facts)
    group.bits |= other.bits
    group.ancestors |= other.ancestors
    group.successors += other.successors


def _together(a: Facts, b: Facts) -> Facts:
    return Facts(a.shape, a.compute or b.compute, a.scalars + b.scalars, a.axes or b.axes)


def _tell(group: Group) -> None:
    """Give what depends on a group its ancestors, too."""
    stack = [group]
    while stack:
        above = stack.pop()
        bits = above.ancestors | above.bits
        above.successors = list(dict.fromkeys(root(g) for g in above.successors))
        for below in above.successors:
            if bits & ~below.ancestors:
                below.ancestors |= bits
                stack.append(below)
