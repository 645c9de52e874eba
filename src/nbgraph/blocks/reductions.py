"""Reductions and row programs over Dask arrays: a tree of totals of blocks, in block order.

The operations on a block, on totals and on the last of them follow from the operator's own
description: `combine` of the elements, of a scalar operator's values (`asks`), or the stages of a
row program. Floats are added in float64. For a row within one block the operator itself runs.
"""

import functools
import importlib
import math
import operator
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import FunctionType
from typing import Any

import dask.array as da
import numpy as np
from dask.array.core import broadcast_chunks, unify_chunks
from dask.graph_manipulation import clone

from nbgraph.blocks.elementwise import mapped
from nbgraph.blocks.tasks import Task, along, cast, is_known, per_block, refusal, spec_of, whole
from nbgraph.dtype import is_float
from nbgraph.kernels.function.scalar_function import WrittenFunction
from nbgraph.kernels.loops.loop import Combine
from nbgraph.operator.mapper.mapper import Mapper
from nbgraph.operator.rows.map_reduce import map_reduce
from nbgraph.operator.rows.reduce_op import ReduceOp
from nbgraph.operator.rows.row_op import RowOp
from nbgraph.operator.rows.row_program import COUNT, INDEX, REDUCED
from nbgraph.operator.spec import Attributes, Spec, Specs
from nbgraph.ops.rowwise.programs import AdjointProgram


def reduced(op: ReduceOp, x: Any, attributes: Attributes, spec: Spec) -> Any:
    """Return a reduction of a Dask array; `spec` is the result's."""
    source = spec_of(x)
    axes = op.axes(source.shape, attributes)
    if "axis" in attributes and whole(x, axes):
        task = Task(op, {**attributes, "axis": axes, "keepdims": True})
        (kept,) = per_block(task, [x], [spec], [_ones(x.chunks, axes)])
        return _without(kept, axes, len(spec.shape))
    x = cast(x, op.taken_dtype(source, spec, attributes) or source.dtype)
    rows = op.row_op(attributes)
    if op.asks is not None:
        kept = _total(*op.asks, {}, [x], axes)
    elif rows is None or op.folds(source, spec):
        assert op.combine is not None, op
        kept = _total(_element, op.combine, {}, [x], axes)
    else:
        program, parameters = rows
        ((kept, _),) = _staged(program, [x], parameters, axes, spec.dtype)
    return _without(cast(kept, spec.dtype), axes, len(spec.shape))


def by_rows(op: RowOp, operands: Sequence[Any], attributes: Attributes, specs: Specs) -> list[Any]:
    """Return the results of a row operator on Dask arrays."""
    count, keepdims = len(op.program.elements), attributes.get("keepdims", True)
    shape = np.broadcast_shapes(*(spec_of(x).shape for x in operands[:count]))
    axes = tuple(sorted(op.axes(len(shape), attributes)))
    if not keepdims:
        operands = [*operands[:count], *(da.expand_dims(x, axes) for x in operands[count:])]
    _, arrays = unify_chunks(*(part for x in operands for part in (x, along(x.ndim))))
    if isinstance(op.program, AdjointProgram):  # has no stages: each row must be in one block
        ndim = len(shape)
        arrays = [x.rechunk({d - ndim: -1 for d in axes if d >= ndim - x.ndim}) for x in arrays]
    wide = [x for x in arrays if x.ndim == len(shape)]
    if all(whole(x, axes) for x in wide):
        chunks = broadcast_chunks(*(x.chunks for x in arrays))
        kept = {"keepdims": True} if "keepdims" in attributes else {}
        axis = axes if len(axes) != 1 else next(iter(axes))
        own = Task(op, {**attributes, "axis": axis, **kept})
        each = [_ones(chunks, axes) if row else chunks for _, row in op.program.results]
        columns = per_block(own, arrays, specs, each)
    else:
        if op.program.classes is not None:
            raise refusal(op.__name__, wide[0], f"rechunk it to one block along axis={axes}")
        values = {name: attributes[name] for name in op.program.parameters}
        staged = _staged(op, arrays, values, axes, specs[0].dtype)
        columns = [cast(value, specs[0].dtype) for value, _ in staged]
    return [
        _without(value, axes, value.ndim if keepdims or not row else value.ndim - len(axes))
        for value, (_, row) in zip(columns, op.program.results, strict=True)
    ]


