"""Matrices under MXNet's names (`linalg_...`): factors, inverses, triangles. Leading axes are a
batch; everything is differentiable.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from nbgraph.dtype import compute_dtype, is_float
from nbgraph.errors import DTypeError, ShapeError
from nbgraph.operator.array_op import ArrayOp, Gradients, Spec
from nbgraph.ops.define import as_known, cast, composed, deferrable, library, public
from nbgraph.ops.elementwise.arithmetic import multiply, negative

Array = np.ndarray[Any, Any]
_SINGULAR = "singular matrix"


def square(name: str, x: Spec) -> Spec:
    """The Spec of square matrices of floats, or an error."""
    if len(x.shape) < 2 or x.shape[-1] != x.shape[-2]:
        raise ShapeError(f"{name}: A has shape {x.shape}; expected square matrices (..., n, n)")
    require_floats(name, x)
    return x


def require_floats(name: str, x: Spec) -> None:
    """DTypeError for matrices of something else."""
    if not is_float(x.dtype):
        raise DTypeError(f"{name}: A has dtype {x.dtype}; expected floats: use astype")


def _wide(x: Array) -> Array:
    return x.astype(compute_dtype(x.dtype), copy=False)


def by_numpy(run: Callable[..., None]) -> Callable[..., None]:
    """What computes an operator by `run(xp, *inputs, *outputs, **attributes)`, which array
    libraries other than NumPy do alike."""

    def compute(inputs: Sequence[Array], outputs: Sequence[Array], **attributes: Any) -> None:
        run(np, *inputs, *outputs, **attributes)

    return compute


def solved(name: str, function: Callable[..., Any], *arrays: Array, told: str = "") -> Any:
    """A function of `numpy.linalg`, in float32 at least; ValueError where it fails. `told`: what is
    wrong then, for which other libraries have numbers."""
    try:
        return function(*map(_wide, arrays))
    except np.linalg.LinAlgError as error:
        told = told or f"{str(error)[:1].lower()}{str(error)[1:]}"
        raise ValueError(f"{name}: {told}") from None


def swapped(x: Any) -> Any:
    """Matrices transposed."""
    return library.matrix_transpose(x)


# triangles --------------------------------------------------------------------------------------


def _triangle(x: Any, *, lower: bool) -> Any:
    return library.tril(x) if lower else library.triu(x)


def _trsm_infer(a: Spec, b: Spec, *, transpose: bool, lower: bool) -> Spec:
    square("linalg_trsm", a)
    if len(b.shape) < 2 or b.shape[-2] != a.shape[-1] or b.shape[:-2] != a.shape[:-2]:
        raise ShapeError(f"linalg_trsm: A has shape {a.shape} and B {b.shape}, which do not fit")
    return Spec(b.shape, np.result_type(a.dtype, b.dtype))


def trsm(xp: Any, a: Array, b: Array, out: Array, *, transpose: bool, lower: bool) -> None:
    """By a solver of general matrices."""
    a = xp.tril(a) if lower else xp.triu(a)
    a = xp.swapaxes(a, -1, -2) if transpose else a
    out[...] = solved("linalg_trsm", xp.linalg.solve, a, b, told=_SINGULAR)


def _trsm_rule(g: Gradients) -> list[Any]:
    (a, _), (x,) = g.inputs, g.outputs
    turned, lower = g.attributes["transpose"], g.attributes["lower"]
    to_b = _TRSM(a, g.out_grad, transpose=not turned, lower=lower)
    to_a = None
    if g.wanted[0]:
        left, right = (x, to_b) if turned else (to_b, x)
        to_a = cast(
            _triangle(negative(library.matmul(left, swapped(right))), lower=lower), g.specs[0]
        )
    return [to_a, cast(to_b, g.specs[1])]


_TRSM = ArrayOp(
    "linalg_trsm",
    _trsm_infer,
    by_numpy(trsm),
    gradient=_trsm_rule,
    operands=("A", "B"),
    keeps=("A", "out"),
)


@public(_TRSM)
def linalg_trsm(
    A: Any,
    B: Any,
    *,
    transpose: bool = False,
    rightside: bool = False,
    lower: bool = True,
    alpha: float = 1.0,
) -> Any:
    """X with A @ X = alpha * B, or X @ A = alpha * B where `rightside`.

    Parameters
    ----------
    A : array (..., n, n), floats: one triangle counts, the `lower` or the upper one
    B : array (..., n, k), with `rightside` (..., k, n); the same leading axes, the batch
    transpose : whether A is transposed
    alpha : float, a factor of B

    Returns
    -------
    array of B's shape

    Raises
    ------
    ShapeError where shapes do not fit; DTypeError for integers; ValueError for a zero on A's
        diagonal.

    >>> linalg_trsm([[2.0, 0.0], [1.0, 1.0]], [[2.0], [3.0]])
    array([[1.],
           [2.]])
    """
    how = {"lower": bool(lower), "transpose": bool(transpose) is not bool(rightside)}
    found = _TRSM(A, swapped(B) if rightside else B, **how)
    found = swapped(found) if rightside else found
    return found if alpha == 1 else multiply(found, float(alpha))


@composed("A", "B")
@deferrable(ordered=True)
def linalg_trmm(
    A: Any,
    B: Any,
    *,
    transpose: bool = False,
    rightside: bool = False,
    lower: bool = True,
    alpha: float = 1.0,
) -> Any:
    """alpha * A @ B, or alpha * B @ A where `rightside`, A a triangle.

    Parameters
    ----------
    A : array (..., n, n): one triangle counts, the `lower` or the upper one
    B : array (..., n, k), with `rightside` (..., k, n); leading axes broadcast
    transpose : whether A is transposed
    alpha : float, a factor

    Returns
    -------
    array of B's shape, with leading axes broadcast

    >>> linalg_trmm([[2.0, 9.0], [1.0, 1.0]], [[1.0], [2.0]])
    array([[2.],
           [3.]])
    """
    a = _triangle(A, lower=bool(lower))
    a = swapped(a) if transpose else a
    made = library.matmul(B, a) if rightside else library.matmul(a, B)
    return made if alpha == 1 else multiply(made, float(alpha))


# factors and inverses ---------------------------------------------------------------------------


def potrf(xp: Any, a: Array, out: Array) -> None:
    """Cholesky's factor."""
    told = "matrix is not positive definite"
    out[...] = solved("linalg_potrf", xp.linalg.cholesky, a, told=told)


