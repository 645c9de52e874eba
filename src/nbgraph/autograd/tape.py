"""The tape: a graph of nodes, one for each recorded operator with a differentiable operand.

A node keeps the values that its gradient reads, each with the number of writes its memory had
seen: a value that was overwritten since is noticed, never used. A leaf stands for an array that
gradients are collected for. Outputs are kept as views of their own, as a node that held the array
that holds the node would never be freed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from nbgraph.array.chunk import shared
from nbgraph.array.core import Array, make
from nbgraph.autograd.rules import Rule, rule_of
from nbgraph.errors import NbgraphError
from nbgraph.graph.node import Entry, Node


class TapeError(NbgraphError, RuntimeError):
    """What a backward pass needs was overwritten or freed, or was never recorded."""


class Leaf(Node):
    """An array that gradients are collected for, and its gradient."""

    __slots__ = ("collected", "layout", "request")

    def __init__(self, request: str, layout: Any) -> None:
        super().__init__(None)
        self.request = request  # "write", "add" or "null"
        self.layout = layout
        self.collected: Any = None

    @property
    def grad(self) -> Any:
        """The gradient; zeros before the first backward pass, None for "null"."""
        if self.collected is None and self.request != "null":
            from nbgraph.autograd.buffers import zeros_of

            self.collected = zeros_of(self.layout)
        return self.collected


def kept(op: Any, array: Any, writes: int) -> Any:
    """A value that was saved when its memory had seen so many writes; TapeError after another."""
    if array._chunk.writes != writes:
        raise TapeError(
            f"backward of {op.__name__}: an array of shape {array.shape} that the gradient reads "
            "was written in place after it was recorded; write to a copy, or compute y = y + 1 "
            "instead of y += 1"
        )
    return array


class Record(Node):
    """A recorded operator."""

    __slots__ = ("layouts", "outputs", "rule", "saved")

    rule: Rule
    saved: Sequence[tuple[Any, int | None]] | None  # in the rule's order; None: freed
    layouts: Sequence[Any]  # of the operands, None for numbers
    outputs: Sequence[Any]  # layouts


class Tape:
    """What carriers tell of operators; see `nbgraph.operator.call.Recorder`."""

    __slots__ = ()

    def record(
        self,
        op: Any,
        operands: Sequence[Any],
        attributes: Mapping[str, Any],
        outputs: Sequence[Any],
        in_place: Sequence[bool],
    ) -> None:
        """Make the node, if gradients can flow through it."""
        inputs: list[Entry | None] = []
        layouts: list[Any] = []
        tracked = False
        for value in operands:
            if not isinstance(value, Array):
                inputs.append(None)
                layouts.append(None)
                continue
            layouts.append(value._layout)
            node = value._node
            if node is None:
                if value._holder is not None and value._holder.recorded > value._stamp:
                    raise _stale(op, value)
                inputs.append(None)
                continue
            if node.op is not None and value._stamp != value._chunk.writes:
                raise _stale(op, value)
            inputs.append((node, value._output))
            tracked = True
        written = [out for out, own in zip(outputs, in_place, strict=False) if own]
        current = [(out, views.current(out)) for out in written] if written else []
        if tracked and not rules.cuts(op):
            enter(Record(op, inputs, attributes), layouts, operands, outputs, in_place)
        else:
            for out in written:
                out._chunk.writes += 1
                out._node, out._stamp = None, out._chunk.writes
        for out, before in current:
            views.written(out, before)
        views.note(op, operands, attributes, outputs, in_place)

    def check_write(self, name: str, out: Any) -> None:
        """A variable keeps its value while it is recorded: its gradient is that of one value."""
        holder = out._holder
        if holder is not None and any(ref() is not None for ref in holder.variables):
            raise TapeError(
                f"{name}: an array that gradients are collected for (attach_grad, or an argument "
                "that ng.grad differentiates) was to be written in place while recording; write "
                "within ng.autograd.pause(), or compute a new array"
            )


TAPE = Tape()


def _enter(
    node: Record,
    layouts: Sequence[Any],
    operands: Sequence[Any],
    outputs: Sequence[Any],
    in_place: Sequence[bool],
) -> None:
    """Give a node what its gradient needs, and the outputs their places."""
    node.rule = rule = rule_of(node.op)
    node.layouts = layouts
    node.outputs = [o._layout for o in outputs]
    saved: list[Any] = []
    for i in rule.reads_inputs(len(operands)):
        value = operands[i]
        saved.append((value, value._chunk.writes) if isinstance(value, Array) else (value, None))
    for out, written in zip(outputs, in_place, strict=False):
        if written:
            out._chunk.writes += 1
    for i in rule.reads_outputs(len(outputs)):
        out = outputs[i]
        view = make(out._chunk, out._address, out._layout, shared(out))
        saved.append((view, out._chunk.writes))
    node.saved = saved
    for i, out in enumerate(outputs):
        if out._layout.dtype.kind in "fV":
            out._node, out._output, out._stamp = node, i, out._chunk.writes


def _stale(op: Any, value: Any) -> TapeError:
    return TapeError(
        f"{op.__name__}: an operand of shape {value.shape} was written in place through another "
        "view after it was recorded, so its gradient is not known; write to a copy, or use the "
        "array that was written"
    )
