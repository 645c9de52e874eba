"""Several implementations of one operator: the fastest is determined in use.

Each of the first calls runs another implementation and is timed, so nothing is computed for the
measurement alone; then the fastest is used. Results are kept by parameters, pass, device, shapes
and dtypes. Implementations must agree up to rounding.
"""

import threading
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

from nbgraph.errors import ArgumentError
from nbgraph.operator.full.operator import Operator
from nbgraph.scopes import forkable

ROUNDS = 3  # measurements per implementation: the first one may compile


class Measured(NamedTuple):
    """The measurements of one case: the chosen implementation (None: undecided), and the least
    nanoseconds of each (None: not measured)."""

    key: Any
    chosen: int | None
    least: tuple[int | None, ...]


class Tuner:
    """A selector of the implementation to run next, for each case.

    >>> ticks = iter(range(0, 1000, 10))
    >>> tuner = Tuner(lambda: next(ticks))
    >>> [tuner.next("case", 2) for _ in range(2)]
    [0, 1]
    """

    def __init__(self, clock: Callable[[], int] = time.perf_counter_ns) -> None:
        self.clock = clock
        self.fixed: int | None = None  # an implementation fixed by the user
        self._times: dict[Any, list[list[int]]] = {}
        self._begun: dict[Any, int] = {}
        self._chosen: dict[Any, int] = {}
        self._lock = forkable(threading.Lock())

    def next(self, key: Any, count: int) -> int:
        """Return the index, below `count`, of the implementation for this call."""
        if self.fixed is not None:
            if self.fixed >= count:
                raise ArgumentError(
                    f"implementation {self.fixed} was asked for, there are {count}; choose one "
                    f"from 0 to {count - 1}, or None"
                )
            return self.fixed
        chosen = self._chosen.get(key)
        if chosen is not None:
            return chosen
        with self._lock:
            begun = self._begun.get(key, 0)
            self._begun[key] = begun + 1
            self._times.setdefault(key, [[] for _ in range(count)])
        return begun % count

    def tell(self, key: Any, index: int, nanoseconds: int) -> None:
        """Record how long a call took."""
        with self._lock:
            times = self._times.get(key)
            if times is None or key in self._chosen:
                return
            times[index].append(nanoseconds)
            if all(len(samples) >= ROUNDS for samples in times):
                least = [min(samples) for samples in times]
                self._chosen[key] = least.index(min(least))

    def measured(self) -> list[Measured]:
        """Return the measurements of all cases."""
        with self._lock:
            return [
                Measured(
                    key,
                    self._chosen.get(key),
                    tuple(min(samples, default=None) for samples in times),
                )
                for key, times in self._times.items()
            ]


class Choice(Operator):
    """Several implementations as one operator.

    `stateful`: an implementation may keep state between its passes, so backward runs the one that
    ran forward.
    """

    def __init__(
        self, candidates: Sequence[Operator], tuner: Tuner, key: Any, *, stateful: bool
    ) -> None:
        self.candidates = tuple(candidates)
        self._tuner, self._key, self._stateful = tuner, key, stateful
        self._last = [0]

    def forward(self, ctx: Any, *arrays: Any, **named: Any) -> None:
        key = ("forward", ctx.is_train, self._key)
        index = self._last[0] = self._tuner.next(key, len(self.candidates))
        self._timed(key, index, partial(self.candidates[index].forward, ctx, *arrays, **named))

    def backward(self, *arrays: Any, **named: Any) -> None:
        key, last = ("backward", True, self._key), self._last[0]
        index = last if self._stateful else self._tuner.next(key, len(self.candidates))
        self._timed(key, index, partial(self.candidates[index].backward, *arrays, **named))

    def _timed(self, key: Any, index: int, work: Callable[[], Any]) -> Any:
        began = self._tuner.clock()
        result = work()
        self._tuner.tell(key, index, self._tuner.clock() - began)
        return result
