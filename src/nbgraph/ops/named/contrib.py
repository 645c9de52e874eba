"""MXNet's small operators of `contrib`, composed of the library's: a table."""

import importlib
from typing import Any

import numpy as np

from nbgraph.errors import ShapeError
from nbgraph.operator.call import carrier_of
from nbgraph.ops.define import as_known, library, one_of, whole, whole_tuple
from nbgraph.ops.named.calls import define_named
from nbgraph.ops.named.calls import named as named
from nbgraph.ops.named.composites import several as several

_TABLE = """
quadratic(data, a=0.0, b=0.0, c=0.0): a * data**2 + b * data + c.
    >>> quadratic([1.0, 2.0], 1.0, 2.0, 3.0)
    array([ 6., 11.])
    = library.add(library.multiply(data, library.add(library.multiply(data, a), b)), c)
div_sqrt_dim(data): Divided by the root of the size of the last axis.
    >>> div_sqrt_dim([[2.0, 2.0, 2.0, 2.0]])
    array([[1., 1., 1., 1.]])
    = library.divide(data, as_known("div_sqrt_dim", data).shape[-1] ** 0.5)
index_copy(data, index, new): A copy of `data` with some rows replaced.
    data : array (rows, ...)
    index : array (n,): indices of these rows
    new : array (n, ...): the new rows
    >>> index_copy([[1, 1], [2, 2]], [1], [[9, 9]])
    array([[1, 1],
           [9, 9]])
    = library.index_update(data, new, library.astype(index, "int64"), key=("array",))
boolean_mask(data, index, axis=0): The slices of `data` along an axis where `index` is not 0.
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
gradientmultiplier(data, scalar=1.0): `data` unchanged, with its gradient multiplied by `scalar`.
    scalar : float
    >>> gradientmultiplier([1.0], -1.0)
    array([1.])
    = straight(library.multiply(data, scalar), data)
arange_like(data, *, start=0.0, step=1.0, repeat=1, axis=None): Numbers in steps, as many as an
    array has elements, or along an axis.
    start, step : numbers
    repeat : int, how often each number is repeated
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
index_array(data, axes=None): The index of each element along the axes.
    data : array, whose values are not read
    axes : ints, or None for all axes
    -> array (*shape of data, axes) of int64; a constant for derivatives
    >>> index_array([[1, 1]]).tolist()
    [[[0, 0], [0, 1]]]
    = places(data, axes)
box_iou(lhs, rhs, *, format="corner"): Overlaps of boxes: the area of their intersection divided by
    that of their union.
    lhs, rhs : arrays (..., 4): left, top, right and bottom; with "center" the centre's x and y,
        width and height
    format : "corner" or "center"
    -> array (axes of lhs before its last, axes of rhs before its last), 0 to 1
    ! ShapeError where a last axis does not have 4 numbers, ArgumentError for another format.
    >>> box_iou([[0.0, 0.0, 2.0, 2.0]], [[1.0, 0.0, 3.0, 2.0]]).round(4)
    array([[0.3333]])
    = overlaps(lhs, rhs, format)
box_nms(data, overlap_thresh=0.5, valid_thresh=0.0, topk=-1, coord_start=2, score_index=1,
    id_index=-1, background_id=-1, force_suppress=False, in_format="corner", out_format="corner"):
    Non-maximum suppression: boxes that do not overlap much with a box of a higher score that stays.
    data : array (..., boxes, numbers): the numbers of a box: score, class, from coord_start its
        corners
    overlap_thresh : float: more overlap suppresses a box
    valid_thresh : float: boxes of no higher score are left out, as are those of background_id
    topk : int: how many boxes compete; -1 for all
    id_index : int: index of the class; boxes of other classes do not compete unless force_suppress
    in_format, out_format : "corner", or "center" for the centre's x and y, width and height
    -> array of the shape of data: the boxes that stay, by score, then -1
    ! ShapeError if boxes do not have all these numbers, ArgumentError for another format.
    >>> boxes = [[0.5, 0, 0, 2, 2], [0.9, 0, 0, 2, 2], [0.4, 5, 5, 6, 6]]
    >>> box_nms(boxes, coord_start=1, score_index=0)[:, 0]
    array([ 0.9,  0.4, -1. ])
    = unsuppressed(data, (coord_start, score_index, id_index), (overlap_thresh, valid_thresh, topk,
        background_id, force_suppress), in_format, out_format)
MultiBoxPrior(data, sizes=(1.0,), ratios=(1.0,), clip=False, steps=(-1.0, -1.0),
    offsets=(0.5, 0.5)): Boxes around each cell of a map (Liu et al., 2016): of all sizes with the
    first ratio, and of the first size with the others.
    data : array (samples, channels, height, width), whose values do not matter
    sizes, ratios : floats: height as a share of the picture's; width by height
    clip : bool, whether boxes are clipped to the picture
    steps, offsets : floats of y and x: from cell to cell, and to the first centre, in steps
    -> array (1, boxes, 4); a constant for derivatives
    >>> import numpy as np
    >>> MultiBoxPrior(np.zeros((1, 1, 1, 1)), sizes=(0.5,))
    array([[[0.25, 0.25, 0.75, 0.75]]])
    = priors(data, sizes, ratios, clip, steps, offsets)
interleaved_matmul_selfatt_qk(queries_keys_values, heads, *, name=None): Scores of self-attention
    (Vaswani et al., 2017): products of queries and keys, divided by the root of their size.
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
    "div_sqrt_dim arange_like index_array box_iou box_nms MultiBoxPrior "
    "interleaved_matmul_selfatt_qk interleaved_matmul_selfatt_valatt "
    "interleaved_matmul_encdec_qk interleaved_matmul_encdec_valatt"
).split()


def straight(slope: Any, value: Any) -> Any:
    """Return a value with the gradient of another one."""
    value = library.stop_gradient(value)
    nothing = library.replace_nan(
        library.subtract(slope, library.stop_gradient(slope)), 0
    )  # inf - inf is NaN
    return library.add(value, nothing)


def counted(data: Any, start: float, step: float, repeat: int, axis: int | None) -> Any:
    """Return an arithmetic sequence, of the shape of data or along one of its axes."""
    data = as_known("arange_like", data)
    shape = data.shape if axis is None else (data.shape[axis],)
    numbers = start + step * (np.arange(np.prod(shape)).reshape(shape) // repeat)
    return library.add(library.zeros_like(data, shape=shape), numbers.astype(data.dtype))


def places(data: Any, axes: Any) -> Any:
    """Return the index of each element along axes."""
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
    lhs, rhs = library.reshape(lhs, (-1, 1, 4)), library.reshape(rhs, (1, -1, 4))
    return library.reshape(_shares(corners(lhs, form), corners(rhs, form)), result)


def corners(boxes: Any, form: str) -> tuple[Any, Any]:
    """Return where boxes begin and end, along x and y."""
    first, last = boxes[..., :2], boxes[..., 2:]
    if form == "corner":
        return first, last
    half = library.multiply(last, 0.5)
    return library.subtract(first, half), library.add(first, half)


def _shares(lhs: tuple[Any, Any], rhs: tuple[Any, Any]) -> Any:
    (a, b), (c, d) = lhs, rhs
    both = _area(library.maximum(a, c), library.minimum(b, d))
    either = library.subtract(library.add(_area(a, b), _area(c, d)), both)
    return library.divide(both, library.where(library.greater(both, 0), either, 1))


def _area(first: Any, last: Any) -> Any:
    return library.prod(library.maximum(library.subtract(last, first), 0), axis=-1)


def _suppress(alive: Any, part: Any) -> tuple[Any, None]:
    """Let one box suppress those that it overlaps, unless it is suppressed itself."""
    over, number = part
    own = library.expand_dims(library.take(alive, number, 1), 1)
    return library.logical_and(alive, library.logical_not(library.logical_and(over, own))), None


def sorted_boxes(order: Any, x: Any, flags: Any) -> tuple[Any, Any]:
    """Return boxes and their flags in ascending order of the numbers `order`."""
    order = library.argsort(order, 1)
    x = library.take_along_axis(x, library.expand_dims(order, 2), 1)
    return x, library.take_along_axis(flags, order, 1)


def unsuppressed(data: Any, places: Any, limits: Any, form: str, result: str) -> Any:
    """Return the boxes that remain, by score, then -1."""
    name, (start, score, kind) = "box_nms", places
    overlap, least, topk, background, force = limits
    data = as_known(name, data)
    for label, word in (("in_format", form), ("out_format", result)):
        one_of(name, label, word, ("corner", "center"))
    if len(data.shape) < 2 or not 0 <= start <= data.shape[-1] - 4:
        raise ShapeError(
            f"{name}: data has shape {data.shape}; expected (..., boxes, numbers), with 4 numbers "
            f"from coord_start={start} on"
        )
    x, numbers = library.reshape(data, (-1, *data.shape[-2:])), np.arange(data.shape[-2])
    valid = x[:, :, score] > least
    if kind >= 0:
        valid = valid & (x[:, :, kind] != background)
    x, valid = sorted_boxes(library.where(valid, -x[:, :, score], np.inf), x, valid)
    valid = valid & (numbers < topk) if topk >= 0 else valid
    first, last = corners(x[:, :, start : start + 4], form)
    kinds = None if kind < 0 or force else x[:, :, kind]
    alive = survivors(valid, library.concatenate([first, last], 2), overlap, kinds)
    if form != result:
        boxes = (first, last) if result == "corner" else ((first + last) / 2, last - first)
        x = library.concatenate([x[:, :, :start], *boxes, x[:, :, start + 4 :]], 2)
    x, alive = sorted_boxes(library.astype(~alive, "int32"), x, alive)
    return library.reshape(library.where(alive[:, :, None], x, -1), data.shape)


def survivors(valid: Any, boxes: Any, overlap: float, kinds: Any, *, equal: bool = False) -> Any:
    """Return which of the valid boxes survive; earlier boxes suppress later ones that they overlap.
    `kinds`: a box suppresses only boxes of its kind. `equal`: an overlap of `overlap` suffices."""
    numbers, pairs = np.arange(boxes.shape[1]), (np.s_[:, :, None], np.s_[:, None])
    shares = _shares(*(corners(boxes[at], "corner") for at in pairs))
    over = (shares >= overlap if equal else shares > overlap) & (numbers[:, None] < numbers)
    if kinds is not None:
        over = over & (kinds[:, :, None] == kinds[:, None])
    scan = importlib.import_module("nbgraph.autograd.control.loops").scan  # it lies above
    alive = scan(_suppress, valid, (library.swapaxes(over, 0, 1), numbers))[0]
    return alive.asnumpy() if carrier_of([boxes]) is None else alive


def priors(data: Any, sizes: Any, ratios: Any, clip: bool, steps: Any, offsets: Any) -> Any:
    """Return boxes around each cell of a map."""
    data = as_known("MultiBoxPrior", data)
    if len(data.shape) != 4:
        raise ShapeError(f"MultiBoxPrior: data{data.shape}; expected (samples, channels, h, w)")
    sizes, roots, extents = np.ravel(sizes), np.sqrt(np.ravel(ratios)), data.shape[2:]
    size = np.append(sizes, [sizes[0]] * (len(roots) - 1))
    root = np.append([roots[0]] * len(sizes), roots[1:])
    half = np.stack([size * extents[0] / extents[1] * root, size / root], -1) / 2
    y, x = (
        (np.arange(n) + offset) * (step if step > 0 else 1 / n)
        for n, offset, step in zip(extents, offsets, steps, strict=True)
    )
    centre = np.stack(np.meshgrid(x, y), -1)[:, :, None]
    boxes = np.concatenate([centre - half, centre + half], -1).reshape(1, -1, 4)
    boxes = np.clip(boxes, 0, 1) if clip else boxes
    return library.add(library.zeros_like(data, shape=boxes.shape), boxes.astype(data.dtype))


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
    """Return products of queries and keys, divided by the root of their size."""
    return library.batch_dot(library.div_sqrt_dim(queries), keys, transpose_b=True)


def weighted(attention: Any, values: Any, heads: int) -> Any:
    """Return weighted values, with the heads of a sample contiguous again."""
    result = library.swapaxes(library.batch_dot(attention, values), 0, 1)
    return library.Reshape(result, (0, -1, heads * values.shape[2]))


define_named(_TABLE, globals(), _BY_SHAPE, ("index_copy",))
