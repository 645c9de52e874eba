"""One node of a backward pass: from gradients of its outputs to gradients of its operands."""

from __future__ import annotations

from collections.abc import Container, Sequence
from typing import Any

import numpy as np

from nbgraph.array import anomaly
from nbgraph.array.core import Array, empty_of
from nbgraph.array.push import inferred, push
from nbgraph.array.route import Routes
from nbgraph.autograd.rules import MapRule
from nbgraph.autograd.sums import Sums
from nbgraph.autograd.tape import Record, TapeError, bare, kept
from nbgraph.engine import current
from nbgraph.graph.node import Entry, Node
from nbgraph.operator.arrays.array_op import Gradients, Spec
from nbgraph.operator.backward import rule_vjp
from nbgraph.operator.call import call
from nbgraph.operator.kernel_call import KernelCall
from nbgraph.operator.layout import Layout, keep, layout
from nbgraph.ops.define import library
from nbgraph.settings import CLOSELY_ASKED, config
from nbgraph.storage import LARGE

_KEPT = 2048  # ways that a rule keeps


def step(node: Record, sums: Sums, useful: Container[Node], *, retain_graph: bool) -> None:
    """Compute the gradients of a node's operands and add them to `sums`."""
    flags = [entry is not None and entry[0] in useful for entry in node.inputs]
    came = [sums.pop((node, i)) for i in range(len(node.outputs))]
    gradients = [gradient for gradient, _ in came]
    if not any(flags) or all(g is None for g in gradients):
        return
    if node.saved is None:
        raise TapeError(
            f"backward of {node.op.__name__}: its values were freed by an earlier backward pass; "
            "pass retain_graph=True there"
        )
    if CLOSELY_ASKED[0] and config.anomaly:
        _watched_flow(node, gradients, flags, sums, owned=came[0][1])
    else:
        _flow(node, gradients, flags, sums, owned=came[0][1])
    if not retain_graph:
        node.saved = None


def _flow(
    node: Record, gradients: Sequence[Any], wanted: Sequence[bool], sums: Sums, *, owned: bool
) -> None:
    if isinstance(node.rule, MapRule):
        _map_step(node, node.rule, gradients, wanted, sums, owned=owned)
    else:
        _array_step(node, gradients, wanted, sums)


def _watched_flow(
    node: Record, gradients: Sequence[Any], wanted: Sequence[bool], sums: Sums, *, owned: bool
) -> None:
    """Do the same, and name the operator whose gradient is the first to have a NaN."""
    entries = [(i, e) for i, e in enumerate(node.inputs) if e is not None and wanted[i]]
    clean = anomaly.clean([*gradients, *(sums.get(entry) for _, entry in entries)])
    name = str(node.op.__name__)
    try:
        _flow(node, gradients, wanted, sums, owned=owned)
    except FloatingPointError as problem:  # of an operator that the gradient is written with
        raise FloatingPointError(f"backward of {name}: {problem}") from problem
    if clean:
        anomaly.look_back(name, gradients, [(i, sums.get(entry)) for i, entry in entries])


def _values(node: Record, *, create_graph: bool) -> list[Any]:
    """Return the saved values, in the rule's order."""
    assert node.saved is not None
    values = [v if n is None else kept(node.op, v, n) for v, n in node.saved]
    if not create_graph:
        return values
    # differentiated again: what they were computed by when they were saved counts
    entries = [node.inputs[i] for i in node.rule.reads_inputs(len(node.inputs))]
    entries += [(node, i) for i in node.rule.reads_outputs(len(node.outputs))]
    return [_computed_by(v, entry) for v, entry in zip(values, entries, strict=True)]


def _computed_by(value: Any, entry: Entry | None) -> Any:
    if not isinstance(value, Array):
        return value
    again = bare(value)
    if entry is not None:
        again._node, again._output = entry
    return again


# scalar operators -------------------------------------------------------------------------------


