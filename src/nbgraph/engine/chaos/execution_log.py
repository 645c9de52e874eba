"""What a program did on the chaos engine: its operations by name, what each declared, its lines.

Runs of one program make their own variables. So variables made during a run go by the order in
which they were made, and what was learnt of one run can be asked of another. From the schedule of
a run to push order leads a `Path`, two neighbours at a time.
"""

from __future__ import annotations

import functools
import linecache
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from types import CodeType

from nbgraph.engine.chaos.compare import Watched
from nbgraph.engine.chaos.schedule import Key, Turn
from nbgraph.engine.operation import Operation
from nbgraph.engine.sites import Site, caller, site
from nbgraph.engine.variable import Variable

Mark = int | Key  # push or wait of the program, by number; or an operation
FRESH = -1  # a variable that the program does not have, for trials
Label = int | Variable  # the how manieth made during the run, or one made before


@dataclass(frozen=True, slots=True)
class Declared:
    """A push: what it was called, its line, and the variables it named."""

    name: str
    code: CodeType
    instruction: int
    reads: tuple[Label, ...]
    writes: tuple[Label, ...]
    body: CodeType | str  # of the function; the name of one that has none
    at: int  # which push or wait of the program it was

    @property
    def line(self) -> tuple[CodeType, int, CodeType | str]:
        """The same for all operations that one line pushes with one function, say in a loop."""
        return self.code, self.instruction, self.body

    @property
    def site(self) -> Site:
        """The line of user code."""
        return site(self.code, self.instruction)


@dataclass(frozen=True, slots=True)
class Addition:
    """One more variable for an operation to declare."""

    label: Label
    write: bool


Additions = Mapping[Key, Iterable[Addition]]


class ExecutionLog:
    """What one run did; `additions` are put into the operations they belong to."""

    def __init__(
        self, additions: Additions, fresh: Variable | None = None, watch: Collection[Key] = ()
    ) -> None:
        self.watched: dict[Key, Watched] = {}  # functions of the operations to watch
        self._watch = watch
        self.operations: dict[Key, Declared] = {}
        self.steps: list[tuple[CodeType, int]] = []  # of each push and wait
        self.ended = 0  # how many steps there were when the program returned
        self._additions, self._fresh = additions, fresh
        self._variables: list[Variable] = []
        self._makers: list[tuple[CodeType, int]] = []
        self._places: dict[Variable, int] = {}

    def add_variable(self, variable: Variable) -> None:
        """A new variable."""
        self._places[variable] = len(self._variables)
        self._variables.append(variable)
        self._makers.append(caller())

    def waited(self) -> None:
        """Another push or wait of the program has begun."""
        self.steps.append(caller())

    def pushed(self, key: Key, operation: Operation) -> None:
        """About to be issued: with the variables that trials add."""
        self.operations[key] = Declared(
            operation.name,
            operation._code,
            operation._instruction,
            tuple(self._places.get(v, v) for v in operation.reads),
            tuple(self._places.get(v, v) for v in operation.writes),
            _body(operation),
            len(self.steps),
        )
        if key in self._watch and operation.fn is not None:
            operation.fn = self.watched[key] = Watched(operation.fn)
        for addition in self._additions.get(key, ()):
            variable = self._variable(addition.label)
            if variable is not None and not variable.deleted:
                _declare(operation, variable, addition.write)

    def _variable(self, label: Label) -> Variable | None:
        if label == FRESH:
            return self._fresh
        if isinstance(label, Variable):
            return label
        return self._variables[label] if label < len(self._variables) else None

    def name_of(self, label: Label) -> str:
        """What to call a variable."""
        variable = label if isinstance(label, Variable) else self._variables[label]
        if variable.name is not None:
            return variable.name
        if isinstance(label, Variable):
            return f"variable {variable.number}"
        return f"the variable made at {site(*self._makers[label])}"

    def quoted(self, label: Label) -> str:
        """Return the same within a sentence."""
        variable = label if isinstance(label, Variable) else self._variables[label]
        return self.name_of(label) if variable.name is None else repr(variable.name)

    def step_site(self, at: int) -> Site | None:
        """Return the line of push or wait number `at`; None before the first and after the last."""
        return site(*self.steps[at - 1]) if 0 < at <= self.ended else None


def _body(operation: Operation) -> CodeType | str:
    fn = operation.fn
    while isinstance(fn, functools.partial):
        fn = fn.func
    return getattr(fn, "__code__", operation.name)


def _declare(operation: Operation, variable: Variable, write: bool) -> None:
    if variable in operation.writes:
        return
    if write:
        operation.reads = tuple(v for v in operation.reads if v is not variable)
        operation.writes = (*operation.writes, variable)
    elif variable not in operation.reads:
        operation.reads = (*operation.reads, variable)


def text_of(place: Site) -> str:
    """Return the text of a line, if it can be had."""
    return linecache.getline(place.filename, place.line).strip()


class Path:
    """Schedules between one that was met and push order; neighbours differ by one swap.

    Operations are moved, in push order, towards the beginning, past pushes and waits of the program
    and past operations pushed later. So no schedule on the way breaks an order that variables
    demand.
    """

    def __init__(self, schedule: tuple[Turn, ...], log: ExecutionLog) -> None:
        marks: list[Mark] = []
        at = 0
        for turn in schedule:
            marks.extend(range(at + 1, turn.at + 1))
            at = max(at, turn.at)
            marks.append(turn.key)
        marks.extend(range(at + 1, len(log.steps) + 1))
        self._marks = tuple(marks)
        self._swaps = _swaps(marks, log)

    def __len__(self) -> int:
        return len(self._swaps)

    def _after(self, count: int) -> list[Mark]:
        marks = list(self._marks)
        for place in self._swaps[:count]:
            marks[place], marks[place + 1] = marks[place + 1], marks[place]
        return marks

    def schedule(self, count: int) -> tuple[Turn, ...]:
        """Return the schedule after so many swaps."""
        turns: list[Turn] = []
        at = 0
        for mark in self._after(count):
            if isinstance(mark, int):
                at = mark
            else:
                turns.append(Turn(mark, at))
        return tuple(turns)

    def swapped(self, count: int) -> tuple[Mark, Key]:
        """What the swap after so many others moves to the right, and what to the left."""
        place = self._swaps[count]
        right, left = self._after(count)[place : place + 2]
        assert not isinstance(left, int)
        return right, left


def _swaps(marks: list[Mark], log: ExecutionLog) -> list[int]:
    """Places whose mark changes with the next one, one after another, till all is in order."""
    marks = list(marks)
    places: list[int] = []
    for key in sorted(mark for mark in marks if not isinstance(mark, int)):
        place = marks.index(key)
        pushed = log.operations[key].at if len(key) == 1 and key in log.operations else 0
        while place:
            before = marks[place - 1]
            last = before <= pushed if isinstance(before, int) else before < key
            if last:
                break
            marks[place - 1], marks[place] = key, before
            place -= 1
            places.append(place)
    return places
