"""Values and environments of two paths where these meet: selects take the place of phis."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from nbgraph.kernels.capture.containers import (
    REFERS,
    Array,
    Iterator,
    List,
    Mapping,
    Pairs,
    Record,
    Reference,
    Resizable,
    Set,
    View,
    mapping,
    own_type,
)
from nbgraph.kernels.capture.digits import Digits, as_digits
from nbgraph.kernels.capture.environment import (
    FROZEN,
    HEAP,
    OUTER,
    RETURNED,
    flag,
    is_flag,
    is_true,
    keys_in,
    reference,
)
from nbgraph.kernels.capture.values import (
    Choice,
    Complex,
    Compound,
    Env,
    Optional,
    Partly,
    Static,
    Undefined,
    Unset,
    Value,
    flatten,
    form,
    is_none,
    is_optional,
)
from nbgraph.kernels.scalar.graph import Graph, Node
from nbgraph.kernels.scalar.nodes import RESULT


def join_value(
    graph: Graph, cond: Node, a: Value, b: Value, lists: ListJoin | None = None
) -> Value:
    """Return `a` where `cond` holds, else `b`; Undefined where their forms differ."""
    if isinstance(a, (Undefined, Partly)) or isinstance(b, (Undefined, Partly)):
        return _join_maybe(graph, cond, a, b, Partly)
    if a is b or cond.op == "const":
        return a if cond.data or a is b else b
    if lists is not None and (isinstance(a, REFERS) or isinstance(b, REFERS)):
        return lists.join(a, b)
    tuples = isinstance(a, tuple) and isinstance(b, tuple)
    if tuples and len(a) == len(b) and own_type(a) is own_type(b):
        items = (join_value(graph, cond, x, y, lists) for x, y in zip(a, b, strict=True))
        read = next((v for v in (a, b) if isinstance(v, Record) and v.copied), None)
        return (own_type(a) if read is None else type(read))(items)
    if Pairs in (type(a), type(b)) or (isinstance(a, Record) and isinstance(b, Record)):
        a, b = as_pairs(graph, a) or a, as_pairs(graph, b) or b
    if type(a) in _SEQUENCES and type(b) in _SEQUENCES:
        longer = _join_lists(graph, cond, a, b)
        if longer is not None:
            return longer
    if isinstance(a, Node) and isinstance(b, Node):
        try:
            return graph.select(cond, a, b)
        except (TypeError, OverflowError) as error:
            return Undefined(f"cannot be used here: {error}")
    if isinstance(a, (Node, Complex)) and isinstance(b, (Node, Complex)):
        a, b = Complex.of(graph, a), Complex.of(graph, b)
    if isinstance(a, Compound) and isinstance(b, Compound) and a.joins and a.form == b.form:
        parts = zip(a.parts, b.parts, strict=True)
        return a.of_parts([join_value(graph, cond, x, y) for x, y in parts])
    if isinstance(a, Static) and isinstance(b, Static) and _same(a.value, b.value):
        return a
    if is_optional(a) or is_optional(b):
        return _join_maybe(graph, cond, a, b, Optional)
    if isinstance(a, (Static, Choice)) and isinstance(b, (Static, Choice)):
        return join_choices(graph, cond, a, b)
    return _join_digits(graph, cond, a, b) or _different(a, b)


_SEQUENCES = (tuple, List, Set, Iterator, Resizable, Pairs)


def _join_digits(graph: Graph, cond: Node, a: Value, b: Value) -> Digits | None:
    """Return the select of two strings of digits whose sizes are known, else None."""
    base = next((value.base for value in (a, b) if isinstance(value, Digits)), 10)
    texts = [d for v in (a, b) if (d := as_digits(graph, v, base)) and d.size is not None]
    if len(texts) < 2 or texts[0].base != texts[1].base:
        return None
    sizes: Any = (graph.const(d.size) if isinstance(d.size, int) else d.size for d in texts)
    number = graph.select(cond, *(d.number for d in texts))
    return replace(texts[0], number=number, size=graph.select(cond, *sizes))


def _different(a: Value, b: Value) -> Undefined:
    """Return the Undefined value that says how the forms of two values differ."""
    if isinstance(a, Record) and isinstance(b, Record):
        return Undefined("has other attributes or keys on one of the paths that reach this line")
    if isinstance(a, tuple) and isinstance(b, tuple):
        return Undefined(
            f"has {len(a)} items on one of the paths that reach this line, {len(b)} on another"
        )
    return Undefined("has values of different types on the paths that reach this line")


def join_choices(graph: Graph, cond: Node, *values: Static | Choice) -> Choice:
    """Return a select of objects; those of the first value keep their indices."""
    a, b = (v if isinstance(v, Choice) else Choice(graph.const(0), (v,)) for v in values)
    options = [*a.options]
    for option in b.options:
        if not any(_same(option.value, known.value) for known in a.options):
            options.append(option)

    def place_of(option: Static, _: Node) -> Node:
        places = (k for k, known in enumerate(options) if _same(option.value, known.value))
        return graph.const(next(places))

    return Choice(graph.select(cond, a.index, chosen(graph, b, place_of)), tuple(options))


def chosen(graph: Graph, choice: Choice, apply: Callable[[Static, Node], Value]) -> Value:
    """Return the select of `apply(object, condition)` over the objects of a choice."""
    result: Value = Unset()
    for place, option in enumerate(choice.options):
        here = graph.compare("eq", choice.index, graph.const(place))
        value = apply(option, here)
        result = value if not place else join_value(graph, here, value, result)
    return result


def as_pairs(graph: Graph, value: Value) -> Pairs | None:
    """Return a dict as Pairs, whose keys may depend on values; None for other values, and for keys
    or values that are not numbers."""
    if isinstance(value, Pairs) or not isinstance(value := mapping(value), Mapping):
        return value if isinstance(value, Pairs) else None
    keys = [graph.const(k) if isinstance(k, (int, float)) else Static(k) for k in value.entries]
    names = [as_digits(graph, key) or key for key in keys]
    items = tuple(zip(names, value.entries.values(), strict=True))
    if None in map(flatten, items) or len({*map(form, items)}) > 1:
        return None
    return Pairs(graph.const(len(items)), items)


def resizable(graph: Graph, value: tuple[Value, ...] | Resizable) -> Resizable:
    """Return a list as one whose length depends on values."""
    if isinstance(value, Resizable):
        return value
    sort = type(value) if isinstance(value, List) else List
    return Resizable(graph.const(len(value)), tuple(value), sort=sort)


def _join_lists(graph: Graph, cond: Node, a: Any, b: Any) -> Resizable | None:
    """Return the select of two lists of different lengths; None if items differ in form."""
    if isinstance(a, Pairs) is not isinstance(b, Pairs):
        return None
    a, b = resizable(graph, a), resizable(graph, b)
    if a.sort is not b.sort:
        return None
    rows = itertools.zip_longest(a.items, b.items)
    items = [y if x is None else x if y is None else join_value(graph, cond, x, y) for x, y in rows]
    if len({form(item) for item in items}) > 1 or any(flatten(item) is None for item in items):
        return None
    length = graph.select(cond, a.length, b.length)
    return replace(a, length=length, items=tuple(items), bounded=a.bounded or b.bounded)


def _same(a: Any, b: Any) -> bool:
    return a is b or (isinstance(a, str) and isinstance(b, str) and a == b)


def as_maybe(graph: Graph, value: Value, like: Optional | Partly) -> Any:
    """Return a value as one that may be None, or unset; an absent value gets that of `like`."""
    if isinstance(value, type(like)):
        return value
    absent = is_none(value) if isinstance(like, Optional) else isinstance(value, Unset)
    return type(like)(graph.const(absent), like.value if absent else value)


def _join_maybe(
    graph: Graph, cond: Node, a: Value, b: Value, form: type[Optional | Partly]
) -> Value:
    """Return `join_value` of values of which one may be None, or unset."""
    for value in (a, b):
        if isinstance(value, Undefined) and not isinstance(value, Unset):
            return value
    x, y = (as_maybe(graph, value, form(cond, None)) for value in (a, b))
    values = [side.value for side in (x, y) if side.value is not None]
    if len(values) < 2:
        value = values[0] if values else a
    else:
        value = join_value(graph, cond, *values)
    if isinstance(value, Undefined):
        return value
    absent = graph.select(cond, x.absent, y.absent)
    certain = form is Optional and absent.op == "const" and not absent.data
    return value if certain else form(absent, value)


def join(graph: Graph, cond: Node, a: Env, b: Env) -> Env:
    """Return the environment after `if cond`; names may be unset on a path that has returned."""
    a_ended, b_ended = is_true(flag(graph, a, RETURNED)), is_true(flag(graph, b, RETURNED))
    result: Env = {}
    lists = ListJoin(graph, cond, a, b, result)
    for name in a.keys() | b.keys():
        if name == FROZEN:
            continue
        if is_flag(name):
            result[name] = graph.select(cond, flag(graph, a, name), flag(graph, b, name))
            continue
        x, y = a.get(name, Unset()), b.get(name, Unset())
        if name.startswith(HEAP) and not (name in a and name in b):  # nothing else refers to it
            result[name] = a.get(name, y)
        elif isinstance(x, Undefined) and (a_ended or name == RESULT):
            result[name] = y
        elif isinstance(y, Undefined) and (b_ended or name == RESULT):
            result[name] = x
        else:
            result[name] = join_value(graph, cond, x, y, lists)
    lists.freeze()
    return result


class ListJoin:
    """Joins references of two paths: two lists become a new one with the items of either.

    Where the lists are known by other names, too, a change of the joined one would have to be a
    change of one of them, depending on the condition: nothing may change them from there on.
    """

    def __init__(self, graph: Graph, cond: Node, a: Env, b: Env, result: Env) -> None:
        self._graph, self._cond, self._sides, self._result = graph, cond, (a, b), result
        self._joined: dict[tuple[object, object], Reference] = {}

    def join(self, a: Value, b: Value) -> Value:
        """Return what a name refers to after two paths."""
        if isinstance(a, Reference) and isinstance(b, Reference) and a.key == b.key:
            return a
        if isinstance(a, View) or isinstance(b, View):
            return Undefined("is part of an array on a path that reaches this line; copy that part")
        keys = _key(a), _key(b)
        if keys not in self._joined:
            x, y = self._sides
            value = join_value(self._graph, self._cond, _entry(a, x), _entry(b, y), self)
            if not isinstance(value, (List, Array, Resizable, Record)):
                why = "has values of different types on the paths that reach this line"
                return value if isinstance(value, Undefined) else Undefined(why)
            self._joined[keys] = reference(self._result, value)
        return self._joined[keys]

    def freeze(self) -> None:
        """Mark lists that must not change, as other names may refer to them."""
        frozen = set[str]().union(*(side.get(FROZEN, ()) for side in self._sides))
        merged = {key for pair in self._joined for key in pair if isinstance(key, str)}
        values = [v for name, v in self._result.items() if name not in merged]
        seen = {*self._result.get(OUTER, ())}.union(*map(keys_in, values))
        for side in zip(*self._joined, strict=True):  # two joined lists may be one on a path
            seen |= {key for key in side if side.count(key) > 1}
        for pair, joined in self._joined.items():
            old = {key for key in pair if isinstance(key, str)}
            if old & (frozen | seen):
                frozen |= {joined.key, *old}
        if frozen:
            self._result[FROZEN] = frozenset(frozen)


def _key(value: Value) -> object:
    return value.key if isinstance(value, Reference) else value


def _entry(value: Value, env: Env) -> Value:
    return env[value.key] if isinstance(value, Reference) else value
