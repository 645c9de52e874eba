"""Functions and methods of tuples, lists and arrays: built-in ones, those of `itertools`, NumPy.

Functions of arguments of known length take them as tuples; a list whose length depends on values
is passed to the texts of `resizable`.
"""

from __future__ import annotations

import ast
import functools
import itertools
import math
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any, cast

import numpy as np

from nbgraph.kernels.capture import (
    arrays,
    comparing,
    dicts,
    list_texts,
    objects,
    resizable,
    vectors,
)
from nbgraph.kernels.capture.arrays import METHODS, STEPS, in_order, whole
from nbgraph.kernels.capture.containers import (
    Array,
    Iterator,
    List,
    Mapping,
    Pairs,
    Resizable,
    Set,
    View,
    as_set,
    described,
    sorted_as,
)
from nbgraph.kernels.capture.context import Call
from nbgraph.kernels.capture.digits import MAX_LISTED, Digits, Range, range_of
from nbgraph.kernels.capture.environment import keys_in, reference
from nbgraph.kernels.capture.items import keys, listed
from nbgraph.kernels.capture.joining import join_value
from nbgraph.kernels.capture.lists import CHANGES, ITEM, change, view
from nbgraph.kernels.capture.results import present
from nbgraph.kernels.capture.values import Complex, Node, Static, Value, flatten, is_none

MAX_SORTED = 32  # items for sorted(), which compares all pairs
FOLDS: dict[object, str] = {
    **dict.fromkeys((sum, math.fsum, np.sum), "add"),
    **dict.fromkeys((math.prod, np.prod), "mul"),
}
TESTS: dict[object, bool] = {any: True, np.any: True, all: False, np.all: False}


def function(call: Call, shared: Call) -> Value | None:
    """Return the value of a function of tuples, lists or arrays; None for other functions.
    `shared`: the call with references to lists, for functions that do not read the items."""
    value = _of_vectors(call)
    return _of_tuples(call, shared) if value is None else value


def _of_vectors(call: Call) -> Value | None:
    """Return the value of a function of NumPy, `bisect` or `statistics`."""
    target = call.target
    make = lookup(arrays.FUNCTIONS, target)
    sized = not any(isinstance(value, Resizable) for value in call.values)
    if make is not None and sized and (target in arrays.MAKERS or _has_tuple(call.values)):
        return call.answer(make, *call.args, **call.kwargs)
    fn = lookup(vectors.FUNCTIONS, target) or vectors.text_by_module(target)
    fn = fn if sized else fn or lookup(_REDUCTIONS, target)
    if fn is None or not _has_tuple(call.values):
        return None
    if target in vectors.OF_ENTRIES and arrays.depth([*call.args, None][0]) > 1:
        if target is np.linalg.norm and len(call.values) > 1:
            call.refuse("the norm of a matrix has an order or an axis", "leave them out")
        call = call._replace(args=[Array(arrays.leaves(call.args[0])), *call.args[1:]])
    value = call.text(fn)
    return as_arrays(value) if str(target.__module__).startswith("numpy") else value


def _of_tuples(call: Call, shared: Call) -> Value | None:
    """Return the value of a built-in function, or one of `itertools` or `functools`."""
    target, tracer = call.target, call.tracer
    sized = not any(isinstance(value, (Resizable, Range)) for value in call.values)
    if sized and lookup(_MAKERS, target) is not None and target in _KEEPS:
        call = call._replace(args=[tracer.each(call.node, a, tracer.frame) for a in shared.args])
    if call.args and isinstance(call.args[0], Range) and target in _OF_RANGES:
        return _OF_RANGES[target](call.args[0], call)
    call = call._replace(args=[_items_of(call, value) for value in call.args])
    make, (first, *rest) = lookup(_MAKERS, target), (*call.args, None)
    if any(isinstance(a, (Resizable, Range)) for a in call.args):
        make, fits = lookup(resizable.FUNCTIONS, target), True
        call = call._replace(args=[*map(resizable.frozen, call.args)])
    elif isinstance(first, (tuple, Mapping)) or (target in _EMPTY and not call.args):
        fits = True
    elif target in _OF_FUNCTIONS:
        fits = bool(rest) and isinstance(first, Static)
    else:
        several = target in (min, max) and rest and call.kwargs.keys() == {"key"}
        fits = target in (range, itertools.count, itertools.repeat) or several
    if make is None or not fits:
        return None
    args = [keys(tracer, call.node, a) if isinstance(a, Mapping) else a for a in call.args]
    value = call.answer(make, *args, **call.kwargs)
    once = target in _ONCE and isinstance(value, (tuple, Resizable))
    return sorted_as(Iterator, value) if once else value


