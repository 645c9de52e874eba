"""Plans: many steps pushed as one operation, run without Python between them.

A step is a kernel call or a Python function with what it reads and writes. Names that are engine
variables lie outside: the plan as a whole is ordered by them, like any push. All other names
(strings, numbers, whatever hashes) are the plan's own. Steps that conflict keep the order of the
list; all others may run in parallel, and a long kernel may be cut into chunks. An outside variable
goes on as soon as the last step that uses it is done; a *late* one is waited for only by the steps
that use it.

An instance holds the counters of a run. Two pushes of one instance run one after the other; two
instances of a plan run side by side.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from nbgraph.device import RunContext
from nbgraph.engine import checks
from nbgraph.engine.base import Engine
from nbgraph.engine.core import layout
from nbgraph.engine.core.plans import GRAIN
from nbgraph.engine.core.running import MOST_CHUNKS
from nbgraph.engine.handle import Core
from nbgraph.engine.kernels import Kernels
from nbgraph.engine.native_call import NativeCall
from nbgraph.engine.native_pending import NativePending
from nbgraph.engine.properties import NO_SKIP
from nbgraph.engine.variable import Variable
from nbgraph.errors import ArgumentError, EngineError

_INSTANCE_WORDS = layout.INSTANCE_BYTES // layout.WORD


@dataclass(frozen=True, slots=True)
class Step:
    """`run` is a NativeCall, or a function of a run context. `chunks`: at most so many parts; None
    leaves it to the measured time, 1 forbids it."""

    run: NativeCall | Callable[[RunContext], Any]
    reads: tuple[Hashable, ...] = ()
    writes: tuple[Hashable, ...] = ()
    chunks: int | None = None
    name: str | None = None


class Plan:
    """The order of steps, worked out once.

    Parameters
    ----------
    steps : sequence of Step
        In an order that is right when run one by one.
    late : iterable of Variable
        Variables the plan need not have when it starts.
    name : str
        For errors and profiles.

    >>> import nbgraph as ng
    >>> from nbgraph.engine.plan import Plan, Step
    >>> total, log = ng.engine.new_variable(), []
    >>> plan = Plan(
    ...     [
    ...         Step(lambda run_ctx: log.append("half"), writes=("half",)),
    ...         Step(lambda run_ctx: log.append("whole"), reads=("half",), writes=(total,)),
    ...     ]
    ... )
    >>> pushed = plan.push()
    >>> ng.engine.wait_for_var(total)
    >>> log
    ['half', 'whole']
    """

    def __init__(
        self, steps: Sequence[Step], *, late: Iterable[Variable] = (), name: str = "plan"
    ) -> None:
        self.name = name
        self.steps = tuple(steps)
        self.outside: dict[Variable, bool] = {}  # whether it is written
        if not self.steps:
            raise ArgumentError(f"plan {name!r}: no steps; expected one or more")
        for place, step in enumerate(self.steps):
            if not isinstance(step, Step) or not callable(step.run):
                raise ArgumentError(
                    f"plan {name!r}: steps[{place}]={step!r}; expected a Step of a NativeCall or "
                    "a function"
                )
            for names, written in ((step.reads, False), (step.writes, True)):
                for each in names:
                    if isinstance(each, Variable):
                        self.outside[each] = self.outside.get(each, False) or written
        self.late = tuple(dict.fromkeys(late))
        for variable in self.late:
            if variable not in self.outside:
                raise ArgumentError(f"plan {name!r}: no step uses the late {variable!r}")
        self.predecessors = _order(self.steps)
        self._first: Instance | None = None

    def instance(self, engine: Engine | None = None) -> Instance:
        """A set of counters of its own, on an engine (None: the one in force)."""
        return Instance(self, engine)

    def push(self, priority: int = 0) -> Any:
        """Push the plan's first instance."""
        if self._first is None:
            self._first = Instance(self, None)
        return self._first.push(priority)


def _order(steps: Sequence[Step]) -> list[dict[int, bool]]:
    """For each step the earlier ones it follows, and whether it uses what they wrote.

    Following the last writer and the readers since suffices; the rest follows from these.
    """
    writer: dict[Hashable, int] = {}
    readers: dict[Hashable, list[int]] = {}
    found: list[dict[int, bool]] = []
    for place, step in enumerate(steps):
        before = {writer[each]: True for each in (*step.reads, *step.writes) if each in writer}
        for each in step.writes:
            for reader in readers.pop(each, ()):
                before.setdefault(reader, False)
            writer[each] = place
        for each in step.reads:
            if each not in step.writes:
                readers.setdefault(each, []).append(place)
        before.pop(place, None)
        found.append(before)
    return found


