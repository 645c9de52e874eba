"""`try` statements, and the exceptions that Python raises where kernels have inf or NaN.

Within a `try` whose handlers catch them, these exceptions are raised as in Python:
ZeroDivisionError by `/`, `//`, `%`, divmod() by 0 and by 0 to a negative power; ValueError by
functions of `math` outside their domains and by int(nan); OverflowError by int(inf), and by
functions of `math` and powers with an infinite result of finite arguments. Elsewhere, and for
functions of NumPy, the result is inf or NaN.
"""

import ast
import functools
import math
from collections.abc import Sequence
from typing import Any

from nbgraph.kernel_errors import Raised
from nbgraph.kernels.capture.context import Tracer
from nbgraph.kernels.capture.environment import RESULT, is_flag, raises_of, without_flags
from nbgraph.kernels.capture.joining import join
from nbgraph.kernels.capture.results import class_of, flag_of, of_flag
from nbgraph.kernels.capture.values import Env, Graph, Node, Static

_DIVISIONS = ("div", "floordiv", "mod")


def attempted(tracer: Tracer, st: ast.Try, env: Env, path: Node) -> Env:
    """Return the environment after a `try` statement."""
    handlers = [(_classes(tracer, h, env), h) for h in st.handlers]
    outer = tracer.catching
    tracer.catching = (*outer, *(c for classes, _ in handlers for c in classes))
    try:
        body = tracer.block(st.body, dict(env), path)
    finally:
        tracer.catching = outer
    after = tracer.going(body, path, functools.partial(tracer.block, st.orelse))
    left = raises_of(body)
    for classes, handler in handlers:
        caught = {n: c for n, c in left.items() if issubclass(class_of(tracer.graph, n), classes)}
        left = {n: c for n, c in left.items() if n not in caught}
        if caught:
            after = _handled(tracer, handler, caught, body, after, path)
    return _finally(tracer, st, after, path) if st.finalbody else after


def _handled(
    tracer: Tracer, handler: ast.ExceptHandler, caught: Env, body: Env, after: Env, path: Node
) -> Env:
    """Return the environment where some of the exceptions run a handler."""
    graph = tracer.graph
    cond = functools.reduce(graph.logical_or, caught.values())
    inner = {k: v for k, v in without_flags(body).items() if k != RESULT}
    if handler.name:
        name, *others = caught
        words, cls = of_flag(graph, name).message, class_of(graph, name)
        known = not others and "{" not in words and cls.__module__ == "builtins"
        inner[handler.name] = Static(cls(words) if known else cls())
    tracer.handled.append(caught)
    try:
        ended = tracer.block(handler.body, inner, graph.logical_and(path, cond))
    finally:
        tracer.handled.pop()
    rest = dict(after)
    for name, raised in caught.items():  # an `else` may raise the same exception uncaught
        if rest.pop(name) is not raised:
            rest[name] = graph.logical_and(after[name], graph.logical_not(cond))
    return join(graph, cond, ended, rest)


def _finally(tracer: Tracer, st: ast.Try, env: Env, path: Node) -> Env:
    """Return the environment after the statements of `finally`."""
    leaves = (ast.Return, ast.Raise, ast.Break, ast.Continue)
    for part in st.finalbody:
        for node in ast.walk(part):
            if isinstance(node, leaves):
                what = "`finally` leaves the block by itself, which hides an exception"
                tracer.refuse(node, what, "leave it behind the `try` statement")
    flags = {k: v for k, v in env.items() if is_flag(k) or k == RESULT}
    rest = {k: v for k, v in env.items() if k not in flags}
    return {**tracer.block(st.finalbody, rest, path), **flags}


def _classes(tracer: Tracer, handler: ast.ExceptHandler, env: Env) -> tuple[type, ...]:
    """Return the exceptions that a handler catches."""
    if handler.type is None:
        return (BaseException,)
    parts = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    classes = [tracer.static(part, env) for part in parts]
    if not all(isinstance(c, type) and issubclass(c, BaseException) for c in classes):
        what = "what is caught is not a class of exceptions that is known"
        tracer.refuse(handler.type, what, "name the classes, as in `except ZeroDivisionError`")
    return tuple(classes)


