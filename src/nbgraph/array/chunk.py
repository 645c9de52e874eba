"""Chunks: blocks of memory with their engine variables, which are recycled together.

An array returns its chunk to the pool when it is deleted, even if kernels that use it have not
finished. The next array in the chunk has the same variable, so the engine runs its writer after
the last reader: recycling needs no push, and memory in flight cannot grow.
"""

import ctypes
import sys
import threading
from collections import deque
from collections.abc import Callable, Collection, Generator
from contextlib import contextmanager
from functools import partial
from typing import Any

import numpy as np

from nbgraph import storage
from nbgraph.array.place import ELSEWHERE
from nbgraph.device import Context, RunContext, cpu
from nbgraph.engine import Variable, current
from nbgraph.engine.core.layout import UNTIL_WRITTEN
from nbgraph.engine.inline import in_charge
from nbgraph.engine.properties import OVERWRITE
from nbgraph.engine.thread import here, inside
from nbgraph.operator import parallel
from nbgraph.scopes import forkable
from nbgraph.storage import Block

CPU = cpu()
_AHEAD = 1 << 26  # bytes of busy blocks of one size class before the host waits for one
_SHARING = forkable(threading.Lock())
_LEASING = forkable(threading.RLock())  # reentrant: finalisers run in any thread at any time
_untrack = ctypes.PYFUNCTYPE(None, ctypes.py_object)(("PyObject_GC_UnTrack", ctypes.pythonapi))


class Chunk(Variable, Block):
    """A block of memory that arrays share; the engine orders the operations on it.

    `writes` counts pushed in-place writes, so that a backward pass notices that a value it needs
    was overwritten. `locked` says why it may not be written (borrowed memory), `leases` counts
    views in other libraries.
    """

    keeper = "an array"
    __slots__ = (
        "address",
        "bin",
        "capacity",
        "device",
        "follower",  # number of the chunk that the last reader of this one wrote
        "leases",
        "locked",
        "memory",
        "thread",  # of large chunks: the last thread that took it
        "writes",
    )

    def __init__(self, memory: Any, bin_: Any, *, locked: str = "") -> None:
        super().__init__(current()._owner)
        self.keeps = UNTIL_WRITTEN  # a failure is raised at each wait until the next write
        self.memory, self.bin = memory, bin_
        self.address: int = memory.address
        self.capacity: int = memory.nbytes
        self.device: Context = memory.device
        if self.device != CPU:
            ELSEWHERE[0] = True
        self.locked = locked
        self.writes = self.leases = self.follower = self.thread = 0
        # The garbage collector finalises a cycle as a whole: a chunk in one would be deleted while
        # its array returns it to the pool.
        _untrack(self)

    def __del__(self) -> None:
        # An interrupt kept the chunk from being returned. Unfinished operations may use the memory,
        # so it is released after them.
        try:
            if self.bin is not None and not self.memory.released and not sys.is_finalizing():
                _RETIRED.append([self, partial(storage.release, self.memory)])
                return
        except (AttributeError, TypeError):  # half made, or the interpreter is going
            return
        super().__del__()


class Holder:
    """The shared owner of a chunk for several views; the chunk is returned when it is deleted.

    `variables`: weak references to the views with `attach_grad`. `recorded`: the value of
    `chunk.writes` after the last recorded write; arrays with an older stamp precede it.
    """

    __slots__ = ("chunk", "nbytes", "recorded", "variables")

    def __init__(self, chunk: Chunk | None, nbytes: int) -> None:
        self.chunk: Any = chunk  # None: another holder owns it
        self.nbytes = nbytes  # of the first array in the chunk
        self.recorded = -1
        self.variables: tuple[Any, ...] = ()

    def __del__(self) -> None:
        try:
            give(self.chunk)
        except (AttributeError, TypeError):  # half made, or the interpreter is going
            return


