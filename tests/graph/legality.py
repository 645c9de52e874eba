"""Whether a graph is legal, which tests ask after every pass."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import Any

from nbgraph.errors import GraphError, NbgraphError
from nbgraph.graph.build import NUMBERS, GraphNode, has_effect, infer
from nbgraph.graph.graph import Graph, spec_of
from nbgraph.graph.listing import listing
from nbgraph.operator.arrays.array_op import Spec
from nbgraph.operator.mapper.mapper import Mapper

_AROUND = 10  # lines of the listing that an error shows


def check(graph: Graph) -> None:
    """Nothing, or GraphError with the lines around the first node that is wrong.

    Every node has the operands that its operator takes, which are computed before it and exist;
    its shapes and dtypes are those that inference gives; what has an effect has a token, which no
    other operator has. Variables are listed, and each has a name of its own.
    """
    place = {node: k for k, node in enumerate(graph.nodes)}
    tokens: dict[Any, Any] = {}
    for k, node in enumerate(graph.nodes):
        for problem in chain(
            _order(node, k, place), _operands(node), _effect(node, tokens), _types(node)
        ):
            raise GraphError(f"{problem}\n{_neighbourhood(graph, k)}")
    for problem in chain(_heads(graph), _variables(graph)):
        raise GraphError(f"{problem}\n{_neighbourhood(graph, len(graph.nodes))}")


def _neighbourhood(graph: Graph, at: int) -> str:
    try:
        lines = listing(graph).splitlines()
    except (KeyError, IndexError, AttributeError) as problem:  # of what is wrong with the graph
        return f"(it cannot be listed: {problem!r})"
    first = max(min(at - _AROUND // 2, len(lines) - _AROUND), 0)
    numbered = enumerate(lines[first : first + _AROUND], first)
    return "\n".join(f"{'>' if k == at else ' '} {line}" for k, line in numbered)


def _order(node: GraphNode, k: int, place: dict[GraphNode, int]) -> Iterator[str]:
    for other in (*(entry[0] for entry in node.entries), *node.after):
        if place[other] >= k:
            yield f"{node!r} needs {other!r}, which needs it: a cycle"
    for other, index in node.entries:
        if not 0 <= index < other.nout:
            yield f"{node!r} reads output {index} of {other!r}, which has {other.nout}"


def _operands(node: GraphNode) -> Iterator[str]:
    op = node.op
    if op is None:
        if node.inputs:
            yield f"{node!r} is a variable with operands"
        return
    count, variadic = op.nin, not isinstance(op, Mapper) and "*" in "".join(op.operands[-1:])
    if len(node.inputs) < count or (len(node.inputs) > count and not variadic):
        yield f"{op.__name__} takes {count} operand(s), {len(node.inputs)} are given"
    for i, operand in enumerate(node.inputs):
        if type(operand) is tuple:
            continue
        if type(operand) not in NUMBERS:
            yield f"{op.__name__}: operand {i} is {operand!r}, neither an entry nor a number"
        elif not isinstance(op, Mapper):
            yield f"{op.__name__}: operand {i} is the number {operand!r}; it takes arrays"


def _effect(node: GraphNode, tokens: dict[Any, Any]) -> Iterator[str]:
    if node.op is None or not has_effect(node.op):
        return  # copies of a segment that is computed again share a token
    if node.token is None:
        yield f"{node.op.__name__} has an effect but no token: it could be shared"
    elif tokens.setdefault(node.token, node.op) is not node.op:
        yield f"{node!r} has the token {node.token}, which belongs to {tokens[node.token]!r}"


def _types(node: GraphNode) -> Iterator[str]:
    if node.specs is None:
        return
    if len(node.specs) != node.nout:
        yield f"{node!r} has {node.nout} outputs and {len(node.specs)} shapes"
    elif node.op is None:
        declared = Spec(node.attributes["shape"], node.attributes["dtype"] or node.specs[0].dtype)
        if node.specs[0] != declared:
            yield f"{node!r} is {node.specs[0]}, it was given as {declared}"
    else:
        yield from _inferred(node)


def _inferred(node: GraphNode) -> Iterator[str]:
    assert node.op is not None, "a variable is not inferred"
    unknown = [other for other, _ in node.entries if other.specs is None]
    if unknown:
        yield f"{node!r} has shapes, although those of {unknown[0]!r} are not known"
        return
    try:
        expected = infer(
            node.op, [spec_of(operand) or operand for operand in node.inputs], node.attributes
        )
    except NbgraphError as problem:
        yield f"{node!r}: inference refuses its operands: {problem}"
        return
    if tuple(expected) != node.specs:
        stored, right = (", ".join(map(str, specs)) for specs in (node.specs or (), expected))
        yield f"{node!r} says {stored}, inference gives {right}"


def _heads(graph: Graph) -> Iterator[str]:
    for i, (node, index) in enumerate(graph.heads):
        if not 0 <= index < node.nout:
            yield f"head {i} is output {index} of {node!r}, which has {node.nout}"


def _variables(graph: Graph) -> Iterator[str]:
    listed = set(graph.variables)
    names = [graph.names[node] for node in graph.variables]
    if len(set(names)) != len(names):
        yield f"two variables have one name: {', '.join(names)}"
    for node in graph.variables:
        if node.op is not None:
            yield f"{node!r} is listed as a variable"
    for node in graph.nodes:
        if node.op is None and node not in listed:
            yield f"the variable {graph.names[node]!r} is not listed"
