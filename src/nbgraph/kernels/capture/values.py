"""What a name can hold while a function is captured."""

from __future__ import annotations

import ast
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from nbgraph.kernels.capture.intervals import implies
from nbgraph.kernels.capture.records import Record, copy_of
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
    return own_type(value)(value) if back else copy_of(value)


def mapping(value: Value) -> Value:
    """A dict of the function as it is now; any other value as it is."""
    if isinstance(value, Record) and value.cls is dict:
        return Mapping(value.entries)
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


def form(value: Value) -> Any:
    """What a value is made of: values of one form may be items of a table."""
    if isinstance(value, tuple):
        return (type(value).__name__, *map(form, value))
    if isinstance(value, Compound):
        return value.form
    return "number" if isinstance(value, Node) else "none"


def is_none(value: Value) -> bool:
    """Whether a value is certainly None."""
    return isinstance(value, Static) and value.value is None


def is_optional(value: Value) -> bool:
    """Whether a value is or may be None."""
    return isinstance(value, Optional) or is_none(value)


REFERS = (Reference, View)


def own_type(value: tuple[Any, ...]) -> type[tuple[Any, ...]]:
    """The type of a copy of a tuple: no constant array, and no object that was read."""
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
