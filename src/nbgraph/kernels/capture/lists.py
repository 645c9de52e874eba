"""Changes of lists and arrays that a function creates: stores to items, and methods."""

from __future__ import annotations

import ast
import functools
import inspect
import itertools
from collections.abc import Callable, Sequence
from typing import Any, cast

from nbgraph.errors import CaptureError
from nbgraph.kernels.capture import arrays, dicts, list_texts, resizable
from nbgraph.kernels.capture.arrays import depth, spread, whole
from nbgraph.kernels.capture.comparing import compare
from nbgraph.kernels.capture.containers import (
    REFERS,
    Array,
    ConstantArray,
    Iterator,
    List,
    Pairs,
    Record,
    Reference,
    Resizable,
    Set,
    View,
    as_list,
    as_set,
    copied,
    is_fixed,
    is_set,
    mapping,
    sort_of,
)
from nbgraph.kernels.capture.context import Call, Tracer
from nbgraph.kernels.capture.environment import FROZEN, HEAP, OUTER, freeze, keys_in, placed
from nbgraph.kernels.capture.items import entries
from nbgraph.kernels.capture.joining import join_value
from nbgraph.kernels.capture.joining import resizable as resizable_of
from nbgraph.kernels.capture.lookups import MAX_ITEMS, within
from nbgraph.kernels.capture.values import Env, Graph, Node, Static, Undefined, Unknown, Value

ITEM: Any = ast.parse("items[0]", mode="eval").body  # stands for part of a list in messages


def dereference(tracer: Tracer, value: Value, env: Env) -> Value:
    """Return a value with the present items of lists and arrays in place of references."""
    if isinstance(value, Reference):
        return copied(tracer.dereference(env[value.key], env))
    if isinstance(value, View):
        return stepped(tracer, value.node, tracer.dereference(value.owner, env), value.steps)
    if _holds(value) and any(isinstance(v, REFERS) or _holds(v) for v in value):
        return type(value)(tracer.dereference(item, env) for item in value)
    return value


def stepped(tracer: Tracer, node: ast.Subscript, part: Value, steps: Sequence[Any]) -> Value:
    """Return the part of a value after a sequence of steps."""
    everywhere = tracer.graph.const(True)
    for step in steps:
        if callable(step):
            part = arrays.arranged(part, step)
        else:
            part = entries(Call(tracer, node, everywhere), part, step, checks=False)
    return part


def read(tracer: Tracer, node: ast.expr, value: Value, env: Env) -> Value:
    """Return a value for use: the items of a list or an array; refuse an undefined value. Items
    that are lists stay references."""
    value = once(value, env)
    if isinstance(value, Reference):
        value = copied(env[value.key])
    elif isinstance(value, View):
        part = tracer.dereference(value, env)
        value = part if isinstance(part, Array) else _rows(tracer.graph, value, part)
    value = mapping(value)
    if isinstance(value, Undefined) and not isinstance(value, Unknown):
        remedy = "give it a value, of one length, on every path"
        remedy = "keep list(...) of it" if value.why == _SPENT else remedy
        tracer.refuse(node, f"{ast.unparse(node)!r} {value.why}", remedy)
    return value


_SPENT = "is an iterator that was gone through before"


def once(value: Value, env: Env) -> Value:
    """Return the remaining items of an iterator, and mark it as exhausted; return other values
    unchanged."""
    if not isinstance(value, Reference) or sort_of(env[value.key]) is not Iterator:
        return value
    content, env[value.key] = as_list(env[value.key]), Undefined(_SPENT)
    return content


def next_of(call: Call) -> Value | None:
    """Return `next(iterator)`, or with a default if the length is known; else None."""
    items, *default = [*call.args, None][:3]
    content = call.tracer.frame[items.key] if isinstance(items, Reference) else None
    if sort_of(content) is not Iterator or (len(call.args) > 1 and isinstance(content, Resizable)):
        return None
    if content == () and len(call.args) > 1:
        return default[0]
    return change(call.of(next), items, "popleft")


def deep(tracer: Tracer, node: ast.expr, value: Value, env: Env) -> Value:
    """Return `read` of a value, with items in place of all references."""
    return tracer.read(node, tracer.dereference(once(value, env), env), env)


def each(tracer: Tracer, node: ast.expr, value: Value, env: Env) -> Value:
    """Return `read` of an iterable; items that are lists stay parts of it, and change with it."""
    tracer.frame = env
    if tracer.written(value, "__iter__"):
        value = tracer.special(Call(tracer, node, tracer.graph.const(True)), "__iter__", value)
    content = tracer.read(node, value, env)
    if isinstance(content, Pairs):
        return dicts.column(content, 0)
    return _rows(tracer.graph, value, content) if isinstance(content, Array) else content


