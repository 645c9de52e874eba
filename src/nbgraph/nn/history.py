"""What became of an epoch after the other: numbers by name, a table, a picture."""

from __future__ import annotations

import csv
import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from nbgraph.picture import Curve, columns, line_plot


class History:
    """Losses and metrics, a row for each epoch that was finished.

    Attributes
    ----------
    rows : list of dict
        Numbers by name; what is an array, such as a confusion matrix, is nested lists.
    stopped : bool
        Whether the training ended before its last epoch.
    reason : str
        Why: "an interrupt", or what the callback said that stopped it.

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
        """What there are numbers of."""
        return list(dict.fromkeys([name for row in self.rows for name in row]))

    @property
    def _numbers(self) -> list[str]:
        """The names of what are numbers in all rows."""
        held = [(name, value) for row in self.rows for name, value in row.items()]
        lists = {name for name, value in held if not isinstance(value, (int, float))}
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
        names = self._numbers
        lines = [["epoch", *names]]
        for number, row in enumerate(self.rows, 1):
            found = [f"{row[name]:.4g}" if name in row else "" for name in names]
            lines.append([str(number), *found])
        told = "\n".join([line.rstrip() for line in columns(lines).splitlines()])
        return told + (f"\nstopped by {self.reason}" if self.stopped else "")

    def __repr__(self) -> str:
        return f"<History of {len(self.rows)} epochs: {', '.join(self.names) or 'nothing yet'}>"

    def _repr_html_(self) -> str:
        return self.picture() + f"<pre>{self}</pre>"

    def picture(self) -> str:
        """The curves, as SVG."""
        numbers = [float(i + 1) for i in range(len(self.rows))]
        return line_plot(
            [Curve(numbers, self[name], name, name.startswith("val_")) for name in self._numbers],
            title="training",
        )

    def to_dict(self) -> dict[str, Any]:
        """All numbers, by name."""
        return {name: self[name] for name in self.names}

    def to_csv(self, path: str | os.PathLike[str]) -> None:
        """Write the numbers to a CSV file, a row for each epoch, empty where there is none.

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


class Logs(Mapping[str, Any]):
    """Losses and metrics by name; they are waited for when the first of them is read."""

    def __init__(self, read: Callable[[], Mapping[str, Any]]) -> None:
        self._read = read
        self._values: Mapping[str, Any] | None = None

    @property
    def values_by_name(self) -> Mapping[str, Any]:
        """All of them."""
        if self._values is None:
            self._values = self._read()
        return self._values

    def __getitem__(self, name: str) -> Any:
        held = self.values_by_name
        if name not in held:
            raise KeyError(f"{name!r}; there is {', '.join(held) or 'nothing yet'}")
        return held[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.values_by_name)

    def __len__(self) -> int:
        return len(self.values_by_name)
