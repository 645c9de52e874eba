"""The fate of one node: through the passes, into which loop, and where its values lie.

Passes keep no books on nodes. A node is followed by what a pass leaves alone: the object itself,
else operator, attributes, name, and the line of the user's text; where that does not tell nodes
apart, by their order, if none of them is gone. What cannot be followed is said to be gone.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from nbgraph.executor.compiled import Compiled
from nbgraph.executor.pipeline import Stage
from nbgraph.graph.build import GraphNode, frozen
from nbgraph.graph.graph import Entry, Graph
from nbgraph.graph.passes.fuse import explain_fusion
from nbgraph.graph.passes.fuse_facts import Knowledge
from nbgraph.graph.passes.fuse_report import Fusion, Loop
from nbgraph.graph.passes.places import Whereabouts, whereabouts


class Found(NamedTuple):
    """The end of a node: the node after all passes, or the name of the pass that ended it; of a
    node in a loop, the loop and its report."""

    node: GraphNode | None
    gone: str = ""
    loop: Loop | None = None
    fusion: Fusion | None = None
    member: GraphNode | None = None  # what stood for the node when loops were made

    def entry(self, output: int) -> Entry | None:
        """Return the entry that gives that output; None where it never reaches memory."""
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


def follow(node: GraphNode, made: Compiled) -> Found:
    """Return what became of a node of the program's source graph."""
    trace = Found(node)
    for stage in made.stages:
        now = trace.node
        assert now is not None
        trace = _fused(now, stage) if stage.name == "fuse" else _after(now, stage)
        if trace.node is None:
            break
    return trace


def _after(node: GraphNode, stage: Stage) -> Found:
    same = _same(node, stage.before, stage.after)
    return Found(same, "" if same is not None else stage.name)


def _fused(node: GraphNode, stage: Stage) -> Found:
    report = explain_fusion(stage.after)
    member = _same(node, stage.before, report.graph)
    if member is None:
        return Found(None, stage.name)
    loop = report.loop_of(member)
    now = loop.node if loop is not None else _same(member, report.graph, stage.after)
    if loop is not None and now not in stage.after.nodes:  # rebuilt, as others moved
        now = next((n for n in stage.after.nodes if n.op is loop.node.op), None)
    return Found(now, "" if now is not None else stage.name, loop, report, member)


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


def reasons(trace: Found) -> list[str]:
    """Return why the node is in no loop, or why those that it reads and that read it are in
    another."""
    if trace.fusion is None or trace.member is None:
        return []
    names, member, knowledge = trace.fusion.names, trace.member, Knowledge()
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


def places(trace: Found, made: Compiled) -> list[Whereabouts]:
    """Return where the outputs lie that reach memory."""
    lines: list[Whereabouts] = []
    count = 0 if trace.node is None else (trace.member or trace.node).nout
    for output in range(count):
        entry = trace.entry(output)
        place = None if entry is None else made.lowering.places.get(entry)
        if place is not None:
            lines.append(whereabouts(made.schedule, made.memory.offset, place.value))
    return lines


def source(trace: Found, made: Compiled) -> str | None:
    """Return the text of the kernel that computes the node; None where a function does, or
    nothing."""
    name = made.lowering.names.get(trace.node) if trace.node is not None else None
    for task, call in zip(made.tasks, made.calls, strict=True):
        if task.name == name and call is not None:
            return call.code.source.text
    return None


def node_of(name: str, graphs: Sequence[tuple[Graph, dict[GraphNode, str]]]) -> GraphNode | None:
    """Return the node that has this name in the first of these graphs that knows it, or None;
    "tanh0_output" is "tanh0", too."""
    for _, names in graphs:
        for label in (name, name.removesuffix("_output")):
            match = next((node for node, own in names.items() if own == label), None)
            if match is not None:
                return match
    return None
