"""The tape: a graph of nodes, one for each recorded operator with a differentiable operand.

A node saves the values that its gradient reads, each with its chunk's count of writes, so that a
backward pass raises for a value that was overwritten. A leaf is the node of a variable. A node
keeps outputs as separate views, as a reference cycle of node and array would not be freed.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from nbgraph.array.chunk import shared
from nbgraph.array.core import Array, make
from nbgraph.array.push import copied
from nbgraph.autograd.rules import PART_WRITTEN, Rule, rule_of
from nbgraph.errors import NbgraphError
from nbgraph.graph.node import Entry, Node
from nbgraph.operator.arrays.array_op import Attributes, constant
from nbgraph.operator.mapper import complex_call
from nbgraph.operator.mapper.mapper import Mapper


class TapeError(NbgraphError, RuntimeError):
    """An error for values of a backward pass that were overwritten or freed, or never recorded."""


class Leaf(Node):
    """The node of a variable, with its gradient."""

    __slots__ = ("collected", "device", "layout", "request")

    def __init__(self, request: str, array: Array) -> None:
        super().__init__(None)
        self.request = request  # "write", "add" or "null"
        self.layout, self.device = array._layout, array.device
        self.collected: Any = None

    @property
    def grad(self) -> Any:
        """The gradient; zeros before the first backward pass, None for "null"."""
        if self.collected is None and self.request != "null":
            from nbgraph.autograd.sums import zeros_of

            self.collected = zeros_of(self.layout, self.device)
        return self.collected


def kept(op: Any, array: Any, writes: int) -> Any:
    """Return a saved value; raise TapeError if its memory was written after it was saved."""
    if array._chunk.writes != writes:
        raise TapeError(
            f"backward of {op.__name__}: an array of shape {array.shape} that the gradient reads "
            "was written in place after it was recorded; write to a copy, or compute y = y + 1 "
            "instead of y += 1"
        )
    return array


class Record(Node):
    """A recorded operator."""

    __slots__ = ("layouts", "outputs", "rule", "saved", "untracked")

    rule: Rule
    saved: Sequence[tuple[Any, int | None]] | None  # in the rule's order; None: freed
    layouts: Sequence[Any]  # of the operands; numbers are kept as they are
    outputs: Sequence[Any]  # layouts
    # weak references to operands without an entry, and the counts of writes to their memory
    untracked: Sequence[tuple[weakref.ref[Any], int]]

    def __init__(
        self,
        op: Any,
        inputs: Sequence[Entry | None],
        attributes: Attributes,
        untracked: Sequence[tuple[weakref.ref[Any], int]] = (),
    ) -> None:
        self.op, self.inputs, self.attributes, self.name = op, inputs, attributes, None
        self.untracked = untracked


class Tape:
    """The recorder of operators that carriers call; see `nbgraph.operator.call.Recorder`."""

    __slots__ = ()

    traces = False
    records = True

    def record(
        self,
        op: Any,
        operands: Sequence[Any],
        attributes: Attributes,
        outputs: Sequence[Any],
        in_place: Sequence[bool],
    ) -> None:
        """Add a node if gradients can flow through the operator."""
        is_scalar = type(op) is Mapper
        if is_scalar and complex_call.MET in op.carried:
            op, operands, attributes = complex_call.on_tape(op, operands, attributes)
            is_scalar = type(op) is Mapper
        inputs: list[Entry | None] = []
        layouts: list[Any] = []
        untracked: Sequence[tuple[weakref.ref[Any], int]] = ()
        tracked = False
        for value in operands:
            if not isinstance(value, Array):
                inputs.append(None)
                layouts.append(value)
                continue
            layouts.append(value._layout)
            node = value._node
            known = (
                value._holder is None or value._holder.recorded <= value._stamp
                if node is None
                else node.op is None or value._stamp == value._chunk.writes
            )
            if not known:
                if not _followed(value):
                    raise stale(op.__name__, value)
                node = value._node
            if node is None:
                inputs.append(None)
                untracked = (*untracked, (_ref(value), value._chunk.writes))
                continue
            inputs.append((node, value._output))
            tracked = True
        if in_place and any(in_place):
            _overwrite(
                Record(op, inputs, attributes, untracked), layouts, operands, outputs, in_place
            )
        elif is_scalar:
            if tracked and len(outputs) == 1:
                _enter_one(op, inputs, attributes, untracked, layouts, operands, outputs[0])
            elif tracked:
                _enter(Record(op, inputs, attributes, untracked), layouts, operands, outputs)
        elif op.rule is not constant:
            if tracked:
                _enter(Record(op, inputs, attributes, untracked), layouts, operands, outputs)
            if outputs[0]._holder is not None:
                _note_view(op, operands, attributes, outputs[0])

    def check_write(self, name: str, out: Any) -> None:
        """Raise TapeError for a variable, which may not be written while recording."""
        holder = out._holder
        if holder is not None and any(ref() is not None for ref in holder.variables):
            raise TapeError(
                f"{name}: an array that gradients are collected for (attach_grad, or an argument "
                "that ng.grad differentiates) was to be written in place while recording; write "
                "within ng.autograd.pause(), or compute a new array"
            )

    def spared(self, op: Any, operands: Sequence[Any], outputs: Sequence[Any]) -> Sequence[Any]:
        """Return the operands of `y *= x` with a copy of y if the gradient reads it."""
        nodes = [getattr(value, "_node", None) for value in operands]
        reads = rule_of(op, nodes).reads_inputs(len(operands)) if any(nodes) else ()
        if not reads:
            return operands
        written = {id(out._chunk) for out in outputs if out is not None}
        over = [i for i in reads if id(getattr(operands[i], "_chunk", None)) in written]
        return [_copy(value) if i in over else value for i, value in enumerate(operands)]


TAPE = Tape()
_new = object.__new__
_ref = weakref.ref


def _enter(
    node: Record,
    layouts: Sequence[Any],
    operands: Sequence[Any],
    outputs: Sequence[Any],
    in_place: Sequence[bool] = (),
) -> None:
    """Save the values that a node's gradient reads, and set the outputs' nodes."""
    node.rule = rule = rule_of(node.op, node.inputs)
    node.layouts = layouts
    node.outputs = [o._layout for o in outputs]
    saved: list[Any] = []
    now = rule.reads_as_they_are()
    for i in rule.reads_inputs(len(operands)):
        value = operands[i]
        if not isinstance(value, Array) or i in now:
            saved.append((value, None))
        else:
            own = value
            if in_place and any(value is out for out in outputs):
                own = bare(value)  # avoids a reference cycle of array and node
            saved.append((own, value._chunk.writes))
    for out, written in zip(outputs, in_place, strict=False):
        if written:
            out._chunk.writes += 1
    for i in rule.reads_outputs(len(outputs)):
        saved.append((bare(outputs[i]), outputs[i]._chunk.writes))
    node.saved = saved
    for i, out in enumerate(outputs):
        if out._layout.floating:
            out._node, out._output, out._stamp = node, i, out._chunk.writes


def _enter_one(
    op: Mapper,
    inputs: Sequence[Entry | None],
    attributes: Attributes,
    untracked: Sequence[tuple[weakref.ref[Any], int]],
    layouts: Sequence[Any],
    operands: Sequence[Any],
    out: Any,
) -> None:
    """Do the same for a scalar operator with one new output, the most frequent case."""
    node = _new(Record)
    node.op, node.inputs, node.attributes, node.name = op, inputs, attributes, None
    node.untracked = untracked
    node.rule = rule = rule_of(op, inputs)
    own = out._layout
    node.layouts, node.outputs = layouts, (own,)
    saved: list[Any] = []
    for i in rule.inputs:
        value = operands[i]
        saved.append((value, value._chunk.writes) if isinstance(value, Array) else (value, None))
    if rule.outputs:
        saved.append((bare(out), out._chunk.writes))
    node.saved = saved
    if own.floating:
        out._node, out._output, out._stamp = node, 0, out._chunk.writes


def _copy(array: Array) -> Any:
    """Return a copy of the values with the array's node, if that is current."""
    if not _current(array) and not _followed(array):
        return array
    other = copied(array)
    if (node := array._node) is not None:
        other._node, other._output, other._stamp = node, array._output, other._chunk.writes
    return other