def taken(tracer: Tracer, value: Value, env: Env, *, alone: bool = False) -> Value:
    """Return a value to store in a list: a view of another list as a copy that must not change."""
    if not isinstance(value, View) or isinstance(env[value.owner.key], Array):
        return value
    entry = placed(copied(tracer.dereference(value, env), back=True), env)
    if isinstance(entry, Reference) and not alone:
        others = keys_in((entry, env[value.owner.key]), env)
        freeze(env, others)
    return entry


def changes_in_place(tracer: Tracer, value: Value, env: Env) -> bool:
    """Return whether `name op= ...` changes a value that other names refer to, too."""
    known = isinstance(value, (*REFERS, ConstantArray))
    return known and isinstance(tracer.dereference(value, env), (List, Array, Resizable))


def view(call: Call, value: Value, step: arrays.Step) -> Value:
    """Return an array arranged by a function of NumPy: a view, where NumPy makes no copy."""
    env = call.tracer.frame
    if isinstance(value, REFERS):
        view = View.of(value, step, ITEM)
        if arrays.keeps(env[view.owner.key], view.steps):
            return view
    return arrays.arranged(arrays.array_of(call, call.tracer.dereference(value, env)), step)


def _rows(graph: Graph, owner: Value, content: Value) -> Value:
    """Return the items of a list or an array, with views in place of items that may change."""
    if not isinstance(content, tuple) or not isinstance(owner, REFERS):
        return content
    view = lambda k, item: item if is_fixed(item) else View.of(owner, (graph.const(k),), ITEM)
    make = tuple if isinstance(content, Array) else type(content)
    return make(itertools.starmap(view, enumerate(content)))


def _holds(value: Value) -> bool:
    return type(value) is tuple or isinstance(value, (List, Record))


_CHANGED = "a list or an array that is not made here would be changed"
_COPY = "change a copy, e.g. list(values) or values.copy()"


def changeable(tracer: Tracer, node: ast.AST, owner: Value, env: Env) -> Reference:
    """Return the list or array that a statement changes; refuse one that must not change."""
    if isinstance(owner, Node):
        tracer.refuse(node, "an item of a number is assigned", "leave the last index out")
    if not isinstance(owner, Reference) or owner.key in env.get(FROZEN, ()):
        tracer.refuse(node, _CHANGED, _COPY)
    return owner


def put(call: Call, owner: Value, steps: tuple[Any, ...], value: Value, env: Env) -> None:
    """Store a value at the end of `steps` in a list or an array by changing `env`."""
    if isinstance(owner, View):
        owner, steps = owner.owner, (*owner.steps, *steps)
    root = changeable(call.tracer, call.node, owner, env)
    content, tracer = env[root.key], call.tracer
    if isinstance(content, Array):
        value = tracer.dereference(value, env)
    elif steps and isinstance(value := placed(tracer.taken(value, env), env), (tuple, Reference)):
        _forget(root.key, env)
    env[root.key] = _Store(call, env).through(content, steps, value)


