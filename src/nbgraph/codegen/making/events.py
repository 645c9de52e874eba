"""The log of compilations: an event each time machine code was compiled, or found on disk.

    with compiling("fused_sin_exp", "numba") as note:
        ...
        note("compiled", len(code))

Code found in memory is not an event. The log has the last 10,000.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Generator
from contextlib import contextmanager
from types import TracebackType
from typing import NamedTuple, Self

from nbgraph.codegen.making import progress
from nbgraph.scopes import thread_name

MOST = 10_000  # events kept


class Event(NamedTuple):
    """Machine code that was compiled ("compiled"), found ("disk"), or failed to compile ("failed").

    `at`: the time of its end, in seconds since 1970; `background`: no thread waited for it.
    """

    name: str
    compiler: str
    origin: str
    seconds: float
    bytes: int
    at: float
    thread: str
    background: bool
    error: str = ""


_EVENTS: deque[Event] = deque(maxlen=MOST)  # appending is atomic


class _Here(threading.local):
    background = False


_HERE = _Here()


def compiling(name: str, compiler: str) -> Making:
    """Return a context for compiling or finding machine code; call it once the code is there.

    An exception is an event "failed". A block that ends without either logs nothing.

    >>> with compiling("example", "llvm") as note:
    ...     note("compiled", 120)
    >>> events()[-1].name, events()[-1].origin, events()[-1].bytes
    ('example', 'compiled', 120)
    """
    return Making(name, compiler)


class Making:
    """The context returned by `compiling`. `name` may be set within the block."""

    __slots__ = ("_compiler", "_line", "_note", "_started", "name")

    def __init__(self, name: str, compiler: str) -> None:
        self.name, self._compiler = name, compiler
        self._note: tuple[str, int] | None = None
        self._line: progress.Wait | None = None

    def __call__(self, origin: str, nbytes: int) -> None:
        """Set the origin of the code, and its length in bytes."""
        self._note = origin, nbytes

    def __enter__(self) -> Self:
        self._started = time.perf_counter()
        if not _HERE.background:
            self._line = progress.begin(self.name, makes=True)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        seconds = time.perf_counter() - self._started
        note = self._note if error is None else ("failed", 0)
        if self._line is not None:
            self._line.end(compiled=note is not None and note[0] == "compiled")
        if note is not None:
            text = "" if error is None else f"{type(error).__name__}: {error}"
            _add(self.name, self._compiler, *note, seconds, text)


def _add(name: str, compiler: str, origin: str, nbytes: int, seconds: float, error: str) -> None:
    thread, background = thread_name(), _HERE.background
    _EVENTS.append(
        Event(name, compiler, origin, seconds, nbytes, time.time(), thread, background, error)
    )


def events() -> tuple[Event, ...]:
    """Return the events so far, oldest first."""
    return tuple(_EVENTS.copy())


@contextmanager
def in_background() -> Generator[None]:
    """Mark compilations of this thread in the block as ones that no other thread waits for."""
    before, _HERE.background = _HERE.background, True
    try:
        yield
    finally:
        _HERE.background = before


def forget() -> None:
    """Clear the log."""
    _EVENTS.clear()
    _CERTIFIED.clear()


_CERTIFIED: deque[float] = deque(maxlen=MOST)  # seconds of each; appending is atomic


def certified(seconds: float) -> None:
    """Record a computed certificate of a derivative."""
    _CERTIFIED.append(seconds)


def certificates() -> tuple[float, ...]:
    """Return the seconds of each computed certificate."""
    return tuple(_CERTIFIED.copy())
