"""How an engine runs one operation, and where its result and its failure go.

An engine decides when an operation may run and on which thread. A subclass of `Engine` supplies

    _issue(operation)              take it in: give it its number (`seq`), keep it in order, see to
                                   it that `_perform` is called when its turn comes
    _complete(operation)           it has ended: let those go that waited for it
    _wait_variable(var, deadline)  until all that was issued on the variable has ended; False when
                                   the moment (time.monotonic; None: never) passes first
    _wait_all(deadline)            the same of everything
    _newest()                      the number of the newest operation
    _go_on_from(number)            number on from there; nothing is unfinished
    _unfinished()                  operations issued and not ended, in push order
    _counts()                      (pushed, completed, bytes declared by the unfinished)

and may replace, where it keeps the same elsewhere,

    _inherited(operation)          the failure that skips an operation, or None
    _store(var, failure)           a write has ended: count it, keep or clear the failure
    _version_of(var), _failure_of(var), _in_use(var), _renew(var)
    _wait_operation(pending, deadline)   sleeps; an engine may rather help
    _retire(opr)                   an operator was deleted: its last pushes may still run
    _open(), _close()              start threads, end them; nothing is unfinished then
    _keep(operation, failure), _claim(failure), _claim_all(), _outstanding()
                                   where failures are kept until they are raised

`_perform(operation)` runs what it is given on the calling thread and calls `_complete` when the
operation has ended: at once, or when its `on_complete` is called, on whatever thread that is.
"""

from __future__ import annotations

import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

from nbgraph.device import RunContext, cpu, run_context
from nbgraph.engine.core.layout import NEVER, UNTIL_WRITTEN
from nbgraph.engine.events import Event, event
from nbgraph.engine.failure import Failure
from nbgraph.engine.operation import ISSUED, RUNNING, Operation
from nbgraph.engine.pending import OnComplete, watch_dropped
from nbgraph.engine.properties import OVERWRITE, UNSKIPPED
from nbgraph.engine.thread import here, inside
from nbgraph.engine.untold import Untold
from nbgraph.engine.variable import Owner, Variable

Listener = Callable[[Event], object]

CPU = cpu(0)
_RUN_ON_CPU = run_context(CPU)
_now = time.monotonic_ns


