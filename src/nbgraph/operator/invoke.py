"""Calling an operator on NumPy arrays: infer, allocate, run the kernel."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from nbgraph.dtype import as_dtype, name_of
from nbgraph.errors import ArgumentError, DTypeError, ShapeError
from nbgraph.kernels.cost import per_element
from nbgraph.kernels.function import Captured, Scalar
from nbgraph.operator import parallel
from nbgraph.operator.placement import classes_of
from nbgraph.operator.streaming import level, streams
from nbgraph.operator.typing import (
    Array,
    Typed,
    as_operand,
    common_dtype,
    in_common,
    operand_dtypes_of,
    parameter_bytes,
    require_fit,
    resolve,
)
from nbgraph.shape import (
    Space,
    address,
    broadcast,
    is_ordered,
    overlap,
    overlaps_itself,
    space,
    tiled,
)

if TYPE_CHECKING:
    from nbgraph.kernels.kernel import Kernel
    from nbgraph.kernels.loops import Layout, Loop, Request
    from nbgraph.kernels.nodes import Node


class Plan(NamedTuple):
    """Kernels of one operator for one set of dtypes, by layout and request; `literals` are read
    from the record, behind the scalar parameters (see `nbgraph.kernels.literals`)."""

    typed: Typed
    parameters: dict[str, Any]
    kernels: dict[tuple[Any, ...], Kernel]
    literals: tuple[Node, ...]
    costs: dict[int, float]  # nanoseconds of an element, by the bytes of its operands and outputs

    @property
    def uniform(self) -> tuple[Node, ...]:
        """What the record holds one value of: the scalar parameters and literals."""
        return self.typed.captured.parameters + self.literals


class Invoker:
    """Runs a scalar definition over arrays; keeps what it has resolved."""

    def __init__(self, scalar: Scalar, *, fastmath: bool = False) -> None:
        self.scalar, self.fastmath = scalar, fastmath
        self._plans: dict[tuple[Any, ...], Plan] = {}

    def forget(self) -> None:
        """Drop what was resolved: the definition has changed."""
        self._plans.clear()

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
        """Outputs for operands; arrays in `out` are written and returned themselves.

        `note` is told the operands and the plan of a call without a mask.
        """
        name = self.scalar.name
        operands, plan = self.prepare(values, parameters, dtype, casting)
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
        """Operands as arrays, and the plan of their dtypes."""
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
        """What was resolved for dtypes and parameters."""
        key = (tuple(dtypes), common, tuple(parameters.items()), dtype)
        found = self._plans.get(key)
        if found is None:
            typed = resolve(self.scalar, dtypes, common, parameters, dtype)
            found = self._keep(key, typed, parameters)
        return found

    def plan_of(self, values: Sequence[Any], parameters: Mapping[str, Any]) -> Plan:
        """What is resolved for dtypes and Python numbers, which take the dtype of the others.
        OverflowError where an integer does not fit."""
        common = common_dtype(self.scalar, values)
        return self.plan(operand_dtypes_of(self.scalar, values, common), common, parameters)

    def _keep(self, key: tuple[Any, ...], typed: Typed, parameters: Mapping[str, Any]) -> Plan:
        require_fit(self.scalar.name, typed.captured, parameters)
        shared = self._same_graph(typed)
        literals = shared.literals if shared else self._literals(typed.captured)
        kernels, costs = (shared.kernels, shared.costs) if shared else ({}, {})
        found = Plan(typed, dict(parameters), kernels, literals, costs)
        if len(self._plans) > 256:
            self._plans.clear()
        self._plans[key] = found
        return found

    def _literals(self, captured: Captured) -> tuple[Node, ...]:
        """The literals that kernels read from the record: those of users' texts."""
        if self.fastmath or not self.scalar.shares_kernels:
            return ()
        from nbgraph.kernels.literals import varying

        return varying(captured.graph, captured.outputs)

    def _same_graph(self, typed: Typed) -> Plan | None:
        """A plan that differs in the parameters' values alone shares its kernels."""
        for plan in list(self._plans.values()):  # other threads may add one
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
        requests: Sequence[Request] | None = None,
    ) -> None:
        """Fill `outputs` (all of one shape); operands broadcast to it and may share its memory."""
        asked: Sequence[Request] = requests or ["write" for _ in outputs]
        if not outputs or outputs[0].size == 0:
            return
        targets, copies = list(outputs), []
        for i, array in enumerate(outputs):
            clash = any(overlap(array, other) != "none" for other in outputs[:i])
            if clash or overlaps_itself(array) or not array.dtype.isnative:
                targets[i] = array.astype(array.dtype.newbyteorder("="))
                copies.append(i)
        shape = targets[0].shape
        views = [o if o.shape == shape else np.broadcast_to(o, shape) for o in operands]
        for k, view in enumerate(views):
            if any(overlap(t, view) == "partial" for t in targets):
                views[k] = np.broadcast_to(operands[k].copy(), shape)
        self._launch(plan, views, targets, asked)
        for i in copies:
            outputs[i][...] = targets[i]

    def _launch(
        self,
        plan: Plan,
        operands: Sequence[Array],
        outputs: Sequence[Array],
        requests: Sequence[Request],
    ) -> None:
        code, words, size = self.launch(plan, operands, outputs, requests)
        arrays = *operands, *outputs
        nbytes = sum(a.itemsize for a in arrays)
        each = plan.costs.get(nbytes)
        if each is None:
            each = plan.costs[nbytes] = per_element(plan.typed.captured, nbytes)
        parallel.run(code, words, size, int(size * each), arrays)

    def launch(
        self,
        plan: Plan,
        operands: Sequence[Array],
        outputs: Sequence[Array],
        requests: Sequence[Request],
    ) -> tuple[Kernel, Array, int]:
        """The kernel, argument record and number of elements of a run; arrays have one shape."""
        from nbgraph.kernels.kernel import kernel, record  # the compiler's side loads when needed

        arrays = [*operands, *outputs]
        if all(a.flags.c_contiguous for a in arrays):
            where = Space(outputs[0].size, tuple(a.itemsize for a in arrays), ())
            layouts: tuple[Layout, ...] = ("c",) * len(arrays)
        else:
            where = tiled(space(outputs[0].shape, [a.strides for a in arrays]))
            layouts = classes_of(arrays, where, len(operands))
        dtypes = tuple(name_of(o.dtype) for o in outputs)
        past = _past_caches(where, operands, outputs, layouts[len(operands) :], requests)
        ordered = not plan.typed.captured.graph.raises or is_ordered(
            where, outputs[0].shape, [a.strides for a in arrays]
        )
        says = {"streaming": past, "unordered": not ordered}
        key = (layouts, dtypes, tuple(requests), *(s for s, holds in says.items() if holds))
        code = plan.kernels.get(key)
        if code is None:
            code = kernel(self.loop(plan, layouts, dtypes, requests, **says))
            plan.kernels[key] = code
        words = record(
            where.inner,
            [address(a) for a in arrays],
            where.steps,
            self.parameter_words(plan),
            where.outer,
        )
        return code, words, where.size

    def parameter_words(self, plan: Plan) -> list[bytes]:
        """The scalar parameters and literals (`Plan.uniform`) as the argument record holds them."""
        values = [plan.parameters[str(leaf.data)] for leaf in plan.typed.captured.parameters]
        values += [literal.data for literal in plan.literals]
        return [
            parameter_bytes(leaf.kind, value, plan.typed.compute)
            for leaf, value in zip(plan.uniform, values, strict=True)
        ]

    def loop(
        self,
        plan: Plan,
        layouts: Sequence[Any],
        dtypes: Sequence[str],
        requests: Sequence[Any],
        *,
        disjoint: bool = False,
        streaming: bool = False,
        unordered: bool = False,
    ) -> Loop:
        """The description of a map over these layouts.

        An operand of layout "p" is a scalar in the record, behind `Plan.uniform`; an output whose
        request is "null" is left out. `disjoint`, `streaming`: see Loop; `unordered`: its opposite.
        """
        from nbgraph.kernels.loops import Loop, Operand, Output

        typed = plan.typed
        captured, count = typed.captured, len(typed.operands)
        placed = list(zip(captured.operands, typed.operands, layouts[:count], strict=True))
        operands = tuple(
            Operand(node, name_of(dtype), layout) for node, dtype, layout in placed if layout != "p"
        )
        scalars = tuple(node for node, _, layout in placed if layout == "p")
        outputs = tuple(
            Output(node, dtype, layout, request)
            for node, dtype, layout, request in zip(
                captured.outputs, dtypes, layouts[count:], requests, strict=True
            )
            if request != "null"
        )
        return Loop(
            self.scalar.name,
            "map",
            captured.graph,
            typed.compute,  # type: ignore[arg-type]
            operands,
            plan.uniform + scalars,
            outputs,
            fastmath=self.fastmath,
            disjoint=disjoint,
            ordered=not unordered,
            streaming=streaming,
        )

    # out, where, dtype ------------------------------------------------------------------------

    def _check_out(self, out: Array, dtype: np.dtype[Any], index: int, casting: str) -> Array:
        name = self.scalar.name
        if not isinstance(out, np.ndarray):
            raise ArgumentError(f"{name}: out must be an array, not {type(out).__name__}")
        if not out.flags.writeable:
            raise ValueError(f"{name}: the output array {index} is read-only; pass a copy as out")
        as_dtype(out.dtype)
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
        shape: tuple[int, ...],
        out: Sequence[Array | None],
        where: object,
        casting: str,
    ) -> tuple[Array, ...]:
        """Only the elements where the mask holds are computed and written."""
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


