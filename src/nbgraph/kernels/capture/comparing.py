"""Comparisons that are decided while a function is captured: `is`, `in`, and of static values."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from typing import Any

from nbgraph.kernels.capture.values import Static, Value
from nbgraph.kernels.kinds import is_boolean
from nbgraph.kernels.scalar import Graph, Node

_STATIC: dict[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.In: lambda a, b: a in b,
    ast.NotIn: lambda a, b: a not in b,
}


def identical(graph: Graph, a: Value, b: Value) -> Node | None:
    """Return whether `a is b` as a node; None where that depends on how Python keeps numbers.

    Bools are two objects, so theirs is equality; a number is never a bool or another sort of value.
    """
    if isinstance(a, Static) and isinstance(b, Static):
        same = a.value is b.value
        if isinstance(a.value, str) and isinstance(b.value, str):
            same = a.value == b.value  # literals are one object
        return graph.const(same)
    if not (isinstance(a, Node) and isinstance(b, Node)):
        return graph.const(a is b)
    if is_boolean(a.kind) != is_boolean(b.kind) or (a.kind == "f") != (b.kind == "f"):
        return graph.const(False)
    if is_boolean(a.kind) or (a.op == b.op == "const"):
        return graph.compare("eq", a, b)
    return graph.const(True) if a is b else None


def static(op: ast.cmpop, a: Value, b: Value) -> bool | None:
    """Return a comparison with a value that is no number, as Python gives it; None where there is
    no such comparison, or it depends on a number's value."""
    if type(op) not in _STATIC:
        return None
    known = [v.value if isinstance(v, Static) else _Number() for v in (a, b)]
    if isinstance(op, (ast.Eq, ast.NotEq)) or all(isinstance(v, Static) for v in (a, b)):
        try:
            return bool(_STATIC[type(op)](*known))
        except TypeError:
            return None
    return None


class _Number:
    """Stands for a number or tuple that is compared with what is none: it equals nothing."""
