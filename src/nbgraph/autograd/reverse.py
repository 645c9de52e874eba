"""The backward pass: from heads to variables, node by node.

Gradients are summed where a value was used several times: into the array that holds the first
contribution, if nobody else has it (kAddTo), else into a new one. With `create_graph` every step is
itself recorded.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from nbgraph.array.core import empty_of, make
from nbgraph.array.layout import layout
from nbgraph.array.push import carried, push
from nbgraph.autograd.buffers import write_to
from nbgraph.autograd.rules import MapRule
from nbgraph.autograd.tape import Leaf, Record, TapeError, kept
from nbgraph.errors import DerivativeError
from nbgraph.graph.node import Entry, Node, topological
from nbgraph.operator.array_op import Gradients, Spec
from nbgraph.operator.call import call


class Sums:
    """Gradients with respect to outputs of nodes, so far."""

    __slots__ = ("_owned", "_values", "create_graph")

    def __init__(self, *, create_graph: bool) -> None:
        self.create_graph = create_graph
        self._values: dict[Entry, Any] = {}
        self._owned: set[Entry] = set()  # where nobody else has the array

    def get(self, entry: Entry) -> Any:
        """The sum, or None where nothing came."""
        return self._values.get(entry)

    def pop(self, entry: Entry) -> tuple[Any, bool]:
        """The sum, and whether nobody else has it; both are forgotten."""
        owned = entry in self._owned
        self._owned.discard(entry)
        return self._values.pop(entry, None), owned

    def room(self, entry: Entry) -> Any:
        """The array that a contribution may be added to, or None."""
        return self._values[entry] if entry in self._owned else None

    def add(self, entry: Entry, value: Any, *, owned: bool = False) -> None:
        """One more contribution. `owned`: the array is new, and nobody else has it."""
        before = self._values.get(entry)
        if before is not None:
            value, owned = library("add")(before, value), True
        self._values[entry] = value
        if owned and not self.create_graph:
            self._owned.add(entry)


def library(name: str) -> Any:
    """An operator of the library."""
    from nbgraph import ops

    return getattr(ops, name)


def run(
    heads: Sequence[tuple[Node, int, Any]],
    wanted: Sequence[Node] | None,
    *,
    create_graph: bool,
    retain_graph: bool,
) -> Sums:
    """Let the heads' gradients flow: entries (node, output, gradient).

    `wanted`: nodes whose gradients are asked for and stay in the result; None: all leaves, which
    collect theirs.
    """
    sums = Sums(create_graph=create_graph)
    for node, output, gradient in heads:
        sums.add((node, output), gradient)
    order = topological(node for node, _, _ in heads)
    targets = set(wanted) if wanted is not None else None
    useful = _useful(order, targets)
    for node in reversed(order):
        if node not in useful or (targets is not None and node in targets):
            continue
        if isinstance(node, Record):
            _step(node, sums, useful)
            if not retain_graph:
                node.saved = None
        elif isinstance(node, Leaf):
            _collect(node, sums)
    return sums


def _useful(order: Sequence[Node], targets: set[Node] | None) -> set[Node]:
    """Nodes that gradients have to reach or pass through."""
    found: set[Node] = set()
    for node in order:
        if targets is not None and node in targets:
            found.add(node)
        elif node.op is None:
            if targets is None and isinstance(node, Leaf) and node.request != "null":
                found.add(node)
        elif any(entry is not None and entry[0] in found for entry in node.inputs):
            found.add(node)
    return found


def _collect(leaf: Leaf, sums: Sums) -> None:
    """A variable's gradient goes where its user looks for it."""
    gradient, owned = sums.pop((leaf, 0))
    if gradient is None:
        return
    if sums.create_graph:
        adds = leaf.request == "add" and leaf.collected is not None
        leaf.collected = library("add")(leaf.collected, gradient) if adds else gradient
    elif leaf.collected is None and owned:
        leaf.collected = gradient
    else:
        write_to(leaf.grad, gradient, leaf.request)


def _step(node: Record, sums: Sums, useful: set[Node]) -> None:
    """Gradients of a node's operands."""
    gradients = [sums.pop((node, i))[0] for i in range(len(node.outputs))]
    if all(g is None for g in gradients):
        return
    if node.saved is None:
        raise TapeError(
            f"backward of {node.op.__name__}: its values were freed by an earlier backward pass; "
            "pass retain_graph=True there"
        )
    wanted = [entry is not None and entry[0] in useful for entry in node.inputs]
    if isinstance(node.rule, MapRule):
        _map_step(node, node.rule, gradients, wanted, sums)
    else:
        _array_step(node, gradients, wanted, sums)


