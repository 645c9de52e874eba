"""How gradients flow through an operator, and which of its values that needs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from nbgraph.array.layout import Layout
from nbgraph.array.route import Routes
from nbgraph.errors import DerivativeError
from nbgraph.graph.node import Entry
from nbgraph.operator.array_op import ArrayOp
from nbgraph.operator.backward import backward
from nbgraph.operator.mapper import Mapper


class Rule:
    """What a node on the tape keeps: indices of operands and outputs."""

    __slots__ = ()

    def reads_inputs(self, count: int) -> Sequence[int]:
        """Operands that the gradient reads, of so many."""
        raise AssertionError

    def reads_outputs(self, count: int) -> Sequence[int]:
        """Outputs that the gradient reads."""
        raise AssertionError

    def reads_as_they_are(self) -> Sequence[int]:
        """Operands of which it reads the values that there are then: states."""
        return ()


class MapRule(Rule):
    """Of a scalar operator: one operator gives all in-gradients that are asked for in one pass."""

    __slots__ = ("inputs", "outputs", "order", "problem", "reverse", "routes", "wrt")

    def __init__(self, op: Mapper, wrt: Sequence[int]) -> None:
        self.wrt = wrt  # the operands, in the order of what `reverse` gives
        self.problem: DerivativeError | None = None
        # of `reverse`, where all its results are new arrays of these layouts; by operands
        self.routes: dict[Any, tuple[Routes, Sequence[Layout]]] = {}
        self.inputs: tuple[int, ...] = ()
        self.outputs: tuple[int, ...] = ()
        self.order: list[int] = []  # operand of `reverse` -> index in what is saved
        own = op.scalar.operands
        asked = None if len(wrt) == len(own) else tuple(own[i] for i in wrt)
        try:
            self.reverse = backward(op, asked)
        except DerivativeError as problem:  # told when it is needed
            self.problem = problem
            return
        names = self.reverse.scalar.operands[op.nout :]
        outs = {f"out{i}": i for i in range(op.nout)} if op.nout > 1 else {"out": 0}
        # an operand called "out" comes first: then the gradient is written with operands alone
        self.inputs = tuple(own.index(n) for n in names if n in own)
        self.outputs = tuple(outs[n] for n in names if n not in own)
        at_input, at_output = iter(range(len(self.inputs))), iter(range(len(self.outputs)))
        self.order = [
            next(at_input) if n in own else len(self.inputs) + next(at_output) for n in names
        ]

    def reads_inputs(self, count: int) -> Sequence[int]:
        """See Rule."""
        return self.inputs

    def reads_outputs(self, count: int) -> Sequence[int]:
        """See Rule."""
        return self.outputs


class ArrayRule(Rule):
    """Of an operator over whole arrays: a function written with operators."""

    __slots__ = ("op",)

    def __init__(self, op: ArrayOp) -> None:
        self.op = op

    def reads_inputs(self, count: int) -> Sequence[int]:
        """See Rule."""
        if not self.op.keeps:
            return ()
        return [i for i in range(count) if self.op.keeps_input(i)]

    def reads_outputs(self, count: int) -> Sequence[int]:
        """See Rule."""
        if not self.op.keeps:
            return ()
        return [i for i in range(count) if self.op.keeps_output(i)]

    def reads_as_they_are(self) -> Sequence[int]:
        """See Rule."""
        return self.op.states(is_train=True)


_ALL = ("rule",)  # the gradients of all operands


def rule_of(op: Any, inputs: Sequence[Entry | None]) -> Any:
    """The rule of an operator for gradients of the operands that have an entry; worked out once."""
    if isinstance(op, Mapper):
        key = _ALL if None not in inputs else ("rule", *[entry is not None for entry in inputs])
        found = op.carried.get(key)
        if found is None:
            wrt = [i for i, entry in enumerate(inputs) if entry is not None]
            found = op.carried[key] = MapRule(op, wrt)
        return found
    if isinstance(op, Rule):
        return op
    found = getattr(op, "tape_rule", None)
    if found is None:
        found = op.tape_rule = ArrayRule(op)
    return found
