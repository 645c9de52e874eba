"""Profiles: the operations that ran, when, on which thread, and how long they had waited.

>>> import nbgraph as ng
>>> with ng.profile() as p:
...     pending = ng.engine.push(lambda run_ctx: None, name="load")
>>> [row["operation"] for row in p.to_dict()["operations"]]
['load']
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Self

from nbgraph.engine.base import Engine
from nbgraph.engine.events import Event
from nbgraph.engine.profiling.effort import limits
from nbgraph.engine.profiling.step_rows import StepRow, duration, flame, step_rows, table
from nbgraph.engine.profiling.timing import SWITCH, Clock, Reading, Timing, begin, end
from nbgraph.engine.selection import current
from nbgraph.engine.thread import here
from nbgraph.picture import COLOURS, Bar, Report, bar_chart, columns, packed

_DRAWN = 2000  # bars of a timeline: the longest ones


@dataclass(frozen=True, slots=True)
class Row:
    """All operations of one name; times in seconds."""

    operation: str
    count: int
    total: float
    mean: float
    max: float
    waited: float  # mean time between push and start
    failed: int
    skipped: int

    @classmethod
    def of(cls, name: str, events: Sequence[Event]) -> Row:
        """Return the row of the operation `name`, summed over its events."""
        ran = [e for e in events if e.status != "skipped"]
        times = [_seconds(e) for e in ran]
        total = sum(times)
        return cls(
            name,
            len(events),
            total,
            total / len(ran) if ran else 0.0,
            max(times, default=0.0),
            sum(e.started_ns - e.pushed_ns for e in ran) / len(ran) / 1e9 if ran else 0.0,
            sum(e.status == "failed" for e in events),
            len(events) - len(ran),
        )


class Profile(Report):
    """The result of `with ng.profile() as p:`, to print, to save, or to view as a timeline."""

    title = "ng.profile()"

    def __init__(self, engine: Engine | None = None) -> None:
        self._engine = engine
        self.events: list[Event] = []
        self._begun = 0
        self._timing: Timing | None = None
        self._before: dict[Clock, Reading] = {}  # sums of clocks when the block began
        self._steps: list[StepRow] = []

    # the block ---------------------------------------------------------------------------------

    def __enter__(self) -> Self:
        self._begun = time.monotonic_ns()
        engine: Any = self._of()
        if engine.kind == "threaded":
            self._timing = begin(engine)
            self._before = {clock: clock.read() for clock in self._timing.clocks}
        engine.add_listener(self._add)
        return self

    def _add(self, event: Event) -> None:
        """Add an event; one that started before the block counts from the block's beginning."""
        if event.name == SWITCH:
            return
        if event.started_ns < self._begun:
            event = event._replace(
                started_ns=self._begun, pushed_ns=min(event.pushed_ns, self._begun)
            )
        self.events.append(event)

    def __exit__(self, kind: type[BaseException] | None, *exc: object) -> None:
        engine: Any = self._of()
        try:
            if kind is None and here.running is None:
                engine._flush()
                engine._wait_all(None)  # what was pushed in the block belongs to it
        finally:
            engine.remove_listener(self._add)
            if self._timing is not None:
                self._read(self._timing)
                end(engine, self._timing)
                self._timing = None

    def _read(self, timing: Timing) -> None:
        zero = Reading(0, 0, 0)
        spans = [(clock, self._before.get(clock, zero)) for clock in timing.clocks]
        self._steps, self._before = step_rows(spans), {}

    def _of(self) -> Engine:
        return self._engine or current()

    # figures -----------------------------------------------------------------------------------

    def rows(self) -> list[Row]:
        """Return a row per operation name, the longest total first."""
        named: dict[str, list[Event]] = {}
        for event in self.events:
            named.setdefault(event.name, []).append(event)
        return sorted((Row.of(n, e) for n, e in named.items()), key=lambda r: -r.total)

    def steps(self) -> list[StepRow]:
        """Return a row for each kernel of compiled graphs, the longest total first.

        A compiled graph (a bound executor, `ng.jit`, `train_step`) is one operation; these are its
        parts, with time, bytes moved and operations. Graphs on GPUs have none; engines other than
        the threaded one run each step as an operation.
        """
        return list(self._steps)

    def to_dict(self) -> dict[str, Any]:
        events = [{**e._asdict(), "site": str(e.site)} for e in self.events]
        steps = [row.to_dict(limits()) for row in self._steps]
        operations = [asdict(row) for row in self.rows()]
        return {"operations": operations, "steps": steps, "events": events}

    def sections(self) -> list[tuple[str, str]]:
        steps = table(self._steps, limits()) if self._steps else []
        return [("operations", self._operations()), *steps]

    def __str__(self) -> str:
        return super().__str__() if self._steps else self._operations()

    def _operations(self) -> str:
        if not self.events:
            return "nothing ran"
        head = ("operation", "count", "total", "mean", "max", "waited", "failed", "skipped")
        cells = [
            (
                row.operation,
                str(row.count),
                *map(duration, (row.total, row.mean, row.max, row.waited)),
                str(row.failed or ""),
                str(row.skipped or ""),
            )
            for row in self.rows()
        ]
        return columns([head, *cells])

    # pictures ----------------------------------------------------------------------------------

    def timeline(self, *, width: int = 760) -> str:
        """Return an SVG: a row per thread, a bar per operation labelled with its name and site."""
        events = sorted((e for e in self.events if e.status != "skipped"), key=_seconds)
        events = events[-_DRAWN:]
        colours = {r.operation: COLOURS[i % len(COLOURS)] for i, r in enumerate(self.rows())}
        begun = min((e.started_ns for e in events), default=0)
        rows: dict[str, list[Bar]] = {}
        for event in sorted(events, key=lambda e: e.started_ns):
            start, end = ((t - begun) / 1e6 for t in (event.started_ns, event.ended_ns))
            waited = (event.started_ns - event.pushed_ns) / 1e9
            hint = (
                f"{event.name}: {duration(_seconds(event))}, waited {duration(waited)}, "
                f"{event.status}\npushed at {event.site}"
            )
            track = event.lane if event.lane == "async" else event.thread_name
            bar = Bar(start, end, event.name, colours[event.name], hint, event.status == "failed")
            rows.setdefault(track, []).append(bar)
        return bar_chart(list(rows.items()), width=width, title="timeline", unit="ms")

    def _repr_html_(self) -> str:
        text = super()._repr_html_()
        pictures = self.flame() if self._steps else ""
        return text + pictures + self.timeline() if self.events else text

    def flame(self, *, width: int = 760) -> str:
        """Return an SVG of the steps of compiled graphs: graphs, lines of the user's text and
        kernels, each as wide as its time; its colour shows which limit a kernel meets first."""
        return flame(self._steps, limits(), width=width)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a Chrome trace (JSON), for Perfetto (ui.perfetto.dev) or chrome://tracing."""
        Path(path).write_text(json.dumps(self.trace()), encoding="utf-8")

    def trace(self) -> dict[str, Any]:
        """Return the Chrome trace: an event per operation, a track per thread; times in us.

        Asynchronous operations overlap, so they have their own tracks.
        """
        events = sorted(self.events, key=lambda e: e.started_ns)
        begun = min((e.pushed_ns for e in events), default=0)
        tracks: dict[str, int] = {}
        written = [
            _complete(event, begun, tracks.setdefault(track, len(tracks) + 1))
            for event, track in zip(events, _tracks(events), strict=True)
        ]
        names = [_named("process_name", 0, "nbgraph engine")]
        names += [_named("thread_name", number, track) for track, number in tracks.items()]
        return {"traceEvents": names + written, "displayTimeUnit": "ms"}


