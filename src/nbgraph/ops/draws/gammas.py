"""Random numbers of the gamma and beta distributions, as NumPy spells them."""

from __future__ import annotations

from typing import Any

import numpy as np

from nbgraph.device import Context
from nbgraph.ops.define import library, public
from nbgraph.ops.draws import plain
from nbgraph.ops.draws.drawing import (
    NOT_NEGATIVE,
    POSITIVE,
    Array,
    Drawing,
    Made,
    drawn,
    float_dtype,
    named,
    parameter,
    told,
)

Generator = np.random.Generator


def _fill_gamma(rng: Generator, out: Array, shape: Any) -> None:
    out[...] = plain.standard_gamma(rng, np.broadcast_to(np.asarray(shape, "float64"), out.shape))


def _gamma_kernel(dtype: str, shape: float) -> Made:
    from nbgraph.kernels.attempts import gamma

    return gamma(dtype), (shape,)


def _fill_beta(rng: Generator, out: Array, a: Any, b: Any) -> None:
    out[...] = rng.beta(a, b, out.shape)


_GAMMA = Drawing("standard_gamma", _fill_gamma, kernel=_gamma_kernel)
_BETA = Drawing("beta", _fill_beta)


@public(_GAMMA)
@told
def standard_gamma(
    shape: Any,
    size: Any = None,
    *,
    dtype: Any = None,
    device: Context | None = None,
    rng: Any = None,
) -> Any:
    """Numbers of the gamma distribution of this shape parameter, of scale 1.

    Parameters
    ----------
    shape : number from 0, or array: the mean

    >>> import nbgraph as ng
    >>> bool((ng.random.standard_gamma(2.0, size=5) > 0).all())
    True
    """
    shape = parameter("random.standard_gamma", "shape", shape, NOT_NEGATIVE)
    dtype = float_dtype("random.standard_gamma", dtype, [shape])
    return drawn(_GAMMA, [shape], size=size, dtype=dtype, device=device, rng=rng)


@named("random_gamma")
@told
def gamma(
    shape: Any,
    scale: Any = 1.0,
    size: Any = None,
    *,
    dtype: Any = None,
    device: Context | None = None,
    rng: Any = None,
) -> Any:
    """Numbers of the gamma distribution, of mean `shape * scale`.

    Parameters
    ----------
    shape, scale : numbers from 0, or arrays that broadcast. Gradients flow to `scale`.

    >>> import nbgraph as ng
    >>> float(ng.random.gamma(0.0, 3.0))
    0.0
    """
    shape = parameter("random.gamma", "shape", shape, NOT_NEGATIVE)
    scale = parameter("random.gamma", "scale", scale, NOT_NEGATIVE)
    dtype = float_dtype("random.gamma", dtype, [shape, scale])
    if size is None and not isinstance(scale, (int, float)):
        size = np.broadcast_shapes(np.shape(shape), scale.shape)
    standard = drawn(_GAMMA, [shape], size=size, dtype=dtype, device=device, rng=rng)
    return library.astype(library.multiply(standard, scale), dtype)


@public(_BETA)
@told
def beta(
    a: Any,
    b: Any,
    size: Any = None,
    *,
    dtype: Any = None,
    device: Context | None = None,
    rng: Any = None,
) -> Any:
    """Numbers between 0 and 1 of the beta distribution, of mean `a / (a + b)`.

    Parameters
    ----------
    a, b : numbers above 0, or arrays that broadcast

    >>> import nbgraph as ng
    >>> x = ng.random.beta(2.0, 3.0, size=5)
    >>> bool(((x > 0) & (x < 1)).all())
    True
    """
    a = parameter("random.beta", "a", a, POSITIVE)
    b = parameter("random.beta", "b", b, POSITIVE)
    dtype = float_dtype("random.beta", dtype, [a, b])
    return drawn(_BETA, [a, b], size=size, dtype=dtype, device=device, rng=rng)
