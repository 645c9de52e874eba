"""A thread that helps in place of the main thread, which has to be there for signals.

A thread that waits runs what is ready meanwhile: there is a worker less than processors. Nobody
looks at signals inside of a kernel, so the main thread only runs what is known to be brief, and
leaves the rest of such a wait to another thread.
"""

from __future__ import annotations

import threading
from queue import SimpleQueue

from nbgraph.engine.core.codes import ANYTHING, BRIEF
from nbgraph.engine.handle import Core

SLICE = 50_000_000  # nanoseconds a wait stays away from Python's signals
MOMENT = 50_000  # a wait that leaves something sleeps so long before it has a helper

Call = tuple[Core, int]  # what is waited for, as in `wait_for`


def longest() -> int:
    """Nanoseconds of work that the calling thread takes over while it waits."""
    return BRIEF if threading.get_ident() == threading.main_thread().ident else ANYTHING


class Helper:
    """Waits for what the main thread waits for, and helps with anything. One serves all engines;
    its thread begins when it is first called."""

    def __init__(self) -> None:
        self._calls: SimpleQueue[Call] = SimpleQueue()
        self._thread: threading.Thread | None = None

    def call(self, core: Core, ticket: int) -> None:
        """Help until that is done, or until the next call; whoever calls may go before."""
        if self._thread is None or not self._thread.is_alive():  # none has come along by a fork
            self._calls = SimpleQueue()  # Ctrl-C leaves no half of a `put`
            self._thread = threading.Thread(
                target=_serve, args=(self._calls,), name="nbgraph helper", daemon=True
            )
            self._thread.start()
        self._calls.put((core, ticket))


def _serve(calls: SimpleQueue[Call]) -> None:
    while True:
        core, ticket = calls.get()
        while not calls.empty():
            core, ticket = calls.get()
        while not core.wait_for(core.parker(), ticket, SLICE, ANYTHING) and calls.empty():
            pass
        del core


helper = Helper()
