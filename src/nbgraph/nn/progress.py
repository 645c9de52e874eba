"""The display of a training while it runs: a bar, and lines for epochs."""

import math
from collections.abc import Callable, Mapping
from typing import Any

from nbgraph import bar as bars

_LINES = 20  # lines of epochs at most (and one for the last)

Shown = bool | Callable[..., None]  # whether to show it, or a function (see `KVStore.shown`)


class Progress:
    """A bar with the time that is left and the rate; lines with the numbers of epochs."""

    def __init__(self, shown: Shown) -> None:
        self._bar = bars.Bar() if shown is True else None
        self._show = self._bar.show if self._bar is not None else shown or None
        self._last = -math.inf  # the time when the bar was drawn
        self._first: tuple[float, int] | None = None  # time and position after the first batch
        self._row: tuple[str, str] | None = None  # the last epoch, if it has no line

    def batch(self, training: Any) -> None:
        """Show the progress, before the first batch and after each one."""
        if not callable(self._show):
            return
        now = bars.now()
        place = training.epoch * (training.batches or 0) + training.batch
        if self._first is None and training.samples:
            self._first = now, place
        if now - self._last < bars.OFTEN:
            return
        self._last = now
        note = f"{self._left(training, now, place)}lr {training.optimizer.rate:.4g}"
        done, total = training.batch, training.batches
        self._show(label=_label(training), done=done, total=total, note=note)

    def _left(self, training: Any, now: float, place: int) -> str:
        """Return the time that all epochs still need, at the pace since the first batch."""
        if self._first is None or training.batches is None or place <= self._first[1]:
            return ""
        pace = (now - self._first[0]) / (place - self._first[1])
        left = pace * (training.epochs * training.batches - place)
        return f"{bars.duration(left)} left  "

    def epoch(self, training: Any, row: Mapping[str, Any]) -> None:
        """Write a line for a finished epoch, if lines for it are due."""
        self._row = _label(training), text_of(row)
        number = training.epoch + 1
        if number == training.epochs or number % math.ceil(training.epochs / _LINES) == 0:
            self._write()

    def _write(self) -> None:
        if self._row is not None and callable(self._show):
            self._show(label=self._row[0], text=self._row[1])
        self._row = None

    def end(self) -> None:
        """Write the line of the last epoch if the training ended early; close the bar."""
        self._write()
        if self._bar is not None:
            self._bar.close()


def _label(training: Any) -> str:
    return f"epoch {training.epoch + 1}/{training.epochs}"


def text_of(values: Mapping[str, Any]) -> str:
    """Return numbers by name as text; values that are not numbers are left out.

    >>> text_of({"loss": 0.51239, "confusion": [[1.0]]})
    'loss 0.5124'
    """
    numbers = {name: v for name, v in values.items() if isinstance(v, (int, float))}
    return ", ".join([f"{name} {value:.4g}" for name, value in numbers.items()])
