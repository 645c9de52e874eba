"""Map and reduce in one pass: a scalar function's values summed (or max, min, product) over axes.

One pass sets down a total for each block of the run, in float64 for floats; NumPy reduces the
totals. So the tree of additions depends on shape, layout and dtype alone.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from nbgraph.dtype import name_of
from nbgraph.errors import AxisError
from nbgraph.kernels.kernel import Kernel, kernel, record
from nbgraph.kernels.loops import BLOCK, Combine, Layout, Loop, Operand, Output
from nbgraph.operator.invoke import Plan
from nbgraph.operator.typing import Array
from nbgraph.shape import address, broadcast, space

if TYPE_CHECKING:
    from nbgraph.operator.mapper import Mapper

_IDENTITY: dict[str, float] = {"add": 0.0, "multiply": 1.0}
_NUMPY: dict[str, np.ufunc] = {
    "add": np.add,
    "multiply": np.multiply,
    "max": np.maximum,
    "min": np.minimum,
}


def map_reduce(
    op: Mapper,
    *operands: Any,
    axis: int | tuple[int, ...] | None = None,
    combine: Combine = "add",
    keepdims: bool = False,
    **parameters: Any,
) -> Any:
    """`combine` of `op(*operands)` over axes, without an array of the values in between.

    Floats keep their dtype (sums accumulate in blocks, block totals in float64); integers sum
    to int64 or uint64. Max and min of nothing raise ValueError.
    """
    values = op.parameters(dict(parameters))
    arrays, plan = op.invoker.prepare(operands, values)
    names = list(zip(op.scalar.operands, (a.shape for a in arrays), strict=True))
    shape = broadcast(op.__name__, names)
    axes = _axes(op.__name__, shape, axis)
    views = [np.broadcast_to(a, shape) for a in arrays]
    final = _result_dtype(plan.typed.outputs[0], combine)
    if combine in ("max", "min"):
        final = plan.typed.outputs[0]
    kept_shape = tuple(n for d, n in enumerate(shape) if d not in axes)
    if math.prod(shape) == 0:
        if combine not in _IDENTITY:
            raise ValueError(f"{op.__name__}: {combine} of an empty array has no value")
        result = np.full(kept_shape, _IDENTITY[combine], final)
    else:
        result = _reduced(op, plan, views, axes, combine).astype(final, copy=False)
    if keepdims:
        result = result.reshape([1 if d in axes else n for d, n in enumerate(shape)])
    return result[()] if result.ndim == 0 else result


def _reduced(
    op: Mapper, plan: Plan, views: Sequence[Array], axes: Sequence[int], combine: Combine
) -> Array:
    """One pass over the operands, then NumPy over the totals (pairwise, for sums)."""
    kept = [d for d in range(views[0].ndim) if d not in axes]
    if kept or not all(v.flags.c_contiguous for v in views):
        views = _merged([v.transpose([*kept, *axes]) for v in views], len(kept))
    else:
        views = [v.reshape(-1) for v in views]
    code, words, totals = _block_totals(op, plan, views, combine)
    code.run(words, 0, totals.size)
    if totals.size == 1:
        return totals.reshape((1,) * len(kept))
    return _NUMPY[combine].reduce(totals, axis=tuple(range(len(kept), totals.ndim)))


def _merged(arrays: Sequence[Array], kept: int) -> list[Array]:
    """Reduced axes merged where strides allow."""
    shape = arrays[0].shape[kept:]
    run = space(shape, [a.strides[kept:] for a in arrays])
    dims = [*reversed(run.outer), (run.inner, run.steps)]
    return [
        np.lib.stride_tricks.as_strided(
            a,
            a.shape[:kept] + tuple(n for n, _ in dims),
            a.strides[:kept] + tuple(steps[k] for _, steps in dims),
            writeable=False,
        )
        for k, a in enumerate(arrays)
    ]


def _block_totals(
    op: Mapper, plan: Plan, arrays: Sequence[Array], combine: Combine
) -> tuple[Kernel, Array, Array]:
    """Kernel, argument record and array for the totals of blocks of the last axis."""
    count, rows = arrays[0].shape[-1], arrays[0].shape[:-1]
    blocks = -(-count // BLOCK)
    result = np.empty((*rows, blocks), total_dtype(plan.typed.outputs[0], combine))
    layouts: tuple[Layout, ...] = tuple(
        "0" if a.strides[-1] == 0 else "c" if a.strides[-1] == a.itemsize or count == 1 else "s"
        for a in arrays
    )
    outer = space(rows, [*(a.strides[:-1] for a in arrays), result.strides[:-1]])
    words = record(
        count,
        [address(a) for a in (*arrays, result)],
        [*(a.strides[-1] for a in arrays), result.itemsize],
        op.invoker.parameter_words(plan),
        [(outer.inner, outer.steps), *outer.outer],
    )
    return _kernel(op, plan, combine, layouts, result.dtype), words, result


def _kernel(
    op: Mapper,
    plan: Plan,
    combine: Combine,
    layouts: tuple[Layout, ...],
    total: np.dtype[Any],
) -> Kernel:
    """The reduction's kernel for these layouts."""
    key = ("reduce", combine, layouts)
    if key not in plan.kernels:
        typed, captured = plan.typed, plan.typed.captured
        operands = tuple(
            Operand(node, name_of(dtype), layout)
            for node, dtype, layout in zip(captured.operands, typed.operands, layouts, strict=True)
        )
        out = Output(captured.outputs[0], name_of(total), "c", combine=combine)
        loop = Loop(
            f"{combine}_{op.__name__}",
            "reduce",
            captured.graph,
            typed.compute,  # type: ignore[arg-type]
            operands,
            plan.uniform,
            (out,),
            fastmath=op.fastmath,
        )
        plan.kernels[key] = kernel(loop)
    return plan.kernels[key]


def total_dtype(dtype: np.dtype[Any], combine: Combine) -> np.dtype[Any]:
    """What block totals are kept in."""
    if dtype.kind in "fV":
        wide = combine in ("add", "multiply") or dtype.itemsize == 2
        return np.dtype("float64") if wide else dtype
    return _result_dtype(dtype, combine)


def _result_dtype(dtype: np.dtype[Any], combine: Combine) -> np.dtype[Any]:
    if combine in ("max", "min") or dtype.kind in "fV":
        return np.dtype("uint8") if dtype.kind == "b" else dtype
    return np.dtype("uint64" if dtype.kind == "u" else "int64")


def _axes(name: str, shape: tuple[int, ...], axis: int | tuple[int, ...] | None) -> list[int]:
    if axis is None:
        return list(range(len(shape)))
    given = axis if isinstance(axis, tuple) else (axis,)
    for d in given:
        if not -len(shape) <= d < len(shape):
            raise AxisError(f"{name}: axis {d} is out of bounds for shape {shape}")
    return sorted({d % len(shape) for d in given})
