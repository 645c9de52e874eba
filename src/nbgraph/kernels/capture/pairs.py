"""Dicts whose keys depend on values: pairs of a key and its value, as a list that may grow.

A dict that a function makes has constant keys until one is stored that depends on values. Keys are
numbers, digits or tuples of these, and are compared with each that is in use.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from nbgraph.kernels.capture import objects, resizable, vectors
from nbgraph.kernels.capture.containers import Pairs, Resizable, record_of
from nbgraph.kernels.capture.context import Call
from nbgraph.kernels.capture.digits import as_digits
from nbgraph.kernels.capture.joining import as_pairs, join_value
from nbgraph.kernels.capture.values import Graph, Node, Static, Value, flatten, form


def dict_of(call: Call, items: Value) -> Value:
    """Return the dict of pairs of a key and a value."""
    known = [objects.known(pair[0]) for pair in items] if isinstance(items, tuple) else [None]
    if None in known and isinstance(items, tuple):
        empty = Pairs(call.graph.const(0), ())
        return functools.reduce(lambda owner, pair: stored(call, owner, *pair), items, empty)
    if None in known:
        return call.text(vectors.dict_of_pairs, items)
    return record_of(dict, {key[0]: pair[1] for key, pair in zip(known, items, strict=True) if key})


def counter(call: Call, items: Value = ()) -> Value:
    """`Counter(items)`."""
    counts = as_pairs(call.graph, call.text(vectors.counted, items))
    return replace(counts, default=call.graph.const(0))


def default_dict(call: Call, factory: Value = None) -> Value:
    """`defaultdict(factory)`."""
    make = getattr(factory, "value", None)
    if make in (int, float, bool):
        value = call.graph.const(make())
    else:
        value = None if make is None else call.tracer.called(call.of(make))
    if not flatten(value):
        what = "the values of a defaultdict are not numbers"
        call.refuse(what, "write defaultdict(int), or use a list")
    return Pairs(call.graph.const(0), (), default=value, grows=True)


def matches(graph: Graph, owner: Pairs, key: Value) -> list[Node]:
    """Return of each pair whether it is in use and has a key."""
    key = as_digits(graph, key) or key
    nodes = flatten(key) or []

    def same(place: int, name: Value) -> Node:
        if form(name) != form(key):
            return graph.const(False)
        used = graph.compare("lt", graph.const(place), owner.length)
        equal = (graph.compare("eq", a, b) for a, b in zip(flatten(name) or (), nodes, strict=True))
        return functools.reduce(graph.logical_and, equal, used)

    return [same(k, name) for k, (name, _) in enumerate(owner.items)]


def contains(graph: Graph, owner: Pairs, key: Value) -> Node:
    """Return whether a key is one of the dict."""
    return functools.reduce(graph.logical_or, matches(graph, owner, key), graph.const(False))


def entry(call: Call, owner: Pairs, key: Value, default: Value = None) -> Value:
    """`owner[key]`; where the key is missing `default`, or the element raises KeyError."""
    value = owner.default if default is None else default
    if value is None:
        missing = call.graph.logical_not(contains(call.graph, owner, key))
        call.tracer.raises_lookup(call.node, KeyError, "the dict has no such key", missing)
        value = owner.items[0][1] if owner.items else call.graph.const(0)
    for here, (_, own) in zip(matches(call.graph, owner, key), owner.items, strict=True):
        value = join_value(call.graph, here, own, value)
    return call.tracer.joined(call.node, value, "give the default that the others have")


def stored(call: Call, owner: Pairs, key: Value, value: Value) -> Pairs:
    """Return the dict after `owner[key] = value`."""
    graph, key = call.graph, as_digits(call.graph, key) or key
    if flatten(key) is None or flatten(value) is None:
        what = "a dict whose keys depend on values holds what is not a number"
        call.refuse(what, "use numbers, digits, or tuples of these as keys and as values")
    places = matches(graph, owner, key)
    missing = graph.logical_not(functools.reduce(graph.logical_or, places, graph.const(False)))
    pairs = zip(places, owner.items, strict=True)
    items = [(name, join_value(graph, here, value, old)) for here, (name, old) in pairs]
    return resizable.append(call, replace(owner, items=tuple(items)), (key, value), where=missing)


def without(call: Call, owner: Pairs, key: Value) -> Pairs:
    """Return the dict without a key."""
    behind, items = call.graph.const(False), []
    for k, here in enumerate(matches(call.graph, owner, key)):
        behind, item = call.graph.logical_or(behind, here), owner.items[k]
        items.append(join_value(call.graph, behind, (*owner.items[k + 1 :], item)[0], item))
    length = call.graph.arithmetic("sub", owner.length, call.graph.cast(behind, "i"))
    return replace(owner, length=length, items=tuple(items))


def equal(graph: Graph, a: Value, b: Value) -> Node:
    """Return whether two dicts have the same keys and values, in any order."""
    a, b = as_pairs(graph, a), as_pairs(graph, b)
    if a is None or b is None:
        return graph.const(False)
    same = graph.compare("eq", a.length, b.length)
    for k, pair in enumerate(a.items):
        unused = graph.compare("le", a.length, graph.const(k))
        swapped = Pairs(b.length, tuple(((name, value), value) for name, value in b.items))
        same = graph.logical_and(same, graph.logical_or(unused, contains(graph, swapped, pair)))
    return same


def column(owner: Pairs, place: int | None = None) -> Resizable:
    """Return the keys (0), the values (1) or the pairs of a dict, as a list."""
    items = owner.items if place is None else tuple(pair[place] for pair in owner.items)
    return Resizable(owner.length, items, owner.bounded)


def _most_common(call: Call, owner: Pairs, count: Value = None) -> Value:
    ordered = call.text(vectors.by_count, column(owner))
    return ordered if count is None else resizable.part(call, ordered, None, count, None)


# of the call, the dict and arguments
METHODS: dict[str, Callable[..., Any]] = {
    "get": lambda call, a, key, default=None: entry(
        call, replace(a, default=None), key, default or Static(None)
    ),
    "keys": lambda _, a: column(a, 0),
    "values": lambda _, a: column(a, 1),
    "items": lambda _, a: column(a),
    "copy": lambda _, a: a,
    "most_common": _most_common,
    "total": lambda call, a: call.text(vectors.folded, Static(sum), column(a, 1)),
}
# methods that change it: the dict after them, and their value
CHANGES: dict[str, Callable[..., tuple[Pairs, Value]]] = {
    "pop": lambda call, a, key, default=None: (
        without(call, a, key),
        entry(call, replace(a, default=None), key, default),
    ),
    "setdefault": lambda call, a, key, default: (
        stored(call, a, key, entry(call, replace(a, default=None), key, default)),
        entry(call, replace(a, default=None), key, default),
    ),
    "clear": lambda call, a: (replace(a, length=call.graph.const(0)), Static(None)),
}
