"""Rates that change from epoch to epoch; for those of each step see `ng.optim.schedules`."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from nbgraph.errors import ArgumentError, require_number, require_whole
from nbgraph.nn.callbacks.callback import Callback
from nbgraph.nn.callbacks.stopping import Monitor

if TYPE_CHECKING:
    from nbgraph.nn.training import Training


class LearningRate(Callback):
    """Sets the optimizer's rate before each epoch.

    Parameters
    ----------
    schedule : callable
        From the number of an epoch, from 0 on, to its rate: any of `ng.optim.schedules`.

    >>> import nbgraph as ng
    >>> LearningRate(ng.optim.schedules.step(0.8, 2, 0.5)).schedule(2)
    0.4
    """

    def __init__(self, schedule: Callable[[int], float]) -> None:
        if not callable(schedule):
            raise ArgumentError(
                f"LearningRate: schedule={schedule!r}; expected a function from the number of an "
                "epoch to its rate"
            )
        self.schedule = schedule

    def on_epoch_begin(self, training: Training) -> None:
        training.optimizer.lr = self.schedule(training.epoch)


class ReduceLROnPlateau(Callback):
    """Multiplies the optimizer's rate by a factor when a loss or metric does not improve.

    Parameters
    ----------
    monitor : str
        A column of the history.
    factor : float between 0 and 1
    patience : int
        The number of epochs without a better value.
    min_delta, mode : as those of `EarlyStopping`
    cooldown : int
        The number of epochs after a change that do not count.
    min_lr : float
        The least rate.

    If the optimizer's rate is a schedule, all rates of the schedule are multiplied.

    >>> ReduceLROnPlateau("loss", factor=0.5, patience=2).factor
    0.5
    """

    def __init__(
        self,
        monitor: str = "val_loss",
        *,
        factor: float = 0.1,
        patience: int = 10,
        min_delta: float = 1e-4,
        mode: str = "auto",
        cooldown: int = 0,
        min_lr: float = 0.0,
    ) -> None:
        self.monitor = Monitor("ReduceLROnPlateau", monitor, mode, min_delta)
        self.factor = require_number("ReduceLROnPlateau: factor", factor, above=0, below=1)
        self.patience = require_whole("ReduceLROnPlateau: patience", patience)
        self.cooldown, self.min_lr = cooldown, min_lr
        self._schedule: Any = None
        self._rests, self._scale = 0, 1.0  # epochs left that do not count; the factor of rates

    def on_train_begin(self, training: Training) -> None:
        """Replace a schedule by one with the factor, which alone is part of checkpoints."""
        schedule: Any = training.optimizer.lr
        if callable(schedule) and schedule != self._scheduled:
            self._schedule = schedule
            training.optimizer.lr = self._scheduled

    def _scheduled(self, step: int) -> float:
        return self._reduced(self._schedule(step), self._scale)

    def _reduced(self, rate: Any, factor: float) -> float:
        return max(rate * factor, min(self.min_lr, rate))

    def on_epoch_end(self, training: Training) -> None:
        self.monitor.better(training)
        if self._rests:
            self._rests, self.monitor.waited = self._rests - 1, 0
        if self.monitor.waited >= self.patience:
            self.monitor.waited, self._rests = 0, self.cooldown
            self._scale *= self.factor
            rate: Any = training.optimizer.lr
            if not callable(rate):
                training.optimizer.lr = self._reduced(rate, self.factor)

    def state_dict(self) -> dict[str, Any]:
        """Return the best value, and the factor of rates."""
        return {"monitor": self.monitor.state_dict(), "rests": self._rests, "scale": self._scale}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Restore the state."""
        self.monitor.load_state_dict(state["monitor"])
        self._rests, self._scale = int(state["rests"]), float(state["scale"])
