"""Segments: consecutive nodes of operators, computed by one push and differentiated by another.

A result of a segment is the value of a node that is read outside, is a top, is retained, or has an
expression that the user holds. Every other value stays inside; `recall` computes it from the inputs
if it is needed later.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from nbgraph.array.copying import copy_of
from nbgraph.array.core import Array
from nbgraph.array.push import same, write
from nbgraph.errors import ArgumentError
from nbgraph.nodes import passes
from nbgraph.nodes.node import FOREVER
from nbgraph.nodes.plans import Backward, Plan, Route, plan_of

_LEAST = 2  # nodes of a segment: a single one takes one push anyway


class Segment:
    """One run of a plan: its inputs, and the values that gradients read.

    Nodes refer to their segment, so a segment does not hold its nodes: each call gets them.
    """

    __slots__ = ("arrays", "inputs", "number", "plan", "stamps", "values")

    def __init__(self, plan: Plan, inputs: Sequence[Any], number: dict[int, int]) -> None:
        self.plan, self.inputs = plan, inputs
        self.number = number  # the positions of nodes, by id
        self.arrays: list[Array] = []
        self.values: Sequence[Any] = ()
        self.stamps: list[int] = []

    def forward(self, nodes: Sequence[Any]) -> None:
        """Push the plan; the results become the nodes' values."""
        self.arrays = [child._val for child in self.inputs]
        self.stamps = [array._chunk.writes for array in self.arrays]
        self.values = self.plan.forward.run(_contiguous(self.arrays))
        for node in nodes:
            node.ready, node.segment = True, self
        for k, value in zip(self.plan.asked, self.values):
            nodes[k]._val = value

    def forget(self) -> None:
        """Free the values that gradients read, as the nodes are computed anew."""
        self.values = ()

    def recall(self, nodes: Iterable[Any]) -> None:
        """Compute values that were not results; raise ArgumentError if an input was overwritten."""
        missing = [node for node in nodes if node._val is None]
        if not missing:
            return
        function, reads = self.plan.recall(tuple([self.number[node.id] for node in missing]))
        if any(self.arrays[k]._chunk.writes != self.stamps[k] for k in reads):
            raise ArgumentError(
                f"{missing[0].type()}: the value of {missing[0]!r} was not kept, as no "
                "variable held its expression during forward, and its inputs have changed since; "
                "call x.retain() before forward, or make the graph with compiled=False"
            )
        values = function.run(_contiguous([self.arrays[k] for k in reads]))
        for node, value in zip(missing, values, strict=True):
            node._val = value

    # gradients ----------------------------------------------------------------------------------

    def backward(self, nodes: Sequence[Any], ones: Any, clip: float | None) -> None:
        """Push the gradients of the inputs; `ones`: the node where the pass starts."""
        start = tuple([k for k, node in enumerate(nodes) if node is ones])
        seeds = tuple([k for k, node in enumerate(nodes) if node._adj is not None])
        if not (start or seeds):
            return
        if not self.plan.differentiable:
            self.recall(nodes)  # node by node, as an operator on the way has no gradient
            if start:
                passes.seed(ones, None)
            passes.backward(nodes, clip=clip, watched=False)
            return
        before = [
            k
            for k, child in enumerate(self.inputs)
            if child._adj is not None and not child.fresh and child.trainable
        ]
        retained = tuple([k for k, node in enumerate(nodes) if node.retained])
        gradients = self.plan.backward(Route(start, seeds, tuple(before), retained, clip))
        if gradients.inputs or gradients.retained:
            self._run(nodes, gradients, set(before))
        for k in seeds:
            if not nodes[k].retained:
                nodes[k]._adj = None

    def _run(self, nodes: Sequence[Any], backward: Backward, before: set[int]) -> None:
        read: dict[str, Callable[[int], Any]] = {
            "input": lambda k: self.arrays[k],
            "value": lambda k: self.values[k],
            "seed": lambda k: nodes[k]._adj,
            "before": lambda k: self.inputs[k]._adj,
        }
        arrays = [read[sort](k) for sort, k in backward.reads]
        into = [None] * len(backward.retained)
        into += [None if k in before else self.inputs[k]._adj for k in backward.inputs]
        values = backward.function.run(_contiguous(arrays), into)
        for k, value in zip(backward.retained, values):
            nodes[k]._adj, nodes[k].fresh = value, False
        for k, value in zip(backward.inputs, values[len(backward.retained) :], strict=True):
            _deliver(self.inputs[k], value)


Run = tuple[Segment | None, Sequence[Any]]  # nodes, and the segment that ran them, if one did


def _deliver(child: Any, value: Any) -> None:
    """Store a gradient that a segment computed in a child; a leaf keeps the array it has."""
    if child._adj is value:
        value._chunk.writes += 1
    elif child.leaf and child._adj is not None:
        write(same, value, child._adj)
        child._adj._chunk.writes += 1
    else:
        child._adj = value
    child.fresh = False


def _contiguous(arrays: list[Any]) -> list[Any]:
    for array in arrays:
        if not array._layout.contiguous:
            return [a if a._layout.contiguous else copy_of(a) for a in arrays]
    return arrays


# the division of nodes ---------------------------------------------------------------------------


def fits(node: Any) -> bool:
    """Return whether a node may be part of a segment: it is an operator's, prints no message, and
    is not memoised beyond the graph."""
    return node.structure is not None and node.message is None and node.memoise != FOREVER


def segments(nodes: Sequence[Any]) -> list[list[Any]]:
    """Divide nodes into parts: consecutive ones that make a segment, and single ones."""
    parts: list[list[Any]] = []
    current: list[Any] | None = None
    for node in nodes:
        if not fits(node):
            current = None
            parts.append([node])
        elif current is None:
            current = [node]
            parts.append(current)
        else:
            current.append(node)
    return parts


def forward(graph: Any, nodes: Sequence[Any]) -> list[Run]:
    """Compute the values of nodes that have none; return the runs that computed them."""
    parts = segments([node for node in nodes if not node.ready])
    part_of = {node.id: k for k, part in enumerate(parts) for node in part}
    children = ((k, c.id) for k, part in enumerate(parts) for node in part for c in node.children)
    read = {own for k, own in children if part_of.get(own, k) != k}  # by another part
    runs: list[Run] = []
    for part in parts:
        if len(part) < _LEAST:
            _require_values(part[0].children)
            passes.forward(part, frees=False, watched=False)
            runs.append((None, part))
            continue
        run = _segment(graph, part, read)
        run.forward(part)
        runs.append((run, part))
    return runs


def _segment(graph: Any, nodes: Sequence[Any], read: set[int]) -> Segment:
    inside = {node.id: k for k, node in enumerate(nodes)}
    inputs: dict[int, Any] = {}
    for node in nodes:
        for child in node.children:
            own = child.id
            if own not in inside:
                inputs[own] = child
            elif child.memoise > node.memoise:
                read.add(own)  # a result, as the next pass does not compute it again
    tops = graph._tops
    flags = bytes(
        [
            node.id in tops or node.retained or node.id in read or node.handle() is not None
            for node in nodes
        ]
    )
    children = list(inputs.values())
    _require_values(children)
    structures = [graph.structure_of(child) for child in children]
    return Segment(plan_of(nodes, flags, children, structures), children, inside)


def _require_values(children: Iterable[Any]) -> None:
    """Compute the values of nodes that were not results of earlier segments."""
    for child in children:
        if child._val is None and child.segment is not None:
            child.segment.recall([child])
