"""Arrow's own files, and tables in memory, record batch by record batch."""

from __future__ import annotations

from threading import Lock
from typing import Any

import numpy as np

from nbgraph.errors import DataError
from nbgraph.io.columns import arrow
from nbgraph.io.files import expand, file_system, is_remote
from nbgraph.io.iterator import SourceIter
from nbgraph.io.nearby import require_file
from nbgraph.io.tables import Tables, TableSource

_STEP = 1 << 16  # rows of a block at most: a window is in memory, however long the batches are


class ArrowIter(SourceIter):
    """Batches of rows of Arrow IPC files (Feather among them), or of a pyarrow.Table.

    A block is a record batch, or 65536 rows of one. Files are mapped into memory:
    what is not packed is not copied before it is put into a batch.

    Parameters
    ----------
    uri : str, path, sequence of these, or pyarrow.Table
        Files, several with ";" between, patterns, folders, or URLs that fsspec reads.
    data, label, batch_size, **how : as those of ParquetIter

    Raises
    ------
    DataError
        A file or a column is not there or is damaged, a value is missing or is no class.

    >>> import pyarrow as pa
    >>> table = pa.table({"word": [[3, 1, 4], [1, 5, 9]], "y": [0, 1]})
    >>> it = ArrowIter(table, data="word", label="y", shapes={"data": (3,)}, batch_size=2)
    >>> it.next().data[0].tolist()
    [[3, 1, 4], [1, 5, 9]]
    """

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
        pa = arrow()
        tables = Pieces(uri) if isinstance(uri, pa.Table) else RecordBatches(expand(uri))
        how = {"missing": missing, "dtype": dtype, "shapes": shapes, "classes": classes}
        super().__init__(TableSource(tables, data, label, **how), batch_size, **options)


class Pieces(Tables):
    """The batches of a table in memory."""

    def __init__(self, table: Any) -> None:
        self.name, self.schema = "a pyarrow.Table", table.schema
        self._batches = table.to_batches(max_chunksize=_STEP)
        self.blocks = _offsets(self.name, [len(batch) for batch in self._batches])

    def table(self, block: int, columns: Any) -> Any:
        """Return some columns of a batch."""
        return _table(self._batches[block], columns)


class RecordBatches(Tables):
    """The record batches of files."""

    def __init__(self, paths: list[str]) -> None:
        pa = arrow()
        self.name = paths[0]
        self._lock = Lock()  # a reader serves one thread at a time; mapped batches cost it nothing
        self._pieces: list[tuple[Any, int, int, str]] = []  # reader, batch, its first row, file
        counts: list[int] = []
        for path in paths:
            try:
                none = pa.ipc.IpcReadOptions(included_fields=[])
                heads = pa.ipc.open_file(_opened(path), options=none)  # lengths, and no values
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
        self.blocks = _offsets(self.name, counts)

    def table(self, block: int, columns: Any) -> Any:
        """Read a record batch or a stretch of it; of a mapped one, where it lies."""
        pa = arrow()
        reader, k, row, path = self._pieces[block]
        try:
            with self._lock:
                batch = reader.get_batch(k)
        except (pa.ArrowException, OSError) as error:
            raise DataError(f"record batch {k}: {error}", file=path) from error
        return _table(batch.slice(row, _STEP), columns)

    def place(self, block: int) -> str:
        """Return the file of a record batch."""
        return self._pieces[block][3]

    def close(self) -> None:
        """Let go of the files; they are unmapped with the last array that shows them."""
        self._pieces = []


def _opened(path: str) -> Any:
    if is_remote(path):
        files, inside = file_system(path)
        return arrow().PythonFile(files.open(inside, "rb"), mode="r")
    require_file(path)
    return arrow().memory_map(path)


def _table(batch: Any, columns: Any) -> Any:
    return arrow().Table.from_batches([batch.select(list(columns))])


def _offsets(name: str, counts: list[int]) -> Any:
    if not sum(counts):
        raise DataError("the table has no row", file=name)
    return np.concatenate([[0], np.cumsum(counts, dtype=np.int64)])
