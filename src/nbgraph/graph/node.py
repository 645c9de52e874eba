"""Nodes: an operator applied to outputs of other nodes. Immutable; tapes and symbols share them."""

from collections.abc import Container, Iterable, Mapping, Sequence
from typing import Any

from nbgraph.operator.spec import Attributes

Entry = tuple["Node", int]  # one output of a node

_NOTHING: Mapping[str, Any] = {}


class Node:
    """An operator with its operands and attributes. A node without an operator is a leaf.

    `inputs` has one entry `(node, output index)` for each operand; for an operand that is a value
    rather than a node the number itself, or None where a tape does not need it.
    """

    __slots__ = ("__weakref__", "attributes", "inputs", "name", "op")

    after: tuple[Any, ...] = ()  # nodes that must run before, besides the operands

    def __init__(
        self,
        op: Any,
        inputs: Sequence[Entry | Any] = (),
        attributes: Attributes = _NOTHING,
        name: str | None = None,
    ) -> None:
        self.op = op
        self.inputs = inputs
        self.attributes = attributes
        self.name = name

    @property
    def label(self) -> str:
        """Its own name, or its operator's."""
        return self.name or (self.op.__name__ if self.op is not None else "leaf")

    def __repr__(self) -> str:
        return f"<node {self.label!r} of {len(self.inputs)} operand(s)>"


def topological(heads: Iterable[Any], ends: Container[Node] = ()) -> list[Any]:
    """Return every node the heads depend on, operands first, without recursion.

    Nodes that only `ends` depend on are left out.

    >>> a = Node(None, name="a")
    >>> b = Node(None, [(a, 0), (a, 0)], name="b")
    >>> [node.name for node in topological([b])]
    ['a', 'b']
    """
    order: list[Node] = []
    seen: set[int] = set()
    stack: list[Any] = [*heads][::-1]
    while stack:
        node = stack.pop()
        if node is None:  # all dependencies of the next one are in `order`
            order.append(stack.pop())
            continue
        if id(node) in seen:
            continue
        seen.add(id(node))
        if node in ends or not (node.inputs or node.after):
            order.append(node)
            continue
        stack += node, None, *node.after
        for entry in reversed(node.inputs):
            if type(entry) is tuple and id(entry[0]) not in seen:
                stack.append(entry[0])
    return order
