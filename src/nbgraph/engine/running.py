"""The run of an operation, and the destination of its result and its failure.

`perform(operation)` runs an operation on the calling thread; its engine completes it when it has
ended: at once, or when its `on_complete` is called, on any thread. Operations of the compiled core
(`operation.core`) read failures from the core and write them there; those of the naive engine use
the variables themselves.
"""

import gc
import queue
import threading
import time
from typing import Any

from nbgraph.device import RunContext, run_context
from nbgraph.engine.core.layout import NEVER, O_ERROR, UNTIL_WRITTEN
from nbgraph.engine.events import event
from nbgraph.engine.failure import Failure, Untold
from nbgraph.engine.operation import CPU, DONE, ISSUED, RUNNING, Operation
from nbgraph.engine.properties import OVERWRITE, UNSKIPPED
from nbgraph.engine.thread import here, inside
from nbgraph.errors import ArgumentError, EngineError
from nbgraph.scopes import thread_name

_RUN_ON_CPU = run_context(CPU)
_now = time.monotonic_ns


def perform(operation: Operation) -> None:
    """Run a ready operation on this thread."""
    if operation.members is not None:
        _perform_bulk(operation)
        return
    inherited = _inherited(operation)
    if inherited is not None and operation.lane is not None:
        operation.lane.skip(operation)
    elif _run(operation, inherited):
        operation.engine._complete(operation)
        operation.forget()
    del operation, inherited  # an exception keeps this frame alive, but shall not keep the push


def _perform_bulk(operation: Operation) -> None:
    engine, core = operation.engine, operation.core
    members = operation.members or []
    if core is not None:
        # members pass failures to each other here; the core gets them at the end
        here.carried = {
            v: core.carried_by(v) if v._core is core else engine._failure_of(v)
            for v in operation.reads + operation.writes
        }
        for variable in operation.writes:
            writers = sum(variable in member.writes for member in members)
            variable._version += max(0, writers - 1)  # the core counts one
    try:
        operation.state = RUNNING
        for place, member in enumerate(members):
            member.core, member.seq, member.index = core, operation.seq, place
            _run(member, _inherited(member))
            member.forget()
        operation._end(None, None)
        engine._complete(operation)
        operation.forget()
    finally:
        if core is not None:
            here.carried = None


def _run(operation: Operation, inherited: Failure | None) -> bool:
    """Call the function, or pass the failure on; return whether the operation has ended."""
    if inherited is not None:
        _settle(operation, None, inherited)
        return True
    if operation.engine._listeners:
        operation.started_ns = _now()
        operation.thread = threading.get_ident(), thread_name()
    fn, ctx = operation.fn, operation.ctx
    run_ctx = _RUN_ON_CPU if ctx is CPU else run_context(ctx)
    operation.state = RUNNING
    outer, was_inside = here.running, inside.get()
    value = failure = None
    try:  # a signal may raise after any call
        here.running = operation
        inside.set(True)
        if operation.asynchronous:
            if _begin(operation, run_ctx):
                return False
        else:
            value = fn(run_ctx)  # type: ignore[misc]
    except BaseException as error:  # KeyboardInterrupt too: raised at the next wait
        failure = failed(operation, error)
    finally:
        here.running = outer
        inside.set(was_inside)
    _settle(operation, value, failure)
    del operation, failure, outer  # as in `perform`
    return True


def _begin(operation: Operation, run_ctx: RunContext) -> bool:
    """Call an asynchronous function; its exception counts unless `on_complete` came first."""
    watch_dropped()
    on_complete, lane = OnComplete(operation), operation.lane
    once = on_complete._once
    try:
        value = operation.fn(run_ctx, on_complete)  # type: ignore[misc]
        if lane is not None:
            operation.value = value
    except BaseException as error:
        first = on_complete._take() is not None
        if lane is None:
            if first:
                raise
            failed(operation, error)  # too late for its variables: wait_for_all raises it
        elif first:
            lane.ended(operation, error)  # ended in its turn
    if lane is not None:
        operation.state = ISSUED
        lane.issued(operation)
    elif once and operation.state == RUNNING:
        operation.state = ISSUED
    return True


def end(operation: Operation, error: BaseException | None) -> None:
    """End an asynchronous operation, on any thread."""
    if operation.lane is not None:
        operation.lane.ended(operation, error)
        return
    _settle(operation, None, None if error is None else failed(operation, error))
    operation.engine._complete(operation)
    operation.forget()


def finish(operation: Operation, value: Any, failure: Failure | None) -> None:
    """End an operation of a lane, when its turn has come."""
    _settle(operation, value, failure)
    operation.engine._complete(operation)
    operation.forget()


def end_interrupted(operation: Operation) -> None:
    """End an operation, and its members, as a signal has ended the run on its thread."""
    for unended in [*(operation.members or ()), operation]:
        if not unended.ended:
            _settle(unended, None, failed(unended, KeyboardInterrupt()))


