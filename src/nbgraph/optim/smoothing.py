"""Means of weights over the last steps."""

from collections.abc import Generator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np

from nbgraph.array.apply_scalar_op import writable
from nbgraph.array.copying import copy_of, fill_from
from nbgraph.errors import ArgumentError, require_number
from nbgraph.ops.updates import rules
from nbgraph.optim.parameters import named, require_known, require_weight
from nbgraph.optim.rows import Row, Rows, Slot


class Smoothing:
    """An exponentially fading mean of each parameter, which often predicts better than the last
    weights do (Polyak and Juditsky, 1992).

    `update()` after each step: mean = keep * mean + (1 - keep) * weight. With `warm`, the first
    steps keep less: min(keep, (n + 1) / (n + 10)) at the n-th. Nothing waits.

    Parameters
    ----------
    params : dict, list or object with parameters()
        As for optimizers. Means begin with their values, in float32 where those have 16 bits.
    keep : float
        The weight of the mean so far, from 0 on and below 1.

    >>> import nbgraph as ng
    >>> w = ng.array([0.0])
    >>> smooth = Smoothing({"w": w}, 0.75, warm=False)
    >>> w[:] = 4.0
    >>> smooth.update()
    >>> smooth.means["w"]
    array([1.], dtype=float32)
    >>> with smooth.swapped():
    ...     print(w)
    [1.]
    >>> w
    array([4.], dtype=float32)
    """

    def __init__(self, params: Any, keep: float = 0.999, *, warm: bool = True) -> None:
        self.keep = require_number("Smoothing: keep", keep, 0, below=1)
        self.warm, self.count = bool(warm), 0
        self._weights = named("Smoothing", params)
        self.means: dict[str, Any] = {}
        for key, weight in self._weights.items():
            require_weight("Smoothing", key, weight)
            narrow = weight.dtype.itemsize == 2
            self.means[key] = copy_of(weight, np.dtype("float32") if narrow else weight.dtype)
        self._slot = Slot("gain", 0.0)
        pairs = [(self.means[key], weight) for key, weight in self._weights.items() if weight.size]
        self._rows = Rows(
            "smoothing", [Row(rules.averaged, [m, w, self._slot], [m]) for m, w in pairs]
        )

    def update(self) -> None:
        """Update the means by the present weights."""
        n = self.count
        self._slot.value = 1.0 - (min(self.keep, (n + 1) / (n + 10)) if self.warm else self.keep)
        self._rows.run()
        self.count += 1
        for mean in self.means.values():
            mean._chunk.writes += 1

    @contextmanager
    def swapped(self) -> Generator[None]:
        """Let the parameters hold the means within the block."""
        originals = {key: copy_of(weight) for key, weight in self._weights.items()}
        try:
            self._put(self.means)
            yield
        finally:
            self._put(originals)

    def _put(self, values: Mapping[str, Any]) -> None:
        for key, weight in self._weights.items():
            writable("Smoothing", weight, repr(key))
            fill_from(weight, values[key])
            weight._chunk.writes += 1

    def state_dict(self) -> dict[str, Any]:
        """Return the means and the count, for `load_state_dict`."""
        return {
            "count": self.count,
            "means": {key: copy_of(mean) for key, mean in self.means.items()},
        }

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Continue from a state; raise ArgumentError where it is of other parameters."""
        require_known("Smoothing.load_state_dict", "means", self.means, state["means"])
        missing = [key for key in self.means if key not in state["means"]]
        if missing:
            raise ArgumentError(
                f"Smoothing.load_state_dict: there is no mean of {missing[0]!r}; expected one of "
                "each parameter"
            )
        for key, mean in state["means"].items():
            fill_from(self.means[key], mean)
        self.count = int(state["count"])
