"""`match` statements: each case is a branch, tried where the cases before it did not fit."""

from __future__ import annotations

import ast
import functools
from typing import TYPE_CHECKING, cast

from nbgraph.kernels.capture.values import Env, Static, Value, join
from nbgraph.kernels.kinds import is_boolean

if TYPE_CHECKING:
    from nbgraph.kernels.capture.tracer import Tracer
    from nbgraph.kernels.scalar import Node


def matched(tracer: Tracer, st: ast.Match, env: Env, path: Node) -> Env:
    """The environment after a `match` statement."""
    env = dict(env)
    return _cases(tracer, st.cases, tracer.expression(st.subject, env, path), env, path)


def _cases(
    tracer: Tracer, cases: list[ast.match_case], subject: Value, env: Env, path: Node
) -> Env:
    if not cases:
        return env
    graph, case, bound = tracer.graph, cases[0], dict(env)
    fits = _fits(tracer, case.pattern, subject, bound, path)
    if case.guard is not None:
        guarded = graph.logical_and(path, fits)
        with tracer.under(fits):
            fits = graph.logical_and(fits, tracer.condition(case.guard, bound, guarded))
    if fits.op == "const":
        if fits.data:
            return tracer.block(case.body, bound, path)
        return _cases(tracer, cases[1:], subject, env, path)
    yes = tracer.block(case.body, bound, graph.logical_and(path, fits))
    missed = graph.logical_and(path, graph.logical_not(fits))
    with tracer.under(graph.logical_not(fits)):
        rest = _cases(tracer, cases[1:], subject, dict(env), missed)
    return join(graph, fits, yes, rest)


def _fits(tracer: Tracer, pattern: ast.pattern, subject: Value, env: Env, path: Node) -> Node:
    """Whether a value fits; the names of the pattern are bound in `env`."""
    graph = tracer.graph
    match pattern:
        case ast.MatchValue(value=value):
            return tracer.equal(value, subject, tracer.expression(value, env, path))
        case ast.MatchSingleton(value=value):
            if isinstance(value, bool) and is_boolean(getattr(subject, "kind", "")):
                return graph.truth(subject) if value else graph.logical_not(graph.truth(subject))
            return graph.const(isinstance(subject, Static) and subject.value is value)
        case ast.MatchOr(patterns=patterns):
            fits = [_fits(tracer, p, subject, env, path) for p in patterns]
            return functools.reduce(graph.logical_or, fits)
        case ast.MatchAs(pattern=inner, name=name):
            if name is not None:
                env[name] = subject
            return graph.const(True) if inner is None else _fits(tracer, inner, subject, env, path)
        case ast.MatchSequence(patterns=parts) if not any(
            isinstance(p, ast.MatchStar) for p in parts
        ):
            items = cast("tuple[Value, ...]", subject) if isinstance(subject, tuple) else ()
            if len(items) != len(parts) or not isinstance(subject, tuple):
                return graph.const(False)
            fits = [_fits(tracer, p, v, env, path) for p, v in zip(parts, items, strict=True)]
            return functools.reduce(graph.logical_and, fits, graph.const(True))
    tracer.refuse(
        pattern,
        "this pattern is not understood in a scalar function",
        "use numbers, `|`, names, `_` and tuples of these, or if / elif / else",
    )
