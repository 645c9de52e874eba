"""Products, diagonals and triangles of matrices under MXNet's names (`linalg_...`): a table."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from nbgraph.errors import ShapeError
from nbgraph.ops.define import as_known, library, whole
from nbgraph.ops.named.calls import define_named
from nbgraph.ops.shapes.joining import arrays_of
from nbgraph.shape import Array

_TABLE = """
linalg_gemm2(A, B, *, transpose_a=False, transpose_b=False, alpha=1.0, axis=-2): alpha * A @ B, of
    matrices that may be transposed.
    A : array (..., m, k), with `transpose_a` (..., k, m)
    B : array (..., k, n), with `transpose_b` (..., n, k); leading axes are a batch and broadcast
    alpha : float, a factor
    axis : int, that of rows in all arrays; columns are the last one
    -> array (..., m, n)
    >>> linalg_gemm2([[1.0, 2.0]], [[3.0, 4.0]], transpose_b=True, alpha=2.0)
    array([[22.]])
    = product(A, B, transpose_a, transpose_b, alpha, axis)
linalg_gemm(A, B, C, *, transpose_a=False, transpose_b=False, alpha=1.0, beta=1.0, axis=-2):
    alpha * A @ B + beta * C, of matrices that may be transposed.
    A : array (..., m, k), with `transpose_a` (..., k, m)
    B : array (..., k, n), with `transpose_b` (..., n, k)
    C : array (..., m, n); all leading axes are a batch and broadcast
    alpha, beta : floats, factors
    axis : int, that of rows in all arrays; columns are the last one
    -> array (..., m, n)
    >>> linalg_gemm([[1.0, 2.0]], [[3.0], [4.0]], [[1.0]], beta=0.5)
    array([[11.5]])
    = library.add(product(A, B, transpose_a, transpose_b, alpha, axis), scaled(C, beta))
linalg_syrk(A, *, transpose=False, alpha=1.0): alpha * A @ A.T, or alpha * A.T @ A with `transpose`.
    A : array (..., m, n); leading axes are a batch
    alpha : float, a factor
    -> array (..., m, m), or (..., n, n) with `transpose`: symmetric
    >>> linalg_syrk([[1.0, 2.0]], alpha=2.0)
    array([[10.]])
    = product(A, A, transpose, not transpose, alpha, -2)
linalg_sumlogdiag(A): The sum of the logarithms of a diagonal; of Cholesky's factor half the
    logarithm of a determinant.
    A : array (..., n, n), positive on the diagonal
    -> array (...); the gradient lies on the diagonal, 1 / A[i, i]
    >>> float(linalg_sumlogdiag([[1.0, 5.0], [7.0, 1.0]]))
    0.0
    = library.sum(library.log(library.diagonal(A, 0, -2, -1)), axis=-1)
linalg_extractdiag(A, *, offset=0): A diagonal of each matrix.
    A : array (..., m, n); leading axes are a batch
    offset : int, which one: above the main diagonal where positive, below where negative
    -> array (..., length of the diagonal)
    >>> linalg_extractdiag([[1, 2], [3, 4]])
    array([1, 4])
    >>> linalg_extractdiag([[1, 2], [3, 4]], offset=1)
    array([2])
    = library.diagonal(A, whole("linalg_extractdiag", "offset", offset), -2, -1)
linalg_makediag(A, *, offset=0): Matrices that have the last axis as a diagonal, and zeros
    elsewhere.
    A : array (..., n); leading axes are a batch
    offset : int, which one: above the main diagonal where positive, below where negative
    -> array (..., m, m), m = n + abs(offset)
    >>> linalg_makediag([1, 2])
    array([[1, 0],
           [0, 2]])
    = from_diagonals(A, offset)
linalg_extracttrian(A, *, offset=0, lower=True): The elements of a triangle of each matrix: of a
    lower one row by row, of an upper one column by column.
    A : array (..., n, n); leading axes are a batch
    offset : int, where the triangle begins: 1 above the diagonal, -1 below it
    lower : which triangle it is where offset is 0
    -> array (..., m * (m + 1) / 2), m = n - abs(offset)
    >>> linalg_extracttrian([[1, 2], [3, 4]])
    array([1, 3, 4])
    = triangles(A, offset, lower)
