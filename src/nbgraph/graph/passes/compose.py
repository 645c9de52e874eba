"""Replacement of composed operators by the operators of their composition.

>>> import nbgraph as ng
>>> x = ng.var("x", shape=(2, 3), dtype="float32")
>>> compose(ng.hypot(x, x).graph)
%0 = x: float32[2, 3]
%1 = hypot(%0, %0): float32[2, 3]
return %1
"""

from functools import partial
from typing import Any

import numpy as np

from nbgraph.errors import GraphError
from nbgraph.graph.build import GraphNode, Operand, constant, renamed
from nbgraph.graph.constant import CONSTANT
from nbgraph.graph.graph import Graph, spec
from nbgraph.graph.passes.reverse import Value, line
from nbgraph.operator.arrays.device_forms import Composed, form_of
from nbgraph.operator.mapper.mapper import Mapper
from nbgraph.ops.elementwise.casting import astype
from nbgraph.scopes import Scopes

_DEEPEST = 8  # levels of compositions within compositions
_lines = Scopes(line)


def compose(graph: Graph, *, host: bool = False) -> Graph:
    """Return the graph with compositions in place of the operators that have one. For devices that
    are not the host this includes `Composed` forms, and operators without operands."""
    rule = partial(_rule, host=host)
    for _ in range(_DEEPEST):
        after = graph.rewrite(rule)
        if after.heads == graph.heads:
            return graph
        graph = after
    raise GraphError("forms of operators for devices are made of each other in a circle")


def _values(node: GraphNode) -> list[Operand] | None:
    """Return the results of a node without operands, such as a range, as constants."""
    op: Any = node.op
    if not op.computes_alone or op.constant is not None or op is CONSTANT:
        return None
    outputs = [np.empty(*spec((node, k))) for k in range(node.nout)]
    op.compute((), outputs, node.attributes)
    return [(constant(value), 0) for value in outputs]


def _rule(node: GraphNode, inputs: tuple[Operand, ...], *, host: bool) -> list[Operand] | None:
    if node.op is None or isinstance(node.op, Mapper):
        return None
    if host and getattr(node.op, "composition", None) is None:
        return None
    form = form_of(node.op, Composed)
    if form is None:
        return None if inputs or host else _values(node)
    values: list[Any] = [Value.of(v) if type(v) is tuple else v for v in inputs]
    with _lines(node.line):
        outputs = form.run(*values, **node.attributes)
        if outputs is None:
            return None
        results = outputs if type(outputs) is tuple else (outputs,)
        entries = [
            astype(value, spec((node, k)).dtype, copy=False).entry
            for k, value in enumerate(results)
        ]
        return renamed(node, entries, inputs)
