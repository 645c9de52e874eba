"""The gradients of layer norm and RMS norm, to any order: of x that of the program, from mean and
scale; of weights that have the shape of a row sums over rows, in one pass."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from nbgraph.operator.array_op import Gradients, Spec
from nbgraph.ops.define import Axis, axes_of, library
from nbgraph.ops.elementwise.arithmetic import multiply, subtract
from nbgraph.ops.rowwise.derived import derived


def norm_rule(g: Gradients) -> Sequence[Any]:
    """By x, gamma and, where there is a mean, beta."""
    x, (_, *mean, scale), out_grad = g.inputs[0], g.outputs, g.out_grads[0]
    to_x = lambda: derived(g, [0])[0]
    if out_grad is None or not any(g.wanted[1:]):
        return [to_x]
    middle, axis = mean[0] if mean else library.zeros_like(scale), g.attributes["axis"]
    slopes = [to_x, *_by_weights(out_grad, x, middle, scale, (*g.specs, g.specs[1]), axis)]
    return slopes[: len(g.specs)]


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
