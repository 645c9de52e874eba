"""The naive engine runs each operation at its push, on the caller's thread. The specification.

The model, which every engine follows
=====================================

A variable has a queue of the operations that name it, in push order. A read is granted when no
write stands before it, a write when nothing does. An operation runs once all its variables are
granted, and releases them when it ends. Nothing else orders operations.

Here a ready operation runs before its push returns, so a breakpoint in a pushed function stops
below the push. It waits only for operations that are unfinished then:

- functions that have not returned: the one that is pushing, and those of other threads;
- asynchronous functions whose `on_complete` has not been called.

The thread that ends an operation runs those that waited for it: for an asynchronous one, the thread
that calls `on_complete`. Of several ready ones the higher priority goes first, then the older.

A signal may raise in the main thread after any call. State that it leaves inconsistent (`_torn`)
is repaired before the thread waits or pushes again: the queues are rebuilt from the pending
operations, and an operation that had started and not ended counts as failed.
"""

from __future__ import annotations

import heapq
import threading
import time
from collections import deque
from collections.abc import Callable
from typing import Any

from nbgraph.engine.base import Engine
from nbgraph.engine.operation import ISSUED, RUNNING, WAITING, Operation
from nbgraph.engine.running import end_interrupted, perform
from nbgraph.engine.variable import Owner, Variable

_Ready = list[tuple[int, int, Operation]]
_DEPTH = 40  # nesting of functions that push functions; deeper ones run one after another


class _Queue:
    """The operations that use a variable now, and those that wait for it, oldest first."""

    __slots__ = ("readers", "waiting", "writer")

    def __init__(self) -> None:
        self.readers = 0
        self.writer = False
        self.waiting: deque[tuple[Operation, bool]] = deque()

    def grant(self, operation: Operation, write: bool) -> bool:
        """Return whether the operation may use the variable now; otherwise queue it."""
        if self.waiting or self.writer or (write and self.readers):
            self.waiting.append((operation, write))
            return False
        self._enter(write)
        return True

    def _enter(self, write: bool) -> None:
        if write:
            self.writer = True
        else:
            self.readers += 1

    def give_back(self, write: bool) -> list[Operation]:
        """Remove a user of the variable, and return the operations that get access by that."""
        if write:
            self.writer = False
        else:
            self.readers -= 1
        granted: list[Operation] = []
        while self.waiting:
            operation, writes = self.waiting[0]
            if self.writer or (writes and self.readers):
                break
            self.waiting.popleft()
            self._enter(writes)
            granted.append(operation)
        return granted


class _Turn(threading.local):
    """The ready operations that this thread runs next, and how deep its calls are nested."""

    ready: _Ready | None = None
    depth = 0


