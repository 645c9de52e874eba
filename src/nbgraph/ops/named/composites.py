"""Operators of MXNet's tables that are compositions of several operators."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from nbgraph.errors import ArgumentError, ShapeError
from nbgraph.ops.define import (
    as_array,
    as_known,
    composed,
    deferrable,
    library,
    number,
    one_of,
    operator_of,
    whole,
    whole_tuple,
)
from nbgraph.ops.shapes.joining import arrays_of

_ACTIVATIONS = ("relu", "sigmoid", "tanh", "softrelu", "softsign")


def several(arrays: Sequence[Any]) -> Sequence[Any]:
    """Return operands in MXNet's form: also from one list of arrays."""
    if len(arrays) == 1 and isinstance(arrays[0], (list, tuple)):
        listed: Sequence[Any] = arrays[0]
        if listed and hasattr(listed[0], "shape"):
            return listed
    return arrays


def added(arrays: Sequence[Any]) -> Any:
    """Return the sum of arrays."""
    total, *rest = arrays_of("add_n", several(arrays))
    for one in rest:
        total = library.add(total, one)
    return total


def dropped(data: Any, p: float, mode: str, axes: Any) -> Any:
    """Return dropout, of whole lines if axes are given."""
    always = one_of("Dropout", "mode", mode, ("training", "always")) == "always"
    if not axes:
        return library.dropout(data, p, always=always)
    ones = library.ones_like(library.stop_gradient(data))
    ones = library.max(ones, axis=tuple(axes), keepdims=True)
    return library.multiply(data, library.dropout(ones, p, always=always))


def activated(data: Any, kind: str) -> Any:
    """Return the activation of MXNet's name."""
    one_of("Activation", "act_type", kind, _ACTIVATIONS)
    return getattr(library, "softplus" if kind == "softrelu" else kind)(data)


def shares(data: Any, mode: str) -> Any:
    """Return softmax over the elements of a sample, or over channels."""
    one_of("SoftmaxActivation", "mode", mode, ("instance", "channel"))
    if mode == "channel":
        return library.softmax(data, 1)
    return library.reshape_like(library.softmax(library.Reshape(data, (0, -1)), -1), data)


def widened(data: Any, axis: Any, size: Any) -> Any:
    """Return data broadcast along axes to sizes."""
    name = "broadcast_axis"
    data = as_known(name, data)
    shape = list(data.shape)
    axes, sizes = whole_tuple(name, "axis", axis), whole_tuple(name, "size", size)
    for own, n in zip(axes, sizes, strict=True):
        shape[own] = n
    return library.broadcast_to(data, tuple(shape))


def padded(data: Any, mode: str, pad_width: Any, value: float) -> Any:
    """Return data with a border."""
    one_of("Pad", "mode", mode, ("constant", "edge", "reflect"))
    flat = whole_tuple("Pad", "pad_width", pad_width)
    if len(flat) % 2:
        raise ArgumentError(f"Pad: pad_width={pad_width} has {len(flat)} numbers; give pairs")
    widths = tuple(zip(flat[::2], flat[1::2], strict=True))
    if mode != "constant":
        return library.pad(data, widths, mode)
    value = number("Pad", "constant_value", value)
    return operator_of(library.pad)(data, pad_width=widths, constant_values=value)


def split(data: Any, sections: Any, axis: int, squeeze_axis: bool) -> Any:
    """Return data in parts along an axis; a single part is an array, as in MXNet."""
    parts = library.split(data, sections, axis)
    parts = [library.squeeze(part, axis) for part in parts] if squeeze_axis else list(parts)
    return parts[0] if len(parts) == 1 else parts


def diagonals(data: Any, k: int, axis1: int, axis2: int) -> Any:
    """Return a diagonal, or the matrix with a vector as its diagonal."""
    data = as_known("diag", data)
    if len(data.shape) > 1:
        return library.diagonal(data, k, axis1, axis2)
    if not data.shape:
        raise ShapeError("diag: data has shape (); expected a vector, or matrices")
    size = data.shape[0] + abs(k)
    return library.diagonal_scatter(data, (size, size), k)


def replaced(lhs: Any, mhs: Any, rhs: Any) -> Any:
    """Return rows with one element of each replaced."""
    data = as_known("fill_element_0index", lhs)
    if len(data.shape) != 2:
        raise ShapeError(f"fill_element_0index: lhs has shape {data.shape}; expected (rows, n)")
    places = np.arange(data.shape[0]), library.astype(as_array(rhs), "int64")
    return library.index_update(data, mhs, *places, key=("array", "array"))


@composed("condition", "data")
@deferrable(ordered=True)
def rows_like(condition: Any, data: Any) -> Any:
    """Return the condition of `where` in a form that broadcasts: a vector over rows gets more axes.

    condition : array
    data : array
    """
    condition, data = as_known("where", condition), as_known("where", data)
    rank = len(data.shape)
    if len(condition.shape) != 1 or rank < 2 or condition.shape == (1,):
        return condition
    if condition.shape != data.shape[:1]:
        raise ShapeError(
            f"where: condition has shape {condition.shape}, x {data.shape}; expected an element "
            "for each row of x, or as many axes as x (ng.where broadcasts from the last axis)"
        )
    return library.reshape(condition, (-1, *[1] * (rank - 1)))


def finite(arrays: Sequence[Any], init_output: bool, out: Any) -> Any:
    """Return whether all elements of arrays are finite, and those of `out` unless `init_output`."""
    before = () if init_output or out is None else (out,)
    parts = [
        library.all(library.isfinite(as_array(x))) for x in arrays_of("multi_all_finite", arrays)
    ]
    parts += [library.all(library.not_equal(x, 0)) for x in before]
    every, *rest = (library.reshape(part, (1,)) for part in parts)
    for part in rest:
        every = library.logical_and(every, part)
    result = library.astype(every, "float32")
    if out is None:
        return result
    out[...] = result
    return out


def _require_divisible(name: str, data: Any, block: int, parts: tuple[int, ...]) -> Any:
    """Return data whose channels, height and width `parts` divide; else raise ShapeError."""
    data, block = as_known(name, data), whole(name, "block_size", block)
    shape = data.shape
    if block < 1 or len(shape) != 4 or any(n % m for n, m in zip(shape[1:], parts, strict=True)):
        raise ShapeError(
            f"{name}: data has shape {shape}, block_size is {block}; expected a size from 1, and "
            f"(images, channels, height, width), the last three multiples of {parts}"
        )
    return data


def unblocked(data: Any, block: int) -> Any:
    """Return channels as blocks of cells."""
    data = _require_divisible("depth_to_space", data, block, (block**2, 1, 1))
    parts = library.Reshape(data, (0, -4, block, -1, 0, 0))
    parts = library.Reshape(parts, (0, 0, -4, block, -1, 0, 0))
    return library.Reshape(library.transpose(parts, (0, 3, 4, 1, 5, 2)), (0, 0, -3, -3))


def blocked(data: Any, block: int) -> Any:
    """Return blocks of cells as channels."""
    data = _require_divisible("space_to_depth", data, block, (1, block, block))
    parts = library.Reshape(data, (0, 0, -4, -1, block, -4, -1, block))
    parts = library.transpose(parts, (0, 3, 5, 1, 2, 4))
    return library.Reshape(library.Reshape(parts, (0, -3, 0, 0, 0)), (0, -3, 0, 0))
