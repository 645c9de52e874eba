"""Fusion: scalar operators of one iteration shape become one loop, reductions of them its end.

>>> import nbgraph as ng
>>> x = ng.var("x", (1000,), "float32")
>>> y = ng.tanh(x) * 2.0
>>> made = fuse(ng.Group([y, ng.sum(y)]).graph)
>>> [node.label for node in made.nodes]
['x', 'fused_tanh_multiply_1more']
>>> explain_fusion(made).saved_bytes
12000
"""

from __future__ import annotations

import heapq
import re
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from nbgraph.graph.build import GraphNode, Operand, apply, frozen, rebuilt
from nbgraph.graph.graph import Entry, Graph
from nbgraph.graph.node import topological
from nbgraph.graph.passes.fuse_facts import Fusion, Knowledge, Loop, values_of
from nbgraph.graph.passes.fuse_groups import Group, Grouping
from nbgraph.graph.passes.means import as_sum, is_mean
from nbgraph.kernels.function.fused import Source
from nbgraph.operator.mapper.fused import Part
from nbgraph.operator.mapper.fused import fuse as fuse_parts
from nbgraph.operator.mapper.mapper import Mapper
from nbgraph.operator.rows.map_reduce import Reduction, map_reduce_op
from nbgraph.operator.rows.reduce_op import ReduceOp
from nbgraph.operator.scalar.typing import common_dtype
from nbgraph.ops.define import library, operator_of
from nbgraph.ops.elementwise.casting import checkpoint
from nbgraph.settings import config

_REPORTS: WeakKeyDictionary[Graph, Fusion] = WeakKeyDictionary()
_NAMED = 2  # members that a loop is called by
# Scalar operations in loops of one graph that differ, as each is compiled: 1 ms and more for each.
# A network has a few hundred, and layers that are alike count once.
MOST_COMPILED = 2048
_CHECKPOINT = operator_of(checkpoint)


def fuse(
    graph: Graph,
    *,
    limit: int | None = None,
    joint: bool = True,
    forward: Collection[GraphNode] = (),
    loose: Collection[tuple[GraphNode, ...]] = (),
) -> Graph:
    """Scalar operators of one iteration shape in one loop, with several outputs where others read
    more than one value, and with sums, products and extremes over the last axes at its end.

    Every head keeps its bits, except reductions that became part of a loop: sums and products are
    taken in another order. The error of such a sum of n float32 or float64 values is at most
    1024 u S + u |sum|, where S is the sum of their absolute values and u half the distance from 1
    to the next number of their dtype.

    `limit`: scalar operations in one loop, by default the setting `fusion_limit`; 0: nothing is
    fused. `joint=False` keeps the nodes in `forward` out of the loops of others. `loose`: members
    of loops without reductions (`explain_fusion`) that stay one by one all the same. The graph
    must be typed. Once loops that differ have MOST_COMPILED scalar operations in all, further ones
    stay apart: a graph of tens of thousands of operators would compile for minutes.
    `explain_fusion(result)` tells what was done and why not more.
    """
    most: int = config.fusion_limit if limit is None else limit
    if most <= 0:
        return graph
    knowledge = Knowledge()
    plain, moved = _prepared(graph, knowledge)
    apart = set() if joint else set(topological(moved(node) for node in forward))
    grouping = Grouping(plain, most, apart, knowledge)
    emission = _Emission(plain, grouping, frozenset(loose))
    result = emission.result()
    _REPORTS[result] = Fusion(plain, emission.loops, dict(grouping.apart))
    return result


def explain_fusion(graph: Graph) -> Fusion:
    """Return what `fuse` did to give this graph; KeyError for a graph that it did not give."""
    return _REPORTS[graph]


# before -----------------------------------------------------------------------------------------


