"""The passes of a compilation in their order, and the options that select them."""

from __future__ import annotations

import functools
import importlib
from collections.abc import Collection
from typing import Literal, NamedTuple

from nbgraph.device import Context
from nbgraph.errors import ArgumentError
from nbgraph.graph.build import GraphNode
from nbgraph.graph.graph import Graph
from nbgraph.graph.passes.compose import compose
from nbgraph.graph.passes.fold import fold
from nbgraph.graph.passes.fuse import fuse
from nbgraph.graph.passes.means import means
from nbgraph.graph.passes.share import share
from nbgraph.graph.passes.simplify import simplify
from nbgraph.graph.passes.unite import unite


class Options(NamedTuple):
    """Options of a compilation. Each leaves results bitwise the same, except for the order of
    additions in fused sums.

    Attributes
    ----------
    share : bool
        Equal nodes become one.
    fold : bool
        Nodes that depend on constants only are computed once.
    simplify : bool
        Rules that are exact in IEEE arithmetic are applied.
    unite : bool
        Row operators and their gradients become one node.
    fuse : bool
        Scalar operators of one shape become one loop.
    inplace : bool
        Results overwrite values that are not needed any more, and sums are written as kAddTo.
    memory : bool
        Values with disjoint lifetimes share memory.
    recompute : None, "sqrt" or int
        In `forward_backward`, values of the forward pass are computed again in the backward pass,
        except for about sqrt(n) of n, or every k-th for an int k; nodes marked by `ng.checkpoint`
        are always saved. `forward` and `backward` as two plans save the values they need.

    >>> Options.of(fuse=False).fuse
    False
    """

    share: bool = True
    fold: bool = True
    simplify: bool = True
    unite: bool = True
    fuse: bool = True
    inplace: bool = True
    memory: bool = True
    recompute: Literal["sqrt"] | int | None = None

    @classmethod
    def of(cls, base: Options | None = None, **changes: object) -> Options:
        """Return options with changes by name; raise ArgumentError for an unknown name."""
        names = cls._fields
        unknown = sorted(set(changes) - set(names))
        if unknown:
            raise ArgumentError(
                f"options: there is no {unknown[0]!r}; there are {', '.join(names)}"
            )
        values = {name: getattr(base or cls(), name) for name in names} | changes
        options = cls(**values)  # type: ignore[arg-type]
        every = options.recompute
        whole = isinstance(every, int) and not isinstance(every, bool) and every > 0
        if every is not None and every != "sqrt" and not whole:
            raise ArgumentError(
                f"options: recompute={every!r}; give None, 'sqrt', or a number of nodes from 1"
            )
        return options

    @classmethod
    def none(cls) -> Options:
        """Return options without any pass: single operators, each value in separate memory. The
        results of all other options must agree with these."""
        return cls(**{name: None if name == "recompute" else False for name in cls._fields})  # type: ignore[arg-type]


class Stage(NamedTuple):
    """A pass that changed the graph."""

    name: str
    before: Graph
    after: Graph

    def diff(self) -> str:
        """Return a diff of the listings before and after the pass."""
        import difflib

        before, after = str(self.before).splitlines(), str(self.after).splitlines()
        lines = list(
            difflib.unified_diff(before, after, n=max(len(before), len(after)), lineterm="")
        )
        return "\n".join(lines[3:])  # without the three header lines

    def _repr_html_(self) -> str:
        return importlib.import_module("nbgraph.viz").before_and_after(self)._repr_html_()


def optimised(
    graph: Graph,
    options: Options,
    stages: list[Stage],
    device: Context,
    loose: Collection[tuple[GraphNode, ...]] = (),
) -> Graph:
    """Return the graph after the passes that the options select; append a stage to `stages` for
    each one that changed it. `loose`: loops that `fuse` leaves as single nodes."""
    for name, option, function in (
        ("compose", True, functools.partial(compose, host=device.host)),
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
