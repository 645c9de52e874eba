"""Map and reduce in one pass: a scalar function's values summed (or max, min, product) over axes.

A pass sets down one total a block of the run, so the tree of additions depends on shape and
dtype alone; the totals, in float64, are reduced by further passes until one is left.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from nbgraph.errors import ShapeError
from nbgraph.kernels.function import Captured
from nbgraph.kernels.kernel import Kernel, kernel, record
from nbgraph.kernels.loops import BLOCK, Combine, Layout, Loop, Operand, Output
from nbgraph.kernels.scalar import Graph
from nbgraph.operator.invoke import Plan
from nbgraph.operator.typing import Array
from nbgraph.shape import address, broadcast, space

if TYPE_CHECKING:
    from nbgraph.operator.mapper import Mapper

_IDENTITY: dict[str, float] = {"add": 0.0, "multiply": 1.0}


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
    kept_shape = tuple(n for d, n in enumerate(shape) if d not in axes)
    if math.prod(shape) == 0:
        if combine not in _IDENTITY:
            raise ValueError(f"{op.__name__}: {combine} of an empty array has no value")
        result = np.full(kept_shape, _IDENTITY[combine], final)
    else:
        result = _passes(op, plan, views, shape, axes, combine).astype(final, copy=False)
    if keepdims:
        result = result.reshape([1 if d in axes else n for d, n in enumerate(shape)])
    return result[()] if result.ndim == 0 else result


def _passes(
    op: Mapper,
    plan: Plan,
    views: Sequence[Array],
    shape: tuple[int, ...],
    axes: Sequence[int],
    combine: Combine,
) -> Array:
    """First the mapped pass, then passes over totals."""
    kept = [d for d in range(len(shape)) if d not in axes]
    moved = [v.transpose([*kept, *axes]) for v in views]
    total = _total_dtype(plan.typed.outputs[0], combine)
    work = _Pass(op.__name__, plan.typed.captured, plan.typed.compute, combine, total, plan.kernels)
    words = op.invoker.parameter_words(plan)
    while True:
        moved, left = _merge(moved, len(kept))
        result = _run(work, moved, words)
        if left == 1 and result.shape[-1] == 1:
            return result[..., 0]
        moved, words, work = [result], [], _totals(combine, total)


def _merge(arrays: Sequence[Array], kept: int) -> tuple[list[Array], int]:
    """Reduced axes merged where strides allow; returns how many are left."""
    if all(a.flags.c_contiguous for a in arrays):
        return [a.reshape((*a.shape[:kept], -1)) for a in arrays], 1
    shape = arrays[0].shape[kept:]
    run = space(shape, [a.strides[kept:] for a in arrays])
    dims = [*reversed(run.outer), (run.inner, run.steps)]
    merged = [
        np.lib.stride_tricks.as_strided(
            a,
            a.shape[:kept] + tuple(n for n, _ in dims),
            a.strides[:kept] + tuple(steps[k] for _, steps in dims),
            writeable=False,
        )
        for k, a in enumerate(arrays)
    ]
    return merged, len(dims)


@dataclass(frozen=True, slots=True)
class _Pass:
    """One reduction over the last axis, and its kernels by layout."""

    name: str
    captured: Captured
    compute: str
    combine: Combine
    total: np.dtype[Any]
    kernels: dict[tuple[Any, ...], Kernel]

    def kernel(self, arrays: Sequence[Array], layouts: tuple[Layout, ...]) -> Kernel:
        """The kernel for these layouts."""
        key = ("reduce", self.combine, layouts)
        if key not in self.kernels:
            operands = tuple(
                Operand(node, a.dtype.name, layout)
                for node, a, layout in zip(self.captured.operands, arrays, layouts, strict=True)
            )
            out = Output(self.captured.outputs[0], self.total.name, "c", combine=self.combine)
            self.kernels[key] = kernel(
                Loop(
                    f"{self.combine}_{self.name}",
                    "reduce",
                    self.captured.graph,
                    self.compute,  # type: ignore[arg-type]
                    operands,
                    self.captured.parameters,
                    (out,),
                )
            )
        return self.kernels[key]


def _run(work: _Pass, arrays: Sequence[Array], words: Sequence[bytes]) -> Array:
    """Totals of blocks of the last axis, in a new last axis."""
    count, rows = arrays[0].shape[-1], arrays[0].shape[:-1]
    blocks = -(-count // BLOCK)
    result = np.empty((*rows, blocks), work.total)
    layouts: tuple[Layout, ...] = tuple(
        "0" if a.strides[-1] == 0 else "c" if a.strides[-1] == a.itemsize or count == 1 else "s"
        for a in arrays
    )
    outer = space(rows, [*(a.strides[:-1] for a in arrays), result.strides[:-1]])
    args = record(
        count,
        [address(a) for a in (*arrays, result)],
        [*(a.strides[-1] for a in arrays), result.itemsize],
        words,
        [(outer.inner, outer.steps), *outer.outer],
    )
    work.kernel(arrays, layouts).run(args, 0, outer.size * blocks)
    return result


@functools.cache
def _totals(combine: Combine, total: np.dtype[Any]) -> _Pass:
    """The pass over totals of a dtype."""
    compute = "float64" if total.name == "float64" else "float32"
    return _Pass("totals", _identity(total), compute, combine, total, {})


def _identity(dtype: np.dtype[Any]) -> Captured:
    graph = Graph()
    leaf = graph.argument("total", "f" if dtype.kind == "f" else dtype.name)
    return Captured(graph, (leaf,), (), (leaf,))


def _total_dtype(dtype: np.dtype[Any], combine: Combine) -> np.dtype[Any]:
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
            raise ShapeError(f"{name}: axis {d} is out of bounds for shape {shape}")
    return sorted({d % len(shape) for d in given})
