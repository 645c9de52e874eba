"""Sequences of several lengths in one array (MXNet's names): steps, then samples, or the other
way round. What lies beyond a sample's length does not belong to it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from nbgraph.errors import ArgumentError, ShapeError
from nbgraph.operator.array_op import ArrayOp, Spec, constant
from nbgraph.ops.define import composed, library
from nbgraph.ops.elementwise.comparison import less, where
from nbgraph.ops.named.layering import named
from nbgraph.ops.shapes.slicing import at_axis, slice_view

Array = np.ndarray[Any, Any]


def _lengths(name: str, given: Any, use: bool) -> Any:
    if not use:
        return None
    if given is None:
        raise ArgumentError(
            f"{name}: use_sequence_length=True, but sequence_length is not given; give one length "
            "for each sample"
        )
    return library.astype(given, "int64")


# what broadcasts against the data ---------------------------------------------------------------


def _along(data: Spec, place: int, axis: int) -> Spec:
    if axis not in (0, 1) or len(data.shape) < 2:
        raise ShapeError(
            f"sequences: data has shape {data.shape} and axis={axis}; expected two axes or more, "
            "steps along axis 0 or 1 and samples along the other"
        )
    shape = tuple(n if d == place else 1 for d, n in enumerate(data.shape))
    return Spec(shape, np.dtype("int64"))


def _beside_infer(data: Spec, lengths: Spec, *, axis: int) -> Spec:
    made = _along(data, 1 - axis, axis)
    if lengths.shape != (data.shape[1 - axis],):
        raise ShapeError(
            f"sequences: sequence_length has shape {lengths.shape} beside data{data.shape}; "
            f"expected {(data.shape[1 - axis],)}, one for each sample"
        )
    return made


def _beside(inputs: Sequence[Array], outputs: Sequence[Array], *, axis: int) -> None:
    outputs[0][...] = inputs[1].reshape(outputs[0].shape)


def _steps(inputs: Sequence[Array], outputs: Sequence[Array], *, axis: int) -> None:
    outputs[0][...] = np.arange(outputs[0].size).reshape(outputs[0].shape)


BESIDE = ArrayOp(  # the length of each sample
    "sequence_lengths",
    _beside_infer,
    _beside,
    gradient=constant,
    operands=("data", "sequence_length"),
)
STEPS = ArrayOp(  # the number of each step
    "sequence_steps",
    lambda data, *, axis: _along(data, axis, axis),
    _steps,
    gradient=constant,
    operands=("data",),
)


@composed("data", "sequence_length")
def SequenceMask(
    data: Any,
    sequence_length: Any = None,
    *,
    use_sequence_length: bool = False,
    value: float = 0.0,
    axis: int = 0,
    name: str | None = None,
) -> Any:
    """`data` with `value` at steps beyond each sample's length.

    Parameters
    ----------
    data : array (steps, samples, ...), with axis=1 (samples, steps, ...)
    sequence_length : array (samples,), read where `use_sequence_length`; else nothing is masked
    value : float
    axis : int, 0 or 1, that of the steps

    Returns
    -------
    array of the shape of data; masked elements have gradient 0

    Raises
    ------
    ShapeError where shapes do not fit; ArgumentError where lengths are missing.

    >>> SequenceMask([[1.0, 2.0], [3.0, 4.0]], [1, 2], use_sequence_length=True)
    array([[1., 2.],
           [0., 4.]])
    """
    lengths = _lengths("SequenceMask", sequence_length, use_sequence_length)
    if lengths is None:
        return named(library.positive(data), name)
    there = less(STEPS(data, axis=axis), BESIDE(data, lengths, axis=axis))
    return named(where(there, data, float(value)), name)


@composed("data", "sequence_length")
def SequenceLast(
    data: Any,
    sequence_length: Any = None,
    *,
    use_sequence_length: bool = False,
    axis: int = 0,
    name: str | None = None,
) -> Any:
    """The last step of each sample.

    Parameters
    ----------
    data : array (steps, samples, ...), with axis=1 (samples, steps, ...)
    sequence_length : array (samples,) of 1 to steps, read where `use_sequence_length`; else all
        samples have all steps
    axis : int, 0 or 1, that of the steps

    Returns
    -------
    array (samples, ...); the gradient goes to the steps that were taken

    Raises
    ------
    ShapeError where shapes do not fit; IndexingError for a length beyond the steps; ArgumentError
        where
    lengths are missing.

    >>> SequenceLast([[1.0, 2.0], [3.0, 4.0]], [1, 2], use_sequence_length=True)
    array([1., 4.])
    """
    lengths = _lengths("SequenceLast", sequence_length, use_sequence_length)
    if lengths is None:
        return named(slice_view(data, at_axis(axis, -1)), name)
    places = library.subtract(BESIDE(data, lengths, axis=axis), 1)
    return named(library.squeeze(library.take_along_axis(data, places, axis), axis), name)


@composed("data", "sequence_length")
def SequenceReverse(
    data: Any,
    sequence_length: Any = None,
    *,
    use_sequence_length: bool = False,
    axis: int = 0,
    name: str | None = None,
) -> Any:
    """The steps of each sample in reverse order; those beyond its length stay where they are.

    Parameters
    ----------
    data : array (steps, samples, ...), with axis=1 (samples, steps, ...)
    sequence_length : array (samples,), read where `use_sequence_length`; else all steps are
        reversed
    axis : int, 0 or 1, that of the steps

    Returns
    -------
    array of the shape of data

    Raises
    ------
    ShapeError where shapes do not fit; ArgumentError where lengths are missing.

    >>> SequenceReverse([[1.0, 2.0], [3.0, 4.0]], [1, 2], use_sequence_length=True)
    array([[1., 4.],
           [3., 2.]])
    """
    lengths = _lengths("SequenceReverse", sequence_length, use_sequence_length)
    if lengths is None:
        return named(library.flip(data, axis), name)
    steps = STEPS(data, axis=axis)
    last = library.subtract(BESIDE(data, lengths, axis=axis), 1)
    back = library.subtract(last, steps)
    places = where(library.greater_equal(back, 0), back, steps)
    return named(library.take_along_axis(data, places, axis), name)
