"""Functions of NumPy, and a few others, composed of operators of the library: a table."""

from typing import Any

from nbgraph.operator.declared import DOCS, parse
from nbgraph.ops.define import as_known, define_rows, library
from nbgraph.ops.define import whole as whole
from nbgraph.ops.shapes.joining import arrays_of

_TABLE = """
zeros_like(x, dtype=None, *, shape=None): Zeros in the shape, dtype and device of `x`.
    x : array, whose values are not read
    dtype, shape : optional, by default those of x
    >>> zeros_like([1.0, 2.0])
    array([0., 0.])
    = library.full_like(x, 0, dtype, shape=shape)
ones_like(x, dtype=None, *, shape=None): Ones in the shape, dtype and device of `x`.
    x : array, whose values are not read
    dtype, shape : optional, by default those of x
    >>> ones_like([1.0, 2.0])
    array([1., 1.])
    = library.full_like(x, 1, dtype, shape=shape)
empty_like(x, dtype=None, *, shape=None): Undefined values in the shape, dtype and device of `x`.
    x : array, whose values are not read
    dtype, shape : optional, by default those of x
    >>> empty_like([1.0, 2.0]).shape
    (2,)
    = library.full_like(x, None, dtype, shape=shape)
random_randn(*shape, loc=0.0, scale=1.0, dtype=None, device=None): Numbers of the normal
    distribution, of these sizes.
    *shape : ints
    loc, scale : numbers, or arrays that broadcast: mean and standard deviation
    dtype, device : as those of `zeros`
    >>> random_randn(2, 3).shape
    (2, 3)
    = library.random_normal(loc, scale, shape, dtype=dtype, device=device)
identity(n, dtype=None, *, device=None): The n by n identity.
    n : int
    dtype, device : as those of `zeros`
    >>> identity(2).shape
    (2, 2)
    = library.eye(n, dtype=dtype, device=device)
atleast_1d(x): The array with at least one axis.
    >>> atleast_1d(3)
    array([3])
    = at_least("atleast_1d", 1, x)
atleast_2d(x): The array with at least two axes: a vector becomes (1, n).
    >>> atleast_2d([1, 2])
    array([[1, 2]])
    = at_least("atleast_2d", 2, x)
atleast_3d(x): The array with at least three axes: a vector becomes (1, n, 1), a matrix (m, n, 1).
    >>> atleast_3d([1, 2]).shape
    (1, 2, 1)
    = at_least("atleast_3d", 3, x)
hstack(arrays, *, dtype=None): Vectors end to end, matrices side by side: along axis 0 of vectors,
    else along axis 1.
    >>> hstack([[1, 2], [3]])
    array([1, 2, 3])
    = side_by_side(arrays, dtype)
vstack row_stack(arrays, *, dtype=None): Rows one below the other; a vector is a row.
    >>> vstack([[1, 2], [3, 4]])
    array([[1, 2],
           [3, 4]])
    = library.concatenate(
        [library.atleast_2d(x) for x in arrays_of("vstack", arrays)], 0, dtype=dtype)
dstack(arrays): Arrays joined along the third axis.
    >>> dstack([[1, 2], [3, 4]]).shape
    (1, 2, 2)
    = library.concatenate([library.atleast_3d(x) for x in arrays_of("dstack", arrays)], 2)
column_stack(arrays): Columns side by side; a vector is a column.
    >>> column_stack([[1, 2], [3, 4]])
    array([[1, 3],
           [2, 4]])
    = columns(arrays)
append(x, values, axis=None): `x` followed by `values` along an axis.
    x, values : arrays, of one shape but for that axis
    axis : int, by default both are flattened
    >>> append([1, 2], 3)
    array([1, 2, 3])
    = library.concatenate([x, values], axis)
cumsum(x, axis=None, dtype=None, *, out=None): The sums of the first 1, 2, ... elements along an
    axis.
    axis : int, by default of the flattened array
    dtype : of the sums, by default that of x; int64 or uint64 for integers and bool
    >>> cumsum([[1, 2], [3, 4]])
    array([ 1,  3,  6, 10])
    = scan(library.cumulative_sum, x, axis, dtype=dtype, out=out)
cumprod(x, axis=None, dtype=None, *, out=None): The products of the first 1, 2, ... elements along
    an axis; its slope is right at zeros.
    axis : int, by default of the flattened array
    dtype : of the products, by default that of x; int64 or uint64 for integers and bool
    >>> cumprod([[1, 2], [3, 4]])
    array([ 1,  2,  6, 24])
    = scan(library.cumulative_prod, x, axis, dtype=dtype, out=out)
ptp(x, axis=None, *, keepdims=False): The largest element minus the smallest.
    >>> ptp([[1, 4], [3, 2]], axis=0)
    array([2, 2])
    = library.subtract(library.max(x, axis, keepdims=keepdims),
        library.min(x, axis, keepdims=keepdims))
trace(x, offset=0, axis1=0, axis2=1, *, dtype=None): The sum of a diagonal.
    x : array of two axes or more
    offset : int, above the main diagonal where positive, below where negative
    axis1, axis2 : ints, the two axes
    dtype : of the sum, as that of `sum`
    >>> trace([[1, 2], [3, 4]])
    np.int64(5)
    = library.sum(library.diagonal(x, offset, axis1, axis2), axis=-1, dtype=dtype)
outer(x1, x2, /, *, out=None): The products of every element of the one with every element of the
    other, flattened.
    x1, x2 : arrays, m and n elements in all
    -> array (m, n)
    >>> outer([1, 2], [3, 4])
    array([[3, 4],
           [6, 8]])
    = library.multiply(library.reshape(x1, (-1, 1)), library.reshape(x2, (1, -1)), out=out)
cosine_similarity(a, b, axis: int = -1, *, eps: float = 1e-08): The cosine of the angle between a
    and b along an axis; norms count `eps` at least.
    a, b : arrays that broadcast
    axis : int
    eps : float
    -> array of the broadcast shape without `axis`, from -1 to 1
    >>> cosine_similarity([1.0, 0.0], [3.0, 4.0])
    np.float64(0.6)
    = library.divide(library.sum(library.multiply(a, b), axis), library.multiply(
        *[library.maximum(library.vector_norm(x, axis=axis), float(eps)) for x in (a, b)]))
index_select(x, axis, indices): The slices of x at these indices along an axis.

    The gradient is added up where indices repeat.
    axis : int
    indices : array (n,) of ints
    >>> index_select([[1, 2, 3], [4, 5, 6]], 1, [2, 0])
    array([[3, 1],
           [6, 4]])
    = library.take(x, indices, whole("index_select", "axis", axis))
slice_channel SliceChannel(x, num_outputs, axis=1, squeeze_axis=False) -> list[Any]: `num_outputs`
    equal parts of an axis.
    num_outputs : int, which divides the size of the axis
    axis : int
    squeeze_axis : whether the axis is dropped, where parts have size 1
    -> list of arrays; for one part the array
    ! ShapeError where parts would not be equal.
    >>> [p.tolist() for p in slice_channel([[1, 2], [3, 4]], 2, squeeze_axis=True)]
    [[1, 3], [2, 4]]
    = library.split_v2(x, whole("slice_channel", "num_outputs", num_outputs), axis, squeeze_axis)
"""
_DOCS = {**DOCS, "x": "array", "arrays": "sequence of arrays", "dtype": "of the result, optional"}
_BY_SHAPE = frozenset("atleast_1d atleast_2d atleast_3d hstack column_stack".split())