# what Python raises by itself ---------------------------------------------------------------------


def notes(tracer: Tracer, cls: type[Exception], message: str, where: Node) -> None:
    """Note an exception of an operation if something around catches it."""
    if not issubclass(cls, tracer.catching) or (where.op == "const" and not where.data):
        return
    line = tracer.graph.line.rpartition("/")[2]
    error = Raised(tracer.operator, cls.__name__, message, line)
    tracer.pending.append((flag_of(tracer.graph, error, cls), where))


def of_binary(tracer: Tracer, op: str, a: Node, b: Node, result: Any) -> None:
    """Note the exceptions of `a op b`."""
    graph = tracer.graph
    if op in _DIVISIONS:
        notes(tracer, ZeroDivisionError, "division by zero", _is_zero(graph, b))
    elif op == "pow" and isinstance(result, Node):
        negative = graph.compare("lt", b, graph.const(0))
        where = graph.logical_and(_is_zero(graph, a), negative)
        notes(tracer, ZeroDivisionError, "0 to a negative power", where)
        where = graph.logical_and(_overflows(graph, [a, b], result), graph.logical_not(where))
        notes(tracer, OverflowError, "Result too large", where)


def of_function(tracer: Tracer, target: object, args: Sequence[Any], result: Any) -> None:
    """Note the exceptions of a function of `math`, int() or divmod()."""
    graph = tracer.graph
    if not args or not all(isinstance(a, Node) for a in args):
        return
    if target is divmod:
        of_binary(tracer, "mod", args[0], args[1], result)
    elif target is int or target in (math.floor, math.ceil, math.trunc, round):
        if args[0].kind == "f" and len(args) == 1:
            nan = graph.compare("ne", args[0], args[0])
            notes(tracer, ValueError, "cannot convert float NaN to integer", nan)
            infinite = _is_infinite(graph, args[0])
            notes(tracer, OverflowError, "cannot convert float infinity to integer", infinite)
    elif getattr(target, "__module__", None) == "math" and isinstance(result, Node):
        name = getattr(target, "__name__", "")
        outside = _outside(graph, name, args, result)
        notes(tracer, ValueError, "math domain error", outside)
        where = graph.logical_and(_overflows(graph, args, result), graph.logical_not(outside))
        notes(tracer, OverflowError, "math range error", where)


def _outside(graph: Graph, name: str, args: Sequence[Node], result: Node) -> Node:
    """Return where a function of `math` is undefined: NaN for numbers, or infinite at a pole."""
    if result.kind != "f":
        return graph.const(False)
    numbers = [graph.compare("eq", a, a) for a in args]
    none = functools.reduce(graph.logical_and, numbers, graph.compare("ne", result, result))
    x = args[0]
    edges = {"log": 0, "log2": 0, "log10": 0, "log1p": -1}
    if name in edges:
        return graph.compare("le", x, graph.const(edges[name]))
    if name == "atanh":
        return graph.compare("ge", graph.absolute(x), graph.const(1))
    if name == "fmod":
        return graph.logical_or(none, _is_zero(graph, args[1]))
    if name in ("gamma", "lgamma"):
        pole = graph.logical_and(
            graph.compare("le", x, graph.const(0)),
            graph.compare("eq", graph.call("floor", x), graph.float(x)),
        )
        return graph.logical_or(none, pole)
    if name == "pow":
        zero = graph.logical_and(_is_zero(graph, x), graph.compare("lt", args[1], graph.const(0)))
        return graph.logical_or(none, zero)
    return none


def _overflows(graph: Graph, args: Sequence[Node], result: Node) -> Node:
    """Return whether a result is infinite although no argument is."""
    if result.kind != "f":
        return graph.const(False)
    infinite = _is_infinite(graph, result)
    for a in args:
        infinite = graph.logical_and(infinite, graph.logical_not(_is_infinite(graph, a)))
    return infinite


def _is_infinite(graph: Graph, a: Node) -> Node:
    if a.kind != "f":
        return graph.const(False)
    return graph.compare("eq", graph.absolute(a), graph.const(math.inf))


def _is_zero(graph: Graph, a: Node) -> Node:
    return graph.compare("eq", graph.cast(a, "i") if a.kind == "bool" else a, graph.const(0))
