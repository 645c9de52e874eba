"""Data races: plain accesses to one word by two threads that nothing puts in order.

Vector clocks (Fidge 1988, Mattern 1989), as race detectors use them: an atomic write hands its
thread's clock on through the word, an atomic read takes it over. The scheduler changes threads at
atomic operations only, so this is what shows that changing them elsewhere would make no difference.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator
from typing import Any

from nbgraph.engine.core import machine
from nbgraph.engine.core.compiled import MODULES
from nbgraph.engine.core.layout import WORD
from tests.engine.core.scheduler import Scheduler

Access = tuple[int, int, str]  # thread, its clock then, where
PLAIN_READ, PLAIN_WRITE, READ, WRITE = range(4)
AGAINST = {  # an access is in a race with which earlier ones
    PLAIN_READ: (PLAIN_WRITE, WRITE),
    PLAIN_WRITE: (PLAIN_READ, PLAIN_WRITE, READ, WRITE),
    READ: (PLAIN_WRITE,),
    WRITE: (PLAIN_READ, PLAIN_WRITE),
}


class Races:
    """Watches a run; `found` has the places of two accesses in a race."""

    def __init__(self) -> None:
        self.found: set[tuple[str, str]] = set()
        self.begin(None)

    def begin(self, scheduler: Scheduler | None) -> None:
        self.scheduler = scheduler
        self.clocks: dict[int, dict[int, int]] = {}
        self.handed: dict[int, dict[int, int]] = {}
        self.seen: dict[int, tuple[dict[int, Access], ...]] = {}

    def thread(self) -> int:
        """The running thread, or -1 while there is none."""
        scheduler = self.scheduler
        if scheduler is None or scheduler.current is None or not scheduler.running:
            return -1
        return scheduler.current.index

    def clock(self, thread: int) -> dict[int, int]:
        return self.clocks.setdefault(thread, {thread: 1})

    def access(self, kind: int, address: int, frame: Any) -> None:
        thread = self.thread()
        if thread < 0:
            return
        clock = self.clock(thread)
        seen = self.seen.setdefault(address, ({}, {}, {}, {}))
        where = f"{frame.f_code.co_name}:{'load store load! store!'.split()[kind]}"
        for other in AGAINST[kind]:
            for whose, then, there in seen[other].values():
                if whose != thread and then > clock.get(whose, 0):
                    self.found.add((there, where))
        seen[kind][thread] = thread, clock[thread], where

    def acquire(self, address: int) -> None:
        thread = self.thread()
        if thread >= 0:
            clock = self.clock(thread)
            for other, time in self.handed.get(address, {}).items():
                clock[other] = max(clock.get(other, 0), time)

    def release(self, address: int) -> None:
        thread = self.thread()
        if thread >= 0:
            clock = self.clock(thread)
            handed = self.handed.setdefault(address, {})
            for other, time in clock.items():
                handed[other] = max(handed.get(other, 0), time)
            clock[thread] += 1

    # -------------------------------------------------------------- the primitives, watched

    def watched(self) -> dict[str, Callable[..., Any]]:
        frame = sys._getframe

        def load(address: int) -> int:
            self.access(PLAIN_READ, address, frame(1))
            return machine.load(address)

        def store(address: int, value: int) -> None:
            self.access(PLAIN_WRITE, address, frame(1))
            machine.store(address, value)

        def clear_words(address: int, count: int) -> None:
            for i in range(count):
                self.access(PLAIN_WRITE, address + WORD * i, frame(1))
            machine.clear_words(address, count)

        def copy_words(target: int, source: int, count: int) -> None:
            for i in range(count):
                self.access(PLAIN_READ, source + WORD * i, frame(1))
                self.access(PLAIN_WRITE, target + WORD * i, frame(1))
            machine.copy_words(target, source, count)

        made = {f.__name__: f for f in (load, store, clear_words, copy_words)}
        for name in ("load_acquire", "store_release", "fetch_add", "exchange", "compare_exchange"):
            made[name] = self.atomic(getattr(machine, name))
        return made

    def atomic(self, original: Callable[..., Any]) -> Callable[..., Any]:
        reads, writes = original.__name__ != "store_release", original.__name__ != "load_acquire"

        def operation(address: int, *words: int) -> Any:
            answer = original(address, *words)
            wrote = writes and answer is not False  # a compare-exchange that failed has not
            self.access(WRITE if wrote else READ, address, sys._getframe(1))
            if reads:
                self.acquire(address)
            if wrote:
                self.release(address)
            return answer

        return operation

    @contextlib.contextmanager
    def at_work(self) -> Iterator[None]:
        """The core's modules use the watched primitives."""
        watched = self.watched()
        places = [(m, name, vars(m)[name]) for m in MODULES for name in watched if name in vars(m)]
        try:
            for module, name, _original in places:
                setattr(module, name, watched[name])
            yield
        finally:
            for module, name, original in places:
                setattr(module, name, original)
