"""Temporary space: scratch memory, one per device and copy, which grows to the largest request."""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from nbgraph.device import Context
from nbgraph.dtype import as_dtype
from nbgraph.engine import Variable, current
from nbgraph.engine.properties import FnProperty
from nbgraph.engine.thread import here
from nbgraph.errors import ShapeError
from nbgraph.storage import Memory, allocate
from nbgraph.storage.sizes import rounded


class Space:
    """A growing memory and its variable; functions that mutate the variable may use the memory."""

    __slots__ = ("_memory", "asks", "device", "grown", "name", "variable")

    def __init__(self, device: Context, name: str) -> None:
        self.device = device
        self.name = name
        self.variable: Variable = current().new_variable(name, immune=True)
        self._memory: Memory | None = None
        self.asks = self.grown = 0

    @property
    def nbytes(self) -> int:
        """Its present size in bytes."""
        return 0 if self._memory is None else self._memory.nbytes

    def get(self, shape: Any, dtype: Any) -> np.ndarray[Any, Any]:
        """Return an uninitialised C-contiguous array in it."""
        extents = _shape(shape)
        of = as_dtype(dtype)
        nbytes = math.prod(extents) * of.itemsize
        self.asks += 1
        memory = self._memory
        if memory is None or memory.nbytes < nbytes:
            # the smaller one is freed first, so that both never exist at once
            memory = self._memory = None
            memory = self._memory = allocate(rounded(nbytes), self.device)
            self.grown += 1
        return memory.owner[:nbytes].view(of).reshape(extents)

    def drop(self) -> None:
        """Release the memory once nothing uses it; the next `get` allocates some again."""
        if self._memory is None:
            return

        def empty(run_ctx: object) -> None:
            self._memory = None

        engine = current()
        engine.push(
            empty, mutate_vars=[self.variable], name="drop temporary space", prop=FnProperty.NO_SKIP
        )
        if here.running is None:  # a function may not wait
            engine._flush()
            engine._wait_variable(self.variable, None)

    def after_fork(self) -> None:
        """Take a new variable in a child: the thread that used the space is in the parent."""
        self.variable = current().new_variable(self.name, immune=True)


def _shape(shape: Any) -> tuple[int, ...]:
    try:
        extents_of: Sequence[Any] = shape if isinstance(shape, (tuple, list)) else (shape,)
        extents = tuple(operator.index(n) for n in extents_of)
    except TypeError:
        extents = (-1,)
    if any(n < 0 for n in extents):
        raise ShapeError(f"get_space: shape={shape!r}; expected whole numbers from 0")
    return extents
