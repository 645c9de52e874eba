"""How the weights of layers begin: scaled by how many values a unit sees, or passes on.

A weight's first axis counts units (outputs), its second one inputs; further axes are those of a
kernel that is moved over its input. All are reached as `ng.init`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from nbgraph.errors import ArgumentError, ShapeError, require_word
from nbgraph.ops.draws import categories, distributions
from nbgraph.shape import Array

Shape = tuple[int, ...]
Initialiser = Callable[[Shape, Any], Any]
_DEVIATION = 0.8796256610342398  # of normal numbers between -2 and 2


def fans(shape: Shape) -> tuple[int, int]:
    """How many values a unit sees, and how many see each of its inputs.

    >>> fans((64, 3, 5, 5))
    (75, 1600)
    """
    if len(shape) < 2:
        raise ShapeError(f"init: shape {shape} has no inputs; give a shape of two axes or more")
    kernel = math.prod(shape[2:])
    return shape[1] * kernel, shape[0] * kernel


def variance_scaling(
    scale: float = 1.0, *, mode: str = "in", distribution: str = "normal"
) -> Initialiser:
    """Numbers of mean 0 and variance scale / n, where n is what a unit sees ("in"), what sees an
    input ("out"), or the mean of both ("mean"); "normal", "truncated" or "uniform".

    >>> import numpy as np
    >>> w = np.asarray(variance_scaling(2.0, distribution="uniform")((4, 6), "float32"))
    >>> bool((abs(w) <= 1).all())
    True
    """
    require_word("init.variance_scaling: mode", mode, ("in", "out", "mean"))
    kinds = ("normal", "truncated", "uniform")
    require_word("init.variance_scaling: distribution", distribution, kinds)

    def fill(shape: Shape, dtype: Any) -> Any:
        seen, passed = fans(shape)
        count = {"in": seen, "out": passed, "mean": (seen + passed) / 2}[mode]
        deviation = math.sqrt(scale / max(1, count))
        if distribution == "uniform":
            bound = math.sqrt(3) * deviation
            return distributions.uniform(-bound, bound, shape, dtype=dtype)
        if distribution == "truncated":
            return truncated_normal(0.0, deviation / _DEVIATION)(shape, dtype)
        return distributions.normal(0.0, deviation, shape, dtype=dtype)

    return fill


def he_normal(slope: float = 0.0) -> Initialiser:
    """Normal numbers of variance 2 / (1 + slope**2) over what a unit sees: for units that pass
    negative values on times `slope`, as relu does with 0 (He et al., 2015)."""
    return variance_scaling(2 / (1 + slope * slope))


def he_uniform(slope: float = 0.0) -> Initialiser:
    """Uniform numbers of the variance that `he_normal` has."""
    return variance_scaling(2 / (1 + slope * slope), distribution="uniform")


def lecun_normal() -> Initialiser:
    """Normal numbers of variance 1 over what a unit sees (LeCun et al., 1998)."""
    return variance_scaling(1.0)


def lecun_uniform() -> Initialiser:
    """Uniform numbers of the variance that `lecun_normal` has."""
    return variance_scaling(1.0, distribution="uniform")


def truncated_normal(
    mean: float = 0.0, stddev: float = 1.0, *, low: float = -2.0, high: float = 2.0
) -> Initialiser:
    """Normal numbers, of which only those from `low` to `high` deviations off the mean appear.

    >>> import numpy as np
    >>> x = np.asarray(truncated_normal(1.0, 0.5)((1000,), "float32"))
    >>> bool((x >= 0).all() and (x <= 2).all())
    True
    """
    if not low < high:
        raise ArgumentError(f"init.truncated_normal: low={low}, high={high}; expected low < high")

    return lambda shape, dtype: categories.truncated_normal(
        mean, stddev, shape, low=low, high=high, dtype=dtype
    )


def orthogonal(gain: float = 1.0) -> Initialiser:
    """`gain` times a matrix with orthonormal rows, or columns if there are fewer of these; axes
    behind the first are one (Saxe, McClelland and Ganguli, 2014).

    >>> import numpy as np
    >>> w = np.asarray(orthogonal()((3, 5), "float64"))
    >>> np.allclose(w @ w.T, np.eye(3))
    True
    """

    def fill(shape: Shape, dtype: Any) -> Array:
        fans(shape)  # two axes or more
        rows, columns = shape[0], math.prod(shape[1:])
        drawn = distributions.normal(0.0, 1.0, (max(rows, columns), min(rows, columns)))
        q, r = np.linalg.qr(np.asarray(drawn, np.float64))
        q *= np.where(np.diag(r) < 0, -1.0, 1.0)  # else the draw decides only in part
        return (gain * (q if rows >= columns else q.T)).reshape(shape).astype(dtype)

    return fill


def bilinear() -> Initialiser:
    """Weights of a transposed convolution that interpolates between cells, as `UpSampling` has.

    Along an axis of n elements element i is 1 - abs(i - c) / f, f = ceil(n / 2) and c the middle of
    a window of 2 * f - f % 2 elements (Long, Shelhamer and Darrell, 2015).

    >>> bilinear()((1, 1, 4, 4), "float64")[0, 0, 1]
    array([0.1875, 0.5625, 0.5625, 0.1875])
    """

    def fill(shape: Shape, dtype: Any) -> Array:
        if len(shape) < 3:
            raise ShapeError(
                f"init: shape {shape} has no window; give a shape of three axes or more"
            )
        weights = np.ones(())
        for n in shape[2:]:
            reach = -(-n // 2)
            middle = (2 * reach - 1 - reach % 2) / (2 * reach)
            weights = weights[..., None] * (1 - np.abs(np.arange(n) / reach - middle))
        return np.broadcast_to(weights, shape).astype(dtype)

    return fill
