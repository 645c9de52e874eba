"""Plans: what is compiled for a stretch of nodes, found again by their structures.

A plan knows no batch. It is a graph over what the stretch is given, with the values that are asked
for and those that gradients read as heads; and for each way in which gradients come and go another
graph, made by the operators' gradients in the order in which the nodes would pass them on.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence
from typing import Any, NamedTuple

from nbgraph.errors import DerivativeError
from nbgraph.executor.function import Function
from nbgraph.executor.split import split
from nbgraph.graph import build
from nbgraph.graph.build import GraphNode, Operand
from nbgraph.graph.graph import Entry, Graph, spec_of
from nbgraph.graph.passes.gradient import uniform
from nbgraph.graph.passes.reverse import Value, in_gradients
from nbgraph.nodes.functions import operator_of
from nbgraph.ops.elementwise.arithmetic import add

_MOST = 256  # plans kept, least recently used first out
_PLANS: OrderedDict[Any, Plan] = OrderedDict()
_LOCK = threading.Lock()
_LIMIT = lambda g, bound: min(max(g, -bound), bound)


class Route(NamedTuple):
    """How gradients come into a stretch, and what is wanted of them; numbers of nodes and inputs.

    `ones`: where the pass starts with ones; `seeds`: nodes for which something has come already;
    `before`: inputs for which something has; `retained`: nodes whose gradients are kept.
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
    """Compiled forms of a stretch.

    Parameters
    ----------
    nodes : sequence of OpNode
        Children first; only their structures are kept.
    asked : bytes
        For each node whether its value is a result.
    inputs : sequence of nodes
        The children that are not among the nodes.
    """

    def __init__(
        self, nodes: Sequence[Any], asked: bytes, inputs: Sequence[Any], given: Sequence[Any]
    ) -> None:
        self.variables = [_variable(k, structure) for k, structure in enumerate(given)]
        number = {node.id: k for k, node in enumerate(nodes)}
        outside = {node.id: k for k, node in enumerate(inputs)}
        self.operands = [
            [_place(child, number, outside) for child in node.children] for node in nodes
        ]
        self.trainable = [node.trainable for node in nodes]
        self.input_trainable = [node.trainable for node in inputs]
        self.entries = self._rebuilt([node.structure for node in nodes])
        self.asked = [k for k, flag in enumerate(asked) if flag]
        self.heads: list[Entry] = [self.entries[k] for k in self.asked]
        self.results = Graph(self.heads, self.variables)
        self.differentiable = True
        self._kept: list[Entry] = self._read_back() if any(self.trainable) else []
        self.place = {e: k for k, e in enumerate([*self.heads, *self._kept])}
        self.forward = Function(self.results.with_heads([*self.heads, *self._kept]), "nodes")
        self._backward: dict[Route, Backward] = {}
        self._recall: dict[tuple[int, ...], tuple[Function, list[int]]] = {}

    def _rebuilt(self, structures: Sequence[Any]) -> list[Entry]:
        """The nodes' entries over the variables."""
        made: list[Entry] = []
        for structure, operands in zip(structures, self.operands, strict=True):
            inputs: list[Operand] = list(structure.node.inputs)
            places = [i for i, v in enumerate(inputs) if type(v) is tuple]
            for i, (own, k) in zip(places, operands, strict=True):
                inputs[i] = made[k] if own else (self.variables[k], 0)
            made.append((build.rebuilt(structure.node, inputs), structure.output))
        return made

    def _read_back(self) -> list[Entry]:
        """What gradients read, besides the heads; nothing where an operator has none."""
        used = {
            k
            for n, operands in enumerate(self.operands)
            if self.trainable[n]
            for own, k in operands
            if own
        }
        ends = [k for k, t in enumerate(self.trainable) if t and k not in used]
        try:
            gradients, _, _ = self._gradients(Route((), tuple(ends), (), (), None))
        except DerivativeError:
            self.differentiable = False
            return []
        known = set(self.heads)
        return [e for e in split(self.results, gradients).kept if e not in known]

    # values that were not asked for -------------------------------------------------------------

    def recall(self, numbers: tuple[int, ...]) -> tuple[Function, list[int]]:
        """The values of nodes, computed from what the stretch was given; which inputs it reads."""
        found = self._recall.get(numbers)
        if found is None:
            graph = Graph([self.entries[k] for k in numbers])
            reads = [self.variables.index(v) for v in graph.variables]
            found = self._recall[numbers] = Function(graph, "values of nodes"), reads
        return found

    # gradients ----------------------------------------------------------------------------------

    def backward(self, route: Route) -> Backward:
        """The gradient graph of a route. DerivativeError where an operator has no gradient."""
        found = self._backward.get(route)
        if found is None:
            found = self._backward[route] = self._made(route)
        return found

    def _made(self, route: Route) -> Backward:
        gradients, retained, inputs = self._gradients(route)
        halves = split(self.results, gradients)
        variables = halves.backward.variables
        names = {v: ("input", k) for k, v in enumerate(self.variables)}
        names |= {_coming(self.entries[k], k): ("seed", k) for k in route.seeds}
        names |= {_before(self.variables[k], k): ("before", k) for k in route.before}
        count = len(variables) - len(halves.kept)
        reads = [names[v] for v in variables[:count]]
        reads += [("value", self.place[entry]) for entry in halves.kept]
        return Backward(Function(halves.backward, "gradients of nodes"), reads, retained, inputs)

    def _gradients(self, route: Route) -> tuple[Graph, list[int], list[int]]:
        """Gradients of retained nodes, then of inputs, over the graph and what comes in; their
        numbers. Contributions are added in the order in which nodes would pass them on."""
        sums: dict[tuple[bool, int], Value] = {}
        others: list[GraphNode] = []
        for k in route.seeds:
            others.append(_coming(self.entries[k], k))
            sums[True, k] = Value.of((others[-1], 0))
        for k in route.before:
            others.append(_before(self.variables[k], k))
            sums[False, k] = Value.of((others[-1], 0))
        for k in route.ones:
            ones = uniform("ones", _spec(self.entries[k]))
            known = sums.get((True, k))
            sums[True, k] = ones if known is None else add(known, ones)
        kept = self._passed_on(route, sums)
        order = sorted(kept)
        inputs = sorted(k for own, k in sums if not own)
        heads = [kept[k].entry for k in order] + [sums[False, k].entry for k in inputs]
        return Graph(heads, [*self.variables, *others]), order, inputs

    def _passed_on(self, route: Route, sums: dict[tuple[bool, int], Value]) -> dict[int, Value]:
        """All nodes' gradients passed on, parents first; those of retained nodes."""
        asked, kept = set(route.retained), {}
        for k in reversed(range(len(self.entries))):
            value = sums.pop((True, k), None)
            if value is None:
                continue
            if route.clip is not None:
                limited: Any = operator_of(_LIMIT)
                value = limited(value, route.clip)
            if k in asked:
                kept[k] = value
            for place, found in self._in_gradients(k, value):
                known = sums.get(place)
                sums[place] = found if known is None else add(known, found)
        return kept

    def _in_gradients(self, number: int, value: Value) -> list[tuple[tuple[bool, int], Value]]:
        node, output = self.entries[number]
        out_grads: list[Value | None] = [None] * node.nout
        out_grads[output] = value
        places = iter(self.operands[number])
        children = [next(places) if type(v) is tuple else None for v in node.inputs]
        wanted = [c is not None and self._flows(*c) for c in children]
        if True not in wanted:
            return []
        found = in_gradients(node, out_grads, wanted)
        return [
            (child, v)
            for child, v in zip(children, found, strict=True)
            if child is not None and v is not None
        ]

    def _flows(self, own: bool, number: int) -> bool:
        return self.trainable[number] if own else self.input_trainable[number]


