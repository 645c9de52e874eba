"""Lists whose length depends on values: as many places as there may be, the first ones in use.

They arise where two paths create lists of different lengths, where a loop appends, and in
comprehensions that filter. Unused places are never read. A list that grows in a loop of unknown
length has `PLACES` places; the element raises where it would get longer.
"""

import functools
import itertools
import math
import operator
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from nbgraph.kernels.capture import list_texts
from nbgraph.kernels.capture.arrays import whole
from nbgraph.kernels.capture.containers import PLACES, Array, List, Pairs, Resizable
from nbgraph.kernels.capture.context import Call
from nbgraph.kernels.capture.digits import as_digits, place_of
from nbgraph.kernels.capture.environment import freeze, keys_in
from nbgraph.kernels.capture.joining import as_pairs, join_value, resizable
from nbgraph.kernels.capture.lookups import entry_at, offset
from nbgraph.kernels.capture.values import (
    Env,
    Graph,
    Node,
    Static,
    Value,
    flatten,
    form,
    is_none,
    unflatten,
)
from nbgraph.kernels.scalar.kinds import promote

TABLE, MOST_PLACES = 128, 256  # capacity where the number of trips is known
MOST_NUMBERS = 1024  # numbers in all items together
MAX_WRITTEN = 128  # trips written out so that the length of a list is known
_WHAT = "a list whose length depends on values"


def widened(
    graph: Graph, start: Value, end: Value, trips: int | None, most: int | None
) -> Resizable | None:
    """Return the start of a list as one with capacity for what the loop adds; None for other
    values, and where writing out the trips gives the length. `trips`: their number if known;
    `most`: its upper bound."""
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
    elif most is not None:
        needed = min(len(first.items) + more * most, MOST_PLACES)
        places = needed if trips is not None else max(places, needed)
    kinds = [functools.reduce(promote, [node.kind for node in column]) for column in columns]
    if places * len(columns) > MOST_NUMBERS:
        return None
    unused = unflatten(items[0], [graph.cast(graph.const(0), kind) for kind in kinds])
    rest = [unused] * (places - len(first.items))
    return replace(last, length=first.length, items=(*first.items, *rest), bounded=True)


def filled(end: Value, start: Value) -> Value:
    """Return a list at the end of a trip with the capacity of its start; other values unchanged."""
    if not isinstance(end, Resizable) or not isinstance(start, Resizable):
        return end
    return replace(end, items=(*end.items, *start.items[len(end.items) :]), bounded=start.bounded)


def frozen(value: Value) -> Value:
    """Return a new list as a tuple, to be an item of another list, where nothing changes it."""
    return tuple(map(frozen, value)) if isinstance(value, List) else value


def repeated(call: Call, items: Sequence[Value], count: Node) -> Resizable:
    """Return `[item] * count`."""
    if len(items) != 1 or flatten(items[0]) is None:
        call.refuse("as often as a value says only one number is repeated", "write a loop")
    length = call.text(list_texts.span, call.graph.const(0), count)
    raises_full(call, call.graph.compare("gt", length, call.graph.const(TABLE)), TABLE)
    return Resizable(length, tuple(items) * TABLE, bounded=True)


def joined(call: Call, a: Value, b: Value) -> Value:
    """Return `a + b`; if `a` has a known length, without a loop."""
    if isinstance(b, Resizable) and isinstance(a, List):
        require_one_form(call, (*a, *b.items))
        longer = call.graph.arithmetic("add", b.length, call.graph.const(len(a)))
        return replace(b, length=longer, items=(*a, *b.items))
    return call.text(list_texts.joined_lists, a, b)


def require_one_form(call: Call, items: Sequence[Value]) -> None:
    """Refuse items unless all are numbers, or tuples of one length."""
    if len({*map(form, items)}) > 1 or any(flatten(item) is None for item in items):
        call.refuse(f"{_WHAT} has items of several forms", "keep numbers, or tuples of one length")


def raises_full(call: Call, where: Node, places: int) -> None:
    """Note that the element raises where a list needs more than `places` items."""
    words = f"{_WHAT} gets more than the {places} items it may have here"
    call.tracer.raises(call.node, MemoryError, words, where)


# entries ------------------------------------------------------------------------------------------


