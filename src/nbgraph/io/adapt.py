"""Whatever data a training is given, as something to iterate over once an epoch."""

from __future__ import annotations

from typing import Any

import numpy as np

from nbgraph.array.core import Array
from nbgraph.errors import ArgumentError
from nbgraph.io.arrays import Batches
from nbgraph.io.foreign import source_of
from nbgraph.io.iterator import SourceIter
from nbgraph.io.protocol import DataIter
from nbgraph.io.source import Source, Stream


def as_iter(
    data: Any, *, name: str = "data", batch_size: int = 32, shuffle: bool = False, **options: Any
) -> Any:
    """Return an iterable of batches, one pass an epoch.

    Parameters
    ----------
    data : DataIter, Source, Stream, arrays, or iterable of batches
        A tuple or list of arrays is cut into batches, what is wanted of the others last; arrays of
        zarr and Dask are read chunk by chunk. So are tables of pyarrow, Dask's collections and
        datasets that give samples by number, whose last column is the label. A DataIter, and
        an iterable of batches, are returned as they are; a loader's batches become arrays, and a
        callable makes an iterable of batches for each epoch.
    name : str
        What messages call it.
    batch_size, shuffle, **options : as those of SourceIter, for what is cut into batches here

    Raises
    ------
    ArgumentError for anything else, an iterator that can be gone through once among it.

    >>> [x.shape for x, y in as_iter((np.zeros((40, 3)), np.zeros(40)))]
    [(32, 3), (8, 3)]
    """
    if isinstance(data, DataIter):
        return data
    options |= {"batch_size": batch_size, "shuffle": shuffle}
    known = isinstance(data, (Source, Stream))
    source: Source | Stream | None = data if known else source_of(data)  # type: ignore[assignment]
    if source is not None:
        options.setdefault("last_batch_handle", "keep")
        if isinstance(source, Stream) and source.batched:  # it has an order of its own
            options["shuffle"] = False
        return SourceIter(source, **options)
    listed = isinstance(data, (tuple, list)) and len(data)
    if listed and all(isinstance(a, (Array, np.ndarray)) for a in data):
        return Batches(*data, **options)
    if not hasattr(data, "__iter__") or iter(data) is data:
        raise ArgumentError(
            f"{name} is a {type(data).__name__}; expected a DataIter such as ng.io.NDArrayIter or "
            "ng.nn.Batches, arrays (x, y), or another iterable of batches that can be gone through "
            "once an epoch; of an iterator give a callable that makes it"
        )
    return data
