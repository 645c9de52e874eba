"""Names and signatures of functions in LLVM text, and the division of a text into parts."""

import re

from nbgraph.kernels.vector_math import check
from nbgraph.kernels.vector_math.names import ARITY

# Functions for kernels besides the mathematical ones: result and arguments, in LLVM's words.
# `acc_pairwise` adds up the float64 at an address, as many as the second argument says.
RUNTIME: dict[str, tuple[str, tuple[str, ...]]] = {
    "float16_to_float32": ("float", ("i16",)),
    "float32_to_float16": ("i16", ("float",)),
    "bfloat16_to_float32": ("float", ("i16",)),
    "float32_to_bfloat16": ("i16", ("float",)),
    "float64_to_float16": ("i16", ("double",)),
    "float64_to_bfloat16": ("i16", ("double",)),
    "acc_pairwise": ("double", ("ptr", "i64")),
}
_KINDS = {"float32": "float", "float64": "double"}
_SYMBOL = re.compile(r"@([-\w.$]+)")


def symbol(name: str, dtype: str = "") -> str:
    """Return a function's symbol in LLVM text: a mathematical one for a dtype, or one of RUNTIME.

    >>> symbol("exp", "float32"), symbol("acc_pairwise")
    ('m_exp_float32', 'r_acc_pairwise')

    Raises ValueError for an unknown name, TypeError for a dtype other than float32 and float64.
    """
    if dtype or name not in RUNTIME:
        check(name, dtype)
        return f"m_{name}_{dtype}"
    return f"r_{name}"


def signature(symbol: str) -> tuple[str, tuple[str, ...]]:
    """Return result and argument types of a function, as LLVM writes them.

    >>> signature("m_atan2_float64")
    ('double', ('double', 'double'))
    """
    prefix, _, name = symbol.partition("_")
    if prefix == "r":
        return RUNTIME[name]
    function, _, dtype = name.rpartition("_")
    return _KINDS[dtype], (_KINDS[dtype],) * ARITY[function]


def join(parts: dict[str, str]) -> str:
    """Return the parts of a module as one text."""
    return "\n\n".join(parts.values()) + "\n"


def split(text: str) -> dict[str, str]:
    """Return the parts of such a text by symbol; no part contains an empty line."""
    parts: dict[str, str] = {}
    for part in text.rstrip("\n").split("\n\n"):
        match = _SYMBOL.search(part)
        assert match is not None, part[:80]
        parts[match[1]] = part
    return parts


def symbols_in(part: str) -> list[str]:
    """Return all symbols that a function refers to, including its own."""
    return _SYMBOL.findall(part)
