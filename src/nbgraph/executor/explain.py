"""`exe.explain(name)`: the programs that contain an intermediate, and its fate in each."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from nbgraph.engine.sites import site
from nbgraph.errors import ArgumentError
from nbgraph.executor.compiled import Compiled
from nbgraph.executor.pipeline import Stage
from nbgraph.executor.program import Program
from nbgraph.foreign import near
from nbgraph.graph.build import GraphNode, frozen
from nbgraph.graph.graph import Entry, Graph
from nbgraph.graph.passes.fuse import explain_fusion
from nbgraph.graph.passes.fuse_facts import Fusion, Knowledge, Loop
from nbgraph.graph.passes.places import Whereabouts, whereabouts
from nbgraph.picture import Report, html_sections


class Outcome(NamedTuple):
    """The fate of a node: the node after all passes, or the name of the pass that removed it; if
    it was fused, the loop and the report on fusion."""

    node: GraphNode | None
    gone: str = ""
    loop: Loop | None = None
    fusion: Fusion | None = None
    member: GraphNode | None = None  # the node that stood for it when `fuse` ran

    def entry(self, output: int) -> Entry | None:
        """Return the entry of an output; None if the output never reaches memory."""
        if self.node is None:
            return None
        if self.loop is None or self.member is None:
            return self.node, output
        member_output = self.member, output
        return (
            (self.node, self.loop.outputs.index(member_output))
            if member_output in self.loop.outputs
            else None
        )


def follow(node: GraphNode, compiled: Compiled) -> Outcome:
    """Return the outcome of a node of the program's source graph."""
    trace = Outcome(node)
    for stage in compiled.stages:
        now = trace.node
        assert now is not None
        if stage.name == "fuse":
            trace = _fused(now, stage)
        else:
            same = _same(now, stage.before, stage.after)
            trace = Outcome(same, "" if same is not None else stage.name)
        if trace.node is None:
            break
    return trace


def _fused(node: GraphNode, stage: Stage) -> Outcome:
    report = explain_fusion(stage.after)
    member = _same(node, stage.before, report.graph)
    if member is None:
        return Outcome(None, stage.name)
    loop = report.loop_of(member)
    now = loop.node if loop is not None else _same(member, report.graph, stage.after)
    if loop is not None and now not in stage.after.nodes:  # rebuilt, as other nodes changed
        now = next((n for n in stage.after.nodes if n.op is loop.node.op), None)
    return Outcome(now, "" if now is not None else stage.name, loop, report, member)


def _same(node: GraphNode, before: Graph, after: Graph) -> GraphNode | None:
    if node in after.nodes:
        return node
    key = _key(node)
    old, new = _like(key, before.nodes), _like(key, after.nodes)
    return new[old.index(node)] if len(old) == len(new) else None


def _like(key: Any, nodes: Iterable[GraphNode]) -> list[GraphNode]:
    return [node for node in nodes if _key(node) == key]


def _key(node: GraphNode) -> Any:
    return node.op, node.name, node.scope, node.line, frozen(tuple(node.attributes.items()))


def reasons(trace: Outcome) -> list[str]:
    """Return the reasons why a node is in no loop, or why its neighbours are in another one."""
    if trace.fusion is None or trace.member is None:
        return []
    names, member, knowledge = trace.fusion.graph.names, trace.member, Knowledge()
    own = None if member.op is None else knowledge.of(member).problem
    if own is not None:
        return [f"in no loop with others, as it {own}"]
    inside = {member} if trace.loop is None else {trace.loop.node, *trace.loop.members}
    lines: dict[str, None] = {}
    for a, b in _around(member, trace.fusion.graph):
        other, how = (b, "which reads it") if a is member else (a, "which it reads")
        reason = trace.fusion.apart.get((a, b)) or knowledge.of(other).problem
        if other.op is not None and other not in inside and reason:
            lines[f"{names[other]}, {how}, did not join: {reason}"] = None
    return list(lines)


def _around(node: GraphNode, graph: Graph) -> list[tuple[GraphNode, GraphNode]]:
    """Return the edges at a node: (operand, reader)."""
    before = [(operand, node) for operand, _ in node.entries]
    after = [(node, r) for k in range(node.nout) for r, _ in graph.users.get((node, k), ())]
    return before + after


def places(trace: Outcome, compiled: Compiled) -> list[Whereabouts]:
    """Return the places of the outputs that reach memory."""
    lines: list[Whereabouts] = []
    count = 0 if trace.node is None else (trace.member or trace.node).nout
    for output in range(count):
        entry = trace.entry(output)
        place = None if entry is None else compiled.lowering.places.get(entry)
        if place is not None:
            lines.append(whereabouts(compiled.schedule, compiled.memory.offset, place.value))
    return lines


