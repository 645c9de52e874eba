"""Sources and iterators of pyarrow's tables: Parquet files and datasets by row groups, Arrow IPC
files and tables in memory by record batches."""

from collections.abc import Callable
from pathlib import Path
from threading import Lock
from typing import Any

from nbgraph.errors import DataError
from nbgraph.io.columns import arrow
from nbgraph.io.files import expand, extra, file_system, is_remote, local, require_file, split
from nbgraph.io.iterator import SourceIter
from nbgraph.io.source import offsets
from nbgraph.io.tables import Tables, TableSource


class TableIter(SourceIter):
    """Batches of rows of tables; see `ParquetIter`."""

    _tables_of: Callable[[Any], Tables]

    def __init__(
        self,
        uri: Any,
        data: Any = None,
        label: Any = None,
        batch_size: int = 1,
        *,
        missing: Any = None,
        dtype: Any = None,
        shapes: Any = None,
        classes: Any = None,
        **options: Any,
    ) -> None:
        how = {"missing": missing, "dtype": dtype, "shapes": shapes, "classes": classes}
        super().__init__(
            TableSource(self._tables_of(uri), data, label, **how), batch_size, **options
        )


class RowGroups(Tables):
    """The row groups of a dataset; a file of another format is a single group."""

    def __init__(self, uri: Any) -> None:
        pa = arrow()
        package = extra("pyarrow.dataset", "pyarrow", "data", "ParquetIter")
        try:
            ready = isinstance(uri, package.Dataset)
            parts = [uri] if ready else [_part(package, name) for name in split(uri)]
            dataset = parts[0] if len(parts) == 1 else package.dataset(parts)
            self._groups = [group for file in dataset.get_fragments() for group in _split(file)]
            counts = [_length(group) for group in self._groups]
        except (pa.ArrowException, OSError) as error:
            raise DataError(f"{uri}: not read as Parquet: {error}") from error
        self.name = self._groups[0].path if self._groups else str(uri)
        self.schema = dataset.schema
        self.blocks = offsets(self.name, counts)

    def table(self, block: int, columns: Any) -> Any:
        pa = arrow()
        try:
            group = self._groups[block]
            return group.to_table(schema=self.schema, columns=list(columns), use_threads=False)
        except (pa.ArrowException, OSError) as error:
            text = " ".join(str(error).split())
            raise DataError(f"row group {block}: {text}", file=self.place(block)) from error

    def place(self, block: int) -> str:
        return getattr(self._groups[block], "path", None) or self.name


def _split(file: Any) -> list[Any]:
    """Return the row groups of a file, or the file itself if its format has none."""
    return list(file.split_by_row_group()) if hasattr(file, "split_by_row_group") else [file]


def _length(group: Any) -> int:
    own = getattr(group, "row_groups", None)  # count_rows() counts the whole file
    return own[0].num_rows if own else group.count_rows()


def _part(package: Any, name: str) -> Any:
    """Return the dataset of a file, a folder, a pattern or a URL."""
    how = {"format": "parquet", "partitioning": "hive"}
    if is_remote(name):
        files, path = file_system(name)
        return package.dataset(path, filesystem=files, **how)
    if Path(local(name)).is_dir():
        return package.dataset(local(name), **how)
    paths = expand(name)
    for path in paths:
        require_file(path)
    return package.dataset(paths, **how)


class ParquetIter(TableIter):
    """Batches of rows of Parquet files, or of any dataset of pyarrow.

    A block is a row group, of which only the requested columns are read. Memory holds the row
    groups of a window only, however large the files are.

    Parameters
    ----------
    uri : str, path, sequence of these, or pyarrow.dataset.Dataset
        Files separated by ";", patterns, folders ("key=value" subfolders become columns), or URLs
        that fsspec reads.
    data, label : str, sequence or dict, optional
        A name: that column. A sequence: columns of numbers side by side in one array. A dict:
        arrays by name, each a column or a sequence. By default `data` is all columns that are
        not labels.
    batch_size : int
    missing : number or dict by column, optional
        The value that replaces missing ones; None raises an error with row and column.
    dtype : dtype or dict by array, optional
        The dtype of data; by default that of the columns.
    shapes : dict by array, optional
        The shape of one sample, for columns of lists.
    classes : int or sequence of str, optional
        The number of classes, or their names if labels are text.
    **options : see SourceIter

    Raises
    ------
    DataError
        A file or column is absent or damaged, a value is missing, or a label is not a class.

    >>> import pyarrow as pa, pyarrow.parquet as pq, tempfile
    >>> path = tempfile.mkdtemp() + "/table.parquet"
    >>> pq.write_table(
    ...     pa.table({"a": [0.0, 1.0, 2.0], "b": [3.0, None, 5.0], "y": [0, 1, 0]}), path
    ... )
    >>> it = ParquetIter(path, label="y", batch_size=3, missing=-1.0, classes=2)
    >>> it.next().data[0].tolist()
    [[0.0, 3.0], [1.0, -1.0], [2.0, 5.0]]
    """

    _tables_of = RowGroups


