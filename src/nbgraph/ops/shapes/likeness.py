"""New arrays in the likeness of others, and grids of coordinates."""

from __future__ import annotations

from typing import Any

from nbgraph.errors import ShapeError, require_word
from nbgraph.operator.arrays.array_op import ArrayOp, Spec, constant
from nbgraph.ops.define import Shape, as_known, composed, deferrable, define_rows
from nbgraph.ops.shapes.creation import Number, require_fit
from nbgraph.ops.shapes.shape import broadcast_to, reshape
from nbgraph.shape import Array


def _like(x: Spec, *, fill_value: Number | None, dtype: Any, shape: Shape | None) -> Spec:
    spec = Spec(x.shape if shape is None else shape, dtype or x.dtype)
    if fill_value is not None:
        require_fit("full_like", fill_value, spec.dtype)
    return spec


def _fill(
    inputs: list[Array], outputs: list[Array], *, fill_value: Number | None, **_: Any
) -> None:
    if fill_value is not None:
        outputs[0].fill(fill_value)


# an operator of x although x is not read: it has to be where x is, and of its kind
_FULL_LIKE = ArrayOp(
    "full_like", _like, _fill, gradient=constant, constant=lambda fill_value, **_: fill_value
)


@composed()
@deferrable(lambda *arrays, **_: len(arrays))
def meshgrid(*arrays: Any, indexing: str = "xy") -> list[Any]:
    """Coordinates of a grid: one array for each axis, broadcast over the others (views).

    *arrays : vectors
    indexing : "xy": the first vector goes along the second axis; "ij": along the first
    >>> [x.tolist() for x in meshgrid([1, 2], [3, 4])]
    [[[1, 2], [1, 2]], [[3, 3], [4, 4]]]
    """
    require_word("meshgrid: indexing", indexing, ("xy", "ij"))
    known = [as_known("meshgrid", x) for x in arrays]
    for i, x in enumerate(known):
        if len(x.shape) > 1:
            raise ShapeError(f"meshgrid: arrays[{i}] has shape {x.shape}; give vectors")
    places = list(range(len(known)))
    if indexing == "xy" and len(known) > 1:
        places[:2] = 1, 0
    shape = [1] * len(known)
    for place, x in zip(places, known, strict=True):
        shape[place] = x.shape[0] if x.shape else 1
    grids = [
        reshape(x, [-1 if d == place else 1 for d in range(len(known))])
        for place, x in zip(places, known, strict=True)
    ]
    return [broadcast_to(x, tuple(shape)) for x in grids]


_TABLE = """
full_like(x, fill_value, dtype=None, *, shape=None): One number in the shape, dtype and place of
    `x`.
    x : array, of which the values do not count
    fill_value : number; None leaves the memory as it is
    dtype, shape : others than those of x, optional
    >>> full_like([1.0, 2.0], 7)
    array([7., 7.])
    = op(..., fill_value=None if fill_value is None else number("full_like", "fill_value",
        fill_value, real=False), shape=None if shape is None else shape_tuple("full_like", shape))
"""
define_rows(_TABLE, globals())
