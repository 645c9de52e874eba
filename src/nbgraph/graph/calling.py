"""Symbols as functions: calls with symbols compose graphs, calls with arrays compute results."""

import importlib
from collections.abc import Mapping
from typing import Any

from nbgraph.errors import ArgumentError, noun
from nbgraph.graph.arguments import Arguments
from nbgraph.graph.build import GraphNode
from nbgraph.graph.composite import CompositeOp, resolved
from nbgraph.graph.constant import CONSTANT
from nbgraph.graph.graph import Entry, Graph, with_variables
from nbgraph.graph.naming import OPERAND
from nbgraph.operator.arrays.array_op import FilledOp
from nbgraph.operator.call import call
from nbgraph.operator.expected import EXPECTED


class Calling(Arguments):
    """The part of `Symbol` that makes it callable."""

    __slots__ = ()

    def __call__(self, *in_order: Any, **by_name: Any) -> Any:
        """Return the graph with symbols in place of variables, by name or in the order of
        `list_arguments()`. With NDArrays, one for each variable, compute the results, which are
        recorded like those of any operators.

        An operand that a call of `ng.sym` omitted also has the operator's name for it. `name`,
        unless a variable is called so, is the name of the result.

        Returns a Symbol; with arrays an NDArray, or a list of them for a group. Raises
        ArgumentError for arguments that are unknown, missing or of another type.

        >>> import nbgraph as ng
        >>> x, y = ng.var("x"), ng.var("y")
        >>> ng.sin(x)(x=y * 2).list_arguments()
        ['y']
        >>> ng.sym.FullyConnected(num_hidden=4, name="fc")(data=y).list_arguments()
        ['y', 'fc_weight', 'fc_bias']
        >>> (x * 2)(ng.array([1.0, 2.0]))
        array([2., 4.], dtype=float32)
        """
        name = None if "name" in self.list_arguments() else by_name.pop("name", None)
        values = self._named("compose", "symbols", in_order, by_name)
        graph = self.graph
        by_variable = {_variable(graph, name): value for name, value in values.items()}
        if any(_is_array(value) for value in by_variable.values()):
            return self._computed(graph, by_variable)
        moved: dict[Entry, Any] = {}
        for node, symbol in by_variable.items():
            if not isinstance(symbol, Arguments):
                raise ArgumentError(
                    f"compose: {graph.names[node]}={symbol!r} is {noun(symbol)}; give a symbol, "
                    "or an NDArray for each argument"
                )
            if len(symbol.entries) != 1:
                raise ArgumentError(
                    f"compose: {graph.names[node]} is a group; choose one of its outputs"
                )
            moved[node, 0] = symbol.entries[0]
        called = self._like(graph.rewrite(lambda node, inputs: None, moved).heads)
        return called if name is None else called.named(name)

    def _computed(self, graph: Graph, arrays: Mapping[GraphNode, Any]) -> Any:
        for node in graph.variables:
            if not _is_array(arrays.get(node)):
                raise ArgumentError(
                    f"compose: {graph.names[node]!r} is {arrays.get(node)!r}; where one argument "
                    f"is an NDArray all are: {', '.join(graph.names[v] for v in graph.variables)}"
                )
        values: dict[Entry, Any] = {(node, 0): array for node, array in arrays.items()}
        if any(isinstance(n.op, FilledOp) and n.specs is None for n in graph.nodes):
            graph = resolved(graph, {graph.names[n]: v.shape for n, v in arrays.items()}, {})[0]
        plain = with_variables(graph, {}, without=EXPECTED)
        for node in plain.nodes:
            if node.op is not None:
                results = _results(
                    node, [values[v] if type(v) is tuple else v for v in node.inputs]
                )
                values.update({(node, k): value for k, value in enumerate(results)})
        outputs = [values[head] for head in plain.heads]
        return outputs[0] if len(outputs) == 1 else outputs


def _is_array(value: Any) -> bool:
    """Return whether it is an NDArray, or a tracer of one in a traced function."""
    return hasattr(value, "asnumpy") or getattr(value, "stands_for_array", False)


def _results(node: GraphNode, operands: list[Any]) -> list[Any]:
    """Return the results of a node's operator on arrays."""
    if node.op is CONSTANT:
        array = importlib.import_module("nbgraph.array.create").array
        return [array(node.attributes["value"].array)]
    if isinstance(node.op, CompositeOp):
        return node.op.results(operands, node.attributes)
    results = call(node.op, operands, node.attributes)
    return list(results) if isinstance(results, (list, tuple)) else [results]


def _variable(graph: Graph, name: str) -> GraphNode:
    """Return the variable with this name, or the only omitted operand with this name."""
    for node in graph.variables:
        if graph.names[node] == name:
            return node
    left_out = [v for v in graph.variables if v.marks.get(OPERAND) == name]
    if len(left_out) != 1:
        listed = ", ".join(graph.names[v] for v in graph.variables)
        raise ArgumentError(f"compose: no variable is called {name!r}; there are {listed}")
    return left_out[0]
