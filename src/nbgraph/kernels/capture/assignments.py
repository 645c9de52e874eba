"""Assignments: to names, items, attributes, tuples of such; `target op= value`."""

import ast
import copy
import functools
import importlib
import math
import warnings
from collections.abc import Sequence
from typing import Any, NoReturn, cast

import numpy as np

from nbgraph.kernels.capture import objects
from nbgraph.kernels.capture.arrays import spread
from nbgraph.kernels.capture.classes import store_attribute, store_key
from nbgraph.kernels.capture.comparing import compare
from nbgraph.kernels.capture.containers import (
    Array,
    List,
    Mapping,
    Pairs,
    Record,
    Resizable,
    View,
    mapping,
)
from nbgraph.kernels.capture.context import Call, Tracer
from nbgraph.kernels.capture.environment import placed
from nbgraph.kernels.capture.items import keys, places
from nbgraph.kernels.capture.joining import join
from nbgraph.kernels.capture.lists import put
from nbgraph.kernels.capture.results import RAISES
from nbgraph.kernels.capture.text import walk
from nbgraph.kernels.capture.values import Env, Node, Static, Undefined, Value
from nbgraph.kernels.scalar.kinds import is_boolean


def assigned(tracer: Tracer, st: ast.Assign | ast.AnnAssign, env: Env, path: Node) -> Env:
    """Return the environment after `a = b = value`."""
    if st.value is None:
        return env
    env = dict(env)
    value = placed(tracer.object(st.value, env, path), env)
    if isinstance(value, Undefined) and value.why == RAISES and tracer.catching:
        return env
    for target in st.targets if isinstance(st, ast.Assign) else [st.target]:
        tracer.assign_to(target, value, env, path)
    return env


def augmented(tracer: Tracer, st: ast.AugAssign, env: Env, path: Node) -> Env:
    """Return the environment after `target op= value`; a list or an array is changed in place."""
    env, target = dict(env), st.target
    names = {*env}
    if isinstance(target, ast.Name):
        known, left = env.get(target.id), ast.Name(target.id, ast.Load())
    else:
        target: Any = copy.copy(target)
        target.changes = True
        target.value = _once(tracer, target.value, env, path)
        if isinstance(target, ast.Subscript):
            target.slice = _once(tracer, target.slice, env, path)
        left = copy.copy(target)
        left.ctx = ast.Load()
        left = _once(tracer, ast.copy_location(left, st), env, path)
        known = env[left.id]
    total: Any = ast.BinOp(ast.copy_location(left, st), st.op, st.value)
    total.changes = True
    value = tracer.expression(ast.copy_location(total, st), env, path)
    if tracer.changes_in_place(known, env):
        call, content = Call(tracer, st, path), tracer.dereference(known, env)
        if isinstance(content, Array):
            value = spread(call, lambda old, new: tracer.as_kind(new, old.kind), content, value)
        put(call, known, (), value, env)
    else:
        tracer.assign_to(target, placed(value, env), env, path)
    for node in (left, *ast.walk(target)):
        if isinstance(node, ast.Name) and node.id not in names and node is not st.target:
            env.pop(node.id, None)
    return env


def _once(tracer: Tracer, node: Any, env: Env, path: Node) -> Any:
    """Return `node` with its values bound to names in `env`, so that it is evaluated once."""
    once = functools.partial(_once, tracer, env=env, path=path)
    match node:
        case None | ast.Name() | ast.Constant():
            return node
        case ast.Slice():
            return ast.Slice(once(node.lower), once(node.upper), once(node.step))
        case ast.Tuple():
            return ast.Tuple([*map(once, node.elts)], ast.Load())
    name = ast.unparse(node)
    env[name] = tracer.object(node, env, path)
    return ast.copy_location(ast.Name(name, ast.Load()), node)


def assign_to(
    tracer: Tracer, target: ast.expr, value: Value, env: Env, path: Node | None = None
) -> None:
    """Assign to a name, item, attribute or tuple of these by changing `env`; without `path` only
    names can be assigned to."""
    match target:
        case ast.Subscript() if path is not None:
            _store(tracer, target, value, env, path)
        case ast.Attribute() if path is not None:
            owner = tracer.object(target.value, env, path)
            if not store_attribute(Call(tracer, target, path), owner, value, env):
                _refuse_target(tracer, target)
        case ast.Tuple() | ast.List():
            if path and any(isinstance(n, ast.Subscript) for n in ast.walk(target)):
                value = _read(tracer, value, env, [ast.unparse(part) for part in target.elts])
            for part, item in _parts(tracer, target, value, env):
                tracer.assign_to(part, item, env, path)
        case ast.Name(id=name):
            value = env[name] = placed(value, env, name)
            if isinstance(value, Node) and not tracer.depth:
                tracer.graph.names.setdefault(value.id, name)
        case _:
            _refuse_target(tracer, target)


