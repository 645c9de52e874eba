"""How many steps a parameter has taken: a number, or an array where steps may be skipped."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from nbgraph.array.create import array


class Clock:
    """Steps of parameters that have been updated together so far.

    `count` is how many were asked for. `done`: how many were not skipped, as an array of shape (),
    as soon as one might have been: the host does not wait to see.
    """

    __slots__ = ("count", "done")

    def __init__(self, count: int = 0, done: Any = None) -> None:
        self.count, self.done = count, done

    def tick(self, go: Any = None) -> None:
        """One more step, that is taken where the array `go` is true."""
        if go is not None:
            done = array(np.float64(self.count)) if self.done is None else self.done
            self.done = done.to_device(go.device) + go
        elif self.done is not None:
            self.done = self.done + 1.0
        self.count += 1

    @property
    def steps(self) -> Any:
        """The number of steps taken, a float or an array."""
        return float(self.count) if self.done is None else self.done

    def settled(self) -> tuple[int, int]:
        """Steps asked for and steps taken; waits."""
        return self.count, self.count if self.done is None else int(self.done.item())

    @classmethod
    def of(cls, count: int, done: int) -> Clock:
        """What `settled` gave."""
        return cls(count, None if done == count else array(np.float64(done)))


def together(clocks: dict[str, Clock], keys: Iterable[str]) -> dict[Clock, Clock]:
    """Give `keys`, which are about to take a step, clocks that no other key has.

    Returns each clock that they had with the one that takes its place, which is itself if all of
    its keys are among `keys`.

    >>> one = Clock(3)
    >>> clocks = {"a": one, "b": one}
    >>> moved = together(clocks, ["a"])
    >>> clocks["b"] is one, clocks["a"] is one, clocks["a"].count
    (True, False, 3)
    """
    going = set(keys)
    if len(going) == len(clocks):
        return {clock: clock for clock in clocks.values()}
    stay = {clock for key, clock in clocks.items() if key not in going}
    moved: dict[Clock, Clock] = {}
    for key in going:
        old = clocks[key]
        if old not in moved:
            moved[old] = Clock(old.count, old.done) if old in stay else old
        clocks[key] = moved[old]
    return moved
