"""Matrix functions of LAPACK, with gradient rules: a table of operators.

A row of `OPERATORS` has the function of `numpy.linalg` that computes it, by whose name array
libraries on devices have it, too, and most have a recipe for LAPACK (`routines`). Leading axes are
a batch. The rules of factors are written for the conventional (conjugate) gradient of complex
matrices; `conventional` converts them to nbgraph's convention, which is JAX's: the gradient of a
holomorphic function is its derivative.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any

import numpy as np

from nbgraph.dtype import real_dtype
from nbgraph.errors import DerivativeError, ShapeError
from nbgraph.operator.arrays.array_op import ArrayOp, Gradients, Rule, Spec
from nbgraph.ops.define import library
from nbgraph.ops.linalg.exponential import EXPM
from nbgraph.ops.linalg.matrices import (
    adjoint_of,
    conventional,
    matrices,
    require_inexact,
    shaped,
    swapped,
)
from nbgraph.ops.linalg.routines import Steps, by_lapack

OPERATORS: dict[str, ArrayOp] = {"linalg_expm": EXPM}


def define(function: str, shapes: str, rule: Rule, keeps: str, **options: Any) -> None:
    """Register the operator of a function of `numpy.linalg`; see `shaped` and `by_lapack`."""
    name = f"linalg_{function}"
    OPERATORS[name] = by_lapack(name, function, shapes, conventional(rule), keeps, **options)


def _row(x: Any) -> Any:
    """Return vectors as rows, which scale columns."""
    return library.expand_dims(x, -2)


def _column(x: Any) -> Any:
    """Return vectors as columns, which scale rows."""
    return library.expand_dims(x, -1)


def _columns(x: Any, start: int, stop: int | None) -> Any:
    return library.slice_view(x, (..., slice(start, stop)))


def _product(*factors: Any) -> Any:
    return reduce(library.matmul, factors)


def _sum(terms: Sequence[Any]) -> Any:
    return reduce(library.add, terms)


def _on_diagonal(x: Any, size: int) -> Any:
    """Return diagonal matrices of these vectors."""
    return library.multiply(_column(x), np.eye(size, dtype="bool"))


def _gaps(values: Any, size: int) -> Any:
    """Return values[j] - values[i] in row i and column j; 1 on the diagonal."""
    return library.add(library.subtract(_row(values), _column(values)), np.eye(size, dtype="bool"))


def _off_diagonal(x: Any, size: int) -> Any:
    return library.multiply(x, ~np.eye(size, dtype="bool"))


# linear equations -------------------------------------------------------------------------------


def _solve_infer(a: Spec, b: Spec) -> Spec:
    batch, _, n = matrices("linalg_solve", a, square=True)
    rows = b.shape[:1] if len(b.shape) == 1 else b.shape[-2:-1]
    if rows != (n,):
        raise ShapeError(
            f"linalg_solve: b has shape {b.shape}; expected ({n},) or (..., {n}, k), for a of "
            f"shape {a.shape}"
        )
    require_inexact("linalg_solve", b, "b")
    dtype = np.result_type(a.dtype, b.dtype)
    if len(b.shape) == 1:
        return Spec((*batch, n), dtype)
    return Spec((*np.broadcast_shapes(batch, b.shape[:-2]), n, b.shape[-1]), dtype)


def _solve_rule(g: Gradients) -> list[Any]:
    (a, _), (x,), grad = g.inputs, g.outputs, g.out_grad
    vector = len(g.specs[1].shape) == 1
    if vector:
        grad, x = _column(grad), _column(x)
    to_b = library.linalg_solve(swapped(a), grad)
    to_a = lambda: library.negative(library.matmul(to_b, swapped(x)))
    return [to_a, library.squeeze(to_b, -1) if vector else to_b]


def _solve_steps(steps: Steps, a: Spec, b: Spec) -> float:
    n, axes = a.shape[-1], min(2, len(b.shape))
    columns = b.shape[-1] if axes == 2 else 1
    steps.load(0, "factors")
    steps.load(1, "x", axes=axes)
    steps.work("pivots", n, "int32")
    steps.call("gesv", n, columns, "factors", n, "pivots", "x", n)
    steps.store("x", 0, n, axes=axes)
    return n * n * (n + 2 * columns)


OPERATORS["linalg_solve"] = by_lapack(
    *("linalg_solve", "solve", _solve_infer, _solve_rule, "a out"),
    operands="a b",
    recipe=_solve_steps,
)


def _pinv_rule(g: Gradients) -> list[Any]:
    """Golub and Pereyra, The differentiation of pseudo-inverses, 1973: for constant rank."""
    (a,), (p,), h = g.inputs, g.outputs, adjoint_of(g)
    turned = h(g.out_grad)
    k = _product(turned, p)
    ended = _product(k, h(p))
    rest = library.subtract(turned, _product(k, a))
    terms = [
        library.negative(h(_product(p, k))),
        library.subtract(ended, _product(a, p, ended)),
        _product(h(p), p, rest),
    ]
    return [_sum(terms)]


def by_singular_values(a: Any, *, rtol: Any) -> Any:
    """Return pseudo-inverses; singular values up to `rtol` of the largest count as 0."""
    u, s, v = library.linalg_svd(a, full_matrices=False)
    kept = library.greater(s, library.multiply(_columns(s, 0, 1), rtol))
    inverse = library.where(kept, library.divide(1, library.where(kept, s, 1)), 0)
    left, right = (swapped(library.conj(x)) for x in (u, v))
    return library.matmul(library.multiply(right, _row(inverse)), left)


OPERATORS["linalg_pinv"] = ArrayOp(
    "linalg_pinv",
    shaped("linalg_pinv", "m n -> n m"),
    gradient=conventional(_pinv_rule),
    operands=("a",),
    keeps=("a", "out"),
    composition=by_singular_values,
)


# singular values and eigenvalues ----------------------------------------------------------------


def _skew(x: Any, h: Callable[[Any], Any]) -> Any:
    return library.subtract(x, h(x))


def _svd_rule(g: Gradients) -> list[Any]:
    """Townsend, Differentiating the singular value decomposition, 2016."""
    u, s, v = g.outputs
    to_u, to_s, to_v = g.out_grads
    m, n = g.specs[0].shape[-2:]
    k, h = min(m, n), adjoint_of(g)
    if g.attributes["full_matrices"] and m != n:
        if to_u is not None or to_v is not None:
            raise DerivativeError(
                "linalg_svd: with full_matrices=True the vectors of no singular value have no "
                "derivative; give full_matrices=False"
            )
        u, s, v = library.linalg_svd(g.inputs[0], full_matrices=False)
    terms = [] if to_s is None else [_on_diagonal(to_s, k)]
    gaps = _gaps(library.multiply(s, s), k)
    if to_u is not None:
        turn = _skew(_product(h(u), to_u), h)
        terms.append(library.multiply(_off_diagonal(library.divide(turn, gaps), k), _row(s)))
        if g.specs[0].dtype.kind == "c" and to_v is not None:
            phase = library.divide(library.diagonal(turn, 0, -2, -1), library.multiply(s, 2))
            terms.append(_on_diagonal(phase, k))
    if to_v is not None:
        turn = _skew(_product(v, h(to_v)), h)
        terms.append(library.multiply(_column(s), _off_diagonal(library.divide(turn, gaps), k)))
    if not terms:
        return []
    inner = _sum(terms)
    if m > k and to_u is not None:
        outside = library.divide(to_u, _row(s))
        outside = library.subtract(outside, _product(u, h(u), outside))
        gradient = library.matmul(library.add(library.matmul(u, inner), outside), v)
    elif n > k and to_v is not None:
        outside = library.divide(to_v, _column(s))
        outside = library.subtract(outside, _product(outside, h(v), v))
        gradient = library.matmul(u, library.add(library.matmul(inner, v), outside))
    else:
        gradient = _product(u, inner, v)
    return [gradient]


def _svdvals_rule(g: Gradients) -> list[Any]:
    u, _, v = library.linalg_svd(g.inputs[0], full_matrices=False)
    return [_product(library.multiply(u, _row(g.out_grad)), v)]


def _svd_steps(steps: Steps, a: Spec, *, full_matrices: bool) -> float:
    m, n = a.shape[-2:]
    k = min(m, n)
    ld = n if full_matrices else k
    _gesdd(steps, "A" if full_matrices else "S", m, n)
    steps.store("u", 0, m)
    steps.store("s", 1, k, axes=1)
    steps.store("v", 2, ld)
    return 20 * m * n * k


def _svdvals_steps(steps: Steps, a: Spec) -> float:
    m, n = a.shape[-2:]
    _gesdd(steps, "N", m, n)
    steps.store("s", 0, min(m, n), axes=1)
    return 4 * m * n * min(m, n)


def _gesdd(steps: Steps, job: str, m: int, n: int) -> None:
    """Compute singular values "s" and, unless the job is "N", vectors "u" and "v"."""
    k = min(m, n)
    ld = n if job == "A" else k
    steps.load(0, "a")
    steps.work("s", k)
    steps.work("u", m * (m if job == "A" else k) if job != "N" else 1)
    steps.work("v", ld * n if job != "N" else 1)
    room = steps.work("work", (4 * k * k if job != "N" else 0) + 8 * k + max(m, n) + 64 * (m + n))
    steps.work("iwork", 8 * k, "int32")
    steps.call("gesdd", job, m, n, "a", m, "s", "u", m, "v", ld, "work", room, "iwork")


_SVD = "singular values did not converge"
define(
    *("svd", "m n -> m w, k:real, t n", _svd_rule, "a out"),
    nout=3,
    recipe=_svd_steps,
    failure=_SVD,
)
define(
    *("svdvals", "m n -> k:real", _svdvals_rule, "a"),
    recipe=_svdvals_steps,
    failure=_SVD,
)


def _eigh_rule(g: Gradients) -> list[Any]:
    """V (diag(to_w) + (V^H to_v) / gaps) V^H, made symmetric."""
    (w, v), (to_w, to_v), h = g.outputs, g.out_grads, adjoint_of(g)
    size = g.specs[0].shape[-1]
    terms = [] if to_w is None else [_on_diagonal(to_w, size)]
    if to_v is not None:
        turn = library.divide(_product(h(v), to_v), _gaps(w, size))
        terms.append(_off_diagonal(turn, size))
    if not terms:
        return []
    gradient = _product(v, _sum(terms), h(v))
    return [library.multiply(library.add(gradient, h(gradient)), 0.5)]


def _eigvalsh_rule(g: Gradients) -> list[Any]:
    _, v = library.linalg_eigh(g.inputs[0], UPLO=g.attributes["UPLO"])
    return [_product(library.multiply(v, _row(g.out_grad)), adjoint_of(g)(v))]


def _eigvalsh_steps(steps: Steps, a: Spec, *, UPLO: str, job: str = "N") -> float:
    n = a.shape[-1]
    steps.load(0, "a")
    steps.work("w", n)
    room = steps.work("work", 1 + (40 + 2 * n * (job == "V")) * n)
    whole = steps.work("iwork", 3 + 5 * n, "int32")
    steps.call("syevd", job, UPLO, n, "a", n, "w", "work", room, "iwork", whole)
    steps.store("w", 0, n, axes=1)
    return 2 * n**3


def _eigh_steps(steps: Steps, a: Spec, *, UPLO: str) -> float:
    operations = _eigvalsh_steps(steps, a, UPLO=UPLO, job="V")
    steps.store("a", 1, a.shape[-1])
    return 4 * operations


_EIGEN = "eigenvalues did not converge"
define(
    *("eigh", "n n -> n:real, n n", _eigh_rule, "out"),
    nout=2,
    recipe=_eigh_steps,
    failure=_EIGEN,
)
define(
    *("eigvalsh", "n n -> n:real", _eigvalsh_rule, "a"),
    recipe=_eigvalsh_steps,
    failure=_EIGEN,
)


def _of_vectors(w: Any, v: Any, to_w: Any, to_v: Any, size: int) -> Any:
    """V^-H (diag(to_w) + (M - V^H V diag(Re M)) / conj(gaps)) V^H, M = V^H to_v."""

    def h(x: Any) -> Any:
        return swapped(library.conj(x))

    terms = [] if to_w is None else [_on_diagonal(to_w, size)]
    if to_v is not None:
        turn = _product(h(v), to_v)
        lengths = _row(library.real(library.diagonal(turn, 0, -2, -1)))
        turn = library.subtract(turn, library.multiply(_product(h(v), v), lengths))
        terms.append(_off_diagonal(library.divide(turn, library.conj(_gaps(w, size))), size))
    return library.linalg_solve(h(v), _product(_sum(terms), h(v)))


def _eig_rule(g: Gradients) -> list[Any]:
    return [_of_vectors(*g.outputs, *g.out_grads, size=g.specs[0].shape[-1])]


def _eigvals_rule(g: Gradients) -> list[Any]:
    w, v = library.linalg_eig(g.inputs[0])
    return [_of_vectors(w, v, g.out_grad, None, g.specs[0].shape[-1])]


define("eig", "n n -> n:complex, n n:complex", _eig_rule, "out", nout=2)
define("eigvals", "n n -> n:complex", _eigvals_rule, "a")


# triangles ------------------------------------------------------------------------


def _qr_rule(g: Gradients) -> list[Any]:
    """Use the factors' rule for the first m columns of a wide matrix, R = Q^H a for the rest."""
    (q, r), (to_q, to_r), h = g.outputs, g.out_grads, adjoint_of(g)
    m, n = g.specs[0].shape[-2:]
    if g.attributes["mode"] == "complete" and m > n:
        raise DerivativeError(
            "linalg_qr: with mode='complete' the last columns of Q have no derivative; give "
            "mode='reduced'"
        )
    rest = None
    if n > m and to_r is not None:
        rest = library.matmul(q, _columns(to_r, m, None))
        last = _product(q, _columns(r, m, None))  # columns of a
        turned = _product(last, h(_columns(to_r, m, None)))
        to_q = turned if to_q is None else library.add(to_q, turned)
        to_r = _columns(to_r, 0, m)
    gradient = _square_qr(q, _columns(r, 0, m) if n > m else r, to_q, to_r, h)
    if n > m and gradient is not None:
        rest = (
            library.zeros_like(q, shape=(*g.specs[0].shape[:-1], n - m)) if rest is None else rest
        )
        gradient = library.concatenate([gradient, rest], -1)
    return [gradient]


