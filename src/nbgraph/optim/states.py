"""What an optimizer keeps for a parameter: its states, and how many steps it has taken."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from nbgraph.array.copying import copy_of, fill_from, filled
from nbgraph.array.core import Array
from nbgraph.array.create import array
from nbgraph.errors import ArgumentError, ShapeError
from nbgraph.operator.layout import layout


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


MASTER = "master"


class State:
    """States of one parameter by name; `master`: its weight in float32, where itself has 16 bits.

    `weight` and `grad` are the array and the layout of a gradient that were last found to be right.
    `seen` is how often the weight's memory had been written when the master was last taken from
    it or written to it, with that memory; None: the master is right whatever the weight says.
    """

    __slots__ = ("arrays", "dtype", "grad", "master", "seen", "shape", "weight")

    def __init__(self, weight: Array, initial: Mapping[str, float], *, master: bool) -> None:
        self.shape, self.dtype = weight.shape, weight.dtype
        self.weight: Any = None
        self.grad: Any = None
        narrow = master and weight.dtype.itemsize == 2
        held = np.dtype("float32") if narrow else weight.dtype
        own = layout(weight.shape, held)
        self.arrays = {name: filled(own, weight.device, value) for name, value in initial.items()}
        self.master = copy_of(weight, held) if narrow else None
        self.seen: Any = (weight._chunk, weight._chunk.writes)

    def require(self, name: str, key: str, weight: Array) -> None:
        """ShapeError where the parameter is not the one the states were made for."""
        if weight.shape != self.shape or weight.dtype != self.dtype:
            raise ShapeError(
                f"{name}: the parameter {key!r} is {weight.dtype}{list(weight.shape)}, its states "
                f"are of {self.dtype}{list(self.shape)}; use another name, or a new optimizer"
            )

    def knows(self, weight: Any, grad: Any) -> bool:
        """Whether nothing has to be checked again."""
        held = weight._chunk
        return (
            weight is self.weight
            and grad.__class__ is weight.__class__
            and grad._layout is self.grad
            and grad._chunk is not held
            and not held.locked
            and not held.leases
        )

    def follow(self, weight: Array) -> None:
        """Take the master from the weight again if somebody else has written that."""
        if self.master is None:
            return
        if self.seen is not None and self.seen != (weight._chunk, weight._chunk.writes):
            fill_from(self.master, weight)

    def wrote(self, weight: Array) -> None:
        """A step has written the weight."""
        weight._chunk.writes += 1
        self.seen = (weight._chunk, weight._chunk.writes)

    @property
    def all(self) -> dict[str, Any]:
        """States by name, the master among them."""
        return self.arrays if self.master is None else {**self.arrays, MASTER: self.master}

    def load(self, name: str, key: str, given: Mapping[str, Any]) -> None:
        """Take copies of these arrays for states."""
        mine = self.all
        if set(given) != set(mine):
            raise ArgumentError(
                f"{name}.load_state_dict: {key!r} has the states {', '.join(sorted(given))}; "
                f"expected {', '.join(sorted(mine))}: was it written by another optimizer, or with "
                "other options?"
            )
        for part, value in given.items():
            if value.shape != self.shape:
                raise ShapeError(
                    f"{name}.load_state_dict: {part!r} of {key!r} has shape {value.shape}; the "
                    f"parameter has {self.shape}"
                )
            fill_from(mine[part], array(value))
        self.seen = None
