"""Nodes whose value is a view of their child's: no operation, and no memory of its own.

The gradient is added through the same view of the child's gradient.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from nbgraph.errors import ArgumentError, ShapeError
from nbgraph.nodes.aggregates import axis_of
from nbgraph.nodes.node import UnaryNodeOp, node_of
from nbgraph.nodes.nodeop import NodeOp
from nbgraph.nodes.tensors import add


class ViewNodeOp(UnaryNodeOp):
    """A view of the child's value; `detail` says which, `view` makes it."""

    def __init__(self, a: Any, shape: tuple[int, ...], detail: Any) -> None:
        super().__init__(a, shape)
        self.detail = detail

    def view(self, array: Any) -> Any:
        """The view of an array of the child's shape."""
        raise NotImplementedError(f"{type(self).__name__}: define view(self, array)")

    def hash(self) -> int:
        """With the detail."""
        return hash((super().hash(), repr(self.detail)))

    def equal(self, other: Any) -> bool:
        """With the detail."""
        return super().equal(other) and self.detail == other.detail

    @property
    def own_nbytes(self) -> int:
        """None: the memory is the child's."""
        return 0

    def forward_ops(self) -> Sequence[NodeOp]:
        """Nothing is computed."""
        return []

    def run_forward(self) -> None:
        """Look at the child's value."""
        self._val = self.view(self.child(0).val)
        self.ready = True

    def backward_ops(self) -> Sequence[NodeOp]:
        """Added through the view."""
        return [add(_same, self.view(self.child(0).grad), self.adj)]


class TransposeNodeOp(ViewNodeOp):
    """Axes in another order, by default reversed."""

    def __init__(self, a: Any, axes: Sequence[int] | None = None) -> None:
        shape = node_of("transpose", 0, a).shape
        given = range(len(shape))[::-1] if axes is None else axes
        order = tuple(axis_of("transpose", d, len(shape)) for d in given)
        if sorted(order) != list(range(len(shape))):
            raise ArgumentError(
                f"transpose: axes={axes!r} of an expression of {len(shape)}-d; name each axis once"
            )
        super().__init__(a, tuple(shape[d] for d in order), order)

    def view(self, array: Any) -> Any:
        """See ViewNodeOp."""
        return array.transpose(self.detail)


class ReshapeNodeOp(ViewNodeOp):
    """The elements in C order under another shape; one size may be -1."""

    def __init__(self, a: Any, shape: Sequence[int]) -> None:
        own = node_of("reshape", 0, a).shape
        given, size = tuple(shape), math.prod(own)
        known = math.prod(n for n in given if n != -1)
        if given.count(-1) == 1 and known and size % known == 0:
            given = tuple(size // known if n == -1 else n for n in given)
        if math.prod(given) != size or any(n < 0 for n in given):
            raise ShapeError(
                f"reshape: shape {own} has {size} elements, which do not fit {tuple(shape)}"
            )
        super().__init__(a, given, given)

    def view(self, array: Any) -> Any:
        """See ViewNodeOp."""
        return array.reshape(self.detail)


class SliceNodeOp(ViewNodeOp):
    """Part of an axis, `a[..., begin:end:step, ...]`."""

    def __init__(
        self, a: Any, axis: int, begin: int | None = None, end: int | None = None, step: int = 1
    ) -> None:
        shape = node_of("slice", 0, a).shape
        own = axis_of("slice", axis, len(shape))
        if not isinstance(step, int) or not step:
            raise ArgumentError(f"slice: step={step!r}; expected a whole number other than 0")
        part = slice(begin, end, step)
        count = len(range(*part.indices(shape[own])))
        made = tuple(count if d == own else n for d, n in enumerate(shape))
        super().__init__(a, made, (own, begin, end, step))

    def view(self, array: Any) -> Any:
        """See ViewNodeOp."""
        axis, *part = self.detail
        return array[(slice(None),) * axis + (slice(*part),)]


def _same(x: Any) -> Any:
    return x
