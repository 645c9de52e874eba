"""Plans under test: an instance in memory, in its general form, and rows that record what they see.

A row's output is data of the plan's own, read by the rows that follow it: so the order of rows is
checked as that of jobs is, by what is seen and by the occupancy of the data.
"""

from __future__ import annotations

import dataclasses
from typing import Any

from nbgraph.engine.core import entries, launching, plans, serving
from nbgraph.engine.core import layout as L  # noqa: N812
from nbgraph.engine.core.machine import MACHINE, allocate, store
from nbgraph.kernel_errors import UNFINISHED
from tests.engine.core.bench import Bench

INSIDE = 1 << 49  # where data of plans is said to lie


@dataclasses.dataclass(eq=False)
class Row:
    """A row; `outside` are the outside variables it uses, `writes` among them those it writes."""

    name: str
    after: tuple[int, ...] = ()
    outside: tuple[str, ...] = ()
    changes: tuple[str, ...] = ()
    whole: tuple[str, ...] = ()  # those it overwrites: a failure on them is not a concern of its
    code: int = 0
    kind: int = L.ROW_KERNEL
    late: str = ""  # the outside variable this row acquires
    chunks: int = 1
    range: tuple[int, int] = (0, 1)
    number: int = 0
    names: tuple[str, ...] = ()
    writes: tuple[str, ...] = ()
    loose: bool = False
    early: bool = False
    endless: bool = False  # for all anybody knows: the first call leaves half of the range
    cost: int = 0  # nanoseconds; 0: long
    runs: list[dict[str, Any]] = dataclasses.field(default_factory=list)
    parts: list[tuple[int, int]] = dataclasses.field(default_factory=list)

    def __post_init__(self) -> None:
        if self.endless:
            self.range = (0, 2)

    @property
    def acquires(self) -> bool:
        return self.kind == L.ROW_ACQUIRE


@dataclasses.dataclass(eq=False)
class Plan:
    """A plan with one instance."""

    name: str
    rows: list[Row]
    wide: bool = True
    estimate: int = 0  # nanoseconds of a run by one thread
    serial: bool = True  # whether one thread may interpret it
    pure: bool = False  # its Python rows, too
    instance: int = 0
    own: str = ""  # the variable that keeps the instance's runs apart
    outside: tuple[str, ...] = ()
    bytes: int = 0
    template: int = 0
    variants: list[Plan] = dataclasses.field(default_factory=list)

    def __post_init__(self) -> None:
        self.outside = tuple(dict.fromkeys(n for row in self.rows for n in row.outside))
        self.writes = tuple(n for n in self.outside if any(n in r.changes for r in self.rows))
        self.late = tuple(row.late for row in self.rows if row.late)

    def variant(self, names: dict[str, str]) -> Plan:
        """Runs with other outside variables: of this instance, told apart by a word."""
        rows = [
            dataclasses.replace(
                row,
                outside=tuple(names.get(n, n) for n in row.outside),
                changes=tuple(names.get(n, n) for n in row.changes),
                runs=[],
                parts=[],
            )
            for row in self.rows
        ]
        made = Plan(f"{self.name}'", rows)
        self.variants.append(made)
        return made


def table(words: list[int]) -> int:
    """Words in memory; room for one more."""
    place = allocate(L.WORD * (len(words) + 1))
    for i, value in enumerate(words):
        store(place + L.WORD * i, value)
    return place


def compressed(lists: list[list[int]]) -> tuple[int, int]:
    """Offsets and entries of a list of lists."""
    offsets = [0]
    for entry in lists:
        offsets.append(offsets[-1] + len(entry))
    return table(offsets), table([value for entry in lists for value in entry])


def build(bench: Bench, plan: Plan) -> None:
    """The instance of a plan, and what its rows call."""
    plan.own = f"{plan.name} itself"
    bench.variable(plan.own)
    for row in plan.rows:
        row.number = 1000 + len(bench.jobs)
        bench.jobs[row.number] = row
        bench.place(f"{plan.name}.{row.name}", INSIDE + row.number)
    for variant in (plan, *plan.variants):
        variant.own = plan.own
        for row in variant.rows:
            inside = f"{plan.name}.{row.name}"
            before = (f"{plan.name}.{plan.rows[p].name}" for p in row.after)
            row.names = (*row.outside, *before, inside)
            row.writes = (*row.changes, inside)
    for index, row in enumerate(plan.rows):
        MACHINE.kernels[row.number] = lambda args, lo, hi, i=index: run_row(
            bench, (plan, *plan.variants)[MACHINE.words.get(args, 0)].rows[i], lo, hi
        )
    plan.instance = allocate(L.INSTANCE_BYTES)
    fill(plan)
    bench.instances.append(plan.instance)


def run_row(bench: Bench, row: Row, lo: int, hi: int) -> int:
    """What the kernel of a row does."""
    if not row.endless:
        return bench.body(row, lo, hi)
    if lo == 0:
        bench.body(row, 0, 1)
        return UNFINISHED
    cost, row.cost = row.cost, 0
    try:
        return bench.body(row, 1, 2)
    finally:
        row.cost = cost