def _square_qr(q: Any, r: Any, to_q: Any, to_r: Any, h: Callable[[Any], Any]) -> Any:
    """(to_q + Q sym(triu(to_r R^H - Q^H to_q))) R^-H, for tall or square matrices."""
    terms = [] if to_r is None else [_product(to_r, h(r))]
    if to_q is not None:
        terms.append(library.negative(_product(h(q), to_q)))
    if not terms:
        return None
    upper = library.triu(_sum(terms))
    halves = 1 - 0.5 * np.eye(r.shape[-1], dtype=real_dtype(r.dtype))
    inner = library.matmul(q, library.multiply(library.add(upper, h(upper)), halves))
    inner = inner if to_q is None else library.add(to_q, inner)
    return h(library.linalg_solve(r, h(inner)))


def _qr_steps(steps: Steps, a: Spec, *, mode: str) -> float:
    m, n = a.shape[-2:]
    k = m if mode == "complete" else min(m, n)
    steps.work("a", m * max(n, k))
    steps.load(0, "a")
    steps.work("scales", min(m, n))
    room = steps.work("work", 64 * max(n, k))
    steps.call("geqrf", m, n, "a", m, "scales", "work", room)
    steps.store("a", 1, m, triangle="upper")
    steps.call("orgqr", m, k, min(m, n), "a", m, "scales", "work", room)
    steps.store("a", 0, m)
    return 4 * m * n * k


define("qr", "m n -> m w, w n", _qr_rule, "out", nout=2, recipe=_qr_steps)