def _items_of(call: Call, value: Value) -> Value:
    """Return a string or a range as the items that the called function iterates over."""
    if isinstance(value, Digits) and call.target in (len, min, max):
        return value  # these need no list
    if isinstance(value, Range) and call.target in (*resizable.FOLDS, functools.reduce):
        return value
    if isinstance(value, Pairs):
        return dicts.column(value, 0)
    over = isinstance(value, Static) or lookup(resizable.FUNCTIONS, call.target) is not None
    return objects.characters(call, value) if over else value


def method(call: Call, referred: Value, name: str) -> Value:
    """Return the value of a method of a list or an array."""
    tracer, env = call.tracer, call.tracer.frame
    if name in STEPS and not call.kwargs:
        return view(call, referred, call.answer(STEPS[name], *call.args))
    owner = tracer.dereference(referred, env)
    if name == "copy" and isinstance(owner, List):
        return tracer.read(call.node, referred, env)
    if name in CHANGES:
        return change(call, referred, name)
    args = [owner, *(tracer.dereference(a, env) for a in call.args)]
    if name in METHODS and not isinstance(owner, Resizable):
        return call.answer(METHODS[name], *args, **call.kwargs)
    if name in resizable.METHODS and not call.kwargs:
        value = call.text(resizable.METHODS[name], *args)
        return as_set(value) if name in list_texts.NEW_SETS else value
    what = f"{name}() of {described(owner)} is not understood with these arguments"
    call.refuse(what, "leave them out, or write a loop")


_EMPTY = (deque, frozenset, itertools.count, list, set, tuple)
_OF_RANGES: dict[object, Callable[[Range, Call], Value]] = {
    len: Range.length,
    reversed: Range.turned,
}

# built-in functions of tuples ---------------------------------------------------------------------


def distinct(call: Call, items: Value) -> Value:
    """Return the items of a set."""
    known = objects.known(items)
    if known is None:
        return call.text(list_texts.distinct, items)
    places = dict(zip(known[0], items, strict=True))
    try:
        return Set(places[key] for key in sorted(places))
    except TypeError:  # items of several types
        return Set(places.values())


def _numbers(call: Call, items: Sequence[Value], least: int = 0) -> list[Node]:
    if len(items) < least:
        call.refuse("the tuple is empty", "give at least one number")
    items = [present(call, item) for item in items]
    if not all(isinstance(item, Node) for item in items):
        call.refuse("the items are not all numbers", "give a tuple of numbers")
    return list(items)


def _folded(op: str) -> Callable[..., Value]:
    def total(call: Call, items: Value, start: Value = None) -> Value:
        items = (flatten(items) or ()) if isinstance(items, Array) else items
        first = call.graph.const(1 if op == "mul" else 0)
        values = [*([start] if start is not None else [first] * (op == "add" or not items)), *items]
        values = [present(call, value) for value in values]
        _numbers(call, [value for value in values if not isinstance(value, Complex)])
        return functools.reduce(lambda a, b: call.tracer.binary(op, a, b, call.path), values)

    return total


def _tested(sought: bool) -> Callable[..., Value]:
    def tested(call: Call, items: Value) -> Value:
        join = call.graph.logical_or if sought else call.graph.logical_and
        truths = [call.tracer.truth(item) for item in items]
        return functools.reduce(join, truths, call.graph.const(not sought))

    return tested


def _range(call: Call, *bounds: Value) -> Value:
    numbers = range_of(call, bounds)
    if (known := numbers.known) is None or len(known) > MAX_LISTED:
        return numbers
    return tuple(call.graph.const(i) for i in known)


def _count(call: Call, start: Value = None, step: Value = None) -> Value:
    first, stride = start or call.graph.const(0), step or call.graph.const(1)
    end = math.copysign(2.0**62, whole(call, stride, "the step of count()"))
    return range_of(call, (first, call.graph.const(int(end)), stride))


