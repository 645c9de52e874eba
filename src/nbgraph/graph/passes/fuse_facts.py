"""Facts about nodes for fusion: whether a node may share a loop, and its cost there."""

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from nbgraph.dtype import is_float, name_of
from nbgraph.graph.build import GraphNode
from nbgraph.graph.graph import Entry, Graph, spec, spec_of
from nbgraph.kernels.loops.body import TRIGONOMETRIC
from nbgraph.operator.arrays.array_op import Spec
from nbgraph.operator.mapper.fused import narrow
from nbgraph.operator.mapper.mapper import Mapper
from nbgraph.operator.rows.reduce_op import ReduceOp
from nbgraph.operator.scalar.typing import common_dtype

_SHORT = 64  # elements of a reduced run below which fusion costs more than it saves
_FREE = ("arg", "param", "const")  # scalar nodes that compute nothing
_CALL, _TRIGONOMETRIC = 2, 16
_SLOW = frozenset(("extern", "final"))  # calls and loops that keep their loop from being vectorised


class Facts(NamedTuple):
    """A node that may share a loop; `problem` says why one may not.

    `compute` is the precision of its floats ("float32", "float64", None without floats), `scalars`
    its number of scalar operations, `axes` the trailing axes it reduces (0: none).
    """

    shape: tuple[int, ...] = ()
    compute: str | None = None
    scalars: int = 0
    axes: int = 0
    problem: str | None = None


_WHOLE = Facts(problem="works on whole arrays")
_VARIABLE = Facts(problem="is given")


class Knowledge:
    """A cache of facts about nodes, by operator and dtypes."""

    def __init__(self) -> None:
        self._scalars: dict[Any, tuple[str | None, int, str | None]] = {}

    def of(self, node: GraphNode) -> Facts:
        """Return the facts of a typed node."""
        if isinstance(node.op, Mapper):
            return self._map(node, node.op)
        if isinstance(node.op, ReduceOp) and node.op.combine and not node.op.averages:
            return _reduction(node)
        return _VARIABLE if node.op is None else _WHOLE

    def _map(self, node: GraphNode, op: Mapper) -> Facts:
        assert node.specs is not None, f"{node!r} has no shapes yet"
        values = values_of(node)
        weak = tuple(v if isinstance(v, np.dtype) else type(v) for v in values)
        key = op, weak, tuple(node.attributes.items())
        facts = self._scalars.get(key)
        if facts is None:
            typed = op.invoker.plan_of(values, node.attributes).typed
            nodes = typed.captured.graph.reachable(typed.captured.outputs)
            compute = typed.compute if "f" in [n.kind for n in nodes] else None
            problem = None
            if op.fastmath:
                problem = "may be reordered (fastmath)"
            elif not _SLOW.isdisjoint([n.op for n in nodes]):
                problem = "has a loop or a call inside, which would not vectorise"
            elif op.__name__.startswith("nextafter") and any(map(narrow, typed.outputs)):
                problem = "steps in 16 bits, which a loop does not keep"
            facts = self._scalars[key] = compute, sum(map(_weight, nodes)), problem
        compute, scalars, problem = facts
        return Facts(node.specs[0].shape, compute, scalars, 0, problem or _too_large(op, values))


def values_of(node: GraphNode) -> list[Any]:
    """Return the dtypes of array operands, and number operands unchanged."""
    specs = [spec_of(operand) for operand in node.inputs]
    return [
        operand if spec is None else spec.dtype
        for spec, operand in zip(specs, node.inputs, strict=True)
    ]


def _weight(node: Any) -> int:
    """Return the weight of a scalar node in operations, by the time that it takes to compile. A
    trigonometric function is compiled twice, for moderate arguments and for all."""
    if node.op == "call":
        return _TRIGONOMETRIC if node.data in TRIGONOMETRIC else _CALL
    return int(node.op not in _FREE)


def _too_large(op: Mapper, values: Sequence[Any]) -> str | None:
    """Return why a comparison with an integer beyond its operand's dtype fits no loop, or None."""
    if not any(type(v) is int for v in values):
        return None
    common = common_dtype(op.scalar, values)
    if common.kind not in "iu":
        return None
    info = np.iinfo(common)
    inside = all(info.min <= v <= info.max for v in values if type(v) is int)
    return None if inside else f"compares with a number that {common} does not hold"


# reductions -------------------------------------------------------------------------------------


