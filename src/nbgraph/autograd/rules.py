"""Rules for the flow of gradients through an operator, and the values that these need."""

import itertools
from collections.abc import Sequence
from typing import Any

from nbgraph.array.route import Routes
from nbgraph.graph.node import Entry, Node
from nbgraph.operator.arrays.array_op import ArrayOp, Gradients
from nbgraph.operator.backward import MapVjp
from nbgraph.operator.layout import Layouts
from nbgraph.operator.mapper.mapper import Mapper
from nbgraph.ops.define import library


class Rule:
    """The values that a node on the tape saves: indices of operands and outputs."""

    __slots__ = ()

    def reads_inputs(self, count: int) -> Sequence[int]:
        """Return the operands that the gradient reads, of so many."""
        raise AssertionError

    def reads_outputs(self, count: int) -> Sequence[int]:
        """Return the outputs that the gradient reads."""
        raise AssertionError

    def reads_as_they_are(self) -> Sequence[int]:
        """Return the operands whose values it reads at the time of the backward pass: states."""
        return ()


class MapRule(MapVjp, Rule):
    """Of a scalar operator: one operator gives all in-gradients that are asked for in one pass."""

    __slots__ = ("inputs", "order", "outputs", "routes")

    def __init__(self, op: Mapper, wrt: Sequence[int]) -> None:
        super().__init__(op, wrt)
        # of `reverse`, where all its results are new arrays of these layouts; by operands
        self.routes: dict[Any, tuple[Routes, Layouts]] = {}
        self.inputs = tuple([i for sort, i in self.reads if sort == "in"])
        self.outputs = tuple([k for sort, k in self.reads if sort == "out"])
        at = {"in": itertools.count(), "out": itertools.count(len(self.inputs))}
        self.order = [next(at[sort]) for sort, _ in self.reads]  # of `reads` in what is saved

    def reads_inputs(self, count: int) -> Sequence[int]:
        return self.inputs

    def reads_outputs(self, count: int) -> Sequence[int]:
        return self.outputs


class ArrayRule(Rule):
    """Of an operator over whole arrays: a function written with operators. `wanted`: of a crossed
    one, whether each operand has a gradient."""

    __slots__ = ("_inputs", "_outputs", "op", "wanted")

    def __init__(self, op: ArrayOp, wanted: Sequence[bool] = ()) -> None:
        self.op, self.wanted = op, wanted
        self._inputs: dict[int, Sequence[int]] = {}  # by how many there are
        self._outputs: dict[int, Sequence[int]] = {}

    def reads_inputs(self, count: int) -> Sequence[int]:
        reads = self._inputs.get(count)
        if reads is None:
            keeps = self.op.keeps_input
            reads = [i for i in range(count) if self.op.keeps and keeps(i)]
            if self.wanted:
                reads = [i for i in reads if any((*self.wanted[:i], *self.wanted[i + 1 :]))]
            self._inputs[count] = reads
        return reads

    def reads_outputs(self, count: int) -> Sequence[int]:
        reads = self._outputs.get(count)
        if reads is None:
            keeps = self.op.keeps_output
            reads = [k for k in range(count) if self.op.keeps and keeps(k)]
            self._outputs[count] = reads
        return reads

    def reads_as_they_are(self) -> Sequence[int]:
        return self.op.states(is_train=True)


_ALL = ("rule",)  # the gradients of all operands


def rule_of(op: Any, inputs: Sequence[Entry | Node | None]) -> Any:
    """Return the rule of an operator for gradients of operands with an entry; computed once."""
    if isinstance(op, Mapper):
        key = _ALL if None not in inputs else ("rule", *[entry is not None for entry in inputs])
        rule = op.carried.get(key)
        if rule is None:
            wrt = [i for i, entry in enumerate(inputs) if entry is not None]
            rule = op.carried[key] = MapRule(op, wrt)
        return rule
    if isinstance(op, Rule):
        return op
    if op.crossed and None in inputs:
        wanted = tuple([entry is not None for entry in inputs])
        rule = op.carried.get(("rule", wanted))
        if rule is None:
            rule = op.carried["rule", wanted] = ArrayRule(op, wanted)
        return rule
    rule = getattr(op, "tape_rule", None)
    if rule is None:
        rule = op.tape_rule = ArrayRule(op)
    return rule


def _part_written(g: Gradients) -> Sequence[Any]:
    """Return the gradients of the base before the write, zero in the part, and of the part."""
    view, attributes = g.attributes["view"], g.attributes["attributes"]
    rest = None
    if g.wanted[0]:
        rest = library.copy(g.out_grad)
        view(rest, **attributes)[...] = 0.0
    return [rest, view(g.out_grad, **attributes) if g.wanted[1] else None]


PART_WRITTEN = ArrayOp(
    "write to a view",
    lambda base, part, **_: base,
    gradient=_part_written,
    operands=("base", "part"),
)
