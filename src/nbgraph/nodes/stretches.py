"""Stretches: operators' nodes in a row that are computed, and differentiated, by one push each.

What somebody may ask for is a result: the value of a node that others than the stretch read, that
is a top, is retained, or of which the user has an expression. Every other value stays inside, and
is computed from what the stretch was given if it is asked for all the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from nbgraph.array.copying import copy_of
from nbgraph.array.core import Array
from nbgraph.array.push import same, write
from nbgraph.errors import ArgumentError
from nbgraph.nodes import passes
from nbgraph.nodes.node import FOREVER
from nbgraph.nodes.plans import Backward, Plan, Route, plan_of

_LEAST = 2  # nodes: one is one push anyway


class Stretch:
    """One run of a plan: what it was given, and the values that gradients read.

    The nodes know it, so it does not have them: it is told of them in each call.
    """

    __slots__ = ("arrays", "inputs", "number", "plan", "stamps", "values")

    def __init__(self, plan: Plan, inputs: Sequence[Any], number: dict[int, int]) -> None:
        self.plan, self.inputs = plan, inputs
        self.number = number  # of a node by its id
        self.arrays: list[Array] = []
        self.values: list[Any] = []
        self.stamps: list[int] = []

    def forward(self, nodes: Sequence[Any]) -> None:
        """Push the plan; the results become the nodes' values."""
        self.arrays = [child._val for child in self.inputs]
        self.stamps = [array._chunk.writes for array in self.arrays]
        self.values = self.plan.forward.run(_contiguous(self.arrays))
        for node in nodes:
            node.ready, node.stretch = True, self
        for k, value in zip(self.plan.asked, self.values):
            nodes[k]._val = value

    def forget(self) -> None:
        """Give back what only gradients read; the nodes are computed anew."""
        self.values = []

    def recall(self, nodes: Iterable[Any]) -> None:
        """Compute values that were no results. ArgumentError where what they are computed from
        has been written since."""
        asked = [node for node in nodes if node._val is None]
        if not asked:
            return
        function, reads = self.plan.recall(tuple([self.number[node.id] for node in asked]))
        if any(self.arrays[k]._chunk.writes != self.stamps[k] for k in reads):
            raise ArgumentError(
                f"{asked[0].type()}: the value of {asked[0]!r} was not kept, as nobody had its "
                "expression during forward, and what it is computed from has been written since; "
                "call x.retain() before forward, or make the graph with compiled=False"
            )
        found = function.run(_contiguous([self.arrays[k] for k in reads]))
        for node, value in zip(asked, found, strict=True):
            node._val = value

    # gradients ----------------------------------------------------------------------------------

    def backward(self, nodes: Sequence[Any], ones: Any, clip: float | None) -> None:
        """Push what passes gradients on to the inputs. `ones`: the node at which the pass starts
        with ones, if it is one of these."""
        start = tuple([k for k, node in enumerate(nodes) if node is ones])
        seeds = tuple([k for k, node in enumerate(nodes) if node._adj is not None])
        if not (start or seeds):
            return
        if not self.plan.differentiable:
            self._singly(nodes, ones, clip)
            return
        before = [
            k
            for k, child in enumerate(self.inputs)
            if child._adj is not None and not child.fresh and child.trainable
        ]
        retained = tuple([k for k, node in enumerate(nodes) if node.retained])
        made = self.plan.backward(Route(start, seeds, tuple(before), retained, clip))
        if made.inputs or made.retained:
            self._run(nodes, made, set(before))
        for k in seeds:
            if not nodes[k].retained:
                nodes[k]._adj = None

    def _run(self, nodes: Sequence[Any], made: Backward, before: set[int]) -> None:
        read: dict[str, Callable[[int], Any]] = {
            "input": lambda k: self.arrays[k],
            "value": lambda k: self.values[k],
            "seed": lambda k: nodes[k]._adj,
            "before": lambda k: self.inputs[k]._adj,
        }
        arrays = [read[sort](k) for sort, k in made.reads]
        into = [None] * len(made.retained)
        into += [None if k in before else self.inputs[k]._adj for k in made.inputs]
        found = made.function.run(_contiguous(arrays), into)
        for k, value in zip(made.retained, found):
            nodes[k]._adj, nodes[k].fresh = value, False
        for k, value in zip(made.inputs, found[len(made.retained) :], strict=True):
            _deliver(self.inputs[k], value)

    def _singly(self, nodes: Sequence[Any], ones: Any, clip: float | None) -> None:
        """Node by node, as an operator on the way may have no gradient."""
        self.recall(nodes)
        if ones is not None and any(node is ones for node in nodes):
            passes.seed(ones, None)
        passes.backward(nodes, clip=clip, watched=False)


Run = tuple[Stretch | None, Sequence[Any]]  # nodes, and what ran them, if not each by itself


def _deliver(child: Any, value: Any) -> None:
    """A gradient is complete, as far as this stretch goes; a leaf's keeps its array."""
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


# finding them -----------------------------------------------------------------------------------


def fits(node: Any) -> bool:
    """Whether a node may be part of a stretch: an operator's, seen by nobody on the way. What is
    memoised beyond the graph is computed by itself."""
    return node.structure is not None and node.message is None and node.memoise != FOREVER


def stretches(nodes: Sequence[Any]) -> list[list[Any]]:
    """The nodes in parts: stretches, and nodes that are run one by one."""
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
    """Compute the values of nodes that have none; what was run."""
    parts = stretches([node for node in nodes if not node.ready])
    read = _read_outside(parts) if len(parts) > 1 else set[int]()
    runs: list[Run] = []
    for part in parts:
        if len(part) < _LEAST:
            _require_values(part[0].children)
            passes.forward(part, frees=False, watched=False)
            runs.append((None, part))
            continue
        run = _stretch(graph, part, read)
        run.forward(part)
        runs.append((run, part))
    return runs


def _read_outside(parts: Sequence[Sequence[Any]]) -> set[int]:
    """Ids of nodes that another part reads."""
    part_of = {node.id: k for k, part in enumerate(parts) for node in part}
    return {
        child.id
        for k, part in enumerate(parts)
        for node in part
        for child in node.children
        if part_of.get(child.id, k) != k
    }


def _stretch(graph: Any, nodes: Sequence[Any], read: set[int]) -> Stretch:
    inside = {node.id: k for k, node in enumerate(nodes)}
    inputs: dict[int, Any] = {}
    for node in nodes:
        for child in node.children:
            own = child.id
            if own not in inside:
                inputs[own] = child
            elif child.memoise > node.memoise:
                read.add(own)  # it is not computed again in the next pass
    tops = graph._tops
    asked = bytes(
        [
            node.id in tops or node.retained or node.id in read or node.handle() is not None
            for node in nodes
        ]
    )
    children = list(inputs.values())
    _require_values(children)
    given = [graph.structure_of(child) for child in children]
    return Stretch(plan_of(nodes, asked, children, given), children, inside)


def _require_values(children: Iterable[Any]) -> None:
    """Values of an earlier stretch that were no results are computed now."""
    for child in children:
        if child._val is None and child.stretch is not None:
            child.stretch.recall([child])
