"""Batches of arrays in an order that depends on a seed and the epoch alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from nbgraph.array.core import Array
from nbgraph.errors import ArgumentError, ShapeError


class Batches:
    """Arrays of one length, cut into batches; each pass over them has an order of its own.

    Parameters
    ----------
    *arrays : NumPy arrays or NDArrays
        Inputs, and what is wanted of them last. NDArrays are copied to the host.
    batch_size : int
    shuffle : bool
        Whether samples come in a random order.
    seed : int
        Of that order, together with the number of the pass.
    last : str
        What becomes of samples that fill no batch: "keep" gives a small one, "drop" leaves them.

    >>> batches = Batches(np.arange(5), batch_size=2, shuffle=False)
    >>> [x.tolist() for (x,) in batches]
    [[0, 1], [2, 3], [4]]
    >>> len(batches), batches.epoch
    (3, 1)
    """

    def __init__(
        self,
        *arrays: Any,
        batch_size: int = 32,
        shuffle: bool = True,
        seed: int = 0,
        last: str = "keep",
    ) -> None:
        if batch_size < 1:
            raise ArgumentError(f"Batches: batch_size={batch_size!r}; expected a number from 1 on")
        if last not in {"keep", "drop"}:
            raise ArgumentError(f"Batches: last={last!r}; expected 'keep' or 'drop'")
        self.arrays = [_on_host(a) for a in arrays]
        self.count = _common_length(self.arrays)
        self.batch_size, self.shuffle, self.seed, self.last = batch_size, shuffle, seed, last
        self.epoch = 0  # of the next pass

    def __len__(self) -> int:
        whole, rest = divmod(self.count, self.batch_size)
        return whole + (rest > 0 and self.last == "keep")

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        order = np.arange(self.count)
        if self.shuffle:
            np.random.default_rng((self.seed, self.epoch)).shuffle(order)
        self.epoch += 1
        for i in range(len(self)):
            chosen = order[i * self.batch_size : (i + 1) * self.batch_size]
            yield tuple([a[chosen] for a in self.arrays])

    def state_dict(self) -> dict[str, Any]:
        """What the order of the next pass depends on."""
        return {"epoch": self.epoch, "seed": self.seed}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Go on with the pass that `state` is of."""
        self.epoch, self.seed = int(state["epoch"]), int(state["seed"])


def _on_host(values: Any) -> np.ndarray[Any, Any]:
    read = getattr(values, "asnumpy", None)
    return np.asarray(values) if read is None else read()


def batches_of(name: str, data: Any, *, shuffle: bool) -> Any:
    """Data as something to iterate over: a tuple or list of arrays is cut into batches of 32."""
    listed = isinstance(data, (tuple, list)) and len(data)
    if listed and all(isinstance(a, (Array, np.ndarray)) for a in data):
        return Batches(*data, shuffle=shuffle)
    if not hasattr(data, "__iter__") or iter(data) is data:
        raise ArgumentError(
            f"{name} is a {type(data).__name__}; expected ng.nn.Batches, arrays (x, y), or another "
            "iterable of batches that can be gone through once an epoch"
        )
    return data


def _common_length(arrays: list[Any]) -> int:
    if not arrays or any(a.ndim == 0 for a in arrays):
        raise ArgumentError("Batches: expected arrays with a first axis, that of samples")
    lengths = {len(a) for a in arrays}
    if len(lengths) > 1:
        raise ShapeError(
            f"Batches: arrays of {' and '.join(map(str, sorted(lengths)))} samples; give arrays of "
            "one length"
        )
    return lengths.pop()
