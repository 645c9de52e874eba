"""The exponential function of matrices, by scaling and squaring (Higham, 2005)."""

import math
from functools import partial
from typing import Any

import numpy as np

from nbgraph.operator.arrays.array_op import Gradients
from nbgraph.ops.define import by_numpy, library
from nbgraph.ops.linalg.matrices import shaped, solved, swapped
from nbgraph.ops.linalg.small import SmallOp


def _rule(g: Gradients) -> list[Any]:
    """Take the upper right block of exp([[A^T, out_grad], [0, A^T]]) (Mathias, 1996)."""
    turned, size = swapped(g.inputs[0]), g.specs[0].shape[-1]
    upper = library.concatenate([turned, library.astype(g.out_grad, turned.dtype)], -1)
    lower = library.concatenate([library.zeros_like(turned), turned], -1)
    derivative = library.linalg_expm(library.concatenate([upper, lower], -2))
    return [library.slice_view(derivative, (..., slice(size), slice(size, None)))]


_PADE = [math.comb(13, j) / math.perm(26, j) for j in range(14)]  # of degree 13, by powers
_NEAR = 5.37  # up to this norm its error is one rounding in float64


def _expm(xp: Any, a: Any) -> Any:
    """Return the exponential by a Pade approximant, scaled by norms of powers (Al-Mohy and Higham,
    2009); all matrices of a batch at once."""
    second = a @ a
    powers = (second, second @ second, second @ second @ second)
    sizes = [xp.abs(x).sum(-2).max(-1) for x in (a, *powers)]
    size = xp.maximum(sizes[2] ** 0.25, sizes[3] ** (1 / 6))
    size = xp.where(xp.isfinite(size), size, sizes[0])
    halvings = xp.ceil(xp.log2(xp.maximum(size / _NEAR, 1.0)))
    halvings = xp.where(xp.isfinite(halvings), halvings, 0)[..., None, None]
    x2, x4, x6 = (x * 0.25 ** (k * halvings) for k, x in enumerate(powers, 1))
    one, b = xp.eye(a.shape[-1], dtype=a.dtype), _PADE
    odd = x6 @ (b[13] * x6 + b[11] * x4 + b[9] * x2)
    odd = (a * 0.5**halvings) @ (odd + b[7] * x6 + b[5] * x4 + b[3] * x2 + b[1] * one)
    even = x6 @ (b[12] * x6 + b[10] * x4 + b[8] * x2)
    even = even + b[6] * x6 + b[4] * x4 + b[2] * x2 + b[0] * one
    result = xp.linalg.solve(even - odd, even + odd)
    for k in range(int(halvings.max())):
        result = xp.where(halvings > k, result @ result, result)
    return result


def run_expm(xp: Any, a: Any, out: Any) -> None:
    """Compute `linalg_expm` by an array library."""
    if a.size:
        with np.errstate(all="ignore"):
            out[...] = solved("linalg_expm", partial(_expm, xp), a)


def _text(dtype: str) -> tuple[str, int]:
    from nbgraph.kernels.products.exponential import MATRICES, expm_text

    return expm_text(dtype, _PADE, _NEAR), MATRICES


EXPM = SmallOp(
    "linalg_expm",
    shaped("linalg_expm", "n n -> n n"),
    by_numpy(run_expm),
    gradient=_rule,
    operands=("a",),
    keeps=("a",),
    text=_text,
)