def bare(array: Array) -> Any:
    """Return an array with the same memory and no node."""
    return make(array._chunk, array._address, array._layout, shared(array))


# writes in place --------------------------------------------------------------------------------


def _overwrite(
    node: Record,
    layouts: Sequence[Any],
    operands: Sequence[Any],
    outputs: Sequence[Any],
    in_place: Sequence[bool],
) -> None:
    """Record an operator that wrote arrays in place, and update the bases of these views."""
    targets = [out for out, written in zip(outputs, in_place, strict=True) if written]
    chains = [_bases(out) for out in targets]
    if any(entry is not None for entry in node.inputs):
        _enter(node, layouts, operands, outputs, in_place)
    else:
        for out in targets:
            out._chunk.writes += 1
            out._node, out._stamp = None, out._chunk.writes
    for out, chain in zip(targets, chains, strict=True):
        for view, base, op, attributes in chain:
            _rewrite(base, view, op, attributes)
        if out._node is not None and out._holder is not None:
            out._holder.recorded = out._chunk.writes


class _Link(NamedTuple):
    """The base of a view: a reference to the array, and its node when the view was created, for a
    base that is deleted before the view is written (`y.T[0] += 1`)."""

    # a weak reference avoids a cycle through a node that saves the view
    base: Callable[[], Any]
    op: Any
    attributes: Attributes
    address: int
    layout: Any
    node: Any
    output: int
    stamp: int
    link: _Link | None  # the base's own

    def array(self, view: Array) -> Any:
        """Return the base, or an array with its node and layout."""
        base = self.base()
        if base is None:
            base = make(view._chunk, self.address, self.layout, shared(view))
            base._node, base._output, base._stamp = self.node, self.output, self.stamp
            base._base = self.link
            view._base = self._replace(base=lambda: base)
        return base


