"""Tracing of a Python function of a row, which runs once on values that record operations.

The result is a scalar graph of elements, with totals of the row as its leaves (`Described`).
Elementwise operators are transplanted into it; reductions and row operators of the library become
totals. So every operator of the library that a row program can express is supported by its own
definition, without mention here.
"""

from __future__ import annotations

import math
import types
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, NoReturn

import numpy as np

from nbgraph import ops
from nbgraph.errors import CaptureError
from nbgraph.kernels.function.derived import fresh
from nbgraph.kernels.loops.loop import Combine, Total
from nbgraph.kernels.scalar.graph import Graph, Node
from nbgraph.kernels.scalar.kinds import kind_of_value
from nbgraph.kernels.scalar.transplant import Transplant
from nbgraph.operator.deferred import UnknownShape
from nbgraph.operator.mapper.mapper import Mapper
from nbgraph.operator.rows.reduce_op import ReduceOp
from nbgraph.operator.rows.row_op import RowOp
from nbgraph.operator.rows.row_program import COUNT, INDEX, Described
from nbgraph.operator.spec import Attributes
from nbgraph.ops.carrier.methods import Methods
from nbgraph.ops.carrier.operators import Operators
from nbgraph.ops.carrier.protocols import Protocols
from nbgraph.ops.carrier.reductions import Reductions
from nbgraph.signatures import Function

_AXES = (None, -1, 0, (0,), (-1,))  # axes that mean the row
_PRODUCTS = {"dot", "inner", "matmul", "vecdot"}  # for two rows, the sum of products
_MATH = {"fabs": "absolute", "pow": "power"}  # functions of `math` with other names in the library


