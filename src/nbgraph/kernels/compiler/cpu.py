"""Compilation of emitted text for the CPU: the choice of compiler, and object code.

"llvm" lowers the text itself (`nbgraph.kernels.llvm`), which takes about a tenth of the time;
"numba" is the reference, and the only one for functions whose own text cannot be found.

Large outputs that are not read soon bypass the cache. An ordinary store first reads the cache line
it changes; for a large output that costs bandwidth and evicts other data. LLVM has stores that
bypass the cache, "nontemporal", but vectorises none, since it requires aligned addresses and those
of elements are not. So the emitted text says where cache lines begin (`forms.Map`), LLVM infers
which vector stores are aligned, and those are marked here, after optimisation. A store that is not
known to be aligned is not marked.
"""

from __future__ import annotations

import functools
import hashlib
import re
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple

from nbgraph._version import __version__
from nbgraph.codegen import cache, image, target
from nbgraph.codegen.making.events import compiling
from nbgraph.errors import CompileError
from nbgraph.kernels import llvm, vector_math
from nbgraph.kernels.loops.writer import Source
from nbgraph.native.processor import LINE
from nbgraph.scopes import attended
from nbgraph.settings import config

if TYPE_CHECKING:
    from llvmlite import binding

    from nbgraph.kernels.llvm.shared import Shared


Compiler = Literal["llvm", "numba"]
_LABEL = r"\.L[\w$.]+"  # a label local to its module
MAX_OPTIMISED = 800_000  # characters of a kernel; nearly all kernels have at most 200,000
MAX_REPEATED = 150_000  # characters of a kernel whose own loops are not vectorised


class Compiled(NamedTuple):
    """Object code, the C symbols it needs, and how long it took to make."""

    code: bytes
    symbols: tuple[str, ...]
    seconds: float


def compiler(source: Source) -> Compiler:
    """Return the compiler of a kernel: `ng.config.compiler`, except that text already lowered to
    LLVM always goes to LLVM, and a function without source text always to Numba."""
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
    """Return the cache key of a kernel: a hash of its text, constants, functions and compiler. The
    name is not part of it, so functions with equal bodies share their code."""
    parts = [
        by,
        source.text.replace(f"\ndef {source.name}(", "\ndef kernel(", 1),
        repr(sorted(source.namespace.functions.items())),
        repr([getattr(f, "identity", repr(f)) for f in source.namespace.externs.values()]),
        repr((source.fastmath, source.streaming and STREAMING_VERSION)),
        vector_math.VERSION,
        f"nbgraph {__version__} {_version(by)}",
        target.host(),
    ]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def _version(by: Compiler) -> str:
    if by == "llvm":
        return llvm.version()
    with compiling("numba", by):  # makes a fork wait: another thread's imports would block a child
        from nbgraph.kernels.compiler import reference

        return reference.version()


def compile_source(source: Source, by: Compiler) -> Compiled:
    """Return object code of an emitted kernel; CompileError says what could not be compiled."""
    started = time.perf_counter()
    compiled, called = module(source, by)
    pieces = [
        _emitted(compiled, _level(source)),
        *(_shared(each.symbol, each.text) for each in called),
    ]
    code = image.joined([piece.code for piece in pieces])
    symbols = {name for piece in pieces for name in piece.symbols}
    symbols.difference_update(each.symbol for each in called)
    return Compiled(code, tuple(sorted(symbols)), time.perf_counter() - started)


def _level(source: Source) -> int:
    """Return the optimisation level: 3; 0 for text so long that LLVM would take a minute; 1 for
    long text with loops within an element: the code is as fast, in a third of the time.
    """
    if len(source.text) > MAX_OPTIMISED:
        return 0
    loops = source.text.count("    while ") > 1 and "straight()" not in source.text
    return 1 if loops and len(source.text) > MAX_REPEATED else 3


def _emitted(module: binding.ModuleRef, level: int = 3) -> Compiled:
    code = bytes(target.machine(level).emit_object(module))
    return Compiled(code, target.externals(module), 0.0)


