"""Nodes that reduce an axis and keep it with size 1."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from nbgraph import ops
from nbgraph.errors import ArgumentError, AxisError
from nbgraph.nodes.node import NaryNodeOp, UnaryNodeOp, node_of
from nbgraph.nodes.nodeop import NodeOp
from nbgraph.nodes.tensors import add, aggregate, compute
from nbgraph.ops.elementwise.exponential import logaddexp

# code: where it starts, what combines, whether the mean is taken
_CODES: dict[str, tuple[float, Any]] = {
    "sum": (0.0, "add"),
    "mean": (0.0, "add"),
    "prod": (1.0, "multiply"),
    "max": (-math.inf, "max"),
    "min": (math.inf, "min"),
    "logsumexp": (-math.inf, logaddexp),
}


def axis_of(who: str, axis: Any, ndim: int) -> int:
    """The axis counted from 0; AxisError where there is none.

    >>> axis_of("sum", -1, 3)
    2
    """
    if isinstance(axis, bool) or not isinstance(axis, (int, np.integer)):
        raise ArgumentError(f"{who}: axis={axis!r}; expected one whole number")
    if not -ndim <= axis < ndim:
        raise AxisError(f"{who}: axis={axis} does not exist in an expression of {ndim}-d")
    return int(axis) % ndim


def _kept(shape: tuple[int, ...], axis: int) -> tuple[int, ...]:
    return tuple(1 if d == axis else n for d, n in enumerate(shape))


class ReduceNodeOp(UnaryNodeOp):
    """One axis reduced to size 1: "sum", "mean", "prod", "max", "min" or "logsumexp".

    The gradient of an extreme is shared equally by the elements that attain it.
    """

    def __init__(self, a: Any, axis: int, code: str = "sum") -> None:
        if code not in _CODES:
            raise ArgumentError(f"reduce: code={code!r}; expected one of {', '.join(_CODES)}")
        shape = node_of("reduce", 0, a).shape
        self.axis, self.code = axis_of(code, axis, len(shape)), code
        super().__init__(a, _kept(shape, self.axis))
        self.count = shape[self.axis]

    def type(self) -> str:
        """The code."""
        return self.code

    def hash(self) -> int:
        """With axis and code."""
        return hash((super().hash(), self.axis, self.code))

    def equal(self, other: Any) -> bool:
        """With axis and code."""
        return super().equal(other) and (self.axis, self.code) == (other.axis, other.code)

    def forward_ops(self) -> Sequence[NodeOp]:
        """One aggregation."""
        init, combine = _CODES[self.code]
        scale = 1.0 / self.count if self.code == "mean" and self.count else 1.0
        return [aggregate(_same, init, combine, self.val, self.child(0).val, scale=scale)]

    def backward_ops(self) -> Sequence[Any]:
        """By code."""
        x = self.child(0)
        if self.code in ("sum", "mean"):
            scale = 1.0 / self.count if self.code == "mean" and self.count else 1.0
            return [add(_same, x.grad, self.adj, scale=scale)]
        if self.code == "logsumexp":
            return [add(_share, x.grad, self.adj, x.val, self.val)]
        return [self._of_products if self.code == "prod" else self._of_extremes]

    @property
    def _of_extremes(self) -> NodeOp:
        axis, x = self.axis, self.child(0)

        def extremes(adj: Any, val: Any, x: Any) -> Any:
            hit = ops.astype(ops.equal(x, val), x.dtype)
            return adj * (hit / ops.maximum(ops.sum(hit, axis=axis, keepdims=True), 1))

        return compute(extremes, x.grad, self.adj, self.val, x.val)

    @property
    def _of_products(self) -> NodeOp:
        axis, x = self.axis, self.child(0)

        def products(adj: Any, x: Any) -> Any:
            """Each slope is the product of the others, so zeros are right."""
            moved = ops.moveaxis(x, axis, -1)
            one = ops.ones_like(moved[..., :1])
            left = ops.cumulative_prod(ops.concatenate([one, moved[..., :-1]], axis=-1), axis=-1)
            after = ops.concatenate([moved[..., 1:], one], axis=-1)[..., ::-1]
            right = ops.cumulative_prod(after, axis=-1)[..., ::-1]
            return adj * ops.moveaxis(left * right, -1, axis)

        return compute(products, x.grad, self.adj, x.val)


class ScalarProductNodeOp(NaryNodeOp):
    """The sum of `a * b` along an axis, which is kept with size 1, in one pass."""

    def __init__(self, a: Any, b: Any, axis: int) -> None:
        shapes = [node_of("scalar_product", i, c).shape for i, c in enumerate((a, b))]
        shape = np.broadcast_shapes(*shapes)
        self.axis = axis_of("scalar_product", axis, len(shape))
        super().__init__((a, b), _kept(shape, self.axis))

    def type(self) -> str:
        """See NaryNodeOp."""
        return "scalar_product"

    def hash(self) -> int:
        """With the axis."""
        return hash((super().hash(), self.axis))

    def equal(self, other: Any) -> bool:
        """With the axis."""
        return super().equal(other) and self.axis == other.axis

    def forward_ops(self) -> Sequence[NodeOp]:
        """One aggregation of products."""
        return [aggregate(_times, 0.0, "add", self.val, self.child(0).val, self.child(1).val)]

    def backward_ops(self) -> Sequence[NodeOp]:
        """Each operand times the other."""
        a, b = self.child(0), self.child(1)
        return [add(_times, a.grad, self.adj, b.val), add(_times, b.grad, self.adj, a.val)]


def _same(x: Any) -> Any:
    return x


def _times(a: Any, b: Any) -> Any:
    return a * b


def _share(adj: Any, x: Any, total: Any) -> Any:
    return adj * math.exp(x - total)
