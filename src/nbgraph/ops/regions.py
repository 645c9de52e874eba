"""Pooling over regions of interest: a simple operator of compiled functions.

Each region is divided into a grid of bins, each bin gives its maximum, as in Fast R-CNN. The loops
are compiled and run without the GIL.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from nbgraph.dtype import is_float
from nbgraph.errors import DTypeError, ShapeError
from nbgraph.kernels.handwritten import compiled
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
    """The first cell of bin i and the one after its last, within the data."""
    width = size / count
    first = start + math.floor(i * width)
    last = start + math.ceil((i + 1) * width)
    return min(max(first, 0), limit), min(max(last, 0), limit)


@compiled
def _nearest(value):
    """The nearest whole number, halves away from zero: C's round, as in Fast R-CNN."""
    return math.floor(value + 0.5) if value >= 0 else math.ceil(value - 0.5)


@compiled
def _peak(plane, roi, scale, bins, bin_):
    """Row and column of the largest value in a bin of a region; (-1, -1) where it is empty."""
    left, top = _nearest(roi[1] * scale), _nearest(roi[2] * scale)
    width = max(_nearest(roi[3] * scale) - left + 1, 1)
    height = max(_nearest(roi[4] * scale) - top + 1, 1)
    first_row, end_row = _cells(top, height, bins[0], bin_[0], plane.shape[0])
    first_column, end_column = _cells(left, width, bins[1], bin_[1], plane.shape[1])
    best = (-1, -1)
    for row in range(first_row, end_row):
        for column in range(first_column, end_column):
            if best[0] < 0 or plane[row, column] > plane[best]:
                best = (row, column)
    return best


@compiled
def _image(rois, i, images):
    """The image a region lies in."""
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
    """Each bin's gradient goes to its largest cell; regions have none."""
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


roi_pooling = (
    register_simple_op(_NAME, operands=("data", "rois"))
    .set_enable_kwargs(RoiPoolingParam)
    .set_shape_function(_shape)
    .set_type_function(_dtype)
    .set_function("cpu", _forward)
    .set_gradient("cpu", _gradient)
    .describe(
        """The maximum of each bin of each region, shape (regions, channels, rows, columns).

        `data` has shape (images, channels, height, width). A row of `rois` is the number of an
        image and a region's first and last corner, x1, y1, x2, y2, in units that `spatial_scale`
        converts to cells. An empty bin gives 0.

        >>> import numpy as np, nbgraph as ng
        >>> data = np.arange(16.0).reshape(1, 1, 4, 4)
        >>> ng.roi_pooling(data, [[0, 0, 0, 3, 3]], pooled_size=(2, 2))[0, 0]
        array([[ 5.,  7.],
               [13., 15.]])
        """
    )
)
