"""What an array library does on the device's stream as NumPy does it on the host: factors of
matrices, losses over alignments, sorts, which are stable (NaN comes last), and sparsemax.

A factorisation that fails is told, as on the host, for which the library waits for its end.
"""

from __future__ import annotations

from typing import Any

from nbgraph.dtype import compute_dtype
from nbgraph.operator.elsewhere import by_library
from nbgraph.ops.define import axis_of
from nbgraph.ops.elementwise import complexes
from nbgraph.ops.fft import transforms
from nbgraph.ops.linalg import factors
from nbgraph.ops.losses import alignments
from nbgraph.ops.named import factors as named
from nbgraph.ops.named import matrices
from nbgraph.ops.normalisation.projections import sparsemax
from nbgraph.ops.ordering.sorting import argsort, sort, topk

for op, run in (
    (matrices.linalg_trsm, matrices.trsm),
    (matrices.linalg_potrf, matrices.potrf),
    (matrices.linalg_inverse, matrices.inverse),
    (matrices.linalg_det, matrices.det),
    (matrices.linalg_slogdet, matrices.slogdet),
    (named.linalg_syevd, named.syevd),
    (named.linalg_gelqf, named.gelqf),
    (alignments.CTCLoss, alignments.alignments),
    (complexes.complex_map, complexes.run_map),
    (complexes.complex_parts, complexes.run_parts),
    (transforms.fft_complex, transforms.run_fft),
    (transforms.fft_real, transforms.run_rfft),
    (transforms.fft_hermitian, transforms.run_irfft),
    *factors.LIBRARY_FORMS.items(),
):
    by_library(op)(run)


def _order(xp: Any, x: Any, axis: int, *, descending: bool) -> Any:
    """Places of the elements in order, equal ones as they are."""
    x = x.astype("float32") if x.dtype.kind == "V" else x  # bfloat16
    if not descending:
        return xp.argsort(x, axis=axis, kind="stable")
    backwards = xp.flip(xp.argsort(xp.flip(x, axis), axis=axis, kind="stable"), axis)
    return x.shape[axis] - 1 - backwards


@by_library(sort)
def in_order(xp: Any, x: Any, out: Any, *, axis: int, descending: bool, stable: bool) -> None:
    """The elements in order: NaN first where that is descending."""
    axis = axis_of("sort", axis, x.ndim)
    wide = x.astype("float32") if x.dtype.kind == "V" else x
    found = xp.sort(wide, axis=axis)
    out[...] = xp.flip(found, axis) if descending else found


@by_library(argsort)
def order(xp: Any, x: Any, out: Any, *, axis: int, descending: bool, stable: bool) -> None:
    """Places of the elements in order."""
    out[...] = _order(xp, x, axis_of("argsort", axis, x.ndim), descending=descending)


@by_library(topk)
def first(xp: Any, x: Any, values: Any, places: Any, *, k: int, axis: int, largest: bool) -> None:
    """The first ones in order, and where they are."""
    axis = axis_of("topk", axis, x.ndim)
    found = _order(xp, x, axis, descending=largest)[(slice(None),) * axis + (slice(k),)]
    places[...] = found
    values[...] = xp.take_along_axis(x, found, axis)


@by_library(sparsemax)
def sparse_shares(xp: Any, x: Any, out: Any, *, axis: int) -> None:
    """As on the host: the largest scores z with 1 + k * z[k] > z[1] + ... + z[k] have a share."""
    wide = xp.moveaxis(x, axis, -1).astype(compute_dtype(x.dtype))
    wide = wide - wide.max(axis=-1, keepdims=True)
    falling = xp.flip(xp.sort(wide, axis=-1), -1)
    sums = xp.cumsum(falling, axis=-1)
    inside = 1 + xp.arange(1, wide.shape[-1] + 1) * falling > sums
    size = xp.maximum(inside.sum(axis=-1, keepdims=True), 1)
    threshold = (xp.take_along_axis(sums, size - 1, -1) - 1) / size
    xp.moveaxis(out, axis, -1)[...] = xp.maximum(wide - threshold, 0)
