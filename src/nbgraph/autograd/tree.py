"""Nested arguments: dicts, lists, tuples, named tuples and dataclasses of arrays, and objects with
parameters.

An object that offers `parameters() -> dict` stands for the arrays of that dict. None is a
structure without arrays. A field of a dataclass with `metadata={"static": True}` is not a value,
but part of the structure.
"""

import copy
import dataclasses
from collections.abc import Callable, Iterator, Sequence
from operator import itemgetter
from typing import Any, NamedTuple


class Place(NamedTuple):
    """A value in a structure."""

    path: str  # as Python writes it: `params['w'][0]`
    value: Any
    owned: bool  # by an object, which looks it up itself: it cannot be replaced in a copy


def places(value: Any, path: str) -> list[Place]:
    """Return all values of a structure, in order; an object that is not a container is a value
    itself.

    >>> [p.path for p in places({"w": [1.0, 2.0], "b": (3.0,)}, "x")]
    ["x['w'][0]", "x['w'][1]", "x['b'][0]"]
    """
    return list(_walk(value, path, owned=False))


def _walk(value: Any, path: str, *, owned: bool) -> Iterator[Place]:
    if value is None:
        return
    if isinstance(value, dict):
        for key, item in value.items():
            yield from _walk(item, f"{path}[{key!r}]", owned=owned)
    elif isinstance(value, (list, tuple)):
        names = getattr(value, "_fields", None)
        for i, item in enumerate(value):
            label = f"{path}[{i}]" if names is None else f"{path}.{names[i]}"
            yield from _walk(item, label, owned=owned)
    elif offers_parameters(value):
        yield from _walk(value.parameters(), f"{path}.parameters()", owned=True)
    elif dataclasses.is_dataclass(value) and not isinstance(value, type):
        for name in dynamic_fields(value):
            yield from _walk(getattr(value, name), f"{path}.{name}", owned=owned)
    else:
        yield Place(path, value, owned)


def offers_parameters(value: Any) -> bool:
    """Return whether a value is an object that stands for its parameters."""
    return not isinstance(value, type) and callable(getattr(value, "parameters", None))


def dynamic_fields(value: Any) -> list[str]:
    """Return the fields of a dataclass that are not static."""
    return [f.name for f in dataclasses.fields(value) if not f.metadata.get("static")]


def like(structure: Any, values: Sequence[Any], *, objects: bool = False) -> Any:
    """Return the structure with other values, in the order of `places`.

    Where an object stands for its parameters the result has a dict of their names, or, with
    `objects`, the object itself.

    >>> like({"w": [1.0, 2.0], "b": None}, [10, 20])
    {'w': [10, 20], 'b': None}
    """
    rest = iter(values)
    result = mapped(lambda _: next(rest), structure, objects=objects)
    assert next(rest, None) is None, "more values than places"
    return result


def builder(structure: Any, places: Iterator[int]) -> Callable[[Sequence[Any]], Any] | None:
    """Return what makes the structure of a sequence of values, or None where it has other parts
    than plain dicts, lists and tuples.

    >>> builder({"w": [0.0, 0.0], "b": ()}, iter(range(2)))([10, 20])
    {'w': [10, 20], 'b': ()}
    """
    kind: Any = type(structure)
    if structure is None:
        return lambda _: None
    if not isinstance(structure, (dict, list, tuple)):
        other = offers_parameters(structure) or dataclasses.is_dataclass(structure)
        return None if other else itemgetter(next(places))
    if kind not in (dict, list, tuple):
        return None
    items: Any = structure.values() if isinstance(structure, dict) else structure
    parts = [builder(v, places) for v in items]
    if None in parts:
        return None
    every: Any = parts
    if kind is dict:
        named = [*zip(structure, every, strict=True)]
        return lambda values: {name: part(values) for name, part in named}
    if kind is list:
        return lambda values: [part(values) for part in every]
    return lambda values: tuple([part(values) for part in every])


def mapped(function: Callable[[Any], Any], structure: Any, *, objects: bool) -> Any:
    """Return the structure with the function of each value, as `like` does.

    >>> mapped(float, {"w": [1, 2], "b": None}, objects=False)
    {'w': [1.0, 2.0], 'b': None}
    """
    if structure is None:
        return None
    if isinstance(structure, dict):
        copy_of_structure = structure.copy()  # of its class: an OrderedDict, a defaultdict
        for key, item in structure.items():
            copy_of_structure[key] = mapped(function, item, objects=objects)
        return copy_of_structure
    if isinstance(structure, (list, tuple)):
        items = [mapped(function, item, objects=objects) for item in structure]
        if isinstance(structure, list):
            return items
        return structure._make(items) if hasattr(structure, "_make") else tuple(items)  # type: ignore[attr-defined]
    if offers_parameters(structure):
        parameters = mapped(function, structure.parameters(), objects=objects)
        return structure if objects else parameters
    if dataclasses.is_dataclass(structure) and not isinstance(structure, type):
        copy_of_structure = copy.copy(structure)
        for name in dynamic_fields(structure):  # past what a frozen one forbids
            value = mapped(function, getattr(structure, name), objects=objects)
            object.__setattr__(copy_of_structure, name, value)
        return copy_of_structure
    return function(structure)
