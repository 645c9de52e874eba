"""Plan of the batches of a stream: it counts samples as they come, and seeks by skipping them."""

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

_MIXED = 1 << 10  # default size of a shuffle window in samples
_PATIENCE = 100  # consecutive errors before a stream counts as broken
Numbered = tuple[int, tuple[Any, ...]]  # the number of a sample, and its columns


class FlowPlan:
    """The plan of the batches of a Stream.

    Shuffling mixes the samples of a window. If the stream raises in the middle of a batch, the
    samples read so far go into the next batch.
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
        self._at = Cursor()  # behind the last batch read from the stream
        self._first: tuple[Any, ...] | None = None
        self._begin(0)
        self._items = None  # the stream starts at the first request

    def _begin(self, epoch: int) -> None:
        self._at, self._count, self._windows = Cursor(epoch), 0, 0
        self._partial_batch: list[Numbered] = []
        self._mixing: list[Numbered] = []  # samples of an incomplete window
        self._mixed: deque[Numbered] = deque()  # shuffled samples of the last window
        self._peeked: deque[tuple[Any, ...]] = deque()  # read early by `first`

    # items of the stream ------------------------------------------------------------------------

    def _restart(self, epoch: int) -> None:
        self._begin(epoch)
        self._items = iter(self.stream.restart())

    def _item(self) -> tuple[Any, ...] | None:
        """Return the next item, or None at the end."""
        if self._peeked:
            return self._peeked.popleft()
        if self._items is None:
            self._restart(self._at.epoch)
        assert self._items is not None
        for errors in range(_PATIENCE):
            try:
                item = next(self._items, None)
            except Exception as error:
                self._count += not self.stream.batched  # a failed sample has a number, too
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
        """Restart the stream, and skip the samples before a cursor."""
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
        samples = self._next_whole() if self.stream.batched else self._collect_batch()
        if samples is None:
            return None
        count = len(samples.numbers)
        short = 0 if self.stream.batched else self.batch_size - count
        if short and self.handle == "discard":
            return None
        high = at.position + count
        self._at = Cursor(at.epoch, high)
        return Piece(at, high, short if self.handle == "pad" else 0, self._at, samples)

    def _next_whole(self) -> Samples | None:
        """Return the next batch of a batched stream, or None at the end."""
        item = self._item()
        if item is None:
            return None
        columns = tuple([on_host(column) for column in item])
        self._count += len(columns[0])
        return Samples(columns, np.arange(self._count - len(columns[0]), self._count))

    def _collect_batch(self) -> Samples | None:
        """Return a batch collected from single samples, or None at the end."""
        while len(self._partial_batch) < self.batch_size:
            sample = self._sample()
            if sample is None:
                break
            self._partial_batch.append(sample)
        samples, self._partial_batch = self._partial_batch, []
        return _numbered(samples) if samples else None

    def load(self, piece: Piece) -> tuple[Samples, int]:
        """Return the samples of a piece, padded by repeating them, and the number of repeats."""
        assert piece.samples is not None
        if not piece.pad:
            return piece.samples, 0
        filler = np.resize(np.arange(len(piece.samples.numbers)), piece.pad)
        return joined([piece.samples, piece.samples.part(filler)]), piece.pad

    def over(self, at: Cursor) -> bool:
        """Return False: the end of a stream is unknown until it is reached."""
        return False

    def next_epoch(self, at: Cursor) -> Cursor:
        """Return the beginning of the next pass."""
        return Cursor(at.epoch + 1)

    def batches(self, at: Cursor) -> int:
        """Return the number of batches in a pass; raise TypeError if the stream has no length."""
        count = len(self.stream)
        if self.stream.batched:
            return count
        own = (count - self.part + self.of - 1) // self.of
        full, rest = divmod(own, self.batch_size)
        return full + (rest > 0 and self.handle != "discard")

    # description --------------------------------------------------------------------------------

    @property
    def descs(self) -> tuple[DataDesc, ...]:
        """Descriptions of one sample's columns, from the stream or else from its first sample."""
        if self.stream.descs is not None:
            return self.stream.descs
        values = (
            [on_host(v)[:1] for v in self._peek()]
            if self.stream.batched
            else [np.asarray(v)[None] for v in self._peek()]
        )
        names = default_names(len(values))
        return tuple(DataDesc(n, v.shape[1:], v.dtype) for n, v in zip(names, values))

    @property
    def labels(self) -> Sequence[str]:
        """Names of the label columns, by default the last of several columns."""
        if self.stream.labels is not None:
            return self.stream.labels
        names = [desc.name for desc in self.descs]
        return names[-1:] if len(names) > 1 else ()

    def first(self) -> Samples:
        """Return the first sample or batch, without consuming it."""
        item = self._peek()
        if self.stream.batched:
            columns = tuple([on_host(column) for column in item])
            return Samples(columns, np.arange(len(columns[0])))
        return _numbered([(0, item)])

    def _peek(self) -> tuple[Any, ...]:
        if self._first is None:
            item = self._item()
            if item is None:
                raise ArgumentError(f"{self.stream.name} gives nothing; expected samples")
            self._peeked.append(item)
            self._first = item
        return self._first

    def reseed(self, seed: int) -> None:
        """Continue with the order of another seed."""
        self.seed, self._at = seed, Cursor(-1)

    def state(self) -> dict[str, Any]:
        """Return the seed and the part to which positions refer."""
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
    """Return MXNet's names for `count` columns; the last of several is the label.

    >>> default_names(1), default_names(3)
    (['data'], ['_0_data', '_1_data', 'softmax_label'])
    """
    if count <= 2:
        return ["data", "softmax_label"][:count]
    return [*[f"_{k}_data" for k in range(count - 1)], "softmax_label"]
