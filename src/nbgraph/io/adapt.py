"""Conversion of training data of any supported kind to an iterable of batches; objects of other
libraries are recognised by their attributes and class names, without importing the libraries."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from nbgraph.array.core import Array
from nbgraph.array.create import asarray
from nbgraph.errors import ArgumentError, DTypeError, noun
from nbgraph.io.arrays import Batches
from nbgraph.io.arrow_source import Pieces, RowGroups
from nbgraph.io.chunked import ChunkedSource, PartitionSource, is_chunked
from nbgraph.io.iterator import SourceIter
from nbgraph.io.protocol import DataIter
from nbgraph.io.source import Source, Stream, common_length
from nbgraph.io.streams import DatasetSource, IterableStream
from nbgraph.io.tables import Tables, TableSource


def as_iter(
    data: Any, *, name: str = "data", batch_size: int = 32, shuffle: bool = False, **options: Any
) -> Any:
    """Return `data` as an iterable of batches, for one pass per epoch.

    Parameters
    ----------
    data : DataIter, Source, Stream, arrays, or iterable of batches
        A tuple or list of arrays, inputs first and the label last, is cut into batches; a tuple
        may also contain pandas' frames and columns, and tensors. Arrays of zarr and Dask, tables
        of pyarrow and Dask's collections are read block by block, and datasets with `len` and
        `[]` sample by sample; their last column is the label. A DataIter or an iterable of
        batches is returned as it is; batches of a data loader are converted to arrays, and a
        callable is called in each epoch for an iterable of batches.
    name : str
        The name of `data` in error messages.
    batch_size, shuffle, **options : see SourceIter; for data that are cut into batches here

    Raises
    ------
    ArgumentError for anything else, also for an iterator, which allows one pass only.

    >>> [x.shape for x, y in as_iter((np.zeros((40, 3)), np.zeros(40)))]
    [(32, 3), (8, 3)]
    """
    if isinstance(data, DataIter):
        return data
    options |= {"batch_size": batch_size, "shuffle": shuffle}
    direct = isinstance(data, (Source, Stream))
    source: Source | Stream | None = data if direct else source_of(data)  # type: ignore[assignment]
    if source is not None:
        options.setdefault("last_batch_handle", "keep")
        if isinstance(source, Stream) and source.batched:  # the stream decides the order
            options["shuffle"] = False
        return SourceIter(source, **options)
    arrays = arrays_of(name, data)
    if arrays is not None:
        common_length(name, {f"[{i}]": array for i, array in enumerate(arrays)})
        return Batches(*arrays, **options)
    for i, each in enumerate(data if isinstance(data, tuple) else ()):
        if each is None or isinstance(each, list):
            raise ArgumentError(
                f"{name}[{i}] is {noun(each)}; expected arrays, as (np.asarray(x), np.asarray(y))"
            )
    whole = isinstance(data, Mapping) or hasattr(data, "__array__")  # not iterables of batches
    if whole or not hasattr(data, "__iter__") or iter(data) is data:
        raise ArgumentError(
            f"{name} is {noun(data)}; expected a DataIter such as ng.io.NDArrayIter or "
            "ng.nn.Batches, arrays (x, y), or another iterable of batches that can be gone through "
            "once an epoch; of an iterator give a callable that makes it"
        )
    return data


def arrays_of(name: str, data: Any) -> Sequence[Any] | None:
    """Return the arrays of a tuple or list; in a tuple, arrays of other libraries are converted
    to NDArrays. Return None for anything else; raise DTypeError for strings and objects."""
    own, like = (Array, np.ndarray), _has("__array__", "shape", "__len__")
    if not isinstance(data, (tuple, list)) or not data:
        return None
    if isinstance(data, tuple) and all(isinstance(a, own) or like(a) for a in data):
        try:
            return [a if isinstance(a, own) else asarray(a) for a in data]
        except DTypeError:
            kinds = ", ".join(f"{noun(a)} of {np.asarray(a).dtype}" for a in data)
            raise DTypeError(f"{name} has {kinds}; give numbers, as x.astype(float)") from None
    return data if all(isinstance(a, own) for a in data) else None


def source_of(data: Any) -> Source | Stream | None:
    """Return a source that reads an object of another library, or None for an unknown kind.

    >>> import dask.bag
    >>> source_of(dask.bag.from_sequence([1, 2, 3], npartitions=2)).blocks.tolist()
    [0, 2, 3]
    """
    for test, make in _ROWS:
        if test(data):
            return make(data)
    return None


def _has(*names: str) -> Callable[[Any], bool]:
    return lambda data: all(hasattr(data, name) for name in names)


def _is(*names: str) -> Callable[[Any], bool]:
    """Return a test of whether an object's class, or one above it, has one of these names."""
    return lambda data: any(kind.__name__ in names for kind in type(data).__mro__)


def _of_arrow(name: str) -> Callable[[Any], bool]:
    named = _is(name)
    return lambda data: type(data).__module__.startswith("pyarrow") and named(data)


def _listed(data: Any) -> list[Any]:
    return list(data) if isinstance(data, (tuple, list)) else [data]


def _by_number(data: Any) -> bool:
    numbered = hasattr(data, "__len__") and hasattr(data, "__getitem__")
    return numbered and not hasattr(data, "__iter__")


def _chunked(data: Any) -> Source:
    """Return a source of chunked arrays; the last of several arrays is the label."""
    arrays = _listed(data)
    names = ["data", *[f"data{k}" for k in range(1, len(arrays))]]
    labels = names[-1:] if len(arrays) > 1 else []
    return ChunkedSource(dict(zip(names, arrays)), labels)


def _table(tables: Tables) -> Source:
    """Return a source of the columns of `tables`; the last of several columns is the label."""
    *names, last = tables.schema.names
    if not names:
        return TableSource(tables, {last: last})
    return TableSource(tables, {name: name for name in names}, {last: last})


def _batches(data: Any) -> Stream:
    return IterableStream(data, batched=True)


_ROWS: list[tuple[Callable[[Any], bool], Callable[[Any], Source | Stream]]] = [
    (_of_arrow("Table"), lambda data: _table(Pieces(data))),
    (_of_arrow("Dataset"), lambda data: _table(RowGroups(data))),
    (lambda data: all(map(is_chunked, _listed(data) or [None])), _chunked),
    (_has("to_delayed", "npartitions"), PartitionSource),  # Dask's bags and dataframes
    (_has("as_numpy_iterator"), lambda data: _batches(data.as_numpy_iterator)),  # tf.data
    (_has("dataset", "batch_size", "__iter__"), _batches),  # a DataLoader
    (_is("IterableDataset"), IterableStream),
    (_is("Dataset"), DatasetSource),
    (_by_number, DatasetSource),
    (lambda data: callable(data) and not hasattr(data, "__iter__"), _batches),
]
