"""Building an expression graph: its leaves and nodes, the search for equal nodes, and `clear`.

Nodes that are equal, by `hash` and `equal`, are one node. A value is valid for one forward pass; if
it depends on constants only, until `clear`; if these are memoised, beyond `clear`.
"""

import itertools
from collections.abc import Iterable, Sequence
from typing import Any
from weakref import ref

import numpy as np

from nbgraph.array.chunk import CPU
from nbgraph.array.copying import copy_of
from nbgraph.array.core import Array
from nbgraph.array.create import array, initial
from nbgraph.array.push import WEAK
from nbgraph.device import Context, require
from nbgraph.dtype import as_dtype
from nbgraph.errors import ArgumentError, DeviceError, noun
from nbgraph.graph.node import topological
from nbgraph.nodes.classes import FragmentNodeOp
from nbgraph.nodes.expr import Expr
from nbgraph.nodes.leaves import ConstantNode, Parameters, content_of
from nbgraph.nodes.node import FOREVER, NaryNodeOp, require_identity, same
from nbgraph.nodes.opnode import Application, OpNode
from nbgraph.nodes.structure import Structure, applied, trim, variable
from nbgraph.operator.arrays.array_op import Attributes, visible_of
from nbgraph.operator.scalar.typing import as_operand
from nbgraph.settings import config

_owners = itertools.count(1)
_Table = dict[int, list[NaryNodeOp]]


