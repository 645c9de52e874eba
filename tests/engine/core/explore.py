"""Which schedules are run: all with few preemptions, or long random ones.

Musuvathi, Qadeer, "Iterative context bounding for systematic testing of multithreaded programs",
PLDI 2007: most errors need few preemptions, so all schedules with at most k of them are run, depth
first. States that were reached before with no smaller budget are not explored again, a state being
the partial order of the steps that led to it. Burckhardt, Kothari, Musuvathi, Nagarakatte, "A
randomized scheduler with probabilistic guarantees of finding bugs", ASPLOS 2010: random priorities
that change at few random steps.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any

from nbgraph.engine.core.machine import MACHINE
from tests.engine.core.scheduler import Chooser, Option, Pruned, Scheduler

Program = Callable[[Scheduler], Callable[[], None]]  # sets a bench up; its check afterwards


class Failed(AssertionError):
    """A schedule under which a program went wrong."""

    def __init__(self, error: BaseException, scheduler: Scheduler, replay: str) -> None:
        super().__init__(f"{type(error).__name__}: {error}\n{scheduler.schedule()}\n{replay}")


class Replay(Chooser):
    """Follows a list of choices, then lets threads run on; remembers where there was a choice."""

    def __init__(self, choices: Sequence[int], budget: int, *, alarms: bool = False) -> None:
        self.choices = list(choices)
        self.widths: list[int] = []
        self.budget = budget
        self.alarms = alarms

    def choose(self, options: Sequence[Option], scheduler: Scheduler) -> Option:
        at = len(self.widths)
        if at == len(self.choices):
            self.arrive(scheduler)
            self.choices.append(0)
        self.widths.append(len(options))
        return options[self.choices[at]]

    def arrive(self, scheduler: Scheduler) -> None:
        """At a choice that was not made before."""


class Deep(Replay):
    """Stops where everything that may follow has been explored."""

    wants_state = True

    def __init__(
        self, choices: Sequence[int], budget: int, seen: dict[int, int], *, alarms: bool
    ) -> None:
        super().__init__(choices, budget, alarms=alarms)
        self.seen = seen

    def arrive(self, scheduler: Scheduler) -> None:
        key = scheduler.key()
        if self.seen.get(key, -1) >= scheduler.budget:
            raise Pruned
        self.seen[key] = scheduler.budget


class Priorities(Chooser):
    """PCT: the thread of the highest priority runs; at a few random steps it becomes the lowest."""

    budget = 1 << 30

    def __init__(self, seed: int, steps: int, depth: int = 4, *, alarms: bool = False) -> None:
        self.random = random.Random(seed)
        self.points = set(self.random.sample(range(1, max(steps, depth + 1)), depth))
        self.alarms = alarms
        self.ranks: dict[int, float] = {}
        self.lowest = 0.0

    def choose(self, options: Sequence[Option], scheduler: Scheduler) -> Option:
        for option in options:
            self.ranks.setdefault(option.thread.index, self.random.random())
        usual = [o for o in options if not o.alarm] or list(options)
        best = max(usual, key=lambda o: self.ranks[o.thread.index])
        if scheduler.steps in self.points:
            self.points.discard(scheduler.steps)
            self.lowest -= 1.0
            self.ranks[best.thread.index] = self.lowest
            return self.choose(options, scheduler)
        alarms = [o for o in options if o.alarm]
        if alarms and self.random.random() < 0.01:
            return self.random.choice(alarms)
        return best


class Walk(Chooser):
    """Runs on, and now and then lets anybody go on."""

    budget = 1 << 30

    def __init__(self, seed: int, rate: float, *, alarms: bool = False) -> None:
        self.random = random.Random(seed)
        self.rate = rate
        self.alarms = alarms

    def choose(self, options: Sequence[Option], scheduler: Scheduler) -> Option:
        if options[0].cost == 0 and self.random.random() > self.rate:
            free = [o for o in options if o.cost == 0 and not o.alarm]
            if free and options[0].thread is scheduler.current:
                return options[0]
            if free:
                return self.random.choice(free)
        return self.random.choice(options)


class Late(Chooser):
    """Stops the thread that is about to claim a ticket by addition until others have claimed all,
    and one of them runs the last: its place is of a ticket yet to come. In one run of a
    plan of several."""

    budget = 1 << 30

    def __init__(self, tickets: int, run: int) -> None:
        self.tickets, self.epoch = tickets, run
        self.late: Any = None
        self.looks = 0  # of the late thread at its place

    def choose(self, options: Sequence[Option], scheduler: Scheduler) -> Option:
        for option in options:
            thread = option.thread
            if self.late is None and thread.what == "add" and self.is_head(thread.address):
                self.late = thread
        others = [o for o in options if o.thread is not self.late]
        mine = [o for o in options if o.thread is self.late]
        if self.late is None or (self.late.what == "add" and not self.all_claimed(others)):
            return (others or options)[0]
        self.looks += bool(mine)
        return (mine or options)[0]

    def is_head(self, address: int) -> bool:
        word = MACHINE.words.get(address, 0)
        return word >> 32 == self.epoch and word & 0xFFFFFFFF < self.tickets

    def all_claimed(self, others: Sequence[Option]) -> bool:
        claimed = MACHINE.words.get(self.late.address, 0) & 0xFFFFFFFF == self.tickets
        return claimed and any(o.thread.what == "kernel" for o in others)


def once(program: Program, chooser: Chooser, replay: Callable[[], str]) -> Scheduler:
    """One schedule; what goes wrong in it is told with the schedule."""
    scheduler = Scheduler(chooser)
    try:
        check = program(scheduler)
        scheduler.run()
        check()
    except (Pruned, NameError, TypeError):  # the last two: a mutant that is not a program
        raise
    except Exception as error:
        raise Failed(error, scheduler, replay()) from error
    return scheduler


def exhaustive(
    program: Program, budget: int, *, alarms: bool = False, most: int = 1 << 30
) -> tuple[int, bool]:
    """All schedules with at most `budget` preemptions: how many were run, and whether all were."""
    seen: dict[int, int] = {}
    choices: list[int] = []
    count = 0
    while True:
        chooser = Deep(choices, budget, seen, alarms=alarms)
        count += 1
        try:
            once(program, chooser, lambda c=chooser: f"replay({c.choices}, {budget}, {alarms})")
        except Pruned:
            pass
        choices, widths = chooser.choices[: len(chooser.widths)], chooser.widths
        while choices and choices[-1] + 1 >= widths[len(choices) - 1]:
            choices.pop()
        if not choices:
            return count, True
        if count >= most:
            return count, False
        choices[-1] += 1


def replay(program: Program, choices: Sequence[int], budget: int, alarms: bool = False) -> Any:
    """Run a printed schedule again."""
    return once(program, Replay(choices, budget, alarms=alarms), lambda: "the same again")


def randomly(program: Program, seed: int, runs: int, *, alarms: bool = False) -> int:
    """Seeded random schedules; how many steps they had."""
    steps, total = 200, 0
    for number in range(runs):
        chooser = random_chooser(seed + number, steps, alarms=alarms)
        told = f"again({seed + number}, {steps}, {alarms})"
        scheduler = once(program, chooser, lambda t=told: t)
        steps = max(steps, scheduler.steps // 50 * 50)
        total += scheduler.steps
    return total


def random_chooser(seed: int, steps: int, *, alarms: bool) -> Chooser:
    """The chooser of a seed."""
    dice = random.Random(seed)
    if seed % 2:
        return Walk(seed, dice.choice((0.02, 0.1, 0.4)), alarms=alarms)
    return Priorities(seed, steps, dice.choice((2, 4, 8)), alarms=alarms)


def again(program: Program, seed: int, steps: int, alarms: bool = False) -> Any:
    """Run a printed random schedule again."""
    chooser = random_chooser(seed, steps, alarms=alarms)
    return once(program, chooser, lambda: "the same again")
