"""Conversion of columns of an Arrow table to arrays of a requested shape, missing values filled.

Memory is shared with the table where possible: numbers without nulls, lists of one length.
"""

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from nbgraph.errors import ArgumentError
from nbgraph.io.files import extra
from nbgraph.io.protocol import DataDesc
from nbgraph.io.source import Values

Names = str | Sequence[str] | Mapping[str, str | Sequence[str]]


def arrow() -> Any:
    """Import and return pyarrow."""
    return extra("pyarrow", "pyarrow", "data", "a table of data")


class BadValue(Exception):
    """An invalid value: its row in the table, and the error message."""

    def __init__(self, row: int, message: str) -> None:
        super().__init__(message)
        self.row, self.message = int(row), message


@dataclass(frozen=True, slots=True)
class Field:
    """An array of the batch, and the columns of the table that it consists of.

    `desc`: describes one sample. `columns`: tuple of str. `side_by_side`: whether it joins columns
    of numbers along a new axis. `missing`: for each column the value that replaces missing ones;
    None: an error. `classes`: number of classes of integer labels, or names of text labels.
    """

    desc: DataDesc
    columns: tuple[str, ...]
    side_by_side: bool
    missing: tuple[Any, ...]
    classes: int | tuple[str, ...] | None = None

    def read(self, table: Any) -> Any:
        """Return the values of all rows of a table: an array, or a list if shapes differ.

        Raises
        ------
        BadValue
            A value is missing, is not a class, or has another shape.
        """
        parts = [self._column(table[c], c, m) for c, m in zip(self.columns, self.missing)]
        shape, dtype = self.desc.shape, self.desc.dtype
        if self.side_by_side:
            out = np.empty((len(table), len(parts)), dtype)
            for j, part in enumerate(parts):
                out[:, j] = part
            return out.reshape(len(table), *shape)
        values = parts[0]
        if isinstance(values, np.ndarray):
            return values.reshape(len(table), *shape).astype(dtype, copy=False)
        if -1 not in shape:
            return self._equal(values)
        return [each.astype(dtype, copy=False) for each in values]

    def _column(self, column: Any, name: str, missing: Any) -> Any:
        """Return the values of a column, with missing values replaced."""
        if column.null_count:
            column = self._filled(column, name, missing)
        if isinstance(self.classes, tuple):
            return self._coded(column, name, self.classes)
        values = values_of(column, name)
        if self.classes is not None:
            wrong = np.flatnonzero((values < 0) | (values >= self.classes))
            if len(wrong):
                text = f"expected a class from 0 to {self.classes - 1}"
                raise BadValue(wrong[0], f"column {name!r}: label {values[wrong[0]]}; {text}")
        return values

    def _filled(self, column: Any, name: str, missing: Any) -> Any:
        pa = arrow()
        if missing is None:
            row = column.is_null().to_numpy().argmax()
            remedy = "give missing=, the value that stands for it"
            raise BadValue(row, f"column {name!r}: the value is missing; {remedy}")
        if self.desc.dtype.kind == "f" and not isinstance(self.classes, tuple):
            column = column.cast(pa.from_numpy_dtype(self.desc.dtype), safe=False)
        try:
            filler = pa.scalar(missing, column.type)
            if pa.types.is_integer(column.type) and filler.as_py() != missing:
                raise pa.ArrowInvalid("a part of the value would be lost")
            return column.fill_null(filler)
        except (pa.ArrowInvalid, pa.ArrowTypeError):
            raise ArgumentError(
                f"missing={missing!r} is none of the values of column {name!r}, which are "
                f"{column.type}; give another, or a dtype of floats"
            ) from None

    def _coded(self, column: Any, name: str, classes: tuple[str, ...]) -> Values:
        """Return the class number of each class name in a column of text."""
        pa = arrow()
        if pa.types.is_dictionary(column.type):
            column = column.cast(column.type.value_type)
        compute = extra("pyarrow.compute", "pyarrow", "data", "classes=")
        codes = compute.index_in(column, pa.array(classes, column.type))
        if codes.null_count:
            row = codes.is_null().to_numpy().argmax()
            text = f"{column[int(row)].as_py()!r} is not a class; classes={list(classes)}"
            raise BadValue(row, f"column {name!r}: {text}")
        return codes.to_numpy()

    def _equal(self, values: list[Values]) -> Values:
        """Return lists of the shape of `self.desc` as one array."""
        shape = self.desc.shape
        wrong = [row for row, each in enumerate(values) if each.size != np.prod(shape)]
        if wrong:
            size = values[wrong[0]].size
            text = f"{size} values; expected {int(np.prod(shape))}, for shape {shape}"
            raise BadValue(wrong[0], f"column {self.columns[0]!r}: {text}")
        arrays = [each.reshape(shape) for each in values]
        return np.array(arrays, self.desc.dtype).reshape(len(values), *shape)


def values_of(column: Any, name: str) -> Any:
    """Return a column as an array, or as a list of arrays if lengths differ."""
    pa = arrow()
    array = column
    if isinstance(column, pa.ChunkedArray):
        chunks = column.chunks
        array = chunks[0] if len(chunks) == 1 else pa.concat_arrays(chunks)
    if isinstance(array, pa.ExtensionArray):
        array = array.storage
    kind = array.type
    if pa.types.is_dictionary(kind):
        return values_of(array.dictionary_decode(), name)
    if pa.types.is_fixed_size_list(kind):
        flat = _inner(array.flatten(), name, lambda at: at // kind.list_size)
        return flat.reshape(len(array), kind.list_size, *flat.shape[1:])
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        ends = array.offsets.to_numpy() - array.offsets[0].as_py()
        flat = _inner(array.flatten(), name, lambda at: np.searchsorted(ends, at, "right") - 1)
        return [flat[a:b] for a, b in itertools.pairwise(ends)]
    if pa.types.is_binary(kind) or pa.types.is_large_binary(kind):
        return [np.frombuffer(each.as_buffer(), np.uint8) for each in array]
    if pa.types.is_decimal(kind):
        array = array.cast(pa.float64())
    return array.to_numpy(zero_copy_only=False)


def _inner(array: Any, name: str, row_of: Any) -> Values:
    """Return the flattened values of lists; `row_of` maps an index of them to its row."""
    if array.null_count:
        row = row_of(array.is_null().to_numpy(zero_copy_only=False).argmax())
        raise BadValue(row, f"column {name!r}: a value within the list is missing; fill it before")
    values = values_of(array, name)
    if not isinstance(values, np.ndarray):
        raise BadValue(0, f"column {name!r}: lists of lists, of several lengths, are not an array")
    return values
