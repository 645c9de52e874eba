"""Complex numbers on GPUs, whose kernels compute with real ones: by real and imaginary parts.

Parts are views. Linear operators apply to each part; a product of two is four products.
"""

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from nbgraph.dtype import real_dtype
from nbgraph.operator.arrays import device_forms
from nbgraph.ops.define import library, operator_of
from nbgraph.ops.elementwise.casting import astype
from nbgraph.ops.elementwise.complexes import complex_parts
from nbgraph.ops.products.contraction import apart, einsum
from nbgraph.ops.products.products import batch_dot, dot, inner, matmul, tensordot


def by_parts(op: Any, x: Any, *others: Any, **how: Any) -> Any:
    """Return the result of an operator for a complex first operand, in which it is linear."""
    real, imag = (op(part, *others, **how) for part in (library.real(x), library.imag(x)))
    return library.complex_parts(real, imag)


@device_forms.in_pieces(complex_parts)
def joined(out: Any, x: Any, y: Any) -> Sequence[tuple[Any, int | None, Any]]:
    """Yield the writes of both parts."""
    return (out.real, 0, x), (out.imag, 1, y)


@device_forms.composed(astype)
def cut(x: Any, *, dtype: np.dtype[Any]) -> Any:
    """Return the cast of a complex number to real or bool, or of a real one to complex."""
    if (x.dtype.kind == "c") is (dtype.kind == "c"):
        return None
    if dtype.kind == "c":
        real = library.astype(x, real_dtype(dtype))
        return library.complex_parts(real, library.zeros_like(real))
    if dtype.kind == "b":
        return library.logical_or(library.real(x), library.imag(x))
    return library.astype(library.real(x), dtype)


def _product(op: Any, a: Any, *others: Any, **how: Any) -> Any:
    """Return a product with one or two complex operands, by real ones; None without any."""
    if not others:
        return apart(how["subscripts"], a)
    b = others[0] if len(others) == 1 else None
    if b is None or "c" not in (a.dtype.kind, b.dtype.kind):
        return None
    if b.dtype.kind != "c":
        return by_parts(op, a, b, **how)
    x, y = (op(a, part, **how) for part in (library.real(b), library.imag(b)))
    if a.dtype.kind == "c":
        (x, xi), (y, yi) = ((library.real(z), library.imag(z)) for z in (x, y))
        x, y = library.subtract(x, yi), library.add(y, xi)
    return library.complex_parts(x, y)


for _op in (matmul, dot, batch_dot, inner, tensordot, einsum):
    device_forms.composed(_op)(partial(_product, operator_of(_op)))
