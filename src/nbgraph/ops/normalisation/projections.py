"""Sparsemax: the point of the simplex that is nearest to the scores (Martins, Astudillo, 2016)."""

from typing import Any

import numpy as np

from nbgraph.dtype import compute_dtype
from nbgraph.errors import ShapeError
from nbgraph.operator.arrays.array_op import ArrayOp, Gradients, Spec
from nbgraph.operator.rows.row_op import RowOp
from nbgraph.ops.define import axis_of, by_numpy, define_rows, library, require_floats
from nbgraph.ops.rowwise.derived import derived


def _infer(x: Spec, *, axis: int) -> Spec:
    require_floats("sparsemax", x)
    if x.shape[axis_of("sparsemax", axis, len(x.shape))] == 0:
        raise ShapeError(f"sparsemax: x has shape {x.shape}; expected elements along axis {axis}")
    return x


def _shares(xp: Any, x: Any, out: Any, *, axis: int) -> None:
    """Use the support, the largest scores z with 1 + k * z[k] > z[1] + ... + z[k]."""
    wide = xp.moveaxis(x, axis, -1).astype(compute_dtype(x.dtype))
    with np.errstate(invalid="ignore"):
        wide = wide - wide.max(axis=-1, keepdims=True)
        falling = -xp.sort(-wide, axis=-1)
        sums = xp.cumsum(falling, axis=-1)
        inside = 1 + xp.arange(1, wide.shape[-1] + 1) * falling > sums
        size = xp.maximum(inside.sum(axis=-1, keepdims=True), 1)
        threshold = (xp.take_along_axis(sums, size - 1, -1) - 1) / size
        xp.moveaxis(out, axis, -1)[...] = xp.maximum(wide - threshold, 0)


_support = lambda out: 1.0 if out > 0 else 0.0
_passed = lambda out, out_grad: out_grad if out > 0 else 0.0
_slope = lambda out, out_grad, size, total: out_grad - total / size if out > 0 else 0.0


def _rule(g: Gradients) -> list[Any]:
    return [library.sparsemax_gradient(g.outputs[0], g.out_grad, **g.attributes)]


_SPARSEMAX = ArrayOp("sparsemax", _infer, by_numpy(_shares), gradient=_rule, keeps=("out",))
_SPARSEMAX_GRADIENT = RowOp.of(
    "sparsemax_gradient",
    "out out_grad",
    {"size": ("add", _support), "total": ("add", _passed)},
    [_slope],
    derived,
)

_TABLE = """
sparsemax(x, axis: int = -1, *, out=None): Shares that add up to 1, as of `softmax`, but most of
    them 0: the nearest to `x` (Martins and Astudillo, 2016).
    x : array, floats
    axis : int
    -> array of the shape of x
    >>> sparsemax([1.0, 0.5, -1.0])
    array([0.75, 0.25, 0.  ])
sparsemax_gradient(share, out_grad, axis: int = -1, *, out=None): The in-gradient of `sparsemax`,
    from its result and its gradient.
"""
define_rows(_TABLE, globals())
