"""Statistics of the values of an executor's runs."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any, Self

import numpy as np

from nbgraph.errors import ArgumentError, noun
from nbgraph.picture import columns, html_sections

_HEAD = ("run", "name", "min", "max", "mean", "L2")
_SHOWN = 60  # rows of a printed table: the last ones


@dataclass(frozen=True, slots=True)
class Seen:
    """One value of one run; NaN for one that is empty or no number."""

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
    """The result of `exe.monitor(pattern)`: statistics of every value whose name matches, for every
    forward pass from then on, until `close()` or the end of a `with` block.

    `rows`: all that was seen; printed, a table of the last ones. Looking waits for the values.
    """

    def __init__(self, pattern: str, close: Callable[[Monitor], None]) -> None:
        self.pattern, self.rows = pattern, list[Seen]()
        self._matches, self._close = _compiled(pattern), close
        self._run, self._names = 0, set[str]()

    def __call__(self, name: str, array: Any) -> None:
        """Look at a value; a name that comes again begins another run."""
        if not self._matches.search(name):
            return
        if name in self._names:
            self._names.clear()
            self._run += 1
        self._names.add(name)
        self.rows.append(Seen.of(self._run, name, array.asnumpy()))

    def clear(self) -> None:
        """Forget what was seen, and count runs from 0."""
        self.rows.clear()
        self._names.clear()
        self._run = 0

    def close(self) -> None:
        """Look no more; what was seen stays."""
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