def source(trace: Outcome, compiled: Compiled) -> str | None:
    """Return the text of the kernel that computes a node, or None."""
    name = compiled.lowering.names.get(trace.node) if trace.node is not None else None
    for task, call in zip(compiled.tasks, compiled.calls, strict=True):
        if task.name == name and call is not None:
            return call.code.source.text
    return None


def node_of(name: str, graphs: Sequence[tuple[Graph, dict[GraphNode, str]]]) -> GraphNode | None:
    """Return the node of this name in the first graph that has it; "tanh0_output" is "tanh0"."""
    for _, names in graphs:
        for label in (name, name.removesuffix("_output")):
            match = next((node for node, own in names.items() if own == label), None)
            if match is not None:
                return match
    return None


@dataclass(frozen=True, slots=True)
class Fate:
    """The fate of a node in one program.

    `gone`: the pass that removed it, as a duplicate, a constant or by simplification; `loop`: the
    fused kernel it is part of, with its `members`; `apart`: reasons why neighbours are not part of
    it, or why it is in none; `places`: those of its outputs that reach memory; `interim`: a
    description of the program's form while its kernels are compiled.
    """

    program: str
    gone: str
    loop: str
    members: tuple[str, ...]
    apart: tuple[str, ...]
    places: tuple[Whereabouts, ...]
    interim: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as plain values."""
        return {
            "interim": self.interim,
            "gone": self.gone,
            "loop": self.loop,
            "members": list(self.members),
            "apart": list(self.apart),
            "places": [place.to_dict() for place in self.places],
        }

    def __str__(self) -> str:
        lines = [self.interim] if self.interim else list[str]()
        if self.gone:
            lines.append(f"no node of its own after pass {self.gone!r}: merged, or made simpler")
        if self.loop:
            lines.append(f"part of the loop {self.loop}: {', '.join(self.members)}")
            if not self.places:
                lines.append("it never reaches memory: the loop hands it on in registers")
        lines += self.apart
        return "\n".join([*lines, *map(str, self.places)])


class Explanation(Report):
    """The result of `exe.explain(name)`: a report on an intermediate, when printed.

    `fates`: a Fate for each program that contains it.
    """

    def __init__(
        self, name: str, about: str, fates: Sequence[Fate], sources: Mapping[str, str]
    ) -> None:
        self.name, self.about, self.fates, self._sources = name, about, tuple(fates), dict(sources)

    def source(self, program: str | None = None) -> str:
        """Return the text of the kernel that computes it in a program (None: the first with one).

        Raises ArgumentError if there is none.
        """
        if program is None and self._sources:
            return next(iter(self._sources.values()))
        if program not in self._sources:
            choices = ", ".join(self._sources) or "none: a function computes it, or nothing does"
            raise ArgumentError(
                f"source of {self.name!r}: no kernel in program {program!r}; programs with one: "
                f"{choices}"
            )
        return self._sources[program]

    def to_dict(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "about": self.about,
            "programs": {fate.program: fate.to_dict() for fate in self.fates},
        }

    def sections(self) -> list[tuple[str, str]]:
        return [(self.name, self.about), *((f"in {f.program}", str(f)) for f in self.fates)]

    def _repr_html_(self) -> str:
        parts = [*self.sections(), *((f"kernel, {p}", text) for p, text in self._sources.items())]
        return html_sections(f"explain({self.name!r})", parts)


def explain(name: str, bound: Graph, programs: Mapping[str, Program]) -> Explanation:
    """Return the fate of the node called `name`, of the bound graph or of a program's source."""
    graphs = [bound, *(p.compiled.source for p in programs.values())]
    named = [(graph, graph.names) for graph in graphs]
    node = node_of(name, named)
    if node is None:
        labels = list(dict.fromkeys(n for _, names in named for n in names.values()))
        hint = near(name, labels) or f"there are: {_some(labels)}"
        raise ArgumentError(f"explain: there is no {name!r} in this executor; {hint}")
    fates: list[Fate] = []
    sources: dict[str, str] = {}
    for program, entry in programs.items():
        if node in entry.compiled.source.nodes:
            trace = follow(node, entry.compiled)
            loop, members = "", list[str]()
            if trace.loop is not None and trace.fusion is not None:
                names = trace.fusion.graph.names
                loop, members = trace.loop.node.label, [names[m] for m in trace.loop.members]
            why, lie = tuple(reasons(trace)), tuple(places(trace, entry.compiled))
            fates.append(Fate(program, trace.gone, loop, tuple(members), why, lie, entry.interim))
            text = source(trace, entry.compiled)
            if text is not None:
                sources[program] = text
    about = "a variable" if node.op is None else node.op.__name__
    about += f": {', '.join(map(str, node.specs or ()))}"
    if node.op is not None and node.line is not None:
        about += f", made at {site(*node.line)}"
    return Explanation(name, about, fates, sources)


def _some(names: Sequence[str], most: int = 12) -> str:
    return ", ".join(names[:most]) + (", ..." if len(names) > most else "")
