"""Matrices under MXNet's names (`linalg_...`): factors, inverses, triangles. Leading axes are a
batch; everything is differentiable.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from nbgraph.errors import ShapeError
from nbgraph.operator.arrays.array_op import Gradients, Spec
from nbgraph.ops.define import by_numpy, define_rows, library
from nbgraph.ops.elementwise.arithmetic import multiply, negative
from nbgraph.ops.linalg.matrices import (
    adjoint_of,
    conventional,
    matrices,
    require_inexact,
    solved,
    swapped,
    wide,
)
from nbgraph.ops.linalg.routines import SINGULAR, LapackOp, Recipe, Steps, by_lapack
from nbgraph.ops.linalg.small import SmallOp
from nbgraph.shape import Array


class SlogdetResult(NamedTuple):
    """Signs of determinants, and logarithms of their sizes."""

    sign: Any
    logabsdet: Any


# triangles --------------------------------------------------------------------------------------


def _triangle(x: Any, *, lower: bool) -> Any:
    return library.tril(x) if lower else library.triu(x)


def _trsm_infer(a: Spec, b: Spec, *, transpose: bool, lower: bool) -> Spec:
    matrices("linalg_trsm", a, "A", square=True)
    if len(b.shape) < 2 or b.shape[-2] != a.shape[-1] or b.shape[:-2] != a.shape[:-2]:
        raise ShapeError(f"linalg_trsm: A has shape {a.shape} and B {b.shape}, which do not fit")
    return Spec(b.shape, np.result_type(a.dtype, b.dtype))


def trsm(xp: Any, a: Array, b: Array, out: Array, *, transpose: bool, lower: bool) -> None:
    """Solve by a solver of general matrices."""
    a = xp.tril(a) if lower else xp.triu(a)
    a = xp.swapaxes(a, -1, -2) if transpose else a
    out[...] = solved("linalg_trsm", xp.linalg.solve, a, b, failure=SINGULAR)


def _trsm_rule(g: Gradients) -> list[Any]:
    (a, _), (x,) = g.inputs, g.outputs
    turned, lower = g.attributes["transpose"], g.attributes["lower"]
    to_b = _TRSM(a, g.out_grad, transpose=not turned, lower=lower)
    left, right = (x, to_b) if turned else (to_b, x)
    product = lambda: negative(library.matmul(left, swapped(right)))
    return [lambda: _triangle(product(), lower=lower), to_b]


def _trsm_steps(steps: Steps, a: Spec, b: Spec, *, transpose: bool, lower: bool) -> float:
    n, columns = b.shape[-2:]
    steps.load(0, "a")
    steps.load(1, "x")
    form = "L" if lower else "U", "T" if transpose else "N", "N"
    steps.call("trtrs", *form, n, columns, "a", n, "x", n)
    steps.store("x", 0, n)
    return n * n * columns


_TRSM = LapackOp(
    "linalg_trsm",
    _trsm_infer,
    by_numpy(trsm),
    gradient=_trsm_rule,
    operands=("A", "B"),
    keeps=("A", "out"),
    recipe=_trsm_steps,
)


def solution(A: Any, B: Any, transpose: bool, rightside: bool, lower: bool) -> Any:
    """Return X of A @ X = B, or of X @ A = B."""
    how = {"lower": bool(lower), "transpose": bool(transpose) is not bool(rightside)}
    solution = _TRSM(A, swapped(B) if rightside else B, **how)
    return swapped(solution) if rightside else solution


def turned(A: Any, transpose: bool, lower: bool) -> Any:
    """Return a triangle of A, transposed or not."""
    triangle = _triangle(A, lower=bool(lower))
    return swapped(triangle) if transpose else triangle


def times(alpha: float, x: Any) -> Any:
    """Return x times a number."""
    return x if alpha == 1 else multiply(x, float(alpha))


# factors and inverses ---------------------------------------------------------------------------


def _potrf_rule(g: Gradients) -> list[Any]:
    """L^-H P L^-1, made symmetric; P is the lower triangle of L^H g with half its diagonal."""
    (factor,), h = g.outputs, adjoint_of(g)
    inner = library.matmul(h(factor), library.tril(g.out_grad))
    inner = library.add(library.tril(inner), library.tril(inner, -1))  # twice P
    gradient = library.linalg_trsm(swapped(h(factor)), inner, transpose=True)
    gradient = library.linalg_trsm(factor, gradient, rightside=True)
    return [multiply(library.add(gradient, h(gradient)), 0.25)]


def _potrf_steps(steps: Steps, a: Spec) -> float:
    n = a.shape[-1]
    steps.load(0, "a", triangle="lower")
    steps.call("potrf", "L", n, "a", n)
    steps.store("a", 0, n)
    return n**3 / 3


_POTRF = by_lapack(
    *("linalg_potrf", "cholesky", "n n -> n n"),
    *(conventional(_potrf_rule), "out"),
    operands="A",
    recipe=_potrf_steps,
    failure="matrix is not positive definite",
)


def inverted(a: Any) -> Any:
    """Return the inverse of a @ a.T for a lower triangle a."""
    one = np.broadcast_to(np.eye(a.shape[-1], dtype=a.dtype), tuple(a.shape))
    root = library.linalg_trsm(a, one)
    return library.matmul(swapped(root), root)


def _inverse_rule(g: Gradients) -> list[Any]:
    turned = swapped(g.outputs[0])
    return [negative(library.matmul(library.matmul(turned, g.out_grad), turned))]


def _inverse_steps(steps: Steps, a: Spec) -> float:
    n = a.shape[-1]
    steps.load(0, "a")
    steps.work("pivots", n, "int32")
    room = steps.work("work", 64 * n)
    steps.call("getrf", n, n, "a", n, "pivots")
    steps.call("getri", n, "a", n, "pivots", "work", room)
    steps.store("a", 0, n)
    return 2 * n**3


_INVERSE = by_lapack(
    *("linalg_inverse", "inv", "n n -> n n", _inverse_rule, "out"),
    operands="A",
    recipe=_inverse_steps,
)
_LOG_SLOPE = by_lapack(
    *("linalg_slogdet_gradient", "inv", lambda a: a, _inverse_rule, "out"),
    recipe=_inverse_steps,
    failure="A is singular, where the logarithm is -inf and has no gradient",
)


# factors with orthonormal rows --------------------------------------------------------------------


def eigen(a: Any) -> tuple[Any, Any]:
    """Return eigenvectors, each with its largest element positive, and eigenvalues."""
    matrices("linalg_syevd", Spec(a.shape, a.dtype), "A", square=True)
    values, columns = library.linalg_eigh(a, UPLO="L")
    rows = swapped(columns)
    if not a.shape[-1]:
        return rows, values
    places = library.argmax(library.abs(rows), -1, keepdims=True)
    largest = library.take_along_axis(rows, places, -1)
    return multiply(rows, library.copysign(1.0, largest)), values


def orthonormal(a: Any) -> tuple[Any, Any]:
    """Return orthonormal rows, and the triangle that transforms them to `a`."""
    if len(a.shape) < 2 or a.shape[-2] > a.shape[-1]:
        raise ShapeError(
            f"linalg_gelqf: A has shape {a.shape}; expected matrices (..., m, n) with m <= n"
        )
    require_inexact("linalg_gelqf", a, "A")
    columns, upper = library.linalg_qr(swapped(a), mode="reduced")
    return swapped(columns), swapped(upper)


# determinants -----------------------------------------------------------------------------------


def _cofactor_rule(g: Gradients) -> list[Any]:
    turned = swapped(library.linalg_inverse(g.inputs[0]))
    to_a = library.matmul(library.matmul(turned, swapped(g.out_grad)), negative(g.outputs[0]))
    return [to_a, lambda: library.sum(multiply(g.out_grad, turned), axis=(-2, -1))]


def _cofactors(xp: Any, a: Array, det: Array, out: Array) -> None:
    """Return det * inverse.T; if the inverse has lost half its digits, by singular values and
    products of all but one, which exist for every rank. NaN where a is not finite."""
    a, det, one = wide(a), wide(det)[..., None, None], xp.eye(a.shape[-1], dtype=bool)
    none = (det == 0) | xp.isnan(det)
    size = abs(a).sum((-2, -1))
    try:
        inverse = xp.linalg.inv(xp.where(none, one, a) if none.any() else a)
    except np.linalg.LinAlgError:  # singular here, though not to the library of `det`
        none, inverse = none | True, one
    with np.errstate(all="ignore"):
        out[...] = det * inverse.swapaxes(-1, -2)
        lost = size * abs(inverse).sum((-2, -1)) > xp.finfo(a.dtype).eps ** -0.5
        lost |= none[..., 0, 0]
        if lost.any():
            u, s, v = solved("linalg_det", xp.linalg.svd, xp.nan_to_num(a[lost]))
            phase = (xp.linalg.det(u) * xp.linalg.det(v))[..., None, None]
            rest = xp.where(one, 1, s[..., None, :]).prod(-1)[..., None, :]
            out[lost] = phase * xp.matmul(u.conj() * rest, v.conj()) + 0 * size[lost, None, None]


def _cofactors_text(dtype: str) -> tuple[str, int]:
    from nbgraph.kernels.products.cofactors import MATRICES, cofactors_text

    return cofactors_text(dtype), MATRICES


_COFACTORS = SmallOp(
    *("linalg_cofactors", lambda a, _: a, by_numpy(_cofactors)),
    gradient=_cofactor_rule,
    operands=("A", "det"),
    keeps=("A", "out"),
    text=_cofactors_text,
)


def _cofactors_of(a: Any, det: Any) -> Any:
    """Return cofactors: for up to three rows as polynomials, without a call of Python in graphs."""
    n = a.shape[-1]
    if n > 3:
        return _COFACTORS(a, det)
    if n == 3:
        after, before = (library.roll(a, shift, -2) for shift in (-1, 1))
        return library.linalg_cross(after, before)
    if n == 2:
        signs = np.array([[1, -1], [-1, 1]], a.dtype)
        return multiply(library.flip(a, (-2, -1)), signs)
    return library.ones_like(a)


def _times(factor: Any, a: Any) -> list[Any]:
    return [multiply(library.expand_dims(factor, (-1, -2)), a)]


def _slogdet_rule(g: Gradients) -> list[Any]:
    to_sign, to_size = g.out_grads
    if to_sign is not None and g.specs[0].dtype.kind == "c":  # the sign rotates as the angle does
        turn = multiply(library.imag(multiply(to_sign, g.outputs[0])), 1j)
        to_size = turn if to_size is None else library.add(to_size, turn)
    return [] if to_size is None else _times(to_size, swapped(_LOG_SLOPE(g.inputs[0])))


def _determined(*results: str) -> Recipe:
    """Return the recipe of the results of a determinant."""

    def recipe(steps: Steps, a: Spec) -> float:
        n = a.shape[-1]
        steps.load(0, "a")
        steps.work("pivots", n, "int32")
        steps.call("getrf", n, n, "a", n, "pivots", checked=False)
        steps.determinant("a", "pivots", n, *results)
        for k, name in enumerate(results):
            steps.store(name, k, 1, axes=0)
        return n**3 / 1.5

    return recipe


_DET = by_lapack(
    *("linalg_det", "det", "n n -> "),
    *(lambda g: _times(g.out_grad, _cofactors_of(g.inputs[0], g.outputs[0])), "A out"),
    operands="A",
    recipe=_determined("value"),
)
_SLOGDET = by_lapack(
    *("linalg_slogdet", "slogdet", "n n -> , :real", _slogdet_rule, "A out0"),
    operands="A",
    nout=2,
    recipe=_determined("sign", "log"),
)

_TABLE = """
linalg_trsm(A, B, *, transpose=False, rightside=False, lower=True, alpha: float = 1.0): X with
    A @ X = alpha * B, or X @ A = alpha * B where `rightside`.
    A : array (..., n, n), floats: only one triangle is read, `lower` or upper
    B : array (..., n, k), with `rightside` (..., k, n); the same leading axes, the batch
    transpose : whether A is transposed
    alpha : float, a factor of B
    -> array of B's shape
    ! ShapeError where shapes do not fit; DTypeError for integers; ValueError for a zero on A's
        diagonal.
    >>> linalg_trsm([[2.0, 0.0], [1.0, 1.0]], [[2.0], [3.0]])
    array([[1.],
           [2.]])
    = times(alpha, solution(A, B, transpose, rightside, lower))
