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


class Method:
    """A call of a method: the operator, the target of the result, the scalar parameters."""

    def __init__(self, op: Elementwise, name: str, out: Any, parameters: Mapping[str, Any]) -> None:
        self.op, self.name, self.parameters = op, name, parameters
        self.out = out[0] if isinstance(out, tuple) else out
        op.refresh()
        if op.scalar.draws and name != "outer":  # a word per element, not per step
            raise ArgumentError(
                f"{op.__name__}.{name}: this operator draws random numbers, which {name} cannot "
                "do step by step; make them before by ng.random, and give them as an operand"
            )
        count = op.nin - op.scalar.draws
        if name != "at" and (count != 2 or op.nout != 1):
            raise ArgumentError(
                f"{op.__name__}.{name}: only operators with two operands and one output have it; "
                f"this one has {count} and {op.nout}"
            )

    def reduce(
        self, array: Any, axis: Any, dtype: Any, keepdims: bool, initial: Any, where: Any
    ) -> Any:
        """See Mapper.reduce."""
        op, options = self.op, {"axis": axis, "dtype": dtype, "keepdims": keepdims}
        options |= {} if initial is MISSING else {"initial": initial}
        options |= {} if where is True else {"where": where}
        handled = self._handled((array,), options)
        if handled is not overrides.MINE:
            return handled
        a = self._operand(array, dtype)
        axis = axis if a.ndim or axis not in (0, -1) else None
        axes = sorted(axes_of(op.__name__, axis, a.ndim))
        begins = initial is MISSING and where is not True and op.identity is not None
        initial = MISSING if initial is None else op.identity if begins else initial
        order = [*(d for d in range(a.ndim) if d not in axes), *axes]
        count = int(np.prod([a.shape[d] for d in axes], dtype=np.int64))
        run = a.transpose(order)
        run = run.reshape((*run.shape[: a.ndim - len(axes)], count))
        if initial is MISSING and where is not True:
            raise ValueError(
                f"{op.__name__}.reduce: where= needs initial=, as there is no identity"
            )
        if initial is MISSING and count == 0 and op.identity is None:
            raise ValueError(
                f"{op.__name__}.reduce: the axis is empty and the operator has no identity; pass "
                "initial="
            )
        if initial is MISSING and count:
            start, run = run[..., 0], run[..., 1:]
        else:
            first = op.identity if initial is MISSING else initial
            start = np.broadcast_to(np.asarray(first, dtype=a.dtype), run.shape[:-1])
        if where is True:
            result = self._along("fold", start, run)
        else:  # the mask excludes elements
            mask = np.broadcast_to(np.asarray(where), a.shape).transpose(order).reshape(run.shape)
            result = np.empty(start.shape, a.dtype)
            for index in np.ndindex(result.shape):
                result[index] = self._along("fold", start[(*index, ...)], run[index][mask[index]])
        if keepdims:
            result = np.expand_dims(result, tuple(axes))
        return self._deliver(result)

    def accumulate(self, array: Any, axis: int, dtype: Any) -> Any:
        """See Mapper.accumulate."""
        op = self.op
        handled = self._handled((array,), {"axis": axis, "dtype": dtype})
        if handled is not overrides.MINE:
            return handled
        a = self._operand(array, dtype)
        if a.ndim == 0:
            raise ShapeError(f"{op.__name__}.accumulate: a 0-d array has no axis; give a 1-d array")
        (axis,) = axes_of(op.__name__, axis, a.ndim)
        run = np.moveaxis(a, axis, -1)
        if run.shape[-1] == 0:
            return self._deliver(a.copy())
        rest = self._along("scan", run[..., 0], run[..., 1:])
        result = np.concatenate([run[..., :1].astype(rest.dtype), rest], axis=-1)
        return self._deliver(np.moveaxis(result, -1, axis))

    def reduceat(self, array: Any, indices: Any, axis: int, dtype: Any) -> Any:
        """See Mapper.reduceat."""
        op = self.op
        handled = self._handled((array, indices), {"axis": axis, "dtype": dtype})
        if handled is not overrides.MINE:
            return handled
        a = self._operand(array, dtype)
        (axis,) = axes_of(op.__name__, axis, a.ndim)
        run, places = np.moveaxis(a, axis, -1), np.asarray(indices)
        count = run.shape[-1]
        if places.ndim != 1 or places.dtype.kind not in "iu" or (places < 0).any():
            raise ArgumentError(
                f"{op.__name__}.reduceat: indices={indices!r}; give one axis of ints"
            )
        if (places >= count).any():
            raise IndexError(
                f"{op.__name__}.reduceat: index {places.max()} is out of bounds for {count} "
                "elements"
            )
        parts = [
            self._along("fold", run[..., first], run[..., first + 1 : max(end, first + 1)])
            for first, end in zip(places, [*places[1:], count], strict=True)
        ]
        result = np.stack(parts, -1) if parts else np.empty((*run.shape[:-1], 0), a.dtype)
        return self._deliver(np.moveaxis(result, -1, axis))

    def outer(self, a: Any, b: Any) -> Any:
        """See Mapper.outer."""
        handled = self._handled((a, b), {})
        if handled is not overrides.MINE:
            return handled
        a, b = np.asarray(a), np.asarray(b)
        return self.op(a.reshape(a.shape + (1,) * b.ndim), b, **self.parameters)

    def at(self, array: Any, indices: Any, b: Any) -> None:
        """See Mapper.at; unary operators take no b."""
        op = self.op
        if op.nout != 1 or op.nin > 2 or (b is None) != (op.nin == 1):
            raise ArgumentError(
                f"{op.__name__}.at: a unary operator takes (array, indices), a binary one "
                f"(array, indices, b); this one has {op.nin} operand(s) and {op.nout} output(s)"
            )
        if not isinstance(array, np.ndarray):
            raise ArgumentError(
                f"{op.__name__}.at: the first argument is {noun(array)}; expected a NumPy array. "
                "Of other arrays np.add.at(x, index, value) and kin do it, or x[index] op= value"
            )
        if not array.flags.writeable:
            raise ValueError(f"{op.__name__}.at: the array is read-only; pass a copy")
        places = np.arange(array.size, dtype=np.int64).reshape(array.shape)[indices]
        direct = array.flags.c_contiguous and array.dtype.isnative
        target = array if direct else array.astype(array.dtype.newbyteorder("="), "C")
        values: list[Array] = []
        if b is not None:
            own = np.broadcast_to(np.asarray(as_operand(op.__name__, "b", b)), places.shape)
            shared = overlap(np.ascontiguousarray(own), target) != "none"
            values = [own.copy() if shared else own]
        self._run_at(target, places.ravel(), values)
        if target is not array:
            array[...] = target

    # loops along an axis ----------------------------------------------------------------------

    def _plan(self, dtypes: list[np.dtype[Any]], common: np.dtype[Any]) -> Plan:
        return self.op.invoker.plan(dtypes, common, self.op.parameters_of(dict(self.parameters)))

    def _along(self, form: str, start: Array, run: Array) -> Array:
        """Fold or scan the last axis of `run`, starting from `start`."""
        plan = self._plan([run.dtype] * 2, run.dtype)
        typed, captured = plan.typed, plan.typed.captured
        stored = typed.outputs[0]
        if stored != run.dtype:
            return self._along(form, start.astype(stored), run.astype(stored))
        rows = run.shape[:-1]
        if form == "fold" and run.shape[-1] == 0:
            return start.copy()
        result = np.empty(run.shape if form == "scan" else rows, stored)
        if result.size == 0 or run.shape[-1] == 0:
            return result
        start = np.ascontiguousarray(start)
        outside = space(rows, [start.strides, run.strides[:-1], result.strides[: len(rows)]])
        steps = ("0", "s", "s" if form == "scan" else "0")
        loop = Loop(
            self.op.__name__,
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
        moves = (0, run.strides[-1], result.strides[-1] if form == "scan" else 0)
        where = Space(run.shape[-1], moves, ((outside.inner, outside.steps), *outside.outer))
        _call(plan, loop, where, 3, outside.size).run((start, run, result))
        return result

    def _run_at(self, target: Array, places: Array, values: list[Array]) -> None:
        op, dtypes = self.op, [target.dtype, *(v.dtype for v in values)]
        plan = self._plan(dtypes, common_dtype(op.scalar, dtypes))
        typed, captured = plan.typed, plan.typed.captured
        if not np.can_cast(typed.outputs[0], target.dtype, "same_kind"):
            raise ArgumentError(
                f"{op.__name__}.at: the result {typed.outputs[0]} cannot be cast to "
                f"{target.dtype}; use an array of that dtype"
            )
        leaf = captured.graph.argument("$offset", "int64")
        loop = Loop(
            op.__name__,
            "at",
            captured.graph,
            typed.compute,  # type: ignore[arg-type]
            (
                Operand(leaf, "int64", "c"),
                *(
                    Operand(node, dtype.name, "c")
                    for node, dtype in zip(captured.operands, dtypes, strict=True)
                ),
            ),
            plan.uniform,
            (Output(captured.outputs[0], target.dtype.name, "c"),),
        )
        offsets = np.ascontiguousarray(places * target.itemsize)
        arrays = [offsets, target, *(np.ascontiguousarray(v).ravel() for v in values), target]
        if offsets.size:
            where = Space(offsets.size, (0,) * len(arrays), ())
            _call(plan, loop, where, len(arrays), offsets.size).run(arrays)

    # operands and results ---------------------------------------------------------------------

    def _handled(self, operands: tuple[Any, ...], options: Mapping[str, Any]) -> Any:
        """Return the result of another class of the operands, or MINE."""
        rest = {k: v for k, v in self.parameters.items() if k != "out"}
        return overrides.dispatch(self.op, self.name, operands, (self.out,), options, rest)

    def _operand(self, array: Any, dtype: Any) -> Array:
        """Return the array in the accumulator's dtype: the requested one, that of `out`, or its
        own; sums and products of small integers use 64 bits, as in NumPy."""
        op, a = self.op, np.asarray(as_operand(self.op.__name__, "array", array))
        if dtype is None and self.out is not None:
            dtype = self.out.dtype
        elif dtype is None and a.dtype.kind in "biu":
            if overrides.twin(op) in (np.add, np.multiply):
                dtype = np.result_type(a.dtype, np.uint64 if a.dtype.kind == "u" else np.int64)
        return a.astype(as_dtype(dtype)) if dtype is not None else a

    def _deliver(self, result: Array) -> Any:
        out = self.out
        if out is None:
            return result[()] if result.ndim == 0 else result
        if out.shape != result.shape:
            raise ShapeError(
                f"{self.op.__name__}: out has shape {out.shape}, needed is {result.shape}"
            )
        np.copyto(out, result, casting="same_kind")
        return out


def _call(plan: Plan, loop: Loop, where: Space, arrays: int, size: int) -> KernelCall:
    """Return the call of a loop whose steps depend on earlier ones, so workers never share it."""
    order = tuple(range(arrays))
    return KernelCall(
        plan.name, kernel(loop), order=order, size=size, cost=0, **of_space(where, plan.words())
    )