def failed(operation: Operation, error: BaseException) -> Failure:
    """Return a new failure of an operation, recorded as not raised yet."""
    trace = error.__traceback__
    while trace is not None and trace.tb_frame.f_code.co_filename == __file__:
        trace = trace.tb_next  # begin at the user's function
    if trace is None and isinstance(error, TypeError):
        takes = "run_ctx, on_complete" if operation.asynchronous else "run_ctx"
        error.add_note(f"the engine calls it with ({takes}): lambda {takes}: ...")
    order = operation.seq, operation.index
    failure = Failure(error.with_traceback(trace), order, operation.name, operation.site)
    core: Any = operation.core
    engine: Any = operation.engine
    if core is None:
        failure.hidden = not all(map(gc.is_tracked, operation.writes))  # those of arrays are not
        engine._owner.ledger.add(failure)
    else:
        (core if core is engine._core else engine._opened()).keep(operation, failure)
    if not operation.writes:
        operation.untold = Untold(failure)
    return failure


def _settle(operation: Operation, value: Any, failure: Failure | None) -> None:
    """Update versions and failures of its outputs, and notify its listeners and waiters."""
    if operation.core is None:
        for variable in operation.writes:
            if variable._core is not None:
                variable._core.send_home(variable)
            variable._version += 1
            variable._failure = None if variable.keeps == NEVER else failure
    elif here.carried is not None:
        here.carried.update(dict.fromkeys(operation.writes, failure))
    if operation.engine._listeners:
        operation.engine._tell(event(operation, failure))
    operation._end(value, failure)


def _inherited(operation: Operation) -> Failure | None:
    """Return the failure because of which an operation is skipped, or None."""
    if operation.prop in UNSKIPPED:
        return None
    core = operation.core
    if core is None:
        return _inherited_from_variables(operation)
    carried = here.carried
    if carried is None:
        cell = core.peek(operation.block + O_ERROR)
        return core.failure_in(cell) if cell else None
    failures = [carried.get(v) for v in operation.reads + operation.writes]
    applying = [f for f in failures if f is not None and f.applies_to(operation.seq)]
    return min(applying, key=lambda f: f.order, default=None)


def _inherited_from_variables(operation: Operation) -> Failure | None:
    earliest: Failure | None = None
    overwrites = operation.prop is OVERWRITE
    for variable in operation.reads if overwrites else operation.reads + operation.writes:
        if variable._core is not None:
            variable._core.send_home(variable)
        failure = variable._failure
        if (
            failure is not None
            and (variable.keeps == UNTIL_WRITTEN or failure.applies_to(operation.seq))
            and (earliest is None or failure.order < earliest.order)
        ):
            earliest = failure
    return earliest


class OnComplete:
    """The callback that ends an asynchronous operation: `on_complete()`, or `on_complete(error)`.

    It may be called from any thread, once. If it is garbage collected without a call, the
    operation fails with an EngineError that says so, instead of hanging.
    """

    __slots__ = ("_name", "_once")

    def __init__(self, operation: Operation) -> None:
        self._name = operation.name
        self._once = [operation]  # popped by the thread that ends it: atomic

    def __call__(self, error: BaseException | None = None) -> None:
        """End the operation, with `error` if it failed."""
        if error is not None and not isinstance(error, BaseException):
            raise ArgumentError(
                f"on_complete of {self._name!r}: error={error!r}; "
                "expected an exception object, or nothing if all went well"
            )
        operation = self._take()
        if operation is None:
            raise EngineError(
                f"on_complete of {self._name!r} was called again, or after its function had "
                "raised: an operation ends once"
            )
        try:
            end(operation, error)
        except BaseException:  # raised by a signal: the caller may call again
            if operation.core is None and operation.state != DONE:
                self._once = [operation]
            raise

    def _take(self) -> Operation | None:
        try:
            return self._once.pop()
        except IndexError:
            return None

    def __del__(self) -> None:
        if getattr(self, "_once", None):  # a signal may have come before `__init__`
            # A finaliser may interrupt a thread that holds any lock. `put` is safe for that; the
            # rest happens on another thread.
            _dropped.put(self._once)

    def __repr__(self) -> str:
        return f"<on_complete of {self._name!r}: {'not called' if self._once else 'called'}>"


_dropped: queue.SimpleQueue[list[Operation]] = queue.SimpleQueue()
_drop_threads: list[threading.Thread] = []  # none or one
_start_lock = threading.Lock()


def forget_threads() -> None:
    """Replace locks in a forked child: threads that are not here may hold them."""
    global _start_lock, _dropped
    _start_lock = threading.Lock()
    _dropped = queue.SimpleQueue()


def watch_dropped() -> None:
    """Start the thread that ends operations whose `on_complete` was garbage collected."""
    if _drop_threads and _drop_threads[0].is_alive():
        return
    with _start_lock:
        if not (_drop_threads and _drop_threads[0].is_alive()):  # a forked child has none
            thread = threading.Thread(target=_end_dropped, name="nbgraph dropped", daemon=True)
            _drop_threads[:] = [thread]
            thread.start()


def _end_dropped() -> None:
    while True:
        once = _dropped.get()
        if once:
            operation = once.pop()
            error = EngineError(
                f"{operation.name!r} can never end: its on_complete was dropped without a call"
            )
            end(operation, error)
            del operation, error
        del once
