"""Random numbers on a line, as NumPy's Generator names and spells them."""

from __future__ import annotations

from typing import Any

import numpy as np

from nbgraph.device import Context
from nbgraph.dtype import compute_dtype, name_of
from nbgraph.operator.array_op import constant
from nbgraph.ops.define import library, public
from nbgraph.ops.draws import plain
from nbgraph.ops.draws.drawing import (
    NOT_NEGATIVE,
    Array,
    Domain,
    Drawing,
    Made,
    moved,
    named,
    parameter,
    told,
)

Generator = np.random.Generator
_BITS = {"float16": 11, "bfloat16": 8}  # of a significand
_FINITE = Domain("finite numbers", np.isfinite)


# how they are drawn -----------------------------------------------------------------------------


def _fill_uniform(rng: Generator, out: Array, loc: float, scale: float) -> None:
    dtype: Any = np.dtype(compute_dtype(out.dtype))
    work = rng.random(out.shape, dtype=dtype.type)
    if name_of(out.dtype) in _BITS:
        _cut(work, _BITS[name_of(out.dtype)])
    out[...] = dtype.type(scale) * work + dtype.type(loc)


def _cut(work: Array, bits: int) -> None:
    """Numbers below 1 to so many bits: rounded they could become 1."""
    np.multiply(work, 2.0**bits, out=work)
    np.floor(work, out=work)
    np.multiply(work, 2.0**-bits, out=work)


def _uniform_kernel(dtype: str, loc: float, scale: float) -> Made:
    from nbgraph.kernels.draws import uniform

    return uniform(dtype), (scale, loc)


def _standard(kind: str) -> Drawing:
    """A distribution of which there are standard numbers."""

    def fill(rng: Generator, out: Array, loc: float, scale: float) -> None:
        out[...] = scale * plain.STANDARD[kind](plain.words_for(rng, out)) + loc

    def kernel(dtype: str, loc: float, scale: float) -> Made:
        from nbgraph.kernels.quantiles import standard

        return standard(kind, dtype), (scale, loc)

    return Drawing(kind, fill, gradient=constant, kernel=kernel)


_UNIFORM = Drawing("uniform", _fill_uniform, gradient=constant, kernel=_uniform_kernel)
_NORMAL, _EXPONENTIAL, _GUMBEL, _LAPLACE, _LOGISTIC = map(
    _standard, ("normal", "exponential", "gumbel", "laplace", "logistic")
)


# uniform and normal -----------------------------------------------------------------------------


@public(_UNIFORM)
@told
def uniform(
    low: Any = 0.0,
    high: Any = 1.0,
    size: Any = None,
    *,
    dtype: Any = None,
    device: Context | None = None,
    rng: Any = None,
) -> Any:
    """Numbers from `low` up to `high`, all alike; `high` is met only by rounding.

    Parameters
    ----------
    low, high : numbers, or arrays that broadcast

    >>> import nbgraph as ng
    >>> x = ng.random.uniform(-1, 1, size=(2, 3))
    >>> x.shape, bool((abs(x) <= 1).all())
    ((2, 3), True)
    """
    name = "random.uniform"
    low = parameter(name, "low", low, _FINITE)
    high = parameter(name, "high", high, _FINITE)
    width = library.subtract(high, low)  # of numbers a NumPy scalar
    width = parameter(name, "high - low", width, NOT_NEGATIVE)
    return moved(_UNIFORM, low, width, size=size, dtype=dtype, device=device, rng=rng)


@named("random_random")
@told
def random(
    size: Any = None, *, dtype: Any = None, device: Context | None = None, rng: Any = None
) -> Any:
    """Numbers from 0 up to but without 1, all alike.

    >>> import nbgraph as ng
    >>> bool((ng.random.random(5) < 1).all())
    True
    """
    return moved(_UNIFORM, 0, 1, size=size, dtype=dtype, device=device, rng=rng)


@public(_NORMAL)
@told
def normal(
    loc: Any = 0.0,
    scale: Any = 1.0,
    size: Any = None,
    *,
    dtype: Any = None,
    device: Context | None = None,
    rng: Any = None,
) -> Any:
    """Numbers of the normal distribution.

    Parameters
    ----------
    loc, scale : numbers, or arrays that broadcast: mean, and standard deviation from 0. Gradients
        flow to arrays: a number is loc + scale * a draw that stays.

    >>> import nbgraph as ng
    >>> ng.random.seed(1)
    >>> a = ng.random.normal(size=3)
    >>> ng.random.seed(1)
    >>> bool((a == ng.random.normal(size=3)).all())
    True
    """
    loc = parameter("random.normal", "loc", loc)
    scale = parameter("random.normal", "scale", scale, NOT_NEGATIVE)
    return moved(_NORMAL, loc, scale, size=size, dtype=dtype, device=device, rng=rng)