def _potrf_rule(g: Gradients) -> list[Any]:
    """L^-T P L^-1, made symmetric; P is the lower triangle of L^T g with half its diagonal."""
    (factor,) = g.outputs
    inner = library.tril(library.matmul(swapped(factor), library.tril(g.out_grad)))
    inner = library.subtract(inner, multiply(multiply(inner, np.eye(g.specs[0].shape[-1])), 0.5))
    made = linalg_trsm(factor, cast(inner, g.specs[0]), transpose=True)
    made = linalg_trsm(factor, made, rightside=True)
    return [cast(multiply(library.add(made, swapped(made)), 0.5), g.specs[0])]


_POTRF = ArrayOp(
    "linalg_potrf",
    lambda a: square("linalg_potrf", a),
    by_numpy(potrf),
    gradient=_potrf_rule,
    operands=("A",),
    keeps=("out",),
)


@public(_POTRF)
def linalg_potrf(A: Any) -> Any:
    """The lower triangle L with L @ L.T = A: Cholesky's factor.

    Parameters
    ----------
    A : array (..., n, n), floats: symmetric positive definite matrices, of which the lower triangle
        is read

    Returns
    -------
    array (..., n, n), zeros above the diagonal. The gradient is symmetric (Murray, Differentiation
        of the Cholesky decomposition, 2016).

    Raises
    ------
    ShapeError for other shapes; DTypeError for integers; ValueError where A is not positive
        definite.

    >>> linalg_potrf([[4.0, 2.0], [2.0, 2.0]])
    array([[2., 0.],
           [1., 1.]])
    """
    return _POTRF(A)


@composed("A")
@deferrable()
def linalg_potri(A: Any) -> Any:
    """The inverse of A @ A.T, where A is a lower triangle, as `linalg_potrf` gives it.

    Parameters
    ----------
    A : array (..., n, n), floats, of which the lower triangle is read

    Returns
    -------
    array (..., n, n), symmetric

    Raises
    ------
    ShapeError for other shapes; DTypeError for integers; ValueError for a zero on A's diagonal.

    >>> linalg_potri([[2.0, 0.0], [0.0, 1.0]])
    array([[0.25, 0.  ],
           [0.  , 1.  ]])
    """
    a = as_known("linalg_potri", A)
    one = np.broadcast_to(np.eye(a.shape[-1], dtype=a.dtype), tuple(a.shape))
    root = linalg_trsm(a, one)
    return library.matmul(swapped(root), root)


