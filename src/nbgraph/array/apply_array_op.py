"""Apply operators over whole arrays (`ArrayOp`) to NDArrays: as views, kernels or functions."""

import math
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from nbgraph.array import anomaly, fast_paths
from nbgraph.array.apply_scalar_op import apply as apply_map
from nbgraph.array.apply_scalar_op import common_device, note_writes, writable
from nbgraph.array.chunk import CPU, Chunk
from nbgraph.array.copying import copied, copy_of, filled
from nbgraph.array.core import Array, empty_of, from_host, lift
from nbgraph.array.place import place
from nbgraph.array.push import same
from nbgraph.array.route import routes_of
from nbgraph.array.runner import Job, push_function
from nbgraph.array.update import learn_over, write_over
from nbgraph.device import Context
from nbgraph.engine.inline import in_charge
from nbgraph.engine.thread import here
from nbgraph.errors import ArgumentError, noun
from nbgraph.operator.arrays.array_op import ArrayOp, Attributes, Spec
from nbgraph.operator.arrays.at_once import check_out
from nbgraph.operator.call import recording, training
from nbgraph.operator.kernel_call import Application, lowered, lowered_form
from nbgraph.operator.layout import Layout, layout
from nbgraph.operator.request import OpReqType, Requests, kAddTo, kWriteTo
from nbgraph.settings import CLOSELY_ASKED, config
from nbgraph.shape import overlap

_AT_ONCE = 4096  # elements up to which the calling thread computes operators without operands
_TEMPLATE = 4096  # bytes up to which such a result is kept, to be copied again
_NONE: Mapping[str, Any] = {}
_COPIED = 1 << 16  # bytes up to which a result is computed in new memory and copied to `out`


def apply(
    op: ArrayOp,
    operands: Sequence[Any],
    attributes: Attributes,
    outs: Sequence[Any] | None = None,
    requests: Requests | None = None,
) -> Any:
    """Apply an operator to whole arrays."""
    if outs is None and op.view is not None and isinstance(operands[0], Array):
        view = fast_paths.cached_view(op, operands[0], attributes)
        if view is not None:
            return view
    if not operands and attributes.get("device") == CPU:  # where it goes unasked
        attributes = {**attributes, "device": None}
    ways = None
    if outs is None and requests is None and not CLOSELY_ASKED[0]:
        if not (op.auxiliary or all(isinstance(v, Array) for v in operands)):
            values = lift(op.__name__, _names(op, operands), operands, weak=False)
            if all(isinstance(v, Array) for v in values):
                return op(*values, **attributes)
        ways = fast_paths.ways(op, attributes, operands)
        result = None if ways is None else ways.again(op, operands, attributes)
        if result is not None:
            return result
    elif outs is not None and requests is None and _copied_to(op, operands, attributes, outs):
        return outs[0]
    results = _Application(op, operands, op.normalise(attributes), outs, requests).results(ways)
    return results[0] if len(results) == 1 else tuple(results)


def _names(op: ArrayOp, operands: Sequence[Any]) -> list[str]:
    return [op.operand_name(i) for i in range(len(operands))]


