"""The base of engines on the compiled core: operations in its memory, waits, exit and fork.

The core orders and counts; Python keeps the functions, by token, and the exceptions, by the token
in their cells. Threads of the engine run ready operations; a subclass decides which.
"""

from __future__ import annotations

import ctypes
import threading
import time
import warnings
from collections.abc import Callable
from typing import Any

from nbgraph.engine import lifecycle
from nbgraph.engine.base import Engine
from nbgraph.engine.core import layout
from nbgraph.engine.core.codes import ANYTHING, BRAKE, LEFT, NO_MEMORY, QUEUE_BITS, SNAPSHOT, STALE
from nbgraph.engine.handle import Core, core_unit
from nbgraph.engine.helper import MOMENT, SLICE, helper, longest
from nbgraph.engine.operation import RUNNING, WAITING, KernelView, Operation, VariableView
from nbgraph.engine.properties import DELETE_VAR, OVERWRITE, UNSKIPPED, FnProperty
from nbgraph.engine.running import perform
from nbgraph.engine.sites import InternedNames
from nbgraph.engine.thread import here
from nbgraph.engine.variable import Owner, Variable
from nbgraph.errors import EngineError
from nbgraph.settings import config

JOIN = 5.0  # seconds a stopped thread is waited for
DRAIN = 2.0  # seconds that unfinished work is waited for at exit and before a fork
LONGEST = 60.0  # seconds that work is waited for at exit while some of it ends
_SHOWN = 64  # variables of a kernel that a dump lists
_OTHERS = {
    FnProperty.COPY_FROM_GPU: layout.COPY,
    FnProperty.COPY_TO_GPU: layout.COPY,
    FnProperty.CPU_PRIORITIZED: layout.URGENT,
    FnProperty.GPU_PRIORITIZED: layout.URGENT,
}
# indexed by the property's value, as its `hash` is a slow Python function
_QUEUES = tuple(_OTHERS.get(prop, layout.PYTHON) for prop in FnProperty)