def _values(node: Record) -> list[Any]:
    """What was saved; outputs know again what they were computed by."""
    assert node.saved is not None
    values = [v if n is None else kept(node.op, v, n) for v, n in node.saved]
    inputs = len(node.rule.reads_inputs(len(node.inputs)))
    for i, output in enumerate(node.rule.reads_outputs(len(node.outputs))):
        view = values[inputs + i]
        again = make(view._chunk, view._address, view._layout, view._holder)
        again._node, again._output, again._stamp = node, output, view._chunk.writes
        values[inputs + i] = again
    return values


# scalar operators -------------------------------------------------------------------------------


def _map_step(
    node: Record, rule: MapRule, gradients: Sequence[Any], wanted: Sequence[bool], sums: Sums
) -> None:
    """All in-gradients in one pass over the elements."""
    if rule.problem is not None:
        raise DerivativeError(str(rule.problem)) from rule.problem
    saved = _values(node)
    operands = [0.0 if g is None else g for g in gradients] + [saved[i] for i in rule.order]
    rule.reverse.require_certificate()
    wanted = [w and _floats(own) for w, own in zip(wanted, node.layouts, strict=True)]
    if not any(wanted):
        return
    if sums.create_graph:
        _map_recorded(node, rule, operands, wanted, sums)
        return
    found = carried(rule.reverse, operands, rule.reverse.parameters(dict(node.attributes)))
    results: list[Any] = []
    requests: list[str] = []
    placed: set[Entry] = set()
    for i, (entry, own) in enumerate(zip(node.inputs, node.layouts, strict=True)):
        if not wanted[i]:
            results.append(_NOWHERE)
            requests.append("null")
            continue
        assert entry is not None
        room = None
        if own.shape == found.shape and entry not in placed:
            room = sums.room(entry)
            placed.add(entry)
        dtype = own.dtype
        if room is None:
            results.append(empty_of(layout(found.shape, dtype), _device(gradients)))
        else:
            results.append(room)
        requests.append("write" if room is None else "add")
    push(rule.reverse, found, operands, results, None, requests)
    for i, entry in enumerate(node.inputs):
        if wanted[i] and requests[i] == "write":
            assert entry is not None
            shape = node.layouts[i].shape
            value = results[i]
            if value.shape != shape:
                value = library("sum_to")(value, shape)
            sums.add(entry, value, owned=True)


class _Nowhere:
    """The place of an output that is not computed."""

    _layout = layout((), np.dtype("float32"))


_NOWHERE = _Nowhere()


def _map_recorded(
    node: Record, rule: MapRule, operands: Sequence[Any], wanted: Sequence[bool], sums: Sums
) -> None:
    results = call(rule.reverse, operands, node.attributes)
    results = results if isinstance(results, tuple) else (results,)
    for i, (entry, own) in enumerate(zip(node.inputs, node.layouts, strict=True)):
        if wanted[i]:
            assert entry is not None
            value = results[i]
            if value.shape != own.shape:
                value = library("sum_to")(value, own.shape)
            if value.dtype != own.dtype:
                value = value.astype(own.dtype)
            sums.add(entry, value)


def _floats(own: Any) -> bool:
    return own is not None and own.dtype.kind in "fV"


def _device(gradients: Sequence[Any]) -> Any:
    return next(g.device for g in gradients if g is not None)


# operators over whole arrays --------------------------------------------------------------------


def _array_step(node: Record, gradients: Sequence[Any], wanted: Sequence[bool], sums: Sums) -> None:
    op = node.op
    if op.rule is None:
        raise DerivativeError(
            f"{op.__name__}: it has no gradient; use ng.stop_gradient where none should flow, or "
            "give one with ng.autograd.Function"
        )
    saved = iter(_values(node))
    inputs: list[Any] = [None] * len(node.inputs)
    for i in node.rule.reads_inputs(len(inputs)):
        inputs[i] = next(saved)
    outputs: list[Any] = [None] * len(node.outputs)
    for i in node.rule.reads_outputs(len(outputs)):
        outputs[i] = next(saved)
    specs = [Spec(own.shape, own.dtype) for own in node.layouts]
    asked = [w and _floats(own) for w, own in zip(wanted, node.layouts, strict=True)]
    rule = Gradients(op, node.attributes, gradients, inputs, outputs, specs, asked)
    found = op.rule(rule)
    for entry, value, use, own in zip(node.inputs, found, asked, node.layouts, strict=True):
        if use and value is not None:
            assert entry is not None
            sums.add(entry, value if value.dtype == own.dtype else value.astype(own.dtype))
