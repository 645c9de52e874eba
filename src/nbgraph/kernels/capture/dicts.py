"""Dicts whose keys depend on values: lists of pairs whose length depends on values.

A dict that a function makes has constant keys until one is stored that depends on values. Keys are
numbers, digits or tuples of these; with `PLACES` pairs where a loop of unknown length grows it.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from nbgraph.kernels.capture import list_texts, objects
from nbgraph.kernels.capture.containers import Pairs, Resizable, record_of
from nbgraph.kernels.capture.context import Call
from nbgraph.kernels.capture.digits import as_digits
from nbgraph.kernels.capture.joining import as_pairs, join_value
from nbgraph.kernels.capture.resizable import append, part
from nbgraph.kernels.capture.values import Graph, Node, Static, Value, flatten, form


def dict_of(call: Call, items: Value) -> Value:
    """Return the dict of pairs of a key and a value."""
    if not isinstance(items, tuple):
        return call.text(list_texts.dict_of_pairs, items)
    known = [(objects.known(key), value) for key, value in items]
    if all(key for key, _ in known):
        return record_of(dict, {key[0]: value for key, value in known if key})
    empty = Pairs(call.graph.const(0), ())
    return functools.reduce(lambda owner, pair: with_key(call, owner, *pair), items, empty)


def counter(call: Call, items: Value = ()) -> Value:
    """Return the value of `Counter(items)`."""
    counts: Any = as_pairs(call.graph, call.text(list_texts.counted, items))
    return replace(counts, default=call.graph.const(0))


def default_dict(call: Call, factory: Value = None) -> Value:
    """Return the value of `defaultdict(factory)`."""
    make = getattr(factory, "value", None)
    number = make in (int, float, bool)
    value = call.graph.const(make()) if number else make and call.tracer.called(call.of(make))
    if not flatten(value):
        call.refuse("the values of a defaultdict are not numbers", "write defaultdict(int)")
    return Pairs(call.graph.const(0), (), default=value, grows=True)


def matches(graph: Graph, owner: Pairs, key: Value) -> list[Node]:
    """Return for each pair a node: whether the pair is in use and has this key."""
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
    """Return whether a dict has this key."""
    return functools.reduce(graph.logical_or, matches(graph, owner, key), graph.const(False))


def entry(call: Call, owner: Pairs, key: Value, default: Value = None) -> Value:
    """Return `owner[key]`; for a missing key `default`, or else the element raises KeyError."""
    value = owner.default if default is None else default
    if value is None:
        missing = call.graph.logical_not(contains(call.graph, owner, key))
        call.tracer.raises_lookup(call.node, KeyError, "the dict has no such key", missing)
        value = owner.items[0][1] if owner.items else call.graph.const(0)
    for here, (_, own) in zip(matches(call.graph, owner, key), owner.items, strict=True):
        value = join_value(call.graph, here, own, value)
    return call.tracer.joined(call.node, value, "give the default that the others have")


def with_key(call: Call, owner: Pairs, key: Value, value: Value) -> Pairs:
    """Return the dict after `owner[key] = value`."""
    graph, key = call.graph, as_digits(call.graph, key) or key
    if flatten(key) is None or flatten(value) is None:
        what = "a dict whose keys depend on values holds what is not a number"
        call.refuse(what, "use numbers, digits, or tuples of these as keys and as values")
    pairs = zip(matches(graph, owner, key), owner.items, strict=True)
    items = tuple((name, join_value(graph, here, value, old)) for here, (name, old) in pairs)
    missing = graph.logical_not(contains(graph, owner, key))
    return append(call, replace(owner, items=items), (key, value), where=missing)


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
    same, rows = graph.compare("eq", a.length, b.length), tuple((pair, pair) for pair in b.items)
    for k, pair in enumerate(a.items):
        unused = graph.compare("le", a.length, graph.const(k))
        present = contains(graph, Pairs(b.length, rows), pair)
        same = graph.logical_and(same, graph.logical_or(unused, present))
    return same


def column(owner: Pairs, place: int | None = None) -> Resizable:
    """Return the keys (`place` 0), the values (1) or the pairs (None) of a dict, as a list."""
    items = owner.items if place is None else tuple(pair[place] for pair in owner.items)
    return Resizable(owner.length, items, owner.bounded)


def _value_at(call: Call, owner: Pairs, key: Value, default: Value = None) -> Value:
    return entry(call, replace(owner, default=None), key, default)


# functions of the call, the dict and the arguments
METHODS: dict[str, Callable[..., Any]] = {
    "get": lambda call, a, key, default=None: _value_at(call, a, key, default or Static(None)),
    "keys": lambda _, a: column(a, 0),
    "values": lambda _, a: column(a, 1),
    "items": lambda _, a: column(a),
    "copy": lambda _, a: a,
    "most_common": lambda call, a, n=None: part(
        call, call.text(list_texts.by_count, column(a)), None, n, None
    ),
}
# methods that change a dict: each returns the new dict and its own value
CHANGES: dict[str, Callable[..., tuple[Pairs, Value]]] = {
    "pop": lambda call, a, key, *default: (
        without(call, a, key),
        _value_at(call, a, key, *default),
    ),
    "setdefault": lambda call, a, *row: (
        with_key(call, a, row[0], value := _value_at(call, a, *row)),
        value,
    ),
}
