"""What a name can hold while a function is captured, and how two branches' values are joined."""

from __future__ import annotations

import ast
import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from nbgraph.kernels.capture.intervals import implies
from nbgraph.kernels.capture.records import Record, copy_of
from nbgraph.kernels.nodes import RESULT as RESULT
from nbgraph.kernels.scalar import Graph, Node


@dataclass(slots=True, eq=False, repr=False)
class Static:
    """A Python object that is not a number: a function, a module, a string, None."""

    value: Any


class Compound:
    """A value that is made of others, which are carried and joined like it."""

    __slots__ = ()

    form: Any = "none"  # what values have in common that may be items of a table
    joins = False  # whether two of one form are joined part by part

    @property
    def parts(self) -> tuple[Value, ...]:
        """The values that it is made of."""
        return tuple(getattr(self, name) for name in self.__slots__)

    def of_parts(self, parts: Sequence[Value]) -> Value:
        """A value like this, of other parts."""
        return type(self)(*parts)


@dataclass(slots=True, eq=False)
class Choice(Compound):
    """One of several Python objects, which a number tells."""

    index: Node
    options: tuple[Static, ...]

    @property
    def form(self) -> Any:  # type: ignore[override]
        """The objects."""
        return tuple(v if isinstance(v := o.value, str) else id(v) for o in self.options)

    @property
    def parts(self) -> tuple[Value, ...]:
        """The number."""
        return (self.index,)

    def of_parts(self, parts: Sequence[Value]) -> Value:
        """The choice by another number."""
        return Choice(parts[0], self.options) if len(self.options) > 1 else next(iter(self.options))

    def map(self, graph: Graph, apply: Callable[[Static, Node], Value]) -> Value:
        """What a function gives for the one that it is; it gets each, and where it is that."""
        result: Value = Unset()
        for place, option in enumerate(self.options):
            here = graph.compare("eq", self.index, graph.const(place))
            value = apply(option, here)
            result = value if not place else join_value(graph, here, value, result)
        return result


class Array(tuple[Any, ...]):
    """A NumPy array whose shape is known: its numbers, or the rows that are arrays in turn."""

    __slots__ = ()

    @property
    def shape(self) -> tuple[int, ...]:
        """As NumPy's; rows have one length."""
        first = self[0] if self else None
        return (len(self), *(first.shape if isinstance(first, Array) else ()))


class ConstantArray(Array):
    """An array of the module, which nothing changes here."""

    __slots__ = ()


class List(tuple[Any, ...]):
    """What a list of the function holds at one point of the text."""

    __slots__ = ()


@dataclass(frozen=True, slots=True, eq=False)
class Resizable(Compound):
    """A list whose length depends on values: the first `length` of its items, which have one form.
    `bounded`: a loop carries it, so it gets no more items."""

    length: Node
    items: tuple[Value, ...]
    bounded: bool = False

    @property
    def parts(self) -> tuple[Value, ...]:
        """The length and the items."""
        return self.length, *self.items

    def of_parts(self, parts: Sequence[Value]) -> Value:
        """A list of as many places."""
        return Resizable(parts[0], tuple(parts[1:]), self.bounded)


@dataclass(slots=True, eq=False, repr=False)
class Reference:
    """A list or an array of the function: the environment has what it holds under `key`."""

    key: str


@dataclass(slots=True, eq=False, repr=False)
class View:
    """Part of a list or an array, as it is when it is read: steps in order, each the places of a
    subscript, or how NumPy arranges the numbers of an array anew."""

    owner: Reference
    steps: tuple[Any, ...]
    node: ast.Subscript

    @classmethod
    def of(cls, owner: Reference | View, step: Any, node: ast.Subscript) -> View:
        """The part that one more step leads to."""
        if isinstance(owner, View):
            return cls(owner.owner, (*owner.steps, step), node)
        return cls(owner, (step,), node)


@dataclass(slots=True, eq=False, repr=False)
class Mapping:
    """A dict whose keys are known; its values may be numbers, tuples or Python objects."""

    entries: dict[Any, Value]


def copied(value: Value, *, back: bool = False) -> Value:
    """A value that was read, whose objects are not those that names mean; `back`: as new ones."""
    if type(value) in (tuple, List):
        return type(value)(copied(item, back=back) for item in value)
    if not isinstance(value, Record) or not value.shared or value.copied != back:
        return value
    return _sort(value)(value) if back else copy_of(value)


def mapping(value: Value) -> Value:
    """A dict of the function as it is now; any other value as it is."""
    if isinstance(value, Record) and value.cls is dict:
        return Mapping(dict(zip(value.fields, value, strict=True)))
    return value


