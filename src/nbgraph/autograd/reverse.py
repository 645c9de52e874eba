"""The backward pass: from heads to variables, node by node.

Gradients are summed where a value was used several times: into the array that holds the first
contribution, if nobody else has it (kAddTo), else into a new one. With `create_graph` every step is
itself recorded.
"""

import sys
from collections.abc import Container, Sequence
from typing import Any

from nbgraph.array.push import copied
from nbgraph.autograd.steps import step
from nbgraph.autograd.sums import Ones, Sums, write_to
from nbgraph.autograd.tape import Leaf, Record
from nbgraph.graph.node import Entry, Node


def run(
    heads: Sequence[tuple[Node, int, Any]],
    wanted: Sequence[Entry] | None,
    order: Sequence[Any],
    *,
    create_graph: bool = False,
    retain_graph: bool = False,
    ends: Container[Node] = (),
) -> list[Any]:
    """Propagate the gradients of `heads`, entries (node, output, gradient), through `order`.

    `wanted`: entries whose gradients are returned, with None for those without one; otherwise all
    leaves collect theirs at the end, so that an error leaves every gradient unchanged. Gradients
    stop at `ends`.
    """
    sums = Sums(create_graph=create_graph)
    for node, output, gradient in heads:
        sums.add((node, output), gradient.array() if type(gradient) is Ones else gradient)
    targets = None if wanted is None else {node for node, _ in wanted}
    useful = _useful(order, targets)
    values: dict[Entry, Any] = {}
    collected: list[tuple[Leaf, Any, bool]] = []
    for node in reversed(order):
        if node not in useful:
            continue
        if targets is not None and node in targets:
            _keep(node, sums, values)
        if isinstance(node, Record) and node not in ends:
            step(node, sums, useful, retain_graph=retain_graph)
        elif targets is None and isinstance(node, Leaf):
            collected.append((node, *sums.pop((node, 0))))
    for leaf, gradient, owned in collected:
        collect(leaf, gradient, owned=owned)
    return [] if wanted is None else [values.get(entry) for entry in wanted]


def _useful(order: Sequence[Node], targets: Container[Node] | None) -> set[Node]:
    """Return the nodes that gradients have to reach."""
    nodes: set[Node] = set()
    for node in order:
        if targets is not None and node in targets:
            nodes.add(node)
        elif node.op is None:
            if targets is None and isinstance(node, Leaf) and node.request != "null":
                nodes.add(node)
        elif any(entry is not None and entry[0] in nodes for entry in node.inputs):
            nodes.add(node)
    return nodes


def _keep(node: Node, sums: Sums, gradients: dict[Entry, Any]) -> None:
    """Store a copy of requested gradients, which also propagate further."""
    for i in range(len(node.outputs) if isinstance(node, Record) else 1):
        gradient = sums.get((node, i))
        if gradient is not None:
            owned = sums.create_graph or sums.disown((node, i))
            gradients[node, i] = gradient if owned else copied(gradient)


def collect(leaf: Leaf, gradient: Any, *, owned: bool) -> None:
    """Write or add a variable's gradient to its `grad` array."""
    if gradient is None:
        return
    if gradient is leaf.collected:
        gradient._chunk.writes += 1
    elif owned and (leaf.collected is None or (leaf.request == "write" and _unseen(leaf))):
        leaf.collected = gradient
    else:
        write_to(leaf.grad, gradient, leaf.request)


def _unseen(leaf: Leaf) -> bool:
    """Return whether nobody could tell that the gradient's array is replaced by another."""
    return sys.getrefcount(leaf.collected) == 2 and leaf.collected._holder is None
