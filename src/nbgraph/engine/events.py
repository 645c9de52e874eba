"""Events of operations that have ended, for listeners: from Python, and from the compiled core."""

from __future__ import annotations

import ctypes
import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from nbgraph.engine.core import layout
from nbgraph.engine.failure import Failure
from nbgraph.engine.operation import Operation
from nbgraph.engine.properties import FnProperty
from nbgraph.engine.sites import InternedNames, Site
from nbgraph.scopes import thread_name

if TYPE_CHECKING:
    from nbgraph.engine.handle import Core

RECORDS = 1 << 16  # of kernels that fit between two drains; older ones are overwritten
_WORDS = layout.EVENT // layout.WORD
_STATUS = ("ok", "failed", "skipped")

LANES = {
    FnProperty.COPY_FROM_GPU: "copy from gpu",
    FnProperty.COPY_TO_GPU: "copy to gpu",
    FnProperty.CPU_PRIORITIZED: "urgent",
    FnProperty.GPU_PRIORITIZED: "urgent",
    FnProperty.ASYNC: "async",
    FnProperty.DELETE_VAR: "delete",
}


class Event(NamedTuple):
    """One operation that has ended. Times are those of `time.monotonic_ns`. The start of a skipped
    one is its end; of one that began before the first listener was added, its push."""

    name: str
    site: Site
    number: int  # of the push
    pushed_ns: int
    started_ns: int
    ended_ns: int
    thread: int  # identifier of the thread that ran it
    thread_name: str
    lane: str
    status: str  # "ok", "failed" or "skipped"


Listener = Callable[[Event], object]


def event(operation: Operation, failure: Failure | None) -> Event:
    """Return the event of an operation that ends now."""
    now = time.monotonic_ns()
    status = "ok"
    if failure is not None:
        is_own = failure.order == (operation.seq, operation.index)
        status = "failed" if is_own else "skipped"
    thread, label = operation.thread or (threading.get_ident(), thread_name())
    return Event(
        operation.name,
        operation.site,
        operation.seq,
        operation.pushed_ns,
        operation.started_ns or (now if status == "skipped" else operation.pushed_ns),
        now,
        thread,
        label,
        LANES.get(operation.prop, "cpu"),
        status,
    )


class Recording:
    """A ring buffer in which the core records kernels that end, while there are listeners."""

    def __init__(self, core: Core) -> None:
        self._core = core
        self._ring = (ctypes.c_int64 * (_WORDS * RECORDS))()
        self.lost = 0
        core.poke(core.address + layout.EVENTS, ctypes.addressof(self._ring))
        core.poke(core.address + layout.EVENTS_SIZE, RECORDS)
        self.begin()

    def end(self) -> None:
        """Stop recording times. The ring stays: a thread may be writing a record."""
        self._core.poke(self._core.address + layout.PROFILE, 0)

    def begin(self) -> None:
        """Record times from now on."""
        self._since = time.monotonic_ns()
        self._seen = self._core.word(layout.EVENTS_NEXT)
        self._core.poke(self._core.address + layout.PROFILE, 1)

    def drain(self, names: InternedNames, threads: dict[int, tuple[int, str]]) -> list[Event]:
        """Return events of kernels since the last call; Python functions report their own."""
        last = self._core.word(layout.EVENTS_NEXT)
        first = max(self._seen, last - RECORDS)
        self.lost += first - self._seen
        self._seen = last
        events: list[Event] = []
        for count in range(first, last):
            place = _WORDS * (count % RECORDS)
            number, token, name, site, queued, started, ended, _, thread, status = self._ring[
                place : place + _WORDS
            ]
            if token or not name:
                continue
            # 0: it was pushed, or started, before recording began
            queued, started = queued or self._since, started or self._since
            ident, label = threads.get(thread, (0, "pusher"))
            events.append(
                Event(
                    names.names[name],
                    names.sites[site],
                    number,
                    queued,
                    ended if status == 2 else started,
                    ended,
                    ident,
                    label,
                    "kernel",
                    _STATUS[status],
                )
            )
        return events
