"""Items of iterables, entries by an index or a key, and parts by a slice."""

from __future__ import annotations

import ast
import math
from collections.abc import Sequence
from typing import Any, cast

from nbgraph.kernels.capture import dicts, objects, resizable
from nbgraph.kernels.capture.arrays import whole
from nbgraph.kernels.capture.containers import (
    REFERS,
    Array,
    List,
    Mapping,
    Pairs,
    Reference,
    Resizable,
    View,
    is_fixed,
    mapping,
)
from nbgraph.kernels.capture.context import Call, Tracer
from nbgraph.kernels.capture.digits import Digits, Range
from nbgraph.kernels.capture.joining import chosen, join_value
from nbgraph.kernels.capture.lookups import MAX_ITEMS, entry_at, within
from nbgraph.kernels.capture.text import CountError, KindError
from nbgraph.kernels.capture.values import Choice, Env, Node, Static, Value
from nbgraph.kernels.scalar.kinds import is_boolean, is_integer

MAX_GAPS = 4  # unused places, for each key, in the table of a dict
MANY = "how many items there are depends on a value"


def listed(tracer: Tracer, node: ast.expr, value: Value) -> tuple[Value, ...]:
    """Return the items of an iterable: a tuple, an array, the keys of a dict, a string."""
    items, call = mapping(value), Call(tracer, node, tracer.graph.const(True))
    if isinstance(items, Static):
        items = objects.characters(call, items)
    if isinstance(items, Range):
        items.refuse_known(call)
    if isinstance(items, (Resizable, Digits, Range)):
        tracer.refuse(node, MANY, "write a `for` loop over them", CountError)
    if isinstance(items, Mapping):
        return keys(tracer, node, items)
    _refuse_text(tracer, node, items)
    if isinstance(items, Node) and tracer.fails(node, TypeError, "a number is not iterable"):
        return ()
    if not isinstance(items, tuple):
        what = "this is not something to loop over in a scalar function"
        tracer.refuse(node, what, "loop over range(...) or over a constant tuple")
    return cast("tuple[Value, ...]", items)


def _refuse_text(tracer: Tracer, node: ast.expr, value: Value) -> None:
    if objects.is_text(value):
        what = "the digits of a floating value are not understood"
        tracer.refuse(node, what, "make it an integer with int()", KindError)


def subscript(tracer: Tracer, node: ast.Subscript, env: Env, path: Node) -> Value:
    """Return the value of `owner[...]`."""
    owner, tracer.frame = mapping(tracer.object(node.value, env, path)), env
    if tracer.written(owner, "__getitem__"):
        index = tracer.object(node.slice, env, path)
        return tracer.special(Call(tracer, node, path), "__getitem__", owner, index)
    if isinstance(owner, REFERS):
        return _part(Call(tracer, node, path), owner, env)
    if isinstance(owner, (Mapping, Pairs)):
        return at_key(tracer, node, owner, tracer.expression(node.slice, env, path))
    if isinstance(owner, Choice):
        each = lambda one, _: _of_value(tracer, node, one, env, path)
        return chosen(tracer.graph, owner, each)
    return _of_value(tracer, node, owner, env, path)


def _part(call: Call, owner: Reference | View, env: Env) -> Value:
    """Return `owner[...]` of a list, array or dict: a number, a list, or a view of a part."""
    tracer, node, path = call.tracer, call.node, call.path
    content: Any = tracer.read(node.value, owner, env)
    if isinstance(content, (Mapping, Pairs)):
        key = tracer.expression(node.slice, env, path)
        value = at_key(tracer, node, content, key)
        if isinstance(content, Pairs) and content.grows and not hasattr(node, "changes"):
            root: Any = owner
            env[root.key] = dicts.with_key(call, content, key, value)
        return value
    indices = places(call, tracer.dereference(owner, env), env)
    first = indices[0]
    if type(content) is List and isinstance(first, Node):
        if first.op == "const" and -len(content) <= first.data < len(content):
            return content[first.data]
    value = entries(call, tracer.dereference(owner, env), indices)
    if type(value) is List and isinstance(first, slice):
        return entries(call, content, indices)
    return value if is_fixed(value) else View.of(owner, indices, node)


def _of_value(tracer: Tracer, node: ast.Subscript, owner: Value, env: Env, path: Node) -> Value:
    """Return an item or a part of a string or of a tuple."""
    call = Call(tracer, node, path)
    if isinstance(owner, (Digits, Range)):
        (place,) = places(call, owner, env)
        if (part := owner.part(call, place)) is not None:
            return part
    characters = objects.characters(call, owner)
    if characters is not owner:
        indices = places(call, characters, env)
        return objects.joined(call, entries(call, characters, indices))
    _refuse_text(tracer, node, owner)
    if isinstance(owner, Node) and isinstance(node.slice, ast.Tuple) and not node.slice.elts:
        return owner  # `array[()]` of an array without axes
    if not isinstance(owner, (tuple, Resizable)):
        if none := tracer.fails(node, TypeError, "a number is not subscriptable"):
            return none
        what = f"{ast.unparse(node.value)} is one number here and cannot be indexed"
        remedy = (
            "write the scalar formula; neighbouring elements are reached by passing shifted "
            "views as further operands"
        )
        tracer.refuse(node, what, remedy)
    return entries(call, owner, places(call, owner, env))


def places(call: Call, owner: Value, env: Env) -> tuple[Node | slice, ...]:
    """Return the indices and slices of a subscript; several for an array, else one."""
    several = isinstance(owner, Array) and isinstance(call.node.slice, ast.Tuple)
    parts = call.node.slice.elts if several else [call.node.slice]
    return tuple(_place(call, part, env) for part in parts)


