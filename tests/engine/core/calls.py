"""A core under test: what simulated threads call, and what the functions they run note.

Every function that runs records what it saw of each variable, and writes a value nobody else
writes. While it runs it stands in an occupancy table: a reader beside a writer is noticed there and
then. What should have happened is worked out afterwards, in `reference`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

from nbgraph.engine.core import entries, failures, serving, state
from nbgraph.engine.core import layout as L  # noqa: N812
from nbgraph.engine.core.codes import ANYTHING, LEFT
from nbgraph.engine.core.machine import MACHINE, allocate
from tests.engine.core.jobs import Event, Job
from tests.engine.core.scheduler import Scheduler

DATA = 1 << 50  # where the scheduler keeps the traces of simulated data
SEQUENCE_MASK = entries.TICKET_MASK


class Core:
    """A fresh core on a fresh machine, with its threads."""

    def __init__(self, scheduler: Scheduler, *, pending: int = 1000, held: int = 1 << 40) -> None:
        switch = MACHINE.switch
        MACHINE.reset()
        MACHINE.switch = switch
        self.scheduler = scheduler
        self.core = scheduler.core = allocate(L.CORE_BYTES)
        self.set(L.MAX_PENDING, pending)
        self.set(L.MAX_BYTES, held)
        self.variables: dict[str, int] = {}
        self.gone: list[str] = []  # names of those given up
        self.data: dict[str, Any] = {}
        self.users: dict[str, list[tuple[str, Any]]] = {}  # occupancy
        self.places: dict[str, int] = {}
        self.jobs: dict[int, Any] = {}
        self.events: list[Event] = []
        self.pushers: list[str] = []
        self.finished = 0
        self.ran: list[Any] = []
        self.flight: list[tuple[int, Job]] = []
        self.lanes_open = 0
        self.buffers: dict[str, int] = {}
        self.parkers = 0
        self.helps = ANYTHING  # nanoseconds of what pushers run while they wait
        self.limits: dict[str, int] = {}  # the same, of threads that wait now
        self.instances: list[int] = []
        self.templates = 0

    # -------------------------------------------------------------- calls and words

    def get(self, offset: int) -> int:
        return MACHINE.words.get(self.core + offset, 0)

    def set(self, offset: int, value: int) -> None:
        MACHINE.words[self.core + offset] = value

    def call(self, entry: Callable[[int, int], int], *words: int) -> int:
        """An entry point; its arguments lie in a buffer of the calling thread."""
        thread = self.scheduler.current
        index = thread.index + 1 if thread is not None else 0
        buffer = (1 << 40) + (index << 16)
        for i, word in enumerate(words):
            MACHINE.words[buffer + L.WORD * i] = word
        return entry(buffer, len(words))

    def quietly(self, entry: Callable[[int, int], int], *words: int) -> int:
        """A call before the threads start or after their end."""
        switch, MACHINE.switch = MACHINE.switch, lambda _what, _address: None
        try:
            return self.call(entry, *words)
        finally:
            MACHINE.switch = switch

    def variable(self, *names: str) -> None:
        for name in names:
            self.variables[name] = self.quietly(state.new_variable, self.core)
            self.place(name, self.variables[name])

    def place(self, name: str, at: int) -> None:
        """Data that functions use."""
        self.data[name], self.users[name], self.places[name] = None, [], at

    def parker(self) -> int:
        self.parkers += 1
        return self.quietly(serving.new_thread, self.core)

    # -------------------------------------------------------------- what functions do

    def enter(self, names: tuple[str, ...], writes: tuple[str, ...], owner: Any) -> None:
        """Stand in the occupancy table; nobody else may write what we use, or use what we write."""
        for name in names:
            mode = "w" if name in writes else "r"
            for other, whose in self.users[name]:
                beside = whose is not owner and "w" in (mode, other)
                assert not beside, f"{owner} beside {whose} on {name}"
            self.users[name].append((mode, owner))
            self.scheduler.touch(DATA + self.places[name], write=mode == "w")

    def leave(self, names: tuple[str, ...], writes: tuple[str, ...], owner: Any) -> None:
        for name in names:
            self.users[name].remove(("w" if name in writes else "r", owner))
            self.scheduler.touch(DATA + self.places[name], write=name in writes)

    def body(self, job: Any, lo: int = 0, hi: int = 1) -> int:
        """The function of a job, interrupted in its middle; its code."""
        thread = self.scheduler.current
        limit = self.limits.get(thread.name, ANYTHING) if thread is not None else ANYTHING
        assert limit == ANYTHING or 0 < job.cost <= limit, f"{job} is run by a thread that waits"
        self.enter(job.names, job.writes, job)
        self.scheduler.point("kernel", DATA + job.number)
        seen = {name: self.data[name] for name in job.names}
        if lo == job.range[0]:
            self.ran.append(job)
            job.runs.append(seen)
        size = job.range[1] - job.range[0]
        job.parts.append((lo, hi))
        number, rest = divmod(sum(b - a for a, b in job.parts), size)
        if not job.code and not rest:  # a run may be cut into parts: the last of them writes
            for name in job.writes:
                self.data[name] = (job.name, number)
        self.leave(job.names, job.writes, job)
        return job.code

    # -------------------------------------------------------------- pushing

    def words_of(self, job: Job) -> list[int]:
        if not job.number:
            job.number = 1000 + len(self.jobs)
            self.jobs[job.number] = job
            MACHINE.kernels[job.number] = lambda _args, lo, hi: self.body(job, lo, hi)
        native = job.where == L.NATIVE
        names = job.names[:-1] if job.flags & L.FRESH else job.names
        slots = [self.variables[n] << 2 | (n in job.writes) for n in names]
        kind = L.KERNEL if native else L.CALL
        function = job.number if native else 0
        token = job.cost if native else job.number
        words = [self.core, kind, function, job.number, *job.range, job.flags, token, job.where]
        return [*words, job.priority, job.bytes, job.number, 0, len(slots), *slots]

    def submit(self, job: Job) -> int:
        """Push it; over the brake, wait. Its ticket. (`submit` takes no lane: by a template.)"""
        if job.lane:
            self.prepare(job)
            ticket = self.push(job)
            self.drop(job)
            return ticket
        words = self.words_of(job)
        return self.log_push(job, lambda: self.call(entries.submit, *words))

    def submit_fresh(self, job: Job) -> None:
        """Push a job that writes a variable made with it, the last one it names; one pusher."""
        words = self.words_of(job)
        name = job.writes[-1]
        self.variables[name] = self.call(entries.submit, *words)
        self.log(Event(self.get(L.SEQUENCE), "push", job))

    def prepare(self, job: Job) -> None:
        """Make a template of it."""
        job.template = self.call(entries.template, *self.words_of(job))
        MACHINE.words[job.template + L.O_TOKEN] = job.number
        self.templates += 1

    def drop(self, job: Job) -> None:
        """No more pushes of a prepared job."""
        self.call(entries.drop_template, self.core, job.template)

    def push(self, job: Job) -> int:
        """Push a prepared job."""
        words = (self.core, job.template, job.priority, job.where, job.lane)
        return self.log_push(job, lambda: self.call(entries.push, *words))

    def log_push(self, job: Any, pushing: Callable[[], int]) -> int:
        ticket = pushing()
        while ticket == entries.BRAKE:
            self.wait(-1)
            ticket = pushing()
        assert ticket > 0, f"{job.name} was refused: {ticket}"
        self.log(Event(ticket & SEQUENCE_MASK, "push", job))
        return ticket

    def log(self, event: Event) -> None:
        assert self.scheduler.current is not None
        name = self.scheduler.current.name
        self.events.append(dataclasses.replace(event, pusher=name))

    def give_up(self, name: str) -> None:
        """A finaliser: the variable is not used any more."""
        self.gone.append(name)
        self.call(state.give_up, self.core, self.variables.pop(name))

    # -------------------------------------------------------------- waiting and failures

    def wait(self, ticket: int, timeout: int = -1) -> bool:
        """As the engine does: what is LEFT is for others, and this thread only sleeps."""
        assert self.scheduler.current is not None
        name = self.scheduler.current.name
        helps, done = self.helps, 0
        while not done:
            self.limits[name] = helps
            words = (self.buffers[name], ticket, timeout, helps)
            done = self.call(serving.wait_for, self.core, *words)
            if done == LEFT:
                helps, done = 0, 0
            elif timeout >= 0:
                break  # else it was a signal
        self.limits.pop(name)
        if done and ticket > 0:
            assert self.call(serving.is_done, ticket) == 1, "the wait ended before the operation"
        return bool(done)

    def wait_variable(self, name: str) -> tuple[int, int] | None:
        """All present uses; the failure it raises."""
        ticket = self.call(serving.mark, self.core, self.variables[name])
        if ticket:
            self.wait(ticket)
        cell = self.call(failures.raise_variable, self.core, self.variables[name])
        return self.raised(cell, "raise_variable", name)

    def wait_all(self) -> tuple[int, int] | None:
        """Everything; the earliest failure that nobody was shown."""
        self.wait(0)
        return self.raised(self.call(failures.raise_first, self.core), "raise_first")

    def raised(self, cell: int, kind: str, name: str = "") -> tuple[int, int] | None:
        failure, sequence = None, self.get(L.SEQUENCE)
        if cell:
            word = MACHINE.words.get
            failure = (word(cell + L.C_SEQ, 0), word(cell + L.C_ROW, 0))
            sequence = word(cell + L.C_RAISED, 0)
            self.call(failures.let_cell_go, self.core, cell)
        self.log(Event(sequence, kind, None, name, failure))
        return failure
