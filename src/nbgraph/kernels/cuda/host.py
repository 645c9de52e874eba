"""Kernels of the GPU on the host: what an emulated device runs.

Where units are threads, the kernel's own text is compiled for the host and called for one unit
after another, of a grid that is small and odd: any grid does the same. Where units are blocks of
threads, which trade values, the CPU's kernel of the loop stands in.
"""

from __future__ import annotations

import ctypes
import hashlib
import math
import threading
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from nbgraph.codegen import cache, target
from nbgraph.kernels.cuda import compile as compiled
from nbgraph.kernels.cuda.grid import Grid, units
from nbgraph.kernels.kernel import kernel
from nbgraph.kernels.loops import Loop
from nbgraph.kernels.writer import Source

Bytes = np.ndarray[Any, np.dtype[Any]]
UNITS = 5
_PROTOTYPE = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64, ctypes.c_int64, ctypes.c_int64)
_KNOWN: dict[str, target.LoadedCode] = {}
_LOCK = threading.Lock()


def by_thread(source: Source, *, fails: bool = False) -> Callable[[Bytes], None]:
    """What calls a text for one thread after another. `fails`: a code that it returns is left
    where the record's last word says; see `compile.Form`."""
    run = _PROTOTYPE(_loaded(source).address)

    def form(record: Bytes) -> None:
        address = record.__array_interface__["data"][0]
        for start in reversed(range(UNITS)):
            code = run(address, start, UNITS)
            if code and fails:
                ctypes.c_int64.from_address(int(record[-1])).value = code

    return form


def by_blocks(loop: Loop, grid: Grid) -> Callable[[Bytes], None]:
    """What runs a loop's kernel for hosts where a grid has a block of threads for each unit."""
    code = kernel(loop)

    def form(record: Bytes) -> None:
        code.run(record, 0, units(loop, record.tolist(), grid))

    return form


def memory(address: int, shape: Sequence[int], dtype: np.dtype[Any]) -> Bytes:
    """An array over memory of the host, which whoever asks keeps alive."""
    nbytes = math.prod(shape) * dtype.itemsize
    buffer: Any = (ctypes.c_byte * nbytes).from_address(address) if nbytes else b""
    return np.ndarray(tuple(shape), dtype, buffer)


def _loaded(source: Source) -> target.LoadedCode:
    """Compiled once per content. It stays: streams run it until the process ends."""
    text = compiled.host_text(source)
    key = hashlib.sha256(f"cuda host\0{target.host()}\0{source.fastmath}\0{text}".encode())
    name = key.hexdigest()
    with _LOCK:
        loaded = _KNOWN.get(name)
        if loaded is None:
            entry = cache.load(name)
            if entry is None:
                entry = _compiled(text, source.name)
                cache.store(name, entry)
            loaded = _KNOWN[name] = target.LoadedCode(entry.code, entry.symbols)
            loaded.keep()
    return loaded


def _compiled(text: str, name: str) -> cache.Entry:
    from nbgraph.codegen import optimise  # imports LLVM

    module = optimise.optimised(text, name, level=0)
    code = bytes(target.machine(0).emit_object(module))
    return cache.Entry(code, target.externals(module), 0.0, "compiled")
