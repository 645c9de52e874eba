"""Sources of chunked arrays (zarr, HDF5, Dask) and Dask's collections: a chunk is a block."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from nbgraph.errors import DataError
from nbgraph.io.files import extra
from nbgraph.io.protocol import DataDesc
from nbgraph.io.source import Columns, Source, Values, common_length, offsets, together
from nbgraph.io.streams import columns_of, described

_BLOCK = 4096


class ChunkedSource(Source):
    """Sliceable arrays, such as those of zarr, h5py and Dask; memory holds the chunks of a window.

    Parameters
    ----------
    arrays : dict of str to array
        Arrays of one length with `shape`, `dtype` and, optionally, `chunks`.
    labels : sequence of str
    name : str

    >>> import dask.array
    >>> x = dask.array.arange(10, chunks=4)
    >>> source = ChunkedSource({"x": x, "y": x % 2}, ["y"])
    >>> source.blocks.tolist(), source.read(2, np.array([1, 0]))[0].tolist()
    ([0, 4, 8, 10], [9, 8])
    """

    whole_blocks = True

    def __init__(
        self, arrays: Mapping[str, Any], labels: Sequence[str] = (), *, name: str = "data"
    ) -> None:
        self.arrays, self.labels, self.name = dict(arrays), tuple(labels), name
        common_length(name, self.arrays)
        self.descs = tuple(DataDesc(k, a.shape[1:], a.dtype) for k, a in self.arrays.items())
        self.blocks = _chunks(next(iter(self.arrays.values())))

    def read(self, block: int, rows: Values) -> Columns:
        """Read a chunk of each array, and return some of its rows."""
        low, high = int(self.blocks[block]), int(self.blocks[block + 1])
        try:
            columns = [np.asarray(values[low:high]) for values in self.arrays.values()]
        except Exception as error:
            text = f"samples {low} to {high}: {type(error).__name__}: {error}"
            raise DataError(text, file=self.name) from error
        every = len(rows) == high - low and (rows == np.arange(high - low)).all()
        return tuple(columns if every else [column[rows] for column in columns])


class PartitionSource(Source):
    """The partitions of a Dask bag or dataframe. Counting the samples computes each partition
    once: `persist()` the collection if that is expensive.

    Parameters
    ----------
    collection : dask.bag.Bag or dask.dataframe.DataFrame
    labels : sequence of str, optional
        Names of the label columns; by default the last of several columns.

    >>> import dask.bag
    >>> bag = dask.bag.from_sequence([(k, -k) for k in range(5)], npartitions=2)
    >>> source = PartitionSource(bag)
    >>> source.blocks.tolist(), source.read(1, np.array([1]))[1].tolist()
    ([0, 3, 5], [-4])
    """

    whole_blocks = True

    def __init__(self, collection: Any, *, labels: Sequence[str] | None = None) -> None:
        dask = extra("dask", "dask", "data", "a Dask collection")
        self.name = f"dask {type(collection).__name__}"
        self._parts = collection.to_delayed()
        heads = [dask.delayed(_head)(part) for part in self._parts]
        results = dask.compute(*heads)
        counts = [count for count, _ in results]
        self.blocks = offsets(self.name, counts)
        first = next(sample for count, sample in results if count)
        self.descs, self.labels = described(first, labels)

    def read(self, block: int, rows: Values) -> Columns:
        """Compute a partition, and return some of its samples."""
        try:
            part = self._parts[block].compute()
        except Exception as error:
            text = f"partition {block}: {type(error).__name__}: {error}"
            raise DataError(text, file=self.name) from error
        if hasattr(part, "columns"):
            return tuple([np.asarray(part[name])[rows] for name in part.columns])
        samples = list(part)
        return together(columns_of(samples[int(row)]) for row in rows)


def is_chunked(values: Any) -> bool:
    """Return whether `values` is a chunked array, which is read slice by slice."""
    parts = ("chunks", "shape", "dtype", "__getitem__")
    return not isinstance(values, np.ndarray) and all(hasattr(values, name) for name in parts)


def _chunks(values: Any) -> Values:
    """Return the offsets of the chunks along the first axis, and its length."""
    count, chunks = int(values.shape[0]), values.chunks
    first = chunks[0] if chunks else _BLOCK
    if isinstance(first, (tuple, list)):
        return np.concatenate([[0], np.cumsum(first, dtype=np.int64)])
    return np.append(np.arange(0, count, int(first)), count).astype(np.int64)


def _head(part: Any) -> tuple[int, Any]:
    """Return the number of samples of a partition, and its first sample."""
    if hasattr(part, "columns"):
        columns = {str(name): np.asarray(part[name]) for name in part.columns}
        return len(part), {n: c[0] for n, c in columns.items()} if len(part) else None
    samples = list(part)
    return len(samples), samples[0] if samples else None