def _map_step(
    node: Record,
    rule: MapRule,
    gradients: Sequence[Any],
    wanted: Sequence[bool],
    sums: Sums,
    *,
    owned: bool,
) -> None:
    """Compute all in-gradients in one pass over the elements."""
    if rule.problem is not None:
        rule.require()
    saved = _values(node, create_graph=sums.create_graph)
    operands = [0.0 if g is None else g for g in gradients] + [saved[i] for i in rule.order]
    rule.reverse.require_certificate()
    wanted = [w and _floats(own) for w, own in zip(wanted, node.layouts, strict=True)]
    if not any(wanted):
        return
    if sums.create_graph:
        _map_recorded(node, rule, operands, wanted, sums)
        return
    if owned and _over_out_grad(node, rule, gradients[0], operands, sums):
        return
    key = (
        *(v._layout if isinstance(v, Array) else type(v) for v in operands),
        *node.attributes.items(),
    )
    if _routed(node, rule, key, operands, wanted, sums):
        return
    inference = inferred(rule.reverse, operands, rule.reverse.parameters(dict(node.attributes)))
    captured = inference.plan.typed.captured
    results: list[Any] = []
    requests: list[str] = []
    passed: list[int] = []  # operands whose gradient is the out-gradient itself
    for slope, i in zip(captured.outputs, rule.wrt, strict=True):
        request, result = "null", _NOWHERE
        if (
            wanted[i]
            and slope is captured.operands[0]
            and gradients[0].dtype == node.layouts[i].dtype
        ):
            passed.append(i)
        elif wanted[i]:
            request, result = _place(node, i, inference.shape, operands, results, sums)
        results.append(result)
        requests.append(request)
    if any(request != "null" for request in requests):
        pushed = push(inference.plan, operands, results, None, requests)
        if set(requests) == {"write"}:
            _learn(rule, key, pushed, tuple([r._layout for r in results]), operands)
    for i, value, request in zip(rule.wrt, results, requests, strict=True):
        if request == "write":
            _add(sums, node, i, value, owned=True)
    for i in passed:
        _add(sums, node, i, gradients[0], owned=owned and len(passed) == 1)


def _over_out_grad(
    node: Record, rule: MapRule, gradient: Any, operands: Sequence[Any], sums: Sums
) -> bool:
    """Write the in-gradient over a large out-gradient that has no other user, which touches a third
    less memory; return whether that was possible. It needs one in-gradient, of that layout, and
    nothing to add it to."""
    own = gradient._layout
    if len(rule.wrt) != 1 or own.nbytes < LARGE or gradient._holder is not None or CLOSELY_ASKED[0]:
        return False
    i = rule.wrt[0]
    entry = node.inputs[i]
    if entry is None or node.layouts[i] is not own or sums.get(entry) is not None:
        return False
    inference = inferred(rule.reverse, operands, rule.reverse.parameters(dict(node.attributes)))
    captured = inference.plan.typed.captured
    if inference.outputs[0] is not own or captured.outputs[0] is captured.operands[0]:
        return False
    push(inference.plan, operands, [gradient], [gradient], ["write"])
    sums.add(entry, gradient, owned=True)
    return True


def _place(
    node: Record,
    i: int,
    shape: tuple[int, ...],
    operands: Sequence[Any],
    others: Sequence[Any],
    sums: Sums,
) -> tuple[str, Any]:
    """Return where the gradient of operand i goes: onto what came before, or into a new array."""
    entry, own = node.inputs[i], node.layouts[i]
    assert entry is not None
    room = sums.room(entry) if own.shape == shape else None
    if room is None or any(room is other for other in others):
        arrays = [v._chunk for v in operands if isinstance(v, Array)]
        own_layout = layout(shape, own.dtype)
        reads = arrays if own_layout.nbytes >= LARGE else None
        return "write", empty_of(own_layout, arrays[0].device, reads)
    return "add", room


