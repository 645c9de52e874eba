"""How gradients flow through an operator's node: kernels of partials, or the operator's rule."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from nbgraph.array import carry, whole
from nbgraph.array.core import Array
from nbgraph.array.push import WEAK, same
from nbgraph.errors import DerivativeError
from nbgraph.nodes.nodeop import NodeOp
from nbgraph.nodes.steps import accumulate
from nbgraph.operator.array_op import Gradients, Spec
from nbgraph.operator.backward import backward
from nbgraph.operator.mapper import Mapper
from nbgraph.ops.elementwise.casting import astype


class MapPartials:
    """Of a scalar operator: for each operand an operator that gives its in-gradient."""

    __slots__ = ("_found", "op")

    def __init__(self, op: Mapper) -> None:
        self.op = op
        self._found: dict[int, tuple[Mapper, list[str]]] = {}

    def of(self, index: int) -> tuple[Mapper, list[str]]:
        """The operator for an operand, and the names of what it reads besides out-gradients."""
        found = self._found.get(index)
        if found is None:
            reverse = backward(self.op, (self.op.scalar.operands[index],))
            names = list(reverse.scalar.operands[self.op.nout :])
            found = self._found[index] = reverse, names
        return found

    def _reads(self, node: Any, names: Sequence[str]) -> list[Any]:
        """Out-gradients, then what the operator reads, by name."""
        own, nout = self.op.scalar.operands, self.op.nout
        reads: list[Any] = [node.adj if i == node.output else 0.0 for i in range(nout)]
        for name in names:
            if name in own:
                value = node.operands[own.index(name)]
                reads.append(value if type(value) in WEAK else value.val)
            elif nout == 1 or name == f"out{node.output}":
                reads.append(node.val)
            else:  # a gradient given by hand that reads another output
                found = carry.apply(self.op, node.values(), node.attributes)
                reads.append(found[int(name.removeprefix("out"))])
        return reads

    def node_ops(self, node: Any) -> list[NodeOp | None]:
        """See OpNode.backward_ops."""
        jobs: list[NodeOp | None] = []
        for index, child in enumerate(node.operands):
            if type(child) in WEAK:
                continue
            if not child.trainable:
                jobs.append(None)
                continue
            reverse, names = self.of(index)
            ins = tuple(self._reads(node, names))
            job = NodeOp("add", reverse, child.grad, ins, request="add", parameters=node.attributes)
            jobs.append(job)
        return jobs

    def run(self, node: Any) -> None:
        """The same, quickly."""
        for index, child in enumerate(node.operands):
            if type(child) in WEAK or not child.trainable:
                continue
            reverse, names = self.of(index)
            reads = self._reads(node, names)
            if child._adj is None and child._layout is node._layout:
                child._adj = carry.apply(reverse, reads, node.attributes)
                continue
            job = NodeOp(
                "add",
                reverse,
                child.grad,
                tuple(reads),
                request="add",
                parameters=node.attributes,
            )
            accumulate(child, job)


class RulePartials:
    """Of an operator over whole arrays: its rule, which gives all in-gradients."""

    __slots__ = ("op",)

    def __init__(self, op: Any) -> None:
        self.op = op

    def gradients(self, node: Any) -> Sequence[Any]:
        """What the rule gives, in operand order; worked out once a pass."""
        if node.shared is None:
            node.shared = self._by_rule(node)
        return node.shared

    def _by_rule(self, node: Any) -> Sequence[Any]:
        op = self.op
        if op.rule is None:
            raise DerivativeError(
                f"{op.__name__}: it has no gradient; use ng.stop_gradient where none should flow"
            )
        values = node.values()
        outputs: list[Any] = [None] * op.nout
        if any(op.keeps_output(i) for i in range(op.nout)):
            outputs[node.output] = node.val
            if node.application is not None:
                outputs = list(node.application.outputs)
            elif op.nout > 1:
                outputs = list(whole.apply(op, values, node.attributes))
        out_grads: list[Any] = [None] * op.nout
        out_grads[node.output] = node.adj
        inputs = [v if op.keeps_input(i) else None for i, v in enumerate(values)]
        specs = [Spec(v.shape, v.dtype) for v in node.operands]
        wanted = [v.trainable for v in node.operands]
        return op.rule(Gradients(op, node.attributes, out_grads, inputs, outputs, specs, wanted))

    def node_ops(self, node: Any) -> list[NodeOp | None]:
        """See OpNode.backward_ops."""
        found = self.gradients(node)
        return [
            None if value is None or not child.trainable else _adding(child, value)
            for child, value in zip(node.operands, found, strict=True)
        ]

    def run(self, node: Any) -> None:
        """The same; a new array that the rule made becomes the gradient itself."""
        found = self.gradients(node)
        for child, value in zip(node.operands, found, strict=True):
            if value is None or not child.trainable:
                continue
            made = value if value.dtype == child.dtype else astype(value, child.dtype)
            if child._adj is None and self._own(node, made, found):
                child._adj = made
            else:
                accumulate(child, _adding(child, made))

    def _own(self, node: Any, value: Any, found: Sequence[Any]) -> bool:
        """Whether an array that the rule gave is nobody else's, and row-major."""
        if value._holder is not None or value is node._adj or value is node._val:
            return False
        if sum(value is other for other in found) > 1 or not value._layout.contiguous:
            return False
        return not any(value is child._val for child in node.children)


def _adding(child: Any, value: Array) -> NodeOp:
    return NodeOp("add", same, child.grad, (value,), request="add")


def partials_of(op: Any) -> Any:
    """How gradients flow through an operator; worked out once."""
    found = op.carried.get("node partials")
    if found is None or (isinstance(op, Mapper) and op.refresh_needed()):
        made = MapPartials(op) if isinstance(op, Mapper) else RulePartials(op)
        found = op.carried["node partials"] = made
    return found
