"""Memory: aligned bytes of a device, and accounts of the bytes in use.

>>> before = account(cpu()).allocated
>>> memory = allocate(1000)
>>> memory.nbytes, memory.address % 64, account(cpu()).allocated - before
(1000, 0, 1000)
>>> release(memory)
>>> account(cpu()).allocated - before
0

`cpu(0)` and `cpu(1)` are one processor, but have separate accounts.
"""

import os
import threading
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np

from nbgraph.device import Context, cpu, require, room
from nbgraph.device import allocate as device_memory
from nbgraph.errors import ArgumentError, DeviceError, OutOfMemory, StorageError, require_whole
from nbgraph.settings import config
from nbgraph.storage import out_of_memory
from nbgraph.storage.machine import total
from nbgraph.storage.sizes import ALIGNMENT, readable

Bytes = np.ndarray[Any, np.dtype[Any]]

_CPU = cpu()
_GONE: Bytes = np.empty(0, np.uint8)  # the owner of memory that was released
_SHOWN = 8  # sizes in a report
# reentrant: a finaliser may release memory on a thread that holds the lock
_books = threading.RLock()


class Account:
    """The account of one device: bytes allocated and borrowed, their peak, blocks by size."""

    __slots__ = ("allocated", "borrowed", "device", "peak", "sizes")

    def __init__(self, device: Context) -> None:
        self.device = device
        self.allocated = self.borrowed = self.peak = 0
        self.sizes: Counter[int] = Counter()

    def fits(self, nbytes: int, limit: int) -> bool:
        """Return whether `nbytes` more stay within `limit`; a limit of 0 allows any number."""
        return not limit or self.allocated + nbytes <= limit

    def enter(self, nbytes: int, limit: int) -> bool:
        """Count `nbytes` as allocated and return True, if they fit."""
        with _books:
            if not self.fits(nbytes, limit):
                return False
            self.allocated += nbytes
            self.peak = max(self.peak, self.allocated)
            self.sizes[nbytes] += 1
        return True

    def leave(self, nbytes: int) -> None:
        """Count `nbytes` as freed."""
        with _books:
            self.allocated -= nbytes
            self.sizes[nbytes] -= 1
            if not self.sizes[nbytes]:
                del self.sizes[nbytes]


_accounts: dict[Context, Account] = {}


def account(device: Context) -> Account:
    """Return the account of a device.

    >>> account(cpu()).device
    cpu(0)
    """
    account_of = _accounts.get(device)
    return _accounts.setdefault(device, Account(device)) if account_of is None else account_of


class Memory:
    """Bytes of a device: `address` of the first, their number, and the object that owns them.

    `owner` is a uint8 array over them, which the host may not access if they are a GPU's. Memory
    is freed by `release`, or with the last reference to it.
    """

    __slots__ = ("address", "device", "nbytes", "owner")

    readonly: str | None = None  # why it may not be written

    def __init__(self, address: int, nbytes: int, owner: Bytes, device: Context) -> None:
        self.address = address
        self.nbytes = nbytes
        self.owner = owner
        self.device = device

    @property
    def released(self) -> bool:
        """Whether it has been freed."""
        return self.owner is _GONE

    def _leave(self) -> None:
        account(self.device).leave(self.nbytes)

    def __del__(self) -> None:
        try:
            if self.owner is not _GONE:
                self._leave()
        except (AttributeError, TypeError):  # half initialised, or the interpreter is ending
            return

    def __repr__(self) -> str:
        state = ", released" if self.released else ""
        return f"<{type(self).__name__.lower()} of {self.nbytes} bytes on {self.device!r}{state}>"


class Borrowed(Memory):
    """Memory of another library, which is kept alive; it never enters a pool."""

    __slots__ = ("readonly",)

    def __init__(
        self, address: int, nbytes: int, owner: Bytes, device: Context, readonly: str | None
    ) -> None:
        super().__init__(address, nbytes, owner, device)
        self.readonly = readonly
        with _books:
            account(device).borrowed += nbytes

    def _leave(self) -> None:
        with _books:
            account(self.device).borrowed -= self.nbytes


def allocate(nbytes: int, device: Context = _CPU) -> Memory:
    """Return uninitialised memory, its first byte at a multiple of 64.

    At the limit (`ng.config.storage_limit`), and where the system has no more, the free blocks of
    pools are released, then pending work is waited for (`on_shortage`). If that does not help, or
    `nbytes` exceeds the limit or the machine's memory, OutOfMemory lists the holders of memory.

    >>> allocate(100).owner.shape
    (100,)
    """
    nbytes = require_whole("allocate: nbytes", nbytes, 0)
    require(device, "allocate")
    books = account(device)
    memory = _obtain(nbytes, books)
    for remedy in out_of_memory.REMEDIES:
        if memory is not None or nbytes > (_limit(device) or nbytes):
            break  # pending work may never end, and what it frees would not be enough
        remedy(device)
        memory = _obtain(nbytes, books)
    if memory is None:
        raise OutOfMemory(_out_of_memory(nbytes, books))
    return memory


