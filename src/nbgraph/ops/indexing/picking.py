"""Elements by index under names of other libraries: embeddings, slices of an axis, choices.

Composed of `take`, `gather` and the like: see there for indices out of bounds.
"""

from typing import Any

from nbgraph.errors import DTypeError
from nbgraph.operator.expected import with_shape as with_shape
from nbgraph.ops.define import (
    as_array,
    as_known,
    axis_of,
    composed,
    deferrable,
    define_rows,
    library,
    whole,
)
from nbgraph.ops.elementwise.comparison import not_equal
from nbgraph.ops.indexing.indexing import take, take_along_axis, within
from nbgraph.ops.indexing.keys import ARRAY
from nbgraph.ops.shapes.joining import arrays_of as arrays_of
from nbgraph.ops.shapes.joining import stack
from nbgraph.ops.shapes.shape import broadcast_arrays as broadcast_arrays
from nbgraph.ops.shapes.shape import expand_dims, squeeze
from nbgraph.ops.shapes.slicing import at_axis, slice_view


def _integers(x: Any) -> Any:
    """Return indices as integers; MXNet passes floats."""
    array = as_array(x)
    if array.shape is not None and array.dtype.kind in "iub":
        return array
    return library.astype(array, "int64")


def rows_of(weight: Any, places: Any, padding_index: int | None) -> Any:
    """Return the rows of a table at indices; that of `padding_index` gets no gradient."""
    rows = take(weight, places, 0)
    if padding_index is None:
        return rows
    count = as_known("embedding", weight).shape[0]
    kept = expand_dims(not_equal(places, padding_index % count), -1)
    return library.where(kept, rows, library.stop_gradient(rows))


@composed("x", "index")
@deferrable()
def pick(x: Any, index: Any, axis: int = -1, *, keepdims: bool = False, mode: str = "raise") -> Any:
    """One element of each row along an axis, at an index for each row.

    index : array of the shape of x without the axis, or with it as an axis of size 1
    axis : int
    keepdims : whether the axis stays, with size 1
    mode : "raise", "clip" or "wrap", as of `take`
    -> array of the shape of x without the axis; other elements have gradient 0
    >>> pick([[1, 2], [3, 4]], [1, 0])
    array([2, 3])
    """
    axis = whole("pick", "axis", axis)
    x, index = as_known("pick", x), as_known("pick", _integers(index))
    alike = len(x.shape) == len(index.shape)
    places = index if alike else expand_dims(index, axis)
    places = within("pick", x, places, axis, mode)
    picked = take_along_axis(x, places, axis)
    return picked if keepdims else squeeze(picked, axis)


def at_places(of: Any, data: Any, name: str, indices: Any, **how: Any) -> Any:
    """Apply a function at the coordinates in columns of indices."""
    rows = _places(name, indices)
    return of(data, *rows, key=(ARRAY,) * len(rows), **how)


def _places(name: str, indices: Any) -> list[Any]:
    """Return indices of each axis; negative ones count from the end, as everywhere."""
    array = as_known(name, _integers(indices))
    if not array.shape or array.dtype.kind not in "iu":
        raise DTypeError(
            f"{name}: indices have shape {tuple(array.shape)} and dtype {array.dtype}; expected "
            "integers with an axis for each place's coordinates first"
        )
    return list(library.unstack(array))


@composed("x")
def slice_axis(x: Any, axis: int, begin: int = 0, end: int | None = None, step: int = 1) -> Any:
    """Part of an axis, from `begin` up to `end`: a view. None is the end of the axis.

    axis : int
    begin, end, step : ints as in Python's slices
    >>> slice_axis([[1, 2, 3], [4, 5, 6]], axis=1, begin=1)
    array([[2, 3],
           [5, 6]])
    """
    bounds = [None if v is None else whole("slice_axis", "bounds", v) for v in (begin, end, step)]
    part, place = slice(*bounds), whole("slice_axis", "axis", axis)
    shape = as_array(x).shape
    if shape is not None:
        place = axis_of("slice_axis", place, len(shape))
    if place >= 0:
        return slice_view(x, at_axis(place, part))
    return slice_view(x, (Ellipsis, part, *(slice(None),) * (-1 - place)))


def picked(places: Any, *arrays: Any) -> Any:
    """Return each element from the array that its index selects."""
    return squeeze(take_along_axis(stack(arrays, 0), expand_dims(places, 0), 0), 0)


_TABLE = """
embedding(indices, weight, *, input_dim: int | None = None, output_dim: int | None = None,
    padding_index: int | None = None): The rows of `weight` at these indices.
    indices : array of any shape; floats are cut to whole numbers, negative ones count from the end
    weight : array (rows, size)
    input_dim, output_dim : ints, optional: rows and size that weight has to have
    padding_index : int, optional: a row that gets no gradient from here
    -> array (*indices.shape, size). The gradient is added up where indices repeat.
    ! IndexingError for an index out of bounds; ShapeError for another shape of weight.
    >>> embedding([1, 0, 1], [[0.0, 1.0], [2.0, 3.0]])
    array([[2., 3.],
           [0., 1.],
           [2., 3.]])
    = rows_of(with_shape(as_array(weight), (input_dim, output_dim), "embedding", "weight",
        {"input_dim": input_dim, "output_dim": output_dim}), _integers(indices), padding_index)
choose(indices, choices): Each element of `choices[index]` for its index; arrays broadcast against
    each other.
    indices : array of ints, negative ones count from the end; out of bounds an IndexingError
    choices : sequence of arrays
    >>> choose([0, 1, 1], [[1, 2, 3], [10, 20, 30]])
    array([ 1, 20, 30])
    = picked(*broadcast_arrays(indices, *arrays_of("choose", choices)))
gather_nd(data, indices): Parts of data at `data[indices[0], indices[1], ...]`: each column of
    indices is one place.
    data : array (n1, n2, ..., *rest)
    indices : array (m, ...), m indices of the first m axes in a column; floats are cut
    -> array (..., *axes of data after the first m). The gradient is added up where places repeat.
    ! IndexingError for an index out of bounds.
    >>> gather_nd([[1, 2], [3, 4]], [[0, 1], [1, 0]])
    array([2, 3])
    = at_places(library.gather, data, "gather_nd", indices)
scatter_nd(data, indices, shape): Zeros of `shape` with data added at places as `gather_nd` finds
    them.

    Values at a repeated place are added up.

    data : array (..., *rest)
    indices : array (m, ...), m indices in a column
    shape : of the result
    >>> scatter_nd([1, 2, 4], [[0, 1, 1], [1, 0, 0]], (2, 2))
    array([[0, 1],
           [6, 0]])
    = at_places(library.scatter_add, data, "scatter_nd", indices, shape=shape_tuple("scatter_nd",
        shape))
"""
define_rows(
    _TABLE,
    globals(),
    ("data", "indices", "weight"),
    ("gather_nd", "scatter_nd"),
    like=("embedding",),
)
