"""The chaos engine runs ready work in a seeded random order, to reveal undeclared variables.

The declared variables allow many orders, of which worker threads rarely show some. Here pushes run
ahead of the work by a random amount, operations overtake each other whenever no variable orders
them, and now and then one starves for long. Functions and kernels run one at a time, on a thread of
the engine.

The seed and the program alone determine the order if the program pushes and waits from one thread
(its functions may push as well), its functions take less than a quarter of a second, and it does
not sleep between pushes. Other threads, timers and their `on_complete` calls remain unpredictable.
A function that takes longer keeps its thread while the others go on, so functions that wait for
each other do not hang.

>>> import nbgraph as ng
>>> from nbgraph.engine.chaos.engine import ChaosEngine
>>> def orders(seed):
...     engine, order = ChaosEngine(seed=seed), []
...     for i in range(4):
...         p = engine.push(lambda run_ctx, i=i: order.append(i))
...     engine.stop()
...     return order
>>> orders(5) == orders(5)
True
>>> len({tuple(orders(seed)) for seed in range(20)}) > 5
True
"""

from __future__ import annotations

import ctypes
import itertools
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from nbgraph.engine import checks
from nbgraph.engine.chaos.conductor import Conductor
from nbgraph.engine.chaos.schedule import Chance, Chooser, Forced, Key, Turn
from nbgraph.engine.core import layout
from nbgraph.engine.handle import Core
from nbgraph.engine.operation import Operation
from nbgraph.engine.thread import here
from nbgraph.engine.tracked import JOIN, TrackedEngine
from nbgraph.engine.variable import Owner, Variable

if TYPE_CHECKING:
    from nbgraph.engine.chaos.execution_log import ExecutionLog

_SEEN = 256  # ready operations to choose from
_KEPT = 1 << 16  # turns of the trace
_SLICE = 1.0  # seconds between two calls of the watchdog by a waiting thread


class _Node:
    """The key of an unfinished operation, and the count of its function's own pushes."""

    __slots__ = ("children", "key")

    def __init__(self, key: Key) -> None:
        self.key = key
        self.children = itertools.count()


