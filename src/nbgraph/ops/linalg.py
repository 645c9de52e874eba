"""Products of matrices and vectors, contractions, triangles. BLAS does the work through NumPy.

16-bit floats are multiplied in float32.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from nbgraph.errors import ArgumentError, ShapeError
from nbgraph.operator.array_op import ArrayOp, Gradients, Spec
from nbgraph.operator.registry import register
from nbgraph.ops.arithmetic import multiply
from nbgraph.ops.define import (
    Shape,
    as_known,
    axes_of,
    axis_of,
    cast,
    library,
    public,
    whole,
    whole_tuple,
)
from nbgraph.ops.reductions import accumulator, sum, sum_to
from nbgraph.ops.shape import expand_dims, matrix_transpose, moveaxis, reshape, squeeze, transpose
from nbgraph.ops.slicing import diagonal
from nbgraph.shape import broadcast

Array = np.ndarray[Any, Any]


# matmul -----------------------------------------------------------------------------------------


def _product_shape(a: Shape, b: Shape) -> Shape:
    """NumPy's rule: vectors gain an axis and lose it again, leading axes broadcast."""
    if not a or not b:
        raise ShapeError(
            f"matmul: x1 has shape {a}, x2 {b}; numbers are multiplied with multiply (x1 * x2)"
        )
    left, right = (1, *a) if len(a) == 1 else a, (*b, 1) if len(b) == 1 else b
    if left[-1] != right[-2]:
        raise ShapeError(
            f"matmul: x1 has shape {a}, x2 {b}; the last size of x1, {left[-1]}, has to be the "
            f"{'only' if len(b) == 1 else 'last but one'} of x2, {right[-2]}"
        )
    batch = broadcast("matmul", [("x1", left[:-2]), ("x2", right[:-2])])
    rows = () if len(a) == 1 else (left[-2],)
    columns = () if len(b) == 1 else (right[-1],)
    return (*batch, *rows, *columns)


def _matmul(inputs: list[Array], outputs: list[Array]) -> None:
    out, dtype = outputs[0], outputs[0].dtype
    wide = accumulator(dtype)
    a, b = (x.astype(wide, copy=False) for x in inputs)
    if wide == dtype and out.ndim:
        np.matmul(a, b, out=out)
    else:
        out[...] = np.matmul(a, b)


def _matmul_rule(g: Gradients) -> list[Any]:
    """As of matrices: vectors have an axis more meanwhile."""
    (a, b), (spec_a, spec_b), out_grad = g.inputs, g.specs, g.out_grad
    if len(spec_b.shape) == 1:
        b, out_grad = (expand_dims(b, 1) if g.wanted[0] else b), expand_dims(out_grad, -1)
    if len(spec_a.shape) == 1:
        a, out_grad = (expand_dims(a, 0) if g.wanted[1] else a), expand_dims(out_grad, -2)
    left = right = None
    if g.wanted[0]:
        left = _unbroadcast(library.matmul(out_grad, matrix_transpose(b)), spec_a, 0)
    if g.wanted[1]:
        right = _unbroadcast(library.matmul(matrix_transpose(a), out_grad), spec_b, 1)
    return [left, right]


def _unbroadcast(gradient: Any, spec: Spec, extra: int) -> Any:
    """To an operand's shape: summed over broadcast axes; a vector loses its axis `extra`."""
    shape = spec.shape
    if len(shape) == 1:
        matrix = (1, *shape) if extra == 0 else (*shape, 1)
        return cast(reshape(sum_to(gradient, matrix), shape), spec)
    return cast(sum_to(gradient, shape), spec)


_MATMUL = ArrayOp(
    "matmul",
    lambda a, b: Spec(_product_shape(a.shape, b.shape), np.result_type(a.dtype, b.dtype)),
    _matmul,
    operands=("x1", "x2"),
    gradient=_matmul_rule,
    keeps=("x1", "x2"),
)


@public(_MATMUL)
def matmul(x1: Any, x2: Any, /, *, out: Any = None) -> Any:
    """The product of matrices, `x1 @ x2`; leading axes broadcast, vectors are rows or columns.

    >>> matmul([[1, 2], [3, 4]], [1, 1])
    array([3, 7])
    """
    return _MATMUL(x1, x2, out=out)


# products made of it ----------------------------------------------------------------------------


@register
def dot(x1: Any, x2: Any, /) -> Any:
    """The sum over the last axis of `x1` and the last but one (or only) of `x2`; of numbers *.

    >>> dot([1, 2], [3, 4])
    np.int64(11)
    """
    a, b = as_known("dot", x1), as_known("dot", x2)
    if not len(a.shape) or not len(b.shape):
        return multiply(x1, x2)
    if (len(a.shape) <= 2 and len(b.shape) <= 2) or len(b.shape) == 1:
        return matmul(a, b)
    return tensordot(a, b, axes=((-1,), (-2,)))


