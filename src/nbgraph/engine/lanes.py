"""Lanes: queues of devices, which accept work at once and finish it later, in order of acceptance.

An operation on a lane ends in two stages. Once its function has returned it is *issued*: the work
is in the device's queue. Once `done` is called it has *ended*. Operations on the same lane wait for
the first stage only, as the device keeps the order; all others wait for the second. A failure
between the two stages also fails the dependent operations that were issued meanwhile.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Unpack

from nbgraph.device import Context, RunContext
from nbgraph.engine import checks
from nbgraph.engine.operation import ISSUED, Operation
from nbgraph.engine.pending import Pending
from nbgraph.engine.properties import ASYNC
from nbgraph.engine.running import OnComplete, failed, finish

if TYPE_CHECKING:
    from nbgraph.engine.base import PushOptions
    from nbgraph.engine.threaded import ThreadedEngine

Issue = Callable[[RunContext, OnComplete], Any]


class Lane:
    """A queue of a threaded engine with its own thread, for the work of one device.

    `push(issue, ...)`: `issue(run_ctx, done)` starts the work and returns; `done(error=None)` is
    called once, from any thread, when the device has finished it.

    >>> from nbgraph.engine.threaded import ThreadedEngine
    >>> engine = ThreadedEngine(workers=1)
    >>> lane, v = Lane(engine), engine.new_variable()
    >>> lane.push(lambda run_ctx, done: done(), mutate_vars=[v]).result(timeout=60)
    >>> v.version
    1
    >>> engine.stop()
    """

    def __init__(self, engine: ThreadedEngine, name: str = "lane") -> None:
        self.engine, self.name = engine, name
        self.queue = engine._take_queue(self)
        self._issued: deque[Operation] = deque()
        self._ended: dict[Operation, BaseException | None] = {}
        self._lock = threading.Lock()
        self._finishing = False

    def push(
        self, issue: Issue, *, ctx: Context | None = None, **options: Unpack[PushOptions]
    ) -> Pending:
        """Like `Engine.push_async`, on this lane; the return value of `issue` is the result."""
        engine = self.engine
        options.setdefault("prop", ASYNC)
        operation = checks.operation(
            engine, "push to a lane", issue, ctx, asynchronous=True, **options
        )
        operation.lane = self
        engine._flush()
        engine._issue(operation)
        return operation

    def skip(self, operation: Operation) -> None:
        """End an operation without running it, in its turn: earlier ones must not fail with it."""
        operation.state = ISSUED
        self.ended(operation, None)
        self.issued(operation)

    def issued(self, operation: Operation) -> None:
        """Record that the operation's function has returned, and let the lane's next one start."""
        operation.core.call_issued(operation.block)
        with self._lock:  # from here on the operation may end
            self._issued.append(operation)
        self._finish()

    def ended(self, operation: Operation, error: BaseException | None) -> None:
        """Record that `done` was called, perhaps earlier than for preceding operations."""
        with self._lock:
            self._ended[operation] = error
        self._finish()

    def _finish(self) -> None:
        """End operations that are done, in the order of issue, one thread at a time."""
        while True:
            with self._lock:
                ready = bool(self._issued) and self._issued[0] in self._ended
                if self._finishing or not ready:
                    return
                self._finishing = True
                operation = self._issued.popleft()
                error = self._ended.pop(operation)
            try:
                if error is not None:
                    finish(operation, None, failed(operation, error))
                else:
                    core = operation.core
                    failure = core.failure_in(core.late_failure(operation.block))
                    finish(operation, operation.value, failure)
            finally:
                with self._lock:
                    self._finishing = False
