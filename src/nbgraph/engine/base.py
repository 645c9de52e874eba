"""What every engine offers: the calls and their checks. `runner` says what a subclass supplies."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from nbgraph.device import Context, RunContext
from nbgraph.engine import checks
from nbgraph.engine.bulk import Bulk
from nbgraph.engine.operation import Operation, Operator
from nbgraph.engine.pending import OnComplete, Pending
from nbgraph.engine.properties import ASYNC, DELETE_VAR, NORMAL, OVERWRITE, FnProperty
from nbgraph.engine.runner import CPU, Runner
from nbgraph.engine.sites import caller
from nbgraph.engine.streams import WORK, device_queue
from nbgraph.engine.thread import here
from nbgraph.engine.variable import Owner, Variable
from nbgraph.errors import EngineError, EngineTimeout, stays
from nbgraph.settings import DEBUG_ASKED, config

if TYPE_CHECKING:
    from nbgraph.engine.report import Dump, Stats

Fn = Callable[[RunContext], Any]
Callback = OnComplete
AsyncFn = Callable[[RunContext, OnComplete], Any]
Variables = Iterable[Variable]


class Engine(Runner):
    """Runs functions in an order that their sets of variables allow."""

    kind = "engine"
    repeatable = True  # whether the order in which things run is the same in the next process
    workers = 0
    limits: dict[str, int] = {}

    Fn = Fn
    AsyncFn = AsyncFn
    Callback = Callback

    def __init__(self, *, owner: Owner | None = None) -> None:
        self._owner = Owner() if owner is None else owner
        if self._owner.engine is None:
            self._owner.engine = self
        self._bulks = 0  # open ones, of any thread
        self._listeners = ()

    __reduce_ex__ = stays("an engine", "each process has its own: ng.engine.current()")

    # variables and operators -------------------------------------------------------------------

    def new_variable(self, name: str | None = None, *, immune: bool = False) -> Variable:
        """A fresh token for anything that functions share."""
        return Variable(self._owner, name, immune=immune)

    def delete_variable(self, var: Variable, fn: Fn | None = None) -> Pending:
        """No push may name the variable any more; `fn(run_ctx)` runs after all that did."""
        where = "delete_variable: var"
        checks.usable(var, where, self._owner)
        name = checks.label(_nothing if fn is None else fn, None, "delete_variable")
        code, instruction = caller()
        operation = Operation(
            self,
            _nothing if fn is None else fn,
            f"delete {var.name or var.number}" if fn is None else name,
            code,
            instruction,
            CPU,
            (),
            (var,),
            0,
            0,
            DELETE_VAR,
            False,
        )
        self._flush()
        var.deleted = True
        self._owner.deletions += 1
        self._issue(operation)
        return operation

    def new_operator(
        self,
        fn: Callable[..., Any],
        *,
        const_vars: Variables = (),
        mutate_vars: Variables = (),
        name: str | None = None,
        asynchronous: bool = False,
    ) -> Operator:
        """A function with its variables, checked once, for `push_operator`."""
        name = checks.label(fn, name, "new_operator")
        what = f"new_operator {name!r}"
        reads, writes = checks.variables(const_vars, mutate_vars, self._owner, what)
        made = caller()
        if DEBUG_ASKED[0] and config.debug and not asynchronous:
            fn = checks.watched(fn, name, made)
        return Operator(self._owner, fn, name, reads, writes, asynchronous, made)

    def delete_operator(self, opr: Operator) -> None:
        """No push of it any more; what it holds is released when its last push has ended."""
        checks.usable_operator(opr, self._owner, "delete_operator")
        self._flush()
        opr.deleted = True
        # pushes keep the function and variables themselves
        opr.fn = None
        opr.reads = opr.writes = ()
        self._retire(opr)

    # push --------------------------------------------------------------------------------------

    def push(
        self,
        fn: Fn,
        *,
        ctx: Context | None = None,
        const_vars: Variables = (),
        mutate_vars: Variables = (),
        priority: int = 0,
        name: str | None = None,
        nbytes: int = 0,
        prop: FnProperty = NORMAL,
    ) -> Pending:
        """Have `fn(run_ctx)` called after all that was pushed before it and conflicts with it.

        On a GPU it issues work on `run_ctx.stream`; it has ended when that has.
        """
        if ctx is not None and ctx is not CPU and not checks.context(ctx, "push").host:
            return self.push_to_device(
                ctx,
                fn,
                const_vars=const_vars,
                mutate_vars=mutate_vars,
                priority=priority,
                name=name,
                nbytes=nbytes,
                prop=prop,
            )
        operation = self._made(
            "push", fn, ctx, const_vars, mutate_vars, priority, name, nbytes, prop, False
        )
        if self._bulks and self._join(operation):
            return operation
        self._issue(operation)
        return operation

    def push_to_device(
        self,
        device: Context,
        fn: Fn,
        *,
        stream: str = WORK,
        const_vars: Variables = (),
        mutate_vars: Variables = (),
        priority: int = 0,
        name: str | None = None,
        nbytes: int = 0,
        prop: FnProperty = NORMAL,
    ) -> Pending:
        """Have `fn(run_ctx)` issue work on a stream of a device; see `streams`. Here the work is
        waited for."""
        name = checks.label(fn, name, "push")
        reads, writes = tuple(const_vars), tuple(mutate_vars)
        held = device_queue(device)
        return self.push(
            lambda run_ctx: held.now(fn, stream, (*reads, *writes)),
            const_vars=reads,
            mutate_vars=writes,
            priority=priority,
            name=name,
            nbytes=nbytes,
            prop=prop,
        )

    def push_async(
        self,
        fn: AsyncFn,
        *,
        ctx: Context | None = None,
        const_vars: Variables = (),
        mutate_vars: Variables = (),
        priority: int = 0,
        name: str | None = None,
        nbytes: int = 0,
        prop: FnProperty = ASYNC,
    ) -> Pending:
        """Have `fn(run_ctx, on_complete)` called; it has ended when `on_complete` is called."""
        operation = self._made(
            "push_async", fn, ctx, const_vars, mutate_vars, priority, name, nbytes, prop, True
        )
        if self._bulks:
            self._flush()
        self._issue(operation)
        return operation

    def push_operator(
        self, opr: Operator, *, ctx: Context | None = None, priority: int = 0
    ) -> Pending:
        """Push the function of an operator; its sets are not looked at again."""
        if (
            opr.__class__ is not Operator
            or opr.deleted
            or opr.owner is not self._owner
            or opr.checked != self._owner.deletions
        ):
            checks.usable_operator(opr, self._owner, "push_operator")
        if ctx is None:
            ctx = CPU
        elif ctx is not CPU:
            ctx = checks.context(ctx, f"push_operator of {opr.name!r}")
        if priority.__class__ is not int:
            priority = checks.whole(priority, "priority", f"push_operator of {opr.name!r}")
        code, instruction = caller()
        operation = Operation(
            self,
            opr.fn,
            opr.name,
            code,
            instruction,
            ctx,
            opr.reads,
            opr.writes,
            priority,
            0,
            ASYNC if opr.asynchronous else NORMAL,
            opr.asynchronous,
        )
        if self._bulks and self._join(operation):
            return operation
        self._issue(operation)
        return operation

    def _made(  # noqa: PLR0917  keywords would cost time on every push
        self,
        verb: str,
        fn: Callable[..., Any],
        ctx: Any,
        reads: Any,
        writes: Any,
        priority: Any,
        name: Any,
        nbytes: Any,
        prop: Any,
        asynchronous: bool,
        /,
    ) -> Operation:
        """The checked operation. Every push passes here: what is well is looked at quickly."""
        if name is None or name.__class__ is not str or not callable(fn):
            name = checks.label(fn, name, verb)
        owner = self._owner
        try:
            reads = tuple(reads)
            writes = tuple(writes)
            named = {*reads, *writes}
            well = len(named) == len(reads) + len(writes)
            for variable in named:
                if (
                    not isinstance(variable, Variable)
                    or variable._owner is not owner
                    or variable.deleted
                ):
                    well = False
        except TypeError:
            well = False
        if not well:
            reads, writes = checks.variables(reads, writes, owner, f"{verb} of {name!r}")
        if ctx is None:
            ctx = CPU
        elif ctx is not CPU:
            ctx = checks.context(ctx, f"{verb} of {name!r}")
        if priority.__class__ is not int:
            priority = checks.whole(priority, "priority", f"{verb} of {name!r}")
        if nbytes.__class__ is not int or nbytes < 0:
            nbytes = checks.size(nbytes, f"{verb} of {name!r}")
        if prop is not NORMAL and prop is not OVERWRITE:
            prop = checks.kind(prop, f"{verb} of {name!r}", asynchronous)
        code, instruction = caller(2)
        if DEBUG_ASKED[0] and config.debug and not asynchronous:
            fn = checks.watched(fn, name, (code, instruction))
        return Operation(
            self,
            fn,
            name,
            code,
            instruction,
            ctx,
            reads,
            writes,
            priority,
            nbytes,
            prop,
            asynchronous,
        )

    # bulk --------------------------------------------------------------------------------------

    def bulk(self, n: int) -> Bulk:
        """`with engine.bulk(n):` joins consecutive pushes of this thread, up to n, into one."""
        size = checks.whole(n, "n", "bulk")
        if size < 1:
            raise EngineError(f"bulk: n={size}; expected 1 or more")
        return Bulk(self, size)

    def _join(self, operation: Operation) -> bool:
        """Take it into this thread's bulk; False when there is none, or it cannot be joined."""
        if here.running is not None:  # pushed by a function: that is not the bulk's block
            return False
        bulk = here.bulk
        while bulk is not None and bulk.engine is not self:
            bulk = bulk.outer
        return bulk is not None and bulk.add(operation)

    def _flush(self) -> None:
        """Push what this thread's bulk holds."""
        if self._bulks and here.running is None:
            bulk = here.bulk
            while bulk is not None:
                if bulk.engine is self:
                    bulk.flush()
                bulk = bulk.outer

    def site_id(self, above: int = 0) -> int:
        """A number for the line of user code that called; 0 where pushes find it themselves.
        `above`: so many callers of the caller are this package's own."""
        return 0

    # wait --------------------------------------------------------------------------------------

    def _calm(self, var: Variable) -> bool:
        """Whether it is known at once that nobody uses the variable and it carries no failure."""
        return False

    def wait_for_var(self, var: Variable, timeout: float | None = None) -> None:
        """Until every earlier push that reads or writes the variable has ended.

        A failure it carries is raised here, if nobody has been told of it.
        """
        checks.usable(var, "wait_for_var: var", self._owner)
        deadline = self._deadline(timeout, "wait_for_var")
        self._flush()
        if not self._wait_variable(var, deadline):
            raise self._late(f"wait_for_var({var!r})", timeout)
        failure = self._failure_of(var)
        if failure is not None and self._claim(failure):
            error = failure.again()
            if not gc.is_tracked(var):  # else the collector would not see the circle
                failure.forget_frames()
            try:
                raise error
            finally:
                del failure, error  # else the exception holds this frame, which holds it

    def wait_for_all(self, timeout: float | None = None) -> None:
        """Until everything pushed has ended; of the failures nobody was told of, the first."""
        deadline = self._deadline(timeout, "wait_for_all")
        self._flush()
        if not self._wait_all(deadline):
            raise self._late("wait_for_all", timeout)
        failure = self._claim_all()
        if failure is not None:
            try:
                raise failure.again()
            finally:
                del failure

    def _deadline(self, timeout: float | None, what: str) -> float | None:
        """When a wait gives up; a wait inside a pushed function is refused."""
        running = here.running
        if running is not None:
            raise EngineError(
                f"{what}: called inside operation {running.name!r}, pushed at {running.site}; it "
                "could wait for itself for ever. Push what comes next with the variables it reads"
            )
        return checks.deadline(timeout, what)

    def _asked(self) -> None:
        """Somebody asks for a result, there already or not."""

    def _wait_operation(self, pending: Pending, deadline: float | None) -> bool:
        return pending._sleep(deadline)

    def _late(self, what: str, timeout: float | None) -> EngineTimeout:
        return EngineTimeout(f"{what}: not done after {timeout} s\n{self.dump()}")

    # look at it --------------------------------------------------------------------------------

    def stats(self) -> Stats:
        """Counts: pushed, completed, unfinished, their bytes, limits, failures."""
        from nbgraph.engine.report import Stats

        pushed, completed, nbytes = self._counts()
        return Stats(
            kind=self.kind,
            workers=self.workers,
            pushed=pushed,
            completed=completed,
            pending=pushed - completed,
            pending_bytes=nbytes,
            limits=dict(self.limits),
            variables=self._owner.alive,
            failures=self._outstanding(),
        )

    def dump(self) -> Dump:
        """Every unfinished operation and what it waits for; every variable and its queue."""
        from nbgraph.engine.report import Dump

        return Dump.of(self.kind, self._unfinished())

    # begin and end -----------------------------------------------------------------------------

    def start(self) -> None:
        """Start the workers now; the first push does it otherwise."""
        self._open()

    def stop(self) -> None:
        """Wait for everything, raising nothing, and end the workers. A push starts them again."""
        self._deadline(None, "stop")
        self._flush()
        self._wait_all(None)
        self._close()

    def _open(self) -> None:
        """Nothing to start."""

    def _close(self) -> None:
        """Nothing to end."""

    def _leave(self) -> None:
        """Another engine takes over: failures kept elsewhere go to the owner's ledger."""

    def _retire(self, opr: Operator) -> None:
        """Nothing prepared."""


def _nothing(run_ctx: RunContext) -> None:
    """What runs when a variable is deleted without a function."""
