"""Lanes: queues of devices that take work now and finish it later, in the order they took it.

An operation on a lane has two ends. When its function has returned it is *issued*: the device has
the work in its queue. When `done` is called it is over. What follows on the same lane need not wait
for the second end, as the device keeps the order; everything else does. A failure may come between
the two: what was issued meanwhile carries it too.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from nbgraph.device import Context, RunContext
from nbgraph.engine.core import layout
from nbgraph.engine.core.codes import QUEUE_BITS
from nbgraph.engine.operation import WAITING, Operation
from nbgraph.engine.pending import OnComplete, Pending
from nbgraph.engine.properties import ASYNC, FnProperty
from nbgraph.engine.runner import Runner
from nbgraph.errors import EngineError

if TYPE_CHECKING:
    from nbgraph.engine.threaded import ThreadedEngine

Issue = Callable[[RunContext, OnComplete], Any]


class Lane:
    """A queue of its own, served by a thread of its own, on a threaded engine.

    `push(issue, ...)`: `issue(run_ctx, done)` hands the work over and returns; `done(error=None)`
    is called once, from any thread, when the device has finished it.

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
        self.number = self.queue  # any number but 0 tells lanes apart
        self._issued: deque[Operation] = deque()
        self._ended: dict[Operation, BaseException | None] = {}
        self._lock = threading.Lock()
        self._finishing = False

    def push(
        self,
        issue: Issue,
        *,
        ctx: Context | None = None,
        const_vars: Any = (),
        mutate_vars: Any = (),
        priority: int = 0,
        name: str | None = None,
        nbytes: int = 0,
        prop: FnProperty = ASYNC,
    ) -> Pending:
        """As `Engine.push_async`, on this lane; what `issue` returns is the result."""
        engine = self.engine
        operation = engine._made(
            *("push to a lane", issue, ctx, const_vars, mutate_vars),
            *(priority, name, nbytes, prop, True),
        )
        operation.lane = self
        core = engine._opened()
        engine._flush()
        engine._open_queue(core, self.queue)
        token = next(core.tokens)
        operation.core, operation.state = core, WAITING
        words = engine._words(core, operation, token)
        words[7] = self.queue | self.number << QUEUE_BITS
        engine._jobs[token] = operation
        while core.call("submit", words) <= 0:
            engine._hold_back(core)
        return operation

    def issued(self, operation: Operation) -> None:
        """Its function has returned: the lane's next may go."""
        operation.core.call_issued(operation.block)
        with self._lock:  # from here on it may end
            self._issued.append(operation)
        self._finish()

    def ended(self, operation: Operation, error: BaseException | None) -> None:
        """`done` was called, perhaps before those before it."""
        with self._lock:
            self._ended[operation] = error
        self._finish()

    def _finish(self) -> None:
        """Pass on what is finished, in the order of issue, by one thread at a time."""
        while True:
            with self._lock:
                ready = bool(self._issued) and self._issued[0] in self._ended
                if self._finishing or not ready:
                    return
                self._finishing = True
                operation = self._issued.popleft()
                error = self._ended.pop(operation)
            try:
                core, engine = operation.core, self.engine
                if error is not None:
                    Runner._end_async(engine, operation, error)
                    continue
                failure = engine._failure_in(core, core.late_failure(operation.block))
                engine._settle(operation, operation.value, failure)
                engine._complete(operation)
                operation.forget()
            finally:
                with self._lock:
                    self._finishing = False


def first_free(lanes: dict[int, Lane]) -> int:
    """A queue number for a new lane."""
    for queue in range(layout.FIRST_LANE, layout.QUEUE_COUNT):
        if queue not in lanes:
            return queue
    most = layout.QUEUE_COUNT - layout.FIRST_LANE
    raise EngineError(f"Lane: all {most} lanes of this engine are taken")
