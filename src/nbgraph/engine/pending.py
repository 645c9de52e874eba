"""Results of pushes: `Pending`, and `NativePending` for kernels."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Generator
from types import CodeType
from typing import TYPE_CHECKING, Any

from nbgraph.engine.failure import Failure, Untold
from nbgraph.engine.sites import Site, site
from nbgraph.engine.variable import Variable
from nbgraph.errors import EngineTimeout, unpicklable

if TYPE_CHECKING:
    from nbgraph.engine.interface import EngineLike

_waiters_lock = threading.Lock()


def forget_threads() -> None:
    """Replace the lock in a forked child: a thread that is not here may hold it."""
    global _waiters_lock
    _waiters_lock = threading.Lock()


class Pending:
    """The future result of a push: test it, wait for it, `await` it, or drop it.

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

    engine: EngineLike
    name: str
    ended: bool
    value: Any
    failure: Failure | None
    _code: CodeType
    _instruction: int
    _waiters: list[Callable[[], object]] | None
    untold: Untold  # if it failed and writes nothing

    __reduce_ex__ = unpicklable("what a push returns", "take its result()")

    @property
    def site(self) -> Site:
        """The line of user code that pushed it."""
        return site(self._code, self._instruction)

    def done(self) -> bool:
        """Return whether the operation has ended, whether or not it failed."""
        if not self.ended:
            self.engine._flush()  # it may still wait in this thread's bulk
        return self.ended

    def result(self, timeout: float | None = None) -> Any:
        """Wait until the function has ended and return its result, or raise its error.

        The error then counts as raised. The result of an asynchronous function is None.
        """
        failure = self._failed(timeout)
        if failure is not None:
            raise failure.again()
        return self.value

    def exception(self, timeout: float | None = None) -> BaseException | None:
        """Wait until the function has ended; return its error, which counts as raised, or None."""
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
                except RuntimeError:  # the loop was closed meanwhile: nothing waits any more
                    return

            if self._when_ended(tell):
                yield from future
        return self.result()

    def _when_ended(self, tell: Callable[[], object]) -> bool:
        """Call `tell` when the operation ends; return False, without a call, if it has ended."""
        with _waiters_lock:
            waiters = self._waiters
            if waiters is None:
                waiters = self._waiters = []
            waiters.append(tell)
        # `_end` sets `ended` before it looks at the list: one of the two sees the other
        if self.ended:
            self._tell()
        return True

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
        """Sleep until the operation has ended or the time is up; return whether it has ended."""
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


class NativePending(Pending):
    """The result of pushing a kernel: None, or the error carried by a variable that it writes."""

    __slots__ = ("ticket", "writes")

    def __init__(
        self, engine: EngineLike, name: str, ticket: int, writes: tuple[Variable, ...]
    ) -> None:
        self.engine, self.name, self.ticket, self.writes = engine, name, ticket, writes
        self.value = None

    def done(self) -> bool:
        """Return whether the operation has ended, whether or not it failed."""
        core = self.engine._core
        return core is None or bool(core.is_done(self.ticket))

    def _failed(self, timeout: float | None) -> Failure | None:
        engine: Any = self.engine
        core = engine._core
        if core is not None and not core.is_done(self.ticket):
            deadline = engine._deadline(timeout, f"result of {self.name!r}")
            if not engine._wait_ticket(core, self.ticket, deadline):
                raise EngineTimeout(
                    f"result of {self.name!r}: not done after {timeout} s\n{engine.dump()}"
                )
        for variable in self.writes:
            failure = engine._failure_of(variable)
            if failure is not None and engine._claim(failure):
                return failure
        return None

    def _when_ended(self, tell: Callable[[], object]) -> bool:
        kernels = self.engine._kernels
        return kernels is not None and kernels.tell_when_done(self.ticket, tell)

    def __repr__(self) -> str:
        return f"<operation {self.name!r}: {'done' if self.done() else 'pending'}>"
