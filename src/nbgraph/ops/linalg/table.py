"""The functions of `ng.linalg`: a table. Leading axes are a batch."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from nbgraph.dtype import inexact
from nbgraph.errors import ArgumentError, ShapeError, require_word
from nbgraph.operator.declared import DOCS, define, parse
from nbgraph.operator.mapper.complex_call import known_dtype
from nbgraph.ops.define import as_array, as_known, define_rows, kept, library, number, one_of
from nbgraph.ops.define import whole as whole
from nbgraph.ops.linalg.factors import OPERATORS, by_singular_values
from nbgraph.ops.shapes.joining import arrays_of


class EighResult(NamedTuple):
    """Eigenvalues and eigenvectors of symmetric matrices."""

    eigenvalues: Any
    eigenvectors: Any


class EigResult(NamedTuple):
    """Eigenvalues and eigenvectors."""

    eigenvalues: Any
    eigenvectors: Any


class QRResult(NamedTuple):
    """An orthonormal factor and a triangle."""

    Q: Any
    R: Any


class SVDResult(NamedTuple):
    """Singular values between their vectors."""

    U: Any
    S: Any
    Vh: Any


_TABLE = """
linalg_solve(a, b): x with a @ x = b.
    a : array (..., n, n)
    b : array (n,), or (..., n, k); leading axes broadcast
    -> array of the shape of b, with leading axes broadcast
    ! LinAlgError, a ValueError, for a singular matrix.
    >>> linalg_solve([[2.0, 0.0], [0.0, 4.0]], [2.0, 2.0])
    array([1. , 0.5])
    = apply("linalg_solve", a, b)
linalg_inv(a): Inverses of matrices.
    a : array (..., n, n)
    -> array (..., n, n)
    ! LinAlgError, a ValueError, for a singular matrix.
    >>> linalg_inv([[2.0, 0.0], [0.0, 4.0]])
    array([[0.5 , 0.  ],
           [0.  , 0.25]])
    = library.linalg_inverse(floating(a))
linalg_cholesky(a, *, upper=False): The triangle L with L @ L.H = a, or U with U.H @ U = a.
    a : array (..., n, n), positive definite; its lower triangle is read, where `upper` the upper
    upper : whether the upper triangle is given
    -> array (..., n, n); the gradient is symmetric
    ! LinAlgError, a ValueError, where a is not positive definite.
    >>> linalg_cholesky([[4.0, 2.0], [2.0, 2.0]])
    array([[2., 0.],
           [1., 1.]])
    = adjoint(library.linalg_potrf(adjoint(floating(a)))) if upper
        else library.linalg_potrf(floating(a))
linalg_qr(a, mode="reduced"): a = Q @ R, the columns of Q orthonormal, R an upper triangle.
    a : array (..., m, n)
    mode : "reduced", Q has min(m, n) columns; "complete", it has m; "r", R alone
    -> named tuple of Q and R
    >>> abs(float(linalg_qr([[3.0], [4.0]]).R[0, 0]))
    5.0
    = factors(floating(a), mode)
linalg_svd(a, full_matrices=True, compute_uv=True, hermitian=False): a = (U * S) @ Vh: singular
    values, and vectors.

    Gradients of vectors need different singular values, and full_matrices=False where a is not
    square; of complex ones a function that does not depend on their phases, which are free.
    a : array (..., m, n)
    full_matrices : whether U is (..., m, m) and Vh (..., n, n), else they have min(m, n) columns
        and rows
    compute_uv : False gives S alone
    hermitian : what a is makes no difference
    -> named tuple of U, S and Vh; S falls
    ! LinAlgError, a ValueError, where it does not converge.
    >>> linalg_svd([[0.0, 2.0], [1.0, 0.0]]).S
    array([2., 1.])
    = SVDResult(*apply("linalg_svd", a, full_matrices=bool(full_matrices))) if compute_uv
        else library.linalg_svdvals(a)
