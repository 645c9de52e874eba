"""Logs of a training: speed, CSV, TensorBoard, curves."""

from __future__ import annotations

import importlib
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nbgraph.errors import ArgumentError, require_whole
from nbgraph.nn.callbacks.callback import Callback
from nbgraph.nn.progress import text_of

if TYPE_CHECKING:
    from nbgraph.nn.training import Training


class Speedometer(Callback):
    """Writes samples per second, losses and metrics of the epoch so far, every few batches.

    Parameters
    ----------
    every : int
        The number of batches. It waits for their values, so it measures finished work.
    file : text file, optional
        By default standard error.

    >>> Speedometer(100).every
    100
    """

    def __init__(self, every: int = 50, *, file: Any = None) -> None:
        require_whole("Speedometer: every", every)
        self.every, self.file = every, file
        self.speed: float | None = None
        self._since = 0.0, 0

    def on_epoch_begin(self, training: Training) -> None:
        self._since = time.perf_counter(), training.samples

    def on_batch_end(self, training: Training) -> None:
        if training.batch % self.every:
            return
        values = text_of(training.logs)
        (before, samples), now = self._since, time.perf_counter()
        self.speed = (training.samples - samples) / max(now - before, 1e-9)
        self._since = now, training.samples
        of = "" if training.batches is None else f"/{training.batches}"
        place = f"epoch {training.epoch + 1}/{training.epochs}, batch {training.batch}{of}"
        file = sys.stderr if self.file is None else self.file
        file.write(f"{place}: {self.speed:.4g} samples/s, {values}\n")


class CSVLog(Callback):
    """Writes the history to a CSV file after each epoch, a column for each loss and metric.

    Parameters
    ----------
    path : path

    A resumed training writes the epochs before its checkpoint as well.

    >>> CSVLog("run.csv").path.name
    'run.csv'
    """

    def __init__(self, path: Any) -> None:
        self.path = Path(path)

    def on_train_begin(self, training: Training) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True)

    def on_epoch_end(self, training: Training) -> None:
        training.history.to_csv(self.path)


class TensorBoard(Callback):
    """Writes losses, metrics and the rate as events for TensorBoard, by tensorboardX, or by PyTorch
    where that is installed instead.

    Parameters
    ----------
    folder : path
    every : int, optional
        The number of batches after which it waits for the values so far and writes these, too.

    Raises ArgumentError where neither package is installed: install nbgraph[tensorboard].
    """

    def __init__(self, folder: Any, *, every: int | None = None) -> None:
        self.folder, self.every = folder, every
        self._make = _writer()
        self._writer: Any = None

    def on_train_begin(self, training: Training) -> None:
        self._writer = self._make(str(self.folder))

    def on_batch_end(self, training: Training) -> None:
        if self.every is not None and training.batch % self.every == 0:
            for name, value in training.logs.items():
                self._add(f"{name}/batch", value, training.step)

    def on_epoch_end(self, training: Training) -> None:
        for name, value in training.logs.items():
            plain = name.removeprefix("val_")
            part = "train" if plain == name else "validation"
            self._add(f"{plain}/{part}", value, training.epoch + 1)
        self._add("rate", training.optimizer.rate, training.epoch + 1)
        self._writer.flush()

    def on_train_end(self, training: Training) -> None:
        if self._writer is not None:
            self._writer.close()

    def _add(self, name: str, value: Any, step: int) -> None:
        if isinstance(value, (int, float)):
            self._writer.add_scalar(name, value, step)


class LivePlot(Callback):
    """Draws the curves of the history after each epoch, in the notebook's cell or into a file.

    Parameters
    ----------
    path : path, optional
        An SVG file. By default the output of the cell; without a notebook nothing is drawn.

    >>> LivePlot("curves.svg").path.name
    'curves.svg'
    """

    def __init__(self, path: Any = None) -> None:
        self.path = None if path is None else Path(path)
        self._shown: Any = None

    def on_train_begin(self, training: Training) -> None:
        self._shown = None
        if self.path is not None:
            self.path.parent.mkdir(parents=True, exist_ok=True)

    def on_epoch_end(self, training: Training) -> None:
        if self.path is not None:
            self.path.write_text(training.history.picture(), encoding="utf-8")
        elif self._shown is not None:
            self._shown.update(training.history)
        elif "IPython" in sys.modules:
            display: Any = importlib.import_module("IPython.display").display
            self._shown = display(training.history, display_id=True)


def _writer() -> Any:
    for module in ("tensorboardX", "torch.utils.tensorboard"):
        try:
            return importlib.import_module(module).SummaryWriter
        except ImportError:
            continue
    raise ArgumentError(
        "TensorBoard: events are written by the package tensorboardX; install "
        "nbgraph[tensorboard], or take CSVLog"
    )
