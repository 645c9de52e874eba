"""Parts of arrays: views (slices, reversed axes, diagonals) and their reverse; triangles."""

from __future__ import annotations

import math
import operator
from collections.abc import Iterator
from types import EllipsisType
from typing import Any, NamedTuple

import numpy as np

from nbgraph.errors import IndexingError, ShapeError, require_shape
from nbgraph.operator.arrays.array_op import ArrayOp, Gradients, Spec, Specs
from nbgraph.operator.arrays.device_forms import Writes
from nbgraph.operator.arrays.pieces_op import PiecesOp
from nbgraph.operator.arrays.unit_op import UnitOp
from nbgraph.operator.arrays.units import Units, raw, threads
from nbgraph.ops.define import Shape, axes_of, define_rows, library
from nbgraph.shape import Array, same_shape


class Triple(NamedTuple):
    """A hashable slice."""

    start: int | None
    stop: int | None
    step: int | None


ALL = Triple(None, None, None)
Part = int | Triple | None | EllipsisType
Key = tuple[Part, ...]


# keys -------------------------------------------------------------------------------------------


def view_key(name: str, key: Any) -> Key:
    """Return a basic index as a hashable tuple: ints, (start, stop, step), None and Ellipsis."""
    parts = key if isinstance(key, tuple) else (key,)
    # a triple of a key that already has this form is a tuple too, and a slice is not
    return tuple(basic_part(name, part) for part in parts)


def basic_part(name: str, part: Any) -> Part:
    """Return one part of a key in hashable form; IndexingError for other values."""
    if part is None or part is Ellipsis:
        return part
    if isinstance(part, tuple) and len(part) == 3:
        part = slice(*part)
    if isinstance(part, slice):
        return Triple(*(_bound(name, b) for b in (part.start, part.stop, part.step)))
    if not isinstance(part, (bool, np.bool_)):
        try:
            return operator.index(part)  # type: ignore[arg-type]
        except TypeError:
            pass
    raise IndexingError(
        f"{name}: {part!r} is not an index; give integers, slices, None, Ellipsis, or arrays of "
        "integers or booleans"
    )


def _bound(name: str, bound: Any) -> int | None:
    try:
        return None if bound is None else operator.index(bound)
    except TypeError:
        raise IndexingError(
            f"{name}: slice bound {bound!r} is not a whole number; give integers or None"
            + (", in ng.jit by static_argnames" if hasattr(bound, "__nbgraph_priority__") else "")
        ) from None


def full_key(name: str, key: tuple[Any, ...], shape: Shape) -> tuple[Any, ...]:
    """Return the key with the Ellipsis expanded, one part per axis and new axis; checked. An
    Ellipsis for no axis remains between index arrays, which it separates, as a slice does."""
    used = sum(part is not None and part is not Ellipsis for part in key)
    if used > len(shape):
        raise IndexingError(
            f"{name}: {used} indices for an array of shape {shape}; give {len(shape)} at most"
        )
    if sum(part is Ellipsis for part in key) > 1:
        raise IndexingError(f"{name}: an index may hold one Ellipsis (...) only")
    rest: Key = (ALL,) * (len(shape) - used)
    place = next((i for i, part in enumerate(key) if part is Ellipsis), len(key))
    between = key[place : place + 1] if not rest and "array" in key else ()
    full = (*key[:place], *rest, *between, *key[place + 1 :])
    axes = iter(range(len(shape)))
    for part in full:
        if part is not None and part is not Ellipsis:
            _check_part(name, part, next(axes), shape)
    return full


def _check_part(name: str, part: Any, axis: int, shape: Shape) -> None:
    size = shape[axis]
    if isinstance(part, int) and not -size <= part < size:
        raise IndexingError(
            f"{name}: index {part} is out of bounds for axis {axis} of shape {shape}; "
            + (f"expected {-size} to {size - 1}" if size else "the axis is empty")
        )
    if isinstance(part, tuple) and part[2] == 0:
        raise IndexingError(f"{name}: the slice of axis {axis} has step 0; give another step")


