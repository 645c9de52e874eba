"""What the core records of kernels while somebody listens, as events."""

from __future__ import annotations

import ctypes
import time
from typing import TYPE_CHECKING

from nbgraph.engine.core import layout
from nbgraph.engine.events import Event

if TYPE_CHECKING:
    from nbgraph.engine.handle import Core
    from nbgraph.engine.threaded import ThreadedEngine

RECORDS = 1 << 16  # kept between two drains; older ones are overwritten
_WORDS = layout.EVENT // layout.WORD
_STATUS = ("ok", "failed", "skipped")


class Recording:
    """A ring in the core's memory, from the first listener to the last."""

    def __init__(self, core: Core) -> None:
        self._core = core
        self._ring = (ctypes.c_int64 * (_WORDS * RECORDS))()
        self._seen = core.word(layout.EVENTS_NEXT)
        self._since = time.monotonic_ns()
        self.lost = 0
        core.poke(core.address + layout.EVENTS, ctypes.addressof(self._ring))
        core.poke(core.address + layout.EVENTS_SIZE, RECORDS)
        core.poke(core.address + layout.PROFILE, 1)

    def end(self) -> None:
        """Stamp no more times. The ring itself stays: a record may just be written."""
        self._core.poke(self._core.address + layout.PROFILE, 0)

    def begin(self) -> None:
        """Again."""
        self._since = time.monotonic_ns()
        self._seen = self._core.word(layout.EVENTS_NEXT)
        self._core.poke(self._core.address + layout.PROFILE, 1)

    def drain(self, engine: ThreadedEngine) -> list[Event]:
        """Kernels recorded since the last time; Python functions report themselves."""
        last = self._core.word(layout.EVENTS_NEXT)
        first = max(self._seen, last - RECORDS)
        self.lost += first - self._seen
        self._seen = last
        found: list[Event] = []
        for count in range(first, last):
            place = _WORDS * (count % RECORDS)
            number, token, name, site, queued, started, ended, _, thread, status = self._ring[
                place : place + _WORDS
            ]
            if token or not name:
                continue
            # 0: it was pushed, or begun, before anybody listened
            queued, started = queued or self._since, started or self._since
            ident, thread_name = engine._thread_names.get(thread, (0, "pusher"))
            found.append(
                Event(
                    engine._names[name],
                    engine._sites[site],
                    number,
                    queued,
                    ended if status == 2 else started,
                    ended,
                    ident,
                    thread_name,
                    "kernel",
                    _STATUS[status],
                )
            )
        return found
