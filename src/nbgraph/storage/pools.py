"""Pools of free blocks, by size class.

A free list is a list used as a stack; `append` and `pop` are atomic, so no lock is needed to take a
free block. The newest block is warm in the cache, so it is reused first. The taker of a block that
is still in use would have to wait, perhaps for work of another thread, so an idle or a new one is
preferred to it, up to a bound.

A block, memory of a size class, returns to its pool as a whole, with its permanent attributes. An
array's block carries an engine variable, so the next taker gets memory and variable together, and
the engine orders its writes after the last reader of the former owner: a block may be given back
while work on it is still pending.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable
from typing import Any, Generic, TypeVar

from nbgraph.device import Context
from nbgraph.errors import StorageError, require_whole
from nbgraph.settings import config
from nbgraph.storage.machine import scarce
from nbgraph.storage.memory import Memory, account, allocate, release
from nbgraph.storage.sizes import LARGE, STRATEGIES


class Block:
    """The attributes of every block. It has no slots, so that any class can inherit from it too."""

    __slots__ = ()

    memory: Memory
    address: int  # of the memory
    capacity: int  # bytes of the memory
    bin: Bin[Any]  # its size class, to which it returns


class PlainBlock(Block):
    """A block with these attributes alone."""

    __slots__ = ("address", "bin", "capacity", "memory")

    def __init__(self, memory: Memory, bin: Bin[Any]) -> None:
        self.memory = memory
        self.address = memory.address
        self.capacity = memory.nbytes
        self.bin = bin

    def __repr__(self) -> str:
        return f"<block of {self.capacity} bytes on {self.memory.device!r}>"


B = TypeVar("B", bound=Block)
Retire = Callable[[B, Callable[[], None]], object]

KEPT = 1 << 30  # bytes that a pool may keep free in any case
_ROUND = 1 << 26  # bytes returned or allocated between two checks of the free bytes
_NEWEST = 4  # blocks among which `take` looks for an idle one
_MOST_BUSY, _BUSY_BYTES = 256, 1 << 22  # free blocks of a small class that may be in use
_SCANNED = 8  # free blocks that `give` checks for a block returned twice
_REMEMBERED = 4096  # sizes whose class is cached

_settings = config.variable.get


class Bin(Generic[B]):
    """A size class of a pool: `size` in bytes, the `free` blocks, and counts.

    Fast paths use `bin.free.pop()`, `bin.free.append(block)` and `next(bin.takes)` in place of
    `take` and `give`; an empty list raises IndexError, and `miss` then creates a block.
    """

    __slots__ = ("free", "misses", "pool", "size", "takes")

    def __init__(self, pool: Pool[B], size: int, kept: bool) -> None:
        self.pool = pool
        self.size = size
        self.free: list[B] = [] if kept and size < LARGE else _LimitedList(self, kept)
        # advanced by `next`, which is atomic
        self.takes = itertools.count()
        self.misses = itertools.count()

    def miss(self) -> B:
        """Return a new block."""
        return self.pool._fresh(self)

    def __repr__(self) -> str:
        return f"<bin of {self.size} bytes, {len(self.free)} free>"


class _LimitedList(list[B]):
    """The free list of a class of large blocks, limited in total, or empty if not `kept`."""

    __slots__ = ("bin", "kept")

    def __init__(self, bin: Bin[B], kept: bool) -> None:
        self.bin = bin
        self.kept = kept

    def append(self, block: B) -> None:
        pool = self.bin.pool
        if not self.kept:
            pool.retire(block)
            return
        super().append(block)
        pool._returned_bytes += self.bin.size  # a race of two threads only delays a check
        if pool._returned_bytes >= _ROUND:
            pool._returned_bytes = 0
            pool.trim()


class Pool(Generic[B]):
    """The blocks of a device. `make(memory, bin)` creates one around new memory.

    `idle(block)` returns whether no pending work uses a block; without it all count as idle.
    `retire(block, release)` is called for a block that will not be reused; it calls `release()`
    once nothing uses the memory. Without it the memory is released at once.

    >>> from nbgraph.device import cpu
    >>> from nbgraph.storage.pools import PlainBlock
    >>> pool = Pool(cpu(), PlainBlock)
    >>> block = pool.take(1000)
    >>> block.capacity
    1024
    >>> pool.give(block)
    >>> pool.take(900) is block
    True
    """

    def __init__(
        self,
        device: Context,
        make: Callable[[Memory, Bin[Any]], B],
        *,
        idle: Callable[[B], bool] | None = None,
        retire: Retire[B] | None = None,
    ) -> None:
        self.device = device
        self.build(make, idle, retire)
        self._returned_bytes = self._new_bytes = 0

    def build(
        self,
        make: Callable[[Memory, Bin[Any]], B],
        idle: Callable[[B], bool] | None,
        retire: Retire[B] | None,
    ) -> None:
        """Create blocks by `make` from now on; blocks in use do not come back here."""
        self.make = make
        self.idle = idle
        self._retire_hook = retire
        self._bins: dict[tuple[int, bool], Bin[B]] = {}
        self._tables: dict[str, dict[int, Bin[B]]] = {name: {} for name in STRATEGIES}

    def bin(self, nbytes: int) -> Bin[B]:
        """Return the size class for `nbytes`, by the present strategy (setting `storage_pool`)."""
        strategy = _settings().storage_pool
        table = self._tables[strategy]
        free = table.get(nbytes)
        if free is None:
            nbytes = require_whole("pool: nbytes", nbytes, 0)
            sized, kept = STRATEGIES[strategy]
            size = sized(nbytes)
            free = self._bins.get((size, kept))
            if free is None:
                free = self._bins.setdefault((size, kept), Bin(self, size, kept))
            if len(table) >= _REMEMBERED:
                table.clear()
            table[nbytes] = free
        return free

    def bins(self) -> list[Bin[B]]:
        """Return all size classes that were ever used."""
        return list(self._bins.values())

    # take --------------------------------------------------------------------------------------

    def take(self, nbytes: int, suits: Callable[[B], bool] | None = None) -> B:
        """Return a block of at least `nbytes` bytes: a free one, or else a new one.

        `suits(block)` returns whether using a block needs no wait; by default that is `idle`.
        """
        bin = self._tables[_settings().storage_pool].get(nbytes) or self.bin(nbytes)
        next(bin.takes)
        if bin.size < LARGE:
            return self._take_small(bin, suits or self.idle)
        return self._take_large(bin, suits or self.idle)

    def _take_small(self, bin: Bin[B], idle: Callable[[B], bool] | None) -> B:
        """Return the newest block if idle, else the oldest, or a new one if that is in use too."""
        free = bin.free
        try:
            block = free.pop()
            if idle is None or idle(block):
                return block
            free.append(block)
            block = free.pop(0)
            if idle(block) or len(free) >= min(_MOST_BUSY, _BUSY_BYTES // (bin.size or 1)):
                return block
            free.insert(0, block)
        except IndexError:  # none is left
            pass
        return self._fresh(bin)

    def _take_large(self, bin: Bin[B], idle: Callable[[B], bool] | None) -> B:
        """Return a free block that is idle, a new one, or the one that was given back first.

        Few are allocated: memory that is reused soon is still in the cache, and new memory has to
        be mapped page by page.
        """
        free = bin.free
        if free and idle is not None:
            for block in free[: -_NEWEST - 1 : -1]:
                if idle(block):
                    try:
                        free.remove(block)
                    except ValueError:  # another thread was faster
                        continue
                    return block
        try:
            if idle is None:
                return free.pop()
            if len(free) >= _NEWEST or (free and self._crowded(bin.size)):
                return free.pop(0)
        except IndexError:  # another thread took the last one
            pass
        return self._fresh(bin)

    def _crowded(self, size: int) -> bool:
        """Return whether to reuse a block in use rather than allocate one more."""
        limit = config.storage_limit
        share = limit // 4 if limit else KEPT
        return not account(self.device).fits(size, limit) or self.free_bytes() >= share

    def _fresh(self, bin: Bin[B]) -> B:
        next(bin.misses)
        self._new_bytes += bin.size
        if self._new_bytes >= _ROUND:
            self._new_bytes = 0
            if scarce(config.storage_reserve):
                self.empty()
        return self.make(allocate(bin.size, self.device), bin)

    # give --------------------------------------------------------------------------------------

    def give(self, block: B) -> None:
        """Return a block to its free list; pending work may still use it."""
        bin = block.bin
        if bin.pool is not self:
            raise StorageError(f"give: {block!r} is not of this pool, which is {self!r}")
        free = bin.free
        # by far most often the list is empty or nearly so
        if free and block in (free if len(free) <= _SCANNED else self._suspects(free)):
            raise StorageError(f"give: {block!r} was given back before: a block is given back once")
        free.append(block)

    def _suspects(self, free: list[B]) -> list[B]:
        return free if isinstance(free, _LimitedList) or config.debug else free[-_SCANNED:]

    def retire(self, block: B) -> None:
        """Release the memory of a block that is in no free list."""
        release_memory = functools.partial(release, block.memory)
        if self._retire_hook is None:
            release_memory()
        else:
            self._retire_hook(block, release_memory)

    # free blocks -------------------------------------------------------------------------------

    def free_bytes(self) -> int:
        """Return the bytes of all free blocks."""
        return sum(len(bin.free) * bin.size for bin in self.bins())

    def trim(self) -> None:
        """Retire free blocks beyond 1 GiB or half of the peak of allocated bytes."""
        excess = self.free_bytes() - max(KEPT, account(self.device).peak // 2)
        if excess > 0:
            self._retire_free(excess)

    def empty(self) -> int:
        """Retire all free blocks; return their bytes."""
        return self._retire_free(None)

    def _retire_free(self, nbytes: int | None) -> int:
        """Retire `nbytes` of free blocks (None: all), largest classes and oldest blocks first."""
        done = 0
        for bin in sorted(self.bins(), key=lambda one: -one.size):
            while bin.free and (nbytes is None or done < nbytes):
                try:
                    block = bin.free.pop(0)
                except IndexError:  # another thread took the last one
                    break
                done += bin.size
                self.retire(block)
        return done

    def __repr__(self) -> str:
        return f"<pool on {self.device!r}: {self.free_bytes()} bytes free>"