# row programs -----------------------------------------------------------------------------------


def _staged(
    op: RowOp,
    operands: Sequence[Any],
    parameters: Mapping[str, Any],
    axes: tuple[int, ...],
    stored: np.dtype[Any],
) -> list[tuple[Any, bool]]:
    """Return the results of a program whose rows span blocks, with reduced axes kept; and whether
    each has one value per row. A total that depends on another reads the operands' blocks again, so
    that they need not be kept in memory."""
    program = op.program
    known: dict[str, Any] = {}
    for name, x in zip(program.operands, operands, strict=True):
        dtype = np.dtype("int32") if name in program.integers else stored
        known[name] = x if is_float(x.dtype) and name not in program.integers else cast(x, dtype)
    largest = max(operands, key=lambda x: x.ndim)
    known[COUNT] = _count(largest, axes)
    if program.indexed:
        known[INDEX] = _places(op.__name__, largest, axes[0])
    for number, level in enumerate(program.levels):
        read = known
        if number:
            read = {**known, **{name: clone(known[name]) for name in program.operands}}
        for name in level:
            combine, fn = program.totals[name]
            own = {p.name: parameters[p.name] for p in fn.parameters}
            values = [read[n] for n in fn.operands]
            known[name] = _total(fn.fn, combine, own, values, axes)
    results: list[tuple[Any, bool]] = []
    for fn, row in program.results:
        own = {p.name: parameters[p.name] for p in fn.parameters}
        results.append((mapped(_mapper(fn.fn), [known[n] for n in fn.operands], own), row))
    return results


def _count(x: Any, axes: Sequence[int]) -> Any:
    """Return the number of elements of a row."""
    shape = [x.shape[d] for d in axes]
    if is_known(shape):  # type: ignore[arg-type]
        return float(math.prod(shape))
    return _total(_one, "add", {}, [x], tuple(axes))


def _places(name: str, x: Any, axis: int) -> Any:
    """Return the index of each element in its row."""
    if not is_known(x.shape):
        raise refusal(name, x, "let Dask find the sizes of blocks by compute_chunk_sizes()")
    places: Any = da.arange(x.shape[axis], chunks=(x.chunks[axis],), dtype="int32")  # type: ignore[arg-type]
    return places[(slice(None), *(None,) * (x.ndim - axis - 1))]


def _element(x: Any) -> Any:
    return x


def _one(x: Any) -> float:
    return 1.0


@functools.lru_cache(maxsize=256)
def _mapper(fn: FunctionType | Mapper) -> Mapper:
    return fn if isinstance(fn, Mapper) else Mapper(WrittenFunction(fn))


def place(x: Any, combine: Combine, axis: int | None, *, keepdims: bool) -> Any:
    """Return the index of the first extreme, counted along the last axis first."""
    if axis is not None:
        return (da.argmax if combine == "max" else da.argmin)(x, axis, keepdims=keepdims)
    axes, steps = tuple(range(x.ndim)), [math.prod(x.shape[d + 1 :]) for d in range(x.ndim)]
    best = _total(_element, combine, {}, [x], axes)
    values: list[Any] = [clone(x), best, *(_places("argmax", x, d) for d in axes)]
    at = functools.reduce(operator.add, (p.astype("int64") * n for p, n in zip(values[2:], steps)))
    where = mapped(_mapper(_here), [*values[:2], at], {"end": x.size})
    return _without(_total(_element, "min", {}, [where], axes), axes, x.ndim if keepdims else 0)


def _here(x: Any, best: Any, at: Any, *, end: int = 0) -> Any:
    return at if x == best or (x != x and best != best) else end


