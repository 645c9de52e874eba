"""What an optimizer keeps for a parameter."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from nbgraph.array.copying import copy_of, fill_from, filled
from nbgraph.array.core import Array
from nbgraph.array.create import array
from nbgraph.array.layout import layout
from nbgraph.errors import ArgumentError, ShapeError

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
