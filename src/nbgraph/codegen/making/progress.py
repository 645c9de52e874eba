"""One line that says what is being compiled, while somebody has waited for it for long.

In a terminal it stands on standard error and vanishes at the end; in a notebook it is a display
that ends by saying what was compiled. Elsewhere (pipes, files) there is none. Waits that follow
one another closely are one.
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

PATIENCE = 0.5  # seconds of waiting before there is a line
_EVERY = 0.2  # seconds between two looks at the clock
_GAP = 0.25  # seconds without a wait after which the next one counts anew
clock = time.perf_counter


class Surface(Protocol):
    """Where a line is shown, over and over in the same place."""

    def show(self, text: str) -> None:
        """Put this text in place of the one before."""
        ...

    def finish(self, text: str) -> None:
        """Nothing more is to come; `text` says what was done."""
        ...


class Terminal:
    """Standard error; the line is wiped at the end."""

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
    """Where the line of this process goes, if anywhere."""
    if not config.progress:
        return None
    ipython = sys.modules.get("IPython")
    shell: Any = ipython.get_ipython() if ipython is not None else None
    if getattr(shell, "kernel", None) is not None:
        return Notebook(sys.modules["IPython.display"].display)
    stream: Any = sys.stderr
    return Terminal(stream) if stream is not None and stream.isatty() else None


class Line:
    """All that is waited for at a time, and the thread that looks at the clock meanwhile."""

    def __init__(self) -> None:
        self._lock = forkable(threading.Lock())
        self._waits: list[Wait] = []  # innermost last
        self._surface: Surface | None = None
        self._shown = False
        self._ticker: threading.Thread | None = None
        self._stop = threading.Event()
        self._done = self._total = 0
        self.calm = threading.Event()  # whether nobody waits
        self.calm.set()
        self._before = self._ended = self._since = 0.0  # seconds

    def begin(self, wait: Wait) -> None:
        """Somebody waits from now on."""
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
        """One wait is over."""
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
        """Return whether another thread makes code that is waited for."""
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
        """Show how things are, if somebody has waited for long."""
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
    """Somebody waits, for a kernel or for so many (`count`); `maker`: the thread that makes code
    meanwhile, or 0."""

    __slots__ = ("count", "maker", "name")

    def __init__(self, name: str, count: int = 0, maker: int = 0) -> None:
        self.name, self.count, self.maker = name, count, maker

    def end(self, *, compiled: bool = False) -> None:
        """It is over; `compiled`: with a kernel that was not there before."""
        _line.end(self, compiled=compiled)


_line = Line()


def begin(name: str, count: int = 0, *, makes: bool = False) -> Wait:
    """Somebody waits for this from now on, until `end` of what is returned; `makes`: for code that
    this thread makes, or finds."""
    wait = Wait(name, count, threading.get_ident() if makes else 0)
    try:
        _line.begin(wait)
    except BaseException:  # Ctrl-C may come between any two lines
        _line.end(wait, compiled=False)
        raise
    return wait


@contextlib.contextmanager
def waiting(name: str, count: int) -> Generator[None]:
    """Somebody waits for `count` kernels in the block."""
    wait = begin(name, count)
    try:
        yield
    finally:
        wait.end()


def calm() -> None:
    """Return when nobody waits."""
    _line.calm.wait()


class _Makers:
    """What a fork takes when no other thread makes code, under locks of the compilers and of
    imports."""

    def acquire(self, blocking: bool = True) -> bool:
        """Return whether that is so."""
        return not _line.compiles_elsewhere()

    def release(self) -> None:
        """Let others make code again."""


_makers = forkable(_Makers())


def _in_child() -> None:
    global _line
    _line = Line()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_in_child)
