"""Products, diagonals and triangles of matrices under MXNet's names (`linalg_...`)."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from nbgraph.errors import ShapeError
from nbgraph.ops.define import as_known, composed, deferrable, library, whole
from nbgraph.ops.elementwise.arithmetic import add, multiply

Array = np.ndarray[Any, Any]


def _turned(x: Any, turn: bool) -> Any:
    return library.matrix_transpose(x) if turn else x


def _rows_at(x: Any, axis: int, place: int) -> Any:
    """Rows brought from one axis to another one."""
    return x if axis == place else library.moveaxis(x, axis, place)


@composed("A", "B")
def linalg_gemm2(
    A: Any,
    B: Any,
    *,
    transpose_a: bool = False,
    transpose_b: bool = False,
    alpha: float = 1.0,
    axis: int = -2,
) -> Any:
    """alpha * A @ B, of matrices that may be transposed.

    Parameters
    ----------
    A : array (..., m, k), with `transpose_a` (..., k, m)
    B : array (..., k, n), with `transpose_b` (..., n, k); leading axes are a batch and broadcast
    alpha : float, a factor
    axis : int, that of rows in all arrays; columns are the last one

    Returns
    -------
    array (..., m, n)

    >>> linalg_gemm2([[1.0, 2.0]], [[3.0, 4.0]], transpose_b=True, alpha=2.0)
    array([[22.]])
    """
    axis = whole("linalg_gemm2", "axis", axis)
    first, second = (_rows_at(x, axis, -2) for x in (A, B))
    made = library.matmul(_turned(first, transpose_a), _turned(second, transpose_b))
    return _rows_at(made if alpha == 1 else multiply(made, float(alpha)), -2, axis)


@composed("A", "B", "C")
def linalg_gemm(
    A: Any,
    B: Any,
    C: Any,
    *,
    transpose_a: bool = False,
    transpose_b: bool = False,
    alpha: float = 1.0,
    beta: float = 1.0,
    axis: int = -2,
) -> Any:
    """alpha * A @ B + beta * C, of matrices that may be transposed.

    Parameters
    ----------
    A : array (..., m, k), with `transpose_a` (..., k, m)
    B : array (..., k, n), with `transpose_b` (..., n, k)
    C : array (..., m, n); all leading axes are a batch and broadcast
    alpha, beta : floats, factors
    axis : int, that of rows in all arrays; columns are the last one

    Returns
    -------
    array (..., m, n)

    >>> linalg_gemm([[1.0, 2.0]], [[3.0], [4.0]], [[1.0]], beta=0.5)
    array([[11.5]])
    """
    turned = {"transpose_a": transpose_a, "transpose_b": transpose_b}
    made = linalg_gemm2(A, B, alpha=alpha, axis=axis, **turned)
    return add(made, C if beta == 1 else multiply(C, float(beta)))


@composed("A")
def linalg_syrk(A: Any, *, transpose: bool = False, alpha: float = 1.0) -> Any:
    """alpha * A @ A.T, or alpha * A.T @ A with `transpose`.

    Parameters
    ----------
    A : array (..., m, n); leading axes are a batch
    alpha : float, a factor

    Returns
    -------
    array (..., m, m), or (..., n, n) with `transpose`: symmetric

    >>> linalg_syrk([[1.0, 2.0]], alpha=2.0)
    array([[10.]])
    """
    return linalg_gemm2(A, A, transpose_a=transpose, transpose_b=not transpose, alpha=alpha)


@composed("A")
def linalg_sumlogdiag(A: Any) -> Any:
    """The sum of the logarithms of a diagonal; of Cholesky's factor half the logarithm of a
    determinant.

    Parameters
    ----------
    A : array (..., n, n), positive on the diagonal

    Returns
    -------
    array (...); the gradient lies on the diagonal, 1 / A[i, i]

    >>> float(linalg_sumlogdiag([[1.0, 5.0], [7.0, 1.0]]))
    0.0
    """
    return library.sum(library.log(library.diagonal(A, 0, -2, -1)), axis=-1)


@composed("A")
def linalg_extractdiag(A: Any, *, offset: int = 0) -> Any:
    """A diagonal of each matrix.

    Parameters
    ----------
    A : array (..., m, n); leading axes are a batch
    offset : int, which one: above the main diagonal where positive, below where negative

    Returns
    -------
    array (..., length of the diagonal)

    >>> linalg_extractdiag([[1, 2], [3, 4]])
    array([1, 4])
    >>> linalg_extractdiag([[1, 2], [3, 4]], offset=1)
    array([2])
    """
    return library.diagonal(A, whole("linalg_extractdiag", "offset", offset), -2, -1)


@composed("A")
@deferrable()
def linalg_makediag(A: Any, *, offset: int = 0) -> Any:
    """Matrices that have the last axis as a diagonal, and zeros elsewhere.

    Parameters
    ----------
    A : array (..., n); leading axes are a batch
    offset : int, which one: above the main diagonal where positive, below where negative

    Returns
    -------
    array (..., m, m), m = n + abs(offset)

    >>> linalg_makediag([1, 2])
    array([[1, 0],
           [0, 2]])
    """
    a, offset = as_known("linalg_makediag", A), whole("linalg_makediag", "offset", offset)
    size = a.shape[-1] + abs(offset)
    lead = len(a.shape) - 1
    return library.diagonal_scatter(a, (*a.shape[:-1], size, size), offset, lead, lead + 1)


def _places(size: int, offset: int, lower: bool) -> tuple[Array, Array]:
    """Rows and columns of a triangle: above the diagonal where offset > 0, below where it is less,
    else as `lower` says. The lower one row by row, the upper one column by column, as MXNet."""
    below = offset < 0 or (offset == 0 and lower)
    first, second = np.nonzero(np.tri(size, k=-abs(offset)))
    return (first, second) if below else (second, first)


@composed("A")
@deferrable()
def linalg_extracttrian(A: Any, *, offset: int = 0, lower: bool = True) -> Any:
    """The elements of a triangle of each matrix: of a lower one row by row, of an upper one column
    by column.

    Parameters
    ----------
    A : array (..., n, n); leading axes are a batch
    offset : int, where the triangle begins: 1 above the diagonal, -1 below it
    lower : which triangle it is where offset is 0

    Returns
    -------
    array (..., m * (m + 1) / 2), m = n - abs(offset)

    >>> linalg_extracttrian([[1, 2], [3, 4]])
    array([1, 3, 4])
    """
    a = as_known("linalg_extracttrian", A)
    size = a.shape[-1]
    rows, columns = _places(size, whole("linalg_extracttrian", "offset", offset), lower)
    flat = library.reshape(a, (*a.shape[:-2], size * size))
    return library.take(flat, rows * size + columns, -1)


@composed("A")
@deferrable()
def linalg_maketrian(A: Any, *, offset: int = 0, lower: bool = True) -> Any:
    """Matrices that have the last axis as a triangle, in the order of `linalg_extracttrian`, and
    zeros elsewhere.

    Parameters
    ----------
    A : array (..., m * (m + 1) / 2); leading axes are a batch
    offset : int, where the triangle begins: 1 above the diagonal, -1 below it
    lower : which triangle it is where offset is 0

    Returns
    -------
    array (..., n, n), n = m + abs(offset)

    Raises
    ------
    ShapeError where the last axis has no triangle's number of elements.

    >>> linalg_maketrian([1, 3, 4])
    array([[1, 0],
           [3, 4]])
    """
    a, offset = as_known("linalg_maketrian", A), whole("linalg_maketrian", "offset", offset)
    count = a.shape[-1]
    rows = (math.isqrt(8 * count + 1) - 1) // 2
    if rows * (rows + 1) // 2 != count:
        raise ShapeError(f"linalg_maketrian: {count} elements are no triangle; give 1, 3, 6, ...")
    size = rows + abs(offset)
    at = _places(size, offset, lower)
    places, inside = np.zeros((size, size), np.int64), np.zeros((size, size), bool)
    places[at], inside[at] = np.arange(count), True
    return multiply(library.take(a, places, -1), inside)


@composed()
@deferrable()
def khatri_rao(*args: Any) -> Any:
    """Column by column the Kronecker product of matrices (Khatri and Rao, 1968).

    Parameters
    ----------
    *args : arrays (rows, n), with equally many columns

    Returns
    -------
    array (product of the rows, n): the last matrix's rows change fastest

    >>> khatri_rao([[1, 2]], [[3, 4], [5, 6]])
    array([[ 3,  8],
           [ 5, 12]])
    """
    made, *rest = (as_known("khatri_rao", x) for x in args)
    for one in rest:
        rows = made.shape[0] * one.shape[0]
        each = multiply(library.expand_dims(made, 1), library.expand_dims(one, 0))
        made = library.reshape(each, (rows, one.shape[1]))
    return made
