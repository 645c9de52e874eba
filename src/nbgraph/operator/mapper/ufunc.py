"""The methods of binary ufuncs: reduce, accumulate, reduceat, outer, at."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from nbgraph.dtype import as_dtype
from nbgraph.errors import ArgumentError, ShapeError, noun
from nbgraph.kernels.compiler.kernel import kernel
from nbgraph.kernels.loops.loop import Loop, Operand, Output
from nbgraph.operator.kernel_call import KernelCall, of_space
from nbgraph.operator.scalar import overrides
from nbgraph.operator.scalar.map_call import Plan
from nbgraph.operator.scalar.typing import Array, as_operand, common_dtype
from nbgraph.shape import Space, axes_of, overlap, space

if TYPE_CHECKING:
    from nbgraph.operator.scalar.elementwise import Elementwise

MISSING: Any = np._NoValue  # type: ignore[attr-defined]


def reduce(
    op: Elementwise,
    array: Any,
    axis: Any,
    dtype: Any,
    out: Any,
    keepdims: bool,
    initial: Any,
    where: Any,
    parameters: Mapping[str, Any],
) -> Any:
    """See Mapper.reduce."""
    _require_binary(op, "reduce")
    options = {"axis": axis, "dtype": dtype, "keepdims": keepdims}
    if initial is not MISSING:
        options["initial"] = initial
    if where is not True:
        options["where"] = where
    handled = overrides.dispatch(op, "reduce", (array,), (_first(out),), options, parameters)
    if handled is not overrides.MINE:
        return handled
    a = _operand(op, array, dtype, out)
    axis = axis if a.ndim or axis not in (0, -1) else None
    axes = sorted(axes_of(op.__name__, axis, a.ndim))
    begins = initial is MISSING and where is not True and op.identity is not None
    initial = MISSING if initial is None else op.identity if begins else initial
    if where is not True:
        return _reduce_where(op, a, axes, out, keepdims, initial, where, parameters)
    kept = [d for d in range(a.ndim) if d not in axes]
    moved = a.transpose([*kept, *axes])
    count = int(np.prod([a.shape[d] for d in axes], dtype=np.int64))
    run = moved.reshape(moved.shape[: len(kept)] + (count,))
    if initial is MISSING:
        if count == 0 and op.identity is None:
            raise ValueError(
                f"{op.__name__}.reduce: the axis is empty and the operator has no identity; pass "
                "initial="
            )
        if count == 0:
            start = np.broadcast_to(np.asarray(op.identity, dtype=a.dtype), run.shape[:-1])
        else:
            start, run = run[..., 0], run[..., 1:]
    else:
        start = np.broadcast_to(np.asarray(initial, dtype=a.dtype), run.shape[:-1])
    result = _along(op, "fold", start, run, parameters)
    if keepdims:
        result = np.expand_dims(result, tuple(axes))
    return _deliver(op, result, out)


def accumulate(
    op: Elementwise, array: Any, axis: int, dtype: Any, out: Any, parameters: Mapping[str, Any]
) -> Any:
    """See Mapper.accumulate."""
    _require_binary(op, "accumulate")
    options = {"axis": axis, "dtype": dtype}
    handled = overrides.dispatch(op, "accumulate", (array,), (_first(out),), options, parameters)
    if handled is not overrides.MINE:
        return handled
    a = _operand(op, array, dtype, out)
    if a.ndim == 0:
        raise ShapeError(f"{op.__name__}.accumulate: a 0-d array has no axis; give a 1-d array")
    (axis,) = axes_of(op.__name__, axis, a.ndim)
    run = np.moveaxis(a, axis, -1)
    if run.shape[-1] == 0:
        return _deliver(op, a.copy(), out)
    rest = _along(op, "scan", run[..., 0], run[..., 1:], parameters)
    result = np.concatenate([run[..., :1].astype(rest.dtype), rest], axis=-1)
    return _deliver(op, np.moveaxis(result, -1, axis), out)


def reduceat(
    op: Elementwise,
    array: Any,
    indices: Any,
    axis: int,
    dtype: Any,
    out: Any,
    parameters: Mapping[str, Any],
) -> Any:
    """See Mapper.reduceat."""
    _require_binary(op, "reduceat")
    options = {"axis": axis, "dtype": dtype}
    operands, outs = (array, indices), (_first(out),)
    handled = overrides.dispatch(op, "reduceat", operands, outs, options, parameters)
    if handled is not overrides.MINE:
        return handled
    a = _operand(op, array, dtype, out)
    (axis,) = axes_of(op.__name__, axis, a.ndim)
    run, places = np.moveaxis(a, axis, -1), np.asarray(indices)
    count = run.shape[-1]
    if places.ndim != 1 or places.dtype.kind not in "iu" or (places < 0).any():
        raise ArgumentError(f"{op.__name__}.reduceat: indices={indices!r}; give one axis of ints")
    if (places >= count).any():
        raise IndexError(
            f"{op.__name__}.reduceat: index {places.max()} is out of bounds for {count} elements"
        )
    parts = []
    for first, end in zip(places, [*places[1:], count], strict=True):
        rest = run[..., first + 1 : max(end, first + 1)]
        parts.append(_along(op, "fold", run[..., first], rest, parameters))
    result = np.stack(parts, -1) if parts else np.empty((*run.shape[:-1], 0), a.dtype)
    return _deliver(op, np.moveaxis(result, -1, axis), out)


def outer(op: Elementwise, a: Any, b: Any, options: Mapping[str, Any]) -> Any:
    """See Mapper.outer."""
    _require_binary(op, "outer")
    rest = {k: v for k, v in options.items() if k != "out"}
    outs = (_first(options.get("out")),)
    handled = overrides.dispatch(op, "outer", (a, b), outs, {}, rest)
    if handled is not overrides.MINE:
        return handled
    a, b = np.asarray(a), np.asarray(b)
    return op(a.reshape(a.shape + (1,) * b.ndim), b, **options)


def at(op: Elementwise, array: Any, indices: Any, b: Any, parameters: Mapping[str, Any]) -> None:
    """See Mapper.at; unary operators take no b."""
    _require_no_draws(op, "at")
    if op.nout != 1 or op.nin > 2 or (b is None) != (op.nin == 1):
        raise ArgumentError(
            f"{op.__name__}.at: a unary operator takes (array, indices), a binary one "
            f"(array, indices, b); this one has {op.nin} operand(s) and {op.nout} output(s)"
        )
    if not isinstance(array, np.ndarray):
        raise ArgumentError(
            f"{op.__name__}.at: the first argument is {noun(array)}; expected a NumPy array. Of "
            "other arrays np.add.at(x, index, value) and kin do it, or x[index] op= value"
        )
    if not array.flags.writeable:
        raise ValueError(f"{op.__name__}.at: the array is read-only; pass a copy")
    whole = np.arange(array.size, dtype=np.int64).reshape(array.shape)
    places = whole[indices]
    values = [np.zeros((), array.dtype)]
    if b is not None:
        values.append(np.broadcast_to(as_operand_array(op, b), places.shape))
    direct = array.flags.c_contiguous and array.dtype.isnative
    target = array if direct else array.astype(array.dtype.newbyteorder("="), "C")
    if b is not None and overlap(np.ascontiguousarray(values[1]), target) != "none":
        values[1] = values[1].copy()
    _run_at(op, target, places.ravel(), values, parameters)
    if target is not array:
        array[...] = target


def as_operand_array(op: Elementwise, value: Any) -> Array:
    """Return an operand of a ufunc method as an array."""
    return np.asarray(as_operand(op.__name__, "b", value))


# loops along an axis ----------------------------------------------------------------------------


def _along(
    op: Elementwise, form: str, start: Array, run: Array, parameters: Mapping[str, Any]
) -> Array:
    """Fold or scan the last axis of `run`, beginning with `start`."""
    values = op.parameters(dict(parameters))
    plan = op.invoker.plan([run.dtype] * 2, run.dtype, values)
    stored = plan.typed.outputs[0]
    if stored != run.dtype:
        return _along(op, form, start.astype(stored), run.astype(stored), parameters)
    rows = run.shape[:-1]
    if form == "fold" and run.shape[-1] == 0:
        return start.copy()
    result = np.empty(run.shape if form == "scan" else rows, stored)
    if result.size == 0 or run.shape[-1] == 0:
        return result
    start = np.ascontiguousarray(start)
    step = run.strides[-1]
    strides = [start.strides, run.strides[:-1], result.strides[: len(rows)]]
    outer_space = space(rows, strides)
    out_step = result.strides[-1] if form == "scan" else 0
    typed, captured = plan.typed, plan.typed.captured
    steps = ("0", "s", "s" if form == "scan" else "0")
    loop = Loop(
        op.__name__,
        form,  # type: ignore[arg-type]
        captured.graph,
        typed.compute,  # type: ignore[arg-type]
        tuple(
            Operand(node, run.dtype.name, layout)  # type: ignore[arg-type]
            for node, layout in zip(captured.operands, steps, strict=False)
        ),
        plan.uniform,
        (Output(captured.outputs[0], stored.name, steps[2]),),  # type: ignore[arg-type]
    )
    dims = ((outer_space.inner, outer_space.steps), *outer_space.outer)
    where = Space(run.shape[-1], (0, step, out_step), dims)
    _call(plan, loop, where, 3, outer_space.size).run((start, run, result))
    return result


def _run_at(
    op: Elementwise,
    target: Array,
    places: Array,
    values: list[Array],
    parameters: Mapping[str, Any],
) -> None:
    op.refresh()
    resolved = op.parameters(dict(parameters))
    dtypes = [target.dtype, *(v.dtype for v in values[1:])]
    plan: Plan = op.invoker.plan(dtypes, common_dtype(op.scalar, dtypes), resolved)
    typed, captured = plan.typed, plan.typed.captured
    if not np.can_cast(typed.outputs[0], target.dtype, "same_kind"):
        raise ArgumentError(
            f"{op.__name__}.at: the result {typed.outputs[0]} cannot be cast to {target.dtype}; "
            "use an array of that dtype"
        )
    leaf = captured.graph.argument("$offset", "int64")
    loop = Loop(
        op.__name__,
        "at",
        captured.graph,
        typed.compute,  # type: ignore[arg-type]
        (
            Operand(leaf, "int64", "c"),
            Operand(captured.operands[0], target.dtype.name, "c"),
            *(
                Operand(n, v.dtype.name, "c")
                for n, v in zip(captured.operands[1:], values[1:], strict=True)
            ),
        ),
        plan.uniform,
        (Output(captured.outputs[0], target.dtype.name, "c"),),
    )
    offsets = np.ascontiguousarray(places * target.itemsize)
    flat = [np.ascontiguousarray(v).ravel() for v in values[1:]]
    arrays = [offsets, target, *flat, target]
    if offsets.size:
        where = Space(offsets.size, (0,) * len(arrays), ())
        _call(plan, loop, where, len(arrays), offsets.size).run(arrays)


def _call(plan: Plan, loop: Loop, where: Space, arrays: int, size: int) -> KernelCall:
    """Return the call of a loop whose steps depend on those before: never shared among workers."""
    order = tuple(range(arrays))
    return KernelCall(
        plan.name, kernel(loop), order=order, size=size, cost=0, **of_space(where, plan.words())
    )


# arguments --------------------------------------------------------------------------------------


def _require_binary(op: Elementwise, method: str) -> None:
    op.refresh()
    if method != "outer":
        _require_no_draws(op, method)
    count = op.nin - op.scalar.draws
    if count != 2 or op.nout != 1:
        raise ArgumentError(
            f"{op.__name__}.{method}: only operators with two operands and one output have it; "
            f"this one has {count} and {op.nout}"
        )


def _require_no_draws(op: Elementwise, method: str) -> None:
    """Refuse an operator that draws: there is a word for each element, not for each step."""
    if op.scalar.draws:
        raise ArgumentError(
            f"{op.__name__}.{method}: this operator draws random numbers, which {method} cannot "
            "do step by step; make them before by ng.random, and give them as an operand"
        )


def _operand(op: Elementwise, array: Any, dtype: Any, out: Any) -> Array:
    """Return the array in the dtype of the accumulator: the one asked for, that of `out`, or its
    own; sums and products of small integers have 64 bits, as NumPy's."""
    a = np.asarray(as_operand(op.__name__, "array", array))
    if dtype is None and _first(out) is not None:
        dtype = _first(out).dtype
    elif dtype is None and a.dtype.kind in "biu" and overrides.twin(op) in (np.add, np.multiply):
        dtype = np.result_type(a.dtype, np.uint64 if a.dtype.kind == "u" else np.int64)
    return a.astype(as_dtype(dtype)) if dtype is not None else a


