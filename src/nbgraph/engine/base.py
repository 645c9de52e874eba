"""The calls that every engine offers, and their checks.

A subclass of `Engine` supplies

    _issue(operation)              accept it: give it its number (`seq`), keep it in order, and
                                   have `perform` called when its turn comes (see `running`)
    _complete(operation)           mark it as ended and release the operations that wait for it
    _wait_variable(var, deadline)  wait until everything issued on the variable has ended; False
                                   if `deadline` (time.monotonic; None: never) passes first
    _wait_all(deadline)            the same for everything
    _newest()                      the number of the newest operation
    _go_on_from(number)            number operations from there; called when nothing is unfinished
    _unfinished()                  operations issued and not ended, in push order
    _counts()                      (pushed, completed, bytes declared by the unfinished)

and `_core` where a compiled core orders its operations: the core then keeps the state of
variables, which otherwise lies on the variables themselves. An engine with `_kernels` runs
kernels without Python.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, TypedDict, Unpack

from nbgraph.device import Context, RunContext
from nbgraph.engine import checks
from nbgraph.engine.bulk import Bulk
from nbgraph.engine.events import Event, Listener
from nbgraph.engine.native_call import NativeCall
from nbgraph.engine.operation import CPU, NativeOperator, Operation, Operator
from nbgraph.engine.pending import NativePending, Pending
from nbgraph.engine.properties import ASYNC, DELETE_VAR, NORMAL, FnProperty
from nbgraph.engine.running import OnComplete
from nbgraph.engine.sites import caller
from nbgraph.engine.streams import WORK, device_queue
from nbgraph.engine.thread import here
from nbgraph.engine.variable import Owner, Variable
from nbgraph.engine.waits import Waits
from nbgraph.errors import EngineError, unpicklable
from nbgraph.settings import DEBUG_ASKED, LARGEST, config

if TYPE_CHECKING:
    from nbgraph.engine.report import Dump, Stats

Fn = Callable[[RunContext], Any]
Callback = OnComplete
AsyncFn = Callable[[RunContext, OnComplete], Any]
Variables = Iterable[Variable]


class PushOptions(TypedDict, total=False):
    """Options of `Engine.push` that other methods pass on."""

    const_vars: Variables
    mutate_vars: Variables
    priority: int
    name: str | None
    nbytes: int
    prop: FnProperty


class Engine(Waits):
    """An executor of functions in an order that their sets of variables allow."""

    kind = "engine"
    repeatable = True  # whether operations run in the same order in the next process
    workers = 0
    limits: dict[str, int] = {}

    Fn = Fn
    AsyncFn = AsyncFn
    Callback = Callback

    _kernels: Any = None  # a KernelPush, if it runs kernels without Python
    _listeners: tuple[Listener, ...] = ()

    def __init__(self, *, owner: Owner | None = None) -> None:
        self._owner = Owner() if owner is None else owner
        if self._owner.engine is None:
            self._owner.engine = self
        self._bulks = 0  # number of open bulks, of all threads

    __reduce_ex__ = unpicklable("an engine", "each process has its own: ng.engine.current()")

    # variables and operators -------------------------------------------------------------------

    def new_variable(self, name: str | None = None, *, immune: bool = False) -> Variable:
        """Return a fresh token for anything that functions share; the name shows in dumps.

        A function's error is kept on the variables it writes, except on an `immune` one: one of a
        scratch buffer or a random stream, whose content nobody reads after a failure.

        >>> import nbgraph as ng
        >>> ng.engine.new_variable("weights").version
        0
        """
        return Variable(self._owner, name, immune=immune)

    def delete_variable(self, var: Variable, fn: Fn | None = None) -> Pending:
        """Forbid later pushes to name the variable; run `fn(run_ctx)` after all that did.

        >>> import nbgraph as ng
        >>> file = ng.engine.new_variable("file")
        >>> ng.engine.delete_variable(file, lambda run_ctx: "closed").result(timeout=10)
        'closed'
        """
        checks.usable(var, "delete_variable: var", self._owner)
        if var.keeper:
            what = f"var={var!r} belongs to {var.keeper}, which deletes it itself"
            raise EngineError(f"delete_variable: {what}; `del` the last name of it")
        if fn is None:
            return self._delete(var, _nothing, f"delete {var.name or var.number}")
        return self._delete(var, fn, checks.label(fn, None, "delete_variable"))

    def _delete(self, var: Variable, fn: Fn, name: str) -> Pending:
        operation = Operation(self, fn, name, *caller(), CPU, (), (var,), 0, 0, DELETE_VAR, False)
        self._flush()
        try:
            var.deleted = True
            self._owner.deletions += 1
            self._issue(operation)
        except BaseException:
            var.deleted = False  # the caller may try again
            raise
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
        """Return a function with its variables, checked once, for many calls of `push_operator`.

        Parameters
        ----------
        fn : like the one of `push`, or with `asynchronous` like the one of `push_async`
        const_vars, mutate_vars, name : like those of `push`
        asynchronous : whether the operation ends when its `on_complete` is called

        >>> import nbgraph as ng
        >>> total, counts = ng.engine.new_variable(), [0]
        >>> def step(run_ctx):
        ...     counts[0] += 1
        >>> operator = ng.engine.new_operator(step, mutate_vars=[total])
        >>> for _ in range(3):
        ...     pending = ng.engine.push_operator(operator)
        >>> ng.engine.wait_for_var(total)
        >>> counts
        [3]
        >>> ng.engine.delete_operator(operator)
        """
        name = checks.label(fn, name, "new_operator")
        what = f"new_operator {name!r}"
        reads, writes = checks.variables(const_vars, mutate_vars, self._owner, what)
        line = caller()
        if self._kernels is not None and fn.__class__ is NativeCall:
            return self._kernels.operator(fn, name, reads, writes, line)
        if DEBUG_ASKED[0] and config.debug and not asynchronous:
            fn = checks.watched(fn, name, line)
        return Operator(self._owner, fn, name, reads, writes, asynchronous, line)

    def delete_operator(self, opr: Operator) -> None:
        """Forbid later pushes; the function is released when the last push has ended."""
        checks.usable_operator(opr, self._owner, "delete_operator")
        self._flush()
        opr.deleted = True
        # pushes keep the function and variables themselves
        opr.fn = None
        opr.reads = opr.writes = ()
        if self._kernels is not None and opr.__class__ is NativeOperator:
            self._kernels.retire(opr)

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
        """Call `fn(run_ctx)` after every earlier push that conflicts with this one.

        Parameters
        ----------
        fn : callable of a RunContext. A function that waits for something else is better pushed
            with `push_async`. On a GPU it issues work on `run_ctx.stream`, and the operation ends
            when that work has ended.
        ctx : Context, optional: the device it belongs to, by default the host
        const_vars, mutate_vars : lists of variables that it reads, and that it changes. Duplicates
            count once; a variable in both lists counts as changed.
        priority : int: among ready functions, the one of higher priority runs first
        name : str, optional, shown in dumps, traces and errors
        nbytes : int: how much memory the function keeps in use while it is pending
        prop : FnProperty

        The function reads and writes arrays whose variables it declares, and arrays it creates, at
        once; any other array raises, and so does a write to one in `const_vars`. An operation that
        it pushes itself runs after it where they share a variable.

        Returns
        -------
        Pending: its `result()` waits, and raises what the function raised

        Raises
        ------
        ArgumentError for a value that is not a function or variable; EngineError for a variable
        that was deleted.

        >>> import nbgraph as ng
        >>> ng.engine.push(lambda run_ctx: run_ctx.device).result(timeout=10)
        cpu(0)
        >>> x = ng.zeros(2)
        >>> def fill(run_ctx):
        ...     x[:] = 7
        >>> pushed = ng.engine.push(fill, mutate_vars=[x.variable])
        >>> x + 1
        array([8., 8.], dtype=float32)
        """
        if fn.__class__ is NativeCall and self._kernels is not None:
            call: Any = fn
            if not (DEBUG_ASKED[0] and config.debug):
                return self._kernels.push(
                    call, ctx, const_vars, mutate_vars, priority, name, nbytes, prop
                )
            name = checks.label(fn, name, "push")
            fn = call.shown(name)
        operation = checks.operation(
            self, "push", fn, ctx, const_vars, mutate_vars, priority, name, nbytes, prop
        )
        if operation.ctx is not CPU and not operation.ctx.host:
            self._to_device(operation, WORK)
        if self._bulks and self._join(operation):
            return operation
        self._issue(operation)
        return operation

    def push_to_device(
        self, device: Context, fn: Fn, *, stream: str = WORK, **options: Unpack[PushOptions]
    ) -> Pending:
        """Push `fn(run_ctx)`, which issues work on a stream of a device; see `streams`."""
        operation = checks.operation(self, "push", fn, device, **options)
        self._to_device(operation, stream)
        if self._bulks and self._join(operation):
            return operation
        self._issue(operation)
        return operation

    def _to_device(self, operation: Operation, stream: str) -> None:
        """Change the operation to issue its work on a stream of its device, and wait for it."""
        fn: Any = operation.fn
        queue, variables = device_queue(operation.ctx), (*operation.reads, *operation.writes)
        operation.fn = lambda run_ctx: queue.now(fn, stream, variables)
        operation.ctx = CPU

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
        """Push `fn(run_ctx, on_complete)`; the operation ends when `on_complete` is called.

        Parameters
        ----------
        fn : callable; it may return before the operation ends. `on_complete` may be called from
            any thread, once: `on_complete()`, or `on_complete(error)` with an exception
        ctx, const_vars, mutate_vars, priority, name, nbytes, prop : like those of `push`

        Returns
        -------
        Pending, whose result is None

        >>> import threading
        >>> import nbgraph as ng
        >>> page = ng.engine.new_variable("page")
        >>> def fetch(run_ctx, on_complete):
        ...     threading.Timer(0.01, on_complete).start()
        >>> pending = ng.engine.push_async(fetch, mutate_vars=[page])
        >>> ng.engine.wait_for_var(page, timeout=10)
        >>> pending.done()
        True
        """
        operation = checks.operation(
            self, "push_async", fn, ctx, const_vars, mutate_vars, priority, name, nbytes, prop, True
        )
        if self._bulks:
            self._flush()
        self._issue(operation)
        return operation

    def push_operator(
        self, opr: Operator, *, ctx: Context | None = None, priority: int = 0
    ) -> Pending:
        """Push an operator's function, without another check of its sets. See `new_operator`."""
        if opr.__class__ is NativeOperator and self._kernels is not None:
            kernel: Any = opr
            if ctx is None and priority == 0 and not self._bulks:
                return NativePending(self, opr.name, kernel.push(), opr.writes)
            return self._kernels.push_operator(kernel, ctx, priority)
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
        if priority.__class__ is not int or (priority and abs(priority) > LARGEST):
            priority = checks.whole(priority, "priority", f"push_operator of {opr.name!r}")
        code, place = caller()
        late, reads, writes = opr.asynchronous, opr.reads, opr.writes
        prop = ASYNC if late else NORMAL
        operation = Operation(
            self, opr.fn, opr.name, code, place, ctx, reads, writes, priority, 0, prop, late
        )
        if self._bulks and self._join(operation):
            return operation
        self._issue(operation)
        return operation

    # bulk --------------------------------------------------------------------------------------

    def bulk(self, n: int) -> Bulk:
        """Join up to `n` consecutive pushes of synchronous functions of this thread into one.

        >>> import nbgraph as ng
        >>> box, seen = ng.engine.new_variable(), []
        >>> with ng.engine.bulk(10):
        ...     for i in range(4):
        ...         p = ng.engine.push(lambda run_ctx, i=i: seen.append(i), mutate_vars=[box])
        >>> ng.engine.wait_for_var(box)
        >>> seen
        [0, 1, 2, 3]
        """
        size = checks.whole(n, "n", "bulk")
        if size < 1:
            raise EngineError(f"bulk: n={size}; expected 1 or more")
        return Bulk(self, size)

    def _join(self, operation: Operation) -> bool:
        """Add it to this thread's bulk; False when there is none, or it cannot be joined."""
        if here.running is not None:  # a function's push does not belong to the bulk's block
            return False
        bulk = here.bulk
        while bulk is not None and bulk.engine is not self:
            bulk = bulk.outer
        return bulk is not None and bulk.add(operation)

    def _flush(self) -> None:
        """Issue the operations that this thread's bulk holds."""
        if self._bulks and here.running is None:
            bulk = here.bulk
            while bulk is not None:
                if bulk.engine is self:
                    bulk.flush()
                bulk = bulk.outer

    def site_id(self, above: int = 0) -> int:
        """Return the number of the calling line of user code; 0 where a push determines it itself.
        `above`: how many frames above the caller belong to this package."""
        return 0

    # look at it --------------------------------------------------------------------------------

    def stats(self) -> Stats:
        """Return counts: pushed, completed, unfinished, their bytes, limits, failures."""
        from nbgraph.engine.report import Stats

        return Stats.of(self)

    def dump(self) -> Dump:
        """Return every unfinished operation with the ones it waits for, and the queue of every
        variable in use.

        >>> import nbgraph as ng
        >>> ng.engine.wait_for_all()
        >>> ng.engine.dump().operations
        ()
        """
        from nbgraph.engine.report import Dump

        return Dump.of(self.kind, self._unfinished())

    def add_listener(self, listener: Listener) -> None:
        """Call `listener(event)` for every operation that ends, on the thread it ends on. Kernels
        are reported in batches, at waits and at the end."""
        self._listeners = (*self._listeners, listener)

    def remove_listener(self, listener: Listener) -> None:
        """Undo one `add_listener`."""
        remaining = list(self._listeners)
        remaining.remove(listener)
        self._listeners = tuple(remaining)

    def _tell(self, ended: Event) -> None:
        for listener in self._listeners:
            try:
                listener(ended)
            except Exception:  # the operation itself succeeded: its waiters must still be notified
                import traceback

                traceback.print_exc()

    # begin and end -----------------------------------------------------------------------------

    def start(self) -> None:
        """Start the workers now, instead of at the first push."""
        self._open()

    def stop(self) -> None:
        """Wait for everything, raise nothing, and end the workers. A push starts them again."""
        self._deadline(None, "stop")
        self._flush()
        self._wait_all(None)
        self._close()

    def _leave(self) -> None:
        """Move failures kept elsewhere to the owner's ledger, as another engine takes over."""

    def _open(self) -> None:
        """Start the workers; this class has none."""

    def _close(self) -> None:
        """End the workers; this class has none."""


def _nothing(run_ctx: RunContext) -> None:
    """Do nothing: the function of a deletion without one."""
