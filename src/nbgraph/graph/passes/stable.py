"""Stable forms of logarithms of sums, whatever the axes."""

from __future__ import annotations

from typing import Any

from nbgraph.graph.build import GraphNode, Operand, apply
from nbgraph.graph.graph import Entry, spec_of
from nbgraph.ops.define import library


def log_of_sum(entry: Entry) -> Operand | None:
    """`log(sum(exp(x)))` as logsumexp, and `log(exp(x) / sum(exp(x)))` as x less that: exp does not
    overflow, and the logarithm of what rounds to zero is finite.

    >>> import nbgraph as ng
    >>> x = ng.var("x", shape=(2, 3), dtype="float32")
    >>> e = ng.exp(x)
    >>> log_of_sum(ng.log(ng.sum(e, axis=1)).entry)[0].op.__name__
    'logsumexp'
    >>> log_of_sum(ng.log(e / ng.sum(e, axis=1, keepdims=True)).entry)[0].op.__name__
    'subtract'
    """
    inner = _operand_of(entry, library.log)
    if inner is None:
        return None
    found = _log_of(inner[0])
    if found is None and inner[0].op is library.divide:
        above, below = inner[0].inputs
        x = _operand_of(above, library.exp)
        total = None if type(below) is not tuple else _log_of(below[0])
        if x is not None and total is not None and total[0].inputs[0] == x:
            found = apply(library.subtract, [x, total]), 0
    return found if found is not None and spec_of(found) == spec_of(entry) else None


def _operand_of(operand: Operand, op: Any) -> Entry | None:
    """The array that `op` is applied to, if that is what the operand is."""
    if type(operand) is not tuple or operand[0].op is not op:
        return None
    x = operand[0].inputs[0]
    return x if type(x) is tuple else None


def _log_of(node: GraphNode) -> Entry | None:
    """The logarithm of a sum of exponentials."""
    if node.op is not library.sum.op or node.attributes["dtype"] is not None:
        return None
    x = _operand_of(node.inputs[0], library.exp)
    if x is None or spec_of(x) != spec_of(node.inputs[0]):
        return None
    return apply(
        library.logsumexp.op,
        [x],
        {"axis": node.attributes["axis"], "keepdims": node.attributes["keepdims"]},
    ), 0
