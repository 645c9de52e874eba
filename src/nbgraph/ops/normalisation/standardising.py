"""Rows normalised to mean 0 and variance 1: layer norm, RMS norm, and compositions.

Each is a row program; mean and scale of a row are kept for the gradient. Variances are divided by
the number of elements.
"""

import math
from collections.abc import Sequence
from typing import Any

from nbgraph.errors import ShapeError
from nbgraph.operator.arrays.array_op import Attributes, Gradients, Spec, Specs
from nbgraph.operator.rows.row_op import RowOp
from nbgraph.operator.rows.row_program import Result
from nbgraph.ops.define import Axis, axes_of, define_rows, library
from nbgraph.ops.elementwise.arithmetic import multiply, subtract
from nbgraph.ops.rowwise.derived import derived

_element = lambda x: x
_mean = lambda total, count: total / count
_spread = lambda x, total, count: (x - total / count) * (x - total / count)
_scale = lambda spread, count, *, eps=1e-5: 1 / math.sqrt(spread / count + eps)


def _standard(x, gamma, beta, total, spread, count, *, eps=1e-5):
    return (x - total / count) * _scale(spread, count, eps=eps) * gamma + beta


_weighted = lambda out_grad, x, mean, scale: out_grad * ((x - mean) * scale)
_square = lambda x: x * x
_scaled = lambda x, gamma, spread, count, *, eps=1e-5: x * _scale(spread, count, eps=eps) * gamma


def norm_rule(g: Gradients) -> Sequence[Any]:
    """Return the gradients by x, gamma and, if there is a mean, beta."""
    x, (_, *mean, scale), out_grad = g.inputs[0], g.outputs, g.out_grads[0]
    to_x = lambda: derived(g, [0])[0]
    if out_grad is None or not any(g.wanted[1:]):
        return [to_x]
    middle, axis = mean[0] if mean else library.zeros_like(scale), g.attributes["axis"]
    slopes = [to_x, *_by_weights(out_grad, x, middle, scale, (*g.specs, g.specs[1]), axis)]
    return slopes[: len(g.specs)]


def _by_weights(
    out_grad: Any, x: Any, mean: Any, scale: Any, specs: Specs, axis: Axis
) -> tuple[Any, Any]:
    """Return the gradients of gamma and beta: in one pass if both have the shape of a row."""
    xs, gammas, betas = specs[:3]
    axes = axes_of("layer_norm", axis, len(xs.shape))
    rows = tuple(d for d in range(len(xs.shape)) if d not in axes)
    last = axes == tuple(range(len(rows), len(xs.shape)))
    if rows and last and gammas.shape == betas.shape == tuple(xs.shape[d] for d in axes):
        return library.layer_norm_weights(out_grad, x, mean, scale, rows)
    return multiply(out_grad, multiply(subtract(x, mean), scale)), out_grad


class _Norm(RowOp):
    """A row program whose weights must not enlarge x."""

    def infer(self, specs: Specs, attributes: Attributes) -> tuple[Spec, ...]:
        inferred = super().infer(specs, attributes)
        x = specs[self.operands.index("x")].shape
        if inferred[0].shape != x:
            listed = ", ".join(
                f"{name}{spec.shape}" for name, spec in zip(self.operands, specs, strict=True)
            )
            raise ShapeError(
                f"{self.__name__}: {listed} broadcast to {inferred[0].shape}; they have to "
                f"broadcast to the shape of x, {x}"
            )
        return inferred


_LAYER_NORM = _Norm.of(
    "layer_norm_parts",
    "x gamma beta",
    {"total": ("add", _element), "spread": ("add", _spread)},
    [_standard, Result(_mean, row=True), Result(_scale, row=True)],
    norm_rule,
    "x gamma out1 out2",
)
_LAYER_NORM_WEIGHTS = RowOp.of(
    "layer_norm_weights",
    "out_grad x mean scale",
    {"along": ("add", _weighted), "total": ("add", lambda out_grad: out_grad)},
    [Result(lambda along: along, row=True), Result(lambda total: total, row=True)],
    derived,
)
_RMS_NORM = _Norm.of(
    "rms_norm_parts",
    "x gamma",
    {"spread": ("add", _square)},
    [_scaled, Result(_scale, row=True)],
    norm_rule,
    "x gamma out1",
)
_LAYER_NORM.visible = _RMS_NORM.visible = 1  # means and scales are for gradients

_TABLE = """
layer_norm_parts(x, gamma, beta, axis=-1, *, eps: float = 1e-05, keepdims=True): The result of
    `layer_norm`, and the mean and scale of each row.
layer_norm_weights(out_grad, x, mean, scale, axis=0, *, keepdims=False, out=None): The gradients of
    gamma and beta of the shape of a row, in one pass: sums over `axis`, those that count rows.
    -> two arrays
rms_norm_parts(x, gamma, axis=-1, *, eps: float = 1e-05, keepdims=True): The result of `rms_norm`,
    and the scale of each row.
"""
define_rows(_TABLE, globals())
