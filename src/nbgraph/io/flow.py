"""Batches of a stream: its samples are counted as they come, and a cursor is found by counting."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from nbgraph.errors import ArgumentError, require_whole
from nbgraph.io.order import permutation, require_part
from nbgraph.io.plan import Cursor, Piece
from nbgraph.io.protocol import DataDesc
from nbgraph.io.reading import Lost, Samples, joined
from nbgraph.io.source import Stream, on_host, together

_MIXED = 1 << 10  # samples that are mixed by default
_PATIENCE = 100  # errors one after another before a stream counts as broken
Numbered = tuple[int, tuple[Any, ...]]


class FlowPlan:
    """Batches of a Stream.

    Where samples are shuffled, those of a window are mixed. What was taken of a batch when the
    stream raised is kept for the next one.
    """

    def __init__(
        self,
        stream: Stream,
        batch_size: int,
        handle: str,
        *,
        skip: bool,
        shuffle: bool,
        seed: int,
        part: int,
        of: int,
        window: int | None,
    ) -> None:
        self.stream, self.batch_size, self.handle, self.skip = stream, batch_size, handle, skip
        self.shuffle, self.seed = shuffle, seed
        self.part, self.of = require_part(part, of)
        self.window = require_whole("window", _MIXED if window is None else window, 1)
        if handle == "roll_over":
            raise ArgumentError(
                f"{stream.name}: samples of a stream cannot roll over to its next pass; use "
                "last_batch_handle='pad', 'discard' or 'keep'"
            )
        if stream.batched and (shuffle or of > 1):
            raise ArgumentError(
                f"{stream.name} gives batches, which are passed on as they are: have it shuffle "
                "and take parts itself, or give single samples"
            )
        self.lost, self.where = Lost(), stream.where
        self._items: Iterator[tuple[Any, ...]] | None = None
        self._at = Cursor()  # what the stream has given, as batches
        self._first: tuple[Any, ...] | None = None
        self._begin(0)
        self._items = None  # the stream begins when it is asked

    def _begin(self, epoch: int) -> None:
        self._at, self._count, self._windows = Cursor(epoch), 0, 0
        self._taken: list[Numbered] = []  # of a batch
        self._mixing: list[Numbered] = []  # of a window
        self._mixed: deque[Numbered] = deque()
        self._ahead: deque[tuple[Any, ...]] = deque()

    # what the stream gives ----------------------------------------------------------------------

    def _restart(self, epoch: int) -> None:
        self._begin(epoch)
        self._items = iter(self.stream.restart())

    def _item(self) -> tuple[Any, ...] | None:
        """Return the next item, or None at the end."""
        if self._ahead:
            return self._ahead.popleft()
        if self._items is None:
            self._restart(self._at.epoch)
        assert self._items is not None
        for errors in range(_PATIENCE):
            try:
                item = next(self._items, None)
            except Exception as error:
                self._count += not self.stream.batched  # it has a number, too
                if not self.skip or errors == _PATIENCE - 1:
                    raise
                self.lost.add(1, error)
            else:
                self._first = item if self._first is None else self._first
                return item
        return None

    def _own(self) -> Numbered | None:
        """Return the next sample of this part with its number, or None at the end."""
        while (item := self._item()) is not None:
            self._count += 1
            if (self._count - 1) % self.of == self.part:
                return self._count - 1, item
        return None

    def _sample(self) -> Numbered | None:
        """Return the next sample in the order of the epoch, or None at the end."""
        if not self.shuffle:
            return self._own()
        while not self._mixed:
            sample = self._own() if len(self._mixing) < self.window else None
            if sample is not None:
                self._mixing.append(sample)
                continue
            if not self._mixing:
                return None
            self._windows += 1
            order = permutation(len(self._mixing), self.seed, self._at.epoch, self._windows)
            self._mixed.extend([self._mixing[k] for k in order])
            self._mixing = []
        return self._mixed.popleft()

    def _seek(self, at: Cursor) -> None:
        """Restart, and pass over the samples before a cursor."""
        self._restart(at.epoch)
        passed = 0
        while passed < at.position:
            item = self._item() if self.stream.batched else self._sample()
            if item is None:
                break
            passed += len(item[0]) if self.stream.batched else 1  # type: ignore[arg-type]
        self._count = passed if self.stream.batched else self._count
        self._at = at

    # batches ------------------------------------------------------------------------------------

    def step(self, at: Cursor) -> Piece | None:
        """Read the next batch; return None at the end of the stream."""
        if at != self._at:
            self._seek(at)
        samples = self._whole() if self.stream.batched else self._several()
        if samples is None:
            return None
        count = len(samples.numbers)
        short = 0 if self.stream.batched else self.batch_size - count
        if short and self.handle == "discard":
            return None
        high = at.position + count
        self._at = Cursor(at.epoch, high)
        return Piece(at, high, short if self.handle == "pad" else 0, self._at, samples)

    def _whole(self) -> Samples | None:
        """Return a batch as the stream gives it, or None at the end."""
        item = self._item()
        if item is None:
            return None
        columns = tuple([on_host(column) for column in item])
        self._count += len(columns[0])
        return Samples(columns, np.arange(self._count - len(columns[0]), self._count))

    def _several(self) -> Samples | None:
        """Return samples put together, or None at the end."""
        while len(self._taken) < self.batch_size:
            sample = self._sample()
            if sample is None:
                break
            self._taken.append(sample)
        samples, self._taken = self._taken, []
        return _numbered(samples) if samples else None

    def load(self, piece: Piece) -> tuple[Samples, int]:
        """Return a batch that was read, filled up with its own samples."""
        assert piece.samples is not None
        if not piece.pad:
            return piece.samples, 0
        filler = np.resize(np.arange(len(piece.samples.numbers)), piece.pad)
        return joined([piece.samples, piece.samples.part(filler)]), piece.pad

    def over(self, at: Cursor) -> bool:
        """Return whether the end is known, which it is only once it is reached."""
        return False

    def next_epoch(self, at: Cursor) -> Cursor:
        """Return the beginning of the next pass."""
        return Cursor(at.epoch + 1)

    def batches(self, at: Cursor) -> int:
        """Return how many batches a pass has; raise TypeError where the stream does not know."""
        count = len(self.stream)
        if self.stream.batched:
            return count
        own = (count - self.part + self.of - 1) // self.of
        full, rest = divmod(own, self.batch_size)
        return full + (rest > 0 and self.handle != "discard")

    # what it is ---------------------------------------------------------------------------------

    @property
    def descs(self) -> tuple[DataDesc, ...]:
        """One sample, as the stream describes it or as its first is."""
        if self.stream.descs is not None:
            return self.stream.descs
        values = (
            [on_host(v)[:1] for v in self._glance()]
            if self.stream.batched
            else [np.asarray(v)[None] for v in self._glance()]
        )
        names = default_names(len(values))
        return tuple(DataDesc(n, v.shape[1:], v.dtype) for n, v in zip(names, values))

    @property
    def labels(self) -> Sequence[str]:
        """Names of the columns that are labels: of several the last, if nobody says."""
        if self.stream.labels is not None:
            return self.stream.labels
        names = [desc.name for desc in self.descs]
        return names[-1:] if len(names) > 1 else ()

    def first(self) -> Samples:
        """Return the first sample or batch, which will be returned again."""
        item = self._glance()
        if self.stream.batched:
            columns = tuple([on_host(column) for column in item])
            return Samples(columns, np.arange(len(columns[0])))
        return _numbered([(0, item)])

    def _glance(self) -> tuple[Any, ...]:
        if self._first is None:
            item = self._item()
            if item is None:
                raise ArgumentError(f"{self.stream.name} gives nothing; expected samples")
            self._ahead.append(item)
            self._first = item
        return self._first

    def reseed(self, seed: int) -> None:
        """Go on with another order."""
        self.seed, self._at = seed, Cursor(-1)

    def state(self) -> dict[str, Any]:
        """Return what positions are relative to."""
        return {"seed": self.seed, "part": self.part, "of": self.of}

    def close(self) -> None:
        """Release the stream."""
        self._begin(0)
        self._items = None
        self.stream.close()


def _numbered(samples: Sequence[Numbered]) -> Samples:
    numbers = np.array([number for number, _ in samples], np.int64)
    return Samples(together(sample for _, sample in samples), numbers)


def default_names(count: int) -> list[str]:
    """Return names of columns by MXNet's custom: of several the last is the label.

    >>> default_names(1), default_names(3)
    (['data'], ['_0_data', '_1_data', 'softmax_label'])
    """
    if count <= 2:
        return ["data", "softmax_label"][:count]
    return [*[f"_{k}_data" for k in range(count - 1)], "softmax_label"]
