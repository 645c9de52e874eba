"""The form of objects whose attributes are known: a tuple of their values for each class."""

from __future__ import annotations

import functools
from typing import Any


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