def at(call: Call, owner: Value, place: Node | slice) -> Any:
    """Return `owner[place]`; the element raises IndexError if there is no such item."""
    if isinstance(place, Node):
        index = _place(call, owner, place, "list index out of range")
        return entry_at(call.graph, owner.items, index)
    if isinstance(owner, Array):
        call.refuse("a bound of a slice of an array depends on values", "use a list")
    ends = (place.start, place.stop, place.step)
    return part(call, owner, *(call.graph.const(n) if isinstance(n, int) else n for n in ends))


def _place(call: Call, owner: Resizable, index: Node, words: str) -> Node:
    """Return an index counted from 0."""
    if not owner.items:
        call.refuse("an entry of a list that is always empty is read", "give it items")
    require_one_form(call, owner.items)
    place = place_of(call, index, owner.length, words)
    if index.op == "const" and index.data >= 0:
        return call.graph.const(min(index.data, len(owner.items) - 1))
    return place


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
    """Return the list with these items, and `value` at `place`."""
    graph = call.graph
    base = getattr((*items, 0)[0], "base", 0)  # for a list of strings of digits
    value = (base and as_digits(graph, value, base)) or value
    here = (graph.compare("eq", place, graph.const(k)) for k in range(len(items)))
    items = [join_value(graph, *row) for row in zip(here, [value] * len(items), items, strict=True)]
    require_one_form(call, items)
    return replace(owner, items=tuple(items))


def part(call: Call, owner: Value, lower: Value, upper: Value, step: Value) -> Value:
    """Return `owner[lower:upper:step]`."""
    owner = resizable(call.graph, frozen(owner) if isinstance(owner, List) else owner)
    stride = 1 if step is None else whole(call, step, "the step of a slice")
    const, size = call.graph.const, call.graph.const(len(owner.items))
    text, least, most = list_texts.place_within, const(0), owner.length
    if stride < 0:
        text, least, most = list_texts.place_below, const(-1), const(-1)
    ends = (lower or least, upper or most)
    first = call.text(text, ends[0], owner.length)
    last = most if upper is None else call.text(text, ends[1], owner.length)
    if not owner.items:
        return owner
    if stride == 1 and ends[0].op == "const" and ends[0].data >= 0:
        count = call.text(list_texts.span, first, last)
        return replace(owner, length=count, items=owner.items[ends[0].data :])
    if stride == 1 and 0 < (width := int(offset(*ends) or 0)) <= PLACES:  # as in a[i : i + 2]
        at = [call.text(list_texts.place_after, first, const(k), size) for k in range(width)]
        items = [entry_at(call.graph, owner.items, place) for place in at]
        if None not in items:
            return Resizable(call.text(list_texts.span, first, last), tuple(items), bounded=True)
    text = list_texts.between_places if len(owner.items) <= MOST_PLACES else list_texts.some_between
    return call.text(text, owner, first, last, const(stride))


# changes ------------------------------------------------------------------------------------------


def append(call: Call, owner: Any, item: Value, *, where: Node | None = None) -> Any:
    """Return the list with one more item, which is added only `where` a condition holds."""
    longer, place = _longer(call, owner, item, where), owner.length
    if where is not None:
        place = call.graph.select(where, place, call.graph.const(-1))
    return _put(call, longer, place, item, longer.items)


def insert(
    call: Call, owner: Any, place: Node, item: Value, *, where: Node | None = None
) -> Resizable:
    """Return the list with an item inserted, only `where` a condition holds."""
    longer = _longer(call, owner, item, where)
    if where is not None:
        place = call.graph.select(where, place, call.graph.const(len(longer.items)))
    items = _moved(call, place, longer.items[:-1], longer.items[1:])
    return _put(call, longer, place, item, (longer.items[0], *items))


def _longer(call: Call, owner: Any, item: Value, where: Node | None) -> Any:
    """Return the list with capacity for one more item, and its new length."""
    graph, items = call.graph, owner.items
    more = graph.const(1) if where is None else graph.cast(where, "i")
    length = graph.arithmetic("add", owner.length, more)
    if owner.bounded:
        raises_full(call, graph.compare("gt", length, graph.const(len(items))), len(items))
    return replace(owner, length=length, items=items if owner.bounded else (*items, item))


def _pop(call: Call, owner: Resizable, index: Value = None) -> Any:
    words = "pop from empty list" if index is None else "pop index out of range"
    index = call.graph.const(-1) if index is None else index
    place = _place(call, owner, index, words)
    value, items = entry_at(call.graph, owner.items, place), owner.items
    if not (index.op == "const" and index.data == -1):
        items = (*_moved(call, place, items[1:], items), items[-1])
    fewer = call.text(list_texts.span, call.graph.const(1), owner.length)
    return replace(owner, length=fewer, items=items), value


