"""What `dir` shows of a public module: what its package defines, not what its code imports."""

import importlib
from collections.abc import Callable, Mapping
from typing import Any


def bring(scope: dict[str, Any], places: str) -> None:
    """Put the names of a package into its globals: a line has a module within it, and its names.

    Editors and type checkers know them from the package's stub, which scripts/stubs.py writes.
    """
    for line in places.strip().splitlines():
        place, *names = line.split()
        module = importlib.import_module(f"{scope['__package__']}.{place}")
        scope.update({name: getattr(module, name) for name in names})


def public_names(module: Mapping[str, Any], also: str = "") -> Callable[[], list[str]]:
    """Return a module's `__dir__` from its globals.

    `also` has further names: submodules, constants, and what comes from other packages or loads
    when it is used.

    >>> import math, nbgraph.ops
    >>> here = {"__package__": "nbgraph.ops", "math": math, "add": nbgraph.ops.add, "Any": Any}
    >>> public_names(here, also="PLACES")()
    ['PLACES', 'add']
    """

    def names() -> list[str]:
        own = module.get("__all__") or [name for name in module if is_own(name)]
        return sorted({*own, *also.split()})

    def is_own(name: str) -> bool:
        value = module[name]
        room = getattr(value, "__module__", None) or type(value).__module__
        if name.startswith("_") or room == __name__:
            return False
        return str(room).startswith(module["__package__"])

    return names