class Instance:
    """A plan with counters: what is pushed. `free()` gives its memory back when it has run."""

    __slots__ = ("_address", "_core", "_engine", "_own", "_tokens", "plan")

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
        self._address = 0

    def push(self, priority: int = 0) -> Any:
        """Push it: on the compiled engine as one operation, elsewhere step by step."""
        engine = self._engine()
        what = f"push of plan {self.plan.name!r}"
        for variable in self.plan.outside:
            checks.usable(variable, what, engine._owner)
        if not isinstance(engine, Kernels):
            return self._push_steps(engine, priority)
        core = engine._opened()
        if self._core is not core:
            self._lay_out(engine, core)
        if self._tokens:
            engine._open_queue(core, layout.PYTHON)
        engine._flush()
        return self._push_plan(engine, core, checks.whole(priority, "priority", what))

    def _push_steps(self, engine: Engine, priority: int) -> None:
        """One by one. A run begins after the last one, with nothing failed inside."""
        own = self._own
        if own is None or own._owner is not engine._owner:
            own = self._own = engine.new_variable(f"instance of {self.plan.name}")
        engine.push(_begin, mutate_vars=[own], prop=NO_SKIP, name=f"begin {self.plan.name}")
        inside: dict[Hashable, Variable] = {}

        def variables(given: Iterable[Hashable]) -> list[Variable]:
            return [
                each
                if isinstance(each, Variable)
                else inside.setdefault(each, engine.new_variable())
                for each in given
            ]

        for step in self.plan.steps:
            engine.push(
                step.run,
                const_vars=[*variables(step.reads), own],
                mutate_vars=variables(step.writes),
                priority=priority,
                name=step.name or getattr(step.run, "__name__", None) or self.plan.name,
            )

    def _push_plan(self, engine: Kernels, core: Core, priority: int) -> NativePending:
        plan = self.plan
        own = self._own
        assert own is not None
        slots: list[int] = []
        for variable, written in plan.outside.items():
            address = variable._address if variable._core is core else core.attach(variable)
            bits = (layout.MUTATE if written else 0) | (layout.LATE if variable in plan.late else 0)
            slots.append(address << 2 | bits)
        address = own._address if own._core is core else core.attach(own)
        words = [
            *(layout.PLAN, 0, self._address, 0, 0, layout.NO_SKIP, 0, layout.NATIVE, priority, 0),
            *(engine._name_id(plan.name), engine._site_id(), len(slots) + 1),
            *slots,
            address << 2 | layout.MUTATE,
        ]
        ticket = core.call("submit", words)
        while ticket <= 0:
            engine._refused(core, ticket, plan)
            ticket = core.call("submit", words)
        writes = tuple(v for v, written in plan.outside.items() if written)
        return NativePending(engine, plan.name, ticket, writes)

    def _lay_out(self, engine: Kernels, core: Core) -> None:
        """The instance in the core's memory; see INSTANCE words in `core.layout`."""
        engine._reap(core)
        self._own = engine.new_variable(f"instance of {self.plan.name}")
        rows = _Rows(self.plan, engine, core)
        words = rows.words()
        address = core.new_memory(layout.WORD * len(words))
        if not address:
            raise EngineError(f"plan {self.plan.name!r}: no memory for {len(rows.rows)} steps")
        for place in rows.relative:
            words[place] += address
        ctypes.memmove(address, (ctypes.c_int64 * len(words))(*words), layout.WORD * len(words))
        self._core, self._address, self._tokens = core, address, rows.tokens
        core.instances[address] = self.plan, rows.tokens  # its kernels' records live as long

    def free(self) -> None:
        """Give the memory back, once all pushes have run; a later push lays it out anew."""
        core, self._core = self._core, None
        if core is not None:
            core.doomed.append(self._address)
            engine = self._engine()
            if isinstance(engine, Kernels) and core is engine._core:
                engine._reap(core)

    def __del__(self) -> None:
        core = getattr(self, "_core", None)
        if core is not None:
            core.doomed.append(self._address)  # no lock, no push


def _begin(run_ctx: RunContext) -> None:
    """All steps of a run read what this writes."""


