"""The reference compiler: Numba compiles emitted text as Python source."""

from __future__ import annotations

import functools
import hashlib
import linecache
import re
from typing import TYPE_CHECKING, Any

import numpy as np

from nbgraph._version import sources
from nbgraph.codegen import target
from nbgraph.errors import CompileError
from nbgraph.kernels import vector_math
from nbgraph.kernels.loops.writer import Source
from nbgraph.kernels.scalar.kinds import INTEGERS

if TYPE_CHECKING:
    import llvmlite.binding as llvm

_MEMORY = (
    "word load store load_input store_output load_element store_element address shifted select "
    "separate interleaved straight calling row_offset to_line on_line copied streamed fetch"
).split()


@functools.cache
def version() -> str:
    """Return what the code depends on besides the text: Numba, and files that it calls."""
    from importlib.metadata import version  # slow to import; Numba itself would be slower

    digest = sources("kernels/compiler/accumulate", "native/*", "codegen/lower")
    return f"numba {version('numba')} {digest}"


def module(source: Source) -> llvm.ModuleRef:
    """Return the optimised kernel with its C signature; all other symbols are local.

    Callers hold `target.COMPILING`.
    """
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


def python_function(source: Source) -> Any:
    """Return the emitted function with its names bound, not yet compiled."""
    space = names(source)
    filename = f"<nbgraph {source.name} {hashlib.sha256(source.text.encode()).hexdigest()[:8]}>"
    exec(compile(source.text, filename, "exec"), space)
    linecache.cache[filename] = (len(source.text), None, source.text.splitlines(True), filename)
    try:
        return space[source.name]
    finally:
        linecache.cache.pop(filename, None)


def names(source: Source) -> dict[str, Any]:
    """Return the objects that the text refers to, by name."""
    import numba

    from nbgraph.codegen import lower
    from nbgraph.native import calls, floats, integers, memory

    space: dict[str, Any] = {"__name__": "nbgraph.kernels.generated"}
    space.update({name: getattr(memory, name) for name in _MEMORY})
    space["call_kernel"] = calls.call_kernel
    space.update({f"{dtype}_word": read for dtype, read in memory.WORDS.items()})
    space.update({f"{dtype}_pointer": make for dtype, make in memory.POINTERS.items()})
    space["part"] = functools.partial(lower.jit, fastmath=source.fastmath)
    space.update(integers.FUNCTIONS, fma=floats.fma, bits=floats.bits, from_bits=floats.from_bits)
    space.update(
        float16_to_float32=floats.half_to_float,
        float32_to_float16=floats.float_to_half,
        bfloat16_to_float32=floats.bfloat16_to_float,
        float32_to_bfloat16=floats.float_to_bfloat16,
        float64_to_float16=floats.float_to_half,
        float64_to_bfloat16=floats.float_to_bfloat16,
    )
    for name in ("float32", "float64", *INTEGERS):
        space[name] = getattr(numba, name)
    with np.errstate(over="ignore"):  # a literal beyond float32 is infinite there
        for name, (dtype, value) in source.namespace.constants.items():
            space[name] = np.dtype(dtype).type(value)
    for name, table in source.namespace.tables.items():
        space[name] = memory.table(table.array(source.namespace.compute))
    for name, function in source.namespace.functions.items():
        space[name] = vector_math.implementation(
            function, vector_math.precision(function, source.namespace.compute)
        )
    for name, function in source.namespace.externs.items():
        space[name] = function.compiled(source.namespace.compute)  # type: ignore[attr-defined]
    if any(sign in source.text for sign in ("acc_", "_start_", "strip_", "room_", "lanes_")):
        from nbgraph.kernels.compiler import accumulate

        space.update(accumulate.names())
    return space


def _first_line(error: CompileError) -> str:
    lines = [line.strip() for line in error.details.splitlines() if line.strip()]
    text = next((n for n in lines if not re.match(r"(Failed in|During)", n)), "unknown reason")
    return text[:200]


def _debug() -> bool:
    from nbgraph.settings import config

    return bool(config.debug)
