"""Draws of each distribution: by kernels, or by NumPy without one."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from nbgraph.dtype import as_dtype, compute_dtype, name_of
from nbgraph.operator.arrays.array_op import constant
from nbgraph.ops.draws import plain
from nbgraph.ops.draws.drawing import Array, Drawing, DrawnKernel

Generator = np.random.Generator
_BITS = {"float16": 11, "bfloat16": 8}  # of a significand


# on a line --------------------------------------------------------------------------------------


def _fill_uniform(rng: Generator, out: Array, loc: float, scale: float) -> None:
    dtype: Any = np.dtype(compute_dtype(out.dtype))
    work = rng.random(out.shape, dtype=dtype.type)
    if name_of(out.dtype) in _BITS:
        _cut(work, _BITS[name_of(out.dtype)])
    out[...] = dtype.type(scale) * work + dtype.type(loc)


def _cut(work: Array, bits: int) -> None:
    """Truncate numbers below 1 to so many bits: rounding could give 1."""
    np.multiply(work, 2.0**bits, out=work)
    np.floor(work, out=work)
    np.multiply(work, 2.0**-bits, out=work)


def _uniform_kernel(dtype: str, loc: float, scale: float) -> DrawnKernel:
    from nbgraph.kernels.draws.uniform import uniform

    return uniform(dtype), (scale, loc)


def _standard(kind: str) -> Drawing:
    """Return the drawing of a distribution with standard numbers."""

    def fill(rng: Generator, out: Array, loc: float, scale: float) -> None:
        out[...] = scale * plain.STANDARD[kind](plain.words_for(rng, out)) + loc

    def kernel(dtype: str, loc: float, scale: float) -> DrawnKernel:
        from nbgraph.kernels.draws.quantiles import standard

        return standard(kind, dtype), (scale, loc)

    return Drawing(kind, fill, gradient=constant, kernel=kernel)


UNIFORM = Drawing("uniform", _fill_uniform, gradient=constant, kernel=_uniform_kernel)
NORMAL, EXPONENTIAL, GUMBEL, LAPLACE, LOGISTIC = map(
    _standard, ("normal", "exponential", "gumbel", "laplace", "logistic")
)


def _fill_gamma(rng: Generator, out: Array, shape: Any) -> None:
    out[...] = plain.standard_gamma(rng, np.broadcast_to(np.asarray(shape, "float64"), out.shape))


def _gamma_kernel(dtype: str, shape: float) -> DrawnKernel:
    from nbgraph.kernels.draws.attempts import gamma

    return gamma(dtype), (shape,)


STANDARD_GAMMA = Drawing("standard_gamma", _fill_gamma, kernel=_gamma_kernel)

# whole numbers ----------------------------------------------------------------------------------


def store(out: Array, values: Array, name: str) -> None:
    """Store counts in the requested dtype."""
    if out.dtype.kind in "iu" and values.size and values.max() > np.iinfo(out.dtype).max:
        raise OverflowError(
            f"random.{name}: {values.max()} was drawn, which {out.dtype} cannot hold; ask for a "
            "larger dtype"
        )
    out[...] = values


def _by_generator(kind: str) -> Drawing:
    """Return the drawing of a distribution by the method of NumPy's generators."""

    def fill(rng: Generator, out: Array, *parameters: Any) -> None:
        store(out, getattr(rng, kind)(*parameters, out.shape), kind)

    return Drawing(kind, fill)


BETA, BINOMIAL, NEGATIVE_BINOMIAL = map(_by_generator, ("beta", "binomial", "negative_binomial"))


def _bernoulli_kernel(dtype: str, p: float) -> DrawnKernel:
    from nbgraph.kernels.draws.uniform import bernoulli, limit

    return bernoulli(dtype), (limit(p, "float64"),)


def _fill_integers(rng: Generator, out: Array, low: Any, high: Any, *, endpoint: bool) -> None:
    if isinstance(low, int) and isinstance(high, int):
        out[...] = plain.integers(rng, out.shape, low, high - low + endpoint).astype(out.dtype)
        return
    dtype: Any = out.dtype
    out[...] = rng.integers(low, high, out.shape, dtype, endpoint)


def integers_kernel(dtype: str, low: int, high: int, *, endpoint: bool) -> DrawnKernel:
    """Return the kernel of integers from `low` to `high` (exclusive), and its parameters."""
    from nbgraph.kernels.draws.ranges import integers

    count = high - low + endpoint
    return integers(dtype, count), (low, count)


def _fill_geometric(rng: Generator, out: Array, p: Any) -> None:
    trials = np.floor(plain.exponential(plain.words(rng, out.shape, "int64")) / -np.log1p(-p)) + 1
    store(out, trials, "geometric")


def _fill_poisson(rng: Generator, out: Array, lam: Any) -> None:
    mean = np.broadcast_to(np.asarray(lam, "float64"), out.shape)
    if not (mean >= 0).all():
        raise ValueError("random.poisson: lam < 0, or NaN; expected 0 or more")
    store(out, plain.poisson(rng, mean), "poisson")


def _poisson_kernel(dtype: str, lam: float) -> DrawnKernel | None:
    from nbgraph.kernels.draws.attempts import FEW, few, many

    if not _holds(dtype, lam + 50 * math.sqrt(lam) + 256):
        return None
    return (few(dtype), (math.exp(-lam),)) if lam < FEW else (many(dtype), (lam,))


def _holds(dtype: str, count: float) -> bool:
    """Return whether a dtype can hold counts up to this one."""
    known = as_dtype(dtype)
    most = 1 if known.kind == "b" else np.iinfo(known if known.kind in "iu" else "int64").max
    return count <= most


def _geometric_kernel(dtype: str, p: float) -> DrawnKernel | None:
    from nbgraph.kernels.draws.quantiles import MOST, geometric

    rate = -math.log1p(-p) if p < 1 else math.inf
    if not _holds(dtype, MOST / rate + 1):
        return None
    return geometric(dtype), (rate,)


POISSON = Drawing("poisson", _fill_poisson, kernel=_poisson_kernel)
GEOMETRIC = Drawing("geometric", _fill_geometric, kernel=_geometric_kernel)
BERNOULLI = Drawing(
    "bernoulli", lambda rng, out, p: store(out, rng.random(out.shape) < p, "bernoulli"),
    kernel=_bernoulli_kernel,
)  # fmt: skip
INTEGERS = Drawing("integers", _fill_integers, kernel=integers_kernel)


def _fill_dispersed(rng: Generator, out: Array, mu: Any, alpha: Any) -> None:
    """Fill with Poisson numbers of gamma distributed means (mean mu, variance alpha * mu**2)."""
    mean, alpha = np.broadcast_arrays(np.asarray(mu, "float64"), np.asarray(alpha, "float64"))
    spread = np.where(alpha > 0, alpha, 1)
    means = rng.gamma(1 / spread, spread * mean, out.shape)
    counts = rng.poisson(np.where(alpha > 0, means, mean), out.shape)
    store(out, counts, "generalized_negative_binomial")


GENERALIZED_NEGATIVE_BINOMIAL = Drawing("generalized_negative_binomial", _fill_dispersed)
