"""The numbers of each epoch by name, as a table and as a picture."""

import csv
import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from nbgraph.foreign import explain_methods
from nbgraph.picture import COLOURS, Curve, columns, escape, line_plots

_SHOWN = 20  # epochs in the table that a prompt shows
_SHARES = ("accuracy", "auc", "f1", "precision", "recall", "top_")  # from 0 to 1: one axis


class History:
    """Losses and metrics, a row for each finished epoch.

    Attributes
    ----------
    rows : list of dict
        Numbers by name; arrays, such as a confusion matrix, are nested lists.
    stopped : bool
        Whether the training ended before its last epoch.
    reason : str
        The reason: "an interrupt", or the text of the callback that stopped it.

    >>> history = History([{"loss": 2.0}, {"loss": 1.0, "val_loss": 1.5}])
    >>> history["loss"], history.last
    ([2.0, 1.0], {'loss': 1.0, 'val_loss': 1.5})
    >>> print(history)
    epoch  loss  val_loss
    1      2
    2      1     1.5
    """

    def __init__(self, rows: list[dict[str, Any]] | None = None) -> None:
        self.rows: list[dict[str, Any]] = [] if rows is None else rows
        self.stopped, self.reason = False, ""

    @property
    def names(self) -> list[str]:
        """The names of losses and metrics, in the order of their first appearance."""
        return list(dict.fromkeys([name for row in self.rows for name in row]))

    @property
    def _numbers(self) -> list[str]:
        """The names of values that are numbers in all rows."""
        values = [(name, value) for row in self.rows for name, value in row.items()]
        lists = {name for name, value in values if not isinstance(value, (int, float))}
        return [name for name in self.names if name not in lists]

    @property
    def last(self) -> dict[str, Any]:
        """The numbers of the last epoch."""
        return self.rows[-1] if self.rows else {}

    def __getitem__(self, name: str) -> list[Any]:
        if name not in self.names:
            raise KeyError(f"{name!r}; there is {', '.join(self.names) or 'nothing yet'}")
        return [row.get(name, float("nan")) for row in self.rows]

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return iter(self.rows)

    def __str__(self) -> str:
        return self._table(len(self.rows))

    def __repr__(self) -> str:
        return self._table(_SHOWN)

    def _table(self, most: int) -> str:
        """Return the table; of more epochs than `most` those in the middle are left out."""
        names = self._numbers
        lines = [["epoch", *names]]
        for number, row in enumerate(self.rows, 1):
            cells = [f"{row[name]:.4g}" if name in row else "" for name in names]
            lines.append([str(number), *cells])
        if len(self.rows) > most:
            lines[1 + most // 2 : -(most // 2)] = [["..."]]
        text = columns(lines) if self.rows else "no epochs yet"
        return text + (f"\nstopped by {self.reason}" if self.stopped else "")

    def _repr_html_(self) -> str:
        return self.picture() + f"<pre>{escape(repr(self))}</pre>"

    def picture(self) -> str:
        """Return the curves as SVG: an axis for each unit, that of validation dashed.

        Losses and metrics have an axis each; shares, such as accuracy and recall, have one
        together. A single epoch is a dot, NaN is a cross on the axis.
        """
        panels: dict[str, list[Curve]] = {}
        colours: dict[str, str] = {}
        for name in self._numbers:
            plain = name.removeprefix("val_")
            panel = panels.setdefault("share" if plain.startswith(_SHARES) else plain, [])
            others = {curve.colour for curve in panel}
            colour = colours.setdefault(plain, COLOURS[len(others) % len(COLOURS)])
            epochs = [k for k, row in enumerate(self.rows, 1) if name in row]
            values = [self.rows[k - 1][name] for k in epochs]
            panel.append(Curve(epochs, values, name, plain != name, colour, marked=True))
        return line_plots(list(panels.values()) or [[]], title="training", whole=True)

    def to_dict(self) -> dict[str, Any]:
        """Return all numbers by name."""
        return {name: self[name] for name in self.names}

    def to_csv(self, path: str | os.PathLike[str]) -> None:
        """Write the numbers to a CSV file, a row for each epoch; cells without a number are empty.

        >>> import tempfile
        >>> history = History([{"loss": 2.0}, {"loss": 1.0, "val_loss": 1.5}])
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     history.to_csv(f"{folder}/a.csv")
        ...     Path(f"{folder}/a.csv").read_text().splitlines()
        ['epoch,loss,val_loss', '1,2.0,', '2,1.0,1.5']
        """
        names = self._numbers
        with Path(path).open("w", newline="", encoding="utf-8") as file:
            rows = csv.writer(file, lineterminator="\n")
            rows.writerow(["epoch", *names])
            for number, row in enumerate(self.rows, 1):
                rows.writerow([number, *[row.get(name, "") for name in names]])


explain_methods(
    History, {"history": "h['loss'] or h.to_dict()", "plot": "h, the last line of a cell"}
)


class Logs(Mapping[str, Any]):
    """Losses and metrics by name; they are waited for when the first of them is read."""

    def __init__(self, read: Callable[[], Mapping[str, Any]]) -> None:
        self._read = read
        self._values: Mapping[str, Any] | None = None

    @property
    def values_by_name(self) -> Mapping[str, Any]:
        """All losses and metrics."""
        if self._values is None:
            self._values = self._read()
        return self._values

    def __getitem__(self, name: str) -> Any:
        values = self.values_by_name
        if name not in values:
            raise KeyError(f"{name!r}; there is {', '.join(values) or 'nothing yet'}")
        return values[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.values_by_name)

    def __len__(self) -> int:
        return len(self.values_by_name)
