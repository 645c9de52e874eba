"""Typed graphs as functions of arrays: loose programs, kept for later calls."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

from nbgraph.array.chunk import CPU
from nbgraph.array.core import Array, empty_of
from nbgraph.array.layout import layout
from nbgraph.executor.compiled import Compiled, compiled
from nbgraph.executor.lower import spec
from nbgraph.executor.options import Options
from nbgraph.executor.program import Program
from nbgraph.graph.graph import Graph
from nbgraph.operator.call import training
from nbgraph.operator.request import OpReqType
from nbgraph.storage import LARGE

_OPTIONS = Options()


class Function:
    """A typed graph as a function of arrays for its variables; a call is one push.

    Programs are kept for later calls; a call that comes while all are in use makes another one, so
    threads do not wait for each other.

    >>> import nbgraph as ng
    >>> x = ng.var("x", shape=(2,), dtype="float32")
    >>> twice = Function((x * 2).graph, "twice")
    >>> twice.run([ng.array([1.0, 2.0])])
    [array([2., 4.], dtype=float32)]
    """

    def __init__(self, graph: Graph, name: str) -> None:
        self.graph, self.name = graph, name
        self.layouts = [layout(*spec(head)) for head in graph.heads]
        self._large = any(own.nbytes >= LARGE for own in self.layouts)
        self._free: list[Program] = []  # for arrays with chunks of their own
        self._merged: dict[tuple[int, ...], list[Program]] = {}

    @cached_property
    def compiled(self) -> Compiled:
        """The graph compiled."""
        layouts = [layout(*spec((v, 0))) for v in self.graph.variables]
        requests = [OpReqType.kWriteTo] * len(self.layouts)
        return compiled(self.graph, layouts, requests, _OPTIONS, CPU)

    def run(self, arrays: Sequence[Array], into: Sequence[Any] = ()) -> list[Any]:
        """Push a run; the heads' arrays.

        Parameters
        ----------
        arrays : sequence of NDArray
            For the variables: contiguous, of their shapes and dtypes.
        into : sequence of NDArray or None
            For the first heads the array to write, contiguous and with memory of its own; None and
            what is missing: a new one.
        """
        chunks = [a._chunk for a in arrays]
        reads = chunks if self._large else None
        given = len(into)
        outputs: list[Any] = []
        for k, own in enumerate(self.layouts):
            target = into[k] if k < given else None
            outputs.append(empty_of(own, CPU, reads) if target is None else target)
        free, merged = self._free, None
        if len(set(chunks)) != len(chunks):
            merged = tuple([chunks.index(c) for c in chunks])
            free = self._merged.setdefault(merged, [])
        try:
            program = free.pop()
        except IndexError:
            program = Program(self.compiled, name=self.name, merged=merged)
        program.push([*arrays, *outputs], is_train=training.get())
        free.append(program)
        return outputs
