"""What should have happened: the same jobs one after the other, in the order of their numbers."""

from __future__ import annotations

import dataclasses
from typing import Any

from nbgraph.engine.core.layout import C_NEXT, C_RAISED, C_ROW, C_SEQ, CELLS, V_CELL, V_VERSION
from nbgraph.engine.core.machine import MACHINE
from tests.engine.core.bench import Bench
from tests.engine.core.jobs import Event

Failure = tuple[int, int]  # number of the operation, row of a plan + 1


@dataclasses.dataclass
class World:
    """Variables and failures while jobs run one after the other."""

    values: dict[str, Any]
    versions: dict[str, int]
    cells: dict[str, Failure | None]
    raised: dict[Failure, int]
    failures: set[Failure] = dataclasses.field(default_factory=set)
    shown: set[Failure] = dataclasses.field(default_factory=set)
    runs: dict[Any, list[dict[str, Any]]] = dataclasses.field(default_factory=dict)

    def applies(self, failure: Failure | None, sequence: int) -> bool:
        if failure is None:
            return False
        return failure not in self.raised or sequence <= self.raised[failure]


def check(bench: Bench) -> None:
    """Compare a finished bench with its reference."""
    raised = {e.failure: e.sequence for e in bench.events if e.failure}
    shown = [e.failure for e in bench.events if e.failure]
    assert len(shown) == len(set(shown)), f"a failure was raised twice: {shown}"
    names = [*bench.variables, *bench.gone]
    nothing: dict[str, Any] = dict.fromkeys(bench.data)
    world = World(nothing, dict.fromkeys(names, 0), dict.fromkeys(names), raised)
    alone = len(bench.pushers) == 1
    events = bench.events if alone else sorted(bench.events, key=lambda e: e.sequence)
    for event in events:
        if event.kind != "push":
            if alone:
                show(world, event)
        elif hasattr(event.job, "rows"):
            run_plan(world, event.job, event.sequence)
        else:
            run_job(world, event.job, event.sequence)
    compare(bench, world)


def show(world: World, event: Event) -> None:
    """A wait of the only pusher raises the failure a serial run would raise there."""
    if event.kind == "raise_variable":
        expected = world.cells[event.variable]
        if expected in world.shown:
            expected = None
    else:
        expected = min(world.failures - world.shown, default=None)
    assert event.failure == expected, f"{event} should have raised {expected}"
    if expected:
        world.shown.add(expected)


def poison_of(world: World, names: tuple[str, ...], sequence: int) -> Failure | None:
    cells = [world.cells[n] for n in names]
    return min((c for c in cells if c and world.applies(c, sequence)), default=None)


def run_job(world: World, job: Any, sequence: int) -> None:
    poison = None if job.never_skips else poison_of(world, job.names, sequence)
    runs = world.runs.setdefault(job, [])
    if poison is None:
        perform(world, job, runs)
        if job.code:
            poison = (sequence, 0)
            world.failures.add(poison)
    elif sequence in job.on_device:
        perform(world, job, runs)  # it was issued before the poison came, which is allowed
        if job.code:
            world.failures.add((sequence, 0))  # and what it left itself will be told of, too
    for name in job.writes:
        world.cells[name] = poison
        world.versions[name] += 1


def perform(world: World, job: Any, runs: list[dict[str, Any]]) -> None:
    runs.append({name: world.values[name] for name in job.names})
    if not job.code:
        for name in job.writes:
            world.values[name] = (job.name, len(runs))


def run_plan(world: World, plan: Any, sequence: int) -> None:
    """Row after row; a failure goes to later rows that follow, and to what these write."""
    found = {
        name: cell if world.applies(cell := world.cells[name], sequence) else None
        for name in plan.outside
    }
    left: dict[str, Failure | None] = dict.fromkeys(plan.outside)
    errors: list[Failure | None] = []
    for index, row in enumerate(plan.rows):
        before = [errors[p] for p in row.after]
        own = [n for r in plan.rows[:index] for n in r.changes]  # what those found there is known
        before += [found[n] for n in row.outside if n not in row.whole and n not in own]
        failure = min((f for f in before if f), default=None)
        runs = world.runs.setdefault(row, [])
        if failure is None and not row.acquires:
            perform(world, row, runs)
            if row.code:
                failure = (sequence, index + 1)
                world.failures.add(failure)
        errors.append(failure)
        for name in row.outside:
            if failure and name in row.writes:
                left[name] = min(failure, left[name] or failure)
    for name in plan.writes:
        world.cells[name] = left[name]
        world.versions[name] += 1
    world.versions[plan.own] += 1


def compare(bench: Bench, world: World) -> None:
    for job, runs in world.runs.items():
        seen = job.runs
        if job.loose:
            continue
        if not job.writes:  # its runs may come in any order
            seen, runs = sorted(map(repr, seen)), sorted(map(repr, runs))  # noqa: PLW2901
        assert seen == runs, f"{job.name} ran with {seen} instead of {runs}"
        ends = sorted(job.parts)
        size = job.range[1] - job.range[0]
        assert sum(b - a for a, b in ends) == size * len(job.runs), f"{job.name} ran parts {ends}"
    for name, address in bench.variables.items():
        word = MACHINE.words.get
        assert word(address + V_VERSION, 0) == world.versions[name], f"version of {name}"
        assert bench.data[name] == world.values[name], f"value of {name}: {bench.data[name]}"
        cell = word(address + V_CELL, 0)
        failure = (word(cell + C_SEQ, 0), word(cell + C_ROW, 0)) if cell else None
        assert failure == world.cells[name], f"{name} carries {failure}, not {world.cells[name]}"
        if failure:
            assert word(cell + C_RAISED, 0) == world.raised.get(failure, 0)
    assert set(world.raised) <= world.failures, "something was raised that nobody left"
    unseen = world.failures - set(world.raised)
    assert unraised(bench) == sorted(unseen), f"{unraised(bench)} are to be raised, not {unseen}"


def unraised(bench: Bench) -> list[Failure]:
    """The list of failures that nobody was shown."""
    found, cell = [], bench.get(CELLS)
    while cell:
        found.append((MACHINE.words.get(cell + C_SEQ, 0), MACHINE.words.get(cell + C_ROW, 0)))
        cell = MACHINE.words.get(cell + C_NEXT, 0)
    return sorted(found)