linalg_trmm(A, B, *, transpose=False, rightside=False, lower=True, alpha: float = 1.0): alpha * A @
    B, or alpha * B @ A where `rightside`, A a triangle.
    A : array (..., n, n): only one triangle is read, `lower` or upper
    B : array (..., n, k), with `rightside` (..., k, n); leading axes broadcast
    transpose : whether A is transposed
    alpha : float, a factor
    -> array of B's shape, with leading axes broadcast
    >>> linalg_trmm([[2.0, 9.0], [1.0, 1.0]], [[1.0], [2.0]])
    array([[2.],
           [3.]])
    = times(alpha, library.matmul(B, turned(A, transpose, lower)) if rightside else
        library.matmul(turned(A, transpose, lower), B))
linalg_potrf(A): The lower triangle L with L @ L.T = A: Cholesky's factor.
    A : array (..., n, n), floats: symmetric positive definite matrices, of which the lower triangle
        is read
    -> array (..., n, n), zeros above the diagonal. The gradient is symmetric (Murray,
        Differentiation of the Cholesky decomposition, 2016).
    ! ShapeError for other shapes; DTypeError for integers; ValueError where A is not positive
        definite.
    >>> linalg_potrf([[4.0, 2.0], [2.0, 2.0]])
    array([[2., 0.],
           [1., 1.]])