def _copied_to(
    op: ArrayOp, operands: Sequence[Any], attributes: Attributes, outs: Sequence[Any]
) -> bool:
    """Compute a small result as a new array and copy it to `out`; return whether this was possible.

    Two fast paths take a fifth of the slow path's time. Later calls use the route of the kernel."""
    if len(outs) != 1 or CLOSELY_ASKED[0] or recording.get() is not None:
        return False
    out, alone = outs[0], not (op.draws or op.auxiliary or op.resources or op.effect)
    if not (alone and isinstance(out, Array) and out.nbytes <= _COPIED and out.dtype.kind != "c"):
        return False
    if any(v is out for v in operands) and op.inplace_pairs(attributes):  # it has the right to
        return False
    result = op(*operands, **attributes)
    casts = np.can_cast(result.dtype, out.dtype, "same_kind") and result.dtype.kind != "c"
    if not casts or (result.shape, result.device) != (out.shape, out.device):
        return False
    writable(op.__name__, out, "out")
    if not write_over(same, (result,), out, in_charge().site_id(2)):
        apply_map(same, (result,), {}, outs)
    if op.values(attributes) or not all(type(v) is type(out) for v in operands):
        return True
    if result.dtype != out.dtype:  # a kernel that writes the other dtype may compute in it
        return True
    layouts = [v._layout for v in operands]
    lowering = lowered_form(op, Application.at_once(layouts, [out._layout], attributes))
    call = None if lowering is None or lowering.scratch else lowering.alone
    if call is not None and all(v._chunk is not out._chunk for v in operands):
        learn_over(op, operands, out, call, attributes, call.order[: -call.writes])
    return True


