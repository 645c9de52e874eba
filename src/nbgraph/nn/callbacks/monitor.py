"""Whether a number of an epoch is the best so far."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from nbgraph.errors import ArgumentError

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
        By how much it has to be better.
    """

    def __init__(self, owner: str, name: str, mode: str, min_delta: float) -> None:
        if mode not in ("auto", "min", "max"):
            raise ArgumentError(f"{owner}: mode={mode!r}; expected 'auto', 'min' or 'max'")
        if mode == "auto":
            mode = "max" if name.removeprefix("val_").startswith(_RISING) else "min"
        self.owner, self.name = owner, name
        self.sign, self.min_delta = (1.0 if mode == "max" else -1.0), abs(float(min_delta))
        self.best = -math.inf * self.sign
        self.waited = 0

    def better(self, training: Training) -> bool:
        """Take in the epoch that has just ended; whether it is the best."""
        if self.name not in training.logs:
            raise ArgumentError(
                f"{self.owner}: monitor={self.name!r}; the history has "
                f"{', '.join(training.logs)}" + self._remedy()
            )
        value = training.logs[self.name]
        if not isinstance(value, (int, float)):
            raise ArgumentError(f"{self.owner}: monitor={self.name!r} is a list; give a number")
        found = self.sign * (value - self.best) > self.min_delta  # False for NaN
        self.best, self.waited = (float(value), 0) if found else (self.best, self.waited + 1)
        return found

    def _remedy(self) -> str:
        return ": give fit validation data" if self.name.startswith("val_") else ""

    def state_dict(self) -> dict[str, Any]:
        """Return the best value and the epochs since then."""
        return {"best": repr(self.best), "waited": self.waited}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Go on from there."""
        self.best, self.waited = float(state["best"]), int(state["waited"])
