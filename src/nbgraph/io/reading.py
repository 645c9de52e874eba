"""Columns of samples by their numbers, whatever blocks they lie in, and what cannot be read."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from nbgraph.io.order import Epoch
from nbgraph.io.source import Columns, Source, Values

_WINDOWS = 2  # a batch may begin in one window and end in the next


class Samples(NamedTuple):
    """Columns, and the numbers of the samples in them."""

    columns: Columns
    numbers: Values

    def part(self, chosen: slice | Values) -> Samples:
        """Return some of the samples."""
        columns = tuple([_chosen(column, chosen) for column in self.columns])
        return Samples(columns, self.numbers[chosen])


class Lost:
    """Samples that could not be read and were left out."""

    def __init__(self) -> None:
        self.count = 0
        self.first: Exception | None = None
        self._lock = threading.Lock()

    def add(self, count: int, error: Exception) -> None:
        """Count samples that an error stands for."""
        with self._lock:
            self.count += count
            self.first = self.first or error

    def taken(self) -> tuple[int, Exception | None]:
        """Return what was counted, and count anew."""
        with self._lock:
            found = self.count, self.first
            self.count, self.first = 0, None
        return found


class Reader:
    """Reads samples of a source; with `skip` those that cannot be read are left out and counted."""

    def __init__(self, source: Source, *, skip: bool) -> None:
        self.source, self.skip = source, skip
        self.lost = Lost()
        self._windows: dict[tuple[int, int], tuple[Samples, Values]] = {}
        self._lock = threading.Lock()

    def forget(self) -> None:
        """Drop the windows that are kept."""
        with self._lock:
            self._windows.clear()

    def at(self, epoch: Epoch, low: int, high: int) -> Samples:
        """Return the samples at these positions of an epoch."""
        if not self.source.whole_blocks:
            return self.read(epoch.numbers(low, high))
        parts: list[Samples] = []
        for window, first, last in epoch.segments(low, high):
            samples, before = self._window(epoch, window)
            parts.append(samples.part(slice(before[first], before[last])))
        return joined(parts) if parts else self.read(np.empty(0, np.int64))

    def read(self, numbers: Values) -> Samples:
        """Return samples by their numbers, in this order."""
        found: list[tuple[Values, Columns]] = []
        for block, rows, places in self._by_block(numbers):
            try:
                found.append((places, self.source.read(block, rows)))
            except Exception as error:
                if not self.skip:
                    raise
                found += self._readable(block, rows, places, error)
        if len(found) == 1 and len(found[0][0]) == len(numbers):
            return Samples(found[0][1], numbers)
        return _merged(found, numbers, len(self.source.descs))

    def _by_block(self, numbers: Values) -> Iterator[tuple[int, Values, Values]]:
        """Blocks, the rows of each that are asked for, and their places among all."""
        blocks, places = self.source.blocks, np.arange(len(numbers))
        which = np.searchsorted(blocks, numbers, side="right") - 1
        if len(numbers) and (which == which[0]).all():
            yield int(which[0]), numbers - blocks[which[0]], places
            return
        places = np.argsort(which, kind="stable")
        cuts = np.flatnonzero(np.diff(which[places])) + 1
        for own in np.split(places, cuts) if len(numbers) else ():
            block = int(which[own[0]])
            yield block, numbers[own] - blocks[block], own

    def _readable(
        self, block: int, rows: Values, places: Values, error: Exception
    ) -> list[tuple[Values, Columns]]:
        """Those samples of a block that can be read one by one."""
        if self.source.whole_blocks or len(rows) == 1:
            self.lost.add(len(rows), error)
            return []
        found: list[tuple[Values, Columns]] = []
        for k in range(len(rows)):
            try:
                found.append((places[k : k + 1], self.source.read(block, rows[k : k + 1])))
            except Exception as problem:
                self.lost.add(1, problem)
        return found

    def _window(self, epoch: Epoch, window: int) -> tuple[Samples, Values]:
        """All samples of a window, and how many of them are before each position in it."""
        key = epoch.number, window
        with self._lock:
            found = self._windows.get(key)
            if found is None:
                while len(self._windows) >= _WINDOWS:
                    del self._windows[next(iter(self._windows))]
                numbers = epoch.samples(window)
                samples = self.read(numbers)
                present = np.ones(len(numbers), bool)
                if len(samples.numbers) < len(numbers):
                    present = np.isin(numbers, samples.numbers)
                found = samples, np.append(0, np.cumsum(present))
                self._windows[key] = found
            return found


def joined(parts: Sequence[Samples]) -> Samples:
    """Return samples one after another."""
    if len(parts) == 1:
        return parts[0]
    columns: list[Any] = []
    for several in zip(*[part.columns for part in parts], strict=True):
        shapes = {
            column.shape[1:] if isinstance(column, np.ndarray) else None for column in several
        }
        if len(shapes) == 1 and None not in shapes:
            columns.append(np.concatenate(several))
        else:
            columns.append([each for column in several for each in column])
    return Samples(tuple(columns), np.concatenate([part.numbers for part in parts]))


def _merged(found: Sequence[tuple[Values, Columns]], numbers: Values, width: int) -> Samples:
    """Samples of several blocks, at their places; places that nobody has are left out."""
    if not found:
        return Samples(tuple([[] for _ in range(width)]), numbers[:0])
    parts = [Samples(columns, numbers[places]) for places, columns in found]
    places = np.concatenate([places for places, _ in found])
    return joined(parts).part(np.argsort(places, kind="stable"))


def _chosen(column: Any, chosen: slice | Values) -> Any:
    if isinstance(column, np.ndarray) or isinstance(chosen, slice):
        return column[chosen]
    return [column[int(k)] for k in chosen]
