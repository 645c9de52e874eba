"""Options of iterators: which of them are the source's."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any


def divided(
    make: Callable[..., Any], options: dict[str, Any]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return those options that a function takes by name, and the rest.

    >>> divided(lambda x, *, size=1: x, {"size": 2, "seed": 0})
    ({'size': 2}, {'seed': 0})
    """
    parameters = inspect.signature(make).parameters.values()
    names = {p.name for p in parameters if p.kind is p.KEYWORD_ONLY}
    own = {name: value for name, value in options.items() if name in names}
    return own, {name: value for name, value in options.items() if name not in names}
