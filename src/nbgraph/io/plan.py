"""Plan of the batches of a source: which samples the next batch has, and the cursor after it."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from nbgraph.io.order import Epoch, Order
from nbgraph.io.reading import Reader, Samples, Stretch, joined
from nbgraph.io.source import Source, Values

HANDLES = ("pad", "discard", "roll_over", "keep")


class Cursor(NamedTuple):
    """The position of an iterator: the samples before `position` of the epoch were returned.

    `carry`: numbers of the samples that roll over from the previous epoch.
    """

    epoch: int = 0
    position: int = 0
    carry: tuple[int, ...] = ()


class Piece(NamedTuple):
    """The samples of a batch: `cursor.carry`, positions up to `high`, and `pad` repeated samples.

    `samples`: those that were read already. `windows`: the windows that are read in advance.
    """

    cursor: Cursor
    high: int
    pad: int
    after: Cursor
    samples: Samples | None = None
    windows: Sequence[Stretch] | None = None


class BlockPlan:
    """The plan of the batches of a Source."""

    def __init__(
        self, source: Source, order: Order, batch_size: int, handle: str, *, skip: bool
    ) -> None:
        self.source, self.order, self.batch_size, self.handle = source, order, batch_size, handle
        self.reader = Reader(source, skip=skip)
        self.lost = self.reader.lost
        self.descs, self.labels, self.where = source.descs, source.labels, source.where
        self._epoch: Epoch | None = None

    def epoch(self, number: int) -> Epoch:
        """Return the order of an epoch, cached for the next batch."""
        current = self._epoch
        if current is None or current.number != number or current.order is not self.order:
            current = self._epoch = self.order.epoch(number)
        return current

    def step(self, at: Cursor) -> Piece | None:
        """Return the piece of the next batch, or None at the end of the epoch."""
        left = self.order.count - at.position + len(at.carry)
        size = self.batch_size
        if left <= 0 or (left < size and self.handle in {"discard", "roll_over"}):
            return None
        count = min(size, left)
        high = at.position + count - len(at.carry)
        pad = size - count if self.handle == "pad" else 0
        return Piece(at, high, pad, Cursor(at.epoch, high))

    def over(self, at: Cursor) -> bool:
        """Return whether the epoch has no further batch."""
        return self.step(at) is None

    def next_epoch(self, at: Cursor) -> Cursor:
        """Return the beginning of the next epoch, with the samples that roll over."""
        carry: tuple[int, ...] = ()
        if self.handle == "roll_over" and self.over(at):
            rest = self.epoch(at.epoch).numbers(at.position, self.order.count)
            carry = (*at.carry, *rest.tolist())
        return Cursor(at.epoch + 1, 0, carry)

    def batches(self, at: Cursor) -> int:
        """Return the total number of batches of the epoch."""
        carried = len(at.carry)
        if at.position and self.handle == "roll_over":  # the first batch had carried samples
            carried = -at.position % self.batch_size
        whole, rest = divmod(self.order.count + carried, self.batch_size)
        return whole + (rest > 0 and self.handle in {"pad", "keep"})

    def numbers(self, piece: Piece) -> Values:
        """Return the numbers of the samples of a batch, the padding last."""
        at = piece.cursor
        epoch = self.epoch(at.epoch)
        numbers = epoch.numbers(at.position, piece.high)
        if at.carry:
            numbers = np.concatenate([np.array(at.carry, np.int64), numbers])
        if piece.pad:
            first = epoch.numbers(0, min(piece.pad, self.order.count))
            numbers = np.concatenate([numbers, np.resize(first, piece.pad)])
        return numbers

    def fill(self, piece: Piece, outs: Sequence[Values]) -> Values | None:
        """Read a batch into `outs` and return its samples' numbers; None if `load` is needed."""
        at, reader = piece.cursor, self.reader
        if not self.source.whole_blocks:
            numbers = self.numbers(piece)
            reader.fill(numbers, outs)
            return numbers
        if at.carry or piece.pad:
            return None
        windows = piece.windows
        if windows is None:
            windows = reader.windows(self.epoch(at.epoch), at.position, piece.high)
        if len(windows) == 1:
            window, first, last = windows[0]
            return window.fill(first, last, outs)
        parts: list[Values] = []
        done = 0
        for window, first, last in windows:
            part = window.fill(first, last, [out[done : done + last - first] for out in outs])
            if part is None:
                return None
            parts.append(part)
            done += last - first
        return np.concatenate(parts)

    def load(self, piece: Piece) -> tuple[Samples, int]:
        """Read a batch: return its samples, and the number of padding samples at the end."""
        at, samples = piece.cursor, piece.samples
        if samples is None:
            epoch = self.epoch(at.epoch)
            samples = self.reader.at(epoch, at.position, piece.high, piece.windows)
        if at.carry:
            samples = joined([self.reader.read(np.array(at.carry, np.int64)), samples])
        count = len(at.carry) + piece.high - at.position
        present = len(samples.numbers)
        if present == count and not piece.pad:
            return samples, 0
        if self.handle == "keep" or not present:
            return samples, 0
        pad = count + piece.pad - present
        filler: Samples | None = None
        if present == count:  # pad with the first samples of the epoch
            filler = self.reader.read_available(self.numbers(piece)[present:], [])
        if filler is None or len(filler.numbers) != pad:
            # some samples are unreadable: repeat the others
            filler = samples.part(np.resize(np.arange(present), pad))
        return joined([samples, filler]), pad

    def first(self) -> Samples:
        """Return the first sample."""
        return self.reader.read(np.arange(self.order.low, self.order.low + 1))

    def reseed(self, seed: int) -> None:
        """Continue with the order of another seed."""
        self.order.seed, self._epoch = seed, None
        self.reader.forget()

    def close(self) -> None:
        """Release the source and the cached windows."""
        self.reader.forget()
        self.source.close()

    def state(self) -> dict[str, Any]:
        """Return the sample count, seed and part to which positions refer."""
        order = self.order
        return {"samples": order.count, "seed": order.seed, "part": order.part, "of": order.of}
