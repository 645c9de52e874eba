"""The functions of this room, and others that kernels call, as LLVM text that needs no Numba.

    texts([("exp", "float32")], ["float32_to_float16"])

returns the text that a module needs to call `@m_exp_float32` and `@r_float32_to_float16`:
definitions of these, internal to the module, with their tables and declarations, for any
little-endian 64-bit processor. With AVX-512 some call its instructions (`codegen.instructions`),
for the same bits. The text ships with the package. If it was made from other sources, for another
LLVM, or for processors with a fused multiply-add and this one has none, `generate` makes the
functions on demand, and the disk cache keeps them.
"""

import functools
import hashlib
import time
from collections.abc import Iterable
from typing import Any

import llvmlite  # the package alone: LLVM is loaded by `llvmlite.binding`

from nbgraph._version import PACKAGE
from nbgraph.codegen import cache, target
from nbgraph.kernels.vector_math import VERSION, WIDE
from nbgraph.kernels.vector_math.symbols import RUNTIME, join, signature, split, symbol, symbols_in
from nbgraph.native.processor import has_evex, has_fma

_ROOM = PACKAGE / "kernels/vector_math"
SHIPPED = _ROOM / "texts.ll"
SPECIAL = _ROOM / "special.ll"  # functions that few kernels call
EVEX = _ROOM / "evex.ll"  # functions that use instructions of AVX-512


def texts(
    wanted: Iterable[tuple[str, str]], runtime: Iterable[str] = (), *, portable: bool = False
) -> str:
    """Return LLVM text of functions, by name and dtype, and of `runtime` functions, by name; each
    part once, whatever the order. `portable`: for another processor than the host.

    >>> print(texts([("sqrt", "float64")]))
    declare double @llvm.sqrt.f64(double)
    <BLANKLINE>
    define internal double @m_sqrt_float64(double %x) alwaysinline nounwind {
    b1:
      %v1 = tail call double @llvm.sqrt.f64(double %x)
      ret double %v1
    }
    <BLANKLINE>

    Errors as of `symbol`; CompileError for a function that Numba must make but refuses.
    """
    asked = sorted({*(symbol(*pair) for pair in wanted), *(symbol(name) for name in runtime)})
    wanted_parts: dict[str, str] = {}
    evex = not portable and has_evex(target.features())
    for each in asked:
        parts = _shipped(SPECIAL if each.split("_", 1)[1].rpartition("_")[0] in WIDE else SHIPPED)
        if evex and each in (instructed := _shipped(EVEX)):
            parts = instructed
        parts = parts or _generated(each, evex)
        wanted_parts.update(
            {name: parts[name] for name in sorted(_needed(each, parts)) if name != each}
        )
        wanted_parts[each] = parts[each]
    return "\n\n".join(wanted_parts.values()) + "\n"


def _needed(symbol: str, parts: dict[str, str]) -> set[str]:
    """Return all symbols that a function refers to, and the parts it shares with others."""
    needed: set[str] = set()
    todo = [symbol]
    while todo:
        name = todo.pop()
        if name not in needed:
            needed.add(name)
            if name == symbol or name.startswith("p_"):  # tables may hold an @
                todo += symbols_in(parts[name])
    return needed


def header() -> str:
    """Return what a text depends on besides its function: the first line of the shipped text."""
    release = ".".join(llvmlite.__version__.split(".")[:2])  # one LLVM each
    fma = "fma" if has_fma(target.features()) else "no fma"
    return f"; sources {_version()}, llvmlite {release}, {fma}"


def _version() -> str:
    """Return a hash of the sources."""
    pairwise = (_ROOM / "pairwise.py").read_bytes()
    return hashlib.sha256(VERSION.encode() + pairwise).hexdigest()[:16]


@functools.cache
def _shipped(path: Any) -> dict[str, str]:
    """Return a shipped text by symbol; empty if its header does not match."""
    try:
        first, _, rest = path.read_text(encoding="utf-8").partition("\n\n")
    except OSError:
        return {}
    return split(rest) if first.splitlines()[-1] == header() else {}


@functools.cache
def _generated(symbol: str, evex: bool) -> dict[str, str]:
    """Return the text of one function and all it needs, from the disk cache or made now."""
    key = hashlib.sha256(f"text {header()} {symbol} {evex}".encode()).hexdigest()
    entry = cache.load(key)
    if entry is None:
        from nbgraph.kernels.vector_math import generate  # imports Numba

        started = time.perf_counter()
        text = join(generate.entities(symbol, evex=evex))
        entry = cache.Entry(text.encode(), (), time.perf_counter() - started, "compiled")
        cache.store(key, entry)
    return split(entry.code.decode())


__all__ = ["RUNTIME", "header", "signature", "symbol", "texts"]
