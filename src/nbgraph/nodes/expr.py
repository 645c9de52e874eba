"""Expressions: the users' handles of a graph's nodes. Python's operators and those of the library
apply to them and add nodes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from nbgraph.array.core import Array
from nbgraph.array.push import WEAK
from nbgraph.errors import ArgumentError, noun, unpicklable
from nbgraph.foreign import METHODS, explain_methods
from nbgraph.graph.listing import drawn
from nbgraph.nodes.leaves import assign
from nbgraph.nodes.node import NaryNodeOp
from nbgraph.operator.mapper import complex_call
from nbgraph.operator.mapper.mapper import Mapper
from nbgraph.operator.namespace import operand_names
from nbgraph.operator.scalar.typing import as_operand
from nbgraph.operator.spec import Attributes
from nbgraph.ops.carrier.indexing import Indexing
from nbgraph.ops.carrier.methods import Methods
from nbgraph.ops.carrier.operators import Operators
from nbgraph.ops.carrier.protocols import Protocols
from nbgraph.ops.carrier.reductions import Reductions


class Expr(Operators, Methods, Reductions, Indexing, Protocols):
    """A handle of a node in an expression graph.

    It has a value after `graph.forward()`, a parameter has a gradient after `graph.backward()`.
    Dtypes are not promoted: all operands of an operator have one dtype, which Python numbers
    take.

    >>> import nbgraph as ng
    >>> graph = ng.ExpressionGraph()
    >>> x = graph.constant([[1.0, 2.0], [3.0, 4.0]])
    >>> y = ng.exp(x - x.max(axis=1, keepdims=True))
    >>> graph.forward()
    >>> y.val.sum(axis=0)
    array([0.7357589, 2.       ], dtype=float32)
    """

    __slots__ = ("__weakref__", "graph", "node")

    __nbgraph_priority__ = 30
    __array_priority__ = 3000.0
    __nbgraph_remedy__ = "read its value after graph.forward(), as x.val.asnumpy()"

    def __init__(self, graph: Any, node: NaryNodeOp) -> None:
        self.graph, self.node = graph, node

    __reduce_ex__ = unpicklable("an expression of a graph", "take its values, as x.val.asnumpy()")

    @classmethod
    def __nbgraph_call__(
        cls, op: Any, operands: Sequence[Any], attributes: Attributes, out: Any
    ) -> Any:
        """Make a node; see `nbgraph.operator.call`."""
        if out is not None and any(o is not None for o in out):
            raise ArgumentError(
                f"{op.__name__}: out= is given, but an expression has no memory to write to; use "
                "the result"
            )
        graph = graph_of(op.__name__, operands)
        if isinstance(op, Mapper):
            op.refresh()
            if complex_call.any_complex(operands):
                return complex_call.apply(op, operands, attributes, None)
            options = op.parameters_of(dict(attributes)) if op.scalar.parameters else attributes
        else:
            options = op.normalise(attributes)
        values = _lifted(op, operands, graph)
        outputs = graph.apply(op, values, options)
        return outputs[0] if op.nout == 1 else tuple(outputs)

    # properties ---------------------------------------------------------------------------------

    @property
    def shape(self) -> tuple[int, ...]:
        """Extents of the axes."""
        return self.node.shape

    @property
    def dtype(self) -> np.dtype[Any]:
        """Type of the elements."""
        return self.node.dtype

    @property
    def ndim(self) -> int:
        """Number of axes."""
        return self.node.ndim

    @property
    def size(self) -> int:
        """Number of elements."""
        return self.node._layout.size

    @property
    def name(self) -> str | None:
        """The node's name: that of a parameter, or one that was assigned."""
        return self.node.name

    @name.setter
    def name(self, name: str) -> None:
        self.node.name = name

    @property
    def trainable(self) -> bool:
        """Whether gradients flow to the node."""
        return self.node.trainable

    # value and gradient -------------------------------------------------------------------------

    @property
    def val(self) -> Any:
        """The value, an NDArray; ArgumentError before `graph.forward()`.

        Setting it writes a parameter's or constant's value.
        """
        node = self.node
        if node.ready and node._val is None and node.segment is not None:
            node.segment.recall([node])
        if not node.ready or node._val is None:
            why = "was freed" if node.ready else "is not computed yet"
            what = (
                "an inference graph keeps values of top nodes only; call x.retain() before forward"
                if node.ready
                else "call graph.forward(), or graph.forward_next() for what was added since"
            )
            raise ArgumentError(f"{node.type()}: the value of {node!r} {why}; {what}")
        return node._val

    @val.setter
    def val(self, value: Any) -> None:
        if not self.node.leaf:
            raise ArgumentError(
                f"{self.node.type()}: the value of {self.node!r} is computed; set a parameter's"
            )
        assign(self.node._val, value)

    @property
    def grad(self) -> Any:
        """The gradient, an NDArray, of a parameter or a retained node; None before the first
        `backward`. ArgumentError for other nodes, whose gradients are freed when they are used."""
        node = self.node
        if not node.trainable:
            return None
        if node._adj is None and not (node.leaf or node.retained):
            raise ArgumentError(
                f"{node.type()}: the gradient of {node!r} is not kept; call x.retain() before "
                "backward"
            )
        return node._adj

    def retain(self) -> Expr:
        """Keep the value (in inference) and the gradient after their last use; return itself.

        >>> import nbgraph as ng
        >>> graph = ng.ExpressionGraph()
        >>> x = graph.param("x", (1,), 3.0)
        >>> y = (x * x).retain()
        >>> z = y * y
        >>> graph.backprop()
        >>> y.grad, x.grad
        (array([18.], dtype=float32), array([108.], dtype=float32))
        """
        self.node.retained = True
        return self

    # refusals -----------------------------------------------------------------------------------

    def __bool__(self) -> bool:
        raise ArgumentError(
            "bool: an expression has no truth before it is computed; use ng.where(condition, a, b) "
            "in the graph, or x.val.item() after graph.forward()"
        )

    def __iter__(self) -> Iterator[Any]:
        raise ArgumentError(
            "iter: an expression is not iterated over; use x[i], ng.split or ng.unstack"
        )

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("len: an expression of shape () has no length")
        return self.shape[0]

    def _repr_html_(self) -> str:
        return drawn(self)

    def __repr__(self) -> str:
        return repr(self.node).replace("<node", "<expression")