def prepared(op: Any, operands: Sequence[Array], out: Array) -> Callable[[], None]:
    """A call with everything resolved: kernel and argument record alone, as an engine runs it.

    Operands and out must have one shape and not overlap; the call keeps them alive.
    """
    invoker: Invoker = op.invoker
    arrays, plan = invoker.prepare(operands, op.parameters({}))
    code, words, size = invoker.launch(plan, arrays, [out], ["write"])

    def run(_keep: tuple[Any, ...] = (arrays, out)) -> None:
        code.run(words, 0, size)

    return run


def _past_caches(
    where: Space,
    operands: Sequence[Array],
    outputs: Sequence[Array],
    layouts: Sequence[str],
    requests: Sequence[str],
) -> bool:
    """Whether outputs are written past the caches: they are large, and no operand's memory."""
    if not streams(where, [o.itemsize for o in outputs], layouts, requests):
        return False
    apart = all(overlap(o, other) == "none" for o in outputs for other in operands)
    return apart and level([address(o) for o in outputs])


def _output_shape(
    name: str, shape: tuple[int, ...], out: Sequence[Array | None]
) -> tuple[int, ...]:
    for array in out:
        if array is not None and not isinstance(array, np.ndarray):
            raise ArgumentError(f"{name}: out must be an array, not {type(array).__name__}")
        if array is None or array.shape == shape:
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


def _empty(
    shape: tuple[int, ...], dtype: np.dtype[Any], order: str, operands: Sequence[Array]
) -> Array:
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
