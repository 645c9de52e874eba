"""Cells under windows as columns of matrices, and back: im2col and col2im, as MXNet names them.

They are each other's gradients, so derivatives of every order exist.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from nbgraph.errors import ShapeError
from nbgraph.operator.arrays.array_op import ArrayOp, Gradients, Spec
from nbgraph.ops.define import Shape, define_rows
from nbgraph.ops.windows.windows import Windows, convolved, per_axis, require_space, spelled
from nbgraph.shape import Array, Arrays


def into_columns(x: Array, windows: Windows, out: Array) -> None:
    """Write the cells under windows to an array (channels, window, images, *places)."""
    padded = windows.padded(x)
    for k, at in enumerate(windows.offsets()):
        out[:, k] = np.swapaxes(padded[windows.under(at)], 0, 1)


def into_cells(columns: Array, windows: Windows, out: Array) -> None:
    """Sum up such an array over its source cells: (images, channels, *space)."""
    cells = windows.padded(np.zeros_like(out))
    for k, at in enumerate(windows.offsets()):
        cells[windows.under(at)] += np.swapaxes(columns[:, k], 0, 1)
    out[...] = cells[windows.inside()]


def windows_of(
    name: str, space: Shape, *, kernel: Any, stride: Any, dilate: Any, pad: Any
) -> Windows:
    """Return windows over data of this space; ShapeError if none fits."""
    each = zip(("kernel", "stride", "pad", "dilate"), (kernel, stride, pad, dilate), strict=True)
    return convolved(name, space, *(spelled(name, label, v, len(space)) for label, v in each))


def _columns_infer(data: Spec, **how: Any) -> Spec:
    require_space("im2col", "data", data.shape)
    windows = windows_of("im2col", data.shape[2:], **how)
    return Spec((data.shape[0], data.shape[1] * windows.volume, windows.spots), data.dtype)


def _columns(inputs: Arrays, outputs: Arrays, **how: Any) -> None:
    (data,), (out,) = inputs, outputs
    windows = windows_of("im2col", data.shape[2:], **how)
    parts = out.reshape(len(data), data.shape[1], windows.volume, *windows.outs)
    into_columns(data, windows, np.moveaxis(parts, 0, 2))


def _cells_infer(data: Spec, *, output_size: Shape, **how: Any) -> Spec:
    windows = windows_of("col2im", output_size, **how)
    if len(data.shape) != 3 or data.shape[1] % windows.volume or data.shape[2] != windows.spots:
        raise ShapeError(
            f"col2im: data has shape {data.shape}; expected (images, channels * {windows.volume}, "
            f"{windows.spots}) for output_size={output_size}"
        )
    return Spec((data.shape[0], data.shape[1] // windows.volume, *output_size), data.dtype)


def _cells(inputs: Arrays, outputs: Arrays, *, output_size: Shape, **how: Any) -> None:
    (data,), (out,) = inputs, outputs
    windows = windows_of("col2im", output_size, **how)
    parts = data.reshape(len(data), out.shape[1], windows.volume, *windows.outs)
    into_cells(np.moveaxis(parts, 0, 2), windows, out)


def _columns_rule(g: Gradients) -> Sequence[Any]:
    return [_CELLS(g.out_grad, output_size=g.specs[0].shape[2:], **g.attributes)]


def _cells_rule(g: Gradients) -> Sequence[Any]:
    how = {name: value for name, value in g.attributes.items() if name != "output_size"}
    return [_COLUMNS(g.out_grad, **how)]


_COLUMNS = ArrayOp("im2col", _columns_infer, _columns, gradient=_columns_rule, operands=("data",))
_CELLS = ArrayOp("col2im", _cells_infer, _cells, gradient=_cells_rule, operands=("data",))


def options_of(name: str, kernel: Any, stride: Any, dilate: Any, pad: Any) -> dict[str, Any]:
    """Return the properties of windows as attributes."""
    return {
        "kernel": per_axis(name, "kernel", kernel, 1),
        "stride": per_axis(name, "stride", stride, 1),
        "dilate": per_axis(name, "dilate", dilate, 1),
        "pad": per_axis(name, "pad", pad, 0),
    }


_TABLE = """
col2im(data, output_size, kernel, stride=1, dilate=1, pad=0, *, out=None): Columns summed at the
    cells that `im2col` reads.
    data : array (images, channels * elements of the window, places)
    output_size : extents of space of the result
    kernel, stride, dilate, pad : as those of `im2col`
    -> array (images, channels, *output_size)
    ! ShapeError where data does not have the places of such a space.
    >>> col2im(np.ones((1, 2, 3)), output_size=(4,), kernel=2)
    array([[[1., 2., 2., 1.]]])
    = _CELLS(data, out=out, output_size=whole_tuple("col2im", "output_size", per_axis("col2im",
        "output_size", output_size, 1)), **options_of("col2im", kernel, stride, dilate, pad))
im2col(data, kernel, stride=1, dilate=1, pad=0, *, out=None): The cells under a window at each
    place, as a column.
    data : array (images, channels, *space), one to three axes of space
    kernel, stride, dilate, pad : int, or one for each axis of space: elements of the window; cells
        from place to place; from one element to the next; of zeros around the data
    -> array (images, channels * elements of the window, places): of a convolution the product with
        weights (features, channels * elements) is the result
    ! ShapeError where the window does not fit.
    >>> im2col(np.arange(4.0).reshape(1, 1, 4), kernel=2)
    array([[[0., 1., 2.],
            [1., 2., 3.]]])
    = _COLUMNS(data, out=out, **options_of("im2col", kernel, stride, dilate, pad))
"""
define_rows(_TABLE, globals())
