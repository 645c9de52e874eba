"""Instances of plans: what is pushed. See `plan` for what a plan is."""

from __future__ import annotations

import ctypes
import functools
import os
import threading
import weakref
from array import array
from collections.abc import Callable, Mapping, Sequence
from contextvars import Context
from typing import TYPE_CHECKING, Any

from nbgraph.codegen.fastcall import MAX_WORDS
from nbgraph.device import RunContext
from nbgraph.engine import checks
from nbgraph.engine.base import Engine
from nbgraph.engine.core import layout
from nbgraph.engine.core.codes import BRAKE, LAUNCHED, NO_MEMORY
from nbgraph.engine.handle import Core, PlanMemory
from nbgraph.engine.native_call import NativeCall
from nbgraph.engine.pending import NativePending
from nbgraph.engine.plans.rows import Rows
from nbgraph.engine.properties import NO_SKIP, NORMAL, OVERWRITE
from nbgraph.engine.thread import here
from nbgraph.engine.threaded import ThreadedEngine
from nbgraph.engine.variable import Variable
from nbgraph.errors import ArgumentError, EngineError

if TYPE_CHECKING:
    from nbgraph.engine.handle import Entry
    from nbgraph.engine.plans.plan import Plan

    Variables = Mapping[Any, Variable] | Sequence[Variable]


