"""Tuples of known length: comprehensions, what built-ins make of tuples, entries by index.

A list written in a scalar function is a tuple: nothing changes it. A comprehension in `sum()` and
its like is the loop that it says, so its number of terms may depend on values.
"""

from __future__ import annotations

import ast
import functools
import itertools
import math
import operator
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any, cast

import numpy as np

from nbgraph.kernels.capture import arrays, comparing, objects, resizable, vectors
from nbgraph.kernels.capture.arrays import METHODS, STEPS, in_order, whole
from nbgraph.kernels.capture.classes import Classes
from nbgraph.kernels.capture.closures import (
    Comprehension,
    assigned_within,
    each_of,
    loops_of,
    nonlocals,
)
from nbgraph.kernels.capture.context import Call, Method
from nbgraph.kernels.capture.digits import Digits
from nbgraph.kernels.capture.environment import keys_in, lists_of, placed, reference
from nbgraph.kernels.capture.joining import join_value
from nbgraph.kernels.capture.lists import CHANGES, ITEM
from nbgraph.kernels.capture.lookups import MAX_ITEMS, entry_at, within
from nbgraph.kernels.capture.ranges import MAX_LISTED, Range, range_of
from nbgraph.kernels.capture.text import CountError, KindError
from nbgraph.kernels.capture.values import (
    Array,
    Complex,
    Env,
    List,
    Mapping,
    Resizable,
    Static,
    Value,
    View,
    described,
    flatten,
    is_none,
    mapping,
)
from nbgraph.kernels.kinds import is_boolean, is_integer
from nbgraph.kernels.scalar import Node

MAX_SORTED = 32  # items that sorted() compares, each with each

_MANY = "how many items there are depends on a value"

FOLDS: dict[object, str] = {
    **dict.fromkeys((sum, math.fsum, np.sum), "add"),
    **dict.fromkeys((math.prod, np.prod), "mul"),
}
TESTS: dict[object, bool] = {any: True, np.any: True, all: False, np.all: False}


