"""Observation of every value of a run: callbacks, statistics, the first NaN.

While there are observers, a program is replaced by its *open* form: the same graph without passes,
whose results are those of the program and every output of every node. So observed values belong to
the same run as the caller's outputs: states are written once, and random numbers drawn once. Only
sums may differ in the last bits from those of fused loops.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any, Self
from weakref import WeakKeyDictionary

import numpy as np

from nbgraph.array.core import Array, empty_of
from nbgraph.dtype import is_float
from nbgraph.engine.sites import site
from nbgraph.errors import ArgumentError, noun
from nbgraph.executor.compiled import compiled
from nbgraph.executor.pipeline import Options
from nbgraph.executor.program import Program
from nbgraph.graph.build import GraphNode
from nbgraph.graph.constant import CONSTANT
from nbgraph.graph.graph import Entry, spec
from nbgraph.graph.naming import output_name
from nbgraph.operator.layout import layout
from nbgraph.operator.request import kWriteTo
from nbgraph.picture import columns, html_sections

_HEAD = ("run", "name", "min", "max", "mean", "L2")
_SHOWN = 60  # rows of a printed table: the last ones


@dataclass(frozen=True, slots=True)
class Seen:
    """Statistics of one value of one run; NaN if the value is empty or has NaN."""

    run: int
    name: str
    min: float
    max: float
    mean: float
    l2: float

    @classmethod
    def of(cls, run: int, name: str, values: np.ndarray[Any, Any]) -> Self:
        """Return the statistics of an array."""
        if not values.size:
            return cls(run, name, *[float("nan")] * 4)
        wide = values.astype(np.float64)
        with np.errstate(all="ignore"):
            figures = wide.min(), wide.max(), wide.mean(), np.sqrt(np.square(wide).sum())
        return cls(run, name, *map(float, figures))

    def cells(self) -> tuple[str, ...]:
        """Return the fields as text."""
        figures = (f"{v:.6g}" for v in (self.min, self.max, self.mean, self.l2))
        return (str(self.run), self.name, *figures)


def _compiled(pattern: Any) -> re.Pattern[str]:
    try:
        if isinstance(pattern, str):
            return re.compile(pattern)
        wrong = f"is {noun(pattern)}"
    except re.error as error:
        wrong = f"is not a regular expression: {error}"
    raise ArgumentError(
        f"monitor: pattern={pattern!r} {wrong}; give a text such as 'fc.*', '' for every value"
    )


class Monitor:
    """The result of `exe.monitor(pattern)`: statistics of every value whose name matches, in every
    forward pass until `close()` or the end of a `with` block.

    `rows`: all statistics; printing shows a table of the last ones. Passes wait for their values.
    """

    def __init__(self, pattern: str, close: Callable[[Monitor], None]) -> None:
        self.pattern, self.rows = pattern, list[Seen]()
        self._matches, self._close = _compiled(pattern), close
        self._run = -1

    def __call__(self, name: str, array: Any) -> None:
        """Record the statistics of a value whose name matches."""
        if self._matches.search(name):
            self.rows.append(Seen.of(self._run, name, array.asnumpy()))

    def begin(self) -> None:
        """Begin another run, to which the following values belong."""
        self._run += 1

    def clear(self) -> None:
        """Delete all rows, and count runs from 0 again."""
        self.rows.clear()
        self._run = -1

    def close(self) -> None:
        """Stop recording; the rows stay."""
        self._close(self)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def to_dict(self) -> dict[str, Any]:
        """Return the rows as plain values."""
        return {"pattern": self.pattern, "rows": [asdict(row) for row in self.rows]}

    def __str__(self) -> str:
        if not self.rows:
            return f"nothing seen yet whose name matches {self.pattern!r}"
        return columns([_HEAD, *(row.cells() for row in self.rows[-_SHOWN:])])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return html_sections(f"monitor({self.pattern!r})", [("", str(self))])


Callback = Callable[[str, Any], None]


class Open:
    """The open form of a program, whose every value can be read.

    `program`: to be pushed in place of the other. `values`: dict from entries to the arrays of the
    last run, in the order of the graph. `arguments`: dict from variables to NDArray.
    """

    def __init__(self, closed: Program) -> None:
        program = closed.compiled
        graph, arrays = program.source, closed.arrays or []
        count = len(graph.variables)
        variables, results = arrays[:count], arrays[count : count + len(graph.heads)]
        inner: list[Entry] = [
            (node, k)
            for node in graph.nodes
            if node.op is not None and node.op is not CONSTANT
            for k in range(node.nout)
        ]
        seen = [empty_of(layout(*spec(entry)), program.device) for entry in inner]
        requests = [*program.requests, *[kWriteTo] * len(inner)]
        opened = graph.with_heads([*graph.heads, *inner])
        options = Options.none()
        self.program = Program(
            compiled(opened, program.layouts, requests, options, program.device),
            [*variables, *results, *seen],
            name="watched graph",
            states=closed.states,
        )
        self.names = graph.names
        self.values: dict[Entry, Array] = dict(zip(inner, seen, strict=True))
        self.arguments: dict[GraphNode, Array] = dict(zip(graph.variables, variables, strict=True))

    def name(self, entry: Entry) -> str:
        """Return the name of an output, as `list_outputs` does."""
        return output_name(*entry, self.names[entry[0]])

    def require_clean(self) -> None:
        """Raise FloatingPointError for the first node that produces a NaN; wait for the values."""
        counts = {(node, 0): _nan(array) for node, array in self.arguments.items()}
        for entry, array in self.values.items():
            counts[entry] = _nan(array)
            operands = entry[0].entries
            if not counts[entry] or any(counts.get(operand) for operand in operands):
                continue
            node, arrays = entry[0], {(n, 0): a for n, a in self.arguments.items()} | self.values
            texts = [self.name(o) + _described(arrays.get(o)) for o in operands]
            texts += [repr(v) for v in node.inputs if type(v) is not tuple]
            line = f", made at {site(*node.line)}" if node.line is not None else ""
            assert node.op is not None
            raise FloatingPointError(
                f"{self.name(entry)}: the result of {node.op.__name__} has {counts[entry]} NaN of "
                f"{array.size} elements, shape {list(array.shape)}{line}; its operands have none: "
                f"{'; '.join(texts) or 'it has none'}. Look at their values where the result is "
                "NaN (anomaly=1 looks at every node)"
            )


def _nan(array: Any) -> int:
    if not is_float(array.dtype) or not array.size:
        return 0
    return int(np.isnan(array.asnumpy()).sum())


def _described(array: Any) -> str:
    if array is None:
        return ""
    values = array.asnumpy()
    ends = f"from {values.min()} to {values.max()}" if values.size else "empty"
    return f" {array.dtype}{list(array.shape)} {ends}"


class Watch:
    """The observers of an executor's runs, and the open forms of its programs."""

    def __init__(self) -> None:
        self.callbacks: list[tuple[Callback, bool]] = []
        self._open: WeakKeyDictionary[Program, Open] = WeakKeyDictionary()

    def opened(self, program: Program) -> Open:
        """Return the open form of a program, created once."""
        form = self._open.get(program)
        if form is None:
            form = self._open[program] = Open(program)
        return form

    def begin(self) -> None:
        """Begin a run of all monitors; a run on several devices has several programs."""
        for observer, _ in self.callbacks:
            if isinstance(observer, Monitor):
                observer.begin()

    def run(self, program: Program, *, is_train: bool, tells: bool, checks: bool) -> None:
        """Run a program in its open form; `tells`: call callbacks; `checks`: check for NaN."""
        form = self.opened(program)
        form.program.push(is_train=is_train)
        if checks:
            form.require_clean()
        for callback, everything in list(self.callbacks) if tells else ():
            if everything:
                for node, array in form.arguments.items():
                    callback(form.names[node], array)
            for entry, array in form.values.items():
                callback(form.name(entry), array)
