"""Displays and comprehensions: the tuples, lists, sets and dicts that a text writes out.

The items of a comprehension are written out where it is known how many there are; else it is the
loop that it says, which appends to a list.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any, cast

from nbgraph.kernels.capture import objects
from nbgraph.kernels.capture.containers import List, Mapping, Record, record_of
from nbgraph.kernels.capture.context import Call, Tracer
from nbgraph.kernels.capture.environment import adopt, placed
from nbgraph.kernels.capture.items import MANY, listed
from nbgraph.kernels.capture.sequences import as_list, distinct
from nbgraph.kernels.capture.syntax import Comprehension, assigned_within, loops_of, nonlocals
from nbgraph.kernels.capture.text import CountError
from nbgraph.kernels.capture.values import Env, Value
from nbgraph.kernels.scalar import Node


def elements(tracer: Tracer, nodes: Sequence[ast.expr], env: Env, path: Node) -> tuple[Value, ...]:
    """The values of a display or of arguments; `*tuple` stands for its items."""
    items: list[Value] = []
    for node in nodes:
        if not isinstance(node, ast.Starred):
            items.append(placed(tracer.object(node, env, path), env))
            continue
        inner = tracer.each(node.value, tracer.object(node.value, env, path), env)
        if not isinstance(inner, tuple):
            tracer.refuse(node, "what follows * is not a tuple", "write the arguments out")
        items += cast("tuple[Value, ...]", inner)
    return tuple(items)


def tuple_display(tracer: Tracer, node: ast.Tuple, env: Env, path: Node) -> Value:
    """`(a, b)`."""
    return elements(tracer, node.elts, env, path)


def list_display(tracer: Tracer, node: ast.List, env: Env, path: Node) -> Value:
    """`[a, b]`."""
    return List(tracer.taken(v, env) for v in elements(tracer, node.elts, env, path))


def set_display(tracer: Tracer, node: ast.Set, env: Env, path: Node) -> Value:
    """`{a, b}`."""
    return distinct(Call(tracer, node, path), elements(tracer, node.elts, env, path))


def dict_display(tracer: Tracer, node: ast.Dict, env: Env, path: Node) -> Record:
    """`{key: value, **more}`."""
    entries: dict[Any, Value] = {}
    for key, item in zip(node.keys, node.values, strict=True):
        value = placed(tracer.object(item, env, path), env)
        if key is not None:
            entries[_key(tracer, key, tracer.expression(key, env, path))] = value
            continue
        if not isinstance(value := tracer.read(item, value, env), Mapping):
            tracer.refuse(item, "what follows ** is not a dict", "write the items out")
        entries |= value.entries
    return record_of(dict, entries)


def _key(tracer: Tracer, node: ast.expr, key: Value) -> Any:
    """The Python object that a key of a dict is."""
    known = objects.known(key)
    if known is None:
        tracer.refuse(node, "a key of the dict is not constant", "use constant keys")
    return known[0]


# comprehensions -----------------------------------------------------------------------------------


def list_comprehension(tracer: Tracer, node: ast.ListComp, env: Env, path: Node) -> Value:
    """`[item for ...]`."""
    return as_list(comprehension(tracer, node, env, path))


def set_comprehension(tracer: Tracer, node: ast.SetComp, env: Env, path: Node) -> Value:
    """`{item for ...}`."""
    return distinct(Call(tracer, node, path), comprehension(tracer, node, env, path))


def dict_comprehension(tracer: Tracer, node: ast.DictComp, env: Env, path: Node) -> Record:
    """`{key: value for ...}`."""
    pair = ast.copy_location(ast.Tuple([node.key, node.value], ast.Load()), node.key)
    items = ast.copy_location(ast.ListComp(pair, node.generators), node)
    pairs = listed(tracer, node, comprehension(tracer, items, env, path))
    return record_of(dict, {_key(tracer, node.key, key): value for key, value in pairs})


def comprehension(tracer: Tracer, node: Comprehension, env: Env, path: Node) -> Value:
    """The tuple of what a comprehension lists; a list where their number depends on values."""
    noted = len(tracer.pending)
    try:
        return _written_out(tracer, node, env, path)
    except CountError:
        del tracer.pending[noted:]
    name = "$listed"
    append = ast.Attribute(ast.Name(name, ast.Load()), "append", ast.Load())
    inner = dict(env)
    inner[name] = placed(List(), inner)
    body = loops_of(node, node, [ast.Expr(ast.Call(append, [node.elt], []))])
    after = aside(tracer, body, inner, path, env, assigned(tracer, node))
    return tracer.read(node, after[name], after)


def aside(
    tracer: Tracer, body: Sequence[ast.stmt], inner: Env, path: Node, env: Env, names: set[str]
) -> Env:
    """The environment after statements that stand for an expression in `env`, which takes over
    lists and variables of these names."""
    after = tracer.block(body, inner, path)
    tracer.leave(after)
    adopt(env, after, names)
    return after


def assigned(tracer: Tracer, node: ast.expr) -> set[str]:
    """The variables around a comprehension that it may assign."""
    return assigned_within(node) | nonlocals(tracer.text.body)


def _written_out(tracer: Tracer, node: Comprehension, env: Env, path: Node) -> tuple[Value, ...]:
    """The tuple of what a comprehension lists; CountError where their number depends on values."""
    items: list[Value] = []
    names = assigned(tracer, node)

    def visit(generators: list[ast.comprehension], inner: Env) -> None:
        if not generators:
            items.append(placed(tracer.object(node.elt, inner, path), inner))
            return
        first, *rest = generators
        iterated = tracer.each(first.iter, tracer.object(first.iter, inner, path), inner)
        for item in listed(tracer, first.iter, iterated):
            bound = dict(inner)
            tracer.bind(first.target, item, bound)
            if all(_certain(tracer, test, bound, path) for test in first.ifs):
                visit(rest, bound)
            adopt(inner, bound, names)

    inner = dict(env)
    visit(node.generators, inner)
    adopt(env, inner, names)
    return tuple(items)


def _certain(tracer: Tracer, test: ast.expr, env: Env, path: Node) -> bool:
    cond = tracer.condition(test, env, path)
    if cond.op != "const":
        tracer.refuse(test, MANY, "write a `for` loop over them", CountError)
    return bool(cond.data)
