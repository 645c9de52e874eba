"""Compute the polynomials of the special functions of one variable.

    python scripts/chebyshev.py > src/nbgraph/kernels/vector_math/chebyshev.json

Interpolation at Chebyshev points with mpmath, cut where the coefficients fall below a unit in the
last place, in powers of t from -1 to 1 (lowest first), t = (2 u - low - high) / (high - low).
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable

import mpmath as mp

mp.mp.dps = 45
Number = mp.mpf
TAIL = 27.5, 5.9  # of sqrt(-log(p (2 - p))), for erfcinv


def chebyshev(f: Callable[[Number], Number], low: float, high: float, count: int) -> list[Number]:
    """Coefficients of the interpolant at `count` Chebyshev points of [low, high]."""
    angles = [mp.pi * (k + mp.mpf("0.5")) / count for k in range(count)]
    values = [f((mp.mpf(low) + high + (mp.mpf(high) - low) * mp.cos(a)) / 2) for a in angles]
    found = []
    for j in range(count):
        total = mp.fsum(v * mp.cos(j * a) for v, a in zip(values, angles, strict=True))
        found.append(2 * total / count)
    found[0] /= 2
    return found


def powers(coefficients: list[Number]) -> list[float]:
    """The same polynomial in powers of t."""
    count = len(coefficients)
    total = [mp.mpf(0)] * count
    last, now = [mp.mpf(1)], [mp.mpf(0), mp.mpf(1)]
    for j, c in enumerate(coefficients):
        term = last if j == 0 else now
        for k, p in enumerate(term):
            total[k] += c * p
        if j:
            following = [mp.mpf(0), *(2 * p for p in now)]
            for k, p in enumerate(last):
                following[k] -= p
            last, now = now, following
    return [float(c) for c in total]


def fit(f: Callable[[Number], Number], low: float, high: float, count: int = 64) -> list[float]:
    """Powers of t for `f` on [low, high] to the last place of its largest value."""
    found = chebyshev(f, low, high, count)
    size = max(map(abs, found))
    while abs(found[-1]) < size * mp.mpf("2e-18"):
        found.pop()
    if len(found) == count:
        raise ValueError(f"{count} points are too few: {float(found[-1])}")
    return powers(found)


def inverse_tail(u: Number) -> Number:
    """erfcinv(p) / s for s = 1 / u = sqrt(-log(p (2 - p)))."""
    s = 1 / u
    # p (2 - p) = exp(-s^2)
    goal = -s * s
    y = s
    for _ in range(60):
        p = mp.erfc(y)
        value = mp.log(p) + mp.log(2 - p) - goal
        slope = -2 / mp.sqrt(mp.pi) * mp.exp(-y * y) * (1 / p - 1 / (2 - p))
        step = value / slope
        y -= step
        if abs(step) < mp.mpf("1e-38") * y:
            break
    return y / s


def phase(order: int, *, cosine: bool) -> Callable[[Number], Number]:
    """P, or Q x / 8, of J = sqrt(2 / (pi x)) (P cos c - Q sin c), c = x - (order / 2 + 1/4) pi, of
    z = (8 / x)^2 (DLMF 10.17)."""

    def target(z: Number) -> Number:
        x = 8 / mp.sqrt(z)
        c = x - (mp.mpf(order) / 2 + mp.mpf("0.25")) * mp.pi
        j, y = mp.besselj(order, x), mp.bessely(order, x)
        root = mp.sqrt(mp.pi * x / 2)
        if cosine:
            return root * (j * mp.cos(c) + y * mp.sin(c))
        return root * (y * mp.cos(c) - j * mp.sin(c)) * x / 8

    return target


def rows() -> dict[str, list[float]]:
    """One row a polynomial."""
    log2, two = mp.log(2), 2 / mp.pi
    root = mp.sqrt
    found = {
        "erfcinv_tail": fit(inverse_tail, 1 / TAIL[0], 1 / TAIL[1]),
        "j0_near": fit(lambda u: mp.besselj(0, root(u)), 0, 64),
        "j1_near": fit(lambda u: mp.besselj(1, root(u)) / root(u), 0, 64),
        "y0_near": fit(
            lambda u: mp.bessely(0, root(u)) - two * mp.log(root(u)) * mp.besselj(0, root(u)), 0, 64
        ),
        "y1_near": fit(
            lambda u: (
                (
                    mp.bessely(1, root(u))
                    - two * (mp.log(root(u)) * mp.besselj(1, root(u)) - 1 / root(u))
                )
                / root(u)
            ),
            *(0, 64),
        ),
        "i0_near": fit(lambda x: mp.exp(-x) * mp.besseli(0, x), 0, 8),
        "i1_near": fit(lambda x: mp.exp(-x) * mp.besseli(1, x) / x, 0, 8),
        "i0_far": fit(lambda v: mp.exp(-8 / v) * mp.besseli(0, 8 / v) * root(8 / v), 0, 1),
        "i1_far": fit(lambda v: mp.exp(-8 / v) * mp.besseli(1, 8 / v) * root(8 / v), 0, 1),
        "k0_near": fit(
            lambda u: mp.besselk(0, root(u)) + (mp.log(root(u)) - log2) * mp.besseli(0, root(u)),
            *(0, 4),
        ),
        "k1_near": fit(
            lambda u: (
                (
                    mp.besselk(1, root(u))
                    - (mp.log(root(u)) - log2) * mp.besseli(1, root(u))
                    - 1 / root(u)
                )
                / root(u)
            ),
            *(0, 4),
        ),
        "k0_far": fit(lambda v: mp.exp(2 / v) * mp.besselk(0, 2 / v) * root(2 / v), 0, 1),
        "k1_far": fit(lambda v: mp.exp(2 / v) * mp.besselk(1, 2 / v) * root(2 / v), 0, 1),
    }
    for order in (0, 1):
        found[f"p{order}"] = fit(phase(order, cosine=True), 0, 1)
        found[f"q{order}"] = fit(phase(order, cosine=False), 0, 1)
    return found


def temme(orders: int, terms: int) -> list[list[float]]:
    """The coefficients of Temme's expansion of the incomplete gamma functions in powers of eta,
    one row a power of 1 / a (DLMF 8.12.9 to 8.12.13)."""
    size = terms + 2 * orders + 4
    # mu(eta), mu - log(1 + mu) = eta^2 / 2: mu' mu = eta (1 + mu)
    mu = [mp.mpf(0), mp.mpf(1)]
    for n in range(2, size + 2):
        # coefficient of eta^n in mu mu' = eta + eta mu
        known = mp.fsum(mu[i] * (n + 1 - i) * mu[n + 1 - i] for i in range(2, n))
        mu.append((mu[n - 1] - known) / (n + 1))
    # 1 / mu = 1 / eta * r, r = 1 / (mu / eta)
    ratio = mu[1:]
    r = [mp.mpf(1)]
    for n in range(1, len(ratio)):
        r.append(-mp.fsum(ratio[i] * r[n - i] for i in range(1, n + 1)))
    # C_0 = 1 / mu - 1 / eta; C_k = C_{k-1}' / eta + g_k / mu, with what keeps it regular at 0
    row = r[1:]
    found = [[float(c) for c in row[:terms]]]
    for _ in range(1, orders):
        slope = [(n + 1) * c for n, c in enumerate(row[1:])]
        g = -slope[0]
        row = [slope[n + 1] + g * r[n + 1] for n in range(len(slope) - 1)]
        found.append([float(c) for c in row[:terms]])
    return found


def main() -> None:
    """Print the table."""
    table = rows()
    for k, row in enumerate(temme(10, 28)):
        while len(row) > 4 and abs(row[-1]) * 200.0**-k < 1e-18:  # eta up to 1, a from 200 on
            row.pop()
        table[f"temme{k}"] = row
    assert all(math.isfinite(value) for row in table.values() for value in row)
    print(json.dumps(table, indent=1))


if __name__ == "__main__":
    main()
