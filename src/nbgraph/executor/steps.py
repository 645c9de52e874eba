"""The pushes of an executor: the steps of each program's plan, as a table."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from nbgraph.array.issue import DeviceCall, DeviceInstance
from nbgraph.engine.core.codes import GRAIN, MOST_CHUNKS
from nbgraph.engine.native_call import NativeCall
from nbgraph.engine.plan import Step
from nbgraph.executor.compiled import root
from nbgraph.executor.program import Program
from nbgraph.graph.schedule import Task, Value
from nbgraph.picture import Report, columns, escape, html_table

_HEAD = ("step", "does", "reads", "writes", "chunks", "estimated ns", "after")


@dataclass(frozen=True, slots=True)
class StepRow:
    """A step: a kernel, or a Python function.

    `writes`: names with requests. `chunks`: parts it may be cut into. `estimate`: nanoseconds, 0
    for functions, of which nothing is known. `after`: steps it waits for.
    """

    number: int
    name: str
    does: str
    reads: tuple[str, ...]
    writes: tuple[str, ...]
    chunks: int
    estimate: int
    after: tuple[int, ...]

    def cells(self) -> tuple[str, ...]:
        """Return the row as text."""
        return (
            f"{self.number} {self.name}",
            self.does,
            ", ".join(self.reads),
            ", ".join(self.writes),
            str(self.chunks),
            str(self.estimate or ""),
            ", ".join(map(str, self.after)),
        )


class Steps(Report):
    """The result of `exe.plan()`: `by_program`, rows for each program; a table when printed.

    `interim`: of programs that another form stands in for, which, and why. `graphs`: of programs on
    GPUs, how many of their steps each of the CUDA graphs holds that their runs have left.
    """

    title = "plan"

    def __init__(
        self,
        by_program: Mapping[str, tuple[StepRow, ...]],
        interim: Mapping[str, str],
        graphs: Mapping[str, list[int]],
    ) -> None:
        self.by_program, self.interim, self.graphs = dict(by_program), dict(interim), dict(graphs)

    def to_dict(self) -> dict[str, Any]:
        """Return rows by program, as plain values."""
        return {name: [asdict(row) for row in rows] for name, rows in self.by_program.items()}

    def sections(self) -> list[tuple[str, str]]:
        """Return headings and texts, in order."""
        return [
            (head, columns([_HEAD, *rows]) if rows else "nothing to do")
            for head, rows in self._tables()
        ]

    def _repr_html_(self) -> str:
        parts = [
            f"<div><b>{escape(head)}</b></div>"
            + (html_table(_HEAD, rows) if rows else "<div>nothing to do</div>")
            for head, rows in self._tables()
        ]
        return f'<div class="nbgraph"><code>{self.title}</code>{"".join(parts)}</div>'

    def _tables(self) -> list[tuple[str, list[tuple[str, ...]]]]:
        """Return a heading and the cells of the rows of each program."""
        return [
            (
                ", ".join(filter(None, [name, self.interim.get(name), self._captured(name)])),
                [row.cells() for row in rows],
            )
            for name, rows in self.by_program.items()
        ]

    def _captured(self, name: str) -> str:
        counts = self.graphs.get(name)
        if counts is None:
            return ""
        steps = f"{sum(counts)} of {len(self.by_program[name])} steps"
        return f"{steps} in {len(counts)} CUDA graph{'s' * (len(counts) != 1)}"


def steps(programs: Mapping[str, Program]) -> Steps:
    """Return the steps of these programs."""
    return Steps(
        {name: _rows(program) for name, program in programs.items()},
        {name: program.interim for name, program in programs.items() if program.interim},
        {
            name: program.instance.captured
            for name, program in programs.items()
            if isinstance(program.instance, DeviceInstance)
        },
    )


def _rows(program: Program) -> tuple[StepRow, ...]:
    plan = program.plan
    if plan is None:
        return ()
    tasks = itertools.zip_longest(program.compiled.tasks, plan.steps)  # None: of an optimizer
    return tuple(
        _row(k, task, step, tuple(sorted(before)))
        for k, ((task, step), before) in enumerate(zip(tasks, plan.predecessors, strict=True))
    )


def _row(number: int, task: Task | None, step: Step, after: tuple[int, ...]) -> StepRow:
    run = step.run
    native = isinstance(run, NativeCall)
    kernel = native or isinstance(run, DeviceCall)
    reads = task.reads if task is not None else ()
    writes = zip(task.writes, task.requests, strict=True) if task is not None else ()
    return StepRow(
        number,
        step.label,
        f"kernel {_kernel(task, step)}" if kernel else f"function {getattr(run, '__name__', '')}",
        tuple(dict.fromkeys(label(value) for value in reads)),
        tuple(f"{label(value)} ({request.name})" for value, request in writes),
        _chunks(step) if native else 1,
        run.cost if native else 0,
        after,
    )


def _kernel(task: Task | None, step: Step) -> str:
    if task is None:
        return step.label
    return getattr(getattr(task.work, "op", None), "__name__", task.name)


def _chunks(step: Step) -> int:
    run: Any = step.run
    most = step.chunks or (MOST_CHUNKS if run.cost >= 2 * GRAIN else 1)
    return max(1, min(most, MOST_CHUNKS, run.hi - run.lo))


def label(value: Value) -> str:
    """Return a value's name, with the value whose memory it took over."""
    over = root(value)
    return value.name if over is value else f"{value.name} over {over.name}"
