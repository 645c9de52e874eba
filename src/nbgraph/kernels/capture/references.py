"""Lists, arrays and objects that names refer to, as they are when they are read.

A name refers to a list by a key of the environment, under which its items are: so two names may
mean one list, as in Python, while what it holds at a point of the text is a tuple of nodes that
branches join and loops carry like any other variable.
"""

from __future__ import annotations

import ast
import itertools
from collections.abc import Sequence
from typing import Any

from nbgraph.kernels.capture import arrays, pairs
from nbgraph.kernels.capture.containers import (
    REFERS,
    Array,
    ConstantArray,
    List,
    Pairs,
    Record,
    Reference,
    Resizable,
    View,
    copied,
    is_fixed,
    mapping,
)
from nbgraph.kernels.capture.context import Call, Tracer
from nbgraph.kernels.capture.environment import freeze, keys_in, placed
from nbgraph.kernels.capture.items import entries
from nbgraph.kernels.capture.values import Env, Graph, Undefined, Unknown, Value

ITEM: Any = ast.parse("items[0]", mode="eval").body  # what part of a list is, for messages


def dereference(tracer: Tracer, value: Value, env: Env) -> Value:
    """Return a value with what lists and arrays hold now in place of references to them."""
    if isinstance(value, Reference):
        return copied(tracer.dereference(env[value.key], env))
    if isinstance(value, View):
        return stepped(tracer, value.node, tracer.dereference(value.owner, env), value.steps)
    if _holds(value) and any(isinstance(v, REFERS) or _holds(v) for v in value):
        return type(value)(tracer.dereference(item, env) for item in value)
    return value


def stepped(tracer: Tracer, node: ast.Subscript, part: Value, steps: Sequence[Any]) -> Value:
    """Return the part of a value that steps lead to, one after another."""
    everywhere = tracer.graph.const(True)
    for step in steps:
        if callable(step):
            part = arrays.arranged(part, step)
        else:
            part = entries(Call(tracer, node, everywhere), part, step, checks=False)
    return part


def read(tracer: Tracer, node: ast.expr, value: Value, env: Env) -> Value:
    """Return a value that is used: what a list or an array holds, refused where that is not known.
    Items that are lists in turn stay references."""
    if isinstance(value, Reference):
        value = copied(env[value.key])
    elif isinstance(value, View):
        part = tracer.dereference(value, env)
        value = part if isinstance(part, Array) else _rows(tracer.graph, value, part)
    value = mapping(value)
    if isinstance(value, Undefined) and not isinstance(value, Unknown):
        what = f"{ast.unparse(node)!r} {value.why}"
        tracer.refuse(node, what, "give it a value, of one length, on every path")
    return value


def deep(tracer: Tracer, node: ast.expr, value: Value, env: Env) -> Value:
    """`read`, with what they hold in place of all references."""
    return tracer.read(node, tracer.dereference(value, env), env)


def each(tracer: Tracer, node: ast.expr, value: Value, env: Env) -> Value:
    """`read` of what is gone through: a change of an item is one of what it is part of."""
    tracer.frame = env
    if tracer.written(value, "__iter__"):
        value = tracer.special(Call(tracer, node, tracer.graph.const(True)), "__iter__", value)
    content = tracer.read(node, value, env)
    if isinstance(content, Pairs):
        return pairs.column(content, 0)
    return _rows(tracer.graph, value, content) if isinstance(content, Array) else content


def taken(tracer: Tracer, value: Value, env: Env, *, alone: bool = False) -> Value:
    """What a list keeps of part of another one: a copy, where neither may change then."""
    if not isinstance(value, View) or isinstance(env[value.owner.key], Array):
        return value
    entry = placed(copied(tracer.dereference(value, env), back=True), env)
    if isinstance(entry, Reference) and not alone:
        others = keys_in((entry, env[value.owner.key]), env)
        freeze(env, others)
    return entry


def changes_in_place(tracer: Tracer, value: Value, env: Env) -> bool:
    """Return whether `name op= ...` of a name for a value changes what other names mean, too."""
    known = isinstance(value, (*REFERS, ConstantArray))
    return known and isinstance(tracer.dereference(value, env), (List, Array, Resizable))


def view(call: Call, value: Value, step: arrays.Step) -> Value:
    """What a function of NumPy makes of an array without a copy of its numbers."""
    env = call.tracer.frame
    if isinstance(value, REFERS):
        view = View.of(value, step, ITEM)
        if arrays.keeps(env[view.owner.key], view.steps):
            return view
    return arrays.arranged(arrays.array_of(call, call.tracer.dereference(value, env)), step)


def _rows(graph: Graph, owner: Value, content: Value) -> Value:
    """What a list or an array holds, with its rows as parts of it."""
    if not isinstance(content, tuple) or not isinstance(owner, REFERS):
        return content
    view = lambda k, item: item if is_fixed(item) else View.of(owner, (graph.const(k),), ITEM)
    make = tuple if isinstance(content, Array) else type(content)
    return make(itertools.starmap(view, enumerate(content)))


def _holds(value: Value) -> bool:
    return type(value) in (tuple, List) or isinstance(value, Record)
