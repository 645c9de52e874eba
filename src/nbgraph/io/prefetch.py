"""Prefetching: operations of the engine that prepare batches in advance.

Reading, decoding, transforms and batching of a batch are one operation, or several if samples are
decoded one by one or come from windows of whole blocks. At most n batches are in progress or ready.
Operations work on the same pieces as an iterator without prefetching, so the bits are the same.

`next` raises the exception of an operation. An operation refers to the source and to its results,
but not to the iterator: garbage collection of the iterator stops pending operations.
"""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Mapping
from typing import Any

from nbgraph.engine import Pending, Variable, current
from nbgraph.errors import ArgumentError, require_whole
from nbgraph.io.batching import Batcher
from nbgraph.io.flow import FlowPlan
from nbgraph.io.plan import BlockPlan, Cursor, Piece
from nbgraph.io.protocol import DataBatch, DataDesc, DataIter
from nbgraph.io.reading import Samples, Window, joined
from nbgraph.io.report import Meter, Report, collecting, report_of

_SHARE = 8  # least number of samples that one operation decodes


class Job:
    """A batch in preparation. `before`, `after`: the iterator's position before and after it."""

    __slots__ = ("after", "batch", "before", "ended", "error", "moved", "pending", "seconds")

    def __init__(self, before: Any = None, after: Any = None) -> None:
        self.before, self.after = before, after
        self.batch: DataBatch | None = None
        self.error: Exception | None = None
        self.ended = False  # whether the epoch ended instead
        self.moved = False  # whether the copy to the device was started
        self.pending: Pending
        self.seconds: dict[str, float] = {}


class Ahead(ABC):
    """A queue of jobs in the order of their batches; a subclass defines `start`."""

    def __init__(self, depth: int, close: Callable[[], None]) -> None:
        self.depth, self._close = depth, close
        self.front: Any = None  # the position after the last started job
        self.jobs: deque[Job] = deque()
        self._running: set[int] = set()  # identifiers of pushed operations that have not ended
        self._cancelled = False  # operations that have not started do nothing
        self._abandoned = False  # the last operation closes the source
        self._broken = False  # an interrupt ended a job
        self._process = os.getpid()

    def push(
        self, job: Job, work: Callable[[], None], *, reads: Any = (), writes: Any = (), name: str
    ) -> None:
        """Push `work` as an operation of a job, which stores its exception."""
        key = id(work)
        self._running.add(key)

        def run(run_ctx: Any) -> None:
            try:
                if not self._cancelled and job.error is None:
                    with collecting(job.seconds):
                        work()
            except Exception as error:
                job.error = error
            except BaseException:  # an interrupt of a waiting thread that runs operations
                self._broken = True
                raise
            finally:
                self._running.discard(key)
                if self._abandoned and not self._running:
                    self._close()

        job.pending = current().push(run, const_vars=reads, mutate_vars=writes, name=name)

    @abstractmethod
    def start(self) -> Job | None:
        """Start a job for the batch at `front`, and return it, or None at the end."""

    def rewind(self, at: Any) -> None:
        """Let `start` continue at position `at`, after the last batch that `next` returned."""
        self.front = at

    def next(self, at: Any) -> Job | None:
        """Keep `depth` jobs started, and wait for the one at position `at`; None at the end.

        Jobs that an interrupt has ended, or that do not continue at `at`, are started again.
        """
        if self._lost():
            self.rewind(at)
        self._fill(self.depth)
        if not self.jobs:
            return None
        job = self.jobs[0]
        job.pending.result()
        if job.before is not at:
            self.drop()
            self.rewind(at)
            return self.next(at)
        if not job.ended:
            self._fill(self.depth + 1)
        self.jobs.popleft()
        return job

    def _fill(self, depth: int) -> None:
        while len(self.jobs) < depth and not (self.jobs and self.jobs[-1].ended):
            job = self.start()
            if job is None:
                return
            self.jobs.append(job)

    def _lost(self) -> bool:
        """Return whether all jobs were lost, in a forked child or by an interrupt."""
        if self._process != os.getpid():
            self._process = os.getpid()
            self.jobs.clear()
            self._running.clear()
            return True
        if self._broken:
            self.drop()
            self._broken = False
            return True
        return False

    def drop(self) -> None:
        """Cancel all jobs, and wait until the running ones end."""
        if self._process != os.getpid():
            self.jobs.clear()
        self._cancelled = True
        try:
            for job in self.jobs:
                job.pending.exception()
        finally:
            self._cancelled = False
            self.jobs.clear()

    def abandon(self) -> None:
        """Cancel all jobs without waiting; the finaliser of the iterator calls this."""
        self._cancelled = self._abandoned = True
        if not self._running or self._process != os.getpid():
            self._close()


