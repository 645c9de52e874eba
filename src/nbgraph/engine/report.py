"""Reports of an engine: counts, and which operation waits for which."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from nbgraph.engine.operation import NEW, STATES, WAITING, Operation
from nbgraph.engine.variable import Variable
from nbgraph.picture import Report, columns

if TYPE_CHECKING:
    from nbgraph.engine.interface import EngineLike

_SHOWN = 40  # rows of each table in the text; `to_dict()` has all


@dataclass(frozen=True, slots=True)
class Stats(Report):
    """Counts of an engine. A bulk is one operation."""

    kind: str
    workers: int
    pushed: int
    completed: int
    pending: int
    pending_bytes: int
    limits: dict[str, int]
    variables: int
    failures: int

    @classmethod
    def of(cls, engine: EngineLike) -> Stats:
        """Return the counts of an engine now."""
        pushed, completed, nbytes = engine._counts()
        failures = [] if engine._core is None else list(engine._core.failures.values())
        return cls(
            kind=engine.kind,
            workers=engine.workers,
            pushed=pushed,
            completed=completed,
            pending=pushed - completed,
            pending_bytes=nbytes,
            limits=dict(engine.limits),
            variables=engine._owner.alive,
            failures=len(engine._owner.ledger) + sum(f.raised_at is None for f in failures),
        )

    @property
    def title(self) -> str:
        """The engine."""
        return f"{self.kind} engine"

    def sections(self) -> list[tuple[str, str]]:
        limits = ", ".join(f"{k} {v}" for k, v in self.limits.items()) or "none"
        rows = [
            ("workers", str(self.workers) if self.workers else "none: the caller's thread"),
            ("pushed", str(self.pushed)),
            ("completed", str(self.completed)),
            ("unfinished", f"{self.pending} ({self.pending_bytes} bytes declared)"),
            ("limits", limits),
            ("variables", str(self.variables)),
            ("failures nobody has seen", str(self.failures)),
        ]
        return [(self.title, columns(rows))]


class Unfinished(NamedTuple):
    """An operation that has not ended."""

    number: int
    name: str
    site: str
    state: str
    age: float | None  # seconds since the push; None for kernels
    reads: tuple[str, ...]
    writes: tuple[str, ...]
    waits_for: tuple[int, ...]  # numbers of operations
    members: tuple[str, ...] = ()  # of a bulk


@dataclass(frozen=True, slots=True)
class Dump(Report):
    """The unfinished operations in push order, and the queues of their variables."""

    title = "ng.engine.dump()"

    kind: str
    operations: tuple[Unfinished, ...]
    variables: dict[str, tuple[str, ...]]

    @classmethod
    def of(cls, kind: str, operations: Iterable[Operation]) -> Dump:
        """Return the dump of `operations`, in push order, from the variables they name."""
        now = time.monotonic_ns()
        written: dict[int, int] = {}  # variable -> its last writer
        read: dict[int, list[int]] = {}  # variable -> its readers since that
        rows: list[Unfinished] = []
        queues: dict[str, list[str]] = {}
        for operation in operations:
            number, reads, writes = operation.seq, operation.reads, operation.writes
            waits: set[int] = set()
            for variable in (*reads, *writes):
                if variable.number in written:
                    waits.add(written[variable.number])
            for variable in writes:
                waits.update(read.pop(variable.number, ()))
                written[variable.number] = number
                queues.setdefault(_label(variable), []).append(f"#{number} writes")
            for variable in reads:
                read.setdefault(variable.number, []).append(number)
                queues.setdefault(_label(variable), []).append(f"#{number} reads")
            state = operation.state
            rows.append(
                Unfinished(
                    number,
                    operation.name,
                    str(operation.site),
                    "ready" if state in {NEW, WAITING} and not waits else STATES[state],
                    None if operation.pushed_ns is None else (now - operation.pushed_ns) / 1e9,
                    tuple(map(_label, reads)),
                    tuple(map(_label, writes)),
                    tuple(sorted(waits)),
                    tuple(m.name for m in operation.members or ()),
                )
            )
        return cls(kind, tuple(rows), {k: tuple(v) for k, v in queues.items()})

    def to_dict(self) -> dict[str, Any]:
        operations = tuple(o._asdict() for o in self.operations)
        return {"kind": self.kind, "operations": operations, "variables": self.variables}

    def sections(self) -> list[tuple[str, str]]:
        rows = [
            (
                f"#{o.number}",
                o.name,
                f"{o.state} " + ", ".join(f"#{n}" for n in o.waits_for[:8])
                if o.waits_for
                else o.state,
                "" if o.age is None else f"{o.age:.2f} s",
                f"pushed at {o.site}",
            )
            for o in self.operations[:_SHOWN]
        ]
        queues = [(k, ", then ".join(v[:8])) for k, v in list(self.variables.items())[:_SHOWN]]
        operations = columns(rows) + _more(len(self.operations))
        variables = columns(queues) + _more(len(self.variables))
        head = f"{self.kind} engine: {len(self.operations)} unfinished"
        return [(head, operations or "nothing"), ("variables in use", variables or "none")]


def _more(count: int) -> str:
    return f"\n... and {count - _SHOWN} more" if count > _SHOWN else ""


def _label(variable: Variable) -> str:
    return f"{variable.name} ({variable.number})" if variable.name else f"({variable.number})"
