"""The order of samples, a function of seed, epoch and part that does not depend on the data.

Shuffling has two levels: blocks are permuted, then the samples of a window of several blocks are
permuted. So memory holds at most two windows (a batch may start in one and end in the next), and
files are read in long stretches. Random words come from NumPy's Philox, whose stream is fixed: the
order is the same on every machine.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator

import numpy as np

from nbgraph.errors import ArgumentError, require_whole
from nbgraph.shape import Array as Values

_MIXED = 1 << 16  # default size of a window in samples, unless a block is larger


class Order:
    """The samples of a part of the data, in each epoch.

    Parameters
    ----------
    blocks : int64 array of n + 1 offsets
    shuffle : bool
    seed : int
    part, of : int
        Part k of n has samples k * N // n to (k + 1) * N // n: parts are disjoint, and their union
        is all N samples.
    window : int, optional
        The number of blocks to mix; by default about 65536 samples, and at least one block.

    >>> order = Order(np.array([0, 4, 8, 10]), shuffle=True, seed=1, window=1)
    >>> first = order.epoch(0).numbers(0, 10)
    >>> sorted(first.tolist()) == list(range(10)), {int(n) // 4 for n in first[:4]}
    (True, {1, 2})
    >>> [Order(np.array([0, 10]), part=k, of=3).count for k in range(3)]
    [3, 3, 4]
    """

    def __init__(
        self,
        blocks: Values,
        *,
        shuffle: bool = False,
        seed: int = 0,
        part: int = 0,
        of: int = 1,
        window: int | None = None,
    ) -> None:
        self.shuffle, self.seed = shuffle, require_whole("seed", seed, 0)
        self.part, self.of = require_part(part, of)
        total = int(blocks[-1])
        self.low, self.high = self.part * total // self.of, (self.part + 1) * total // self.of
        self.count = self.high - self.low
        starts, stops = np.maximum(blocks[:-1], self.low), np.minimum(blocks[1:], self.high)
        inside = starts < stops
        self.starts, self.stops = starts[inside], stops[inside]
        if window is None:
            window = max(1, _MIXED * (len(blocks) - 1) // max(total, 1))
        self.window = require_whole("window", window, 1)

    def epoch(self, number: int) -> Epoch:
        """Return the order of one epoch."""
        return Epoch(self, number)


class Epoch:
    """The samples of a part in the order of one epoch, cut into windows."""

    def __init__(self, order: Order, number: int) -> None:
        self.order, self.number = order, number
        blocks = np.arange(len(order.starts))
        if order.shuffle:
            blocks = blocks[permutation(len(blocks), order.seed, number, 0)]
        self._starts, self._stops = order.starts[blocks], order.stops[blocks]
        ends = np.cumsum(self._stops - self._starts)
        step = order.window if order.shuffle else 1
        cuts = np.append(np.arange(step, len(ends), step), len(ends))[: len(ends)]
        self.windows = np.append(0, ends[cuts - 1]) if len(ends) else np.zeros(1, np.int64)
        self._step = step
        self._last: tuple[int, Values] | None = None

    def numbers(self, low: int, high: int) -> Values:
        """Return the numbers of the samples at positions `low` to `high` of the epoch."""
        if not self.order.shuffle:
            return np.arange(self.order.low + low, self.order.low + high)
        if len(self.windows) == 2:
            return self.samples(0)[low:high]
        parts = [self.samples(w)[a:b] for w, a, b in self.segments(low, high)]
        return parts[0] if len(parts) == 1 else np.concatenate([np.empty(0, np.int64), *parts])

    def segments(self, low: int, high: int) -> Iterator[tuple[int, int, int]]:
        """Cut a range of positions at windows: yield a window's number, and a range within it."""
        window = int(np.searchsorted(self.windows, low, side="right")) - 1
        while low < high:
            begin, end = int(self.windows[window]), int(self.windows[window + 1])
            stop = min(high, end)
            if low < stop:
                yield window, low - begin, stop - begin
            low, window = stop, window + 1

    def samples(self, window: int) -> Values:
        """Return the numbers of all samples of a window, in the order of the epoch."""
        last = self._last
        if last is not None and last[0] == window:
            return last[1]
        numbers = np.concatenate([np.arange(a, b) for a, b in self.stretches(window)])
        places = self.places(window)
        if places is not None:
            numbers = numbers[places]
        self._last = window, numbers
        return numbers

    def stretches(self, window: int) -> list[tuple[int, int]]:
        """Return the range of sample numbers of each block of a window."""
        chosen = slice(window * self._step, (window + 1) * self._step)
        return list(zip(self._starts[chosen].tolist(), self._stops[chosen].tolist(), strict=True))

    def places(self, window: int) -> Values | None:
        """Return a window's permutation, as places in its stretches; None without shuffling."""
        if not self.order.shuffle:
            return None
        count = int(self.windows[window + 1] - self.windows[window])
        return permutation(count, self.order.seed, self.number, 1 + window)


def require_part(part: int, of: int) -> tuple[int, int]:
    """Return `part` and `of`; raise ArgumentError unless 0 <= part < of."""
    part, of = require_whole("part", part, 0), require_whole("of", of, 1)
    if part >= of:
        raise ArgumentError(f"part={part} of={of}; parts are numbered from 0 to {of - 1}")
    return part, of


def permutation(count: int, seed: int, epoch: int, stream: int) -> Values:
    """Return a permutation of range(count) that depends only on the arguments.

    >>> permutation(5, 0, 0, 0).tolist() == permutation(5, 0, 0, 0).tolist()
    True
    """
    words = np.random.Philox(counter=[0, 0, stream, epoch], key=_key(seed)).random_raw(count)
    low = np.uint64((1 << count.bit_length()) - 1)  # the bits of each word that hold the index
    words &= ~low
    words |= np.arange(count, dtype=np.uint64)
    words.sort()
    words &= low
    return words.view(np.int64)


@functools.lru_cache(64)
def _key(seed: int) -> Values:
    return np.random.SeedSequence(seed, spawn_key=(1,)).generate_state(2, np.uint64)
