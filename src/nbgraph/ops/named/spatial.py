"""MXNet's operators over maps and their coordinates, composed of the library's: a table.

Grids to sample at (Jaderberg et al., Spatial Transformer Networks, 2015), the correlation of two
maps (Dosovitskiy et al., FlowNet, 2015), and maps of other sizes.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from nbgraph.errors import ArgumentError, ShapeError
from nbgraph.ops.define import as_known, library, one_of, whole_tuple
from nbgraph.ops.named.calls import define_named
from nbgraph.ops.named.calls import named as named

_TABLE = """
GridGenerator(data, transform_type="affine", target_shape=(0, 0), *, name=None): Sampling positions,
    from -1 to 1 along the axes of a map.
    data : "affine": array (images, 6), each a matrix of 2 rows for (x, y, 1) of the results;
        "warp": array (images, 2, height, width), how many cells to go along x and y
    transform_type : "affine" or "warp"
    target_shape : (height, width) of the results, for "affine"
    -> array (images, 2, height, width): x, then y
    ! ArgumentError for another `transform_type`, ShapeError where data does not fit.
    >>> GridGenerator([[1.0, 0, 0, 0, 1, 0]], "affine", (1, 3))[0, 0]
    array([[-1.,  0.,  1.]])
    = grid(data, transform_type, target_shape)
BilinearSampler(data, grid, *, cudnn_off=None, name=None): A map interpolated bilinearly at the
    positions of a grid; 0 beyond the map.
    data : array (images, channels, height, width)
    grid : array (images, 2, rows, columns): x and y from -1 to 1, as of `GridGenerator`
    -> array (images, channels, rows, columns); gradients flow to both
    ! ShapeError where shapes do not fit.
    >>> import numpy as np
    >>> BilinearSampler(np.array([[[[1.0, 3.0]]]]), np.array([[[[0.0]], [[0.0]]]])).ravel()
    array([2.])
    = sampled(data, grid)
SpatialTransformer(data, loc, *, target_shape=(0, 0), transform_type="affine",
    sampler_type="bilinear", cudnn_off=None, name=None): `BilinearSampler` at the places of affine
    maps.
    data : array (images, channels, height, width)
    loc : array (images, 6): the affine maps
    target_shape : (height, width) of the results
    -> array (images, channels, height, width)
    >>> import numpy as np
    >>> one = [[1.0, 0, 0, 0, 1, 0]]
    >>> SpatialTransformer(np.array([[[[1.0, 3.0]]]]), one, target_shape=(1, 3)).ravel()
    array([1., 2., 3.])
    = transformed(data, loc, target_shape, transform_type, sampler_type)
Correlation(data1, data2, *, kernel_size=1, max_displacement=1, stride1=1, stride2=1, pad_size=0,
    is_multiply=True, name=None): The correlation of patches of two maps, for each displacement.
    data1, data2 : arrays (images, channels, height, width) of one shape
    kernel_size : int, odd, cells of a patch along each axis
    max_displacement, stride2 : ints, how far patches of data2 are displaced, and by which steps
    stride1 : int, steps between patches of data1
    pad_size : int, cells of 0 around the maps
    is_multiply : whether to multiply numbers; else to take their absolute difference
    -> array (images, displacements, rows, columns): means over patch and channels
    ! ShapeError, ArgumentError where these do not fit.
    >>> import numpy as np
    >>> x = np.arange(4.0).reshape(1, 1, 2, 2)
    >>> Correlation(x, x, max_displacement=0).ravel()
    array([0., 1., 4., 9.])
    = correlated(data1, data2, kernel_size, max_displacement, stride1, stride2, pad_size,
        is_multiply)
