"""Stretches of a plan on a device: calls that become one CUDA graph, as far as they can.

A captured launch may be given another record, so words that change from run to run (learning
rates, draws, addresses of what a run brings, words for codes) do not keep calls out of a graph. A
product is a library's launches, of which nothing can be changed; a library's function is never
captured. So a plan is cut before and behind such calls. Which is which `replays` of what launches
says: "any record", "one record" or "never".
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from nbgraph.device import RunContext
from nbgraph.settings import config

if TYPE_CHECKING:
    from nbgraph.array.issue import DeviceCall, LibraryCall


class Work(Protocol):
    """What a run brings; see `issue.Run`."""

    records: Mapping[int, Sequence[int]]

    def ready(self, step: int) -> Any:
        """Return the launch of a step, but for its record."""
        ...


class Stretch:
    """Steps of a plan that follow one another.

    The first run issues them as they are, as libraries make what they need at their first use.
    A later one captures them if most of its records are the last run's, and replays that with the
    records that are others; where most are, issuing them costs no more.
    """

    def __init__(
        self,
        calls: Sequence[DeviceCall | LibraryCall],
        steps: Sequence[int],
        patched: Collection[int],
        *,
        captured: bool,
    ) -> None:
        self.steps = tuple(steps)
        self.graph: Any = None  # what was captured on the stream
        self._calls = calls
        self._captures = captured and len(self.steps) > 1
        self._fails = frozenset(k for k in self.steps if calls[k].launches.fails)
        self._changing = [k for k in self.steps if k in patched or k in self._fails]
        launches = (k for k in self.steps if calls[k].launches.replays == "any record")
        self._place = {k: place for place, k in enumerate(launches)}  # among the graph's launches
        self._stream: Any = None
        # of the graph's launches; without a graph of the run before
        self._records: dict[int, Sequence[int]] = {}

    def run(self, run_ctx: RunContext, work: Work) -> None:
        """Put the steps on the stream."""
        stream = run_ctx.stream
        others = self._others(stream, work) if self._captures else None
        if others is None:
            self._issue_all(run_ctx, work)
            self._stream = stream
            return
        if self.graph is None:
            self._records = {}
            self.graph = stream.captured(lambda: self._issue_all(run_ctx, work))
            self._remember(work)
        else:
            for k in others:
                self._amend(run_ctx, work, k)
        stream.replay(self.graph)

    def _others(self, stream: Any, work: Work) -> list[int] | None:
        """Return the steps whose records are not those of the graph, or None where there is to be
        no graph."""
        if stream is not self._stream:
            self.graph = None
            self._remember(work)
            return None
        records = work.records
        others = [
            k
            for k in self._changing
            if k in self._fails or records[k] != self._records.get(k)  # a code has a new word
        ]
        if 2 * len(others) <= len(self.steps):
            return others
        if self.graph is None:
            self._remember(work)
        return None

    def _remember(self, work: Work) -> None:
        self._records = {k: work.records[k] for k in self._changing if k in work.records}

    def _issue_all(self, run_ctx: RunContext, work: Work) -> None:
        for k in self.steps:
            self._issue(run_ctx, work, k)

    def _issue(self, run_ctx: RunContext, work: Work, k: int) -> None:
        call = self._calls[k]
        call.launches.issue(run_ctx, work.records.get(k, call.record), work.ready(k))

    def _amend(self, run_ctx: RunContext, work: Work, k: int) -> None:
        """Make the graph's launch what this run asks for."""
        self._records.pop(k, None)  # until it is done, nobody knows what is there
        node = self.graph.node(self._place[k])
        self._issue(RunContext(run_ctx.device, node, run_ctx.slots), work, k)
        if k in work.records:
            self._records[k] = work.records[k]


def stretches(calls: Sequence[DeviceCall | LibraryCall], patched: Collection[int]) -> list[Stretch]:
    """Return all calls that do something, in their order; `patched`: those whose words a run
    brings."""
    captured = {"any record", "one record"} if config.cuda_graphs else set[str]()

    def may(k: int) -> bool:
        """Return whether a graph may hold it."""
        replays = calls[k].launches.replays
        return replays in captured and not (replays == "one record" and k in patched)

    working = [k for k, call in enumerate(calls) if call.hi]
    return [
        Stretch(calls, list(steps), patched, captured=whether)
        for whether, steps in itertools.groupby(working, may)
    ]
