"""Norms on GPUs composed of other operators, in float32 for 16-bit floats."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from nbgraph.dtype import compute_dtype
from nbgraph.operator.arrays import device_forms
from nbgraph.ops.define import library
from nbgraph.ops.elementwise.arithmetic import add, multiply, subtract
from nbgraph.ops.normalisation.batches import batch_standard, beside
from nbgraph.ops.normalisation.standardising import layer_norm_weights


def _computed(operands: Sequence[Any]) -> list[Any]:
    """Return operands in the dtype that they are computed in."""
    dtype = np.dtype(compute_dtype(np.result_type(*(x.dtype for x in operands))))
    return [x if x.dtype == dtype else library.astype(x, dtype) for x in operands]


@device_forms.composed(batch_standard)
def standard(
    x: Any, mean: Any, variance: Any, gamma: Any, beta: Any, *, eps: float, **_: Any
) -> Any:
    """Return a product and a sum, which graphs fuse with their surroundings."""
    x, mean, variance, gamma, beta = _computed((x, mean, variance, gamma, beta))
    scale = multiply(gamma, library.rsqrt(add(variance, eps)))
    shift = subtract(beta, multiply(mean, scale))
    axes = len(x.shape)
    return add(multiply(x, beside(scale, axes)), beside(shift, axes))


@device_forms.composed(layer_norm_weights)
def weights(
    out_grad: Any, x: Any, mean: Any, scale: Any, *, axis: Any, keepdims: bool
) -> tuple[Any, ...]:
    """Return two sums over rows."""
    out_grad, x, mean, scale = _computed((out_grad, x, mean, scale))
    along = multiply(out_grad, multiply(subtract(x, mean), scale))
    return tuple(library.sum(v, axis=axis, keepdims=keepdims) for v in (along, out_grad))