class Instance:
    """A plan with counters: what is pushed. `free()` gives its memory back when it has run."""

    __slots__ = (
        "_address",
        "_bound",  # the compiled entry, with core and template
        "_core",  # that the instance lies in
        "_deletions",  # of its owner, when the plan's variables were last looked at
        "_engine",
        "_kernels",  # the engine of that core
        "_long",  # more words than a call holds: they go by address
        "_own",
        "_pure",  # whether the pusher may run its Python steps
        "_quick",  # the core, if `launch` may go straight to it
        "_runs",
        "_tokens",
        "__weakref__",
        "_turns",  # by process: who pushes a run step by step holds it
        "plan",
    )

    _bound: Entry
    _kernels: ThreadedEngine

    def __init__(self, plan: Plan, engine: Engine | None) -> None:
        if engine is None:
            from nbgraph.engine.current import current

            self._engine = current
        else:
            self._engine = lambda: engine
        self.plan = plan
        self._core: Core | None = None
        self._own: Variable | None = None
        self._tokens: list[int] = []
        self._turns: dict[int, threading.RLock] = {}
        self._address = 0
        self._quick: Core | None = None
        self._deletions = -1
        self._pure = False
        self._long = 2 + LAUNCHED + len(plan.outside) + len(plan.patches) > MAX_WORDS
        patched = {step for places in plan.patches for step, _ in places}
        self._runs: list[Any] = [
            _copy(step.run) if place in patched else step.run
            for place, step in enumerate(plan.steps)
        ]

    @property
    def variable(self) -> Variable:
        """What every run of this instance writes: a push that names it is ordered among them."""
        return self._own_on(self._engine())

    @property
    def way(self) -> object:
        """What `launch` goes straight to; another object when the template is another one, and None
        while there is none."""
        return self._quick and self._bound

    @property
    def launched(self) -> tuple[ThreadedEngine, Core, int] | None:
        """The engine of that way, its core, and the template of a run."""
        core = self._quick
        return core and (self._kernels, core, core.instances[self._address].template)

    def push(
        self,
        priority: int = 0,
        variables: Variables | None = None,
        *,
        words: Sequence[int] = (),
        state: Any = None,
    ) -> Any:
        """Push a run: on the compiled engine as one operation, elsewhere step by step.

        `variables`: for this run, instead of those the plan was made with: by these, or all of them
        in the order of `plan.outside`. They must be distinct. `words`: one for each of the plan's
        `patches`, written to the steps' records when the run begins. `state`: what steps with
        `wants_state` are given; it is let go after the run, once its last step, a wait or another
        push notices.
        """
        engine = self._engine()
        externals: tuple[Any, ...] = tuple(self.plan.outside)
        if variables is not None or self._deletions != engine._owner.deletions:
            externals = self._named(variables, engine)
        what = f"push of plan {self.plan.name!r}"
        if len(words) != len(self.plan.patches):
            raise ArgumentError(
                f"{what}: {len(words)} words; expected {len(self.plan.patches)}, one for each of "
                "the plan's patches"
            )
        priority = checks.whole(priority, "priority", what)
        if not isinstance(engine, ThreadedEngine):
            return self._push_steps(engine, externals, words, state, priority)
        other = () if variables is None else externals
        ticket = self._launch(engine, other, words, engine.site_id(), state, priority)
        written = zip(externals, self.plan.outside.values(), strict=True)
        return NativePending(engine, self.plan.name, ticket, tuple(v for v, w in written if w))

    def launch(
        self,
        variables: Sequence[Variable] = (),
        words: Sequence[int] = (),
        site: int = 0,
        state: Any = None,
        priority: int = 0,
    ) -> int:
        """Return the quick way: as `push`, in one compiled call and without its checks.

        `variables` are all in the order of `plan.outside`, alive and of this engine, or none: those
        of the plan. `site` is what `Engine.site_id` gave for the line of user code, or 0. The
        answer names the operation (a ticket); it is 0 where the plan was pushed step by step.
        """
        core = self._quick
        if core is not None and state is None:
            engine = self._kernels
            if (
                core is engine._live
                and not engine._bulks
                and (variables or self._deletions == engine._owner.deletions)
            ):
                if variables:
                    words = [
                        *[v._address if v._core is core else core.attach(v) for v in variables],
                        *words,
                    ]
                if self._long and words:
                    ticket = self._by_address(core, site, priority, 0, 0, *words)
                else:
                    ticket = self._bound(site, priority, 0, 0, *words)
                if ticket > 0:
                    return ticket
                words = words[len(variables) :]
        engine = self._engine()
        if isinstance(engine, ThreadedEngine):
            return self._launch(engine, variables, words, site, state, priority)
        externals = self._named(variables or None, engine)
        self._push_steps(engine, externals, words, state, priority)
        return 0

    def _named(self, variables: Variables | None, engine: Engine) -> tuple[Variable, ...]:
        """Return the variables of a run in the order of `plan.outside`, checked."""
        what = f"push of plan {self.plan.name!r}"
        outside = tuple(self.plan.outside)
        externals: tuple[Any, ...] = outside
        if isinstance(variables, Mapping):
            for key in variables:
                if key not in self.plan.outside:
                    raise ArgumentError(f"{what}: variables: no step uses {key!r}")
            externals = tuple(variables.get(each, each) for each in outside)
        elif variables is not None:
            externals = tuple(variables)
            if len(externals) != len(outside):
                raise ArgumentError(
                    f"{what}: {len(externals)} variables; expected {len(outside)}, for "
                    f"{', '.join(map(repr, outside))}"
                )
        checks.stand_ins(externals, outside, engine._owner, what)
        if self._own is not None and self._own in externals:
            raise ArgumentError(f"{what}: {self._own!r} is the instance's own; expected another")
        return externals

    def _own_on(self, engine: Engine) -> Variable:
        own = self._own
        if own is None or own._owner is not engine._owner:
            own = self._own = engine.new_variable(f"instance of {self.plan.name}")
        return own

    # step by step ------------------------------------------------------------------------------

    def _push_steps(
        self,
        engine: Engine,
        externals: Sequence[Variable],
        words: Sequence[int],
        state: Any,
        priority: int,
    ) -> None:
        """One by one. A run begins after the last one, with nothing failed inside: so it has to be
        pushed whole before another thread pushes one."""
        plan, own = self.plan, self._own_on(engine)
        names: dict[Any, Variable] = dict(zip(plan.outside, externals, strict=True))

        def variables(keys: Sequence[Any]) -> list[Variable]:
            for each in keys:
                if each not in names:
                    names[each] = engine.new_variable()
            return [names[each] for each in keys]

        begin = functools.partial(self._begin, tuple(words))
        with self._turns.setdefault(os.getpid(), threading.RLock()):
            engine.push(begin, mutate_vars=[own], prop=NO_SKIP, name=f"begin {plan.name}")
            for step, run in zip(plan.steps, self._runs, strict=True):
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
        for word, places in zip(words, self.plan.patches, strict=True):
            for step, place in places:
                self._runs[step]._words[place] = word

    # as one operation --------------------------------------------------------------------------

    def _launch(
        self,
        engine: ThreadedEngine,
        variables: Sequence[Variable],
        words: Sequence[int],
        site: int,
        state: Any,
        priority: int,
    ) -> int:
        """Whatever has to be made ready first; the ticket. What is refused is held back or told."""
        core = engine._opened()
        if not variables and self._deletions != engine._owner.deletions:
            self._named(None, engine)
            self._deletions = engine._owner.deletions
        if self._quick is not core:
            self._prepare(engine, core)
        engine._flush()
        if self._tokens:
            engine._open_queue(core, layout.PYTHON)
        forced = int(here.running is not None)
        while True:
            ticket = self._enter(core, variables, words, site, state, priority, forced)
            if ticket > 0:
                return ticket
            if ticket in {BRAKE, NO_MEMORY}:
                engine._refused(core, ticket, self.plan.name)
            else:
                self._named(variables or None, engine)
                self._prepare(engine, core)

    def _enter(
        self,
        core: Core,
        variables: Sequence[Variable],
        words: Sequence[int],
        site: int,
        state: Any,
        priority: int,
        forced: int,
    ) -> int:
        """One compiled call: a ticket, or a refusal."""
        token = 0
        if state is not None:
            token = next(core.tokens)
            core.states[token] = state
        if variables:
            words = [
                *[v._address if v._core is core else core.attach(v) for v in variables],
                *words,
            ]
        runner = core.parker() if self._pure and not forced else 0
        try:
            if self._long and words:
                ticket = self._by_address(core, site, priority, token, runner or forced, *words)
            else:
                ticket = self._bound(site, priority, token, runner or forced, *words)
            while True:  # Python 3.13 guards no `while condition`: cpython#130279
                step = core.peek(runner + layout.P_STEP) if runner else 0
                if not step:
                    break
                Context().run(self._kernels._run_step, core, step)  # as on another thread
        except BaseException:
            if runner:
                core.hand_over(runner)
                here.running = None
            raise
        if token and ticket <= 0:
            del core.states[token]
        return ticket

    def _by_address(self, core: Core, *words: int) -> int:
        return core.call("launch", (core.instances[self._address].template, *words))

    def _prepare(self, engine: ThreadedEngine, core: Core) -> None:
        """The instance in this core's memory, and a template of what is launched."""
        with engine._opening:
            self._quick = None  # the template may go
            if self._core is not core:
                self._lay_out(engine, core)
            entry = core.instances[self._address]
            if entry.template:
                core.drop_template(entry.template)
            entry.template = 0
            entry.template = self._template(engine, core)
            self._bound = core.bound("launch", entry.template)
            self._kernels, self._quick = engine, core

    def _template(self, engine: ThreadedEngine, core: Core) -> int:
        plan = self.plan
        own = _address(core, self._own_on(engine))
        late = set(plan.late)
        slots: list[int] = []
        for each, written in plan.outside.items():
            bits = (layout.MUTATE if written else 0) | (layout.LATE if each in late else 0)
            # in place of what every push has to name: the core refuses a variable named twice
            address = _address(core, each) if isinstance(each, Variable) else own
            slots.append(address << 2 | bits)
        words = [
            *(layout.PLAN, 0, self._address, 0, 0, layout.NO_SKIP, 0, layout.NATIVE, 0, 0),
            *(engine._names.name(plan.name), 0, len(slots) + 1),
            *slots,
            own << 2 | layout.MUTATE,
        ]
        template = core.call("template", words)
        if template <= 0:
            raise EngineError(f"plan {plan.name!r}: the engine has no memory left")
        core.poke(template + layout.O_TOKEN, next(core.tokens))
        return template

    def _lay_out(self, engine: ThreadedEngine, core: Core) -> None:
        """The instance in the core's memory; see INSTANCE words in `core.layout`."""
        self.free()
        core.reap()
        tokens: list[int] = []

        def token(step: Any) -> int:
            tokens.append(next(core.tokens))
            core.steps[tokens[-1]] = step.run, step.wants_state
            return tokens[-1]

        rows = Rows(self.plan, self._runs, engine._names.name, token)
        words = array("q", rows.words)
        address = core.new_memory(layout.WORD * len(words))
        if not address:
            raise EngineError(f"plan {self.plan.name!r}: no memory for {len(self._runs)} steps")
        for place in rows.relative:
            words[place] += address
        ctypes.memmove(address, words.buffer_info()[0], layout.WORD * len(words))
        # kernels' records live as long
        memory = PlanMemory((self.plan, self._runs), tokens, weakref.ref(self))
        core.instances[address] = memory
        if core.timing is not None:
            core.timing.put_in(address, memory)
        self._core, self._address, self._tokens = core, address, tokens
        self._pure = rows.words[layout.I_SERIAL // layout.WORD] == layout.PURE

    def free(self) -> None:
        """Give the memory back, once all pushes have run; a later push lays it out anew."""
        self._quick = None
        core, self._core = self._core, None
        if core is not None:
            core.doomed.append(self._address)
            engine = self._engine()
            if isinstance(engine, ThreadedEngine) and core is engine._core:
                core.reap()

    def __del__(self) -> None:
        core = getattr(self, "_core", None)
        if core is not None:
            core.doomed.append(self._address)  # no lock, no push


def _address(core: Core, variable: Variable) -> int:
    return variable._address if variable._core is core else core.attach(variable)


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