class Sequences(Classes):
    """Mixed into Expressions."""

    def elements(self, nodes: list[ast.expr], env: Env, path: Node) -> tuple[Value, ...]:
        """The values of a display or of arguments; `*tuple` stands for its items."""
        items: list[Value] = []
        for node in nodes:
            if not isinstance(node, ast.Starred):
                try:
                    value = self.object(node, env, path)
                except CountError:
                    if not (isinstance(node, ast.Call) and self.static(node.func, env) is range):
                        raise
                    value = self._looped(each_of(node), env, path)
                items.append(placed(value, env))
                continue
            inner = self.each(node.value, self.object(node.value, env, path), env)
            if not isinstance(inner, tuple):
                self.refuse(node, "what follows * is not a tuple", "write the arguments out")
            items += cast("tuple[Value, ...]", inner)
        return tuple(items)

    def comprehension(self, node: Comprehension, env: Env, path: Node) -> tuple[Value, ...]:
        """The tuple of what a comprehension lists; a list where their number depends on values."""
        noted = len(self.pending)
        try:
            return self._written_out(node, env, path)
        except CountError:
            del self.pending[noted:]
            return self._looped(node, env, path)

    def assigned(self, node: ast.expr) -> set[str]:
        """The variables around a comprehension that it may assign."""
        return assigned_within(node) | nonlocals(self.text.body)

    def _looped(self, node: Comprehension, env: Env, path: Node) -> Value:
        """What a comprehension lists, by the loops that it says."""
        name = "$listed"
        append = ast.Attribute(ast.Name(name, ast.Load()), "append", ast.Load())
        inner = dict(env)
        inner[name] = placed(List(), inner)
        body = loops_of(node, node, [ast.Expr(ast.Call(append, [node.elt], []))])
        after = self.block(body, inner, path)
        self.leave(after)
        env.update(lists_of(after))
        env.update({name: after[name] for name in self.assigned(node) if name in after})
        return self.read(node, after[name], after)

    def _written_out(self, node: Comprehension, env: Env, path: Node) -> tuple[Value, ...]:
        """The tuple of what a comprehension lists."""
        items: list[Value] = []
        assigned = self.assigned(node)

        def adopt(outer: Env, inner: Env) -> None:
            outer.update(lists_of(inner))
            outer.update({name: inner[name] for name in assigned if name in inner})

        def visit(generators: list[ast.comprehension], inner: Env) -> None:
            if not generators:
                items.append(placed(self.object(node.elt, inner, path), inner))
                return
            first, *rest = generators
            iterated = self.each(first.iter, self.object(first.iter, inner, path), inner)
            for item in self.listed(first.iter, iterated):
                bound = dict(inner)
                self.bind(first.target, item, bound)
                if all(self._certain(test, bound, path) for test in first.ifs):
                    visit(rest, bound)
                adopt(inner, bound)

        inner = dict(env)
        visit(node.generators, inner)
        adopt(env, inner)
        return tuple(items)

    def _certain(self, test: ast.expr, env: Env, path: Node) -> bool:
        cond = self.condition(test, env, path)
        if cond.op != "const":
            self.refuse(test, _MANY, "write a `for` loop over them", CountError)
        return bool(cond.data)

    def listed(self, node: ast.expr, value: Value) -> tuple[Value, ...]:
        """The items of what is gone through: of a tuple, an array, a dict's keys, a string."""
        items = mapping(value)
        if isinstance(items, Static):
            items = objects.characters(Call(self, node, self.graph.const(True)), items)
        if isinstance(items, Range):
            items.refuse_known(Call(self, node, self.graph.const(True)))
        if isinstance(items, (Resizable, Digits, Range)):
            self.refuse(node, _MANY, "write a `for` loop over them", CountError)
        if isinstance(items, Mapping):
            return self.keys(node, items)
        if objects.is_text(items):
            what = "the digits of a floating value are not understood"
            self.refuse(node, what, "make it an integer with int()", KindError)
        if not isinstance(items, tuple):
            what = "this is not something to loop over in a scalar function"
            self.refuse(node, what, "loop over range(...) or over a constant tuple")
        return cast("tuple[Value, ...]", items)

    # functions of tuples ----------------------------------------------------------------------

    def sequence_call(self, call: Call, shared: Call, env: Env) -> Value | None:
        """The value of a built-in function of tuples; None for other functions. `shared`: the call
        with references to lists, whose items some functions only put together."""
        sized = not any(isinstance(value, (Resizable, Range)) for value in call.values)
        if sized and lookup(_MAKERS, call.target) is not None and call.target in _KEEPS:
            call = call._replace(args=[self.each(call.node, a, env) for a in shared.args])
        if call.args and isinstance(call.args[0], Range) and call.target in _OF_RANGES:
            return _OF_RANGES[call.target](call.args[0], call)
        call = call._replace(args=[self._items_of(call, value) for value in call.args])
        make, (first, *rest) = lookup(_MAKERS, call.target), (*call.args, None)
        if any(isinstance(a, (Resizable, Range)) for a in call.args):
            make, fits = lookup(resizable.FUNCTIONS, call.target), True
            call = call._replace(args=[*map(resizable.frozen, call.args)])
        elif isinstance(first, (tuple, Mapping)) or (call.target in _EMPTY and not call.args):
            fits = True
        elif call.target in (map, functools.reduce):
            fits = bool(rest) and isinstance(first, Static)
        else:
            several = call.target in (min, max) and rest and call.kwargs.keys() == {"key"}
            fits = call.target is range or several
        if make is None or not fits:
            return None
        args = [self.keys(call.node, a) if isinstance(a, Mapping) else a for a in call.args]
        return call.answer(make, *args, **call.kwargs)

    def _items_of(self, call: Call, value: Value) -> Value:
        """A string or a range as the items that the function of a call goes over."""
        if isinstance(value, Digits) and call.target in (len, min, max):
            return value  # known without a list
        if isinstance(value, Range) and call.target in resizable.FOLDS:
            return value
        over = isinstance(value, Static) or lookup(resizable.FUNCTIONS, call.target) is not None
        return objects.characters(call, value) if over else value

    def vector_call(self, call: Call) -> Value | None:
        """The value of a function of NumPy or `bisect` of tuples; None for other functions."""
        target = call.target
        make = lookup(arrays.FUNCTIONS, target)
        sized = not any(isinstance(value, Resizable) for value in call.values)
        if make is not None and sized and (target in arrays.MAKERS or _has_tuple(call.values)):
            return call.answer(make, *call.args, **call.kwargs)
        fn = lookup(_VECTORS, target) or vectors.of_statistics(target)
        fn = fn if sized else fn or lookup(_REDUCTIONS, target)
        if fn is None or not _has_tuple(call.values):
            return None
        if target in vectors.OF_ENTRIES and arrays.depth([*call.args, None][0]) > 1:
            if target is np.linalg.norm and len(call.values) > 1:
                call.refuse("the norm of a matrix has an order or an axis", "leave them out")
            call = call._replace(args=[Array(arrays.leaves(call.args[0])), *call.args[1:]])
        value = call.text(fn)
        return _vectors(value) if str(target.__module__).startswith("numpy") else value

    def method_call(self, call: Call, method: Method, env: Env) -> Value:
        """The value of a method of a list or an array."""
        if method.name in STEPS and not call.kwargs:
            return self.view(call, method.owner, call.answer(STEPS[method.name], *call.args), env)
        owner = self.held(method.owner, env)
        if method.name == "copy" and type(owner) is List:
            return self.read(call.node, method.owner, env)
        if method.name in CHANGES and not call.kwargs:
            return self.change(call, method, call.args, env)
        if isinstance(owner, Resizable) and method.name in resizable.METHODS:
            return call.text(resizable.METHODS[method.name], owner, *call.args)
        if method.name not in METHODS or isinstance(owner, Resizable):
            what = f"{method.name}() of {described(owner)} is not understood with these arguments"
            call.refuse(what, "use sorted(values, ...), or write a loop")
        args = [owner, *(self.held(a, env) for a in call.args)]
        return call.answer(METHODS[method.name], *args, **call.kwargs)

    # entries ----------------------------------------------------------------------------------

    def places(
        self, node: ast.Subscript, owner: Value, env: Env, path: Node
    ) -> tuple[Node | slice, ...]:
        """The indices and slices of a subscript: several of an array, else one."""
        several = isinstance(owner, Array) and isinstance(node.slice, ast.Tuple)
        parts = node.slice.elts if several else [node.slice]  # type: ignore[attr-defined]
        return tuple(self._place(node, part, env, path) for part in parts)

    def _place(self, node: ast.Subscript, part: ast.expr, env: Env, path: Node) -> Node | slice:
        """One index or slice of a subscript."""
        if isinstance(part, ast.Slice):
            bounds = (part.lower, part.upper, part.step)
            nodes = [bound and self.number(bound, env, path) for bound in bounds]
            if any(n is not None and n.op != "const" for n in nodes):
                return slice(*nodes)
            return slice(
                *(n and whole(Call(self, node, path), n, "the bound of a slice") for n in nodes)
            )
        index = self.number(part, env, path)
        if not (is_integer(index.kind) or is_boolean(index.kind)):
            self.refuse(
                node, "the index of a tuple is not an integer", "make it one with int()", KindError
            )
        return index

    def entries(
        self,
        node: ast.Subscript,
        owner: Value,
        places: Sequence[Node | slice],
        path: Node | None = None,
    ) -> Value:
        """`owner[index]`, `owner[a:b:c]`, and `owner[i, j]` of an array. What is looked up on a
        path raises IndexError where there is no such entry."""
        if not places:
            return owner
        if not isinstance(owner, (tuple, Resizable)):
            self.refuse(node, "there are more indices than dimensions", "leave the last ones out")
        place, *rest = places
        if isinstance(owner, Resizable) or _is_late(place):
            call = Call(self, node, path or self.graph.const(True))
            return self.entries(node, resizable.at(call, owner, place), rest, path)
        if isinstance(place, slice):
            return type(owner)(self.entries(node, row, rest, path) for row in owner[place])
        if place.op != "const":
            return self.entries(node, self._looked_up(node, owner, place, path), rest, path)
        if -len(owner) <= place.data < len(owner):
            return self.entries(node, owner[int(place.data)], rest, path)
        if not issubclass(IndexError, self.catching):
            problem = f"{_sort(owner)} index out of range"
            self.refuse(node, problem, "use an index of its items")
        self.raises_lookup(node, IndexError, _outside(owner), self.graph.const(True))
        return self.graph.const(math.nan)

    def _looked_up(
        self, node: ast.Subscript, owner: tuple[Value, ...], index: Node, path: Node | None
    ) -> Value:
        """The entry at an index that depends on values; where there is none, the first one."""
        name = ast.unparse(node.value)
        place, inside = within(self.graph, index, len(owner), path)
        name = name if name.isidentifier() else ""
        value = entry_at(self.graph, owner, place, name) if owner else None
        if value is None:
            self.refuse(
                node,
                "an index that depends on values is understood in constants, and in tuples of 1 to "
                f"{MAX_ITEMS} numbers or of tuples of such",
                "pass what is looked up as an operand",
            )
        if path is not None:
            missing = self.graph.logical_not(inside)
            counter, ahead = self.counter, None
            if counter is not None and counter.path is path and missing.op != "const":
                ahead = counter.missed(self.graph, index, len(owner))
            self.raises_lookup(node, IndexError, _outside(owner), missing, ahead)
        return value


