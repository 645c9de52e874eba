"""Outputs that are what they are given, weights brought into shape, and sparsemax."""

from __future__ import annotations

from typing import Any

from nbgraph.dtype import compute_dtype
from nbgraph.operator.elsewhere import by_library, composed
from nbgraph.ops.define import library
from nbgraph.ops.elementwise.activation import sigmoid
from nbgraph.ops.losses.outputs import (
    linear_regression_output,
    logistic_regression_output,
    mae_regression_output,
)
from nbgraph.ops.losses.softmax_outputs import HEAD, TIMES_HEAD
from nbgraph.ops.named.heads import MakeLoss, SVMOutput
from nbgraph.ops.named.layers import FIXED
from nbgraph.ops.named.normalising import ALONG, SHIFT
from nbgraph.ops.named.units import SLOPES
from nbgraph.ops.normalisation.projections import sparsemax
from nbgraph.shape import axis_of


@composed(linear_regression_output, mae_regression_output, MakeLoss, SVMOutput)
def data(x: Any, *_: Any, **__: Any) -> Any:
    """The data as they are: their gradient is a loss's."""
    return x


@composed(logistic_regression_output)
def logistic(x: Any, *_: Any, **__: Any) -> Any:
    """sigmoid of the data."""
    return sigmoid(x)


@composed(HEAD, TIMES_HEAD)
def shares(_data: Any, share: Any, *_: Any, **__: Any) -> Any:
    """The softmax, which is given."""
    return share


@composed(FIXED)
def ones(_moments: Any, gamma: Any) -> Any:
    """Ones in place of gamma."""
    return library.ones_like(gamma)


@composed(ALONG, SHIFT)
def along(x: Any, weight: Any, *, axis: int, groups: int | None) -> Any:
    """A weight along one axis."""
    place = axis_of("norm", axis, len(x.shape))
    if groups is not None and weight.shape == (groups,):
        weight = library.repeat(weight, x.shape[place] // max(groups, 1))
    return library.reshape(weight, tuple(n if d == place else 1 for d, n in enumerate(x.shape)))


@composed(SLOPES)
def slopes(x: Any, gamma: Any) -> Any:
    """A slope a channel, or one for each element of a sample."""
    if len(gamma.shape) > 1:
        return library.copy(gamma)
    axes = max(len(x.shape) - 2, 0)
    whole = library.reshape(gamma, (-1, *(1,) * axes))
    channels = x.shape[1] if len(x.shape) > 1 else 1
    return library.broadcast_to(whole, (channels, *(1,) * axes))


@by_library(sparsemax)
def sparse_shares(xp: Any, x: Any, out: Any, *, axis: int) -> None:
    """As on the host: the largest scores z with 1 + k * z[k] > z[1] + ... + z[k] have a share."""
    wide = xp.moveaxis(x, axis, -1).astype(compute_dtype(x.dtype))
    wide = wide - wide.max(axis=-1, keepdims=True)
    falling = xp.flip(xp.sort(wide, axis=-1), -1)
    sums = xp.cumsum(falling, axis=-1)
    inside = 1 + xp.arange(1, wide.shape[-1] + 1) * falling > sums
    size = xp.maximum(inside.sum(axis=-1, keepdims=True), 1)
    threshold = (xp.take_along_axis(sums, size - 1, -1) - 1) / size
    xp.moveaxis(out, axis, -1)[...] = xp.maximum(wide - threshold, 0)
