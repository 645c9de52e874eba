"""MXNet's small operators of `contrib`, composed of the library's: a table."""

from __future__ import annotations

from typing import Any

import numpy as np

from nbgraph.errors import ShapeError
from nbgraph.ops.define import as_known, library, one_of, whole, whole_tuple
from nbgraph.ops.named.composites import several as several
from nbgraph.ops.named.layering import define_named
from nbgraph.ops.named.layering import named as named

_TABLE = """
quadratic(data, a=0.0, b=0.0, c=0.0): a * data**2 + b * data + c.
    >>> quadratic([1.0, 2.0], 1.0, 2.0, 3.0)
    array([ 6., 11.])
    = library.add(library.multiply(data, library.add(library.multiply(data, a), b)), c)
div_sqrt_dim(data): Divided by the root of the size of the last axis.
    >>> div_sqrt_dim([[2.0, 2.0, 2.0, 2.0]])
    array([[1., 1., 1., 1.]])
    = library.divide(data, as_known("div_sqrt_dim", data).shape[-1] ** 0.5)
index_copy(data, index, new): A copy in which these rows are others.
    data : array (rows, ...)
    index : array (n,): numbers of rows
    new : array (n, ...): what they become
    >>> index_copy([[1, 1], [2, 2]], [1], [[9, 9]])
    array([[1, 1],
           [9, 9]])
    = library.index_update(data, new, library.astype(index, "int64"), key=("array",))
boolean_mask(data, index, axis=0): The parts along an axis where an array is not 0.
    data : array
    index : array of the axis's size; it is waited for, as the shape of the result depends on it
    -> array, of another size along the axis
    >>> boolean_mask([1, 2, 3], [1, 0, 1])
    array([1, 3])
    = library.take(data, library.nonzero(index)[0], axis)
round_ste(data): The nearest whole number, with the gradient of data itself.
    >>> round_ste([0.4, 1.6])
    array([0., 2.])
    = straight(data, library.round(data))
sign_ste(data): The sign, with the gradient of data itself.
    >>> sign_ste([-0.5, 2.0])
    array([-1.,  1.])
    = straight(data, library.sign(data))
gradientmultiplier(data, scalar=1.0): The numbers as they are, whose gradient is multiplied.
    scalar : float, by which
    >>> gradientmultiplier([1.0], -1.0)
    array([1.])
    = straight(library.multiply(data, scalar), data)
arange_like(data, *, start=0.0, step=1.0, repeat=1, axis=None): Numbers in steps, as many as an
    array has elements, or along an axis.
    start, step : numbers
    repeat : int, how often each number stands
    axis : int, optional: its size is that of the result
    -> array of the shape of data, or a vector; of data's dtype; a constant for derivatives
    >>> arange_like([[5.0, 6.0, 7.0]], axis=1)
    array([0., 1., 2.])
    = counted(data, start, step, repeat, axis)
multi_sum_sq(*data, num_arrays=None): The sum of squares of each array.
    *data : arrays, or one list of them
    -> array of a number for each
    >>> multi_sum_sq([3.0, 4.0], [1.0])
    array([25.,  1.])
    = library.stack([library.sum(library.square(x)) for x in several(data)])
index_array(data, axes=None): The places of elements: of each its numbers along the axes.
    data : array, whose values do not matter
    axes : ints, or None for all axes
    -> array (*shape of data, axes) of int64; a constant for derivatives
    >>> index_array([[1, 1]]).tolist()
    [[[0, 0], [0, 1]]]
    = places(data, axes)
box_iou(lhs, rhs, *, format="corner"): How much boxes overlap: the area of what both have by that
    of what one of them has.
    lhs, rhs : arrays (..., 4): left, top, right and bottom; with "center" the centre's x and y,
        width and height
    format : "corner" or "center"
    -> array (axes of lhs before its last, axes of rhs before its last), 0 to 1
    ! ShapeError where a last axis does not have 4 numbers, ArgumentError for another format.
    >>> box_iou([[0.0, 0.0, 2.0, 2.0]], [[1.0, 0.0, 3.0, 2.0]]).round(4)
    array([[0.3333]])
    = overlaps(lhs, rhs, format)
interleaved_matmul_selfatt_qk(queries_keys_values, heads, *, name=None): Scores of self-attention
    (Vaswani et al., 2017): products of queries and keys, by the root of their size.
    queries_keys_values : array (steps, samples, heads * 3 * size): query, key, value of each head
    heads : int
    -> array (samples * heads, steps, steps)
    ! ShapeError where an operand's last axis does not divide.
    >>> import numpy as np
    >>> interleaved_matmul_selfatt_qk(np.ones((2, 1, 12)), heads=1)[0].tolist()
    [[2.0, 2.0], [2.0, 2.0]]
    = scores(head(queries_keys_values, heads, 3, 0), head(queries_keys_values, heads, 3, 1))
interleaved_matmul_selfatt_valatt(queries_keys_values, attention, heads, *, name=None): Values of
    self-attention, weighted.
    queries_keys_values : array (steps, samples, heads * 3 * size)
    attention : array (samples * heads, steps, steps): the weights
    heads : int
    -> array (steps, samples, heads * size)
    ! ShapeError where an operand's last axis does not divide.
    >>> import numpy as np
    >>> interleaved_matmul_selfatt_valatt(np.ones((2, 1, 3)), [[[0.5, 0.5]] * 2], heads=1).ravel()
    array([1., 1.])
    = weighted(attention, head(queries_keys_values, heads, 3, 2), heads)
interleaved_matmul_encdec_qk(queries, keys_values, heads, *, name=None): Scores of attention: as
    `interleaved_matmul_selfatt_qk`, with queries of another sequence.
    queries : array (steps, samples, heads * size)
    keys_values : array (other steps, samples, heads * 2 * size): key and value of each head
    heads : int
    -> array (samples * heads, steps, other steps)
    ! ShapeError where an operand's last axis does not divide.
    >>> import numpy as np
    >>> interleaved_matmul_encdec_qk(np.ones((1, 1, 4)), np.ones((2, 1, 8)), heads=1).ravel()
    array([2., 2.])
    = scores(head(queries, heads, 1, 0), head(keys_values, heads, 2, 0))
interleaved_matmul_encdec_valatt(keys_values, attention, heads, *, name=None): Values of attention,
    weighted.
    keys_values : array (other steps, samples, heads * 2 * size)
    attention : array (samples * heads, steps, other steps): the weights
    heads : int
    -> array (steps, samples, heads * size)
    ! ShapeError where an operand's last axis does not divide.
    >>> import numpy as np
    >>> interleaved_matmul_encdec_valatt(np.ones((2, 1, 2)), [[[0.5, 0.5]]], heads=1).ravel()
    array([1.])
    = weighted(attention, head(keys_values, heads, 2, 1), heads)
"""
_BY_SHAPE = (
    "div_sqrt_dim arange_like index_array box_iou interleaved_matmul_selfatt_qk "
    "interleaved_matmul_selfatt_valatt interleaved_matmul_encdec_qk "
    "interleaved_matmul_encdec_valatt"
).split()


