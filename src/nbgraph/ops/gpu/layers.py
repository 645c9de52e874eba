"""Layers, outputs that are their operands, weights brought into shape, lengths of sequences."""

from __future__ import annotations

import math
from typing import Any

from nbgraph.operator.array_op import Spec
from nbgraph.operator.elsewhere import composed
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
from nbgraph.ops.named.reshaping import numbers
from nbgraph.ops.named.sequences import BESIDE, STEPS
from nbgraph.ops.named.units import SLOPES
from nbgraph.ops.products import attention_rules
from nbgraph.ops.products.attention import attention_gradient, attention_parts
from nbgraph.ops.products.connected import BIASED, fully_connected
from nbgraph.shape import axis_of


@composed(fully_connected, BIASED)
def connected(x: Any, weight: Any, *bias: Any, flatten: bool) -> Any:
    """A product of matrices, and a sum."""
    features, inputs = weight.shape
    lead = x.shape[:1] if flatten else x.shape[:-1]
    flat = library.reshape(x, (math.prod(lead), inputs))
    product = library.dot(flat, weight, transpose_b=True)
    if bias:
        product = library.add(product, bias[0])
    return library.reshape(product, (*lead, features))


# products and a softmax, with the scores in memory
composed(attention_parts)(attention_rules.parts)
composed(attention_gradient)(attention_rules.gradient)

# outputs that are their operands, and weights brought into shape ----------------------------------


# the data as they are: their gradient is a loss's
composed(linear_regression_output, mae_regression_output, MakeLoss, SVMOutput)(
    lambda x, *_, **__: x
)
composed(logistic_regression_output)(lambda x, *_, **__: sigmoid(x))
composed(HEAD, TIMES_HEAD)(lambda _data, share, *_, **__: share)  # the softmax, an operand
composed(FIXED)(lambda _moments, gamma: library.ones_like(gamma))  # in place of gamma


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


# sequences ----------------------------------------------------------------------------------------


def _inferred(op: Any, *arrays: Any, **attributes: Any) -> tuple[int, ...]:
    specs = [Spec(tuple(x.shape), x.dtype) for x in arrays]
    return op.infer(specs, attributes)[0].shape


@composed(BESIDE)
def lengths(data: Any, sizes: Any, *, axis: int) -> Any:
    """The length of each sample, so that it broadcasts against the data."""
    shape = _inferred(BESIDE, data, sizes, axis=axis)
    return library.astype(library.reshape(sizes, shape), "int64")


@composed(STEPS)
def steps(data: Any, *, axis: int) -> Any:
    """The number of each step, so that it broadcasts against the data."""
    shape = _inferred(STEPS, data, axis=axis)
    return library.reshape(numbers(data, range(math.prod(shape))), shape)