def _prepared(graph: Graph, knowledge: Knowledge) -> tuple[Graph, Callable[[GraphNode], GraphNode]]:
    """Return the graph without marks, its means as sums, and what its nodes became."""
    moved: dict[Entry, Operand] = {}

    def rule(node: GraphNode, inputs: tuple[Operand, ...]) -> Sequence[Operand] | None:
        if node.op is _CHECKPOINT:
            return inputs
        if not is_mean(node) or not isinstance(_node(inputs[0]).op, Mapper):
            return None
        quotient = as_sum(node, inputs)  # the sum of what a scalar operator gives, divided
        total = None if quotient is None else _node(_node(quotient[0]).inputs[0])
        return quotient if total is not None and knowledge.of(total).problem is None else None

    result = graph
    if any(node.op is _CHECKPOINT or is_mean(node) for node in graph.nodes):
        result = graph.rewrite(rule, moved)
    return result, lambda node: _node(moved.get((node, 0), (node, 0)))


def _node(operand: Operand) -> GraphNode:
    assert type(operand) is tuple, f"{operand!r} is not a node"
    return operand[0]


# after ------------------------------------------------------------------------------------------


class _Emission:
    """The graph whose nodes are groups of another one's."""

    def __init__(
        self, graph: Graph, grouping: Grouping, loose: Collection[tuple[GraphNode, ...]]
    ) -> None:
        self.graph, self.grouping, self.loose = graph, grouping, loose
        self.loops: list[Loop] = []
        self._forms: set[Any] = set()  # of the loops, as far as they are compiled apart
        self._compiled = 0  # scalar operations in them
        self._moved: dict[Entry, Entry] = {}
        self._became: dict[GraphNode, GraphNode] = {}  # where `after` says so

    def result(self) -> Graph:
        """Return all of it."""
        for group in self._ordered():
            alone = len(group.members) == 1 or tuple(group.members) in self.loose
            parts = None if alone else self._parts(group)
            if parts is not None:
                self._loop(group, parts)
                continue
            for member in group.members:
                self._one(member)
        moved = self._moved
        return self.graph.with_heads([moved[head] for head in self.graph.heads])

    def _ordered(self) -> Iterator[Group]:
        """Yield groups after those that they read; else in the order of their first nodes."""
        groups = list(self.grouping.groups())
        place = {group: k for k, group in enumerate(groups)}
        below: dict[Group, list[Group]] = {group: [] for group in groups}
        waits = [0] * len(groups)
        for group in groups:
            for other in self._before(group):
                below[other].append(group)
                waits[place[group]] += 1
        ready = [k for k, count in enumerate(waits) if not count]
        while ready:
            group = groups[heapq.heappop(ready)]
            yield group
            for other in below[group]:
                waits[place[other]] -= 1
                if not waits[place[other]]:
                    heapq.heappush(ready, place[other])

    def _before(self, group: Group) -> dict[Group, None]:
        nodes = [n for m in group.members for n in (*(e[0] for e in m.entries), *m.after)]
        groups = dict.fromkeys(self.grouping.of(n) for n in nodes)
        groups.pop(group, None)
        return groups

    def _one(self, node: GraphNode) -> None:
        again = node
        if node.op is not None:
            inputs = [self._moved[i] if type(i) is tuple else i for i in node.inputs]  # type: ignore[index]
            again = rebuilt(node, inputs, **self._after([node]))
        self._became[node] = again
        self._moved |= {(node, k): (again, k) for k in range(node.nout)}

    def _after(self, members: Sequence[GraphNode]) -> dict[str, Any]:
        """Return what must have run before all of the members, if that changed."""
        old = tuple(n for m in members for n in m.after)
        new = tuple(dict.fromkeys(self._became[n] for n in old if n not in members))
        return {} if new == old else {"after": new}

    def _parts(self, group: Group) -> _Parts | None:
        """Return the group as a loop, or None where too much would be compiled."""
        parts = _Parts(group, self.grouping.outputs(group) or [(group.members[-1], 0)])
        form = tuple((part.op, part.operands) for part in parts.parts), tuple(parts.values)
        if form not in self._forms:
            if self._compiled + group.facts.scalars > MOST_COMPILED:
                return None
            self._forms.add(form)
            self._compiled += group.facts.scalars
        return parts

    def _loop(self, group: Group, parts: _Parts) -> None:
        mapper, parameters = fuse_parts(parts.name, parts.parts, parts.values)
        inputs: list[Operand] = [self._moved[entry] for entry in parts.inputs]
        numbers = tuple(number for number, _ in parts.numbers.values())
        token = _token(group.members)
        after = self._after(group.members)
        if any(parts.reductions):
            op = map_reduce_op(parts.name, len(parts.values))
            attributes = {
                "mapper": mapper,
                "parameters": tuple(parameters.items()),
                "numbers": numbers,
                "reductions": tuple(parts.reductions),
            }
            loop_node = apply(op, inputs, attributes, token=token, **after)
        else:
            loop_node = apply(mapper, [*inputs, *numbers], parameters, token=token, **after)
        self._became |= dict.fromkeys(group.members, loop_node)
        self._moved |= {entry: (loop_node, k) for k, entry in enumerate(parts.outputs)}
        self.loops.append(
            Loop(loop_node, tuple(group.members), group.facts.scalars, tuple(parts.outputs))
        )