linalg_potri(A): The inverse of A @ A.T, where A is a lower triangle, as `linalg_potrf` gives it.
    A : array (..., n, n), floats, of which the lower triangle is read
    -> array (..., n, n), symmetric
    ! ShapeError for other shapes; DTypeError for integers; ValueError for a zero on A's diagonal.
    >>> linalg_potri([[2.0, 0.0], [0.0, 1.0]])
    array([[0.25, 0.  ],
           [0.  , 1.  ]])
    = inverted(as_known("linalg_potri", A))
linalg_syevd(A) -> tuple[Any, Any]: Eigenvectors and eigenvalues of symmetric matrices: A = U.T @
    diag(L) @ U.

    A gradient of U needs different eigenvalues (Giles, An extended collection of matrix derivative
    results, 2008; Seeger et al., Auto-differentiating linear algebra, 2017).
    A : array (..., n, n), floats, of which the lower triangle is read
    -> U and L: arrays (..., n, n), an eigenvector in each row, its largest element positive; and
        (..., n), eigenvalues in rising order
    ! ShapeError for other shapes; DTypeError for integers; ValueError where it does not converge.
    >>> u, values = linalg_syevd([[2.0, 0.0], [0.0, 1.0]])
    >>> values
    array([1., 2.])
    = eigen(as_known("linalg_syevd", A))
