"""Products of vectors and matrices; the linear algebra extension is not part of the namespace."""

from __future__ import annotations

from typing import Any

from nbgraph import ops
from nbgraph.array import NDArray

__all__ = [
    "matmul", "matrix_transpose", "tensordot", "vecdot",
]  # fmt: skip


def matmul(x1: NDArray, x2: NDArray, /) -> NDArray:
    """The matrix product over the last axes; leading axes broadcast."""
    return ops.matmul(x1, x2)


def matrix_transpose(x: NDArray, /) -> NDArray:
    """The last two axes exchanged."""
    return ops.matrix_transpose(x)


def tensordot(x1: NDArray, x2: NDArray, /, *, axes: Any = 2) -> NDArray:
    """Products summed over pairs of axes: the last and first `axes`, or those named."""
    return ops.tensordot(x1, x2, axes=axes)


def vecdot(x1: NDArray, x2: NDArray, /, *, axis: int = -1) -> NDArray:
    """Products summed along one axis.

    >>> from nbgraph import xp
    >>> xp.vecdot(xp.asarray([1, 2]), xp.asarray([3, 4]))
    array(11)
    """
    return ops.vecdot(x1, x2, axis=axis)
