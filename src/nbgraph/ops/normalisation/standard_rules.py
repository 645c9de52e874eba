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
from nbgraph.ops.define import Axis, added, axes_of, delivered, library
from nbgraph.ops.elementwise.arithmetic import add, multiply, negative, subtract
from nbgraph.ops.reductions.reductions import sum_to


def layer_norm_rule(g: Gradients) -> Sequence[Any]:
    """By x, gamma and beta."""
    (x, gamma, _), (_, mean, scale), axis = g.inputs, g.outputs, g.attributes["axis"]
    out_grad, to_mean, to_scale = g.out_grads
    gradients: list[Any] = [None, None, None]
    if out_grad is not None and g.wanted[0]:
        gradients[0] = library.layer_norm_gradient(out_grad, x, gamma, mean, scale, axis=axis)
    if g.wanted[0]:
        gradients[0] = _through_scale(gradients[0], to_scale, subtract(x, mean), scale, g)
        if to_mean is not None:
            each = multiply(to_mean, 1 / _count(g))
            gradients[0] = added(gradients[0], library.broadcast_to(each, g.specs[0].shape))
    if out_grad is not None and any(g.wanted[1:]):
        gradients[1:] = _by_weights(out_grad, x, mean, scale, g.specs, axis)
    return delivered(gradients, g)


def rms_norm_rule(g: Gradients) -> Sequence[Any]:
    """By x and gamma."""
    (x, gamma), (_, scale), axis = g.inputs, g.outputs, g.attributes["axis"]
    out_grad, to_scale = g.out_grads
    gradients: list[Any] = [None, None]
    if out_grad is not None and g.wanted[0]:
        gradients[0] = library.rms_norm_gradient(out_grad, x, gamma, scale, axis=axis)
    if g.wanted[0]:
        gradients[0] = _through_scale(gradients[0], to_scale, x, scale, g)
    if out_grad is not None and g.wanted[1]:
        specs = (*g.specs, g.specs[1])
        nothing = library.zeros_like(scale)
        gradients[1], _ = _by_weights(out_grad, x, nothing, scale, specs, axis)
    return delivered(gradients, g)


def layer_norm_weights_rule(g: Gradients) -> Sequence[Any]:
    """sum(out_grad * z) and sum(out_grad), over rows: by out_grad, x, mean and scale."""
    (out_grad, x, mean, scale), specs = g.inputs, g.specs
    h, k = (library.slice_view(g.out_grad, (i,)) for i in (0, 1))
    off, each = subtract(x, mean), multiply(out_grad, h)
    to_x = multiply(each, scale)
    to_grad = add(multiply(multiply(off, scale), h), k)
    to_mean = sum_to(negative(to_x), specs[2].shape)
    return delivered([to_grad, to_x, to_mean, sum_to(multiply(each, off), specs[3].shape)], g)


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
    xs, gammas, betas = specs
    axes = axes_of("layer_norm", axis, len(xs.shape))
    rows = tuple(d for d in range(len(xs.shape)) if d not in axes)
    last = axes == tuple(range(len(rows), len(xs.shape)))
    if rows and last and gammas.shape == betas.shape == tuple(xs.shape[d] for d in axes):
        both = library.layer_norm_weights(out_grad, x, mean, scale, axes=len(axes))
        return library.slice_view(both, (0,)), library.slice_view(both, (1,))
    z = multiply(subtract(x, mean), scale)
    return sum_to(multiply(out_grad, z), gammas.shape), sum_to(out_grad, betas.shape)
