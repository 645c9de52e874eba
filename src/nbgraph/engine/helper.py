"""A thread that helps in place of the main thread, which has to be there for signals.

A thread that waits runs what is ready meanwhile: there is a worker less than processors. Nobody
looks at signals inside of a kernel, so the main thread only runs what is known to be brief, and
leaves the rest of such a wait to another thread. That one may be in a kernel which runs on after
Ctrl-C, perhaps for ever: where kernels are ready and nothing ends for long, one more begins.
"""

from __future__ import annotations

import _thread
import os
import threading
import time
from queue import SimpleQueue

from nbgraph.engine.core.codes import ANYTHING, BRIEF
from nbgraph.engine.core.layout import COMPLETED, LINE, NATIVE, Q_COUNT, QUEUES
from nbgraph.engine.handle import Core

SLICE = 50_000_000  # nanoseconds a wait stays away from Python's signals
MOMENT = 50_000  # a wait that leaves something sleeps so long before it has a helper
PATIENCE = 1.0  # seconds without an end before another helper begins; for the next twice as long

Call = tuple[Core, int]  # what is waited for, as in `wait_for`


def longest() -> int:
    """Nanoseconds of work that the calling thread takes over while it waits."""
    return BRIEF if threading.get_ident() == threading.main_thread().ident else ANYTHING


class _Helper:
    """Waits for what the main thread waits for, and helps with anything, of any engine: until that
    is done, or until the next call. Its thread begins when it is first called."""

    _calls: SimpleQueue[Call]
    _process = 0
    _ended, _since, _due = -1, 0.0, 0.0  # operations that have ended, since when; what follows then

    def put(self, call: Call) -> bool:
        """Have another thread help; False where there can be no more threads."""
        if self._process != os.getpid():  # none has come along by a fork
            calls: SimpleQueue[Call] = SimpleQueue()  # Ctrl-C leaves no half of a `put`
            try:
                _thread.start_new_thread(_help, (calls,))  # of C: it has begun or it has not
            except RuntimeError:
                return False
            self._calls, self._process = calls, os.getpid()
        self._calls.put(call)
        return True

    def relieve(self, call: Call) -> None:
        """Call another thread where kernels are ready and nothing has ended for long."""
        core, now = call[0], time.monotonic()
        if core.word(COMPLETED) != self._ended:
            self._ended, self._since, self._due = core.word(COMPLETED), now, now + PATIENCE
        elif now > self._due and core.word(QUEUES + LINE * NATIVE + Q_COUNT):
            self._due = now + (now - self._since)
            self._process = 0  # the thread that is there keeps a call that it has taken
            self.put(call)


def _help(calls: SimpleQueue[Call]) -> None:
    while True:
        core, ticket = calls.get()
        while calls.empty() and not core.wait_for(core.parker(), ticket, SLICE, ANYTHING):
            pass
        del core


helper = _Helper()
