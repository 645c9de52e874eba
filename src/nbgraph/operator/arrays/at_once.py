"""Immediate application of an operator to NumPy arrays: memory, requests, order of draws."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from nbgraph.device import RunContext, cpu
from nbgraph.errors import DTypeError, require_shape
from nbgraph.operator.call import training
from nbgraph.operator.environment import own_resources
from nbgraph.operator.kernel_call import Application, Lowered, lowered_form
from nbgraph.operator.layout import keep, layout_of
from nbgraph.operator.lazy import refuse_foreign
from nbgraph.operator.parallel import OWNED, wait_for
from nbgraph.operator.request import OpReqType, Requests
from nbgraph.operator.scalar.typing import as_operand, require_out
from nbgraph.operator.spec import Attributes, Spec, Specs, items_of
from nbgraph.settings import PYTHON_ASKED
from nbgraph.shape import Array, Arrays, overlap

if TYPE_CHECKING:
    from nbgraph.operator.arrays.array_op import ArrayOp

_KEPT = 1024  # calls cached per operator


def at_once(
    op: ArrayOp, operands: Sequence[Any], attributes: Attributes, out: Sequence[Any] | None
) -> Any:
    """Return the results; arrays in `out` are written and returned."""
    key = None if OWNED else _key(operands, attributes, out)
    if key is not None:
        call: Any = op.repeated.get(key)
        if call is None and op.numeric:
            call = _with_numbers(op, key, operands, attributes, out)
        if call is not None and (out is None or _are_free(operands, out)):
            return _repeat(op, operands, attributes, out, *call)
    if OWNED:
        wait_for((*operands, *(out or ())))
    return _Call(op, operands, attributes, out).result(key)


def _key(operands: Sequence[Any], attributes: Attributes, out: Sequence[Any] | None) -> Any:
    """Return the cache key of a call: layouts of its arrays, and attributes; None if some operand
    is not an array, an attribute is unhashable, or compiler="python" is set."""
    if PYTHON_ASKED[0]:
        return None
    key: list[Any] = [] if out is None else [len(operands)]
    for a in operands if out is None else (*operands, *out):
        if type(a) is not np.ndarray:
            return None
        key += (a.shape, a.dtype, a.strides)
    if attributes:
        key += items_of(attributes)
        try:
            hash((*attributes.values(),))
        except TypeError:
            return None
    return tuple(key)


def _with_numbers(
    op: ArrayOp, key: Any, operands: Sequence[Any], attributes: Attributes, out: Any
) -> Any:
    """Return a cached call that differs only in numbers, cached anew under `key`, or None."""
    call: Any = op.repeated.get(_key(operands, op.fixed(attributes), out))
    if call is None or call[0] is None:
        return None
    return keep(op.repeated, key, (call[0].having(op.values(attributes)), call[1]), _KEPT)


def _repeat(
    op: ArrayOp,
    operands: Arrays,
    attributes: Attributes,
    out: Sequence[Any] | None,
    lowering: Lowered | None,
    specs: Specs,
) -> Any:
    """Return the results of a cached call, by a view, kernels or NumPy."""
    if out is None and op.view is not None:
        result = viewed(op.view, operands[0], attributes)
        return result if result.ndim else result[()]
    results = out if out is not None else [np.empty(shape, dtype) for shape, dtype in specs]
    if lowering is None:
        op.compute(operands, results, attributes)
    else:
        results = lowering.run(operands, results)
    if out is not None:
        return out[0] if len(out) == 1 else tuple(out)
    if len(results) > 1:
        return tuple([r if r.ndim else r[()] for r in results])
    return results[0] if results[0].ndim else results[0][()]


def _are_free(operands: Sequence[Any], out: Sequence[Any]) -> bool:
    """Return whether the outputs are writable and share no memory with operands or each other."""
    for i, own in enumerate(out):
        if not own.flags.writeable:
            return False
        for other in (*operands, *out[:i]):
            if np.may_share_memory(own, other):
                return False
    return True


class _Call:
    """A call that is not cached: its operands as arrays, and the specs of the results."""

    def __init__(
        self,
        op: ArrayOp,
        operands: Sequence[Any],
        attributes: Attributes,
        out: Sequence[Any] | None,
    ) -> None:
        self.op, self.operands, self.attributes, self.out = op, operands, attributes, out
        self.inputs = [self._input(i, value) for i, value in enumerate(operands)]
        self.specs = op.infer([Spec.of(a) for a in self.inputs], attributes)

    def _input(self, index: int, value: Any) -> Array:
        """Return an operand as an array."""
        op, name = self.op, self.op.operand_name(index)
        if type(value) is not np.ndarray:
            refuse_foreign(op.__name__, name, value)
        return np.asarray(as_operand(op.__name__, name, value))

    def result(self, key: Any) -> Any:
        """Return the results, and cache under `key` how they were computed."""
        op, out = self.op, self.out
        if op.view is not None and out is None:
            result = viewed(op.view, self.inputs[0], self.attributes)
            if key is not None:
                keep(op.repeated, key, (None, ()), _KEPT)
            return result[()] if result.ndim == 0 else result
        outs = list(out) if out is not None else [None] * len(self.specs)
        results = self._fill_outputs(outs)
        uncast = [r.dtype for r in results] == [spec.dtype for spec in self.specs]
        if key is not None and uncast and (out is None or _are_free(self.operands, out)):
            self._cache_call(key, results)
        finished = [
            r[()] if r.ndim == 0 and o is None else r for o, r in zip(outs, results, strict=True)
        ]
        return finished[0] if len(finished) == 1 else tuple(finished)

    def _fill_outputs(self, outs: Sequence[Any]) -> list[Array]:
        """Return the results, in the arrays of `outs` or in new ones."""
        name, results = self.op.__name__, list[Array]()
        for i, (o, spec) in enumerate(zip(outs, self.specs, strict=True)):
            if o is not None:
                require_out(name, o, i)
            results.append(check_out(name, o, spec, i) if o is not None else np.empty(*spec))
        requests = [self._request(i, r) for i, r in enumerate(results)]
        fresh = [
            r if req is not None else np.empty(*spec)
            for r, req, spec in zip(results, requests, self.specs, strict=True)
        ]
        self._run(fresh, [req or OpReqType.kWriteTo for req in requests])
        for result, value in zip(results, fresh, strict=True):
            if value is not result:
                result[...] = value
        return results

    def _request(self, index: int, out: Array) -> OpReqType | None:
        """Return the request of an output, or None if it needs an array of its own and a copy."""
        if out.dtype != self.specs[index].dtype:
            return None
        shared = [i for i, a in enumerate(self.inputs) if np.may_share_memory(out, a)]
        if not shared:
            return OpReqType.kWriteTo
        pairs = self.op.inplace_pairs(self.attributes)
        first = self.inputs[shared[0]]
        if len(shared) > 1 or (shared[0], index) not in pairs or first.dtype != out.dtype:
            return None
        return OpReqType.kWriteInplace if overlap(first, out) == "exact" else None

    def _run(self, outputs: Arrays, requests: Requests) -> None:
        op, attributes = self.op, self.attributes
        granted = op.grant_to(cpu(), attributes, [Spec.of(a) for a in self.inputs])
        resources, turns = own_resources(granted)
        arguments, is_train = (self.inputs, outputs, requests, attributes), training.get()

        def run(run_ctx: RunContext | None = None) -> None:
            op.run(*arguments, resources=resources, is_train=is_train, run_ctx=run_ctx)

        if not turns:
            run()
            return
        from nbgraph import engine  # the stream of draws is shared: wait for this draw's turn

        engine.push(run, mutate_vars=turns, name=op.__name__).result()

    def _cache_call(self, key: Any, results: Arrays) -> None:
        """Cache how a call over these arrays is done, if it only writes the results' memory."""
        op, inputs, attributes = self.op, self.inputs, self.attributes
        if any(a is not b for a, b in zip(inputs, self.operands, strict=True)):
            return
        if any(not r.size for r in results) or not op.computes_alone:
            return
        lowering = None
        if op.kernels_at_once and "host" in op.kernels:
            layouts, out_layouts = ([layout_of(x) for x in xs] for xs in (inputs, results))
            lowering = lowered_form(op, Application.at_once(layouts, out_layouts, attributes))
            if lowering is not None and any(lowering.places[len(inputs) :]):
                return
        specs = [Spec.of(r) for r in results]
        if op.numeric:
            form = _key(self.operands, op.fixed(attributes), self.out)
            keep(op.repeated, form, (lowering, specs), _KEPT)
        if lowering is not None:
            lowering = lowering.having(op.values(attributes))
        keep(op.repeated, key, (lowering, specs), _KEPT)


def check_out(name: str, out: Any, spec: Spec, index: int = 0) -> Any:
    """Return an array of `out`, or raise if the result does not fit it."""
    require_shape(f"{name}: out{_suffix(index)}", out.shape, spec.shape, of="the result has")
    if not np.can_cast(spec.dtype, out.dtype, "same_kind"):
        raise DTypeError(
            f"{name}: the result has dtype {spec.dtype}, which may not be cast to "
            f"out{_suffix(index)}'s {out.dtype}; use another out, or astype"
        )
    return out


def _suffix(index: int) -> str:
    return f"[{index}]" if index else ""


def viewed(view: Callable[..., Array], x: Array, attributes: Attributes) -> Array:
    """Return the view, or the view of a contiguous copy if the strides do not allow one."""
    try:
        return view(x, **attributes)
    except ValueError:
        return view(np.ascontiguousarray(x), **attributes)
