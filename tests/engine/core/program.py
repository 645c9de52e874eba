"""What a program for a core is, and the register of them."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

from tests.engine.core.audit import audit
from tests.engine.core.bench import Bench
from tests.engine.core.jobs import Job
from tests.engine.core.reference import check
from tests.engine.core.scheduler import Scheduler


@dataclasses.dataclass(frozen=True)
class Program:
    """A program: `build` sets a bench up and adds its threads."""

    build: Callable[[Bench], None]
    alarms: bool = False  # whether time-outs and signals come at any moment
    pending: int = 1000
    held: int = 1 << 40

    @property
    def name(self) -> str:
        return self.build.__name__

    def __call__(self, scheduler: Scheduler) -> Callable[[], None]:
        bench = Bench(scheduler, pending=self.pending, held=self.held)
        self.build(bench)
        bench.ending()

        def judge() -> None:
            check(bench)
            audit(bench)

        return judge


PROGRAMS: dict[str, Program] = {}


def program(**options: object) -> Callable[[Callable[[Bench], None]], Callable[[Bench], None]]:
    def note(build: Callable[[Bench], None]) -> Callable[[Bench], None]:
        PROGRAMS[build.__name__] = Program(build, **options)  # type: ignore[arg-type]
        return build

    return note


def chain(*specs: str, **options: object) -> list[Job]:
    """Jobs from short texts: `a b > c` reads a and b and writes c; `!` at the end: it fails."""
    jobs = []
    for number, spec in enumerate(specs):
        reads, _, writes = spec.rstrip("!").partition(">")
        code = 7 if spec.endswith("!") else 0
        name = f"{number}:{spec}"
        jobs.append(Job(name, tuple(reads.split()), tuple(writes.split()), code, **options))
    return jobs
