"""Sources of numbers, in blocks of any sizes, some of which cannot be read."""

import numpy as np

from nbgraph.errors import DataError
from nbgraph.io import DataDesc, Source, Stream


class Numbers(Source):
    """Sample i is (i, i squared); `bad` numbers raise, `named` or not."""

    name = "numbers.bin"
    labels = ("y",)

    def __init__(self, sizes, *, whole=False, ragged=False, bad=(), named=True):
        self.named = named
        self.blocks = np.append(0, np.cumsum(np.array(sizes, np.int64)))
        self.whole_blocks, self.ragged, self.bad = whole, ragged, frozenset(bad)
        shape = (-1,) if ragged else ()
        self.descs = (DataDesc("x", shape, "int64"), DataDesc("y", (), "int64"))
        self.reads, self.closed = [], 0

    def read(self, block, rows):
        numbers = rows + self.blocks[block]
        self.reads.append((block, len(rows)))
        for number in numbers.tolist():
            if number in self.bad:
                place = {"record": number, "offset": 16 * number} if self.named else {}
                raise DataError("damaged", file=self.name, **place)
        x = [np.full(n % 3 + 1, n) for n in numbers.tolist()] if self.ragged else numbers.copy()
        return x, numbers**2

    def close(self):
        self.closed += 1


class Counted(Stream):
    """Sample i is (i, -i); `bad` numbers raise once each."""

    name = "counted"

    def __init__(self, count, *, bad=()):
        self.count, self.bad, self.starts = count, bad, 0

    def restart(self):
        self.starts += 1
        return _Counting(self.count, set(self.bad))


class _Counting:
    def __init__(self, count, bad):
        self.count, self.bad, self.at = count, bad, -1

    def __iter__(self):
        return self

    def __next__(self):
        self.at += 1
        if self.at >= self.count:
            raise StopIteration
        if self.at in self.bad:
            raise DataError("damaged", file="counted", record=self.at)
        return self.at, -self.at


def numbers_of(batches):
    """The numbers of the samples in batches, without those that only fill them."""
    return [n for batch in batches for n in batch.unpadded().index.tolist()]
