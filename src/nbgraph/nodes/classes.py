"""Node classes of the graph's own: reductions that keep their axis, casts, sparse products.

A `FragmentNodeOp` stands for operators of the library over its children: `graph.add` makes the
nodes of those instead, so they are compiled and differentiated like any other.
"""

import inspect
import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from nbgraph import ops
from nbgraph.dtype import is_float
from nbgraph.errors import ArgumentError, AxisError, ShapeError, require_word
from nbgraph.nodes.node import NaryNodeOp, node_of
from nbgraph.nodes.nodeop import NodeOp
from nbgraph.nodes.tensors import add, aggregate

# code: the result of an axis without elements, the operator
_CODES: dict[str, tuple[float, Callable[..., Any]]] = {
    "sum": (0.0, ops.sum),
    "mean": (0.0, ops.mean),
    "prod": (1.0, ops.prod),
    "max": (-math.inf, ops.max),
    "min": (math.inf, ops.min),
    "logsumexp": (-math.inf, ops.logsumexp),
}


def axis_of(who: str, axis: Any, ndim: int) -> int:
    """Return the axis counted from 0; raise AxisError where there is none.

    >>> axis_of("sum", -1, 3)
    2
    """
    if isinstance(axis, bool) or not isinstance(axis, (int, np.integer)):
        raise ArgumentError(f"{who}: axis={axis!r}; expected one whole number")
    if not -ndim <= axis < ndim:
        raise AxisError(f"{who}: axis={axis} does not exist in a {ndim}-d expression")
    return int(axis) % ndim


def _kept_shape(shape: tuple[int, ...], axis: int) -> tuple[int, ...]:
    return tuple(1 if d == axis else n for d, n in enumerate(shape))


class FragmentNodeOp(NaryNodeOp):
    """A node of `count` children and options, which `define` turns into library operators."""

    count = 1
    define: Callable[..., Any]  # (*children, *options): the expression that this stands for

    def __init__(self, *arguments: Any, **options: Any) -> None:
        values = inspect.signature(self.define).bind(*arguments, **options).args
        children = enumerate(values[: self.count])
        self._begin(tuple([node_of(self.type(), i, child) for i, child in children]), {})
        self._options = values[self.count :]

    def defined(self, children: Iterable[Any]) -> Any:
        """Return the expression over `children` that this stands for."""
        return self.define(*children, *self._options)


class ReduceNodeOp(FragmentNodeOp):
    """One axis reduced to size 1: "sum", "mean", "prod", "max", "min" or "logsumexp".

    The gradient of an extreme is shared equally by the elements that attain it.
    """

    def define(self, x: Any, axis: int, code: str = "sum") -> Any:
        """See FragmentNodeOp."""
        require_word("reduce: code", code, _CODES)
        axis = axis_of(code, axis, x.ndim)
        start, reduce = _CODES[code]
        if not x.shape[axis]:
            return x.graph.constant(np.full(_kept_shape(x.shape, axis), start, x.dtype))
        options = {"dtype": x.dtype} if code in ("sum", "prod") and not is_float(x.dtype) else {}
        return reduce(x, axis=axis, keepdims=True, **options)


class ScalarProductNodeOp(NaryNodeOp):
    """The sum of `a * b` along an axis, which is kept with size 1, as one node."""

    def __init__(self, a: Any, b: Any, axis: int) -> None:
        shapes = [node_of("scalar_product", i, c).shape for i, c in enumerate((a, b))]
        shape = np.broadcast_shapes(*shapes)
        self.axis = axis_of("scalar_product", axis, len(shape))
        super().__init__((a, b), _kept_shape(shape, self.axis))

    def type(self) -> str:
        return "scalar_product"

    def hash(self) -> int:
        return hash((super().hash(), self.axis))

    def equal(self, other: Any) -> bool:
        return super().equal(other) and self.axis == other.axis

    def forward_ops(self) -> Sequence[NodeOp]:
        return [aggregate(_times, 0.0, "add", self.val, self.child(0).val, self.child(1).val)]

    def backward_ops(self) -> Sequence[NodeOp]:
        """Return, for each operand, the gradient times the other operand."""
        a, b = self.child(0), self.child(1)
        return [add(_times, a.grad, self.adj, b.val), add(_times, b.grad, self.adj, a.val)]


def _times(a: Any, b: Any) -> Any:
    return a * b


class CastNodeOp(FragmentNodeOp):
    """The values in another dtype, as a cast in C; the gradient is cast back."""

    def define(self, x: Any, dtype: Any) -> Any:
        """See FragmentNodeOp."""
        return ops.astype(x, dtype)


class CSRDotNodeOp(FragmentNodeOp):
    """`S @ dense`, where row r of S has `values[k]` in column `indices[k]` for k from `offsets[r]`
    up to `offsets[r + 1]`.

    Parameters
    ----------
    values : (n,) floating
    indices, offsets : (n,) and (rows + 1,), integers, not differentiated
    dense : (columns, m), of the dtype of `values`
    """

    count = 4

    def define(self, values: Any, indices: Any, offsets: Any, dense: Any) -> Any:
        """See FragmentNodeOp."""
        if dense.ndim != 2:
            raise ShapeError(f"csr_dot: dense has shape {dense.shape}; expected a matrix")
        return ops.csr_dot(values, indices, offsets, dense)
