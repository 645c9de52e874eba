"""Names of nodes: what the user gave, else the operator's with a number, by place in the graph.

So the names of a graph depend on the graph alone: a cell that is run twice gives them again.

>>> import nbgraph as ng
>>> x = ng.var("x")
>>> with name_scope("block_"):
...     y = ng.sin(ng.sin(x))
>>> (y * 2).list_outputs(), y.get_internals().list_outputs()
(['multiply0_output'], ['x', 'block_sin0_output', 'block_sin1_output'])
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import ContextDecorator
from contextvars import ContextVar
from types import MappingProxyType
from typing import Any

from nbgraph.errors import ArgumentError
from nbgraph.graph.build import GraphNode
from nbgraph.scopes import Scopes

scope: ContextVar[str] = ContextVar("nbgraph_name_scope", default="")
marks: ContextVar[Mapping[str, Any]] = ContextVar(
    "nbgraph_attribute_scope", default=MappingProxyType({})
)


_scopes, _marks = Scopes(scope), Scopes(marks)


class name_scope(ContextDecorator):
    """Let names of what is made within begin with `prefix`; scopes nest.

    Parameters
    ----------
    prefix : str

    >>> import nbgraph as ng
    >>> with ng.name_scope("encoder_"), ng.name_scope("fc1_"):
    ...     ng.var("weight").name
    'encoder_fc1_weight'
    """

    def __init__(self, prefix: str) -> None:
        if not isinstance(prefix, str):
            raise ArgumentError(f"name_scope: prefix={prefix!r}; give a string such as 'fc1_'")
        self._prefix = prefix

    def __enter__(self) -> str:
        whole = scope.get() + self._prefix
        _scopes.begin((whole,))
        return whole

    __exit__ = _scopes.end


def attributes_of(call: str, attr: Any) -> dict[str, Any]:
    """Return MXNet's `attr=`, a dict by name, or None; raise ArgumentError for another thing."""
    if attr is None:
        return {}
    if not isinstance(attr, Mapping) or not all(isinstance(key, str) for key in attr):
        raise ArgumentError(f"{call}: attr={attr!r}; give a dict by name, as attr={{'lr': 2}}")
    return dict(attr)


class attribute_scope(ContextDecorator):
    """Let nodes made within carry these attributes, as `Symbol.attr` returns them.

    >>> import nbgraph as ng
    >>> with ng.attribute_scope(group="encoder"):
    ...     ng.sin(ng.var("x")).attr("group")
    'encoder'
    """

    def __init__(self, /, **attributes: Any) -> None:
        self._attributes = attributes

    def __enter__(self) -> None:
        _marks.begin(({**marks.get(), **self._attributes},))

    __exit__ = _marks.end


AttrScope = attribute_scope


def names_of(nodes: Iterable[GraphNode]) -> dict[GraphNode, str]:
    """Return the name of each node of a graph, in its order; operator names are numbered from 0."""
    nodes = list(nodes)
    reserved = {node.name for node in nodes if node.name}
    counts: dict[str, int] = {}
    names: dict[GraphNode, str] = {}
    for node in nodes:
        if node.name:
            names[node] = node.name
            continue
        stem = node.scope + node.op.__name__  # type: ignore[union-attr]
        number = counts.get(stem, 0)
        while f"{stem}{number}" in reserved:
            number += 1
        counts[stem] = number + 1
        reserved.add(f"{stem}{number}")  # "a1" + "0" is "a" + "10"
        names[node] = f"{stem}{number}"
    return names


def output_name(node: GraphNode, index: int, name: str) -> str:
    """Return what one output is called: a variable's name, else the node's and its own."""
    if node.op is None:
        return name
    own = getattr(node.op, "outputs", None)
    if own is not None:
        return f"{name}_{own[index]}"
    shown = getattr(node.op, "visible", None) or node.nout  # others are for the gradient alone
    return f"{name}_output" if shown == 1 and index == 0 else f"{name}_output{index}"
