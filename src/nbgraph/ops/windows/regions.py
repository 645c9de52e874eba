"""Pooling over regions of interest: a simple operator of compiled functions, for both devices.

Each region is divided into a grid of bins, each bin gives its maximum, as in Fast R-CNN. The loops
are compiled and run without the GIL. On a GPU a thread computes a bin, or in the gradient a cell of
the data, which collects from the bins whose maximum it is: in the order of the host's loops, so
that both have the same bits.
"""

import math
from typing import Any

import numpy as np

from nbgraph.dtype import is_float
from nbgraph.errors import DTypeError, ShapeError
from nbgraph.kernels.compiler.handwritten import compiled, thread_kernel
from nbgraph.operator.environment import EnvArguments
from nbgraph.operator.parameters import Param, field
from nbgraph.operator.request import kAddTo, kNullOp
from nbgraph.operator.simple import register_simple_op

_NAME = "roi_pooling"
_NULL, _ADD = int(kNullOp), int(kAddTo)


class RoiPoolingParam(Param):
    """Parameters of roi_pooling."""

    pooled_size: tuple[int, int] = field(lower=1, doc="Rows and columns of bins.")
    spatial_scale: float = field(1.0, lower=0.0, doc="Cells of data per unit of the regions.")


def _shape(data: tuple[int, ...], rois: tuple[int, ...], env: EnvArguments) -> tuple[int, ...]:
    if len(data) != 4 or len(rois) != 2 or rois[1] != 5:
        raise ShapeError(
            f"{_NAME}: data{data} and rois{rois}; expected data (images, channels, height, width) "
            "and rois (regions, 5): image, x1, y1, x2, y2"
        )
    return (rois[0], data[1], *env.kwargs.pooled_size)


def _dtype(data: np.dtype[Any], rois: np.dtype[Any], env: EnvArguments) -> np.dtype[Any]:
    if data.itemsize < 4 and is_float(data):
        raise DTypeError(f"{_NAME}: data has dtype {data}; compiled loops take float32: use astype")
    return data


@compiled
def _cells(start, size, count, i, limit):
    """Return the first cell of bin i and the one after its last, within the data."""
    width = size / count
    first = start + math.floor(i * width)
    last = start + math.ceil((i + 1) * width)
    return min(max(first, 0), limit), min(max(last, 0), limit)


@compiled
def _nearest(value):
    """Return the nearest integer, halves away from zero: C's round, as in Fast R-CNN."""
    return math.floor(value + 0.5) if value >= 0 else math.ceil(value - 0.5)


@compiled
def _span(roi, scale, bins, axis, i, limit):
    """Return the rows (axis 0) or columns of bin i of a region."""
    first = _nearest(roi[2 - axis] * scale)
    return _cells(first, max(_nearest(roi[4 - axis] * scale) - first + 1, 1), bins[axis], i, limit)


@compiled
def _peak(plane, roi, scale, bins, bin_):
    """Return row and column of the largest value in a bin of a region; (-1, -1) if it is empty."""
    first_row, end_row = _span(roi, scale, bins, 0, bin_[0], plane.shape[0])
    first_column, end_column = _span(roi, scale, bins, 1, bin_[1], plane.shape[1])
    best = (-1, -1)
    for row in range(first_row, end_row):
        for column in range(first_column, end_column):
            if best[0] < 0 or plane[row, column] > plane[best]:
                best = (row, column)
    return best


@compiled
def _image(rois, i, images):
    """Return the index of a region's image."""
    image = int(rois[i, 0])
    if image < 0 or image >= images:
        raise IndexError("roi_pooling: a region's image (column 0 of rois) is not in data")
    return image


@compiled
def _forward(lhs, rhs, ret, pooled_size, spatial_scale, req):
    for i in range(rhs.shape[0]):
        image = _image(rhs, i, lhs.shape[0])
        for channel in range(lhs.shape[1]):
            plane = lhs[image, channel]
            for y in range(pooled_size[0]):
                for x in range(pooled_size[1]):
                    at = _peak(plane, rhs[i], spatial_scale, pooled_size, (y, x))
                    value = plane[at] if at[0] >= 0 else lhs.dtype.type(0)
                    ret[i, channel, y, x] = ret[i, channel, y, x] + value if req == _ADD else value


