"""The gradients of layer norm and RMS norm, to any order.

With u = out_grad * gamma and z what a row became, the in-gradient is
scale * (u - mean(u) - z * mean(u * z)); mean(u) is not taken off where no mean was. It is linear in
out_grad, so that its own gradient by that is the same operator again. Mean and scale of a row are
results of their own: what flows to them goes on to x.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from nbgraph.operator.array_op import Gradients, Spec
from nbgraph.ops.define import Axis, added, axes_of, library
from nbgraph.ops.elementwise.arithmetic import multiply, subtract


def norm_rule(g: Gradients) -> Sequence[Any]:
    """By x, gamma and, where there is a mean, beta."""
    (x, gamma, *_), (_, *mean, scale), axis = g.inputs, g.outputs, g.attributes["axis"]
    out_grad, *to_mean, to_scale = g.out_grads
    by_x = library.layer_norm_gradient if mean else library.rms_norm_gradient

    def to_x() -> Any:
        slope = None if out_grad is None else by_x(out_grad, x, gamma, *mean, scale, axis=axis)
        slope = _through_scale(slope, to_scale, subtract(x, *mean) if mean else x, scale, g)
        if not mean or to_mean[0] is None:
            return slope
        each = multiply(to_mean[0], 1 / _count(g))
        return added(slope, library.broadcast_to(each, g.specs[0].shape))

    if out_grad is None or not any(g.wanted[1:]):
        return [to_x]
    middle = mean[0] if mean else library.zeros_like(scale)
    slopes = [to_x, *_by_weights(out_grad, x, middle, scale, (*g.specs, g.specs[1]), axis)]
    return slopes[: len(g.specs)]


def _count(g: Gradients) -> int:
    """Return the elements of a row, at least 1: there may be none to divide."""
    shape = max((spec.shape for spec in g.specs), key=lambda s: (len(s), math.prod(s)))
    axes = axes_of(g.op.__name__, g.attributes["axis"], len(shape))
    return max(1, math.prod(shape[d] for d in axes))


def _through_scale(gradient: Any, to_scale: Any, off: Any, scale: Any, g: Gradients) -> Any:
    """With what flows to x through the scale, which is one over a root of mean squares of `off`."""
    if to_scale is None:
        return gradient
    cubed = multiply(multiply(scale, scale), scale)
    return added(gradient, multiply(off, multiply(multiply(to_scale, cubed), -1 / _count(g))))


def _by_weights(
    out_grad: Any, x: Any, mean: Any, scale: Any, specs: Sequence[Spec], axis: Axis
) -> tuple[Any, Any]:
    """The gradients of gamma and beta: one pass where both have the shape of a row."""
    xs, gammas, betas = specs[:3]
    axes = axes_of("layer_norm", axis, len(xs.shape))
    rows = tuple(d for d in range(len(xs.shape)) if d not in axes)
    last = axes == tuple(range(len(rows), len(xs.shape)))
    if rows and last and gammas.shape == betas.shape == tuple(xs.shape[d] for d in axes):
        return library.layer_norm_weights(out_grad, x, mean, scale, rows)
    return multiply(out_grad, multiply(subtract(x, mean), scale)), out_grad