def take(nbytes: int, device: Context, reads: Collection[Chunk] | None = None) -> Chunk:
    """Return a chunk of at least `nbytes` bytes with undefined content.

    `reads`: the chunks that its writer reads. A chunk whose last reader wrote one of them counts as
    idle, as the writer waits for that reader anyway.
    """
    if here.running is not None:
        return _take_inline(nbytes, device)
    if APART and threading.get_ident() in APART:
        return _take_idle(nbytes, device)
    if nbytes < storage.LARGE:
        chunk: Any = storage.pool(device).take(nbytes)
        current()._renew(chunk)
        return chunk
    numbers, thread = [c.number for c in reads or ()], threading.get_ident()
    chunk = storage.pool(device).take(nbytes, lambda c: c.follower in numbers or idle(c))
    if chunk.thread != thread:
        if not idle(chunk):  # what another thread waits for may wait for this one
            give(chunk)
            chunk = chunk.bin.miss()
        chunk.thread = thread
    current()._renew(chunk)
    for read in reads or ():
        read.follower = chunk.number
    return chunk


def _take_inline(nbytes: int, device: Context) -> Chunk:
    """Return an idle chunk for a function that this thread runs and that must not wait."""
    chunk = _take_idle(nbytes, device)
    in_charge().take(chunk)
    return chunk


def _take_idle(nbytes: int, device: Context) -> Chunk:
    """Return an idle chunk without a failure."""
    chunk: Chunk = storage.pool(device).take(nbytes, idle)
    engine = current()
    if engine._in_use(chunk) or engine._failure_of(chunk) is not None:
        give(chunk)
        chunk = chunk.bin.miss()
    return chunk


APART: set[int] = set()  # identifiers of threads within `apart`


@contextmanager
def apart() -> Generator[None]:
    """Give new arrays of this thread only idle memory within the context.

    For threads that serve others: unfinished operations may wait for their answer.
    """
    was_inside = inside.get()
    try:
        APART.add(threading.get_ident())
        inside.set(True)  # turns off the compiled entry, which takes busy blocks
        yield
    finally:
        inside.set(was_inside)
        APART.discard(threading.get_ident())


def borrow(array: np.ndarray[Any, Any], device: Context, **why: str) -> Chunk:
    """Return a chunk over the memory of a NumPy array, which is kept alive and never written;
    `readonly` says why."""
    release_retired()
    memory = storage.borrow(array, device, **why)
    chunk = Chunk(memory, None, locked=memory.readonly or "")
    if here.running is not None:
        in_charge().take(chunk)
    parallel.enter(chunk.number, chunk.address, chunk.capacity, partial(calm, chunk))
    return chunk


class _Part:
    """A part of a larger block of memory, which it keeps alive."""

    __slots__ = ("address", "device", "nbytes", "whole")

    def __init__(self, whole: Any, address: int, nbytes: int, device: Context) -> None:
        self.whole, self.address, self.nbytes, self.device = whole, address, nbytes, device


def part(whole: Any, address: int, nbytes: int, device: Context) -> Chunk:
    """Return a chunk with its own variable over a part of `whole`, which is kept alive. The owner
    of `whole` must not use it at the same time."""
    return Chunk(_Part(whole, address, nbytes, device), None)


def calm(chunk: Chunk) -> None:
    """Wait until the chunk is idle; raise nothing. Do not call it inside an engine's function."""
    if here.running is None:
        settled(chunk)


def lend(chunk: Chunk) -> None:
    """Count one more library that shares the memory, which may not be written until it ends."""
    with _LEASING:
        chunk.leases += 1
    parallel.enter(chunk.number, chunk.address, chunk.capacity, partial(calm, chunk))


def take_back(chunk: Chunk) -> None:
    """Count one library less that shares the memory; called by finalisers."""
    with _LEASING:
        chunk.leases -= 1
        if not chunk.leases and chunk.bin is not None:
            parallel.leave(chunk.number)


