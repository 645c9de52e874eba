"""Kernels on the threaded engine, which run without Python between the push and the end."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from types import CodeType
from typing import TYPE_CHECKING, Any

from nbgraph.codegen.fastcall import MAX_WORDS
from nbgraph.device import Context, run_context
from nbgraph.engine import checks
from nbgraph.engine.core import layout
from nbgraph.engine.core.codes import COUNT_BITS, FIXED
from nbgraph.engine.failure import Failure
from nbgraph.engine.native_call import SMALL_BELOW, NativeCall
from nbgraph.engine.operation import CPU, KernelView, NativeOperator
from nbgraph.engine.pending import NativePending
from nbgraph.engine.properties import NORMAL, FnProperty
from nbgraph.engine.sites import caller
from nbgraph.engine.thread import here, inside
from nbgraph.engine.variable import Variable

if TYPE_CHECKING:
    from nbgraph.engine.handle import Core, Entry
    from nbgraph.engine.threaded import ThreadedEngine

_FLAGS = {FnProperty.NO_SKIP: layout.NO_SKIP, FnProperty.OVERWRITE: layout.OVERWRITES}
SPLIT_FROM = 24_000  # nanoseconds from which a kernel may be cut into chunks
MOST_WORDS = MAX_WORDS - FIXED - 1  # of variables and record in one call; more go by address


def _size_flags(cost: int) -> int:
    """Return the flag of a kernel of `cost` nanoseconds: it may run in the pusher, or be cut."""
    if 0 < cost <= SMALL_BELOW:
        return layout.SMALL
    return layout.SPLITTABLE if cost >= SPLIT_FROM else 0


class KernelPush:
    """The part of the threaded engine that runs kernels."""

    def __init__(self, engine: ThreadedEngine) -> None:
        self._engine = engine

    def push(
        self,
        call: NativeCall,
        ctx: Context | None,
        const_vars: Any,
        mutate_vars: Any,
        priority: int,
        name: str | None,
        nbytes: int,
        prop: FnProperty,
    ) -> NativePending:
        """Like `Engine.push`; the kernel runs without Python."""
        engine = self._engine
        name = checks.label(call, name, "push")
        what = f"push of {name!r}"
        reads, writes = checks.variables(const_vars, mutate_vars, engine._owner, what)
        if ctx is not None:
            checks.context(ctx, what)
        priority = checks.whole(priority, "priority", what)
        nbytes = checks.size(nbytes, what)
        core = engine._opened()
        engine._flush()
        flags = 0 if prop is NORMAL else _FLAGS.get(prop, 0)
        words = self._words(core, call, name, reads, writes, flags, priority, nbytes)
        ticket = core.call("submit", words)
        while ticket <= 0:
            engine._refused(core, ticket, name)
            ticket = core.call("submit", words)
        return NativePending(engine, name, ticket, writes)

    def _words(
        self,
        core: Core,
        call: NativeCall,
        name: str,
        reads: Sequence[Variable],
        writes: Sequence[Variable],
        flags: int = 0,
        priority: int = 0,
        nbytes: int = 0,
    ) -> list[int]:
        """Return the arguments of `submit` and `template`."""
        flags |= _size_flags(call.cost)
        if here.running is not None:
            flags |= layout.FORCE
        has_words, names = call._words is not None, self._engine._names
        return [
            *(layout.KERNEL, call.address, 0 if has_words else call.record, call.lo, call.hi),
            *(flags, call.cost, layout.NATIVE, priority, nbytes),
            *(names.name(name), names.site(*caller(2)), len(reads) + len(writes)),
            *[(v._address if v._core is core else core.attach(v)) << 2 for v in reads],
            *[(v._address if v._core is core else core.attach(v)) << 2 | 1 for v in writes],
            *(call._words if has_words else ()),
        ]

    # operators ---------------------------------------------------------------------------------

    def operator(
        self,
        call: Any,
        name: str,
        reads: tuple[Variable, ...],
        writes: tuple[Variable, ...],
        line: tuple[CodeType, int],
    ) -> NativeOperator:
        """Return a kernel with its variables, laid out in the core, with a fast `push()`."""
        opr = NativeOperator(self._engine._owner, call, name, reads, writes, False, line)
        opr.call = call
        opr.core = None
        self._prepare(opr)
        return opr

    def _prepare(self, opr: NativeOperator) -> None:
        """Write the operator's template to the current core."""
        engine = self._engine
        core = engine._opened()
        words = self._words(core, opr.call, opr.name, opr.reads, opr.writes)
        template = core.call("template", words)
        if template <= 0:
            engine._refused(core, template, opr.name)
        token = next(core.tokens)
        core.poke(template + layout.O_TOKEN, token)
        core.operators[token] = opr
        opr.core = opr.home = core
        opr.template = template
        entry, owner = core.bound("push", template), engine._owner

        def push() -> int:
            if opr.core is engine._core and opr.checked == owner.deletions and not engine._bulks:
                ticket = entry()
                if ticket > 0:
                    return ticket
            return self._push_slowly(opr, 0)

        opr.push = push

    def _push_slowly(self, opr: NativeOperator, priority: int) -> int:
        engine = self._engine
        checks.usable_operator(opr, engine._owner, "push_operator")
        other = engine._owner.engine
        if other is not None and other is not engine:  # another engine has been put in force
            other.push_operator(opr, priority=priority)
            return 0
        core = engine._opened()
        if opr.core is not core:
            if opr.home is core:
                opr.core = core
            else:
                self._prepare(opr)
        engine._flush()
        while True:
            # a push by a function is never held back: room may depend on that function's own end
            ticket = core.push(opr.template, priority, layout.NATIVE, 0, here.running is not None)
            if ticket > 0:
                return ticket
            engine._refused(core, ticket, opr.name)

    def push_operator(
        self, opr: NativeOperator, ctx: Context | None, priority: int
    ) -> NativePending:
        """Like `Engine.push_operator`, for pushes that `opr.push()` cannot do."""
        if ctx is not None:
            checks.context(ctx, f"push_operator of {opr.name!r}")
        priority = checks.whole(priority, "priority", f"push_operator of {opr.name!r}")
        ticket = self._push_slowly(opr, priority)
        return NativePending(self._engine, opr.name, ticket, opr.writes)

    def retire(self, opr: Any) -> None:
        """Free the template of a deleted operator."""
        core = self._engine._core
        opr.core = None  # disables its fast path
        if core is not None and opr.home is core:
            core.drop_template(opr.template)
            core.reap()

    # what Python does between kernels ----------------------------------------------------------

    def run_step(self, core: Core, block: int) -> None:
        """Run a Python function of a plan; an exception fails the steps that depend on it.

        In the pusher an exception may come from a signal, which is then raised here: the function
        is called again, and raises once more if the exception was its own.
        """
        run, wants_state = core.steps[core.peek(block + layout.O_TOKEN)]
        names = self._engine._names
        name = names.names[core.peek(block + layout.O_NAME)]
        plan = core.peek(core.peek(block + layout.O_ARGS) + layout.I_OPERATION)
        place = names.sites[core.peek(plan + layout.O_SITE)]
        number = core.peek(plan + layout.O_SEQ)
        view, was_inside, code, token = KernelView(name, place), inside.get(), 0, 0
        call: Callable[[], Any] = partial(run, run_context(CPU))
        if wants_state:
            call = partial(call, core.states.get(core.peek(plan + layout.O_TOKEN)))
        by_signal = None
        try:  # a signal may raise behind any call
            here.running = view
            inside.set(True)
            try:
                call()
            except Exception as error:
                if not core.peek(block + layout.O_RUNNER):
                    raise
                call()
                by_signal = error
        except BaseException as error:  # KeyboardInterrupt too, as in `running`
            if core.peek(block + layout.O_RUNNER) and not isinstance(error, Exception):
                raise
            code, token = 1, next(core.tokens)
            order = number, core.peek(block + layout.O_LO) + 1
            failure = Failure(error, order, name, place)
            failure.core = core
            core.failures[token] = failure
        finally:
            here.running = None
            inside.set(was_inside)
        core.call_done(block, code, token)
        if core.states and core.word(layout.DEAD_CELLS):
            core.reap()
        if by_signal is not None:
            raise by_signal

    def tell_when_done(self, ticket: int, tell: Callable[[], object]) -> bool:
        """Let a worker call `tell` when the ticket is done; return False if it is done already."""
        core = self._engine._opened()
        self._engine._open_queue(core, layout.PYTHON)
        token = next(core.tokens)
        core.notices[token] = tell
        if core.notify(ticket, token):
            return True
        del core.notices[token]
        return False

    def run_notice(self, core: Core, block: int) -> bool:
        """Return whether the block is a notice, after calling its function."""
        tell = core.notices.pop(core.peek(block + layout.O_TOKEN), None)
        if tell is None:
            return False
        try:
            tell()
        finally:
            core.call_done(block, 0, 0)
        return True