def _repeat(call: Call, item: Value, times: Value) -> Value:
    if getattr(times, "op", "") == "const":
        return (item,) * whole(call, times, "how often")
    return range_of(call, (times,)) if is_none(item) else resizable.repeated(call, [item], times)


def _enumerate(call: Call, items: Value, start: Value = None) -> Value:
    if start is not None and getattr(start, "op", "") != "const":
        call.refuse("the start of enumerate() is not constant", "add it to the number")
    first = 0 if start is None else int(start.data)
    return tuple((call.graph.const(i), item) for i, item in enumerate(items, first))


def _zip(call: Call, *columns: Value, strict: Value = None) -> Value:
    rows = [listed(call.tracer, call.node, column) for column in columns]
    if strict is not None and strict.data and len(set(map(len, rows))) > 1:
        call.refuse("the tuples have different lengths", "leave out strict=True")
    return tuple(zip(*rows, strict=False))


def _called(call: Call, fn: Value, *args: Value) -> Value:
    """Return the result of calling a function that is an argument."""
    return call.tracer.called(call.of(fn.value, *args))


def _ranked(call: Call, items: Sequence[Value], key: Value) -> list[tuple[Value, Value]]:
    """Return pairs (rank, item); lists and objects are replaced by their places."""
    if not (key is None or isinstance(key, Static)):
        call.refuse("a keyword argument is not understood here", "leave it out")
    ranks = items if key is None else [_called(call, key, item) for item in items]
    ranks = [call.tracer.deep(call.node, rank, call.tracer.frame) for rank in ranks]
    _numbers(call, [rank for rank in ranks if not comparing.is_ordered(rank)])
    if any(next(keys_in(item), None) for item in items):
        items = [call.graph.const(k) for k in range(len(items))]
    return list(zip(ranks, items, strict=True))


def _placed(call: Call, items: Sequence[Value], ordered: Sequence[Value]) -> list[Value]:
    """Return the items in the order of the ordered second parts of `_ranked`."""
    if not any(next(keys_in(item), None) for item in items):
        return [*ordered]
    holder = reference(call.tracer.frame, List(items))
    return [
        items[place.data] if place.op == "const" else View.of(holder, (place,), ITEM)
        for place in ordered
    ]


def _extreme(op: ast.cmpop) -> Callable[..., Value]:
    def chosen(call: Call, *items: Value, key: Value = None, default: Value = None) -> Value:
        among = items[0] if len(items) == 1 else items
        if not (rows := _ranked(call, among, key)):
            return default or _numbers(call, (), 1)
        first = functools.reduce(lambda a, b: _ordered(call, op, a, b)[0], rows)
        return _placed(call, among, first[1:])[0]

    return chosen


def _sorted(call: Call, items: Value, key: Value = None, reverse: Value = None) -> Value:
    """Return a sorted list; equal items stay in order."""
    falls = call.graph.const(False) if reverse is None else call.tracer.truth(reverse)
    key = None if is_none(key) else key
    if key is None and falls.op == "const" and all(isinstance(item, Node) for item in items):
        return List(in_order(call, items, bool(falls.data)))
    rows = _ranked(call, items, key)
    if len(rows) > MAX_SORTED:
        call.refuse(f"more than {MAX_SORTED} items are sorted", "sort before the call")
    ways = [ast.Lt(), ast.Gt()] if falls.op != "const" else [ast.Gt() if falls.data else ast.Lt()]
    ordered = list[list[Value]]()
    for op in ways:
        ranked = [*rows]
        for k in (k for last in range(len(rows) - 1, 0, -1) for k in range(last)):
            ranked[k : k + 2] = _ordered(call, op, *ranked[k : k + 2])
        ordered.append([item for _, item in ranked])
    if len(ordered) > 1:
        ordered = [[join_value(call.graph, falls, b, a) for a, b in zip(*ordered, strict=True)]]
    return List(_placed(call, items, ordered[0]))


