"""Measure the errors of the vector maths in units in the last place, and print docs/ULP.md.

    python -m benchmarks.ulp > docs/ULP.md          # sampled, about three minutes
    python -m benchmarks.ulp --sweep sin erf        # float32: every value of 17 binades too

References are mpmath in 60 digits; for the millions of float32 points, NumPy and SciPy in float64.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Iterable

import mpmath
import numpy as np
import scipy.special
from numba import njit

from nbgraph.kernels import vector_math

SEED = 20260101
DIGITS = 60
POSITIVE = frozenset({"log", "log2", "log10", "sqrt", "rsqrt", "gamma", "lgamma", "digamma"})
UNIT = frozenset({"asin", "acos", "atanh", "erfinv"})

EXACT: dict[str, Callable] = {
    "exp": mpmath.exp,
    "exp2": lambda x: mpmath.mpf(2) ** x,
    "expm1": mpmath.expm1,
    "log": mpmath.log,
    "log2": lambda x: mpmath.log(x, 2),
    "log10": mpmath.log10,
    "log1p": mpmath.log1p,
    "sqrt": mpmath.sqrt,
    "rsqrt": lambda x: 1 / mpmath.sqrt(x),
    "cbrt": lambda x: mpmath.sign(x) * mpmath.cbrt(abs(x)),
    "sin": mpmath.sin,
    "cos": mpmath.cos,
    "tan": mpmath.tan,
    "asin": mpmath.asin,
    "acos": mpmath.acos,
    "atan": mpmath.atan,
    "atan2": mpmath.atan2,
    "sinh": mpmath.sinh,
    "cosh": mpmath.cosh,
    "tanh": mpmath.tanh,
    "asinh": mpmath.asinh,
    "acosh": mpmath.acosh,
    "atanh": mpmath.atanh,
    "erf": lambda x: mpmath.erf(x) if abs(x) < 1000 else mpmath.sign(x),
    "erfc": lambda x: mpmath.erfc(x) if abs(x) < 1000 else 1 - mpmath.sign(x),
    "erfinv": mpmath.erfinv,
    "gamma": mpmath.gamma,
    "lgamma": mpmath.loggamma,
    "digamma": mpmath.digamma,
    "trigamma": lambda x: mpmath.polygamma(1, x),
    "pow": lambda x, y: x**y,
    "hypot": mpmath.hypot,
    "sigmoid": lambda x: 1 / (1 + mpmath.exp(-x)),
    "softplus": lambda x: mpmath.log1p(mpmath.exp(x)),
}
EXACT |= {f"{name}_small": EXACT[name] for name in ("sin", "cos", "tan")}

DOUBLE: dict[str, Callable] = {
    **{n: getattr(np, n) for n in ("exp", "exp2", "expm1", "log", "log2", "log10", "log1p")},
    **{n: getattr(np, n) for n in ("sqrt", "cbrt", "sin", "cos", "tan", "sinh", "cosh", "tanh")},
    **{n: getattr(np, n.replace("a", "arc", 1)) for n in ("asin", "acos", "atan", "asinh")},
    **{n: getattr(np, n.replace("a", "arc", 1)) for n in ("acosh", "atanh", "atan2")},
    "rsqrt": lambda x: 1 / np.sqrt(x),
    "erf": scipy.special.erf,
    "erfc": scipy.special.erfc,
    "erfinv": scipy.special.erfinv,
    "pow": np.power,
    "hypot": np.hypot,
    "sigmoid": lambda x: 1 / (1 + np.exp(-x)),
    "softplus": lambda x: np.logaddexp(0, x),
}
DOUBLE |= {f"{name}_small": DOUBLE[name] for name in ("sin", "cos", "tan")}


def evaluate(name: str, dtype: str, *arguments: np.ndarray) -> np.ndarray:
    """The room's function over arrays, in a plain loop."""
    function = vector_math.implementation(name, dtype)
    if len(arguments) == 1:

        def loop(x, out):
            for i in range(out.size):
                out[i] = function(x[i])
    else:

        def loop(x, y, out):
            for i in range(out.size):
                out[i] = function(x[i], y[i])

    out = np.empty_like(arguments[0])
    njit(error_model="numpy")(loop)(*arguments, out)
    return out


def in_domain(name: str, dtype: str, x: np.ndarray) -> np.ndarray:
    """Finite points moved or cut to where the function is real."""
    x = x[np.isfinite(x)]
    if name in POSITIVE or name == "trigamma":
        return np.abs(x)
    if name in UNIT:
        return x[np.abs(x) < 1]
    if name == "acosh":
        return np.concatenate([np.abs(x[np.abs(x) >= 1]), 1 + np.abs(x[np.abs(x) < 1])])
    if name == "log1p":
        return x[x > -1]
    if name.endswith("_small"):
        return x[np.abs(x) <= vector_math.TRIG_BOUND[dtype]]
    return x


