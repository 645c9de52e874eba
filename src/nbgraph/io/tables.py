"""Tables as sources of samples: row groups of Parquet, batches of Arrow, whatever gives tables.

A block is what the file keeps together, and is read as a whole, with the columns asked for alone:
in memory are the blocks of a window, however large the data are.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from nbgraph.errors import DataError
from nbgraph.io.columns import BadValue, Field, arrow
from nbgraph.io.fields import fields_of
from nbgraph.io.source import Columns, Source, Values, taken


class Tables:
    """Rows of a table in blocks. Subclasses set the attributes and give `table`.

    `name`: for messages. `schema`: pyarrow.Schema. `blocks`: int64 array (n + 1,).
    """

    name: str
    schema: Any
    blocks: Values

    def prepare(self, fields: Sequence[Field]) -> None:
        """Take note of what is asked for, where that helps reading."""

    def table(self, block: int, columns: Sequence[str]) -> Any:
        """Return some columns of a block."""
        raise AttributeError(f"{type(self).__name__} has no table(block, columns)")

    def some(self, block: int, rows: Values, columns: Sequence[str]) -> Any:
        """Return some columns of some rows of a block."""
        return self.table(block, columns).take(arrow().array(rows))

    def fault(self, block: int, row: int, message: str) -> DataError:
        """Return the error of a row of a block."""
        number = int(self.blocks[block]) + row
        error = DataError(f"row {number}, {message}", file=self.place(block))
        error.record = number
        return error

    def place(self, block: int) -> str:
        """Return the file of a block."""
        return self.name

    def close(self) -> None:
        """Release what is open."""


class TableSource(Source):
    """The samples of tables.

    Parameters
    ----------
    tables : Tables
    data, label, **how : as those of `fields_of`
    """

    whole_blocks = True

    def __init__(self, tables: Tables, data: Any = None, label: Any = None, **how: Any) -> None:
        self.tables = tables
        self.fields, self.labels = fields_of(tables.schema, data, label, **how)
        tables.prepare(self.fields)
        self.name, self.blocks = tables.name, tables.blocks
        self.descs = tuple([field.desc for field in self.fields])
        self._columns = list(dict.fromkeys(c for f in self.fields for c in f.columns))

    def read(self, block: int, rows: Values) -> Columns:
        """Read a block, or some of its rows alone: what is wrong with others does not matter."""
        size = int(self.blocks[block + 1] - self.blocks[block])
        whole = len(rows) == size
        if whole:
            table = self.tables.table(block, self._columns)
        else:
            table = self.tables.some(block, rows, self._columns)
        try:
            columns = [field.read(table) for field in self.fields]
        except BadValue as bad:
            row = bad.row if whole else int(rows[bad.row])
            raise self.tables.fault(block, row, bad.message) from None
        if not whole or (rows == np.arange(size)).all():
            return tuple(columns)
        return tuple([taken(column, rows) for column in columns])

    def close(self) -> None:
        self.tables.close()


class Beside(Source):
    """Two sources of as many samples in blocks of the same size, their columns side by side."""

    whole_blocks = True

    def __init__(self, first: Source, second: Source) -> None:
        if len(first) != len(second):
            raise DataError(
                f"{first.name} has {len(first)} rows and {second.name} has {len(second)}; expected "
                "one length"
            )
        if not np.array_equal(first.blocks, second.blocks):
            raise DataError(
                f"the files of {first.name} and {second.name} are not of the same numbers of rows; "
                "give them in pairs"
            )
        self.parts = first, second
        self.name, self.blocks = first.name, first.blocks
        self.descs = (*first.descs, *second.descs)
        self.labels = (*first.labels, *second.labels)

    def read(self, block: int, rows: Values) -> Columns:
        """Read the block of both."""
        return tuple([column for part in self.parts for column in part.read(block, rows)])

    def close(self) -> None:
        for part in self.parts:
            part.close()
