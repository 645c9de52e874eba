"""Vector maths against NumPy (SciPy for erf) and against the same loop calling the C library.

    python -m benchmarks.vector_math

Arrays of 16,384 elements that stay in the cache, one thread.  The targets against NumPy are for
AVX2.  With AVX-512 NumPy has kernels of its own for most of these functions, and there is no
target; to compare at AVX2 on such a machine, take its AVX-512 features from both, by
NUMBA_CPU_FEATURES and NPY_DISABLE_CPU_FEATURES="X86_V4 AVX512_ICL".  The last lines are the time
Numba takes to compile a loop around a function, the function included, once Numba is warm.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable

import numpy as np
import scipy.special
from numba import njit

from benchmarks.harness import Limit, Row, report
from nbgraph.kernels import vector_math

SIZE = 1 << 14
NUMPY_TARGET, LIBM_TARGET = 2.0, 3.0
TARGETED = ("exp", "log", "tanh", "sin_small", "erf", "log1p", "expm1")

LIBM = {
    **{name: getattr(math, name) for name in ("exp", "log", "tanh", "erf", "log1p", "expm1")},
    **{name: getattr(math, name) for name in ("log2", "cos", "tan", "sin", "sinh", "atan", "erfc")},
    **{name: getattr(math, name) for name in ("asin", "acos", "asinh", "cosh", "pow", "hypot")},
}
LIBM |= {f"{name}_small": LIBM[name] for name in ("sin", "cos", "tan")}
PEER = {
    **{name: getattr(np, name) for name in LIBM if hasattr(np, name)},
    **{f"{name}_small": getattr(np, name) for name in ("sin", "cos", "tan")},
    "erf": scipy.special.erf,
    "erfc": scipy.special.erfc,
    "cbrt": np.cbrt,
}
FUNCTIONS = (*TARGETED, *sorted((LIBM.keys() | PEER.keys()) - set(TARGETED)), "sigmoid", "softplus")


def looped(function: Callable, arity: int) -> Callable:
    """A compiled loop over whole arrays."""
    if arity == 1:

        def loop(x, _y, out):
            for i in range(out.size):
                out[i] = function(x[i])
    else:

        def loop(x, y, out):
            for i in range(out.size):
                out[i] = function(x[i], y[i])

    return njit(error_model="numpy")(loop)


def numpy_has_avx512() -> bool:
    """Whether NumPy runs its AVX-512 kernels here."""
    found = np.show_config("dicts")["SIMD Extensions"].get("found", [])
    return any(feature == "X86_V4" or feature.startswith("AVX512") for feature in found)


def row(name: str, dtype: str) -> Row:
    """One function and its peers over the same points."""
    random = np.random.default_rng(1)
    arity = vector_math.ARITY[name]
    x = random.uniform(-0.95, 0.95, SIZE) if name in {"asin", "acos"} else random.normal(0, 2, SIZE)
    x = (np.abs(x) + 1e-3 if name in {"log", "log2", "log1p", "pow"} else x).astype(dtype)
    y, out = random.normal(0, 2, SIZE).astype(dtype), np.empty(SIZE, dtype)
    ours = looped(vector_math.implementation(name, dtype), arity)
    against: dict[str, Callable[[], object]] = {}
    if name in PEER:
        arguments = (x, y)[:arity]
        against["NumPy"] = lambda: PEER[name](*arguments, out=out)
    if name in LIBM:
        libm = looped(LIBM[name], arity)
        against["libm"] = lambda: libm(x, y, out)
    targets = {"libm": LIBM_TARGET}
    if not numpy_has_avx512() or name == "erf":
        targets["NumPy"] = NUMPY_TARGET
    kept = targets if name in TARGETED and dtype == "float32" else {}
    return Row(f"{name} {dtype}", lambda: ours(x, y, out), against, kept, elements=SIZE)


def build_seconds(*names: str) -> float:
    """Seconds to compile one loop around functions that were not compiled before."""
    x, out = np.ones(8, "float32"), np.ones(8, "float32")
    functions = [vector_math.implementation(name, "float32") for name in names]
    first, last = functions[0], functions[-1]
    start = time.perf_counter()

    @njit(error_model="numpy")
    def loop(x, out):
        for i in range(out.size):
            out[i] = first(x[i]) + last(x[i])

    loop(x, out)
    return time.perf_counter() - start


def build_limits() -> list[Limit]:
    """Must come before anything else compiles these functions."""
    looped(math.sqrt, 1)(*np.ones((3, 8), "float32"))  # warms Numba up
    build_seconds("floor")
    return [
        Limit("compile a loop around log, function included", build_seconds("log"), 0.5),
        Limit("compile a loop around exp, function included", build_seconds("exp"), 0.5),
        Limit("compile a loop around erf and exp2", build_seconds("erf", "exp2"), 0.6),
    ]


def rows() -> list[Row | Limit]:
    """The whole table."""
    limits = build_limits()
    return [row(name, dtype) for dtype in ("float32", "float64") for name in FUNCTIONS] + limits


if __name__ == "__main__":
    raise SystemExit(report(rows()))
