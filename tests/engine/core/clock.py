"""The core on a simulated machine of many processors, with a clock: what each thread waits for.

The same text and the same simulated memory as in `scheduler`, but the schedule is that of time:
each thread has a clock of its own, and the one that is furthest behind goes on. What an access
costs depends on where its line of 64 bytes is (MESI, of one shared interconnect):

    in the thread's own cache                          HIT
    elsewhere, to be read                              TRANSFER, others may read meanwhile
    elsewhere or shared, to be written                 TRANSFER, and the line serves one at a time
    the line behind one that was brought before        PREFETCHED

A held lock is polled as the text polls it. Sleeping and waking cost what a futex does.
"""

from __future__ import annotations

import dataclasses
import heapq
import importlib
import pkgutil
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from greenlet import GreenletExit, greenlet

from nbgraph.engine import core as package
from nbgraph.engine.core.layout import LINE, LOCK
from nbgraph.engine.core.machine import MACHINE
from tests.engine.core.scheduler import Chooser, Scheduler, Stuck, Thread

# nanoseconds, on a server processor of some 3 GHz with several dies in a socket
HIT, ATOMIC, TRANSFER, SHARING, PAUSE, YIELD = 1, 6, 80, 10, 15, 400
PREFETCHED, STREAMS = 20, 8
SLEEP, WAKE, LATENCY = 1_500, 1_500, 4_000  # of a futex: for each side, and until the other runs


@dataclasses.dataclass(eq=False)
class Line:
    """Who has a line of memory, and until when it is on its way."""

    owner: int = -1  # the thread that may write it
    readers: set[int] = dataclasses.field(default_factory=set)
    free: float = 0.0


