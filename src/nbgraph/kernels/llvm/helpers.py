"""Small functions of the library that kernels call, from the source text Numba reads.

`row_offset` and the integer operations are plain Python over primitives. Their modules import
Numba, so their files are read, not imported. They are lowered anew for the kinds of each call.
"""

from __future__ import annotations

import ast
import functools

from nbgraph import parsing
from nbgraph._version import PACKAGE

SOURCES = tuple(PACKAGE / "native" / f"{name}.py" for name in ("integers", "memory"))
NAMES = frozenset(
    "int_floordiv int_mod uint_floordiv uint_mod int_shl int_shr float_to_uint64 row_offset".split()
)
SHARED = frozenset(("row_offset",))  # run once a row: one copy, called


@functools.cache
def helper(name: str) -> ast.FunctionDef:
    """The definition of a helper."""
    return _definitions()[name]


@functools.cache
def _definitions() -> dict[str, ast.FunctionDef]:
    definitions: dict[str, ast.FunctionDef] = {}
    for path in SOURCES:
        for node in parsing.parse(path.read_text()).body:
            if isinstance(node, ast.FunctionDef) and node.name in NAMES:
                definitions[node.name] = node
    return definitions
