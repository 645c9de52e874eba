"""Plans of the next batch: its samples, and the cursor after it; no state of its own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from nbgraph.io.order import Epoch, Order
from nbgraph.io.reading import Reader, Samples, Stretch, joined
from nbgraph.io.source import Source, Values

HANDLES = ("pad", "discard", "roll_over", "keep")


class Cursor(NamedTuple):
    """The place of an iterator: samples before `position` of the epoch were given.

    `carry`: numbers of samples that the epoch before left over.
    """

    epoch: int = 0
    position: int = 0
    carry: tuple[int, ...] = ()


class Piece(NamedTuple):
    """The samples of a batch: left-overs, positions of an epoch, and what fills it up.

    `samples`, `windows`: what was read of it already, or is being read.
    """

    cursor: Cursor
    high: int
    pad: int
    after: Cursor
    samples: Samples | None = None
    windows: Sequence[Stretch] | None = None


class BlockPlan:
    """Batches of a Source."""

    def __init__(
        self, source: Source, order: Order, batch_size: int, handle: str, *, skip: bool
    ) -> None:
        self.source, self.order, self.batch_size, self.handle = source, order, batch_size, handle
        self.reader = Reader(source, skip=skip)
        self.lost = self.reader.lost
        self.descs, self.labels, self.where = source.descs, source.labels, source.where
        self._epoch: Epoch | None = None

    def epoch(self, number: int) -> Epoch:
        """Return the order of an epoch, kept for the next batch."""
        current = self._epoch
        if current is None or current.number != number or current.order is not self.order:
            current = self._epoch = self.order.epoch(number)
        return current

    def step(self, at: Cursor) -> Piece | None:
        """Return the next batch; None at the end of the epoch."""
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
        """Return the beginning of the next epoch; what rolls over goes with it."""
        carry: tuple[int, ...] = ()
        if self.handle == "roll_over" and self.over(at):
            rest = self.epoch(at.epoch).numbers(at.position, self.order.count)
            carry = (*at.carry, *rest.tolist())
        return Cursor(at.epoch + 1, 0, carry)

    def batches(self, at: Cursor) -> int:
        """Return how many batches the epoch has, from its beginning on."""
        carried = len(at.carry)
        if at.position and self.handle == "roll_over":  # what was carried is the first batch's
            carried = -at.position % self.batch_size
        whole, rest = divmod(self.order.count + carried, self.batch_size)
        return whole + (rest > 0 and self.handle in {"pad", "keep"})

    def numbers(self, piece: Piece) -> Values:
        """Return the numbers of a batch's samples, what fills it up last."""
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
        """Read a batch into arrays and return its samples' numbers; None where it needs joining."""
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
        """Read a batch: its samples, and how many at the end only fill it up."""
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
        if present == count:  # the first samples of the epoch, as often as needed
            filler = self.reader.collected(self.numbers(piece)[present:], [])
        if filler is None or len(filler.numbers) != pad:
            # samples were left out: the others fill their places
            filler = samples.part(np.resize(np.arange(present), pad))
        return joined([samples, filler]), pad

    def first(self) -> Samples:
        """Return the first sample."""
        return self.reader.read(np.arange(self.order.low, self.order.low + 1))

    def reseed(self, seed: int) -> None:
        """Go on with another order."""
        self.order.seed, self._epoch = seed, None
        self.reader.forget()

    def close(self) -> None:
        """Release the source and what was read ahead."""
        self.reader.forget()
        self.source.close()

    def state(self) -> dict[str, Any]:
        """Return what positions are relative to."""
        order = self.order
        return {"samples": order.count, "seed": order.seed, "part": order.part, "of": order.of}