class Clock(Scheduler):
    """Runs simulated threads by their clocks; `busy`: nanoseconds that each spent in kernels."""

    def __init__(self, limit: int = 10_000_000) -> None:
        super().__init__(Chooser(), limit)
        self.lines: dict[int, Line] = {}
        self.recent: dict[int, deque[int]] = {}  # lines that each thread was brought
        self.times: dict[int, float] = {}
        self.queue: list[tuple[float, int]] = []
        self.asked: dict[int, float] = {}  # when threads that have not got the lock asked for it
        self.locking: dict[int, float] = {}  # nanoseconds that they waited for it
        self.busy: dict[int, float] = {}
        self.costs: dict[int, float] = {}  # of kernels, by the address that their point names
        self.began = self.end = 0.0  # of what is measured

    def begin(self) -> None:
        """What counts begins now, at the running thread's clock."""
        assert self.current is not None
        self.began = self.times[self.current.index]
        self.busy = dict.fromkeys(self.busy, 0.0)
        self.locking = dict.fromkeys(self.locking, 0.0)

    def spend(self, nanoseconds: float) -> None:
        """The running thread is busy elsewhere."""
        assert self.current is not None
        self.times[self.current.index] += nanoseconds

    # ------------------------------------------------------------------ memory

    def access(self, address: int, *, write: bool) -> None:
        """Charge the running thread for an access."""
        me = self.current
        if me is None or not self.running:
            return
        index, line = me.index, self.lines.setdefault(address // LINE, Line())
        now = self.times[index]
        if line.owner == index or (not write and index in line.readers):
            self.times[index] = now + HIT
            return
        started = max(now, line.free)
        recent = self.recent.setdefault(index, deque(maxlen=STREAMS))
        ahead = address // LINE - 1 in recent
        recent.append(address // LINE)
        self.times[index] = started + (PREFETCHED if ahead else TRANSFER)
        if write:
            line.owner, line.readers, line.free = index, {index}, started + TRANSFER
        else:
            line.readers |= {index} if line.owner < 0 else {index, line.owner}
            line.owner, line.free = -1, started + SHARING

    @contextmanager
    def timed(self) -> Iterator[None]:
        """All accesses of the core's text are charged, and its clock is that of its thread."""
        names = ("load", "store", "copy_words", "clear_words", "now")
        machine = importlib.import_module(f"{package.__name__}.machine")
        plain = {name: getattr(machine, name) for name in names}

        def load(address: int) -> int:
            self.access(address, write=False)
            return plain["load"](address)

        def store(address: int, value: int) -> None:
            self.access(address, write=True)
            plain["store"](address, value)

        def copy_words(target: int, source: int, count: int) -> None:
            for i in range(count):
                store(target + 8 * i, load(source + 8 * i))

        def clear_words(address: int, count: int) -> None:
            for i in range(count):
                store(address + 8 * i, 0)

        now = lambda: int(self.times[self.current.index]) if self.current else 0
        mine = dict(zip(names, (load, store, copy_words, clear_words, now), strict=True))
        modules = [
            importlib.import_module(f"{package.__name__}.{info.name}")
            for info in pkgutil.iter_modules(package.__path__)
            if info.name not in ("machine", "compiled", "stored")
        ]
        places = [(m, n) for m in modules for n in names if getattr(m, n, None) is plain[n]]
        for module, name in places:
            setattr(module, name, mine[name])
        try:
            yield
        finally:
            for module, name in places:
                setattr(module, name, plain[name])

    # ------------------------------------------------------------------ threads

    def run(self) -> None:
        """Until all threads are done, in the order of their clocks."""
        MACHINE.switch, MACHINE.sleep, MACHINE.wake = self.point, self.sleep, self.wake
        for thread in self.threads:
            thread.run = greenlet(self._life(thread), self.hub)
            self.times[thread.index], self.busy[thread.index] = 0.0, 0.0
            self.locking[thread.index] = 0.0
            heapq.heappush(self.queue, (0.0, thread.index))
        self.running = True
        try:
            with self.timed():
                while not all(t.done for t in self.threads):
                    self.next().run.switch()
        finally:
            self.running = False
            for thread in self.threads:
                if thread.run and not thread.run.dead:
                    thread.run.throw(GreenletExit)
            MACHINE.switch = lambda _what, _address: None
        pushers = [t for t in self.threads if t.name.startswith("pusher")]
        self.end = max(self.times[t.index] for t in pushers)

    def next(self) -> Thread:
        """The thread whose clock is furthest behind."""
        self.steps += 1
        if self.steps > self.limit:
            raise Stuck(f"after {self.steps} steps\n{self.state()}")
        while self.queue:
            _, index = heapq.heappop(self.queue)
            thread = self.threads[index]
            if not thread.done and not thread.asleep:
                self.current = thread
                return thread
        waiting = [t for t in self.threads if t.ready is not None and not t.done]
        for thread in waiting:
            if thread.ready is not None and thread.ready():
                self.times[thread.index] = max(self.times.values())
                self.current = thread
                return thread
        sleeping = [t for t in self.threads if t.asleep and t.timeout >= 0]
        if not sleeping:
            raise Stuck(f"no thread can go on\n{self.state()}")
        sleeping[0].asleep, sleeping[0].result, self.current = False, 0, sleeping[0]
        return sleeping[0]

    def _pass_on(self, me: Thread) -> None:
        """Others whose clocks are behind go first."""
        if not me.asleep and me.ready is None:
            if not self.queue or self.times[me.index] <= self.queue[0][0]:
                self.steps += 1
                return
            heapq.heappush(self.queue, (self.times[me.index], me.index))
        following = self.next()
        if following is not me:
            following.run.switch()
        self.current = me

    def point(self, what: str, address: int) -> None:
        """Before an operation that other threads can notice: it takes its time, in their order."""
        me = self.current
        assert me is not None
        me.what, me.address = what, address
        if what in ("pause", "yield"):
            self.times[me.index] += PAUSE if what == "pause" else YIELD
            return
        if what == "kernel":
            cost = self.costs.get(address, 0.0)
            self.times[me.index] += cost
            self.busy[me.index] += cost
            self._pass_on(me)
            return
        self._pass_on(me)
        if what in ("park", "unpark"):
            self.times[me.index] += SLEEP if what == "park" else WAKE
            return
        self.access(address, write=what != "load")
        if what not in ("load", "store"):
            self.times[me.index] += ATOMIC
        if what == "compare" and address == self.core + LOCK:
            began = self.asked.setdefault(me.index, self.times[me.index])
            if not MACHINE.words.get(address, 0):
                del self.asked[me.index]
                self.locking[me.index] += self.times[me.index] - began

    def wake(self, word: int, count: int) -> None:
        me = self.current
        assert me is not None
        for thread in self.threads:
            if count and thread.asleep and thread.address == word:
                thread.asleep = False
                moment = max(self.times[thread.index], self.times[me.index] + LATENCY)
                self.times[thread.index] = moment
                heapq.heappush(self.queue, (moment, thread.index))
                count -= 1

    def until(self, ready: Callable[[], bool]) -> None:
        me = self.current
        assert me is not None
        while not ready():
            me.what, me.ready = "until", ready
            self._pass_on(me)
            me.ready = None

    def touch(self, address: int, *, write: bool) -> None:
        """Data of kernels costs what the kernel is said to."""
