"""Detection of NaN losses in a training, a few batches later, without waiting for values."""

from collections import deque
from typing import Any

import numpy as np

from nbgraph.dtype import is_float
from nbgraph.engine import current
from nbgraph.errors import ArgumentError, DivergenceError
from nbgraph.nn.metrics.meter import Row
from nbgraph.nn.metrics.metric import on_host
from nbgraph.nn.parts import Parts

_BEHIND = 4  # recent batches whose losses are not waited for


class LossWatch:
    """The last batches with their losses, which are checked for NaN later."""

    def __init__(self, model: Any) -> None:
        self._model = model
        self._batches: deque[tuple[str, Parts, Row]] = deque()

    def add(self, label: str, parts: Parts, row: Row) -> None:
        """Add a batch; raise DivergenceError if the loss of an earlier one is NaN."""
        self._batches.append((label, parts, row))
        engine = current()
        while len(self._batches) > _BEHIND or engine._calm(self._batches[0][2].added._chunk):
            self._look(*self._batches.popleft())
            if not self._batches:
                return

    def finish(self) -> None:
        """Check the remaining batches; waits."""
        while self._batches:
            self._look(*self._batches.popleft())

    def _look(self, label: str, parts: Parts, row: Row) -> None:
        if not np.isnan(on_host(row.added)[0]):
            return
        self._batches.clear()
        raise DivergenceError(f"fit: the loss of {label} is NaN; {_blame(parts)}{self._harm()}")

    def _harm(self) -> str:
        """Return the effect of later updates on the model for the message, or ""."""
        parameters = self._model.parameters()
        lost = [name for name, array in parameters.items() if np.isnan(on_host(array)).any()]
        if not lost:
            return ""
        return (
            f". {len(lost)} of {len(parameters)} parameters hold NaN by now, {lost[0]!r} among "
            "them: go on from a checkpoint or with a new model"
        )


def data_fault(parts: Parts) -> str:
    """Return the position of a value that is not finite in a batch's data, or ""."""
    arrays = [(f"input {i}", x) for i, x in enumerate(parts.inputs)]
    for name, x in [*arrays, ("the target", parts.target), ("the weight", parts.weight)]:
        values = None if x is None else np.asarray(x)
        if values is not None and is_float(values.dtype) and not np.isfinite(values).all():
            place = tuple(int(i) for i in np.argwhere(~np.isfinite(values))[0])
            return f"{name} of that batch holds {values[place]} at {place}: clean the data"
    return ""


def _blame(parts: Parts) -> str:
    """Return the likely cause of a NaN according to the data, and the remedy."""
    return data_fault(parts) or (
        "its data are finite. Lower the learning rate or set clip_norm; `ng.config.anomaly = 1` "
        "names the operator and the line that made the first NaN. on_nan='continue' goes on"
    )


def watch_of(on_nan: Any, model: Any) -> LossWatch | None:
    """Return the watch of losses for `on_nan`, or None to continue with NaN."""
    if on_nan not in ("raise", "continue"):
        raise ArgumentError(f"fit: on_nan={on_nan!r}; expected 'raise' or 'continue'")
    return LossWatch(model) if on_nan == "raise" else None
