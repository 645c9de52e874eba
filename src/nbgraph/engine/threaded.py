"""The threaded engine: the compiled core, worker threads for kernels, and for Python functions.

Kernels (`NativeCall`) run on native workers, which need no GIL and no Python; short ones run in the
pusher, and a thread that waits helps. Python functions run on threads of their own, by the same
tracker; copies and urgent work have their own queues and threads.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from typing import Any

from nbgraph.device import Context, RunContext
from nbgraph.engine import checks, lifecycle
from nbgraph.engine.core import layout
from nbgraph.engine.handle import Core
from nbgraph.engine.kernels import Kernels
from nbgraph.engine.lanes import Lane, first_free
from nbgraph.engine.native_events import Recording
from nbgraph.engine.operation import ISSUED, Operation
from nbgraph.engine.pending import OnComplete, Pending, watch_dropped
from nbgraph.engine.properties import ASYNC, NORMAL, FnProperty
from nbgraph.engine.runner import Listener
from nbgraph.engine.serving import JOIN, ServedEngine
from nbgraph.engine.streams import WORK, device_queue
from nbgraph.engine.tracked import QUEUES
from nbgraph.engine.variable import Owner

LEAST_PYTHON_WORKERS = 4
HELD, MOMENT = 0.05, 0.0002  # seconds that a pusher is held before it tries again


def cores() -> int:
    """Processors this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on this system
        return os.cpu_count() or 1


