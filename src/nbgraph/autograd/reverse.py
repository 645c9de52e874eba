"""The backward pass: from heads to variables, node by node.

Gradients are summed where a value was used several times: into the array that holds the first
contribution, if nobody else has it (kAddTo), else into a new one. With `create_graph` every step is
itself recorded.
"""

from __future__ import annotations

import sys
from collections.abc import Container, Sequence
from typing import Any

import numpy as np

from nbgraph.array.chunk import shared
from nbgraph.array.core import Array, empty_of, make
from nbgraph.array.layout import layout
from nbgraph.array.push import carried, copied, push
from nbgraph.autograd.buffers import write_to
from nbgraph.autograd.rules import MapRule
from nbgraph.autograd.tape import Leaf, Record, TapeError, kept
from nbgraph.errors import DerivativeError
from nbgraph.graph.node import Entry, Node, topological
from nbgraph.operator.array_op import Gradients, Spec
from nbgraph.operator.call import call
from nbgraph.storage import LARGE


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

    def disown(self, entry: Entry) -> bool:
        """Whether nobody else has the sum; from now on somebody has."""
        owned = entry in self._owned
        self._owned.discard(entry)
        return owned

    def add(self, entry: Entry, value: Any, *, owned: bool = False) -> None:
        """One more contribution. `owned`: the array is new, and nobody else has it."""
        before = self._values.get(entry)
        if before is not None:
            if entry in self._owned:
                write_to(before, value, "add")
                return
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
    wanted: Sequence[Entry] | None = None,
    *,
    create_graph: bool = False,
    retain_graph: bool = False,
    ends: Container[Node] = (),
) -> list[Any]:
    """Let the heads' gradients flow: entries (node, output, gradient).

    `wanted`: entries whose gradients are returned, None where nothing came; without it all leaves
    collect theirs, at the end, so that an error on the way leaves every gradient as it was.
    Gradients do not flow beyond `ends`.
    """
    sums = Sums(create_graph=create_graph)
    for node, output, gradient in heads:
        sums.add((node, output), gradient)
    order = topological((node for node, _, _ in heads), ends)
    targets = None if wanted is None else {node for node, _ in wanted}
    useful = _useful(order, targets)
    found: dict[Entry, Any] = {}
    collected: list[tuple[Leaf, Any, bool]] = []
    for node in reversed(order):
        if node not in useful:
            continue
        if targets is not None and node in targets:
            _keep(node, sums, found)
        if isinstance(node, Record) and node not in ends:
            _step(node, sums, useful, retain_graph=retain_graph)
        elif targets is None and isinstance(node, Leaf):
            collected.append((node, *sums.pop((node, 0))))
    for leaf, gradient, owned in collected:
        _collect(leaf, gradient, owned=owned)
    return [] if wanted is None else [found.get(entry) for entry in wanted]


def _useful(order: Sequence[Node], targets: Container[Node] | None) -> set[Node]:
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


def _keep(node: Node, sums: Sums, found: dict[Entry, Any]) -> None:
    """Gradients that were asked for, as arrays of their own; they flow on."""
    for i in range(len(node.outputs) if isinstance(node, Record) else 1):
        gradient = sums.get((node, i))
        if gradient is not None:
            owned = sums.create_graph or sums.disown((node, i))
            found[node, i] = gradient if owned else copied(gradient)


def _collect(leaf: Leaf, gradient: Any, *, owned: bool) -> None:
    """A variable's gradient goes where its user looks for it."""
    if gradient is None:
        return
    if owned and (leaf.collected is None or (leaf.request == "write" and _unseen(leaf))):
        leaf.collected = gradient
    else:
        write_to(leaf.grad, gradient, leaf.request)


def _unseen(leaf: Leaf) -> bool:
    """Whether nobody could tell that the gradient's array is replaced by another."""
    return sys.getrefcount(leaf.collected) == 2 and leaf.collected._holder is None


def _step(node: Record, sums: Sums, useful: Container[Node], *, retain_graph: bool) -> None:
    """Gradients of a node's operands."""
    wanted = [entry is not None and entry[0] in useful for entry in node.inputs]
    came = [sums.pop((node, i)) for i in range(len(node.outputs))]
    gradients = [gradient for gradient, _ in came]
    if not any(wanted) or all(g is None for g in gradients):
        return
    if node.saved is None:
        raise TapeError(
            f"backward of {node.op.__name__}: its values were freed by an earlier backward pass; "
            "pass retain_graph=True there"
        )
    if isinstance(node.rule, MapRule):
        _map_step(node, node.rule, gradients, wanted, sums, owned=came[0][1])
    else:
        _array_step(node, gradients, wanted, sums)
    if not retain_graph:
        node.saved = None


