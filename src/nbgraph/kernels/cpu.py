"""Compiling emitted source for the CPU: Numba lowers it, LLVM makes one object file of it."""

from __future__ import annotations

import functools
import hashlib
import linecache
import re
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import llvmlite.binding as llvm
import numpy as np

from nbgraph._version import __version__
from nbgraph.codegen import target
from nbgraph.errors import CompileError
from nbgraph.kernels import vector_math
from nbgraph.kernels.source import Source

_MEMORY = (
    *("word", "load", "store", "load_input", "store_output", "load_element", "store_element"),
    *("shifted", "select", "separate", "interleaved", "row_offset"),
)


@dataclass(frozen=True, slots=True)
class Compiled:
    """Object code, the C symbols it needs, and how long it took to make."""

    code: bytes
    symbols: tuple[str, ...]
    seconds: float


def content_key(source: Source) -> str:
    """What a kernel is: its text, constants and functions, and what they are compiled with."""
    parts = [
        source.text,
        repr(sorted(source.namespace.functions.items())),
        repr([getattr(f, "identity", repr(f)) for f in source.namespace.externs.values()]),
        repr(source.fastmath),
        vector_math.VERSION,
        _runtime_version(),
        f"nbgraph {__version__} numba {_numba_version()}",
        target.host(),
    ]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


@functools.cache
def _runtime_version() -> str:
    """A hash of the texts that emitted code calls, besides vector_math."""
    root = Path(__file__).parent
    texts = [root / "integers.py", root / "accumulate.py"]
    texts += sorted((root.parent / "native").glob("*.py"))
    texts += [root.parent / "codegen" / name for name in ("elements.py", "lower.py")]
    return hashlib.sha256(b"".join(t.read_bytes() for t in texts)).hexdigest()


@functools.cache
def _numba_version() -> str:
    from importlib.metadata import version  # slow to import, needed at the first kernel

    return version("numba")  # a kernel found on disk does not import Numba


def compile_source(source: Source) -> Compiled:
    """Object code of an emitted kernel; CompileError with Numba's text in `details`."""
    started = time.perf_counter()
    with target.COMPILING:
        module = _module(source)
        code = bytes(target.machine().emit_object(module))
        symbols = target.externals(str(module))
    return Compiled(code, symbols, time.perf_counter() - started)


def assembly(source: Source) -> str:
    """The kernel's assembly text, for people and for checks."""
    with target.COMPILING:
        module = _module(source)
        return str(target.machine().emit_assembly(module))


def llvm_text(source: Source) -> str:
    """The kernel's LLVM text after optimisation."""
    with target.COMPILING:
        return str(_module(source))


def python_function(source: Source) -> Any:
    """The emitted function with its names bound, not yet compiled."""
    space = _names(source)
    filename = f"<nbgraph {source.name} {hashlib.sha256(source.text.encode()).hexdigest()[:8]}>"
    exec(compile(source.text, filename, "exec"), space)
    linecache.cache[filename] = (len(source.text), None, source.text.splitlines(True), filename)
    try:
        return space[source.name]
    finally:
        linecache.cache.pop(filename, None)


def _names(source: Source) -> dict[str, Any]:
    """Everything the text refers to."""
    import numba

    from nbgraph.codegen import lower
    from nbgraph.kernels import integers
    from nbgraph.native import memory

    from nbgraph.native import floats  # isort: skip

    space: dict[str, Any] = {"__name__": "nbgraph.kernels.generated"}
    space.update({name: getattr(memory, name) for name in _MEMORY})
    space.update({f"{dtype}_word": read for dtype, read in memory.WORDS.items()})
    space.update({f"{dtype}_pointer": make for dtype, make in memory.POINTERS.items()})
    space["part"] = functools.partial(lower.jit, fastmath=source.fastmath)
    space.update(integers.FUNCTIONS)
    space.update(
        float16_to_float32=floats.half_to_float,
        float32_to_float16=floats.float_to_half,
        bfloat16_to_float32=floats.bfloat16_to_float,
        float32_to_bfloat16=floats.float_to_bfloat16,
    )
    for name in ("float32", "float64", "int8", "int16", "int32", "int64"):
        space[name] = getattr(numba, name)
    for name in ("uint8", "uint16", "uint32", "uint64"):
        space[name] = getattr(numba, name)
    with np.errstate(over="ignore"):  # a literal beyond float32 is infinite there
        for name, (dtype, value) in source.namespace.constants.items():
            space[name] = np.dtype(dtype).type(value)
    for name, function in source.namespace.functions.items():
        space[name] = vector_math.implementation(function, source.namespace.compute)
    for name, function in source.namespace.externs.items():
        space[name] = function.compiled(source.namespace.compute)  # type: ignore[attr-defined]
    if any(sign in source.text for sign in ("acc_", "_start_", "strip_")):
        from nbgraph.kernels import accumulate

        space.update(accumulate.names())
    return space


def _module(source: Source) -> llvm.ModuleRef:
    """The optimised kernel behind its C signature; nothing else is visible outside."""
    from nbgraph.codegen import lower  # imports Numba

    kernel = lower.jit(python_function(source), fastmath=source.fastmath)
    try:
        return lower.link({target.SYMBOL: (kernel, 3)})
    except CompileError as error:
        raise CompileError(
            f"{source.name}: the kernel could not be compiled: {_first_line(error)}. Set "
            "NBGRAPH_DEBUG=1, or read `details` of this error, for Numba's own text",
            details=f"{error.details}\n\n{source.text}",
        ) from (error if _debug() else None)


def _first_line(error: CompileError) -> str:
    lines = [line.strip() for line in error.details.splitlines() if line.strip()]
    text = next((n for n in lines if not re.match(r"(Failed in|During)", n)), "unknown reason")
    return text[:200]


def _debug() -> bool:
    from nbgraph.settings import config

    return bool(config.debug)


__all__ = ["Compiled", "assembly", "compile_source", "content_key", "llvm_text"]
