"""Calls of an operator on NumPy arrays: infer, allocate, run the kernel."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from nbgraph.dtype import as_dtype, is_float
from nbgraph.errors import DTypeError, ShapeError
from nbgraph.kernels.function.scalar_function import Captured, Scalar
from nbgraph.kernels.function.signature import parameter_kinds
from nbgraph.operator.layout import layout_of
from nbgraph.operator.scalar.map_call import Plan, level, map_call, threshold
from nbgraph.operator.scalar.typing import (
    Array,
    Typed,
    as_operand,
    common_dtype,
    in_common,
    operand_dtypes_of,
    require_fit,
    require_out,
    require_real,
    resolve,
)
from nbgraph.shape import Shape, address, broadcast, overlap, overlaps_itself

if TYPE_CHECKING:
    from nbgraph.kernels.scalar.nodes import Node


CASTINGS = ("no", "equiv", "safe", "same_kind", "unsafe")


class Invoker:
    """A scalar definition over arrays, with a cache of plans."""

    loop_name: str | None = None  # name of its loops, if not the definition's

    def __init__(self, scalar: Scalar, *, fastmath: bool = False) -> None:
        self.scalar, self.fastmath = scalar, fastmath
        self._plans: dict[tuple[Any, ...], Plan] = {}
        self._by_types: dict[tuple[Any, ...], tuple[Any, Any]] = {}  # cache of `plan_of`, by dtypes

    def forget(self) -> None:
        """Drop the cached plans: the definition has changed."""
        self._plans.clear()
        self._by_types.clear()

    # calls ------------------------------------------------------------------------------------

    def call(
        self,
        values: Sequence[object],
        parameters: Mapping[str, Any],
        *,
        out: Sequence[Array | None],
        where: object = True,
        dtype: object = None,
        casting: str = "same_kind",
        order: str = "K",
        note: Callable[[Sequence[Array], Plan], None] | None = None,
    ) -> tuple[Array, ...]:
        """Return outputs for operands; arrays in `out` are written and returned.

        `note` is called with the operands and the plan of a call without a mask.
        """
        name = self.scalar.name
        operands, plan = self.prepare(values, parameters, dtype, casting)
        if casting != "same_kind":
            self._require_casts(values, plan, casting)
        labels = list(zip(self.scalar.operands, (o.shape for o in operands), strict=True))
        shape = broadcast(name, labels)
        if where is not True:
            return self._masked(plan, operands, shape, out, where, casting)
        shape = _output_shape(name, shape, out)
        results = [
            self._check_out(o, d, i, casting)
            if o is not None
            else _empty(shape, d, order, operands)
            for i, (o, d) in enumerate(zip(out, plan.typed.outputs, strict=True))
        ]
        self.run(plan, operands, results)
        if note is not None:
            note(operands, plan)
        return tuple(results)

    def prepare(
        self,
        values: Sequence[object],
        parameters: Mapping[str, Any],
        dtype: object = None,
        casting: str = "same_kind",
    ) -> tuple[list[Array], Plan]:
        """Return operands as arrays, and the plan for their dtypes."""
        name, names = self.scalar.name, self.scalar.operands
        raw = [as_operand(name, n, v) for n, v in zip(names, values, strict=True)]
        common = common_dtype(self.scalar, raw)
        operands = in_common(self.scalar, raw, common)
        if dtype is not None:
            last = len(names) - self.scalar.draws
            cast = zip(names[:last], operands, strict=False)
            operands[:last] = [_recast(name, n, o, dtype, casting) for n, o in cast]
        return operands, self.plan([o.dtype for o in operands], common, parameters, dtype)

    def plan(
        self,
        dtypes: Sequence[np.dtype[Any]],
        common: np.dtype[Any],
        parameters: Mapping[str, Any],
        dtype: object = None,
    ) -> Plan:
        """Return the plan for dtypes and parameters."""
        key = (tuple(dtypes), common, dtype)
        return self._resolved(
            key, parameters, lambda: resolve(self.scalar, dtypes, common, parameters, dtype)
        )

    def plan_of(self, values: Sequence[Any], parameters: Mapping[str, Any]) -> Plan:
        """Return the plan for dtypes and Python numbers, which take the dtype of the others. Raise
        OverflowError for an integer that does not fit."""
        weak = [v if isinstance(v, np.dtype) else type(v) for v in values]
        key = (*weak, parameter_kinds(parameters))
        entry = None if int in weak else self._by_types.get(key)  # integers must be checked
        if entry is None:
            common = common_dtype(self.scalar, values)
            dtypes = operand_dtypes_of(self.scalar, values, common)
            entry = self._by_types[key] = tuple(dtypes), common
        return self.plan(*entry, parameters)

    def _resolved(
        self, key: tuple[Any, ...], parameters: Mapping[str, Any], typed: Callable[[], Typed]
    ) -> Plan:
        """Return the plan for `key` and parameters; values of numbers are not cached."""
        key = (*key, parameter_kinds(parameters))
        plan = self._plans.get(key)
        if plan is None:
            return self._keep(key, typed(), parameters)
        varied = plan.having(parameters)
        if varied is not plan:
            self._plans[key] = varied
        return varied

    def _keep(self, key: tuple[Any, ...], typed: Typed, parameters: Mapping[str, Any]) -> Plan:
        require_fit(self.scalar.name, typed.captured, parameters)
        shared = self._same_graph(typed)
        literals = shared.literals if shared else self._literals(typed.captured)
        name = self.scalar.name
        plan = Plan(
            name,
            self.loop_name or name,
            self.fastmath,
            typed,
            dict(parameters),
            literals,
            shared.kernels if shared else {},
        )
        if len(self._plans) > 256:
            self.forget()
        self._plans[key] = plan
        return plan

    def _literals(self, captured: Captured) -> tuple[Node, ...]:
        """Return the literals that kernels read from the record: those of users' texts."""
        if self.fastmath or not self.scalar.shares_kernels:
            return ()
        from nbgraph.kernels.scalar.transplant import varying

        return varying(captured.graph, captured.outputs)

    def _same_graph(self, typed: Typed) -> Plan | None:
        """Return a plan that differs in parameter values alone, or None."""
        for plan in list(self._plans.values()):  # other threads may add plans
            other = plan.typed
            if other.captured is typed.captured and other.operands == typed.operands:
                if other.outputs == typed.outputs and other.compute == typed.compute:
                    return plan
        return None

    # running ----------------------------------------------------------------------------------

    def run(
        self,
        plan: Plan,
        operands: Sequence[Array],
        outputs: Sequence[Array],
        requests: Sequence[str] | None = None,
    ) -> None:
        """Fill `outputs` (all of one shape); operands broadcast to it and may share its memory."""
        requests = requests or ("write",) * len(outputs)
        if not outputs or outputs[0].size == 0:
            return
        targets, copies = list(outputs), []
        for i, array in enumerate(outputs):
            clash = any(overlap(array, other) != "none" for other in outputs[:i])
            if clash or overlaps_itself(array) or not array.dtype.isnative:
                targets[i] = array.astype(array.dtype.newbyteorder("="))
                copies.append(i)
        shape, views = targets[0].shape, list(operands)
        for k, view in enumerate(views):
            wide = view if view.shape == shape else np.broadcast_to(view, shape)
            if any(overlap(t, wide) == "partial" for t in targets):
                views[k] = view.copy()
        written = [t for t, request in zip(targets, requests, strict=True) if request != "null"]
        call = map_call(
            plan,
            shape,
            [layout_of(view) for view in views],
            [layout_of(target) for target in targets],
            requests,
            once=_may_stream(views, targets),
        )
        call.run((*views, *written))
        for i in copies:
            outputs[i][...] = targets[i]

    # out, where, dtype ------------------------------------------------------------------------

    def _require_casts(self, values: Sequence[object], plan: Plan, casting: str) -> None:
        """Raise DTypeError if `casting` forbids casting an operand to the loop's dtype."""
        name = self.scalar.name
        if casting not in CASTINGS:
            raise ValueError(f"{name}: casting={casting!r}; expected one of {', '.join(CASTINGS)}")
        in_dtypes = [v.dtype for v in values if isinstance(v, (np.ndarray, np.generic))]
        out_dtypes = [d for d in plan.typed.outputs if is_float(d)]
        loop = np.result_type(*(out_dtypes or in_dtypes or [np.bool_]))
        for dtype in in_dtypes:
            if not np.can_cast(dtype, loop, casting):  # type: ignore[arg-type]
                raise DTypeError(
                    f"{name}: an operand of dtype {dtype} is computed in {loop}, to which "
                    f"casting={casting!r} does not cast it; give casting='same_kind', or astype"
                )

    def _check_out(self, out: Array, dtype: np.dtype[Any], index: int, casting: str) -> Array:
        name = self.scalar.name
        require_out(name, out, index)
        require_real(name, out, dtype)
        if not np.can_cast(dtype, out.dtype, casting):  # type: ignore[arg-type]
            raise DTypeError(
                f"{name}: the result has dtype {dtype}, which may not be cast to out's "
                f"{out.dtype} by casting={casting!r}; use another out, dtype= or casting='unsafe'"
            )
        return out

    def _masked(
        self,
        plan: Plan,
        operands: Sequence[Array],
        shape: Shape,
        out: Sequence[Array | None],
        where: object,
        casting: str,
    ) -> tuple[Array, ...]:
        """Compute and write only the elements where the mask is true."""
        mask = np.asarray(where)
        if mask.dtype != bool:
            raise DTypeError(f"{self.scalar.name}: where must be boolean, not {mask.dtype}")
        labels = [("operands", shape), ("where", mask.shape)]
        shape = _output_shape(self.scalar.name, broadcast(self.scalar.name, labels), out)
        results = [
            self._check_out(o, d, i, casting) if o is not None else np.empty(shape, d)
            for i, (o, d) in enumerate(zip(out, plan.typed.outputs, strict=True))
        ]
        mask = np.broadcast_to(mask, shape)
        chosen = [np.broadcast_to(o, shape)[mask] for o in operands]
        parts = [np.empty(chosen[0].shape, r.dtype) for r in results]
        self.run(plan, chosen, parts)
        for result, part in zip(results, parts, strict=True):
            result[mask] = part
        return tuple(results)


