"""Plans: the compiled forms of segments of nodes, cached by the structures of the nodes.

A plan holds no values of a batch. It is a graph over the segment's inputs, whose heads are the
results and the values that gradients read; and for each `Route` a graph of the gradients, which are
added up in the order in which single nodes would pass them on.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from nbgraph.errors import DerivativeError
from nbgraph.executor.function import Function
from nbgraph.executor.split import split
from nbgraph.graph import build
from nbgraph.graph.build import GraphNode, Operand
from nbgraph.graph.graph import Entry, Graph, spec
from nbgraph.graph.passes.gradient import flow, uniform
from nbgraph.graph.passes.reverse import Value
from nbgraph.nodes.functions import operator_of
from nbgraph.ops.elementwise.arithmetic import add
from nbgraph.scopes import forkable

_MOST = 256  # plans; the least recently used is dropped first
_PLANS: OrderedDict[Any, Plan] = OrderedDict()
_LOCK = forkable(threading.Lock())
_LIMIT = lambda g, bound: min(max(g, -bound), bound)


class Route(NamedTuple):
    """The gradients that a segment begins with and those that it keeps, as numbers of nodes and
    inputs.

    `ones`: nodes where the pass starts with ones; `seeds`: nodes that have a gradient already;
    `before`: inputs that have one already; `retained`: nodes whose gradients are kept.
    """

    ones: tuple[int, ...]
    seeds: tuple[int, ...]
    before: tuple[int, ...]
    retained: tuple[int, ...]
    clip: float | None


class Backward(NamedTuple):
    """A gradient graph; `reads`: sort and number of each of its arrays."""

    function: Function
    reads: Sequence[tuple[str, int]]
    retained: Sequence[int]
    inputs: Sequence[int]


class Plan:
    """Compiled forms of a segment.

    `nodes`: children first; only their structures are kept. `asked`: for each node whether its
    value is a result. `inputs`: the children that are not among the nodes.
    """

    def __init__(
        self, nodes: Sequence[Any], asked: bytes, inputs: Sequence[Any], structures: Sequence[Any]
    ) -> None:
        self.variables = [_variable(k, structure) for k, structure in enumerate(structures)]
        outside = {node.id: (v, 0) for node, v in zip(inputs, self.variables, strict=True)}
        self.entries = _rebuilt(nodes, outside)
        entries = [*self.entries, *outside.values()]
        trainable = [node.trainable for node in (*nodes, *inputs)]
        self.useful = {e for e, flows in zip(entries, trainable, strict=True) if flows}
        self.asked = [k for k, flag in enumerate(asked) if flag]
        self.heads: list[Entry] = [self.entries[k] for k in self.asked]
        self.results = Graph(self.heads, self.variables)
        self.differentiable = True
        self._residuals: list[Entry] = []  # values that gradients read besides the heads
        used = {v for node, k in self.entries if (node, k) in self.useful for v in node.inputs}
        ends = [k for k, e in enumerate(self.entries) if e in self.useful and e not in used]
        try:
            if ends:
                gradients, _, _ = self._gradients(Route((), tuple(ends), (), (), None))
                heads = set(self.heads)
                self._residuals = [e for e in split(self.results, gradients).kept if e not in heads]
        except DerivativeError:
            self.differentiable = False
        self.place = {e: k for k, e in enumerate([*self.heads, *self._residuals])}
        self.forward = Function(self.results.with_heads([*self.heads, *self._residuals]), "nodes")
        self._backward: dict[Route, Backward] = {}
        self._recall: dict[tuple[int, ...], tuple[Function, list[int]]] = {}

    # values that are not results ----------------------------------------------------------------

    def recall(self, numbers: tuple[int, ...]) -> tuple[Function, list[int]]:
        """Return the function for the values of nodes, and which inputs it reads."""
        entry = self._recall.get(numbers)
        if entry is None:
            graph = Graph([self.entries[k] for k in numbers])
            reads = [self.variables.index(v) for v in graph.variables]
            entry = self._recall[numbers] = Function(graph, "values of nodes"), reads
        return entry

    # gradients ----------------------------------------------------------------------------------

    def backward(self, route: Route) -> Backward:
        """Return the gradient graph of a route; raise DerivativeError if an operator has none."""
        gradients = self._backward.get(route)
        if gradients is None:
            gradients = self._backward[route] = self._new_backward(route)
        return gradients

    def _new_backward(self, route: Route) -> Backward:
        gradients, retained, inputs = self._gradients(route)
        halves = split(self.results, gradients)
        variables = halves.backward.variables
        names = {v: ("input", k) for k, v in enumerate(self.variables)}
        names |= {_seed_variable(self.entries[k], k): ("seed", k) for k in route.seeds}
        names |= {_earlier_gradient(self.variables[k], k): ("before", k) for k in route.before}
        count = len(variables) - len(halves.kept)
        reads = [names[v] for v in variables[:count]]
        reads += [("value", self.place[entry]) for entry in halves.kept]
        return Backward(Function(halves.backward, "gradients of nodes"), reads, retained, inputs)

    def _gradients(self, route: Route) -> tuple[Graph, list[int], list[int]]:
        """Return a graph of the gradients of retained nodes, then of inputs, whose variables are
        inputs and incoming gradients; then the numbers of these nodes and inputs."""
        sums: dict[Entry, Value] = {}
        others: list[GraphNode] = []
        for k in route.seeds:
            others.append(_seed_variable(self.entries[k], k))
            sums[self.entries[k]] = Value.of((others[-1], 0))
        for k in route.before:
            others.append(_earlier_gradient(self.variables[k], k))
            sums[self.variables[k], 0] = Value.of((others[-1], 0))
        for k in route.ones:
            ones = uniform("ones", spec(self.entries[k]))
            former = sums.get(self.entries[k])
            sums[self.entries[k]] = ones if former is None else add(former, ones)
        numbers = {self.entries[k]: k for k in route.retained}
        retained: dict[int, Value] = {}

        def passing(entry: Entry, value: Value) -> Value:
            if route.clip is not None:
                limited: Any = operator_of(_LIMIT)
                value = limited(value, route.clip)
            if entry in numbers:
                retained[numbers[entry]] = value
            return value

        flow([node for node, _ in self.entries], self.useful, sums, passing)
        order = sorted(retained)
        inputs = [k for k, v in enumerate(self.variables) if (v, 0) in sums]
        heads = [retained[k].entry for k in order]
        heads += [sums[self.variables[k], 0].entry for k in inputs]
        return Graph(heads, [*self.variables, *others]), order, inputs


def _rebuilt(nodes: Sequence[Any], outside: Mapping[int, Entry]) -> list[Entry]:
    """Return the entries of nodes over those of other nodes, which `outside` has by id."""
    entries = dict(outside)
    for node in nodes:
        own, children = node.structure, iter(node.children)
        inputs: list[Operand] = [
            entries[next(children).id] if type(v) is tuple else v for v in own.node.inputs
        ]
        entries[node.id] = build.rebuilt(own.node, inputs), own.output
    return [entries[node.id] for node in nodes]


def _variable(number: int, structure: Any) -> GraphNode:
    """Return the variable for an input: the structure's own, if it is a variable."""
    if structure.node.op is None:
        return structure.node
    return build.variable(f"value {number}", structure.shape, structure.dtype)


def _seed_variable(entry: Entry, number: int) -> GraphNode:
    return build.variable(f"gradient {number}", *spec(entry))


def _earlier_gradient(variable: GraphNode, number: int) -> GraphNode:
    return build.variable(f"gradient of given {number} so far", *spec((variable, 0)))


def plan_of(nodes: Sequence[Any], asked: bytes, inputs: Sequence[Any], structures: Any) -> Plan:
    """Return the plan for these structures, a new one where there is none.

    `structures`: those of the inputs.
    """
    key = tuple([node.structure for node in nodes]), asked, tuple(structures)
    with _LOCK:
        plan = _PLANS.get(key)
        if plan is not None:
            _PLANS.move_to_end(key)
            return plan
    candidate = Plan(nodes, asked, inputs, structures)
    with _LOCK:
        plan = _PLANS.setdefault(key, candidate)
        while len(_PLANS) > _MOST:
            _PLANS.popitem(last=False)
    return plan