def _is_late(place: Node | slice) -> bool:
    """Whether it is a slice whose bounds depend on values."""
    bounds = (place.start, place.stop, place.step) if isinstance(place, slice) else ()
    return any(isinstance(bound, Node) for bound in bounds)


def _sort(owner: Value) -> str:
    """What Python calls a sequence."""
    return "array" if isinstance(owner, Array) else "list" if isinstance(owner, List) else "tuple"


def _outside(owner: tuple[Value, ...]) -> str:
    """What is said of an index that a sequence does not have."""
    return f"{_sort(owner)} index out of range, there are {len(owner)} items"


_EMPTY = (deque, frozenset, list, set, tuple)
_OF_RANGES: dict[object, Callable[[Range, Call], Value]] = {
    len: Range.length,
    reversed: Range.turned,
}

# built-in functions of tuples ---------------------------------------------------------------------


def distinct(call: Call, items: Value) -> Value:
    """The items of a set."""
    known = objects.known(items)
    if known is None:
        return call.text(vectors.distinct, items)
    places = dict(zip(known[0], items, strict=True))
    try:
        return List(places[key] for key in sorted(places))
    except TypeError:  # of several types
        return List(places.values())


as_list = lambda items: items if isinstance(items, Resizable) else List(items)


def _numbers(call: Call, items: Sequence[Value], least: int = 0) -> list[Node]:
    if len(items) < least:
        call.refuse("the tuple is empty", "give at least one number")
    if not all(isinstance(item, Node) for item in items):
        call.refuse("the items are not all numbers", "give a tuple of numbers")
    return list(items)


