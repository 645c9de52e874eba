"""Ranges whose bounds depend on values: what a loop goes over, or a name stands for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from nbgraph.kernels.capture import vectors
from nbgraph.kernels.capture.context import Call
from nbgraph.kernels.capture.intervals import Intervals
from nbgraph.kernels.capture.text import KindError
from nbgraph.kernels.capture.values import Compound, Node, Value
from nbgraph.kernels.scalar.kinds import is_boolean, is_integer

MAX_LISTED = 1024  # numbers of a range whose bounds are known


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Range(Compound):
    """`range(start, stop, step)`."""

    form, joins = "range", True

    start: Node
    stop: Node
    step: Node

    def __repr__(self) -> str:
        return "a range"

    def turned(self, call: Call) -> Range:
        """Return the same numbers backwards, of a range by 1."""
        one = call.graph.const(1)
        if self.step is not one:
            call.refuse("a range with a step is turned", "write the bounds the other way round")
        last, end = (call.graph.arithmetic("sub", at, one) for at in (self.stop, self.start))
        return Range(last, end, call.graph.const(-1))

    def length(self, call: Call) -> Value:
        """How many numbers there are."""
        return call.text(vectors.count_between, *self.parts)

    def listed(self, call: Call) -> Value:
        """Return the numbers as a list."""
        self.refuse_known(call)
        return call.text(vectors.numbers_between, *self.parts)

    @property
    def known(self) -> range | None:
        """Python's range, if all bounds are constant."""
        constant = all(node.op == "const" for node in self.parts)
        return range(*(int(node.data) for node in self.parts)) if constant else None

    @property
    def upward(self) -> bool:
        """Whether it grows; a step that is not known is positive."""
        return self.step.op != "const" or bool(self.step.data > 0)

    def refuse_known(self, call: Call) -> None:
        """Refuse to list numbers of which it is known that they are too many."""
        if self.known is not None:
            call.refuse(f"more than {MAX_LISTED} items are listed", "write a `for` loop")

    def holds(self, call: Call, value: Value) -> Node:
        """Return whether a number is one of them."""
        return call.text(vectors.is_between, value, *self.parts)


def range_of(call: Call, values: Sequence[Value]) -> Range:
    """Return the range of one, two or three bounds."""
    graph = call.graph
    nodes = [call.tracer.number_of(call, value) for value in values]
    if not all(is_integer(n.kind) or is_boolean(n.kind) for n in nodes):
        what = "range() takes integers, here it was given a floating value"
        remedy = "give the count as a keyword-only integer parameter, or use a while loop"
        call.refuse(what, remedy, KindError)
    nodes = [graph.cast(n, "i") for n in nodes]
    nodes = [graph.const(0), *nodes] if len(nodes) == 1 else nodes
    start, stop, step = (*nodes, graph.const(1))[:3]
    if step.op == "const" and step.data == 0:
        call.refuse("the step of range() is 0", "use 1, -1 or a larger step")
    if step.op != "const" and Intervals(graph, call.path).of(step)[0] <= 0:
        call.refuse("the step of range() may be negative or 0", "use a while loop")
    return Range(start, stop, step)
