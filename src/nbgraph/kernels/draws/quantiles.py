"""Distributions by the inverse of their distribution function: each element takes one word.

Below its sign a word has k = 31 or 63 bits, an integer m. So a = (m + 1/2) 2^-k lies between 0 and
1, and q = (2^k - 1 - m + 1/2) 2^-k is 1 - a; each is computed from its own integer, so it is
precise where it is small. No result is infinite, and symmetric distributions are symmetric to the
last bit. erfinv_tail is erfinv_far in the range of random words.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import cache

from nbgraph.kernels.compiler.written import Compute
from nbgraph.kernels.draws.uniform import Drawn, compute_of, record
from nbgraph.kernels.scalar.kinds import STORED, narrowed
from nbgraph.kernels.vector_math.coefficients import TABLES

FARTHEST = 8.0  # largest bound, in deviations, at which a truncated normal distribution may begin
MOST = 45.0  # above the largest exponential number of 63 bits
_BORDER: dict[Compute, float] = {"float32": 5.0, "float64": 6.25}  # of `erfinv`
_WIDTH: dict[Compute, int] = {"float32": 31, "float64": 63}
_COST: dict[Compute, float] = {"float32": 1.0, "float64": 4.0}  # nanoseconds
Lines = Callable[[str, Compute], Sequence[str]]


def parts_lines(s: str, compute: Compute) -> list[str]:
    """Return lines that compute a and q of the word n, times 2^k."""
    kind, most = ("int32" if compute == "float32" else "int64"), (1 << _WIDTH[compute]) - 1
    return [
        f"m{s} = {kind}(n{s} & {kind}({most}))",
        f"a{s} = {compute}(m{s}) + {compute}(0.5)",
        f"q{s} = {compute}({kind}(m{s} ^ {kind}({most}))) + {compute}(0.5)",
    ]


def _signed(value: str, s: str) -> str:
    return f"select(n{s} < 0, -{value}, {value})"


def exponential_lines(s: str, compute: Compute) -> list[str]:
    """Return lines that compute y = -log(q) = log(1 + a / q)."""
    return [*parts_lines(s, compute), f"y{s} = m_log1p(a{s} / q{s})"]


def _logistic(s: str, compute: Compute) -> list[str]:
    """Return lines that compute log((1 + a) / (1 - a))."""
    two = f"{compute}(2)"
    lines = [*parts_lines(s, compute), f"y{s} = m_log1p({two} * a{s} / q{s})"]
    return [*lines, f"y{s} = {_signed(f'y{s}', s)}"]


def normal_lines(s: str, compute: Compute) -> list[str]:
    """Return lines that compute y, the square root of 2 times erfinv(a)."""
    unit = f"{compute}({2.0 ** -_WIDTH[compute]!r})"
    return [
        *parts_lines(s, compute),
        f"a{s} = a{s} * {unit}",
        f"w{s} = -m_log(q{s} * {unit} * ({compute}(1) + a{s}))",
        *_erfinv(s, compute),
        f"y{s} = {_signed(f'y{s}', s)}",
    ]


def _erfinv(s: str, compute: Compute) -> list[str]:
    """Return lines of sqrt(2) erfinv(a), w = -log(1 - a^2); see `vector_math.error_function`."""
    near, far = (TABLES[compute][f"erfinv_{part}"] for part in ("near", "tail"))
    border = _BORDER[compute]
    return [
        f"z{s} = w{s} - {compute}({border / 2})",
        *_polynomial(f"p{s}", f"z{s}", near, compute),
        f"r{s} = m_sqrt(w{s})",
        f"t{s} = (r{s} - {compute}(3.75)) / (r{s} + {compute}(2))",
        *_polynomial(f"f{s}", f"t{s}", far, compute),
        f"far{s} = fma(r{s}, f{s}, r{s})",
        f"near{s} = fma(a{s}, p{s}, a{s})",
        f"y{s} = select(w{s} > {compute}({border}), far{s}, near{s})",
        f"y{s} = {compute}({math.sqrt(2)!r}) * y{s}",
    ]


def _polynomial(name: str, x: str, coefficients: Sequence[float], compute: Compute) -> list[str]:
    """Return the sum of c[i] x^i: Horner's rule for every fourth power, in parallel."""
    lines = [f"{name}2 = {x} * {x}", f"{name}4 = {name}2 * {name}2"]
    chains = [f"{name}{letter}" for letter in "abcd"]
    for start, chain in enumerate(chains):
        last, *others = reversed(coefficients[start::4])
        lines.append(f"{chain} = {compute}({last!r})")
        lines += [f"{chain} = fma({chain}, {name}4, {compute}({c!r}))" for c in others]
    a, b, c, d = chains
    odd, even = f"fma({d}, {x}, {c})", f"fma({b}, {x}, {a})"
    return [*lines, f"{name} = fma({odd}, {name}2, {even})"]


