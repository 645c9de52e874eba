"""The boxes of a picture: one for each node, as data, for graphs of all kinds.

>>> import nbgraph as ng
>>> x = ng.var("x", shape=(3,))
>>> [(box.family, box.lines) for box in of_graph(ng.sum(x * 2.0).graph)]  # doctest: +ELLIPSIS
[('variable', ('x', 'float32[3]')), ('mapper', ('multiply(·, 2.0)', 'float32[3]')), ...]
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from nbgraph.engine.sites import site
from nbgraph.graph.build import GraphNode, has_effect
from nbgraph.graph.constant import CONSTANT
from nbgraph.graph.graph import Graph
from nbgraph.operator.mapper.fused import FusedMapper
from nbgraph.operator.mapper.mapper import Mapper
from nbgraph.operator.rows.map_reduce import MapReduce
from nbgraph.ops.families import ARRAY_FAMILIES

MOST = 400  # boxes of a picture; of a larger graph the first and the last are shown
_REDUCTIONS = frozenset(
    name
    for family, names in ARRAY_FAMILIES.items()
    if family.startswith("reductions.")
    for name in names.split()
)
_SHOWN = 40  # characters of a line


@dataclass(frozen=True, slots=True)
class Box:
    """A box for a node: its texts, and the boxes whose results it reads.

    `family`: a key of `drawing.COLOURS`. `lines`: operator, the user's name, dtype and shape.
    `reads`: numbers of boxes before it, and which of their outputs where there are several.
    `after`: boxes that must have run before, though nothing of them is read. `marks`: "trainable",
    "state", "result", "gradient: write", ... `again`: whether it repeats the computation of
    another one. `hint`: attributes, and the line of the user's code.
    """

    name: str
    family: str
    lines: tuple[str, ...]
    reads: tuple[tuple[int, str], ...] = ()
    after: tuple[int, ...] = ()
    marks: tuple[str, ...] = ()
    again: bool = False
    hint: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Return the box as plain values."""
        return asdict(self)


def of_graph(graph: Graph, marks: Mapping[GraphNode, str] | None = None) -> list[Box]:
    """Return the boxes of a graph, operands first; `marks`: further marks of some nodes."""
    number = {node: k for k, node in enumerate(graph.nodes)}
    names = graph.names
    results = {node for node, _ in graph.heads}
    labels = {node: [text] for node, text in (marks or {}).items()}
    for node in _states(graph):
        labels.setdefault(node, []).append("state")
    for node in results:
        labels.setdefault(node, []).append("result")
    return [_box(node, names[node], number, tuple(labels.get(node, ()))) for node in graph.nodes]


def _box(
    node: GraphNode, name: str, number: Mapping[GraphNode, int], marks: tuple[str, ...]
) -> Box:
    reads = tuple((number[n], f"[{k}]" if n.nout > 1 else "") for n, k in node.entries)
    own = [node.name] if node.name and node.op is not None else []
    types = [str(s) for s in node.specs] if node.specs is not None else ["shape not known"]
    lines = [_short(line) for line in (_title(node, name), *own, ", ".join(dict.fromkeys(types)))]
    again = node.token is not None and node.token[0] == "again"
    after = tuple(number[n] for n in node.after if n in number)
    return Box(name, family(node), tuple(lines), reads, after, marks, again, _hint(node, name))


def family(node: GraphNode) -> str:
    """Return the kind of operation that a node is.

    >>> import nbgraph as ng
    >>> x = ng.var("x", shape=(2, 3))
    >>> [family(y.node) for y in (x, ng.sin(x), ng.mean(x), x.T, x @ x.T)]
    ['variable', 'mapper', 'reduction', 'view', 'array operator']
    """
    op = node.op
    if op is None:
        return "variable"
    if op is CONSTANT:
        return "constant"
    if has_effect(op):
        return "effect"
    if isinstance(op, (FusedMapper, MapReduce)):
        return "fused"
    if isinstance(op, Mapper):
        return "mapper"
    if op.view is not None:
        return "view"
    if op.constant is not None:
        return "constant"
    return "reduction" if op.__name__ in _REDUCTIONS else "array operator"


def _states(graph: Graph) -> list[GraphNode]:
    return [
        operand[0]
        for node in graph.nodes
        for name, operand in zip(getattr(node.op, "operands", ()), node.inputs, strict=False)
        if name in getattr(node.op, "auxiliary", ()) and type(operand) is tuple
    ]


def _title(node: GraphNode, name: str) -> str:
    if node.op is None:
        return name
    if node.op is CONSTANT:
        return f"{node.attributes['value']!r}"
    operands = ["·" if type(v) is tuple else repr(v) for v in node.inputs]
    numbers = any(text != "·" for text in operands)
    return node.op.__name__ + (f"({', '.join(operands)})" if numbers else "")


def _hint(node: GraphNode, name: str) -> str:
    lines = [name]
    if node.op is not None and node.op is not CONSTANT:
        lines += [f"{key}={value!r}" for key, value in node.attributes.items()]
    if node.line is not None:
        lines.append(str(site(*node.line)))
    return "\n".join(lines)


def _short(line: str) -> str:
    return line if len(line) <= _SHOWN else f"{line[: _SHOWN - 1]}…"


def of_expressions(nodes: Sequence[Any]) -> list[Box]:
    """Return the boxes of nodes of an expression graph, children first."""
    number = {id(node): k for k, node in enumerate(nodes)}
    return [_expression(node, number) for node in nodes]


def _expression(node: Any, number: Mapping[int, int]) -> Box:
    kind = node.type()
    names = [node.name] if node.name else []
    lines = [_short(line) for line in (kind, *names, f"#{node.id} {node.dtype}{list(node.shape)}")]
    label = "mapper" if isinstance(getattr(node, "op", None), Mapper) else "array operator"
    if not node.children:
        label = "variable" if node.trainable or kind == "param" else "constant"
    elif kind in _REDUCTIONS:
        label = "reduction"
    reads = tuple((number[id(c)], "") for c in node.children)
    marks = ("trainable",) if node.trainable else ()
    return Box(f"#{node.id}", label, tuple(lines), reads, (), marks, False, f"#{node.id} {kind}")


def cut(boxes: Sequence[Box], most: int = MOST) -> list[Box]:
    """Return all boxes, or of more than `most` the first and the last, with a note in between.

    >>> chain = [Box(str(k), "mapper", ("f",), ((k - 1, ""),) if k else ()) for k in range(9)]
    >>> [(box.lines[0], box.reads) for box in cut(chain, 4)]  # doctest: +NORMALIZE_WHITESPACE
    [('f', ()), ('f', ((0, ''),)), ('5 of 9 nodes are left out', ((1, ''),)),
     ('f', ((2, ''),)), ('f', ((3, ''),))]
    """
    if len(boxes) <= most:
        return list(boxes)
    head = most - most // 2
    gone = len(boxes) - most
    place = {k: k if k < head else max(k - gone + 1, head) for k in range(len(boxes))}
    hidden = [box for k, box in enumerate(boxes) if head <= k < head + gone]
    read = {place[k] for box in hidden for k, _ in box.reads} - {head}
    text = f"{gone} of {len(boxes)} nodes are left out"
    note = Box("left out", "note", (text,), tuple((k, "") for k in sorted(read)))
    kept = [
        replace(
            box,
            reads=tuple(dict.fromkeys((place[k], which) for k, which in box.reads)),
            after=tuple(place[k] for k in box.after),
        )
        for box in [*boxes[:head], *boxes[head + gone :]]
    ]
    return [*kept[:head], note, *kept[head:]]
