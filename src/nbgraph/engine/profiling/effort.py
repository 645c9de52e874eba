"""The work of a step of a plan, in bytes and operations, and the limits of the machine."""

import functools
import time
from collections.abc import Callable
from typing import NamedTuple

from nbgraph.engine.sites import Site

_COPIED = 1 << 25  # bytes: beyond the caches of most machines
_SIDE = 512  # of the matrices that are multiplied
_REPEATS = 12


class Effort(NamedTuple):
    """The work of a step: names of operators, their lines of user code, bytes moved, operations.

    An addition, a multiplication, a comparison and a call of `exp` count one each; `operations` is
    None where they are not counted.
    """

    operators: tuple[str, ...] = ()
    lines: tuple[Site, ...] = ()
    nbytes: int = 0
    operations: int | None = None


class Limits(NamedTuple):
    """Maximum rates of memory and arithmetic: bytes and operations (float32) per second."""

    bandwidth: float
    peak: float

    def least(self, effort: Effort) -> float:
        """Return the least seconds that a step needs under these limits."""
        return max(effort.nbytes / self.bandwidth, (effort.operations or 0) / self.peak)

    def bound(self, effort: Effort) -> str:
        """Return which of the two limits a step meets first."""
        memory = effort.nbytes / self.bandwidth
        return "arithmetic" if (effort.operations or 0) / self.peak > memory else "memory"


@functools.cache
def limits() -> Limits:
    """Measure both limits, once in a process: a large copy, and a product of matrices by NumPy.

    Takes some 0.2 s. On a busy machine the figures are lower.
    """
    import numpy as np  # the engine itself has no arrays

    source = np.ones(_COPIED // 8)
    target = np.empty_like(source)
    a = np.ones((_SIDE, _SIDE), "float32")
    product = np.empty_like(a)
    copying = _fastest(lambda: np.copyto(target, source))
    multiplying = _fastest(lambda: np.matmul(a, a, out=product))
    return Limits(2 * _COPIED / copying, 2 * _SIDE**3 / multiplying)


def _fastest(run: Callable[[], object]) -> float:
    """Return the least of several times, in seconds."""
    times: list[float] = []
    for _ in range(_REPEATS):
        started = time.perf_counter()
        run()
        times.append(time.perf_counter() - started)
    return min(times)
