"""The report on a jit function for one signature."""

import html
from typing import Any, NamedTuple

from nbgraph.autograd.version import Version
from nbgraph.graph.graph import Graph
from nbgraph.graph.listing import listing


class Explanation(NamedTuple):
    """A jit function for one signature: `print` it, show it in a notebook, or take `to_dict()`."""

    name: str
    traced: Graph
    graph: Graph  # after the passes
    passes: tuple[tuple[str, int], ...]  # each pass that changed the graph, nodes afterwards
    captured: tuple[str, ...]
    tasks: tuple[str, ...]
    arena_bytes: int

    def to_dict(self) -> dict[str, Any]:
        """Return the same as plain data."""
        return {
            **self._asdict(),
            "traced": listing(self.traced),
            "graph": listing(self.graph),
            "passes": dict(self.passes),
        }

    def __repr__(self) -> str:
        passes = ", ".join(f"{name} ({count} nodes)" for name, count in self.passes)
        lines = [
            f"{self.name}: {len(self.traced.nodes)} nodes traced",
            f"passes: {passes or 'none changed it'}",
            f"tasks: {', '.join(self.tasks) or 'none'}",
            f"memory of its own: {self.arena_bytes} bytes",
        ]
        if self.captured:
            lines.append(f"arrays found outside: {', '.join(self.captured)}")
        return "\n".join([*lines, listing(self.graph)])

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(str(self))}</pre>"


def explained(name: str, version: Version) -> Explanation:
    """Return the explanation of a version, after compiling it."""
    captured = tuple(f"{a.dtype}{list(a.shape)}" for a in version.captured)
    if version.function is None:
        return Explanation(name, version.graph, version.graph, (), captured, (), 0)
    compiled = version.function.compiled
    return Explanation(
        name,
        version.graph,
        compiled.graph,
        tuple((stage.name, len(stage.after.nodes)) for stage in compiled.stages),
        captured,
        tuple(task.name for task in compiled.tasks),
        compiled.memory.arena_bytes,
    )
