"""Nodes of the user's functions of NumPy views."""

from collections.abc import Callable, Sequence
from typing import Any

from nbgraph.array.push import same
from nbgraph.errors import ArgumentError
from nbgraph.nodes.node import NaryNodeOp, UnaryNodeOp
from nbgraph.nodes.nodeop import NodeOp
from nbgraph.nodes.tensors import add


class LambdaNodeOp(NaryNodeOp):
    """A value computed by functions of NumPy views: `forward(out, *values)`, and for each child
    `backward[i](grad, adj, out, *values)` or None."""

    def __init__(
        self,
        children: Sequence[Any],
        forward: Callable[..., None],
        backward: Sequence[Callable[..., None] | None] | None = None,
        shape: Any = None,
        dtype: Any = None,
    ) -> None:
        self.functions = forward, None if backward is None else tuple(backward)
        super().__init__(children, shape, dtype)
        if backward is None:
            self.trainable = False
        elif len(backward) != len(children):
            raise ArgumentError(
                f"lambda_: {len(children)} child(ren), {len(backward)} backward function(s); give "
                "one for each, None where no gradient flows"
            )

    def hash(self) -> int:
        return hash((super().hash(), self.functions))

    def equal(self, other: Any) -> bool:
        return super().equal(other) and self.functions == other.functions

    def forward_ops(self) -> Sequence[Any]:
        return [self.functions[0]]

    def backward_ops(self) -> Sequence[Any]:
        return self.functions[1] or [None] * len(self.children)


class CallbackNodeOp(UnaryNodeOp):
    """The child's value; `function` gets a read-only view of it when it has been computed."""

    pure = False

    def __init__(self, a: Any, function: Callable[[Any], None]) -> None:
        self.function = function
        super().__init__(a)

    def hash(self) -> int:
        """Return a hash by identity: every callback is a node of its own."""
        return id(self)

    def equal(self, other: Any) -> bool:
        """Return whether both are one node: every callback is a node of its own."""
        return self is other

    def forward_ops(self) -> Sequence[Any]:
        return [NodeOp("look", self.function, self.val, (self.child(0).val,))]

    def backward_ops(self) -> Sequence[Any]:
        """Return the operation that passes the gradient on."""
        return [add(same, self.child(0).grad, self.adj)]
