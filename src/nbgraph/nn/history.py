"""What became of an epoch after the other: numbers by name, a table, a picture."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from nbgraph.picture import Curve, columns, line_plot


class History:
    """Losses and metrics, a row for each epoch that was finished.

    Attributes
    ----------
    rows : list of dict
    stopped : bool
        Whether an interrupt ended the training before its last epoch.

    >>> history = History([{"loss": 2.0}, {"loss": 1.0, "val_loss": 1.5}])
    >>> history["loss"], history.last
    ([2.0, 1.0], {'loss': 1.0, 'val_loss': 1.5})
    >>> print(history)
    epoch  loss  val_loss
    1      2
    2      1     1.5
    """

    def __init__(self, rows: list[dict[str, float]] | None = None) -> None:
        self.rows: list[dict[str, float]] = [] if rows is None else rows
        self.stopped = False

    @property
    def names(self) -> list[str]:
        """What there are numbers of."""
        return list(dict.fromkeys([name for row in self.rows for name in row]))

    @property
    def last(self) -> dict[str, float]:
        """The numbers of the last epoch."""
        return self.rows[-1] if self.rows else {}

    def __getitem__(self, name: str) -> list[float]:
        if name not in self.names:
            raise KeyError(f"{name!r}; there is {', '.join(self.names) or 'nothing yet'}")
        return [row.get(name, float("nan")) for row in self.rows]

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[dict[str, float]]:
        return iter(self.rows)

    def __str__(self) -> str:
        lines = [["epoch", *self.names]]
        for number, row in enumerate(self.rows, 1):
            found = [f"{row[name]:.4g}" if name in row else "" for name in self.names]
            lines.append([str(number), *found])
        told = "\n".join([line.rstrip() for line in columns(lines).splitlines()])
        return told + ("\nstopped by an interrupt" if self.stopped else "")

    def __repr__(self) -> str:
        return f"<History of {len(self.rows)} epochs: {', '.join(self.names) or 'nothing yet'}>"

    def _repr_html_(self) -> str:
        return self.picture() + f"<pre>{self}</pre>"

    def picture(self) -> str:
        """The curves, as SVG."""
        numbers = [float(i + 1) for i in range(len(self.rows))]
        return line_plot(
            [Curve(numbers, self[name], name, name.startswith("val_")) for name in self.names],
            title="training",
        )

    def to_dict(self) -> dict[str, Any]:
        """All numbers, by name."""
        return {name: self[name] for name in self.names}
