"""The threads of a core under test: pushers, workers, Python threads, device lanes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nbgraph.engine.core import failures, serving, state
from nbgraph.engine.core import layout as L  # noqa: N812
from nbgraph.engine.core.machine import MACHINE
from tests.engine.core.calls import Core

HANDED = 1 << 45  # a word between an issuer and its device


class Bench(Core):
    """A core with its threads."""

    def pusher(self, script: Callable[[], object]) -> None:
        """A thread of the user's."""
        name = f"pusher{len(self.pushers)}"
        self.pushers.append(name)
        self.buffers[name] = self.parker()

        def body() -> None:
            script()
            self.finished += 1

        self.scheduler.add(name, body)

    def worker(self, count: int = 1) -> None:
        """Native workers."""
        self.set(L.WORKERS, self.get(L.WORKERS) + count)
        for _ in range(count):
            parker = self.parker()
            name = f"worker{len(self.scheduler.threads)}"
            body = lambda p=parker: self.call(serving.work_until_stopped, self.core, p)
            self.scheduler.add(name, body)

    def calls(self, parker: int, queue: int, timeout: int) -> Any:
        """Operations of a queue, until the core stops."""
        while True:
            operation = self.call(serving.next_call, self.core, parker, queue, timeout)
            if operation:
                job = self.jobs[MACHINE.words[operation + L.O_TOKEN]]
                skipped = MACHINE.words.get(operation + L.O_ERROR, 0) != 0
                yield operation, job, skipped
            elif self.get(L.STOPPING):
                return

    def python(self, timeout: int = -1) -> None:
        """A thread that runs Python functions."""
        parker = self.parker()

        def body() -> None:
            for operation, job, skipped in self.calls(parker, L.PYTHON, timeout):
                code = 0 if skipped else self.body(job, *job.range)
                if job.early and not skipped:
                    code = self.leave_early(operation, job, code)
                self.call(serving.call_done, self.core, operation, code, 0)

        self.scheduler.add("python", body)

    def leave_early(self, operation: int, job: Any, code: int) -> int:
        """Give all variables back before the operation is done; the code that is left to tell."""
        cell = self.call(failures.fail, self.core, operation, code, 0) if code else 0
        for index in range(len(job.names)):
            self.call(failures.leave_early, self.core, operation, index, cell)
        return 0

    def conductor(self) -> None:
        """Nothing runs unless this thread takes it, the newest ready operation first."""
        self.set(L.HOLD, 1)
        place = (1 << 45) + 64
        counts = [L.QUEUES + L.LINE * q + L.Q_COUNT for q in (L.NATIVE, L.PYTHON)]

        def body() -> None:
            while True:
                waiting = lambda: any(map(self.get, counts)) or self.get(L.STOPPING)
                self.scheduler.until(waiting)
                count = self.call(state.ready_list, self.core, place, 8)
                if not count:
                    return
                operation = MACHINE.words[place + L.WORD * (count - 1)]
                assert self.call(serving.take_one, self.core, operation)
                if MACHINE.words.get(operation + L.O_QUEUE, 0) == L.NATIVE:
                    self.call(serving.run_one, self.core, operation)
                    continue
                job = self.jobs[MACHINE.words[operation + L.O_TOKEN]]
                failed = MACHINE.words.get(operation + L.O_ERROR, 0)
                code = 0 if failed else self.body(job)
                self.call(serving.call_done, self.core, operation, code, 0)

        self.scheduler.add("conductor", body)

    def lane(self) -> None:
        """A thread that issues to a device, and the device, which works in the order of issue.

        What is skipped is issued too: ended at once, its failure would poison what is still issued.
        """
        parker = self.parker()
        self.lanes_open += 1

        def issuer() -> None:
            for operation, job, skipped in self.calls(parker, L.FIRST_LANE, -1):
                self.call(serving.call_issued, self.core, operation)
                self.call(state.poke, HANDED, operation)
                self.flight.append((operation, None if skipped else job))
            self.lanes_open -= 1

        def device() -> None:
            while True:
                self.scheduler.until(lambda: bool(self.flight) or not self.lanes_open)
                if not self.flight:
                    return
                self.call(state.peek, HANDED)  # what the issuer has written is seen
                operation, job = self.flight.pop(0)
                code = 0
                if job is not None:
                    job.on_device.add(MACHINE.words[operation + L.O_SEQ])
                    code = self.body(job)
                self.call(serving.call_done, self.core, operation, code, 0)

        self.scheduler.add("issuer", issuer)
        self.scheduler.add("device", device)

    def ending(self) -> None:
        """A thread that stops the core once all is done, without helping it."""
        parker = self.parker()

        def over() -> bool:
            return self.finished == len(self.pushers) and not self.get(L.PENDING)

        def body() -> None:
            self.scheduler.until(over)
            self.call(serving.stop, self.core)
            me = self.scheduler.current
            self.scheduler.until(lambda: all(t.done or t is me for t in self.scheduler.threads))
            self.call(serving.work_until_stopped, self.core, parker)  # helpers nobody needed

        self.scheduler.add("ending", body)
