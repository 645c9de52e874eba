"""Kernels in memory: compiled once per content, found again by every operator and process."""

from __future__ import annotations

import ctypes
import functools
import threading
from collections import OrderedDict
from collections.abc import Sequence
from contextvars import ContextVar
from typing import Any, NamedTuple
from weakref import WeakValueDictionary

import numpy as np

from nbgraph.codegen import cache, target
from nbgraph.codegen.making.events import compiling
from nbgraph.kernel_errors import of_kernel
from nbgraph.kernels.compiler import cpu
from nbgraph.kernels.loops.loop import Loop
from nbgraph.kernels.loops.source import Source, emit
from nbgraph.scopes import Scopes, attend, forkable

prototype = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64, ctypes.c_int64, ctypes.c_int64)
MAX_KERNELS = 1024  # kernels kept in memory, least recently made first out
_KERNELS: OrderedDict[tuple[str, str], Kernel] = OrderedDict()  # by key, and name in the text
_CODES: WeakValueDictionary[str, _Code] = WeakValueDictionary()  # by key
_LOCK = forkable(threading.RLock())
_DEFERRED: ContextVar[bool] = ContextVar("nbgraph_deferred_kernels", default=False)
_deferring = Scopes(_DEFERRED)
_LOADED = ("address", "origin", "seconds", "_function")  # what there is once the code is there


class _Code:
    """The code of a content, which kernels of several names share."""

    __slots__ = ("__weakref__", "loaded", "loading", "lost", "origin", "seconds")

    def __init__(self) -> None:
        self.loading = forkable(threading.Lock())
        self.lost = False  # whether the disk is known not to have it
        self.loaded: target.LoadedCode | None = None
        self.origin, self.seconds = "", 0.0

    def take(self, entry: cache.Entry) -> None:
        """Place it in memory."""
        self.origin, self.seconds = entry.origin, entry.seconds
        self.loaded = target.LoadedCode(entry.code, entry.symbols)


class Kernel:
    """A compiled loop: `int64 kernel(int64 args, int64 lo, int64 hi)` at `address`.

    The code is loaded, or compiled, when it is first asked for: by `load`, `run` or an attribute.
    """

    __slots__ = (
        *("_code", "_function"),
        *("address", "compiler", "key", "loop", "name", "origin", "seconds", "source"),
    )
    address: int
    compiler: cpu.Compiler
    origin: str
    seconds: float

    def __init__(
        self, loop: Loop, source: Source, key: str, compiler: cpu.Compiler, name: str
    ) -> None:
        self.loop, self.source, self.key, self.compiler = loop, source, key, compiler
        self.name = name
        with _LOCK:
            self._code = _CODES.setdefault(key, _Code())

    def __getattr__(self, name: str) -> Any:
        if name not in _LOADED:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        self.load()
        code = self._code
        assert code.loaded is not None
        self.address, self.origin, self.seconds = code.loaded.address, code.origin, code.seconds
        self._function = prototype(self.address)
        return object.__getattribute__(self, name)

    def load(self) -> None:
        """See to it that the code is in memory; CompileError where it cannot be made."""
        if self._code.loaded is None:
            attend(self._load)

    def _load(self) -> None:
        with self._code.loading:
            self._bring(compiles=True)

    def at_hand(self) -> bool:
        """Return whether the code is in memory or on disk; in the latter case it is loaded. While
        it is being compiled it is not."""
        code = self._code
        if code.loaded is None and not code.lost and code.loading.acquire(blocking=False):
            try:
                self._bring(compiles=False)
            finally:
                code.loading.release()
        return code.loaded is not None

    def _bring(self, *, compiles: bool) -> None:
        code = self._code
        if code.loaded is not None:
            return
        with compiling(self.name, self.compiler) as note:
            entry = None if code.lost else cache.load(self.key)
            code.lost = entry is None
            if entry is None and compiles:
                compiled = cpu.compile_source(self.source, self.compiler)
                entry = cache.Entry(compiled.code, compiled.symbols, compiled.seconds, "compiled")
                cache.store(self.key, entry)
            if entry is not None:
                code.take(entry)
                note(entry.origin, len(entry.code))

    def run(self, record: np.ndarray, lo: int, hi: int) -> None:
        """Run a range of the iteration space on this thread, without the GIL."""
        status = self._function(record.__array_interface__["data"][0], lo, hi)
        if status:
            raise of_kernel(self.loop.name, status)

    def assembly(self) -> str:
        """Assembly text; compiles again, as object code carries none."""
        return cpu.assembly(self.source, self.compiler)

    def llvm(self) -> str:
        """Optimised LLVM text."""
        return cpu.llvm_text(self.source, self.compiler)


class Text(NamedTuple):
    """What a kernel that is not a Loop's says of itself."""

    name: str
    text: str


class Ready:
    """A kernel whose code others give, with the attributes of `Kernel`; by default it is there."""

    address: Any

    def __init__(self, name: str, text: str) -> None:
        self.loop = self.source = Text(name, text)

    @functools.cached_property
    def _function(self) -> Any:
        return prototype(self.address)

    def at_hand(self) -> bool:
        """Return whether its code is in memory, or on disk."""
        return True

    def load(self) -> None:
        """See to it that the code is in memory."""

    def run(self, record: np.ndarray[Any, Any], lo: int, hi: int) -> None:
        """Run tiles [lo, hi) on this thread, without the GIL."""
        status = self._function(record.__array_interface__["data"][0], lo, hi)
        if status:
            raise of_kernel(self.loop.name, status)


def kernel(loop: Loop, name: str | None = None) -> Kernel:
    """Return the kernel of a loop: from memory, from disk, or compiled now (see `deferring`).
    `name`: what reports call it; the first one counts, as equal loops are one kernel."""
    return of_source(emit(loop), loop, name or loop.name)


def of_source(source: Source, loop: Loop, name: str) -> Kernel:
    """Return the kernel of a text that is there; see `kernel`."""
    compiler = cpu.compiler(source)
    key = cpu.content_key(source, compiler)
    with _LOCK:
        kernel = _KERNELS.get((key, source.name))
        if kernel is None:
            kernel = _KERNELS[key, source.name] = Kernel(loop, source, key, compiler, name)
            while len(_KERNELS) > MAX_KERNELS:
                _KERNELS.popitem(last=False)
        else:
            _KERNELS.move_to_end((key, source.name))
    if not _DEFERRED.get():
        kernel.load()
    return kernel


def deferring() -> Any:
    """A block in which `kernel` neither loads nor compiles: that is done when code is asked for."""
    return _deferring(True)


def record(
    inner: int,
    addresses: Sequence[int],
    steps: Sequence[int],
    parameters: Sequence[bytes],
    outer: Sequence[tuple[int, Sequence[int]]],
) -> np.ndarray:
    """Return the argument record of `nbgraph.kernels.loops.loop`."""
    words = [inner, len(outer), *addresses, *steps]
    words += [int.from_bytes(p.ljust(8, b"\0"), "little", signed=True) for p in parameters]
    for extent, outer_steps in outer:
        words.append(extent)
        words += outer_steps
    return np.array(words, dtype=np.int64)