def _routed(
    node: Record,
    rule: MapRule,
    key: Any,
    operands: Sequence[Any],
    wanted: Sequence[bool],
    sums: Sums,
) -> bool:
    """Do the same by the route of an earlier pass; return whether there was one."""
    former = rule.routes.get(key)
    if former is None:
        return False
    routes, outputs = former
    for i, fresh in zip(rule.wrt, outputs, strict=True):
        own = node.layouts[i]
        if not wanted[i] or own.shape != fresh.shape or own.dtype != fresh.dtype:
            return False
        if sums.get(node.inputs[i]) is not None:
            return False
    if not sums.site:
        sums.site = current().site_id()
    fresh = routes.push(sums.site, tuple(operands))
    if fresh is None:
        return False
    for i, value in zip(rule.wrt, fresh if type(fresh) is tuple else (fresh,), strict=True):
        entry = node.inputs[i]
        assert entry is not None
        sums.add(entry, value, owned=True)
    return True


def _learn(
    rule: MapRule, key: Any, call: KernelCall, outputs: tuple[Layout, ...], operands: Sequence[Any]
) -> None:
    """Remember the way that a pass has gone; `outputs` are the layouts that the kernel wrote, which
    have the dtypes of operands: the out-gradient's may be another."""
    routes = Routes()
    if routes.learn(call, outputs, operands):
        keep(rule.routes, key, (routes, outputs), _KEPT)


def _add(sums: Sums, node: Record, i: int, value: Any, *, owned: bool) -> None:
    """Add a contribution, summed over the axes along which operand i was broadcast."""
    entry, shape = node.inputs[i], node.layouts[i].shape
    assert entry is not None
    if value.shape != shape:
        value, owned = library.sum_to(value, shape), True
    sums.add(entry, value, owned=owned)


class _Nowhere:
    """The place of an output that is not computed."""

    _layout = layout((), np.dtype("float32"))


_NOWHERE = _Nowhere()


def _map_recorded(
    node: Record, rule: MapRule, operands: Sequence[Any], wanted: Sequence[bool], sums: Sums
) -> None:
    results = call(rule.reverse, operands, node.attributes)
    results = results if isinstance(results, tuple) else (results,)
    for i, value in zip(rule.wrt, results, strict=True):
        entry, own = node.inputs[i], node.layouts[i]
        if wanted[i]:
            assert entry is not None
            if value.shape != own.shape:
                value = library.sum_to(value, own.shape)
            if value.dtype != own.dtype:
                value = library.astype(value, own.dtype)
            sums.add(entry, value)


def _floats(own: Any) -> bool:
    return isinstance(own, Layout) and own.dtype.kind in "cfV"


# operators over whole arrays --------------------------------------------------------------------


def _array_step(node: Record, gradients: Sequence[Any], wanted: Sequence[bool], sums: Sums) -> None:
    saved = iter(_values(node, create_graph=sums.create_graph))
    inputs: list[Any] = [None] * len(node.inputs)
    for i in node.rule.reads_inputs(len(inputs)):
        inputs[i] = next(saved)
    outputs: list[Any] = [None] * len(node.outputs)
    for i in node.rule.reads_outputs(len(outputs)):
        outputs[i] = next(saved)
    specs = [Spec(v.shape, v.dtype) if isinstance(v, Layout) else _NUMBER for v in node.layouts]
    flags = [w and _floats(own) for w, own in zip(wanted, node.layouts, strict=True)]
    if not any(flags):
        return
    slopes = rule_vjp(Gradients(node.op, node.attributes, gradients, inputs, outputs, specs, flags))
    for entry, slope in zip(node.inputs, slopes, strict=True):
        if slope is not None:
            assert entry is not None
            owned = not sums.create_graph and _unshared(slope, slopes, gradients, node)
            sums.add(entry, slope, owned=owned)


_NUMBER = Spec((), np.dtype("float64"))


def _unshared(value: Any, slopes: Sequence[Any], gradients: Sequence[Any], node: Record) -> bool:
    """Return whether a gradient of a rule is an array that has no other user."""
    if value._holder is not None or any(value is g for g in gradients):
        return False
    if sum(value is other for other in slopes) > 1:
        return False
    return not any(value is saved for saved, _ in node.saved or ())
