"""Whether a node's class says when two of its nodes are equal, if it has to."""

from __future__ import annotations

from functools import cache
from typing import Any

from nbgraph.errors import ArgumentError
from nbgraph.nodes.node import NaryNodeOp


@cache
def _slots(kind: type) -> tuple[str, ...]:
    """Slots that a class adds to those of every node."""
    own = [
        s
        for c in kind.__mro__
        if c not in NaryNodeOp.__mro__
        for s in c.__dict__.get("__slots__", ())
    ]
    return tuple(s for s in own if s not in ("__dict__", "__weakref__"))


@cache
def _tells(kind: type) -> bool:
    """Whether the class has `hash` and `equal` of its own."""
    of_any: Any = kind
    return of_any.hash is not NaryNodeOp.hash and of_any.equal is not NaryNodeOp.equal


def require_identity(node: NaryNodeOp) -> None:
    """ArgumentError where a node has attributes, and its class does not say how they count."""
    kind = type(node)
    if _tells(kind):
        return
    attributes = [*getattr(node, "__dict__", ()), *node.attributes]
    attributes += [s for s in _slots(kind) if hasattr(node, s)]
    if attributes:
        listed = ", ".join(attributes)
        raise ArgumentError(
            f"{node.type()}: {kind.__name__} has the attribute(s) {listed}, but not hash and equal "
            "of its own, so nodes that differ would be taken for one; define hash(self) as "
            "hash((super().hash(), ...)) and equal(self, other) as super().equal(other) and ..."
        )
