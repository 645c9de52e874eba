"""Convolutions on GPUs: products of matrices over columns of cells, or a thread per result.

Columns have the shape (groups * channels * window, images, places), so each of the three
convolutions is one batched product of arrays in place. A thread per element of the result is faster
if groups are thin, or there is little work.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from nbgraph.dtype import compute_dtype
from nbgraph.operator.arrays import device_forms
from nbgraph.operator.spec import Spec
from nbgraph.ops.define import Shape, library
from nbgraph.ops.elementwise.arithmetic import add
from nbgraph.ops.gpu.columns import CELLS, COLUMNS
from nbgraph.ops.named.deconvolutions import BIASED as BIASED_DECONVOLUTION
from nbgraph.ops.named.deconvolutions import DECONVOLUTION, resolved
from nbgraph.ops.windows.convolution_shapes import How, Layer, layer_of, of_data, of_weights
from nbgraph.ops.windows.convolutions import (
    BIASED,
    BIASED_DATA,
    convolution,
    convolution_data,
    convolution_weights,
)

MOST_COLUMNS = 1 << 28  # bytes of columns at once; further images are done in parts
FEW = 1 << 25  # rough products that threads alone do in the time of two launches
THIN = 64  # pairs of channel and feature in a group, up to which a matrix product is inefficient


def _by_threads(layer: Layer) -> bool:
    """Return whether a thread computes each element of a result."""
    each = layer.channels * layer.features
    return each <= THIN or each * layer.windows.volume * _each(layer) <= FEW


def _each(layer: Layer) -> int:
    return layer.groups * layer.images * layer.windows.spots


# by other operators -----------------------------------------------------------------------------


def one_dtype(operands: Sequence[Any]) -> tuple[list[Any], bool]:
    """Return operands in the result's dtype, and whether they had it."""
    dtype = np.result_type(*(x.dtype for x in operands))
    same = all(x.dtype == dtype for x in operands)
    return [x if x.dtype == dtype else library.astype(x, dtype) for x in operands], same


def in_one_dtype(op: Any) -> None:
    """Register the form of an operator whose kernels need one dtype: operands are cast."""

    def cast_first(*operands: Any, **how: Any) -> Any:
        converted, same = one_dtype(operands)
        return None if same else op(*converted, **how)

    device_forms.composed(op)(cast_first)


def _parts(layer: Layer, itemsize: int) -> list[slice]:
    """Return slices of images whose columns are computed at once."""
    each = max(1, layer.groups * layer.rows * layer.windows.spots * itemsize)
    count = layer.images if layer.windows.plain else max(1, MOST_COLUMNS // each)
    return [slice(k, min(k + count, layer.images)) for k in range(0, layer.images, count)]


def _some(x: Any, part: slice, layer: Layer) -> Any:
    whole = part == slice(0, layer.images)
    return x if whole else library.slice_view(x, (part,))


def _joined(parts: Sequence[Any]) -> Any:
    return parts[0] if len(parts) == 1 else library.concatenate(parts, 0)


def _shaped(x: Any, layer: Layer, *rest: int) -> Any:
    """Return (images, channels, *space) with a separate axis of groups, and space as one axis."""
    return library.reshape(x, (x.shape[0], layer.groups, *rest))


def _columns(x: Any, layer: Layer) -> tuple[Any, str]:
    """Return the cells under windows, and the names of the axes."""
    windows = layer.windows
    if windows.plain:
        return _shaped(x, layer, layer.channels, windows.spots), "ngkp"
    columns = COLUMNS(x, windows=windows)
    shape = layer.groups, layer.rows, x.shape[0], windows.spots
    return library.reshape(columns, shape), "gknp"


def _weights(w: Any, layer: Layer) -> Any:
    return library.reshape(w, (layer.groups, layer.features, layer.rows))


def _with_bias(result: Any, bias: Sequence[Any], axes: int) -> Any:
    if not bias:
        return result
    return add(result, library.expand_dims(bias[0], tuple(range(1, axes + 1))))


@device_forms.composed(convolution, BIASED)
def convolved(*operands: Any, **how: Any) -> Any:
    """Return weights times columns."""
    (x, w, *bias), same = one_dtype(operands)
    layer = layer_of("convolution", x.shape, w.shape, How.of(how))
    if _by_threads(layer):
        return None if same else convolution(x, w, *bias, **how)
    groups = []
    for part in _parts(layer, x.dtype.itemsize):
        columns, names = _columns(_some(x, part, layer), layer)
        groups.append(library.einsum(f"gfk,{names}->ngfp", _weights(w, layer), columns))
    result = library.reshape(_joined(groups), layer.out)
    return _with_bias(result, bias, len(layer.windows.ins))


@device_forms.composed(convolution_data, BIASED_DATA)
def data_gradient(*operands: Any, size: Shape, **how: Any) -> Any:
    """Return columns of gradients, summed up cell by cell."""
    (g, w, *bias), same = one_dtype(operands)
    specs = [Spec(v.shape, v.dtype) for v in (g, w)]
    layer = of_data(specs, size, How.of(how))
    if _by_threads(layer):
        return None if same else convolution_data(g, w, *bias, size=size, **how)
    windows, groups = layer.windows, []
    names = "ngkp" if windows.plain else "gknp"
    for part in _parts(layer, g.dtype.itemsize):
        some = _shaped(_some(g, part, layer), layer, layer.features, windows.spots)
        columns = library.einsum(f"gfk,ngfp->{names}", _weights(w, layer), some)
        if windows.plain:
            groups.append(columns)
            continue
        rows = layer.groups * layer.rows, some.shape[0], windows.spots
        groups.append(CELLS(library.reshape(columns, rows), windows=windows))
    result = library.reshape(_joined(groups), layer.x)
    return _with_bias(result, bias, len(windows.ins))


@device_forms.composed(convolution_weights)
def weight_gradient(*operands: Any, size: Shape, **how: Any) -> Any:
    """Return gradients times columns, summed over places and images."""
    (x, g), same = one_dtype(operands)
    layer = of_weights([Spec(v.shape, v.dtype) for v in (x, g)], size, How.of(how))
    if _by_threads(layer):
        if layer.images > 1:
            # images as groups, whose weight gradients are then summed
            each = {**how, "size": size, "groups": layer.images * layer.groups}
            flat = (library.reshape(v, (1, v.shape[0] * v.shape[1], *v.shape[2:])) for v in (x, g))
            gradients = convolution_weights(*flat, **each)
            return library.sum(library.reshape(gradients, (layer.images, *layer.w)), axis=0)
        return None if same else convolution_weights(x, g, size=size, **how)
    parts, total = _parts(layer, x.dtype.itemsize), None
    for part in parts:
        columns, names = _columns(_some(x, part, layer), layer)
        some = _shaped(_some(g, part, layer), layer, layer.features, layer.windows.spots)
        partial = library.einsum(f"ngfp,{names}->gfk", some, columns)
        if len(parts) > 1:  # sums of sums are not rounded to 16 bits
            partial = library.astype(partial, np.dtype(compute_dtype(partial.dtype)))
        total = partial if total is None else add(total, partial)
    return library.reshape(total, layer.w)


@device_forms.composed(DECONVOLUTION, BIASED_DECONVOLUTION)
def deconvolved(data: Any, weight: Any, *bias: Any, **attributes: Any) -> Any:
    """Return a convolution's gradient by its data."""
    how = resolved(data.shape, weight.shape[2:], attributes)
    return convolution_data(data, weight, *bias, **how)
