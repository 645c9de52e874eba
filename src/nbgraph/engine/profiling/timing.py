"""Times of the steps of plans, during a profile.

A plan runs as one operation, so the core records one time for it. For a profile every kernel in the
tables of plans is replaced by `core.profile.timed`, whose record names the kernel to call and sums
the time that it takes. An operation that writes the instance's variable changes its table between
two runs. Without a profile the tables hold the kernels themselves, and none of this runs.
"""

from __future__ import annotations

import ctypes
import functools
import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from nbgraph.engine.core import layout
from nbgraph.engine.native_call import NativeCall
from nbgraph.engine.properties import NO_SKIP
from nbgraph.scopes import forkable

if TYPE_CHECKING:
    from nbgraph.device import RunContext
    from nbgraph.engine.handle import Core, PlanMemory
    from nbgraph.engine.plans.plan import Plan, Step
    from nbgraph.engine.tracked import TrackedEngine

SWITCH = "profile: switch"  # operations of this name are left out of profiles
_WORDS = layout.TIMED // layout.WORD
_LOCK = forkable(threading.RLock())


class Reading(NamedTuple):
    """Sums of a step since its timing began: nanoseconds, calls, elements of the range."""

    nanoseconds: int
    calls: int
    elements: int


class Clock:
    """The sums of one step of an instance."""

    def __init__(self, plan: Plan, step: Step, run: Any) -> None:
        self.plan, self.step = plan.name, step
        self.words = (ctypes.c_int64 * _WORDS)()
        self.extent = 0
        if isinstance(run, NativeCall):
            self.extent = run.hi - run.lo
            self.words[layout.T_FUNCTION // layout.WORD] = run.address
            self.words[layout.T_ARGS // layout.WORD] = run.record

    def read(self) -> Reading:
        """Return the sums so far."""
        return Reading(*self.words[layout.T_NANOSECONDS // layout.WORD :])

    def around(self, run: Callable[..., Any]) -> Callable[..., Any]:
        """Return `run` with timing, without a lock: runs of an instance never overlap."""
        at = layout.T_NANOSECONDS // layout.WORD

        def timed(*args: Any) -> Any:
            started = time.monotonic_ns()
            try:
                return run(*args)
            finally:
                self.words[at] += time.monotonic_ns() - started
                self.words[at + 1] += 1

        return timed


class Timing:
    """Clocks for all steps of plans in a core, while there is a profile."""

    def __init__(self, core: Core) -> None:
        self._core = core
        self._timed = core.unit.address("timed")
        self.users = 0
        self.clocks: list[Clock] = []

    def put_in(self, address: int, memory: PlanMemory) -> None:
        """Replace the steps of an instance, which is not running, by timed ones."""
        plan, runs = memory.keep
        clocks = [Clock(plan, *each) for each in zip(plan.steps, runs, strict=True)]
        memory.timed = clocks
        self.clocks += clocks
        functions = iter(memory.tokens)
        for row, clock in zip(self._rows(address, memory), clocks, strict=True):
            if self._core.peek(row + layout.R_KIND) == layout.ROW_PYTHON:
                token = next(functions)
                run, wants_state = self._core.steps[token]
                self._core.steps[token] = clock.around(run), wants_state
            else:
                self._core.poke(row + layout.R_FUNCTION, self._timed)
                self._core.poke(row + layout.R_ARGS, ctypes.addressof(clock.words))

    def take_out(self, address: int, memory: PlanMemory) -> None:
        """Restore the steps of an instance, which is not running."""
        plan, runs = memory.keep
        functions = iter(memory.tokens)
        for row, step, run in zip(self._rows(address, memory), plan.steps, runs, strict=True):
            if self._core.peek(row + layout.R_KIND) == layout.ROW_PYTHON:
                self._core.steps[next(functions)] = run, step.wants_state
            else:
                self._core.poke(row + layout.R_FUNCTION, run.address)
                self._core.poke(row + layout.R_ARGS, run.record)

    def _rows(self, address: int, memory: PlanMemory) -> range:
        """Return the addresses of the rows of steps, which follow those of late variables."""
        plan, runs = memory.keep
        first = self._core.peek(address + layout.I_TABLE) + layout.ROW * len(plan.late)
        return range(first, first + layout.ROW * len(runs), layout.ROW)


def begin(engine: TrackedEngine) -> Timing:
    """Time the steps of all plans from now on; `end` undoes it."""
    core = engine._opened()
    with _LOCK:
        timing = core.timing
        if timing is None:
            timing = core.timing = Timing(core)
            _switch(engine, core, timing.put_in)
        timing.users += 1
    return timing


def end(engine: TrackedEngine, timing: Timing) -> None:
    """Undo one `begin`."""
    with _LOCK:
        timing.users -= 1
        core = timing._core
        if timing.users == 0 and core.timing is timing:
            core.timing = None
            if core is engine._core:
                _switch(engine, core, timing.take_out)


def _switch(engine: TrackedEngine, core: Core, change: Callable[[int, PlanMemory], None]) -> None:
    """Change the tables of all instances, each between two of its runs."""
    for address, memory in list(core.instances.items()):
        instance = memory.instance()
        if instance is not None:
            run = functools.partial(_change, core, change, address, memory)
            engine.push(run, mutate_vars=[instance.variable], prop=NO_SKIP, name=SWITCH)


def _change(
    core: Core,
    change: Callable[[int, PlanMemory], None],
    address: int,
    memory: PlanMemory,
    run_ctx: RunContext,
) -> None:
    if core.instances.get(address) is memory:
        change(address, memory)
