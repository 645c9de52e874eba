"""The log of a program's run on the chaos engine: its operations, their variables, their lines.

Each run of a program creates its own variables. Therefore a variable created during a run is named
by its place in the order of creation, and the log of one run applies to another. A `Path` leads
from the schedule of a run to push order, swapping two neighbours at a time.
"""

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

Mark = int | Key  # the number of a push or wait of the program; or the key of an operation
FRESH = -1  # the label of an extra variable that the program does not have, for trials
Label = int | Variable  # the place in the order of creation, or a variable created before the run


@dataclass(frozen=True, slots=True)
class Declared:
    """A push: its name, its line, and the variables that it declares."""

    name: str
    code: CodeType
    instruction: int
    reads: tuple[Label, ...]
    writes: tuple[Label, ...]
    body: CodeType | str  # code of the function, or its name if it has none
    at: int  # its number among the pushes and waits of the program

    @property
    def line(self) -> tuple[CodeType, int, CodeType | str]:
        """A key shared by all operations that one line pushes with one function, say in a loop."""
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
    """The log of one run; it adds the variables of `additions` to the operations of that key."""

    def __init__(
        self, additions: Additions, fresh: Variable | None = None, watch: Collection[Key] = ()
    ) -> None:
        self.watched: dict[Key, Watched] = {}  # functions of the operations in `watch`
        self._watch = watch
        self.operations: dict[Key, Declared] = {}
        self.steps: list[tuple[CodeType, int]] = []  # of each push and wait
        self.ended = 0  # number of steps when the program returned
        self._additions, self._fresh = additions, fresh
        self._variables: list[Variable] = []
        self._makers: list[tuple[CodeType, int]] = []
        self._places: dict[Variable, int] = {}

    def add_variable(self, variable: Variable) -> None:
        """Record a new variable."""
        self._places[variable] = len(self._variables)
        self._variables.append(variable)
        self._makers.append(caller())

    def waited(self) -> None:
        """Record another push or wait of the program."""
        self.steps.append(caller())

    def pushed(self, key: Key, operation: Operation) -> None:
        """Record an operation about to be issued, and add the variables of a trial to it."""
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
        """Return a name or description of a variable."""
        variable = label if isinstance(label, Variable) else self._variables[label]
        if variable.name is not None:
            return variable.name
        if isinstance(label, Variable):
            return f"variable {variable.number}"
        return f"the variable made at {site(*self._makers[label])}"

    def quoted(self, label: Label) -> str:
        """Return the name of a variable for use in a sentence: a name proper is quoted."""
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
    """Return the text of a line, or "" if its source is not available."""
    return linecache.getline(place.filename, place.line).strip()


class Path:
    """Schedules from an observed one to push order, each one swap of neighbours from the next.

    Operations are moved, in push order, towards the beginning, past pushes and waits of the program
    and past operations pushed later. So every schedule on the path keeps the order of conflicting
    operations.
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
        """Return the schedule after `count` swaps."""
        turns: list[Turn] = []
        at = 0
        for mark in self._after(count):
            if isinstance(mark, int):
                at = mark
            else:
                turns.append(Turn(mark, at))
        return tuple(turns)

    def swapped(self, count: int) -> tuple[Mark, Key]:
        """Return the marks that swap number `count` moves to the right and to the left."""
        place = self._swaps[count]
        right, left = self._after(count)[place : place + 2]
        assert not isinstance(left, int)
        return right, left


def _swaps(marks: list[Mark], log: ExecutionLog) -> list[int]:
    """Return the places whose mark is swapped with the next one, in turn, to reach push order."""
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
