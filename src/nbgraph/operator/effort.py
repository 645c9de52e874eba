"""Bytes and operations of a kernel call, for profiles."""

from __future__ import annotations

from collections.abc import Sequence

from nbgraph.kernels import cost
from nbgraph.kernels.loops import Loop
from nbgraph.operator.kernel_call import KernelCall
from nbgraph.operator.layout import Layout


def bytes_of(layouts: Sequence[Layout]) -> int:
    """Return the bytes of arrays that are read or written once."""
    return sum(own.size * own.dtype.itemsize for own in layouts)


def operations_of(call: KernelCall, layouts: Sequence[Layout]) -> int | None:
    """Return how many operations a loop over a scalar graph does; None for other kernels.

    `layouts`: of all arrays; the largest of them says how many elements there are.
    """
    loop = getattr(call.code, "loop", None)
    if not isinstance(loop, Loop):
        return None
    return cost.operations(loop) * max([own.size for own in layouts], default=0)
