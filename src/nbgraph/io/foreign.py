"""Data of other libraries as sources: which class is read how. They are known by what they can do,
so that none of the libraries is imported for it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nbgraph.io.arrow_source import Pieces
from nbgraph.io.chunked import ChunkedSource, PartitionSource, is_chunked
from nbgraph.io.parquet_source import RowGroups
from nbgraph.io.source import Source, Stream
from nbgraph.io.streams import DatasetSource, IterableStream
from nbgraph.io.tables import Tables, TableSource


def source_of(data: Any) -> Source | Stream | None:
    """Return the source of an object of another library; None where it is none that is known.

    >>> import dask.bag
    >>> source_of(dask.bag.from_sequence([1, 2, 3], npartitions=2)).blocks.tolist()
    [0, 2, 3]
    """
    for known, make in _ROWS:
        if known(data):
            return make(data)
    return None


def _has(*names: str) -> Callable[[Any], bool]:
    return lambda data: all(hasattr(data, name) for name in names)


def _is(*names: str) -> Callable[[Any], bool]:
    """Whether an object's class, or one above it, has such a name."""
    return lambda data: any(kind.__name__ in names for kind in type(data).__mro__)


def _of_arrow(name: str) -> Callable[[Any], bool]:
    named = _is(name)
    return lambda data: type(data).__module__.startswith("pyarrow") and named(data)


def _all_chunked(data: Any) -> bool:
    return isinstance(data, (tuple, list)) and len(data) > 0 and all(map(is_chunked, data))


def _by_number(data: Any) -> bool:
    numbered = hasattr(data, "__len__") and hasattr(data, "__getitem__")
    return numbered and not hasattr(data, "__iter__")


def _chunked(data: Any) -> Source:
    """Arrays in chunks; of several the last is the label."""
    arrays = list(data) if isinstance(data, (tuple, list)) else [data]
    names = ["data", *[f"data{k}" for k in range(1, len(arrays))]]
    labels = names[-1:] if len(arrays) > 1 else []
    return ChunkedSource(dict(zip(names, arrays)), labels)


def _table(tables: Tables) -> Source:
    """Each column as an array, the last of several as the label."""
    *names, last = tables.schema.names
    if not names:
        return TableSource(tables, {last: last})
    return TableSource(tables, {name: name for name in names}, {last: last})


def _batches(data: Any) -> Stream:
    return IterableStream(data, batched=True)


_ROWS: list[tuple[Callable[[Any], bool], Callable[[Any], Source | Stream]]] = [
    (_of_arrow("Table"), lambda data: _table(Pieces(data))),
    (_of_arrow("Dataset"), lambda data: _table(RowGroups(data))),
    (_all_chunked, _chunked),
    (is_chunked, _chunked),
    (_has("to_delayed", "npartitions"), PartitionSource),  # Dask's bags and dataframes
    (_has("as_numpy_iterator"), lambda data: _batches(data.as_numpy_iterator)),  # tf.data
    (_has("dataset", "batch_size", "__iter__"), _batches),  # a DataLoader
    (_is("IterableDataset"), IterableStream),
    (_is("Dataset"), DatasetSource),
    (_by_number, DatasetSource),
    (lambda data: callable(data) and not hasattr(data, "__iter__"), _batches),
]
