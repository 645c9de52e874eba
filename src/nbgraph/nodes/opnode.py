"""Nodes of operators: each operator of the library and of `@ng.op` can be a node of a graph.

Its operations are the operator's kernels, forward and backward. A pass takes the fast paths of
arrays, which give the same bits: values come from routes, and the first contribution to a gradient
becomes the gradient itself.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from nbgraph.array import apply_array_op, apply_scalar_op
from nbgraph.array.push import WEAK, same
from nbgraph.graph import build
from nbgraph.nodes.node import NaryNodeOp
from nbgraph.nodes.nodeop import NodeOp
from nbgraph.nodes.passes import accumulate
from nbgraph.nodes.structure import Structure, inferred
from nbgraph.operator.arrays.array_op import Attributes, Gradients, Spec
from nbgraph.operator.backward import map_vjp, rule_vjp
from nbgraph.operator.mapper.mapper import Mapper
from nbgraph.ops.elementwise.casting import astype

_NOTHING: Mapping[str, Any] = {}


class Application:
    """One application of an operator with an effect and several outputs, whose nodes share its
    results: a pass applies it once for all of them."""

    __slots__ = ("_pending", "outputs")

    def __init__(self) -> None:
        self.outputs: tuple[Any, ...] = ()  # those of the last pass
        self._pending: set[int] = set()  # outputs that no node has taken yet

    def take(self, output: int, apply: Callable[[], tuple[Any, ...]]) -> Any:
        """Return an output; apply the operator again where this output was taken before."""
        if output not in self._pending:
            self.outputs = apply()
            self._pending = set(range(len(self.outputs)))
        self._pending.discard(output)
        return self.outputs[output]


class OpNode(NaryNodeOp):
    """An operator applied to nodes and numbers; of several outputs one.

    `structure`: one object for equal nodes, from `structure.applied`; None: it equals no other.
    `application`: of an operator that has an effect and several outputs.
    """

    __slots__ = ("application", "operands", "output", "shared")

    def __init__(
        self,
        op: Any,
        operands: Sequence[Any],
        attributes: Attributes = _NOTHING,
        output: int = 0,
        structure: Structure | None = None,
        application: Application | None = None,
    ) -> None:
        self._begin(tuple([v for v in operands if type(v) not in WEAK]), dict(attributes))
        self.op, self.operands, self.output = op, operands, output
        self.application = application
        self.shared: Any = None
        self.structure = structure
        if structure is None:  # an effect, or an attribute that is not hashable
            self._settle(inferred(op, operands, attributes)[output])
            if build.has_effect(op):
                self.memoise = 0  # random numbers are drawn anew
            return
        self._layout = structure._layout
        self.trainable, self.memoise = structure.trainable, structure.memoise

    def type(self) -> str:
        return str(self.op.__name__)

    def hash(self) -> int:
        return id(self) if self.structure is None else hash(self.structure)

    def equal(self, other: Any) -> bool:
        return self is other if self.structure is None else self.structure is other.structure

    # values -------------------------------------------------------------------------------------

    def values(self) -> list[Any]:
        """Return arrays and numbers in the operator's order."""
        return [v if type(v) in WEAK else v.val for v in self.operands]

    @property
    def is_view(self) -> bool:
        """Whether the value shares memory with the first child's."""
        return getattr(self.op, "view", None) is not None

    @property
    def own_nbytes(self) -> int:
        return 0 if self.is_view else self._layout.nbytes

    def run_forward(self) -> None:
        """Push the kernel; the value is a new array, or a view."""
        if self.application is not None:
            self._val = self.application.take(self.output, self._apply)
        else:
            outputs = self._apply()
            self._val = outputs[self.output] if isinstance(outputs, tuple) else outputs
        self.ready = True

    def _apply(self) -> Any:
        apply: Any = apply_scalar_op.apply if isinstance(self.op, Mapper) else apply_array_op.apply
        return apply(self.op, self.values(), self.attributes)

    def forward_ops(self) -> list[NodeOp]:
        """Return the operator's kernel; none where the value is a view."""
        if self.is_view:
            return []
        kind = "apply" if self.op.nout > 1 or not isinstance(self.op, Mapper) else "element"
        return [
            NodeOp(
                kind,
                self.op,
                self.val,
                tuple(self.values()),
                parameters=self.attributes,
                options={"output": self.output},
            )
        ]

    # gradients ----------------------------------------------------------------------------------

    def run_backward(self) -> None:
        """Push the kernels that add to the children's gradients, or compute new ones."""
        if isinstance(self.op, Mapper):
            for index, child in enumerate(self.operands):
                if type(child) in WEAK or not child.trainable:
                    continue
                if child._adj is None and child._layout is self._layout:
                    reverse, reads = _slope(self, index)
                    child._adj = apply_scalar_op.apply(reverse, reads, self.attributes)
                else:
                    accumulate(child, _slope_op(self, index, child))
            return
        gradients = _by_rule(self)
        self.shared = None
        for child, value in zip(self.operands, gradients, strict=True):
            if value is None or not child.trainable:
                continue
            gradient = value if value.dtype == child.dtype else astype(value, child.dtype)
            if child._adj is None and _is_unshared(self, gradient, gradients):
                child._adj = gradient
            else:
                accumulate(child, _value_op(child, gradient))

    def backward_ops(self) -> list[NodeOp | None]:
        """Return one kernel for each child, None where the operator has no gradient."""
        if isinstance(self.op, Mapper):
            children = [(i, c) for i, c in enumerate(self.operands) if type(c) not in WEAK]
            return [_slope_op(self, i, c) if c.trainable else None for i, c in children]
        return [
            None if value is None or not child.trainable else _value_op(child, value)
            for child, value in zip(self.operands, _by_rule(self), strict=True)
        ]