@functools.lru_cache(maxsize=256)
def _shared(symbol: str, text: str) -> Compiled:
    """Return object code of a function that kernels share, by content: from memory, from disk, or
    compiled now. On disk it is among the facts, as no process looks it up as a kernel."""
    parts = ("shared", text, _version("llvm"), target.host())
    key = hashlib.sha256("\0".join(parts).encode()).hexdigest()
    known = cache.recall(key)
    if known is None:
        emitted = _emitted(_optimised_shared(symbol, text))
        known = " ".join(emitted.symbols).encode() + b"\n" + emitted.code
        cache.remember(key, known)
    symbols, _, code = known.partition(b"\n")
    return Compiled(code, tuple(symbols.decode().split()), 0.0)


def _optimised_shared(symbol: str, text: str) -> binding.ModuleRef:
    from nbgraph.codegen import optimise  # imports LLVM

    return optimise.optimised(text, symbol)


@attended
def assembly(source: Source, by: Compiler) -> str:
    """Return the kernel's assembly text, with what it is linked with, for people and for checks."""
    parsed, called = module(source, by)
    texts = [str(target.machine().emit_assembly(parsed))]
    for k, each in enumerate(called):
        text = str(target.machine().emit_assembly(_optimised_shared(each.symbol, each.text)))
        texts.append(re.sub(_LABEL, rf"\g<0>_{k}", text))
    return "\n".join(texts)


@attended
def llvm_text(source: Source, by: Compiler) -> str:
    """Return the kernel's optimised LLVM text, without the functions that kernels share."""
    return str(module(source, by)[0])


def module(source: Source, by: Compiler) -> tuple[binding.ModuleRef, Sequence[Shared]]:
    """Return the optimised kernel, and the shared functions that it calls."""
    optimised, called = _optimised(source, by)
    if not source.streaming:
        return optimised, called
    from nbgraph.codegen import optimise  # imports LLVM

    return optimise.parsed(marked(str(optimised)), source.name), called


def _optimised(source: Source, by: Compiler) -> tuple[binding.ModuleRef, Sequence[Shared]]:
    if source.lowered:
        from nbgraph.codegen import optimise  # imports LLVM

        return optimise.optimised(source.text, source.name, loops=False), ()
    if by == "llvm":
        from nbgraph.kernels.llvm import compile as by_llvm

        return by_llvm.module(source, _level(source))
    from nbgraph.kernels.compiler import reference

    with target.COMPILING:
        return reference.module(source), ()


__all__ = [
    "Compiled",
    "Compiler",
    "assembly",
    "compile_source",
    "compiler",
    "content_key",
    "llvm_text",
    "module",
]


STREAMING_VERSION = 1  # of the rewriting of LLVM text below, for cache keys

_LEAST = 16  # bytes of the shortest vector with a nontemporal store
_BITS = {"half": 16, "bfloat": 16, "float": 32, "double": 64}
_STORE = rf"(?m)^  store <(\d+) x (i\d+|{'|'.join(_BITS)})> [^\n]*, align (\d+)[^\n]*$"
_NODE = r"(?m)^!(\d+) = "


def marked(text: str) -> str:
    """Return optimised LLVM text of a streaming loop with its aligned vector stores marked.

    >>> print(marked("  store <4 x float> %v, ptr %p, align 16"))
      store <4 x float> %v, ptr %p, align 16, !nontemporal !0
    !0 = !{i32 1}
    <BLANKLINE>
    """
    node = max((int(n) for n in re.findall(_NODE, text)), default=-1) + 1

    def mark(store: re.Match[str]) -> str:
        count, element, align = store.groups()
        bits = _BITS.get(element) or int(element[1:])
        nbytes = int(count) * bits // 8
        aligned = nbytes >= _LEAST and int(align) >= min(nbytes, LINE)
        return f"{store[0]}, !nontemporal !{node}" if aligned else store[0]

    return f"{re.sub(_STORE, mark, text)}\n!{node} = !{{i32 1}}\n"