def _reduce_where(
    op: Elementwise,
    a: Array,
    axes: list[int],
    out: Any,
    keepdims: bool,
    initial: Any,
    where: Any,
    parameters: Mapping[str, Any],
) -> Any:
    """Elements where the mask is False are left out; needs `initial`, as in NumPy."""
    if initial is MISSING:
        raise ValueError(f"{op.__name__}.reduce: where= needs initial=, as there is no identity")
    mask = np.broadcast_to(np.asarray(where), a.shape)
    kept = [d for d in range(a.ndim) if d not in axes]
    rows_a = a.transpose([*kept, *axes]).reshape([a.shape[d] for d in kept] + [-1])
    rows_m = mask.transpose([*kept, *axes]).reshape(rows_a.shape)
    first = np.asarray(initial, dtype=a.dtype)
    result = np.empty(rows_a.shape[:-1], a.dtype)
    for index in np.ndindex(result.shape):
        run = rows_a[index][rows_m[index]]
        result[index] = _along(op, "fold", first.reshape(1)[0:1].reshape(()), run, parameters)
    if keepdims:
        result = np.expand_dims(result, tuple(axes))
    return _deliver(op, result, out)


def _first(out: Any) -> Any:
    return out[0] if isinstance(out, tuple) else out


def _deliver(op: Elementwise, result: Array, out: Any) -> Any:
    target = _first(out)
    if target is None:
        return result[()] if result.ndim == 0 else result
    if target.shape != result.shape:
        raise ShapeError(f"{op.__name__}: out has shape {target.shape}, needed is {result.shape}")
    np.copyto(target, result, casting="same_kind")
    return target
