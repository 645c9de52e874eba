"""What a property and its operators say, as a hash, by which a file tells them from others."""

from __future__ import annotations

from collections.abc import Iterator
from types import FunctionType
from typing import Any

from nbgraph.operator.full.operator import Operator
from nbgraph.operator.full.property import OperatorProperty
from nbgraph.operator.simple.content import content


def content_of_property(prop: type[OperatorProperty]) -> str:
    """Of the texts of its methods, and of those of the operators it names in `create_operator`."""
    functions = dict(_methods(prop, OperatorProperty))
    create = functions[_CREATE]
    for name in sorted(set(create.__code__.co_names)):
        named = create.__globals__.get(name)
        if isinstance(named, type) and issubclass(named, Operator):
            functions |= {f"{name}.{key}": fn for key, fn in _methods(named, Operator)}
    parameters = sorted(prop.Param.__fields__)
    return content({**functions, f"parameters {parameters}": _nothing})


_CREATE = "create_operator"


def _methods(cls: type, base: type) -> Iterator[tuple[str, FunctionType]]:
    """The functions of a class and of its bases below `base`, nearest first."""
    for owner in reversed(cls.__mro__):
        if issubclass(owner, base) and owner is not base:
            for name, value in vars(owner).items():
                plain: Any = getattr(value, "__func__", value)
                if isinstance(plain, FunctionType):
                    yield name, plain


def _nothing() -> None:
    """Stands for a text that is in its name alone."""
