"""Operators of the library by MXNet's names and arguments: tables.

All broadcast and promote, so that `elemwise_add` and `broadcast_add` are equal; comparisons return
bool. A row with `name` takes the name of its node on symbols.
"""

from nbgraph.operator.registry import register
from nbgraph.ops.define import library
from nbgraph.ops.define import whole as whole
from nbgraph.ops.named import composites as composites
from nbgraph.ops.named import sequences as sequences
from nbgraph.ops.named.calls import define_named
from nbgraph.ops.named.calls import named as named

_SAME = """
add: broadcast_add broadcast_plus elemwise_add
subtract: broadcast_sub broadcast_minus elemwise_sub
multiply: broadcast_mul elemwise_mul
divide: broadcast_div elemwise_div
remainder: broadcast_mod modulo
power: broadcast_power
hypot: broadcast_hypot
maximum: broadcast_maximum
minimum: broadcast_minimum
equal: broadcast_equal
not_equal: broadcast_not_equal
greater: broadcast_greater
greater_equal: broadcast_greater_equal
less: broadcast_lesser lesser
less_equal: broadcast_lesser_equal lesser_equal
logical_and: broadcast_logical_and
logical_or: broadcast_logical_or
logical_xor: broadcast_logical_xor
sum: sum_axis
max: max_axis
min: min_axis
flip: reverse
roi_pooling: ROIPooling
adaptive_avg_pooling: AdaptiveAvgPooling2D
"""
_TABLE = """
add_n ElementWiseSum(*args, name=None): The sum of arrays, given one by one or as a list.
    *args : arrays whose shapes broadcast, or one list of them; dtypes promote
    -> array of the broadcast shape
    >>> add_n([1.0, 2.0], [3.0, 4.0], [5.0, 6.0])
    array([ 9., 12.])
    = composites.added(args)
Concat(*data, dim=1, num_args=None, name=None): Arrays one after another along an axis, by default
    the second.
    *data : arrays of one shape but for that axis, or one list of them
    dim : int, the axis
    >>> Concat([[1], [2]], [[3], [4]])
    array([[1, 3],
           [2, 4]])
    = library.concatenate(list(composites.several(data)), dim)
Cast cast amp_cast(data, dtype, *, name=None): `astype` by MXNet's name: the elements in another
    dtype; a gradient comes back in the old one.
    dtype : dtype or its name; floats are cut to whole numbers
    >>> Cast([1.5, -1.5], "int32")
    array([ 1, -1], dtype=int32)
    = library.astype(data, dtype)
BlockGrad(data, *, name=None): `stop_gradient` by MXNet's name: the elements as they are, a constant
    for derivatives.
    >>> BlockGrad([1.0, 2.0])
    array([1., 2.])
    = library.stop_gradient(data)
Dropout(data, *, p=0.5, mode="training", axes=(), cudnn_off=None, name=None): `dropout` by
    MXNet's name (Srivastava et al., 2014): in training elements are 0 with probability `p`, and the
    others are divided by 1 - p.
    data : array, floats
    p : float, 0 up to 1
    mode : "training": outside of training data stays as it is; "always"
    axes : ints, along which elements are dropped together
    -> array of the shape of data
    ! ArgumentError for another mode.
    >>> Dropout([1.0, 2.0], p=0.9)
    array([1., 2.])
    = composites.dropped(data, p, mode, axes)
moments(data, axes=None, *, keepdims=False): Mean and variance over axes.
    axes : int, several, or None for all
    -> two arrays: mean, and variance (divided by n)
    >>> moments([1.0, 3.0])
    (np.float64(2.0), np.float64(1.0))
    = (library.mean(data, axes, keepdims=keepdims), library.var(data, axes, keepdims=keepdims))
argmax_channel(data): `argmax` along the second axis: the class of the largest score.
    data : array (samples, classes, ...)
    -> array (samples, ...) of int64, the first of several places; a constant for derivatives
    >>> argmax_channel([[1, 3, 2], [5, 4, 0]])
    array([1, 0])
    = library.argmax(data, 1)
nansum(data, axis=None, *, keepdims=False, exclude=False): The sum over axes of the elements that
    are not NaN; 0 of none.
    >>> float(nansum([1.0, float("nan"), 2.0]))
    3.0
    = library.sum(library.replace_nan(data, 0), axis, keepdims=keepdims, exclude=exclude)
nanprod(data, axis=None, *, keepdims=False, exclude=False): The product over axes of the elements
    that are not NaN; 1 of none.
    >>> float(nanprod([2.0, float("nan"), 3.0]))
    6.0
    = library.prod(library.replace_nan(data, 1), axis, keepdims=keepdims, exclude=exclude)
rcbrt(data): 1 / cbrt(data).
    data : array; integers become floats
    >>> rcbrt([8.0])
    array([0.5])
    = library.reciprocal(library.cbrt(data))
softmin(data, axis=-1, *, temperature=None): `softmax` of the negative values: the least number gets
    the largest share.
    axis : int, along which results add up to 1
    temperature : float, optional: a divisor of data
    -> array of the shape of data
    >>> softmin([1.0, 1.0])
    array([0.5, 0.5])
    = library.softmax(library.negative(data), axis, temperature=temperature)
Activation(data, act_type, *, name=None): The activation function `act_type`.
    data : array; integers become floats, but for "relu"
    act_type : "relu", "sigmoid", "tanh", "softrelu" (`softplus`: log(1 + e**x)) or "softsign"
        (x / (1 + abs(x)))
    -> array of the shape of data
    ! ArgumentError for another `act_type`.
    >>> Activation([-1.0, 2.0], "relu")
    array([0., 2.])
    = composites.activated(data, act_type)
SoftmaxActivation(data, *, mode="instance", name=None): `softmax` over all numbers of a sample, or
    over channels.
    data : array (samples, ...)
    mode : "instance": the numbers of a sample add up to 1; "channel": those along axis 1
    -> array of the shape of data
    >>> SoftmaxActivation([[0.0, 0.0]])
    array([[0.5, 0.5]])
    = composites.shares(data, mode)
Flatten flatten(data, *, name=None): All axes but the first as one.
    data : array (samples, ...), also (samples,)
    -> array (samples, numbers of a sample), a view where memory allows it
    >>> import numpy as np
    >>> Flatten(np.zeros((2, 3, 4))).shape
    (2, 12)
    = library.Reshape(data, (0, -1))
SwapAxis(data, dim1=0, dim2=0, *, name=None): `swapaxes` by MXNet's name: a view with two axes
    exchanged.
    dim1, dim2 : ints, the axes; negative ones count from the end
    >>> import numpy as np
    >>> SwapAxis(np.zeros((2, 3, 4)), dim1=0, dim2=2).shape
    (4, 3, 2)
    = library.swapaxes(data, whole("SwapAxis", "dim1", dim1), whole("SwapAxis", "dim2", dim2))
broadcast_axis broadcast_axes(data, axis=(), size=()): `data` repeated along axes of size 1.
    axis, size : ints, or equally many of both: axes of size 1, and their new sizes
    ! ShapeError for an axis of another size than 1.
    >>> import numpy as np
    >>> broadcast_axis(np.zeros((1, 3, 1)), axis=(0, 2), size=(2, 4)).shape
    (2, 3, 4)
    = composites.widened(data, axis, size)
Pad(data, mode="constant", pad_width=(), *, constant_value=0.0, name=None): `pad` by MXNet's name:
    cells around an array.
    mode : "constant", "edge" (the last element repeated) or "reflect" (mirrored, without the edge)
    pad_width : (before, after) of all axes in one row
    constant_value : what "constant" adds
    ! ArgumentError for another mode, or an odd number of widths.
    >>> Pad([[1.0, 2.0]], pad_width=(0, 0, 1, 1))
    array([[0., 1., 2., 0.]])
    = composites.padded(data, mode, pad_width, constant_value)
split_v2(data, indices_or_sections, axis=0, squeeze_axis=False) -> list[Any]: `split`: an array in
    parts along an axis, which `squeeze_axis` drops.
    indices_or_sections : the number of equal parts, or the places where parts begin
    axis : int
    squeeze_axis : whether the axis is dropped, where parts have size 1 along it
    -> list of arrays, views
    >>> [part.tolist() for part in split_v2([1, 2, 3], (1,))]
    [[1], [2, 3]]
    = composites.split(data, indices_or_sections, axis, squeeze_axis)
diag(data, k=0, axis1=0, axis2=1): The diagonal of two axes; for a vector, the matrix with that
    diagonal.
    data : array (n,), or of two axes or more
    k : int, which diagonal: above the main one where positive, below where negative
    axis1, axis2 : ints, the two axes, where there are more than one
    -> array (n + abs(k), n + abs(k)) of a vector; else (other axes, length of the diagonal)
    >>> diag([1, 2])
    array([[1, 0],
           [0, 2]])
    >>> diag([[1, 2], [3, 4]], k=1)
    array([2])
    = composites.diagonals(data, k, axis1, axis2)
batch_take choose_element_0index(a, indices): One element of each row.
    a : array (rows, n)
    indices : array (rows,): places from 0, negative ones from the end; out of bounds an
        IndexingError
    -> array (rows,) of a's dtype; other elements have gradient 0
    >>> batch_take([[1, 2], [3, 4]], [1, 0])
    array([2, 3])
    = library.pick(a, indices, -1)
fill_element_0index(lhs, mhs, rhs): `lhs` with one element of each row replaced; `lhs` itself is
    unchanged.
    lhs : array (rows, n)
    mhs : array (rows,): the new elements
    rhs : array (rows,): their places, floats are cut to whole numbers; out of bounds an
        IndexingError
    -> array (rows, n) of lhs's dtype
    >>> fill_element_0index([[1, 2], [3, 4]], [9, 8], [1, 0])
    array([[1, 9],
           [8, 4]])
    = composites.replaced(lhs, mhs, rhs)
all_finite(data, *, init_output=True, out=None): 1 where all elements are finite, else 0.
    init_output : whether to ignore the old value of `out`; if False, a 0 in `out` stays 0
    out : array (1,) to write to, optional
    -> array (1,) of float32; a constant for derivatives
    >>> all_finite([1.0, float("inf")])
    array([0.], dtype=float32)
    = composites.finite([data], init_output, out)
multi_all_finite(*data, num_arrays=None, init_output=True, out=None): `all_finite` of several arrays
    together.
    *data : arrays
    init_output, out : as those of `all_finite`
    -> array (1,) of float32
    >>> multi_all_finite([1.0], [float("nan")])
    array([0.], dtype=float32)
    = composites.finite(data, init_output, out)
depth_to_space(data, block_size): Channels as blocks of cells: (n, c * b * b, h, w) becomes
    (n, c, h * b, w * b).
    data : array (images, channels, height, width), channels a multiple of block_size ** 2. The
        channels of one block lie c apart: number k * c + i is cell k of the blocks of channel i.
    block_size : int, rows and columns of a block
    ! ShapeError where channels do not divide.
    >>> import numpy as np
    >>> depth_to_space(np.arange(4.0).reshape(1, 4, 1, 1), 2)
    array([[[[0., 1.],
             [2., 3.]]]])
    = composites.unblocked(data, block_size)
space_to_depth(data, block_size): Blocks of cells as channels, the inverse of `depth_to_space`:
    (n, c, h * b, w * b) becomes (n, c * b * b, h, w).
    data : array (images, channels, height, width), both axes of space multiples of block_size
    block_size : int, rows and columns of a block
    ! ShapeError where space does not divide.
    >>> import numpy as np
    >>> space_to_depth(np.arange(4.0).reshape(1, 1, 2, 2), 2).ravel()
    array([0., 1., 2., 3.])
    = composites.blocked(data, block_size)
SequenceMask(data, sequence_length=None, *, use_sequence_length=False, value=0.0, axis: int = 0,
        name=None): `data` with `value` at steps beyond each sample's length.
    data : array (steps, samples, ...), with axis=1 (samples, steps, ...)
    sequence_length : array (samples,), read where `use_sequence_length`; else nothing is masked
    value : float
    axis : int, 0 or 1, that of the steps
    -> array of the shape of data; masked elements have gradient 0
    ! ShapeError where shapes do not fit; ArgumentError where lengths are missing.
    >>> SequenceMask([[1.0, 2.0], [3.0, 4.0]], [1, 2], use_sequence_length=True)
    array([[1., 2.],
           [0., 4.]])
    = sequences.masked(data, sequence_length, use_sequence_length, value, axis)
SequenceLast(data, sequence_length=None, *, use_sequence_length=False, axis: int = 0, name=None):
    The last step of each sample.
    data : array (steps, samples, ...), with axis=1 (samples, steps, ...)
    sequence_length : array (samples,) of 1 to steps, read where `use_sequence_length`; else all
        samples have all steps
    axis : int, 0 or 1, that of the steps
    -> array (samples, ...); the gradient goes to the steps that were taken
    ! ShapeError where shapes do not fit; IndexingError for a length beyond the steps; ArgumentError
        where lengths are missing.
    >>> SequenceLast([[1.0, 2.0], [3.0, 4.0]], [1, 2], use_sequence_length=True)
    array([1., 4.])
    = sequences.last(data, sequence_length, use_sequence_length, axis)
SequenceReverse(data, sequence_length=None, *, use_sequence_length=False, axis: int = 0, name=None):
    The steps of each sample in reverse order; those beyond its length stay where they are.
    data : array (steps, samples, ...), with axis=1 (samples, steps, ...)
    sequence_length : array (samples,), read where `use_sequence_length`; else all steps are
        reversed
    axis : int, 0 or 1, that of the steps
    -> array of the shape of data
    ! ShapeError where shapes do not fit; ArgumentError where lengths are missing.
    >>> SequenceReverse([[1.0, 2.0], [3.0, 4.0]], [1, 2], use_sequence_length=True)
    array([[1., 4.],
           [3., 2.]])
    = sequences.backwards(data, sequence_length, use_sequence_length, axis)
"""
_BY_SHAPE = frozenset(  # they read shapes
    "broadcast_axis diag fill_element_0index depth_to_space space_to_depth".split()
)


def _register_same() -> None:
    for row in _SAME.strip().splitlines():
        target, names = row.split(": ")
        register(getattr(library, target), *names.split(), owner=_register_same)


_register_same()
define_named(_TABLE, globals(), _BY_SHAPE)
