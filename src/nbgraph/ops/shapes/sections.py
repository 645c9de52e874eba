"""Sections of arrays along an axis, and arrays with at least so many axes: views."""

from typing import Any

import numpy as np

from nbgraph.errors import ShapeError
from nbgraph.operator.arrays.array_op import ArrayOp, Gradients, Spec
from nbgraph.ops.define import (
    Shape,
    as_known,
    axis_of,
    composed,
    deferrable,
    define_rows,
    whole,
    whole_tuple,
)
from nbgraph.ops.shapes.slicing import (
    Triple,
    at_axis,
    numpy_key,
    slice_scatter,
    slice_view,
    sliced_shape,
)
from nbgraph.shape import Array, Shapes

Sections = int | tuple[int, ...]  # how many, or where they begin


def _bounds(sections: Sections, index: int, size: int, *, equal: bool) -> tuple[int, int]:
    """Return the begin and end of section `index` on an axis of this size."""
    if isinstance(sections, tuple):
        cuts = [0, *(slice(None, cut).indices(size)[1] for cut in sections), size]
        return cuts[index], max(cuts[index], cuts[index + 1])
    if equal and size % sections:
        raise ShapeError(
            f"split: an axis of size {size} has no {sections} equal sections; give the places to "
            "cut, or use array_split"
        )
    least, more = divmod(size, sections)
    return index * least + min(index, more), (index + 1) * least + min(index + 1, more)


def _key(
    shape: Shape, *, sections: Sections, index: int, axis: int, equal: bool
) -> tuple[Triple, ...]:
    place = axis_of("split", axis, len(shape))
    start, stop = _bounds(sections, index, shape[place], equal=equal)
    return at_axis(place, Triple(start, stop, None))


def _infer(x: Spec, **section: Any) -> Spec:
    return Spec(sliced_shape("split", _key(x.shape, **section), x.shape), x.dtype)


def _view(x: Array, **section: Any) -> Array:
    return x[numpy_key(_key(x.shape, **section))]


def _rule(g: Gradients) -> list[Any]:
    shape = g.specs[0].shape
    return [slice_scatter(g.out_grad, shape, _key(shape, **g.attributes))]


def _partial(
    in_shapes: Shapes, out_shapes: Shapes, *, axis: int, sections: Sections, equal: bool, **_: Any
) -> tuple[Shapes, Shapes]:
    """Infer equal other axes; for equal sections also the extent along the axis."""
    (out,) = out_shapes
    if out is None or not equal or isinstance(sections, tuple):
        return in_shapes, out_shapes
    place = axis_of("split", axis, len(out))
    size = out[place]
    return [(*out[:place], size and size * sections, *out[place + 1 :])], out_shapes


_SPLIT_PART = ArrayOp("split_part", _infer, view=_view, gradient=_rule, partial=_partial)


def _sections(name: str, value: Any) -> Sections:
    if np.ndim(value):
        return whole_tuple(name, "sections", value)
    count = whole(name, "sections", value)
    if count < 1:
        raise ShapeError(f"{name}: sections={count}; there is at least one")
    return count


def sections_of(name: str, x: Any, sections: Any, axis: int, *, equal: bool) -> list[Any]:
    """Return the sections of an array along an axis."""
    known, axis = _sections(name, sections), whole(name, "axis", axis)
    count = len(known) + 1 if isinstance(known, tuple) else known
    return [_SPLIT_PART(x, sections=known, index=i, axis=axis, equal=equal) for i in range(count)]


@composed("x")
@deferrable(lambda x, *, num=None, **_: num)
def unstack(x: Any, /, *, axis: int = 0, num: int | None = None) -> tuple[Any, ...]:
    """The slices along an axis, which they do not have.

    axis : int
    num : int, optional: their number; required for a symbol of unknown shape
    -> tuple of arrays, views
    ! ShapeError if their number is not `num`.
    >>> unstack([[1, 2], [3, 4]])
    (array([1, 2]), array([3, 4]))
    """
    x = as_known("unstack", x)
    place = axis_of("unstack", whole("unstack", "axis", axis), len(x.shape))
    if num is not None and num != x.shape[place]:
        raise ShapeError(
            f"unstack: num={num}, but axis {place} of shape {tuple(x.shape)} has {x.shape[place]} "
            "slices; give that number, or leave num out"
        )
    return tuple(slice_view(x, at_axis(place, i)) for i in range(x.shape[place]))


_TABLE = """
split_part(x, sections, index: int, axis: int = 0, *, equal=True, out=None): Section `index` of
    `split`, or of `array_split` if not `equal`.
    = op(..., sections=_sections("split_part", sections))
split(x, sections, axis: int = 0) -> list[Any]: Sections along an axis: views.
    sections : int, the number of equal sections; or the places where sections begin
    axis : int
    -> list of arrays
    ! ShapeError where sections would not be equal; see `array_split`.
    >>> split(np.arange(6), [1, 4])
    [array([0]), array([1, 2, 3]), array([4, 5])]
    = sections_of("split", x, sections, axis, equal=True)
array_split(x, sections, axis: int = 0) -> list[Any]: Like `split`; if sections cannot be equal, the
    first ones are larger by one.
    x, sections, axis : as those of `split`
    >>> array_split(np.arange(5), 2)
    [array([0, 1, 2]), array([3, 4])]
    = sections_of("array_split", x, sections, axis, equal=False)
"""
define_rows(_TABLE, globals())