BilinearResize2D(data, like=None, *, height=None, width=None, scale_height=None, scale_width=None,
    mode="size", align_corners=True, name=None): Maps resized by bilinear interpolation.
    data : array (images, channels, height, width)
    like : array, optional: with "like" its height and width are the new sizes
    height, width : ints, the new sizes
    scale_height, scale_width : floats, the new sizes as multiples of the old ones, instead
    mode : "size", "like"; "odd_scale": odd sizes are multiplied without their last cell;
        "to_even_down", "to_even_up", "to_odd_down", "to_odd_up": a cell less or more where needed
    align_corners : whether the centres of the outer cells stay where they are; else their borders
    -> array (images, channels, height, width)
    >>> import numpy as np
    >>> BilinearResize2D(np.array([[[[1.0, 3.0]]]]), height=1, width=3).ravel()
    array([1., 2., 3.])
    = resized(data, like, (height, width), (scale_height, scale_width), mode, align_corners)
"""
_BY_SHAPE = (
    "GridGenerator BilinearSampler SpatialTransformer Correlation BilinearResize2D"
).split()

_MODES = ("size", "like", "odd_scale", "to_even_down", "to_even_up", "to_odd_down", "to_odd_up")


def new_size(old: int, size: int | None, scale: float | None, mode: str) -> int:
    """Return the size of an axis of space after a resize."""
    if mode.startswith("to_"):
        even, up = "even" in mode, mode.endswith("up")
        return old if old % 2 != even else old + (1 if up else -1)
    if scale is None:
        return size or 1
    odd = mode == "odd_scale" and old % 2
    return int((old - odd) * scale) + odd


def resized(data: Any, like: Any, sizes: Any, scales: Any, mode: str, align: bool) -> Any:
    """Return maps of another size, by a matrix for each axis."""
    name = "BilinearResize2D"
    one_of(name, "mode", mode, _MODES)
    data = as_known(name, data)
    if mode == "like":
        sizes, scales = as_known(name, like).shape[2:], (None, None)
    if len(data.shape) != 4 or len(sizes) != 2:
        raise ShapeError(f"{name}: data has shape {data.shape}; expected 4 axes")
    for axis, size, scale in zip((2, 3), sizes, scales, strict=True):
        old = data.shape[axis]
        new = new_size(old, size, scale if size is None else None, mode)
        step = (old - 1) / max(new - 1, 1) if align else old / new
        at = np.arange(new) * step if align else np.maximum((np.arange(new) + 0.5) * step - 0.5, 0)
        near = np.abs(np.minimum(at, old - 1) - np.arange(old)[:, None])
        weights = np.maximum(1 - near, 0).astype(data.dtype)
        data = library.moveaxis(library.tensordot(data, weights, axes=((axis,), (0,))), -1, axis)
    return data


def grid(data: Any, kind: str, target: Any) -> Any:
    """Return coordinates to sample at, from affine maps or from flows."""
    name = "GridGenerator"
    one_of(name, "transform_type", kind, ("affine", "warp"))
    data = as_known(name, data)
    if kind == "warp":
        if len(data.shape) != 4 or data.shape[1] != 2:
            raise ShapeError(
                f"{name}: data has shape {data.shape}; expected (images, 2, rows, columns)"
            )
        rows, columns = data.shape[2:]
        half = np.array([[[max(n - 1, 1)]] for n in (columns, rows)], data.dtype) / 2
        cells = np.stack(np.meshgrid(np.arange(columns), np.arange(rows)))
        flow = library.divide(library.add(data, cells.astype(data.dtype)), half)
        return library.subtract(flow, 1)
    rows, columns = whole_tuple(name, "target_shape", target)
    if len(data.shape) != 2 or data.shape[1] != 6 or min(rows, columns) < 1:
        raise ShapeError(
            f"{name}: data has shape {data.shape}, target_shape is {(rows, columns)}; expected "
            "(images, 6), and the rows and columns of the results"
        )
    x, y = np.meshgrid(np.linspace(-1, 1, columns), np.linspace(-1, 1, rows))
    base = np.stack([x, y, np.ones_like(x)]).reshape(3, -1).astype(data.dtype)
    maps = library.reshape(data, (data.shape[0], 2, 3))
    return library.reshape(library.matmul(maps, base), (data.shape[0], 2, rows, columns))


def sampled(data: Any, places: Any) -> Any:
    """Return maps sampled at the coordinates of a grid."""
    name = "BilinearSampler"
    data, places = as_known(name, data), as_known(name, places)
    shape, (images, *rest) = data.shape, places.shape
    if len(shape) != 4 or len(rest) != 3 or images != shape[0] or rest[0] != 2:
        raise ShapeError(
            f"{name}: data has shape {shape}, grid {places.shape}; expected (images, channels, "
            "height, width) and (images, 2, rows, columns)"
        )
    _, channels, height, width = shape
    count = rest[1] * rest[2]
    half = np.array([[[width - 1]], [[height - 1]]], places.dtype) / 2
    cells = library.multiply(library.add(places, 1), half)
    cells = library.reshape(cells, (images, 2, count))
    first = library.floor(cells)
    share, flat = library.subtract(cells, first), library.reshape(data, (images, channels, -1))
    limits = np.array([width, height], places.dtype).reshape(2, 1)
    total: Any = 0
    for step in np.ndindex(2, 2):
        at = library.add(library.stop_gradient(first), np.array(step, places.dtype).reshape(2, 1))
        inside = library.logical_and(library.greater_equal(at, 0), library.less(at, limits))
        weight = library.where(
            np.array(step, bool).reshape(2, 1), share, library.subtract(1, share)
        )
        weight = library.prod(library.where(inside, weight, 0), axis=1, keepdims=True)
        at = library.astype(library.where(inside, at, 0), "int64")
        number = library.sum(library.multiply(at, np.array([[1], [width]])), axis=1, keepdims=True)
        number = library.broadcast_to(number, (images, channels, count))
        total = library.add(
            total, library.multiply(library.take_along_axis(flat, number, 2), weight)
        )
    return library.reshape(total, (images, channels, *rest[1:]))


def transformed(data: Any, loc: Any, target: Any, kind: str, sampler: str) -> Any:
    """Return maps sampled at the grid of affine maps."""
    one_of("SpatialTransformer", "transform_type", kind, ("affine",))
    one_of("SpatialTransformer", "sampler_type", sampler, ("bilinear",))
    return sampled(data, grid(loc, kind, target))


def correlated(
    one: Any, other: Any, size: int, far: int, stride1: int, stride2: int, pad: int, product: bool
) -> Any:
    """Return means over patches, a channel per displacement."""
    name = "Correlation"
    one, other = as_known(name, one), as_known(name, other)
    if len(one.shape) != 4 or one.shape != other.shape:
        raise ShapeError(
            f"{name}: data1 has shape {one.shape}, data2 {other.shape}; expected one shape"
        )
    border = far + (size - 1) // 2
    ends = [n + 2 * pad - 2 * border for n in one.shape[2:]]
    if size % 2 == 0 or min(stride1, stride2) < 1 or min(ends) < 1:
        raise ArgumentError(
            f"{name}: kernel_size={size}, max_displacement={far}, stride1={stride1}, "
            f"stride2={stride2}, pad_size={pad} do not fit maps of {one.shape[2:]}; expected an "
            "odd kernel within them"
        )
    spans = [(-(-n // stride1) - 1) * stride1 + size for n in ends]
    widths = ((0, 0), (0, 0), (pad, pad), (pad, pad))
    one, other = library.pad(one, widths), library.pad(other, widths)

    def part(x: Any, *steps: int) -> Any:
        for axis, (step, span) in enumerate(zip(steps, spans, strict=True), 2):
            x = library.slice_axis(x, axis, far + step, far + step + span)
        return x

    reach = far // stride2
    results = list[Any]()
    for down, right in np.ndindex(2 * reach + 1, 2 * reach + 1):
        there = part(other, (down - reach) * stride2, (right - reach) * stride2)
        each = library.multiply(part(one, 0, 0), there)
        if not product:
            each = library.absolute(library.subtract(part(one, 0, 0), there))
        each = library.mean(each, axis=1, keepdims=True)
        results.append(library.avg_pooling(each, (size, size), stride=(stride1, stride1)))
    return library.concatenate(results, 1)


define_named(_TABLE, globals(), _BY_SHAPE)
