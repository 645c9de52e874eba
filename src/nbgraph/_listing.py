"""The `__dir__` of public modules: the names that a package defines, without its imports."""

import importlib
from collections.abc import Callable, Mapping
from typing import Any


def bring(scope: dict[str, Any], places: str) -> None:
    """Import names into the globals of a package; each line of `places` is a module and its names.

    Editors and type checkers read them in the package's stub, which scripts/stubs.py generates.
    """
    for line in places.strip().splitlines():
        place, *names = line.split()
        module = importlib.import_module(f"{scope['__package__']}.{place}")
        scope.update({name: getattr(module, name) for name in names})


def public_names(module: Mapping[str, Any], also: str = "") -> Callable[[], list[str]]:
    """Return the function `__dir__` of a module with these globals.

    `also` has further names: submodules, constants, names of other packages, and names that load
    at their first use.

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
