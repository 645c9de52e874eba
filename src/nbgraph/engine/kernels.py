"""Kernels on the threaded engine: pushed without Python between the push and the end."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from typing import Any

from nbgraph.device import Context, cpu, run_context
from nbgraph.engine import checks
from nbgraph.engine.base import Engine
from nbgraph.engine.core import layout
from nbgraph.engine.failure import Failure
from nbgraph.engine.handle import Core
from nbgraph.engine.native_call import SMALL_BELOW, NativeCall
from nbgraph.engine.native_pending import KernelOperation, NativePending, Shown
from nbgraph.engine.numbered import NumberedEngine
from nbgraph.engine.operation import RUNNING, WAITING, Operation, Operator
from nbgraph.engine.properties import NORMAL, FnProperty
from nbgraph.engine.sites import caller
from nbgraph.engine.thread import here, inside
from nbgraph.engine.variable import Variable
from nbgraph.settings import DEBUG_ASKED, config

_SHOWN = 64  # variables of a kernel that a dump tells of
_FLAGS = {FnProperty.NO_SKIP: layout.NO_SKIP, FnProperty.OVERWRITE: layout.OVERWRITES}
SPLIT_FROM = 24_000  # nanoseconds from which a kernel may be cut into chunks


class NativeOperator(Operator):
    """A kernel with its variables, laid out in the core; `push()` is the quickest way in."""

    __slots__ = ("call", "core", "home", "push", "template")

    push: Callable[[], int]
    call: NativeCall
    core: Core | None  # None while the engine is stopped
    home: Core
    template: int


class Kernels(NumberedEngine):
    """The part of the threaded engine that runs kernels."""

    _operators: dict[int, NativeOperator]
    _notices: dict[int, Callable[[], object]]

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self._operators = {}
        self._notices = {}
        # Python functions of plans, and whether they want the run's state
        self._steps: dict[int, tuple[Callable[..., Any], bool]] = {}
        self._live: Core | None = None  # the core, while its workers run

    def push(
        self,
        fn: Any,
        *,
        ctx: Context | None = None,
        const_vars: Any = (),
        mutate_vars: Any = (),
        priority: int = 0,
        name: str | None = None,
        nbytes: int = 0,
        prop: FnProperty = NORMAL,
    ) -> Any:
        """As `Engine.push`; a NativeCall goes without Python, unless `debug` is set."""
        shown = fn.__class__ is NativeCall and DEBUG_ASKED[0] and config.debug
        if shown:
            name = checks.label(fn, name, "push")
            fn = fn.shown(name)
        if shown or fn.__class__ is not NativeCall:
            return Engine.push(
                self,
                fn,
                ctx=ctx,
                const_vars=const_vars,
                mutate_vars=mutate_vars,
                priority=priority,
                name=name,
                nbytes=nbytes,
                prop=prop,
            )
        name = checks.label(fn, name, "push")
        what = f"push of {name!r}"
        reads, writes = checks.variables(const_vars, mutate_vars, self._owner, what)
        if ctx is not None:
            checks.context(ctx, what)
        priority = checks.whole(priority, "priority", what)
        nbytes = checks.size(nbytes, what)
        core = self._opened()
        self._flush()
        flags = _FLAGS.get(prop, 0)
        words = self._kernel_words(core, fn, name, reads, writes, flags, priority, nbytes)
        ticket = core.call("submit", words)
        while ticket <= 0:
            self._refused(core, ticket, _Named(name))
            ticket = core.call("submit", words)
        return NativePending(self, name, ticket, writes)

    def _kernel_words(
        self,
        core: Core,
        call: NativeCall,
        name: str,
        reads: Sequence[Variable],
        writes: Sequence[Variable],
        flags: int,
        priority: int,
        nbytes: int,
    ) -> list[int]:
        if 0 < call.cost <= SMALL_BELOW:
            flags |= layout.SMALL
        elif call.cost >= SPLIT_FROM:
            flags |= layout.SPLITTABLE
        if here.running is not None:
            flags |= layout.FORCE
        own = call._words is not None
        return [
            *(layout.KERNEL, call.address, 0 if own else call.record, call.lo, call.hi),
            *(flags, call.cost, layout.NATIVE, priority, nbytes),
            *(self._name_id(name), self._site_id(), len(reads) + len(writes)),
            *((v._address if v._core is core else core.attach(v)) << 2 for v in reads),
            *((v._address if v._core is core else core.attach(v)) << 2 | 1 for v in writes),
            *(call._words if own else ()),
        ]

    def _takes_pushes(self) -> bool:
        """Whether pushes may go to the core as they come."""
        return self._live is not None and self._owner.engine is self and not self._bulks

    def _open_gate(self) -> bool:
        """Let the quickest ways push, if they may; whether they may."""
        if self._takes_pushes():
            self._owner.gate[0] = self._live
            if self._takes_pushes():
                return True
            self._owner.gate[0] = None  # another thread has closed it, and may have been too early
        return False

    def _end_life(self) -> None:
        """No worker of the core runs from now on."""
        self._live = None
        self._owner.gate[0] = None

    # operators ---------------------------------------------------------------------------------

    def new_operator(
        self,
        fn: Any,
        *,
        const_vars: Any = (),
        mutate_vars: Any = (),
        name: str | None = None,
        asynchronous: bool = False,
    ) -> Operator:
        """As `Engine.new_operator`; that of a NativeCall has the quick `push()`."""
        if fn.__class__ is not NativeCall:
            return Engine.new_operator(
                self,
                fn,
                const_vars=const_vars,
                mutate_vars=mutate_vars,
                name=name,
                asynchronous=asynchronous,
            )
        name = checks.label(fn, name, "new_operator")
        reads, writes = checks.variables(
            const_vars, mutate_vars, self._owner, f"new_operator {name!r}"
        )
        made = NativeOperator(self._owner, fn, name, reads, writes, False, caller())
        made.call = fn
        made.core = None
        self._prepare(made)
        return made

    def _prepare(self, opr: NativeOperator) -> None:
        """Lay the operator out in the core there is now."""
        core = self._opened()
        call = opr.call
        words = self._kernel_words(core, call, opr.name, opr.reads, opr.writes, 0, 0, 0)
        template = core.call("template", words)
        if template <= 0:
            self._refused(core, template, opr)
        token = next(core.tokens)
        core.poke(template + layout.O_TOKEN, token)
        self._operators[token] = opr
        opr.core = opr.home = core
        opr.template = template
        raw = core.bound("push", template)
        owner = self._owner

        def push() -> int:
            if opr.core is self._core and opr.checked == owner.deletions and not self._bulks:
                ticket = raw()
                if ticket > 0:
                    return ticket
            return self._push_slowly(opr, 0)

        opr.push = push

    def _push_slowly(self, opr: NativeOperator, priority: int) -> int:
        checks.usable_operator(opr, self._owner, "push_operator")
        engine = self._owner.engine
        if engine is not None and engine is not self:  # another one is in force
            engine.push_operator(opr, priority=priority)
            return 0
        core = self._opened()
        if opr.core is not core:
            if opr.home is core:
                opr.core = core
            else:
                self._prepare(opr)
        self._flush()
        while True:
            # a function is not held back: what it pushes may wait for its own end
            ticket = core.push(opr.template, priority, layout.NATIVE, 0, here.running is not None)
            if ticket > 0:
                return ticket
            self._refused(core, ticket, opr)

    def push_operator(self, opr: Any, *, ctx: Context | None = None, priority: int = 0) -> Any:
        """As `Engine.push_operator`."""
        if opr.__class__ is NativeOperator:
            if ctx is None and priority == 0 and not self._bulks:
                return NativePending(self, opr.name, opr.push(), opr.writes)
            if ctx is not None:
                checks.context(ctx, f"push_operator of {opr.name!r}")
            priority = checks.whole(priority, "priority", f"push_operator of {opr.name!r}")
            return NativePending(self, opr.name, self._push_slowly(opr, priority), opr.writes)
        return Engine.push_operator(self, opr, ctx=ctx, priority=priority)

    def delete_operator(self, opr: Operator) -> None:
        """As `Engine.delete_operator`."""
        core, template = getattr(opr, "home", None), getattr(opr, "template", 0)
        super().delete_operator(opr)
        if isinstance(opr, NativeOperator):
            opr.core = None  # its quick way in is closed
        if core is not None and core is self._core:
            core.drop_template(template)
            self._reap(core)

    def _reap(self, core: Core) -> None:
        super()._reap(core)
        while core.doomed:
            try:
                address = core.doomed.popleft()
            except IndexError:  # another thread took it
                break
            held = core.instances[address]
            if held.template:
                core.drop_template(held.template)
            core.drop_instance(address)
        while address := core.dead_instance():
            for token in core.instances.pop(address).tokens:
                self._steps.pop(token, None)
            core.free_memory(address)

    def _run_step(self, core: Core, block: int) -> None:
        """Run a Python function of a plan; what it raises poisons what comes after it."""
        run, wants_state = self._steps[core.peek(block + layout.O_TOKEN)]
        name = self._names[core.peek(block + layout.O_NAME)]
        plan = core.peek(core.peek(block + layout.O_ARGS) + layout.I_OPERATION)
        place = self._sites[core.peek(plan + layout.O_SITE)]
        number = core.peek(plan + layout.O_SEQ)
        here.running = KernelOperation(name, place)
        entered = inside.set(True)
        code = token = 0
        try:
            if wants_state:
                run(run_context(cpu(0)), core.states.get(core.peek(plan + layout.O_TOKEN)))
            else:
                run(run_context(cpu(0)))
        except BaseException as error:  # as in `Runner._run`
            code, token = 1, next(core.tokens)
            order = number, core.peek(block + layout.O_LO) + 1
            failure = Failure(error, order, name, place)
            failure.core = core
            core.failures[token] = failure
        finally:
            inside.reset(entered)
            here.running = None
        core.call_done(block, code, token)
        if core.states and core.word(layout.DEAD_CELLS):
            self._reap(core)

    def _forget_operator(self, core: Core, token: int) -> None:
        self._operators.pop(token, None)

    def _leave(self) -> None:
        for operator in list(self._operators.values()):
            operator.core = None
        super()._leave()

    # wait --------------------------------------------------------------------------------------

    def _calm(self, var: Variable) -> bool:
        core = self._core
        return (
            core is not None
            and var._core is core
            and var._owner is self._owner
            and not (var.deleted or self._bulks or core.states)
            and here.running is None
            and core.settled(var._address) != 0
        )

    def wait_for_var(self, var: Variable, timeout: float | None = None) -> None:
        """As `Engine.wait_for_var`; that of a variable at rest is quick."""
        core = self._core
        try:
            if timeout is None and self._calm(var):
                return
        except AttributeError:  # not a variable
            pass
        super().wait_for_var(var, timeout)
        if core is not None and core.states:
            self._reap(core)

    # notices -----------------------------------------------------------------------------------

    def _tell_when_done(self, ticket: int, tell: Callable[[], object]) -> bool:
        """Have `tell` called on a worker when the ticket is done; False when it is already."""
        core = self._opened()
        self._open_queue(core, layout.PYTHON)
        token = next(core.tokens)
        self._notices[token] = tell
        if core.notify(ticket, token):
            return True
        del self._notices[token]
        return False

    def _open_queue(self, core: Core, queue: int) -> None:
        """See to it that somebody serves the queue."""

    def _notice(self, core: Core, block: int) -> bool:
        """Whether the block is a notice: then it is given and done."""
        if not self._notices:
            return False
        tell = self._notices.pop(core.peek(block + layout.O_TOKEN), None)
        if tell is None:
            return False
        try:
            tell()
        finally:
            core.call_done(block, 0, 0)
        return True

    # look at it --------------------------------------------------------------------------------

    def _stand_in(
        self, core: Core, address: int, number: int, name: int, site: int, flags: int, kind: int
    ) -> Operation | None:
        if kind not in (layout.KERNEL, layout.PLAN):
            return None
        words = (ctypes.c_int64 * _SHOWN)()
        count = core.uses(address, number, ctypes.addressof(words), _SHOWN)
        used = [
            (Shown(*core.labels.get(word & ~1, (0, "instance"))), bool(word & 1))
            for word in words[:count]
        ]
        shown = KernelOperation(self._names[name], self._sites[site], used)
        shown.seq = number
        shown.state = RUNNING if flags & layout.STARTED else WAITING
        return shown


class _Named:
    def __init__(self, name: str) -> None:
        self.name = name
