"""Names of nodes: the user's, else the operator's with a number, by place in the graph.

So names depend on the graph only: a cell that is run twice gives the same names. Variables created
for a call without a name are named after the node of that call.

>>> import nbgraph as ng
>>> x = ng.var("x")
>>> with name_scope("block_"):
...     y = ng.sin(ng.sin(x))
>>> (y * 2).list_outputs(), y.get_internals().list_outputs()
(['multiply0_output'], ['x', 'block_sin0_output', 'block_sin1_output'])
>>> layers = [ng.sym.FullyConnected(x, num_hidden=3) for _ in range(2)]
>>> sum(layers[1:], layers[0]).list_arguments()[1::2]
['fullyconnected0_weight', 'fullyconnected1_weight']
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
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
# the mark for variables of the present call, if it creates several nodes with variables
call: ContextVar[Mapping[str, Any] | None] = ContextVar("nbgraph_call", default=None)
UNNAMED_CALL = "of call"  # mark of a variable of a call without a name: (stem, id of the call)
OPERAND = "operand"  # mark of a variable for an operand that a call omitted: the operand's name
CALL_MARKS = (UNNAMED_CALL, OPERAND)


_scopes, _marks = Scopes(scope), Scopes(marks)


class name_scope(ContextDecorator):
    """Add `prefix` to the names of nodes created in the block; scopes nest.

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
    """Return MXNet's `attr=` as a dict; raise ArgumentError unless it is a dict by name or None."""
    if attr is None:
        return {}
    if not isinstance(attr, Mapping) or not all(isinstance(key, str) for key in attr):
        raise ArgumentError(f"{call}: attr={attr!r}; give a dict by name, as attr={{'lr': 2}}")
    return dict(attr)


class attribute_scope(ContextDecorator):
    """Add attributes to nodes created in the block, for `Symbol.attr`.

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
    """Return the name of each node of a graph; names of operators are numbered from 0.

    A variable with the mark `UNNAMED_CALL` is named after the call's node and its operand, or after
    the stem with the next free number if that node is not in the graph; equal marks are one call.
    """
    nodes = list(nodes)
    calls: dict[Any, list[GraphNode]] = {}
    for node in nodes:
        if UNNAMED_CALL in node.marks:
            calls.setdefault(node.marks[UNNAMED_CALL], []).append(node)
    names = {node: node.name for node in nodes if node.name and UNNAMED_CALL not in node.marks}
    reserved = set(names.values())
    counts: dict[str, int] = {}

    def numbered(stem: str, variables: Sequence[GraphNode]) -> str:
        number = counts.get(stem, 0)
        parts = [str(v.name).removeprefix(stem) for v in variables] if variables else ()
        while (name := f"{stem}{number}") in reserved or any(name + p in reserved for p in parts):
            number += 1
        counts[stem] = number + 1
        reserved.add(name)  # itself too, not only with parts: "a1" + "0" equals "a" + "10"
        for variable, part in zip(variables, parts, strict=True):
            names[variable] = name + part
            reserved.add(name + part)
        return name

    for node in nodes:
        if node.op is not None and not node.name:
            stem = node.scope + node.op.__name__
            mark = calls and next((m for m in _calls(node) if m in calls and m[0] == stem), None)
            names[node] = numbered(stem, calls.pop(mark, ()) if mark else ())
    for (stem, _), variables in calls.items():
        numbered(stem, variables)
    return names


def _calls(node: GraphNode) -> list[Any]:
    return [operand.marks.get(UNNAMED_CALL) for operand, _ in node.entries]


def output_name(node: GraphNode, index: int, name: str) -> str:
    """Return the name of an output: a variable's name, else the node's with the output's."""
    if node.op is None:
        return name
    own = getattr(node.op, "outputs", None)
    if own is not None:
        return f"{name}_{own[index]}"
    shown = getattr(node.op, "visible", None) or node.nout  # the others are for the gradient only
    return f"{name}_output" if shown == 1 and index == 0 else f"{name}_output{index}"
