"""Random whole numbers, as NumPy's Generator names and spells them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from nbgraph.device import Context
from nbgraph.dtype import as_dtype
from nbgraph.errors import ArgumentError, DTypeError
from nbgraph.ops.define import public
from nbgraph.ops.draws import plain
from nbgraph.ops.draws.drawing import (
    NOT_NEGATIVE,
    PROBABILITY,
    SUCCESS,
    Array,
    Drawing,
    Made,
    drawn,
    parameter,
    told,
)

Generator = np.random.Generator


# how they are drawn -----------------------------------------------------------------------------


def store(out: Array, values: Array, name: str) -> None:
    """Counts, in the dtype that was asked for."""
    if out.dtype.kind in "iu" and values.size and values.max() > np.iinfo(out.dtype).max:
        raise OverflowError(
            f"random.{name}: {values.max()} was drawn, which {out.dtype} cannot hold; ask for a "
            "larger dtype"
        )
    out[...] = values


def _fill_binomial(rng: Generator, out: Array, n: Any, p: Any) -> None:
    store(out, rng.binomial(n, p, out.shape), "binomial")


def _fill_bernoulli(rng: Generator, out: Array, p: Any) -> None:
    out[...] = rng.random(out.shape) < p


def _bernoulli_kernel(dtype: str, p: float) -> Made:
    from nbgraph.kernels.draws import bernoulli, limit

    return bernoulli(dtype), (limit(p, "float64"),)


def _fill_integers(rng: Generator, out: Array, low: Any, high: Any, *, endpoint: bool) -> None:
    if isinstance(low, int) and isinstance(high, int):
        out[...] = plain.integers(rng, out.shape, low, high - low + endpoint).astype(out.dtype)
        return
    dtype: Any = out.dtype
    out[...] = rng.integers(low, high, out.shape, dtype, endpoint)


def _integers_kernel(dtype: str, low: int, high: int, *, endpoint: bool) -> Made:
    from nbgraph.kernels.ranges import integers

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


def _poisson_kernel(dtype: str, lam: float) -> Made | None:
    from nbgraph.kernels.attempts import FEW, few, many

    if not _holds(dtype, lam + 50 * math.sqrt(lam) + 256):
        return None
    return (few(dtype), (math.exp(-lam),)) if lam < FEW else (many(dtype), (lam,))


def _holds(dtype: str, count: float) -> bool:
    """Whether a dtype holds counts up to this one."""
    made = as_dtype(dtype)
    most = 1 if made.kind == "b" else np.iinfo(made if made.kind in "iu" else "int64").max
    return count <= most


def _geometric_kernel(dtype: str, p: float) -> Made | None:
    from nbgraph.kernels.quantiles import MOST, geometric

    rate = -math.log1p(-p) if p < 1 else math.inf
    if not _holds(dtype, MOST / rate + 1):
        return None
    return geometric(dtype), (rate,)


_POISSON = Drawing("poisson", _fill_poisson, kernel=_poisson_kernel)
_BINOMIAL = Drawing("binomial", _fill_binomial)
_GEOMETRIC = Drawing("geometric", _fill_geometric, kernel=_geometric_kernel)
_BERNOULLI = Drawing("bernoulli", _fill_bernoulli, kernel=_bernoulli_kernel)
_INTEGERS = Drawing("integers", _fill_integers, kernel=_integers_kernel)


# what can be asked for --------------------------------------------------------------------------


@public(_INTEGERS, "random_randint")
@told
def integers(
    low: Any,
    high: Any = None,
    size: Any = None,
    dtype: Any = "int64",
    endpoint: bool = False,
    *,
    device: Context | None = None,
    rng: Any = None,
) -> Any:
    """Whole numbers from `low` up to but without `high`. No number is likelier than another one by
    more than 2**-32 of its probability.

    Parameters
    ----------
    low, high : numbers, or arrays that broadcast; where one is given it is `high`, and low is 0
    endpoint : whether `high` itself may come

    >>> import nbgraph as ng
    >>> x = ng.random.integers(6, size=100) + 1
    >>> int(x.min()) >= 1, int(x.max()) <= 6
    (True, True)
    """
    name = "random.integers"
    low, high = (0, low) if high is None else (low, high)
    bounds = [_bound(name, "low", low), _bound(name, "high", high)]
    made = as_dtype(dtype)
    if made.kind not in "iub":
        raise DTypeError(f"{name}: dtype={made}; expected an integer one, or bool")
    _require_range(name, bounds, made, endpoint=bool(endpoint))
    return drawn(
        _INTEGERS,
        bounds,
        size=size,
        dtype=made,
        device=device,
        rng=rng,
        endpoint=bool(endpoint),
    )


def _bound(name: str, argument: str, value: Any) -> Any:
    found = parameter(name, argument, value)
    if isinstance(found, float) and found.is_integer():
        return int(found)
    if isinstance(found, float) or getattr(found, "dtype", np.dtype(int)).kind not in "iub":
        raise ArgumentError(f"{name}: {argument}={value!r}; expected whole numbers")
    return found


def _require_range(name: str, bounds: list[Any], dtype: np.dtype[Any], *, endpoint: bool) -> None:
    """ValueError where bounds that are at hand leave no number, or one that does not fit."""
    low, high = bounds
    if not all(isinstance(b, (int, np.ndarray)) for b in bounds):
        return
    last = high if endpoint else np.subtract(high, 1, dtype=object)
    if np.any(np.less(last, low, dtype=object)):
        what = "high >= low" if endpoint else "high > low"
        raise ValueError(f"{name}: low={low!r}, high={high!r}; expected {what}")
    least, most = (0, 1) if dtype.kind == "b" else (np.iinfo(dtype).min, np.iinfo(dtype).max)
    if np.any(np.less(low, least)) or np.any(np.greater(last, most, dtype=object)):
        raise ValueError(
            f"{name}: low={low!r}, high={high!r}: {dtype} holds {least} to {most}; give bounds "
            "within, or another dtype"
        )


@public(_POISSON)
@told
def poisson(
    lam: Any = 1.0,
    size: Any = None,
    *,
    dtype: Any = "int64",
    device: Context | None = None,
    rng: Any = None,
) -> Any:
    """How many events come where `lam` are expected.

    Parameters
    ----------
    lam : number from 0, or array

    >>> import nbgraph as ng
    >>> int(ng.random.poisson(0.0))
    0
    """
    lam = parameter("random.poisson", "lam", lam, NOT_NEGATIVE)
    return drawn(_POISSON, [lam], size=size, dtype=as_dtype(dtype), device=device, rng=rng)


@public(_BINOMIAL)
@told
def binomial(
    n: Any,
    p: Any,
    size: Any = None,
    *,
    dtype: Any = "int64",
    device: Context | None = None,
    rng: Any = None,
) -> Any:
    """How many of `n` trials succeed.

    Parameters
    ----------
    n : number from 0, or array
    p : probability of one, or array

    >>> import nbgraph as ng
    >>> [int(x) for x in ng.random.binomial(5, ng.array([0.0, 1.0]))]
    [0, 5]
    """
    n = parameter("random.binomial", "n", _bound("random.binomial", "n", n), NOT_NEGATIVE)
    p = parameter("random.binomial", "p", p, PROBABILITY)
    return drawn(_BINOMIAL, [n, p], size=size, dtype=as_dtype(dtype), device=device, rng=rng)


@public(_GEOMETRIC)
@told
def geometric(
    p: Any,
    size: Any = None,
    *,
    dtype: Any = "int64",
    device: Context | None = None,
    rng: Any = None,
) -> Any:
    """How many trials it takes until one succeeds.

    Parameters
    ----------
    p : probability of each, above 0, or array

    >>> import nbgraph as ng
    >>> int(ng.random.geometric(1.0))
    1
    """
    p = parameter("random.geometric", "p", p, SUCCESS)
    return drawn(_GEOMETRIC, [p], size=size, dtype=as_dtype(dtype), device=device, rng=rng)


@public(_BERNOULLI)
@told
def bernoulli(
    p: Any = 0.5,
    size: Any = None,
    *,
    dtype: Any = "bool",
    device: Context | None = None,
    rng: Any = None,
) -> Any:
    """True with probability `p`; with a numeric dtype 1.

    Parameters
    ----------
    p : probability, or array

    >>> import nbgraph as ng
    >>> ng.random.bernoulli(1.0, size=2)
    array([ True,  True])
    """
    p = parameter("random.bernoulli", "p", p, PROBABILITY)
    return drawn(_BERNOULLI, [p], size=size, dtype=as_dtype(dtype), device=device, rng=rng)