def _folded(op: str) -> Callable[..., Value]:
    def total(call: Call, items: Value, start: Value = None) -> Value:
        items = (flatten(items) or ()) if isinstance(items, Array) else items
        first = call.graph.const(1 if op == "mul" else 0)
        values = [*([start] if start is not None else [first] * (op == "add" or not items)), *items]
        _numbers(call, [value for value in values if not isinstance(value, Complex)])
        return functools.reduce(lambda a, b: call.tracer.binary(op, a, b, call.path), values)

    return total


def _tested(sought: bool) -> Callable[..., Value]:
    def found(call: Call, items: Value) -> Value:
        join = call.graph.logical_or if sought else call.graph.logical_and
        truths = [call.tracer.truth(item) for item in items]
        return functools.reduce(join, truths, call.graph.const(not sought))

    return found


def _range(call: Call, *bounds: Value) -> Value:
    numbers = range_of(call, bounds)
    known = [int(node.data) for node in numbers.parts if node.op == "const"]
    if len(known) < 3 or len(range(*known)) > MAX_LISTED:
        return numbers
    return tuple(call.graph.const(i) for i in range(*known))


def _enumerate(call: Call, items: Value, start: Value = None) -> Value:
    if start is not None and getattr(start, "op", "") != "const":
        call.refuse("the start of enumerate() is not constant", "add it to the number")
    first = 0 if start is None else int(start.data)
    return tuple((call.graph.const(i), item) for i, item in enumerate(items, first))


def _zip(call: Call, *columns: Value, strict: Value = None) -> Value:
    listed = [call.tracer.listed(call.node, column) for column in columns]
    if strict is not None and strict.data and len(set(map(len, listed))) > 1:
        call.refuse("the tuples have different lengths", "leave out strict=True")
    return tuple(zip(*listed, strict=False))


def _called(call: Call, fn: Value, *args: Value) -> Value:
    """What a function that is an argument gives for items of another one."""
    return call.tracer.called(call.of(fn.value, *args), call.tracer.frame)


def _map(call: Call, fn: Value, *columns: Value) -> Value:
    return tuple(_called(call, fn, *row) for row in _zip(call, *columns))


def _accumulate(call: Call, items: Value, func: Value = None, initial: Value = None) -> Value:
    func, initial = (None if getattr(v, "value", v) is None else v for v in (func, initial))
    fn = Static(operator.add) if func is None else func
    apply = functools.partial(_called, call, fn)
    return tuple(itertools.accumulate(items, apply, initial=initial))


def _reduce(call: Call, fn: Value, items: Value, *start: Value) -> Value:
    values = [*start, *call.tracer.listed(call.node, items)]
    if not values:
        call.refuse("reduce() of an empty tuple", "give a start value")
    return functools.reduce(functools.partial(_called, call, fn), values)


def _ranked(call: Call, items: Sequence[Value], key: Value) -> list[tuple[Value, Value]]:
    """What items are ordered by, and the items, or the places of lists and objects."""
    if not (key is None or isinstance(key, Static)):
        call.refuse("a keyword argument is not understood here", "leave it out")
    ranks = items if key is None else [_called(call, key, item) for item in items]
    ranks = [call.tracer.deep(call.node, rank, call.tracer.frame) for rank in ranks]
    _numbers(call, [rank for rank in ranks if type(rank) is not tuple])
    if any(next(keys_in(item), None) for item in items):
        items = [call.graph.const(k) for k in range(len(items))]
    return list(zip(ranks, items, strict=True))


