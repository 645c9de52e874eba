"""A kernel over NumPy arrays that lie in a certain way, as often as it is asked for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from nbgraph.operator import parallel
from nbgraph.shape import address

if TYPE_CHECKING:
    from nbgraph.kernels.blas import Routine
    from nbgraph.kernels.kernel import Kernel


class Ready(NamedTuple):
    """All of a call but the arrays. The record: `head`, the addresses of the arrays in this
    `order`, `tail`."""

    code: Kernel | Routine
    head: tuple[int, ...]
    order: tuple[int, ...]
    tail: tuple[int, ...]
    size: int  # of the iteration space
    cost: int  # nanoseconds, roughly

    def run(self, arrays: Sequence[np.ndarray[Any, Any]]) -> None:
        """Run it over operands and results."""
        addresses = [address(arrays[k]) for k in self.order]
        record = np.array([*self.head, *addresses, *self.tail], np.int64)
        parallel.run(self.code, record, self.size, self.cost, arrays)
