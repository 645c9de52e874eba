"""Small functions of the library that kernels call, from the source text that Numba reads.

`row_offset` and the integer operations are plain Python over primitives. Their modules import
Numba, so the files are read, not imported. Each is lowered for the kinds of its arguments.
"""

import ast
import functools

from nbgraph import parsing
from nbgraph._version import PACKAGE

SOURCES = tuple(PACKAGE / "native" / f"{name}.py" for name in ("integers", "memory"))
NAMES = frozenset(
    "int_floordiv int_mod uint_floordiv uint_mod narrow_floordiv narrow_mod int_shl int_shr "
    "float_to_uint64 row_offset".split()
)
SHARED = frozenset(("row_offset",))  # called once a row, so one copy suffices


@functools.cache
def helper(name: str) -> ast.FunctionDef:
    """Return the definition of a helper."""
    return _definitions()[name]


@functools.cache
def _definitions() -> dict[str, ast.FunctionDef]:
    definitions: dict[str, ast.FunctionDef] = {}
    for path in SOURCES:
        for node in parsing.parse(path.read_text()).body:
            if isinstance(node, ast.FunctionDef) and node.name in NAMES:
                definitions[node.name] = node
    return definitions
