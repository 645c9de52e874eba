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


class Saved:
    """A value that a gradient reads, as it was when it was recorded."""

    __slots__ = ("array", "writes")

    def __init__(self, array: Any) -> None:
        self.array = array
        self.writes = array._chunk.writes

    def get(self, op: Any) -> Any:
        """The value; TapeError where it has been overwritten."""
        if self.array._chunk.writes != self.writes:
            raise TapeError(
                f"backward of {op.__name__}: an array of shape {self.array.shape} that the "
                "gradient reads was written in place after it was recorded; write to a copy, or "
                "compute y = y + 1 instead of y += 1"
            )
        return self.array


class Record(Node):
    """A recorded operator."""

    __slots__ = ("layouts", "outputs", "rule", "saved")

    rule: Rule
    saved: Sequence[Any] | None  # in the rule's order; None: freed
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
        tracked = False
        for value in operands:
            node = getattr(value, "_node", None)
            if node is None:
                inputs.append(None)
                continue
            if value._stamp != value._chunk.writes and node.op is not None:
                raise _stale(op, value)
            inputs.append((node, value._output))
            tracked = True
        if not tracked:
            for out, written in zip(outputs, in_place, strict=True):
                if written:
                    out._chunk.writes += 1
                    out._node = None
            return
        rule = rule_of(op)
        node = Record(op, tuple(inputs), attributes)
        node.rule = rule
        node.layouts = tuple([getattr(v, "_layout", None) for v in operands])
        node.outputs = tuple([o._layout for o in outputs])
        saved = [
            Saved(v) if isinstance(v, Array) else v
            for v in [operands[i] for i in rule.reads_inputs(len(operands))]
        ]
        for out, written in zip(outputs, in_place, strict=True):
            if written:
                out._chunk.writes += 1
        for i in rule.reads_outputs(len(outputs)):
            out = outputs[i]
            saved.append(Saved(make(out._chunk, out._address, out._layout, shared(out))))
        node.saved = saved
        for i, out in enumerate(outputs):
            if out._layout.dtype.kind in "fV":
                out._node, out._output, out._stamp = node, i, out._chunk.writes

    def check_write(self, name: str, out: Any) -> None:
        """A variable keeps its value while it is recorded: its gradient is that of one value."""
        if out._chunk.leafs:
            raise TapeError(
                f"{name}: an array with attach_grad was to be written in place while recording; "
                "write within ng.autograd.pause(), or compute a new array"
            )


TAPE = Tape()


def _stale(op: Any, value: Any) -> TapeError:
    return TapeError(
        f"{op.__name__}: an operand of shape {value.shape} was written in place through another "
        "view after it was recorded, so its gradient is not known; write to a copy, or use the "
        "array that was written"
    )
