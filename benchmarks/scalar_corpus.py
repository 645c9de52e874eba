"""Scalar functions as people write them, against numba.vectorize of the same text.

    python -m benchmarks.scalar_corpus                # everything, both dtypes
    python -m benchmarks.scalar_corpus float64 newton # one dtype, functions whose name has "newton"
    python -m benchmarks.scalar_corpus first          # first calls alone: compile times

Each runs over 100,000 elements on one thread, the result written to an array that exists. The two
take turns within a process, and the least time of each counts. A ratio is Numba's time by ours.
First calls are timed once, in CPU time, without the disk cache. What kernels share is compiled once
on a machine: "cold" includes it where the text is the first that needs it. The derivative's is by
the first operand, and includes deriving it.
numba.vectorize computes float32 operands in float64 where the text holds float literals; nbgraph's
literals are weak, as NumPy's are.
"""

from __future__ import annotations

import gc
import math
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, TypeVar

import numba
import numpy as np

import nbgraph as ng
from benchmarks.harness import machine
from benchmarks.scalar_texts import CASES, SIZE, Case
from nbgraph.kernels.compiler.kernel import forget_kernels

ROUNDS = 15
LEAST = 0.95  # of Numba's speed, for each function
MEAN = 2.5  # times Numba's speed, over all
SOONER = 4.0  # times as soon as Numba is a first call to be done, over all

Timed = TypeVar("Timed", bound="Result")


@dataclass(frozen=True, slots=True)
class Result:
    """Seconds of one function by both compilers."""

    name: str
    ours: float
    theirs: float

    @property
    def ratio(self) -> float:
        """How many times faster ours is."""
        return self.theirs / self.ours

    def __str__(self) -> str:
        slow = "  SLOWER" if self.ratio < LEAST else ""
        ours, theirs = (seconds / SIZE * 1e9 for seconds in (self.ours, self.theirs))
        return f"{ours:10.2f} ns{theirs:10.2f} ns{self.ratio:8.2f}{slow}"


@dataclass(frozen=True, slots=True)
class First(Result):
    """CPU seconds of first calls, and of the derivative's; NaN where there is none."""

    cold: float
    derivative: float

    def __str__(self) -> str:
        slow = "  SLOWER" if self.ratio < 1.0 else ""
        times = (self.cold, self.ours, self.theirs, self.derivative)
        cold, ours, theirs, slope = (f"{1e3 * s:10.0f} ms" for s in times)
        return f"{cold}{ours}{theirs}{self.ratio:8.2f}{slope}{slow}"


def measure(item: Case, dtype: str) -> Result:
    """The least times of calls in turns."""
    operands = item.operands(dtype)
    ours, theirs = ng.op(item.function), numba.vectorize(item.function)
    calls = [(call, call(*operands)) for call in (ours, theirs)]
    least = [math.inf, math.inf]
    for _ in range(ROUNDS):
        for k, (call, into) in enumerate(calls):
            started = time.thread_time()
            call(*operands, out=into)
            least[k] = min(least[k], time.thread_time() - started)
    return Result(item.name, *least)


def measure_first(item: Case, dtype: str) -> First:
    """The first calls of a function and of its derivative."""
    operands = item.operands(dtype)
    with ng.config(cache_dir=""):
        cold, result = _timed(lambda: ng.op(item.function)(*operands))
        forget_kernels()
        ours, _ = _timed(lambda: ng.op(item.function)(*operands))
        theirs, _ = _timed(lambda: numba.vectorize(item.function)(*operands))
        slope = math.nan
        if np.issubdtype(result.dtype, np.floating):
            operand = item.function.__code__.co_varnames[0]
            op = ng.op(item.function)
            slope, _ = _timed(lambda: op.derivative(operand)(*operands))
    return First(item.name, ours, theirs, cold, slope)


def _timed(call: Callable[[], Any]) -> tuple[float, Any]:
    gc.collect()
    gc.disable()  # or one of the two pays for what is there already
    started = time.process_time()
    result = call()
    seconds = time.process_time() - started
    gc.enable()
    return seconds, result


def rows(measured: Callable[[Case, str], Timed], dtypes: list[str], part: str) -> Iterator[Timed]:
    """The results of functions whose name has `part`, printed as they come."""
    for dtype in dtypes:
        for item in CASES:
            if part in item.name:
                result = measured(item, dtype)
                print(f"{item.name:26}{dtype:9}{result}", flush=True)
                yield result


def first(dtypes: list[str], part: str) -> int:
    """Print the first calls; the number of functions that Numba compiles sooner."""
    heads = f"{'cold':>13}{'ours':>13}{'Numba':>13}{'ratio':>8}{'derivative':>13}"
    print(f"{'':35}{heads}")
    _warm()
    results = list(rows(measure_first, dtypes, part))
    slower = [r for r in results if r.ratio < 1.0]
    mean = statistics.geometric_mean(r.ratio for r in results)
    print(
        f"{len(slower)} of {len(results)} later than Numba; geometric mean {mean:.2f} "
        f"(wanted {SOONER}), least {min(r.ratio for r in results):.2f}"
    )
    cold = [r.theirs / r.cold for r in results]
    print(
        f"cold: {sum(r < 1.0 for r in cold)} later, geometric mean "
        f"{statistics.geometric_mean(cold):.2f}, least {min(cold):.2f}"
    )
    slopes = [r.derivative for r in results if not math.isnan(r.derivative)]
    if slopes:
        print(f"derivatives: median {statistics.median(slopes):.2f} s, most {max(slopes):.2f} s")
    return len(slower)


def _warm() -> None:
    """What the first function of a process pays for all."""

    def text(x):
        return x / (1.0 + x * x)

    for call in (ng.op(text), numba.vectorize(text), ng.op(text).derivative("x")):
        call(np.ones(8))


def main(arguments: list[str]) -> int:
    """Print everything; the number of functions slower than Numba's."""
    dtypes = [a for a in arguments if a.startswith("float")] or ["float64", "float32"]
    words = [a for a in arguments if not a.startswith("float")]
    part = next((a for a in words if a != "first"), "")
    print(machine())
    if "first" in words:
        return first(dtypes, part)
    print(f"{'':35}{'ours':>13}{'Numba':>13}{'ratio':>8}")
    results = list(rows(measure, dtypes, part))
    slower = [r for r in results if r.ratio < LEAST]
    mean = statistics.geometric_mean(r.ratio for r in results)
    print(
        f"{len(slower)} of {len(results)} below {LEAST}; geometric mean {mean:.2f} (wanted {MEAN})"
    )
    return len(slower)


if __name__ == "__main__":
    ng.engine.set("naive")  # one thread
    raise SystemExit(main(sys.argv[1:]))
