"""Compute the constants and minimax polynomials of the vector maths room.

    python scripts/remez.py > src/nbgraph/kernels/vector_math/minimax.json

Remez exchange (Muller, Elementary Functions, ch. 3) in 45-digit arithmetic.  The low coefficients
are rounded to the format one after the other, and the rest is fitted again to what that left
over, so that rounding a large coefficient costs nothing.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import dataclass

import mpmath as mp
import numpy as np

mp.mp.dps = 45
Function = Callable[[mp.mpf], mp.mpf]
BITS = {"float32": 24, "float64": 53}
CAST = {"float32": np.float32, "float64": np.float64}


@dataclass(frozen=True)
class Job:
    """Fit `target` on [low, high]; the error that counts is weight(x) * (p(x) - target(x))."""

    name: str
    target: Function
    weight: Function
    low: mp.mpf
    high: dict[str, mp.mpf]
    terms: dict[str, int]
    settled: int = 3  # coefficients rounded before the rest is fitted; 0 if x = 0 is inside


def horner(coefficients: list[mp.mpf], x: mp.mpf) -> mp.mpf:
    """The polynomial with `coefficients`, lowest first, at x."""
    total = mp.mpf(0)
    for c in reversed(coefficients):
        total = total * x + c
    return total


def peaks(errors: list[mp.mpf], wanted: int) -> list[int]:
    """Index of the largest error in each run of one sign, the `wanted` best that alternate."""
    found, start = [], 0
    for i in range(1, len(errors) + 1):
        if i == len(errors) or (errors[i] > 0) != (errors[start] > 0):
            found.append(max(range(start, i), key=lambda k: abs(errors[k])))
            start = i
    while len(found) > wanted:
        found.pop(0 if abs(errors[found[0]]) < abs(errors[found[-1]]) else -1)
    return found


Numbers = list[mp.mpf]


def remez(
    values: Numbers, weights: Numbers, grid: Numbers, nodes: list[int], terms: int
) -> tuple[mp.mpf, Numbers]:
    """Minimax fit on the points of `grid`, starting from `nodes`; (error, coefficients)."""
    best = None
    for _ in range(15):
        matrix, right = mp.matrix(terms + 1, terms + 1), mp.matrix(terms + 1, 1)
        for i, k in enumerate(nodes):
            for j in range(terms):
                matrix[i, j] = grid[k] ** j * weights[k]
            matrix[i, terms] = (-1) ** i
            right[i] = values[k] * weights[k]
        solution = mp.lu_solve(matrix, right)
        fit = [solution[j] for j in range(terms)]
        errors = [(horner(fit, x) - f) * w for x, f, w in zip(grid, values, weights, strict=True)]
        worst = max(abs(e) for e in errors)
        if best is None or worst < best[0]:
            best = (worst, fit)
        nodes = peaks(errors, terms + 1)
        if len(nodes) <= terms or worst < abs(solution[terms]) * mp.mpf("1.02"):
            break
    return best


def fit(job: Job, dtype: str) -> tuple[mp.mpf, list[float]]:
    """Coefficients of `job` rounded to `dtype`, and the weighted error that they leave."""
    low, high, terms = job.low, job.high[dtype], job.terms[dtype]
    points = 40 * terms + 200
    middle, half = (low + high) / 2, (high - low) / 2
    grid = [middle - half * mp.cos(mp.pi * (i + mp.mpf("0.37")) / points) for i in range(points)]
    values = [job.target(x) for x in grid]
    weights = [abs(job.weight(x)) for x in grid]
    floor = max(weights) / 10**4
    rest, scale = list(values), [max(w, floor) for w in weights]
    done: list[mp.mpf] = []
    while len(done) < terms:
        left = terms - len(done)
        nodes = [(points - 1) * i // left for i in range(left + 1)]
        _, coefficients = remez(rest, scale, grid, nodes, left)
        settled = coefficients[:1] if len(done) < job.settled else coefficients
        for c in settled:
            done.append(mp.mpf(float(CAST[dtype](float(c)))))
        rest = [(f - done[-1]) / x for f, x in zip(rest, grid, strict=True)]
        scale = [w * abs(x) for w, x in zip(scale, grid, strict=True)]
    worst = max(abs(horner(done, x) - f) * w for x, f, w in zip(grid, values, weights, strict=True))
    return worst, [float(c) for c in done]


def split(value: mp.mpf, widths: list[int]) -> list[float]:
    """Cody-Waite pieces of `value`: each keeps its number of bits, their sum is the value."""
    pieces = []
    for width in widths:
        shift = width - 1 - int(mp.floor(mp.log(abs(value), 2)))
        piece = mp.mpf(int(mp.nint(mp.ldexp(value, shift)))) * mp.ldexp(mp.mpf(1), -shift)
        pieces.append(float(piece))
        value = value - piece
    return pieces


def near_zero(function: Function, limit: str | mp.mpf, cut: str = "1e-10") -> Function:
    """`function`, with its limit where the quotient that defines it would lose its digits."""
    return lambda x: function(x) if abs(x) > mp.mpf(cut) else mp.mpf(mp.mpmathify(limit))


def odd_tail(function: Function, limit: mp.mpf) -> Function:
    """(f(r) - r) / r^3 as a function of z = r^2."""

    def tail(z: mp.mpf) -> mp.mpf:
        r = mp.sqrt(z)
        return (function(r) - r) / r**3 if z > mp.mpf("1e-16") else limit

    return tail


def odd_weight(function: Function) -> Function:
    """Relative error of r + r^3 P(z) from an error of P."""
    return lambda z: z * mp.sqrt(z) / function(mp.sqrt(z)) if z > mp.mpf("1e-20") else z


def both(value: mp.mpf | str) -> dict[str, mp.mpf]:
    """The same bound for the two formats."""
    return {"float32": mp.mpf(value), "float64": mp.mpf(value)}


def count(float32: int, float64: int) -> dict[str, int]:
    """Numbers of coefficients."""
    return {"float32": float32, "float64": float64}


def odd(
    name: str, function: Function, limit: mp.mpf, high: mp.mpf | str, terms: dict[str, int]
) -> Job:
    """An odd function as r + r^3 P(r^2)."""
    return Job(
        name, odd_tail(function, mp.mpf(limit)), odd_weight(function), mp.mpf(0), both(high), terms
    )


def erfc_job(dtype: str, centre: str, terms: int, settled: int) -> Job:
    """(1 + 2a) exp(a^2) erfc(a) for a >= 1/2 in t = (a - centre) / (a + centre).

    Each format has the centre for which rounding the coefficients costs least.
    """
    k = mp.mpf(centre)

    def target(t: mp.mpf) -> mp.mpf:
        a = k * (1 + t) / (1 - t)
        return (1 + 2 * a) * mp.exp(a * a) * mp.erfc(a)

    low, high = mp.mpf("0.49"), mp.mpf("10.12" if dtype == "float32" else "27.4")
    low, high = (low - k) / (low + k), (high - k) / (high + k)
    return Job("erfc", target, lambda t: mp.mpf(1), low, both(high), {dtype: terms}, settled)


def erfinv_near_job(ratio: Function, dtype: str, middle: mp.mpf, terms: int) -> Job:
    """`ratio` from 0 to twice the middle, less the middle."""

    def target(t: mp.mpf) -> mp.mpf:
        return ratio(middle + t)

    return Job(
        *("erfinv_near", target, lambda t: 1 / (1 + target(t))),
        *(-middle, both(middle), {dtype: terms}),
        settled=0,
    )


BORDER = {"float32": mp.mpf(5), "float64": mp.mpf("6.25")}  # between erfinv's two ranges of w


def inverse(w: mp.mpf) -> tuple[mp.mpf, mp.mpf]:
    """x and erfinv(x) of w = -log(1 - x^2)."""
    x = mp.sqrt(-mp.expm1(-w))
    return x, mp.erfinv(x)


def erfinv_far_job(name: str, dtype: str, last: str, terms: int) -> Job:
    """The ratio of erfinv(x) to s = sqrt(w), less 1, from the border to w = `last`. It is a
    function of t = (s - 3.75) / (s + 2), which keeps the singularities, of s^2 = 2 pi i and at
    infinity, about equally far."""

    def target(t: mp.mpf) -> mp.mpf:
        s = (mp.mpf("3.75") + 2 * t) / (1 - t)
        return inverse(s * s)[1] / s - 1

    def place(w: mp.mpf) -> mp.mpf:
        s = mp.sqrt(w)
        return (s - mp.mpf("3.75")) / (s + 2)

    ends = place(BORDER[dtype]), {dtype: place(mp.mpf(last))}
    return Job(name, target, lambda t: 1 / (1 + target(t)), *ends, {dtype: terms}, settled=0)


def erfinv_jobs() -> list[Job]:
    """erfinv(x) of w = -log(1 - x^2): its ratio to x up to the border, and beyond; the tail is as
    far as random words reach (kernels/draws/quantiles)."""

    def near(w: mp.mpf) -> mp.mpf:
        x, y = inverse(w)
        return y / x - 1

    near = near_zero(near, mp.sqrt(mp.pi) / 2 - 1, "1e-25")
    return [
        *(erfinv_near_job(near, d, BORDER[d] / 2, n) for d, n in count(10, 25).items()),
        erfinv_far_job("erfinv_far", "float32", "16", 8),
        erfinv_far_job("erfinv_far", "float64", "36.1", 23),
        erfinv_far_job("erfinv_tail", "float32", "50", 11),
        erfinv_far_job("erfinv_tail", "float64", "50", 25),
    ]


def jobs() -> list[Job]:
    """One row a polynomial."""
    half_ln2 = mp.log(2) / 2 * mp.mpf("1.002")
    quarter = (mp.pi / 4 * mp.mpf("1.01")) ** 2
    root = mp.sqrt(mp.mpf("0.5"))
    third = mp.mpf(1) / 3
    return [
        Job(
            "exp",
            near_zero(lambda r: (mp.exp(r) - 1 - r) / r**2, "0.5"),
            lambda r: r * r,
            -half_ln2,
            both(half_ln2),
            count(5, 11),
        ),
        Job(  # the same, its errors in parts of exp(r) - 1
            "expm1",
            near_zero(lambda r: (mp.exp(r) - 1 - r) / r**2, "0.5"),
            lambda r: r,
            -half_ln2,
            both(half_ln2),
            count(6, 11),
        ),
        Job(
            "exp2",
            lambda r: (mp.mpf(2) ** r - 1) / r,
            lambda r: r,
            mp.mpf("-0.501"),
            both("0.501"),
            count(6, 12),
        ),
        Job(
            "log",  # of v: (log(1 + v) / s - 2) / s^2 at s^2, s = v / (2 + v)
            near_zero(lambda z: 2 * (mp.atanh(mp.sqrt(z)) / mp.sqrt(z) - 1) / z, 2 * third),
            lambda z: z,
            mp.mpf(0),
            both(((root - 1) / (root + 1)) ** 2 * mp.mpf("1.001")),
            count(3, 7),
        ),
        Job(
            "log_quotient",
            lambda z: ((mp.atanh(mp.sqrt(z)) / mp.sqrt(z) - 1) / z - third) / z,
            lambda z: z * z,
            mp.mpf(0),
            both(((root - 1) / (root + 1)) ** 2 * mp.mpf("1.001")),
            count(3, 7),
        ),
        odd("sin", mp.sin, -mp.mpf(1) / 6, quarter, count(3, 6)),
        Job(
            "cos",
            lambda z: (mp.cos(mp.sqrt(z)) - 1 + z / 2) / z**2 if z > 1e-8 else mp.mpf(1) / 24,
            lambda z: z * z,
            mp.mpf(0),
            both(quarter),
            count(3, 6),
        ),
        odd("tan", mp.tan, third, quarter, count(7, 15)),
        odd("asin", mp.asin, mp.mpf(1) / 6, "0.25", count(5, 12)),
        odd("atan", mp.atan, -third, "0.2501", count(6, 12)),
        odd("sinh", mp.sinh, mp.mpf(1) / 6, "1.001", count(4, 8)),
        Job(
            "erf_small",
            lambda z: mp.erf(mp.sqrt(z)) / mp.sqrt(z) - 1,
            lambda z: mp.mpf(1),
            mp.mpf(0),
            both("1.0001"),
            count(7, 13),
        ),
        Job(
            "erf_large",
            lambda u: -mp.log(mp.erfc(1 + u)),
            lambda u: mp.erfc(1 + u),
            mp.mpf(0),
            {"float32": mp.mpf("3"), "float64": mp.mpf("4.95")},
            count(8, 23),
        ),
        erfc_job("float32", "2", 10, settled=3),
        erfc_job("float64", "2.5", 23, settled=2),
        *erfinv_jobs(),
        Job(
            "cbrt",
            lambda v: mp.cbrt(1 + v),
            lambda v: mp.mpf(1),
            root - 1,
            both(mp.sqrt(2) - 1),
            count(5, 9),
            settled=0,
        ),
        Job(  # gamma(2 + t) = 1 + t P(t); only float64 is asked for, as below
            "gamma",
            near_zero(lambda t: (mp.gamma(2 + t) - 1) / t, 1 - mp.euler),
            lambda t: t / mp.gamma(2 + t),
            mp.mpf("-0.5"),
            both("0.5"),
            {"float64": 19},
            settled=0,
        ),
        Job(  # lgamma(2 + t) = t P(t)
            "lgamma",
            near_zero(lambda t: mp.loggamma(2 + t) / t, 1 - mp.euler),
            near_zero(lambda t: t / mp.loggamma(2 + t), 1 / (1 - mp.euler)),
            mp.mpf("-0.5"),
            both("0.5"),
            {"float64": 21},
            settled=0,
        ),
        Job(  # lgamma(z) = (z - 1/2) log z - z + log(2 pi) / 2 + P(1 / z^2) / z
            "stirling",
            stirling,
            lambda w: mp.mpf(1),
            mp.mpf(0),
            both(mp.mpf("3.5") ** -2),
            {"float64": 10},
            settled=2,
        ),
    ]


def stirling(w: mp.mpf) -> mp.mpf:
    """Stirling's correction of log gamma(z), times z, at w = 1 / z^2."""
    if w < mp.mpf("1e-12"):
        return mp.mpf(1) / 12 - w / 360
    z = 1 / mp.sqrt(w)
    with mp.workdps(70):
        return (mp.loggamma(z) - (z - mp.mpf(1) / 2) * mp.log(z) + z - mp.log(2 * mp.pi) / 2) * z


