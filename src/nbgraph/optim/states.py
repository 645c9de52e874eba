"""The states that an optimizer keeps for a parameter, and the number of its steps."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from nbgraph.array.copying import copy_of, fill_from, filled
from nbgraph.array.core import Array
from nbgraph.array.create import array
from nbgraph.errors import ArgumentError, ShapeError, require_shape
from nbgraph.operator.layout import layout


class Clock:
    """The number of steps of parameters that have always been updated together.

    `count`: the steps requested. `done`: those that were not skipped, as an array of shape (), as
    the host does not wait for it; None while none can have been skipped.
    """

    __slots__ = ("count", "done")

    def __init__(self, count: int = 0, done: Any = None) -> None:
        self.count, self.done = count, done

    def tick(self, go: Any = None) -> None:
        """Count one more step, which is taken where the array `go` is true."""
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
        """Return how many steps were requested and how many were taken; wait for them."""
        return self.count, self.count if self.done is None else int(self.done.item())

    @classmethod
    def of(cls, count: int, done: int) -> Clock:
        """Return a clock with the counts that `settled` returned."""
        return cls(count, None if done == count else array(np.float64(done)))


def together(clocks: dict[str, Clock], keys: Iterable[str]) -> dict[Clock, Clock]:
    """Give `keys`, which are about to take a step, clocks that no other key shares.

    Returns a dict from their old clocks to the new ones; a clock stays the same if all of its keys
    are among `keys`.

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
    """The states of one parameter by name; `master`: a weight of 16 bits, in float32.

    `weight` and `grad`: the array, and the layout of its gradient, that passed the last check.
    `seen`: the weight's memory, and how often it had been written when it last agreed with the
    master; None: the master holds, whatever the weight is.
    """

    __slots__ = ("arrays", "dtype", "grad", "master", "seen", "shape", "weight")

    def __init__(self, weight: Array, initial: Mapping[str, float], *, master: bool) -> None:
        self.shape, self.dtype = weight.shape, weight.dtype
        self.weight: Any = None
        self.grad: Any = None
        narrow = master and weight.dtype.itemsize == 2
        dtype = np.dtype("float32") if narrow else weight.dtype
        own = layout(weight.shape, dtype)
        self.arrays = {name: filled(own, weight.device, value) for name, value in initial.items()}
        self.master = copy_of(weight, dtype) if narrow else None
        self.seen: Any = (weight._chunk, weight._chunk.writes)

    def require(self, name: str, key: str, weight: Array) -> None:
        """Raise ShapeError where the parameter differs from that of the states."""
        if weight.shape != self.shape or weight.dtype != self.dtype:
            raise ShapeError(
                f"{name}: the parameter {key!r} is {weight.dtype}{list(weight.shape)}, its states "
                f"are of {self.dtype}{list(self.shape)}; use another name, or a new optimizer"
            )

    def knows(self, weight: Any, grad: Any) -> bool:
        """Return whether these have passed the last check and need no other."""
        variable = weight._chunk
        return (
            weight is self.weight
            and grad.__class__ is weight.__class__
            and grad._layout is self.grad
            and grad._chunk is not variable
            and not variable.locked
            and not variable.leases
        )

    def follow(self, weight: Array) -> None:
        """Copy the master from the weight again if other code has written the weight."""
        if self.master is None:
            return
        if self.seen is not None and self.seen != (weight._chunk, weight._chunk.writes):
            fill_from(self.master, weight)

    def wrote(self, weight: Array) -> None:
        """Record that a step has written the weight."""
        weight._chunk.writes += 1
        self.seen = (weight._chunk, weight._chunk.writes)

    @property
    def all(self) -> dict[str, Any]:
        """States by name, the master among them."""
        return self.arrays if self.master is None else {**self.arrays, MASTER: self.master}

    def load(self, name: str, key: str, values: Mapping[str, Any]) -> None:
        """Copy these arrays into the states; raise where names or shapes differ."""
        mine = self.all
        if set(values) != set(mine):
            raise ArgumentError(
                f"{name}.load_state_dict: {key!r} has the states {', '.join(sorted(values))}; "
                f"expected {', '.join(sorted(mine))}: was it written by another optimizer, or with "
                "other options?"
            )
        for part, value in values.items():
            label = f"{name}.load_state_dict: {part!r} of {key!r}"
            require_shape(label, value.shape, self.shape, of="the parameter has")
            fill_from(mine[part], array(value))
        self.seen = None