class TrackedEngine(Engine):
    """An engine with the compiled core as scheduler; a subclass runs the ready operations."""

    prioritised = True  # whether operations keep their priorities
    _serving: Any = (True,) * layout.QUEUE_COUNT  # by queue: whether threads serve it
    _stopped = False  # the next push starts it again

    def __init__(self, *, owner: Owner | None = None, first: int = 0) -> None:
        super().__init__(owner=owner)
        self.limits = {"pending": config.engine_pending, "bytes": config.engine_bytes}
        self._first = first
        self._names = InternedNames()
        self._opening = threading.RLock()
        self._core = None
        self._now_running: dict[int, Operation] = {}  # by block
        lifecycle.register(self)

    # the core ----------------------------------------------------------------------------------

    def _opened(self) -> Core:
        """Return the core, created with its threads at first use or after a stop."""
        core = self._core
        if core is None or self._stopped:
            with self._opening:
                core = self._core
                if core is None:
                    core = Core(core_unit(), self._first, self._names)
                    core.poke(core.address + layout.MAX_PENDING, self.limits["pending"])
                    core.poke(core.address + layout.MAX_BYTES, self.limits["bytes"])
                    self._stopped, self._core = True, core
                if self._stopped:
                    self._begin_core(core)
                    self._stopped = False
        return core

    def _begin_core(self, core: Core) -> None:
        """Prepare a core that is new, or was stopped, before the first push to it."""

    def _open_queue(self, core: Core, queue: int) -> None:
        """Start threads for the queue, unless it has them."""

    # push --------------------------------------------------------------------------------------

    def _issue(self, operation: Operation) -> None:
        core = self._core
        if core is None or self._stopped:
            core = self._opened()
        lane = operation.lane
        queue = _QUEUES[operation.prop._value_] if lane is None else lane.queue
        if not self._serving[queue]:
            self._open_queue(core, queue)
        token = next(core.tokens)
        operation.core = core
        operation.state = WAITING
        words = _words(core, operation, token, queue)
        words[8] = operation.priority if self.prioritised else 0
        core.jobs[token] = operation
        outcome = core.call("submit", words)
        while outcome <= 0:
            try:
                self._refused(core, outcome, operation.name)
            except BaseException:
                del core.jobs[token]
                raise
            outcome = core.call("submit", words)
        operation.ticket = outcome

    def _refused(self, core: Core, outcome: int, name: str) -> None:
        """Handle a push that the core refused: hold the pusher back, or raise EngineError."""
        if outcome == BRAKE:
            self._hold_back(core)
        elif outcome == NO_MEMORY:
            raise EngineError(f"push of {name!r}: the engine has no memory left")
        elif outcome < STALE:
            raise EngineError(
                f"push of {name!r}: variable {STALE - outcome - 1} of it has been deleted"
            )

    def _hold_back(self, core: Core) -> None:
        """Wait until there may be room for a push that is over the brake."""

    # run ---------------------------------------------------------------------------------------

    def _run_block(self, core: Core, block: int) -> None:
        """Run a Python function that the core has marked as started, on this thread."""
        operation = core.jobs.pop(core.peek(block + layout.O_TOKEN))
        operation.block = block
        operation.seq = core.peek(block + layout.O_SEQ)
        running = self._now_running
        running[block] = operation
        del operation  # as in `perform`
        perform(running[block])

    def _complete(self, operation: Operation) -> None:
        core = operation.core
        block, operation.block = operation.block, 0
        self._now_running.pop(block, None)
        if core is not self._core:
            return  # pushed before a fork and ended in the child: it belongs to the parent
        if here.carried is not None and operation.members is not None:
            for place, variable in enumerate(operation.writes, len(operation.reads)):
                failure = here.carried[variable]
                core.leave_early(block, place, 0 if failure is None else failure.cell)
        core.call_done(block, 0, 0)
        if core.peek(core.address + layout.DEAD_CELLS):
            core.reap()

    # look at it --------------------------------------------------------------------------------

    def _newest(self) -> int:
        core = self._core
        return self._first if core is None else core.word(layout.SEQUENCE)

    def _go_on_from(self, number: int) -> None:
        core = self._core
        if core is None:
            self._first = number
        else:
            core.poke(core.address + layout.SEQUENCE, number)

    def _counts(self) -> tuple[int, int, int]:
        core = self._core
        if core is None:
            return 0, 0, 0
        completed = core.word(layout.COMPLETED)
        pending = max(0, core.word(layout.PENDING) - core.word(layout.INTERNALS))
        return completed + pending, completed, core.word(layout.PENDING_BYTES)

    def _unfinished(self) -> list[Operation]:
        """Return Python functions with their numbers of the core; kernels and plans as views."""
        core = self._core
        if core is None:
            return []
        capacity = core.word(layout.PENDING) + 64
        buffer = (ctypes.c_int64 * (SNAPSHOT * capacity))()
        count = core.snapshot(ctypes.addressof(buffer), capacity)
        known = {o.block: o for o in list(self._now_running.values())}
        operations: list[Operation] = []
        for i in range(count):
            row = buffer[SNAPSHOT * i : SNAPSHOT * (i + 1)]
            address, number, token, name, site, flags, _wait, kind = row
            operation = (core.jobs.get(token) if token else None) or known.get(address)
            if operation is None:
                if kind not in (layout.KERNEL, layout.PLAN):
                    continue
                operation = self._view(core, address, number, name, site)
                operation.state = RUNNING if flags & layout.STARTED else WAITING
            operation.seq = number
            operations.append(operation)
        return sorted(operations, key=lambda o: o.seq)

    def _view(self, core: Core, address: int, number: int, name: int, site: int) -> Operation:
        """Return a view of a kernel or plan of the core."""
        words = (ctypes.c_int64 * _SHOWN)()
        count = core.uses(address, number, ctypes.addressof(words), _SHOWN)
        names = self._names
        return KernelView(
            names.names[name],
            names.sites[site],
            (
                (VariableView(*core.labels.get(word & ~1, (0, "instance"))), bool(word & 1))
                for word in words[:count]
            ),
        )

    # wait --------------------------------------------------------------------------------------

    def _wait_variable(self, var: Variable, deadline: float | None) -> bool:
        core = self._core
        if core is None or var._core is not core:
            return True
        ticket = core.mark(var._address)
        done = ticket == 0 or self._wait_ticket(core, ticket, deadline)
        if core.states:
            core.reap()
        return done

    def _wait_all(self, deadline: float | None) -> bool:
        core = self._core
        return core is None or self._wait_ticket(core, 0, deadline)

    def _wait_ticket(self, core: Core, ticket: int, deadline: float | None) -> bool:
        """Run ready work until a ticket is done (0: everything); handle signals between slices."""
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
                helps, most = 0 if helper.put((core, ticket)) else ANYTHING, SLICE
            else:
                helper.relieve((core, ticket))
                watch()

    def _watch(self) -> Callable[[], None]:
        """Return a function that a wait calls regularly; it warns if nothing ends for long."""
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

    def _leave(self) -> None:
        """Detach the core, as another engine takes over."""
        if self._core is not None:
            self._core.leave(self._owner.ledger)

    def _shut_down(self) -> None:
        """Wait for unfinished work at the end of the process, as long as some of it ends."""
        core = self._core
        if core is None or here.running is not None:
            return
        until, seen = time.monotonic() + LONGEST, -1
        while core.word(layout.COMPLETED) != seen and time.monotonic() < until:
            seen = core.word(layout.COMPLETED)
            if _drained(core):
                return

    def _before_fork(self) -> None:
        """Finish work before a fork, for the child; work that takes too long stays the parent's."""
        core = self._core
        self._flush()  # an open bulk of this thread belongs to the parent
        if core is not None and here.running is None and core.word(layout.PENDING):
            _drained(core)

    def _after_fork(self) -> None:
        """Leave the core as it is, in the child, which has none of its threads."""
        core, self._core = self._core, None
        here.running = here.carried = None  # a forking function has no worker waiting for it here
        self._opening = threading.RLock()
        self._names.forget_threads()
        if core is not None:
            lost = [*core.jobs.values(), *self._now_running.values()]
            core.jobs.clear()
            self._first = core.word(layout.SEQUENCE)
            lifecycle.give_to_parent(core, lost)
        self._now_running.clear()


