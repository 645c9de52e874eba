"""Dask arrays for tests: cut in several ways, and sources that count what is computed."""

import itertools
import tracemalloc

import dask.array as da
import numpy as np


def lazy(values, chunks=(3, 2)):
    return da.from_array(np.asarray(values), chunks=chunks)


def never(values, chunks=(3, 2)):
    """An array that must not be computed."""

    def refuse(block):
        raise AssertionError("computed")

    whole = lazy(values, chunks)
    return whole.map_blocks(refuse, dtype=whole.dtype, meta=whole._meta)


def cuts(shape):
    """Chunks of a shape: whole, cut along each axis alone, cut along all."""
    ways = itertools.product((False, True), repeat=len(shape))
    chosen = [way for way in ways if sum(way) in {0, 1, len(shape)}]
    return [
        tuple(max(1, n // 2) if cut else max(n, 1) for n, cut in zip(shape, way, strict=True))
        for way in chosen
    ]


def counted(blocks, rows, columns, dtype="float32"):
    """An array with a block of rows for each number, and the list of those that were made."""
    made = []

    def block(block_info=None):
        (number, _) = block_info[None]["chunk-location"]
        made.append(number)
        return np.full((rows, columns), (number % 7 - 3) / 4, dtype)

    chunks = ((rows,) * blocks, (columns,))
    empty = np.empty((0, 0), dtype)
    return da.map_blocks(block, chunks=chunks, dtype=dtype, meta=empty), made


class Sink:
    """Where blocks are written and forgotten."""

    def __init__(self, like):
        self.shape, self.dtype, self.written = like.shape, like.dtype, 0

    def __setitem__(self, key, value):
        self.written += value.size


def most_memory(function):
    """The largest number of bytes of NumPy arrays at a time during a call."""
    function()  # what is compiled and remembered
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        function()
        return tracemalloc.get_traced_memory()[1] - before
    finally:
        tracemalloc.stop()