class NaiveEngine(Engine):
    """An engine that runs operations at their push; see the module."""

    kind = "naive"

    def __init__(self, *, owner: Owner | None = None, first: int = 0) -> None:
        super().__init__(owner=owner)
        self._number = self._first = first
        self._lock = threading.RLock()  # only for `with`: a signal cannot leave it locked
        self._ended = threading.Condition(self._lock)
        self._torn: tuple[Any, ...] = ()  # (torn before, an operation or None)
        self._inside = 0  # the thread that is in a section under the lock
        self._late_pushes: deque[Operation] = deque()
        self._pending: dict[Operation, None] = {}
        self._completed = self._bytes = 0
        self._turn = _Turn()

    # push --------------------------------------------------------------------------------------

    def _issue(self, operation: Operation) -> None:
        if self._inside == threading.get_ident():
            # pushed by a finaliser while its thread is in a section: issued after that
            self._late_pushes.append(operation)
            return
        self._go_on(self._admit, operation)

    def _go_on(self, work: Callable[[Any], _Ready], operand: Any, depth: int = _DEPTH) -> None:
        """Call `work(operand)` in a section, and run the ready operations that it returns."""
        try:
            self._run_ready(self._section(work, operand), depth)
        except BaseException:  # raised by a signal
            self._torn = self._torn, None
            raise
        self._catch_up()

    def _section(self, work: Callable[[Any], Any], operand: Any) -> Any:
        """Return `work(operand)`, called under the lock; pushes by finalisers are put off."""
        with self._lock:
            self._inside = threading.get_ident()
            try:
                return work(operand)
            finally:
                self._inside = 0

    def _admit(self, operation: Operation) -> _Ready:
        """Number an operation and enter it into its queues; return it if it is ready."""
        self._number += 1
        operation.seq = self._number
        operation.state = WAITING
        self._pending[operation] = None
        self._bytes += operation.nbytes
        self._take_places(operation)
        return [] if operation.blocked else [_entry(operation)]

    @staticmethod
    def _take_places(operation: Operation) -> None:
        operation.blocked = len(operation.reads) + len(operation.writes)
        for variable in operation.reads:
            operation.blocked -= _queue(variable).grant(operation, False)
        for variable in operation.writes:
            operation.blocked -= _queue(variable).grant(operation, True)

    def _forget(self, operation: Operation) -> None:
        del self._pending[operation]  # no signal can come between these lines
        self._completed += 1
        self._bytes -= operation.nbytes

    def _catch_up(self) -> None:
        """Issue the pushes of finalisers, and repair what signals left inconsistent."""
        while self._late_pushes:
            try:
                operation = self._late_pushes.popleft()
            except IndexError:  # another thread took it
                return
            self._issue(operation)
        idle = self._torn and not self._turn.depth
        if idle and threading.current_thread() is threading.main_thread():
            self._mend()

    def _asked(self) -> None:
        self._catch_up()

    def _mend(self) -> None:
        torn = self._torn
        operations: list[Operation] = []
        while torn:
            torn, operation = torn
            if operation is not None and operation.state != ISSUED:
                end_interrupted(operation)
                operations.append(operation)
        self._go_on(self._queue_again, operations)

    def _queue_again(self, ended: list[Operation]) -> _Ready:
        """Rebuild the queues of pending operations; return the ready ones that have not started."""
        for operation in [*ended, *self._pending]:
            for variable in operation.reads + operation.writes:
                variable._queue = None
        for operation in [o for o in self._pending if o.ended]:
            self._forget(operation)
        for operation in self._pending:
            self._take_places(operation)
        waiting = [o for o in self._pending if o.state == WAITING]
        ready = sorted(_entry(operation) for operation in waiting if not operation.blocked)
        self._torn = ()
        self._ended.notify_all()
        return ready

    # run ---------------------------------------------------------------------------------------

    def _run_ready(self, ready: _Ready, depth: int = _DEPTH) -> None:
        """Run these operations, and those that become ready by that."""
        if not ready:
            return
        turn = self._turn
        outer = turn.ready
        if outer is not None and turn.depth >= depth:
            for entry in ready:
                heapq.heappush(outer, entry)
            return
        turn.ready = ready
        turn.depth += 1
        operation = None
        try:
            while True:  # Python 3.13 guards no `while condition`: cpython#130279
                if not ready:
                    break
                operation = heapq.heappop(ready)[2]
                if operation.state == WAITING:  # else `_mend` has had it run already
                    operation.state = RUNNING
                    perform(operation)
        except BaseException:  # raised by a signal
            self._torn = self._torn, operation
            raise
        finally:
            turn.ready = outer
            turn.depth -= 1

    def _complete(self, operation: Operation) -> None:
        self._go_on(self._release, operation, 0)

    def _release(self, operation: Operation) -> _Ready:
        if operation not in self._pending:  # an interrupt has ended it
            return []
        ready: _Ready = []
        uses = [(v, False) for v in operation.reads] + [(v, True) for v in operation.writes]
        for variable, write in uses:
            queue = _queue(variable)
            for granted in queue.give_back(write):
                granted.blocked -= 1
                if not granted.blocked:
                    heapq.heappush(ready, _entry(granted))
            if not (queue.readers or queue.writer):  # then no operation waits either
                variable._queue = None
        self._forget(operation)
        self._ended.notify_all()
        return ready

    # wait --------------------------------------------------------------------------------------

    def _wait_variable(self, var: Variable, deadline: float | None) -> bool:
        self._catch_up()
        if var._queue is None:
            return True
        users = [o for o in self._unfinished() if var in o.reads or var in o.writes]

        def over() -> bool:
            while users and users[-1] not in self._pending:
                users.pop()
            return not users

        return self._wait_until(over, deadline)

    def _wait_all(self, deadline: float | None) -> bool:
        return self._wait_until(lambda: not self._pending, deadline)

    def _wait_until(self, over: Callable[[], bool], deadline: float | None) -> bool:
        self._catch_up()
        with self._lock:
            while True:  # Python 3.13 guards no `while condition`: cpython#130279
                if over():
                    return True
                rest = None if deadline is None else deadline - time.monotonic()
                if rest is not None and rest <= 0:
                    return False
                self._ended.wait(rest)

    # look at it --------------------------------------------------------------------------------

    def _newest(self) -> int:
        return self._number

    def _go_on_from(self, number: int) -> None:
        gap = max(0, number - self._number)
        self._number += gap
        self._first += gap

    def _unfinished(self) -> list[Operation]:
        return self._section(list, self._pending)

    def _counts(self) -> tuple[int, int, int]:
        with self._lock:
            return self._number - self._first, self._completed, self._bytes


def _entry(operation: Operation) -> tuple[int, int, Operation]:
    return -operation.priority, operation.seq, operation


def _queue(variable: Variable) -> _Queue:
    queue = variable._queue
    if queue is None:
        queue = variable._queue = _Queue()
    return queue
