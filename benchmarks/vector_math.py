"""The library's mathematical operators against NumPy (SciPy for erf) and a loop over the C library.

    python -m benchmarks.vector_math

Calls with `out=` on arrays of 32,768 elements that stay in the second cache, one thread. Targets
against NumPy are 2 with AVX2 (`bash benchmarks/avx2 vector_math`) and 1.3 with AVX-512, where NumPy
has Intel's vector mathematics. The last lines are the time Numba takes to compile a loop around a
function, the function included, once Numba is warm.
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
from nbgraph.operator import registry

SIZE = 1 << 15
WITH_AVX2, WITH_AVX512, LIBM_TARGET = 2.0, 1.3, 3.0
TARGETED = ("exp", "log", "tanh", "sin", "erf", "log1p", "expm1")
OTHERS = (
    *("exp2", "log2", "log10", "cos", "tan", "asin", "acos", "atan", "asinh", "acosh", "atanh"),
    *("sinh", "cosh", "erfc", "cbrt", "pow", "hypot", "sigmoid", "softplus"),
)
UNIT, POSITIVE = {"asin", "acos", "atanh"}, {"log", "log2", "log10", "log1p", "pow"}


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
    """One operator and its peers over the same points."""
    random, op = np.random.default_rng(1), registry.find(name)
    x = random.uniform(-0.95, 0.95, SIZE) if name in UNIT else random.normal(0, 2, SIZE)
    x = np.abs(x) + 1e-3 if name in POSITIVE else np.abs(x) + 1 if name == "acosh" else x
    x, y, out = x.astype(dtype), random.normal(0, 2, SIZE).astype(dtype), np.empty(SIZE, dtype)
    operands = (x, y)[: op.nin]
    against: dict[str, Callable[[], object]] = {}
    peer = getattr(np, name, None) or getattr(scipy.special, name, None)
    if peer is not None:
        against["NumPy"] = lambda: peer(*operands, out=out)
    if name in TARGETED:
        libm = looped(getattr(math, name), op.nin)
        against["libm"] = lambda: libm(x, y, out)
    fewer = numpy_has_avx512() and name != "erf"
    targets = {"libm": LIBM_TARGET, "NumPy": WITH_AVX512 if fewer else WITH_AVX2}
    kept = targets if name in TARGETED and dtype == "float32" else {}
    return Row(f"{name} {dtype}", lambda: op(*operands, out=out), against, kept, elements=SIZE)


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
    return [
        row(name, dtype) for dtype in ("float32", "float64") for name in (*TARGETED, *OTHERS)
    ] + limits


if __name__ == "__main__":
    raise SystemExit(report(rows()))
