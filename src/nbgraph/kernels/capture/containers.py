"""Values that hold others: objects, arrays, lists, dicts, and references to them.

An object whose attributes are known is a tuple of their values; `record` gives its class.
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from nbgraph.kernels.capture.values import Choice, Complex, Compound, Node, Undefined, Value

PLACES = 64  # capacity of a list that grows in a loop with an unknown number of trips


class Record(tuple[Any, ...]):
    """An object of a class whose attributes are known, as a tuple of their values."""

    __slots__ = ()
    cls: type
    fields: tuple[Any, ...]
    shared: bool  # whether its names refer to one mutable object
    copied = False  # whether it was read: names outside of it may refer to the same object

    @property
    def entries(self) -> dict[Any, Any]:
        """The values by their attributes or keys."""
        return dict(zip(self.fields, self, strict=True))


@functools.cache
def record(cls: type, fields: tuple[Any, ...], types: tuple[type, ...]) -> type[Record]:
    """Return the type of objects of a class; `types` tells the keys 1 and True of a dict apart."""
    frozen = getattr(getattr(cls, "__dataclass_params__", None), "frozen", hasattr(cls, "_fields"))
    return type(cls.__name__, (Record,), {"cls": cls, "fields": fields, "shared": not frozen})


@functools.cache
def _copied(form: type[Record]) -> type[Record]:
    return type(form.__name__, (form,), {"copied": True})


def copy_of(value: Record) -> Record:
    """Return an object marked as one that was read (`copied`)."""
    return _copied(type(value))(value)


def record_of(cls: type, values: dict[Any, Any]) -> Record:
    """Return the object of a class, or the dict, with these attributes or items."""
    return record(cls, tuple(values), tuple(map(type, values)))(values.values())


class Array(tuple[Any, ...]):
    """A NumPy array whose shape is known: its numbers, or its rows as arrays."""

    __slots__ = ()


class ConstantArray(Array):
    """An array from outside the function, which the function cannot change."""

    __slots__ = ()


class List(tuple[Any, ...]):
    """The items of a list at one point of the text."""

    __slots__ = ()


class Set(List):
    """The items of a set, each once, in ascending order if the order is known."""

    __slots__ = ()


class Iterator(List):
    """The items that an iterator has left; it can be iterated over once."""

    __slots__ = ()


@dataclass(frozen=True, slots=True, eq=False)
class Resizable(Compound):
    """A list whose length depends on values: the first `length` of its items, all of one form.
    `bounded`: a loop carries it, so it gets no more items; `sort`: List, Set or Iterator."""

    length: Node
    items: tuple[Value, ...]
    bounded: bool = False
    sort: type[List] = List

    @property
    def parts(self) -> tuple[Value, ...]:
        return self.length, *self.items

    def of_parts(self, parts: Sequence[Value]) -> Value:
        return replace(self, length=parts[0], items=tuple(parts[1:]))


@dataclass(frozen=True, slots=True, eq=False)
class Pairs(Resizable):
    """A dict whose keys depend on values, as pairs of key and value; `default`: the value of a
    missing key (`defaultdict`, `Counter`); `grows`: whether reading a missing key adds it."""

    default: Value = None
    grows: bool = False


@dataclass(slots=True, eq=False, repr=False)
class Reference:
    """A reference to a list or an array: the environment has its items under `key`."""

    key: str


@dataclass(slots=True, eq=False, repr=False)
class View:
    """Part of a list or an array, evaluated when it is read: `steps` in order, each the indices of
    a subscript, or a function that arranges the numbers of an array."""

    owner: Reference
    steps: tuple[Any, ...]
    node: ast.Subscript

    @classmethod
    def of(cls, owner: Reference | View, step: Any, node: ast.Subscript) -> View:
        """Return the part of `owner` after one more step."""
        if isinstance(owner, View):
            return cls(owner.owner, (*owner.steps, step), node)
        return cls(owner, (step,), node)


@dataclass(slots=True, eq=False, repr=False)
class Mapping:
    """A dict whose keys are known; its values may be numbers, tuples or Python objects."""

    entries: dict[Any, Value]


def copied(value: Value, *, back: bool = False) -> Value:
    """Return a value with its objects marked as read; `back`: as new objects, without the mark."""
    if type(value) is tuple or isinstance(value, List):
        return type(value)(copied(item, back=back) for item in value)
    if not isinstance(value, Record) or not value.shared or value.copied != back:
        return value
    return own_type(value)(value) if back else copy_of(value)


def sort_of(value: Value) -> type[Any]:
    """Return what a list is: List, Set or Iterator; for other values their type."""
    return getattr(value, "sort", type(value))


def sorted_as(sort: type[List], value: Value) -> Value:
    """Return the items of a list or a tuple as a List, Set or Iterator."""
    return replace(value, sort=sort) if isinstance(value, Resizable) else sort(value)


is_set = lambda value: sort_of(value) is Set
as_set = functools.partial(sorted_as, Set)
as_list = functools.partial(sorted_as, List)


def is_fixed(value: Value) -> bool:
    """Return whether a value is immutable: a number, or a tuple of such."""
    if isinstance(value, (List, Array)) or (isinstance(value, Record) and value.shared):
        return False
    return not isinstance(value, tuple) or all(map(is_fixed, value))


def mapping(value: Value) -> Value:
    """Return a dict of the function as a Mapping; any other value unchanged."""
    if isinstance(value, Record) and value.cls is dict:
        return Mapping(value.entries)
    return value


def described(value: Value) -> str:
    """Return how an error message names a value."""
    if isinstance(value, Undefined):
        return f"a value that {value.why}"
    if isinstance(value, Complex):
        return "a complex number"
    if isinstance(value, Choice):
        return " or ".join(map(described, value.options))
    if isinstance(value, Pairs):
        return "a dict"
    if isinstance(value, Resizable):
        return "a list whose length depends on values"
    if isinstance(value, (tuple, Reference, View)):
        return "a list" if isinstance(value, List) else "a tuple or an array"
    return "a dict" if isinstance(value, Mapping) else repr(getattr(value, "value", value))


REFERS = (Reference, View)


def own_type(value: tuple[Any, ...]) -> type[tuple[Any, ...]]:
    """Return the type of a copy of a tuple: not ConstantArray, and not marked as read."""
    if isinstance(value, Record) and value.copied:
        return type(value).__bases__[0]
    return Array if isinstance(value, Array) else type(value)