def shared(holder_of: Any) -> Holder:
    """Return the holder of an array's chunk; create it for the first view."""
    with _SHARING:
        if holder_of._holder is None:
            holder, chunk = Holder(None, holder_of._layout.nbytes), holder_of._chunk
            if holder_of._node is None:
                holder_of._stamp = chunk.writes
            # no call stands between these, so no signal's handler: one of them gives the chunk back
            holder_of._holder = holder
            holder.chunk = chunk
        return holder_of._holder


_RETIRED: deque[list[Any]] = deque()  # chunks and their release functions: finalisers cannot push


def give(chunk: Chunk) -> None:
    """Return a chunk to its pool. Called by finalisers: it neither waits nor pushes."""
    if chunk.bin is None:
        _RETIRED.append([chunk, partial(parallel.leave, chunk.number)])
    else:
        chunk.bin.free.append(chunk)


def idle(block: Any) -> bool:
    """Return whether no unfinished operation uses a block."""
    chunk: Chunk = block
    return not current()._in_use(chunk)


def retire(block: Any, release: Callable[[], None]) -> None:
    """Release a block's memory after the unfinished operations on it, at once if there are none."""
    engine = block._owner.engine
    if engine is None or not engine._in_use(block):
        release()
        return
    _RETIRED.append([block, release])


def take_settled(nbytes: int, device: Context) -> Chunk:
    """Return a chunk that the host may write at once: idle and without a failure."""
    chunk = take(nbytes, device, ())
    if here.running is not None:
        return chunk
    engine = current()
    if not engine._in_use(chunk):
        engine._renew(chunk)  # no failure is left on what nothing uses
        return chunk
    # a call should not wait, unless memory would run away
    if len(chunk.bin.free) * chunk.capacity < _AHEAD:
        give(chunk)
        fresh: Chunk = chunk.bin.miss()
        return fresh
    cleared(chunk)
    return chunk


def cleared(chunk: Chunk) -> None:
    """Wait until the chunk is idle and clear its failure; its content is not needed."""
    engine = in_charge()
    if engine._in_use(chunk):
        engine._flush()
        engine._wait_variable(chunk, None)
    if engine._failure_of(chunk) is not None:
        engine.push(_overwrite, mutate_vars=[chunk], prop=OVERWRITE)
        engine._wait_variable(chunk, None)


def wait(chunk: Chunk) -> None:
    """Wait for the chunk's content; raise the failure of its last writer, at each call."""
    engine = in_charge()
    if engine._calm(chunk):
        return
    engine.wait_for_var(chunk)
    failure = engine._failure_of(chunk)
    if failure is not None:
        raise failure.again()


def settled(chunk: Chunk) -> Any:
    """Wait until the chunk is idle and return its failure or None, without marking it as seen.
    Raise EngineError inside a function that may not read the chunk."""
    engine = in_charge()
    engine._deadline(None, "array")
    engine._flush()
    engine._wait_variable(chunk, None)
    return engine._failure_of(chunk)


def _overwrite(run_ctx: RunContext) -> None:
    """Do nothing: a write that succeeds clears the failure of a chunk."""


def release_retired() -> None:
    """Push the release of retired blocks; called where arrays are created."""
    try:
        for entry in iter(_RETIRED.popleft, None):  # taken and named without a call between
            try:
                current()._delete(entry[0], partial(_release, entry), "release")
            except BaseException:
                _RETIRED.appendleft(entry)
                raise
    except IndexError:  # there are no more
        return


def _release(entry: list[Any], run_ctx: RunContext) -> None:
    """Release a retired block once; an interrupted push of it is repeated."""
    while len(entry) > 1:
        entry.pop()()


def drain(device: Context | None = None) -> None:
    """Wait for all unfinished operations, so that memory can be released; raise nothing."""
    release_retired()
    if here.running is None:  # a function is itself unfinished: it cannot wait for everything
        engine = current()
        engine._flush()
        engine._wait_all(None)


storage.set_factory(Chunk, idle=idle, retire=retire)
storage.on_shortage(drain)