def fill(plan: Plan) -> None:
    """All words of the instance."""
    rows, count = plan.rows, len(plan.rows)
    degree = [len(row.after) for row in rows]
    following = [[j for j, r in enumerate(rows) if i in r.after] for i in range(count)]
    uses = [[use_word(plan, i, n) for n in r.outside] for i, r in enumerate(rows)]
    users = [sum(n in r.outside for r in rows) for n in plan.outside]
    offsets, successors = compressed(following)
    use_offsets, use = compressed(uses)
    serial = plan.serial and not any(r.kind for r in rows)
    interpreted = L.PURE if plan.pure else int(serial)
    tickets = sum(r.chunks + 1 for r in rows)
    records = [table([0]) for _ in rows]
    words = {
        L.I_ROWS: count,
        L.I_TABLE: table(
            [w for r, at in zip(rows, records, strict=True) for w in row_words(plan, r, at)]
        ),
        L.I_INDEGREE: table(degree),
        L.I_COUNTERS: table(degree),
        L.I_OFFSETS: offsets,
        L.I_SUCCESSORS: successors,
        L.I_TICKETS: table([0] * tickets),
        L.I_ERRORS: table([0] * count),
        L.I_EXTERNALS: len(plan.outside),
        L.I_REMAINING: table(users),
        L.I_USES: table(users),
        L.I_USE_OFFSETS: use_offsets,
        L.I_USE: use,
        L.I_SERIAL: interpreted,
        L.I_WIDTH: int(plan.wide),
        L.I_LEFT: table([0] * count),
        L.I_NEXT_CHUNK: table([0] * count),
        L.I_CHUNKS: table([1] * count),
        L.I_EXTERNAL_ERRORS: table([0] * 2 * len(plan.outside)),
        L.I_SERIAL_NS: plan.estimate,
        L.I_PARALLEL_NS: plan.estimate,
        L.I_WORDS: 1 if plan.variants else 0,
        L.I_PATCHES: count if plan.variants else 0,
        L.I_PLACES: table([word for record in records for word in (record, 0)]),
    }
    for offset, word in words.items():
        store(plan.instance + offset, word)


def use_word(plan: Plan, index: int, name: str) -> int:
    """What a row's use of an outside variable means for failures."""
    row = plan.rows[index]
    last = name in row.changes and not any(name in r.changes for r in plan.rows[index + 1 :])
    spared = name in row.whole or any(name in r.changes for r in plan.rows[:index])
    return plan.outside.index(name) << L.USE | spared * L.SPARED | last * L.LAST


def row_words(plan: Plan, row: Row, record: int) -> list[int]:
    token = plan.outside.index(row.late) if row.late else row.number
    cost = row.cost or plans.GRAIN * row.chunks * 100
    words = [row.number, record, *row.range, row.kind, row.chunks, cost, token, row.number]
    return [*words, len(row.outside)]


def run_plan(bench: Bench, plan: Plan) -> int:
    """Push a run of the plan. Its ticket."""
    words = plan_words(bench, plan)
    return bench.log_push(plan, lambda: bench.call(entries.submit, *words))


def plan_words(bench: Bench, plan: Plan) -> list[int]:
    slots = [
        bench.variables[n] << 2 | (n in plan.late) << 1 | (n in plan.writes) for n in plan.outside
    ]
    slots.append(bench.variables[plan.own] << 2 | 1)
    words = [bench.core, L.PLAN, 0, plan.instance, 0, 1, L.NO_SKIP, 0, L.NATIVE, 0, 0, 0, 0]
    return [*words, len(slots), *slots]


def prepare_plan(bench: Bench, plan: Plan) -> None:
    """Make the template that `launch_plan` takes."""
    plan.template = bench.call(entries.template, *plan_words(bench, plan))
    MACHINE.words[plan.template + L.O_TOKEN] = 1
    bench.templates += 1


def launch_plan(
    bench: Bench, plan: Plan, which: int = 0, token: int = 0, left: int | None = None
) -> int:
    """Launch a run of the plan, or of one of its variants (from 1 on). Its ticket.

    `left`: the thread runs so many Python rows itself and leaves the next one to the others, which
    begin it again if it has begun.
    """
    runner = 0
    if left is not None:
        assert bench.scheduler.current is not None
        runner = bench.buffers[bench.scheduler.current.name]
    words = [bench.core, plan.template, 0, 0, token, runner]
    run = plan
    if which:
        run = plan.variants[which - 1]
        words += [bench.variables[n] for n in run.outside]
    if plan.variants:
        words.append(which)
    ticket = bench.log_push(run, lambda: bench.call(launching.launch, *words))
    for _ in range(left or 0):
        run_step(bench, runner)
    if runner:
        bench.call(serving.hand_over, bench.core, runner)
    return ticket


def run_step(bench: Bench, runner: int) -> None:
    """Run the Python row that the core has left to the thread, if it has."""
    step = MACHINE.words.get(runner + L.P_STEP, 0)
    if step:
        row = bench.jobs[MACHINE.words[step + L.O_TOKEN]]
        bench.call(serving.call_done, bench.core, step, bench.body(row, *row.range), 0)


def drop_plan(bench: Bench, plan: Plan) -> None:
    """No more launches."""
    bench.call(entries.drop_template, bench.core, plan.template)
