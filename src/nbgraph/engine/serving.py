"""What engines with threads of their own share: waits, the watchdog, a fork, what runs now."""

from __future__ import annotations

import threading
import time
import warnings
from collections.abc import Callable

from nbgraph.engine import lifecycle
from nbgraph.engine.core import layout
from nbgraph.engine.core.codes import LEFT
from nbgraph.engine.deputy import MOMENT, SLICE, deputy, longest
from nbgraph.engine.handle import Core
from nbgraph.engine.operation import Operation
from nbgraph.engine.thread import here
from nbgraph.engine.tracked import TrackedEngine
from nbgraph.engine.variable import Owner, Variable
from nbgraph.settings import config

JOIN = 5.0  # seconds a stopped thread is waited for
DRAIN = 2.0  # seconds that unfinished work is waited for at exit and before a fork
LONGEST = 60.0  # seconds that work is waited for at exit while some of it ends


class ServedEngine(TrackedEngine):
    """A compiled core whose ready work is run by threads of the engine."""

    def __init__(self, *, owner: Owner | None = None, first: int = 0) -> None:
        super().__init__(owner=owner, first=first)
        self._now_running: dict[int, Operation] = {}  # by block
        lifecycle.register(self)

    def _run_block(self, core: Core, block: int) -> None:
        """Run a Python function that the core has begun, on this thread."""
        operation = self._jobs.pop(core.peek(block + layout.O_TOKEN))
        operation.block = block
        operation.seq = core.peek(block + layout.O_SEQ)
        running = self._now_running
        running[block] = operation
        del operation  # as in `_perform`
        self._perform(running[block])

    def _complete(self, operation: Operation) -> None:
        self._now_running.pop(operation.block, None)
        super()._complete(operation)

    def _running(self) -> list[Operation]:
        return list(self._now_running.values())

    # wait --------------------------------------------------------------------------------------

    def _wait_variable(self, var: Variable, deadline: float | None) -> bool:
        core = self._core
        if core is None or var._core is not core:
            return True
        ticket = core.mark(var._address)
        return ticket == 0 or self._wait_ticket(core, ticket, deadline)

    def _wait_all(self, deadline: float | None) -> bool:
        core = self._core
        return core is None or self._wait_ticket(core, 0, deadline)

    def _wait_ticket(self, core: Core, ticket: int, deadline: float | None) -> bool:
        """Help along until a ticket is done (0: everything); between slices signals have a turn."""
        parker, watch = core.parker(), self._watch()
        helps, most = longest(), SLICE
        while True:
            rest = most
            if deadline is not None:
                rest = max(0, min(rest, int((deadline - time.monotonic()) * 1e9)))
            outcome = core.wait_for(parker, ticket, rest, helps)
            if outcome == LEFT:
                helps, most = 0, MOMENT
            elif outcome or not rest:
                return bool(outcome)
            elif most == MOMENT:
                deputy.call(core, ticket)
                most = SLICE
            else:
                watch()

    def _watch(self) -> Callable[[], None]:
        core = self._core
        if core is None or not config.watchdog:
            return _nothing
        seen = core.word(layout.COMPLETED)
        due = time.monotonic() + config.watchdog

        def look() -> None:
            nonlocal seen, due
            if time.monotonic() < due:
                return
            done = core.word(layout.COMPLETED)
            if done == seen:
                warnings.warn(
                    f"nothing has ended for {config.watchdog:g} s while this thread waits; a "
                    f"function that never calls on_complete, or is stuck?\n{self.dump()}",
                    RuntimeWarning,
                    stacklevel=5,
                )
                due = float("inf")
            else:
                seen, due = done, time.monotonic() + config.watchdog

        return look

    # the end of the process, and a fork --------------------------------------------------------

    def _shut_down(self) -> None:
        """The process ends: what is unfinished is waited for as long as something ends."""
        core = self._core
        if core is None or here.running is not None:
            return
        until, seen = time.monotonic() + LONGEST, -1
        while core.word(layout.COMPLETED) != seen and time.monotonic() < until:
            seen = core.word(layout.COMPLETED)
            if self._drained(core):
                return

    def _drained(self, core: Core) -> bool:
        """Whether everything ends within the time given. Not a wait, which helps: the kernel that
        a helper takes may be as long as the one a worker is in."""
        until = time.monotonic() + DRAIN
        while core.word(layout.PENDING):
            if time.monotonic() > until:
                return False
            time.sleep(0.0005)
        return True

    def _before_fork(self) -> None:
        """A child should find finished work; what does not finish in time stays the parent's."""
        core = self._core
        self._flush()  # a bulk that is open in this thread stays the parent's
        if core is not None and here.running is None and core.word(layout.PENDING):
            self._drained(core)

    def _after_fork(self) -> None:
        """In the child: no thread has come along, so the core is left as it is found."""
        core, self._core = self._core, None
        here.running = here.carried = None  # forked by a function: no worker of ours waits for it
        self._opening = threading.RLock()
        self._raising = threading.RLock()
        lost = [*self._jobs.values(), *self._now_running.values()]
        self._jobs.clear()
        self._now_running.clear()
        if core is not None:
            self._first = core.word(layout.SEQUENCE)
            lifecycle.give_to_parent(core, lost)


def _nothing() -> None:
    """Nobody watches."""