# totals -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _BlockTotal:
    """`combine` of a scalar function's values over axes of a block, with these axes kept."""

    fn: FunctionType | Mapper  # a function is sent by name, so that all workers run the same kernel
    combine: Combine
    parameters: Mapping[str, Any]
    axes: tuple[int, ...]

    def __reduce__(self) -> Any:
        fn: Any = self.fn
        if not isinstance(fn, Mapper):
            fn = next((fn.__module__, name) for name, v in fn.__globals__.items() if v is fn)
        return _unpickled_total, (fn, self.combine, dict(self.parameters), self.axes)

    @property
    def __name__(self) -> str:  # type: ignore[override]
        return f"{self.combine}_{self.fn.__name__.strip('_<>')}"

    def __call__(self, *blocks: Any) -> Any:
        """Return the total; an empty one for extremes of no elements."""
        op = _mapper(self.fn)
        # the order of a sum depends on a block's strides, and these on its sender
        arrays = [b if type(b) is float else np.ascontiguousarray(b) for b in blocks]
        shape = np.broadcast_shapes(*map(np.shape, arrays))
        if self.combine in ("max", "min") and 0 in (shape[d] for d in self.axes):
            kept = tuple(0 if d in self.axes else n for d, n in enumerate(shape))
            return np.empty(kept, op(*(np.ravel(a)[:0] for a in arrays)).dtype)
        wide = self.combine in ("add", "multiply")
        return np.asarray(
            map_reduce(
                op,
                *arrays,
                axis=self.axes,
                combine=self.combine,
                keepdims=True,
                wide=wide,
                **self.parameters,
            )
        )


def _unpickled_total(fn: Any, *rest: Any) -> _BlockTotal:
    """Return a block total by a mapper, or by the module and variable of a function."""
    if not isinstance(fn, Mapper):
        module, variable = fn
        fn = getattr(importlib.import_module(module), variable)
    return _BlockTotal(fn, *rest)


def _total(
    fn: FunctionType | Mapper,
    combine: Combine,
    parameters: Mapping[str, Any],
    values: Sequence[Any],
    axes: tuple[int, ...],
) -> Any:
    """Return one value per row, by a tree over the totals of blocks; reduced axes are kept."""
    arrays = [v for v in values if isinstance(v, da.Array)]
    kinds = [v.dtype if isinstance(v, da.Array) else v for v in values]
    op = _mapper(fn)
    (dtype,) = op.invoker.plan_of(kinds, op.parameters_of(dict(parameters))).typed.outputs
    if combine in ("add", "multiply"):
        dtype = np.dtype(
            "float64" if is_float(dtype) else "uint64" if dtype.kind == "u" else "int64"
        )
    chunks = broadcast_chunks(*(a.chunks for a in arrays))
    task = _BlockTotal(fn, combine, dict(parameters), axes)
    (totals,) = per_block(task, values, [Spec((), dtype)], [_ones(chunks, axes)])
    totals._meta = np.empty((0,) * totals.ndim, dtype)  # totals of NDArrays are NumPy arrays, too
    joined = functools.partial(_joined, combine)
    return da.reduction(
        totals,
        _same,
        joined,
        combine=joined,
        axis=axes,
        keepdims=True,
        dtype=dtype,
        meta=totals._meta,
    )


def _same(totals: Any, axis: Any, keepdims: bool) -> Any:
    return totals


def _joined(combine: Combine, totals: Any, axis: Any, keepdims: bool) -> Any:
    return REDUCED[combine].reduce(totals, axis=axis, keepdims=keepdims)


# axes -------------------------------------------------------------------------------------------


def _ones(chunks: Sequence[Sequence[Any]], axes: Sequence[int]) -> tuple[Any, ...]:
    """Return chunks in which each block along axes leaves one value."""
    return tuple((1,) * len(n) if d in axes else tuple(n) for d, n in enumerate(chunks))


def _without(kept: Any, axes: Sequence[int], ndim: int) -> Any:
    """Return the result in `ndim` axes, without the first of the reduced ones."""
    lost = tuple(axes[: kept.ndim - ndim])
    return da.squeeze(kept, lost) if lost else kept