def _place(call: Call, part: ast.expr, env: Env) -> Node | slice:
    """Return one index or slice of a subscript."""
    number = lambda node: call.tracer.number(node, env, call.path)
    if isinstance(part, ast.Slice):
        nodes = [bound and number(bound) for bound in (part.lower, part.upper, part.step)]
        if any(n is not None and n.op != "const" for n in nodes):
            return slice(*nodes)
        return slice(*(n and whole(call, n, "the bound of a slice") for n in nodes))
    index = number(part)
    if not (is_integer(index.kind) or is_boolean(index.kind)):
        call.refuse("the index of a tuple is not an integer", "make it one with int()", KindError)
    return index


def entries(
    call: Call, owner: Value, places: Sequence[Node | slice], *, checks: bool = True
) -> Value:
    """Return `owner[index]`, `owner[a:b:c]`, or `owner[i, j]` of an array. With `checks`, the
    element raises IndexError for a missing entry."""
    if not places:
        return owner
    if not isinstance(owner, (tuple, Resizable)):
        call.refuse("there are more indices than dimensions", "leave the last ones out")
    place, *rest = places
    bounds = (place.start, place.stop, place.step) if isinstance(place, slice) else ()
    if isinstance(owner, Resizable) or any(isinstance(bound, Node) for bound in bounds):
        item = resizable.at(call, owner, place)
    elif isinstance(place, slice):
        return type(owner)(entries(call, row, rest, checks=checks) for row in owner[place])
    elif place.op != "const":
        item = _looked_up(call, owner, place, checks=checks)
    elif -len(owner) <= place.data < len(owner):
        item = owner[int(place.data)]
    else:
        if not issubclass(IndexError, call.tracer.catching):
            call.refuse(f"{_sort(owner)} index out of range", "use an index of its items")
        everywhere = call.graph.const(True)
        call.tracer.raises_lookup(call.node, IndexError, _outside(owner), everywhere)
        return call.graph.const(math.nan)
    return entries(call, item, rest, checks=checks)


def _looked_up(call: Call, owner: tuple[Value, ...], index: Node, *, checks: bool) -> Value:
    """Return the entry at an index that depends on values; the first one if out of bounds."""
    graph, name = call.graph, ast.unparse(call.node.value)
    place, inside = within(graph, index, len(owner), call.path if checks else None)
    name = name if name.isidentifier() else ""
    value = entry_at(graph, owner, place, name) if owner else None
    if value is None:
        what = (
            "an index that depends on values is understood in constants, and in tuples of 1 to "
            f"{MAX_ITEMS} numbers or of tuples of such"
        )
        call.refuse(what, "pass what is looked up as an operand")
    if checks:
        missing, counter, ahead = graph.logical_not(inside), call.tracer.counter, None
        if counter is not None and counter.path is call.path and missing.op != "const":
            ahead = counter.missed(graph, index, len(owner))
        call.tracer.raises_lookup(call.node, IndexError, _outside(owner), missing, ahead)
    return value


def _sort(owner: Value) -> str:
    """Return Python's name for the type of a sequence."""
    return "array" if isinstance(owner, Array) else "list" if isinstance(owner, List) else "tuple"


def _outside(owner: tuple[Value, ...]) -> str:
    """Return the message for an index out of bounds."""
    return f"{_sort(owner)} index out of range, there are {len(owner)} items"


# dicts -------------------------------------------------------------------------------------------


def keys(tracer: Tracer, node: ast.expr, owner: Mapping) -> tuple[Value, ...]:
    """Return the keys of a dict in their order."""
    return tuple(tracer.constant(key, node) for key in owner.entries)


def at_key(
    tracer: Tracer, node: Any, owner: Any, key: Value, default: Value = None, cls: Any = KeyError
) -> Value:
    """Return `owner[key]`; for a missing key `default`, or else the element raises `cls`."""
    if isinstance(owner, Pairs):
        return dicts.entry(Call(tracer, node, tracer.graph.const(True)), owner, key, default)
    if isinstance(key, Choice):

        def entry_of(option: Static, here: Node) -> Value:
            words = f"the dict has no key {option.value!r}"
            if (entry := owner.entries.get(option.value, default)) is None:
                tracer.raises_lookup(node, cls, words, here)
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
    if not owner.entries and default is not None:
        return default
    if not isinstance(key, Node) or (not entries and owner.entries):
        tracer.refuse(node, "the key of a dict is neither a number nor constant", "use a number")
    if not entries:
        tracer.raises_lookup(node, cls, "the dict has no such key", tracer.graph.const(True))
        return tracer.graph.const(math.nan)
    value, inside = _at_number(tracer, node, key, entries)
    if default is None:
        sort = "dict" if cls is KeyError else "enum"
        words = f"the {sort} has no such key; it has {', '.join(map(repr, [*entries][:4]))}"
        words += ", ..." if len(entries) > 4 else ""
        tracer.raises_lookup(node, cls, words, tracer.graph.logical_not(inside))
        return value
    value = join_value(tracer.graph, inside, value, default)
    return tracer.joined(node, value, "give the default that the others have")


def _at_number(
    tracer: Tracer, node: ast.expr, key: Node, entries: dict[int | float, Value]
) -> tuple[Value, Node]:
    """Return the value of a key that depends on values, and whether the key exists. Integer keys
    close to each other are places in a table, others are compared."""
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
