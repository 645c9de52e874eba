"""Lists and arrays that a function makes and changes.

A name refers to a list by a key of the environment, under which its items are: so two names may
mean one list, as in Python, while what it holds at a point of the text is a tuple of nodes that
branches join and loops carry like any other variable.
"""

from __future__ import annotations

import ast
import functools
import inspect
import itertools
from collections.abc import Callable, Sequence
from typing import Any, cast

from nbgraph.errors import CaptureError
from nbgraph.kernels.capture import arrays, resizable, vectors
from nbgraph.kernels.capture.arrays import MAX_SIZE, depth, in_order, matmul, spread, whole
from nbgraph.kernels.capture.builtins import BINARY
from nbgraph.kernels.capture.containers import Containers
from nbgraph.kernels.capture.context import Call, Method
from nbgraph.kernels.capture.environment import FROZEN, HELD, OUTER, freeze, keys_in, placed
from nbgraph.kernels.capture.joining import join_value
from nbgraph.kernels.capture.lookups import MAX_ITEMS, within
from nbgraph.kernels.capture.records import Record
from nbgraph.kernels.capture.values import (
    REFERS,
    Array,
    ConstantArray,
    Env,
    List,
    Mapping,
    Reference,
    Resizable,
    Static,
    Undefined,
    Unknown,
    Value,
    View,
    copied,
    described,
    mapping,
)
from nbgraph.kernels.kinds import is_boolean
from nbgraph.kernels.scalar import Graph, Node

_CHANGED = "a list or an array that is not made here would be changed"
_COPY = "change a copy, e.g. list(values) or values.copy()"