def _reduction(node: GraphNode) -> Facts:
    spec = spec_of(node.inputs[0])
    assert spec is not None, "a reduction reduces an array"
    axes = trailing(reduced_axes(node, spec), len(spec.shape))
    run = math.prod(spec.shape[len(spec.shape) - axes :])
    problem = None
    if not axes:
        problem = "reduces other axes than the last ones"
    elif math.prod(spec.shape) == 0:
        problem = "reduces no elements"
    elif run < _SHORT and axes < len(spec.shape):
        problem = f"reduces runs of {run} elements, which are too short"
    elif not _plain(node, spec):
        problem = f"reduces {spec.dtype} in another precision"
    compute = name_of(spec.dtype) if is_float(spec.dtype) else None
    return Facts(spec.shape, compute, 1, axes, problem)


def reduced_axes(node: GraphNode, spec: Spec) -> tuple[int, ...]:
    """Return the axes of its operand that a reduction reduces, in order."""
    op: Any = node.op
    axes: tuple[int, ...] = op.axes(spec.shape, node.attributes)
    return axes


def trailing(axes: Sequence[int], ndim: int) -> int:
    """Return how many axes there are, if they are the last ones; else 0.

    >>> trailing((1, 2), 3), trailing((0, 2), 3), trailing((), 3)
    (2, 0, 0)
    """
    return len(axes) if list(axes) == list(range(ndim - len(axes), ndim)) else 0


def _plain(node: GraphNode, spec: Spec) -> bool:
    """Return whether a loop reduces in the dtype that the operator reduces in."""
    dtype = node.attributes.get("dtype")
    if is_float(spec.dtype):
        return name_of(spec.dtype) in ("float32", "float64") and dtype in (None, spec.dtype)
    return dtype is None and spec.dtype.kind != "b" and "shape" not in node.attributes


class Loop(NamedTuple):
    """A fused node: its members, their number of scalar operations, and the outputs of members that
    are its own outputs, in order."""

    node: GraphNode
    members: tuple[GraphNode, ...]
    scalars: int
    outputs: tuple[Entry, ...]

    @property
    def saved_bytes(self) -> int:
        """The bytes that separate nodes read and write beyond those of the loop."""
        before = sum(
            spec(e).nbytes
            for m in self.members
            for e in (*dict.fromkeys(m.entries), *((m, k) for k in range(m.nout)))
        )
        return before - sum(spec(e).nbytes for e in (*self.node.entries, *self.outputs))


class Fusion:
    """The result of fusion: the loops, and the reasons why neighbours were not fused.

    `loops`: one Loop for each fused node. `apart`: (producer, consumer) -> reason, for nodes of the
    original graph.
    """

    def __init__(
        self, graph: Graph, loops: list[Loop], apart: Mapping[tuple[GraphNode, GraphNode], str]
    ) -> None:
        self.graph, self.loops, self.apart = graph, tuple(loops), apart

    @property
    def saved_bytes(self) -> int:
        """Of memory traffic."""
        return sum(loop.saved_bytes for loop in self.loops)

    def loop_of(self, node: GraphNode) -> Loop | None:
        """Return the loop that a node of the graph before is part of, or a fused node itself."""
        return next((lo for lo in self.loops if node is lo.node or node in lo.members), None)

    def to_dict(self) -> dict[str, Any]:
        """Return everything, as plain values."""
        names = self.graph.names
        return {
            "saved_bytes": self.saved_bytes,
            "loops": [
                {
                    "name": loop.node.label,
                    "members": [names[m] for m in loop.members],
                    "scalar_operations": loop.scalars,
                    "outputs": [names[node] for node, _ in loop.outputs],
                    "saved_bytes": loop.saved_bytes,
                }
                for loop in self.loops
            ],
            "apart": [
                {"from": names[a], "to": names[b], "reason": reason}
                for (a, b), reason in self.apart.items()
            ],
        }

    def sections(self) -> list[tuple[str, str]]:
        """Return headings and texts, in order."""
        from nbgraph.picture import columns  # a bind does not load what shows it

        values = self.to_dict()
        loops = [
            [
                loop["name"],
                f"{loop['scalar_operations']} scalar operations",
                f"{loop['saved_bytes']} bytes saved",
                f"{', '.join(loop['members'])} -> {', '.join(loop['outputs'])}",
            ]
            for loop in values["loops"]
        ]
        apart = [[e["from"], "->", e["to"], e["reason"]] for e in values["apart"]]
        return [
            (head, columns(rows)) for head, rows in (("loops", loops), ("apart", apart)) if rows
        ]

    def __repr__(self) -> str:
        from nbgraph.picture import sections

        return sections(self.sections())

    def _repr_html_(self) -> str:
        from nbgraph.picture import html_sections

        return html_sections("fusion", self.sections())
