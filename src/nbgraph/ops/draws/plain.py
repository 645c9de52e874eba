"""Distributions from random words in NumPy and SciPy: the reference for the kernels of
`nbgraph.kernels.draws.quantiles`, `ranges` and `attempts`, and their fallback."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from nbgraph.dtype import compute_dtype
from nbgraph.kernels.draws.attempts import FEW, MOST
from nbgraph.resource.random import draw_behind
from nbgraph.shape import Array, Shape

Generator = np.random.Generator


def words(rng: Generator, shape: Shape, dtype: str) -> Array:
    """Return the next words of a Philox as integers, "int32" or "int64", of this shape."""
    count, width = int(np.prod(shape, dtype=object)), np.dtype(dtype).itemsize
    source: Any = rng.bit_generator
    return np.asarray(source.random_raw(-(-count * width // 8))).view(dtype)[:count].reshape(shape)


def parts(n: Array) -> tuple[Array, Array]:
    """Return a number a between 0 and 1 from the bits below the sign, and 1 - a."""
    most = np.iinfo(n.dtype).max
    m = n & most
    return tuple((k.astype("float64") + 0.5) / (most + 1.0) for k in (m, most - m))  # type: ignore[return-value]


def exponential(n: Array) -> Array:
    """Return -log(1 - a)."""
    a, q = parts(n)
    return np.log1p(a / q)


def _normal(n: Array) -> Array:
    from scipy.special import erfinv, ndtri  # SciPy is loaded when needed

    a, q = parts(n)
    return np.where(n < 0, -1, 1) * np.where(q < 0.5, -ndtri(q / 2), np.sqrt(2) * erfinv(a))


def _logistic(n: Array) -> Array:
    a, q = parts(n)
    return np.where(n < 0, -1, 1) * np.log1p(2 * a / q)


STANDARD: Mapping[str, Callable[[Array], Array]] = {
    "normal": _normal,
    "exponential": exponential,
    "laplace": lambda n: np.where(n < 0, -1, 1) * exponential(n),
    "gumbel": lambda n: -np.log(exponential(n)),
    "logistic": _logistic,
}


def words_for(rng: Generator, out: Array) -> Array:
    """Return a word per element of a floating array: 64 bits for float64, else 32."""
    wide = np.dtype(compute_dtype(out.dtype)) == np.float64
    return words(rng, out.shape, "int64" if wide else "int32")


def truncated_normal(n: Array, low: float, high: float) -> Array:
    """Return the quantiles by the logarithm of the distribution function, on the accurate side."""
    from scipy.special import log_ndtr, ndtri_exp

    sign = -1 if low > 0 else 1
    ends = sorted((sign * low, sign * high))
    first, last = log_ndtr(ends[0]), log_ndtr(ends[1])
    share, rest = parts(n)[::sign]
    logarithm = np.logaddexp(np.log(share) + last, np.log(rest) + first)
    return np.clip(sign * ndtri_exp(logarithm), low, high)


def _blocks(rng: Generator, index: Array, attempt: int) -> list[Array]:
    """Return the four words of the blocks of elements at an attempt."""
    draw = draw_behind(rng)
    source: Any = np.random.Philox(counter=[0, attempt, draw.number, 0], key=draw.key)
    words: Array = source.random_raw((int(index.max(initial=-1)) + 1, 4)).view("int64")
    return list(words[index].T)


def _attempts(
    rng: Generator, parameter: Array, attempt: Callable[..., tuple[Array, Array]]
) -> Array:
    """Return, for each parameter, the number of the first attempt that succeeds."""
    drawn = parameter.ravel().copy()
    left = np.arange(drawn.size)
    for turn in range(MOST):
        values, taken = attempt(parameter.ravel()[left], _blocks(rng, left, turn))
        drawn[left[taken]] = values[taken]
        left = left[~taken]
        if not left.size:
            break
    return drawn.reshape(parameter.shape)


def standard_gamma(rng: Generator, alpha: Array) -> Array:
    """Return gamma numbers of shapes `alpha`."""

    def attempt(alpha: Array, n: list[Array]) -> tuple[Array, Array]:
        g = np.where(alpha < 1, alpha + 1, alpha) - 1 / 3
        x = _normal(n[0])
        v = (1 + x / np.sqrt(9 * g)) ** 3
        taken = 0.5 * x * x + exponential(n[1]) + g * (1 - v + np.log(v)) > 0
        return g * v, taken

    drawn = _attempts(rng, alpha, attempt)
    power = -exponential(_blocks(rng, np.arange(alpha.size), MOST)[0]).reshape(alpha.shape)
    return drawn * np.where(alpha < 1, np.exp(power / alpha), 1)


def poisson(rng: Generator, mean: Array) -> Array:
    """Return counts of means, as floats: see `nbgraph.kernels.draws.attempts`."""
    drawn = _attempts(rng, np.where(mean < FEW, FEW, mean), _many)
    few = np.exp(-mean)
    product, counts, index = np.ones(mean.size), np.zeros(mean.size), np.arange(mean.size)
    for turn in range(MOST):
        for n in _blocks(rng, index, turn):
            product = product * parts(n)[1]
            counts += product > few.ravel()
        if not (product > few.ravel())[mean.ravel() < FEW].any():
            break
    return np.where(mean < FEW, counts.reshape(mean.shape), drawn)


def _many(mean: Array, n: list[Array]) -> tuple[Array, Array]:
    """Return an attempt of PTRS."""
    from scipy.special import gammaln

    b = 0.931 + 2.53 * np.sqrt(mean)
    a, inverse = -0.059 + 0.02483 * b, 1.1239 + 1.1328 / (b - 3.4)
    (u, s), v = parts(n[0]), parts(n[1])[1]
    u, s = np.where(n[0] < 0, -0.5, 0.5) * u, 0.5 * s
    k = np.floor((2 * a / s + b) * u + mean + 0.43)
    left = np.log(v * inverse / (a / (s * s) + b))
    slow = (k >= 0) & ((s >= 0.013) | (v <= s)) & (left <= k * np.log(mean) - mean - gammaln(k + 1))
    return k, slow | ((s >= 0.07) & (v <= 0.9277 - 3.6224 / (b - 2)))


def integers(rng: Generator, shape: Shape, low: int, count: int) -> Array:
    """Return uint64 of integers from `low` on, `count` different ones; they wrap."""
    if count < 1 << 32 or count == 1 << 64:
        n = words(rng, shape, "int64").view("uint64")
        high = n if count == 1 << 64 else _high_product(n, count)[0]
    else:
        both = words(rng, (*shape, 2), "int64").view("uint64")
        high, middle = _high_product(both[..., 1], count)
        high = high + (middle + _high_product(both[..., 0], count)[0] < middle)
    return high + np.uint64(low % (1 << 64))


def _high_product(n: Array, factor: int) -> tuple[Array, Array]:
    """Return both words of a product, in digits of 32 bits."""
    mask, shift = np.uint64(0xFFFFFFFF), np.uint64(32)
    f = np.uint64(factor)
    low, high = f & mask, f >> shift
    first = (n & mask) * low
    middle = (n >> shift) * low + (first >> shift)
    cross = (n & mask) * high + (middle & mask)
    return (n >> shift) * high + (middle >> shift) + (cross >> shift), n * f
