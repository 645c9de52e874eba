"""The threaded engine: the compiled core, worker threads for kernels, and for Python functions.

Kernels (`NativeCall`) run on native workers, which need no GIL and no Python; short ones run in the
pusher, and waiting threads run ready ones too. Python functions run on other threads, ordered by
the same tracker; copies and urgent work have their own queues and threads.
"""

import os
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

from nbgraph.engine import checks, lifecycle
from nbgraph.engine.core import layout
from nbgraph.engine.events import Listener, Recording
from nbgraph.engine.handle import Core
from nbgraph.engine.kernels import KernelPush
from nbgraph.engine.lanes import Lane
from nbgraph.engine.operation import Operation
from nbgraph.engine.properties import ASYNC, NORMAL
from nbgraph.engine.streams import device_queue
from nbgraph.engine.thread import here
from nbgraph.engine.tracked import JOIN, TrackedEngine
from nbgraph.engine.variable import Owner, Variable
from nbgraph.errors import EngineError
from nbgraph.scopes import attend

LEAST_PYTHON_WORKERS = 4
BRAKED, MOMENT = 0.05, 0.0002  # seconds that a pusher is held back before it tries again
_NAMES = {layout.NATIVE: "kernel", layout.PYTHON: "python", layout.COPY: "copy"}


