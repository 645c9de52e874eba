"""Elements that are written at index arrays, on the host: by NumPy, in the array's memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from nbgraph.array.copying import copied
from nbgraph.array.core import Array
from nbgraph.device import RunContext
from nbgraph.engine.inline import in_charge
from nbgraph.ops.indexing.keys import numpy_index


class _Assignment:
    """`target[key] = value` as the engine runs it."""

    __slots__ = ("indices", "key", "reads", "target", "value")

    def __init__(self, target: Array, value: Array, indices: Sequence[Array], key: Any) -> None:
        chunk = target._chunk
        operands = [copied(a) if a._chunk is chunk else a for a in (value, *indices)]
        self.target, self.key = target._view(), key
        self.value, *self.indices = (a._view() for a in operands)
        self.reads = [a._chunk for a in operands]

    def __call__(self, run_ctx: RunContext) -> None:
        places = numpy_index("setitem", self.key, self.target.shape, self.indices)
        with np.errstate(invalid="ignore", over="ignore"):  # a cast as in C
            self.target[places] = self.value


def push(array: Array, value: Array, indices: Sequence[Array], key: Any) -> None:
    """Push `array[key] = value`, of a template with index arrays."""
    work = _Assignment(array, value, indices, key)
    in_charge().push(work, const_vars=work.reads, mutate_vars=[array._chunk], name="setitem")