def _limit(device: Context) -> int:
    """Return the limit of a device in bytes, 0 for none. Without it the system would grant more
    than the machine has, and kill the process when it writes there."""
    return config.storage_limit or ((total() or 0) if device.host else 0)


def _obtain(nbytes: int, books: Account) -> Memory | None:
    """Return the memory, or None if the limit or the system forbids it."""
    if not books.enter(nbytes, _limit(books.device)):
        return None
    try:
        address, owner = _SOURCES[books.device.device_type](books.device, nbytes)
        return Memory(address, nbytes, owner, books.device)
    except BaseException as error:
        books.leave(nbytes)
        if isinstance(error, DeviceError):  # it is a ValueError too, but not a shortage
            raise
        if isinstance(error, MemoryError | ValueError | OverflowError):
            return None  # more than the system has, or than a size can express
        raise


def _of_host(device: Context, nbytes: int) -> tuple[int, Bytes]:
    raw = np.empty(nbytes + ALIGNMENT - 1, np.uint8)
    first = raw.__array_interface__["data"][0]
    skip = -first % ALIGNMENT
    return first + skip, raw[skip : skip + nbytes]


# allocators by device type: they return an address and an array, or raise MemoryError
_SOURCES: dict[str, Callable[[Context, int], tuple[int, Bytes]]] = {
    "cpu": _of_host,
    "gpu": device_memory,
}


def _out_of_memory(nbytes: int, books: Account) -> str:
    limit = config.storage_limit
    bound = f"the limit storage_limit={limit} ({readable(limit)})" if limit else "no limit is set"
    if books.device.host and not limit and (machine := total()):
        bound = f"the machine has {readable(machine)}"
    if not books.device.host:
        free, size = map(readable, room(books.device))
        bound += f", and the device has {free} of {size} free"
    remedy = "raise the limit with ng.config(storage_limit=...), " if limit else ""
    said = (
        f"allocate: {nbytes} bytes ({readable(nbytes)}) asked for on {books.device!r}; "
        f"{books.allocated} bytes ({readable(books.allocated)}) are allocated, {bound}; what "
        f"could be released was. Drop arrays, {remedy}or work on smaller parts"
    )
    return "\n".join([said, *holders(books)])


def holders(books: Account) -> list[str]:
    """Return the holders of a device's memory, the largest sizes first, and lines of `on_report`.

    >>> memory = allocate(12345678, cpu(7))
    >>> holders(account(cpu(7)))
    ['held: 1 x 11.8 MiB']
    """
    with _books:
        sizes = sorted(books.sizes.items(), key=lambda entry: -entry[0] * entry[1])
    shown = [f"{count} x {readable(size)}" for size, count in sizes[:_SHOWN]]
    rest = sum(size * count for size, count in sizes[_SHOWN:])
    if rest:
        shown.append(f"{readable(rest)} in other sizes")
    return [f"held: {', '.join(shown) or 'nothing'}", *out_of_memory.lines(books.device)]


def release(memory: Memory) -> None:
    """Free memory; it must not be used any more.

    >>> memory = allocate(64)
    >>> release(memory)
    >>> release(memory)
    Traceback (most recent call last):
    nbgraph.errors.StorageError: release: <memory of 64 bytes on cpu(0), released> was released...
    """
    with _books:
        if memory.owner is _GONE:
            raise StorageError(f"release: {memory!r} was released before; it is released once")
        memory._leave()
        memory.owner = _GONE


def borrow(
    array: Bytes,
    device: Context = _CPU,
    *,
    readonly: str | None = "it belongs to a NumPy array: write to a copy, ng.array(...)",
) -> Memory:
    """Return the memory of a NumPy array, which is kept alive; it is counted as borrowed.

    `address` is that of its lowest byte, and `nbytes` extends to its highest. `readonly` is the
    reason why nbgraph may not write there; None if it may.

    >>> values = np.arange(6.0)
    >>> memory = borrow(values)
    >>> memory.address == values.ctypes.data, memory.nbytes, memory.owner is values
    (True, 48, True)
    """
    if not isinstance(array, np.ndarray):
        raise ArgumentError(f"borrow: array={type(array).__name__}; expected a NumPy array")
    if array.dtype.hasobject:
        raise ArgumentError(f"borrow: an array of {array.dtype}; objects have no bytes to share")
    low, high = np.lib.array_utils.byte_bounds(array)
    return Borrowed(int(low), int(high - low) if array.size else 0, array, device, readonly)


def _after_fork() -> None:
    global _books
    _books = threading.RLock()  # a thread that is not here may have held it


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
