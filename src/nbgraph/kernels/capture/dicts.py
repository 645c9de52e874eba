"""Dicts that a function makes: their methods, and assignments to their keys."""

from __future__ import annotations

import ast
from collections import OrderedDict
from enum import EnumType
from typing import Any, cast

from nbgraph.kernels.capture import comparing, objects
from nbgraph.kernels.capture.classes import put_field
from nbgraph.kernels.capture.containers import Mapping, record_of
from nbgraph.kernels.capture.context import Call
from nbgraph.kernels.capture.environment import placed
from nbgraph.kernels.capture.items import at_key, keys, listed
from nbgraph.kernels.capture.joining import join_value
from nbgraph.kernels.capture.lists import changeable
from nbgraph.kernels.capture.values import Choice, Env, Static, Value


def new_dict(call: Call) -> Value | None:
    """`dict(...)` and `dict.fromkeys(...)`; None for other arguments."""
    tracer, frame = call.tracer, call.tracer.frame
    first = tracer.each(call.node, [*call.args, None][0], frame)
    if call.target == dict.fromkeys and len(call.args) in (1, 2):
        value = [*call.args, Static(None)][1]
        pairs: Any = [(key, value) for key in listed(tracer, call.node, first)]
    elif call.target == dict.fromkeys or len(call.args) > 1:
        return None
    elif isinstance(first, Mapping):
        return record_of(dict, {**first.entries, **call.kwargs})
    else:
        pairs = () if first is None else listed(tracer, call.node, first)
        pairs = [tracer.each(call.node, pair, frame) for pair in pairs]
    known = [objects.known(pair[0]) for pair in pairs]
    if None in known:
        call.refuse("a key of the dict is not constant", "use constant keys")
    entries = {key[0]: pair[1] for key, pair in zip(known, pairs, strict=True) if key}
    return record_of(dict, {**entries, **call.kwargs})


def member(call: Call) -> Value | None:
    """Return the member of an enum whose value is not constant; None for other calls."""
    cls, args = call.target, call.args
    if not isinstance(cls, EnumType) or len(args) != 1 or objects.known(args[0]):
        return None
    members = {each.value: call.tracer.constant(each, call.node) for each in cast("Any", cls)}
    return at_key(call.tracer, call.node, Mapping(members), args[0], cls=ValueError)


MAKERS = (dict, OrderedDict, dict.fromkeys)


def store_key(call: Call, owner: Value, key: Value, value: Value, env: Env) -> None:
    """`owner[key] = value`, in place of the environment."""
    value, node, tracer = placed(value, env), call.node, call.tracer
    constant = objects.known(key)
    if constant is not None:
        return put_field(call, owner, constant[0], value, env)
    graph, missing = call.graph, call.graph.const(True)
    content = env[changeable(tracer, node, owner, env).key]
    everywhere = Call(tracer, node, missing)
    for name, old in content.entries.items():
        if not isinstance(key, Choice) and not isinstance(name, (int, float)):
            continue
        here = comparing.compare(everywhere, ast.Eq(), key, tracer.constant(name, node))
        missing = graph.logical_and(missing, graph.logical_not(here))
        remedy = "assign a value like the one before"
        new = tracer.joined(node, join_value(graph, here, value, old), remedy)
        put_field(call, owner, name, new, env)
    if missing.op == "const" and missing.data:
        call.refuse("a key of the dict depends on values", "use a list, or constant keys")
    words = "a key that depends on values is none of those that the dict has"
    tracer.raises_lookup(node, KeyError, words, missing)


# methods ------------------------------------------------------------------------------------------


def method(call: Call, owner: Value, name: str) -> Value:
    """Return the value of a method of a dict."""
    tracer, env, node = call.tracer, call.tracer.frame, call.node
    if name in ("update", "setdefault"):
        return _change(call, owner, name)
    args = [tracer.deep(node, value, env) for value in call.args]
    owner = tracer.read(node, owner, env)
    if call.kwargs:
        call.refuse(f"{name}() of a dict with names of arguments", "give them by position")
    if name == "get" and len(args) in (1, 2):
        return at_key(tracer, node, owner, args[0], [*args, Static(None)][1])
    if args:
        call.refuse(f"{name}() of a dict with arguments", "leave them out")
    if name == "copy":
        return record_of(dict, owner.entries)
    names, values = keys(tracer, node, owner), tuple(owner.entries.values())
    return {"keys": names, "values": values}.get(name) or tuple(zip(names, values, strict=True))


METHODS = frozenset(("copy", "get", "setdefault", "update", "keys", "values", "items"))


def _change(call: Call, owner: Value, name: str) -> Value:
    tracer, env = call.tracer, call.tracer.frame
    owner = changeable(tracer, call.node, owner, env)
    args = [tracer.read(call.node, value, env) for value in call.args]
    if name == "update" and all(isinstance(value, Mapping) for value in args):
        for value in [*(a.entries for a in args), call.kwargs]:
            for key, item in value.items():
                put_field(call, owner, key, placed(item, env), env)
        return Static(None)
    key = objects.known(args[0]) if args and name == "setdefault" else None
    if key is None:
        call.refuse(f"{name}() of a dict with these arguments", "write the assignments")
    if key[0] not in env[owner.key].entries:
        put_field(call, owner, key[0], [*call.args, Static(None)][1], env)
    return env[owner.key].entries[key[0]]
