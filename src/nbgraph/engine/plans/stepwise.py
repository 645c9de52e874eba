"""The steps of an instance, pushed one by one: where an engine has no compiled core."""

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
    """What the steps of an instance run: `runs`, of which those with words of a run have a record
    of their own. `plan`: a `Plan`."""

    __slots__ = ("_plan", "_turns", "runs")

    def __init__(self, plan: Any) -> None:
        self._plan = plan
        self._turns: dict[int, threading.RLock] = {}  # by process; a push of a whole run holds it
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
        """Push a run. It begins after the last one, with nothing failed inside: so it has to be
        pushed whole before another thread pushes one. `own`: what every run writes."""
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
                    engine.push(_forget, mutate_vars=variables(whole), prop=OVERWRITE)
                engine.push(
                    functools.partial(_with_state, run, state) if step.wants_state else run,
                    const_vars=[*variables([n for n in step.reads if n not in step.writes]), own],
                    mutate_vars=variables(step.writes),
                    priority=priority,
                    name=step.label,
                    prop=OVERWRITE if every else NORMAL,
                )

    def _begin(self, words: Sequence[int], run_ctx: RunContext) -> None:
        """All steps of a run read what this writes; so nobody reads the records now."""
        for word, places in zip(words, self._plan.patches, strict=True):
            for step, place in places:
                self.runs[step]._words[place] = word


def _copy(call: Any) -> NativeCall:
    """Return a call with a record of its own."""
    native = NativeCall(
        call.address, list(call._words), call.hi, lo=call.lo, name=call.__name__, cost=call.cost
    )
    native.keep, native.resumes = call, call.resumes  # `keep`: what its words point to
    return native


def _forget(run_ctx: RunContext) -> None:
    """Leave no failure on what is about to be written whole."""


def _with_state(run: Callable[..., Any], state: Any, run_ctx: RunContext) -> Any:
    try:
        return run(run_ctx, state)
    finally:
        del state  # an exception keeps this frame
