"""Nodes made of operators: whatever the library or `@ng.op` has becomes a node of a graph.

Its operations are the operator's kernels, forward and backward. A pass takes the quick ways of
arrays, which give the same bits: values come from routes, and a first contribution to a gradient
is the array that the partial made.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from nbgraph.array import carry, whole
from nbgraph.array.push import WEAK
from nbgraph.graph import build
from nbgraph.nodes.node import NaryNodeOp
from nbgraph.nodes.nodeop import NodeOp
from nbgraph.nodes.partials import MapPartials, RulePartials, partials_of
from nbgraph.nodes.structure import Structure, inferred
from nbgraph.operator.mapper import Mapper

_NOTHING: Mapping[str, Any] = {}


class Application:
    """One application of an operator with several outputs, whose nodes share what a pass gives:
    what has an effect is applied once for all of them."""

    __slots__ = ("_left", "outputs")

    def __init__(self) -> None:
        self.outputs: tuple[Any, ...] = ()  # of the last pass
        self._left: set[int] = set()  # those that are yet to be taken

    def take(self, output: int, apply: Callable[[], tuple[Any, ...]]) -> Any:
        """An output; applies the operator where this one was taken before."""
        if output not in self._left:
            self.outputs = apply()
            self._left = set(range(len(self.outputs)))
        self._left.discard(output)
        return self.outputs[output]


class OpNode(NaryNodeOp):
    """An operator applied to nodes and numbers; of several outputs one.

    `structure`: what tells equal nodes, from `structure.applied`; None: equal to no other.
    `application`: of one that has an effect and several outputs.
    """

    __slots__ = ("application", "operands", "output", "shared")

    def __init__(
        self,
        op: Any,
        operands: Sequence[Any],
        attributes: Mapping[str, Any] = _NOTHING,
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
        """The operator's name."""
        return str(self.op.__name__)

    def hash(self) -> int:
        """See NaryNodeOp."""
        return id(self) if self.structure is None else hash(self.structure)

    def equal(self, other: Any) -> bool:
        """See NaryNodeOp."""
        return self is other if self.structure is None else self.structure is other.structure

    # values -------------------------------------------------------------------------------------

    def values(self) -> list[Any]:
        """Arrays and numbers in the operator's order."""
        return [v if type(v) in WEAK else v.val for v in self.operands]

    @property
    def is_view(self) -> bool:
        """Whether the value shares memory with the first child's."""
        return getattr(self.op, "view", None) is not None

    @property
    def own_nbytes(self) -> int:
        """See NaryNodeOp."""
        return 0 if self.is_view else self._layout.nbytes

    def run_forward(self) -> None:
        """Push the kernel; the value is a new array, or a view."""
        if self.application is not None:
            self._val = self.application.take(self.output, self._apply)
        else:
            found = self._apply()
            self._val = found[self.output] if isinstance(found, tuple) else found
        self.ready = True

    def _apply(self) -> Any:
        apply: Any = carry.apply if isinstance(self.op, Mapper) else whole.apply
        return apply(self.op, self.values(), self.attributes)

    def forward_ops(self) -> list[NodeOp]:
        """The operator's kernel; none where the value is a view."""
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

    def partials(self) -> MapPartials | RulePartials:
        """How gradients flow through the operator."""
        return partials_of(self.op)

    def run_backward(self) -> None:
        """Push the kernels that add to the children's gradients."""
        self.partials().run(self)
        self.shared = None

    def backward_ops(self) -> list[NodeOp | None]:
        """One kernel for each child, None where the operator has no gradient."""
        return self.partials().node_ops(self)