linalg_maketrian(A, *, offset=0, lower=True): Matrices that have the last axis as a triangle, in the
    order of `linalg_extracttrian`, and zeros elsewhere.
    A : array (..., m * (m + 1) / 2); leading axes are a batch
    offset : int, where the triangle begins: 1 above the diagonal, -1 below it
    lower : which triangle it is where offset is 0
    -> array (..., n, n), n = m + abs(offset)
    ! ShapeError where the last axis has no triangle's number of elements.
    >>> linalg_maketrian([1, 3, 4])
    array([[1, 0],
           [3, 4]])
    = from_triangles(A, offset, lower)
khatri_rao(*args): Column by column the Kronecker product of matrices (Khatri and Rao, 1968).
    *args : arrays (rows, n), with equally many columns
    -> array (product of the rows, n): the last matrix's rows change fastest
    >>> khatri_rao([[1, 2]], [[3, 4], [5, 6]])
    array([[ 3,  8],
           [ 5, 12]])
    = columnwise(args)
"""
_BY_SHAPE = frozenset("linalg_makediag linalg_extracttrian linalg_maketrian khatri_rao".split())


def scaled(x: Any, factor: float) -> Any:
    """Return an array times a number."""
    return x if factor == 1 else library.multiply(x, float(factor))


def product(a: Any, b: Any, turn_a: bool, turn_b: bool, alpha: float, axis: int) -> Any:
    """Return alpha * a @ b, with rows along an axis."""
    axis = whole("linalg_gemm2", "axis", axis)
    first, second = (x if axis == -2 else library.moveaxis(x, axis, -2) for x in (a, b))
    first = library.matrix_transpose(first) if turn_a else first
    second = library.matrix_transpose(second) if turn_b else second
    result = scaled(library.matmul(first, second), alpha)
    return result if axis == -2 else library.moveaxis(result, -2, axis)


def from_diagonals(a: Any, offset: int) -> Any:
    """Return matrices with these diagonals."""
    a, offset = as_known("linalg_makediag", a), whole("linalg_makediag", "offset", offset)
    size = a.shape[-1] + abs(offset)
    lead = len(a.shape) - 1
    return library.diagonal_scatter(a, (*a.shape[:-1], size, size), offset, lead, lead + 1)


def _places(size: int, offset: int, lower: bool) -> tuple[Array, Array]:
    """Return rows and columns of a triangle: above the diagonal if offset > 0, below if offset < 0,
    else as `lower`. The lower one is ordered by rows, the upper one by columns, as in MXNet."""
    below = offset < 0 or (offset == 0 and lower)
    first, second = np.nonzero(np.tri(size, k=-abs(offset)))
    return (first, second) if below else (second, first)


def triangles(a: Any, offset: int, lower: bool) -> Any:
    """Return the elements of triangles."""
    name = "linalg_extracttrian"
    a = as_known(name, a)
    size = a.shape[-1]
    rows, columns = _places(size, whole(name, "offset", offset), lower)
    flat = library.reshape(a, (*a.shape[:-2], size * size))
    return library.take(flat, rows * size + columns, -1)


def from_triangles(a: Any, offset: int, lower: bool) -> Any:
    """Return matrices with these triangles."""
    name = "linalg_maketrian"
    a, offset = as_known(name, a), whole(name, "offset", offset)
    count = a.shape[-1]
    rows = (math.isqrt(8 * count + 1) - 1) // 2
    if rows * (rows + 1) // 2 != count:
        raise ShapeError(f"{name}: {count} elements are not a triangle; give 1, 3, 6, ...")
    size = rows + abs(offset)
    at = _places(size, offset, lower)
    places, inside = np.zeros((size, size), np.int64), np.zeros((size, size), bool)
    places[at], inside[at] = np.arange(count), True
    return library.multiply(library.take(a, places, -1), inside)


def columnwise(arrays: Sequence[Any]) -> Any:
    """Return the Khatri-Rao product."""
    product, *rest = (as_known("khatri_rao", x) for x in arrays_of("khatri_rao", arrays))
    for one in rest:
        rows = product.shape[0] * one.shape[0]
        each = library.multiply(library.expand_dims(product, 1), library.expand_dims(one, 0))
        product = library.reshape(each, (rows, one.shape[1]))
    return product


define_named(_TABLE, globals(), _BY_SHAPE)