class Trace:
    """The graph of a row function during its run."""

    def __init__(self, name: str, taken: Collection[str] = ()) -> None:
        self.name = name
        self.graph = Graph()
        self.totals: dict[int, Total] = {}  # by id of the leaf
        self.index = self.graph.argument(fresh(INDEX, taken), "int32")
        self.count = self.graph.parameter(fresh(COUNT, taken), "f")
        self.labels: set[str] = set()  # operands that are an index in the row
        self.elements: set[int] = {self.index.id}  # leaves that differ within a row
        self.leaves: list[Node] = []  # of operands
        self.parameters: list[Node] = []

    def refuse(self, what: str, remedy: str) -> NoReturn:
        """Raise CaptureError for an operation that a row function cannot contain."""
        raise CaptureError(f"{self.name}: {what}; {remedy}")

    def not_a_part(self, what: str) -> NoReturn:
        """Raise CaptureError for an operation that belongs outside a row function."""
        self.refuse(
            f"{what} is not a part of a row operator",
            "use elementwise operators, sums, products, extremes, means, deviations and norms of "
            "the row, or row operators; apply the other before or after",
        )

    def total(self, combine: Combine, node: Node) -> Node:
        """Return the leaf of a total of the row; equal totals share a leaf."""
        node = self.graph.float(node)
        for leaf_id, known in self.totals.items():
            if known.combine == combine and known.node is node:
                return self.graph.nodes[leaf_id]
        leaf = fresh_argument(self.graph, f"total{len(self.totals)}")
        self.totals[leaf.id] = Total(leaf, node, combine)
        return leaf

    def varies(self, node: Node) -> bool:
        """Return whether a value differs within a row."""
        return any(n.id in self.elements for n in self.graph.reachable([node]))

    def node_of(self, value: Any) -> Node:
        """Return the node of an operand: a traced value or a number."""
        if isinstance(value, RowValue):
            if value.run is not self:
                self.refuse("a value of another row function's run is used", "pass it as operand")
            return value.node
        if kind_of_value(value) is None or np.ndim(value):
            shown = f"an array of shape {np.shape(value)}" if np.ndim(value) else repr(value)
            self.refuse(f"{shown} is used as a number", "pass arrays as operands")
        return self.graph.const(value)

    # operators of the library -----------------------------------------------------------------

    def apply(self, op: Any, operands: Sequence[Any], attributes: Attributes) -> Any:
        """Return the results of an operator as traced values."""
        nodes = [self.node_of(value) for value in operands]
        if isinstance(op, Mapper):
            outputs = self.elementwise(op, nodes, attributes)
        elif isinstance(op, ReduceOp):
            outputs = [self.reduction(op, nodes[0], attributes)]
        elif isinstance(op, RowOp):
            self._require_row(op, attributes)
            outputs = self.inlined(op, nodes, attributes)
        elif op.__name__ in _PRODUCTS:
            outputs = [self.total("add", self.graph.arithmetic("mul", *nodes))]
        else:
            self.not_a_part(op.__name__)
        values = tuple(RowValue(self, node) for node in outputs)
        return values[0] if len(values) == 1 else values

    def elementwise(self, op: Mapper, nodes: Sequence[Node], attributes: Attributes) -> list[Node]:
        """Inline the scalar graph of an operator."""
        scalar = op.scalar
        values = {p.name: attributes.get(p.name, p.default) for p in scalar.parameters}
        plain = {
            name: 1.0 if isinstance(v, RowValue) else v for name, v in values.items()
        }  # only a value's kind matters
        captured = scalar.capture([node.kind for node in nodes], plain)
        replaced = dict(zip((leaf.id for leaf in captured.operands), nodes, strict=True))
        for leaf in captured.parameters:
            node = self.node_of(values[str(leaf.data)])
            replaced[leaf.id] = self.graph.cast(node, leaf.kind)
        move = Transplant(captured.graph, self.graph, replaced)
        return [move(output) for output in captured.outputs]

    def reduction(self, op: ReduceOp, node: Node, attributes: Attributes) -> Node:
        """Return a total of the row, or a value computed from totals."""
        self._require_row(op, attributes)
        if attributes.get("dtype") is not None:
            self.refuse(f"{op.__name__} with a dtype", "cast the operands before")
        if op.asks is not None:
            predicate, combine = op.asks
            (node,) = self.elementwise(predicate, [node], {})
            return self.total(combine, node)
        by_rows = op.row_op(attributes)
        if by_rows is not None:
            inner, own = by_rows
            return self.inlined(inner, [node], own)[0]
        if op.combine is None:
            self.refuse(f"{op.__name__} is not a total", "write it with sums and extremes")
        return self.total(op.combine, node)

    def inlined(self, op: RowOp, nodes: Sequence[Node], attributes: Attributes) -> list[Node]:
        """Inline the totals and results of a row program."""
        program = op.program
        own = {name: p.default for name, p in program.parameters.items()} | {
            k: v for k, v in attributes.items() if k in program.parameters
        }
        plain = {k: 1.0 if isinstance(v, RowValue) else v for k, v in own.items()}
        inner = program.described([node.kind for node in nodes], plain)
        replaced = dict(zip((leaf.id for leaf in inner.operands), nodes, strict=True))
        replaced[inner.place.id] = self.index
        replaced[inner.parameters[0].id] = self.count
        for leaf in inner.parameters[1:]:
            replaced[leaf.id] = self.graph.cast(self.node_of(own[str(leaf.data)]), leaf.kind)
        for stage in inner.stages:
            for total in stage:
                moved = Transplant(inner.graph, self.graph, replaced)(total.node)
                replaced[total.leaf.id] = self.total(total.combine, moved)
        move = Transplant(inner.graph, self.graph, replaced)
        return [move(output) for output in inner.outputs]

    def _require_row(self, op: Any, attributes: Attributes) -> None:
        axis = attributes.get("axis", -1)
        if axis not in _AXES:
            self.refuse(
                f"{op.__name__} with axis={axis!r}",
                "a row has one axis; leave axis out, and give it to the row operator",
            )

    # the result -------------------------------------------------------------------------------

    def described(
        self, operands: Sequence[Node], parameters: Sequence[Node], outputs: Sequence[Node]
    ) -> Described:
        """Return the traced program, with its totals by pass."""
        stages = staged(self.graph, self.totals)
        floating = tuple(self.graph.float(output) for output in outputs)
        return Described(
            self.graph, tuple(operands), (self.count, *parameters), self.index, stages, floating
        )


def fresh_argument(graph: Graph, name: str) -> Node:
    """Return a new floating leaf of the graph: equal names would be one leaf."""
    return graph.argument(fresh(name, {n.data for n in graph.nodes if n.op == "arg"}), "f")


def staged(graph: Graph, totals: Mapping[int, Total]) -> tuple[tuple[Total, ...], ...]:
    """Return totals by passes over the row, each as early as its dependences allow."""
    level: dict[int, int] = {}
    for leaf_id, total in totals.items():  # a total is recorded after those it depends on
        below = [level[n.id] for n in graph.reachable([total.node]) if n.id in level]
        level[leaf_id] = 1 + max(below, default=-1)
    count = 1 + max(level.values(), default=-1)
    return tuple(
        tuple(total for leaf_id, total in totals.items() if level[leaf_id] == k)
        for k in range(count)
    )


