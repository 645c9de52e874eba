"""Distributions by rejection: each element consumes as many blocks of words as it needs.

The counter of a block is the number of its element and of its attempt, so any thread can draw any
element. Every loop ends after `MOST` attempts, since NaN is never accepted.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from nbgraph.kernels.compiler.written import inner
from nbgraph.kernels.draws.philox import words
from nbgraph.kernels.draws.quantiles import exponential_lines, normal_lines, parts_lines
from nbgraph.kernels.draws.uniform import Drawn, record

MOST = 64  # attempts; each succeeds with probability 0.5 or more
FEW = 10.0  # counts with a mean from here on are drawn by rejection


@cache
def gamma(dtype: str) -> Drawn:
    """Return the draw of standard gamma numbers of shape `alpha` (Marsaglia and Tsang, "A simple
    method for generating gamma variables", 2000); below 1, for alpha + 1 times a uniform power."""
    start = [
        "g_ = select(alpha < 1.0, alpha + 1.0, alpha) - 1.0 / 3.0",
        "r_ = 1.0 / m_sqrt(9.0 * g_)",
        "y_ = alpha",  # infinite or NaN
    ]
    attempt = [
        "nx = int64(a)",
        *normal_lines("x", "float64"),
        "ne = int64(b)",
        *parts_lines("e", "float64"),
        f"u_ = qe * {2.0**-63!r}",
        "v_ = 1.0 + r_ * yx",
        "v_ = v_ * v_ * v_",
        "s_ = yx * yx",
        "taken = (v_ > 0.0) & (u_ < 1.0 - 0.0331 * s_ * s_)",  # nearly all; implied by what follows
        "if not taken:",
        "    taken = m_log(u_) < 0.5 * s_ + g_ * (1.0 - v_ + m_log(v_))",
        "y_ = select(taken, g_ * v_, y_)",
    ]
    power = [
        *words(str(MOST)),
        "nz = int64(a)",
        *exponential_lines("z", "float64"),
        "y_ = y_ * m_exp(-yz / alpha)",
    ]
    end = ["if alpha < 1.0:", *inner(power)]
    return _drawn("standard_gamma", dtype, ["alpha"], [*start, *_attempts(attempt), *end])


@cache
def few(dtype: str) -> Drawn:
    """Return the draw of Poisson counts of a small mean: how many uniform numbers multiply to a
    product above `bound`, which is exp(-mean)."""
    start = ["y_ = 0.0", "product = 1.0"]
    attempt: list[str] = []
    for word in "abcd":
        attempt += [
            f"nu = int64({word})",
            *parts_lines("u", "float64"),
            f"product = product * (qu * {2.0**-63!r})",
            "y_ = select(product > bound, y_ + 1.0, y_)",
        ]
    attempt.append("taken = product <= bound")
    return _drawn("poisson", dtype, ["bound"], [*start, *_attempts(attempt)])


@cache
def many(dtype: str) -> Drawn:
    """Return the draw of Poisson counts of a mean `lam` from 10 on: PTRS (Hoermann, "The
    transformed rejection method for generating Poisson random variables", 1993)."""
    start = [
        "b_ = 0.931 + 2.53 * m_sqrt(lam)",
        "a_ = -0.059 + 0.02483 * b_",
        "inverse = 1.1239 + 1.1328 / (b_ - 3.4)",
        "border = 0.9277 - 3.6224 / (b_ - 2.0)",
        "logarithm = m_log(lam)",
        "y_ = lam",
    ]
    attempt = [
        "nu = int64(a)",
        *parts_lines("u", "float64"),
        "nv = int64(b)",
        *parts_lines("v", "float64"),
        f"u_ = select(nu < 0, -0.5, 0.5) * (au * {2.0**-63!r})",
        f"s_ = 0.5 * (qu * {2.0**-63!r})",
        f"v_ = qv * {2.0**-63!r}",
        "k_ = m_floor((2.0 * a_ / s_ + b_) * u_ + lam + 0.43)",
        "left = m_log(v_ * inverse / (a_ / (s_ * s_) + b_))",
        "right = k_ * logarithm - lam - m_lgamma(k_ + 1.0)",
        "quick = (s_ >= 0.07) & (v_ <= border)",
        "slow = (k_ >= 0.0) & ((s_ >= 0.013) | (v_ <= s_)) & (left <= right)",
        "taken = quick | slow",
        "y_ = select(taken, k_, y_)",
    ]
    return _drawn("poisson", dtype, ["lam"], [*start, *_attempts(attempt)])


def _attempts(lines: Sequence[str]) -> list[str]:
    """Return a loop of attempts that ends when one is `taken`."""
    again = [f"attempt = select(taken, {MOST}, attempt + 1)"]
    body = inner([*words("attempt"), *lines, *again])
    return ["attempt = 0", f"while attempt < {MOST}:", *body]


def _drawn(kind: str, dtype: str, names: Sequence[str], lines: Sequence[str]) -> Drawn:
    layout = record(["out"], names)
    read = {n: f"float64_word(args, {layout.place(n)})" for n in names}
    value = f"float64_to_{dtype}(y_)" if "float16" in dtype else f"{dtype}(y_)"

    def element(s: str) -> list[str]:
        return [*lines, f"out_ = {value}"]

    return Drawn(kind, layout, "float64", read, element, {"out": dtype}, form="own", cost=40.0)
