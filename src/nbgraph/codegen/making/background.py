"""Compilation in the background: one thread with a queue, which exists while it has work.

It starts the next piece of a job only when no other thread waits for a compilation of its own, so
that such a thread waits for one piece at most. It runs at the normal priority: with a lower one,
threads that wait for a lock that it holds would wait longer.

At the end of the process the current piece is finished, as LLVM must not run when its library is
unloaded. A fork waits for it too; the child continues with the queue at the first `Job.look`.
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
from nbgraph.scopes import at_fork
from nbgraph.settings import config

_LONGEST = 20.0  # seconds that exit and fork wait for one piece
_IDLE = 1.0  # seconds without work after which the thread ends

_QUEUE: deque[Job] = deque()  # the first one is being compiled


class _Locks:
    """The locks of this process; a forked child has new ones."""

    def __init__(self) -> None:
        self.changed = threading.Condition(threading.Lock())  # guards the queue and the thread
        self.turn = threading.Lock()  # held while a piece is compiled


_locks = _Locks()
_thread: threading.Thread | None = None
_hooked = False


class Job:
    """Pieces of work, run one after another; the first failure ends the job.

    `over`: whether it has ended. `error`: the exception of its failure, or None.
    """

    __slots__ = ("context", "error", "name", "over", "pieces")

    def __init__(self, name: str, pieces: Sequence[Callable[[], object]]) -> None:
        self.name, self.pieces = name, deque(pieces)
        self.context = contextvars.copy_context()  # with the caller's settings
        self.over = not pieces
        self.error: Exception | None = None

    def look(self) -> bool:
        """Return whether the job has ended; start the thread if it is not running."""
        if not self.over and _thread is None:
            _start_thread()
        return self.over


def submit(job: Job) -> None:
    """Run a job in the background, after earlier ones."""
    with _locks.changed:
        if job.over:
            return
        _QUEUE.append(job)
        _locks.changed.notify_all()
    _start_thread()


def pending() -> tuple[str, ...]:
    """Return the names of the jobs that have not ended."""
    with _locks.changed:
        return tuple(job.name for job in _QUEUE)


def settle(timeout: float | None = None) -> None:
    """Wait until all jobs have ended; raise TimeoutError after `timeout` seconds."""
    until = None if timeout is None else time.monotonic() + timeout
    _start_thread()
    with _locks.changed:
        while True:  # Python 3.13 guards no `while condition`: cpython#130279
            if not _QUEUE:
                return
            left = None if until is None else until - time.monotonic()
            if left is not None and left <= 0:
                raise TimeoutError(f"still compiling: {', '.join(j.name for j in _QUEUE)}")
            _locks.changed.wait(left)


# the thread --------------------------------------------------------------------------------------


def _start_thread() -> None:
    global _thread, _hooked
    with _locks.changed:
        if not _hooked:
            _hooked = True
            atexit.register(_at_exit)
            if hasattr(os, "register_at_fork"):
                os.register_at_fork(before=_before_fork)
                at_fork(after_in_parent=_after_fork, after_in_child=_in_child)
        if _thread is None and _QUEUE:
            _thread = threading.Thread(target=_work, name="nbgraph compiler", daemon=True)
            _thread.start()


def _work() -> None:
    with in_background():
        while (job := _next()) is not None:
            _run_piece(job)


def _next() -> Job | None:
    """Return the job at the head; None, which ends the thread, after some time without one."""
    global _thread
    with _locks.changed:
        if not _QUEUE:
            _locks.changed.wait(_IDLE)
        if _QUEUE:
            return _QUEUE[0]
        _thread = None
        return None


def _run_piece(job: Job) -> None:
    """Run the next piece of a job, and end the job after its last piece or a failure."""
    progress.calm()
    with _locks.turn:
        try:
            if job.pieces:
                job.context.run(job.pieces[0])
                job.pieces.popleft()
        except Exception as error:  # reported when the owner looks at the job
            job.error = error
    if job.error is None and job.pieces:
        return
    with _locks.changed:
        job.over = True
        job.pieces.clear()
        job.context = contextvars.Context()  # frees the old one, which may hold arrays
        _QUEUE.popleft()
        _locks.changed.notify_all()


# exit and forks ----------------------------------------------------------------------------------

_paused: list[tuple[progress.Wait, bool]] = []  # of forks in progress; whether they hold `turn`


def _pause() -> tuple[progress.Wait, bool]:
    """Start no piece from now on; return a wait, and whether the current piece ended in time."""
    with config(progress=0):
        wait = progress.begin("the end of what is compiled")
    return wait, _locks.turn.acquire(timeout=_LONGEST)


def _at_exit() -> None:
    _pause()


def _before_fork() -> None:
    _paused.append(_pause())
    _locks.changed.acquire()


def _after_fork() -> None:
    if not _paused:  # the first job came during the fork
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
