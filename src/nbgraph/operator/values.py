"""Kinds of parameter values: which values an annotation allows, and how to read them from text.

>>> kind, _ = kind_of("kernel", tuple[int, ...])
>>> kind.read("(3, 3)"), kind.read("3,3"), kind.read([3, 3])
((3, 3), (3, 3), (3, 3))
>>> kind_of("bias", bool)[0].read("true")
True
"""

from __future__ import annotations

import ast
import types
import typing
from collections.abc import Callable, Sequence
from typing import Any, Literal, NamedTuple, Union

import numpy as np

from nbgraph.dtype import as_dtype
from nbgraph.errors import ArgumentError

_TRUE, _FALSE = ("true", "1", "yes"), ("false", "0", "no")


class Kind(NamedTuple):
    """A kind of parameter values: a name for messages, an example, and a reader."""

    name: str
    example: str
    read: Callable[[Any], Any]  # raises ValueError, TypeError or SyntaxError for other values


def kind_of(where: str, hint: Any) -> tuple[Kind, tuple[Any, ...]]:
    """Return the kind of an annotation, and a Literal's choices; ArgumentError for another type."""
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin is Literal:
        first = {type(a) for a in arguments}
        if len(first) == 1 and (kind := _plain(first.pop())):
            return kind, arguments
    elif origin in (Union, types.UnionType):
        inner = [a for a in arguments if a is not types.NoneType]
        if len(inner) == 1 and len(arguments) == 2:
            kind, choices = kind_of(where, inner[0])
            return _optional(kind), (*choices, None) if choices else ()
    elif origin is tuple and arguments:
        items = [kind_of(where, a)[0] for a in arguments if a is not Ellipsis]
        return _tuple(items, any_length=Ellipsis in arguments), ()
    elif kind := _plain(origin or hint):
        return kind, ()
    raise ArgumentError(
        f"{where}: a parameter cannot be of type {hint!r}; use bool, int, float, str, numpy.dtype, "
        "a tuple of those, a Literal, or one of these or None"
    )


def text_of(value: Any) -> str:
    """Return a value as text that its kind reads.

    >>> text_of(True), text_of((3, 3)), text_of(np.dtype("float32")), text_of("max")
    ('true', '(3, 3)', 'float32', 'max')
    """
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return value
    if isinstance(value, np.dtype):
        return value.name
    if isinstance(value, tuple):
        items = typing.cast("tuple[Any, ...]", value)
        inner = ", ".join(map(_item_text, items))
        return f"({inner},)" if len(items) == 1 else f"({inner})"
    return repr(value)


def _item_text(value: Any) -> str:
    """Return an item of a tuple as Python would write it; quoted unless a literal."""
    literal = isinstance(value, tuple) or (type(value) in (int, float) and np.isfinite(value))
    return text_of(value) if literal else repr(text_of(value))


def _plain(hint: Any) -> Kind | None:
    for types_, kind in _PLAIN:
        if hint in types_:
            return kind
    return None


def _int(value: Any) -> int:
    if isinstance(value, str):
        return int(value.strip(), 0)
    value = _scalar(value)
    if isinstance(value, bool) or (isinstance(value, float) and not value.is_integer()):
        raise ValueError(value)
    return int(value)


def _float(value: Any) -> float:
    if isinstance(value, str):
        return float(value)
    value = _scalar(value)
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise TypeError(value)
    return float(value)


def _bool(value: Any) -> bool:
    if isinstance(value, str):
        word = value.strip().lower()
        if word not in (*_TRUE, *_FALSE):
            raise ValueError(value)
        return word in _TRUE
    value = _scalar(value)
    if value not in (0, 1) or isinstance(value, float):
        raise ValueError(value)
    return bool(value)


def _str(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(value)
    return value


def _dtype(value: Any) -> np.dtype[Any]:
    if value is None:
        raise TypeError(value)  # NumPy would take it for float64
    return as_dtype(value)


def _scalar(value: Any) -> Any:
    """Return a Python number from itself or a NumPy scalar; TypeError for an array."""
    if isinstance(value, np.generic):
        value = value.item()
    if not isinstance(value, (bool, int, float)):
        raise TypeError(value)
    return value


def _optional(inner: Kind) -> Kind:
    def read(value: Any) -> Any:
        if value is None or (isinstance(value, str) and value.strip() in ("None", "none")):
            return None
        return inner.read(value)

    return Kind(f"{inner.name} or None", inner.example, read)


def _tuple(items: Sequence[Kind], *, any_length: bool) -> Kind:
    def read(value: Any) -> tuple[Any, ...]:
        values = _items(value)
        kinds = [items[0]] * len(values) if any_length else items
        if len(values) != len(kinds):
            raise ValueError(value)
        return tuple(kind.read(v) for kind, v in zip(kinds, values, strict=True))

    examples = [items[0].example] * 2 if any_length else [k.example for k in items]
    example = f"({', '.join(examples)}{',' if len(examples) == 1 else ''})"
    if any_length:
        return Kind(f"tuple of {items[0].name}", example, read)
    return Kind(f"tuple ({', '.join(k.name for k in items)})", example, read)


def _items(value: Any) -> Sequence[Any]:
    if isinstance(value, str):
        text = value.strip()
        text = text if text.startswith(("(", "[")) else f"({text},)"
        value = ast.literal_eval(text)
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if not isinstance(value, (tuple, list)):
        raise TypeError(value)
    return value


_PLAIN: tuple[tuple[tuple[Any, ...], Kind], ...] = (
    ((bool,), Kind("bool", "True", _bool)),
    ((int,), Kind("int", "3", _int)),
    ((float,), Kind("float", "0.5", _float)),
    ((str,), Kind("str", "'text'", _str)),
    ((np.dtype,), Kind("dtype", "'float32'", _dtype)),
)
