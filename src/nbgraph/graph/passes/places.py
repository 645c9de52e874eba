"""Reports on memory plans: the place of a value with the reasons, and the table of all values."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from nbgraph.graph.passes.lifetimes import footprint, homes
from nbgraph.graph.schedule import Schedule, Task, Value
from nbgraph.picture import Report, columns

_ROWS = 40  # of a printed table; the rest is counted


@dataclass(frozen=True, slots=True)
class Whereabouts(Report):
    """The place and life of a value, the values that share its memory, and notes on it."""

    name: str
    nbytes: int
    external: bool
    offset: int | None  # in the arena; None for given memory, or without memory
    writers: tuple[str, ...]  # tasks, in order
    readers: tuple[str, ...]
    over: str | None  # the value that it overwrites
    together: tuple[str, ...]  # values with the same home: in place, or added up
    before: tuple[str, ...]  # earlier values with bytes of its memory
    after: tuple[str, ...]  # later values with bytes of its memory
    notes: tuple[str, ...]

    @property
    def title(self) -> str:
        """The heading of the report."""
        return f"memory of {self.name}"

    def sections(self) -> list[tuple[str, str]]:
        rows = [
            ("bytes", str(self.nbytes)),
            ("place", self._place()),
            ("written by", _some(self.writers)),
            ("read by", _some(self.readers)),
            ("over", self.over or ""),
            ("same memory", _some(self.together)),
            ("memory had by", _some(self.before)),
            ("passed on to", _some(self.after)),
            *(("note", line) for line in self.notes),
        ]
        return [(self.name, columns([(head, text) for head, text in rows if text]))]

    def _place(self) -> str:
        if self.external:
            return "given"
        if self.offset is not None:
            return f"arena, offset {self.offset}"
        return "given memory" if self.over or self.together else "none: no task touches it"


def _some(names: Sequence[str], most: int = 6) -> str:
    shown = ", ".join(names[:most])
    return f"{shown}, and {len(names) - most} more" if len(names) > most else shown


def whereabouts(schedule: Schedule, offset: Mapping[Value, int], value: Value) -> Whereabouts:
    """Return the facts about one value of a plan."""
    home = homes(schedule.values)
    spans = _spans(schedule.tasks, home)
    own, met = home[value], list[Value]()  # homes with a byte of its memory
    if value in offset:
        low, high = offset[value], offset[value] + footprint(own.nbytes)
        met = [
            v
            for v in schedule.values
            if home[v] is v is not own
            and v in offset
            and offset[v] < high
            and low < offset[v] + footprint(v.nbytes)
        ]
        met.sort(key=lambda v: spans[v])
    return Whereabouts(
        name=value.name,
        nbytes=value.nbytes,
        external=value.external,
        offset=offset.get(value),
        writers=tuple(task.name for task in schedule.tasks if value in task.writes),
        readers=tuple(task.name for task in schedule.tasks if value in task.reads),
        over=value.shared.name if value.shared else None,
        together=tuple(v.name for v in schedule.values if v is not value and home[v] is own),
        before=tuple(v.name for v in met if spans[v] < spans[own]),
        after=tuple(v.name for v in met if spans[v] > spans[own]),
        notes=tuple(value.note.split("\n")) if value.note else (),
    )


def _spans(tasks: Sequence[Task], home: Mapping[Value, Value]) -> dict[Value, tuple[int, int]]:
    """Return the first and the last task at each home."""
    spans: dict[Value, tuple[int, int]] = {}
    for k, task in enumerate(tasks):
        for value in (*task.reads, *task.writes):
            spans[home[value]] = (spans.get(home[value], (k, k))[0], k)
    return spans


@dataclass(frozen=True, slots=True)
class MemoryReport(Report):
    """The totals of a plan and all values, the largest first."""

    title = "memory plan"

    naive_bytes: int
    peak_bytes: int
    arena_bytes: int
    waits: tuple[tuple[str, str], ...]
    values: tuple[dict[str, Any], ...]

    def sections(self) -> list[tuple[str, str]]:
        totals = [
            ("every value its own", str(self.naive_bytes)),
            ("in use at once", str(self.peak_bytes)),
            ("arena", str(self.arena_bytes)),
            ("tasks that wait", str(len(self.waits))),
        ]
        rows = [("value", "bytes", "place", "from", "to", "over")]
        rows += [tuple(map(str, row.values())) for row in self.values[:_ROWS]]  # type: ignore[misc]
        more = len(self.values) - _ROWS
        table = columns(rows) + (f"\n... and {more} more" if more > 0 else "")
        return [("bytes", columns(totals)), ("values", table)]


def report_of(
    schedule: Schedule,
    offset: Mapping[Value, int],
    totals: tuple[int, int, int],
    waits: tuple[tuple[str, str], ...],
) -> MemoryReport:
    """Return the table of a plan; `totals`: naive, peak, arena."""
    rows: list[dict[str, Any]] = []
    spans = _spans(schedule.tasks, {value: value for value in schedule.values})
    for value in sorted(schedule.values, key=lambda value: -value.nbytes):
        first, last = spans.get(value, (None, None))
        rows.append(
            {
                "name": value.name,
                "nbytes": value.nbytes,
                "place": offset.get(value, "given" if value.external else "-"),
                "from": "" if first is None else schedule.tasks[first].name,
                "to": "" if last is None else schedule.tasks[last].name,
                "over": value.shared.name if value.shared else "",
            }
        )
    return MemoryReport(*totals, waits, tuple(rows))
