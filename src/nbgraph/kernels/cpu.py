"""Compiling emitted text for the CPU: which compiler reads it, and one object file of it.

"llvm" lowers the text itself (`nbgraph.kernels.llvm`), which takes about a tenth of the time;
"numba" is the reference, and the only one for functions whose own text cannot be found.
"""

from __future__ import annotations

import hashlib
import time
from typing import TYPE_CHECKING, Literal, NamedTuple

from nbgraph._version import __version__
from nbgraph.codegen import target
from nbgraph.codegen.making.events import compiling
from nbgraph.errors import CompileError
from nbgraph.kernels import llvm, streaming, vector_math
from nbgraph.kernels.writer import Source
from nbgraph.settings import config

if TYPE_CHECKING:
    from llvmlite import binding

Compiler = Literal["llvm", "numba"]


class Compiled(NamedTuple):
    """Object code, the C symbols it needs, and how long it took to make."""

    code: bytes
    symbols: tuple[str, ...]
    seconds: float


def compiler(source: Source) -> Compiler:
    """Who compiles a kernel: as `ng.config.compiler` says, but Numba where it must be. LLVM's own
    text is read by LLVM."""
    if source.lowered:
        return "llvm"
    if not source.namespace.externs:
        return "numba" if config.compiler == "numba" else "llvm"
    if config.compiler == "llvm":
        raise CompileError(
            f"{source.name}: calls a function whose source text cannot be found, which Numba alone "
            "can compile, and compiler is 'llvm'; define it in a file or notebook cell, or set "
            "compiler to 'auto'"
        )
    return "numba"


def content_key(source: Source, by: Compiler) -> str:
    """What a kernel is: its text, constants and functions, and what they are compiled with. Its
    name is none of these, so that functions of equal bodies share their code."""
    parts = [
        by,
        source.text.replace(f"\ndef {source.name}(", "\ndef kernel(", 1),
        repr(sorted(source.namespace.functions.items())),
        repr([getattr(f, "identity", repr(f)) for f in source.namespace.externs.values()]),
        repr((source.fastmath, source.streaming and streaming.VERSION)),
        vector_math.VERSION,
        f"nbgraph {__version__} {_version(by)}",
        target.host(),
    ]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def _version(by: Compiler) -> str:
    if by == "llvm":
        return llvm.version()
    with compiling("numba", by):  # a fork waits for it: another thread's imports block a child
        from nbgraph.kernels import reference

        return reference.version()


def compile_source(source: Source, by: Compiler) -> Compiled:
    """Object code of an emitted kernel; CompileError says what could not be compiled."""
    started = time.perf_counter()
    module = _module(source, by)
    code = bytes(target.machine().emit_object(module))
    symbols = target.externals(str(module))
    return Compiled(code, symbols, time.perf_counter() - started)


def assembly(source: Source, by: Compiler) -> str:
    """The kernel's assembly text, for people and for checks."""
    return str(target.machine().emit_assembly(_module(source, by)))


def llvm_text(source: Source, by: Compiler) -> str:
    """The kernel's LLVM text after optimisation."""
    return str(_module(source, by))


def _module(source: Source, by: Compiler) -> binding.ModuleRef:
    """The optimised kernel."""
    made = _optimised(source, by)
    if not source.streaming:
        return made
    from nbgraph.codegen import optimise  # imports LLVM

    return optimise.parsed(streaming.marked(str(made)), source.name)


def _optimised(source: Source, by: Compiler) -> binding.ModuleRef:
    if source.lowered:
        from nbgraph.codegen import optimise  # imports LLVM

        return optimise.optimised(source.text, source.name, loops=False)
    if by == "llvm":
        from nbgraph.kernels.llvm import compile as by_llvm

        return by_llvm.module(source)
    from nbgraph.kernels import reference

    with target.COMPILING:
        return reference.module(source)


__all__ = [
    "Compiled",
    "Compiler",
    "assembly",
    "compile_source",
    "compiler",
    "content_key",
    "llvm_text",
]