@dataclass(slots=True, eq=False, repr=False)
class Undefined:
    """No usable value on this path; `why` completes the sentence "'y' ..."."""

    why: str = "is not defined on every path that reaches this line"


class Unknown(Undefined):
    """The value of what was refused, while the rest of the text is surveyed."""

    __slots__ = ()


class Unset(Undefined):
    """No value, as the path that was taken assigns none."""

    __slots__ = ()


@dataclass(slots=True, eq=False, repr=False)
class Partly(Compound):
    """Unset where `absent` holds, elsewhere a value."""

    absent: Node
    value: Value


@dataclass(slots=True, eq=False, repr=False)
class Optional(Compound):
    """None where `absent` holds, elsewhere a value."""

    absent: Node
    value: Value


@dataclass(slots=True, eq=False, repr=False)
class Complex(Compound):
    """A complex number: two floating nodes."""

    form, joins = "complex number", True
    real: Node
    imag: Node

    @classmethod
    def of(cls, graph: Graph, value: Value) -> Complex:
        """A number as a complex one."""
        if isinstance(value, cls):
            return value
        return cls(graph.float(value), graph.const(0.0))


Value = Any  # Node | Complex | Optional | Static | Undefined | Mapping | Reference | View | tuple
Env = dict[str, Value]

RETURNED, BROKE, CONTINUED = "$returned", "$broke", "$continued"
FLAGS = (RETURNED, BROKE, CONTINUED)
# followed by the number of a raise in `Graph.raises`: whether it ended the function, for which
# RETURNED is set, too
RAISED = "$raised"
# the same where the function has gone on: an index or a key was missing
MISSED = "$missed"


def described(value: Value) -> str:
    """Return what a user calls a value."""
    if isinstance(value, Undefined):
        return f"a value that {value.why}"
    if isinstance(value, Complex):
        return "a complex number"
    if isinstance(value, Choice):
        return " or ".join(map(described, value.options))
    if isinstance(value, Resizable):
        return "a list whose length depends on values"
    if isinstance(value, (tuple, Reference, View)):
        return "a list" if isinstance(value, List) else "a tuple or an array"
    return "a dict" if isinstance(value, Mapping) else repr(getattr(value, "value", value))


def is_flag(name: str) -> bool:
    """Whether a name of an environment says how control has left."""
    return name in FLAGS or name.startswith((RAISED, MISSED))


def without_flags(env: Env) -> Env:
    """The variables of an environment, where control has not left, and what was missed."""
    return {
        name: value for name, value in env.items() if not is_flag(name) or name.startswith(MISSED)
    }


def raises_of(env: Env) -> dict[str, Node]:
    """The flags of an environment for exceptions, those first that may be gone on behind."""
    missed = {name: value for name, value in env.items() if name.startswith(MISSED)}
    return missed | {name: value for name, value in env.items() if name.startswith(RAISED)}


def flag(graph: Graph, env: Env, name: str) -> Node:
    """Whether control has left by return, break or continue: a truth value."""
    return env.get(name) or graph.const(False)


def stopped(graph: Graph, env: Env, names: tuple[str, ...] = FLAGS) -> Node:
    """Whether the rest of the block is skipped."""
    result = graph.const(False)
    for name in names:
        result = graph.logical_or(result, flag(graph, env, name))
    return result


def is_true(node: Node) -> bool:
    """Certainly true."""
    return node.op == "const" and bool(node.data)


def join_value(
    graph: Graph, cond: Node, a: Value, b: Value, lists: ListJoin | None = None
) -> Value:
    """`a` where cond holds, else `b`; Undefined where the two do not fit together."""
    if isinstance(a, (Undefined, Partly)) or isinstance(b, (Undefined, Partly)):
        return _join_maybe(graph, cond, a, b, Partly)
    if a is b or cond.op == "const":
        return a if cond.data or a is b else b
    if lists is not None and (isinstance(a, REFERS) or isinstance(b, REFERS)):
        return lists.join(a, b)
    if isinstance(a, tuple) and isinstance(b, tuple) and len(a) == len(b) and _sort(a) is _sort(b):
        items = (join_value(graph, cond, x, y, lists) for x, y in zip(a, b, strict=True))
        read = next((v for v in (a, b) if isinstance(v, Record) and v.copied), None)
        return (_sort(a) if read is None else type(read))(items)
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
    return _different(a, b)


_SEQUENCES = (tuple, List, Resizable)


def _different(a: Value, b: Value) -> Undefined:
    """What two values are that do not fit together."""
    if isinstance(a, Record) and isinstance(b, Record):
        return Undefined("has other attributes or keys on one of the paths that reach this line")
    if isinstance(a, tuple) and isinstance(b, tuple):
        return Undefined(
            f"has {len(a)} items on one of the paths that reach this line, {len(b)} on another"
        )
    return Undefined("has values of different types on the paths that reach this line")


