"""Building blocks of matrix operators: calls of `numpy.linalg`, transposes, conventions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from nbgraph.dtype import compute_dtype, inexact, real_dtype
from nbgraph.errors import DTypeError, ShapeError
from nbgraph.operator.arrays.array_op import Gradients, Rule, Spec
from nbgraph.operator.mapper.complex_call import any_complex
from nbgraph.ops.define import library
from nbgraph.shape import Array


def matrices(
    name: str, a: Spec, label: str = "a", *, square: bool = False
) -> tuple[tuple[int, ...], int, int]:
    """Return batch, rows and columns of matrices; ShapeError or DTypeError for something else."""
    if len(a.shape) < 2 or (square and a.shape[-1] != a.shape[-2]):
        kind = "square matrices (..., n, n)" if square else "matrices (..., m, n)"
        raise ShapeError(f"{name}: {label} has shape {a.shape}; expected {kind}")
    require_inexact(name, a, label)
    return a.shape[:-2], a.shape[-2], a.shape[-1]


def shaped(name: str, text: str, label: str = "a") -> Callable[..., Any]:
    """Return the inference of a matrix function from a text, in which axes have letters.

    k is the smaller of m and n; w and t are m and n of full factors, and k of others. `:real` and
    `:complex` mark results of another dtype than the operand's.

    >>> shaped("svd", "m n -> m k, k:real, k n")(Spec((5, 3, 2), np.dtype("complex64")))[1]
    Spec(shape=(5, 2), dtype=dtype('float32'))
    """
    axes, results = text.split(" -> ")

    def infer(a: Spec, **options: Any) -> Any:
        batch, m, n = matrices(name, a, label, square=axes == "n n")
        k = min(m, n)
        full = options.get("full_matrices") or options.get("mode") == "complete"
        sizes = {"m": m, "n": n, "k": k, "w": m if full else k, "t": n if full else k}
        specs = []
        for result in results.split(", "):
            letters, _, kind = result.partition(":")
            dtype = real_dtype(a.dtype) if kind == "real" else a.dtype
            dtype = np.result_type(dtype, "complex64") if kind == "complex" else dtype
            specs.append(Spec((*batch, *map(sizes.__getitem__, letters.split())), dtype))
        return specs[0] if len(specs) == 1 else tuple(specs)

    return infer


def require_inexact(name: str, a: Spec, label: str) -> None:
    """Raise DTypeError for an array that is neither of floats nor of complex numbers."""
    if not inexact(a.dtype):
        raise DTypeError(f"{name}: {label} has dtype {a.dtype}; expected floats: use astype")


def wide(x: Array) -> Array:
    """Return an array in the precision that LAPACK has for it."""
    return x.astype(compute_dtype(x.dtype), copy=False)


def solved(name: str, function: Callable[..., Any], *arrays: Array, failure: str = "") -> Any:
    """Return the result of a function of `numpy.linalg`, in float32 at least; raise LinAlgError, a
    ValueError, if it fails, with the text `failure` in place of an error number."""
    try:
        return function(*map(wide, arrays))
    except np.linalg.LinAlgError as error:
        failure = failure or f"{str(error)[:1].lower()}{str(error)[1:]}"
        raise np.linalg.LinAlgError(f"{name}: {failure}") from None


def swapped(x: Any) -> Any:
    """Return matrices transposed."""
    return library.matrix_transpose(x)


def conventional(rule: Rule) -> Rule:
    """Return a rule for conjugate gradients converted to nbgraph's convention."""

    def convert(g: Gradients) -> Sequence[Any]:
        if not any_complex((g.specs[0], *g.out_grads)):
            return rule(g)
        gradients = rule(g._replace(out_grads=list(map(_conjugate, g.out_grads))))
        return list(map(_conjugate, gradients))

    return convert


def adjoint_of(g: Gradients) -> Callable[[Any], Any]:
    """Return the function that transposes and conjugates matrices."""
    if g.specs[0].dtype.kind == "c":
        return lambda x: swapped(library.conj(x))
    return swapped


def _conjugate(x: Any) -> Any:
    return x if x is None else library.conj(x)
