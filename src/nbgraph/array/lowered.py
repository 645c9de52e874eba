"""Kernel calls pushed for NDArrays: one of the three runners, see `operator.kernel_call`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from nbgraph.array.core import Array, empty_of
from nbgraph.array.launch import push
from nbgraph.array.push import moved, same, write
from nbgraph.operator.call import training
from nbgraph.operator.kernel_call import Lowered, lowered
from nbgraph.operator.layout import layout
from nbgraph.operator.request import WORDS, OpReqType, kNullOp
from nbgraph.operator.spec import Attributes


def push_lowered(
    op: Any,
    inputs: Sequence[Array],
    results: Sequence[Array],
    requests: Sequence[OpReqType],
    attributes: Attributes,
    *,
    whole: bool,
) -> bool:
    """Push the kernels of an operator, with copies of what they do not take; return whether it has
    any. `whole`: all of the results' chunks is written."""
    words = [op.words[request] for request in requests]
    if all(word == "null" for word in words):
        return True
    in_layouts, out_layouts = [x._layout for x in inputs], [x._layout for x in results]
    host = results[0].device.host
    if op.kernels and not any(r.size for r in results):
        op.numbers(attributes, is_train=False)  # a draw is taken all the same
        return True
    lowering = lowered(op, in_layouts, out_layouts, words, attributes, host=host)
    if lowering is None:
        return False
    deliver(lowering, op, inputs, results, requests, attributes, whole=whole)
    return True


def deliver(
    lowering: Lowered,
    op: Any,
    inputs: Sequence[Array],
    results: Sequence[Array],
    requests: Sequence[OpReqType],
    attributes: Attributes,
    *,
    whole: bool,
) -> None:
    """Push the calls of an operator; see `push_lowered`."""
    device, count = results[0].device, len(inputs)
    written = {k for call in lowering.calls for k in call.order[-call.writes :]}
    arrays: list[Any] = [*inputs, *results]
    for k, own in enumerate(lowering.places):
        if k < count:
            arrays[k] = inputs[k] if own is None else moved(inputs[k], own)
        elif own is not None or (k in written and requests[k - count] is kNullOp):
            r = results[k - count]
            arrays[k] = empty_of(own or layout(r.shape, r.dtype), device)
    arrays += [empty_of(own, device) for own in lowering.scratch]
    is_train = training.get()
    numbers, states = op.numbers(attributes, is_train=is_train), op.states(is_train=is_train)
    for call in lowering.calls:
        if not call.size:
            continue
        used, moved_states = [arrays[k] for k in call.order], [arrays[k] for k in states]
        wrote = [*used[-call.writes :], *moved_states]
        fresh = whole or not any(x is r for x in wrote for r in results)
        push(call, used, numbers if call.scalars else (), moved_states, overwrites=fresh)
    for k in states:
        if arrays[k] is not inputs[k]:  # a copy was written
            write(same, arrays[k], inputs[k])
    for result, value, request in zip(results, arrays[count:], requests, strict=False):
        if value is result or request is kNullOp or not result.size:
            continue
        if request is OpReqType.kAddTo and value.dtype != result.dtype:  # the result is rounded
            value = moved(value, layout(result.shape, result.dtype))
        write(same, value, result, WORDS[request])
