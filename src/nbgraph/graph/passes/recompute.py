"""The pass that recomputes forward values for the backward pass instead of storing them.

The forward nodes, in order, are divided into segments. Values that other segments read are kept as
checkpoints. Backward reads all other values of a segment from copies of its nodes, which run on
checkpoints when backward reaches the segment. With segments of sqrt(n) nodes a chain of n keeps
about 2 sqrt(n) values at a time instead of n, for one more forward pass.

Invariants:

- Copies read kept values and copies of their own segment, so no copy depends on another segment's.
- A copy's token is ("again", the node's own token, segment): a copy never equals the node that it
  repeats, and a random draw is keyed by the original token, so it repeats the same numbers.
- Copies wait for the *trigger* of their segment, a backward node from before the first reader of a
  copy, so that no copy runs before later segments are finished.
"""

import math
from collections.abc import Collection, Iterable, Sequence
from typing import Any, Literal

from nbgraph.errors import ArgumentError
from nbgraph.graph.build import GraphNode, Operand, rebuilt
from nbgraph.graph.constant import CONSTANT
from nbgraph.graph.graph import Entry, Graph
from nbgraph.ops.define import operator_of
from nbgraph.ops.elementwise.casting import checkpoint

_CHECKPOINT = operator_of(checkpoint)

Every = Literal["sqrt"] | int | None


def recompute(
    graph: Graph,
    forward_nodes: Collection[GraphNode],
    *,
    every: Every = "sqrt",
    marked: bool = True,
) -> Graph:
    """Return the joint graph of a forward and a backward pass, with forward values recomputed.

    Heads keep their bits. `forward_nodes`: the nodes of the forward pass, which depend on no
    other nodes. `every`: nodes in a segment, "sqrt" for the square root of their number, None to
    follow the user's marks alone. Marks (`attribute_scope`): a node with `checkpoint=True` is
    kept, a node with `recompute=True` is recomputed; with `every=None` segments end at checkpoints
    or are the runs of nodes to recompute. `marked=False` ignores marks.

    Variables, constants, heads, nodes that write a state, and the last segment, which backward
    reads first, are always kept. Raises ArgumentError for another `every`, or for forward nodes
    that depend on other nodes.
    """
    inside = set(forward_nodes)
    forward = [node for node in graph.nodes if node in inside]
    for node in forward:
        for other in (*(n for n, _ in node.entries), *node.after):
            if other not in inside:
                raise ArgumentError(
                    f"recompute: the forward node {node.label!r} depends on {other.label!r}, which "
                    "is not among forward_nodes; give every node that the forward results depend on"
                )
    segments = _segments(
        [node for node in forward if node.op not in (None, CONSTANT)], every, marked=marked
    )
    backward = [node for node in graph.nodes if node not in inside]
    dropped = _dropped(graph, forward, inside, segments)
    if not dropped:
        return graph
    writer = _Backward(graph, forward, inside, dropped)
    for node in backward:
        writer.add(node)
    moved = writer.moved
    return graph.with_heads([moved.get(head, head) for head in graph.heads])


# recomputed nodes -------------------------------------------------------------------------------


