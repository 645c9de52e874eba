"""Graphs as numbered text: one line a node, operands by number.

>>> from nbgraph.graph import build
>>> from nbgraph.graph.graph import Graph
>>> import nbgraph as ng, numpy as np
>>> x = build.variable("x", (3,), np.dtype("float32"))
>>> print(listing(Graph([(build.apply(ng.multiply, [(x, 0), 2.0]), 0)])))
%0 = x: float32[3]
%1 = multiply(%0, 2.0): float32[3]
return %1
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from nbgraph.graph.build import GraphNode, Operand
from nbgraph.operator.deferred import Slot

if TYPE_CHECKING:
    from nbgraph.graph.graph import Graph


def numbers(graph: Graph) -> dict[GraphNode, str]:
    """Return the label of each node in a listing."""
    return {node: f"%{k}" for k, node in enumerate(graph.nodes)}


def listing(graph: Graph) -> str:
    """Return the numbered text, with the heads in the last line."""
    number = numbers(graph)
    lines = [f"{number[n]} = {_line(n, graph.names[n], number)}" for n in graph.nodes]
    heads = ", ".join(_operand(head, number) for head in graph.heads)
    return "\n".join([*lines, f"return {heads}"])


def picture(what: Any) -> Any:
    """Return the picture of a graph, a symbol or an expression."""
    return importlib.import_module("nbgraph.viz").graph(what)


def drawn(what: Any) -> str:
    """Return the picture of a graph, a symbol or an expression, for notebooks."""
    return picture(what)._repr_html_()


def _line(node: GraphNode, name: str, number: Mapping[GraphNode, str]) -> str:
    text = name if node.op is None else _text(node, number)
    return f"{text}{_after(node, number)}: {_types(node)}"


def _text(node: GraphNode, number: Mapping[GraphNode, str]) -> str:
    assert node.op is not None
    parts = [_operand(operand, number) for operand in node.inputs]
    parts += [
        f"{key}={_value(value)}"
        for key, value in node.attributes.items()
        if not isinstance(value, Slot)
    ]
    name = f" '{node.name}'" if node.name else ""
    again = " again" if node.token is not None and node.token[0] == "again" else ""
    return f"{node.op.__name__}({', '.join(parts)}){name}{again}"


def _after(node: GraphNode, number: Mapping[GraphNode, str]) -> str:
    return f" after {', '.join(number[n] for n in node.after)}" if node.after else ""


def _operand(operand: Operand, number: Mapping[GraphNode, str]) -> str:
    if type(operand) is not tuple:
        return repr(operand)
    node, index = operand
    return number[node] if node.nout == 1 else f"{number[node]}[{index}]"


def _value(value: Any) -> str:
    return str(value) if isinstance(value, (np.generic, np.dtype)) else repr(value)


def _types(node: GraphNode) -> str:
    if node.specs is None:
        return "?"
    return ", ".join(str(spec) for spec in node.specs)
