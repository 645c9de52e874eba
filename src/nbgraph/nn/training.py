"""`Training`: epochs of steps, as `fit` runs them and callbacks see them."""

from collections.abc import Iterator
from itertools import islice
from operator import length_hint
from typing import Any

import numpy as np

from nbgraph.autograd import predict_mode
from nbgraph.errors import ArgumentError, DivergenceError
from nbgraph.io.protocol import DataIter
from nbgraph.nn import checkpoint as checkpoints
from nbgraph.nn.callbacks.callback import Callbacks
from nbgraph.nn.callbacks.saving import Checkpoint
from nbgraph.nn.checkpoint import Position
from nbgraph.nn.divergence import LossWatch, data_fault
from nbgraph.nn.history import History, Logs
from nbgraph.nn.interrupts import Interrupts, noted
from nbgraph.nn.metrics import Meter
from nbgraph.nn.metrics.metric import samples_of
from nbgraph.nn.parts import Parts, Split, device_of, placed
from nbgraph.nn.progress import Progress, Shown
from nbgraph.nn.steps import Steps
from nbgraph.resource.states import restore_random

_PASSED = "passed"  # of a cursor: batches of the epoch that were before it


class Training:
    """A running training.

    Attributes
    ----------
    model : Module
    optimizer : Optimizer
    history : History
    epochs : int
        The total number of epochs.
    epoch : int
        The number of the current epoch, from 0 on.
    batch : int
        The number of batches of the current epoch that are done.
    batches : int or None
        The number of batches of an epoch, if it is known.
    samples : int
        The number of samples trained on since `fit` was called.
    error : exception or None
        The error that ended the training.
    """

    def __init__(
        self,
        steps: Steps,
        data: Any,
        validation: Any,
        *,
        split: Split,
        callbacks: Callbacks,
        shown: Shown,
        watch: LossWatch | None = None,
    ) -> None:
        self.model, self.optimizer, self.history = steps.model, steps.optimizer, History()
        self.data, self.validation, self._split = data, validation, split
        self.epochs = self.epoch = self.batch = self.samples = 0
        self.batches: int | None = None
        self.error: BaseException | None = None
        self._steps, self._callbacks, self._progress = steps, callbacks, Progress(shown)
        self._watch = watch
        self._meter, self._measured = Meter(steps.measure.all), Meter(steps.measure.all)
        self._resumed: Position | None = None
        self._cursor: dict[str, Any] = {}
        self._row: dict[str, Any] | None = None  # the history of the epoch that has just ended
        self._logs: Logs | None = None
        self._reason, self._interrupts = "", Interrupts()
        self._saves: list[Any] = []
        self._saved: tuple[int, int] | None = None
        self._in_step = False  # whether a step is running, which may have written some arrays
        self._settled = False  # whether the next batch has not been requested yet
        self._checkpoints = [each for each in callbacks.all if isinstance(each, Checkpoint)]

    # what callbacks use -----------------------------------------------------------------------

    @property
    def logs(self) -> Logs:
        """Losses and metrics of the epoch so far; at its end its row of the history."""
        if self._logs is None:
            row, meter = self._row, self._meter
            self._logs = Logs(lambda: meter.get() if row is None and self.batch else row or {})
        return self._logs

    @property
    def step(self) -> int:
        """The number of steps of the optimizer, including skipped ones."""
        return self._steps.count

    @property
    def stopping(self) -> bool:
        """Whether the training ends after this batch."""
        return bool(self._reason) or self._interrupts.asked

    @property
    def interrupted(self) -> bool:
        """Whether Ctrl-C was pressed."""
        return self._interrupts.asked

    def stop(self, reason: str = "a callback") -> None:
        """End the training after the current batch, or the epoch that has just ended."""
        self._reason = self._reason or reason

    def save(self, path: Any) -> None:
        """Write a checkpoint after the hooks of this event have run."""
        self._saves.append(path)

    # epochs -----------------------------------------------------------------------------------

    def resume(self) -> None:
        """Resume from the newest checkpoint, if there is one."""
        paths = [path for each in self._checkpoints if (path := each.newest()) is not None]
        newest = max(paths, key=lambda path: path.stat().st_mtime_ns, default=None)
        self._resumed = checkpoints.load(newest, self.model, self.optimizer)
        if self._resumed is None:
            return
        position = self._resumed
        self.history.rows[:] = position.rows
        self.batch, self._cursor = position.batch, dict(position.data)
        self._meter.load_state_dict(position.sums)
        self._steps.load_state_dict(position.gathered)
        self._callbacks.load_state_dict(position.callbacks)

    def run(self, epochs: int) -> None:
        """Run epochs until there are `epochs`, a callback stops it, or Ctrl-C is pressed."""
        self.epochs, self.epoch = epochs, len(self.history)
        with noted() as self._interrupts:
            try:
                self._callbacks.begin(self)
                while True:  # Python 3.13 guards no `while condition`: cpython#130279
                    if len(self.history) >= epochs or self.stopping:
                        break
                    self._epoch()
                self._end()
            except BaseException as error:
                self.error = error
                if isinstance(error, Exception) and not self._in_step and self._resumed is None:
                    try:  # write checkpoints, as far as the training has come
                        self._save_last()
                    except Exception as other:
                        error.add_note(f"the checkpoint could not be written: {other}")
                raise
            finally:
                self._progress.end()
                self._callbacks.end(self)

    def _end(self) -> None:
        """Record the reason of an early end, and write checkpoints that are not up to date."""
        if len(self.history) < self.epochs:
            self.history.stopped = True
            self.history.reason = self._reason or "an interrupt"
        self._save_last()

    def _epoch(self) -> None:
        """Run one epoch, or the rest of it after a checkpoint."""
        self.epoch, self._row, self._logs = len(self.history), None, None
        batches = self._begin()
        self._hook("on_epoch_begin")
        if not self.stopping and self._train(batches):
            self._finish()

    def _begin(self) -> Iterator[Any]:
        """Return the remaining batches of an epoch."""
        resumed, self._resumed = self._resumed, None
        passed = 0
        if resumed is not None:
            cursor = dict(resumed.data)
            passed = cursor.pop(_PASSED, 0)
            if cursor:
                self.data.load_state_dict(cursor)
        self._cursor = getattr(self.data, "state_dict", dict)()
        if passed:
            self._cursor[_PASSED] = passed
        # within an epoch its rest, even if empty: `iter` of a DataIter would begin the next one
        batches = iter(self.data.__next__, None) if passed else iter(self.data)
        for _ in islice(batches, self.batch - passed):
            pass
        if resumed is not None and resumed.random is not None:
            restore_random(resumed.random)
        count = length_hint(self.data, -1)
        self.batches = None if count < 0 else count
        return batches

    def _place(self) -> dict[str, Any]:
        """Return the state on which the order of the remaining batches depends: that of a DataIter
        between two batches, else that at the beginning of the epoch."""
        live = self._settled and self.batch and self._cursor
        if not live or not isinstance(self.data, DataIter):
            return self._cursor
        return {**self.data.state_dict(), _PASSED: self.batch}

    def _train(self, batches: Iterator[Any]) -> bool:
        """Run the steps of an epoch; return whether it was finished."""
        self._progress.batch(self)
        for batch in batches:
            self._hook("on_batch_begin")
            self._step(self._split(batch))
            self._settled = True
            self._hook("on_batch_end")
            if self.stopping:
                return False
            self._settled = False
            self._progress.batch(self)
        self._in_step = True
        self._steps.finish()
        if self._watch is not None:
            self._watch.finish()
        self._in_step = False
        return True

    def _step(self, parts: Parts) -> None:
        self._in_step = True
        device = device_of(self.model)
        parts = placed(parts, device)
        try:
            row = self._steps.train(parts, device)
        except FloatingPointError as error:  # of anomaly=1
            if fault := data_fault(parts):
                label = f"batch {self.batch + 1} of {self._label}"
                raise DivergenceError(f"fit: the first NaN of {label}: {fault}") from error
            raise
        self._meter.add(row)
        self.batch, self.samples = self.batch + 1, self.samples + samples_of(parts.target)
        if self._watch is not None:
            self._watch.add(f"batch {self.batch} of {self._label}", parts, row)
        self._logs, self._in_step = None, False

    def _finish(self) -> None:
        """Append the row of a finished epoch."""
        if not self.batch:
            raise ArgumentError("fit: the data gave no batch; an epoch needs one at least")
        row = self._meter.get()
        if self.validation is not None:
            self._measured.reset()
            with predict_mode():
                for batch in self.validation:
                    parts = placed(self._split(batch), device_of(self.model))
                    self._measured.add(self._steps.measured(self.model, *parts))
            row |= {f"val_{name}": value for name, value in self._measured.get().items()}
        row = {name: v.tolist() if isinstance(v, np.ndarray) else v for name, v in row.items()}
        self.history.rows.append(row)
        self._row, self._logs, self.batch, self._settled = row, None, 0, False
        self._meter.reset()
        self._cursor = getattr(self.data, "state_dict", dict)()
        self._progress.epoch(self, row)
        self._hook("on_epoch_end")

    # files ------------------------------------------------------------------------------------

    def _hook(self, hook: str) -> None:
        self._callbacks(hook, self)
        while self._saves:
            self._write(self._saves.pop(0))

    def _save_last(self) -> None:
        """Write all checkpoints, unless they are up to date."""
        if self._saved != (len(self.history), self.batch):
            for each in self._checkpoints:
                self._write(each.path_of(self))

    def _write(self, path: Any) -> None:
        rows = self.history.rows
        sums, gathered = self._meter.state_dict(), self._steps.state_dict()
        states = self._callbacks.state_dict()
        position = Position(rows, self.batch, self._place(), sums, gathered, states)
        checkpoints.save(path, self.model, self.optimizer, position)
        self._saved = len(self.history), self.batch

    @property
    def _label(self) -> str:
        return f"epoch {self.epoch + 1}/{self.epochs}"
