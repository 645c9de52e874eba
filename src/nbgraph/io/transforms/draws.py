"""Random numbers of samples, which depend only on seed, epoch, sample and transform.

A number is determined by a key of the seed, the epoch and the path of the transform
("0.RandomCrop"), by the number of the sample, and by the count of earlier draws of the transform.
It depends neither on the batch with the sample, nor on the thread that draws, nor on the order in
which batches are prepared. The words are those of the library's Philox.
"""

from __future__ import annotations

import functools
import math
import operator
from typing import Any

import numpy as np

from nbgraph.errors import ArgumentError, require_whole
from nbgraph.shape import Array


class Draws:
    """Random numbers for the samples of a batch, a row for each sample.

    Parameters
    ----------
    seed : int
        At least 0.
    epoch : int
        Number of the pass over the data, at least 0.
    index : array of int64, shape (n,)
        Numbers of the samples in their source.
    path : str
        Identifies the transform: different paths have independent numbers.

    >>> a = Draws(0, 0, [5, 6, 7]).uniform()
    >>> b = Draws(0, 0, [7, 5]).uniform()
    >>> bool(a[2] == b[0] and a[0] == b[1])
    True
    """

    __slots__ = ("_count", "epoch", "index", "path", "seed")

    def __init__(self, seed: int, epoch: int, index: Any, path: str = "") -> None:
        self.seed, self.epoch = (
            require_whole("Draws: seed", seed, 0),
            require_whole("Draws: epoch", epoch, 0),
        )
        self.index: Array = np.ascontiguousarray(index, np.int64)
        if self.index.ndim != 1:
            raise ArgumentError(
                f"Draws: index has shape {self.index.shape}; expected one number for each sample"
            )
        self.path = path
        self._count = 0  # earlier draws

    def __len__(self) -> int:
        return len(self.index)

    def __repr__(self) -> str:
        return f"Draws({self.seed}, {self.epoch}, {self.index.tolist()}, path={self.path!r})"

    def child(self, name: str) -> Draws:
        """Return the draws of the transform `name`; each call for one name restarts them."""
        return Draws(self.seed, self.epoch, self.index, f"{self.path}/{name}")

    def again(self) -> Draws:
        """Return the same draws, restarted."""
        return Draws(self.seed, self.epoch, self.index, self.path)

    def take(self, places: Any) -> Draws:
        """Return the draws of some samples of the batch, by indices or a mask."""
        draws = Draws(self.seed, self.epoch, self.index[places], self.path)
        draws._count = self._count
        return draws

    def uniform(self, shape: Any = (), low: float = 0.0, high: float = 1.0) -> Array:
        """Return uniform float32 numbers in [low, high), of shape (n, *shape)."""
        from nbgraph.kernels.draws.uniform import uniform

        out = self._drawn(uniform, ("float32",), shape, (high - low, low))
        if high > low:  # rounding may reach the upper end
            np.minimum(out, np.nextafter(np.float32(high), np.float32(low)), out=out)
        return out

    def normal(self, shape: Any = (), loc: float = 0.0, scale: float = 1.0) -> Array:
        """Return normal float32 numbers, mean `loc`, deviation `scale`, of shape (n, *shape)."""
        from nbgraph.kernels.draws.quantiles import standard

        return self._drawn(standard, ("normal", "float32"), shape, (scale, loc))

    def integers(self, low: int, high: int, shape: Any = ()) -> Array:
        """Return uniform int64 numbers in [low, high), of shape (n, *shape).

        Raises ArgumentError where the range is empty or has more than 2**32 - 1 numbers.
        """
        from nbgraph.kernels.draws.ranges import integers

        low, count = operator.index(low), operator.index(high) - operator.index(low)
        if not 0 < count < 1 << 32:
            raise ArgumentError(
                f"Draws.integers: low={low}, high={high}; expected high > low, and less than "
                "2**32 numbers"
            )
        return self._drawn(integers, ("int64", 1), shape, (low, count))

    def below(self, limits: Any) -> Array:
        """Return uniform int64 numbers in [0, limit), of shape (n, *shape).

        `limits`: one limit, at least 1, for all samples, or an array of limits of the shape of the
        result.
        """
        limits = np.asarray(limits)
        shape = limits.shape[1:]
        if not limits.ndim:
            limits = np.full(len(self), limits)
        # 24 random bits are enough for a choice among positions
        return (self.uniform(shape).astype(np.float64) * limits).astype(np.int64)

    def bernoulli(self, p: float, shape: Any = ()) -> Array:
        """Return bool of shape (n, *shape), each True with probability `p`."""
        return self.uniform(shape) < np.float32(p)

    def order(self) -> Array:
        """Return the indices of the batch's samples in a random order.

        Samples are sorted by a random number of each, so that the order depends only on the set of
        samples in the batch.
        """
        return np.lexsort((self.index, self.uniform()))

    def _drawn(self, make: Any, arguments: tuple[Any, ...], shape: Any, parameters: Any) -> Array:
        from nbgraph.kernels.draws.keyed import fill_rows  # loads the compiler

        extents = (shape,) if isinstance(shape, int) else tuple(shape)
        dtype = np.dtype(arguments[0] if arguments[0] != "normal" else arguments[1])
        out = np.empty((len(self), math.prod(extents)), dtype)
        key = _key(self.seed, self.epoch, self.path)
        if out.size:
            fill_rows(make, arguments, out, self.index, parameters, (*key, self._count))
        self._count += 1
        return out.reshape(len(self), *extents)


@functools.lru_cache(maxsize=256)
def _key(seed: int, epoch: int, path: str) -> tuple[int, int]:
    """Return two words, as int64: the key of all draws of a transform."""
    entropy = (len(path), *path.encode(), epoch, seed)
    low, high = np.random.SeedSequence(entropy).generate_state(2, np.uint64).view(np.int64)
    return int(low), int(high)
