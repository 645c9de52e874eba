"""Running a step many times, and what became of memory meanwhile."""

import gc
from dataclasses import dataclass
from pathlib import Path

import nbgraph as ng

PAGE = 4096


def resident():
    """Bytes of this process that are in memory."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * PAGE


@dataclass
class Watched:
    """Growth from the end of the warm-up to the end; the most that was ever unfinished."""

    resident: int
    allocated: int
    in_use: int
    takes: int
    misses: int
    pending: int

    def require_flat(self, allowance=12 << 20):
        """Nothing grew with the number of steps, and free blocks were found, but for those that
        unfinished work uses: more of it may be under way than in the warm-up."""
        assert self.resident < allowance, self
        assert self.allocated <= allowance // 2, self
        assert self.in_use == 0, self
        assert self.misses <= self.takes // 100 + 8 * self.pending, self
        limit = ng.engine.stats().limits.get("pending", 1)
        assert self.pending <= limit + 8, (self, limit)


def watch(step, count, *, warm=300, samples=50):
    """Call `step(i)` so often after so many calls to warm up."""
    for i in range(warm):
        step(i)
    ng.waitall()
    gc.collect()
    before, at_first, pending = ng.storage.stats(), resident(), 0
    every = max(1, count // samples)
    for i in range(count):
        step(i)
        if i % every == 0:
            pending = max(pending, ng.engine.stats().pending)
    at_last = resident()  # with what is still unfinished
    ng.waitall()
    gc.collect()
    after = ng.storage.stats()
    return Watched(
        at_last - at_first,
        after.allocated - before.allocated,
        after.in_use - before.in_use,
        after.takes - before.takes,
        after.misses - before.misses,
        pending,
    )
