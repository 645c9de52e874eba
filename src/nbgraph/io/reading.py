"""Columns of samples by their numbers, whatever blocks they lie in, and what cannot be read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from nbgraph.engine import Variable
from nbgraph.io.order import Epoch
from nbgraph.io.report import counted
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
        self._errors: list[tuple[int, Exception]] = []  # threads only append

    def add(self, count: int, error: Exception) -> None:
        """Count samples that an error stands for."""
        self._errors.append((count, error))

    def taken(self) -> tuple[int, Exception | None]:
        """Return how many there were and the first error, and count anew."""
        found, self._errors = self._errors, []
        return sum(count for count, _ in found), found[0][1] if found else None


class Window:
    """All samples of a window of whole blocks, read when they are first needed."""

    def __init__(self, reader: Reader, numbers: Values) -> None:
        self._reader, self._wanted = reader, numbers
        self._samples: Samples | None = None
        self._before: Values  # how many samples could be read before each position
        self._failures: list[tuple[Values, Exception]] = []
        self.variable: Variable | None = None  # of the operation that reads it ahead

    def load(self) -> None:
        """Read it; what cannot be read is told of when it is asked for."""
        self._samples = samples = self._reader.collected(self._wanted, self._failures)
        present = np.ones(len(self._wanted), bool)
        for numbers, _ in self._failures:
            present &= ~np.isin(self._wanted, numbers)
        self._before = np.append(0, np.cumsum(present))
        assert self._before[-1] == len(samples.numbers)

    def part(self, first: int, last: int) -> Samples:
        """Return the samples at these positions of the window."""
        if self._samples is None:
            self.load()
        assert self._samples is not None
        if self._failures:
            self._reader.tell(self._failures, self._wanted[first:last])
        return self._samples.part(slice(self._before[first], self._before[last]))


class Reader:
    """Reads samples of a source; with `skip` those that cannot be read are left out and counted."""

    def __init__(self, source: Source, *, skip: bool) -> None:
        self.source, self.skip = source, skip
        self.lost = Lost()
        self._windows: dict[tuple[int, int], Window] = {}

    def forget(self) -> None:
        """Drop the windows that are kept."""
        self._windows = {}

    def window(self, epoch: Epoch, window: int) -> Window:
        """Return a window of an epoch; the last few are kept."""
        key = epoch.number, window
        found = self._windows.get(key)
        if found is None:
            while len(self._windows) >= _WINDOWS:
                del self._windows[next(iter(self._windows))]
            found = self._windows[key] = Window(self, epoch.samples(window))
        return found

    def windows(self, epoch: Epoch, low: int, high: int) -> list[tuple[Window, int, int]]:
        """Return the windows of these positions, and from where to where in each."""
        return [(self.window(epoch, w), a, b) for w, a, b in epoch.segments(low, high)]

    def at(self, epoch: Epoch, low: int, high: int) -> Samples:
        """Return the samples at these positions of an epoch."""
        if not self.source.whole_blocks or low == high:
            return self.read(epoch.numbers(low, high))
        return joined([each.part(a, b) for each, a, b in self.windows(epoch, low, high)])

    def read(self, numbers: Values) -> Samples:
        """Return samples by their numbers, in this order."""
        failures: list[tuple[Values, Exception]] = []
        samples = self.collected(numbers, failures)
        if failures:
            self.tell(failures, numbers)
        return samples

    def fill(self, numbers: Values, outs: Sequence[Values]) -> None:
        """Read samples into arrays, whatever their blocks."""
        if len(self.source.blocks) == 2:
            self.source.fill(0, numbers, outs)
            return
        for block, rows, places in self._by_block(numbers):
            if len(places) == len(numbers):
                self.source.fill(block, rows, outs)
                return
            parts = [np.empty((len(rows), *out.shape[1:]), out.dtype) for out in outs]
            self.source.fill(block, rows, parts)
            for out, part in zip(outs, parts):
                out[places] = part

    def tell(self, failures: Sequence[tuple[Values, Exception]], numbers: Values) -> None:
        """Raise what keeps some of these samples from being read, or count them."""
        for lost, error in failures:
            count = int(np.isin(numbers, lost).sum())
            if count and not self.skip:
                raise error
            if count:
                self.lost.add(count, error)

    def collected(self, numbers: Values, failures: list[tuple[Values, Exception]]) -> Samples:
        """Return those samples that can be read; numbers and errors of the others go to the list.

        Of a block that is read as a whole those are lost that its errors name (DataError.record);
        another block, without `skip`, is lost with its first error.
        """
        found: list[tuple[Values, Columns]] = []
        for block, rows, places in self._by_block(numbers):
            try:
                with counted("reading"):
                    found.append((places, self.source.read(block, rows)))
            except Exception as error:
                if self.source.whole_blocks:
                    found += self._without(block, rows, places, error, failures)
                elif len(rows) == 1 or not self.skip:
                    failures.append((numbers[places], error))
                else:
                    found += self._one_by_one(block, rows, places, failures)
        if len(found) == 1 and len(found[0][0]) == len(numbers):
            return Samples(found[0][1], numbers)
        return _merged(found, numbers, len(self.source.descs))

    def _without(
        self,
        block: int,
        rows: Values,
        places: Values,
        error: Exception,
        failures: list[tuple[Values, Exception]],
    ) -> list[tuple[Values, Columns]]:
        """A block without the samples that errors name, or nothing of it if they name none."""
        first = self.source.blocks[block]
        while len(rows):
            record = getattr(error, "record", None)
            bad = rows + first == (-1 if record is None else record)
            bad |= not bad.any()
            failures.append((rows[bad] + first, error))
            rows, places = rows[~bad], places[~bad]
            try:
                return [(places, self.source.read(block, rows))] if len(rows) else []
            except Exception as problem:
                error = problem
        return []

    def _one_by_one(
        self,
        block: int,
        rows: Values,
        places: Values,
        failures: list[tuple[Values, Exception]],
    ) -> list[tuple[Values, Columns]]:
        """Those samples of a block that can be read alone."""
        found: list[tuple[Values, Columns]] = []
        for k in range(len(rows)):
            try:
                found.append((places[k : k + 1], self.source.read(block, rows[k : k + 1])))
            except Exception as error:
                failures.append((rows[k : k + 1] + self.source.blocks[block], error))
        return found

    def _by_block(self, numbers: Values) -> Iterator[tuple[int, Values, Values]]:
        """Blocks, the rows of each that are asked for, and their places among all."""
        if not len(numbers):
            return
        blocks, places = self.source.blocks, np.arange(len(numbers))
        which = np.searchsorted(blocks, numbers, side="right") - 1
        if (which == which[0]).all():
            yield int(which[0]), numbers - blocks[which[0]], places
            return
        places = np.argsort(which, kind="stable")
        cuts = np.flatnonzero(np.diff(which[places])) + 1
        for own in np.split(places, cuts):
            block = int(which[own[0]])
            yield block, numbers[own] - blocks[block], own


def joined(parts: Sequence[Samples]) -> Samples:
    """Return samples one after another."""
    parts = [part for part in parts if len(part.numbers)] or parts[:1]
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