def _words(core: Core, operation: Operation, token: int, queue: int) -> list[int]:
    """Return the arguments of `submit` for a Python function."""
    prop, lane = operation.prop, operation.lane
    flags = 0
    if prop in UNSKIPPED or operation.members is not None:
        flags = layout.NO_SKIP
    elif prop is OVERWRITE:
        flags = layout.OVERWRITES
    if here.running is not None or prop is DELETE_VAR:
        flags |= layout.FORCE
    if lane is not None:
        queue |= queue << QUEUE_BITS  # any distinct number but 0 identifies a lane
    reads, writes = operation.reads, operation.writes
    words = [
        *(layout.CALL, 0, 0, 0, 0, flags, token, queue),
        *(0, operation.nbytes, 0, 0),
        len(reads) + len(writes),
    ]
    for v in reads:
        words.append((v._address if v._core is core else core.attach(v)) << 2)
    for v in writes:
        words.append((v._address if v._core is core else core.attach(v)) << 2 | 1)
    return words


def _drained(core: Core) -> bool:
    """Return whether everything ends within `DRAIN` seconds. It only sleeps: a wait runs kernels
    itself, and one of those may be as long as the one that a worker runs."""
    until = time.monotonic() + DRAIN
    while core.word(layout.PENDING):
        if time.monotonic() > until:
            return False
        time.sleep(0.0005)
    return True


def _nothing() -> None:
    """Do nothing: the watchdog that is turned off."""
