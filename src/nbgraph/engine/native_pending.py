"""What pushing a kernel gives back, and how a kernel shows in a dump."""

from __future__ import annotations

import time
from collections.abc import Generator
from typing import TYPE_CHECKING, Any, NamedTuple

from nbgraph.engine.failure import Failure
from nbgraph.engine.operation import Operation
from nbgraph.engine.sites import Site
from nbgraph.engine.variable import Variable
from nbgraph.errors import EngineTimeout, stays

if TYPE_CHECKING:
    from nbgraph.engine.kernels import Kernels


class NativePending:
    """The result of pushing a kernel: as `Pending`, with None for a value."""

    __slots__ = ("engine", "name", "ticket", "writes")

    def __init__(
        self, engine: Kernels, name: str, ticket: int, writes: tuple[Variable, ...]
    ) -> None:
        self.engine, self.name, self.ticket, self.writes = engine, name, ticket, writes

    __reduce_ex__ = stays("what a push returns", "take its result()")

    def done(self) -> bool:
        """Whether it has ended, well or not."""
        core = self.engine._core
        return core is None or bool(core.is_done(self.ticket))

    def result(self, timeout: float | None = None) -> None:
        """Wait for it. A failure on what it writes is raised here."""
        failure = self._failed(timeout)
        if failure is not None:
            raise failure.again()

    def exception(self, timeout: float | None = None) -> BaseException | None:
        """The failure on what it writes, or None; fetched here it counts as raised."""
        failure = self._failed(timeout)
        return None if failure is None else failure.error

    def _failed(self, timeout: float | None) -> Failure | None:
        engine = self.engine
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

    def __await__(self) -> Generator[Any, None, None]:
        if not self.done():
            import asyncio

            loop = asyncio.get_running_loop()
            future: asyncio.Future[None] = loop.create_future()

            def wake() -> None:
                if not future.done():
                    future.set_result(None)

            if self.engine._tell_when_done(self.ticket, lambda: loop.call_soon_threadsafe(wake)):
                yield from future
        return self.result()

    def __repr__(self) -> str:
        return f"<operation {self.name!r}: {'done' if self.done() else 'pending'}>"


class Shown(NamedTuple):
    """What a dump tells of a variable."""

    number: int
    name: str | None


class KernelOperation(Operation):
    """A kernel's operation, made up for a dump."""

    __slots__ = ("place",)

    def __init__(
        self, name: str, place: Site, uses: list[tuple[Shown, bool]] | None = None
    ) -> None:
        self.name, self.place = name, place
        self.reads: Any = tuple(v for v, written in uses or () if not written)
        self.writes: Any = tuple(v for v, written in uses or () if written)
        self.members, self.own = None, ()
        self.pushed_ns = time.monotonic_ns()

    @property
    def site(self) -> Site:
        """The line of user code that pushed it."""
        return self.place
