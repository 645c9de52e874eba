"""Many batches, and nothing that grows: memory, descriptors, threads."""

import gc
import threading
from pathlib import Path

import numpy as np
import pytest

import nbgraph as ng
from nbgraph.io import NDArrayIter, SourceIter
from tests.io.sources import Counted, Numbers

PAGE = 4096
STATUS = Path("/proc/self/statm")


class Open(Numbers):
    """Numbers that hold a file open."""

    def __init__(self, sizes, **options):
        super().__init__(sizes, **options)
        self.file = Path(__file__).open("rb")

    def close(self):
        super().close()
        self.file.close()


def numbers(**options):
    it = SourceIter(Open([300] * 10, **options), 16, shuffle=True, window=2, prefetch=3)
    it.source.decodes = not options
    return it


def arrays():
    x = np.ones((4096, 256), "float32")
    return NDArrayIter(x, x[:, 0], 64, True, prefetch=2)


def in_use():
    """Resident bytes, open files and threads."""
    gc.collect()
    ng.engine.wait_for_all(60)
    files = sum(1 for _ in Path("/proc/self/fd").iterdir())
    return int(STATUS.read_text().split()[1]) * PAGE, files, threading.active_count()


KINDS = {
    "arrays": arrays,
    "blocks": numbers,
    "whole": lambda: numbers(whole=True),
    "stream": lambda: SourceIter(Counted(5000), 16, shuffle=True, prefetch=2),
}


@pytest.mark.skipif(not STATUS.exists(), reason="asks Linux for the memory in use")
@pytest.mark.parametrize("kind", KINDS)
def test_nothing_grows_with_the_number_of_batches(kind, full):
    def run(batches):
        """Several iterators, one after another; the last is left in the middle."""
        while batches > 0:
            it = KINDS[kind]()
            for _ in zip(range(min(batches, 500)), it):
                batches -= 1
            batches -= 1
            it.close()

    run(600)
    before = in_use()
    run(10_000 if full else 700)
    after = in_use()
    assert after[1:] == before[1:]
    assert after[0] - before[0] < 1 << 24, f"{(after[0] - before[0]) >> 20} MiB more"
