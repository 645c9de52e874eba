"""Sequences of several lengths in one array (MXNet's names): steps, then samples, or the reverse.
Elements beyond a sample's length are padding.
"""

import math
from typing import Any

import numpy as np

from nbgraph.errors import ArgumentError, ShapeError, require_shape
from nbgraph.operator.arrays.array_op import ArrayOp, Spec, constant
from nbgraph.ops.define import library
from nbgraph.ops.named.reshaping import numbers
from nbgraph.ops.shapes.slicing import at_axis


def _lengths(name: str, lengths: Any, use: bool) -> Any:
    if not use:
        return None
    if lengths is None:
        raise ArgumentError(
            f"{name}: use_sequence_length=True, but sequence_length is not given; give one length "
            "for each sample"
        )
    return library.astype(lengths, "int64")


def _along(data: Spec, place: int, axis: int) -> Spec:
    if axis not in (0, 1) or len(data.shape) < 2:
        raise ShapeError(
            f"sequences: data has shape {data.shape} and axis={axis}; expected two axes or more, "
            "steps along axis 0 or 1 and samples along the other"
        )
    shape = tuple(n if d == place else 1 for d, n in enumerate(data.shape))
    return Spec(shape, np.dtype("int64"))


def _beside_infer(data: Spec, lengths: Spec, *, axis: int) -> Spec:
    result = _along(data, 1 - axis, axis)
    why = f"one for each sample of data{data.shape}"
    require_shape("sequences: sequence_length", lengths.shape, (data.shape[1 - axis],), why)
    return result


def _beside(data: Any, lengths: Any, *, axis: int) -> Any:
    shape = _along(Spec.of(data), 1 - axis, axis).shape
    return library.astype(library.reshape(lengths, shape), "int64")


def _steps(data: Any, *, axis: int) -> Any:
    shape = _along(Spec.of(data), axis, axis).shape
    return library.reshape(numbers(data, range(math.prod(shape))), shape)


BESIDE = ArrayOp(  # the length of each sample
    "sequence_lengths",
    _beside_infer,
    gradient=constant,
    composition=_beside,
    operands=("data", "sequence_length"),
)
STEPS = ArrayOp(  # the index of each step
    "sequence_steps",
    lambda data, *, axis: _along(data, axis, axis),
    gradient=constant,
    composition=_steps,
    operands=("data",),
)


def masked(data: Any, lengths: Any, use: bool, value: float, axis: int) -> Any:
    """Return data with a value beyond each sample's length."""
    lengths = _lengths("SequenceMask", lengths, use)
    if lengths is None:
        return library.positive(data)
    there = library.less(STEPS(data, axis=axis), BESIDE(data, lengths, axis=axis))
    return library.where(there, data, float(value))


def last(data: Any, lengths: Any, use: bool, axis: int) -> Any:
    """Return the last step of each sample."""
    lengths = _lengths("SequenceLast", lengths, use)
    if lengths is None:
        return library.slice_view(data, at_axis(axis, -1))
    places = library.subtract(BESIDE(data, lengths, axis=axis), 1)
    return library.squeeze(library.take_along_axis(data, places, axis), axis)


def backwards(data: Any, lengths: Any, use: bool, axis: int) -> Any:
    """Return each sample's own steps in reverse order."""
    lengths = _lengths("SequenceReverse", lengths, use)
    if lengths is None:
        return library.flip(data, axis)
    steps = STEPS(data, axis=axis)
    final = library.subtract(BESIDE(data, lengths, axis=axis), 1)
    back = library.subtract(final, steps)
    places = library.where(library.greater_equal(back, 0), back, steps)
    return library.take_along_axis(data, places, axis)
