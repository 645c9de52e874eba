"""Convolutions over one to three axes, and the two operators that are their gradients.

<convolution(x, w), g> is linear in each of x, w and g. Its gradient by g is the convolution, by x
`convolution_data`, by w `convolution_weights`; so the gradient of each of the three consists of the
other two, to any order. A transposed convolution is `convolution_data` by another name.
"""

import functools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from nbgraph.errors import ArgumentError
from nbgraph.operator.arrays.array_op import Gradients, Spec
from nbgraph.operator.arrays.tiled_op import TiledOp
from nbgraph.ops.define import Shape, define_rows, library, whole
from nbgraph.ops.windows.convolution_shapes import (
    How,
    infer,
    infer_data,
    infer_weights,
    layer_of,
    of_data,
    of_weights,
    partial,
)
from nbgraph.ops.windows.convolution_tiles import data_tiling, tiling, weight_tiling
from nbgraph.ops.windows.windows import per_axis
from nbgraph.shape import Array

# the specification ------------------------------------------------------------------------------


def _grouped(a: Array, groups: int, axis: int) -> Array:
    return a.reshape(*a.shape[:axis], groups, a.shape[axis] // groups, *a.shape[axis + 1 :])


def _naive(x: Array, w: Array, *bias: Array, **attributes: Any) -> Array:
    layer = layer_of("convolution", x.shape, w.shape, How.of(attributes))
    windows, padded = layer.windows, layer.windows.padded(x)
    weights = _grouped(w, layer.groups, 0)
    out = _grouped(np.zeros(layer.out, x.dtype), layer.groups, 1)
    for at in windows.offsets():
        under = _grouped(padded[windows.under(at)], layer.groups, 1)
        out += np.einsum("ngc...,gfc->ngf...", under, weights[(..., *at)])
    out = out.reshape(layer.out)
    return out + _beside(bias[0], out) if bias else out


def _beside(bias: Array, out: Array) -> Array:
    return bias.reshape(-1, *(1,) * (out.ndim - 2))


def _naive_data(g: Array, w: Array, *bias: Array, size: Shape, **attributes: Any) -> Array:
    layer = of_data([Spec.of(g), Spec.of(w)], size, How.of(attributes))
    windows, weights = layer.windows, _grouped(w, layer.groups, 0)
    image = windows.padded(np.zeros(layer.x, g.dtype))
    out_grad = _grouped(g, layer.groups, 1)
    for at in windows.offsets():
        each = np.einsum("ngf...,gfc->ngc...", out_grad, weights[(..., *at)])
        image[windows.under(at)] += each.reshape(*layer.x[:2], *each.shape[3:])
    out = image[windows.inside()]
    return out + _beside(bias[0], out) if bias else out


def _naive_weights(x: Array, g: Array, *, size: Shape, **attributes: Any) -> Array:
    layer = of_weights([Spec.of(x), Spec.of(g)], size, How.of(attributes))
    windows, padded = layer.windows, layer.windows.padded(x)
    out = np.zeros(layer.w, x.dtype)
    spots = math.prod(g.shape[2:])
    out_grad = _grouped(g, layer.groups, 1)
    out_grad = out_grad.reshape(*out_grad.shape[:3], spots)
    for at in windows.offsets():
        under = _grouped(padded[windows.under(at)], layer.groups, 1)
        under = under.reshape(*under.shape[:3], spots)
        each = np.einsum("ngcs,ngfs->gfc", under, out_grad)
        out[(..., *at)] = each.reshape(layer.w[:2])
    return out


# gradients --------------------------------------------------------------------------------------


def _by_data(g: Any, w: Any, x: Spec, how: Any) -> Any:
    return library.convolution_data(g, w, **{**how, "size": x.shape[2:]})


def _by_weights(x: Any, g: Any, w: Spec, how: Any) -> Any:
    return library.convolution_weights(x, g, **{**how, "size": w.shape[2:]})


def _with_bias(g: Gradients, *slopes: Any) -> list[Any]:
    space = range(2, len(g.specs[0].shape))
    return [*slopes, functools.partial(library.sum, g.out_grad, axis=(0, *space))][: len(g.specs)]


def _rule(g: Gradients) -> Sequence[Any]:
    (x, w), specs, how = g.inputs[:2], g.specs, g.attributes
    by_data = functools.partial(_by_data, g.out_grad, w, specs[0], how)
    return _with_bias(g, by_data, functools.partial(_by_weights, x, g.out_grad, specs[1], how))


def _data_rule(g: Gradients) -> Sequence[Any]:
    (out_grad, w), how = g.inputs[:2], How.of(g.attributes)._asdict()
    to_grad = functools.partial(library.convolution, g.out_grad, w, **how)
    return _with_bias(
        g, to_grad, functools.partial(_by_weights, g.out_grad, out_grad, g.specs[1], how)
    )


def _weight_rule(g: Gradients) -> Sequence[Any]:
    (x, out_grad), how = g.inputs, How.of(g.attributes)._asdict()
    to_x = functools.partial(_by_data, out_grad, g.out_grad, g.specs[0], how)
    return [to_x, functools.partial(library.convolution, x, g.out_grad, **how)]


# the operators ----------------------------------------------------------------------------------


def _op(name: str, operands: Sequence[str], *functions: Any, keeps: Sequence[str]) -> TiledOp:
    shapes, tiles, naive, rule = functions
    own = partial if name == "convolution" else None
    return TiledOp(
        name, shapes, tiles, naive, gradient=rule, keeps=keeps, operands=operands, partial=own
    )


_XW, _GW = ("x", "weight"), ("out_grad", "weight")
_CONVOLUTION = _op("convolution", _XW, infer, tiling, _naive, _rule, keeps=_XW)
BIASED = _op("convolution", (*_XW, "bias"), infer, tiling, _naive, _rule, keeps=_XW)
_DATA = _op("convolution_data", _GW, infer_data, data_tiling, _naive_data, _data_rule, keeps=_GW)
BIASED_DATA = _op(
    "convolution_data", (*_GW, "bias"), infer_data, data_tiling, _naive_data, _data_rule,
    keeps=_GW,
)  # fmt: skip
_WEIGHTS = _op(
    "convolution_weights", ("x", "out_grad"), infer_weights, weight_tiling, _naive_weights,
    _weight_rule, keeps=("x", "out_grad"),
)  # fmt: skip


def how_of(name: str, stride: Any, pad: Any, dilation: Any, groups: Any) -> dict[str, Any]:
    """Return windows and groups as attributes."""
    count = whole(name, "groups", groups)
    if count < 1:
        raise ArgumentError(f"{name}: groups={groups!r}; expected a whole number from 1 on")
    return {
        "stride": per_axis(name, "stride", stride, 1),
        "pad": per_axis(name, "pad", pad, 0),
        "dilation": per_axis(name, "dilation", dilation, 1),
        "groups": count,
    }


def with_bias(op: TiledOp, biased: TiledOp, operands: Sequence[Any], bias: Any, **how: Any) -> Any:
    """Apply a convolution's operator, or the one that adds a bias."""
    return op(*operands, **how) if bias is None else biased(*operands, bias, **how)


_TABLE = """
convolution(x, weight, bias=None, *, stride=1, pad=0, dilation=1, groups: int = 1, out=None): The
    sum of the cells under a window times weights, for every place, feature and image. The window is
    not flipped.
    x : array (images, channels, *space), one to three axes of space, floats
    weight : array (features, channels / groups, *window)
    bias : array (features,), optional
    stride, pad, dilation : int, or one for each axis of space: cells from place to place; zeros on
        both sides; cells from one element of the window to the next
    groups : int: channels and features are split into so many independent groups
    -> array (images, features, *places) of the promoted dtype: along each axis of n cells
        (n + 2 * pad - dilation * (window - 1) - 1) // stride + 1 places
    ! ShapeError where shapes do not fit, DTypeError for integers.
    >>> convolution(np.ones((1, 1, 4)), np.ones((1, 1, 3)), pad=1)
    array([[[2., 3., 3., 2.]]])
    = with_bias(_CONVOLUTION, BIASED, (x, weight), bias, out=out,
        **how_of("convolution", stride, pad, dilation, groups))
convolution_data(out_grad, weight, bias=None, *, size, stride=1, pad=0, dilation=1, groups: int = 1,
    out=None): The gradient of a convolution by its data, whose space has the shape `size`.
    = with_bias(_DATA, BIASED_DATA, (out_grad, weight), bias, out=out,
        size=whole_tuple("convolution_data", "size", size),
        **how_of("convolution_data", stride, pad, dilation, groups))
convolution_weights(x, out_grad, *, size: ints, stride=1, pad=0, dilation=1, groups: int = 1,
    out=None): The gradient of a convolution by its weights, whose window has the shape `size`.
    = _WEIGHTS(x, out_grad, out=out, size=whole_tuple("convolution_weights", "size", size),
        **how_of("convolution_weights", stride, pad, dilation, groups))
"""
define_rows(_TABLE, globals())
