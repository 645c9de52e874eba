"""Runs of an instance as one push per step, on engines without a compiled core."""

from __future__ import annotations

import functools
import os
import threading
from collections.abc import Callable, Sequence
from typing import Any

from nbgraph.device import RunContext
from nbgraph.engine.base import Engine
from nbgraph.engine.native_call import NativeCall
from nbgraph.engine.properties import NO_SKIP, NORMAL, OVERWRITE
from nbgraph.engine.variable import Variable


class Steps:
    """The calls of the steps of an instance of `plan` (a `Plan`): `runs`. A call whose record a
    push patches is a copy with its own record."""

    __slots__ = ("_plan", "_turns", "runs")

    def __init__(self, plan: Any) -> None:
        self._plan = plan
        self._turns: dict[int, threading.RLock] = {}  # by process; held while a run is pushed
        patched = {step for places in plan.patches for step, _ in places}
        self.runs: list[Any] = [
            _copy(step.run) if place in patched else step.run
            for place, step in enumerate(plan.steps)
        ]

    def push(
        self,
        engine: Engine,
        own: Variable,
        externals: Sequence[Variable],
        words: Sequence[int],
        state: Any,
        priority: int,
    ) -> None:
        """Push a run. It follows the previous run and starts without failures, so that a thread has
        to push all of it before another pushes one. `own`: the variable that every run writes."""
        plan = self._plan
        names: dict[Any, Variable] = dict(zip(plan.outside, externals, strict=True))

        def variables(keys: Sequence[Any]) -> list[Variable]:
            for each in keys:
                if each not in names:
                    names[each] = engine.new_variable()
            return [names[each] for each in keys]

        begin = functools.partial(self._begin, tuple(words))
        with self._turns.setdefault(os.getpid(), threading.RLock()):
            engine.push(begin, mutate_vars=[own], prop=NO_SKIP, name=f"begin {plan.name}")
            for step, run in zip(plan.steps, self.runs, strict=True):
                whole = [name for name in step.writes if step.clears(name)]
                every = len(whole) == len(step.writes)
                if whole and not every:
                    engine.push(_clear_failures, mutate_vars=variables(whole), prop=OVERWRITE)
                engine.push(
                    functools.partial(_with_state, run, state) if step.wants_state else run,
                    const_vars=[*variables([n for n in step.reads if n not in step.writes]), own],
                    mutate_vars=variables(step.writes),
                    priority=priority,
                    name=step.label,
                    prop=OVERWRITE if every else NORMAL,
                )

    def _begin(self, words: Sequence[int], run_ctx: RunContext) -> None:
        """Patch the records; no step reads them now, as every step waits for this operation."""
        for word, places in zip(words, self._plan.patches, strict=True):
            for step, place in places:
                self.runs[step]._words[place] = word


def _copy(call: Any) -> NativeCall:
    """Return a copy of a call with its own record."""
    native = NativeCall(
        call.address, list(call._words), call.hi, lo=call.lo, name=call.__name__, cost=call.cost
    )
    native.keep, native.resumes = call, call.resumes  # `call` keeps the memory of its words alive
    return native


def _clear_failures(run_ctx: RunContext) -> None:
    """Do nothing: this overwriting push clears failures of names that a step writes whole."""


def _with_state(run: Callable[..., Any], state: Any, run_ctx: RunContext) -> Any:
    try:
        return run(run_ctx, state)
    finally:
        del state  # an exception keeps this frame