def join_choices(graph: Graph, cond: Node, *values: Static | Choice) -> Choice:
    """The objects of the first, else those of the second; the first's keep their numbers."""
    a, b = (v if isinstance(v, Choice) else Choice(graph.const(0), (v,)) for v in values)
    options = [*a.options]
    for option in b.options:
        if not any(_same(option.value, known.value) for known in a.options):
            options.append(option)

    def place_of(option: Static, _: Node) -> Node:
        places = (k for k, known in enumerate(options) if _same(option.value, known.value))
        return graph.const(next(places))

    return Choice(graph.select(cond, a.index, b.map(graph, place_of)), tuple(options))


def resizable(graph: Graph, value: tuple[Value, ...] | Resizable) -> Resizable:
    """A list as one whose length depends on values."""
    if isinstance(value, Resizable):
        return value
    return Resizable(graph.const(len(value)), tuple(value))


def _join_lists(graph: Graph, cond: Node, a: Any, b: Any) -> Resizable | None:
    """Two lists, of which at least one has another length; None where items have several forms."""
    a, b = resizable(graph, a), resizable(graph, b)
    rows = itertools.zip_longest(a.items, b.items)
    items = [y if x is None else x if y is None else join_value(graph, cond, x, y) for x, y in rows]
    if len({form(item) for item in items}) > 1 or any(flatten(item) is None for item in items):
        return None
    length = graph.select(cond, a.length, b.length)
    return Resizable(length, tuple(items), a.bounded or b.bounded)


def form(value: Value) -> Any:
    """What a value is made of: values of one form may be items of a table."""
    if isinstance(value, tuple):
        return (type(value).__name__, *map(form, value))
    if isinstance(value, Compound):
        return value.form
    return "number" if isinstance(value, Node) else "none"


def _same(a: Any, b: Any) -> bool:
    return a is b or (isinstance(a, str) and isinstance(b, str) and a == b)


def is_none(value: Value) -> bool:
    """Whether a value is certainly None."""
    return isinstance(value, Static) and value.value is None


def is_optional(value: Value) -> bool:
    """Whether a value is or may be None."""
    return isinstance(value, Optional) or is_none(value)


def as_maybe(graph: Graph, value: Value, like: Optional | Partly) -> Any:
    """Return a value as one that may be None, or unset; `like` has the form of the number."""
    if isinstance(value, type(like)):
        return value
    absent = is_none(value) if isinstance(like, Optional) else isinstance(value, Unset)
    return type(like)(graph.const(absent), like.value if absent else value)


def _join_maybe(
    graph: Graph, cond: Node, a: Value, b: Value, form: type[Optional | Partly]
) -> Value:
    """`join_value` where one of the two may be None, or unset."""
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
    """The environment after `if cond`; a name undefined on a path that has ended is not missed."""
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
        if name.startswith(HELD) and not (name in a and name in b):  # nothing else refers to it
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
    """Joins what names refer to on two paths: two lists become one that holds what either does.

    Where the lists are known by other names, too, a change of the joined one would have to be a
    change of one of them, depending on the condition: nothing may change them from there on.
    """

    def __init__(self, graph: Graph, cond: Node, a: Env, b: Env, result: Env) -> None:
        self._graph, self._cond, self._sides, self._result = graph, cond, (a, b), result
        self._made: dict[tuple[object, object], Reference] = {}

    def join(self, a: Value, b: Value) -> Value:
        """What a name refers to after two paths."""
        if isinstance(a, Reference) and isinstance(b, Reference) and a.key == b.key:
            return a
        if isinstance(a, View) or isinstance(b, View):
            return Undefined("is part of an array on a path that reaches this line; copy that part")
        keys = _key(a), _key(b)
        if keys not in self._made:
            x, y = self._sides
            value = join_value(self._graph, self._cond, _held(a, x), _held(b, y), self)
            if not isinstance(value, (List, Array, Resizable, Record)):
                why = "has values of different types on the paths that reach this line"
                return value if isinstance(value, Undefined) else Undefined(why)
            self._made[keys] = reference(self._result, value)
        return self._made[keys]

    def freeze(self) -> None:
        """Note which lists nothing may change, as another name may mean them."""
        frozen = set[str]().union(*(side.get(FROZEN, ()) for side in self._sides))
        merged = {key for pair in self._made for key in pair if isinstance(key, str)}
        values = [v for name, v in self._result.items() if name not in merged]
        seen = {*self._result.get(OUTER, ())}.union(*map(keys_in, values))
        for side in zip(*self._made, strict=True):  # two joined ones may be one list on a path
            seen |= {key for key in side if side.count(key) > 1}
        for pair, joined in self._made.items():
            old = {key for key in pair if isinstance(key, str)}
            if old & (frozen | seen):
                frozen |= {joined.key, *old}
        if frozen:
            self._result[FROZEN] = frozenset(frozen)