class SourceAhead(Ahead):
    """The jobs of a SourceIter."""

    def __init__(self, plan: BlockPlan | FlowPlan, batcher: Batcher, depth: int) -> None:
        super().__init__(depth, plan.close)
        self.plan, self.batcher, self.front = plan, batcher, Cursor()
        self._stream: Variable | None = None

    def start(self) -> Job | None:
        """Start a job for the next batch, and return it, or None at the end of the epoch."""
        self.batcher.stage()  # a stream's columns are known from its first sample
        if isinstance(self.plan, FlowPlan):
            return self._from_stream(self.plan)
        piece = self.plan.step(self.front)
        if piece is None:
            return None
        job = Job(self.front, piece.after)
        self._from_blocks(self.plan, piece, job)
        self.front = piece.after
        return job

    def _from_stream(self, plan: FlowPlan) -> Job:
        """Push a job that reads its samples after those of the job before."""
        job = Job()
        pieces: list[Piece | None] = [None]
        if self._stream is None:
            self._stream = _variable("stream")
        samples = _variable("samples")

        def take() -> None:
            job.before = job.after = self.front
            piece = pieces[0] = plan.step(self.front)
            if piece is None:
                job.ended = True
            else:
                job.after = self.front = piece.after

        def make() -> None:
            if pieces[0] is not None:
                job.batch = self.batcher.batch(pieces[0])

        self.push(job, take, writes=[self._stream, samples], name="io.read")
        self.push(job, make, reads=[samples], name="io.batch")
        return job

    def _from_blocks(self, plan: BlockPlan, piece: Piece, job: Job) -> None:
        at, batcher, source = piece.cursor, self.batcher, plan.source
        epoch = plan.epoch(at.epoch)
        if source.whole_blocks:
            windows = plan.reader.windows(epoch, at.position, piece.high)
            variables = [self._push_load(window, job) for window, _, _ in windows]
            if piece.high < plan.order.count:  # read the next window in the meantime
                (following, _, _), *_ = plan.reader.windows(epoch, piece.high, piece.high + 1)
                self._push_load(following, job)
            piece = piece._replace(windows=windows)
        elif batcher._direct is not None and not source.decodes:
            plan.numbers(piece)  # computes the order of the epoch once, on this thread
            variables = []
        else:
            self._in_parts(plan, piece, job)
            return

        def make() -> None:
            job.batch = batcher.batch(piece)

        self.push(job, make, reads=variables, name="io.batch")

    def _in_parts(self, plan: BlockPlan, piece: Piece, job: Job) -> None:
        """Push a job of several operations, each of which reads some of the samples."""
        source, at = plan.source, piece.cursor
        epoch = plan.epoch(at.epoch)
        numbers = epoch.numbers(at.position, piece.high)
        parts: list[Samples | None] = [None]
        workers = min(os.cpu_count() or 1, max(1, len(numbers) // _SHARE))
        parts *= workers if source.decodes else 1
        step = -(-len(numbers) // len(parts))

        def read(k: int) -> None:
            parts[k] = plan.reader.read(numbers[k * step : (k + 1) * step])

        def put_together() -> None:
            if len(parts) == 1:
                read(0)
            own = joined([part for part in parts if part is not None])
            job.batch = self.batcher.batch(piece._replace(samples=own))

        variables = [_variable("samples") for _ in parts] if len(parts) > 1 else []
        for k, variable in enumerate(variables):
            self.push(job, lambda k=k: read(k), writes=[variable], name="io.read")
        self.push(job, put_together, reads=variables, name="io.batch")

    def _push_load(self, window: Window, job: Job) -> Variable:
        """Return the variable of a window, after pushing the operation that reads it, once."""
        if window.variable is None:
            window.variable = _variable("window")
            self.push(job, window.load, writes=[window.variable], name="io.read")
        return window.variable


def _variable(name: str) -> Variable:
    """Return a variable that does not propagate failures: jobs store them."""
    return current().new_variable(f"io.{name}", immune=True)


class _CallsAhead(Ahead):
    """Jobs that call `next` of any iterator, one at a time; positions are its states."""

    def __init__(self, it: Any, depth: int) -> None:
        super().__init__(depth, it.close)
        self._it, self._turn = it, _variable("turn")

    def start(self) -> Job:
        it, job = self._it, Job()

        def take() -> None:
            job.before = job.after = self.front
            try:
                job.batch = it.next()
            except StopIteration:
                job.ended = True
            finally:
                job.after = self.front = it.state_dict()

        self.push(job, take, writes=[self._turn], name="io.batch")
        return job

    def rewind(self, at: Any) -> None:
        """Set the iterator to the state `at`, unless that is empty."""
        if at:
            self._it.load_state_dict(at)
        self.front = at


class PrefetchingIter(DataIter):
    """An iterator whose batches the engine prepares in advance.

    An iterator over a source is told to prefetch several batches at the same time, as by its
    argument `prefetch=n`. For any other, a thread of the engine calls `next`, one call at a time.

    Parameters
    ----------
    it : DataIter
    n : int
        The greatest number of batches in progress or ready.

    >>> import numpy as np, nbgraph as ng
    >>> it = PrefetchingIter(ng.io.NDArrayIter(np.arange(6), batch_size=2), n=2)
    >>> [x.tolist() for (x,) in it]
    [[0, 1], [2, 3], [4, 5]]
    """

    def __init__(self, it: DataIter, n: int = 2) -> None:
        if not isinstance(it, DataIter):
            raise ArgumentError(
                f"PrefetchingIter: it={it!r}; expected a DataIter, such as ng.io.NDArrayIter(x, y)"
            )
        super().__init__(it.batch_size)
        self.it: Any = it
        self.prefetch = require_whole("n", n, 1)
        read_ahead = getattr(it, "read_ahead", None)
        self._delegates = read_ahead is not None  # `it` prefetches
        if read_ahead is not None:
            read_ahead(self.prefetch)
        self._ahead = _CallsAhead(it, self.prefetch)
        self._state: dict[str, Any] | None = None  # after the last returned batch
        self.meter = Meter()

    def next(self) -> DataBatch:
        if self._delegates:
            return self.it.next()
        if self._state is None:
            self._state = self._ahead.front = self.it.state_dict()
        begun = self.meter.begin()
        job = None if self._over else self._ahead.next(self._state)
        if job is None or job.ended:
            self._over = True
            self.meter.pause()
            raise StopIteration
        self._state = job.after
        self.meter.add(job.seconds)
        self.meter.end(begun)
        if job.error is not None:
            raise job.error
        assert job.batch is not None
        return job.batch

    def reset(self) -> None:
        self._ahead.drop()
        self._ahead.rewind(self._state)
        self.it.reset()
        self._state, self._over = None, False

    def __len__(self) -> int:
        return len(self.it)

    @property
    def provide_data(self) -> list[DataDesc]:
        """Descriptions of the data arrays of a batch."""
        return self.it.provide_data

    @property
    def provide_label(self) -> list[DataDesc]:
        """Descriptions of the label arrays of a batch."""
        return self.it.provide_label

    def state_dict(self) -> dict[str, Any]:
        """Return the state of the iterator after its last returned batch."""
        return self.it.state_dict() if self._state is None else self._state

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        self._ahead.drop()
        self.it.load_state_dict(state)
        self._state, self._over = None, False

    __setstate__ = load_state_dict

    def __reduce__(self) -> tuple[Any, ...]:
        return PrefetchingIter, (self.it, self.prefetch), self.state_dict()

    def report(self) -> Report:
        """Return a report on the time spent waiting for batches and on each kind of work."""
        if self._delegates:
            return self.it.report()
        return report_of(type(self.it).__name__, self.meter, self.prefetch)

    def close(self) -> None:
        """Wait for running jobs, and close the iterator `it`."""
        self._over = True
        self._ahead.drop()
        self.it.close()
