"""Node operators: forward and backward as lists of NodeOps over values and gradients.

A NodeOp is data: a scalar function, the array it writes, the arrays it reads; an engine runs it
in the order its sets ask for. `forward_ops()` write the node's value; `backward_ops()[i]`
accumulates into child i's gradient, None is no operation.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from nbgraph.device import RunContext
from nbgraph.engine import Engine, Pending, Variable
from nbgraph.errors import ArgumentError
from nbgraph.operator.mapper import Mapper, op
from nbgraph.operator.reduction import map_reduce
from nbgraph.operator.typing import Array


class Slot:
    """An array and the engine variable that stands for it."""

    __slots__ = ("array", "variable")

    def __init__(self, array: Array, variable: Variable) -> None:
        self.array, self.variable = array, variable


@dataclass(frozen=True, slots=True)
class NodeOp:
    """`out = fn(*ins)` ("write") or `out += scale * sum of fn(*ins)` ("add")."""

    fn: Mapper
    request: Literal["write", "add"]
    out: Slot
    ins: tuple[Slot, ...]
    scale: float = 1.0

    @property
    def reads(self) -> tuple[Slot, ...]:
        """What must not be written meanwhile."""
        return self.ins

    @property
    def writes(self) -> tuple[Slot, ...]:
        """What nobody else may touch meanwhile."""
        return (self.out,)

    def __call__(self, run_ctx: RunContext) -> None:
        """Run on the arrays as they are now."""
        arrays = [slot.array for slot in self.ins]
        target = self.out.array
        if self.request == "write":
            self.fn(*arrays, out=target)
            return
        shape = np.broadcast_shapes(*(a.shape for a in arrays))
        lead = len(shape) - target.ndim
        axes = tuple(range(lead)) + tuple(
            lead + d for d, n in enumerate(target.shape) if n == 1 and shape[lead + d] != 1
        )
        if axes:
            total = map_reduce(self.fn, *arrays, axis=axes).reshape(target.shape)
        else:
            total = self.fn(*arrays)
        target += total if self.scale == 1.0 else target.dtype.type(self.scale) * total

    def push(self, engine: Engine) -> Pending:
        """Give the work to an engine."""
        return engine.push(
            self,
            const_vars=[s.variable for s in self.reads],
            mutate_vars=[s.variable for s in self.writes],
            name=self.fn.__name__,
        )


def element(fn: Callable[..., Any], out: Slot, *ins: Slot) -> NodeOp:
    """`out = fn(*ins)`, element by element, broadcasting."""
    return NodeOp(_mapper(fn, ins), "write", out, ins)


def add(fn: Callable[..., Any], out: Slot, *ins: Slot, scale: float = 1.0) -> NodeOp:
    """`out += scale * fn(*ins)`; axes of size 1 in out are summed over."""
    return NodeOp(_mapper(fn, ins), "add", out, ins, scale)


def _mapper(fn: Callable[..., Any], ins: Sequence[Slot]) -> Mapper:
    made = fn if isinstance(fn, Mapper) else op(fn)
    if made.nin != len(ins):
        raise ArgumentError(
            f"{made.__name__}: the function takes {made.nin} element(s), not {len(ins)}"
        )
    return made


class Node:
    """A value in a chain of operations, with its gradient."""

    def __init__(self, engine: Engine, children: Sequence[Node] = ()) -> None:
        self.engine, self._children = engine, tuple(children)
        self.trainable = any(c.trainable for c in children)
        self._val: Slot | None = None
        self._adj: Slot | None = None

    def child(self, index: int) -> Node:
        """The node's operand."""
        return self._children[index]

    @property
    def val(self) -> Slot:
        """The value's array."""
        if self._val is None:
            self._val = Slot(
                np.empty(self.new_shape(), self.new_type()), self.engine.new_variable()
            )
        return self._val

    @property
    def adj(self) -> Slot:
        """The gradient's array, zeros at first."""
        if self._adj is None:
            self._adj = Slot(np.zeros_like(self.val.array), self.engine.new_variable())
        return self._adj

    grad = adj

    def new_shape(self) -> tuple[int, ...]:
        """Shape of the value: that of the children, broadcast."""
        return np.broadcast_shapes(*(c.val.array.shape for c in self._children))

    def new_type(self) -> np.dtype[Any]:
        """Dtype of the value: the children's common one."""
        dtypes = {c.val.array.dtype for c in self._children}
        if len(dtypes) != 1:
            listed = ", ".join(
                f"child {i}: {c.val.array.dtype}" for i, c in enumerate(self._children)
            )
            raise ArgumentError(f"{type(self).__name__}: the children's dtypes differ ({listed})")
        return dtypes.pop()

    def forward_ops(self) -> list[NodeOp]:
        """What computes the value."""
        return []

    def backward_ops(self) -> list[NodeOp | None]:
        """What adds to each child's gradient."""
        return []

    def forward(self) -> None:
        """Push the forward operations, in order."""
        for node_op in self.forward_ops():
            node_op.push(self.engine)

    def backward(self) -> None:
        """Push the backward operation of every trainable child."""
        for child, node_op in zip(self._children, self.backward_ops(), strict=True):
            if node_op is not None and child.trainable:
                node_op.push(self.engine)


class Leaf(Node):
    """A given value."""

    def __init__(self, engine: Engine, array: Array, *, trainable: bool = True) -> None:
        super().__init__(engine)
        self._val = Slot(array, engine.new_variable())
        self.trainable = trainable


class UnaryNodeOp(Node):
    """A node with one operand."""

    def __init__(self, child: Node) -> None:
        super().__init__(child.engine, (child,))