REFERS = (Reference, View)
HELD = "@"  # what the keys of lists and arrays in an environment begin with
OUTER, FROZEN = "$outer", "$frozen"  # keys of the caller's lists, of those that nothing may change
_KEYS = itertools.count()


def reference(env: Env, value: Value, name: str = "") -> Reference:
    """A new list or array that holds a value."""
    entry = Reference(f"{HELD}{name}.{next(_KEYS)}")
    env[entry.key] = value
    return entry


def placed(value: Value, env: Env, name: str = "", *, alone: bool = False) -> Value:
    """A value as a name refers to it: new lists and arrays get a place in the environment.
    `alone`: of an argument, which only the function that is called may keep."""
    if type(value) is List:
        return reference(env, List(placed(item, env, name) for item in value), name)
    if isinstance(value, Record) and value.shared:
        entry = reference(env, _sort(value)(placed(item, env, name) for item in value), name)
        if value.copied:  # a change of it would be one of an object that others mean, or of none
            alike = (k for k, v in env.items() if isinstance(v, Record) and v.cls is value.cls)
            env[FROZEN] = env.get(FROZEN, frozenset()).union((entry.key,) if alone else alike)
        return entry
    if type(value) in (Array, Resizable):
        return reference(env, value, name)
    if type(value) is tuple and any(type(item) in (List, Array, tuple) for item in value):
        return tuple(placed(item, env, name) for item in value)
    return value


def lists_of(env: Env) -> Env:
    """The lists and arrays of an environment."""
    return {name: v for name, v in env.items() if name.startswith(HELD) or name == FROZEN}


def keys_in(value: Value, env: Env | None = None) -> Iterator[str]:
    """The keys of the lists that a value refers to; in an environment of those in them, too."""
    if isinstance(value, (Reference, View)):
        key = (value.owner if isinstance(value, View) else value).key
        yield key
        yield from keys_in((env or {}).get(key), env)
    elif type(value) in (tuple, List) or isinstance(value, Record):
        for item in value:
            yield from keys_in(item, env)


def _key(value: Value) -> object:
    return value.key if isinstance(value, Reference) else value


def _held(value: Value, env: Env) -> Value:
    return env[value.key] if isinstance(value, Reference) else value


def _sort(value: tuple[Any, ...]) -> type[tuple[Any, ...]]:
    if isinstance(value, Record) and value.copied:
        return type(value).__bases__[0]
    return Array if isinstance(value, Array) else type(value)


def flatten(value: Value) -> list[Node] | None:
    """The nodes of a value of numbers and tuples of numbers, or None; a complex number is two."""
    if isinstance(value, Node):
        return [value]
    if not isinstance(value, (tuple, Compound)):
        return None
    nodes: list[Node] = []
    for part in value if isinstance(value, tuple) else value.parts:
        inner = flatten(part)
        if inner is None:
            return None
        nodes += inner
    return nodes


def unflatten(like: Value, nodes: list[Node]) -> Value:
    """Nodes put back into the structure of `like`; consumes from the front of the list."""
    if isinstance(like, tuple):
        return type(like)(unflatten(v, nodes) for v in like)
    if isinstance(like, Compound):
        return like.of_parts([unflatten(v, nodes) for v in like.parts])
    return like if isinstance(like, Reference) else nodes.pop(0)


# names that hold None, or nothing at all, on some paths and a number on others -----------------


def on_path(value: Value, path: Node) -> Value:
    """Return a value as it is where `path` holds, which may say whether it is None or unset."""
    if not isinstance(value, (Optional, Partly)):
        return value
    if isinstance(value, Optional) and implies(path, value.absent, True):
        return Static(None)
    return value.value if implies(path, value.absent, False) else value


def as_number(graph: Graph, value: Value) -> Value:
    """Return a value that is used as a number: NaN where it is None, of integers any number."""
    if not isinstance(value, Optional):
        return value
    inner = value.value
    if isinstance(inner, Node) and inner.kind == "f":
        return graph.select(value.absent, graph.const(math.nan), inner)
    return inner


def nothing_like(graph: Graph, value: Value) -> Value | None:
    """Return NaN and 0 in the form of numbers that are not there yet; None for other values."""
    nodes = flatten(value)
    if nodes is None:
        return None
    nothing = [graph.cast(graph.const(math.nan if n.kind == "f" else 0), n.kind) for n in nodes]
    return unflatten(value, nothing)