def at_axis(axis: int, part: Any) -> tuple[Any, ...]:
    """Return the key with `part` at an axis and full slices before it."""
    return (*(ALL,) * axis, part)


def numpy_key(key: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return the key in NumPy's form."""
    return tuple(slice(*part) if isinstance(part, tuple) else part for part in key)


def sliced_shape(name: str, key: tuple[Any, ...], shape: Shape) -> Shape:
    """Return the shape of the key's selection."""
    return tuple(_sizes(full_key(name, key, shape), shape))


def _sizes(full: tuple[Any, ...], shape: Shape) -> Iterator[int]:
    axes = iter(shape)
    for part in full:
        if part is None:
            yield 1
        elif isinstance(part, tuple):
            yield len(range(*slice(*part).indices(next(axes))))
        else:
            next(axes)


# slices -----------------------------------------------------------------------------------------


def _scatter(out: Array, value: Array, *, shape: Shape, key: Key) -> Writes:
    """Yield the fill with zeros and the copy of the value."""
    yield out, None, 0
    yield out[(*numpy_key(full_key("slice_scatter", key, out.shape)), ...)], 0, value


def _scatter_infer(value: Spec, *, shape: Shape, key: Key) -> Spec:
    wanted, of = sliced_shape("slice_scatter", key, shape), f"the slice {key} of shape {shape} has"
    require_shape("slice_scatter: value", value.shape, wanted, of=of)
    return Spec(shape, value.dtype)


_SLICE_VIEW = ArrayOp(
    "slice_view",
    lambda x, *, key: Spec(sliced_shape("index", key, x.shape), x.dtype),
    view=lambda x, *, key: x[(*numpy_key(full_key("index", key, x.shape)), ...)],
    gradient=lambda g: [library.slice_scatter(g.out_grad, g.specs[0].shape, g.attributes["key"])],
)
_SLICE_SCATTER = PiecesOp(
    "slice_scatter",
    _scatter_infer,
    _scatter,
    operands=("value",),
    gradient=lambda g: [library.slice_view(g.out_grad, g.attributes["key"])],
)


_FLIP = ArrayOp(
    "flip",
    lambda x, *, axis: (axes_of("flip", axis, len(x.shape)), x)[1],
    view=lambda x, *, axis: np.flip(x, axis),
    gradient=lambda g: [library.flip(g.out_grad, g.attributes["axis"])],
    partial=same_shape,
)


# diagonals --------------------------------------------------------------------------------------


def _diagonal_infer(x: Spec, *, offset: int, axis1: int, axis2: int) -> Spec:
    if len(x.shape) < 2:
        raise ShapeError(f"diagonal: shape {x.shape} has no two axes; give a matrix")
    a, b = axes_of("diagonal", (axis1, axis2), len(x.shape), "axis1 and axis2")
    rows, columns = x.shape[a] + min(offset, 0), x.shape[b] - max(offset, 0)
    kept = (n for d, n in enumerate(x.shape) if d not in (a, b))
    return Spec((*kept, max(min(rows, columns), 0)), x.dtype)


def _diagonal_view(x: Array, *, offset: int, axis1: int, axis2: int) -> Array:
    view = np.diagonal(x, offset, axis1, axis2)
    if x.flags.writeable:
        view.flags.writeable = True  # NumPy's is read-only for historical reasons
    return view


def _diagonal_scatter_infer(value: Spec, *, shape: Shape, **place: int) -> Spec:
    wanted = _diagonal_infer(Spec(shape, value.dtype), **place)
    of = f"the diagonal of shape {shape} has"
    require_shape("diagonal_scatter: value", value.shape, wanted.shape, of=of)
    return Spec(shape, value.dtype)


def _diagonal_scatter(out: Array, value: Array, *, shape: Shape, **place: int) -> Writes:
    """Yield the fill with zeros and the copy of the value to a diagonal."""
    yield out, None, 0
    yield _diagonal_view(out, **place), 0, value


_DIAGONAL = ArrayOp(
    "diagonal", _diagonal_infer, view=_diagonal_view,
    gradient=lambda g: [library.diagonal_scatter(g.out_grad, g.specs[0].shape, **g.attributes)],
)  # fmt: skip
_DIAGONAL_SCATTER = PiecesOp(
    "diagonal_scatter",
    _diagonal_scatter_infer,
    _diagonal_scatter,
    operands=("value",),
    gradient=lambda g: [
        library.diagonal(g.out_grad, *(g.attributes[n] for n in ("offset", "axis1", "axis2")))
    ],
)

# triangles --------------------------------------------------------------------------------------


def _triangle(name: str, *, lower: bool) -> ArrayOp:
    def infer(x: Spec, *, k: int) -> Spec:
        if len(x.shape) < 2:
            raise ShapeError(f"{name}: shape {x.shape} has no two axes; give a matrix")
        return x

    def compute(inputs: list[Array], outputs: list[Array], *, k: int) -> None:
        inside = np.tri(*inputs[0].shape[-2:], k=k if lower else k - 1, dtype=bool)
        np.copyto(outputs[0], inputs[0])
        np.copyto(outputs[0], 0, casting="unsafe", where=~inside if lower else inside)

    def rule(g: Gradients) -> list[Any]:
        return [getattr(library, name)(g.out_grad, k=g.attributes["k"])]

    def units(operands: Specs, outputs: Specs, *, k: int) -> Units:
        (rows, columns), kind = operands[0].shape[-2:], raw(operands[0])
        inside = f"column - row {'<=' if lower else '>='} k"
        return threads(
            name,
            {"total": math.prod(outputs[0].shape), "rows": rows, "columns": columns, "k": k},
            {"x": ("source", kind), "out": ("y", kind)},
            f"store(y, i, select({inside}, load(source, i), {kind}(0)))",
            parts=[("o", ""), ("row", "rows"), ("column", "columns")],
        )

    return UnitOp(name, infer, compute, units=units, gradient=rule)


_TRIL, _TRIU = _triangle("tril", lower=True), _triangle("triu", lower=False)

_TABLE = """
slice_view(x, key, *, out=None): `x[key]`: a view.
    = op(..., key=view_key("index", key))
slice_scatter(value, shape, key, *, out=None): Zeros of `shape` with `value` at `key`: the reverse
    of `slice_view`.
    = op(..., key=view_key("slice_scatter", key))
flip(x, axis=None, *, out=None): The elements along axes in reverse order: a view.
    >>> flip([1, 2, 3])
    array([3, 2, 1])
diagonal(x, offset: int = 0, axis1: int = 0, axis2: int = 1, *, out=None): The diagonal of two axes
    as the last axis: a view.
    x : array of two axes or more
    offset : int, above the main diagonal where positive, below where negative
    axis1, axis2 : ints
    >>> diagonal([[1, 2], [3, 4]])
    array([1, 4])
diagonal_scatter(value, shape, offset: int = 0, axis1: int = 0, axis2: int = 1, *, out=None): Zeros
    of `shape` with `value` on a diagonal: the reverse of `diagonal`.
tril(x, k: int = 0, *, out=None): Zeros above diagonal `k` of the last two axes.
    x : array (..., m, n)
    k : int, above the main diagonal where positive, below where negative
    >>> tril([[1, 2], [3, 4]])
    array([[1, 0],
           [3, 4]])
triu(x, k: int = 0, *, out=None): Zeros below diagonal `k` of the last two axes.
    x : array (..., m, n)
    k : int, above the main diagonal where positive, below where negative
    >>> triu([[1, 2], [3, 4]])
    array([[1, 2],
           [0, 4]])
"""
define_rows(_TABLE, globals())
