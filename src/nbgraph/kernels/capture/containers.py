"""Values that hold others: objects, arrays, lists, dicts, and references to them.

An object whose attributes are known is a tuple of their values, of a class made for it.
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from nbgraph.kernels.capture.values import Choice, Complex, Compound, Node, Undefined, Value

PLACES = 64  # of a list that a loop grows whose trips are not known


class Record(tuple[Any, ...]):
    """An object of a class whose attributes are known: their values in order."""

    __slots__ = ()
    cls: type
    fields: tuple[Any, ...]
    shared: bool  # whether its names mean one object, which assignments change
    copied = False  # whether it was read: another name, which it has no key of, may mean it, too

    @property
    def entries(self) -> dict[Any, Any]:
        """The values by their attributes or keys."""
        return dict(zip(self.fields, self, strict=True))


@functools.cache
def record(cls: type, fields: tuple[Any, ...], types: tuple[type, ...]) -> type[Record]:
    """Return the form of the objects of a class; the keys of a dict have types, too: 1 and True."""
    frozen = getattr(getattr(cls, "__dataclass_params__", None), "frozen", hasattr(cls, "_fields"))
    return type(cls.__name__, (Record,), {"cls": cls, "fields": fields, "shared": not frozen})


@functools.cache
def _copied(form: type[Record]) -> type[Record]:
    return type(form.__name__, (form,), {"copied": True})


def copy_of(value: Record) -> Record:
    """Return an object as one that was read."""
    return _copied(type(value))(value)


def record_of(cls: type, values: dict[Any, Any]) -> Record:
    """Return an object of a class, or a dict, for the values of its attributes."""
    return record(cls, tuple(values), tuple(map(type, values)))(values.values())


class Array(tuple[Any, ...]):
    """A NumPy array whose shape is known: its numbers, or the rows that are arrays in turn."""

    __slots__ = ()


class ConstantArray(Array):
    """An array of the module, which nothing changes here."""

    __slots__ = ()


class List(tuple[Any, ...]):
    """What a list of the function holds at one point of the text."""

    __slots__ = ()


class Set(List):
    """What a set holds: each item once, in ascending order if that is known."""

    __slots__ = ()


class Iterator(List):
    """What an iterator still has: it is gone through once."""

    __slots__ = ()


@dataclass(frozen=True, slots=True, eq=False)
class Resizable(Compound):
    """A list whose length depends on values: the first `length` of its items, which have one form.
    `bounded`: a loop carries it, so it gets no more items; `sort`: what it is."""

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
    """A dict whose keys depend on values: pairs of a key and its value; `default`: of a key that it
    lacks, as `defaultdict` and `Counter` have one; `grows`: whether reading such a key adds it."""

    default: Value = None
    grows: bool = False


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
        """Return the part that one more step leads to."""
        if isinstance(owner, View):
            return cls(owner.owner, (*owner.steps, step), node)
        return cls(owner, (step,), node)


@dataclass(slots=True, eq=False, repr=False)
class Mapping:
    """A dict whose keys are known; its values may be numbers, tuples or Python objects."""

    entries: dict[Any, Value]


def copied(value: Value, *, back: bool = False) -> Value:
    """Return a value whose objects are not those that names mean; `back`: as new ones."""
    if type(value) is tuple or isinstance(value, List):
        return type(value)(copied(item, back=back) for item in value)
    if not isinstance(value, Record) or not value.shared or value.copied != back:
        return value
    return own_type(value)(value) if back else copy_of(value)


def sort_of(value: Value) -> type[Any]:
    """Return what a list is: List, Set or Iterator; the type of other values."""
    return getattr(value, "sort", type(value))


def sorted_as(sort: type[List], value: Value) -> Value:
    """Return the items of a list or a tuple as another sort of list."""
    return replace(value, sort=sort) if isinstance(value, Resizable) else sort(value)


is_set = lambda value: sort_of(value) is Set
as_set = functools.partial(sorted_as, Set)
as_list = functools.partial(sorted_as, List)


def is_fixed(value: Value) -> bool:
    """Return whether nothing can change a value: it is a number, or a tuple of such."""
    if isinstance(value, (List, Array)) or (isinstance(value, Record) and value.shared):
        return False
    return not isinstance(value, tuple) or all(map(is_fixed, value))


def mapping(value: Value) -> Value:
    """Return a dict of the function as it is now; any other value as it is."""
    if isinstance(value, Record) and value.cls is dict:
        return Mapping(value.entries)
    return value


def described(value: Value) -> str:
    """Return what a user calls a value."""
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
    """Return the type of a copy of a tuple: no constant array, and no object that was read."""
    if isinstance(value, Record) and value.copied:
        return type(value).__bases__[0]
    return Array if isinstance(value, Array) else type(value)
