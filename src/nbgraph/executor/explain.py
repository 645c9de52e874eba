"""`exe.explain(name)`: in which programs an intermediate is, and what became of it there."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from nbgraph.engine.sites import site
from nbgraph.errors import ArgumentError
from nbgraph.executor import traces
from nbgraph.executor.program import Program
from nbgraph.graph.build import GraphNode
from nbgraph.graph.graph import Graph
from nbgraph.graph.naming import names_of
from nbgraph.graph.passes.places import Whereabouts
from nbgraph.picture import Report, html_sections


@dataclass(frozen=True, slots=True)
class Fate:
    """The fate of a node in one program.

    `gone`: the pass after which it is not found any more, as it is another node's, a constant or
    simpler; `loop`: the fused kernel it is part of, with its `members`; `apart`: why neighbours
    are not, or it is in none; `places`: where its outputs lie, those that reach memory;
    `interim`: what stands in for the program while its kernels are compiled, in words.
    """

    program: str
    gone: str
    loop: str
    members: tuple[str, ...]
    apart: tuple[str, ...]
    places: tuple[Whereabouts, ...]
    interim: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Return the same as plain values."""
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
    """The result of `exe.explain(name)`: printed, all that is known of an intermediate.

    `fates`: a Fate for each program that it is in.
    """

    def __init__(
        self, name: str, about: str, fates: Sequence[Fate], sources: Mapping[str, str]
    ) -> None:
        self.name, self.about, self.fates, self._sources = name, about, tuple(fates), dict(sources)

    def source(self, program: str | None = None) -> str:
        """Return the text of the kernel that computes it, in a program (None: the first that has
        one).

        ArgumentError where no kernel does.
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
        """Return the same as plain values."""
        return {
            "name": self.name,
            "about": self.about,
            "programs": {fate.program: fate.to_dict() for fate in self.fates},
        }

    def sections(self) -> list[tuple[str, str]]:
        """Return headings and texts, in order."""
        return [(self.name, self.about), *((f"in {f.program}", str(f)) for f in self.fates)]

    def _repr_html_(self) -> str:
        parts = [*self.sections(), *((f"kernel, {p}", text) for p, text in self._sources.items())]
        return html_sections(f"explain({self.name!r})", parts)


def explain(name: str, bound: Graph, programs: Mapping[str, Program]) -> Explanation:
    """Return what became of the node called `name`, in the graph as bound, or in a program's before
    its passes (a backward node)."""
    graphs = [bound, *(p.compiled.source for p in programs.values())]
    named = [(graph, names_of(graph.nodes)) for graph in graphs]
    node = traces.node_of(name, named)
    if node is None:
        labels = list(dict.fromkeys(n for _, names in named for n in names.values()))
        near = difflib.get_close_matches(name, labels, 3)
        hint = (
            f"did you mean {' or '.join(map(repr, near))}?"
            if near
            else f"there are: {_some(labels)}"
        )
        raise ArgumentError(f"explain: there is no {name!r} in this executor; {hint}")
    fates: list[Fate] = []
    sources: dict[str, str] = {}
    for program, entry in programs.items():
        if node in entry.compiled.source.nodes:
            trace = traces.follow(node, entry.compiled)
            fates.append(_fate(program, trace, entry))
            text = traces.source(trace, entry.compiled)
            if text is not None:
                sources[program] = text
    return Explanation(name, _about(node), fates, sources)


def _fate(name: str, found: traces.Found, program: Program) -> Fate:
    members: tuple[str, ...] = ()
    if found.loop is not None and found.fusion is not None:
        names = found.fusion.names
        members = tuple(names[m] for m in found.loop.members)
    return Fate(
        name,
        found.gone,
        found.loop.node.label if found.loop is not None else "",
        members,
        tuple(traces.reasons(found)),
        tuple(traces.places(found, program.compiled)),
        program.interim,
    )


def _about(node: GraphNode) -> str:
    types = ", ".join(str(spec) for spec in node.specs or ())
    if node.op is None:
        return f"a variable: {types}"
    origin = f", made at {site(*node.line)}" if node.line is not None else ""
    return f"{node.op.__name__}: {types}{origin}"


def _some(names: Sequence[str], most: int = 12) -> str:
    return ", ".join(names[:most]) + (", ..." if len(names) > most else "")
