"""Scalar mathematical functions that LLVM turns into vector code when inlined into a loop.

`implementation(name, dtype)` is a compiled scalar function.  Each is branch-free text, written
once for float32 and float64, with explicit fused multiply-adds and no fast-math flags: the vector
body of a loop, its scalar tail and a caller with any flags all give the same bits.  Special
functions branch and loop, and are written for float64 alone (see `wide`).  `texts` has the same
functions as LLVM text, for which Numba need not be there.
"""

import functools
import hashlib
import importlib
from collections.abc import Callable
from dataclasses import replace

from nbgraph._version import PACKAGE, files
from nbgraph.kernels.vector_math.names import ARITY as ARITY
from nbgraph.kernels.vector_math.names import FAMILY
from nbgraph.kernels.vector_math.names import FMOD_BOUND as FMOD_BOUND
from nbgraph.kernels.vector_math.names import NAMES as NAMES
from nbgraph.kernels.vector_math.names import TRIG_BOUND as TRIG_BOUND
from nbgraph.kernels.vector_math.names import WIDE as WIDE

DTYPES = ("float32", "float64")


def _version() -> str:
    """Return a hash of all sources that `implementation` depends on here."""
    own = "kernels/vector_math"
    native = [PACKAGE / "native" / f"{name}.py" for name in ("floats", "halves", "instructions")]
    digest = hashlib.sha256()
    for path in (*files(own, ".py"), *files(own, ".json"), *native):
        digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


VERSION = _version()


def check(name: str, dtype: str) -> None:
    """Raise ValueError for an unknown function, TypeError for a dtype that it lacks."""
    if name not in NAMES:
        raise ValueError(f"vector_math: no function {name!r}; there are {', '.join(sorted(NAMES))}")
    if name in WIDE and dtype == "float32":
        raise TypeError(f"{name} is computed in float64; see precision()")
    if dtype not in DTYPES:
        raise TypeError(f"{name}: no implementation for dtype {dtype!r}, only for {DTYPES}")


def precision(name: str, compute: str) -> str:
    """Return the dtype of a function's arguments in a kernel that computes in `compute`.

    >>> precision("exp", "float32"), precision("j0", "float32")
    ('float32', 'float64')
    """
    return "float64" if name in WIDE else compute


@functools.cache
def implementation(name: str, dtype: str, *, evex: bool = False) -> Callable:
    """Return the Numba function `name` from scalars of `dtype` to `dtype`; Numba is imported here.
    With `evex`, one that calls `nbgraph.native.instructions`, for its text only."""
    check(name, dtype)
    family = importlib.import_module(f"{__name__}.{FAMILY[name]}")
    if name in WIDE:
        return getattr(family, name)
    formats = importlib.import_module(f"{__name__}.formats")
    return getattr(family, name)(replace(formats.FORMATS[dtype], evex=evex))