class ThreadedEngine(Kernels, ServedEngine):
    """Runs ready work on threads; see the module. `workers` native ones, as many for Python."""

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
        self._sizes = {layout.PYTHON: python, layout.COPY: 1, layout.URGENT: 1}
        self._lanes: dict[int, Lane] = {}
        self._threads: dict[int, list[threading.Thread]] = {}
        self._serving: list[bool] = [False] * layout.QUEUE_COUNT
        self._thread_names: dict[int, tuple[int, str]] = {}
        self._recording: tuple[Core, Recording] | None = None

    # threads -----------------------------------------------------------------------------------

    def _begin_core(self, core: Core) -> None:
        core.poke(core.address + layout.WORKERS, self.workers)
        self._live = core
        self._start(core, layout.NATIVE, self.workers, self._work)

    def _start(
        self, core: Core, queue: int, count: int, target: Callable[[Core, int], None]
    ) -> None:
        names = {layout.NATIVE: "kernel", layout.PYTHON: "python", layout.COPY: "copy"}
        threads = [
            threading.Thread(
                target=target,
                args=(core, queue),
                name=f"nbgraph {names.get(queue, 'urgent')} {i}",
                daemon=True,
            )
            for i in range(count)
        ]
        self._threads[queue] = threads
        self._serving[queue] = True
        for thread in threads:
            thread.start()

    def _work(self, core: Core, queue: int) -> None:
        parker = core.parker()
        self._note_thread(parker)
        core.work_until_stopped(parker)

    def _note_thread(self, parker: int) -> None:
        thread = threading.current_thread()
        self._thread_names[parker] = threading.get_ident(), thread.name

    def _serve(self, core: Core, queue: int) -> None:
        """The life of a thread that runs Python functions."""
        parker = core.parker()
        following, running = core.next_call, self._now_running
        while block := following(parker, queue, -1):
            if core.peek(block + layout.O_KIND) == layout.STEP:
                self._run_step(core, block)
            elif not self._notice(core, block):
                token = core.peek(block + layout.O_TOKEN)
                operation = self._jobs.pop(token)
                operation.block = block
                operation.seq = core.peek(block + layout.O_SEQ)
                running[block] = operation
                del operation
                self._perform(running[block])
            if core.retired:  # the function forked, and this is the child: its last thread ends
                lifecycle.end_child()
        del core

    def _issue(self, operation: Operation) -> None:
        core = self._core or self._opened()
        queue = QUEUES.get(operation.prop, layout.PYTHON)
        if not self._serving[queue]:
            self._open_queue(core, queue)
        super()._issue(operation)

    def _open_queue(self, core: Core, queue: int) -> None:
        with self._opening:
            self._opened()  # it may have been stopped
            if not self._serving[queue]:
                self._start(core, queue, self._sizes[queue], self._serve)

    # lanes -------------------------------------------------------------------------------------

    def _take_queue(self, lane: Lane) -> int:
        with self._opening:
            queue = first_free(self._lanes)
            self._lanes[queue] = lane
            self._sizes[queue] = 1
            return queue

    def push_to_device(
        self,
        device: Context,
        fn: Callable[[RunContext], Any],
        *,
        stream: str = WORK,
        const_vars: Any = (),
        mutate_vars: Any = (),
        priority: int = 0,
        name: str | None = None,
        nbytes: int = 0,
        prop: FnProperty = NORMAL,
    ) -> Pending:
        """As `Engine.push_to_device`: what follows on the device does not wait for the end."""
        name = checks.label(fn, name, "push")
        reads, writes = tuple(const_vars), tuple(mutate_vars)
        held = device_queue(device)
        lane = held.lane(self, lambda: Lane(self, repr(device)))
        return lane.push(
            held.job(fn, stream, (*reads, *writes)),
            ctx=device,
            const_vars=reads,
            mutate_vars=writes,
            priority=priority,
            name=name,
            nbytes=nbytes,
            prop=ASYNC if prop is NORMAL else prop,
        )

    def _begin(self, operation: Operation, run_ctx: RunContext) -> bool:
        if operation.lane is None:
            return super()._begin(operation, run_ctx)
        watch_dropped()
        on_complete = OnComplete(operation)
        try:
            operation.value = operation.fn(run_ctx, on_complete)  # type: ignore[misc]
        except BaseException as error:  # as in `Runner._run`; it ends in its turn
            if on_complete._take() is not None:
                operation.lane.ended(operation, error)
        operation.state = ISSUED
        operation.lane.issued(operation)
        return True

    def _perform(self, operation: Operation) -> None:
        if operation.lane is not None and self._inherited(operation) is not None:
            # skipped, but in its turn: what was issued before must not see its failure
            operation.state = ISSUED
            operation.lane.ended(operation, None)
            operation.lane.issued(operation)
        else:
            super()._perform(operation)
        del operation  # see there

    def _end_async(self, operation: Operation, error: BaseException | None) -> None:
        if operation.lane is not None:
            operation.lane.ended(operation, error)
        else:
            super()._end_async(operation, error)

    # begin and end -----------------------------------------------------------------------------

    def _open(self) -> None:
        core = super()._opened()
        with self._opening:
            if not self._serving[layout.NATIVE]:
                core.poke(core.address + layout.STOPPING, 0)
                self._begin_core(core)

    def _close(self) -> None:
        core = self._core
        if core is None or not self._serving[layout.NATIVE]:
            return
        with self._opening:
            self._end_life()
            core.stop()
            threads = [t for group in self._threads.values() for t in group]
            self._threads.clear()
            until = time.monotonic() + JOIN
            for thread in threads:
                if thread is not threading.current_thread():
                    thread.join(max(0.0, until - time.monotonic()))
            self._serving = [False] * layout.QUEUE_COUNT
            for operator in list(self._operators.values()):
                operator.core = None  # their quick way in would not start the workers

    def _opened(self) -> Core:
        core = super()._opened()
        if not self._serving[layout.NATIVE]:  # stopped: a push starts it again
            self._open()
        return core

    def _shut_down(self) -> None:
        """The process ends: what is unfinished has a moment, then the threads are let go."""
        core = self._core
        if core is None or not self._serving[layout.NATIVE]:
            return
        super()._shut_down()
        self._end_life()
        core.stop()
        self._threads.clear()
        self._serving = [False] * layout.QUEUE_COUNT  # a later exit handler may push again

    def _after_fork(self) -> None:
        self._end_life()
        self._threads.clear()
        self._serving = [False] * layout.QUEUE_COUNT
        super()._after_fork()

    # listeners ---------------------------------------------------------------------------------

    def add_listener(self, listener: Listener) -> None:
        """As `Engine.add_listener`; kernels are told of in batches, at waits and at the end."""
        core = self._opened()
        if self._recording is None or self._recording[0] is not core:
            self._recording = core, Recording(core)
        elif not self._listeners:
            self._recording[1].begin()
        super().add_listener(listener)

    def remove_listener(self, listener: Listener) -> None:
        """As `Engine.remove_listener`."""
        self._drain_events()
        super().remove_listener(listener)
        if self._recording is not None and not self._listeners:
            self._recording[1].end()

    def _drain_events(self) -> None:
        if self._listeners and self._recording is not None:
            with self._raising:
                events = self._recording[1].drain(self)
            for each in events:
                self._tell(each)

    # wait --------------------------------------------------------------------------------------

    def _wait_all(self, deadline: float | None) -> bool:
        done = super()._wait_all(deadline)
        if self._listeners:
            self._drain_events()
        return done

    def _hold_back(self, core: Core) -> None:
        """Over the brake: help, or sleep, until there is room."""
        if not self._serving[layout.NATIVE]:
            self._open()
        if self._wait_ticket(core, -1, time.monotonic() + HELD):
            # what is held may be larger than the room there is: then it goes last
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
