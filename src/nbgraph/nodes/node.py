"""Nodes of an expression graph: a value, the operations that compute it, and those that add to its
children's gradients.

A node is created, then added to a graph, which sets its `id` (-1 before). `forward` pushes its
forward operations and sets `ready`; `backward` pushes its backward operations if it has a gradient.
The arrays of value and gradient are allocated at their first use (`fresh`: the gradient is not
written yet, and its first contribution overwrites it).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cache
from typing import Any

import numpy as np

from nbgraph.array.chunk import CPU
from nbgraph.array.core import empty_of
from nbgraph.device import Context
from nbgraph.dtype import as_dtype
from nbgraph.errors import ArgumentError, DTypeError, noun
from nbgraph.graph.node import Node
from nbgraph.nodes import passes
from nbgraph.nodes.nodeop import NodeOp, NoGradient
from nbgraph.operator.layout import Layout, layout
from nbgraph.shape import broadcast

RUN, GRAPH, FOREVER = 0, 1, 2  # how long a value is valid: one forward, until `clear`, beyond it
_NOTHING: dict[str, Any] = {}


class NaryNodeOp(Node):
    """A node with any number of children. Subclasses define `forward_ops` and `backward_ops`.

    Parameters
    ----------
    children : sequence of nodes or Expr
    shape : tuple of int, optional
        Of the value; by default that from `new_shape`.
    dtype : optional
        Of the value; by default that from `new_type`.
    **attributes
        Kept as `self.attributes`. A class with attributes defines `hash` and `equal`, too.
    """

    __slots__ = (
        *("_adj", "_layout", "_val", "children", "device", "fresh", "handle", "id", "memoise"),
        *("message", "owner", "ready", "retained", "segment", "structure", "trainable"),
    )

    leaf = False
    pure = True  # equal nodes have equal values: they are one

    def __init__(
        self, children: Sequence[Any], shape: Any = None, dtype: Any = None, **attributes: Any
    ) -> None:
        nodes = tuple(node_of(type(self).__name__, i, c) for i, c in enumerate(children))
        self._begin(nodes, attributes)
        own_shape = self.new_shape() if shape is None else tuple(int(n) for n in shape)
        own_dtype = self.new_type() if dtype is None else as_dtype(dtype)
        self._settle(layout(own_shape, own_dtype))

    def _begin(self, children: tuple[NaryNodeOp, ...], attributes: dict[str, Any]) -> None:
        self.op = self._val = self._adj = None
        self.name: str | None = None
        self.message: str | None = None  # of `debug`
        self.children = children
        self.inputs = tuple([(c, 0) for c in children])
        self.attributes = attributes or _NOTHING
        self.id, self.owner = -1, 0
        self.ready = self.fresh = self.retained = False
        self.structure: Any = None  # of an operator's node; see `nodes.structure`
        self.segment: Any = None  # the segment that computed the value, if one did
        self.handle: Callable[[], Any] = lambda: None  # the users' expression, if there is one
        self.device: Context = children[0].device if children else CPU

    def _settle(self, own: Layout) -> None:
        """Set shape and dtype, and from the children `trainable` and `memoise`."""
        self._layout = own
        trainable, memoise = False, FOREVER if self.children and self.pure else RUN
        for child in self.children:
            trainable = trainable or child.trainable
            memoise = min(memoise, child.memoise)
        self.trainable = trainable and own.floating
        self.memoise = memoise

    # methods that a class may override -----------------------------------------------------------

    def new_shape(self) -> tuple[int, ...]:
        """Return the shape of the value; by default that of the children, broadcast."""
        named = [(f"child {i} ", c.shape) for i, c in enumerate(self.children)]
        return broadcast(self.type(), named) if named else ()

    def new_type(self) -> np.dtype[Any]:
        """Return the dtype of the value; by default the one that all children have."""
        return self.common_type()

    def common_type(self, relevant: Iterable[int] | None = None) -> np.dtype[Any]:
        """Return the one dtype of the children, or of those named by index; nothing is promoted.

        Raises DTypeError that names each child's dtype where they differ.
        """
        chosen = list(range(len(self.children))) if relevant is None else list(relevant)
        dtypes = {self.children[i].dtype for i in chosen}
        if len(dtypes) == 1:
            return dtypes.pop()
        listed = ", ".join(f"child {i}: {self.children[i].dtype}" for i in chosen) or "none given"
        raise DTypeError(
            f"{self.type()}: the children's dtypes differ ({listed}); cast them to one, or name "
            "the relevant children: common_type([0, 2])"
        )

    def type(self) -> str:
        """Return the friendly name of the class: `SinNodeOp` is a "sin"."""
        name = type(self).__name__
        short = name.removesuffix("NodeOp") or name.removesuffix("Op")
        return (short.removesuffix("Node") or name).lower()

    def hash(self) -> int:
        """Return a hash, equal for equal nodes; extend it where the class has attributes."""
        own = self._layout
        return hash((type(self), own.shape, own.dtype.num, *[id(c) for c in self.children]))

    def equal(self, other: Any) -> bool:
        """Return whether another node of this class computes the same; extend it like `hash`."""
        return same(self, other)

    def forward_ops(self) -> Sequence[NodeOp | Callable[..., Any]]:
        """Return the operations that compute the value, in order. A plain callable gets NumPy
        views: of the value to write, and of the children's values."""
        raise ArgumentError(
            f"{self.type()}: {type(self).__name__} does not define forward_ops; return a list such "
            "as [element(fn, self.val, self.child(0).val)]"
        )

    def backward_ops(self) -> Sequence[NodeOp | Callable[..., Any] | None]:
        """Return the operations that add to the gradient of each child: as many as children, None
        for no operation. A plain callable gets NumPy views: of the child's gradient to add to, of
        the node's own gradient, its value, and the children's values."""
        raise ArgumentError(
            f"{self.type()}: {type(self).__name__} does not define backward_ops; return a list "
            "with one operation for each child, None for no operation"
        )

    # value and gradient -------------------------------------------------------------------------

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the value."""
        return self._layout.shape

    @property
    def dtype(self) -> np.dtype[Any]:
        """Dtype of the value."""
        return self._layout.dtype

    @property
    def ndim(self) -> int:
        """Number of axes of the value."""
        return len(self._layout.shape)

    @property
    def node(self) -> NaryNodeOp:
        """Itself, as an `Expr` has its node."""
        return self

    def child(self, index: int) -> NaryNodeOp:
        """Return the child of that index."""
        return self.children[index]

    @property
    def val(self) -> Any:
        """The value's NDArray."""
        value = self._val
        if value is None:
            value = self._val = empty_of(self._layout, self.device)
        return value

    @property
    def adj(self) -> Any:
        """The NDArray of the gradient with respect to the value; of a node that is not trainable
        a placeholder without memory."""
        gradient = self._adj
        if gradient is None:
            if not self.trainable:
                return NoGradient(self)
            gradient = self._adj = empty_of(self._layout, self.device)
            self.fresh = True
        return gradient

    @property
    def grad(self) -> Any:
        """The same as `adj`, under the name that parents use: `self.child(0).grad`."""
        return self.adj

    @property
    def own_nbytes(self) -> int:
        """Bytes of the value's own memory."""
        return self._layout.nbytes

    # running ------------------------------------------------------------------------------------

    def run_forward(self) -> None:
        """Push the forward operations, in order."""
        passes.push_forward(self)

    def run_backward(self) -> None:
        """Push the backward operation of each trainable child, in order."""
        passes.push_backward(self)

    @property
    def label(self) -> str:
        return self.name or self.type()

    def __repr__(self) -> str:
        named = f" {self.name!r}" if self.name else ""
        return f"<node {self.id} {self.type()}{named}: {self.dtype}{list(self.shape)}>"


