"""Reading of samples by their numbers from the blocks of a source, and of unreadable samples."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from nbgraph.engine import Variable
from nbgraph.io.order import Epoch
from nbgraph.io.report import counted
from nbgraph.io.source import Columns, Source, Values, taken

_WINDOWS = 2  # a batch may begin in one window and end in the next
_READS = 64  # most reads of a whole block to find its unreadable samples


class Samples(NamedTuple):
    """Columns, and the numbers of the samples in them."""

    columns: Columns
    numbers: Values

    def part(self, chosen: slice | Values) -> Samples:
        """Return the samples at these indices."""
        columns = tuple([taken(column, chosen) for column in self.columns])
        return Samples(columns, self.numbers[chosen])


class Lost:
    """A count of the samples that were left out because they could not be read."""

    def __init__(self) -> None:
        self._errors: list[tuple[int, Exception]] = []  # threads only append

    def add(self, count: int, error: Exception) -> None:
        """Count `count` samples as lost by `error`."""
        self._errors.append((count, error))

    def drain(self) -> tuple[int, Exception | None]:
        """Return the number of lost samples and the first error, and reset the count."""
        errors, self._errors = self._errors, []
        return sum(count for count, _ in errors), errors[0][1] if errors else None


class Window:
    """All samples of a window of whole blocks, read at the first request.

    They are stored in the order of reading, block by block; `part` and `fill` permute them.
    """

    def __init__(self, reader: Reader, epoch: Epoch, window: int) -> None:
        self._reader, self._stretches = reader, epoch.stretches(window)
        self._order = epoch.places(window)  # the place of each position; None: the same
        self._samples: Samples | None = None
        self._present: Values | None = None  # mask of the readable places; None: all
        self._failures: list[tuple[Values, Exception]] = []
        self.variable: Variable | None = None  # written by the operation that prefetches it

    def load(self) -> None:
        """Read the window; errors are raised later, when their samples are requested."""
        reader, parts = self._reader, list[Samples]()
        for first, last in self._stretches:
            numbers = np.arange(first, last)
            parts.append(reader.read_available(numbers, self._failures))
        samples = joined(parts)
        if self._failures:
            numbers_of_window = np.concatenate([np.arange(a, b) for a, b in self._stretches])
            self._present = np.isin(numbers_of_window, samples.numbers)
        self._samples = samples

    def part(self, first: int, last: int) -> Samples:
        """Return the samples at positions `first` to `last` of the window."""
        if self._samples is None:
            self.load()
        assert self._samples is not None
        order = self._order
        if self._present is None:
            return self._samples.part(slice(first, last) if order is None else order[first:last])
        places = np.arange(first, last) if order is None else order[first:last]
        numbers = np.concatenate([np.arange(a, b) for a, b in self._stretches])
        self._reader.raise_failure(self._failures, numbers[places])
        return self._samples.part((np.cumsum(self._present) - 1)[places[self._present[places]]])

    def fill(self, first: int, last: int, outs: Sequence[Values]) -> Values | None:
        """Copy samples into `outs` and return their numbers; None if some do not fit."""
        if self._samples is None:
            self.load()
        assert self._samples is not None
        columns, numbers = self._samples
        if self._present is not None or not all(map(_fits, columns, outs)):
            return None
        if self._order is None:
            for column, out in zip(columns, outs):
                out[...] = column[first:last]
            return numbers[first:last]
        places = self._order[first:last]
        for column, out in zip(columns, outs):
            # "raise" would buffer the output, and of strided values take() copies all beforehand
            if column.flags.c_contiguous:
                column.take(places, 0, out, "clip")
            else:
                out[...] = column[places]
        return numbers[places]


Stretch = tuple[Window, int, int]  # a window and a range of positions in it


class Reader:
    """A reader of a source's samples; with `skip` it omits unreadable ones and counts them."""

    def __init__(self, source: Source, *, skip: bool) -> None:
        self.source, self.skip = source, skip
        self.lost = Lost()
        self._windows: dict[tuple[int, int], Window] = {}

    def forget(self) -> None:
        """Drop the cached windows."""
        self._windows = {}

    def window(self, epoch: Epoch, window: int) -> Window:
        """Return a window of an epoch; the last few are cached."""
        key = epoch.number, window
        result = self._windows.get(key)
        if result is None:
            while len(self._windows) >= _WINDOWS:
                del self._windows[next(iter(self._windows))]
            result = self._windows[key] = Window(self, epoch, window)
        return result

    def windows(self, epoch: Epoch, low: int, high: int) -> list[Stretch]:
        """Return the windows of a range of positions, and the range in each."""
        return [(self.window(epoch, w), a, b) for w, a, b in epoch.segments(low, high)]

    def at(
        self, epoch: Epoch, low: int, high: int, windows: Sequence[Stretch] | None = None
    ) -> Samples:
        """Return the samples at positions `low` to `high` of an epoch."""
        if not self.source.whole_blocks or low == high:
            return self.read(epoch.numbers(low, high))
        if windows is None:
            windows = self.windows(epoch, low, high)
        return joined([each.part(a, b) for each, a, b in windows])

    def read(self, numbers: Values) -> Samples:
        """Return samples by their numbers, in the order of `numbers`."""
        failures: list[tuple[Values, Exception]] = []
        samples = self.read_available(numbers, failures)
        if failures:
            self.raise_failure(failures, numbers)
        return samples

    def fill(self, numbers: Values, outs: Sequence[Values]) -> None:
        """Read samples of any blocks into `outs`."""
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

    def raise_failure(self, failures: Sequence[tuple[Values, Exception]], numbers: Values) -> None:
        """Raise the first failure that concerns `numbers`, or with `skip` count its samples."""
        for lost, error in failures:
            count = int(np.isin(numbers, lost).sum())
            if count and not self.skip:
                raise error
            if count:
                self.lost.add(count, error)

    def read_available(self, numbers: Values, failures: list[tuple[Values, Exception]]) -> Samples:
        """Return the readable samples; append numbers and errors of the others to `failures`.

        Without `skip`, an error of a read counts for all of its samples, except in whole blocks,
        which other batches share.
        """
        parts: list[tuple[Values, Columns]] = []
        for block, rows, places in self._by_block(numbers):
            try:
                with counted("reading"):
                    parts.append((places, self.source.read(block, rows)))
            except Exception as error:
                if self.source.whole_blocks or self.skip:
                    parts += self._readable(block, rows, places, failures, error)
                else:
                    failures.append((numbers[places], error))
        if len(parts) == 1 and len(parts[0][0]) == len(numbers):
            return Samples(parts[0][1], numbers)
        return _merged(parts, numbers, len(self.source.descs))

    def _readable(
        self,
        block: int,
        rows: Values,
        places: Values,
        failures: list[tuple[Values, Exception]],
        error: Exception,
    ) -> list[tuple[Values, Columns]]:
        """Return the readable samples after a failed read: retry without the sample that the error
        of a whole block names, otherwise in halves."""
        pieces: list[tuple[Values, Columns]] = []
        first, whole, reads = self.source.blocks[block], self.source.whole_blocks, 0
        left = [(rows, places, error)]
        while left:
            rows, places, error = left.pop()
            record = getattr(error, "record", None) if whole else None
            named = rows + first == (-1 if record is None else record)
            if not named.any() and (len(rows) == 1 or (whole and reads >= _READS)):
                named = ~named
            if named.any():
                failures.append((rows[named] + first, error))
                parts: list[Any] = [~named]
            else:
                middle, reads = len(rows) // 2, reads + 2
                parts = [slice(middle, None), slice(None, middle)]
            for part in parts:
                if len(rows[part]):
                    try:
                        pieces.append((places[part], self.source.read(block, rows[part])))
                    except Exception as problem:
                        left.append((rows[part], places[part], problem))
        return pieces

    def _by_block(self, numbers: Values) -> Iterator[tuple[int, Values, Values]]:
        """Yield each block, the requested rows in it, and their places in `numbers`."""
        if not len(numbers):
            return
        blocks, places = self.source.blocks, np.arange(len(numbers))
        which = np.searchsorted(blocks, numbers, side="right") - 1
        if (which == which[0]).all():
            yield int(which[0]), numbers - blocks[which[0]], places
            return
        if len(blocks) < 1 << 16:
            which = which.astype(np.uint16)  # for which NumPy uses radix sort
        places = np.argsort(which, kind="stable")
        cuts = np.flatnonzero(np.diff(which[places])) + 1
        for own in np.split(places, cuts):
            block = int(which[own[0]])
            yield block, numbers[own] - blocks[block], own


