"""Random programs: kernels, Python functions, a lane, templates, plans, waits, from a seed."""

from __future__ import annotations

import random
from collections.abc import Callable

from nbgraph.engine.core import layout as L  # noqa: N812
from tests.engine.core.bench import Bench
from tests.engine.core.jobs import Job
from tests.engine.core.plan_bench import (
    Plan,
    Row,
    build,
    drop_plan,
    launch_plan,
    prepare_plan,
    run_plan,
)
from tests.engine.core.program import Program

Action = Callable[[], object]


class Dice:
    """What a seed decides."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.names = ["a", "b", "c", "d"][: self.random.randint(1, 4)]
        self.pushers = self.random.choice((1, 1, 2))
        self.workers = self.random.choice((0, 1, 1, 2))
        self.lane = self.random.random() < 0.3
        self.python = self.random.random() < 0.5
        self.failing = self.random.choice((0.0, 0.1, 0.3))
        self.plans = self.random.randint(0, 2) if self.pushers == 1 else 0
        self.pending = self.random.choice((2, 3, 1000))
        self.held = self.random.choice((100, 1 << 40))

    def some(self, most: int) -> tuple[str, ...]:
        count = min(len(self.names), self.random.randint(0, most))
        return tuple(self.random.sample(self.names, count))

    def uses(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        writes = self.some(2)
        return tuple(n for n in self.some(3) if n not in writes), writes

    def code(self) -> int:
        return 3 if self.random.random() < self.failing else 0

    def job(self, name: str) -> Job:
        pick = self.random.random
        reads, writes = self.uses()
        job = Job(name, reads, writes, self.code(), bytes=self.random.choice((0, 10, 60)))
        if self.lane and pick() < 0.5:
            job.where = L.FIRST_LANE
        elif self.python and pick() < 0.4:
            job.where = L.PYTHON
        elif pick() < 0.2:
            job.flags, job.cost, job.range = L.SPLITTABLE, 1 << 20, (0, 4)
            job.loose = job.code != 0
        elif pick() < 0.3:
            job.flags = L.SMALL
        if pick() < 0.2:
            job.flags |= L.NO_SKIP
        if pick() < 0.2:
            job.priority = self.random.choice((-1, 1, 2))
        return job

    def plan(self, name: str) -> Plan:
        rows: list[Row] = []
        late = self.random.choice(self.names) if self.random.random() < 0.3 else ""
        if late:
            rows.append(Row(f"{name}.get", late=late, kind=L.ROW_ACQUIRE))
        last: dict[str, int] = {}  # who wrote, and
        users: dict[str, list[int]] = {}  # who used a variable since then: the plan's own order
        for index in range(len(rows), len(rows) + self.random.randint(1, 4)):
            reads, writes = self.uses()
            after = {p for p in range(index) if self.random.random() < 0.3}
            after |= {0} if late in (*reads, *writes) else set()
            after |= {last[n] for n in (*reads, *writes) if n in last}
            after |= {u for n in writes for u in users.get(n, ())}
            for n in (*reads, *writes):
                users.setdefault(n, []).append(index)
            for n in writes:
                last[n], users[n] = index, [index]
            row = Row(f"{name}.{index}", tuple(sorted(after)), (*reads, *writes), writes)
            row.code = self.code()
            if self.python and self.random.random() < 0.3:
                row.kind = L.ROW_PYTHON
            elif self.random.random() < 0.3:
                row.chunks, row.range, row.loose = 3, (0, 3), row.code != 0
            elif self.workers and self.random.random() < 0.2:
                row.endless, row.range = True, (0, 2)
            rows.append(row)
        if late and not any(late in r.outside for r in rows):
            rows.append(Row(f"{name}.use", (0,), (late,)))
        plan = Plan(name, rows, serial=self.random.random() < 0.5)
        plan.estimate = self.random.choice((0, 5, 1 << 30))
        if not self.python and self.random.random() < 0.5:
            others = self.random.sample(self.names, len(self.names))
            plan.variant(dict(zip(self.names, others, strict=True)))
        return plan


def script(b: Bench, dice: Dice, pusher: int, plans: list[Plan]) -> Action:
    """What one pusher does."""
    jobs = [dice.job(f"{pusher}.{i}") for i in range(dice.random.randint(1, 5))]
    again = [dice.job(f"{pusher}.t{i}") for i in range(dice.random.randint(0, 2))]
    actions: list[Action] = [lambda j=j: b.submit(j) for j in jobs]
    actions += [lambda j=j: b.push(j) for j in again for _ in range(2)]
    actions += [lambda p=p: run_plan(b, p) for p in plans if not p.variants for _ in range(2)]
    actions += [
        lambda p=p, i=i: launch_plan(b, p, i % (len(p.variants) + 1))
        for p in plans
        for i in range(2)
    ]
    waits = dice.random.choices([*dice.names, ""], k=dice.random.randint(0, 2))
    actions += [lambda n=n: b.wait_variable(n) if n else b.wait_all() for n in waits]
    dice.random.shuffle(actions)

    def run() -> None:
        for job in again:
            b.prepare(job)
        for plan in plans:
            prepare_plan(b, plan)
        for action in actions:
            action()
        for job in again:
            b.drop(job)
        for plan in plans:
            drop_plan(b, plan)
        for _ in range(2):
            b.wait_all()

    return run


def random_program(seed: int) -> Program:
    """The program of a seed."""
    dice = Dice(seed)

    def build_it(b: Bench) -> None:
        dice = Dice(seed)
        b.variable(*dice.names)
        plans = [dice.plan(f"plan{i}") for i in range(dice.plans)]
        for plan in plans:
            build(b, plan)
        for number in range(dice.pushers):
            b.pusher(script(b, dice, number, plans))
        b.worker(dice.workers)
        if dice.python:
            b.python()
        if dice.lane:
            b.lane()

    return Program(build_it, pending=dice.pending, held=dice.held)
