"""Operators over whole arrays on devices, by their forms there; see `operator.elsewhere`."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from nbgraph.array.core import Array, empty_of
from nbgraph.array.lowered import deliver
from nbgraph.array.parts import write_parts
from nbgraph.array.push import copied, same, write
from nbgraph.device import RunContext
from nbgraph.engine.inline import in_charge
from nbgraph.engine.properties import NORMAL, OVERWRITE
from nbgraph.operator.array_op import Attributes, Spec
from nbgraph.operator.call import recording
from nbgraph.operator.elsewhere import Composed, Library, Pieces, Unit, form_of
from nbgraph.operator.kernel_call import Lowered
from nbgraph.operator.layout import Layout, layout
from nbgraph.operator.moving_op import MovingOp
from nbgraph.operator.request import WORDS, OpReqType
from nbgraph.ops.elementwise.casting import astype

_KEPT = 1024  # kernels with their records that an operator keeps
kNullOp, kAddTo = OpReqType.kNullOp, OpReqType.kAddTo


def composed(
    op: Any, values: Sequence[Array], attributes: Attributes, specs: Sequence[Spec]
) -> list[Array] | None:
    """Return the results by other operators, or None where there are none for it."""
    form = form_of(op, Composed)
    if form is None:
        return None
    token = recording.set(None)  # the operator itself is recorded
    try:
        outputs = form.run(*values, **attributes)
        if outputs is None:
            return None
        results = outputs if type(outputs) is tuple else (outputs,)
        return [_own(x, spec, values) for x, spec in zip(results, specs, strict=True)]
    finally:
        recording.reset(token)


def _own(x: Any, spec: Spec, values: Sequence[Array]) -> Any:
    """Return a result with memory of its own."""
    if x.dtype != spec.dtype:
        return astype(x, spec.dtype)
    lent = not x._layout.contiguous or any(x._chunk is v._chunk for v in values)
    return copied(x) if lent else x


def unit_lowered(
    op: Any, operands: Sequence[Layout], outputs: Sequence[Layout], attributes: Attributes
) -> Lowered | None:
    """Return the kernel of an operator with a Unit form, of contiguous arrays; None where there is
    none. Of a MovingOp whether the states move is a number that the push brings."""
    form = form_of(op, Unit)
    if form is None:
        return None
    key = "unit", *operands, *outputs, *attributes.items()
    if key in op.carried:
        return op.carried[key]
    in_specs, results = ([Spec(o.shape, o.dtype) for o in own] for own in (operands, outputs))
    call = form.call(in_specs, results, **attributes)
    lowering = None
    if call is not None:
        call.device.name = op.__name__  # its failures are the operator's
        order = tuple(range(len(operands) + len(outputs)))
        call = replace(call, name=op.__name__, order=order, writes=len(outputs))
        if isinstance(op, MovingOp):
            call = op.told_mode(call)
        places = [None if x.contiguous else layout(x.shape, x.dtype) for x in operands]
        places += [None] * len(outputs)  # those in pieces are of kernels that know their steps
        lowering = Lowered((call,), tuple(places), adds=False)
    if len(op.carried) >= _KEPT:
        op.carried.clear()
    op.carried[key] = lowering
    return lowering


def formed(
    op: Any,
    inputs: Sequence[Array],
    results: Sequence[Array],
    requests: Sequence[OpReqType],
    attributes: Attributes,
    *,
    whole: bool,
) -> bool:
    """Return whether a form of the operator computes it; it is pushed then. Results that are added
    to, or lie in pieces, are computed beside them."""
    if all(request is kNullOp for request in requests):
        return True
    specs = [Spec(r.shape, r.dtype) for r in results]
    targets = composed(op, inputs, attributes, specs)
    if targets is None:
        direct = [
            q is not kAddTo and q is not kNullOp and r._layout.contiguous
            for r, q in zip(results, requests, strict=True)
        ]
        targets = [
            r if d else empty_of(layout(*spec), r.device)
            for r, d, spec in zip(results, direct, specs, strict=True)
        ]
        # a failure that new memory carries from an earlier use is none of this operator's
        whole = whole or not (any(direct) or op.auxiliary)
        if not (
            _pieces(op, inputs, targets, attributes)
            or _unit(op, inputs, targets, attributes, whole=whole)
            or _library(op, inputs, targets, attributes, whole=whole)
        ):
            return False
    for result, own, request in zip(results, targets, requests, strict=True):
        if own is not result and request is not kNullOp and result.size:
            write(same, own, result, WORDS[request])
    return True


def _pieces(
    op: Any, inputs: Sequence[Array], outputs: Sequence[Array], attributes: Attributes
) -> bool:
    form = form_of(op, Pieces)
    if form is not None:
        write_parts(form.parts, inputs, outputs[0], attributes)
    return form is not None


def _unit(
    op: Any,
    inputs: Sequence[Array],
    outputs: Sequence[Array],
    attributes: Attributes,
    *,
    whole: bool,
    begins: bool = True,
) -> bool:
    """Return whether a kernel computes it; it is pushed then. Without `begins` it goes on from what
    the output holds."""
    form = form_of(op, Unit)
    in_layouts, out_layouts = [x._layout for x in inputs], [x._layout for x in outputs]
    lowering = unit_lowered(op, in_layouts, out_layouts, attributes)
    if form is None or lowering is None:
        return False
    if begins and form.first is not None:
        write_parts(form.first, inputs, outputs[0], attributes)
        whole = False
    requests = [OpReqType.kWriteTo] * len(outputs)
    deliver(lowering, op, inputs, outputs, requests, attributes, whole=whole)
    return True


def write_elements(array: Array, value: Array, indices: Sequence[Array], key: Any) -> None:
    """Push `array[key] = value` for a key with index arrays: positions alone are worked on."""
    from nbgraph.ops.gpu import scattering  # it lies above

    item = array.dtype.itemsize
    operands, attributes = scattering.at_index(
        None,
        astype(value, array.dtype),
        indices,
        shape=array.shape,
        key=key,
        sums=False,
        steps=[step // item for step in array._layout.strides],
    )
    operands = [copied(x) if x._chunk is array._chunk else x for x in operands]
    _unit(scattering.GROUPS, operands, [array], attributes, whole=False, begins=False)


def _library(
    op: Any,
    inputs: Sequence[Array],
    outputs: Sequence[Array],
    attributes: Attributes,
    *,
    whole: bool,
) -> bool:
    form = form_of(op, Library)
    if form is None:
        return False
    inputs = [x if x._layout.contiguous else copied(x) for x in inputs]
    views = [(x._address, x.shape, x.dtype, x.strides) for x in (*inputs, *outputs)]
    reads, writes = _variables(inputs, outputs)
    in_charge().push_to_device(
        outputs[0].device,
        functools.partial(_call, run=functools.partial(form.run, **attributes), views=views),
        const_vars=reads,
        mutate_vars=writes,
        name=op.__name__,
        prop=OVERWRITE if whole else NORMAL,
    )
    return True


def _call(run_ctx: RunContext, *, run: Any, views: Sequence[Any]) -> None:
    run_ctx.stream.call(run, views)


def _variables(inputs: Sequence[Array], outputs: Sequence[Array]) -> tuple[list[Any], list[Any]]:
    writes = list(dict.fromkeys(x._chunk for x in outputs))
    return [c for c in dict.fromkeys(x._chunk for x in inputs) if c not in writes], writes
