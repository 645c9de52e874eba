"""Losses and metrics of an epoch, each batch counted by its samples."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

from nbgraph.array.create import array
from nbgraph.errors import ArgumentError
from nbgraph.nn.checkpoint import Position


class Sums:
    """Totals over the samples of an epoch so far.

    Attributes
    ----------
    names : list of str
        What there are totals of: those of the rows, or fewer of them.
    samples : int
    totals : NDArray of float64 or None
        In the order of the names; None before the first batch.
    """

    def __init__(self, names: Sequence[str]) -> None:
        self.names = list(names)
        self.samples, self.totals = 0, None
        self._columns: list[int] | None = None  # of a row; None: all of them

    @classmethod
    def after(cls, position: Position, names: Sequence[str]) -> Sums:
        """Those of an epoch that goes on, where rows have these names from now on.

        What was not measured from the epoch's beginning on is left out; a warning says so.
        """
        made = cls(names)
        if position.totals is None:
            return made
        made.samples, made.totals = position.samples, position.totals
        if position.names == made.names:
            return made
        made.names = [name for name in names if name in position.names]
        made._columns = [list(names).index(name) for name in made.names]
        at = [position.names.index(name) for name in made.names]
        made.totals = array(position.totals.asnumpy()[at])
        new, old = (", ".join(each) or "none" for each in _changed(position.names, names))
        warnings.warn(
            f"fit: the checkpoint is amid an epoch with other metrics (new: {new}, no longer: "
            f"{old}); that epoch's row has {', '.join(made.names)}, later ones have all",
            stacklevel=4,
        )
        return made

    def add(self, row: Any, samples: int) -> None:
        """Take in a batch: its means, as an array of float64; nothing waits."""
        weighed = (row if self._columns is None else row[self._columns]) * float(samples)
        self.totals = weighed if self.totals is None else self.totals + weighed
        self.samples += samples

    def means(self) -> dict[str, float]:
        """The means by name; waits."""
        if self.totals is None:
            raise ArgumentError("fit: the data gave no batch; an epoch needs one at least")
        found = (self.totals.asnumpy() / max(1, self.samples)).tolist()
        return dict(zip(self.names, found, strict=True))


def _changed(before: Sequence[str], now: Sequence[str]) -> tuple[list[str], list[str]]:
    return [n for n in now if n not in before], [n for n in before if n not in now]
