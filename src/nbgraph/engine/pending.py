"""What a push gives back, and what an asynchronous function is given to say that it has ended."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Generator
from types import CodeType
from typing import TYPE_CHECKING, Any

from nbgraph.engine.sites import Site, site
from nbgraph.engine.untold import Untold
from nbgraph.errors import ArgumentError, EngineError, EngineTimeout, stays

if TYPE_CHECKING:
    from nbgraph.engine.base import Engine
    from nbgraph.engine.failure import Failure
    from nbgraph.engine.operation import Operation

_registering = threading.Lock()


class Pending:
    """The result of a push: ask it, wait for it, `await` it, or forget it.

    >>> import nbgraph as ng
    >>> pending = ng.engine.push(lambda run_ctx: 6 * 7, name="answer")
    >>> pending.result(timeout=10)
    42
    >>> pending
    <operation 'answer': done>
    """

    __slots__ = (
        *("_code", "_instruction", "_waiters", "engine", "ended", "failure", "name"),
        *("untold", "value"),
    )

    engine: Engine
    name: str
    ended: bool
    value: Any
    failure: Failure | None
    _code: CodeType
    _instruction: int
    _waiters: list[Callable[[], object]] | None
    untold: Untold  # of one that failed and writes nothing

    __reduce_ex__ = stays("what a push returns", "take its result()")

    @property
    def site(self) -> Site:
        """The line of user code that pushed it."""
        return site(self._code, self._instruction)

    def done(self) -> bool:
        """Whether it has ended, well or not."""
        if not self.ended:
            self.engine._flush()  # it may still wait in this thread's bulk
        return self.ended

    def result(self, timeout: float | None = None) -> Any:
        """What the function returned, once it has ended; the error that failed it is raised.

        An error fetched here counts as raised. Of an asynchronous function the result is None.
        """
        failure = self._failed(timeout)
        if failure is not None:
            raise failure.again()
        return self.value

    def exception(self, timeout: float | None = None) -> BaseException | None:
        """The error that failed it, or None; fetched here it counts as raised."""
        failure = self._failed(timeout)
        return None if failure is None else failure.error

    def _failed(self, timeout: float | None) -> Failure | None:
        self.engine._asked()
        if not self.done():
            what = f"result of {self.name!r}"
            deadline = self.engine._deadline(timeout, what)
            if not self.engine._wait_operation(self, deadline):
                raise EngineTimeout(
                    f"{what}: not done after {timeout} s; pushed at {self.site}\n"
                    f"{self.engine.dump()}"
                )
        if self.failure is not None:
            self.engine._claim(self.failure)
        return self.failure

    def __await__(self) -> Generator[Any, None, Any]:
        if not self.done():
            import asyncio

            loop = asyncio.get_running_loop()
            future: asyncio.Future[None] = loop.create_future()

            def wake() -> None:
                if not future.done():
                    future.set_result(None)

            def tell() -> None:
                try:
                    loop.call_soon_threadsafe(wake)
                except RuntimeError:  # the loop was closed meanwhile: nobody waits any more
                    return

            self._when_ended(tell)
            yield from future
        return self.result()

    def _when_ended(self, tell: Callable[[], object]) -> None:
        """Have `tell` called once it has ended, on the thread that ends it, or now."""
        with _registering:
            waiters = self._waiters
            if waiters is None:
                waiters = self._waiters = []
            waiters.append(tell)
        # `_end` sets `ended` before it looks at the list: one of the two sees the other
        if self.ended:
            self._tell()

    def _tell(self) -> None:
        waiters = self._waiters
        while waiters:
            try:
                tell = waiters.pop()
            except IndexError:  # the other side took the last one
                return
            tell()

    def _end(self, value: Any, failure: Failure | None) -> None:
        self.value = value
        self.failure = failure
        self.ended = True
        if self._waiters is not None:
            self._tell()

    def _sleep(self, deadline: float | None) -> bool:
        """Sleep until it has ended or the time is up; whether it has ended."""
        bell = threading.Lock()
        bell.acquire()
        self._when_ended(bell.release)
        if deadline is None:
            bell.acquire()
        else:
            bell.acquire(timeout=max(0.0, deadline - time.monotonic()))
        return self.ended

    def __repr__(self) -> str:
        state = "pending"
        if self.ended:
            state = "done" if self.failure is None else f"failed: {self.failure.error!r}"
        return f"<operation {self.name!r}: {state}>"


class OnComplete:
    """Ends an asynchronous operation: `on_complete()`, or `on_complete(error)` if it failed.

    It may be called from any thread, once. If nobody keeps it and it was never called, the
    operation fails with an EngineError that says so, instead of hanging.
    """

    __slots__ = ("_name", "_once")

    def __init__(self, operation: Operation) -> None:
        self._name = operation.name
        self._once = [operation]  # popped by whoever ends it: atomic

    def __call__(self, error: BaseException | None = None) -> None:
        """The operation has ended, with the error if one is given."""
        if error is not None and not isinstance(error, BaseException):
            raise ArgumentError(
                f"on_complete of {self._name!r}: error={error!r}; "
                "expected an exception object, or nothing if all went well"
            )
        operation = self._take()
        if operation is None:
            raise EngineError(
                f"on_complete of {self._name!r} was called again, or after its function had "
                "raised: an operation ends once"
            )
        operation.engine._end_async(operation, error)

    def _take(self) -> Operation | None:
        try:
            return self._once.pop()
        except IndexError:
            return None

    def __del__(self) -> None:
        if self._once:
            # Any lock may be held by the thread that a finaliser interrupts, and `put` is made
            # for that: all else happens on a thread of its own.
            _dropped.put(self._once)

    def __repr__(self) -> str:
        return f"<on_complete of {self._name!r}: {'not called' if self._once else 'called'}>"


_dropped: queue.SimpleQueue[list[Operation]] = queue.SimpleQueue()
_undertaker: list[threading.Thread] = []


def forget_threads() -> None:
    """In a forked child: locks may be held by threads that are not here."""
    global _registering, _dropped
    _registering = threading.Lock()
    _dropped = queue.SimpleQueue()


def watch_dropped() -> None:
    """See to it that somebody ends the operations whose `on_complete` nobody can call."""
    if _undertaker and _undertaker[0].is_alive():
        return
    with _registering:
        if not (_undertaker and _undertaker[0].is_alive()):  # a forked child has none
            thread = threading.Thread(target=_bury, name="nbgraph dropped", daemon=True)
            _undertaker[:] = [thread]
            thread.start()


def _bury() -> None:
    while True:
        once = _dropped.get()
        if once:
            operation = once.pop()
            error = EngineError(
                f"{operation.name!r} can never end: its on_complete was dropped without a call"
            )
            operation.engine._end_async(operation, error)
            del operation, error
        del once
