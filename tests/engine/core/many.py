"""Programs for many simulated processors, and how well they are used.

    python -m tests.engine.core.many [plan chains pushes] [--threads 1,8,64]

An efficiency is the time in kernels by the time that all threads have had. The second line of a
program is the share of that time in which threads waited for the core's lock.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable

from nbgraph.engine.core import entries
from nbgraph.engine.core import layout as L  # noqa: N812
from tests.engine.core.bench import Bench
from tests.engine.core.calls import DATA
from tests.engine.core.clock import Clock
from tests.engine.core.jobs import Job
from tests.engine.core.plan_bench import Plan, Row, build, run_plan

PYTHON = 500  # nanoseconds from one push of a pusher to its next
PAUSES = 200  # before a thread parks


class Many(Bench):
    """A bench without records of what is seen, which would cost more than the rest."""

    def body(self, job: object, lo: int = 0, hi: int = 1) -> int:
        self.scheduler.point("kernel", DATA + job.number)  # type: ignore[attr-defined]
        return 0


Program = Callable[[Many, Clock, int], None]


def simulated(threads: int, program: Program) -> Clock:
    """Run a program on so many processors."""
    clock = Clock()
    bench = Many(clock, pending=100_000)
    bench.set(L.SPIN, PAUSES)
    program(bench, clock, threads)
    bench.ending()
    clock.run()
    return clock


def efficiency(clock: Clock, threads: int) -> float:
    """Return the share of all threads' time that was spent in kernels."""
    return sum(clock.busy.values()) / (clock.end - clock.began) / threads


def plan(cost: int, rows: int, *, chained: bool) -> Program:
    """Rows of so many nanoseconds, so many for each thread; in chains, one for each, or alone.

    What is measured is the second run: words are in caches then.
    """

    def program(b: Many, clock: Clock, threads: int) -> None:
        first = threads if chained else rows * threads
        after = [(i - threads,) if i >= first else () for i in range(rows * threads)]
        p = Plan("p", [Row(f"r{i}", a, cost=cost) for i, a in enumerate(after)], serial=False)
        build(b, p)
        clock.costs |= {DATA + row.number: cost for row in p.rows}

        def script() -> None:
            b.wait(run_plan(b, p))
            clock.begin()
            b.wait(run_plan(b, p))

        b.pusher(script)
        b.worker(threads - 1)

    return program


def pushes(cost: int, count: int, pushers: int) -> Program:
    """Kernels pushed one by one, each to a variable of its own, so many for each worker."""

    def program(b: Many, clock: Clock, threads: int) -> None:
        for number in range(pushers):
            names = [f"v{number}.{i}" for i in range(2 * threads)]
            b.variable(*names)
            jobs = [Job(f"{name}!", (), (name,), cost=cost) for name in names]
            pushed = [b.words_of(jobs[k % len(jobs)]) for k in range(count * threads // pushers)]
            clock.costs |= {DATA + job.number: cost for job in jobs}

            def script(pushed: list[list[int]] = pushed) -> None:
                for words in pushed:
                    clock.spend(PYTHON)
                    b.call(entries.submit, *words)
                b.wait(0)

            b.pusher(script)
        b.worker(threads)

    return program


PROGRAMS = {
    **{f"plan of {n} us": plan(1000 * n, 400 // n + 20, chained=False) for n in (2, 5, 20, 100)},
    **{f"chains of {n} us": plan(1000 * n, 400 // n + 20, chained=True) for n in (2, 5, 20)},
    **{f"pushes of {n} us": pushes(1000 * n, 30, 1) for n in (20, 100)},
    **{f"pushes of {n} us by 8": pushes(1000 * n, 30, 8) for n in (20, 100)},
}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("words", nargs="*")
    parser.add_argument("--threads", default="1,2,4,8,16,32,64")
    options = parser.parse_args()
    counts = [int(n) for n in options.threads.split(",")]
    print(f"{'threads':24}", *(f"{n:6}" for n in counts))
    for name, program in PROGRAMS.items():
        if options.words and not any(word in name for word in options.words):
            continue
        clocks = [simulated(n, program) for n in counts]
        runs = [*zip(clocks, counts, strict=True)]
        waits = [sum(c.locking.values()) / (c.end - c.began) / n for c, n in runs]
        print(f"{name:24}", *(f"{efficiency(c, n):6.2f}" for c, n in runs))
        print(f"{'  waiting for the lock':24}", *(f"{share:6.2f}" for share in waits), flush=True)


if __name__ == "__main__":
    main()