linalg_gelqf(A) -> tuple[Any, Any]: The LQ factors of wide matrices: A = L @ Q.

    A gradient needs independent rows of A (Seeger et al., Auto-differentiating linear algebra,
    2017).
    A : array (..., m, n) with m <= n, floats
    -> Q and L: arrays (..., m, n), orthonormal rows; and (..., m, m), a lower triangle, of the
        signs that LAPACK gives
    ! ShapeError for tall matrices; DTypeError for integers.
    >>> q, factor = linalg_gelqf([[3.0, 4.0]])
    >>> round(abs(float(factor[0, 0])), 9)
    5.0
    = orthonormal(as_known("linalg_gelqf", A))
linalg_inverse(A): Inverses of matrices.
    A : array (..., n, n), floats
    -> array (..., n, n); the gradient is -X.T @ out_grad @ X.T, X the inverse
    ! ShapeError for other shapes; DTypeError for integers; ValueError for a singular matrix.
    >>> linalg_inverse([[2.0, 0.0], [0.0, 4.0]])
    array([[0.5 , 0.  ],
           [0.  , 0.25]])
linalg_det(A): Determinants of matrices.
    A : array (..., n, n), floats
    -> array (...). The gradient is out_grad times the cofactors, det(A) * inverse(A).T, of
        any rank; a second derivative needs the inverse.
    ! ShapeError for other shapes; DTypeError for integers.
    >>> round(float(linalg_det([[2.0, 0.0], [0.0, 4.0]])), 9)
    8.0
linalg_slogdet(A) -> tuple[Any, Any]: Signs of determinants, and the logarithms of their sizes,
    which do not overflow.
    A : array (..., n, n), floats
    -> named tuple of two arrays (...): sign, -1, 0 or 1, without gradient, or for complex matrices
        a number of modulus 1, with one; logabsdet, -inf for a singular matrix. Its gradient is
        inverse(A).T; for a singular matrix it raises LinAlgError, a ValueError
    ! ShapeError for other shapes; DTypeError for integers.
    >>> [float(v) for v in linalg_slogdet([[1.0, 0.0], [0.0, -1.0]])]
    [-1.0, 0.0]
    = SlogdetResult(*op(...))
"""
_RESULTS = {"linalg_potri": None, "linalg_syevd": lambda A: 2, "linalg_gelqf": lambda A: 2}
define_rows(_TABLE, globals(), ("A", "B"), _RESULTS, like=("linalg_trmm",))
