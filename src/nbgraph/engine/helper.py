"""A thread that runs kernels in place of the waiting main thread, which has to handle signals.

A waiting thread runs ready operations meanwhile: there is one worker less than processors. Python
handles no signals inside a kernel, so the main thread runs only brief kernels, and leaves the
others to this thread. After Ctrl-C that may still be in a kernel, perhaps for ever: where kernels
are ready and nothing ends for long, another helper thread starts.
"""

import _thread
import os
import threading
import time
from queue import SimpleQueue

from nbgraph.engine.core.codes import ANYTHING, BRIEF
from nbgraph.engine.core.layout import COMPLETED, LINE, NATIVE, Q_COUNT, QUEUES
from nbgraph.engine.handle import Core

SLICE = 50_000_000  # nanoseconds that a wait runs between two checks for Python's signals
MOMENT = 50_000  # nanoseconds that the main thread sleeps before it asks for a helper
PATIENCE = 1.0  # seconds without an end before another helper starts; twice as long for the next

Call = tuple[Core, int]  # a core, and the ticket that is waited for


def longest() -> int:
    """Return the cost in nanoseconds of the longest kernel that the calling thread may run."""
    return BRIEF if threading.get_ident() == threading.main_thread().ident else ANYTHING


class _Helper:
    """The helper thread, started at the first call: it waits for the main thread's ticket and runs
    any ready operation of that core, until the ticket is done or the next call comes."""

    _calls: SimpleQueue[Call]
    _process = 0
    _ended, _since, _due = -1, 0.0, 0.0  # count of ended operations, since when; next relief

    def put(self, call: Call) -> bool:
        """Let the helper thread run a call; return False if no thread can be started."""
        if self._process != os.getpid():  # threads do not survive a fork
            calls: SimpleQueue[Call] = SimpleQueue()  # written in C: Ctrl-C cannot tear a `put`
            try:
                _thread.start_new_thread(_help, (calls,))  # likewise: it starts or it does not
            except RuntimeError:
                return False
            self._calls, self._process = calls, os.getpid()
        self._calls.put(call)
        return True

    def relieve(self, call: Call) -> None:
        """Start another thread where kernels are ready and nothing has ended for long."""
        core, now = call[0], time.monotonic()
        if core.word(COMPLETED) != self._ended:
            self._ended, self._since, self._due = core.word(COMPLETED), now, now + PATIENCE
        elif now > self._due and core.word(QUEUES + LINE * NATIVE + Q_COUNT):
            self._due = now + (now - self._since)
            self._process = 0  # `put` starts a thread; the old one finishes the call it has taken
            self.put(call)


def _help(calls: SimpleQueue[Call]) -> None:
    while True:
        core, ticket = calls.get()
        while calls.empty() and not core.wait_for(core.parker(), ticket, SLICE, ANYTHING):
            pass
        del core


helper = _Helper()
