"""Assignments: to names, items, attributes, tuples of such; `target op= value`."""

from __future__ import annotations

import ast
import copy
import functools
import math
from collections.abc import Sequence
from typing import Any, NoReturn

from nbgraph.kernels.capture.arrays import spread
from nbgraph.kernels.capture.classes import store_attribute
from nbgraph.kernels.capture.containers import Array, List, Mapping, Pairs, View, mapping
from nbgraph.kernels.capture.context import Call, Tracer
from nbgraph.kernels.capture.dicts import store_key
from nbgraph.kernels.capture.environment import placed
from nbgraph.kernels.capture.items import keys, places
from nbgraph.kernels.capture.lists import put
from nbgraph.kernels.capture.results import RAISES
from nbgraph.kernels.capture.values import Env, Node, Undefined, Value


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
    """`target op= value`; a list or an array is changed in place."""
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
    """Names that hold the values of an expression, so that it is evaluated once: its text."""
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
    """Assign to names, items, attributes and tuples of such, in place of the environment; without
    a path to names alone."""
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
    """`owner[...] = value`."""
    owner, call = tracer.object(target.value, env, path), Call(tracer, target, path)
    if isinstance(mapping(tracer.dereference(owner, env)), (Mapping, Pairs)):
        store_key(call, owner, tracer.expression(target.slice, env, path), value, env)
        return
    indices = places(call, tracer.dereference(owner, env), env)
    number = isinstance(owner, Node)
    if not number or not tracer.fails(target, TypeError, "a number has no items"):
        put(call, owner, (indices,), value, env)


def _read(tracer: Tracer, value: Value, env: Env, targets: Sequence[str]) -> Value:
    """Return a tuple with the present parts of lists; one that is a target is exchanged."""
    if type(value) is tuple:
        return tuple(_read(tracer, item, env, targets) for item in value)
    exchanged = isinstance(value, View) and ast.unparse(value.node) in targets
    return tracer.taken(value, env, alone=exchanged)


def _parts(
    tracer: Tracer, target: ast.Tuple | ast.List, value: Value, env: Env
) -> list[tuple[ast.expr, Value]]:
    """Each target with the item that is assigned to it; one with a star takes a list."""
    items = tracer.each(target, value, env)
    items = keys(tracer, target, items) if isinstance(items, Mapping) else items
    parts, count = target.elts, len(target.elts)
    star = next((i for i, part in enumerate(parts) if isinstance(part, ast.Starred)), None)
    least = count if star is None else count - 1
    most = math.inf if star is not None else count
    if not isinstance(items, tuple) or not least <= len(items) <= most:
        some = f"at least {least} values" if star is not None else f"{count} values"
        size = f"a tuple of {len(items)}" if isinstance(items, tuple) else "what is not a tuple"
        what = f"{count} names are assigned from {size}"
        tracer.refuse(target, what, f"give {some}, one for each name")
    if star is not None:
        end = len(items) - (least - star)
        items = (*items[:star], List(items[star:end]), *items[end:])
        parts = [part.value if isinstance(part, ast.Starred) else part for part in parts]
    return list(zip(parts, items, strict=True))


def _refuse_target(tracer: Tracer, target: ast.expr) -> NoReturn:
    what = "only names, and items of lists and arrays, can be assigned"
    tracer.refuse(target, what, "assign to a plain name")
