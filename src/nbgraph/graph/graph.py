"""Graphs: heads over nodes. They are immutable; a pass returns another one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property

from nbgraph.errors import unpicklable
from nbgraph.graph.build import GraphNode, Operand, rebuilt, variable
from nbgraph.graph.listing import drawn, listing
from nbgraph.graph.naming import UNNAMED_CALL, names_of
from nbgraph.graph.node import topological
from nbgraph.operator.arrays.array_op import Spec

Entry = tuple[GraphNode, int]
Moved = dict[Entry, Operand]


class Graph:
    """Heads and the variables that they are computed from.

    `heads`: the results, in order. `variables`: the arguments in the order in which a caller passes
    them, by default in topological order. They stay the graph's arguments even if a pass makes one
    unused.
    """

    def __init__(
        self, heads: Iterable[Entry], variables: Iterable[GraphNode] | None = None
    ) -> None:
        self.heads: tuple[Entry, ...] = tuple(heads)
        self._variables = None if variables is None else tuple(variables)

    __reduce_ex__ = unpicklable(
        "the graph of a symbol", "pickle the Symbol itself; it never changes"
    )

    @cached_property
    def nodes(self) -> tuple[GraphNode, ...]:
        """All nodes that the heads depend on, operands first."""
        return tuple(topological([node for node, _ in self.heads]))

    @cached_property
    def variables(self) -> tuple[GraphNode, ...]:
        """The arguments."""
        if self._variables is not None:
            return self._variables
        return tuple(node for node in self.nodes if node.op is None)

    @cached_property
    def names(self) -> dict[GraphNode, str]:
        """The names of its nodes."""
        return names_of(dict.fromkeys((*self.nodes, *self.variables)))

    @cached_property
    def users(self) -> dict[Entry, list[tuple[GraphNode, int]]]:
        """The readers of an entry: (node, operand index); entries that are only heads have none."""
        users: dict[Entry, list[tuple[GraphNode, int]]] = {}
        for node in self.nodes:
            for i, operand in enumerate(node.inputs):
                if type(operand) is tuple:
                    users.setdefault(operand, []).append((node, i))
        return users

    @cached_property
    def head_set(self) -> frozenset[Entry]:
        """The heads as a set, for look-ups."""
        return frozenset(self.heads)

    @property
    def typed(self) -> bool:
        """Whether all shapes and dtypes are known."""
        return None not in [node.specs for node in self.nodes]

    def with_heads(self, heads: Iterable[Entry]) -> Graph:
        """Return a graph with other heads and the same variables."""
        return Graph(heads, self.variables)

    def rewrite(
        self,
        rule: Callable[[GraphNode, tuple[Operand, ...]], Sequence[Operand] | None],
        moved: Moved | None = None,
    ) -> Graph:
        """Return a rewritten graph: for each node, operands first, `rule(node, new operands)`
        returns replacements of its outputs, or None for the same operator over the new operands.

        `moved` may have initial replacements, and has all replacements afterwards.
        """
        moved = {} if moved is None else moved
        for node in self.nodes:
            if (node, 0) in moved:
                continue
            inputs, same = node.inputs, not node.after
            for k, operand in enumerate(inputs):
                if type(operand) is tuple:
                    other = moved.get(operand, operand)
                    if other != operand:
                        inputs, same = (*inputs[:k], other, *inputs[k + 1 :]), False
            outputs = rule(node, inputs)
            if outputs is not None:
                for k, output in enumerate(outputs):
                    moved[node, k] = output
                continue
            again = node if same or node.op is None else _again(node, inputs, moved)
            for k in range(node.nout):
                moved[node, k] = again, k
        heads = [moved.get(head, head) for head in self.heads]
        return Graph(heads, self.variables)  # type: ignore[arg-type]

    def __repr__(self) -> str:
        return listing(self)

    def _repr_html_(self) -> str:
        return drawn(self)


def _again(node: GraphNode, inputs: tuple[Operand, ...], moved: Moved) -> GraphNode:
    if not node.after:
        return rebuilt(node, inputs)
    after = tuple(_node(moved.get((other, 0), (other, 0))) for other in node.after)
    if after == node.after:
        return rebuilt(node, inputs)
    return rebuilt(node, inputs, after=after)


def _node(operand: Operand) -> GraphNode:
    assert type(operand) is tuple, f"what must run before is the number {operand!r}"
    return operand[0]


def spec_of(operand: Operand) -> Spec | None:
    """Return shape and dtype of an operand, whose node must be typed; None for a number."""
    return spec(operand) if type(operand) is tuple else None


def spec(entry: Entry) -> Spec:
    """Return shape and dtype of an entry of a typed graph."""
    node, index = entry
    assert node.specs is not None, f"{node!r} has no shapes yet"
    return node.specs[index]


def with_variables(
    graph: Graph, replaced: dict[GraphNode, GraphNode], without: object = None
) -> Graph:
    """Return the graph with other variables, inferring shapes again. Nodes of the operator
    `without` are replaced by their first operand."""
    moved: Moved = {(old, 0): (new, 0) for old, new in replaced.items()}
    result = graph.rewrite(
        lambda node, inputs: inputs[:1] if node.op is without and inputs else None, moved
    )
    return Graph(result.heads, [replaced.get(v, v) for v in graph.variables])


def with_names(graph: Graph) -> Graph:
    """Return the graph in which variables of calls without a name have their present names
    permanently, even if nodes are added or removed later."""
    moved: dict[GraphNode, GraphNode] = {}
    for node in graph.variables:
        if UNNAMED_CALL in node.marks:
            marks = {key: value for key, value in node.marks.items() if key != UNNAMED_CALL}
            moved[node] = variable(
                graph.names[node], **node.attributes, marks=marks, line=node.line
            )
    return with_variables(graph, moved) if moved else graph
