"""What a program did on the chaos engine: its operations by name, what each declared, its lines.

Runs of one program make their own variables. So variables made during a run go by the order in
which they were made, and what was learnt of one run can be asked of another.
"""

from __future__ import annotations

import functools
import linecache
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from types import CodeType

from nbgraph.engine.operation import Operation
from nbgraph.engine.schedule import Key
from nbgraph.engine.shared import Watched
from nbgraph.engine.sites import Site, caller, site
from nbgraph.engine.variable import Variable

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


class Record:
    """The witness of one run; `additions` are put into the operations they belong to."""

    def __init__(
        self, additions: Additions, fresh: Variable | None = None, watch: Collection[Key] = ()
    ) -> None:
        self.watched: dict[Key, Watched] = {}  # functions of the operations to watch
        self._watch = watch
        self.operations: dict[Key, Declared] = {}
        self.steps: list[tuple[CodeType, int]] = []  # of each push and wait
        self.ended = 0  # how many steps there were when the program returned
        self._additions, self._fresh = additions, fresh
        self._made: list[Variable] = []
        self._makers: list[tuple[CodeType, int]] = []
        self._places: dict[Variable, int] = {}

    def made(self, variable: Variable) -> None:
        """See `Witness`."""
        self._places[variable] = len(self._made)
        self._made.append(variable)
        self._makers.append(caller())

    def waited(self, at: int) -> None:
        """See `Witness`."""
        self.steps.append(caller())

    def pushed(self, key: Key, operation: Operation) -> None:
        """See `Witness`."""
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
        return self._made[label] if label < len(self._made) else None

    def name_of(self, label: Label) -> str:
        """What to call a variable."""
        variable = label if isinstance(label, Variable) else self._made[label]
        if variable.name is not None:
            return variable.name
        if isinstance(label, Variable):
            return f"variable {variable.number}"
        return f"the variable made at {site(*self._makers[label])}"

    def quoted(self, label: Label) -> str:
        """The same within a sentence."""
        variable = label if isinstance(label, Variable) else self._made[label]
        return self.name_of(label) if variable.name is None else repr(variable.name)

    def step_site(self, at: int) -> Site | None:
        """The line of push or wait number `at`; None before the first and after the last."""
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
    """The text of a line, if it can be had."""
    return linecache.getline(place.filename, place.line).strip()