linalg_svdvals(x): The singular values of matrices.
    x : array (..., m, n)
    -> array (..., min(m, n)), falling
    >>> linalg_svdvals([[0.0, 2.0], [1.0, 0.0]])
    array([2., 1.])
    = apply("linalg_svdvals", x)
linalg_eigh(a, UPLO="L"): Eigenvalues and eigenvectors of symmetric (Hermitian) matrices.

    Gradients are symmetric; those of vectors need different eigenvalues.
    a : array (..., n, n), of which one triangle is read
    UPLO : "L", the lower one, or "U"
    -> named tuple of eigenvalues (..., n), rising, and eigenvectors (..., n, n), its columns
    ! LinAlgError, a ValueError, where it does not converge.
    >>> linalg_eigh([[2.0, 0.0], [0.0, 1.0]]).eigenvalues
    array([1., 2.])
    = EighResult(*apply("linalg_eigh", a, UPLO=triangle(UPLO)))
linalg_eigvalsh(a, UPLO="L"): Eigenvalues of symmetric (Hermitian) matrices.
    a : array (..., n, n), of which one triangle is read
    UPLO : "L", the lower one, or "U"
    -> array (..., n), rising
    >>> linalg_eigvalsh([[2.0, 0.0], [0.0, 1.0]])
    array([1., 2.])
    = apply("linalg_eigvalsh", a, UPLO=triangle(UPLO))
linalg_eig(a): Eigenvalues and eigenvectors of square matrices; complex, whatever they are.

    Gradients of vectors need different eigenvalues, and a function of them that does not depend on
    their phases, which are free.
    a : array (..., n, n)
    -> named tuple of eigenvalues (..., n) and eigenvectors (..., n, n), its columns
    >>> linalg_eig([[2.0, 0.0], [0.0, 1.0]]).eigenvalues
    array([2.+0.j, 1.+0.j])
    = EigResult(*apply("linalg_eig", a))
linalg_eigvals(a): Eigenvalues of square matrices; complex, whatever they are.
    a : array (..., n, n)
    -> array (..., n), in any order
    >>> linalg_eigvals([[0.0, 1.0], [-1.0, 0.0]]).real
    array([0., 0.])
    = apply("linalg_eigvals", a)
linalg_pinv(a, rcond=None, hermitian=False, *, rtol=None): Pseudo-inverses (Moore, Penrose).
    a : array (..., m, n)
    rcond, rtol : number; singular values below it times the largest count as 0
    hermitian : what a is makes no difference
    -> array (..., n, m); the gradient holds where the rank does not change
    >>> linalg_pinv([[2.0], [0.0]])
    array([[0.5, 0. ]])
    = pseudo_inverse(a, rtol if rcond is None else rcond)
linalg_lstsq(a, b, rcond=None): x of the least sum of squares of a @ x - b.
    a : array (m, n)
    b : array (m,), or (m, k)
    rcond : number; singular values below it times the largest count as 0
    -> tuple: x (n,) or (n, k); the sums of squares, empty where m <= n; the rank of a; its singular
        values
    >>> linalg_lstsq([[1.0], [1.0]], [1.0, 2.0])[0]
    array([1.5])
    = least_squares(a, b, rcond)
linalg_matrix_rank(A, tol=None, hermitian=False, *, rtol=None): How many singular values are not 0.
    A : array (..., m, n)
    tol : number; what is not greater counts as 0
    rtol : the same, times the largest singular value; by default that of its rounding error
    hermitian : what A is makes no difference
    -> array (...) of int64, a constant for derivatives
    >>> linalg_matrix_rank([[1.0, 1.0], [1.0, 1.0]])
    np.int64(1)
    = rank(A, tol, rtol)
linalg_matrix_power(a, n): The product of n matrices a; of their inverses for negative n.
    a : array (..., m, m)
    n : int
    -> array (..., m, m)
    >>> linalg_matrix_power([[1, 1], [0, 1]], 3)
    array([[1, 3],
           [0, 1]])
    = matrix_power(a, whole("linalg.matrix_power", "n", n))
