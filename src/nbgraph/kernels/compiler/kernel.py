"""Kernels in memory: compiled once per content, shared by all operators and processes."""

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
MAX_KERNELS = 1024  # kernels kept in memory; the oldest is evicted first
_KERNELS: OrderedDict[tuple[str, str], Kernel] = OrderedDict()  # by key, and name in the text
_CODES: WeakValueDictionary[str, _Code] = WeakValueDictionary()  # by key
_LOCK = forkable(threading.RLock())
_DEFERRED: ContextVar[bool] = ContextVar("nbgraph_deferred_kernels", default=False)
_deferring = Scopes(_DEFERRED)
_LOADED = ("address", "origin", "seconds", "_function")  # attributes of loaded code


class _Code:
    """The code of one content, shared by kernels of several names."""

    __slots__ = ("__weakref__", "loaded", "loading", "lost", "origin", "seconds")

    def __init__(self) -> None:
        self.loading = forkable(threading.Lock())
        self.lost = False  # whether the code is known to be absent from disk
        self.loaded: target.LoadedCode | None = None
        self.origin, self.seconds = "", 0.0

    def take(self, entry: cache.Entry) -> None:
        """Load the code of a cache entry into memory."""
        self.origin, self.seconds = entry.origin, entry.seconds
        self.loaded = target.LoadedCode(entry.code, entry.symbols)


class Kernel:
    """A compiled loop: `int64 kernel(int64 args, int64 lo, int64 hi)` at `address`.

    The code is loaded or compiled at first use: by `load`, `run` or an attribute.
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
        """Load or compile the code; raise CompileError if it does not compile."""
        if self._code.loaded is None:
            attend(self._load)

    def _load(self) -> None:
        with self._code.loading:
            self._load_entry(compiles=True)

    def at_hand(self) -> bool:
        """Return whether the code is in memory or on disk; from disk it is loaded. Return False
        while the code is being compiled."""
        code = self._code
        if code.loaded is None and not code.lost and code.loading.acquire(blocking=False):
            try:
                self._load_entry(compiles=False)
            finally:
                code.loading.release()
        return code.loaded is not None

    def _load_entry(self, *, compiles: bool) -> None:
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
        """Return the assembly text; compiles again, as object code has none."""
        return cpu.assembly(self.source, self.compiler)

    def llvm(self) -> str:
        """Return the optimised LLVM text."""
        return cpu.llvm_text(self.source, self.compiler)


class Text(NamedTuple):
    """The name and text of a kernel that has no Loop."""

    name: str
    text: str


class Ready:
    """A kernel with externally supplied code and the attributes of `Kernel`; loaded by default."""

    address: Any

    def __init__(self, name: str, text: str) -> None:
        self.loop = self.source = Text(name, text)

    @functools.cached_property
    def _function(self) -> Any:
        return prototype(self.address)

    def at_hand(self) -> bool:
        """Return whether the code is in memory, or on disk."""
        return True

    def load(self) -> None:
        """Load the code into memory."""

    def run(self, record: np.ndarray[Any, Any], lo: int, hi: int) -> None:
        """Run tiles [lo, hi) on this thread, without the GIL."""
        status = self._function(record.__array_interface__["data"][0], lo, hi)
        if status:
            raise of_kernel(self.loop.name, status)


def kernel(loop: Loop, name: str | None = None) -> Kernel:
    """Return the kernel of a loop: from memory, from disk, or compiled now (see `deferring`).
    `name`: its name in reports; equal loops are one kernel, which keeps the first name."""
    return of_source(emit(loop), loop, name or loop.name)


def of_source(source: Source, loop: Loop, name: str) -> Kernel:
    """Return the kernel of an emitted text; see `kernel`."""
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
    """Return a context in which `kernel` neither loads nor compiles: first use of the code does."""
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
