"""The values that a name can have while a function is captured."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from nbgraph.kernels.capture.intervals import implies
from nbgraph.kernels.scalar.graph import Graph, Node


@dataclass(slots=True, eq=False, repr=False)
class Static:
    """A Python object that is not a number: a function, a module, a string, None."""

    value: Any


class Compound:
    """A value composed of others, which are carried and joined one by one."""

    __slots__ = ()

    form: Any = "none"  # values of one form may be items of one table
    joins = False  # whether two values of one form are joined part by part

    @property
    def parts(self) -> tuple[Value, ...]:
        """The values that it is composed of."""
        return tuple(getattr(self, name) for name in self.__slots__)

    def of_parts(self, parts: Sequence[Value]) -> Value:
        """Return a value like this one with other parts."""
        return type(self)(*parts)


@dataclass(slots=True, eq=False)
class Choice(Compound):
    """One of several Python objects, selected by a number."""

    index: Node
    options: tuple[Static, ...]

    @property
    def form(self) -> Any:  # type: ignore[override]
        """The identities of the objects."""
        return tuple(v if isinstance(v := o.value, str) else id(v) for o in self.options)

    @property
    def parts(self) -> tuple[Value, ...]:
        return (self.index,)

    def of_parts(self, parts: Sequence[Value]) -> Value:
        return Choice(parts[0], self.options) if len(self.options) > 1 else next(iter(self.options))


@dataclass(slots=True, eq=False, repr=False)
class Undefined:
    """No usable value on this path; `why` completes the sentence "'y' ..."."""

    why: str = "is not defined on every path that reaches this line"


class Unknown(Undefined):
    """The value of a refused construct, while the rest of the text is surveyed."""

    __slots__ = ()


class Unset(Undefined):
    """An unset name: the path assigns it no value."""

    __slots__ = ()


@dataclass(slots=True, eq=False, repr=False)
class Partly(Compound):
    """A value that is unset where `absent` holds."""

    absent: Node
    value: Value


@dataclass(slots=True, eq=False, repr=False)
class Optional(Compound):
    """A value that is None where `absent` holds."""

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
        """Return a number as a complex one."""
        if isinstance(value, cls):
            return value
        return cls(graph.float(value), graph.const(0.0))


Value = Any  # Node | Complex | Optional | Static | Undefined | Mapping | Reference | View | tuple
Env = dict[str, Value]


def form(value: Value) -> Any:
    """Return the form of a value: values of one form may be items of a table."""
    if isinstance(value, tuple):
        return (type(value).__name__, *map(form, value))
    if isinstance(value, Compound):
        return value.form
    return "number" if isinstance(value, Node) else "none"


def is_none(value: Value) -> bool:
    """Return whether a value is certainly None."""
    return isinstance(value, Static) and value.value is None


def is_optional(value: Value) -> bool:
    """Return whether a value is or may be None."""
    return isinstance(value, Optional) or is_none(value)


def flatten(value: Value) -> list[Node] | None:
    """Return the nodes of numbers and tuples of them (two of a complex one); None for others."""
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
    """Return nodes in the structure of `like`; removes them from the front of the list."""
    if isinstance(like, tuple):
        return type(like)(unflatten(v, nodes) for v in like)
    if isinstance(like, Compound):
        return like.of_parts([unflatten(v, nodes) for v in like.parts])
    return nodes.pop(0) if isinstance(like, Node) else like


# names that are None or unset on some paths and numbers on others -----------------------------


def on_path(value: Value, path: Node) -> Value:
    """Return a value where `path` holds, which may decide whether it is None or unset."""
    if not isinstance(value, (Optional, Partly)):
        return value
    if isinstance(value, Optional) and implies(path, value.absent, True):
        return Static(None)
    return value.value if implies(path, value.absent, False) else value


def nothing_like(graph: Graph, value: Value) -> Value | None:
    """Return placeholders (NaN or 0) in the form of numbers; None for other values."""
    nodes = flatten(value)
    if nodes is None:
        return None
    nothing = [graph.cast(graph.const(math.nan if n.kind == "f" else 0), n.kind) for n in nodes]
    return unflatten(value, nothing)
