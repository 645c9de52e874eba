"""The passes in their order."""

from __future__ import annotations

import functools
import importlib
from collections.abc import Collection
from typing import NamedTuple

from nbgraph.device import Context
from nbgraph.executor.options import Options
from nbgraph.graph.build import GraphNode
from nbgraph.graph.graph import Graph
from nbgraph.graph.passes.compose import compose
from nbgraph.graph.passes.fold import fold
from nbgraph.graph.passes.fuse import fuse
from nbgraph.graph.passes.means import means
from nbgraph.graph.passes.share import share
from nbgraph.graph.passes.simplify import simplify
from nbgraph.graph.passes.unite import unite


class Stage(NamedTuple):
    """A pass that changed the graph."""

    name: str
    before: Graph
    after: Graph

    def diff(self) -> str:
        """Return what changed, as a difference of the two listings."""
        import difflib

        before, after = str(self.before).splitlines(), str(self.after).splitlines()
        lines = list(
            difflib.unified_diff(before, after, n=max(len(before), len(after)), lineterm="")
        )
        return "\n".join(lines[3:])  # without the three lines that name files and place

    def _repr_html_(self) -> str:
        return importlib.import_module("nbgraph.viz").before_and_after(self)._repr_html_()


def optimised(
    graph: Graph,
    options: Options,
    stages: list[Stage],
    device: Context,
    loose: Collection[tuple[GraphNode, ...]] = (),
) -> Graph:
    """Return the graph after all passes that the options select; append a stage for each pass that
    changed it to `stages`, that of `fuse` without the loops in `loose`."""
    for name, option, function in (
        ("compose", not device.host, compose),
        ("share", options.share, share),
        ("fold", options.fold, fold),
        ("means", options.fuse, means),
        ("simplify", options.simplify, simplify),
        ("share", options.share, share),
        ("unite", options.unite, unite),
        ("fuse", options.fuse, functools.partial(fuse, loose=loose)),
    ):
        if not option:
            continue
        after = function(graph)
        if after.heads != graph.heads:
            stages.append(Stage(name, graph, after))
        graph = after
    return graph
