"""Nodes of functions of NumPy views: the user's, and products with sparse matrices by SciPy."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import scipy.sparse

from nbgraph.errors import ArgumentError, DTypeError, ShapeError
from nbgraph.nodes.node import NaryNodeOp, UnaryNodeOp
from nbgraph.nodes.nodeop import NodeOp
from nbgraph.nodes.tensors import add


def _same(x: Any) -> Any:
    return x


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
        """Return the hash, with the functions by identity."""
        return hash((super().hash(), self.functions))

    def equal(self, other: Any) -> bool:
        """Return whether nodes are equal, with the functions by identity."""
        return super().equal(other) and self.functions == other.functions

    def forward_ops(self) -> Sequence[Any]:
        """Return the user's forward function."""
        return [self.functions[0]]

    def backward_ops(self) -> Sequence[Any]:
        """Return the user's backward functions."""
        return self.functions[1] or [None] * len(self.children)


class CallbackNodeOp(UnaryNodeOp):
    """The child's value; `function(values)` is called when it is there, with a read-only view."""

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
        """Return the call, and a copy."""
        return [NodeOp("look", self.function, self.val, (self.child(0).val,))]

    def backward_ops(self) -> Sequence[Any]:
        """Return the operation that passes the gradient on."""
        return [add(_same, self.child(0).grad, self.adj)]


class CSRDotNodeOp(NaryNodeOp):
    """`S @ dense`, where row r of S has `values[k]` in column `indices[k]` for k from `offsets[r]`
    up to `offsets[r + 1]`.

    Parameters
    ----------
    values : (n,) floating
    indices, offsets : (n,) and (rows + 1,), integers, not differentiated
    dense : (columns, m), of the dtype of `values`
    """

    def __init__(self, values: Any, indices: Any, offsets: Any, dense: Any) -> None:
        rows, (columns, width) = offsets.shape[0] - 1, _matrix(dense.shape)
        if values.shape != indices.shape or values.ndim != 1 or offsets.ndim != 1:
            raise ShapeError(
                f"csr_dot: values {values.shape}, indices {indices.shape}, offsets "
                f"{offsets.shape}; expected one axis each, the first two of one size"
            )
        self.size = rows, columns
        super().__init__((values, indices, offsets, dense), (rows, width))

    def new_type(self) -> np.dtype[Any]:
        """Return the dtype of the data; indices have one of their own."""
        if self.common_type([1, 2]).kind not in "iu":
            raise DTypeError(
                f"csr_dot: indices have dtype {self.children[1].dtype}; expected integers"
            )
        return self.common_type([0, 3])

    def type(self) -> str:
        """See NaryNodeOp."""
        return "csr_dot"

    def hash(self) -> int:
        """Return the hash; the sizes are those of the children."""
        return super().hash()

    def equal(self, other: Any) -> bool:
        """Return whether nodes are equal; the sizes are those of the children."""
        return super().equal(other)

    def forward_ops(self) -> Sequence[Any]:
        """Return one product."""
        size = self.size

        def forward(out: Any, values: Any, indices: Any, offsets: Any, dense: Any) -> None:
            out[...] = _csr(values, indices, offsets, size) @ dense

        return [forward]

    def backward_ops(self) -> Sequence[Any]:
        """Return the gradients of the values and of the dense matrix."""
        size = self.size

        def to_values(grad: Any, adj: Any, val: Any, *operands: Any) -> None:
            _, indices, offsets, dense = operands
            rows = np.repeat(np.arange(size[0]), np.diff(offsets))
            grad += np.einsum("kj,kj->k", adj[rows], dense[indices])

        def to_dense(grad: Any, adj: Any, val: Any, *operands: Any) -> None:
            values, indices, offsets, _ = operands
            grad += _csr(values, indices, offsets, size).T @ adj

        return [to_values, None, None, to_dense]


def _matrix(shape: tuple[int, ...]) -> tuple[int, int]:
    if len(shape) != 2:
        raise ShapeError(f"csr_dot: dense has shape {shape}; expected a matrix")
    return shape


def _csr(values: Any, indices: Any, offsets: Any, size: tuple[int, int]) -> Any:
    return scipy.sparse.csr_array((values, indices, offsets), shape=size)
