"""Loops that users write keep nothing: no memory, no variable, no descriptor, no thread."""

import contextlib
import ctypes
import gc
import sys
import threading
from pathlib import Path
from typing import NamedTuple

import pytest

import nbgraph as ng
from tests.engine.conftest import _under
from tests.memory.turns import TURNS

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")

DAILY, FULL, ROUNDS = 150, 100_000, 4


class _Information(ctypes.Structure):
    _fields_ = tuple(
        (name, ctypes.c_size_t)
        for name in "arena ordblks smblks hblks hblkhd usmblks fsmblks uordblks fordblks keepcost"
        " ".split()
    )


class Held(NamedTuple):
    """What the process holds: blocks of Python's allocator, bytes of the C library's, variables of
    the engine, bytes of arrays, open files and threads."""

    blocks: int
    malloc: int
    variables: int
    arrays: int
    files: int
    threads: int

    def fits(self, bounded):
        """Whether a loop may have grown by so much."""
        flat = (self.files, self.threads) == (0, 0) and self.variables <= 4 and self.arrays <= 4096
        return flat and self.blocks < bounded and self.malloc < 200_000 + 64 * bounded

    @classmethod
    def now(cls):
        """What it holds when everything is done and collected."""
        with contextlib.suppress(ValueError):  # of a loop that fails
            ng.waitall()
        ng.zeros((1,)) + 1  # what was given up is released where arrays are made
        ng.waitall()
        gc.collect()
        library = ctypes.CDLL(None)
        library.mallinfo2.restype = _Information
        found = library.mallinfo2()
        return cls(
            sys.getallocatedblocks(),
            found.uordblks + found.hblkhd,
            ng.engine.stats().variables,
            ng.storage.stats().in_use,
            len([*Path("/proc/self/fd").iterdir()]),
            threading.active_count(),
        )


def require_flat(name, count):
    """After a warm-up a loop is flat, but for caches that are bounded. What leaks grows in each
    round; what else goes on in the process, or a cache that is being filled, does not."""
    row = TURNS[name]
    once = row.make()
    for i in range(row.warm):
        once(i)
    start = row.warm
    for _ in range(ROUNDS):
        before = Held.now()
        for i in range(start, start + count):
            once(i)
        start += count
        grown = Held(*(b - a for a, b in zip(before, Held.now(), strict=True)))
        if grown.fits(row.bounded):
            return
    raise AssertionError(f"{name}: {count} iterations keep {grown}")


def under(kind):
    """Have an engine in force with a near brake: what is unfinished takes memory, too."""
    with ng.config(engine_pending=1000):
        yield from _under(kind)


@pytest.fixture
def threaded():
    yield from under("threaded")


@pytest.fixture(params=["naive", "threaded"])  # the chaos engine keeps the order of what it ran
def engine(request):
    yield from under(request.param)


@pytest.mark.everyday(1 / 2)
@pytest.mark.usefixtures("threaded")
@pytest.mark.parametrize("name", TURNS)
def test_nothing_stays(name, full):
    cost = TURNS[name].cost
    require_flat(name, FULL // cost if full else max(DAILY // cost, 20))


@pytest.mark.usefixtures("engine")
@pytest.mark.parametrize("name", [name for name in TURNS if "fail" in name])
def test_nothing_stays_of_failures_with_each_engine(name):
    require_flat(name, DAILY)
