"""How much faster more cores are: efficiency from 1 core to all that this process may use.

    python -m benchmarks.scaling [chains kernel pushes step] [--cores 1,2,4,8]

Each figure is taken in a process of its own that is pinned to so many cores before anything is
imported, so that engine, BLAS and NumPy see no others. Efficiency is the time on one core over the
time on n, divided by n: 1 is perfect. `pushes` are eager calls from eight threads of Python, which
share the interpreter's lock: what counts there is that the sum does not fall, so its figure is the
calls a second against those of one thread. It takes cores that are idle; the load is printed.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence

from benchmarks.harness import Factor, report

CASES = ("chains", "kernel", "pushes", "step")
ROUNDS = 9
GOALS = ((2, 0.9), (8, 0.9), (16, 0.8))  # up to so many cores, this efficiency


# in the pinned process --------------------------------------------------------------------------


def seconds(call: Callable[[], object]) -> float:
    """Wall seconds of a call: the median of several, after three that are not counted."""
    times: list[float] = []
    for k in range(ROUNDS + 3):
        started = time.perf_counter()
        call()
        if k > 2:
            times.append(time.perf_counter() - started)
    return statistics.median(times)


def chains() -> float:
    """Sixty-four independent chains of twenty kernels, each on 16,384 elements."""
    import numpy as np

    import nbgraph as ng

    heads = [ng.array(np.linspace(-2, 2, 1 << 14, dtype=np.float32)) for _ in range(64)]

    def run() -> None:
        values = heads
        for _ in range(20):
            values = [ng.tanh(x) for x in values]
        ng.waitall()

    return seconds(run)


def kernel() -> float:
    """One kernel over four million elements, bound by arithmetic, in chunks."""
    import numpy as np

    import nbgraph as ng

    wave = ng.op(lambda x: ng.sin(x) * ng.exp(-x * x) + ng.log1p(x * x))
    x = ng.array(np.linspace(-3, 3, 1 << 22, dtype=np.float32))
    out = ng.zeros(x.shape)

    def run() -> None:
        wave(x, out=out)
        out.wait_to_read()

    return seconds(run)


def pushes() -> float:
    """Eager calls on 16 elements by eight threads, an eighth of the work each."""
    import nbgraph as ng

    threads = 8 if len(os.sched_getaffinity(0)) > 1 else 1

    def work() -> None:
        x = ng.zeros(16)
        for _ in range(16_000 // threads):
            x = x + 1.0
        x.wait_to_read()

    def run() -> None:
        workers = [threading.Thread(target=work) for _ in range(threads)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()

    return seconds(run)


def step() -> float:
    """A training step of an MLP (784-512-10, batch 256)."""
    from benchmarks import training

    return seconds(training.function(training.Task("mlp", "sgd")))


# from outside -----------------------------------------------------------------------------------


def pinned(case: str, cores: Sequence[int]) -> float:
    """Return the seconds that a case takes on these cores."""
    listed = ",".join(map(str, cores))
    command = [sys.executable, "-m", "benchmarks.scaling", "--measure", case, "--on", listed]
    threads = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"), str(len(cores)))
    child = subprocess.run(
        command, env={**os.environ, **threads}, capture_output=True, text=True, check=False
    )
    if child.returncode:
        raise RuntimeError(f"{case} on {len(cores)} cores failed:\n{child.stderr}")
    return float(child.stdout.split()[-1])


def rows(cases: Sequence[str], counts: Sequence[int]) -> Iterator[Factor]:
    """Yield the efficiency of each case on so many cores."""
    cores = sorted(os.sched_getaffinity(0))
    for case in cases:
        alone = pinned(case, cores[:1])
        for n in counts:
            ratio = alone / pinned(case, cores[:n])
            shared = case == "pushes"
            goal = 1.0 if shared else next((g for most, g in GOALS if n <= most), 0.0)
            yield Factor(f"{case}, {n} cores", ratio if shared else ratio / n, goal)
    print(f"load {os.getloadavg()[0]:.2f}")


def main() -> int:
    """Measure what the command line names."""
    have = len(os.sched_getaffinity(0))
    steps = [n for n in (2, 4, 8, 16, 32, 64) if n <= have]
    parser = argparse.ArgumentParser()
    parser.add_argument("cases", nargs="*", choices=[*CASES, []], default=[])
    parser.add_argument("--cores", default=",".join(map(str, steps)))
    parser.add_argument("--measure", choices=CASES)
    parser.add_argument("--on", default="")
    asked = parser.parse_args()
    if asked.measure:
        os.sched_setaffinity(0, {int(c) for c in asked.on.split(",")})
        print(globals()[asked.measure]())
        return 0
    return report(rows(asked.cases or CASES, [int(n) for n in asked.cores.split(",") if n]))


if __name__ == "__main__":
    raise SystemExit(main())