class Building:
    """The part of a graph that creates nodes and looks them up."""

    OF_BATCH = (  # the attributes that `clear` resets
        *("_applied", "_count", "_here", "_nodes", "_numbers", "_removed"),
        *("_runs", "_table", "_tops"),
    )

    def __init__(self, device: Context | None, dtype: Any) -> None:
        self._device = CPU
        self._parameters = Parameters()
        self._owner = next(_owners)
        self.set_device(CPU if device is None else device)
        self.dtype = as_dtype(config.default_float if dtype is None else dtype)
        self._lasting: _Table = {}  # memoised nodes, which `clear` keeps
        self._lasting_applied: dict[Structure, OpNode] = {}
        self._ids = itertools.count()
        self._start()

    def _start(self) -> None:
        trim()
        self._applied: dict[Structure, OpNode] = {}
        self._numbers: dict[int, Structure] = {}  # of nodes that are variables of structures
        self._runs: list[Any] = []  # what the forward passes ran: nodes and segments
        self._nodes: list[NaryNodeOp] = []
        self._table: _Table = {}
        self._here: set[int] = set()  # ids of the nodes of this graph since `clear`
        self._tops: dict[int, NaryNodeOp] = {}
        self._removed: set[int] = set()
        self._count = 0  # nodes that a forward pass has seen

    @property
    def device(self) -> Context:
        """The device of the values."""
        return self._device

    def set_device(self, device: Context) -> None:
        """Set the device, before there are parameters; raise DeviceError if it cannot run nodes."""
        require(device, "ExpressionGraph")
        if device != self._device and self._parameters.by_name:
            raise DeviceError(
                f"set_device: the graph has parameters on {self._device}; choose {device} first"
            )
        self._device = device

    # leaves -------------------------------------------------------------------------------------

    def param(
        self,
        name: str,
        shape: Any,
        init: Any = 0.0,
        *,
        trainable: bool = True,
        fixed: bool = False,
        dtype: Any = None,
    ) -> Expr:
        """Return the parameter of that name in the current namespace; create it if there is none.

        `init`: a number, an array, or a function of shape and dtype. `fixed` is the opposite of
        `trainable`. Raises ShapeError or DTypeError where that parameter has others.
        """
        node, created = self._parameters.get(
            name,
            _shape("param", shape),
            self.dtype if dtype is None else as_dtype(dtype),
            init,
            self._device,
            trainable=trainable and not fixed,
        )
        return Expr(self, self._enter_leaf(node) if created else node)

    def constant(
        self, value: Any, init: Any = None, *, memoise: bool = False, name: str | None = None
    ) -> Expr:
        """Return a constant with this value, or with `init` (see `param`) of this shape.

        `memoise`: the constant, found again by its content, outlives `clear`, and so do values
        computed from such constants only. An NDArray is not copied and must not be written.

        >>> import nbgraph as ng
        >>> graph = ng.ExpressionGraph()
        >>> graph.constant((2, 3), 1.0)
        <expression 0 const: float32[2, 3]>
        """
        if init is not None:
            shape = _shape("constant", value)
            content = (shape, content_of(init)) if memoise else None
            node = self._find_constant(content, shape, self.dtype)
            if node is None:
                content_array = initial("constant", shape, self.dtype, init, self._device)
                node = self._enter_leaf(ConstantNode(content_array, content=content, name=name))
            return self._lasting_expr(node)
        content_array = value if isinstance(value, Array) else array(value, self._literal(value))
        content = content_of(content_array) if memoise else None
        if content_array.device != self._device:
            content_array = copy_of(content_array, device=self._device)
        node = self._find_constant(content, content_array.shape, content_array.dtype)
        if node is None:
            node = self._enter_leaf(ConstantNode(content_array, content=content, name=name))
        return self._lasting_expr(node)

    def _literal(self, value: Any) -> Any:
        """Return the dtype for a Python value: the graph's for floats, None for others."""
        if isinstance(value, (np.ndarray, np.generic)):
            return None
        values = np.asarray(as_operand("constant", "value", value))
        return self.dtype if values.dtype.kind == "f" else None

    def _find_constant(self, content: Any, shape: tuple[int, ...], dtype: Any) -> Any:
        """Return the memoised constant of that content, or None."""
        if content is None:
            return None
        for node in self._lasting.get(hash((shape, dtype.num, content)), ()):
            if isinstance(node, ConstantNode) and node.content == content and node.shape == shape:
                return node
        return None

    def _enter_leaf(self, node: Any) -> Any:
        """Add a leaf to this graph and return it."""
        node.owner, node.id = self._owner, next(self._ids)
        if node.memoise == FOREVER:
            self._lasting.setdefault(node.hash(), []).append(node)
        return node

    def _lasting_expr(self, node: NaryNodeOp) -> Expr:
        self._here.add(node.id)
        return Expr(self, node)

    # nodes --------------------------------------------------------------------------------------

    def add(self, node: NaryNodeOp) -> Expr:
        """Add a node to the graph; return its expression, or that of an equal node.

        Raises ArgumentError where its class has attributes but not `hash` and `equal`, or where a
        child is not of this graph.
        """
        if not isinstance(node, NaryNodeOp):
            raise ArgumentError(
                f"add: {node!r} is {noun(node)}; expected a node, such as an instance "
                "of a class derived from ng.NaryNodeOp"
            )
        if node.owner == self._owner:
            self.require("add", node)
            return self._expr(node)
        for child in node.children:
            self.require(node.type(), child)
        if isinstance(node, FragmentNodeOp):
            return node.defined(map(self._expr, node.children))
        require_identity(node)
        return self.enter(node)

    def apply(self, op: Any, operands: Sequence[Any], attributes: Attributes) -> list[Expr]:
        """Return the visible outputs of an operator over nodes of this graph and numbers."""
        inputs = [v if type(v) in WEAK else v.structure or self.structure_of(v) for v in operands]
        structures = applied(op, inputs, attributes)
        if structures is None:
            one = Application() if op.nout > 1 else None
            nodes = [OpNode(op, operands, attributes, k, None, one) for k in range(visible_of(op))]
            return [self.enter(node) for node in nodes]
        outputs: list[Expr] = []
        for k, structure in enumerate(structures[: visible_of(op)]):
            table = self._lasting_applied if structure.memoise == FOREVER else self._applied
            node = table.get(structure)
            if node is None:
                node = table[structure] = OpNode(op, operands, attributes, k, structure)
                node.owner, node.id = self._owner, next(self._ids)
                self._place(node)
            elif node.id not in self._here:
                self._restore(node)
            outputs.append(self._expr(node))
        return outputs

    def structure_of(self, node: NaryNodeOp) -> Structure:
        """Return a node's structure, or a variable where it has none, numbered by the node's id if
        that is memoised, else by a count since `clear`."""
        own = node.structure or self._numbers.get(node.id)
        if own is None:
            lasting = node.memoise == FOREVER
            name = f"memo {node.id}" if lasting else f"given {len(self._numbers)}"
            own = variable(name, node._layout, node.trainable, node.memoise)
            self._numbers[node.id] = own
        return own

    def _expr(self, node: NaryNodeOp) -> Expr:
        """Return the expression of a node, the same object as long as the user holds it."""
        handle = node.handle()
        if handle is None:
            handle = Expr(self, node)
            node.handle = ref(handle)
        return handle

    def enter(self, node: NaryNodeOp) -> Expr:
        """Add a node without checks; return its expression, or that of an equal node."""
        key = node.hash()
        table = self._lasting if node.memoise == FOREVER else self._table
        row = table.get(key)
        if row is None:
            row = table[key] = []
        for other in row:
            if same(node, other) and node.equal(other):
                if other.id not in self._here:
                    self._restore(other)
                return self._expr(other)
        row.append(node)
        node.owner, node.id = self._owner, next(self._ids)
        self._place(node)
        return self._expr(node)

    def _place(self, node: NaryNodeOp) -> None:
        self._nodes.append(node)
        self._here.add(node.id)
        if not node.leaf:
            self._tops[node.id] = node
        for child in node.children:
            self._tops.pop(child.id, None)

    def _restore(self, node: NaryNodeOp) -> None:
        """Bring a memoised node and its operands back into the graph after `clear`."""
        for one in topological([node]):
            if one.id not in self._here:
                self._here.add(one.id) if one.leaf else self._place(one)

    def require(self, who: str, node: NaryNodeOp) -> None:
        """Raise ArgumentError unless the node is in this graph now."""
        if node.owner == self._owner:
            if node.id in self._here or node.leaf:
                return
            if node.memoise == FOREVER:
                self._restore(node)
                return
            why = "was there before clear(); build it again"
        else:
            why = "is of another graph" if node.owner else "was not added to a graph; use graph.add"
        raise ArgumentError(f"{who}: {node!r} {why}")

    @property
    def nodes(self) -> list[Expr]:
        """Everything added since `clear`, children first; leaves are not listed."""
        return [self._expr(node) for node in self._nodes]

    def __len__(self) -> int:
        return len(self._nodes)

    def top_nodes(self) -> list[Expr]:
        """Return the nodes that are operands of no other node, without those removed as roots."""
        return [self._expr(n) for n in self._tops.values() if n.id not in self._removed]

    def remove_as_root(self, expr: Expr) -> Expr:
        """Exclude a node that no other node reads from the starts of gradients; return it."""
        self.require("remove_as_root", expr.node)
        self._removed.add(expr.node.id)
        return expr

    def clear(self) -> None:
        """Forget all nodes except parameters and memoised ones."""
        for node in self._nodes:
            if node.memoise == FOREVER:
                node.retained = False
        self._start()


def _shape(who: str, shape: Any) -> tuple[int, ...]:
    sizes: Sequence[Any] = tuple(shape) if isinstance(shape, Iterable) else (shape,)
    if not all(isinstance(n, (int, np.integer)) and n >= 0 for n in sizes):
        raise ArgumentError(f"{who}: shape={shape!r}; expected whole numbers from 0")
    return tuple(int(n) for n in sizes)
