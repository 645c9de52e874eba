"""Random counts of negative binomial distributions, as NumPy and MXNet name them."""

from __future__ import annotations

from typing import Any

import numpy as np

from nbgraph.device import Context
from nbgraph.dtype import as_dtype
from nbgraph.ops.define import public
from nbgraph.ops.draws.discrete import store
from nbgraph.ops.draws.drawing import (
    NOT_NEGATIVE,
    POSITIVE,
    SUCCESS,
    Array,
    Drawing,
    drawn,
    parameter,
    told,
)

Generator = np.random.Generator


def _fill(rng: Generator, out: Array, n: Any, p: Any) -> None:
    store(out, rng.negative_binomial(n, p, out.shape), "negative_binomial")


def _fill_dispersed(rng: Generator, out: Array, mu: Any, alpha: Any) -> None:
    """Poisson's numbers whose means are gamma numbers of mean mu and variance alpha * mu**2."""
    mean, alpha = np.broadcast_arrays(np.asarray(mu, "float64"), np.asarray(alpha, "float64"))
    spread = np.where(alpha > 0, alpha, 1)
    means = rng.gamma(1 / spread, spread * mean, out.shape)
    counts = rng.poisson(np.where(alpha > 0, means, mean), out.shape)
    store(out, counts, "generalized_negative_binomial")


_NEGATIVE = Drawing("negative_binomial", _fill)
_DISPERSED = Drawing("generalized_negative_binomial", _fill_dispersed)


@public(_NEGATIVE)
@told
def negative_binomial(
    n: Any,
    p: Any,
    size: Any = None,
    *,
    dtype: Any = "int64",
    device: Context | None = None,
    rng: Any = None,
) -> Any:
    """How many trials fail before `n` succeed; of mean n * (1 - p) / p.

    Parameters
    ----------
    n : number above 0, or array; whole or not
    p : probability of success, above 0, or array

    >>> import nbgraph as ng
    >>> int(ng.random.negative_binomial(3, 1.0))
    0
    """
    n = parameter("random.negative_binomial", "n", n, POSITIVE)
    p = parameter("random.negative_binomial", "p", p, SUCCESS)
    return drawn(_NEGATIVE, [n, p], size=size, dtype=as_dtype(dtype), device=device, rng=rng)


@public(_DISPERSED)
@told
def generalized_negative_binomial(
    mu: Any,
    alpha: Any,
    size: Any = None,
    *,
    dtype: Any = "int64",
    device: Context | None = None,
    rng: Any = None,
) -> Any:
    """Counts of mean `mu` and variance mu + alpha * mu**2: Poisson's for alpha = 0, else negative
    binomial ones of n = 1 / alpha and p = 1 / (1 + mu * alpha).

    Parameters
    ----------
    mu, alpha : numbers from 0, or arrays that broadcast

    >>> import nbgraph as ng
    >>> int(ng.random.generalized_negative_binomial(0.0, 1.0))
    0
    """
    name = "random.generalized_negative_binomial"
    mu = parameter(name, "mu", mu, NOT_NEGATIVE)
    alpha = parameter(name, "alpha", alpha, NOT_NEGATIVE)
    return drawn(_DISPERSED, [mu, alpha], size=size, dtype=as_dtype(dtype), device=device, rng=rng)