# scalar operators -------------------------------------------------------------------------------


def _slope(node: Any, index: int) -> tuple[Mapper, list[Any]]:
    """Return the operator that computes the gradient of one operand, and its arguments."""
    vjp = map_vjp(node.op, (index,))
    vjp.require()
    reads: list[Any] = [node.adj if k == node.output else 0.0 for k in range(node.op.nout)]
    for sort, i in vjp.reads:
        if sort == "in":
            value = node.operands[i]
            reads.append(value if type(value) in WEAK else value.val)
        elif i == node.output:
            reads.append(node.val)
        else:  # a gradient given by hand that reads another output
            reads.append(apply_scalar_op.apply(node.op, node.values(), node.attributes)[i])
    return vjp.reverse, reads


def _slope_op(node: Any, index: int, child: Any) -> NodeOp:
    reverse, reads = _slope(node, index)
    grad, attributes = child.grad, node.attributes
    return NodeOp("add", reverse, grad, tuple(reads), request="add", parameters=attributes)


# operators over whole arrays --------------------------------------------------------------------


def _by_rule(node: Any) -> Sequence[Any]:
    """Return the gradients by the operator's rule, in operand order, computed once a pass."""
    if node.shared is None:
        op, values = node.op, node.values()
        outputs: list[Any] = [None] * op.nout
        if any(op.keeps_output(i) for i in range(op.nout)):
            outputs[node.output] = node.val
            if node.application is not None:
                outputs = list(node.application.outputs)
            elif op.nout > 1:
                outputs = list(apply_array_op.apply(op, values, node.attributes))
        out_grads: list[Any] = [None] * op.nout
        out_grads[node.output] = node.adj
        inputs = [v if op.keeps_input(i) else None for i, v in enumerate(values)]
        specs = [Spec(v.shape, v.dtype) for v in node.operands]
        trainable = [v.trainable for v in node.operands]
        request = Gradients(op, node.attributes, out_grads, inputs, outputs, specs, trainable)
        node.shared = rule_vjp(request)
    return node.shared


def _is_unshared(node: Any, value: Any, gradients: Sequence[Any]) -> bool:
    """Return whether an array that the rule returned has no other user, and is row-major."""
    if value._holder is not None or value is node._adj or value is node._val:
        return False
    if sum(value is other for other in gradients) > 1 or not value._layout.contiguous:
        return False
    return not any(value is child._val for child in node.children)


def _value_op(child: Any, value: Any) -> NodeOp:
    return NodeOp("add", same, child.grad, (value,), request="add")