def _ordered(
    call: Call, op: ast.cmpop, a: tuple[Value, Value], b: tuple[Value, Value]
) -> list[tuple[Value, Value]]:
    """Return two rows, swapped where the rank of the second is `op` that of the first."""
    everywhere = Call(call.tracer, call.node, call.graph.const(True))
    graph, swap = call.graph, comparing.compare(everywhere, op, b[0], a[0])
    pairs = (zip(b, a, strict=True), zip(a, b, strict=True))
    rows = [tuple(join_value(graph, swap, x, y) for x, y in pair) for pair in pairs]
    return cast("list[tuple[Value, Value]]", rows)


def _iterated(call: Call, *args: Value, **kwargs: Value) -> Value:
    """Return the tuples of an `itertools` function; counts among its arguments are constants."""
    count: Any = lambda a: a if isinstance(a, tuple) else whole(call, a, "a count")
    named = {k: v if k == "fillvalue" else count(v) for k, v in kwargs.items()}
    if call.target is itertools.zip_longest:
        named.setdefault("fillvalue", Static(None))
    items = tuple(itertools.islice(call.target(*map(count, args), **named), MAX_LISTED + 1))
    if len(items) > MAX_LISTED:
        call.refuse(f"more than {MAX_LISTED} items are listed", "write a `for` loop")
    return items


_ITERTOOLS = (
    "product combinations combinations_with_replacement permutations pairwise chain islice "
    "zip_longest"
).split()
_REDUCTIONS = {getattr(np, name): text for name, text in arrays.REDUCTIONS.items()}
_OF_FUNCTIONS = (map, functools.reduce, itertools.starmap, itertools.takewhile, itertools.dropwhile)
_MAKERS: dict[object, Callable[..., Value]] = {
    **{fn: _folded(op) for fn, op in FOLDS.items()},
    **{fn: _tested(sought) for fn, sought in TESTS.items()},
    len: lambda call, items: call.graph.const(len(items)),
    tuple: lambda call, items=(): tuple(items),
    list: lambda call, items=(): List(items),
    deque: lambda call, items=(): List(items),
    **dict.fromkeys((set, frozenset), lambda call, items=(): distinct(call, items)),
    iter: lambda call, items: items,
    reversed: lambda call, items: items[::-1],
    bool: lambda call, items: call.tracer.truth(items),
    range: _range,
    min: _extreme(ast.Lt()),
    max: _extreme(ast.Gt()),
    enumerate: _enumerate,
    zip: _zip,
    map: lambda call, fn, *columns: tuple(_called(call, fn, *v) for v in _zip(call, *columns)),
    sorted: _sorted,
    functools.reduce: resizable.FUNCTIONS[functools.reduce],
    itertools.count: _count,
    itertools.repeat: _repeat,
    itertools.compress: lambda call, a, tests: call.text(list_texts.compress, a, tests),
    itertools.chain.from_iterable: _iterated,
    **{fn: resizable.FUNCTIONS[fn] for fn in (itertools.accumulate, *_OF_FUNCTIONS[2:])},
    **{getattr(itertools, name): _iterated for name in _ITERTOOLS},
}
_ONCE = {iter, reversed, enumerate, zip, map, itertools.starmap, itertools.accumulate} | {
    *(target for target, make in _MAKERS.items() if make is _iterated)
}
# functions that only arrange items, and do not read them
_KEEPS = frozenset((tuple, list, deque, reversed, enumerate, zip, map, sorted, min, max)) | {
    *(functools.reduce, itertools.accumulate),
    *(getattr(itertools, name) for name in _ITERTOOLS),
}


def as_arrays(value: Value) -> Value:
    """Return tuples and lists as the arrays that NumPy makes of them."""
    return Array(map(as_arrays, value)) if isinstance(value, tuple) else value


def _has_tuple(values: Sequence[Value]) -> bool:
    return any(isinstance(value, (tuple, Resizable)) for value in values)


def lookup(table: dict[object, Any], target: object) -> Any:
    """Return the entry of a function; None if it has none or is unhashable."""
    return table.get(target) if callable(target) and type(target).__hash__ else None


def takes_tuples(target: object) -> bool:
    """Return whether a function may be known for tuples or arrays, but not for numbers."""
    tables = (_MAKERS, vectors.FUNCTIONS, arrays.FUNCTIONS)
    known = any(lookup(table, target) is not None for table in tables)
    return known or vectors.text_by_module(target) is not None
