"""The library of operators, one family a file; a family loads when one of its names is used.

>>> from nbgraph.ops import add
>>> add([1, 2], [3.5, 4.5])
array([4.5, 6.5])
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from nbgraph.ops.arithmetic import *  # noqa: F403
    from nbgraph.ops.comparison import *  # noqa: F403

# Every public name, by family: several names of one operator stand side by side.
FAMILIES: dict[str, str] = {
    "arithmetic": (
        "add subtract multiply divide true_divide negative positive absolute abs power pow square"
    ),
    "comparison": "equal not_equal less less_equal greater greater_equal maximum minimum",
}
PLACES: dict[str, str] = {
    name: f"{__name__}.{family}" for family, names in FAMILIES.items() for name in names.split()
}


def __getattr__(name: str) -> Any:
    """Names load when they are first used (PEP 562)."""
    place = PLACES.get(name)
    if place is None:
        from nbgraph.operator.registry import suggestion

        raise AttributeError(f"nbgraph.ops has no operator {name!r}; {suggestion(name, PLACES)}")
    value = getattr(importlib.import_module(place), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *PLACES})