def joined(parts: Sequence[Samples]) -> Samples:
    """Concatenate samples."""
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


def _merged(parts: Sequence[tuple[Values, Columns]], numbers: Values, width: int) -> Samples:
    """Merge the samples of several blocks in the order of `numbers`, omitting unreadable ones."""
    if not parts:
        return Samples(tuple([[] for _ in range(width)]), numbers[:0])
    places = np.concatenate([places for places, _ in parts])
    if len(places) < len(numbers):
        present = np.zeros(len(numbers), bool)
        present[places] = True
        numbers, rank = numbers[present], np.cumsum(present) - 1
        parts = [(rank[places], columns) for places, columns in parts]
    return Samples(tuple([_scattered(parts, k, len(numbers)) for k in range(width)]), numbers)


def _scattered(pieces: Sequence[tuple[Values, Columns]], k: int, count: int) -> Any:
    """Merge column `k` of several blocks: an array if shapes and dtypes agree, else a list."""
    parts = [columns[k] for _, columns in pieces]
    kinds = {(p.shape[1:], p.dtype) if isinstance(p, np.ndarray) else None for p in parts}
    alike = len(kinds) == 1 and None not in kinds
    out: Any = np.empty((count, *parts[0].shape[1:]), parts[0].dtype) if alike else [None] * count
    for (places, _), part in zip(pieces, parts):
        if alike:
            out[places] = part
            continue
        for place, value in zip(places.tolist(), part):
            out[place] = value
    return out


def _fits(column: Any, out: Values) -> bool:
    """Return whether samples of a column have the shape and dtype of `out`."""
    same = isinstance(column, np.ndarray) and column.dtype == out.dtype
    return same and column.shape[1:] == out.shape[1:]
