"""Parquet files and datasets of many files, row group by row group."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from nbgraph.errors import DataError
from nbgraph.io.columns import arrow
from nbgraph.io.extras import extra
from nbgraph.io.files import expand, file_system, is_remote, local, split
from nbgraph.io.iterator import SourceIter
from nbgraph.io.nearby import require_file
from nbgraph.io.tables import Tables, TableSource


class ParquetIter(SourceIter):
    """Batches of rows of Parquet files, or of any dataset of pyarrow.

    A block is a row group. Of each, only the columns asked for are read; no more row groups are in
    memory than a window mixes, however large the files are.

    Parameters
    ----------
    uri : str, path, sequence of these, or pyarrow.dataset.Dataset
        Files, several with ";" between, patterns, folders (of "key=value" folders too, whose keys
        are columns), or URLs that fsspec reads.
    data, label : str, sequence or dict, optional
        A name: that column. A sequence: columns of numbers side by side in one array. A dict:
        arrays by name, each of a column or a sequence. By default all columns that are no labels.
    batch_size : int
    missing : number or dict by column, optional
        What stands for a missing value; None: an error that names its row and column.
    dtype : dtype or dict by array, optional
        Of data; by default as the columns are.
    shapes : dict by array, optional
        Of one sample, where a column holds lists.
    classes : int or sequence of str, optional
        How many classes the labels are of, or their names where labels are text.
    **options : as those of SourceIter

    Raises
    ------
    DataError
        A file or a column is not there or is damaged, a value is missing or is no class.

    >>> import pyarrow as pa, pyarrow.parquet as pq, tempfile
    >>> path = tempfile.mkdtemp() + "/table.parquet"
    >>> pq.write_table(
    ...     pa.table({"a": [0.0, 1.0, 2.0], "b": [3.0, None, 5.0], "y": [0, 1, 0]}), path
    ... )
    >>> it = ParquetIter(path, label="y", batch_size=3, missing=-1.0, classes=2)
    >>> it.next().data[0].tolist()
    [[0.0, 3.0], [1.0, -1.0], [2.0, 5.0]]
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
        tables = RowGroups(uri)
        how = {"missing": missing, "dtype": dtype, "shapes": shapes, "classes": classes}
        super().__init__(TableSource(tables, data, label, **how), batch_size, **options)


class RowGroups(Tables):
    """The row groups of a dataset; of files in other formats, each file is one."""

    def __init__(self, uri: Any) -> None:
        pa = arrow()
        package = extra("pyarrow.dataset", "pyarrow", "data", "ParquetIter")
        try:
            known = isinstance(uri, package.Dataset)
            dataset = uri if known else _dataset(package, uri)
            self._groups = [group for file in dataset.get_fragments() for group in _split(file)]
            counts = [_length(group) for group in self._groups]
        except (pa.ArrowException, OSError) as error:
            raise DataError(f"{uri}: not read as Parquet: {error}") from error
        self.name = self._groups[0].path if self._groups else str(uri)
        self.schema = dataset.schema
        self.blocks = np.concatenate([[0], np.cumsum(counts, dtype=np.int64)])
        if not self.blocks[-1]:
            raise DataError("the table has no row", file=self.name)

    def table(self, block: int, columns: Any) -> Any:
        """Read some columns of a row group."""
        pa = arrow()
        try:
            group = self._groups[block]
            return group.to_table(schema=self.schema, columns=list(columns), use_threads=False)
        except (pa.ArrowException, OSError) as error:
            told = " ".join(str(error).split())
            raise DataError(f"row group {block}: {told}", file=self.place(block)) from error

    def place(self, block: int) -> str:
        """Return the path of a row group's file."""
        return getattr(self._groups[block], "path", None) or self.name


def _split(file: Any) -> list[Any]:
    """The row groups of a file; itself, where its format has none."""
    return list(file.split_by_row_group()) if hasattr(file, "split_by_row_group") else [file]


def _length(group: Any) -> int:
    own = getattr(group, "row_groups", None)  # count_rows() counts the whole file
    return own[0].num_rows if own else group.count_rows()


def _dataset(package: Any, uri: Any) -> Any:
    parts = [_part(package, name) for name in split(uri)]
    return parts[0] if len(parts) == 1 else package.dataset(parts)


def _part(package: Any, name: str) -> Any:
    """The dataset of a file, a folder, a pattern or a URL."""
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