def straight(slope: Any, value: Any) -> Any:
    """Return a value with the gradient of something else."""
    value = library.stop_gradient(value)
    nothing = library.replace_nan(
        library.subtract(slope, library.stop_gradient(slope)), 0
    )  # inf - inf is NaN
    return library.add(value, nothing)


def counted(data: Any, start: float, step: float, repeat: int, axis: int | None) -> Any:
    """Return numbers in steps, of the shape of data or along one of its axes."""
    data = as_known("arange_like", data)
    shape = data.shape if axis is None else (data.shape[axis],)
    numbers = start + step * (np.arange(np.prod(shape)).reshape(shape) // repeat)
    return library.add(library.zeros_like(data, shape=shape), numbers.astype(data.dtype))


def places(data: Any, axes: Any) -> Any:
    """Return the numbers of each element along axes."""
    data = as_known("index_array", data)
    rank = len(data.shape)
    chosen = range(rank) if axes is None else whole_tuple("index_array", "axes", axes)
    numbers = np.indices(data.shape, "int64")[list(chosen)]
    zeros = library.zeros_like(data, dtype="int64", shape=(*data.shape, len(chosen)))
    return library.add(zeros, np.moveaxis(numbers, 0, -1))


def overlaps(lhs: Any, rhs: Any, form: str) -> Any:
    """Return the overlap of each box of one array with each of the other."""
    one_of("box_iou", "format", form, ("corner", "center"))
    lhs, rhs = as_known("box_iou", lhs), as_known("box_iou", rhs)
    if lhs.shape[-1:] != (4,) or rhs.shape[-1:] != (4,):
        raise ShapeError(f"box_iou: lhs{lhs.shape}, rhs{rhs.shape}; expected (..., 4)")
    result = (*lhs.shape[:-1], *rhs.shape[:-1])
    spans = list[Any]()  # along x and y: where boxes begin and end
    for boxes, shape in ((lhs, (-1, 1, 4)), (rhs, (1, -1, 4))):
        boxes = library.reshape(boxes, shape)
        first, last = boxes[..., :2], boxes[..., 2:]
        if form == "center":
            half = library.multiply(last, 0.5)
            first, last = library.subtract(first, half), library.add(first, half)
        spans.append((first, last))
    (a, b), (c, d) = spans
    both = _area(library.maximum(a, c), library.minimum(b, d))
    either = library.subtract(library.add(_area(a, b), _area(c, d)), both)
    share = library.divide(both, library.where(library.greater(both, 0), either, 1))
    return library.reshape(share, result)


def _area(first: Any, last: Any) -> Any:
    return library.prod(library.maximum(library.subtract(last, first), 0), axis=-1)


def head(data: Any, heads: int, parts: int, part: int) -> Any:
    """Return a part of each head: (samples * heads, steps, size)."""
    name = "interleaved_matmul"
    data, heads = as_known(name, data), whole(name, "heads", heads)
    if len(data.shape) != 3 or heads < 1 or data.shape[2] % (heads * parts):
        raise ShapeError(
            f"{name}: an operand has shape {data.shape}, heads is {heads}; expected (steps, "
            f"samples, a multiple of {parts} * heads)"
        )
    steps, samples, width = data.shape
    size = width // heads // parts
    split = library.reshape(data, (steps, samples * heads, parts, size))
    return library.swapaxes(split[:, :, part], 0, 1)


def scores(queries: Any, keys: Any) -> Any:
    """Return products of queries and keys, by the root of their size."""
    return library.batch_dot(library.div_sqrt_dim(queries), keys, transpose_b=True)


def weighted(attention: Any, values: Any, heads: int) -> Any:
    """Return values, weighted, with the heads of a sample side by side again."""
    result = library.swapaxes(library.batch_dot(attention, values), 0, 1)
    return library.Reshape(result, (0, -1, heads * values.shape[2]))


define_named(_TABLE, globals(), _BY_SHAPE, ("index_copy",))
