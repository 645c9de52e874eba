"""Statements that say what names mean: `import`, `del`, `global`, `with np.errstate(...)`; and
`match`, whose cases bind names: each is a branch, tried where those before it did not fit."""

from __future__ import annotations

import ast
import functools
import importlib
import warnings
from types import FunctionType
from typing import cast

import numpy as np

from nbgraph.kernels.capture.comparing import compare
from nbgraph.kernels.capture.containers import Resizable
from nbgraph.kernels.capture.context import Call, Tracer
from nbgraph.kernels.capture.environment import placed
from nbgraph.kernels.capture.joining import join
from nbgraph.kernels.capture.syntax import walk
from nbgraph.kernels.capture.values import Env, Node, Static, Undefined, Value
from nbgraph.kernels.scalar.kinds import is_boolean

_QUIET = (np.errstate, warnings.catch_warnings)  # contexts that change no value


def imported(tracer: Tracer, st: ast.Import, env: Env, path: Node) -> Env:
    """Return the environment after `import module`."""
    names = dict(env)
    for alias in st.names:
        module, first = _module(tracer, st, alias.name), alias.name.partition(".")[0]
        names[alias.asname or first] = Static(
            module if alias.asname else _module(tracer, st, first)
        )
    return names


def imported_from(tracer: Tracer, st: ast.ImportFrom, env: Env, path: Node) -> Env:
    """Return the environment after `from module import name`."""
    owner = _module(tracer, st, "." * st.level + (st.module or ""))
    names = dict(env)
    for alias in st.names:
        try:
            value = tracer.watch.read_attribute(owner, alias.name)
        except AttributeError:
            value = _module(tracer, st, f"{getattr(owner, '__name__', '')}.{alias.name}")
        names[alias.asname or alias.name] = tracer.constant(value, st)  # type: ignore[arg-type]
    return names


def _module(tracer: Tracer, st: ast.stmt, name: str) -> object:
    fn = cast("FunctionType", tracer.fn)
    try:
        return importlib.import_module(name, fn.__globals__.get("__package__"))
    except (ImportError, TypeError) as error:  # a relative one outside of a package
        tracer.refuse(st, str(error), "import what is installed")


def deleted(tracer: Tracer, st: ast.Delete, env: Env, path: Node) -> Env:
    """Return the environment after `del name`, or `del owner[item]`."""
    env = dict(env)
    for target in st.targets:
        if isinstance(target, ast.Subscript) and not isinstance(target.slice, ast.Slice):
            pop = ast.Attribute(target.value, "pop", ast.Load())
            removed = ast.copy_location(ast.Call(pop, [target.slice], []), target)
            tracer.expression(ast.fix_missing_locations(removed), env, path)
        elif not isinstance(target, ast.Name):
            tracer.refuse(target, "only names and items can be deleted", "make a new list")
    names = (t.id for t in st.targets if isinstance(t, ast.Name))
    return {**env, **dict.fromkeys(names, Undefined("was deleted"))}


def read_only(tracer: Tracer, st: ast.Global, env: Env, path: Node) -> Env:
    """Refuse `global name` where the name is assigned."""
    names = (n for n in walk(tracer.text.body) if isinstance(n, ast.Name))
    stored = {n.id for n in names if not isinstance(n.ctx, ast.Load)}
    for name in st.names:
        if name in stored:
            what = f"the global {name!r} is assigned: a scalar function has no effects"
            tracer.refuse(st, what, "return the value as a further result")
    return env


def quiet(tracer: Tracer, st: ast.With, env: Env, path: Node) -> Env:
    """Return the environment after a `with` block of a context that changes no value."""
    for item in st.items:
        call = item.context_expr
        target = tracer.static(call.func, env) if isinstance(call, ast.Call) else None
        if target not in _QUIET or item.optional_vars is not None:
            tracer.refuse(
                st,
                "a `with` statement is not understood in a scalar function, unless it is of "
                "np.errstate() or warnings.catch_warnings()",
                "take the body out of the `with` block",
            )
    return tracer.block(st.body, env, path)


def matched(tracer: Tracer, st: ast.Match, env: Env, path: Node) -> Env:
    """Return the environment after a `match` statement."""
    env = dict(env)
    return _cases(tracer, st.cases, tracer.object(st.subject, env, path), env, path)


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
    """Return whether a value fits; the names of the pattern are bound in `env`."""
    graph, referred = tracer.graph, subject
    subject = tracer.each(pattern, subject, env)  # type: ignore[arg-type]
    match pattern:
        case ast.MatchValue(value=value):
            subject = tracer.deep(value, subject, env)
            call = Call(tracer, value, graph.const(True))
            return compare(call, ast.Eq(), subject, tracer.expression(value, env, path))
        case ast.MatchSingleton(value=value):
            if isinstance(value, bool) and is_boolean(getattr(subject, "kind", "")):
                return graph.truth(subject) if value else graph.logical_not(graph.truth(subject))
            return graph.const(isinstance(subject, Static) and subject.value is value)
        case ast.MatchOr(patterns=patterns):
            fits = [_fits(tracer, p, referred, env, path) for p in patterns]
            return functools.reduce(graph.logical_or, fits)
        case ast.MatchAs(pattern=inner, name=name):
            if name is not None:
                env[name] = placed(referred, env)
            return graph.const(True) if inner is None else _fits(tracer, inner, referred, env, path)
        case ast.MatchSequence(patterns=parts) if not (
            isinstance(subject, Resizable) or any(isinstance(p, ast.MatchStar) for p in parts)
        ):
            items = cast("tuple[Value, ...]", subject) if isinstance(subject, tuple) else ()
            if len(items) != len(parts) or not isinstance(subject, tuple):
                return graph.const(False)
            fits = [_fits(tracer, p, v, env, path) for p, v in zip(parts, items, strict=True)]
            return functools.reduce(graph.logical_and, fits, graph.const(True))
    remedy = "use numbers, `|`, names, `_` and tuples of these, or if / elif / else"
    tracer.refuse(pattern, "this pattern is not understood in a scalar function", remedy)
