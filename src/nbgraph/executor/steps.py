"""Tables of an executor: the steps of each program's plan, the passes that changed its graph, and
its memory, planned and allocated."""

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from nbgraph.array.core import Array
from nbgraph.array.issue import DeviceCall, DeviceInstance
from nbgraph.engine.core.codes import GRAIN, MOST_CHUNKS
from nbgraph.engine.native_call import NativeCall
from nbgraph.engine.plans.plan import Step
from nbgraph.executor.compiled import root
from nbgraph.executor.pipeline import Stage
from nbgraph.executor.program import Program
from nbgraph.executor.programs import Bound
from nbgraph.graph.schedule import Task, Value
from nbgraph.picture import Report, columns, escape, html_table, sections

_HEAD = ("step", "does", "reads", "writes", "chunks", "estimated ns", "after")


@dataclass(frozen=True, slots=True)
class StepRow:
    """A step: a kernel, or a Python function.

    `writes`: names with requests. `chunks`: the most parts it may be cut into. `estimate`:
    nanoseconds, 0 for functions, as unknown. `after`: numbers of the steps it waits for.
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

    `interim`: descriptions of the interim forms of programs that have one. `graphs`: for programs
    on GPUs, the number of steps in each CUDA graph that their runs have captured.
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
        return {name: [asdict(row) for row in rows] for name, rows in self.by_program.items()}

    def sections(self) -> list[tuple[str, str]]:
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
    """Return a value's name, with that of the value whose memory it took over."""
    over = root(value)
    return value.name if over is value else f"{value.name} over {over.name}"


class Stages(Sequence[Stage]):
    """The passes in order, one program after another; `by_program` has them by program.

    Printing shows the diff of each pass; a notebook shows pictures of both graphs.
    """

    def __init__(self, by_program: Mapping[str, Sequence[Stage]]) -> None:
        self.by_program = {name: tuple(stages) for name, stages in by_program.items()}
        self._all = [stage for stages in self.by_program.values() for stage in stages]

    def __getitem__(self, index: Any) -> Any:
        return self._all[index]

    def __len__(self) -> int:
        return len(self._all)

    def to_dict(self) -> dict[str, list[dict[str, str]]]:
        """Return, for each program, its passes: name, listing before, listing after."""
        return {
            program: [
                {"name": s.name, "before": str(s.before), "after": str(s.after)} for s in stages
            ]
            for program, stages in self.by_program.items()
        }

    def _named(self) -> Iterator[tuple[str, Stage]]:
        for program, stages in self.by_program.items():
            for k, stage in enumerate(stages, 1):
                yield f"{program}: pass {k}, {stage.name}", stage

    def __str__(self) -> str:
        parts = [(head, stage.diff()) for head, stage in self._named()]
        return sections(parts) or "no pass changed anything"

    __repr__ = __str__

    def _repr_html_(self) -> str:
        named = list(self._named())
        parts = [
            f"<details{' open' * (k == len(named))}><summary>{escape(head)}</summary>"
            f"{stage._repr_html_()}</details>"
            for k, (head, stage) in enumerate(named, 1)
        ]
        return "".join(parts) or "<div>no pass changed anything</div>"


@dataclass(frozen=True, slots=True)
class ProgramBytes:
    """Bytes of a program's own values, in an arena that it may share with the program `shares`.

    `naive`: with separate memory for each value; `peak`: the most in use at once, a lower bound for
    any plan; `planned`: the size of the arena; `allocated`: the bytes of the pool's block for it;
    `interim`: a description of the program's form while its kernels are compiled.
    """

    program: str
    naive: int
    peak: int
    planned: int
    allocated: int
    interim: str = ""
    shares: str = ""


class Footprint(Report):
    """The result of `exe.memory()`: a table when printed.

    `programs`: ProgramBytes of each; `arrays`: bytes of the arrays that programs share, by their
    role: "arguments", "states", "outputs", "gradients", "output gradients" and "constants". Shared
    memory is counted once, at its first role. Residuals lie in the arena that both passes share;
    outputs without gradients lie in their program's arena.
    """

    title = "memory"

    def __init__(self, programs: Iterable[ProgramBytes], arrays: Mapping[str, int]) -> None:
        self.programs, self.arrays = tuple(programs), dict(arrays)

    @property
    def allocated(self) -> int:
        """All bytes that the executor holds, including those of its arguments."""
        own = sum(p.allocated for p in self.programs if not p.shares)
        return own + sum(self.arrays.values())

    @property
    def naive(self) -> int:
        """Bytes if every value of every program had separate memory."""
        return sum(p.naive for p in self.programs)

    @property
    def planned(self) -> int:
        """Bytes of all arenas."""
        arenas: dict[str, int] = {}
        for p in self.programs:
            name = p.shares or p.program
            arenas[name] = max(arenas.get(name, 0), p.planned)
        return sum(arenas.values())

    def to_dict(self) -> dict[str, Any]:
        return {
            "programs": [asdict(p) for p in self.programs],
            "arrays": dict(self.arrays),
            "naive": self.naive,
            "planned": self.planned,
            "allocated": self.allocated,
        }

    def sections(self) -> list[tuple[str, str]]:
        head = ("program", "naive", "peak", "planned", "held")
        rows = [
            (
                p.program,
                *(f"{n:,}" for n in (p.naive, p.peak, p.planned, p.allocated)),
                ", ".join(filter(None, [p.shares and f"in that of {p.shares}", p.interim])),
            )
            for p in self.programs
        ]
        arrays = [(name, f"{count:,}") for name, count in self.arrays.items() if count]
        return [
            ("values of programs, bytes", columns([head, *rows])),
            ("arrays, bytes held", columns([*arrays, ("all memory", f"{self.allocated:,}")])),
        ]


def footprint(bound: Bound, programs: Mapping[str, Program], states: Iterable[Array]) -> Footprint:
    """Return the bytes of these programs; `states` are the arrays that operators write."""
    of_states = list(states)
    gradients = [array for array, _ in bound.grads.values()]
    constants = [array for program in programs.values() for array in program.constants]
    groups: dict[str, list[Array]] = {
        "states": of_states,
        "arguments": list(bound.arrays.values()),
        "outputs": list(bound.outputs),
        "gradients": gradients,
        "output gradients": bound.seed_arrays(),
        "constants": constants,
    }
    seen: set[Any] = set()
    seen.update(array._chunk for p in programs.values() for array in p.inside())
    totals = {name: _new_bytes(arrays, seen) for name, arrays in groups.items()}
    owners: dict[Any, str] = {}
    rows: list[ProgramBytes] = []
    for name, program in programs.items():
        owner = owners.setdefault(program.arena, name)
        plan, buffer = program.compiled.memory, program.arena.chunk
        capacity = 0 if buffer is None else buffer.capacity
        sizes = plan.naive_bytes, plan.peak_bytes, plan.arena_bytes, capacity
        rows.append(ProgramBytes(name, *sizes, program.interim, "" if owner == name else owner))
    return Footprint(rows, totals)


def _new_bytes(arrays: Iterable[Array], seen: set[Any]) -> int:
    total = 0
    for array in arrays:
        if array._chunk not in seen:
            seen.add(array._chunk)
            total += array._chunk.capacity
    return total
