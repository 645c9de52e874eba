"""A controlled scheduler for the core's source: threads are greenlets, and one runs at a time.

Control moves only where threads can notice each other: at the atomic operations, `park` and
`unpark` of the simulated machine, and in the middle of a simulated kernel. Who goes on there is
asked of a *chooser*, so a schedule is a list of choices and can be run again.

- A thread that is about to take a held lock, or sleeps, is not offered.
- A thread that pauses or yields is offered again once another one has changed something: a spin
  loop is seen once per change, not for ever.
- Nobody can go on: a deadlock, or a wake-up that was lost. Nothing changes any more while threads
  spin, or a bound on steps is passed: a livelock.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any

from greenlet import GreenletExit, getcurrent, greenlet

from nbgraph.engine.core.layout import LOCK
from nbgraph.engine.core.machine import MACHINE

READS = ("load", "pause", "yield", "park", "kernel", "until")
SPINS = 400  # steps of spinning threads without a change: nobody will ever change anything


class Stuck(AssertionError):
    """No thread can go on, or none gets anywhere."""


class Pruned(Exception):  # noqa: N818  (no error: the rest of this schedule has been seen)
    """Everything from here on has been explored."""


@dataclasses.dataclass(eq=False)
class Thread:
    """One simulated thread and what it is about to do."""

    name: str
    index: int
    body: Callable[[], object]
    run: Any = None
    what: str = ""
    address: int = 0
    asleep: bool = False
    timeout: int = -1
    result: int = 1  # of the sleep
    polite: int = -1  # changes seen when it paused
    ready: Callable[[], bool] | None = None  # what it waits for outside of the core
    done: bool = False
    print: int = 0  # a hash of all it has seen

    def __post_init__(self) -> None:
        self.print = hash((self.name, self.index))


@dataclasses.dataclass(frozen=True)
class Option:
    """Who may go on, and what it costs of the budget; `alarm`: out of its sleep, by the clock."""

    thread: Thread
    cost: int
    alarm: bool = False


class Chooser:
    """Lets the running thread run on; those that explore override it."""

    budget = 0
    alarms = False  # whether time-outs and signals may come at any moment
    wants_state = False

    def choose(self, options: Sequence[Option], scheduler: Scheduler) -> Option:
        return options[0]


class Scheduler:
    """Runs simulated threads to their end, one schedule of them."""

    def __init__(self, chooser: Chooser, limit: int = 20_000) -> None:
        self.chooser = chooser
        self.limit = limit
        self.threads: list[Thread] = []
        self.current: Thread | None = None
        self.core = 0
        self.budget = chooser.budget
        self.steps = 0
        self.changes = 0
        self.still = 0
        self.starting = True
        self.running = False
        self.prints: dict[int, int] = {}
        self.trace: list[tuple[str, str, int]] = []
        self.hub = getcurrent()

    def add(self, name: str, body: Callable[[], object]) -> None:
        self.threads.append(Thread(name, len(self.threads), body))

    def run(self) -> None:
        """Until all threads are done; raises what a thread raises, and Stuck."""
        MACHINE.switch, MACHINE.sleep, MACHINE.wake = self.point, self.sleep, self.wake
        for thread in self.threads:
            thread.run = greenlet(self._life(thread), self.hub)
        self.running = True
        try:
            for thread in self.threads:  # each to its first point: what comes before is its own
                self.current = thread
                thread.run.switch()
            self.starting = False
            while not all(thread.done for thread in self.threads):
                self._choose(None).run.switch()
        finally:
            self.running = False
            for thread in self.threads:
                if thread.run and not thread.run.dead:
                    thread.run.throw(GreenletExit)
            MACHINE.switch = lambda _what, _address: None

    def _life(self, thread: Thread) -> Callable[[], None]:
        def life() -> None:
            thread.body()
            thread.done = True

        return life

    # -------------------------------------------------------------- what the machine calls

    def point(self, what: str, address: int) -> None:
        """Before an operation that other threads can notice."""
        me = self.current
        assert me is not None, f"{what} outside of the simulated threads"
        me.what, me.address = what, address
        if what in ("pause", "yield"):
            me.polite = self.changes
        self._pass_on(me)

    def sleep(self, word: int, _expected: int, timeout: int) -> int:
        me = self.current
        assert me is not None
        me.what, me.address, me.asleep, me.timeout, me.result = "sleep", word, True, timeout, 1
        self._pass_on(me)
        return me.result

    def wake(self, word: int, count: int) -> None:
        for thread in self.threads:
            if count and thread.asleep and thread.address == word:
                thread.asleep = False
                count -= 1

    def until(self, ready: Callable[[], bool]) -> None:
        """Wait for something that is not the core's business, without helping it along."""
        me = self.current
        assert me is not None
        me.what, me.address, me.ready = "until", 0, ready
        self._pass_on(me)
        me.ready = None

    def touch(self, address: int, *, write: bool) -> None:
        """Note that the running thread reads or writes data; control does not move."""
        me = self.current
        assert me is not None
        me.print = hash((me.print, address, self.prints.get(address, 0)))
        if write:
            self.prints[address] = me.print

    # -------------------------------------------------------------- who goes on

    def _pass_on(self, me: Thread) -> None:
        if self.starting:
            self.hub.switch()
            self._resumed(me)
            return
        chosen = self._choose(me)
        if chosen is not me:
            chosen.run.switch()
        self._resumed(me)

    def _resumed(self, me: Thread) -> None:
        """Somebody has switched to this thread: its step is made now."""
        what = me.what
        self.current = me
        self.steps += 1
        self.trace.append((me.name, what, me.address))
        if what in READS:
            self.still += 1
        else:
            self.changes += 1
            self.still = 0
        if self.steps > self.limit or self.still > SPINS:
            raise Stuck(f"livelock: no progress after {self.steps} steps\n{self.state()}")
        if self.chooser.wants_state:
            seen = self.prints.get(me.address, 0)
            me.print = hash((me.print, what, me.address, me.result, seen))
            if what not in READS:
                self.prints[me.address] = me.print

    def _able(self, thread: Thread) -> bool:
        if thread.done or thread.asleep:
            return False
        if thread.what == "compare" and thread.address == self.core + LOCK:
            return MACHINE.words.get(thread.address, 0) == 0
        return thread.ready is None or thread.ready()

    def _choose(self, me: Thread | None) -> Thread:
        mine = me is not None and me.polite != self.changes and self._able(me)
        if mine and not self.budget:
            return me  # type: ignore[return-value]
        able = [t for t in self.threads if t is not me and self._able(t)]
        eager = [t for t in able if t.polite != self.changes]
        cost = 1 if mine else 0
        options = [Option(me, 0)] if mine and me is not None else []
        options += [Option(t, cost) for t in eager]
        if not options:  # all of them spin: in turn, beginning with the next one
            spinning = able + ([me] if me is not None and self._able(me) else [])
            last = me.index if me is not None else -1
            spinning.sort(key=lambda t: (t.index <= last, t.index))
            options = [Option(t, 0) for t in spinning[:1]]
        options += self._alarms(free=not options)
        if not options:
            raise Stuck(f"deadlock: no thread can go on\n{self.state()}")
        return self._decide([o for o in options if o.cost <= self.budget or o.cost == 0])

    def _alarms(self, *, free: bool) -> list[Option]:
        """Sleepers that a time-out or a signal may bring back."""
        if free:
            return [Option(t, 0, alarm=True) for t in self.threads if t.asleep and t.timeout >= 0]
        if self.chooser.alarms and self.budget:
            return [Option(t, 1, alarm=True) for t in self.threads if t.asleep]
        return []

    def _decide(self, options: list[Option]) -> Thread:
        option = options[0] if len(options) == 1 else self.chooser.choose(options, self)
        self.budget -= option.cost
        thread = option.thread
        if option.alarm:
            thread.asleep, thread.result = False, 0
        return thread

    # -------------------------------------------------------------- for reports and pruning

    def key(self) -> int:
        """The state, as the order of all that depends on each other: equal keys, equal futures."""
        current = self.current.index if self.current is not None else -1
        polite = tuple(t.polite == self.changes for t in self.threads)
        threads = tuple((t.print, t.what, t.asleep, t.result, t.done) for t in self.threads)
        return hash((current, polite, threads))

    def state(self) -> str:
        """Where every thread stands."""
        return "\n".join(
            f"  {t.name}: {'done' if t.done else 'asleep' if t.asleep else 'before'} "
            f"{t.what} {t.address - self.core:#x}"
            for t in self.threads
        )

    def schedule(self) -> str:
        """(thread, steps) in order, and the last steps one by one."""
        runs: list[list[Any]] = []
        for name, _what, _address in self.trace:
            if runs and runs[-1][0] == name:
                runs[-1][1] += 1
            else:
                runs.append([name, 1])
        last = [f"{n} {w} {a - self.core:#x}" for n, w, a in self.trace[-12:]]
        return f"schedule {[tuple(r) for r in runs]}\nlast steps {last}"