_STEP = 1 << 16  # most rows of a block: bounds a window in memory, however long record batches are


class ArrowIter(TableIter):
    """Batches of rows of Arrow IPC files (also Feather), or of a pyarrow.Table.

    A block is a record batch, or 65536 rows of one. Files are mapped into memory; uncompressed
    values are copied only when a batch is assembled.

    Parameters
    ----------
    uri : str, path, sequence of these, or pyarrow.Table
        Files separated by ";", patterns, folders, or URLs that fsspec reads.
    data, label, batch_size, **how : see ParquetIter

    Raises
    ------
    DataError
        A file or column is absent or damaged, a value is missing, or a label is not a class.

    >>> import pyarrow as pa
    >>> table = pa.table({"word": [[3, 1, 4], [1, 5, 9]], "y": [0, 1]})
    >>> it = ArrowIter(table, data="word", label="y", shapes={"data": (3,)}, batch_size=2)
    >>> it.next().data[0].tolist()
    [[3, 1, 4], [1, 5, 9]]
    """

    @staticmethod
    def _tables_of(uri: Any) -> Tables:
        """Return the tables of files or of a pyarrow.Table."""
        return Pieces(uri) if isinstance(uri, arrow().Table) else RecordBatches(expand(uri))


class Pieces(Tables):
    """The batches of a table in memory."""

    def __init__(self, table: Any) -> None:
        self.name, self.schema = "a pyarrow.Table", table.schema
        self._batches = table.to_batches(max_chunksize=_STEP)
        self.blocks = offsets(self.name, [len(batch) for batch in self._batches])

    def table(self, block: int, columns: Any) -> Any:
        return _table(self._batches[block], columns)


class RecordBatches(Tables):
    """The record batches of files."""

    def __init__(self, paths: list[str]) -> None:
        pa = arrow()
        self.name = paths[0]
        self._lock = Lock()  # a reader serves one thread at a time; reading mapped batches is cheap
        self._pieces: list[tuple[Any, int, int, str]] = []  # reader, batch, its first row, file
        counts: list[int] = []
        for path in paths:
            try:
                none = pa.ipc.IpcReadOptions(included_fields=[])
                heads = pa.ipc.open_file(_opened(path), options=none)  # for lengths, without values
                own = [heads.get_batch(k).num_rows for k in range(heads.num_record_batches)]
                reader = pa.ipc.open_file(_opened(path))
            except (pa.ArrowException, OSError) as error:
                raise DataError(f"not read as an Arrow file: {error}", file=path) from error
            if counts and reader.schema.names != self.schema.names:
                raise DataError(
                    f"the columns are {', '.join(reader.schema.names)}; expected "
                    f"{', '.join(self.schema.names)}, as in {self.name}",
                    file=path,
                )
            self.schema = reader.schema
            firsts = [(k, row) for k, size in enumerate(own) for row in range(0, size, _STEP)]
            self._pieces += [(reader, k, row, path) for k, row in firsts]
            counts += [min(_STEP, own[k] - row) for k, row in firsts]
        self.blocks = offsets(self.name, counts)

    def table(self, block: int, columns: Any) -> Any:
        """Read a record batch or a slice of it; a mapped one is not copied."""
        pa = arrow()
        reader, k, row, path = self._pieces[block]
        try:
            with self._lock:
                batch = reader.get_batch(k)
        except (pa.ArrowException, OSError) as error:
            raise DataError(f"record batch {k}: {error}", file=path) from error
        return _table(batch.slice(row, _STEP), columns)

    def place(self, block: int) -> str:
        return self._pieces[block][3]

    def close(self) -> None:
        """Release the files; each is unmapped when its last array is freed."""
        self._pieces = []


def _opened(path: str) -> Any:
    if is_remote(path):
        files, inside = file_system(path)
        return arrow().PythonFile(files.open(inside, "rb"), mode="r")
    require_file(path)
    return arrow().memory_map(path)


def _table(batch: Any, columns: Any) -> Any:
    return arrow().Table.from_batches([batch.select(list(columns))])
