"""`Meter`: sums of several metrics over the batches of an epoch."""

import math
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from nbgraph.array.create import array
from nbgraph.errors import ArgumentError
from nbgraph.nn.metrics.metric import Metric, on_host
from nbgraph.nn.metrics.named import metrics_of
from nbgraph.ops.define import library

_PIECES = 64  # joined sums of batches before they are concatenated


@dataclass(frozen=True, slots=True)
class Shapes:
    """The shapes of each metric's sums, as one constant that a traced function returns."""

    each: tuple[tuple[tuple[int, ...], ...], ...]


class Row(NamedTuple):
    """The sums of a batch, as one array program returns them.

    `added`: the sums that are added, flat, in float64; `joined`: the others.
    """

    added: Any
    joined: list[Any]
    shapes: Shapes


def row_of(metrics: Sequence[Metric], sums: Sequence[Sequence[Any]]) -> Row:
    """Return the row of a batch for the sums of each metric."""
    added: list[Any] = []
    joined: list[Any] = []
    for metric, parts in zip(metrics, sums, strict=True):
        (joined if metric.joined else added).extend(parts)
    shapes = Shapes(tuple([tuple([_shape(part) for part in parts]) for parts in sums]))
    return Row(_flat(added), joined, shapes)


class Meter:
    """Metrics accumulated over batches, without waiting until a value is read.

    Parameters
    ----------
    metrics : metric or sequence
        Names, functions of outputs and targets, and objects of `ng.nn.metrics`.

    >>> import nbgraph as ng
    >>> meter = Meter(["mae", "r2"])
    >>> meter.update(ng.array([1.0, 2.0]), ng.array([1.0, 4.0]))
    >>> meter.update(ng.array([3.0]), ng.array([3.0]))
    >>> {name: round(value, 4) for name, value in meter.get().items()}
    {'mae': 0.6667, 'r2': 0.1429}
    """

    def __init__(self, metrics: Any) -> None:
        self.metrics = metrics_of(metrics)
        self.reset()

    @property
    def names(self) -> list[str]:
        """The names of all values."""
        return [metric.__name__ for metric in self.metrics]

    def reset(self) -> None:
        """Forget all batches."""
        self._added: Any = None
        self._joined: list[list[Any]] = []
        self._shapes: Any = None
        self._before: dict[str, list[Any]] = {}  # of a resumed epoch, until its next batch
        self._missing: set[str] = set()  # metrics that lack the beginning of the epoch

    def update(self, out: Any, target: Any, weight: Any = None) -> None:
        """Add a batch: outputs, targets and, unless all samples count the same, their weights."""
        sums = [metric.sums(out, target, weight) for metric in self.metrics]
        self.add(row_of(self.metrics, sums))

    def add(self, row: Row) -> None:
        """Add the sums of a batch."""
        if self._shapes is None:
            self._begin(row)
        elif row.shapes != self._shapes:
            shapes = zip(self.metrics, self._shapes.each, row.shapes.each, strict=True)
            for metric, old, new in shapes:
                if not metric.joined and old != new:
                    raise ArgumentError(
                        f"{metric.__name__}: a batch has sums of shapes {new}, those before {old}; "
                        "give batches with the same classes"
                    )
        self._added = row.added if self._added is None else self._added + row.added
        for pieces, part in zip(self._joined, row.joined, strict=True):
            pieces.append(part)
            if len(pieces) >= _PIECES:
                pieces[:] = [library.concatenate(pieces)]

    def get(self) -> dict[str, Any]:
        """Return the values by name, numbers or arrays; waits."""
        sums = self._sums()
        if not sums:
            raise ArgumentError("metrics: there was no batch; an epoch needs one at least")
        by_name = {m.__name__: m for m in self.metrics if m.__name__ not in self._missing}
        return {name: by_name[name].value(*sums[name]) for name in by_name}

    def state_dict(self) -> dict[str, Any]:
        """Return the sums so far, by name; waits."""
        return {
            name: {str(i): part for i, part in enumerate(parts)}
            for name, parts in self._sums().items()
            if name not in self._missing
        }

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Continue an epoch from these sums.

        Metrics that they lack are left out of the epoch, with a warning.
        """
        self.reset()
        if not state:
            return
        names = set(self.names)
        new, old = [n for n in self.names if n not in state], [n for n in state if n not in names]
        self._missing = set(new)
        self._before = {
            name: [on_host(parts[str(i)]) for i in range(len(parts))]
            for name, parts in state.items()
            if name in names
        }
        if new or old:
            warnings.warn(
                "fit: the checkpoint is amid an epoch with other metrics (new: "
                f"{', '.join(new) or 'none'}, no longer: {', '.join(old) or 'none'}); that epoch's "
                f"row has {', '.join(self._before)}, later ones have all",
                stacklevel=4,
            )

    # sums -------------------------------------------------------------------------------------

    def _begin(self, row: Row) -> None:
        """Set the shapes of a row, and begin with the sums of a resumed epoch if there are any."""
        self._shapes = row.shapes
        joined = [m for m in self.metrics if m.joined]
        self._joined = [[] for _ in row.joined]
        if not self._before:
            return
        flat: list[Any] = []
        for metric, shapes in zip(self.metrics, row.shapes.each, strict=True):
            parts = self._before.get(metric.__name__)
            if not metric.joined:
                flat += [np.zeros(s) for s in shapes] if parts is None else parts
        device = row.added.device
        self._added = array(np.concatenate([p.ravel() for p in flat] or [np.empty(0)])).to_device(
            device
        )
        pieces = iter(self._joined)
        for metric in joined:
            for part in self._before.get(metric.__name__, ()):
                next(pieces).append(array(part).to_device(device))
        self._before = {}

    def _sums(self) -> dict[str, list[Any]]:
        """Return the sums by name, on the host."""
        if self._shapes is None:
            return self._before
        flat, place = on_host(self._added), 0
        pieces = iter(self._joined)
        sums: dict[str, list[Any]] = {}
        for metric, shapes in zip(self.metrics, self._shapes.each, strict=True):
            parts = sums[metric.__name__] = []
            for shape in shapes:
                if metric.joined:
                    parts.append(np.concatenate([on_host(piece) for piece in next(pieces)]))
                else:
                    size = math.prod(shape)
                    parts.append(flat[place : place + size].reshape(shape))
                    place += size
        return sums


def _shape(part: Any) -> tuple[int, ...]:
    return tuple(getattr(part, "shape", ()))


def _flat(parts: Sequence[Any]) -> Any:
    """Return sums as one array: those of shape () in one loop, then the others."""
    runs: list[Any] = []
    numbers: list[Any] = []
    for part in [*parts, None]:
        if part is not None and not _shape(part):
            numbers.append(part)
            continue
        if numbers:
            runs.append(stacked(numbers))
            numbers = []
        if part is not None:
            runs.append(library.reshape(part, (-1,)))
    if not runs:
        return array(np.empty(0))
    return runs[0] if len(runs) == 1 else library.concatenate(runs)


def stacked(values: Sequence[Any]) -> Any:
    """Return values of shape () as a row; graphs make one loop of it.

    Numbers among them are constants; one value at least is an array.
    """
    places = np.arange(len(values))
    constants = np.array([v if isinstance(v, float) else 0.0 for v in values])
    row: Any = None
    for k, value in enumerate(values):
        if not isinstance(value, float):
            rest = constants if row is None else row
            row = library.where(places == k, value, rest)
    return row