class ChaosEngine(TrackedEngine):
    """An engine that runs ready work in random order; see the module.

    Parameters
    ----------
    seed : int
        The same seed gives the same schedule.
    schedule : iterable of int or Turn, optional
        A fixed order instead: the numbers of the pushes, from 0, in the order in which they run
        (as far as variables allow), or the `schedule` of an earlier run.
    """

    kind = "chaos"
    workers = 1
    prioritised = False  # the order is random, and the core lists operations of priority 0 only

    def __init__(
        self,
        *,
        seed: int = 0,
        schedule: Iterable[int | Key | Turn] | None = None,
        owner: Owner | None = None,
        first: int = 0,
    ) -> None:
        super().__init__(owner=owner, first=first)
        self.seed = checks.whole(seed, "seed", "ChaosEngine")
        self.log: ExecutionLog | None = None  # records pushes and waits, and may add variables
        self._conductor: Conductor | None = None
        self._nodes: dict[Operation, _Node] = {}
        self._bells: list[threading.Lock] = []  # of waiting threads, released at every change
        self._buffer = (ctypes.c_int64 * _SEEN)()
        self._trace: deque[Turn] = deque(maxlen=_KEPT)
        self._begin_again(Chance(self.seed) if schedule is None else Forced(schedule))

    @property
    def schedule(self) -> tuple[Turn, ...]:
        """The operations that ran, in order (the latest 65,536)."""
        return tuple(self._trace)

    def _begin_again(self, chooser: Chooser) -> None:
        """Reset the state and choose by `chooser` from now on; nothing may be unfinished."""
        self._chooser = chooser
        self._at = 0
        self._numbers = itertools.count()
        self._trace.clear()

    def _begin_core(self, core: Core) -> None:
        core.poke(core.address + layout.HOLD, 1)  # only operations that `_take` begins run

    # push --------------------------------------------------------------------------------------

    def new_variable(self, name: str | None = None, *, immune: bool = False) -> Variable:
        """Like `Engine.new_variable`; the log records it."""
        variable = super().new_variable(name, immune=immune)
        if self.log is not None:
            self.log.add_variable(variable)
        return variable

    def _issue(self, operation: Operation) -> None:
        asks = here.running is None and not self._is_own_thread()
        if asks:
            self._step()
        node = self._nodes[operation] = _Node(self._key())
        for place, member in enumerate(operation.members or ()):
            self._nodes[member] = _Node((*node.key, place))
        if self.log is not None:
            self.log.pushed(node.key, operation)
        try:
            super()._issue(operation)
        except BaseException:
            self._forget(operation)
            raise
        if asks:
            self._ask(True, None)
        else:
            self._conducting().nudge()
        self._ring()

    def _key(self) -> Key:
        """Return the key of a push that happens now."""
        parent = self._nodes.get(here.running) if here.running is not None else None
        if parent is None:
            return (next(self._numbers),)
        return (*parent.key, next(parent.children))

    def _step(self) -> None:
        """Count and log a push or wait of the program."""
        self._at += 1
        if self.log is not None:
            self.log.waited()

    def _forget(self, operation: Operation) -> None:
        self._nodes.pop(operation, None)
        for member in operation.members or ():
            self._nodes.pop(member, None)

    # run ---------------------------------------------------------------------------------------

    def _take(self, core: Core, pushing: bool) -> int:
        """Choose an operation and mark it as started; return its block, or 0 for none."""
        count = core.ready_list(ctypes.addressof(self._buffer), _SEEN)
        ready: list[tuple[int, int, Key]] = []
        for block in self._buffer[:count]:
            operation = core.jobs.get(core.peek(block + layout.O_TOKEN))
            if operation is not None:
                key = self._nodes[operation].key
                ready.append((core.peek(block + layout.O_SEQ), block, key))
        if not ready:
            return 0
        ready.sort()
        place = self._chooser.choose([key for _, _, key in ready], self._at, pushing)
        if place is None:
            return 0
        _, block, key = ready[place]
        self._trace.append(Turn(key, self._at))
        core.take_one(block)
        return block

    def _complete(self, operation: Operation) -> None:
        self._forget(operation)
        super()._complete(operation)
        self._ring()

    # wait --------------------------------------------------------------------------------------

    def _ask(self, pushing: bool, deadline: float | None) -> bool:
        """Let the conductor act; return whether an operation ran."""
        conductor = self._conducting()
        ask = conductor.ask(pushing)
        while not ask.answered.acquire(timeout=_rest(deadline)):
            if deadline is not None and time.monotonic() >= deadline:
                return False
            if self._conductor is not conductor:  # the engine was stopped
                return False
        return ask.ran

    def _go_on(self, over: Callable[[], Any], deadline: float | None) -> bool:
        """Run operations, and sleep while none is ready, until `over()`; False at the deadline."""
        watch = self._watch()
        bell: threading.Lock | None = None
        while not over():
            if deadline is not None and time.monotonic() >= deadline:
                return False
            if self._ask(False, deadline):
                continue
            if bell is None:  # try once more: a change may have come just before
                bell = threading.Lock()
                bell.acquire()
                self._bells.append(bell)
            elif bell.acquire(timeout=_rest(deadline)):
                bell = None
            else:
                watch()
        return True

    def _ring(self) -> None:
        while self._bells:
            try:
                self._bells.pop().release()
            except IndexError:  # another thread took it
                return

    def _asked(self) -> None:
        if here.running is None and not self._is_own_thread():
            self._step()

    def _wait_variable(self, var: Variable, deadline: float | None) -> bool:
        self._asked()
        return super()._wait_variable(var, deadline)

    def _wait_all(self, deadline: float | None) -> bool:
        self._asked()
        return super()._wait_all(deadline)

    def _wait_ticket(self, core: Core, ticket: int, deadline: float | None) -> bool:
        if ticket:
            return self._go_on(lambda: core.is_done(ticket), deadline)
        return self._go_on(lambda: core.word(layout.PENDING) == 0, deadline)

    def _wait_operation(self, pending: Any, deadline: float | None) -> bool:
        return self._go_on(lambda: pending.ended, deadline)

    def _hold_back(self, core: Core) -> None:
        """Run an operation before a push that is over the brake."""
        if self._is_own_thread() or not self._ask(False, None):
            time.sleep(0.001)  # every pending operation waits for another thread's on_complete

    # begin and end -----------------------------------------------------------------------------

    def _is_own_thread(self) -> bool:
        conductor = self._conductor
        return conductor is not None and threading.get_ident() in conductor.own

    def _conducting(self) -> Conductor:
        conductor = self._conductor
        if conductor is None:
            with self._opening:
                conductor = self._conductor
                if conductor is None:
                    conductor = self._conductor = Conductor(self, self._opened())
        return conductor

    def _open(self) -> None:
        self._conducting()

    def _close(self) -> None:
        conductor, self._conductor = self._conductor, None
        if conductor is not None:
            conductor.end()
            conductor.thread.join(JOIN)

    def _shut_down(self) -> None:
        super()._shut_down()
        if self._conductor is not None:
            self._conductor.end()

    def _after_fork(self) -> None:
        self._conductor = None
        self._nodes.clear()
        self._bells = []
        super()._after_fork()


def _rest(deadline: float | None) -> float:
    if deadline is None:
        return _SLICE
    return min(_SLICE, max(0.0, deadline - time.monotonic()))