class _Store:
    """One store to an item, which returns the new contents. A nested list is changed itself."""

    def __init__(self, call: Call, env: Env) -> None:
        self.call, self.env = call, env
        self.tracer, self.graph = call.tracer, call.graph

    def through(self, old: Value, steps: tuple[Any, ...], value: Value) -> Value:
        """Return `old` with a value stored at the end of `steps`. After a slice, or a step that
        arranges numbers, the value goes into that part first."""
        part = lambda count: stepped(
            self.tracer, self.call.node, self.tracer.dereference(old, self.env), steps[:count]
        )
        for k, step in enumerate(steps, 1):
            sliced = not callable(step) and any(isinstance(place, slice) for place in step)
            if callable(step) or (sliced and k < len(steps)):
                value = self.through(part(k), steps[k:], value) if steps[k:] else value
                if callable(step):
                    k -= 1
                    value = arrays.arranged(part(k), step, value)
                return self.through(old, steps[:k], value) if k else value
        places = [place for step in steps for place in step]
        return self.at(old, places, value, self.graph.const(True))

    def at(self, old: Value, places: Sequence[Any], value: Value, cond: Node) -> Value:
        """Return `old` with a value stored at `places` where a condition holds."""
        if not places:
            if cond.op != "const" and any(isinstance(v, Reference) for v in (old, value)):
                return self.moved(old, value, cond)
            return self.stored(old, value, cond)
        call, env, graph = self.call, self.env, self.graph
        if isinstance(old, Reference):
            root = changeable(self.tracer, call.node, old, env)
            env[root.key] = self.at(env[root.key], places, value, cond)
            return old
        if isinstance(old, Resizable):
            return resizable.stored(call, old, places, value)
        if not isinstance(old, tuple):
            call.refuse("there are more indices than dimensions", "leave the last ones out")
        place, *rest = places
        items: list[Value] = list(cast("tuple[Value, ...]", old))
        if isinstance(place, slice):
            return self.spliced(cast("Array", old), place, rest, value, cond)
        if place.op == "const":
            if not -len(items) <= place.data < len(items):
                call.refuse("assignment index out of range", "use an index within the list")
            items[place.data] = self.item(old, items[place.data], rest, value, cond)
            return type(old)(items)
        if len(items) > MAX_ITEMS:
            what = f"an index that depends on values changes one of {len(items)} items"
            call.refuse(what, f"use a list of at most {MAX_ITEMS} items")
        index, inside = within(graph, place, len(items), call.path)
        words = f"list assignment index out of range, there are {len(items)} items"
        missing = graph.logical_and(cond, graph.logical_not(inside))
        self.tracer.raises_lookup(call.node, IndexError, words, missing)
        for k, item in enumerate(items):
            here = graph.logical_and(inside, graph.compare("eq", index, graph.const(k)))
            items[k] = self.item(old, item, rest, value, graph.logical_and(cond, here))
        return type(old)(items)

    def item(
        self, owner: Value, item: Value, rest: Sequence[Any], value: Value, cond: Node
    ) -> Value:
        """Return a new item; an array's item is broadcast and cast to its shape and dtype."""
        if not rest and isinstance(owner, Array):
            as_kind = lambda old, new: self.tracer.as_kind(new, old.kind)
            value = spread(self.call, as_kind, item, value)
        return self.at(item, rest, value, cond)

    def spliced(
        self, old: Array, place: slice, rest: Sequence[Any], value: Value, cond: Node
    ) -> Value:
        """Return `old` after `a[i:j] = value`; a list may change its length."""
        items, numbers, call = list(old), range(len(old))[place], self.call
        if type(old) is List:
            value = self.tracer.each(call.node, value, self.env)
            if not isinstance(value, tuple):
                call.refuse("this assigns no list to a slice", "assign a list of known length")
            if (place.step or 1) != 1 and len(value) != len(numbers):
                what = f"{len(value)} items are assigned to the {len(numbers)} of a slice"
                call.refuse(what, "assign as many")
            items[place] = cast("tuple[Value, ...]", value)
            return List(placed(item, self.env) for item in items)
        several = isinstance(value, tuple) and depth(value) >= depth(old) - sum(
            isinstance(p, Node) for p in rest
        )
        if several and len(value) not in (1, len(numbers)):
            call.refuse(f"{len(value)} numbers are assigned to {len(numbers)}", "assign as many")
        for k, number in enumerate(numbers):
            part = value[k if len(value) > 1 else 0] if several else value
            items[number] = self.item(old, items[number], rest, part, cond)
        return type(old)(items)

    def moved(self, old: Value, value: Value, cond: Node) -> Value:
        """Return the list that is an item after a conditional store; unset names for it."""
        env, keys = self.env, {v.key for v in (old, value) if isinstance(v, Reference)}
        names = [name for name, v in env.items() if not keys.isdisjoint(keys_in(v))]
        kept = [key for n in names if n.startswith(HEAP) for key in keys_in(env[n])]
        twice = any(kept.count(key) > (v is old) for v in (old, value) for key in keys_in(v))
        if not keys.isdisjoint(env.get(OUTER, ())) or twice:
            what = "an index that depends on values moves a list which others hold, too"
            self.call.refuse(what, _COPY)
        for name in (n for n in names if not n.startswith(HEAP)):
            env[name] = Undefined("means a list that an index which depends on values has moved")
        value, old = (copied(self.tracer.dereference(v, env), back=True) for v in (value, old))
        return placed(self.stored(old, value, cond), env)

    def stored(self, old: Value, value: Value, cond: Node) -> Value:
        """Return the new value of an item where a condition holds, else the old one."""
        value = join_value(self.graph, cond, value, old) if cond.op != "const" else value
        return self.tracer.joined(self.call.node, value, "assign a value like the one before")


def _forget(key: str, env: Env) -> None:
    """Unset the names that are views of items of a list whose items have changed."""
    for name in [n for n, v in env.items() if isinstance(v, View) and v.owner.key == key]:
        env[name] = Undefined("means an item of a list whose items have changed since")


# methods ------------------------------------------------------------------------------------------