def constants(dtype: str) -> dict[str, list[float]]:
    """Constants in pieces; short leading pieces times an exponent are exact."""
    bits = BITS[dtype]
    short = bits - (9 if dtype == "float32" else 12)
    return {
        "ln2": split(mp.log(2), [short, bits]),
        "log2e": split(1 / mp.log(2), [bits, bits]),
        "log10e": split(1 / mp.log(10), [bits, bits]),
        "log10_2": split(mp.log(2) / mp.log(10), [short, bits]),
        "half_pi": split(mp.pi / 2, [bits, bits, bits]),
        "two_over_pi": split(2 / mp.pi, [bits]),
        "pi": split(mp.pi, [bits, bits]),
        "third": split(mp.mpf(1) / 3, [bits, bits]),
    }


def main() -> None:
    """Print the table; the weighted errors go to stderr."""
    tables: dict[str, dict[str, list[float]]] = {}
    for dtype in BITS:
        tables[dtype] = constants(dtype)
        for job in jobs():
            if dtype not in job.terms:
                continue
            worst, tables[dtype][job.name] = fit(job, dtype)
            bits = float(mp.log(worst, 2))
            print(f"{dtype} {job.name}: 2^{bits:.1f}", file=sys.stderr, flush=True)
    with mp.workprec(1400):
        digits = f"{int(mp.floor(mp.ldexp(2 / mp.pi, 1280))):0320x}"  # 1280 bits behind the point
    print(json.dumps({"two_over_pi": digits, **tables}, indent=1))


if __name__ == "__main__":
    main()