def _placed(call: Call, items: Sequence[Value], ordered: Sequence[Value]) -> list[Value]:
    """Items in the order that `_ranked` has led to."""
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
    """The items in the order of their ranks; equal ones stay in order."""
    falls = isinstance(reverse, Node) and bool(reverse.data)
    key = None if is_none(key) else key
    if key is None and not (items and type(items[0]) is tuple):
        return List(in_order(call, items, falls))
    rows = _ranked(call, items, key)
    if len(rows) > MAX_SORTED:
        call.refuse(f"more than {MAX_SORTED} items are sorted", "sort before the call")
    for last in range(len(rows) - 1, 0, -1):
        for k in range(last):
            op = ast.Gt() if falls else ast.Lt()
            rows[k : k + 2] = _ordered(call, op, rows[k], rows[k + 1])
    return List(_placed(call, items, [item for _, item in rows]))


def _ordered(
    call: Call, op: ast.cmpop, a: tuple[Value, Value], b: tuple[Value, Value]
) -> list[tuple[Value, Value]]:
    """Two rows, exchanged where the rank of the second is `op` that of the first."""
    graph, swap = call.graph, comparing.compare(call.tracer, call.node, op, b[0], a[0])
    pairs = (zip(b, a, strict=True), zip(a, b, strict=True))
    rows = [tuple(join_value(graph, swap, x, y) for x, y in pair) for pair in pairs]
    return cast("list[tuple[Value, Value]]", rows)


def _iterated(call: Call, *args: Value, **kwargs: Value) -> Value:
    """What `itertools` lists of tuples; counts among its arguments are constants."""
    count = lambda a: a if isinstance(a, tuple) else whole(call, a, "a count", "write the number")
    listed = call.target(*map(count, args), **{k: count(v) for k, v in kwargs.items()})
    items = tuple(itertools.islice(listed, MAX_LISTED + 1))
    if len(items) > MAX_LISTED:
        call.refuse(f"more than {MAX_LISTED} items are listed", "write a `for` loop")
    return items


_ITERTOOLS = (
    "product combinations combinations_with_replacement permutations pairwise chain".split()
)
_VECTORS: dict[Any, Any] = vectors.FUNCTIONS
_REDUCTIONS = {getattr(np, name): text for name, text in arrays.REDUCTIONS.items()}
_MAKERS: dict[object, Callable[..., Value]] = {
    **{fn: _folded(op) for fn, op in FOLDS.items()},
    **{fn: _tested(sought) for fn, sought in TESTS.items()},
    len: lambda call, items: call.graph.const(len(items)),
    tuple: lambda call, items=(): tuple(items),
    list: lambda call, items=(): List(items),
    deque: lambda call, items=(): List(items),
    **dict.fromkeys((set, frozenset), lambda call, items=(): as_list(distinct(call, items))),
    reversed: lambda call, items: items[::-1],
    bool: lambda call, items: call.tracer.truth(items),
    range: _range,
    min: _extreme(ast.Lt()),
    max: _extreme(ast.Gt()),
    enumerate: _enumerate,
    zip: _zip,
    map: _map,
    sorted: _sorted,
    functools.reduce: _reduce,
    itertools.accumulate: _accumulate,
    **{getattr(itertools, name): _iterated for name in _ITERTOOLS},
}
# those that put items together, which are not read
_KEEPS = frozenset((tuple, list, deque, reversed, enumerate, zip, map, sorted, min, max)) | {
    *(functools.reduce, itertools.accumulate),
    *(getattr(itertools, name) for name in _ITERTOOLS),
}


def _vectors(value: Value) -> Value:
    """Return the tuples that a NumPy function gives as arrays."""
    return Array(map(_vectors, value)) if isinstance(value, tuple) else value


def _has_tuple(values: Sequence[Value]) -> bool:
    return any(isinstance(value, (tuple, Resizable)) for value in values)


def lookup(table: dict[object, Any], target: object) -> Any:
    """The entry of a function; None for what is none or cannot be looked up."""
    return table.get(target) if callable(target) and type(target).__hash__ else None


def takes_tuples(target: object) -> bool:
    """Whether a function may be known for tuples or arrays, though not for numbers."""
    tables = (_MAKERS, _VECTORS, arrays.FUNCTIONS)
    known = any(lookup(table, target) is not None for table in tables)
    return known or vectors.of_statistics(target) is not None