def _store(tracer: Tracer, target: ast.Subscript, value: Value, env: Env, path: Node) -> None:
    """Store `value` for `owner[...] = value` by changing `env`."""
    owner, call = tracer.object(target.value, env, path), Call(tracer, target, path)
    if isinstance(mapping(tracer.dereference(owner, env)), (Mapping, Pairs)):
        store_key(call, owner, tracer.expression(target.slice, env, path), value, env)
        return
    indices = places(call, tracer.dereference(owner, env), env)
    number = isinstance(owner, Node)
    if not number or not tracer.fails(target, TypeError, "a number has no items"):
        put(call, owner, (indices,), value, env)


def _read(tracer: Tracer, value: Value, env: Env, targets: Sequence[str]) -> Value:
    """Return a tuple with parts of lists as they are now; a part may be one of the targets."""
    if type(value) is tuple:
        return tuple(_read(tracer, item, env, targets) for item in value)
    exchanged = isinstance(value, View) and ast.unparse(value.node) in targets
    return tracer.taken(value, env, alone=exchanged)


def _parts(
    tracer: Tracer, target: ast.Tuple | ast.List, value: Value, env: Env
) -> list[tuple[ast.expr, Value]]:
    """Return each target with the item that is assigned to it; a starred one takes a list."""
    items = tracer.each(target, value, env)
    items = keys(tracer, target, items) if isinstance(items, Mapping) else items
    items = objects.characters(Call(tracer, target, tracer.graph.const(True)), items)
    parts, count = target.elts, len(target.elts)
    star = next((i for i, part in enumerate(parts) if isinstance(part, ast.Starred)), None)
    least = count if star is None else count - 1
    most = math.inf if star is not None else count
    if isinstance(items, Resizable) and star is None and len(items.items) >= count:
        other = tracer.graph.compare("ne", items.length, tracer.graph.const(count))
        tracer.raises(target, ValueError, f"there are not {count} values to unpack", other)
        items = items.items[:count]
    if not isinstance(items, tuple) or not least <= len(items) <= most:
        some = f"at least {least} values" if star is not None else f"{count} values"
        size = f"a tuple of {len(items)}" if isinstance(items, tuple) else "what is not a tuple"
        what = f"{count} names are assigned from {size}"
        tracer.refuse(target, what, f"give {some}, one for each name")
    if star is not None:
        items = _starred(items, star, count)
        parts = [part.value if isinstance(part, ast.Starred) else part for part in parts]
    return list(zip(parts, items, strict=True))


def _refuse_target(tracer: Tracer, target: ast.expr) -> NoReturn:
    what = "only names, and items of lists and arrays, can be assigned"
    tracer.refuse(target, what, "assign to a plain name")


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
    fn = tracer.fn
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
    """Return whether a value matches a pattern; bind the names of the pattern in `env`."""
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
        case ast.MatchStar(name=name):
            env.update({} if name is None else {name: placed(referred, env)})
            return graph.const(True)
        case ast.MatchSequence(patterns=parts) if not isinstance(subject, Resizable):
            items = cast("tuple[Value, ...]", subject) if isinstance(subject, tuple) else ()
            star = next((k for k, p in enumerate(parts) if isinstance(p, ast.MatchStar)), None)
            if star is not None and len(items) >= len(parts) - 1:
                items = _starred(items, star, len(parts))
            if len(items) != len(parts) or not isinstance(subject, tuple):
                return graph.const(False)
        case ast.MatchClass(patterns=first) if isinstance(subject, Record):
            cls: Any = tracer.static(pattern.cls, env)
            if not (isinstance(cls, type) and issubclass(subject.cls, cls)):
                return graph.const(False)
            names = *getattr(cls, "__match_args__", ())[: len(first)], *pattern.kwd_attrs
            parts, items = [*first, *pattern.kwd_patterns], [subject.entries[n] for n in names]
        case _:
            remedy = "use numbers, `|`, names, `_`, tuples and objects of these, or if / elif"
            tracer.refuse(pattern, "this pattern is not understood in a scalar function", remedy)
    fits = [_fits(tracer, p, v, env, path) for p, v in zip(parts, items, strict=True)]
    return functools.reduce(graph.logical_and, fits, graph.const(True))


def _starred(items: tuple[Value, ...], star: int, count: int) -> tuple[Value, ...]:
    """Return the items for `count` targets, with a list for the starred target."""
    end = len(items) - (count - 1 - star)
    return (*items[:star], List(items[star:end]), *items[end:])
