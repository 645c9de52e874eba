"""The pass that replaces operators by simpler ones with the same value.

>>> import nbgraph as ng
>>> x = ng.var("x", shape=(2, 3), dtype="float32")
>>> y = ng.sin(-(-(x * 1))) - 0.0
>>> simplify(ng.reshape(ng.reshape(y, (6,)), (3, 2)).graph)
%0 = x: float32[2, 3]
%1 = sin(%0): float32[2, 3]
%2 = reshape(%1, shape=(3, 2)): float32[3, 2]
return %2
"""

from collections.abc import Sequence
from typing import Any

from nbgraph.graph.build import GraphNode, Operand, rebuilt
from nbgraph.graph.graph import Entry, Graph
from nbgraph.graph.passes import algebra
from nbgraph.graph.passes.algebra import Rules, log_of_sum
from nbgraph.graph.passes.trivial import (
    Uniform,
    computed,
    element,
    everywhere,
    trivial_outputs,
    with_numbers,
)
from nbgraph.graph.passes.views import dense, simpler
from nbgraph.operator.mapper.mapper import Mapper

_JOIN = ("reshape", "expand_dims", "squeeze")  # views whose chains may hold a copy
_ROUNDS = 8  # a round may enable further rules; each round is linear


def simplify(graph: Graph, *, stable: bool = False, fast: bool = False) -> Graph:
    """Return the graph simplified by rules of arithmetic and of shapes.

    Preserves every value bit for bit (NaNs count as equal), unless `stable` or `fast`. Uniform
    arrays become numbers beside other arrays; results that equal an operand or a number are not
    computed; signs cancel; views and casts without effect vanish, and so do sums over axes of size
    one. The order in memory in which a sum reads its elements is kept; variables are assumed to be
    contiguous. A head does not become a variable, and the copy of a variable stays. `stop_gradient`
    vanishes, as gradients come before this pass. A graph without shapes is returned unchanged.

    `stable`: use forms of equal or better accuracy, as `softplus(x)` for `log(1 + exp(x))`.
    `fast`: treat arithmetic as exact.
    """
    if not graph.typed:
        return graph
    tables = [algebra.exact]
    tables += [algebra.stable] if stable else []
    tables += [algebra.fast] if fast else []
    for _ in range(_ROUNDS):
        before, graph = graph, _Round(graph, tables, stable=stable, fast=fast).graph()
        if graph.heads == before.heads:
            break
    return graph


class _Round:
    """One rewriting of a graph, operands first."""

    def __init__(self, graph: Graph, tables: Sequence[Rules], *, stable: bool, fast: bool) -> None:
        self._graph, self._tables, self._stable, self._fast = graph, tables, stable, fast
        self._uniform: Uniform = {}

    def graph(self) -> Graph:
        """Return the simpler graph."""
        return self._graph.rewrite(self._rule)

    def _rule(self, node: GraphNode, inputs: tuple[Operand, ...]) -> Sequence[Operand] | None:
        if node.op is None or node.token is not None or node.after:
            return None
        values = computed(node, inputs, self._uniform)
        if values is None:
            outputs = self._outputs(node, inputs)
        else:
            assert node.specs is not None, "the graph is typed"
            outputs = [everywhere(v, own) for v, own in zip(values, node.specs, strict=True)]
        for operand in outputs:
            if type(operand) is tuple and operand not in self._uniform:
                value = element(operand[0], self._uniform)
                if value is not None:
                    self._uniform[operand] = value
        return outputs

    def _outputs(self, node: GraphNode, inputs: tuple[Operand, ...]) -> Sequence[Operand]:
        """Return the outputs of a node over new operands, each replaced by a simpler one if any."""
        if isinstance(node.op, Mapper):
            again = rebuilt(node, with_numbers(node, inputs, self._uniform))
            simple_outputs = trivial_outputs(again, self._uniform)
        else:
            again = rebuilt(node, inputs)
            alone = again.nout == 1 and again.inputs
            simple_outputs = [simpler(again, fast=self._fast)] if alone else [None] * again.nout
        outputs: list[Operand] = []
        for k, simple in enumerate(simple_outputs):
            if simple is None and again.nout == 1:
                simple = self._by_rule((again, 0))
            kept = simple is None or not self._may_become((node, k), simple)
            outputs.append((again, k) if kept else simple)  # type: ignore[arg-type]
        return outputs

    def _by_rule(self, entry: Entry) -> Operand | None:
        if self._stable and (simpler_entry := log_of_sum(entry)) is not None:
            return simpler_entry
        for table in self._tables:
            for rule in table(entry[0].op):
                simpler_entry = rule.applied(entry)
                if simpler_entry is not None:
                    return simpler_entry
        return None

    def _may_become(self, entry: Entry, simple: Operand) -> bool:
        """Return whether `simple` may replace an entry: its elements have the same order in memory,
        or only scalar operators read them. A head must not become a variable."""
        if type(simple) is not tuple:
            return False
        head = entry in self._graph.head_set
        if head and simple[0].op is None:
            return False
        op: Any = entry[0].op
        composed = getattr(op, "view", None) is not None and op.__name__ not in _JOIN
        if composed or dense(simple):
            return True
        users = self._graph.users.get(entry, ())
        return not head and all(isinstance(user.op, Mapper) for user, _ in users)
