"""New arrays in the likeness of others, and grids of coordinates."""

from __future__ import annotations

from typing import Any

import numpy as np

from nbgraph.errors import ArgumentError, ShapeError
from nbgraph.operator.array_op import ArrayOp, Spec, constant
from nbgraph.operator.registry import register
from nbgraph.ops.define import Shape, as_known, deferrable, optional_dtype, public, shape_tuple
from nbgraph.ops.shapes.creation import Number, number, require_fit
from nbgraph.ops.shapes.shape import broadcast_to, reshape

Array = np.ndarray[Any, Any]


def _like(x: Spec, *, fill_value: Number | None, dtype: Any, shape: Shape | None) -> Spec:
    found = Spec(x.shape if shape is None else shape, dtype or x.dtype)
    if fill_value is not None:
        require_fit("full_like", fill_value, found.dtype)
    return found


def _fill(
    inputs: list[Array], outputs: list[Array], *, fill_value: Number | None, **_: Any
) -> None:
    if fill_value is not None:
        outputs[0].fill(fill_value)


# an operator of x although x is not read: it has to be where x is, and of its kind
_FULL_LIKE = ArrayOp(
    "full_like",
    _like,
    _fill,
    gradient=constant,
    constant=lambda fill_value, **_: fill_value,
)


@public(_FULL_LIKE)
def full_like(x: Any, fill_value: Any, dtype: Any = None, *, shape: Any = None) -> Any:
    """One number in the shape, dtype and place of `x`.

    Parameters
    ----------
    x : array, of which the values do not count
    fill_value : number; None leaves the memory as it is
    dtype, shape : others than those of x, optional

    >>> full_like([1.0, 2.0], 7)
    array([7., 7.])
    """
    value = None if fill_value is None else number("full_like", "fill_value", fill_value)
    shape = None if shape is None else shape_tuple("full_like", shape)
    return _FULL_LIKE(x, fill_value=value, dtype=optional_dtype(dtype), shape=shape)


@register
def zeros_like(x: Any, dtype: Any = None, *, shape: Any = None) -> Any:
    """Zeros in the shape, dtype and place of `x`.

    Parameters
    ----------
    x : array, of which the values do not count
    dtype, shape : others than those of x, optional

    >>> zeros_like([1.0, 2.0])
    array([0., 0.])
    """
    return full_like(x, 0, dtype, shape=shape)


@register
def ones_like(x: Any, dtype: Any = None, *, shape: Any = None) -> Any:
    """Ones in the shape, dtype and place of `x`.

    Parameters
    ----------
    x : array, of which the values do not count
    dtype, shape : others than those of x, optional

    >>> ones_like([1.0, 2.0])
    array([1., 1.])
    """
    return full_like(x, 1, dtype, shape=shape)


@register
def empty_like(x: Any, dtype: Any = None, *, shape: Any = None) -> Any:
    """Memory with any values in the shape, dtype and place of `x`.

    Parameters
    ----------
    x : array, of which the values do not count
    dtype, shape : others than those of x, optional

    >>> empty_like([1.0, 2.0]).shape
    (2,)
    """
    return full_like(x, None, dtype, shape=shape)


@register
@deferrable(lambda *arrays, **_: len(arrays))
def meshgrid(*arrays: Any, indexing: str = "xy") -> list[Any]:
    """Coordinates of a grid: one array for each axis, broadcast over the others (views).

    Parameters
    ----------
    *arrays : vectors
    indexing : "xy": the first vector goes along the second axis; "ij": along the first

    >>> [x.tolist() for x in meshgrid([1, 2], [3, 4])]
    [[[1, 2], [1, 2]], [[3, 3], [4, 4]]]
    """
    if indexing not in ("xy", "ij"):
        raise ArgumentError(f"meshgrid: indexing={indexing!r}; expected 'xy' or 'ij'")
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