def inverse(xp: Any, a: Array, out: Array) -> None:
    """The inverse."""
    out[...] = solved("linalg_inverse", xp.linalg.inv, a, told=_SINGULAR)


def _inverse_rule(g: Gradients) -> list[Any]:
    turned = swapped(g.outputs[0])
    made = library.matmul(library.matmul(turned, g.out_grad), turned)
    return [cast(negative(made), g.specs[0])]


_INVERSE = ArrayOp(
    "linalg_inverse",
    lambda a: square("linalg_inverse", a),
    by_numpy(inverse),
    gradient=_inverse_rule,
    operands=("A",),
    keeps=("out",),
)


@public(_INVERSE)
def linalg_inverse(A: Any) -> Any:
    """Inverses of matrices.

    Parameters
    ----------
    A : array (..., n, n), floats

    Returns
    -------
    array (..., n, n); the gradient is -X.T @ out_grad @ X.T, X the inverse

    Raises
    ------
    ShapeError for other shapes; DTypeError for integers; ValueError for a singular matrix.

    >>> linalg_inverse([[2.0, 0.0], [0.0, 4.0]])
    array([[0.5 , 0.  ],
           [0.  , 0.25]])
    """
    return _INVERSE(A)


def det(xp: Any, a: Array, out: Array) -> None:
    """The determinant."""
    out[...] = xp.linalg.det(_wide(a))


def slogdet(xp: Any, a: Array, sign: Array, size: Array) -> None:
    """Its sign, and the logarithm of its size."""
    sign[...], size[...] = xp.linalg.slogdet(_wide(a))


def _by_inverse(factor: Any, g: Gradients) -> list[Any]:
    turned = swapped(linalg_inverse(g.inputs[0]))
    return [cast(multiply(library.expand_dims(factor, (-1, -2)), turned), g.specs[0])]


def _slogdet_rule(g: Gradients) -> list[Any]:
    return [None] if g.out_grads[1] is None else _by_inverse(g.out_grads[1], g)


def _det_infer(a: Spec) -> Spec:
    return Spec(square("linalg_det", a).shape[:-2], a.dtype)


_DET = ArrayOp(
    "linalg_det",
    _det_infer,
    by_numpy(det),
    gradient=lambda g: _by_inverse(multiply(g.out_grad, g.outputs[0]), g),
    operands=("A",),
    keeps=("A", "out"),
)
_SLOGDET = ArrayOp(
    "linalg_slogdet",
    lambda a: (_det_infer(a), _det_infer(a)),
    by_numpy(slogdet),
    gradient=_slogdet_rule,
    operands=("A",),
    keeps=("A",),
    nout=2,
)


@public(_DET)
def linalg_det(A: Any) -> Any:
    """Determinants of matrices.

    Parameters
    ----------
    A : array (..., n, n), floats

    Returns
    -------
    array (...). The gradient is out_grad * det(A) * inverse(A).T: of a singular matrix there is
        none, a ValueError.

    Raises
    ------
    ShapeError for other shapes; DTypeError for integers.

    >>> round(float(linalg_det([[2.0, 0.0], [0.0, 4.0]])), 9)
    8.0
    """
    return _DET(A)


@public(_SLOGDET)
def linalg_slogdet(A: Any) -> tuple[Any, Any]:
    """Signs of determinants, and the logarithms of their sizes, which do not overflow.

    Parameters
    ----------
    A : array (..., n, n), floats

    Returns
    -------
    two arrays (...): sign, -1, 0 or 1, which has no gradient; logarithm, -inf for a singular
        matrix, with the gradient inverse(A).T

    Raises
    ------
    ShapeError for other shapes; DTypeError for integers.

    >>> [float(v) for v in linalg_slogdet([[1.0, 0.0], [0.0, -1.0]])]
    [-1.0, 0.0]
    """
    return _SLOGDET(A)
