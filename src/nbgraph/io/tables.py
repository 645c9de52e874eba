"""Tables as sources of samples: row groups of Parquet, record batches of Arrow, blocks of CSV.

A block is a unit of the file, which is read as a whole, but with the requested columns only: memory
holds the blocks of a window, however large the data are.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from nbgraph.errors import DataError
from nbgraph.io.columns import BadValue, Field, arrow
from nbgraph.io.fields import fields_of
from nbgraph.io.source import Columns, Source, Values, taken


class Tables:
    """The rows of a table in blocks. Subclasses set the attributes and define `table`.

    `name`: for error messages. `schema`: pyarrow.Schema. `blocks`: offsets, int64 array (n + 1,).
    """

    name: str
    schema: Any
    blocks: Values

    def prepare(self, fields: Sequence[Field]) -> None:
        """Receive the requested fields before the first read; by default do nothing."""

    def table(self, block: int, columns: Sequence[str]) -> Any:
        """Return some columns of a block."""
        raise AttributeError(f"{type(self).__name__} has no table(block, columns)")

    def some(self, block: int, rows: Values, columns: Sequence[str]) -> Any:
        """Return some columns of some rows of a block."""
        return self.table(block, columns).take(arrow().array(rows))

    def fault(self, block: int, row: int, message: str) -> DataError:
        """Return an error for a row of a block."""
        number = int(self.blocks[block]) + row
        error = DataError(f"row {number}, {message}", file=self.place(block))
        error.record = number
        return error

    def place(self, block: int) -> str:
        """Return the name of the file of a block."""
        return self.name

    def close(self) -> None:
        """Close open files."""


class TableSource(Source):
    """The rows of tables as samples.

    Parameters
    ----------
    tables : Tables
    data, label, **how : see `fields_of`
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
        """Read a block, or some of its rows only, so that errors in other rows do not matter."""
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


class PairedSource(Source):
    """Two sources with equal blocks as one, with the columns of both."""

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
        """Read the columns of both sources."""
        return tuple([column for part in self.parts for column in part.read(block, rows)])

    def close(self) -> None:
        for part in self.parts:
            part.close()