class Lists(Containers):
    """Mixed into Expressions."""

    # reading ----------------------------------------------------------------------------------

    def held(self, value: Value, env: Env) -> Value:
        """A value with what lists and arrays hold now in place of references to them."""
        if isinstance(value, Reference):
            return copied(self.held(env[value.key], env))
        if isinstance(value, View):
            return self._stepped(value.node, self.held(value.owner, env), value.steps)
        if _holds(value) and any(map(_refers, value)):
            return type(value)(self.held(item, env) for item in value)
        return value

    def _stepped(self, node: ast.Subscript, part: Value, steps: Sequence[Any]) -> Value:
        """The part of a value that steps lead to, one after another."""
        for step in steps:
            whole = arrays.arranged if callable(step) else functools.partial(self.entries, node)
            part = whole(part, step)
        return part

    def read(self, node: ast.expr, value: Value, env: Env) -> Value:
        """A value that is used: what a list or an array holds, refused where that is not known.
        Items that are lists in turn stay references."""
        if isinstance(value, Reference):
            value = copied(env[value.key])
        elif isinstance(value, View):
            part = self.held(value, env)
            value = part if isinstance(part, Array) else _rows(self.graph, value, part)
        value = mapping(value)
        if isinstance(value, Undefined) and not isinstance(value, Unknown):
            what = f"{ast.unparse(node)!r} {value.why}"
            self.refuse(node, what, "give it a value, of one length, on every path")
        return value

    def changes_in_place(self, value: Value, env: Env) -> bool:
        """Whether `name op= ...` of a name for a value changes what other names mean, too."""
        known = isinstance(value, (*REFERS, ConstantArray))
        return known and isinstance(self.held(value, env), (List, Array, Resizable))

    def deep(self, node: ast.expr, value: Value, env: Env) -> Value:
        """`read`, with what they hold in place of all references."""
        return self.read(node, self.held(value, env), env)

    def each(self, node: ast.expr, value: Value, env: Env) -> Value:
        """`read` of what is gone through: a change of an item is one of what it is part of."""
        content = self.read(node, value, env)
        return _rows(self.graph, value, content) if isinstance(content, Array) else content

    def part(self, node: ast.Subscript, owner: Reference | View, env: Env, path: Node) -> Value:
        """`owner[...]`: a number, the list that is an item, or part of an array."""
        content = self.read(node.value, owner, env)
        if isinstance(content, Mapping):
            return self.at_key(node, content, self.expression(node.slice, env, path))
        places = self.places(node, self.held(owner, env), env, path)
        first = places[0]
        if type(content) is List and isinstance(first, Node):
            if first.op == "const" and -len(content) <= first.data < len(content):
                return content[first.data]
        value = self.entries(node, self.held(owner, env), places, path)
        if type(value) is List and isinstance(first, slice):
            return self.entries(node, content, places, path)
        return View.of(owner, tuple(places), node) if isinstance(value, tuple) else value

    def view(self, call: Call, value: Value, step: arrays.Step, env: Env) -> Value:
        """What a function of NumPy makes of an array without a copy of its numbers."""
        if isinstance(value, REFERS):
            view = View.of(value, step, ITEM)
            if arrays.keeps(env[view.owner.key], view.steps):
                return view
        return arrays.arranged(arrays.array_of(call, self.held(value, env)), step)

    def of_sequences(self, node: ast.BinOp, a: Value, b: Value, env: Env, path: Node) -> Value:
        """An operator of arrays; `+` and `*` of lists and tuples."""
        call = Call(self, node, path)
        if not all(type(v) in (tuple, List, Node) for v in (a, b)):
            a, b = self.deep(node.left, a, env), self.deep(node.right, b, env)
        if isinstance(node.op, ast.MatMult):
            return matmul(call, a, b)
        name = BINARY[type(node.op)]
        if isinstance(a, Array) or isinstance(b, Array):
            return spread(call, lambda x, y: self.binary(name, x, y, path), a, b)
        if isinstance(node.op, ast.Add) and type(a) is type(b) and type(a) is not Resizable:
            return type(a)((*a, *b))
        if isinstance(node.op, ast.Add) and all(isinstance(v, (List, Resizable)) for v in (a, b)):
            return resizable.joined(call, a, b)
        items, count = (a, b) if isinstance(a, tuple) else (b, a)
        if isinstance(node.op, ast.Mult) and not isinstance(count, tuple):
            if type(items) is List and isinstance(count, Node) and count.op != "const":
                return resizable.repeated(call, items, count)
            times = whole(call, count, "how often a list is repeated")
            if times * len(items) > MAX_SIZE:
                call.refuse(f"a list of more than {MAX_SIZE} items is made", "use fewer items")
            return type(items)([placed(item, env) for item in items] * times)
        if isinstance(a, Resizable) or isinstance(b, Resizable):
            sized = described(a if isinstance(a, Resizable) else b)
            call.refuse(f"this operator of {sized} is not understood", "write a loop")
        call.refuse("this operator of tuples is not understood", "use NumPy arrays, or numbers")

    # changing ---------------------------------------------------------------------------------

    def changeable(self, node: ast.AST, owner: Value, env: Env) -> Reference:
        """The list or array that a statement changes."""
        if isinstance(owner, Node):
            self.refuse(node, "an item of a number is assigned", "leave the last index out")
        if not isinstance(owner, Reference) or owner.key in env.get(FROZEN, ()):
            self.refuse(node, _CHANGED, _COPY)
        return owner

    def store(self, node: ast.Subscript, value: Value, env: Env, path: Node) -> None:
        """`owner[...] = value`, in place of the environment."""
        owner = self.object(node.value, env, path)
        if isinstance(mapping(self.held(owner, env)), Mapping):
            self.store_key(node, owner, value, env, path)
            return
        places = self.places(node, self.held(owner, env), env, path)
        self.put(Call(self, node, path), owner, (places,), value, env)

    def put(self, call: Call, owner: Value, steps: tuple[Any, ...], value: Value, env: Env) -> None:
        """Store a value where steps lead to in a list or an array, in place of the environment."""
        if isinstance(owner, View):
            owner, steps = owner.owner, (*owner.steps, *steps)
        root = self.changeable(call.node, owner, env)
        content = env[root.key]
        if isinstance(content, Array):
            value = self.held(value, env)
        elif steps and isinstance(value := placed(self.taken(value, env), env), (tuple, Reference)):
            self._forget(root.key, env)
        env[root.key] = self._through(call, content, steps, value, env)

    def _through(
        self, call: Call, old: Value, steps: tuple[Any, ...], value: Value, env: Env
    ) -> Value:
        """What a list or an array holds once a value was stored where steps lead to: what comes
        after a slice, or after an array's numbers were arranged, is a change of that part."""
        for k, step in enumerate(steps, 1):
            sliced = not callable(step) and any(isinstance(place, slice) for place in step)
            if callable(step) or (sliced and k < len(steps)):
                part = self._stepped(call.node, self.held(old, env), steps[:k])
                value = self._through(call, part, steps[k:], value, env) if steps[k:] else value
                if callable(step):
                    k, before = k - 1, self._stepped(call.node, self.held(old, env), steps[: k - 1])
                    value = arrays.arranged(before, step, value)
                return self._through(call, old, steps[:k], value, env) if k else value
        places = [place for step in steps for place in step]
        return self._changed(call, old, places, value, env, self.graph.const(True))

    def _changed(
        self, call: Call, old: Value, places: Sequence[Any], value: Value, env: Env, cond: Node
    ) -> Value:
        """What a list holds once `value` was stored at `places` where a condition holds."""
        if not places:
            if cond.op != "const" and any(isinstance(v, Reference) for v in (old, value)):
                return self._moved(call, old, value, env, cond)
            return self._stored(call, old, value, cond)
        if isinstance(old, Reference):
            root = self.changeable(call.node, old, env)
            env[root.key] = self._changed(call, env[root.key], places, value, env, cond)
            return old
        if isinstance(old, Resizable):
            return resizable.stored(call, old, places, value)
        if not isinstance(old, tuple):
            call.refuse("there are more indices than dimensions", "leave the last ones out")
        place, *rest = places
        items: list[Value] = list(cast("tuple[Value, ...]", old))
        graph = self.graph
        if isinstance(place, slice):
            return self._spliced(call, cast("Array", old), place, rest, value, env, cond)
        if place.op == "const":
            if not -len(items) <= place.data < len(items):
                call.refuse("assignment index out of range", "use an index within the list")
            item = items[place.data]
            value = value if rest else self._fitting(call, old, item, value)
            items[place.data] = self._changed(call, item, rest, value, env, cond)
        else:
            if len(items) > MAX_ITEMS:
                what = f"an index that depends on values changes one of {len(items)} items"
                call.refuse(what, f"use a list of at most {MAX_ITEMS} items")
            index, inside = within(graph, place, len(items), call.path)
            words = f"list assignment index out of range, there are {len(items)} items"
            missing = graph.logical_and(cond, graph.logical_not(inside))
            self.raises_lookup(call.node, IndexError, words, missing)
            for k, item in enumerate(items):
                here = graph.logical_and(inside, graph.compare("eq", index, graph.const(k)))
                here = graph.logical_and(cond, here)
                fitting = value if rest else self._fitting(call, old, item, value)
                items[k] = self._changed(call, item, rest, fitting, env, here)
        return type(old)(items)

    def _spliced(
        self,
        call: Call,
        old: Array,
        place: slice,
        rest: Sequence[Any],
        value: Value,
        env: Env,
        cond: Node,
    ) -> Value:
        """`a[i:j] = value`: a list takes as many items as there are, an array one for each."""
        items, numbers = list(old), range(len(old))[place]
        if type(old) is List:
            value = self.each(call.node, value, env)
            if not isinstance(value, tuple) or (place.step or 1) != 1:
                remedy = "assign a list of known length, and leave out the step"
                call.refuse("this assigns no list to a slice", remedy)
            items[place] = cast("tuple[Value, ...]", value)
            return List(placed(item, env) for item in items)
        several = isinstance(value, tuple) and depth(value) >= depth(old) - sum(
            isinstance(p, Node) for p in rest
        )
        if several and len(value) not in (1, len(numbers)):
            call.refuse(f"{len(value)} numbers are assigned to {len(numbers)}", "assign as many")
        for k, number in enumerate(numbers):
            part = value[k if len(value) > 1 else 0] if several else value
            part = part if rest else self._fitting(call, old, items[number], part)
            items[number] = self._changed(call, items[number], rest, part, env, cond)
        return type(old)(items)

    def taken(self, value: Value, env: Env, *, alone: bool = False) -> Value:
        """What a list keeps of part of another one: a copy, where neither may change then."""
        if not isinstance(value, View) or isinstance(env[value.owner.key], Array):
            return value
        entry = placed(copied(self.held(value, env), back=True), env)
        if isinstance(entry, Reference) and not alone:
            others = keys_in((entry, env[value.owner.key]), env)
            freeze(env, others)
        return entry

    def _forget(self, key: str, env: Env) -> None:
        """Names that mean the item at an index of a list, which has other items now."""
        for name in [n for n, v in env.items() if isinstance(v, View) and v.owner.key == key]:
            env[name] = Undefined("means an item of a list whose items have changed since")

    def _moved(self, call: Call, old: Value, value: Value, env: Env, cond: Node) -> Value:
        """A list as an item where a condition holds; what else means it may not change."""
        keys = {v.key for v in (old, value) if isinstance(v, Reference)}
        names = [name for name, v in env.items() if not keys.isdisjoint(keys_in(v))]
        kept = [key for n in names if n.startswith(HELD) for key in keys_in(env[n])]
        twice = any(kept.count(key) > (v is old) for v in (old, value) for key in keys_in(v))
        if not keys.isdisjoint(env.get(OUTER, ())) or twice:
            what = "an index that depends on values moves a list which others hold, too"
            call.refuse(what, _COPY)
        for name in (n for n in names if not n.startswith(HELD)):
            env[name] = Undefined("means a list that an index which depends on values has moved")
        value, old = (copied(self.held(v, env), back=True) for v in (value, old))
        return placed(self._stored(call, old, value, cond), env)

    def _stored(self, call: Call, old: Value, value: Value, cond: Node) -> Value:
        """A new item: of an array as its numbers are, of a list whatever it is."""
        value = join_value(self.graph, cond, value, old) if cond.op != "const" else value
        return self.joined(call.node, value, "assign a value like the one before")

    def as_kind(self, value: Value, kind: str) -> Value:
        """A number as an array whose entries are of a kind holds it."""
        if isinstance(value, Node) and value.kind == "f" and kind != "f" and not is_boolean(kind):
            value = self.graph.call("trunc", value)
        return self.graph.cast(value, kind) if isinstance(value, Node) else value

    def _fitting(self, call: Call, owner: Value, item: Value, value: Value) -> Value:
        """What is stored in an array has its dtype and, broadcast, its shape."""
        if not isinstance(owner, Array):
            return value
        return spread(call, lambda old, new: self.as_kind(new, old.kind), item, value)

    # methods ----------------------------------------------------------------------------------

    def change(self, call: Call, method: Method, args: Sequence[Value], env: Env) -> Value:
        """A method of a list that changes it."""
        root = self.changeable(call.node, method.owner, env)
        content, args = env[root.key], [self.taken(value, env) for value in args]
        self._forget(root.key, env)
        if method.name == "add" and len(args) == 1:
            env[root.key] = call.text(vectors.with_item, content, self.held(args[0], env))
            return Static(None)
        if isinstance(content, Resizable):
            return resizable.change(call, method.name, root.key, args, env)
        items = [*content]
        if method.name == "extend":
            args = [self.each(call.node, a, env) for a in args]
        else:
            args = [placed(a, env) for a in args]
        make = CHANGES[method.name]
        try:
            inspect.signature(make).bind(call, items, *args)
            result = make(call, items, *args)
        except (IndexError, TypeError) as error:
            if isinstance(error, CaptureError):
                raise
            call.refuse(f"{method.name}() of a list: {error}", "give what it takes")
        env[root.key] = type(content)(items)
        return Static(None) if result is None else result


