"""Lists whose length depends on values: as many places as there may be, the first ones in use.

They arise where two paths make lists of several lengths, where a loop appends, and in
comprehensions that filter. What a place that is not in use holds is never read. A list that a
loop of unknown length grows has `PLACES`; the element raises where it would get longer.

A dict that a function makes has constant keys until one is stored that depends on values; then it
is such a list, of pairs. Keys are numbers, digits or tuples of these.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from nbgraph.kernels.capture import objects, vectors
from nbgraph.kernels.capture.arrays import whole
from nbgraph.kernels.capture.containers import PLACES, Array, List, Pairs, Resizable, record_of
from nbgraph.kernels.capture.context import Call
from nbgraph.kernels.capture.digits import as_digits
from nbgraph.kernels.capture.environment import freeze, keys_in
from nbgraph.kernels.capture.joining import as_pairs, join_value, resizable
from nbgraph.kernels.capture.lookups import entry_at
from nbgraph.kernels.capture.values import Env, Graph, Node, Static, Value, flatten, form, unflatten
from nbgraph.kernels.scalar.kinds import promote

TABLE, MOST_PLACES = 128, 256  # where a loop's trips are known
MOST_NUMBERS = 1024  # in all items
MAX_WRITTEN = 128  # trips of a loop that is written out, so that the length of a list is known
_WHAT = "a list whose length depends on values"


def widened(graph: Graph, start: Value, end: Value, trips: int | None) -> Resizable | None:
    """Return a list at the start of a loop as one that it may grow to `end` in each trip; None for
    other values, and where writing the trips out says the length."""
    if isinstance(end, Pairs):
        start = as_pairs(graph, start)
    if not all(isinstance(value, (List, Resizable)) for value in (start, end)):
        return None
    first, last = resizable(graph, start), resizable(graph, end)
    items, more = [*first.items, *last.items], len(last.items) - len(first.items)
    items = items if first.items else [*map(frozen, items)]
    exact = isinstance(end, List) and trips is not None and trips <= MAX_WRITTEN
    if exact or not items or len({*map(form, items)}) > 1 or flatten(items[0]) is None:
        return None
    columns = list(zip(*(flatten(item) or [] for item in items), strict=True))
    places = max(PLACES if len(columns) == 1 else PLACES // 2, len(last.items))
    if last.bounded:
        places = max(len(first.items), len(last.items))
    elif trips is not None:
        places = min(len(first.items) + more * trips, MOST_PLACES)
    kinds = [functools.reduce(promote, [node.kind for node in column]) for column in columns]
    if places * len(columns) > MOST_NUMBERS:
        return None
    unused = unflatten(items[0], [graph.cast(graph.const(0), kind) for kind in kinds])
    rest = [unused] * (places - len(first.items))
    return replace(last, length=first.length, items=(*first.items, *rest), bounded=True)


def frozen(value: Value) -> Value:
    """Return a new list that is put into another one, as a tuple: nothing changes it there."""
    return tuple(map(frozen, value)) if isinstance(value, List) else value


def repeated(call: Call, items: Sequence[Value], count: Node) -> Resizable:
    """`[item] * count`."""
    if len(items) != 1 or flatten(items[0]) is None:
        call.refuse("as often as a value says only one number is repeated", "write a loop")
    length = call.text(vectors.span, call.graph.const(0), count)
    _raises_full(call, call.graph.compare("gt", length, call.graph.const(TABLE)), TABLE)
    return Resizable(length, tuple(items) * TABLE, bounded=True)


def joined(call: Call, a: Value, b: Value) -> Value:
    """`a + b`: what follows a list of known length has its places behind it."""
    if isinstance(b, Resizable) and isinstance(a, List):
        _require_one_form(call, (*a, *b.items))
        longer = call.graph.arithmetic("add", b.length, call.graph.const(len(a)))
        return replace(b, length=longer, items=(*a, *b.items))
    return call.text(vectors.joined_lists, a, b)


def _require_one_form(call: Call, items: Sequence[Value]) -> None:
    if len({*map(form, items)}) > 1 or any(flatten(item) is None for item in items):
        call.refuse(f"{_WHAT} has items of several forms", "keep numbers, or tuples of one length")


def _raises_full(call: Call, where: Node, places: int) -> None:
    words = f"{_WHAT} gets more than the {places} items it may have here"
    call.tracer.raises(call.node, MemoryError, words, where)


# entries ------------------------------------------------------------------------------------------


def at(call: Call, owner: Value, place: Node | slice) -> Any:
    """`owner[place]`; the element raises IndexError where there is no such entry."""
    if isinstance(place, Node):
        index = _place(call, owner, place, "list index out of range")
        return entry_at(call.graph, owner.items, index)
    if isinstance(owner, Array):
        call.refuse("a bound of a slice of an array depends on values", "use a list")
    ends = (place.start, place.stop, place.step)
    return part(call, owner, *(call.graph.const(n) if isinstance(n, int) else n for n in ends))


def _place(call: Call, owner: Resizable, index: Node, words: str) -> Node:
    """Return an index as one from 0."""
    graph = call.graph
    if not owner.items:
        call.refuse("an entry of a list that is always empty is read", "give it items")
    _require_one_form(call, owner.items)
    place, inside = call.text(vectors.place_in, call.graph.cast(index, "i"), owner.length)
    call.tracer.raises_lookup(call.node, IndexError, words, graph.logical_not(inside))
    if index.op == "const" and index.data >= 0:
        return graph.const(min(index.data, len(owner.items) - 1))
    return graph.select(inside, place, graph.const(0))


def stored(call: Call, owner: Resizable, places: Sequence[Any], value: Value) -> Resizable:
    """Return the list after `owner[index] = value`."""
    (index, *rest) = places
    if rest or isinstance(index, slice):
        call.refuse(f"part of an item, or a slice, of {_WHAT} is assigned", "assign an item")
    place = _place(call, owner, index, "list assignment index out of range")
    return _put(call, owner, place, value, owner.items)


def _put(
    call: Call, owner: Resizable, place: Node, value: Value, items: Sequence[Value]
) -> Resizable:
    """Return a list of these items, at a place a value."""
    graph = call.graph
    here = (graph.compare("eq", place, graph.const(k)) for k in range(len(items)))
    items = [join_value(graph, *row) for row in zip(here, [value] * len(items), items, strict=True)]
    _require_one_form(call, items)
    return replace(owner, items=tuple(items))


def part(call: Call, owner: Value, lower: Value, upper: Value, step: Value) -> Value:
    """`owner[lower:upper:step]`."""
    owner = resizable(call.graph, frozen(owner) if isinstance(owner, List) else owner)
    stride = 1 if step is None else whole(call, step, "the step of a slice")
    if stride < 0 and (lower is not None or upper is not None or stride != -1):
        call.refuse(f"a slice of {_WHAT} goes backwards", "use [::-1], or write a loop")
    if stride < 0:
        return call.text(vectors.backwards, owner)
    ends = (lower or call.graph.const(0), upper or owner.length)
    first, last = (call.text(vectors.place_within, end, owner.length) for end in ends)
    if stride == 1 and ends[0].op == "const" and ends[0].data >= 0:
        count = call.text(vectors.span, first, last)
        return replace(owner, length=count, items=owner.items[ends[0].data :])
    return call.text(vectors.between_places, owner, first, last, call.graph.const(stride))


# changes ------------------------------------------------------------------------------------------


def append(call: Call, owner: Any, item: Value, *, where: Node | None = None) -> Any:
    """Return the list with one more item, or only `where` a condition holds."""
    graph, size = call.graph, len(owner.items)
    more, place = graph.const(1), owner.length
    if where is not None:
        more, place = graph.cast(where, "i"), graph.select(where, place, graph.const(-1))
    longer = graph.arithmetic("add", owner.length, more)
    if owner.bounded:
        _raises_full(call, graph.compare("gt", longer, graph.const(size)), size)
    items = owner.items if owner.bounded else (*owner.items, item)
    return replace(_put(call, owner, place, item, items), length=longer)


def _pop(call: Call, owner: Resizable, index: Value = None) -> Any:
    words = "pop from empty list" if index is None else "pop index out of range"
    index = call.graph.const(-1) if index is None else index
    place = _place(call, owner, index, words)
    value, items = entry_at(call.graph, owner.items, place), owner.items
    if not (index.op == "const" and index.data == -1):
        items = (*_moved(call, place, items[1:], items), items[-1])
    fewer = call.text(vectors.span, call.graph.const(1), owner.length)
    return replace(owner, length=fewer, items=items), value


def _insert(call: Call, owner: Resizable, index: Node, item: Value) -> Any:
    longer, graph = append(call, owner, item), call.graph
    place = call.text(vectors.place_within, graph.cast(index, "i"), owner.length)
    items = _moved(call, place, longer.items[:-1], longer.items[1:])
    return _put(call, longer, place, item, (longer.items[0], *items)), None


def _moved(
    call: Call, place: Node, items: Sequence[Value], others: Sequence[Value]
) -> Iterator[Value]:
    """Return the items from a place on, and others before it."""
    for k, (item, other) in enumerate(zip(items, others, strict=False)):
        moves = call.graph.compare("ge", call.graph.const(k), place)
        yield join_value(call.graph, moves, item, other)


def _extend(call: Call, owner: Resizable, more: Value) -> Any:
    if isinstance(more, Resizable):
        return call.text(vectors.joined_lists, owner, more), None
    for item in more:
        owner = append(call, owner, item)
    return owner, None


CHANGES: dict[str, Callable[..., tuple[Value, Value]]] = {
    "append": lambda call, a, item: (append(call, a, item), None),
    "insert": _insert,
    "pop": _pop,
    "extend": _extend,
    "popleft": lambda call, a: _pop(call, a, call.graph.const(0)),
    "appendleft": lambda call, a, item: _insert(call, a, call.graph.const(0), item),
    "clear": lambda call, a: (replace(a, length=call.graph.const(0)), None),
    "reverse": lambda call, a: (call.text(vectors.backwards, a), None),
    "sort": lambda call, a, **how: (call.text(vectors.sorted_list, a, **how), None),
}


def change(call: Call, name: str, key: str, args: Sequence[Value], env: Env) -> Value:
    """Return the value of a method that changes a list; a list that is put in is a tuple."""
    known, values = (
        {*keys_in(tuple(env.values()))},
        [call.tracer.dereference(arg, env) for arg in args],
    )
    inside = [env.get(getattr(arg, "key", ""), arg) if name == "extend" else arg for arg in args]
    lists = any(isinstance(value, (List, Resizable)) for value in values) and name != "extend"
    shared = known & {*keys_in(tuple(inside), env)}
    freeze(env, shared)
    if lists and shared:
        call.refuse(f"a list that has a name is put into {_WHAT}", "put in a tuple of its items")
    values = [frozen(value) for value in values]
    env[key], result = call.answer(CHANGES[name], env[key], *values, **call.kwargs)
    return Static(None) if result is None else result


# functions ----------------------------------------------------------------------------------------


def _zipped(call: Call, *columns: Value, strict: Value = None) -> Resizable:
    lists = [resizable(call.graph, column) for column in columns]
    less = lambda a, b: call.graph.select(call.graph.compare("lt", b, a), b, a)
    rows = zip(*(each.items for each in lists), strict=False)
    length = functools.reduce(less, [each.length for each in lists])
    return Resizable(length, tuple(rows), any(each.bounded for each in lists))


def _enumerated(call: Call, a: Resizable, start: Value = None) -> Resizable:
    first = 0 if start is None else whole(call, start, "the start of enumerate()")
    return replace(a, items=tuple((call.graph.const(k), v) for k, v in enumerate(a.items, first)))


def _folded(call: Call, a: Resizable, start: Value = None, **how: Value) -> Value:
    how = how if start is None else {"start": start}
    texts = {"start": vectors.folded_from, "key": vectors.folded_by, "default": vectors.folded_or}
    text = texts[next(iter(how))] if how else vectors.folded
    return call.text(text, Static(call.target), a, *how.values())


def _reduced(call: Call, f: Value, a: Value, *first: Value) -> Value:
    if not first and a == ():
        call.refuse("reduce() of an empty tuple", "give a start value")
    return call.text(vectors.reduced_from if first else vectors.reduced, f, a, *first)


FOLDS = (sum, math.fsum, math.prod, min, max, any, all, np.any, np.all)
FUNCTIONS: dict[Any, Callable[..., Value]] = {
    len: lambda call, a: a.length,
    **dict.fromkeys((list, tuple), lambda call, a: a),
    **dict.fromkeys((set, frozenset), lambda call, a: call.text(vectors.distinct, a)),
    **dict.fromkeys(FOLDS, _folded),
    zip: _zipped,
    enumerate: _enumerated,
    reversed: lambda call, a: call.text(vectors.backwards, a),
    sorted: lambda call, a, **how: call.text(vectors.sorted_list, a, **how),
    map: lambda call, f, *a: call.text(vectors.mapped, f, _zipped(call, *a)),
    functools.reduce: _reduced,
    itertools.starmap: lambda call, f, a: call.text(vectors.mapped, f, a),
    itertools.pairwise: lambda call, a: _zipped(
        call, a, part(call, a, call.graph.const(1), None, None)
    ),
}
METHODS = {
    "count": vectors.count_of,
    "index": vectors.place_of,
    "copy": vectors.copied,
} | vectors.SETS


def dict_of(call: Call, items: Value) -> Value:
    """Return the dict of pairs of a key and a value."""
    if not isinstance(items, tuple):
        return call.text(vectors.dict_of_pairs, items)
    known = [(objects.known(key), value) for key, value in items]
    if all(key for key, _ in known):
        return record_of(dict, {key[0]: value for key, value in known if key})
    empty = Pairs(call.graph.const(0), ())
    return functools.reduce(lambda owner, pair: with_key(call, owner, *pair), items, empty)


def counter(call: Call, items: Value = ()) -> Value:
    """`Counter(items)`."""
    counts: Any = as_pairs(call.graph, call.text(vectors.counted, items))
    return replace(counts, default=call.graph.const(0))


def default_dict(call: Call, factory: Value = None) -> Value:
    """`defaultdict(factory)`."""
    make = getattr(factory, "value", None)
    number = make in (int, float, bool)
    value = call.graph.const(make()) if number else make and call.tracer.called(call.of(make))
    if not flatten(value):
        call.refuse("the values of a defaultdict are not numbers", "write defaultdict(int)")
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
    """Return the keys (0), the values (1) or the pairs of a dict, as a list."""
    items = owner.items if place is None else tuple(pair[place] for pair in owner.items)
    return Resizable(owner.length, items, owner.bounded)


def _value_at(call: Call, owner: Pairs, key: Value, default: Value = None) -> Value:
    return entry(call, replace(owner, default=None), key, default)


# of the call, the dict and arguments
DICT_METHODS: dict[str, Callable[..., Any]] = {
    "get": lambda call, a, key, default=None: _value_at(call, a, key, default or Static(None)),
    "keys": lambda _, a: column(a, 0),
    "values": lambda _, a: column(a, 1),
    "items": lambda _, a: column(a),
    "copy": lambda _, a: a,
    "most_common": lambda call, a, n=None: part(
        call, call.text(vectors.by_count, column(a)), None, n, None
    ),
}
# methods that change it: the dict after them, and their value
DICT_CHANGES: dict[str, Callable[..., tuple[Pairs, Value]]] = {
    "pop": lambda call, a, key, *default: (
        without(call, a, key),
        _value_at(call, a, key, *default),
    ),
    "setdefault": lambda call, a, *row: (
        with_key(call, a, row[0], value := _value_at(call, a, *row)),
        value,
    ),
}
