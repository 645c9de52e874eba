"""The result of `find_race`: a report that can run the failing schedule again."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from nbgraph.engine.chaos.compare import Shared
from nbgraph.engine.chaos.execution_log import text_of
from nbgraph.engine.chaos.schedule import Turn
from nbgraph.engine.sites import Site
from nbgraph.picture import Report, columns


@dataclass(frozen=True, slots=True)
class Party:
    """One of the racing operations: its name, the line that pushed it, its declared variables."""

    name: str
    number: str  # of the push, from 0; "2.0" is the first push of the function of push 2
    site: Site
    reads: tuple[str, ...]
    writes: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {
            "name": self.name,
            "number": self.number,
            "site": str(self.site),
            "line": text_of(self.site),
            "reads": list(self.reads),
            "writes": list(self.writes),
        }


@dataclass(frozen=True, slots=True)
class Remedy:
    """A change that orders the two: a variable, and the operation that should declare it."""

    variable: str | None  # None: a new one is needed
    name: str  # of the operation
    site: Site | None
    argument: str  # const_vars or mutate_vars; "" if the remedy is something else
    text: str

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True)
class Race(Report):
    """Two operations that no variable orders, though the result depends on their order.

    `operations` are the two in push order; one, if it races with the program between two of the
    program's own lines (`between`); none, if the search could not narrow it down (`note` says why).
    `remedies` have been tried: with any one of them the result was correct under every schedule.
    """

    _headed = True

    seed: int
    operations: tuple[Party, ...]
    between: tuple[Site | None, Site | None] | None
    difference: str
    remedies: tuple[Remedy, ...]
    note: str
    schedule: tuple[Turn, ...]
    shared: tuple[Shared, ...] = ()
    _again: Callable[[tuple[Turn, ...]], Any] = field(repr=False, compare=False, kw_only=True)

    @property
    def variable(self) -> str | None:
        """The variable that was not declared, or None if a new one is needed."""
        return self.remedies[0].variable if self.remedies else None

    def replay(self) -> Any:
        """Call the function again under the schedule that failed, and return or raise as then.

        A breakpoint in one of the two functions stops where it happens.
        """
        return self._again(self.schedule)

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {
            "seed": self.seed,
            "operations": [party.to_dict() for party in self.operations],
            "between": None if self.between is None else [s and str(s) for s in self.between],
            "difference": self.difference,
            "shared": [each.name for each in self.shared],
            "variable": self.variable,
            "remedies": [str(remedy) for remedy in self.remedies],
            "note": self.note,
            "schedule": [(list(turn.key), turn.at) for turn in self.schedule],
        }

    @property
    def title(self) -> str:
        """The names of the racing operations, and the seed."""
        names = [f"{party.name!r}" for party in self.operations]
        if len(names) == 2:
            return f"Race between {names[0]} and {names[1]} (seed {self.seed})"
        if names:
            return f"Race between {names[0]} and the program that pushed it (seed {self.seed})"
        return f"Race (seed {self.seed})"

    def sections(self) -> list[tuple[str, str]]:
        what = self.difference
        if len(self.operations) == 2:
            first, second = self.operations
            what += f"\nif {second.name!r} runs before {first.name!r}; in push order it is right"
        parts = [("what happens", what)]
        if self.operations:
            lines: list[str] = []
            for party in self.operations:
                lines.append(f"{party.name!r}, push {party.number}, at {party.site}")
                declared = ("reads", ", ".join(party.reads)), ("writes", ", ".join(party.writes))
                rows = [("    " + verb, names or "nothing") for verb, names in declared]
                lines += [f"    {text_of(party.site)}", columns(rows)]
            parts.append(("operations, in push order", "\n".join(lines)))
        if self.shared:
            names = self.operations[0].name, self.operations[1].name
            rows = [each.described(*names) for each in self.shared]
            parts.append(("what they share", "\n".join(rows)))
        if self.between is not None:
            parts.append(("and the program, from one of these lines to the other", self._lines()))
        if self.remedies:
            text = "\nor\n".join(remedy.text for remedy in self.remedies)
            parts.append(("remedy", text))
        if self.note:
            parts.append(("note", self.note))
        return parts

    def _lines(self) -> str:
        before, after = self.between or (None, None)
        rows = [
            str(before) + "\n    " + text_of(before) if before else "the beginning",
            str(after) + "\n    " + text_of(after) if after else "the end",
        ]
        return "\n".join(rows)
