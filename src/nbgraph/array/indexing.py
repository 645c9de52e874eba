"""Reading and writing parts of arrays: `a[key]`, `a[key] = value`."""

from __future__ import annotations

from typing import Any

from nbgraph.array.copying import fill_from
from nbgraph.array.core import Array


def get(array: Array, key: Any) -> Any:
    """The part of an array as a view."""
    return array._of_view(array._view()[(*key, ...) if isinstance(key, tuple) else (key, ...)])


def set_(array: Array, key: Any, value: Any) -> None:
    """Write a part of an array."""
    fill_from(get(array, key), value)