linalg_expm(a): The exponential function of matrices, of all orders.
    a : array (..., n, n)
    -> array (..., n, n)
    >>> linalg_expm([[0.0, 1.0], [0.0, 0.0]])
    array([[1., 1.],
           [0., 1.]])
    = apply("linalg_expm", a)
linalg_matrix_norm(x, *, keepdims=False, ord="fro"): Norms of matrices.
    x : array (..., m, n)
    keepdims : whether the two axes stay, with size 1
    ord : "fro" or None, "nuc", 1, -1, 2, -2, inf or -inf, as NumPy has them
    -> array (...)
    >>> linalg_matrix_norm([[3.0, 0.0], [0.0, 4.0]], ord="nuc")
    np.float64(7.0)
    = matrix_norm(x, ord, keepdims)
linalg_vector_norm(x, *, axis=None, keepdims=False, ord=2): The norm of all elements along axes.
    ord : number, inf or -inf
    >>> linalg_vector_norm([3.0, 4.0])
    np.float64(5.0)
    = library.vector_norm(floating(x), axis=axis, keepdims=keepdims, ord=ord)
linalg_norm(x, ord=None, axis=None, keepdims=False): Norms of vectors and matrices, as NumPy's.
    ord : of vectors a number; of matrices as `matrix_norm`; None the root of the sum of squares
    axis : int of vectors, two of matrices, or None for all
    >>> linalg_norm([[3.0, 0.0], [0.0, 4.0]], 2)
    np.float64(4.0)
    = library.norm(floating(x), ord, axis, keepdims=keepdims)
linalg_cond(x, p=None): The condition number: the norm of x times that of its inverse.
    x : array (..., m, n)
    p : the order of the norm, as `matrix_norm`; None is 2, by singular values
    >>> linalg_cond([[2.0, 0.0], [0.0, 4.0]])
    np.float64(2.0)
    = condition(floating(x), p)
linalg_cross(x1, x2, /, *, axis=-1): Products of vectors of three elements, orthogonal to both.
    axis : int
    >>> linalg_cross([1, 0, 0], [0, 1, 0])
    array([0, 0, 1])
    = cross(x1, x2, whole("linalg.cross", "axis", axis))
linalg_diagonal(x, /, *, offset=0): Diagonals of matrices.
    x : array (..., m, n)
    offset : int, above the main diagonal where positive, below where negative
    >>> linalg_diagonal([[1, 2], [3, 4]])
    array([1, 4])
    = library.diagonal(x, whole("linalg.diagonal", "offset", offset), -2, -1)
linalg_trace(x, /, *, offset=0, dtype=None): Sums of diagonals of matrices.
    x : array (..., m, n)
    offset : int, above the main diagonal where positive, below where negative
    dtype : of the sums, as that of `sum`
    >>> linalg_trace([[1, 2], [3, 4]])
    np.int64(5)
    = library.trace(x, whole("linalg.trace", "offset", offset), -2, -1, dtype=dtype)
linalg_outer(x1, x2, /): The products of every element of one vector with every element of another.
    x1 : array (m,)
    x2 : array (n,)
    -> array (m, n)
    ! ShapeError for other shapes.
    >>> linalg_outer([1, 2], [3, 4])
    array([[3, 4],
           [6, 8]])
    = outer(x1, x2)
linalg_multi_dot(arrays): The product of matrices, in the order of the least work.
    arrays : two or more; the first and the last may be vectors
    >>> linalg_multi_dot([[[1, 2]], [[3], [4]], [[5]]])
    array([[55]])
    = multi_dot(arrays)
linalg_tensorinv(a, ind=2): The inverse under `tensordot` over so many axes.
    a : array, the product of its first `ind` extents is that of the others
    ind : int, 1 or more
    >>> linalg_tensorinv([[2.0, 0.0], [0.0, 4.0]], 1)
    array([[0.5 , 0.  ],
           [0.  , 0.25]])
    = tensor_inverse(a, whole("linalg.tensorinv", "ind", ind))