def _values(node: Record, *, create_graph: bool) -> list[Any]:
    """What was saved, in the rule's order."""
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
    again = make(value._chunk, value._address, value._layout, shared(value))
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
    """All in-gradients in one pass over the elements."""
    if rule.problem is not None:
        raise DerivativeError(str(rule.problem)) from rule.problem
    saved = _values(node, create_graph=sums.create_graph)
    operands = [0.0 if g is None else g for g in gradients] + [saved[i] for i in rule.order]
    rule.reverse.require_certificate()
    wanted = [w and _floats(own) for w, own in zip(wanted, node.layouts, strict=True)]
    if not any(wanted):
        return
    if sums.create_graph:
        _map_recorded(node, rule, operands, wanted, sums)
        return
    found = carried(rule.reverse, operands, rule.reverse.parameters(dict(node.attributes)))
    captured = found.plan.typed.captured
    results: list[Any] = []
    requests: list[str] = []
    places: list[tuple[Entry, tuple[int, ...]]] = []  # of the results
    passed: list[tuple[Entry, tuple[int, ...]]] = []  # to whom the out-gradient itself goes on
    for slope, i in zip(captured.outputs, rule.wrt, strict=True):
        entry, own = node.inputs[i], node.layouts[i]
        request, result = "null", _NOWHERE
        if wanted[i]:
            assert entry is not None
            if slope is captured.operands[0] and gradients[0].dtype == own.dtype:
                passed.append((entry, own.shape))
            else:
                room = sums.room(entry) if own.shape == found.shape else None
                if room is None or any(room is other for other in results):
                    request, result = "write", _room(found.shape, own.dtype, operands)
                else:
                    request, result = "add", room
        places.append((entry or _NO_ENTRY, () if own is None else own.shape))
        results.append(result)
        requests.append(request)
    if any(request != "null" for request in requests):
        push(rule.reverse, found, operands, results, None, requests)
    for place, value, request in zip(places, results, requests, strict=True):
        if request == "write":
            _add(sums, place, value, owned=True)
    for place in passed:
        _add(sums, place, gradients[0], owned=owned and len(passed) == 1)


def _room(shape: tuple[int, ...], dtype: np.dtype[Any], operands: Sequence[Any]) -> Any:
    """A new array for a kernel that reads the operands."""
    arrays = [v._chunk for v in operands if isinstance(v, Array)]
    made = layout(shape, dtype)
    return empty_of(made, arrays[0].device, arrays if made.nbytes >= LARGE else None)


def _add(sums: Sums, place: tuple[Entry, tuple[int, ...]], value: Any, *, owned: bool) -> None:
    """A contribution, summed over the axes along which the operand was broadcast."""
    entry, shape = place
    if value.shape != shape:
        value, owned = library("sum_to")(value, shape), True
    sums.add(entry, value, owned=owned)


class _Nowhere:
    """The place of an output that is not computed."""

    _layout = layout((), np.dtype("float32"))


_NOWHERE = _Nowhere()
_NO_ENTRY: Entry = (Node(None), 0)


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
                value = library("sum_to")(value, own.shape)
            if value.dtype != own.dtype:
                value = library("astype")(value, own.dtype)
            sums.add(entry, value)


def _floats(own: Any) -> bool:
    return own is not None and own.dtype.kind in "fV"


# operators over whole arrays --------------------------------------------------------------------


def _array_step(node: Record, gradients: Sequence[Any], wanted: Sequence[bool], sums: Sums) -> None:
    op = node.op
    if op.rule is None:
        raise DerivativeError(
            f"{op.__name__}: it has no gradient; use ng.stop_gradient where none should flow, or "
            "give one with ng.autograd.Function"
        )
    saved = iter(_values(node, create_graph=sums.create_graph))
    inputs: list[Any] = [None] * len(node.inputs)
    for i in node.rule.reads_inputs(len(inputs)):
        inputs[i] = next(saved)
    outputs: list[Any] = [None] * len(node.outputs)
    for i in node.rule.reads_outputs(len(outputs)):
        outputs[i] = next(saved)
    specs = [Spec(own.shape, own.dtype) if own is not None else _NUMBER for own in node.layouts]
    asked = [w and _floats(own) for w, own in zip(wanted, node.layouts, strict=True)]
    if not any(asked):
        return
    rule = Gradients(op, node.attributes, gradients, inputs, outputs, specs, asked)
    found = op.rule(rule)
    for entry, value, use, own in zip(node.inputs, found, asked, node.layouts, strict=True):
        if use and value is not None:
            assert entry is not None
            made = value if value.dtype == own.dtype else library("astype")(value, own.dtype)
            sums.add(entry, made, owned=_unshared(made, found, gradients, node))


_NUMBER = Spec((), np.dtype("float64"))


def _unshared(value: Any, found: Sequence[Any], gradients: Sequence[Any], node: Record) -> bool:
    """Whether a gradient that a rule gave is an array that nobody else has."""
    if value._holder is not None or any(value is g for g in gradients):
        return False
    if sum(value is other for other in found) > 1:
        return False
    return not any(value is saved for saved, _ in node.saved or ())
