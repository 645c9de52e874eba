"""Distributions of random words in NumPy and SciPy: what the kernels are checked against, and what
draws where they do not. See `nbgraph.kernels.quantiles` and `ranges`, which say the same."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from nbgraph.dtype import compute_dtype

Array = np.ndarray[Any, Any]
Generator = np.random.Generator


def words(rng: Generator, shape: tuple[int, ...], dtype: str) -> Array:
    """The next words of a Philox as integers, "int32" (two of a word, its low half first) or
    "int64", of this shape."""
    count, width = int(np.prod(shape, dtype=object)), np.dtype(dtype).itemsize
    source: Any = rng.bit_generator
    return np.asarray(source.random_raw(-(-count * width // 8))).view(dtype)[:count].reshape(shape)


def parts(n: Array) -> tuple[Array, Array]:
    """Of the bits below the sign a number a between 0 and 1, and 1 - a."""
    most = np.iinfo(n.dtype).max
    m = n & most
    return tuple((k.astype("float64") + 0.5) / (most + 1.0) for k in (m, most - m))  # type: ignore[return-value]


def exponential(n: Array) -> Array:
    """-log(1 - a)."""
    a, q = parts(n)
    return np.log1p(a / q)


def _normal(n: Array) -> Array:
    from scipy.special import erfinv, ndtri  # SciPy loads when it is needed

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
    """A word for each element of a floating array: of 64 bits for float64, else of 32."""
    wide = np.dtype(compute_dtype(out.dtype)) == np.float64
    return words(rng, out.shape, "int64" if wide else "int32")


def truncated_normal(n: Array, low: float, high: float) -> Array:
    """By the logarithm of the distribution function, on the side where it loses no digits."""
    from scipy.special import log_ndtr, ndtri_exp

    sign = -1 if low > 0 else 1
    ends = sorted((sign * low, sign * high))
    first, last = log_ndtr(ends[0]), log_ndtr(ends[1])
    share, rest = parts(n)[::sign]
    logarithm = np.logaddexp(np.log(share) + last, np.log(rest) + first)
    return np.clip(sign * ndtri_exp(logarithm), low, high)


def integers(rng: Generator, shape: tuple[int, ...], low: int, count: int) -> Array:
    """uint64 of whole numbers from `low` on, of which there are `count`; they wrap."""
    if count < 1 << 32 or count == 1 << 64:
        n = words(rng, shape, "int64").view("uint64")
        found = n if count == 1 << 64 else _high_product(n, count)[0]
    else:
        both = words(rng, (*shape, 2), "int64").view("uint64")
        found, middle = _high_product(both[..., 1], count)
        found = found + (middle + _high_product(both[..., 0], count)[0] < middle)
    return found + np.uint64(low % (1 << 64))


def _high_product(n: Array, factor: int) -> tuple[Array, Array]:
    """Both words of a product, in digits of 32 bits."""
    mask, shift = np.uint64(0xFFFFFFFF), np.uint64(32)
    f = np.uint64(factor)
    low, high = f & mask, f >> shift
    first = (n & mask) * low
    middle = (n >> shift) * low + (first >> shift)
    cross = (n & mask) * high + (middle & mask)
    return (n >> shift) * high + (middle >> shift) + (cross >> shift), n * f