linalg_tensorsolve(a, b, axes=None): x with tensordot(a, x, x.ndim) = b.
    a : array, b's shape and then that of x
    axes : ints, axes of a that are moved to its end first
    >>> linalg_tensorsolve([[2.0, 0.0], [0.0, 4.0]], [2.0, 2.0])
    array([1. , 0.5])
    = tensor_solve(a, b, axes)
"""
# beside the operators that MXNet has by these names
_OWN_TABLE = """
det(a): Determinants of matrices; see `ng.nd.linalg_det`.
    a : array (..., n, n)
    >>> det([[2, 0], [0, 4]]).round()
    np.float64(8.0)
    = library.linalg_det(floating(a))
slogdet(a): Signs of determinants, and the logarithms of their sizes; see `ng.nd.linalg_slogdet`.
    a : array (..., n, n)
    -> named tuple of sign and logabsdet, arrays (...)
    >>> slogdet([[1, 0], [0, -1]]).sign
    np.float64(-1.0)
    = library.linalg_slogdet(floating(a))
"""
_BY_SHAPE: dict[str, Any] = {
    f"linalg_{name}": None
    for name in "pinv matrix_power matrix_rank cond cross outer multi_dot tensorinv "
    "tensorsolve".split()
} | {"linalg_lstsq": lambda *args, **options: 4}


def floating(x: Any) -> Any:
    """Return an array of floats or complex numbers, of float64 for integers, as NumPy does."""
    x = as_array(x)
    known = known_dtype(x)
    if known is None or inexact(known):
        return x
    return library.astype(x, np.float64)


def apply(name: str, *arrays: Any, **attributes: Any) -> Any:
    """Apply an operator of `factors` to arrays of floats."""
    return OPERATORS[name](*map(floating, arrays), **attributes)


def adjoint(x: Any) -> Any:
    """Return matrices transposed, and conjugated where they are complex."""
    return library.matrix_transpose(library.conj(x))


def triangle(word: str) -> str:
    """Return "L" or "U"; ArgumentError for something else."""
    return require_word("linalg.eigh: UPLO", str(word).upper(), ("L", "U"))


def factors(a: Any, mode: str) -> Any:
    """Return Q and R, or R alone."""
    one_of("linalg.qr", "mode", mode, ("reduced", "complete", "r"))
    q, r = apply("linalg_qr", a, mode="reduced" if mode == "r" else mode)
    return r if mode == "r" else QRResult(q, r)


@kept
def pseudo_inverse(a: Any, rtol: Any) -> Any:
    """Return pseudo-inverses. Where matrices have cut-offs of their own, by singular values."""
    a = as_known("linalg.pinv", floating(a))
    if rtol is None:
        rtol = max(a.shape[-2:], default=1) * float(np.finfo(a.dtype).eps)
    if np.ndim(rtol) == 0:
        return apply("linalg_pinv", a, rtol=_last_axis(rtol))
    return by_singular_values(a, rtol=_last_axis(rtol))


@kept
def least_squares(a: Any, b: Any, rcond: Any) -> tuple[Any, Any, Any, Any]:
    """Return the solution, its residuals, the rank of a and its singular values."""
    a, b = (as_known("linalg.lstsq", floating(x)) for x in (a, b))
    if len(a.shape) != 2 or len(b.shape) not in (1, 2) or a.shape[0] != b.shape[0]:
        raise ShapeError(
            f"linalg.lstsq: a has shape {a.shape}, b {b.shape}; expected (m, n) and (m,) or (m, k)"
        )
    x = library.matmul(pseudo_inverse(a, rcond), b)
    rest = library.absolute(library.subtract(library.matmul(a, x), b))
    sums = library.sum(library.square(rest), axis=0, keepdims=len(b.shape) == 1)
    m, n = a.shape
    sums = sums if m > n else library.slice_view(sums, (slice(0, 0),))
    return x, sums, rank(a, None, rcond), library.linalg_svdvals(a)


@kept
def rank(a: Any, tol: Any, rtol: Any) -> Any:
    """Return the ranks of matrices; a vector has 1, or 0 where all elements are 0."""
    a = as_known("linalg.matrix_rank", floating(a))
    if len(a.shape) < 2:
        return library.astype(library.any(a), np.int64)
    values = library.stop_gradient(library.linalg_svdvals(a))
    if tol is None:
        if rtol is None:
            rtol = max(a.shape[-2:], default=1) * np.finfo(a.dtype).eps
        largest = library.max(values, axis=-1, keepdims=True)
        tol = library.multiply(largest, _last_axis(rtol))
    else:
        tol = _last_axis(tol)
    return library.count_nonzero(library.greater(values, tol), axis=-1)


def _last_axis(x: Any) -> Any:
    """A number as it is, an array with a new last axis."""
    if np.ndim(x) == 0:
        return float(number("linalg", "a cut-off", x))
    return library.expand_dims(x, -1)


def matrix_power(a: Any, n: int) -> Any:
    """Return the product of n matrices, by squares."""
    a = as_known("linalg.matrix_power", a)
    if len(a.shape) < 2 or a.shape[-1] != a.shape[-2]:
        raise ShapeError(
            f"linalg.matrix_power: a has shape {a.shape}; expected square matrices (..., n, n)"
        )
    if n < 0:
        a, n = library.linalg_inverse(floating(a)), -n
    if n == 0:
        one = library.eye(a.shape[-1], dtype=a.dtype)
        return library.add(library.zeros_like(a), one)
    result, square = None, a
    while n:
        if n & 1:
            result = square if result is None else library.matmul(result, square)
        n >>= 1
        square = library.matmul(square, square) if n else square
    return library.copy(result) if result is a else result


def matrix_norm(x: Any, ord: Any, keepdims: bool) -> Any:
    """Return norms of matrices over the last two axes."""
    x = floating(x)
    if ord in (None, "fro"):
        return library.vector_norm(x, axis=(-2, -1), keepdims=keepdims)
    extreme = library.max if ord in (1, 2, np.inf) else library.min
    if ord in ("nuc", 2, -2):
        values = library.linalg_svdvals(x)
        norm = library.sum(values, axis=-1) if ord == "nuc" else extreme(values, axis=-1)
        return library.expand_dims(norm, (-2, -1)) if keepdims else norm
    if ord not in (1, -1, np.inf, -np.inf):
        raise ArgumentError(
            f"linalg.matrix_norm: ord={ord!r}; expected 'fro', 'nuc', 1, -1, 2, -2, inf or -inf"
        )
    sums = library.sum(library.absolute(x), axis=-2 if abs(ord) == 1 else -1, keepdims=True)
    return extreme(sums, axis=(-2, -1), keepdims=keepdims)


@kept
def condition(x: Any, p: Any) -> Any:
    """Return condition numbers of matrices."""
    if p in (None, 2, -2):
        values = library.linalg_svdvals(as_known("linalg.cond", x))
        first, last = (library.take(values, at, -1) for at in (0, -1))
        return library.divide(first, last) if p != -2 else library.divide(last, first)
    inverse = library.linalg_inverse(x)
    return library.multiply(matrix_norm(x, p, False), matrix_norm(inverse, p, False))


def cross(x1: Any, x2: Any, axis: int) -> Any:
    """Return products of vectors along an axis."""
    first, second = (as_known("linalg.cross", x) for x in (x1, x2))
    for x in (first, second):
        if not -len(x.shape) <= axis < len(x.shape) or x.shape[axis] != 3:
            raise ShapeError(
                f"linalg.cross: shapes {first.shape} and {second.shape}; axis {axis} of both must "
                "have size 3"
            )
    a, b = (library.moveaxis(x, axis, -1) for x in (first, second))
    turned = [library.roll(x, shift, -1) for shift in (-1, 1) for x in (a, b)]
    result = library.subtract(
        library.multiply(turned[0], turned[3]), library.multiply(turned[2], turned[1])
    )
    return library.moveaxis(result, -1, axis)


def outer(x1: Any, x2: Any) -> Any:
    """Return the products of every element of one vector with every element of another."""
    first, second = (as_known("linalg.outer", x) for x in (x1, x2))
    if len(first.shape) != 1 or len(second.shape) != 1:
        raise ShapeError(
            f"linalg.outer: shapes {first.shape} and {second.shape}; expected vectors (use "
            "ng.outer for arrays of other shapes)"
        )
    return library.outer(first, second)


def multi_dot(arrays: Sequence[Any]) -> Any:
    """Return the product of matrices, in the order of the least work."""
    known = [as_known("linalg.multi_dot", x) for x in arrays_of("linalg.multi_dot", arrays)]
    if len(known) < 2:
        raise ArgumentError(f"linalg.multi_dot: {len(known)} array(s); expected two or more")
    axes = [len(x.shape) for x in known]
    if not (set(axes) <= {1, 2} and set(axes[1:-1]) <= {2}):
        raise ShapeError(
            f"linalg.multi_dot: the arrays have {axes} axes; expected matrices, or vectors at ends"
        )
    ends = axes[0] == 1, axes[-1] == 1
    if ends[0]:
        known[0] = library.expand_dims(known[0], 0)
    if ends[1]:
        known[-1] = library.expand_dims(known[-1], 1)
    sizes = [*(x.shape[0] for x in known), known[-1].shape[1]]

    @functools.cache
    def best(i: int, j: int) -> tuple[int, int]:
        """The least number of products of arrays i to j - 1, and where they are parted."""
        if j - i == 1:
            return 0, i
        ways = (
            (best(i, k)[0] + best(k, j)[0] + sizes[i] * sizes[k] * sizes[j], k)
            for k in range(i + 1, j)
        )
        return min(ways)

    def product(i: int, j: int) -> Any:
        k = best(i, j)[1]
        return known[i] if j - i == 1 else library.matmul(product(i, k), product(k, j))

    dropped = tuple(axis for axis, end in zip((0, 1), ends, strict=True) if end)
    result = product(0, len(known))
    return library.squeeze(result, dropped) if dropped else result


def tensor_inverse(a: Any, ind: int) -> Any:
    """Return the inverse under `tensordot`."""
    a = as_known("linalg.tensorinv", floating(a))
    if ind < 1:
        raise ArgumentError(f"linalg.tensorinv: ind={ind}; expected 1 or more")
    lead, rest = a.shape[:ind], a.shape[ind:]
    matrix = library.reshape(a, (int(np.prod(lead)), -1))
    return library.reshape(library.linalg_inverse(matrix), (*rest, *lead))


def tensor_solve(a: Any, b: Any, axes: Sequence[int] | None) -> Any:
    """Return the solution of a tensor equation."""
    a, b = (as_known("linalg.tensorsolve", floating(x)) for x in (a, b))
    if axes is not None:
        a = library.moveaxis(a, tuple(axes), tuple(range(-len(tuple(axes)), 0)))
    shape = a.shape[len(b.shape) - a.ndim :]  # where `a` has no more axes than `b`: NumPy's
    matrix = library.reshape(a, (int(np.prod(b.shape)), -1))
    return library.reshape(library.linalg_solve(matrix, library.ravel(b)), shape)


_DOCS = {**DOCS, **dict.fromkeys(("x", "x1", "x2", "a", "b"), "array")}
_OPERANDS = "a b x A x1 x2".split()
globals().update({f"_{name}": op for name, op in OPERATORS.items()})  # theirs are these rows
define_rows(_TABLE, globals(), _OPERANDS, _BY_SHAPE, _DOCS)
define(parse(_OWN_TABLE), globals())

NAMES = tuple(row.name.removeprefix("linalg_") for row in parse(_TABLE))