def graph_of(who: str, values: Sequence[Any]) -> Any:
    """Return the graph of the expressions among values; ArgumentError for several, or none."""
    graph: Any = None
    for value in values:
        if isinstance(value, Expr):
            if graph is None:
                graph = value.graph
            elif value.graph is not graph:
                raise ArgumentError(
                    f"{who}: the operands are of two graphs; make one a constant of the other's "
                    "graph: graph.constant(x.val)"
                )
    if graph is None:
        raise ArgumentError(f"{who}: no operand is an expression; make one with graph.constant(x)")
    return graph


def _lifted(op: Any, operands: Sequence[Any], graph: Any) -> list[Any]:
    """Return the operands as nodes, arrays as constants; a scalar operator keeps its numbers."""
    weak = isinstance(op, Mapper)
    lifted: list[Any] = []
    for i, value in enumerate(operands):
        if isinstance(value, Expr):
            graph.require(op.__name__, value.node)
            lifted.append(value.node)
        elif weak and type(value) in WEAK:
            lifted.append(value)
        else:
            lifted.append(_constant(op, i, value, operands, graph))
    return lifted


def _constant(op: Any, index: int, value: Any, operands: Sequence[Any], graph: Any) -> NaryNodeOp:
    if type(value) in WEAK:
        dtypes = [v.dtype for v in operands if isinstance(v, Expr)]
        return graph.constant(np.asarray(value, np.result_type(*dtypes, value))).node
    if not isinstance(value, Array):
        if getattr(type(value), "__nbgraph_priority__", None) is not None:
            raise ArgumentError(
                f"{op.__name__}: operand {index} is {noun(value)}, which has no value; "
                "an expression graph takes arrays and expressions"
            )
        name = dict(enumerate(operand_names(op))).get(index, str(index))
        value = np.asarray(as_operand(op.__name__, name, value))
    return graph.constant(value).node


def expression(kind: Any, *children: Any, **attributes: Any) -> Expr:
    """Make a node of a class and add it to the graph of its children.

    Returns the expression of an equal node if the graph has one already. Arrays
    among the children become constants. `attributes` go to the class. A class without a constructor
    of its own takes any number of children.

    Raises ArgumentError where no child is an expression, or where the class has attributes but no
    `hash` and `equal` of its own.

    >>> import nbgraph as ng
    >>> from nbgraph.nodes import add, element
    >>> class DoubleNode(ng.UnaryNodeOp):
    ...     def forward_ops(self):
    ...         return [element(lambda x: 2 * x, self.val, self.child(0).val)]
    ...
    ...     def backward_ops(self):
    ...         return [add(lambda adj: 2 * adj, self.child(0).grad, self.adj)]
    >>> graph = ng.ExpressionGraph()
    >>> p = graph.param("p", (2,), init=3.0)
    >>> y = ng.expression(DoubleNode, p)
    >>> graph.forward()
    >>> graph.backward()
    >>> y.val, p.grad
    (array([6., 6.], dtype=float32), array([2., 2.], dtype=float32))
    """
    construct: Callable[..., Any] = kind
    if not (isinstance(kind, type) and issubclass(kind, NaryNodeOp)):
        raise ArgumentError(
            f"expression: {kind!r} is not a node class; derive it from ng.NaryNodeOp"
        )
    graph = graph_of(kind.__name__, children)
    lifted = [
        graph.constant(c) if isinstance(c, (Array, np.ndarray, np.generic)) else c for c in children
    ]
    operands: list[Any] = [lifted] if kind.__init__ is NaryNodeOp.__init__ else lifted
    try:
        node = construct(*operands, **attributes)
    except TypeError as error:
        if isinstance(error, ArgumentError) or "argument" not in str(error):
            raise
        raise ArgumentError(
            f"expression: {error}; see the constructor of {kind.__name__}"
        ) from None
    return graph.add(node)


_VALUES = dict.fromkeys("asnumpy item numpy tolist values".split(), "x.val, an NDArray")
explain_methods(Expr, METHODS | _VALUES | {"backward": "graph.backward()"})