@register
def vecdot(x1: Any, x2: Any, /, *, axis: int = -1) -> Any:
    """The sum of products along an axis; the others broadcast.

    >>> vecdot([[1, 2], [3, 4]], [1, 1])
    array([3, 7])
    """
    a, b = as_known("vecdot", x1), as_known("vecdot", x2)
    place = whole("vecdot", "axis", axis)
    sizes = [x.shape[axis_of("vecdot", place, len(x.shape))] for x in (a, b)]
    if sizes[0] != sizes[1]:
        raise ShapeError(
            f"vecdot: x1 has shape {tuple(a.shape)}, x2 {tuple(b.shape)}; their sizes at axis "
            f"{axis} have to be equal"
        )
    if place != -1:
        a, b = moveaxis(a, place, -1), moveaxis(b, place, -1)
    return squeeze(matmul(expand_dims(a, -2), expand_dims(b, -1)), (-2, -1))


@register
def outer(x1: Any, x2: Any, /, *, out: Any = None) -> Any:
    """The products of every element of the one with every element of the other, flattened.

    >>> outer([1, 2], [3, 4])
    array([[3, 4],
           [6, 8]])
    """
    return multiply(reshape(x1, (-1, 1)), reshape(x2, (1, -1)), out=out)


@register
def tensordot(x1: Any, x2: Any, /, *, axes: Any = 2) -> Any:
    """The sum of products over pairs of axes: the last of `x1` with the first of `x2`, or named.

    >>> tensordot([[1, 2], [3, 4]], [[1, 0], [0, 1]])
    np.int64(5)
    """
    a, b = as_known("tensordot", x1), as_known("tensordot", x2)
    left, right = _pairs(axes, len(a.shape), len(b.shape))
    sizes = [tuple(x.shape[d] for d in own) for x, own in ((a, left), (b, right))]
    if sizes[0] != sizes[1]:
        raise ShapeError(
            f"tensordot: x1 has shape {tuple(a.shape)}, x2 {tuple(b.shape)}; sizes {sizes[0]} at "
            f"axes {left} and {sizes[1]} at axes {right} have to be equal"
        )
    count = int(np.prod(sizes[0], dtype=np.int64))
    rest_a = [d for d in range(len(a.shape)) if d not in left]
    rest_b = [d for d in range(len(b.shape)) if d not in right]
    shape_a, shape_b = [a.shape[d] for d in rest_a], [b.shape[d] for d in rest_b]
    rows = reshape(transpose(a, (*rest_a, *left)), (int(np.prod(shape_a, dtype=int)), count))
    columns = reshape(transpose(b, (*right, *rest_b)), (count, int(np.prod(shape_b, dtype=int))))
    return reshape(matmul(rows, columns), (*shape_a, *shape_b))


def _pairs(axes: Any, ndim_a: int, ndim_b: int) -> tuple[Shape, Shape]:
    if not isinstance(axes, Sequence):
        count = whole("tensordot", "axes", axes)
        if not 0 <= count <= min(ndim_a, ndim_b):
            raise ShapeError(
                f"tensordot: axes={count} for arrays of {ndim_a}-d and {ndim_b}-d; expected 0 to "
                f"{min(ndim_a, ndim_b)}"
            )
        return tuple(range(ndim_a - count, ndim_a)), tuple(range(count))
    left, right = (whole_tuple("tensordot", "axes", own) for own in axes)
    if len(left) != len(right):
        raise ArgumentError(f"tensordot: axes={axes!r} names {len(left)} and {len(right)} axes")
    return axes_of("tensordot", left, ndim_a, "axes"), axes_of("tensordot", right, ndim_b, "axes")


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

    return ArrayOp(name, infer, compute, gradient=rule)


_TRIL, _TRIU = _triangle("tril", lower=True), _triangle("triu", lower=False)


@public(_TRIL)
def tril(x: Any, k: int = 0, *, out: Any = None) -> Any:
    """Zeros above diagonal `k` of the last two axes.

    >>> tril([[1, 2], [3, 4]])
    array([[1, 0],
           [3, 4]])
    """
    return _TRIL(x, k=whole("tril", "k", k), out=out)


@public(_TRIU)
def triu(x: Any, k: int = 0, *, out: Any = None) -> Any:
    """Zeros below diagonal `k` of the last two axes.

    >>> triu([[1, 2], [3, 4]])
    array([[1, 2],
           [0, 4]])
    """
    return _TRIU(x, k=whole("triu", "k", k), out=out)


@register
def trace(x: Any, offset: int = 0, axis1: int = 0, axis2: int = 1, *, dtype: Any = None) -> Any:
    """The sum of a diagonal.

    >>> trace([[1, 2], [3, 4]])
    np.int64(5)
    """
    return sum(diagonal(x, offset, axis1, axis2), axis=-1, dtype=dtype)
