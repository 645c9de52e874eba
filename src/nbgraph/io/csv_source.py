"""CSV files: pyarrow parses them block by block; errors name the row, the line and the column."""

import csv
import io
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from nbgraph.errors import ArgumentError, DataError
from nbgraph.io.columns import Field, arrow
from nbgraph.io.files import Bytes, expand, extra, open_bytes
from nbgraph.io.iterator import SourceIter
from nbgraph.io.lines import TextFiles
from nbgraph.io.source import Source, Values
from nbgraph.io.tables import PairedSource, Tables, TableSource

_SAMPLE_BYTES = 1 << 16  # size of the first rows, from which the types of columns are inferred


class CSVIter(SourceIter):
    r"""Batches of rows of CSV files, which need not fit into memory.

    With `data_shape`, as in MXNet, files have no header, each row is a sample of that shape, and
    labels are in separate files. Without it, columns are named by the first row.

    Parameters
    ----------
    data_csv : str, path or sequence of these
        Files separated by ";", patterns, folders, or URLs that fsspec reads.
    data_shape : tuple of int, optional
    label_csv : like data_csv, optional
    label_shape : tuple of int
    batch_size : int
    data, label : str, sequence or dict, optional
        A name: that column. A sequence: columns of numbers side by side in one array. A dict:
        arrays by name, each a column or a sequence. By default all columns that are not labels.
    missing : number or dict by column, optional
        The value that replaces missing ones (empty, "NA", "nan", "null" and similar texts); None
        raises an error with row and column.
    dtype : dtype or dict by array
        The dtype of data. Labels are int64 if the first rows have integer labels.
    classes : int or sequence of str, optional
        The number of classes, or their names if labels are text.
    names : sequence of str, optional
        Names of the columns, for files without a header.
    delimiter : str
    **options : see SourceIter

    Raises
    ------
    DataError
        A file or column is absent, a row has too few columns, a value is missing or not a number,
        or a label is not a class; the error has the row, its line and its byte offset.

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "flowers.csv"
    >>> _ = path.write_text("long,wide,kind\n5.1,3.5,0\n4.9,,1\n")
    >>> it = CSVIter(path, data=["long", "wide"], label="kind", missing=0.0, batch_size=2)
    >>> batch = it.next()
    >>> batch.data[0].tolist(), batch.label[0].tolist()
    ([[5.099999904632568, 3.5], [4.900000095367432, 0.0]], [0, 1])
    """

    def __init__(
        self,
        data_csv: Any,
        data_shape: Sequence[int] | None = None,
        label_csv: Any = None,
        label_shape: Sequence[int] = (1,),
        batch_size: int = 1,
        *,
        data: Any = None,
        label: Any = None,
        missing: Any = None,
        dtype: Any = "float32",
        classes: int | Sequence[str] | None = None,
        names: Sequence[str] | None = None,
        delimiter: str = ",",
        **options: Any,
    ) -> None:
        how = {"missing": missing, "dtype": dtype, "classes": classes}
        source: Source
        if data_shape is None:
            if label_csv is not None:
                raise ArgumentError(
                    "CSVIter: label_csv= goes with data_shape=; columns are named by label="
                )
            tables = Texts(data_csv, names=names, delimiter=delimiter)
            source = TableSource(tables, data, label, **how)
        else:
            if data is not None or label is not None or names is not None:
                raise ArgumentError(
                    "CSVIter: data_shape= is for files without names; leave it out to give data=, "
                    "label= and names="
                )
            parsing: dict[str, Any] = {"names": _numbered(data_shape), "delimiter": delimiter}
            tables = Texts(data_csv, **parsing, numbers=True)
            shapes = {"data": tuple(data_shape), "label": tuple(label_shape)}
            source = TableSource(tables, shapes=shapes, **how | {"classes": None})
            if label_csv is not None:  # rows of another file
                parsing |= {"names": _numbered(label_shape), "every": tables.every}
                texts = Texts(label_csv, **parsing, numbers=not isinstance(classes, (list, tuple)))
                labels = TableSource(texts, {}, parsing["names"], shapes=shapes, **how)
                source = PairedSource(source, labels)
        super().__init__(source, batch_size, **options)


def _numbered(shape: Sequence[int]) -> list[str]:
    return [str(k) for k in range(math.prod(shape))]


