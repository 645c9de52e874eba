"""`ng.compile_report()`: the compilations of this process, done and pending, with their times."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from nbgraph.codegen.making import background
from nbgraph.codegen.making.events import Event, certificates, events
from nbgraph.picture import Report, columns

_SHOWN = 60  # rows of the text, newest; `to_dict()` has all
_HEAD = ("what", "compiler", "origin", "ms", "bytes", "when", "")


@dataclass(frozen=True, slots=True, repr=False)
class CompileReport(Report):
    """Machine code of this process: an Event for each time it was compiled or found on disk.

    `pending`: names of jobs in the background that have not ended. `certificates`: seconds of each
    certificate of a derivative that was computed, not found on disk. Seconds are wall time from
    begin to end, so parallel work counts twice.
    """

    title = "ng.compile_report()"

    events: tuple[Event, ...]
    pending: tuple[str, ...]
    certificates: tuple[float, ...] = ()

    @property
    def hits(self) -> int:
        """Number of times that code was found on disk."""
        return sum(e.origin == "disk" for e in self.events)

    @property
    def compiled(self) -> int:
        """Number of times that code was compiled."""
        return sum(e.origin == "compiled" for e in self.events)

    @property
    def failed(self) -> tuple[Event, ...]:
        """Events of code that could not be compiled."""
        return tuple(e for e in self.events if e.origin == "failed")

    @property
    def waited(self) -> float:
        """Seconds of compilations that a thread waited for."""
        return sum((e.seconds for e in self.events if not e.background), 0.0)

    def wait(self, timeout: float | None = None) -> CompileReport:
        """Wait until all compilation in the background has ended, and return a new report.

        Raises TimeoutError after `timeout` seconds.
        """
        background.settle(timeout)
        return compile_report()

    def to_dict(self) -> dict[str, Any]:
        """Return the report as plain values."""
        return {
            "events": [e._asdict() for e in self.events],
            "pending": list(self.pending),
            "hits": self.hits,
            "compiled": self.compiled,
            "failed": len(self.failed),
            "waited": self.waited,
            "certificates": list(self.certificates),
        }

    def sections(self) -> list[tuple[str, str]]:
        shown = self.events[-_SHOWN:]
        more = len(self.events) - len(shown)
        rows = columns([_HEAD, *map(_row, shown)]) if shown else "nothing yet"
        rows = f"... {more} before\n{rows}" if more else rows
        parts = [("machine code", rows), ("in all", columns(self._totals()))]
        if self.pending:
            parts.append(("in the background", "\n".join(self.pending)))
        return parts

    def _totals(self) -> list[tuple[str, str]]:
        background_seconds = sum((e.seconds for e in self.events if e.background), 0.0)
        rows = [("found on disk", str(self.hits)), ("compiled", str(self.compiled))]
        rows += [("failed", str(len(self.failed)))] if self.failed else []
        if self.certificates:
            seconds = f"{sum(self.certificates):.3f} s"
            rows.append(("certificates of derivatives", f"{len(self.certificates)} in {seconds}"))
        rows.append(("waited for", f"{self.waited:.3f} s"))
        return [*rows, ("in the background", f"{background_seconds:.3f} s")]


def _row(event: Event) -> Sequence[str]:
    clock = time.strftime("%H:%M:%S", time.localtime(event.at))
    return (
        event.name,
        event.compiler,
        {"disk": "hit", "compiled": "miss", "failed": "failed"}[event.origin],
        f"{event.seconds * 1e3:.1f}",
        str(event.bytes or ""),
        f"{clock}.{int(event.at * 10 % 10)}",
        event.error or ("in the background" if event.background else ""),
    )


def compile_report() -> CompileReport:
    """Return a report on code that this process has compiled or found on disk: by which compiler,
    when, in which time; and on code that is still compiled in the background.

    >>> import nbgraph as ng
    >>> import numpy as np
    >>> half = ng.op(lambda x: x / 2, name="half_of_it")
    >>> _ = half(np.ones(3, "float32"))
    >>> ng.compile_report().events[-1].name
    'half_of_it'
    """
    return CompileReport(events(), background.pending(), certificates())