class RowValue(Operators, Methods, Reductions, Protocols):
    """A value in a row function: one per element of the row, or one for the whole row."""

    __slots__ = ("node", "run")

    __nbgraph_priority__ = 50
    __nbgraph_remedy__ = "write it with elementwise operators, sums and extremes of the row"
    shape, ndim = None, 1
    traced = True  # it may also be a parameter of a nested row operator

    def __init__(self, trace: Trace, node: Node) -> None:
        self.run, self.node = trace, node

    @classmethod
    def __nbgraph_call__(
        cls, op: Any, operands: Sequence[Any], attributes: Attributes, out: Any
    ) -> Any:
        """Record an operator; see `nbgraph.operator.call`."""
        (trace, *_) = (value.run for value in operands if isinstance(value, RowValue))
        if out is not None and any(o is not None for o in out):
            trace.refuse(f"{op.__name__} with out", "use what it returns")
        return trace.apply(op, operands, attributes)

    def __array_function__(
        self, func: Function, types: Iterable[type], args: Sequence[Any], kwargs: Mapping[str, Any]
    ) -> Any:
        """Accept NumPy's functions that the library supports for rows, and the norm of a vector."""
        own = {np.linalg.norm: ops.norm, np.clip: ops.clip}.get(func)
        try:
            if own is not None:
                return own(*args, **kwargs)
            return super().__array_function__(func, types, args, kwargs)
        except (UnknownShape, AttributeError, TypeError) as problem:
            if isinstance(problem, CaptureError):
                raise
            self.run.not_a_part(f"{func.__module__}.{func.__name__} with these arguments")

    @property
    def size(self) -> RowValue:
        """The number of elements of the row."""
        return RowValue(self.run, self.run.count)

    def __getitem__(self, key: Any) -> RowValue:
        """Return the element at an index: an int, or an operand with one integer per row."""
        trace, graph = self.run, self.run.graph
        if isinstance(key, RowValue) and not trace.varies(key.node):
            place = graph.cast(key.node, "int32")
            trace.labels |= {str(n.data) for n in graph.reachable([place]) if n.op == "arg"}
        elif not isinstance(key, int):
            trace.refuse(
                f"{key!r} is used as an index",
                "a row function takes one element, at an int or at an operand in per_row",
            )
        elif key < 0:
            place = graph.cast(graph.arithmetic("add", trace.count, graph.const(key)), "int32")
        else:
            place = graph.const(key)
        here = graph.compare("eq", trace.index, place)
        picked = graph.select(here, graph.float(self.node), graph.const(0.0))
        return RowValue(trace, trace.total("add", picked))

    def __repr__(self) -> str:
        return f"<{'element' if self.run.varies(self.node) else 'total'} in {self.run.name}>"

    def __bool__(self) -> NoReturn:  # noqa: PLE0304  (it refuses)
        self.run.refuse(
            "the truth of a traced value is asked for (if, while, and, or, min, max)",
            "choose by ng.where, ng.maximum or ng.minimum, or write the branch as a scalar "
            "function with @ng.op and call that",
        )

    def __float__(self) -> NoReturn:
        self.run.refuse(
            "a traced value is used where Python needs a number",
            "use functions of NumPy or ng, or decorate the helper that does so with @ng.op",
        )

    __int__ = __index__ = __float__  # type: ignore[assignment]

    def __iter__(self) -> NoReturn:
        self.run.refuse("a row is iterated", "write x.sum(), x.max(), and so on")

    def __len__(self) -> NoReturn:  # noqa: PLE0303  (it refuses)
        self.run.refuse("len() of a row, which differs from call to call", "write x.size")


class Mathematics:
    """The module `math` for row functions: the library's operators on arrays and traced values."""

    def __getattr__(self, name: str) -> Any:
        own = getattr(math, name)
        if not callable(own):
            return own

        def function(*operands: Any) -> Any:
            if all(isinstance(v, (bool, int, float)) for v in operands):
                return own(*operands)
            return getattr(ops, _MATH.get(name, name))(*operands)

        return function


def runnable(fn: Function) -> Function:
    """Return the function with a `math` that accepts rows."""
    if not isinstance(fn, types.FunctionType) or fn.__globals__.get("math") is not math:
        return fn
    names = fn.__globals__ | {"math": Mathematics()}
    moved = types.FunctionType(fn.__code__, names, fn.__name__, fn.__defaults__, fn.__closure__)
    moved.__kwdefaults__ = fn.__kwdefaults__
    return moved
