"""Instances of plans, which are what a push runs; see `plan`."""

from __future__ import annotations

import ctypes
import weakref
from array import array
from collections.abc import Mapping, Sequence
from contextvars import Context
from typing import TYPE_CHECKING, Any

from nbgraph.codegen.fastcall import MAX_WORDS
from nbgraph.engine import checks
from nbgraph.engine.base import Engine
from nbgraph.engine.core import layout
from nbgraph.engine.core.codes import BRAKE, LAUNCHED, NO_MEMORY
from nbgraph.engine.handle import Core, PlanMemory
from nbgraph.engine.pending import NativePending
from nbgraph.engine.plans.rows import Rows
from nbgraph.engine.plans.stepwise import Steps
from nbgraph.engine.thread import here
from nbgraph.engine.threaded import ThreadedEngine
from nbgraph.engine.variable import Variable
from nbgraph.errors import ArgumentError, EngineError

if TYPE_CHECKING:
    from nbgraph.engine.handle import Entry
    from nbgraph.engine.plans.plan import Plan

    Variables = Mapping[Any, Variable] | Sequence[Variable]


class Instance:
    """A plan with the counters of its runs, ready to be pushed; `free()` frees its memory."""

    __slots__ = (
        "_address",
        "_bound",  # the compiled entry, bound to core and template
        "_core",  # the core in whose memory the instance lies
        "_deletions",  # of its owner, when the plan's variables were last checked
        "_engine",
        "_kernels",  # the engine of that core
        "_long",  # whether its words are too many for a call, and go by address
        "_own",
        "_pure",  # whether the pusher may run its Python steps
        "_quick",  # the core, if `launch` may call it directly
        "_steps",
        "_tokens",
        "__weakref__",
        "plan",
    )

    _bound: Entry
    _kernels: ThreadedEngine

    def __init__(self, plan: Plan, engine: Engine | None) -> None:
        if engine is None:
            from nbgraph.engine.selection import current

            self._engine = current
        else:
            self._engine = lambda: engine
        self.plan = plan
        self._core: Core | None = None
        self._own: Variable | None = None
        self._tokens: list[int] = []
        self._address = 0
        self._quick: Core | None = None
        self._deletions = -1
        self._pure = False
        self._long = 2 + LAUNCHED + len(plan.outside) + len(plan.patches) > MAX_WORDS
        self._steps = Steps(plan)

    @property
    def variable(self) -> Variable:
        """The variable that every run of this instance writes, for ordering other pushes."""
        return self._own_on(self._engine())

    @property
    def way(self) -> object:
        """The entry that `launch` calls directly: a new object for each template, or None."""
        return self._quick and self._bound

    @property
    def launched(self) -> tuple[ThreadedEngine, Core, int] | None:
        """The engine behind `way`, its core, and the template of a run, or None."""
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

        `variables`: replacements for this run, as a mapping from the plan's outside names, or a
        sequence of all in the order of `plan.outside`. They must be distinct. `words`: one for each
        of the plan's `patches`, written to the steps' records when the run begins. `state`: an
        argument of the steps with `wants_state`; it is released after the run, by the last step, a
        wait or a later push.
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
            self._steps.push(engine, self._own_on(engine), externals, words, state, priority)
            return None
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
        """Push a run in one compiled call, without the checks of `push`; return its ticket.

        `variables` are all in the order of `plan.outside`, alive and of this engine, or empty for
        those of the plan. `site` is the number of the line of user code, by `Engine.site_id`, or 0.
        The ticket is 0 where the plan was pushed step by step.
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
        self._steps.push(engine, self._own_on(engine), externals, words, state, priority)
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
        """Prepare whatever a launch needs, push a run and return its ticket; handle refusals."""
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
        """Call the core once: return a ticket, or the code of a refusal."""
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
        """Write the instance to this core's memory, and the template of its runs."""
        with engine._opening:
            self._quick = None  # the template may be freed
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
            # the own variable marks slots that every push fills: the core refuses one used twice
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
        """Write the instance to the core's memory; see INSTANCE words in `core.layout`."""
        self.free()
        core.reap()
        tokens: list[int] = []

        def token(step: Any) -> int:
            tokens.append(next(core.tokens))
            core.steps[tokens[-1]] = step.run, step.wants_state
            return tokens[-1]

        runs = self._steps.runs
        rows = Rows(self.plan, runs, engine._names.name, token)
        words = array("q", rows.words)
        address = core.new_memory(layout.WORD * len(words))
        if not address:
            raise EngineError(f"plan {self.plan.name!r}: no memory for {len(runs)} steps")
        for place in rows.relative:
            words[place] += address
        ctypes.memmove(address, words.buffer_info()[0], layout.WORD * len(words))
        # keeps the records of the kernels alive
        memory = PlanMemory((self.plan, runs), tokens, weakref.ref(self))
        core.instances[address] = memory
        if core.timing is not None:
            core.timing.put_in(address, memory)
        self._core, self._address, self._tokens = core, address, tokens
        self._pure = rows.words[layout.I_SERIAL // layout.WORD] == layout.PURE

    def free(self) -> None:
        """Free the memory once all pushes have run; a later push allocates it again."""
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
            core.doomed.append(self._address)  # a finaliser may not lock or push


def _address(core: Core, variable: Variable) -> int:
    return variable._address if variable._core is core else core.attach(variable)
