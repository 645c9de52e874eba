"""Triangles and diagonals of matrices."""

from __future__ import annotations

from typing import Any

import numpy as np

from nbgraph.errors import ShapeError
from nbgraph.operator.array_op import ArrayOp, Gradients, Spec
from nbgraph.operator.registry import register
from nbgraph.ops.define import library, public, whole
from nbgraph.ops.reductions.reductions import sum
from nbgraph.ops.shapes.slicing import diagonal

Array = np.ndarray[Any, Any]


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

    return ArrayOp(name, infer, compute, gradient=rule)


_TRIL, _TRIU = _triangle("tril", lower=True), _triangle("triu", lower=False)


@public(_TRIL)
def tril(x: Any, k: int = 0, *, out: Any = None) -> Any:
    """Zeros above diagonal `k` of the last two axes.

    Parameters
    ----------
    x : array (..., m, n)
    k : int, above the main diagonal where positive, below where negative

    >>> tril([[1, 2], [3, 4]])
    array([[1, 0],
           [3, 4]])
    """
    return _TRIL(x, k=whole("tril", "k", k), out=out)


@public(_TRIU)
def triu(x: Any, k: int = 0, *, out: Any = None) -> Any:
    """Zeros below diagonal `k` of the last two axes.

    Parameters
    ----------
    x : array (..., m, n)
    k : int, above the main diagonal where positive, below where negative

    >>> triu([[1, 2], [3, 4]])
    array([[1, 2],
           [0, 4]])
    """
    return _TRIU(x, k=whole("triu", "k", k), out=out)


@register
def trace(x: Any, offset: int = 0, axis1: int = 0, axis2: int = 1, *, dtype: Any = None) -> Any:
    """The sum of a diagonal.

    Parameters
    ----------
    x : array of two axes or more
    offset : int, above the main diagonal where positive, below where negative
    axis1, axis2 : ints, the two axes
    dtype : of the sum, as that of `sum`

    >>> trace([[1, 2], [3, 4]])
    np.int64(5)
    """
    return sum(diagonal(x, offset, axis1, axis2), axis=-1, dtype=dtype)