def change(call: Call, owner: Value, name: str) -> Value:
    """Return the value of a method that changes a list."""
    tracer, env = call.tracer, call.tracer.frame
    root = changeable(tracer, call.node, owner, env)
    content, args = env[root.key], [tracer.taken(value, env) for value in call.args]
    if name == "pop" and is_set(content):
        name = "popleft"  # any item may be popped
    _forget(root.key, env)
    if name in _OF_SETS and len(args) == 1:
        env[root.key] = _OF_SETS[name](call, content, tracer.dereference(args[0], env))
        return Static(None)
    if name == "extend":
        args = [tracer.each(call.node, a, env) for a in args]
    else:
        args = [placed(a, env) for a in args]
    if name == "extend" and any(isinstance(a, Resizable) for a in args):
        content = env[root.key] = resizable_of(call.graph, content)
    if isinstance(content, Resizable):
        return resizable.change(call, name, root.key, args, env)
    items, make = [*content], CHANGES[name]
    try:
        inspect.signature(make).bind(call, items, *args, **call.kwargs)
        result = make(call, items, *args, **call.kwargs)
    except (IndexError, TypeError) as error:
        if isinstance(error, CaptureError):
            raise
        call.refuse(f"{name}() of a list: {error}", "give what it takes")
    env[root.key] = type(content)(items)
    return Static(None) if result is None else result


def _filled(call: Call, items: list[Value], value: Value) -> None:
    items[:] = [
        spread(call, lambda old: call.tracer.as_kind(value, old.kind), item) for item in items
    ]


def _sorted(call: Call, items: list[Value], *, key: Value = None, reverse: Value = None) -> None:
    ordered = call.tracer.called(call.of(sorted, tuple(items), **call.kwargs))
    items[:] = cast("tuple[Value, ...]", call.tracer.dereference(ordered, call.tracer.frame))


def _with_item(call: Call, content: Value, item: Value) -> Value:
    """Return a sorted set with one more item, without a loop, which would compile slowly."""
    graph, owner, item = call.graph, resizable_of(call.graph, content), resizable.frozen(item)
    resizable.require_one_form(call, (*owner.items, item))
    if not owner.items:
        return Set((item,))
    used = [graph.compare("lt", graph.const(k), owner.length) for k in range(len(owner.items))]
    same, below = (_count(call, op, owner.items, used, item) for op in (ast.Eq(), ast.Lt()))
    new = graph.compare("eq", same, graph.const(0))
    return resizable.insert(call, owner, below, item, where=new)


def _count(
    call: Call, op: ast.cmpop, items: Sequence[Value], used: list[Node], item: Value
) -> Node:
    """Return the number of used items for which `item op other` holds."""
    graph = call.graph
    tests = (compare(call, op, each, item) for each in items)
    counts = (graph.cast(graph.logical_and(*row), "i") for row in zip(used, tests, strict=True))
    return functools.reduce(functools.partial(graph.arithmetic, "add"), counts)


def _as_python(name: str) -> Callable[..., Value]:
    return lambda call, items, *args: getattr(items, name)(*args)


def _at_place(name: str) -> Callable[..., Value]:
    """Return the function that pops or inserts at a place, which may depend on values."""

    def changed(call: Call, items: list[Value], place: Value = None, *item: Value) -> Value:
        if place is None or getattr(place, "op", "const") == "const":
            at = () if place is None else (whole(call, place, "the place"),)
            return getattr(items, name)(*at, *item)
        owner = resizable_of(call.graph, List(items))
        owner, value = resizable.CHANGES[name](call, owner, place, *item)
        items[:] = owner.items[:-1] if name == "pop" else owner.items
        return value

    return changed


_popped = _at_place("pop")


def _rotated(call: Call, items: list[Value], count: Value = None) -> None:
    first = -(1 if count is None else whole(call, count, "the count")) % max(len(items), 1)
    items[:] = [*items[first:], *items[:first]]


_OF_SETS = {
    "add": _with_item,
    "update": lambda call, items, more: call.text(list_texts.union, items, more),
    "discard": lambda call, items, x: as_set(call.text(list_texts.difference, items, (x,))),
}
CHANGES: dict[str, Callable[..., Value]] = {
    **{name: _as_python(name) for name in ("append", "extend", "reverse", "clear")},
    **dict.fromkeys(_OF_SETS, lambda call, items, item: None),
    "insert": _at_place("insert"),
    "popleft": lambda call, items: items.pop(0),
    "appendleft": lambda call, items, item: items.insert(0, item),
    "pop": _popped,
    "remove": lambda call, a, x: _popped(call, a, call.text(list_texts.place_of, tuple(a), x)),
    "rotate": _rotated,
    "sort": _sorted,
    "fill": _filled,
}
