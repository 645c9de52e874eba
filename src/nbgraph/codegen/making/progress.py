"""A line that shows the progress of compilation, once a thread has waited for it for long.

In a terminal it appears on standard error and vanishes at the end; in a notebook it is a display
that shows a summary at the end. Elsewhere (pipes, files) there is none. Waits in quick succession
count as one.
"""

from __future__ import annotations

import contextlib
import os
import sys
import threading
import time
from collections.abc import Generator
from typing import Any, Protocol

from nbgraph.scopes import forkable
from nbgraph.settings import config

PATIENCE = 0.5  # seconds of waiting before the line appears
_EVERY = 0.2  # seconds between two updates
_GAP = 0.25  # seconds without a wait after which the next one starts a new count
clock = time.perf_counter


class Surface(Protocol):
    """A place where a line is shown and updated."""

    def show(self, text: str) -> None:
        """Show `text` in place of the previous one."""
        ...

    def finish(self, text: str) -> None:
        """End the display; `text` is a summary."""
        ...


class Terminal:
    """A line on standard error, erased at the end."""

    def __init__(self, stream: Any) -> None:
        self._stream, self._width = stream, 0

    def show(self, text: str) -> None:
        """See Surface."""
        self._stream.write("\r" + text.ljust(self._width))
        self._stream.flush()
        self._width = len(text)

    def finish(self, text: str) -> None:
        """See Surface."""
        self._stream.write("\r" + " " * self._width + "\r")
        self._stream.flush()


class Notebook:
    """A display of an IPython kernel."""

    def __init__(self, display: Any) -> None:
        self._display, self._handle = display, None

    def show(self, text: str) -> None:
        """See Surface."""
        data = {"text/plain": text}
        if self._handle is None:
            self._handle = self._display(data, raw=True, display_id=True)
        else:
            self._handle.update(data, raw=True)

    def finish(self, text: str) -> None:
        """See Surface."""
        self.show(text)


def surface() -> Surface | None:
    """Return the surface for the line of this process, or None."""
    if not config.progress:
        return None
    ipython = sys.modules.get("IPython")
    shell: Any = ipython.get_ipython() if ipython is not None else None
    if getattr(shell, "kernel", None) is not None:
        return Notebook(sys.modules["IPython.display"].display)
    stream: Any = sys.stderr
    return Terminal(stream) if stream is not None and stream.isatty() else None


class Line:
    """The line of all present waits, and the thread that updates it."""

    def __init__(self) -> None:
        self._lock = forkable(threading.Lock())
        self._waits: list[Wait] = []  # innermost last
        self._surface: Surface | None = None
        self._shown = False
        self._ticker: threading.Thread | None = None
        self._stop = threading.Event()
        self._done = self._total = 0
        self.calm = threading.Event()  # set while no thread waits
        self.calm.set()
        self._before = self._ended = self._since = 0.0  # seconds

    def begin(self, wait: Wait) -> None:
        """Add a wait."""
        with self._lock:
            now = clock()
            if not self._waits:
                if now - self._ended > _GAP:
                    self._before, self._done, self._surface = 0.0, 0, None
                self._since, self._total = now, 0
                self._surface = self._surface or surface()
            if wait.count:
                self._total = self._done + wait.count
            self._waits.append(wait)
            self.calm.clear()
            if self._surface is not None and self._ticker is None:
                self._start()

    def end(self, wait: Wait, *, compiled: bool) -> None:
        """Remove a wait."""
        ticker = None
        with self._lock:
            if wait not in self._waits:
                return
            self._waits.remove(wait)
            self._done += compiled
            if not self._waits:
                self._ended = clock()
                self._before += self._ended - self._since
                ticker, self._ticker = self._ticker, None
                self._stop.set()
                self.calm.set()
        if ticker is not None:
            try:
                ticker.join()
            finally:
                self._finish()

    def compiles_elsewhere(self) -> bool:
        """Return whether another thread compiles code that a thread waits for."""
        return any(wait.maker not in (0, threading.get_ident()) for wait in self._waits.copy())

    def _start(self) -> None:
        self._stop = threading.Event()
        self._ticker = threading.Thread(
            target=self._tick, args=(self._stop,), name="nbgraph progress", daemon=True
        )
        self._ticker.start()

    def _tick(self, stop: threading.Event) -> None:
        while not stop.wait(_EVERY):
            self.look()

    def look(self) -> None:
        """Show the progress, if a thread has waited for long."""
        with self._lock:
            if not self._waits or self._surface is None or self._seconds() < PATIENCE:
                return
            self._shown = True
            with contextlib.suppress(OSError, ValueError):  # the stream may be closed
                self._surface.show(self._text())

    def _finish(self) -> None:
        with self._lock:
            if self._shown and self._surface is not None:
                noun = "kernel" if self._done == 1 else "kernels"
                text = f"nbgraph: compiled {self._done} {noun} ({self._before:.1f} s)"
                with contextlib.suppress(OSError, ValueError):
                    self._surface.finish(text)
            self._shown = False

    def _seconds(self) -> float:
        return self._before + clock() - self._since

    def _text(self) -> str:
        at = self._done + 1
        what = f"{at} of {self._total} kernels" if self._total >= at else f"kernel {at}"
        return f"nbgraph: compiling {what} ({self._seconds():.1f} s) ..."


class Wait:
    """A thread's wait for a kernel, or for `count` kernels; `maker`: the thread that compiles
    meanwhile, or 0."""

    __slots__ = ("count", "maker", "name")

    def __init__(self, name: str, count: int = 0, maker: int = 0) -> None:
        self.name, self.count, self.maker = name, count, maker

    def end(self, *, compiled: bool = False) -> None:
        """End the wait; `compiled`: whether it produced a new kernel."""
        _line.end(self, compiled=compiled)


_line = Line()


def begin(name: str, count: int = 0, *, makes: bool = False) -> Wait:
    """Begin and return a wait, until its `end`; `makes`: whether this thread itself compiles or
    loads the code."""
    wait = Wait(name, count, threading.get_ident() if makes else 0)
    try:
        _line.begin(wait)
    except BaseException:  # Ctrl-C may come between any two lines
        _line.end(wait, compiled=False)
        raise
    return wait


@contextlib.contextmanager
def waiting(name: str, count: int) -> Generator[None]:
    """Show progress in the block, which waits for `count` kernels."""
    wait = begin(name, count)
    try:
        yield
    finally:
        wait.end()


def calm() -> None:
    """Wait until no thread waits for a compilation."""
    _line.calm.wait()


class _Makers:
    """A lock that a fork acquires while no other thread compiles, which would hold locks of the
    compilers and of imports."""

    def acquire(self, blocking: bool = True) -> bool:
        """Return whether no other thread compiles."""
        return not _line.compiles_elsewhere()

    def release(self) -> None:
        """Do nothing."""


_makers = forkable(_Makers())


def _in_child() -> None:
    global _line
    _line = Line()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_in_child)
