"""Elements by integer indices along one axis; the reverse, which adds; one-hot rows.

Indices count from 0, negative ones from the end. One out of bounds raises IndexingError: at the
call for NumPy arrays, at the computation for indices that are not yet known.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from nbgraph.errors import DTypeError, IndexingError, ShapeError
from nbgraph.operator.arrays.array_op import ArrayOp, Gradients, Spec, Specs, constant
from nbgraph.operator.arrays.tiled_op import AddingOp
from nbgraph.operator.arrays.unit_op import UnitOp
from nbgraph.operator.arrays.units import Units, raw, threads
from nbgraph.operator.call import carrier_of
from nbgraph.ops.define import (
    Shape,
    as_array,
    axis_of,
    define_rows,
    library,
    one_of,
    optional_dtype,
    public,
    whole,
)
from nbgraph.ops.indexing.places import signed, taken, taken_along
from nbgraph.ops.indexing.scattering import add_along_tiling
from nbgraph.ops.reductions.reductions import accumulator
from nbgraph.ops.shapes.slicing import at_axis
from nbgraph.settings import config
from nbgraph.shape import Array, Arrays

Number = int | float


def require_integers(name: str, spec: Spec, operand: str = "indices") -> None:
    """Raise DTypeError unless indices are integers."""
    if spec.dtype.kind not in "iu":
        raise DTypeError(
            f"{name}: {operand} has dtype {spec.dtype}; indices are integers, for a mask use "
            "nonzero(mask)"
        )


def of_result(function: Callable[..., Array]) -> Callable[..., None]:
    """Return the compute of an operator whose result a function of arrays returns."""

    def compute(inputs: Arrays, outputs: Arrays, **attributes: Any) -> None:
        outputs[0][...] = function(*inputs, **attributes)

    return compute


def check_bounds(name: str, indices: Array, size: int, axis: int) -> None:
    """Raise IndexingError if an index lies outside -size to size - 1."""
    if indices.size == 0:
        return
    low, high = int(indices.min()), int(indices.max())
    if low < -size or high >= size:
        outside = high if high >= size else low
        raise IndexingError(
            f"{name}: index {outside} is out of bounds for axis {axis} of size {size}; "
            + (f"expected {-size} to {size - 1}" if size else "the axis is empty")
        )


def add_at(out: Array, places: tuple[Any, ...], value: Array) -> None:
    """Add `value` to `out[places]`, for repeated places repeatedly; in float32 at least."""
    wide = accumulator(out.dtype)
    target = out if wide == out.dtype and out.flags.c_contiguous else out.astype(wide, order="C")
    # flat indices of elements: the only form that NumPy adds at fast
    numbers = np.arange(out.size).reshape(out.shape)[places]
    values = np.broadcast_to(value, numbers.shape).astype(wide, copy=False)
    np.add.at(target.reshape(-1), numbers.ravel(), values.ravel())
    if target is not out:
        out[...] = target


def _indices(x: Any) -> Any:
    """Return indices as an array; an empty list is taken as integers."""
    array = as_array(x)
    if isinstance(x, (list, tuple)) and array.size == 0:
        return array.astype("int64")
    return array


# take -------------------------------------------------------------------------------------------


def _take_infer(x: Spec, indices: Spec, *, axis: int) -> Spec:
    require_integers("take", indices)
    place = axis_of("take", axis, len(x.shape))
    return Spec((*x.shape[:place], *indices.shape, *x.shape[place + 1 :]), x.dtype)


def _take(x: Array, indices: Array, *, axis: int) -> Array:
    axis = axis_of("take", axis, x.ndim)
    check_bounds("take", indices, x.shape[axis], axis)
    # "wrap" for checked indices: NumPy would use a temporary array for its own check
    return np.take(x, indices, axis, mode="wrap")


def _take_rule(g: Gradients) -> list[Any]:
    shape = g.specs[0].shape
    place = axis_of("take", g.attributes["axis"], len(shape))
    key = at_axis(place, "array")
    return [library.scatter_add(g.out_grad, g.inputs[1], shape=shape, key=key)]


_TAKE = UnitOp(
    "take",
    _take_infer,
    of_result(_take),
    units=taken,
    suits=signed,
    operands=("x", "indices"),
    gradient=_take_rule,
    keeps=("indices",),
)


@public(_TAKE)
def take(
    x: Any, indices: Any, axis: int | None = None, *, mode: str = "raise", out: Any = None
) -> Any:
    """The elements at these indices along an axis, by default of the flattened array.

    indices : array of any shape of ints, negative ones count from the end
    axis : int or None
    mode : "raise": an IndexingError for an index out of bounds; "clip": the nearest; "wrap": modulo
        the size, as in NumPy
    -> array of the shape of x with that of `indices` in place of the axis. The gradient is added up
        where indices repeat.
    >>> take([10, 20, 30], [2, 0, 2]), take([10, 20, 30], [5, -7], mode="clip")
    (array([30, 10, 30]), array([30, 10]))
    """
    if axis is None:
        x, axis = library.ravel(x), 0
    axis, indices = whole("take", "axis", axis), _indices(indices)
    if mode != "raise":
        indices = within("take", x, indices, axis, mode)
    return _TAKE(x, indices, axis=axis, out=out)


def within(name: str, x: Any, indices: Any, axis: int, mode: str) -> Any:
    """Return indices brought within the bounds of an axis; ArgumentError for an unknown `mode`."""
    one_of(name, "mode", mode, ("raise", "clip", "wrap"))
    carrier = carrier_of((x, indices))
    if mode == "raise":
        return indices
    if carrier is None or hasattr(carrier, "__nbgraph_compose__"):  # shapes of symbols may change
        return WITHIN(x, indices, axis=axis, mode=mode)
    WITHIN.infer([Spec.of(as_array(v)) for v in (x, indices)], {"axis": axis, "mode": mode})
    return _within(as_array(x), as_array(indices), axis=axis, mode=mode)  # in kernels


def _within_infer(x: Spec, indices: Spec, *, axis: int, mode: str) -> Spec:
    require_integers("take", indices)
    axis_of("take", axis, len(x.shape))
    return Spec(indices.shape, _wide(indices.dtype))


def _wide(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """Return an integer dtype that holds the size of an axis."""
    return dtype if dtype.itemsize == 8 else np.dtype("int64")


def _within(x: Any, indices: Any, *, axis: int, mode: str) -> Any:
    size, indices = x.shape[axis], library.astype(indices, _wide(indices.dtype))
    return library.mod(indices, size) if mode == "wrap" else library.clip(indices, 0, size - 1)


WITHIN = ArrayOp(
    "indices_within",
    _within_infer,
    gradient=constant,
    composition=_within,
    operands=("x", "indices"),
)


# along an axis ----------------------------------------------------------------------------------


def _chosen(name: str, shape: Shape, indices: Shape, axis: int) -> Shape:
    """Return the shape that indices select: broadcast against `shape` at all axes but one."""
    if len(shape) != len(indices):
        raise ShapeError(
            f"{name}: indices of shape {indices} for an array of shape {shape}; give indices with "
            "as many axes"
        )
    places = list(indices)
    for d, (n, m) in enumerate(zip(shape, indices, strict=True)):
        if d != axis and m == 1:
            places[d] = n
        elif d != axis and n not in (1, m):
            raise ShapeError(
                f"{name}: indices of shape {indices} do not fit shape {shape} at axis {d}; sizes "
                f"must be equal or 1 at all axes but {axis}"
            )
    return tuple(places)


def _places(indices: Array, axis: int, shape: Shape) -> tuple[Array, ...]:
    """Return indices of every axis: the given ones at `axis`, ranges at the others."""
    grids = np.ogrid[tuple(slice(n) for n in shape)]
    return tuple(indices if d == axis else grid for d, grid in enumerate(grids))


def _along_infer(x: Spec, indices: Spec, *, axis: int) -> Spec:
    require_integers("take_along_axis", indices)
    place = axis_of("take_along_axis", axis, len(x.shape))
    return Spec(_chosen("take_along_axis", x.shape, indices.shape, place), x.dtype)


def _along(x: Array, indices: Array, *, axis: int) -> Array:
    axis = axis_of("take_along_axis", axis, x.ndim)
    check_bounds("take_along_axis", indices, x.shape[axis], axis)
    shape = _chosen("take_along_axis", x.shape, indices.shape, axis)
    wide = np.broadcast_to(x, [x.shape[d] if d == axis else n for d, n in enumerate(shape)])
    return wide[_places(indices, axis, shape)]


def _along_rule(g: Gradients) -> list[Any]:
    shape, axis = g.specs[0].shape, g.attributes["axis"]
    place = axis_of("take_along_axis", axis, len(shape))
    wide = _chosen("take_along_axis", shape, g.specs[1].shape, place)
    whole_shape = tuple(shape[d] if d == place else n for d, n in enumerate(wide))
    return [library.scatter_along_axis(g.out_grad, g.inputs[1], whole_shape, axis)]


_TAKE_ALONG = UnitOp(
    "take_along_axis",
    _along_infer,
    of_result(_along),
    units=taken_along,
    suits=signed,
    operands=("x", "indices"),
    gradient=_along_rule,
    keeps=("indices",),
)


def _scatter_infer(value: Spec, indices: Spec, *, shape: Shape, axis: int) -> Spec:
    require_integers("scatter_along_axis", indices)
    place = axis_of("scatter_along_axis", axis, len(shape))
    wanted = _chosen("scatter_along_axis", shape, indices.shape, place)
    room = all(d == place or n == shape[d] for d, n in enumerate(wanted))
    if wanted != value.shape or not room:
        raise ShapeError(
            f"scatter_along_axis: value has shape {value.shape}, the indices choose {wanted} "
            f"of shape {shape}; give a value of that shape"
        )
    return Spec(shape, value.dtype)


def _scatter(value: Array, indices: Array, *, shape: Shape, axis: int) -> Array:
    axis = axis_of("scatter_along_axis", axis, len(shape))
    check_bounds("scatter_along_axis", indices, shape[axis], axis)
    out = np.zeros(shape, value.dtype)
    add_at(out, _places(indices, axis, value.shape), value)
    return out


_SCATTER_ALONG = AddingOp(
    "scatter_along_axis",
    _scatter_infer,
    add_along_tiling,
    _scatter,
    operands=("value", "indices"),
    gradient=lambda g: [
        library.take_along_axis(g.out_grad, g.inputs[1], g.attributes["axis"]),
        None,
    ],
    keeps=("indices",),
)


# one-hot ----------------------------------------------------------------------------------------


def _one_hot_infer(indices: Spec, *, depth: int, dtype: np.dtype[Any], **_: Number) -> Spec:
    require_integers("one_hot", indices)
    return Spec((*indices.shape, depth), dtype)


def _one_hot(
    inputs: list[Array],
    outputs: list[Array],
    *,
    depth: int,
    dtype: Any,
    on_value: Number = 1,
    off_value: Number = 0,
) -> None:
    hit = inputs[0][..., None] == np.arange(depth)
    outputs[0][...] = hit if (on_value, off_value) == (1, 0) else np.where(hit, on_value, off_value)


def _bits(number: Number, dtype: np.dtype[Any]) -> int:
    """Return the bits of a number of a dtype as an integer."""
    number_of = np.zeros(1, dtype)
    number_of[0] = number
    return int(number_of.view(f"u{dtype.itemsize}")[0].astype("int64"))


def _hot(
    operands: Specs,
    outputs: Specs,
    *,
    depth: int,
    dtype: Any,
    on_value: Number = 1,
    off_value: Number = 0,
) -> Units:
    (indices,), (out,) = operands, outputs
    values = {"on_value": _bits(on_value, out.dtype), "off_value": _bits(off_value, out.dtype)}
    return threads(
        "one_hot",
        {"total": math.prod(out.shape), "depth": depth, **values},
        {"indices": ("index", indices.dtype.name), "out": ("y", raw(out))},
        "hot = int64(load(index, row))",
        "store(y, i, select(hot == column, on_value, off_value))",
        parts=[("row", ""), ("column", "depth")],
    )


_ONE_HOT = UnitOp("one_hot", _one_hot_infer, _one_hot, units=_hot, operands=("indices",))


def hot(indices: Any, depth: int, values: dict[str, Number], dtype: Any, out: Any) -> Any:
    """Return rows with a one at the index, by default; see `one_hot`."""
    dtype = optional_dtype(config.default_float if dtype is None else dtype)
    indices = _indices(indices)
    if indices.shape is None or indices.dtype.kind not in "iub":
        indices = library.astype(indices, "int64")
    return _ONE_HOT(indices, depth=depth, dtype=dtype, out=out, **values)


_TABLE = """
one_hot(indices, depth: int, *, on_value: float = 1, off_value: float = 0, dtype=None, out=None):
    Rows of `depth` zeros with a one at the index; only zeros for an index outside.
    indices : array of any shape; floats are cut to whole numbers
    depth : int, the size of the new last axis
    on_value, off_value : numbers in place of one and zero
    dtype : of the result, by default float32
    -> array (*indices.shape, depth), a constant for derivatives
    >>> one_hot([0, 2, 5], 3)
    array([[1., 0., 0.],
           [0., 0., 1.],
           [0., 0., 0.]], dtype=float32)
    = hot(indices, shape_tuple("one_hot", (depth,), "depth")[0], {} if (on_value, off_value) == (1,
        0) else {"on_value": on_value, "off_value": off_value}, dtype, out)
take_along_axis(x, indices, axis: int = -1, *, out=None): Elements along an axis, at separate
    indices for each line, such as argsort(x).

    The gradient is added up where indices repeat.
    indices : array of ints with as many axes, of the shape of x but for `axis`
    axis : int
    >>> take_along_axis([[30, 10, 20]], [[1, 2, 0]], axis=1)
    array([[10, 20, 30]])
    = _TAKE_ALONG(x, _indices(indices), axis=whole("take_along_axis", "axis", axis), out=out)
scatter_along_axis(value, indices, shape, axis: int = -1, *, out=None): Zeros of `shape` with
    `value` added at indices along an axis: `take_along_axis` reversed.
    value, indices : arrays of one shape
    shape : of the result
    axis : int
    >>> scatter_along_axis([1, 2, 4], [0, 2, 2], (3,))
    array([1, 0, 6])
    = _SCATTER_ALONG(value, _indices(indices), shape=shape_tuple("scatter_along_axis", shape),
        axis=whole("scatter_along_axis", "axis", axis), out=out)
"""
define_rows(_TABLE, globals())
