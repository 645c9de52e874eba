"""What fusion did, and why it did not do more."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any, NamedTuple

from nbgraph.graph.build import GraphNode
from nbgraph.graph.graph import Entry, Graph
from nbgraph.graph.naming import names_of
from nbgraph.graph.passes.fuse_facts import nbytes


class Loop(NamedTuple):
    """A node that stands for several: its members, their number of scalar operations, and which
    of their outputs it gives, in the order of its own."""

    node: GraphNode
    members: tuple[GraphNode, ...]
    scalars: int
    outputs: tuple[Entry, ...]

    @property
    def saved_bytes(self) -> int:
        """What one after another would read and write, less what the loop does."""
        before = sum(
            nbytes(e)
            for m in self.members
            for e in (*dict.fromkeys(m.entries), *((m, k) for k in range(m.nout)))
        )
        return before - sum(nbytes(e) for e in (*self.node.entries, *self.outputs))


class Fusion:
    """The loops that a graph got, and the neighbours that stayed apart with the reason.

    `loops`: one Loop for each fused node. `apart`: (producer, consumer): reason, of nodes of the
    graph before.
    """

    def __init__(
        self, graph: Graph, loops: list[Loop], apart: Mapping[tuple[GraphNode, GraphNode], str]
    ) -> None:
        self.graph, self.loops, self.apart = graph, tuple(loops), apart

    @property
    def saved_bytes(self) -> int:
        """Of memory traffic."""
        return sum(loop.saved_bytes for loop in self.loops)

    @cached_property
    def names(self) -> dict[GraphNode, str]:
        """What the nodes before are called."""
        return names_of(self.graph.nodes)

    def loop_of(self, node: GraphNode) -> Loop | None:
        """Return the loop that a node of the graph before is part of, or a fused node itself, else
        None."""
        return next((lo for lo in self.loops if node is lo.node or node in lo.members), None)

    def to_dict(self) -> dict[str, Any]:
        """Return the same as plain values."""
        names = self.names
        return {
            "saved_bytes": self.saved_bytes,
            "loops": [
                {
                    "name": loop.node.label,
                    "members": [names[m] for m in loop.members],
                    "scalar_operations": loop.scalars,
                    "outputs": [names[node] for node, _ in loop.outputs],
                    "saved_bytes": loop.saved_bytes,
                }
                for loop in self.loops
            ],
            "apart": [
                {"from": names[a], "to": names[b], "reason": reason}
                for (a, b), reason in self.apart.items()
            ],
        }

    def _parts(self) -> list[tuple[str, str]]:
        from nbgraph.picture import columns

        values = self.to_dict()
        loops = [
            [
                loop["name"],
                f"{loop['scalar_operations']} scalar operations",
                f"{loop['saved_bytes']} bytes saved",
                f"{', '.join(loop['members'])} -> {', '.join(loop['outputs'])}",
            ]
            for loop in values["loops"]
        ]
        apart = [[e["from"], "->", e["to"], e["reason"]] for e in values["apart"]]
        return [("loops", columns(loops)), ("apart", columns(apart))]

    def __str__(self) -> str:
        return "\n".join(f"{head}\n{text}" for head, text in self._parts() if text)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        from nbgraph.picture import html_sections

        return html_sections("fusion", self._parts())