class _Rows:
    """A plan as the words of an instance."""

    def __init__(self, plan: Plan, engine: Kernels, core: Core) -> None:
        self.tokens: list[int] = []
        self.relative: list[int] = []
        outside = list(plan.outside)
        index = {variable: k for k, variable in enumerate(outside)}
        late = {variable: r for r, variable in enumerate(plan.late)}
        shift = len(late)
        self.rows: list[list[int]] = [
            [0, 0, 0, 0, layout.ROW_ACQUIRE, 1, 0, index[variable], 0, 0] for variable in late
        ]
        self.before: list[dict[int, bool]] = [{} for _ in late]
        self.uses: list[list[int]] = [[] for _ in late]
        for step, before in zip(plan.steps, plan.predecessors, strict=True):
            uses = {index[v] << 1 for v in step.reads if isinstance(v, Variable)}
            for each in step.writes:
                if isinstance(each, Variable):
                    uses.discard(index[each] << 1)
                    uses.add(index[each] << 1 | 1)
            waits = {late[outside[u >> 1]]: True for u in uses if outside[u >> 1] in late}
            self.before.append(waits | {b + shift: used for b, used in before.items()})
            self.uses.append(sorted(uses))
            self.rows.append(self._row(step, engine, core, len(uses)))
        self.outside = len(outside)

    def _row(self, step: Step, engine: Kernels, core: Core, uses: int) -> list[int]:
        run = step.run
        name = engine._name_id(step.name or getattr(run, "__name__", "step"))
        if isinstance(run, NativeCall):
            chunks = step.chunks
            if chunks is None:
                chunks = MOST_CHUNKS if run.cost >= 2 * GRAIN else 1
            chunks = max(1, min(chunks, MOST_CHUNKS, run.hi - run.lo))
            row = [run.address, run.record, run.lo, run.hi, layout.ROW_KERNEL]
            return [*row, chunks, run.cost, 0, name, uses]
        token = next(core.tokens)
        self.tokens.append(token)
        engine._steps[token] = run
        return [0, 0, 0, 0, layout.ROW_PYTHON, 1, 0, token, name, uses]

    def words(self) -> list[int]:
        """Header, table and arrays; addresses in them count from the beginning."""
        count = len(self.rows)
        degrees = [len(b) for b in self.before]
        after: list[list[int]] = [[] for _ in self.rows]
        carries: list[list[int]] = [[] for _ in self.rows]
        for row, before in enumerate(self.before):
            for each, used in before.items():
                after[each].append(row)
                carries[each].append(int(used))
        users = [0] * self.outside
        for uses in self.uses:
            for use in uses:
                users[use >> 1] += 1
        tickets = sum(row[5] for row in self.rows) + 1
        serial = all(row[4] == layout.ROW_KERNEL for row in self.rows)
        self._words = [0] * _INSTANCE_WORDS
        self._put(layout.I_TABLE, [word for row in self.rows for word in row])
        self._put(layout.I_INDEGREE, degrees)
        self._put(layout.I_COUNTERS, degrees)
        self._put_lists(layout.I_OFFSETS, layout.I_SUCCESSORS, after)
        self._put(layout.I_CARRIES, [used for each in carries for used in each])
        self._put(layout.I_TICKETS, [0] * tickets)
        self._put(layout.I_ERRORS, [0] * count)
        self._put(layout.I_REMAINING, users)
        self._put(layout.I_USES, users)
        self._put_lists(layout.I_USE_OFFSETS, layout.I_USE, self.uses)
        for place in (layout.I_LEFT, layout.I_NEXT_CHUNK, layout.I_CHUNKS):
            self._put(place, [1] * count)
        self._put(layout.I_EXTERNAL_ERRORS, [0] * (2 * self.outside))
        self._set(layout.I_ROWS, count)
        self._set(layout.I_EXTERNALS, self.outside)
        self._set(layout.I_SERIAL, int(serial))
        self._set(layout.I_WIDTH, int(self._wide()))
        self._set(layout.I_SERIAL_NS, sum(row[6] for row in self.rows))
        return self._words

    def _wide(self) -> bool:
        """Whether anything can run beside anything else."""
        if any(row[5] > 1 for row in self.rows):
            return True
        depth: list[int] = []
        for before in self.before:
            depth.append(1 + max((depth[b] for b in before), default=0))
        return len(set(depth)) < len(depth)

    def _set(self, offset: int, value: int) -> None:
        self._words[offset // layout.WORD] = value

    def _put(self, offset: int, values: Sequence[int]) -> None:
        """An array at the end, its address in the header."""
        self._set(offset, layout.WORD * len(self._words))
        self.relative.append(offset // layout.WORD)
        self._words += values or [0]

    def _put_lists(self, offsets: int, place: int, lists: Sequence[Sequence[int]]) -> None:
        """Lists one behind the other, with where each begins (CSR)."""
        begins = [0]
        for each in lists:
            begins.append(begins[-1] + len(each))
        self._put(offsets, begins)
        self._put(place, [value for each in lists for value in each])
