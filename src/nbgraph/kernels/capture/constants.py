"""Python objects outside a function: names of them, their attributes, containers as constants."""

from __future__ import annotations

import ast
from typing import Any

import numpy as np

from nbgraph.kernels.capture import complex_numbers
from nbgraph.kernels.capture.containers import ConstantArray, Mapping, described, record_of
from nbgraph.kernels.capture.context import Tracer
from nbgraph.kernels.capture.distributions import method_of
from nbgraph.kernels.capture.objects import UnknownText
from nbgraph.kernels.capture.text import KindError
from nbgraph.kernels.capture.values import Env, Static, Value
from nbgraph.kernels.scalar.kinds import kind_of_dtype, kind_of_value

MAX_ENTRIES = 1 << 16  # of an array; each is a node


def static(tracer: Tracer, node: ast.expr, env: Env) -> Any:
    """Return the Python object an expression names (a function, a module), or None."""
    if isinstance(node, ast.Name):
        if node.id in env:
            value = env[node.id]
            return value.value if isinstance(value, Static) else None
        try:
            return tracer.scope.lookup(node.id)
        except NameError:
            return None
    if isinstance(node, ast.Attribute):
        owner = tracer.static(node.value, env)
        if owner is not None:
            return getattr(owner, node.attr, None)
    return None


def constant(tracer: Tracer, value: Any, node: ast.expr) -> Value:
    """Return a value found outside the function: numbers become literals."""
    if kind_of_value(value) is not None:
        return tracer.graph.const(value)
    if complex_numbers.is_complex(value):
        return complex_numbers.constant(tracer.graph, value)
    if isinstance(value, tuple) and type(value).__name__ != "float_info":  # that of sys
        fields = getattr(value, "_fields", None)
        items = tuple(tracer.constant(item, node) for item in value)
        named = dict(zip(fields or (), items, strict=False))
        return record_of(type(value), named) if fields else items
    if isinstance(value, (list, dict, set, frozenset, np.ndarray)):
        return _container(tracer, value, node)
    return Static(value)


def _container(tracer: Tracer, value: Any, node: ast.expr) -> Value:
    """What a container holds now; that it holds the same is looked at in each call."""
    size = value.size if isinstance(value, np.ndarray) else len(value)
    if size > MAX_ENTRIES:
        tracer.refuse(
            node,
            f"{size} entries are read from outside the function, more than {MAX_ENTRIES}",
            "take the entries before the call, e.g. by ng.take(table, index), and pass them as "
            "an operand",
        )
    tracer.watch.read_contents(value)
    if isinstance(value, np.ndarray):
        return _array(tracer, value, node)
    if isinstance(value, dict):
        return Mapping({key: tracer.constant(item, node) for key, item in value.items()})
    return tuple(tracer.constant(item, node) for item in value)


def _array(tracer: Tracer, value: np.ndarray[Any, Any], node: ast.expr) -> Value:
    """Return an array: integers and bools keep their dtype, floats are `a floating value`."""
    if value.dtype.kind not in "fiubc":
        what = f"an array of dtype {value.dtype} is read from outside the function"
        tracer.refuse(node, what, "use an array of numbers, or a tuple")
    graph = tracer.graph
    kind = "" if value.dtype.kind == "c" else kind_of_dtype(value.dtype)

    def nested(part: Any) -> Value:
        if isinstance(part, list):
            return ConstantArray(map(nested, part))
        return graph.cast(graph.const(part), kind) if kind else tracer.constant(part, node)

    return nested(value.tolist())


def attribute(tracer: Tracer, node: ast.expr, owner: Any, name: str) -> Value:
    """Return an attribute of a Python object."""
    method = method_of(owner, name)
    if method is not None:
        return Static(method)
    try:
        value = tracer.watch.read_attribute(owner, name)
    except AttributeError as error:
        own = type(owner).__module__.startswith("nbgraph.")
        problem = f"{described(Static(owner))} has no attribute {name!r} here" if own else error
        if isinstance(owner, UnknownText):
            remedy = "of an integer, which int() makes, it is a string of digits"
            tracer.refuse(node, str(problem), remedy, KindError)
        tracer.refuse(node, str(problem), "check the spelling")
    return tracer.constant(value, node)