def _note_view(op: Any, operands: Sequence[Any], attributes: Attributes, view: Array) -> None:
    """Remember the base of a view, in case the view is written."""
    base = operands[0]
    if op.view is not None and base._chunk is view._chunk and view is not base:
        view._base = _Link(
            weakref.ref(base),
            op,
            attributes,
            base._address,
            base._layout,
            base._node,
            0 if base._node is None else base._output,
            base._stamp,
            getattr(base, "_base", None),
        )


def _bases(array: Array) -> list[tuple[Any, Any, Any, Any]]:
    """Return the chain of an array's bases as tuples (view, base, operator, attributes), up to the
    first base whose node is not current."""
    chain: list[tuple[Any, Any, Any, Any]] = []
    while True:
        link: _Link | None = getattr(array, "_base", None)
        if link is None:
            return chain
        base = link.array(array)
        if not _current(base):
            return chain
        chain.append((array, base, link.op, link.attributes))
        array = base


def _current(array: Array) -> bool:
    """Return whether an array's node matches the values in its memory."""
    if array._node is None:
        return array._holder is None or array._holder.recorded <= array._stamp
    return array._node.op is not None and array._stamp == array._chunk.writes


def _rewrite(base: Array, view: Array, op: Any, attributes: Attributes) -> None:
    """Record the new value of `base` after its part `view` was written."""
    if base._node is None and view._node is None:
        base._stamp = base._chunk.writes
        return
    before = None if base._node is None else (base._node, base._output)
    after = None if view._node is None else (view._node, view._output)
    plain = [v for v in (base, view) if v._node is None]
    node = Record(
        PART_WRITTEN,
        [before, after],
        {"view": op, "attributes": attributes},
        [(_ref(v), v._chunk.writes) for v in plain],
    )
    _enter(node, [base._layout, view._layout], [base, view], [base])


def _followed(view: Array) -> bool:
    """Record a view again after a write to its base; return whether the base is known."""
    link: _Link | None = getattr(view, "_base", None)
    if link is None:
        return False
    base = link.array(view)
    if not _current(base) and not _followed(base):
        return False
    view._node, view._stamp = None, view._chunk.writes
    if base._node is not None:
        node = Record(link.op, [(base._node, base._output)], link.attributes)
        _enter(node, [base._layout], [base], [view])
    return True


def stale(name: str, value: Any) -> TapeError:
    """Return the error for an operand whose memory was written outside the recording."""
    return TapeError(
        f"{name}: the memory of an operand of shape {value.shape} was written in place, "
        "through another view or while nothing was recorded, so its gradient is not known; use "
        "the array that was written, or write to a copy"
    )