@named("random_standard_normal")
@told
def standard_normal(
    size: Any = None, *, dtype: Any = None, device: Context | None = None, rng: Any = None
) -> Any:
    """Numbers of the normal distribution of mean 0 and standard deviation 1.

    >>> import nbgraph as ng
    >>> ng.random.standard_normal((2, 2), dtype="float64").dtype
    dtype('float64')
    """
    return moved(_NORMAL, 0, 1, size=size, dtype=dtype, device=device, rng=rng)


@named("random_lognormal")
@told
def lognormal(
    mean: Any = 0.0,
    sigma: Any = 1.0,
    size: Any = None,
    *,
    dtype: Any = None,
    device: Context | None = None,
    rng: Any = None,
) -> Any:
    """Numbers whose logarithm is normal.

    Parameters
    ----------
    mean, sigma : numbers, or arrays that broadcast: mean and standard deviation of the logarithm

    >>> import nbgraph as ng
    >>> bool((ng.random.lognormal(size=5) > 0).all())
    True
    """
    mean = parameter("random.lognormal", "mean", mean)
    sigma = parameter("random.lognormal", "sigma", sigma, NOT_NEGATIVE)
    logarithm = moved(_NORMAL, mean, sigma, size=size, dtype=dtype, device=device, rng=rng)
    return library.exp(logarithm)


# others that are scaled and moved ---------------------------------------------------------------


@public(_EXPONENTIAL)
@told
def exponential(
    scale: Any = 1.0,
    size: Any = None,
    *,
    dtype: Any = None,
    device: Context | None = None,
    rng: Any = None,
) -> Any:
    """Times between events that come at the rate `1 / scale`.

    Parameters
    ----------
    scale : number from 0, or array: the mean

    >>> import nbgraph as ng
    >>> bool((ng.random.exponential(3.0, size=5) >= 0).all())
    True
    """
    scale = parameter("random.exponential", "scale", scale, NOT_NEGATIVE)
    return moved(_EXPONENTIAL, 0, scale, size=size, dtype=dtype, device=device, rng=rng)


@named("random_standard_exponential")
@told
def standard_exponential(
    size: Any = None, *, dtype: Any = None, device: Context | None = None, rng: Any = None
) -> Any:
    """Times between events that come at the rate 1.

    >>> import nbgraph as ng
    >>> ng.random.standard_exponential(4).shape
    (4,)
    """
    return moved(_EXPONENTIAL, 0, 1, size=size, dtype=dtype, device=device, rng=rng)


@public(_GUMBEL)
@told
def gumbel(
    loc: Any = 0.0,
    scale: Any = 1.0,
    size: Any = None,
    *,
    dtype: Any = None,
    device: Context | None = None,
    rng: Any = None,
) -> Any:
    """Numbers of the Gumbel distribution, that of the largest of many.

    Added to logarithms of probabilities, the index of the largest is a draw of those.

    Parameters
    ----------
    loc, scale : numbers, or arrays that broadcast: the likeliest value, and the width, from 0

    >>> import nbgraph as ng
    >>> log_p = ng.log(ng.array([0.0001, 0.9999]))
    >>> int((log_p + ng.random.gumbel(size=2, rng=0)).argmax())
    1
    """
    loc = parameter("random.gumbel", "loc", loc)
    scale = parameter("random.gumbel", "scale", scale, NOT_NEGATIVE)
    return moved(_GUMBEL, loc, scale, size=size, dtype=dtype, device=device, rng=rng)


@public(_LAPLACE)
@told
def laplace(
    loc: Any = 0.0,
    scale: Any = 1.0,
    size: Any = None,
    *,
    dtype: Any = None,
    device: Context | None = None,
    rng: Any = None,
) -> Any:
    """Numbers of the Laplace distribution: exponential to both sides of `loc`.

    Parameters
    ----------
    loc, scale : numbers, or arrays that broadcast: the mean, and the mean distance from it

    >>> import nbgraph as ng
    >>> ng.random.laplace(ng.zeros(3), 2.0).shape
    (3,)
    """
    loc = parameter("random.laplace", "loc", loc)
    scale = parameter("random.laplace", "scale", scale, NOT_NEGATIVE)
    return moved(_LAPLACE, loc, scale, size=size, dtype=dtype, device=device, rng=rng)


@public(_LOGISTIC)
@told
def logistic(
    loc: Any = 0.0,
    scale: Any = 1.0,
    size: Any = None,
    *,
    dtype: Any = None,
    device: Context | None = None,
    rng: Any = None,
) -> Any:
    """Numbers of the logistic distribution, of which the sigmoid is the distribution function.

    Parameters
    ----------
    loc, scale : numbers, or arrays that broadcast: the mean, and the width, from 0

    >>> import nbgraph as ng
    >>> ng.random.logistic(size=(2,)).shape
    (2,)
    """
    loc = parameter("random.logistic", "loc", loc)
    scale = parameter("random.logistic", "scale", scale, NOT_NEGATIVE)
    return moved(_LOGISTIC, loc, scale, size=size, dtype=dtype, device=device, rng=rng)
