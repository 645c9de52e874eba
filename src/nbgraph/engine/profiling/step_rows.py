"""The steps of plans in a profile: a row for each kernel, and a flame picture."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nbgraph.engine.profiling.effort import Effort, Limits
from nbgraph.engine.profiling.timing import Clock, Reading
from nbgraph.picture import COLOURS, Bar, bar_chart, columns

_HEAD = (
    *("kernel", "operators", "line", "count", "total", "mean"),
    *("GB/s", "GFLOP/s", "of the limit", "limited by"),
)
_COLOUR = {"memory": COLOURS[0], "arithmetic": COLOURS[1], "": COLOURS[2]}
_WIDTH = 40  # characters of a list of operators


@dataclass(frozen=True, slots=True)
class StepRow:
    """Runs of one kernel of a plan: their time in seconds, and their total effort.

    `plan` names the compiled graph, `kernel` the step; `effort.operators` and `effort.lines` are
    the user's operators that it computes, and the lines that call them. `effort.nbytes` is 0 and
    `effort.operations` is None where they are not known.
    """

    plan: str
    kernel: str
    count: int
    total: float
    effort: Effort

    @property
    def mean(self) -> float:
        """Mean time of one run, in seconds."""
        return self.total / self.count

    @property
    def line(self) -> str:
        """The first line of the user's text, as "model.py:12"; with "..." where there are more."""
        lines = [f"{Path(site.filename).name}:{site.line}" for site in self.effort.lines]
        return "".join([*lines[:1], " ..." if len(lines) > 1 else ""])

    def per_second(self) -> tuple[float, float | None]:
        """Return bytes and operations per second."""
        time = self.total or float("inf")
        operations = self.effort.operations
        return self.effort.nbytes / time, None if operations is None else operations / time

    def to_dict(self, limits: Limits) -> dict[str, Any]:
        """Return the row as plain values."""
        bandwidth, rate = self.per_second()
        return {
            "plan": self.plan,
            "kernel": self.kernel,
            "line": self.line,
            "operators": list(self.effort.operators),
            "count": self.count,
            "total": self.total,
            "mean": self.mean,
            "bytes": self.effort.nbytes,
            "operations": self.effort.operations,
            "bytes_per_second": bandwidth,
            "operations_per_second": rate,
            "of_limit": self.share(limits),
            "limited_by": limits.bound(self.effort) if self.effort.nbytes else None,
        }

    def share(self, limits: Limits) -> float:
        """Return the least time that the machine's limits allow, divided by the time it took."""
        return limits.least(self.effort) / (self.total or float("inf"))

    def cells(self, limits: Limits) -> tuple[str, ...]:
        """Return the row as text; a share above 100% means that the data lay in a cache."""
        bandwidth, rate = self.per_second()
        names = ", ".join(self.effort.operators)
        known = self.effort.nbytes > 0
        return (
            self.kernel,
            names if len(names) <= _WIDTH else f"{names[: _WIDTH - 3]}...",
            *(self.line, str(self.count), duration(self.total), duration(self.mean)),
            f"{bandwidth / 1e9:.3g}" if known else "",
            "" if rate is None else f"{rate / 1e9:.3g}",
            f"{self.share(limits):.0%}" if known else "",
            limits.bound(self.effort) if known else "",
        )


def step_rows(clocks: Iterable[tuple[Clock, Reading]]) -> list[StepRow]:
    """Return a row for each kernel of a plan that ran, the longest total first; steps of a plan
    with the same name, operators and lines share a row. `clocks` pairs each clock with its sums at
    the start of the profile."""
    rows: dict[Any, StepRow] = {}
    for clock, before in clocks:
        nanoseconds, calls, elements = (
            now - then for now, then in zip(clock.read(), before, strict=True)
        )
        if not calls:
            continue
        count = max(1, elements // clock.extent if clock.extent else calls)
        effort = Effort() if clock.step.effort is None else clock.step.effort()
        key = clock.plan, clock.step.label, effort.operators, effort.lines
        row = StepRow(*key[:2], count, nanoseconds / 1e9, _times(effort, count))
        rows[key] = _joined(rows[key], row) if key in rows else row
    return sorted(rows.values(), key=lambda row: -row.total)


def _times(effort: Effort, count: int) -> Effort:
    operations = None if effort.operations is None else effort.operations * count
    return effort._replace(nbytes=effort.nbytes * count, operations=operations)


def _joined(a: StepRow, b: StepRow) -> StepRow:
    both = a.effort.operations, b.effort.operations
    operations = None if None in both else sum(filter(None, both))
    effort = a.effort._replace(nbytes=a.effort.nbytes + b.effort.nbytes, operations=operations)
    return StepRow(a.plan, a.kernel, a.count + b.count, a.total + b.total, effort)


def table(rows: Sequence[StepRow], limits: Limits) -> list[tuple[str, str]]:
    """Return headings and tables, one for each plan."""
    peak = f"{limits.bandwidth / 1e9:.3g} GB/s and {limits.peak / 1e9:.3g} GFLOP/s"
    return [
        (
            f"kernels of {plan}; limits of this machine: {peak}",
            columns([_HEAD, *(row.cells(limits) for row in rows if row.plan == plan)]),
        )
        for plan in dict.fromkeys(row.plan for row in rows)
    ]


def flame(rows: Sequence[StepRow], limits: Limits, *, width: int) -> str:
    """Return an SVG: plans, below them lines of the user's text, below these kernels, each as wide
    as its time. Kernels are blue where memory limits them, orange where arithmetic does."""
    levels: list[tuple[str, list[Bar]]] = [("plan", []), ("line", []), ("kernel", [])]
    ordered = sorted(rows, key=lambda row: (row.plan, row.line, -row.total))
    at = 0.0
    for row in ordered:
        end = at + row.total * 1e3
        bound = limits.bound(row.effort) if row.effort.nbytes else ""
        operators = ", ".join(row.effort.operators)
        hint = (
            f"{row.kernel} ({operators}): {duration(row.total)} in {row.count} runs\n"
            f"{row.line}\n{row.share(limits):.0%} of the limit of {bound or 'nothing known'}"
        )
        labels = (row.plan, row.line or "no line", row.kernel)
        for (_, bars), label in zip(levels, labels, strict=True):
            wider = bars and label != row.kernel and bars[-1].label == label
            if wider:
                bars[-1] = bars[-1]._replace(end=end)
            elif label == row.kernel:
                bars.append(Bar(at, end, label, _COLOUR[bound], hint))
            else:
                bars.append(Bar(at, end, label, COLOURS[2 + len(bars) % 2]))
        at = end
    return bar_chart(levels, width=width, title="time of kernels by line and plan", unit="ms")


def duration(seconds: float) -> str:
    """Return a duration with three figures.

    >>> duration(0.00123), duration(2), duration(4.56e-7)
    ('1.23 ms', '2 s', '0.456 us')
    """
    for unit, size in (("s", 1.0), ("ms", 1e-3)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds * 1e6:.3g} us"