class Launcher:
    """A kernel over [0, hi) that uses `reads + writes` variables; the last ones are written.

    Calling it with variables and a record pushes the kernel: one compiled call copies the record
    into an operation and schedules it, and returns the operation's ticket. Nothing is checked:
    variables must be distinct, alive and of this engine. `overwrites`: the kernel writes its
    outputs whole, so their failures do not skip it. `fixed`: words of `submit`, kind to name.
    """

    __slots__ = ("_bound", "_core", "_engine", "_count", "fixed", "name")

    def __init__(
        self,
        engine: ThreadedEngine,
        address: int,
        hi: int,
        reads: int,
        writes: int,
        *,
        cost: int = 0,
        nbytes: int = 0,
        name: str = "kernel",
        overwrites: bool = False,
    ) -> None:
        flags = (layout.OVERWRITES if overwrites else 0) | _size_flags(cost)
        number = engine._names.name(name)
        self.fixed = (0, address, 0, 0, hi, flags, cost, layout.NATIVE, 0, nbytes, number)
        self._engine, self.name = engine, name
        self._count = reads + writes | writes << COUNT_BITS
        self._core: Core | None = None
        self._bound: Entry

    def __call__(self, variables: Sequence[Variable], record: Sequence[int], site: int = 0) -> int:
        """Push it and return its ticket; `site`: the line of user code, by `Engine.site_id`."""
        engine, core = self._engine, self._core
        if core is not engine._live or core is None or engine._bulks:
            return self._slowly(variables, record, site)
        if len(variables) + len(record) > MOST_WORDS:
            return self._slowly(variables, record, site)
        ticket = self._bound(
            site,
            self._count,
            *[v._address << 2 if v._core is core else core.attach(v) << 2 for v in variables],
            *record,
        )
        return ticket if ticket > 0 else self._slowly(variables, record, site)

    def prime(self) -> Entry:
        """Return the compiled entry that takes (site, count, variables, record), for this core."""
        core = self._engine._opened()
        if self._core is not core:
            self._core, self._bound = core, core.bound("submit", *self.fixed)
        return self._bound

    def _slowly(self, variables: Sequence[Variable], record: Sequence[int], site: int) -> int:
        """Push it after a start of the engine, within a bulk or a function, or over the brake."""
        engine = self._engine
        core = engine._opened()
        engine._flush()
        self.prime()
        words = [*self.fixed, site, self._count]
        if here.running is not None:
            words[5] |= layout.FORCE
        words += [(v._address if v._core is core else core.attach(v)) << 2 for v in variables]
        words += record
        while True:
            ticket = core.call("submit", words)
            if ticket > 0:
                return ticket
            engine._refused(core, ticket, self.name)