def _place(child: Any, number: dict[int, int], outside: dict[int, int]) -> tuple[bool, int]:
    own = number.get(child.id)
    return (False, outside[child.id]) if own is None else (True, own)


def _spec(entry: Entry) -> Any:
    found = spec_of(entry)
    assert found is not None, "an entry is no number"
    return found


def _variable(number: int, structure: Any) -> GraphNode:
    """What stands for a given value: the structure's own, if it is a variable."""
    if structure.node.op is None:
        return structure.node
    return build.variable(f"value {number}", structure.shape, structure.dtype)


def _coming(entry: Entry, number: int) -> GraphNode:
    return build.variable(f"gradient {number}", *_spec(entry))


def _before(variable: GraphNode, number: int) -> GraphNode:
    return build.variable(f"gradient of given {number} so far", *_spec((variable, 0)))


def plan_of(nodes: Sequence[Any], asked: bytes, inputs: Sequence[Any], given: Any) -> Plan:
    """The plan for these structures; made where there is none.

    `given`: the structures of the inputs.
    """
    key = tuple([node.structure for node in nodes]), asked, tuple(given)
    with _LOCK:
        found = _PLANS.get(key)
        if found is not None:
            _PLANS.move_to_end(key)
            return found
    made = Plan(nodes, asked, inputs, given)
    with _LOCK:
        found = _PLANS.setdefault(key, made)
        while len(_PLANS) > _MOST:
            _PLANS.popitem(last=False)
    return found
