"""The functions of this room, and the others that kernels call, as LLVM text."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable

from nbgraph.kernels.vector_math.names import ARITY

# name: result and arguments, in LLVM's words
RUNTIME: dict[str, tuple[str, tuple[str, ...]]] = {
    "float16_to_float32": ("float", ("i16",)),
    "float32_to_float16": ("i16", ("float",)),
    "bfloat16_to_float32": ("float", ("i16",)),
    "float32_to_bfloat16": ("i16", ("float",)),
    "acc_pairwise": ("double", ("ptr", "i64")),
}
_KINDS = {"float32": "float", "float64": "double"}
_USED = re.compile(r"@([-\w.$]+)")


def signature(symbol: str) -> tuple[str, tuple[str, ...]]:
    prefix, _, name = symbol.partition("_")
    if prefix == "r":
        return RUNTIME[name]
    function, _, dtype = name.rpartition("_")
    kind = _KINDS[dtype]
    return kind, (kind,) * ARITY[function]


def texts(wanted: Iterable[tuple[str, str]], runtime: Iterable[str] = ()) -> str:
    """LLVM text"""
    symbols = [f"m_{name}_{dtype}" for name, dtype in wanted] + [f"r_{name}" for name in runtime]
    found: dict[str, str] = {}
    for symbol in dict.fromkeys(symbols):
        found.update(_entities(symbol))
    return "\n\n".join(found.values()) + "\n"


@functools.cache
def _entities(symbol: str) -> dict[str, str]:
    from nbgraph.kernels.vector_math import generate

    return generate.entities(symbol)