class Runner(ABC):
    """Runs operations whose turn it is; the half of `Engine` that users do not see."""

    _owner: Owner
    _listeners: tuple[Listener, ...]

    # run ---------------------------------------------------------------------------------------

    def _perform(self, operation: Operation) -> None:
        """Run an operation whose turn it is, on this thread."""
        if operation.members is None:
            if self._run(operation, self._inherited(operation)):
                self._complete(operation)
                operation.forget()
            del operation  # an exception keeps this frame; who has it does not have the push
            return
        operation.state = RUNNING
        for place, member in enumerate(operation.members):
            member.seq, member.index = operation.seq, place
            self._run(member, self._inherited(member))
            member.forget()
        operation._end(None, None)
        self._complete(operation)
        operation.forget()

    def _run(self, operation: Operation, inherited: Failure | None) -> bool:
        """Call the function, or pass the failure on; whether the operation has ended."""
        if inherited is not None:
            self._settle(operation, None, inherited)
            return True
        if self._listeners:
            operation.started_ns = _now()
            operation.thread = threading.get_ident(), threading.current_thread().name
        fn, ctx = operation.fn, operation.ctx
        run_ctx = _RUN_ON_CPU if ctx is CPU else run_context(ctx)
        operation.state = RUNNING
        outer, here.running = here.running, operation
        token = inside.set(True)
        value = failure = None
        try:
            if operation.asynchronous:
                if self._begin(operation, run_ctx):
                    return False
            else:
                value = fn(run_ctx)  # type: ignore[misc]
        except BaseException as error:  # KeyboardInterrupt too: raised at the next wait
            failure = self._failed(operation, error)
        finally:
            inside.reset(token)
            here.running = outer
        self._settle(operation, value, failure)
        del operation, failure, outer  # as in `_perform`
        return True

    def _begin(self, operation: Operation, run_ctx: RunContext) -> bool:
        """Call an asynchronous function; what it raises counts unless it has ended before."""
        watch_dropped()
        on_complete = OnComplete(operation)
        once = on_complete._once
        try:
            operation.fn(run_ctx, on_complete)  # type: ignore[misc]
        except BaseException as error:
            if on_complete._take() is not None:
                raise
            self._failed(operation, error)  # too late for its variables: wait_for_all tells
        if once and operation.state == RUNNING:
            operation.state = ISSUED
        return True

    def _end_async(self, operation: Operation, error: BaseException | None) -> None:
        """An asynchronous operation has ended, on whatever thread."""
        failure = None if error is None else self._failed(operation, error)
        self._settle(operation, None, failure)
        self._complete(operation)
        operation.forget()

    def _failed(self, operation: Operation, error: BaseException) -> Failure:
        """The failure of an operation; nobody has been told yet."""
        trace = error.__traceback__
        while trace is not None and trace.tb_frame.f_code.co_filename == __file__:
            trace = trace.tb_next  # begin at the user's function
        order = operation.seq, operation.index
        failure = Failure(error.with_traceback(trace), order, operation.name, operation.site)
        self._keep(operation, failure)
        if not operation.writes:
            operation.untold = Untold(failure)
        return failure

    def _keep(self, operation: Operation, failure: Failure) -> None:
        """Nobody has been told of it yet."""
        self._owner.ledger.add(failure)

    def _settle(self, operation: Operation, value: Any, failure: Failure | None) -> None:
        for variable in operation.writes:
            self._store(variable, failure)
        if self._listeners:
            self._tell(event(operation, failure))
        operation._end(value, failure)

    # where failures and versions are kept ------------------------------------------------------

    def _inherited(self, operation: Operation) -> Failure | None:
        if operation.prop in UNSKIPPED:
            return None
        found: Failure | None = None
        overwrites = operation.prop is OVERWRITE
        for variable in operation.reads if overwrites else operation.reads + operation.writes:
            if variable._core is not None:
                variable._core.send_home(variable)
            failure = variable._failure
            if (
                failure is not None
                and (variable.keeps == UNTIL_WRITTEN or failure.applies_to(operation.seq))
                and (found is None or failure.order < found.order)
            ):
                found = failure
        return found

    def _store(self, var: Variable, failure: Failure | None) -> None:
        if var._core is not None:
            var._core.send_home(var)
        var._version += 1
        var._failure = None if var.keeps == NEVER else failure

    def _version_of(self, var: Variable) -> int:
        if var._core is not None:
            var._core.send_home(var)
        return var._version

    def _failure_of(self, var: Variable) -> Failure | None:
        if var._core is not None:
            var._core.send_home(var)
        return var._failure

    def _renew(self, var: Variable) -> None:
        if var._core is not None:
            var._core.send_home(var)
        if not self._in_use(var):  # what is unfinished may read it
            var._failure = None

    def _in_use(self, var: Variable) -> bool:
        return False

    def _claim(self, failure: Failure) -> bool:
        """Whether the caller is the first to raise it; it counts as raised now."""
        return self._owner.ledger.claim(failure, self._newest())

    def _claim_all(self) -> Failure | None:
        """All that nobody was told of count as raised; the first, which lists the others."""
        return self._owner.ledger.claim_all(self._newest())

    def _outstanding(self) -> int:
        """Failures that nobody was told of."""
        return len(self._owner.ledger)

    # listeners --------------------------------------------------------------------------------

    def add_listener(self, listener: Listener) -> None:
        """Have `listener(event)` called for every operation that ends, on its thread."""
        self._listeners = (*self._listeners, listener)

    def remove_listener(self, listener: Listener) -> None:
        """Undo one `add_listener`."""
        kept = list(self._listeners)
        kept.remove(listener)
        self._listeners = tuple(kept)

    def _tell(self, ended: Event) -> None:
        for listener in self._listeners:
            try:
                listener(ended)
            except Exception:  # the operation has ended well: its waiters must be told
                import traceback

                traceback.print_exc()

    # what a subclass must have -----------------------------------------------------------------

    @abstractmethod
    def _issue(self, operation: Operation) -> None: ...

    @abstractmethod
    def _complete(self, operation: Operation) -> None: ...

    @abstractmethod
    def _wait_variable(self, var: Variable, deadline: float | None) -> bool: ...

    @abstractmethod
    def _wait_all(self, deadline: float | None) -> bool: ...

    @abstractmethod
    def _newest(self) -> int: ...

    @abstractmethod
    def _go_on_from(self, number: int) -> None: ...

    @abstractmethod
    def _unfinished(self) -> list[Operation]: ...

    @abstractmethod
    def _counts(self) -> tuple[int, int, int]: ...
