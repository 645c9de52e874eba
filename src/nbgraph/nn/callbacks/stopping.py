"""`Monitor` of a loss or metric, and `EarlyStopping` when it does not improve."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from nbgraph.array.copying import copy_of
from nbgraph.errors import ArgumentError, require_whole, require_word
from nbgraph.nn.callbacks.callback import Callback

if TYPE_CHECKING:
    from nbgraph.nn.training import Training

_RISING = ("accuracy", "auc", "f1", "precision", "recall", "r2", "pearson", "top_")


class Monitor:
    """The best value of a loss or metric, and for how many epochs it has not improved.

    Parameters
    ----------
    name : str
        A column of the history; `val_` in front means the validation's.
    mode : "auto", "min" or "max"
        Whether less or more is better; "auto" goes by the metric's name.
    min_delta : float
        The difference that it has to exceed to be better.
    """

    def __init__(self, owner: str, name: str, mode: str, min_delta: float) -> None:
        require_word(f"{owner}: mode", mode, ("auto", "min", "max"))
        if mode == "auto":
            mode = "max" if name.removeprefix("val_").startswith(_RISING) else "min"
        self.owner, self.name = owner, name
        self.sign, self.min_delta = (1.0 if mode == "max" else -1.0), abs(float(min_delta))
        self.best = -math.inf * self.sign
        self.waited = 0

    def better(self, training: Training) -> bool:
        """Add the epoch that has just ended; return whether it is the best."""
        if self.name not in training.logs:
            remedy = ": give fit validation data" if self.name.startswith("val_") else ""
            raise ArgumentError(
                f"{self.owner}: monitor={self.name!r}; the history has "
                f"{', '.join(training.logs)}{remedy}"
            )
        value = training.logs[self.name]
        if not isinstance(value, (int, float)):
            raise ArgumentError(f"{self.owner}: monitor={self.name!r} is a list; give a number")
        improved = self.sign * (value - self.best) > self.min_delta  # False for NaN
        self.best, self.waited = (float(value), 0) if improved else (self.best, self.waited + 1)
        return improved

    def state_dict(self) -> dict[str, Any]:
        """Return the best value and the epochs since then."""
        return {"best": repr(self.best), "waited": self.waited}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Restore the state."""
        self.best, self.waited = float(state["best"]), int(state["waited"])


class EarlyStopping(Callback):
    """Ends the training when a loss or metric has not improved for some epochs.

    Parameters
    ----------
    monitor : str
        A column of the history.
    patience : int
        The number of epochs without a better value after which it ends.
    min_delta : float
        The difference that a value has to exceed to be better.
    mode : "auto", "min" or "max"
        Whether less or more is better; "auto" goes by the metric's name.
    restore_best : bool
        Whether the model gets the weights of its best epoch back when the training ends, at its
        last epoch as well; not after an interrupt or an error.

    Best value and weights are part of checkpoints, so a resumed training ends where it would have
    ended.

    >>> EarlyStopping("val_accuracy", patience=5).monitor.sign
    1.0
    """

    def __init__(
        self,
        monitor: str = "val_loss",
        *,
        patience: int = 3,
        min_delta: float = 0.0,
        mode: str = "auto",
        restore_best: bool = True,
    ) -> None:
        self.monitor = Monitor("EarlyStopping", monitor, mode, min_delta)
        self.patience = require_whole("EarlyStopping: patience", patience)
        self.restore_best = restore_best
        self.best_epoch: int | None = None
        self._weights: dict[str, Any] = {}

    def on_train_begin(self, training: Training) -> None:
        self._stop(training)

    def on_epoch_end(self, training: Training) -> None:
        if self.monitor.better(training):
            self.best_epoch = training.epoch
            if self.restore_best:
                weights = training.model.state_dict()
                self._weights = {name: copy_of(array) for name, array in weights.items()}
        self._stop(training)

    def _stop(self, training: Training) -> None:
        if self.monitor.waited >= self.patience:
            epochs = f"{self.patience} epoch{'s' if self.patience > 1 else ''}"
            training.stop(f"EarlyStopping: {self.monitor.name} has not improved for {epochs}")

    def on_train_end(self, training: Training) -> None:
        if self._weights and training.error is None and not training.interrupted:
            training.model.load_state_dict(self._weights)

    def state_dict(self) -> dict[str, Any]:
        """Return the best value, its epoch and weights."""
        state = {"monitor": self.monitor.state_dict(), "weights": self._weights}
        return {**state, "epoch": self.best_epoch}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Restore the state."""
        self.monitor.load_state_dict(state["monitor"])
        self.best_epoch, self._weights = state["epoch"], dict(state["weights"])
