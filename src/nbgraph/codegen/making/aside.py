"""Compiling where nobody waits: one thread with a queue, there as long as it has work.

It takes up the next piece of a job only when nobody waits for a compilation of their own, so
nobody waits for more than one piece. It runs at the priority of all other threads: with a lower
one, threads that wait for a lock that it holds would wait longer.

At the end of the process the piece in hand is finished, as LLVM must not be at work when its
library is taken down. A fork waits for it too; the child goes on with the queue when it looks.
"""

from __future__ import annotations

import atexit
import contextvars
import os
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence

from nbgraph.codegen.making import progress
from nbgraph.codegen.making.events import in_background
from nbgraph.settings import config

_LONGEST = 20.0  # seconds that exit and fork wait for one piece
_IDLE = 1.0  # seconds without work after which the thread ends

_QUEUE: deque[Job] = deque()  # the first is at work


class _Locks:
    """Those of this process: a child of a fork makes its own."""

    def __init__(self) -> None:
        self.changed = threading.Condition(threading.Lock())  # the queue, and who works on it
        self.turn = threading.Lock()  # held while a piece is compiled


_locks = _Locks()
_thread: threading.Thread | None = None
_hooked = False


class Job:
    """Pieces of work, done one after another; the first that fails ends it.

    `over`: whether it has ended. `error`: why it has not ended well.
    """

    __slots__ = ("context", "error", "name", "over", "pieces")

    def __init__(self, name: str, pieces: Sequence[Callable[[], object]]) -> None:
        self.name, self.pieces = name, deque(pieces)
        self.context = contextvars.copy_context()  # the settings that the caller has
        self.over = not pieces
        self.error: Exception | None = None

    def look(self) -> bool:
        """Return whether it has ended; sees to it that somebody is at work."""
        if not self.over and _thread is None:
            _begin()
        return self.over


def submit(job: Job) -> None:
    """Do it in the background, after what came before."""
    with _locks.changed:
        if job.over:
            return
        _QUEUE.append(job)
        _locks.changed.notify_all()
    _begin()


def pending() -> tuple[str, ...]:
    """Names of the jobs that have not ended."""
    with _locks.changed:
        return tuple(job.name for job in _QUEUE)


def settle(timeout: float | None = None) -> None:
    """Wait until all jobs have ended; TimeoutError after so many seconds."""
    until = None if timeout is None else time.monotonic() + timeout
    _begin()
    with _locks.changed:
        while True:  # Python 3.13 guards no `while condition`: cpython#130279
            if not _QUEUE:
                return
            left = None if until is None else until - time.monotonic()
            if left is not None and left <= 0:
                raise TimeoutError(f"still compiling: {', '.join(j.name for j in _QUEUE)}")
            _locks.changed.wait(left)


# the thread --------------------------------------------------------------------------------------


def _begin() -> None:
    global _thread, _hooked
    with _locks.changed:
        if not _hooked:
            _hooked = True
            atexit.register(_at_exit)
            if hasattr(os, "register_at_fork"):
                os.register_at_fork(
                    before=_before_fork, after_in_parent=_after_fork, after_in_child=_in_child
                )
        if _thread is None and _QUEUE:
            _thread = threading.Thread(target=_work, name="nbgraph compiler", daemon=True)
            _thread.start()


def _work() -> None:
    with in_background():
        while (job := _next()) is not None:
            _do(job)


def _next() -> Job | None:
    """Return the job at the head; None, and the end of the thread, where none came for a while."""
    global _thread
    with _locks.changed:
        if not _QUEUE:
            _locks.changed.wait(_IDLE)
        if _QUEUE:
            return _QUEUE[0]
        _thread = None
        return None


def _do(job: Job) -> None:
    """The next piece of a job; after the last one, or one that failed, it is over."""
    progress.calm()
    with _locks.turn:
        try:
            if job.pieces:
                job.context.run(job.pieces[0])
                job.pieces.popleft()
        except Exception as error:  # raised where the job is looked at
            job.error = error
    if job.error is None and job.pieces:
        return
    with _locks.changed:
        job.over = True
        job.pieces.clear()
        job.context = contextvars.Context()  # the other one may hold arrays
        _QUEUE.popleft()
        _locks.changed.notify_all()


# exit and forks ----------------------------------------------------------------------------------

_paused: list[tuple[progress.Wait, bool]] = []  # by forks under way: whether they have the turn


def _rest() -> tuple[progress.Wait, bool]:
    """Begin no piece from now on; whether the one in hand has ended in time."""
    with config(progress=0):
        wait = progress.begin("the end of what is compiled")
    return wait, _locks.turn.acquire(timeout=_LONGEST)


def _at_exit() -> None:
    _rest()


def _before_fork() -> None:
    _paused.append(_rest())
    _locks.changed.acquire()


def _after_fork() -> None:
    if not _paused:  # the first job came while the fork began
        return
    _locks.changed.release()
    wait, has_turn = _paused.pop()
    if has_turn:
        _locks.turn.release()
    wait.end()


def _in_child() -> None:
    global _thread, _locks
    _paused.clear()
    _thread, _locks = None, _Locks()
