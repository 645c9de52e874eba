"""Operators that say a shape by another array, and numbers of steps of sequences."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from nbgraph.operator.array_op import Spec
from nbgraph.operator.elsewhere import composed
from nbgraph.ops.define import library, operator_of
from nbgraph.ops.named.cropping import slice_like
from nbgraph.ops.named.reshaping import broadcast_like, reshape_like, shape_array, size_array
from nbgraph.ops.named.sequences import BESIDE, STEPS


def _inferred(op: Any, *arrays: Any, **attributes: Any) -> tuple[int, ...]:
    specs = [Spec(tuple(x.shape), x.dtype) for x in arrays]
    return op.infer(specs, attributes)[0].shape


@composed(reshape_like)
def reshaped(lhs: Any, rhs: Any, **axes: Any) -> Any:
    """Under the shape of another."""
    return library.reshape(lhs, _inferred(operator_of(reshape_like), lhs, rhs, **axes))


@composed(broadcast_like)
def repeated(lhs: Any, rhs: Any, *, axes: Any) -> Any:
    """Repeated to the sizes of another."""
    return library.broadcast_to(lhs, _inferred(operator_of(broadcast_like), lhs, rhs, axes=axes))


@composed(slice_like)
def cut(data: Any, shape_like: Any, *, axes: Any) -> Any:
    """As many elements as another has."""
    shape = _inferred(operator_of(slice_like), data, shape_like, axes=axes)
    return library.slice_view(data, tuple(slice(n) for n in shape))


@composed(shape_array)
def sizes(x: Any) -> Any:
    """The shape as an array."""
    return _numbers(x, x.shape)


@composed(size_array)
def size(x: Any) -> Any:
    """The number of elements as an array."""
    return _numbers(x, (math.prod(x.shape),))


def _numbers(x: Any, given: Any) -> Any:
    """Whole numbers, where x is."""
    zeros = library.zeros_like(x, "int64", shape=(len(given),))
    return library.add(zeros, np.array(given, np.int64))


@composed(BESIDE)
def lengths(data: Any, given: Any, *, axis: int) -> Any:
    """The length of each sample, so that it broadcasts against the data."""
    shape = _inferred(BESIDE, data, given, axis=axis)
    return library.astype(library.reshape(given, shape), "int64")


@composed(STEPS)
def steps(data: Any, *, axis: int) -> Any:
    """The number of each step, so that it broadcasts against the data."""
    shape = _inferred(STEPS, data, axis=axis)
    return library.reshape(_numbers(data, range(math.prod(shape))), shape)
