"""Graphs computed the plain way: operator by operator on NumPy arrays, in listing order."""

import numpy as np

import nbgraph as ng
from nbgraph.graph.build import GraphNode
from nbgraph.graph.constant import CONSTANT
from nbgraph.graph.graph import Graph
from nbgraph.operator.mapper.mapper import Mapper


def evaluate(graph: Graph, given: dict) -> list[np.ndarray]:
    """The heads' values. `given`: arrays for the variables, by node or by name.

    Each node is applied once, so a random draw is seen alike by all who read it. Results that are
    no views are C-contiguous, as where graphs are run.
    """
    values: dict[tuple[GraphNode, int], np.ndarray] = {}
    with np.errstate(all="ignore"):
        for node in graph.nodes:
            for k, result in enumerate(_results(node, given, values)):
                values[node, k] = result
    return [values[head] for head in graph.heads]


def carried_out(graph: Graph, given: dict) -> list:
    """The heads, by applying each operator to what `given` holds (NDArrays: while recording)."""
    values: dict = {}
    for node in graph.nodes:
        if node.op is None:
            result = given[node.name]
        elif node.op is CONSTANT:
            data = node.attributes["value"].array
            result = ng.array(data, dtype=data.dtype)
        else:
            operands = [values[i] if type(i) is tuple else i for i in node.inputs]
            result = node.op(*operands, **node.attributes)
        for k, value in enumerate(result if isinstance(result, tuple) else (result,)):
            values[node, k] = value
    return [values[head] for head in graph.heads]


def _results(node, given, values):
    if node.op is None:
        array = np.asarray(given[node] if node in given else given[node.name])
        found = (array,)
    else:
        operands = [values[i] if type(i) is tuple else i for i in node.inputs]
        found = _applied(node, operands)
    order = "K" if getattr(node.op, "view", None) is not None else "C"
    found = [np.asarray(value, order=order) for value in found]
    if node.specs is not None:
        told = [(spec.shape, spec.dtype) for spec in node.specs]
        assert [(value.shape, value.dtype) for value in found] == told, node
    return found


def _applied(node, operands):
    if isinstance(node.op, Mapper):
        result = node.op(*operands, **node.attributes)
    else:
        result = node.op.on_numpy(operands, node.attributes, None)
    return result if isinstance(result, tuple) else (result,)


def same_bits(a: list[np.ndarray], b: list[np.ndarray]) -> bool:
    """Whether two lists of arrays have the same shapes, dtypes and bits; NaNs are alike."""
    return len(a) == len(b) and all(_same(x, y) for x, y in zip(a, b, strict=True))


def _same(x, y):
    if x.shape != y.shape or x.dtype != y.dtype:
        return False
    if x.dtype.kind not in "fV":
        return bool((x == y).all())
    nan = np.isnan(x) & np.isnan(y)
    bits = f"u{x.dtype.itemsize}"
    return bool((nan | (x.copy().view(bits) == y.copy().view(bits))).all())
