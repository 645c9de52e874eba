"""Pools over windows: the maximum or the mean of the values under each, and their gradients.

A mean is linear, so it and its transpose are each other's gradients. A maximum selects cells: its
gradient passes each place's gradient to the cell of the maximum, the first of equal ones, and the
gradient of that picks values at those cells.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from nbgraph.errors import require_shape
from nbgraph.operator.arrays.array_op import Gradients, Spec, Specs
from nbgraph.operator.arrays.tiled_op import TiledOp
from nbgraph.operator.kernel_call import KernelCall
from nbgraph.ops.define import Shape, define_rows, library, require_floats
from nbgraph.ops.windows.pool_windows import pool_call, pool_windows
from nbgraph.ops.windows.pool_windows import pool_options as pool_options
from nbgraph.ops.windows.windows import Windows
from nbgraph.shape import Array


def _infer(name: str) -> Callable[..., Spec]:
    """Return the inference of one value per place."""

    def infer(x: Spec, *, counted: bool = False, **how: Any) -> Spec:
        outs = pool_windows(name, x.shape, **how).outs
        return Spec((*x.shape[:2], *outs), require_floats(name, x))

    return infer


def _tiling(name: str, text: str, which: int = 0) -> Callable[..., KernelCall | None]:
    """Return the function that makes the calls of an operator. `text`: see `pool_call`; operand
    `which` has the shape of the data, except for the space of a given `size`."""

    def tiling(
        specs: Specs, dtype: Any, *, size: Shape | None = None, counted: bool = False, **how: Any
    ) -> KernelCall | None:
        shape = specs[which].shape
        shape = shape if size is None else (*shape[:2], *size)
        windows = pool_windows(name, shape, **how)
        return pool_call(text, windows, math.prod(shape[:2]), dtype, counted=counted)

    return tiling


# the largest value ------------------------------------------------------------------------------


def _max_naive(x: Array, **how: Any) -> Array:
    windows = pool_windows("max_pooling", x.shape, **how)
    padded = windows.padded(x, -np.inf)
    out = np.full((*x.shape[:2], *windows.outs), -np.inf, x.dtype)
    for at in windows.offsets():
        np.maximum(out, padded[windows.under(at)], out=out)
    return out


def _gradient_infer(out_grad: Spec, x: Spec, y: Spec, **how: Any) -> Spec:
    name = "max_pooling_gradient"
    wanted = (*x.shape[:2], *pool_windows(name, x.shape, **how).outs)
    require_shape(f"{name}: out_grad", out_grad.shape, wanted)
    require_shape(f"{name}: out", y.shape, wanted)
    return Spec(x.shape, require_floats(name, out_grad, x, y))


def _chosen(x: Array, y: Array, windows: Windows) -> list[tuple[Any, Array]]:
    """Return for each element of the window its cells, and the places where it is the maximum."""
    padded, left = windows.padded(x, -np.inf), np.ones(y.shape, bool)
    inside = windows.padded(np.ones_like(x)) != 0
    pairs: list[tuple[Any, Array]] = []
    for at in windows.offsets():
        cells = windows.under(at)
        value = padded[cells]
        hit = left & inside[cells] & ((value == y) | (value != value))
        left &= ~hit
        pairs.append((cells, hit))
    return pairs


def _gradient_naive(out_grad: Array, x: Array, y: Array, **how: Any) -> Array:
    windows = pool_windows("max_pooling_gradient", x.shape, **how)
    image = windows.padded(np.zeros_like(x))
    for cells, hit in _chosen(x, y, windows):
        image[cells] += np.where(hit, out_grad, 0)
    return image[windows.inside()]


def _pick_infer(v: Spec, x: Spec, y: Spec, **how: Any) -> Spec:
    name = "max_pooling_pick"
    require_shape(f"{name}: values", v.shape, x.shape)
    outs = pool_windows(name, x.shape, **how).outs
    require_shape(f"{name}: out", y.shape, (*x.shape[:2], *outs))
    return Spec(y.shape, require_floats(name, v, x, y))


def _pick_naive(v: Array, x: Array, y: Array, **how: Any) -> Array:
    windows = pool_windows("max_pooling_pick", x.shape, **how)
    padded, out = windows.padded(v), np.zeros_like(y)
    for cells, hit in _chosen(x, y, windows):
        out += np.where(hit, padded[cells], 0)
    return out


_MAX = TiledOp(
    "max_pooling", _infer("max_pooling"), _tiling("max_pooling", "max"), _max_naive,
    gradient=lambda g: [
        library.max_pooling_gradient(g.out_grad, *g.inputs, *g.outputs, **g.attributes)
    ],
    keeps=("x", "out"), adds=True,
)  # fmt: skip
_MAX_GRADIENT = TiledOp(
    "max_pooling_gradient", _gradient_infer,
    _tiling("max_pooling_gradient", "max_gradient", 1), _gradient_naive,
    # the selection of cells is constant, so x and out get no gradient
    gradient=lambda g: [
        lambda: library.max_pooling_pick(g.out_grad, *g.inputs[1:], **g.attributes)
    ],
    keeps=("x", "y"), operands=("out_grad", "x", "y"),
)  # fmt: skip
_MAX_PICK = TiledOp(
    "max_pooling_pick", _pick_infer, _tiling("max_pooling_pick", "max_pick"), _pick_naive,
    gradient=lambda g: [
        lambda: library.max_pooling_gradient(g.out_grad, *g.inputs[1:], **g.attributes)
    ],
    keeps=("x", "y"), operands=("values", "x", "y"), adds=True,
)  # fmt: skip


# the mean ---------------------------------------------------------------------------------------


def _counts(windows: Windows, *, counted: bool) -> Array:
    """Return the number of cells in the mean of each place."""
    counts = np.ones((1,) * len(windows.ins))
    for d, (n, o, k, s, p) in enumerate(
        zip(windows.ins, windows.outs, windows.kernel, windows.step, windows.pad, strict=True)
    ):
        edge = p if counted else 0
        first = np.arange(o) * s - p
        own = np.minimum(first + k, n + edge) - np.maximum(first, -edge)
        counts = counts * own.reshape([-1 if e == d else 1 for e in range(len(windows.ins))])
    return counts


def _mean_naive(x: Array, *, counted: bool, **how: Any) -> Array:
    windows = pool_windows("avg_pooling", x.shape, **how)
    padded = windows.padded(x)
    out = sum(padded[windows.under(at)] for at in windows.offsets())
    return (out / _counts(windows, counted=counted)).astype(x.dtype)


def _of_mean(shape: Shape, size: Shape, how: dict[str, Any]) -> Windows:
    name = "avg_pooling_gradient"
    windows = pool_windows(name, (*shape[:2], *size), **how)
    require_shape(f"{name}: out_grad", shape, (*shape[:2], *windows.outs))
    return windows


def _mean_gradient_infer(g: Spec, *, size: Shape, counted: bool, **how: Any) -> Spec:
    _of_mean(g.shape, size, how)
    return Spec((*g.shape[:2], *size), require_floats("avg_pooling_gradient", g))


def _mean_gradient_naive(g: Array, *, size: Shape, counted: bool, **how: Any) -> Array:
    windows = _of_mean(g.shape, size, how)
    image = windows.padded(np.zeros((*g.shape[:2], *size), g.dtype))
    each = (g / _counts(windows, counted=counted)).astype(g.dtype)
    for at in windows.offsets():
        image[windows.under(at)] += each
    return image[windows.inside()]


def _mean_gradient_rule(g: Gradients) -> Sequence[Any]:
    how = {k: v for k, v in g.attributes.items() if k != "size"}
    return [library.avg_pooling(g.out_grad, **how)]


_AVG = TiledOp(
    "avg_pooling", _infer("avg_pooling"), _tiling("avg_pooling", "mean"), _mean_naive,
    gradient=lambda g: [
        library.avg_pooling_gradient(g.out_grad, size=g.specs[0].shape[2:], **g.attributes)
    ],
    adds=True,
)  # fmt: skip
_AVG_GRADIENT = TiledOp(
    "avg_pooling_gradient", _mean_gradient_infer,
    _tiling("avg_pooling_gradient", "mean_gradient"), _mean_gradient_naive,
    gradient=_mean_gradient_rule, operands=("out_grad",),
)  # fmt: skip

_TABLE = """
max_pooling(x, window, *, stride=None, pad=0, ceil=False, dilation=1, out=None): The largest value
    under a window, for every place, channel and image; NaN where there is one.
    x : array (images, channels, *space), one to three axes of space, floats
    window, stride, pad, dilation : int, or one for each axis of space: cells of the window; from
        place to place, by default the window; around the data, which never count; from one element
        of the window to the next
    ceil : whether to include windows that extend beyond the data's end
    -> array (images, channels, *places). The gradient goes to the first cell that has the maximum.
    ! ShapeError where shapes do not fit, DTypeError for integers.
    >>> max_pooling(np.array([[[1.0, 3.0, 2.0, 0.0, 5.0]]]), 2, ceil=True)
    array([[[3., 2., 5.]]])
    = _MAX(x, out=out, **pool_options("max_pooling", window, stride, pad, ceil, dilation))
