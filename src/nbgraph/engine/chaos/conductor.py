"""The two threads of the chaos engine: one decides which operation runs, one runs it.

A thread that pushes or waits asks the conductor and sleeps until it has acted, so a program that
pushes from one thread gets the same decisions each time. Without a request for some time (the
program sleeps, or waits for something unknown to the engine) the conductor runs operations anyway.
"""

from __future__ import annotations

import queue
import threading
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING

from nbgraph.engine.core import layout

if TYPE_CHECKING:
    from nbgraph.engine.chaos.engine import ChaosEngine
    from nbgraph.engine.handle import Core

PATIENCE = 0.25  # seconds; while a function takes longer, others run
_TICK = 0.015  # seconds between two checks for requests
_QUIET = 4  # checks without a request until the conductor runs operations unasked
_ALONE = 0.0005  # seconds between operations then


class Ask:
    """A request of a push (run any number) or a wait (run one); `ran`: whether an operation ran."""

    __slots__ = ("answered", "pushing", "ran")

    def __init__(self, pushing: bool) -> None:
        self.pushing = pushing
        self.ran = False
        self.answered = threading.Lock()
        self.answered.acquire()


class _Runner:
    """A thread that runs one operation after another."""

    def __init__(self, run: Callable[[int], None], own: set[int]) -> None:
        self.inbox: queue.SimpleQueue[int] = queue.SimpleQueue()
        self.rests = threading.Lock()
        self.rests.acquire()
        self._run, self._own = run, own
        threading.Thread(target=self._live, name="nbgraph chaos", daemon=True).start()

    def _live(self) -> None:
        self._own.add(threading.get_ident())
        while block := self.inbox.get():
            try:
                self._run(block)
            finally:
                self.rests.release()
        self._own.discard(threading.get_ident())


class _Inbox:
    """A queue whose `put` a finaliser may call, and whose `get` may have a time-out.

    `queue.SimpleQueue` allows such a `put`, but in CPython 3.11 its `get` sleeps for ever if the
    time-out passes between two attempts to take its lock.
    """

    def __init__(self) -> None:
        self._asks: deque[Ask | bool] = deque()
        self._bell = threading.Lock()
        self._bell.acquire()

    def put(self, ask: Ask | bool) -> None:
        self._asks.append(ask)
        with suppress(RuntimeError):  # released already
            self._bell.release()

    def get(self, timeout: float | None) -> Ask | bool:
        """Return the oldest request; queue.Empty after the time-out."""
        while not self._asks:
            if not self._bell.acquire(timeout=-1 if timeout is None else timeout):
                break
        try:
            return self._asks.popleft()
        except IndexError:
            raise queue.Empty from None


class Conductor:
    """The thread that chooses which operation runs, one request after another."""

    def __init__(self, engine: ChaosEngine, core: Core) -> None:
        self._engine, self._core = engine, core
        self._inbox = _Inbox()
        self._runner: _Runner | None = None
        self.own: set[int] = set()  # threads that must not ask: they would wait for themselves
        self.thread = threading.Thread(target=self._live, name="nbgraph conductor", daemon=True)
        self.thread.start()

    def ask(self, pushing: bool) -> Ask:
        """Return a new request; its `answered` is released once the conductor has acted on it."""
        ask = Ask(pushing)
        self._inbox.put(ask)
        return ask

    def nudge(self) -> None:
        """Wake the conductor up, as an operation may be ready that no thread waits for."""
        self._inbox.put(True)

    def end(self) -> None:
        """End the thread after the requests so far."""
        self._inbox.put(False)

    def _live(self) -> None:
        self.own.add(threading.get_ident())
        quiet = 0
        while True:
            try:
                ask = self._inbox.get(timeout=self._time_to_sleep(quiet))
            except queue.Empty:
                quiet += 1
                if quiet > _QUIET and not self._run_one(False):
                    quiet = 0
                continue
            if ask is False:
                break
            if isinstance(ask, Ask):
                quiet = 0
                self._serve(ask)
        if self._runner is not None:
            self._runner.inbox.put(0)

    def _time_to_sleep(self, quiet: int) -> float | None:
        if self._core.word(layout.PENDING) == 0:
            return None
        return _TICK if quiet < _QUIET else _ALONE

    def _serve(self, ask: Ask) -> None:
        try:
            ask.ran = self._run_one(ask.pushing)
            while True:  # Python 3.13 guards no `while condition`: cpython#130279
                if not (ask.pushing and ask.ran and self._run_one(True)):
                    break
        finally:
            ask.answered.release()

    def _run_one(self, pushing: bool) -> bool:
        """Choose an operation and run it; False if none is ready or, at a push, none is chosen."""
        block = self._engine._take(self._core, pushing)
        if not block:
            return False
        runner = self._runner
        if runner is None:
            runner = self._runner = _Runner(self._run, self.own)
        runner.inbox.put(block)
        if not runner.rests.acquire(timeout=PATIENCE):
            runner.inbox.put(0)  # it ends after this one; the next has a thread of its own
            self._runner = None
        return True

    def _run(self, block: int) -> None:
        self._engine._run_block(self._core, block)
