"""A graph as text in the language of Graphviz."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any


def dot(nodes: Iterable[Any]) -> str:
    """Return the text of boxes with type, name, id, shape; trainable ones in colour."""
    lines = ["digraph expressions {", "  rankdir=BT", "  node [shape=box, style=filled]"]
    drawn: set[int] = set()
    for node in nodes:
        for one in (*node.children, node):
            if one.id not in drawn:
                drawn.add(one.id)
                lines.append(_box(one))
        lines += [f"  n{child.id} -> n{node.id}" for child in node.children]
    return "\n".join([*lines, "}", ""])


def _box(node: Any) -> str:
    name = f" {node.name}" if node.name else ""
    text = f"{node.type()}{name}\\n#{node.id} {node.dtype}{list(node.shape)}".replace('"', "'")
    colour = "lightblue" if node.trainable else "white"
    trains = "true" if node.trainable else "false"
    return f'  n{node.id} [label="{text}\\ntrainable: {trains}", fillcolor={colour}]'