def points(name: str, dtype: str, count: int, seed: int = SEED) -> tuple[np.ndarray, ...]:
    """About `count` points: a third over all bit patterns, so all binades, the rest near 1."""
    random = np.random.default_rng(seed)
    wide = 104.0 if dtype == "float32" else 745.0
    word = "uint32" if dtype == "float32" else "uint64"
    third = max(count // 3, 1)
    last = np.iinfo(word).max

    def one() -> np.ndarray:
        patterns = random.integers(0, last, third, dtype=word, endpoint=True).view(dtype)
        sign = random.choice([-1.0, 1.0], third)
        near = sign * 2.0 ** random.uniform(-12, 4, third)
        near = np.concatenate([near, random.uniform(-wide, wide, third)]).astype(dtype)
        return np.concatenate([np.where(np.isfinite(patterns), patterns, 1), near])

    if vector_math.ARITY[name] == 1:
        return (in_domain(name, dtype, one()),)
    x, y = one(), one()
    if name == "pow":  # most of all pairs would overflow; aim y * log(x) at the finite range
        x = np.abs(x)
        with np.errstate(all="ignore"):
            scale = wide / np.abs(np.log(x.astype("float64")))
            y = (random.uniform(-1, 1, x.size) * scale).astype(dtype)
    else:  # the same magnitude, within a few binades
        with np.errstate(over="ignore"):
            y = x * (2.0 ** random.uniform(-5, 5, x.size)).astype(dtype)
    keep = np.isfinite(x) & np.isfinite(y) & (x != 0)
    return x[keep], y[keep]


def error(got: float, want: mpmath.mpf, dtype: str) -> float:
    """|got - want| in units in the last place of `dtype` at want."""
    digits, bias = (24, 127) if dtype == "float32" else (53, 1023)
    largest = mpmath.ldexp(2 - mpmath.ldexp(1, -digits), bias)
    if mpmath.isnan(want):
        return 0.0 if math.isnan(got) else math.inf
    if abs(want) >= largest:  # rounds to infinity; the largest number is one unit away
        return 0.0 if math.isinf(got) and (got > 0) == (want > 0) else 1.0
    if not math.isfinite(got):  # one unit from the top, if there at all
        return 1.0 if math.isinf(got) and abs(want) > largest * (1 - 2.0**-22) else math.inf
    exponent = mpmath.frexp(want)[1] - digits if want else -bias - digits
    return float(abs(mpmath.mpf(got) - want) / mpmath.ldexp(1, max(exponent, 2 - bias - digits)))


def worst_exact(name: str, dtype: str, arguments: tuple[np.ndarray, ...]) -> tuple[float, tuple]:
    """The largest error against mpmath, and where it is."""
    got = evaluate(name, dtype, *arguments)
    worst, where = 0.0, ()
    with mpmath.workdps(DIGITS):
        for value, *at in zip(got.tolist(), *(a.tolist() for a in arguments)):
            want = EXACT[name](*(mpmath.mpf(a) for a in at))
            size = error(value, mpmath.re(want), dtype)
            if size > worst:
                worst, where = size, tuple(at)
    return worst, where


def worst_double(name: str, arguments: tuple[np.ndarray, ...]) -> tuple[float, tuple]:
    """The largest float32 error against NumPy and SciPy in float64, and where it is."""
    got = evaluate(name, "float32", *arguments)
    with np.errstate(all="ignore"):
        want = DOUBLE[name](*(a.astype("float64") for a in arguments))
        unit = np.spacing(np.abs(want.astype("float32"))).astype("float64")
        size = np.abs(got.astype("float64") - want) / unit
        size = np.where(np.isfinite(unit), size, np.where(got == want.astype("float32"), 0, 1))
        size = np.nan_to_num(size, nan=np.inf)
        size = np.where(np.isnan(want) & np.isnan(got), 0, size)
    k = int(np.argmax(size))
    return float(size[k]), tuple(float(a[k]) for a in arguments)


def binades(low: int, high: int) -> Iterable[np.ndarray]:
    """Every float32 with an exponent from low to high, one binade and sign at a time."""
    for exponent in range(low, high + 1):
        start = (exponent + 127) << 23
        for sign in (0, 1 << 31):
            yield (np.arange(start, start + (1 << 23), dtype="uint32") | np.uint32(sign)).view("f4")


def sweep(name: str) -> tuple[float, tuple]:
    """The largest float32 error over all values from 2^-10 to 2^7."""
    blocks = (in_domain(name, "float32", x) for x in binades(-10, 6))
    return max(worst_double(name, (x,)) for x in blocks if x.size)


def row(name: str, swept: bool) -> str:
    """A line of the table."""
    millions = points(name, "float32", 3_000_000)
    single, where = (
        worst_double(name, millions)
        if name in DOUBLE
        else worst_exact(name, "float32", points(name, "float32", 3000))
    )
    if swept and name in DOUBLE and vector_math.ARITY[name] == 1:
        single, where = max((single, where), sweep(name))
    double, at = worst_exact(name, "float64", points(name, "float64", 12_000))
    cells = [", ".join(f"{v:.9g}" for v in where), ", ".join(repr(v) for v in at)]
    return f"| {name} | {single:.2f} | {cells[0]} | {double:.2f} | {cells[1]} |"


HEAD = """# Errors of the vector maths

Largest errors found, in units in the last place of the result, with the arguments that give
them; printed by `python -m benchmarks.ulp --sweep`. float32: 3 million points over all binades
and every value with 2^-10 <= |x| < 2^7 (functions of one argument), against float64. float64:
12 thousand points against mpmath. These are maxima found, not bounds proved. floor, ceil, trunc,
round, sign, copysign and fmod are exact. The gamma family is measured for positive arguments;
near its zeros relative errors are not bounded.

| function | float32 | at | float64 | at |
|---|---|---|---|---|"""


def main() -> None:
    """Print the page."""
    parser = argparse.ArgumentParser()
    parser.add_argument("names", nargs="*", default=sorted(EXACT))
    parser.add_argument("--sweep", action="store_true")
    chosen = parser.parse_args()
    print(HEAD)
    for name in chosen.names:
        print(row(name, chosen.sweep), flush=True)


if __name__ == "__main__":
    main()