def at_least(name: str, ndim: int, x: Any) -> Any:
    """Return an array with at least so many axes."""
    x = as_known(name, x)
    if len(x.shape) >= ndim:
        return x
    if ndim == 3:
        return library.expand_dims(library.atleast_2d(x), 2)
    return library.reshape(x, (1, -1) if ndim == 2 else (1,))


def side_by_side(arrays: Any, dtype: Any) -> Any:
    """Return arrays joined along axis 0 if they are vectors, else along axis 1."""
    known = [library.atleast_1d(as_known("hstack", x)) for x in arrays_of("hstack", arrays)]
    return library.concatenate(known, 0 if len(known[0].shape) == 1 else 1, dtype=dtype)


def columns(arrays: Any) -> Any:
    """Return matrices and vectors as columns of one matrix."""
    known = [as_known("column_stack", x) for x in arrays_of("column_stack", arrays)]
    turned = [x if len(x.shape) > 1 else library.transpose(library.atleast_2d(x)) for x in known]
    return library.concatenate(turned, 1)


def scan(function: Any, x: Any, axis: int | None, **options: Any) -> Any:
    """Return a scan along an axis, by default of the flattened array."""
    x, axis = (library.ravel(x), 0) if axis is None else (x, axis)
    return function(x, axis=axis, **options)


define_rows(parse(_TABLE), globals(), ("a", "b", "x", "indices"), _BY_SHAPE, _DOCS)
