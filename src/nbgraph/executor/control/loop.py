"""Loops as data."""

from __future__ import annotations

from typing import NamedTuple

from nbgraph.graph.build import GraphNode
from nbgraph.graph.graph import Entry, Graph


class Loop(NamedTuple):
    """A loop as data.

    The variables of the body are carries, parts of xs, constants; its heads are the next carries,
    parts of ys, terms of sums, and the test of the carries where there is one. `length`: None where
    the test alone ends it, or the xs will say. `saved`: so many of the last ys are kept for the
    gradient alone.
    """

    heads: tuple[Entry, ...]
    variables: tuple[GraphNode, ...]
    carries: int
    xs: int
    ys: int
    length: int | None
    reverse: bool = False
    counted: bool = False
    tests: bool = False
    saved: int = 0

    @property
    def sums(self) -> int:
        """The number of results that are added up."""
        return len(self.heads) - self.carries - self.ys - self.tests

    @property
    def ends_by_test(self) -> bool:
        """Whether only the test ends the loop."""
        return self.tests and self.length is None

    @property
    def body(self) -> Graph:
        """The body without the test."""
        return Graph(self.heads[: len(self.heads) - self.tests], self.variables)

    @property
    def test(self) -> Graph:
        """The test alone."""
        return Graph(self.heads[-1:], self.variables)

    def over(self, graph: Graph) -> Loop:
        """Return the same loop with another body, test included."""
        return self._replace(heads=graph.heads, variables=graph.variables)