def _tracks(events: Sequence[Event]) -> list[str]:
    spans = [(e.started_ns, e.ended_ns) for e in events if e.lane == "async"]
    layers = iter(packed(spans))
    return [
        f"async {next(layers) + 1}" if e.lane == "async" else f"{e.thread_name} ({e.thread})"
        for e in events
    ]


def _complete(event: Event, begun: int, track: int) -> dict[str, Any]:
    return {
        "name": event.name,
        "cat": event.lane,
        "ph": "X",
        "ts": (event.started_ns - begun) / 1000,
        "dur": (event.ended_ns - event.started_ns) / 1000,
        "pid": os.getpid(),
        "tid": track,
        "args": {
            "pushed_us": (event.pushed_ns - begun) / 1000,
            "waited_us": (event.started_ns - event.pushed_ns) / 1000,
            "site": str(event.site),
            "number": event.number,
            "status": event.status,
        },
    }


def _named(what: str, track: int, name: str) -> dict[str, Any]:
    return {"name": what, "ph": "M", "pid": os.getpid(), "tid": track, "args": {"name": name}}


def _seconds(event: Event) -> float:
    return (event.ended_ns - event.started_ns) / 1e9


def profile(engine: Engine | None = None) -> Profile:
    """Record the operations of the block `with ng.profile() as p:`, and wait for their end.

    An operation that started before the block counts from the block's beginning. `print(p)` shows
    tables: operations, and the kernels of compiled graphs beside the machine's limits, which are
    measured once (some 0.2 s). `p.save("trace.json")` writes a file for Perfetto; `p.timeline()`
    and `p.flame()` are pictures. Each kernel of a compiled graph takes some 0.1 us longer in the
    block; outside of profiles nothing is recorded.
    """
    return Profile(engine)
