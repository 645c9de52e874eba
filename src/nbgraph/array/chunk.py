"""Chunks: a block of memory and the engine variable that stands for it, recycled together.

An array that dies gives its chunk back at once, though kernels that use it may still be
unfinished. The next array in the chunk gets the same variable, so the engine runs the new writer
behind the last reader: recycling needs no push, and memory in flight cannot grow.
"""

from __future__ import annotations

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
_AHEAD = 1 << 26  # bytes of blocks of one size, all in use, before the host waits for one
_SHARING = forkable(threading.Lock())
_LEASING = forkable(threading.RLock())  # a finaliser may come while its own thread is in here
_untrack = ctypes.PYFUNCTYPE(None, ctypes.py_object)(("PyObject_GC_UnTrack", ctypes.pythonapi))


class Chunk(Variable, Block):
    """Memory that arrays share, as what the engine orders.

    `writes` counts pushes that write to it in place: a backward pass that needs an older version
    notices. `locked` says why it may not be written (borrowed memory), `leases` counts views that
    other libraries hold.
    """

    keeper = "an array"
    __slots__ = (
        "address",
        "bin",
        "capacity",
        "device",
        "follower",  # number of the chunk that the last operator to read this one wrote
        "leases",
        "locked",
        "memory",
        "thread",  # that took it last, of large chunks
        "writes",
    )

    def __init__(self, memory: Any, bin_: Any, *, locked: str = "") -> None:
        super().__init__(current()._owner)
        self.keeps = UNTIL_WRITTEN  # values that are not there stay so, even once it was raised
        self.memory, self.bin = memory, bin_
        self.address: int = memory.address
        self.capacity: int = memory.nbytes
        self.device: Context = memory.device
        if self.device != CPU:
            ELSEWHERE[0] = True
        self.locked = locked
        self.writes = self.leases = self.follower = self.thread = 0
        # The garbage collector finalises all of a cycle at once: were a chunk part of it, it would
        # be deleted in the same breath in which the array next to it gives it back to its pool.
        _untrack(self)

    def __del__(self) -> None:
        # A chunk that nobody gave back: an interrupt came while it changed hands. Unfinished work
        # may still use its memory, so it lives on until that has ended.
        try:
            if self.bin is not None and not self.memory.released and not sys.is_finalizing():
                _RETIRED.append([self, partial(storage.release, self.memory)])
                return
        except (AttributeError, TypeError):  # half made, or the interpreter is going
            return
        super().__del__()


class Holder:
    """What several views of a chunk hold in common: with it the chunk is given back.

    `variables`: weak references to those of them that gradients are collected for. `recorded`: the
    chunk's writes after the last one that gradients flow through; an array whose stamp is older
    does not know of it.
    """

    __slots__ = ("chunk", "nbytes", "recorded", "variables")

    def __init__(self, chunk: Chunk | None, nbytes: int) -> None:
        self.chunk: Any = chunk  # None: another has it still
        self.nbytes = nbytes  # of the array that the chunk was taken for
        self.recorded = -1
        self.variables: tuple[Any, ...] = ()

    def __del__(self) -> None:
        try:
            give(self.chunk)
        except (AttributeError, TypeError):  # half made, or the interpreter is going
            return


def take(nbytes: int, device: Context, reads: Collection[Chunk] | None = None) -> Chunk:
    """Return a chunk of at least so many bytes; its content is anything.

    `reads`: what the operator that writes it reads. A chunk whose last reader wrote one of those
    is as good as idle: the operator waits for that reader anyway.
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
    """Return a chunk that nothing uses, for this thread's function: it must not wait."""
    chunk = _take_idle(nbytes, device)
    in_charge().take(chunk)
    return chunk


def _take_idle(nbytes: int, device: Context) -> Chunk:
    """Return a chunk that nothing uses and on which no failure is left."""
    chunk: Chunk = storage.pool(device).take(nbytes, idle)
    engine = current()
    if engine._in_use(chunk) or engine._failure_of(chunk) is not None:
        give(chunk)
        chunk = chunk.bin.miss()
    return chunk


APART: set[int] = set()  # identifiers of threads within `apart`


@contextmanager
def apart() -> Generator[None]:
    """Within it new arrays of this thread take no memory that something unfinished uses.

    For a thread that serves others by arrays: what is unfinished may wait for its answer.
    """
    was_inside = inside.get()
    try:
        APART.add(threading.get_ident())
        inside.set(True)  # the compiled entry of calls takes what is free
        yield
    finally:
        inside.set(was_inside)
        APART.discard(threading.get_ident())


def borrow(array: np.ndarray[Any, Any], device: Context, **why: str) -> Chunk:
    """Memory of a NumPy array, which is kept alive and never written; `readonly` says why."""
    bury()
    memory = storage.borrow(array, device, **why)
    chunk = Chunk(memory, None, locked=memory.readonly or "")
    if here.running is not None:
        in_charge().take(chunk)
    parallel.enter(chunk.number, chunk.address, chunk.capacity, partial(calm, chunk))
    return chunk