def _filled(call: Call, items: list[Value], value: Value) -> None:
    items[:] = [
        spread(call, lambda old: call.tracer.as_kind(value, old.kind), item) for item in items
    ]


def _sorted(call: Call, items: list[Value]) -> None:
    items[:] = in_order(call, items)


CHANGES: dict[str, Callable[..., Value]] = {
    "append": lambda call, items, item: items.append(item),
    "add": lambda call, items, item: None,  # of a set
    "extend": lambda call, items, more: items.extend(more),
    "insert": lambda call, items, place, item: items.insert(whole(call, place, "the place"), item),
    "popleft": lambda call, items: items.pop(0),
    "appendleft": lambda call, items, item: items.insert(0, item),
    "pop": lambda call, items, *place: items.pop(*(whole(call, p, "the place") for p in place)),
    "reverse": lambda call, items: items.reverse(),
    "clear": lambda call, items: items.clear(),
    "sort": _sorted,
    "fill": _filled,
}


def _rows(graph: Graph, owner: Value, content: Value) -> Value:
    """What a list or an array holds, with its rows as parts of it."""
    if not isinstance(content, tuple) or not isinstance(owner, REFERS):
        return content
    view = lambda k, item: item if _is_fixed(item) else View.of(owner, (graph.const(k),), ITEM)
    make = tuple if isinstance(content, Array) else type(content)
    return make(itertools.starmap(view, enumerate(content)))


def _is_fixed(value: Value) -> bool:
    """Whether nothing can change a value: it is a number, or a tuple of such."""
    if isinstance(value, (List, Array)) or (isinstance(value, Record) and value.shared):
        return False
    return not isinstance(value, tuple) or all(map(_is_fixed, value))


ITEM: Any = ast.parse("items[0]", mode="eval").body  # what part of a list is, for messages


def _refers(value: Value) -> bool:
    return isinstance(value, REFERS) or _holds(value)


def _holds(value: Value) -> bool:
    return type(value) in (tuple, List) or isinstance(value, Record)