class _Application:
    """One application of an operator: operands, attributes and outputs."""

    def __init__(
        self,
        op: ArrayOp,
        operands: Sequence[Any],
        attributes: Attributes,
        outs: Sequence[Any] | None,
        requests: Requests | None,
    ) -> None:
        self.op, self.operands, self.outs = op, operands, outs
        self.names = _names(op, operands)
        self.values: list[Array] = lift(op.__name__, self.names, operands, weak=False)
        self.device = common_device(op.__name__, self.names, self.values, outs)
        if not operands:
            asked = attributes.get("device")
            self.device = self.device if asked is None else asked
            attributes = {**attributes, "device": None}
        self.attributes, self.requests = attributes, requests
        self.specs = op.infer([Spec(v.shape, v.dtype) for v in self.values], attributes)

    def results(self, ways: Any) -> Sequence[Array]:
        """Push the operator and return its results; the fast path `ways` learns from the call."""
        op, values, outs = self.op, self.values, self.outs
        if not (values or outs is not None or self._is_there()):  # computed on the host, and copied
            result = apply(op, (), self.attributes)
            parts = result if type(result) is tuple else (result,)
            return [copy_of(value, device=self.device) for value in parts]
        watched = CLOSELY_ASKED[0] and bool(config.anomaly) and anomaly.clean(values)
        results = self._short() if outs is None else None
        if results is None:
            results = self._pushed()
        note_writes(op, values, self.attributes, results, outs)
        if watched:
            anomaly.look(op, values, results)
        if ways is not None:
            ways.learn(op, values, results, self.attributes)
        return results

    def _is_there(self) -> bool:
        """Return whether the device itself computes an operator without operands."""
        op, outputs = self.op, [layout(*spec) for spec in self.specs]
        if place(self.device).host or op.constant is not None:
            return True
        words = ["write"] * len(outputs)
        return lowered(op, (), outputs, words, self.attributes, host=False) is not None

    def _short(self) -> list[Array] | None:
        """Return results that need no function of the operator (a view, a copy, one number, or the
        results of other operators), or None."""
        op, values, attributes, device = self.op, self.values, self.attributes, self.device
        if op.view is not None:
            return fast_paths.viewed(op, values, attributes)
        if op.copies:
            return [copy_of(values[0], self.specs[0].dtype)]
        if op.constant is not None:
            number, own = op.constant(**attributes), layout(*self.specs[0])
            make = _empty if number is None else partial(_filled, number)
            if values or device is CPU:
                fast_paths.remember_source(op, make, own, values, attributes)
            return [make(own, device, op.values(attributes), None)]
        if not values and op.computes_alone and len(self.specs) == 1 and place(device).host:
            if math.prod(self.specs[0].shape) <= _AT_ONCE:  # nothing to wait for, and soon done
                value = np.empty(*self.specs[0])
                op.compute((), [value], attributes)
                if device is CPU and value.nbytes <= _TEMPLATE:
                    template = from_host(value, device)
                    make = partial(_copy, value, template)
                    fast_paths.remember_source(op, make, layout(*self.specs[0]), (), attributes)
                    if here.running is None:
                        return [apply_map(same, (template,), _NONE)]  # the way to copy it
                return [from_host(value, device)]
        return place(device).composed(op, values, attributes, self.specs)

    def _pushed(self) -> list[Array]:
        """Push the operator as kernels or a function."""
        op, values, attributes = self.op, self.values, self.attributes
        states, results = self._states(), self._outputs([v._chunk for v in values])
        requests = [kWriteTo] * len(results) if self.requests is None else list(self.requests)
        over = None if self.outs is None else self._in_place(results, requests)
        changed = [*(r._chunk for r in results), *(values[i]._chunk for i in states)]
        own = (over, *states)
        inputs = [
            copied(v) if v._chunk in changed and i not in own else v for i, v in enumerate(values)
        ]
        whole = self.outs is None and kAddTo not in requests and not states
        job = Job(op, inputs, results, requests, attributes, whole)
        device = (results or inputs)[0].device
        if not place(device).carry_out(job):
            writes = list(dict.fromkeys(changed))
            reads = [c for c in dict.fromkeys(v._chunk for v in inputs) if c not in writes]
            specs = [Spec(v.shape, v.dtype) for v in values]
            grants = op.grant_to(device, attributes, specs) if results else ()
            push_function(
                job, reads, writes, grants, states, fast_paths.least(op, values, attributes)
            )
        for i in states:
            values[i]._chunk.writes += 1
        return results

    def _states(self) -> Sequence[int]:
        """Return the indices of operands that the operator updates; require writable NDArrays."""
        op, names = self.op, self.names
        states = op.states(is_train=training.get() and op.mode(self.attributes) is not False)
        for i in states:
            if self.values[i] is not self.operands[i]:
                raise ArgumentError(
                    f"{op.__name__}: the auxiliary state {names[i]!r} is {noun(self.operands[i])}, "
                    "and would be updated in a copy; give an NDArray, as ng.array(...) makes"
                )
            writable(op.__name__, self.values[i], names[i])
        return states

    def _outputs(self, reads: Sequence[Chunk]) -> list[Array]:
        name, results = self.op.__name__, list[Array]()
        for i, spec in enumerate(self.specs):
            out = self.outs[i] if self.outs is not None else None
            if out is None:
                results.append(empty_of(layout(*spec), self.device, reads))
            else:
                writable(name, out)
                results.append(check_out(name, out, spec, i))
        return results

    def _in_place(self, results: Sequence[Array], asked: list[OpReqType]) -> int | None:
        """Return the index of the operand that is also the output and may be overwritten, or None.

        The operator must allow it, and no other operand may share the memory."""
        for operand, output in self.op.inplace_pairs(self.attributes):
            out = results[output]
            sharing = [i for i, v in enumerate(self.values) if v._chunk is out._chunk]
            if sharing != [operand] or len(results) > 1 or asked[output] is not kWriteTo:
                continue
            value = self.values[operand]
            if value.dtype == out.dtype and overlap(value._view(), out._view()) == "exact":
                asked[output] = OpReqType.kWriteInplace
                return operand
        return None


# what `known.Sources` make


def _empty(own: Layout, device: Context, *call: Any) -> Array:
    """Return an array whose values are not set."""
    return empty_of(own, device)


def _filled(number: Any, own: Layout, device: Context, numbers: Any, caller: Any) -> Array:
    """Return an array filled with the last number of the call, or else with `number`."""
    own_number = bool(numbers) and not isinstance(numbers[-1], Array)
    return filled(own, device, numbers[-1] if own_number else number, caller)


def _copy(
    value: np.ndarray[Any, Any], template: Array, own: Layout, device: Context, _: Any, caller: Any
) -> Array:
    """Return a copy of an array, by a route where there is one."""
    routes = routes_of(same, _NONE)
    result = None if routes is None else routes.push(caller, (template,), True)
    return from_host(value, device) if result is None else result