class UnaryNodeOp(NaryNodeOp):
    """A node with one child.

    >>> from math import cos, sin
    >>> import nbgraph as ng
    >>> from nbgraph.nodes import add, element
    >>> class SinNodeOp(UnaryNodeOp):
    ...     def forward_ops(self):
    ...         return [element(lambda x: sin(x), self.val, self.child(0).val)]
    ...
    ...     def backward_ops(self):
    ...         x = self.child(0)
    ...         return [add(lambda adj, x: adj * cos(x), x.grad, self.adj, x.val)]
    >>> graph = ng.ExpressionGraph()
    >>> x = graph.param("x", (2,), [0.0, 1.0])
    >>> y = ng.expression(SinNodeOp, x)
    >>> graph.backprop()
    >>> y.val.asnumpy().round(4), x.grad.asnumpy().round(4)
    (array([0.    , 0.8415], dtype=float32), array([1.    , 0.5403], dtype=float32))
    """

    __slots__ = ()

    def __init__(self, a: Any, shape: Any = None, dtype: Any = None, **attributes: Any) -> None:
        super().__init__((a,), shape, dtype, **attributes)


def node_of(who: str, index: int, value: Any) -> NaryNodeOp:
    """Return the node of an expression, or a node itself."""
    node = getattr(value, "node", None)
    if not isinstance(node, NaryNodeOp):
        raise ArgumentError(
            f"{who}: child {index} is {noun(value)}; expected a node or an expression, "
            "such as graph.constant(array)"
        )
    return node


def same(a: Any, b: Any) -> bool:
    """Return whether two nodes are of one class and have the same children, shape and dtype."""
    return (
        type(a) is type(b)
        and len(a.children) == len(b.children)
        and all(x is y for x, y in zip(a.children, b.children))
        and a.shape == b.shape
        and a.dtype == b.dtype
        and a.trainable == b.trainable
    )


# equality of nodes with attributes ----------------------------------------------------------------


@cache
def _slots(kind: type) -> tuple[str, ...]:
    """Return the slots that a class adds to those of every node."""
    own = [
        s
        for c in kind.__mro__
        if c not in NaryNodeOp.__mro__
        for s in c.__dict__.get("__slots__", ())
    ]
    return tuple(s for s in own if s not in ("__dict__", "__weakref__"))


def require_identity(node: NaryNodeOp) -> None:
    """Raise ArgumentError for a node with attributes whose class lacks `hash` and `equal`."""
    kind = type(node)
    if kind.hash is not NaryNodeOp.hash and kind.equal is not NaryNodeOp.equal:
        return
    attributes = [*getattr(node, "__dict__", ()), *node.attributes]
    attributes += [s for s in _slots(kind) if hasattr(node, s)]
    if attributes:
        listed = ", ".join(attributes)
        raise ArgumentError(
            f"{node.type()}: {kind.__name__} has the attribute(s) {listed}, but not hash and equal "
            "of its own, so nodes that differ would be taken for one; define hash(self) as "
            "hash((super().hash(), ...)) and equal(self, other) as super().equal(other) and ..."
        )
