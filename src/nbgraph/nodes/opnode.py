"""Nodes made of operators: whatever the library or `@ng.op` has becomes a node of a graph.

Its operations are the operator's kernels, forward and backward. A pass takes the quick ways of
arrays, which give the same bits: values come from routes, and a first contribution to a gradient
is the array that the partial made.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from nbgraph.array import carry, whole
from nbgraph.array.layout import layout
from nbgraph.array.push import WEAK, carried
from nbgraph.errors import DTypeError
from nbgraph.nodes.node import NaryNodeOp
from nbgraph.nodes.nodeop import NodeOp
from nbgraph.nodes.partials import MapPartials, RulePartials, partials_of
from nbgraph.operator.array_op import Spec
from nbgraph.operator.mapper import Mapper

_NOTHING: Mapping[str, Any] = {}


class OpNode(NaryNodeOp):
    """An operator applied to nodes and numbers; of several outputs one."""

    __slots__ = ("key", "operands", "output", "shared")

    def __init__(
        self,
        op: Any,
        operands: Sequence[Any],
        attributes: Mapping[str, Any] = _NOTHING,
        output: int = 0,
    ) -> None:
        self._begin(tuple([v for v in operands if type(v) not in WEAK]), dict(attributes))
        self.op, self.operands, self.output = op, operands, output
        self.shared: Any = None
        self._settle(_inferred(op, operands, attributes)[output])
        if getattr(op, "resources", ()):
            self.memoise = 0  # random numbers are drawn anew
        self.key = self._key()

    def _key(self) -> Any:
        own = tuple([id(v) if type(v) not in WEAK else (type(v), repr(v)) for v in self.operands])
        given = tuple([(n, type(v), _exact(v)) for n, v in self.attributes.items()])
        key = (self.op, self.output, own, given)
        try:
            hash(key)
        except TypeError:  # an attribute that is not hashable: a node of its own
            return (id(self),)
        return (id(self),) if getattr(self.op, "resources", ()) else key

    def type(self) -> str:
        """The operator's name."""
        return str(self.op.__name__)

    def hash(self) -> int:
        """See NaryNodeOp."""
        return hash(self.key)

    def equal(self, other: Any) -> bool:
        """See NaryNodeOp."""
        return self.key == other.key

    # values -------------------------------------------------------------------------------------

    def values(self) -> list[Any]:
        """Arrays and numbers in the operator's order."""
        return [v if type(v) in WEAK else v.val for v in self.operands]

    @property
    def is_view(self) -> bool:
        """Whether the value shares memory with the first child's."""
        return getattr(self.op, "view", None) is not None

    @property
    def own_nbytes(self) -> int:
        """See NaryNodeOp."""
        return 0 if self.is_view else self._layout.nbytes

    def run_forward(self) -> None:
        """Push the kernel; the value is a new array, or a view."""
        apply: Any = carry.apply if isinstance(self.op, Mapper) else whole.apply
        found = apply(self.op, self.values(), self.attributes)
        self._val = found[self.output] if isinstance(found, tuple) else found
        self.ready = True

    def forward_ops(self) -> list[NodeOp]:
        """The operator's kernel; none where the value is a view."""
        if self.is_view:
            return []
        kind = "apply" if self.op.nout > 1 or not isinstance(self.op, Mapper) else "element"
        return [
            NodeOp(
                kind,
                self.op,
                self.val,
                tuple(self.values()),
                parameters=self.attributes,
                options={"output": self.output},
            )
        ]

    # gradients ----------------------------------------------------------------------------------

    def partials(self) -> MapPartials | RulePartials:
        """How gradients flow through the operator."""
        return partials_of(self.op)

    def run_backward(self) -> None:
        """Push the kernels that add to the children's gradients."""
        self.partials().run(self)
        self.shared = None

    def backward_ops(self) -> list[NodeOp | None]:
        """One kernel for each child, None where the operator has no gradient."""
        return self.partials().node_ops(self)


def _exact(value: Any) -> Any:
    return repr(value) if type(value) is float else value  # 0.0 and -0.0 differ, nan is nan


def _inferred(op: Any, operands: Sequence[Any], attributes: Mapping[str, Any]) -> Sequence[Any]:
    """Layouts of the outputs; DTypeError where operands differ in dtype."""
    try:
        key: Any = (
            "inferred",
            *[type(v) if type(v) in WEAK else v._layout for v in operands],
            *attributes.items(),
        )
        found = op.carried.get(key)
    except TypeError:  # an attribute that is not hashable
        key = found = None
    if found is None:
        found = _infer(op, operands, attributes)
        if key is not None:
            if len(op.carried) > 4096:
                op.carried.clear()
            op.carried[key] = found
    return found


def _infer(op: Any, operands: Sequence[Any], attributes: Mapping[str, Any]) -> Sequence[Any]:
    require_common(op, operands)
    if isinstance(op, Mapper):
        return carried(op, operands, attributes).outputs
    specs = op.infer([Spec(v.shape, v.dtype) for v in operands], attributes)
    return [layout(spec.shape, spec.dtype) for spec in specs]


def require_common(op: Any, operands: Sequence[Any]) -> None:
    """DTypeError unless all operands have one dtype. Masks may stand beside them; beside floats an
    operator over whole arrays takes integers, which are indices."""
    mapped = isinstance(op, Mapper)
    given = [(i, v.dtype) for i, v in enumerate(operands) if type(v) not in WEAK]
    kinds = "iufV" if mapped else "fV"
    counted = {dtype for _, dtype in given if dtype.kind in kinds}
    if len(counted) < 2:
        return
    listed = ", ".join(f"child {i}: {dtype}" for i, dtype in given)
    raise DTypeError(
        f"{op.__name__}: the children's dtypes differ ({listed}); a graph does not promote, cast "
        "one of them, as with x.astype(dtype)"
    )