def _may_stream(operands: Sequence[Array], outputs: Sequence[Array]) -> bool:
    """Return whether large outputs may bypass the caches: they do not share an operand's memory,
    and cache lines begin at the same elements of all."""
    if not 0 < threshold() <= sum([o.nbytes for o in outputs]):
        return False
    apart = all(overlap(o, other) == "none" for o in outputs for other in operands)
    return apart and level([address(o) for o in outputs])


def _output_shape(name: str, shape: Shape, out: Sequence[Array | None]) -> tuple[int, ...]:
    for k, array in enumerate(out):
        if array is None:
            continue
        require_out(name, array, k)
        if array.shape == shape:
            continue
        try:
            fits = np.broadcast_shapes(shape, array.shape) == array.shape
        except ValueError:
            fits = False
        if not fits:
            raise ShapeError(
                f"{name}: out has shape {array.shape}, the operands give {shape}; give an out of "
                "that shape"
            )
        shape = array.shape
    return shape


def _empty(shape: Shape, dtype: np.dtype[Any], order: str, operands: Sequence[Array]) -> Array:
    if order not in ("K", "A", "C", "F"):
        raise ValueError(f"order must be 'K', 'A', 'C' or 'F', not {order!r}")
    if order in ("C", "F"):
        return np.empty(shape, dtype, order)  # type: ignore[call-overload]
    full = [o for o in operands if o.shape == shape]
    if order == "K" and len(full) == 1:
        return np.empty_like(full[0], dtype, order="K", subok=False)
    fortran = bool(full) and all(o.flags.fnc for o in full)
    return np.empty(shape, dtype, "F" if fortran else "C")


def _recast(name: str, operand: str, array: Array, dtype: object, casting: str) -> Array:
    target = as_dtype(dtype)
    if not np.can_cast(array.dtype, target, casting):  # type: ignore[arg-type]
        raise DTypeError(
            f"{name}: operand {operand!r} of dtype {array.dtype} may not be cast to dtype={target} "
            f"by casting={casting!r}"
        )
    return array.astype(target, copy=False)
