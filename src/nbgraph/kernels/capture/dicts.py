"""Dicts that a function makes: their methods, and assignments to their keys."""

from __future__ import annotations

import ast
from collections import Counter, OrderedDict, defaultdict
from enum import EnumType
from typing import Any, cast

from nbgraph.kernels.capture import comparing, objects, pairs
from nbgraph.kernels.capture.classes import put_field
from nbgraph.kernels.capture.containers import Mapping, Pairs, mapping, record_of
from nbgraph.kernels.capture.context import Call
from nbgraph.kernels.capture.environment import placed
from nbgraph.kernels.capture.items import at_key, keys, listed
from nbgraph.kernels.capture.joining import join_value
from nbgraph.kernels.capture.lists import changeable
from nbgraph.kernels.capture.values import Choice, Env, Static, Value


def new_dict(call: Call) -> Value | None:
    """`dict(...)` and `dict.fromkeys(...)`, `Counter()` and its like; None for other arguments."""
    tracer, frame, several = call.tracer, call.tracer.frame, len(call.args) > 1
    if (make := _SORTS.get(call.target)) is not None:
        return call.answer(make, *(tracer.each(call.node, a, frame) for a in call.args))
    first = tracer.read(call.node, [*call.args, ()][0], frame)
    if call.target == dict.fromkeys and call.args and len(call.args) < 3:
        value = [*call.args, Static(None)][1]
        keys_of = listed(tracer, call.node, tracer.each(call.node, first, frame))
        return pairs.dict_of(call, tuple((key, value) for key in keys_of))
    if call.target == dict.fromkeys or several or (isinstance(first, Pairs) and call.kwargs):
        return None
    if isinstance(first, Pairs):
        return first
    if not isinstance(first, Mapping):
        if isinstance(items := tracer.each(call.node, first, frame), tuple):
            items = tuple(tracer.each(call.node, pair, frame) for pair in items)
        first = mapping(pairs.dict_of(call, items))
    if isinstance(first, Pairs) and not call.kwargs:
        return first
    return record_of(dict, {**first.entries, **call.kwargs})


def member(call: Call) -> Value | None:
    """Return the member of an enum whose value is not constant; None for other calls."""
    cls, args = call.target, call.args
    if not isinstance(cls, EnumType) or len(args) != 1 or objects.known(args[0]):
        return None
    members = {each.value: call.tracer.constant(each, call.node) for each in cast("Any", cls)}
    return at_key(call.tracer, call.node, Mapping(members), args[0], cls=ValueError)


_SORTS: dict[Any, Any] = {Counter: pairs.counter, defaultdict: pairs.default_dict}
MAKERS = (dict, OrderedDict, dict.fromkeys, *_SORTS)


def store_key(call: Call, owner: Value, key: Value, value: Value, env: Env) -> None:
    """`owner[key] = value`, in place of the environment."""
    value, node, tracer = placed(value, env), call.node, call.tracer
    root, constant = changeable(tracer, node, owner, env).key, objects.known(key)
    content = env[root]
    if constant is not None and not isinstance(content, Pairs):
        return put_field(call, owner, constant[0], value, env)
    adds = isinstance(content, Pairs) or not (content.entries and hasattr(node, "changes"))
    if adds and (entries := pairs.as_pairs(call.graph, content)) is not None:
        env[root] = pairs.stored(call, entries, key, value)
        return None
    graph, missing = call.graph, call.graph.const(True)
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
    args = [tracer.deep(node, value, env) for value in call.args]
    referred, owner = owner, tracer.read(node, owner, env)
    if name in pairs.CHANGES and args and objects.known(args[0]) is None:
        owner = pairs.as_pairs(call.graph, owner) or owner
    if isinstance(owner, Pairs) and name in pairs.CHANGES:
        key = changeable(tracer, node, referred, env).key
        env[key], result = call.answer(pairs.CHANGES[name], owner, *args, **call.kwargs)
        return result
    if isinstance(owner, Pairs) and name in pairs.METHODS:
        return call.answer(pairs.METHODS[name], owner, *args, **call.kwargs)
    if name in ("update", "setdefault"):
        return _change(call, referred, name)
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


METHODS = {"setdefault", "update", *pairs.METHODS, *pairs.CHANGES}


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