class Texts(Tables):
    """CSV files as blocks of rows.

    `uri`: str, path or sequence of these. `names`: names of the columns; by default the first row
    of each file. `delimiter`: str. `every`: rows per block. `numbers`: whether every column is
    numeric.
    """

    def __init__(
        self,
        uri: Any,
        *,
        names: Sequence[str] | None = None,
        delimiter: str = ",",
        every: int | None = None,
        numbers: bool = False,
    ) -> None:
        extra("pyarrow.csv", "pyarrow", "data", "CSVIter")
        self._delimiter, self._types = delimiter, {}
        self._files = [open_bytes(path) for path in expand(uri)]
        self._names: list[list[str]] = []
        for file in self._files:
            if not file.size:
                raise DataError(f"{file.name} is empty: it has 0 bytes")
            titles = _header(file, delimiter) if names is None else list(names)
            self._names.append(titles)
            if sorted(titles) != sorted(self._names[0]):
                raise DataError(
                    f"the columns are {', '.join(titles)}; expected {', '.join(self._names[0])}, "
                    f"as in {self._files[0].name}",
                    file=file.name,
                )
        self._texts = TextFiles(self._files, every=every, header=names is None)
        self.name, self.every = self._texts.name, self._texts.every
        self.blocks, self.close = self._texts.blocks, self._texts.close
        self.schema = self._inferred(numbers=numbers)

    def _inferred(self, *, numbers: bool) -> Any:
        """Infer the schema of the columns from the first rows; floats are float32.

        A column of text that starts with a number counts as numeric with an invalid value.
        """
        pa = arrow()
        table = self._parsed(0, self._texts.first(_SAMPLE_BYTES), self._names[0], strict=False)
        types = []
        for column in table.columns:
            kind = column.type
            text = pa.types.is_string(kind)
            values = column.drop_null() if text else ()
            begins = len(values) > 0 and _number(values[0].as_py(), float)
            if kind in {pa.float64(), pa.null()} or begins or (text and numbers):
                kind = pa.float32()
            types.append(kind)
        return pa.schema(list(zip(table.column_names, types)))

    def prepare(self, fields: Sequence[Field]) -> None:
        """Set the types to which numeric columns are parsed."""
        pa = arrow()
        self._types = {
            column: pa.from_numpy_dtype(field.desc.dtype)
            for field in fields
            for column in field.columns
            if not isinstance(field.classes, tuple)
        }

    def table(self, block: int, columns: Sequence[str]) -> Any:
        return self._parsed(block, self._texts.text(block), columns)

    def some(self, block: int, rows: Values, columns: Sequence[str]) -> Any:
        return self._parsed(block, self._texts.text(block, rows), columns, rows)

    def _parsed(
        self,
        block: int,
        text: bytes,
        columns: Sequence[str],
        rows: Values | None = None,
        *,
        strict: bool = True,
    ) -> Any:
        csv = extra("pyarrow.csv", "pyarrow", "data", "CSVIter")
        reading = csv.ReadOptions(
            column_names=self._names[self._texts.file(block)],
            use_threads=False,
            block_size=len(text) + 1,
        )
        parsing = csv.ParseOptions(
            delimiter=self._delimiter,
            newlines_in_values=b'"' in text,
            invalid_row_handler=None if strict else lambda row: "skip",
        )
        types = {c: self._types[c] for c in columns if c in self._types}
        values = csv.ConvertOptions(column_types=types, include_columns=list(columns))
        try:
            return csv.read_csv(arrow().BufferReader(text), reading, parsing, values)
        except arrow().ArrowInvalid as error:
            fault = self._row_fault(block, rows, types)  # more precise than the parser's error
            if fault is not None:
                raise fault from None
            raise DataError(f"block {block}: {error}", file=self.place(block)) from error

    def _row_fault(self, block: int, rows: Values | None, types: Mapping[str, Any]) -> Any:
        """Return an error for the first row that cannot be parsed, or None."""
        names, texts = self._names[self._texts.file(block)], self._texts.rows(block)
        for row in range(len(texts)) if rows is None else rows.tolist():
            text = io.StringIO(texts[row].decode("utf-8-sig", "replace"), newline="")
            values = next(csv.reader(text, delimiter=self._delimiter), [])
            if len(values) != len(names):
                message = f"has {len(values)} columns; expected {len(names)}: {_few(names)}"
                return self._texts.fault(block, row, " " + message)
            for name, value in zip(names, values):
                wrong = name in types and _wrong(value.strip(), str(types[name]))
                if wrong:
                    message = f", column {name!r}: {value!r} is {wrong}"
                    return self._texts.fault(block, row, message)
        return None

    def fault(self, block: int, row: int, message: str) -> DataError:
        return self._texts.fault(block, row, f", {message}")

    def place(self, block: int) -> str:
        return self._files[self._texts.file(block)].name


def _header(file: Bytes, delimiter: str) -> list[str]:
    """Return the names in the first row."""
    text = io.StringIO(file.read(0, 1 << 20).decode("utf-8-sig", "ignore"), newline="")
    rows = csv.reader(text, delimiter=delimiter, skipinitialspace=True)
    names = [name.strip() for name in next((row for row in rows if row), [])]
    twice = [name for k, name in enumerate(names) if name in names[:k]]
    if twice:
        raise DataError(f"two columns are named {twice[0]!r}; give names=[...]", file=file.name)
    return names


def _number(text: str, kind: Callable[[str], Any]) -> bool:
    try:
        kind(text)
    except ValueError:
        return False
    return "_" not in text  # Python allows 1_000, CSV does not


def _wrong(text: str, kind: str) -> str:
    """Return a description of the fault of a value's text, or "" if it is valid or missing."""
    nulls = extra("pyarrow.csv", "pyarrow", "data", "CSVIter").ConvertOptions().null_values
    if text in nulls:
        return ""
    if kind == "bool":
        return "" if text.lower() in {"true", "false", "0", "1"} else "neither true nor false"
    if not _number(text, float):
        return "not a number"
    if kind.startswith(("int", "uint")) and not _number(text, int):
        return 'not a whole number, as those before; ask for floats by dtype={"label": "float32"}'
    return ""


def _few(names: Sequence[str]) -> str:
    text = ", ".join(names[:8])
    return text if len(names) <= 8 else f"{text}, ..."