@compiled
def _gradient(out_grad, lhs, rhs, lhs_grad, rhs_grad, pooled_size, spatial_scale, req_lhs, req_rhs):
    """Pass each bin's gradient to its largest cell; regions have none."""
    if req_rhs not in (_NULL, _ADD):
        rhs_grad[:] = 0
    if req_lhs == _NULL:
        return
    if req_lhs != _ADD:
        lhs_grad[:] = 0
    for i in range(rhs.shape[0]):
        image = _image(rhs, i, lhs.shape[0])
        for channel in range(lhs.shape[1]):
            plane = lhs[image, channel]
            for y in range(pooled_size[0]):
                for x in range(pooled_size[1]):
                    at = _peak(plane, rhs[i], spatial_scale, pooled_size, (y, x))
                    if at[0] >= 0:
                        lhs_grad[image, channel, at[0], at[1]] += out_grad[i, channel, y, x]


@thread_kernel
def _bins(lhs, rhs, ret, pooled_size, spatial_scale, req, start, step):
    """Compute a thread's bins. A region with an invalid image gives NaN."""
    channels, rows, columns = ret.shape[1], pooled_size[0], pooled_size[1]
    for k in range(start, ret.size, step):
        x, y = k % columns, k // columns % rows
        channel, i = k // (columns * rows) % channels, k // (columns * rows * channels)
        image = int(rhs[i, 0])
        if image < 0 or image >= lhs.shape[0]:
            ret[i, channel, y, x] = math.nan
            continue
        plane = lhs[image, channel]
        at = _peak(plane, rhs[i], spatial_scale, pooled_size, (y, x))
        if req != _ADD:
            ret[i, channel, y, x] = 0
        if at[0] >= 0:
            ret[i, channel, y, x] += plane[at]


@compiled
def _collect(out_grad, lhs, roi, i, scale, bins, grad, place):
    """Add the contributions of the bins of region i to the gradient of a cell."""
    image, channel, row, column = place
    plane = lhs[image, channel]
    for y in range(bins[0]):
        first_row, end_row = _span(roi, scale, bins, 0, y, plane.shape[0])
        if row < first_row or row >= end_row:
            continue
        for x in range(bins[1]):
            first_column, end_column = _span(roi, scale, bins, 1, x, plane.shape[1])
            if column < first_column or column >= end_column:
                continue
            at = _peak(plane, roi, scale, bins, (y, x))
            if at[0] == row and at[1] == column:
                grad[place] += out_grad[i, channel, y, x]


@thread_kernel
def _cell_gradients(  # noqa: PLR0917  the parameters of a kernel
    out_grad,
    lhs,
    rhs,
    lhs_grad,
    rhs_grad,
    pooled_size,
    spatial_scale,
    req_lhs,
    req_rhs,
    start,
    step,
):
    """Compute the gradients of a thread's cells; regions have none."""
    if req_rhs not in (_NULL, _ADD):
        for k in range(start, rhs_grad.size, step):
            rhs_grad[k // 5, k % 5] = 0
    if req_lhs == _NULL:
        return
    channels, rows, columns = lhs.shape[1], lhs.shape[2], lhs.shape[3]
    for k in range(start, lhs.size, step):
        column, row = k % columns, k // columns % rows
        channel, image = k // (columns * rows) % channels, k // (columns * rows * channels)
        if req_lhs != _ADD:
            lhs_grad[image, channel, row, column] = 0
        for i in range(rhs.shape[0]):
            if int(rhs[i, 0]) == image:
                place = image, channel, row, column
                _collect(out_grad, lhs, rhs[i], i, spatial_scale, pooled_size, lhs_grad, place)


roi_pooling = (
    register_simple_op(_NAME, operands=("data", "rois"))
    .set_enable_kwargs(RoiPoolingParam)
    .set_shape_function(_shape)
    .set_type_function(_dtype)
    .set_function("cpu", _forward)
    .set_gradient("cpu", _gradient)
    .set_function("gpu", _bins)
    .set_gradient("gpu", _cell_gradients)
    .describe(
        """The maximum of each bin of each region, shape (regions, channels, rows, columns).

        `data` has shape (images, channels, height, width). A row of `rois` is the number of an
        image and a region's first and last corner, x1, y1, x2, y2, in units that `spatial_scale`
        converts to cells. An empty bin gives 0. An image that is not there is an IndexError; on a
        GPU it gives NaN.

        >>> import numpy as np, nbgraph as ng
        >>> data = np.arange(16.0).reshape(1, 1, 4, 4)
        >>> ng.roi_pooling(data, [[0, 0, 0, 3, 3]], pooled_size=(2, 2))[0, 0]
        array([[ 5.,  7.],
               [13., 15.]])
        """
    )
)
