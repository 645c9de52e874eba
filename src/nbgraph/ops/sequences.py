"""Sequences of several lengths in one array (MXNet's names): steps, then samples, or the other
way round. What lies beyond a sample's length does not belong to it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from nbgraph.errors import ArgumentError, ShapeError
from nbgraph.ops.comparison import less, where
from nbgraph.ops.define import as_known, composed, library
from nbgraph.ops.layering import named


def _lengths(name: str, given: Any, use: bool) -> Any:
    if not use:
        return None
    if given is None:
        raise ArgumentError(
            f"{name}: use_sequence_length=True, but sequence_length is not given; give one length "
            "for each sample"
        )
    return library.astype(given, "int64")


def _shape(name: str, data: Any, axis: int) -> tuple[Any, tuple[int, ...]]:
    data = as_known(name, data)
    if axis not in (0, 1) or len(data.shape) < 2:
        raise ShapeError(
            f"{name}: data has shape {tuple(data.shape)} and axis={axis}; expected two axes or "
            "more, steps along axis 0 or 1 and samples along the other"
        )
    return data, tuple(data.shape)


def _beside(values: Any, axis: int, ndim: int) -> Any:
    """One value a sample, so that it broadcasts against data."""
    return library.expand_dims(values, tuple(d for d in range(ndim) if d != 1 - axis))


def _steps(shape: tuple[int, ...], axis: int) -> Any:
    """The number of each step, so that it broadcasts against data."""
    return np.arange(shape[axis]).reshape([-1 if d == axis else 1 for d in range(len(shape))])


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

    >>> SequenceMask([[1.0, 2.0], [3.0, 4.0]], [1, 2], use_sequence_length=True)
    array([[1., 2.],
           [0., 4.]])
    """
    lengths = _lengths("SequenceMask", sequence_length, use_sequence_length)
    if lengths is None:
        return named(library.positive(data), name)
    data, shape = _shape("SequenceMask", data, axis)
    there = less(_steps(shape, axis), _beside(lengths, axis, len(shape)))
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

    >>> SequenceLast([[1.0, 2.0], [3.0, 4.0]], [1, 2], use_sequence_length=True)
    array([1., 4.])
    """
    lengths = _lengths("SequenceLast", sequence_length, use_sequence_length)
    data, shape = _shape("SequenceLast", data, axis)
    if lengths is None:
        return named(library.take(data, shape[axis] - 1, axis), name)
    places = _beside(library.subtract(lengths, 1), axis, len(shape))
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

    >>> SequenceReverse([[1.0, 2.0], [3.0, 4.0]], [1, 2], use_sequence_length=True)
    array([[1., 4.],
           [3., 2.]])
    """
    lengths = _lengths("SequenceReverse", sequence_length, use_sequence_length)
    if lengths is None:
        return named(library.flip(data, axis), name)
    data, shape = _shape("SequenceReverse", data, axis)
    steps = _steps(shape, axis)
    last = library.subtract(_beside(lengths, axis, len(shape)), 1)
    back = library.subtract(last, steps)
    places = where(library.greater_equal(back, 0), back, steps)
    return named(library.take_along_axis(data, places, axis), name)