def _insert(call: Call, owner: Resizable, index: Node, item: Value) -> Any:
    index = call.graph.cast(index, "i")
    return insert(call, owner, call.text(list_texts.place_within, index, owner.length), item), None


def _moved(
    call: Call, place: Node, items: Sequence[Value], others: Sequence[Value]
) -> Iterator[Value]:
    """Yield `items` from a place on, and `others` before it."""
    for k, (item, other) in enumerate(zip(items, others, strict=False)):
        moves = call.graph.compare("ge", call.graph.const(k), place)
        yield join_value(call.graph, moves, item, other)


def _extend(call: Call, owner: Resizable, more: Value) -> Any:
    if isinstance(more, Resizable):
        return call.text(list_texts.joined_lists, owner, more), None
    for item in more:
        owner = append(call, owner, item)
    return owner, None


CHANGES: dict[str, Callable[..., tuple[Value, Value]]] = {
    "append": lambda call, a, item: (append(call, a, item), None),
    "insert": _insert,
    "pop": _pop,
    "extend": _extend,
    "remove": lambda call, a, x: (_pop(call, a, call.text(list_texts.place_of, a, x))[0], None),
    "popleft": lambda call, a: _pop(call, a, call.graph.const(0)),
    "appendleft": lambda call, a, item: _insert(call, a, call.graph.const(0), item),
    "rotate": lambda call, a, *count: (call.text(list_texts.rotated, a, *count), None),
    "clear": lambda call, a: (replace(a, length=call.graph.const(0)), None),
    "reverse": lambda call, a: (part(call, a, None, None, call.graph.const(-1)), None),
    "sort": lambda call, a, **how: (call.text(list_texts.sorted_list, a, **how), None),
}


def change(call: Call, name: str, key: str, args: Sequence[Value], env: Env) -> Value:
    """Return the value of a method that changes a list; lists among `args` become tuples."""
    known = {*keys_in(tuple(env.values()))}
    values = [call.tracer.dereference(arg, env) for arg in args]
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
    texts = {
        "start": list_texts.folded_from,
        "key": list_texts.folded_by,
        "default": list_texts.folded_or,
    }
    text = texts[next(iter(how))] if how else list_texts.folded
    return call.text(text, Static(call.target), a, *how.values())


def _reduced(call: Call, f: Value, a: Value, *first: Value) -> Value:
    if not first and a == ():
        call.refuse("reduce() of an empty tuple", "give a start value")
    return call.text(list_texts.reduced_from if first else list_texts.reduced, f, a, *first)


def _accumulated(call: Call, a: Value, func: Value = None, initial: Value = None) -> Value:
    if initial is not None and not is_none(initial):
        a = joined(call, List([initial]), a)
    func = Static(operator.add) if func is None or is_none(func) else func
    return call.text(list_texts.accumulated, a, func)


FOLDS = (sum, math.fsum, math.prod, min, max, any, all, np.any, np.all)
FUNCTIONS: dict[Any, Callable[..., Value]] = {
    len: lambda call, a: a.length,
    **dict.fromkeys((iter, list, tuple, deque), lambda call, a: replace(a, sort=List)),
    **dict.fromkeys((set, frozenset), lambda call, a: call.text(list_texts.distinct, a)),
    **dict.fromkeys(FOLDS, _folded),
    zip: _zipped,
    enumerate: _enumerated,
    reversed: lambda call, a: part(call, a, None, None, call.graph.const(-1)),
    sorted: lambda call, a, **how: call.text(list_texts.sorted_list, a, **how),
    map: lambda call, f, *a: call.text(list_texts.mapped, f, _zipped(call, *a)),
    functools.reduce: _reduced,
    itertools.accumulate: _accumulated,
    itertools.starmap: lambda call, f, a: call.text(list_texts.mapped, f, a),
    itertools.takewhile: lambda call, f, a: call.text(list_texts.takewhile, f, a),
    itertools.dropwhile: lambda call, f, a: call.text(list_texts.dropwhile, f, a),
    itertools.pairwise: lambda call, a: _zipped(
        call, a, part(call, a, call.graph.const(1), None, None)
    ),
}
METHODS = {
    "count": list_texts.count_of,
    "index": list_texts.place_of,
    "copy": list_texts.copied,
} | list_texts.SETS
