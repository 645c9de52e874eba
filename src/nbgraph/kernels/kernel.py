"""Kernels in memory: compiled once per content, found again by every operator and process."""

from __future__ import annotations

import ctypes
import threading
from collections import OrderedDict
from collections.abc import Sequence

import numpy as np

from nbgraph.codegen import cache, target
from nbgraph.errors import CompileError
from nbgraph.kernels import cpu
from nbgraph.kernels.loops import Loop
from nbgraph.kernels.source import Source, emit

_PROTOTYPE = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64, ctypes.c_int64, ctypes.c_int64)
MAX_KERNELS = 1024  # kernels kept in memory, least recently made first out
_KERNELS: OrderedDict[str, Kernel] = OrderedDict()
_LOCK = threading.RLock()


class Kernel:
    """A compiled loop: `int64 kernel(int64 args, int64 lo, int64 hi)` at `address`."""

    __slots__ = ("_code", "_function", "address", "key", "loop", "origin", "seconds", "source")

    def __init__(self, loop: Loop, source: Source, key: str, made: cache.Entry) -> None:
        self.loop, self.source, self.key = loop, source, key
        self._code = target.LoadedCode(made.code, made.symbols)
        self.address = self._code.address
        self._function = _PROTOTYPE(self.address)
        self.origin, self.seconds = made.origin, made.seconds

    def run(self, record: np.ndarray, lo: int, hi: int) -> None:
        """Run a range of the iteration space on this thread, without the GIL."""
        status = self._function(record.__array_interface__["data"][0], lo, hi)
        if status:
            raise CompileError(f"{self.loop.name}: the kernel stopped with error code {status}")

    def assembly(self) -> str:
        """Assembly text; compiles again, as object code carries none."""
        return cpu.assembly(self.source)

    def llvm(self) -> str:
        """Optimised LLVM text."""
        return cpu.llvm_text(self.source)


def kernel(loop: Loop) -> Kernel:
    """The kernel of a loop: from memory, from disk, or compiled now."""
    source = emit(loop)
    key = cpu.content_key(source)
    with _LOCK:
        found = _KERNELS.get(key)
        if found is None:
            found = Kernel(loop, source, key, _entry(key, source))
            _KERNELS[key] = found
            while len(_KERNELS) > MAX_KERNELS:
                _KERNELS.popitem(last=False)
        else:
            _KERNELS.move_to_end(key)
        return found


def _entry(key: str, source: Source) -> cache.Entry:
    entry = cache.load(key)
    if entry is not None:
        return entry
    made = cpu.compile_source(source)
    entry = cache.Entry(made.code, made.symbols, made.seconds, "compiled")
    cache.store(key, entry)
    return entry


def forget_kernels() -> None:
    """Drop the kernels in memory (those in use live on); the disk is not touched."""
    with _LOCK:
        _KERNELS.clear()


def record(
    inner: int,
    addresses: Sequence[int],
    steps: Sequence[int],
    parameters: Sequence[bytes],
    outer: Sequence[tuple[int, Sequence[int]]],
) -> np.ndarray:
    """The argument record of `nbgraph.kernels.loops`."""
    words = [inner, len(outer), *addresses, *steps]
    words += [int.from_bytes(p.ljust(8, b"\0"), "little", signed=True) for p in parameters]
    for extent, outer_steps in outer:
        words.append(extent)
        words += outer_steps
    return np.array(words, dtype=np.int64)