max_pooling_gradient(out_grad, x, y, window, *, stride=None, pad=0, ceil=False, dilation=1,
    out=None): The in-gradient of `max_pooling`, from the gradient of its result `y`, and `x`.
    = _MAX_GRADIENT(out_grad, x, y, out=out, **pool_options("max_pooling_gradient", window, stride,
        pad, ceil, dilation))
max_pooling_pick(values, x, y, window, *, stride=None, pad=0, ceil=False, dilation=1, out=None): The
    elements of `values` at the maxima of `max_pooling` of `x`, whose result is `y`.
    = _MAX_PICK(values, x, y, out=out, **pool_options("max_pooling_pick", window, stride, pad, ceil,
        dilation))
avg_pooling(x, window, *, stride=None, pad=0, ceil=False, counted=True, out=None): The mean of the
    cells under a window, for every place, channel and image.
    x, window, stride, pad, ceil : as those of `max_pooling`
    counted : whether cells of the pad count as zeros, or not at all
    -> array (images, channels, *places)
    ! ShapeError where shapes do not fit, DTypeError for integers.
    >>> avg_pooling(np.array([[[2.0, 4.0, 6.0]]]), 3, stride=1, pad=1, counted=False)
    array([[[3., 4., 5.]]])
    = _AVG(x, out=out, counted=bool(counted), **pool_options("avg_pooling", window, stride, pad,
        ceil))
avg_pooling_gradient(out_grad, window, *, size: ints, stride=None, pad=0, ceil=False, counted=True,
    out=None): The in-gradient of `avg_pooling` of data whose space has the shape `size`.
    = _AVG_GRADIENT(out_grad, out=out, size=whole_tuple("avg_pooling_gradient", "size", size),
        counted=bool(counted), **pool_options("avg_pooling_gradient", window, stride, pad, ceil))
"""
define_rows(_TABLE, globals())