def _segments(nodes: Sequence[GraphNode], every: Every, *, marked: bool) -> dict[GraphNode, int]:
    """Return the segment of each node that may be recomputed."""
    kept = _checkpoints(nodes) if marked else set[GraphNode]()
    again = {n for n in nodes if marked and n.marks.get("recompute")}
    if every is not None:
        size = _size(every, len(nodes))
        last = (len(nodes) - 1) // size
        segments = {n: k // size for k, n in enumerate(nodes) if k // size < last or n in again}
    elif kept:
        segments = _between(nodes, kept, again)
    else:
        segments = _runs(nodes, again)
    return {n: k for n, k in segments.items() if n not in kept and not _writes(n)}


def _checkpoints(nodes: Iterable[GraphNode]) -> set[GraphNode]:
    """Return the nodes that the user marked, and operands and results of `ng.checkpoint`."""
    marks = [n for n in nodes if n.op is _CHECKPOINT]
    operands = {other for n in marks for other, _ in n.entries}
    return {*marks, *operands, *(n for n in nodes if n.marks.get("checkpoint"))}


def _size(every: Every, count: int) -> int:
    if every == "sqrt":
        return max(1, math.isqrt(count))
    if type(every) is int and every > 0:
        return every
    raise ArgumentError(
        f"recompute: every={every!r}; give 'sqrt', a number of nodes from 1 on, or None"
    )


def _between(
    nodes: Sequence[GraphNode], kept: Collection[GraphNode], again: Collection[GraphNode]
) -> dict[GraphNode, int]:
    """Return segments that end at checkpoints; nodes after the last one are kept."""
    segment_of: dict[GraphNode, int] = {}
    segment = 0
    for node in nodes:
        segment_of[node] = segment
        segment += node in kept
    return {n: k for n, k in segment_of.items() if k < segment or n in again}


def _runs(nodes: Sequence[GraphNode], again: Collection[GraphNode]) -> dict[GraphNode, int]:
    """Return the runs of neighbouring nodes in `again` as segments."""
    segment_of: dict[GraphNode, int] = {}
    segment = 0
    for node in nodes:
        if node in again:
            segment_of[node] = segment
        else:
            segment += 1
    return segment_of


def _writes(node: GraphNode) -> bool:
    """Return whether a second application would change a state once more."""
    return bool(getattr(node.op, "auxiliary", ()) or getattr(node.op, "stateful", False))


def _dropped(
    graph: Graph,
    forward: Sequence[GraphNode],
    inside: Collection[GraphNode],
    segments: dict[GraphNode, int],
) -> dict[GraphNode, int]:
    """Return the nodes to recompute, with their segments, in forward order.

    These are nodes whose value is read by backward, or by a copy of the same segment. Nodes that a
    copy of another segment reads are kept.
    """
    kept = {node for node, _ in graph.heads}
    wanted: set[GraphNode] = set()
    for node in graph.nodes:
        if node not in inside:
            wanted.update(n for n, _ in node.entries)
    dropped: set[GraphNode] = set()
    for node in reversed(forward):
        segment = segments.get(node)
        if segment is None or node in kept or node not in wanted:
            continue
        dropped.add(node)
        for operand, _ in node.entries:
            (wanted if segments.get(operand) == segment else kept).add(operand)
    return {node: segments[node] for node in forward if node in dropped}


# the backward pass over copies ------------------------------------------------------------------


class _Backward:
    """Rebuilds the backward nodes, and adds the copies of a segment before their first reader."""

    def __init__(
        self,
        graph: Graph,
        forward: Sequence[GraphNode],
        inside: Collection[GraphNode],
        dropped: dict[GraphNode, int],
    ) -> None:
        self.moved: dict[Entry, Entry] = {}  # backward entry -> its rebuilt entry
        self._inside, self._dropped = inside, dropped
        self._copies: dict[Entry, Entry] = {}
        self._members: dict[int, list[GraphNode]] = {}
        for node, segment in dropped.items():
            self._members.setdefault(segment, []).append(node)
        self._place = {node: k for k, node in enumerate(graph.nodes)}
        last = next((n for n, _ in graph.heads if n in inside), forward[-1])
        self._latest = last  # trigger of a segment without another one

    def add(self, node: GraphNode) -> None:
        """Rebuild the next backward node."""
        for segment in self._opened(node):
            self._copy(segment, self._trigger(node))
        again = node
        if node.op is not None:
            again = rebuilt(node, [self._read(i) for i in node.inputs], **self._after(node))
        self.moved |= {(node, k): (again, k) for k in range(node.nout)}
        if node.entries:
            self._latest = again

    def _opened(self, node: GraphNode) -> Iterable[int]:
        """Return the segments of which this node is the first reader of a copy."""
        read = {self._dropped[n] for n, _ in node.entries if n in self._dropped}
        return sorted(segment for segment in read if segment in self._members)

    def _trigger(self, node: GraphNode) -> GraphNode:
        """Return the last backward node that this node reads: its out-gradient, which does not
        depend on copies of the segment, as this node is their first reader."""
        before = [n for n, _ in node.entries if n not in self._inside and n.entries]
        if not before:
            return self._latest
        latest = max(before, key=self._place.__getitem__)
        return self.moved[latest, 0][0]

    def _copy(self, segment: int, trigger: GraphNode) -> None:
        for node in self._members.pop(segment):
            inputs = [self._copies.get(i, i) if type(i) is tuple else i for i in node.inputs]  # type: ignore[arg-type]
            root = not any(entry in self._copies for entry in node.entries)
            after = (*node.after, trigger) if root else node.after
            token = ("again", node.token, segment)
            again = rebuilt(node, inputs, token=token, after=after)
            self._copies |= {(node, k): (again, k) for k in range(node.nout)}

    def _read(self, operand: Operand) -> Operand:
        if type(operand) is not tuple:
            return operand
        return self.moved.get(operand) or self._copies.get(operand, operand)  # type: ignore[arg-type]

    def _after(self, node: GraphNode) -> dict[str, Any]:
        new = tuple(self.moved.get((n, 0), (n, 0))[0] for n in node.after)
        return {} if new == node.after else {"after": new}