class _Part:
    """A stretch of memory inside of something that is kept alive."""

    __slots__ = ("address", "device", "nbytes", "whole")

    def __init__(self, whole: Any, address: int, nbytes: int, device: Context) -> None:
        self.whole, self.address, self.nbytes, self.device = whole, address, nbytes, device


def part(whole: Any, address: int, nbytes: int, device: Context) -> Chunk:
    """Return a chunk, with a variable of its own, over memory inside of `whole`, which is kept
    alive; the owner of the whole sees to it that both are not used at once."""
    return Chunk(_Part(whole, address, nbytes, device), None)


def calm(chunk: Chunk) -> None:
    """Wait until nothing unfinished uses the chunk; raises nothing, and not inside a function."""
    if here.running is None:
        settled(chunk)


def lend(chunk: Chunk) -> None:
    """Another library shares the memory from now on: nobody here may write it."""
    with _LEASING:
        chunk.leases += 1
    parallel.enter(chunk.number, chunk.address, chunk.capacity, partial(calm, chunk))


def take_back(chunk: Chunk) -> None:
    """Count one library less that shares the memory. Finalisers call this."""
    with _LEASING:
        chunk.leases -= 1
        if not chunk.leases and chunk.bin is not None:
            parallel.leave(chunk.number)


def shared(holder_of: Any) -> Holder:
    """Return the holder of an array's chunk, made when its first view is."""
    with _SHARING:
        if holder_of._holder is None:
            holder, chunk = Holder(None, holder_of._layout.nbytes), holder_of._chunk
            if holder_of._node is None:
                holder_of._stamp = chunk.writes
            # no call stands between these, so no signal's handler: one of them gives the chunk back
            holder_of._holder = holder
            holder.chunk = chunk
        return holder_of._holder


_RETIRED: deque[list[Any]] = deque()  # chunks, and what releases them: finalisers cannot push


def give(chunk: Chunk) -> None:
    """Nobody has the chunk any more. Finalisers call this: it neither waits nor pushes."""
    if chunk.bin is None:
        _RETIRED.append([chunk, partial(parallel.leave, chunk.number)])
    else:
        chunk.bin.free.append(chunk)


def idle(block: Any) -> bool:
    """Return whether nothing unfinished uses a block."""
    chunk: Chunk = block
    return not current()._in_use(chunk)


def retire(block: Any, release: Callable[[], None]) -> None:
    """Release a block's memory once what uses it has ended: now, if nothing does."""
    engine = block._owner.engine
    if engine is None or not engine._in_use(block):
        release()
        return
    _RETIRED.append([block, release])


def take_settled(nbytes: int, device: Context) -> Chunk:
    """Return a chunk that the host may write at once: unused, with no failure left on it."""
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
    """Wait until nothing uses the chunk, whose content is not needed; no failure is left on it."""
    engine = in_charge()
    if engine._in_use(chunk):
        engine._flush()
        engine._wait_variable(chunk, None)
    if engine._failure_of(chunk) is not None:
        engine.push(_overwrite, mutate_vars=[chunk], prop=OVERWRITE)
        engine._wait_variable(chunk, None)


def wait(chunk: Chunk) -> None:
    """Until the chunk's content is there; raises what kept it from being there, each time."""
    engine = in_charge()
    if engine._calm(chunk):
        return
    engine.wait_for_var(chunk)
    failure = engine._failure_of(chunk)
    if failure is not None:
        raise failure.again()


def settled(chunk: Chunk) -> Any:
    """Until nothing unfinished uses the chunk; the failure it carries, which nobody sees by
    that, or None. EngineError inside a function that may not read it."""
    engine = in_charge()
    engine._deadline(None, "array")
    engine._flush()
    engine._wait_variable(chunk, None)
    return engine._failure_of(chunk)


def _overwrite(run_ctx: RunContext) -> None:
    """Run a write that leaves no failure behind."""


def bury() -> None:
    """Push the release of what was given up since, where arrays are made, or leave it for later."""
    try:
        for entry in iter(_RETIRED.popleft, None):  # taken and named without a call between
            try:
                current()._delete(entry[0], partial(_let_go, entry), "release")
            except BaseException:
                _RETIRED.appendleft(entry)
                raise
    except IndexError:  # there are no more
        return


def _let_go(entry: list[Any], run_ctx: RunContext) -> None:
    """Release what was given up, once: a push that was interrupted is made again."""
    while len(entry) > 1:
        entry.pop()()


def drain(device: Context | None = None) -> None:
    """Wait for everything unfinished, so that memory can be released; raises nothing."""
    bury()
    if here.running is None:  # a function is itself unfinished: it cannot wait for everything
        engine = current()
        engine._flush()
        engine._wait_all(None)


storage.set_factory(Chunk, idle=idle, retire=retire)
storage.on_shortage(drain)
