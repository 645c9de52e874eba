"""Dicts that are read: their keys, and the values of keys that may depend on values."""

from __future__ import annotations

import ast
import math

from nbgraph.kernels.capture import objects
from nbgraph.kernels.capture.containers import Mapping
from nbgraph.kernels.capture.context import Tracer
from nbgraph.kernels.capture.joining import chosen, join_value
from nbgraph.kernels.capture.lookups import MAX_ITEMS, entry_at
from nbgraph.kernels.capture.values import Choice, Node, Static, Value
from nbgraph.kernels.kinds import is_boolean, is_integer

MAX_GAPS = 4  # places in a table of a dict, for each key, that may have none


def keys(tracer: Tracer, node: ast.expr, owner: Mapping) -> tuple[Value, ...]:
    """The keys of a dict in their order."""
    return tuple(tracer.constant(key, node) for key in owner.entries)


def at_key(
    tracer: Tracer, node: ast.expr, owner: Mapping, key: Value, default: Value = None
) -> Value:
    """`owner[key]`, or `default` where there is no such key."""
    if isinstance(key, Choice):

        def entry_of(option: Static, here: Node) -> Value:
            words = f"the dict has no key {option.value!r}"
            if (entry := owner.entries.get(option.value, default)) is None:
                tracer.raises_lookup(node, KeyError, words, here)
            return next(iter(owner.entries.values())) if entry is None else entry

        return chosen(tracer.graph, key, entry_of)
    if (constant := objects.known(key)) is not None:
        known = constant[0]
        entry = owner.entries.get(known, default)
        if entry is not None:
            return entry
        if not issubclass(KeyError, tracer.catching):
            tracer.refuse(node, f"the dict has no key {known!r}", "use a key that it has")
        words = f"the dict has no key {known!r}"
        tracer.raises_lookup(node, KeyError, words, tracer.graph.const(True))
        return tracer.graph.const(math.nan)
    entries = {k: v for k, v in owner.entries.items() if isinstance(k, (int, float))}
    if isinstance(digit := getattr(key, "number", None), Node) and getattr(key, "size", 0) == 1:
        texts = {k: v for k, v in owner.entries.items() if isinstance(k, str)}
        entries = {}
        entries |= {int(k): v for k, v in texts.items() if len(k) == 1 and k.isdecimal()}
        key = digit
    if not isinstance(key, Node) or not entries:
        tracer.refuse(node, "the key of a dict is neither a number nor constant", "use a number")
    value, inside = _at_number(tracer, node, key, entries)
    if default is None:
        words = f"the dict has no such key; it has {', '.join(map(repr, [*entries][:4]))}"
        words += ", ..." if len(entries) > 4 else ""
        tracer.raises_lookup(node, KeyError, words, tracer.graph.logical_not(inside))
        return value
    value = join_value(tracer.graph, inside, value, default)
    return tracer.joined(node, value, "give the default that the others have")


def _at_number(
    tracer: Tracer, node: ast.expr, key: Node, entries: dict[int | float, Value]
) -> tuple[Value, Node]:
    """The value of a key that depends on values, and whether there is one. Whole keys close to
    each other are places in a table, others are compared."""
    graph, listed = tracer.graph, sorted(entries)
    low, whole = listed[0], all(isinstance(k, int) for k in listed)
    whole = whole and (is_integer(key.kind) or is_boolean(key.kind))
    if whole and int(listed[-1] - low) < MAX_GAPS * len(listed) + 8:
        places = range(int(low), int(listed[-1]) + 1)
        items = [entries.get(k, entries[low]) for k in places]
        present = [graph.const(k in entries) for k in places]
        key = graph.cast(key, "i")
        index = graph.arithmetic("sub", key, graph.const(int(low)))
        above = graph.compare("ge", index, graph.const(0))
        inside = graph.logical_and(above, graph.compare("lt", index, graph.const(len(items))))
        index = graph.select(inside, index, graph.const(0))
        present_here = entry_at(graph, present, index)
        assert present_here is not None
        inside = graph.logical_and(inside, present_here)
    else:
        index, inside = graph.const(0), graph.const(False)
        items = [entries[k] for k in listed]
        if len(items) > MAX_ITEMS:
            tracer.refuse(node, f"more than {MAX_ITEMS} keys far apart", "use keys 0, 1, 2, ...")
        for place, k in enumerate(listed):
            here = graph.compare("eq", key, graph.const(k))
            index = graph.select(here, graph.const(place), index)
            inside = graph.logical_or(inside, here)
    value = entry_at(graph, items, index)
    if value is None:
        tracer.refuse(node, "the values of the dict are not all numbers", "use numbers")
    return value, inside
