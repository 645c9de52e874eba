"""Factors of matrices with orthonormal rows, under MXNet's names. Leading axes are a batch."""

from __future__ import annotations

from typing import Any

import numpy as np

from nbgraph.errors import ShapeError
from nbgraph.operator.array_op import ArrayOp, Gradients, Spec
from nbgraph.ops.define import by_numpy, cast, define_rows, library
from nbgraph.ops.elementwise.arithmetic import add, divide, multiply, subtract
from nbgraph.ops.linalg.matrices import solved, swapped
from nbgraph.ops.linalg.routines import LapackOp, Steps
from nbgraph.ops.named.matrices import linalg_trsm, require_floats, square
from nbgraph.shape import Array

# of symmetric matrices --------------------------------------------------------------------------


def _syevd_infer(a: Spec) -> tuple[Spec, Spec]:
    square("linalg_syevd", a)
    return a, Spec(a.shape[:-1], a.dtype)


def syevd(xp: Any, a: Array, vectors: Array, values: Array) -> None:
    """Of both signs of a row the one that makes its largest element positive."""
    values[...], columns = solved("linalg_syevd", xp.linalg.eigh, a)
    rows = xp.swapaxes(columns, -1, -2)
    if rows.size:
        largest = xp.take_along_axis(rows, xp.abs(rows).argmax(-1)[..., None], -1)
        rows = xp.where(largest < 0, -rows, rows)
    vectors[...] = rows


def _syevd_rule(g: Gradients) -> list[Any]:
    """U^T (diag(to_l) + F * (U to_u^T)) U, made symmetric, F[i, j] = 1 / (l[j] - l[i]) off the
    diagonal (Giles, An extended collection of matrix derivative results, 2008, 3.1)."""
    u, values = g.outputs
    one, inner = np.eye(g.specs[0].shape[-1], dtype=g.specs[0].dtype), None
    if g.out_grads[1] is not None:
        inner = multiply(library.expand_dims(g.out_grads[1], -1), one)
    if g.out_grads[0] is not None:
        gaps = subtract(library.expand_dims(values, -2), library.expand_dims(values, -1))
        turns = library.matmul(u, swapped(g.out_grads[0]))
        turns = divide(multiply(turns, 1 - one), add(gaps, one))
        inner = turns if inner is None else add(inner, turns)
    if inner is None:
        return [None]
    product = library.matmul(library.matmul(swapped(u), inner), u)
    return [cast(multiply(add(product, swapped(product)), 0.5), g.specs[0])]


_SYEVD = ArrayOp(
    "linalg_syevd",
    _syevd_infer,
    by_numpy(syevd),
    gradient=_syevd_rule,
    operands=("A",),
    keeps=("out0", "out1"),
    nout=2,
)


# of wide matrices -------------------------------------------------------------------------------


def _gelqf_infer(a: Spec) -> tuple[Spec, Spec]:
    if len(a.shape) < 2 or a.shape[-2] > a.shape[-1]:
        raise ShapeError(
            f"linalg_gelqf: A has shape {a.shape}; expected matrices (..., m, n) with m <= n"
        )
    require_floats("linalg_gelqf", a)
    return a, Spec((*a.shape[:-1], a.shape[-2]), a.dtype)


def gelqf(xp: Any, a: Array, q: Array, factor: Array) -> None:
    """By a QR factorisation of the transposed matrix."""
    columns, upper = solved("linalg_gelqf", xp.linalg.qr, xp.swapaxes(a, -1, -2))
    q[...], factor[...] = xp.swapaxes(columns, -1, -2), xp.swapaxes(upper, -1, -2)


def _gelqf_rule(g: Gradients) -> list[Any]:
    """L^-T (to_q + M Q), M the lower triangle of L^T to_l - to_q Q^T, mirrored."""
    (q, factor), (to_q, to_l) = g.outputs, g.out_grads
    parts = []
    if to_l is not None:
        parts.append(library.matmul(swapped(factor), library.tril(to_l)))
    if to_q is not None:
        parts.append(multiply(library.matmul(to_q, swapped(q)), -1))
    if not parts:
        return [None]
    inner = add(*parts) if len(parts) > 1 else parts[0]
    inner = add(library.tril(inner), swapped(library.tril(inner, -1)))
    product = library.matmul(inner, q)
    product = product if to_q is None else add(to_q, product)
    return [cast(linalg_trsm(factor, cast(product, g.specs[0]), transpose=True), g.specs[0])]


def _gelqf_steps(steps: Steps, a: Spec) -> float:
    m, n = a.shape[-2:]
    steps.load(0, "a")
    steps.work("scales", m)
    room = steps.work("work", 64 * m)
    steps.call("gelqf", m, n, "a", m, "scales", "work", room)
    steps.store("a", 1, m, triangle="lower")
    steps.call("orglq", m, n, m, "a", m, "scales", "work", room)
    steps.store("a", 0, m)
    return 4 * m * m * n


_GELQF = LapackOp(
    "linalg_gelqf",
    _gelqf_infer,
    by_numpy(gelqf),
    gradient=_gelqf_rule,
    operands=("A",),
    keeps=("out0", "out1"),
    nout=2,
    recipe=_gelqf_steps,
)

_TABLE = """
linalg_syevd(A) -> tuple[Any, Any]: Eigenvectors and eigenvalues of symmetric matrices: A = U.T @
    diag(L) @ U.

    A gradient of U needs different eigenvalues (Giles, An extended collection of matrix derivative
    results, 2008; Seeger et al., Auto-differentiating linear algebra, 2017).
    A : array (..., n, n), floats, of which the lower triangle is read
    -> U : array (..., n, n), an eigenvector in each row, its largest element positive
    L : array (..., n), eigenvalues in rising order
    ! ShapeError for other shapes; DTypeError for integers; ValueError where it does not converge.
    >>> u, values = linalg_syevd([[2.0, 0.0], [0.0, 1.0]])
    >>> values
    array([1., 2.])
linalg_gelqf(A) -> tuple[Any, Any]: The LQ factors of wide matrices: A = L @ Q.

    A gradient needs independent rows of A (Seeger et al., Auto-differentiating linear algebra,
    2017).
    A : array (..., m, n) with m <= n, floats
    -> Q : array (..., m, n), orthonormal rows
    L : array (..., m, m), a lower triangle, of the signs that LAPACK gives
    ! ShapeError for tall matrices; DTypeError for integers.
    >>> q, factor = linalg_gelqf([[3.0, 4.0]])
    >>> round(abs(float(factor[0, 0])), 9)
    5.0
"""
define_rows(_TABLE, globals())