def cores() -> int:
    """Return the number of processors that this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on this system
        return os.cpu_count() or 1


class Workers:
    """The threads that serve the queues of a core; `sizes` says how many each queue has."""

    def __init__(self, sizes: dict[int, int]) -> None:
        self.sizes = sizes
        self.serving: list[bool] = [False] * layout.QUEUE_COUNT
        self.names: dict[int, tuple[int, str]] = {}  # identifier and name of a thread, by parker
        self.forget()

    def start(self, core: Core, queue: int, work: Callable[[Core, int], None]) -> None:
        """Start the missing threads of a queue; each runs `work(core, queue)`."""
        try:
            attend(self._start, self._start_lock, core, queue, work)
        except RuntimeError as error:
            what = f"the engine: a thread of its own cannot be started ({error})"
            raise EngineError(
                f"{what}; end other threads, or allow more, and call again"
            ) from error

    def _start(self, lock: Any, core: Core, queue: int, work: Callable[..., None]) -> None:
        if sys.is_finalizing():  # Python 3.11 would wait for a thread that never begins
            raise RuntimeError("the interpreter ends")
        with lock:
            if lock is not self._start_lock:  # stopped, since an interrupt ended the wait
                return
            threads, name = self._threads.setdefault(queue, []), _NAMES.get(queue, "urgent")
            for i in range(len(threads), self.sizes[queue]):
                label = f"nbgraph {name} {i}"
                thread = threading.Thread(target=work, args=(core, queue), name=label, daemon=True)
                thread.start()
                threads.append(thread)
            self.serving[queue] = True

    def join(self, timeout: float) -> None:
        """Wait for the threads to end, at most `timeout` seconds in all."""
        until = time.monotonic() + timeout
        with self._start_lock:
            threads = [each for threads in self._threads.values() for each in threads]
        for thread in threads:
            if thread is not threading.current_thread():
                thread.join(max(0.0, until - time.monotonic()))

    def forget(self) -> None:
        """Drop all threads: no queue is served any more."""
        self._start_lock = threading.Lock()
        self._threads: dict[int, list[threading.Thread]] = {}  # by queue
        self.serving[:] = [False] * layout.QUEUE_COUNT


class ThreadedEngine(TrackedEngine):
    """An engine that runs ready operations on `workers` native threads and as many for Python."""

    kind = "threaded"
    repeatable = False

    def __init__(
        self, *, workers: int | None = None, owner: Owner | None = None, first: int = 0
    ) -> None:
        super().__init__(owner=owner, first=first)
        if workers is not None:
            workers = checks.workers(workers, "ThreadedEngine")
        self.workers = max(1, cores() - 1) if workers is None else workers
        python = max(LEAST_PYTHON_WORKERS, cores()) if workers is None else workers
        self._workers = Workers(
            {layout.NATIVE: self.workers, layout.PYTHON: python, layout.COPY: 1, layout.URGENT: 1}
        )
        self._serving = self._workers.serving
        self._kernels = kernels = KernelPush(self)
        self._run_step, self._run_notice = kernels.run_step, kernels.run_notice
        self._lanes: dict[int, Lane] = {}
        self._recording: tuple[Core, Recording] | None = None
        self._live: Core | None = None  # the core, while its workers run

    # threads -----------------------------------------------------------------------------------

    def _begin_core(self, core: Core) -> None:
        core.poke(core.address + layout.STOPPING, 0)
        core.poke(core.address + layout.WORKERS, self.workers)
        self._workers.start(core, layout.NATIVE, self._work)
        self._live = core

    def _work(self, core: Core, queue: int) -> None:
        """Run kernels until the core stops: the main function of a native worker."""
        parker = core.parker()
        thread = threading.current_thread()
        self._workers.names[parker] = threading.get_ident(), thread.name
        core.work_until_stopped(parker)

    def _serve(self, core: Core, queue: int) -> None:
        """Run Python functions until the core stops: the main function of a Python worker."""
        parker = core.parker()
        following, run, run_step = core.next_call, self._run_block, self._run_step
        while block := following(parker, queue, -1):
            if core.peek(block + layout.O_KIND) == layout.STEP:
                run_step(core, block)
            elif not (core.notices and self._run_notice(core, block)):
                run(core, block)
            if core.retired:  # the function forked, and this is the child: its last thread ends
                lifecycle.end_child()
        del core

    def _open_queue(self, core: Core, queue: int) -> None:
        with self._opening:
            self._opened()  # it may have been stopped
            if not self._serving[queue]:
                self._workers.start(core, queue, self._serve)

    # kernels, and devices ----------------------------------------------------------------------

    def _takes_pushes(self) -> bool:
        """Return whether pushes may go to the core directly."""
        return self._live is not None and self._owner.engine is self and not self._bulks

    def _open_gate(self) -> bool:
        """Enable the fast paths that push to the core directly, if allowed; return whether so."""
        if self._takes_pushes():
            self._owner.gate[0] = self._live
            if self._takes_pushes():
                return True
            self._owner.gate[0] = None  # another thread may have closed it just before
        return False

    def _end_life(self) -> None:
        """Record that no worker of the core runs from now on, and close the fast paths."""
        self._live = None
        self._owner.gate[0] = None

    def site_id(self, above: int = 0) -> int:
        """Return the number of the user's line that called a `Launcher`, from `above` frames up."""
        return self._names.site_at(sys._getframe(1 + above))

    def _take_queue(self, lane: Lane) -> int:
        """Return a queue for a new lane."""
        with self._opening:
            for queue in range(layout.FIRST_LANE, layout.QUEUE_COUNT):
                if queue not in self._lanes:
                    self._lanes[queue] = lane
                    self._workers.sizes[queue] = 1
                    return queue
        most = layout.QUEUE_COUNT - layout.FIRST_LANE
        raise EngineError(f"Lane: all {most} lanes of this engine are taken")

    def _to_device(self, operation: Operation, stream: str) -> None:
        """Like `Engine._to_device`, but later work on the device does not wait for the end."""
        fn: Any = operation.fn
        queue = device_queue(operation.ctx)
        operation.lane = queue.lane(self, lambda: Lane(self, repr(queue.device)))
        operation.fn = queue.job(fn, stream, (*operation.reads, *operation.writes))
        operation.asynchronous = True
        if operation.prop is NORMAL:
            operation.prop = ASYNC

    # begin and end -----------------------------------------------------------------------------

    def _open(self) -> None:
        self._opened()

    def _close(self) -> None:
        if self._core is not None:
            self._stopped = True  # a push from now on opens it again, before or after `_close_core`
            attend(self._close_core, self._core)

    def _close_core(self, core: Core) -> None:
        with self._opening:
            if not self._stopped:  # a push came first, as an interrupt had ended the wait for this
                return
            self._end_life()
            core.stop()
            self._workers.join(JOIN)
            self._workers.forget()
            for operator in list(core.operators.values()):
                operator.core = None  # their fast path would not start the workers

    def _shut_down(self) -> None:
        """Stop at the end of the process, after a bounded wait for unfinished work."""
        core = self._core
        if core is None or self._stopped:
            return
        super()._shut_down()
        self._end_life()
        core.stop()
        self._workers.forget()
        self._stopped = True  # a later exit handler may push again

    def _after_fork(self) -> None:
        self._end_life()
        self._workers.forget()
        self._stopped = False
        super()._after_fork()

    # listeners ---------------------------------------------------------------------------------

    def add_listener(self, listener: Listener) -> None:
        """Like `Engine.add_listener`; kernels are reported in batches, at waits and at the end."""
        core = self._opened()
        if self._recording is None or self._recording[0] is not core:
            self._recording = core, Recording(core)
        elif not self._listeners:
            self._recording[1].begin()
        super().add_listener(listener)

    def remove_listener(self, listener: Listener) -> None:
        """Like `Engine.remove_listener`, after reporting the kernels recorded so far."""
        self._drain_events()
        super().remove_listener(listener)
        if self._recording is not None and not self._listeners:
            self._recording[1].end()

    def _drain_events(self) -> None:
        if self._listeners and self._recording is not None:
            core, recording = self._recording
            with core.lock:
                events = recording.drain(self._names, self._workers.names)
            for each in events:
                self._tell(each)

    # wait --------------------------------------------------------------------------------------

    def _calm(self, var: Variable) -> bool:
        core = self._core
        if core is None or var._owner is not self._owner or here.running is not None:
            return False
        if var.deleted or self._bulks or core.states:
            return False
        if var._core is None:  # no operation of this engine has named it
            return var._queue is None and var._failure is None
        return var._core is core and core.settled(var._address) != 0

    def _wait_all(self, deadline: float | None) -> bool:
        done = super()._wait_all(deadline)
        if self._listeners:
            self._drain_events()
        return done

    def _hold_back(self, core: Core) -> None:
        """Hold back a pusher over the brake: run ready work or sleep until there is room."""
        if self._stopped:
            self._open()
        if self._wait_ticket(core, -1, time.monotonic() + BRAKED):
            # the push may be larger than the room: then it waits until nothing is pending
            self._wait_ticket(core, 0, time.monotonic() + MOMENT)

    def _wait_operation(self, pending: Any, deadline: float | None) -> bool:
        if pending.ticket and pending.core is self._core:
            if not self._wait_ticket(pending.core, pending.ticket, deadline):
                return pending.ended
        watch = self._watch()
        while not pending.ended:
            until = time.monotonic() + 1.0
            if deadline is not None:
                until = min(until, deadline)
            if pending._sleep(until):
                return True
            if deadline is not None and time.monotonic() >= deadline:
                return pending.ended
            watch()
        return True