STANDARD: Mapping[str, Lines] = {
    "normal": normal_lines,
    "exponential": exponential_lines,
    "laplace": lambda s, compute: [*exponential_lines(s, compute), f"y{s} = {_signed(f'y{s}', s)}"],
    "gumbel": lambda s, compute: [*exponential_lines(s, compute), f"y{s} = -m_log(y{s})"],
    "logistic": _logistic,
}


@cache
def standard(kind: str, dtype: str) -> Drawn:
    """Return the draw out = scale * standard number + loc; parameters: scale, loc."""
    compute, lines = compute_of(dtype), STANDARD[kind]

    def element(s: str) -> list[str]:
        moved = narrowed(f"scale * y{s} + loc", dtype)
        return [*lines(s, compute), f"out{s} = {moved}"]

    return _drawn(kind, dtype, compute, ["scale", "loc"], element)


@cache
def truncated(dtype: str) -> Drawn:
    """Return the draw of normal numbers from `least` to `most` deviations; `below` and `above` are
    the probabilities outside, `inside` the rest."""
    compute = compute_of(dtype)
    unit = f"{compute}({2.0 ** -_WIDTH[compute]!r})"

    def element(s: str) -> list[str]:
        return [
            *parts_lines(s, compute),
            f"u{s} = below + inside * (a{s} * {unit})",
            f"v{s} = above + inside * (q{s} * {unit})",
            f"d{s} = u{s} - v{s}",
            f"a{s} = select(d{s} < {compute}(0), -d{s}, d{s})",
            f"w{s} = -m_log({compute}(4) * u{s} * v{s})",
            *_erfinv(s, compute),
            f"y{s} = select(d{s} < {compute}(0), -y{s}, y{s})",
            f"y{s} = select(y{s} < lowest, lowest, select(y{s} > highest, highest, y{s}))",
            f"out{s} = {narrowed(f'scale * y{s} + loc', dtype)}",
        ]

    names = ["scale", "loc", "lowest", "highest", "below", "above", "inside"]
    return _drawn("truncated_normal", dtype, compute, names, element)


@cache
def geometric(dtype: str) -> Drawn:
    """Return the draw out = 1 + floor(exponential number / `rate`), with rate = -log(1 - p)."""
    stored = STORED.get(dtype, dtype)

    def element(s: str) -> list[str]:
        count = f"int64(y{s} / rate) + 1"
        value = f"float32_to_{dtype}(float32({count}))" if dtype in STORED else f"{stored}({count})"
        return [*exponential_lines(s, "float64"), f"out{s} = {value}"]

    return _drawn("geometric", dtype, "float64", ["rate"], element)


def _drawn(
    kind: str,
    dtype: str,
    compute: Compute,
    names: Sequence[str],
    element: Callable[[str], Sequence[str]],
) -> Drawn:
    layout = record(["out"], names)
    read = {n: f"{compute}_word(args, {layout.place(n)})" for n in names}
    return Drawn(
        kind, layout, compute, read, element, {"out": dtype}, form="word", cost=_COST[compute]
    )