def _token(members: Sequence[GraphNode]) -> Any:
    """Return a token that keeps a copy to compute again from becoming one with the first."""
    tokens = tuple(m.token for m in members if m.token is not None)
    return ("again", *tokens) if tokens else None


class _Parts:
    """A group as `operator.mapper.fused.fuse` and `MapReduce` want it."""

    def __init__(self, group: Group, outputs: Sequence[Entry]) -> None:
        self.name = _name(group.members)
        self.inputs: dict[Entry, int] = {}
        self.numbers: dict[Any, tuple[Operand, int]] = {}
        self.parts: list[Part] = []
        self.outputs = outputs
        self._sources: dict[Entry, tuple[int, int]] = {}  # entry: part and output of it
        self._totals: dict[Entry, tuple[tuple[int, int], Reduction]] = {}
        for node in group.members:
            if isinstance(node.op, Mapper):
                self._map(node, node.op)
            else:
                self._reduce(node, group.facts.axes)
        results = [self._output(entry) for entry in outputs]
        self.values = [value for value, _ in results]
        self.reductions = [reduction for _, reduction in results]

    def _map(self, node: GraphNode, op: Mapper) -> None:
        common = common_dtype(op.scalar, values_of(node))
        operands = tuple(self._source(operand, common) for operand in node.inputs)
        self._sources |= {(node, k): (len(self.parts), k) for k in range(node.nout)}
        self.parts.append(Part(op, operands, node.attributes))

    def _reduce(self, node: GraphNode, axes: int) -> None:
        (entry,) = node.entries
        if entry not in self._sources:
            source = self._external(entry)
            self._sources[entry] = len(self.parts), 0
            self.parts.append(Part(library.positive, (source,)))
        op, attributes = node.op, tuple(node.attributes.items())
        assert isinstance(op, ReduceOp), "loops combine what is reduced"
        assert op.combine, "Knowledge looks for it"
        reduction = Reduction(op.combine, axes, op, attributes)
        self._totals[node, 0] = self._sources[entry], reduction

    def _source(self, operand: Operand, common: np.dtype[Any]) -> Source:
        if type(operand) is not tuple:
            key = frozen(operand), common
            _, k = self.numbers.setdefault(key, (operand, len(self.numbers)))
            return "number", k
        if operand in self._sources:
            return "part", *self._sources[operand]
        return self._external(operand)

    def _external(self, entry: Entry) -> Source:
        return "in", self.inputs.setdefault(entry, len(self.inputs))

    def _output(self, entry: Entry) -> tuple[tuple[int, int], Reduction | None]:
        if entry in self._totals:
            return self._totals[entry]
        return self._sources[entry], None


def _name(members: Sequence[GraphNode]) -> str:
    """Return what is in it, shortly: fused_multiply_subtract_2more."""
    names = [re.sub(r"\W+", "", m.op.__name__) or "op" for m in members]  # type: ignore[union-attr]
    more = len(names) - _NAMED
    return "_".join(["fused", *names[:_NAMED], *([f"{more}more"] if more > 0 else [])])
