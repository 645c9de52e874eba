"""Batches made ahead, as operations of the engine.

Reading, decoding, transforms and batching of a batch are one operation, or several where samples
are decoded one by one or come from windows of whole blocks. At most n batches are under way or
ready; their arrays come from the pools and go back there. Order is that of the batches' pieces, so
who reads ahead gives the same bits as who does not.

What an operation raises is kept and raised by `next`. An operation holds the source and what it
makes, not the iterator: one that is garbage stops what is under way.
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

_SHARE = 8  # samples that are decoded by one operation, at least


class Job:
    """A batch that is being made. `before`, `after`: where the iterator is then."""

    __slots__ = ("after", "batch", "before", "ended", "error", "moved", "pending", "seconds")

    def __init__(self, before: Any = None, after: Any = None) -> None:
        self.before, self.after = before, after
        self.batch: DataBatch | None = None
        self.error: Exception | None = None
        self.ended = False  # there is no further batch
        self.moved = False  # to the device it is for
        self.pending: Pending
        self.seconds: dict[str, float] = {}


class Ahead(ABC):
    """Jobs under way, in the order of their batches; a subclass gives `start`."""

    def __init__(self, depth: int, close: Callable[[], None]) -> None:
        self.depth, self._close = depth, close
        self.front: Any = None  # behind what was begun
        self.jobs: deque[Job] = deque()
        self._running: set[int] = set()
        self._cancelled = False  # jobs that have not begun do nothing
        self._abandoned = False  # nobody will close what is read
        self._broken = False  # an interrupt ended a job
        self._process = os.getpid()

    def push(
        self, job: Job, work: Callable[[], None], *, reads: Any = (), writes: Any = (), name: str
    ) -> None:
        """Push a part of a job; what it raises is the job's."""
        key = id(work)
        self._running.add(key)

        def run(run_ctx: Any) -> None:
            try:
                if not self._cancelled and job.error is None:
                    with collecting(job.seconds):
                        work()
            except Exception as error:
                job.error = error
            except BaseException:  # an interrupt, of a thread that helps while it waits
                self._broken = True
                raise
            finally:
                self._running.discard(key)
                if self._abandoned and not self._running:
                    self._close()

        job.pending = current().push(run, const_vars=reads, mutate_vars=writes, name=name)

    @abstractmethod
    def start(self) -> Job | None:
        """Begin the job behind `front`; None at the end."""

    def rewind(self, at: Any) -> None:
        """Have `start` begin behind the last batch that `next` returned."""
        self.front = at

    def next(self, at: Any) -> Job | None:
        """Wait for the job behind `at`, and have as many under way as may be; None at the end.

        An interrupt loses none: where jobs were lost by one, or are no longer those that follow,
        they are begun anew.
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
        """Return whether jobs begin anew: in a forked child, or after an interrupt."""
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
        """Have what is under way end without effect, and wait for it."""
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
        """Drop batches that nobody wants any more. Finalisers call this: it does not wait."""
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
        """Begin the next batch; None at the end of the epoch."""
        self.batcher.stage()  # of a stream its first sample says them
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
        """Push a job that takes samples batch after batch."""
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
            variables = [self._loading(window, job) for window, _, _ in windows]
            if piece.high < plan.order.count:  # the window behind is read meanwhile
                (behind, _, _), *_ = plan.reader.windows(epoch, piece.high, piece.high + 1)
                self._loading(behind, job)
            piece = piece._replace(windows=windows)
        elif batcher._direct is not None and not source.decodes:
            plan.numbers(piece)  # the order of the epoch is made here, once
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

    def _loading(self, window: Window, job: Job) -> Variable:
        """Return the variable of a window, whose reading is pushed when it is first needed."""
        if window.variable is None:
            window.variable = _variable("window")
            self.push(job, window.load, writes=[window.variable], name="io.read")
        return window.variable


def _variable(name: str) -> Variable:
    """Return a variable that keeps no failure: jobs keep their own."""
    return current().new_variable(f"io.{name}", immune=True)


class _CallsAhead(Ahead):
    """Calls of `next` of any iterator, one after another; `front` is its state."""

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
        """Have the iterator stand where this one does, as far as it has a state."""
        if at:
            self._it.load_state_dict(at)
        self.front = at


class PrefetchingIter(DataIter):
    """An iterator whose batches are made ahead by the engine.

    One over a source does that itself, as with its argument `prefetch=n`: several batches at the
    same time. Of any other `next` is called on a thread of the engine, one call after another.

    Parameters
    ----------
    it : DataIter
    n : int
        How many batches are under way or ready at most.

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
        self._itself = read_ahead is not None
        if read_ahead is not None:
            read_ahead(self.prefetch)
        self._ahead = _CallsAhead(it, self.prefetch)
        self._state: dict[str, Any] | None = None  # behind the last batch that was given
        self.meter = Meter()

    def next(self) -> DataBatch:
        if self._itself:
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
        """The arrays of data in a batch."""
        return self.it.provide_data

    @property
    def provide_label(self) -> list[DataDesc]:
        """The arrays of labels in a batch."""
        return self.it.provide_label

    def state_dict(self) -> dict[str, Any]:
        """Return where the iterator is, as its last batch was given."""
        return self.it.state_dict() if self._state is None else self._state

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        self._ahead.drop()
        self.it.load_state_dict(state)
        self._state, self._over = None, False

    __setstate__ = load_state_dict

    def __reduce__(self) -> tuple[Any, ...]:
        return PrefetchingIter, (self.it, self.prefetch), self.state_dict()

    def report(self) -> Report:
        """Return where the time of a step goes."""
        if self._itself:
            return self.it.report()
        return report_of(type(self.it).__name__, self.meter, self.prefetch)

    def close(self) -> None:
        """Wait for what is under way and release what is read."""
        self._over = True
        self._ahead.drop()
        self.it.close()
